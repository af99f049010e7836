# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -v root=TID -f tasks.awk [what=free] TEXT
#
# Of a trace of everybody, with the context tid and the events of tasks and scheduling: those
# of thread TID, from its first execve() on, and of all that it and its children create, whose
# parents the events of their creation tell; and what scheduling does with them. Without the
# times. With what=free, the threads that the kernel has not freed yet instead.

# The value of a field, of which there is one.
function value(name,	i)
{
	for (i = 4; i < NF; i++)
		if ($i == name)
			return $(i + 1)
	return ""
}

/^#/ { next }

{
	tid = $NF
	event = $3
	other = ""
	if (event == "sched.sched_switch:")
		other = value("next_pid")
	if (event ~ /^sched\.sched_(waking|wakeup|wakeup_new):$/)
		other = value("pid")
	if (tid == root && event == "raw_syscalls.sys_enter:" && $5 == 59 && !begun) {
		begun = 1
		followed[root] = 1
	}
	if (what != "free" && (tid in followed || other in followed)) {
		$1 = ""
		print
	}
	if (event == "task.task_newtask:" && tid in followed)
		followed[value("pid")] = 1
	if (event == "sched.sched_process_free:")
		freed[value("pid")] = 1
}

END {
	if (what == "free")
		for (tid in followed)
			if (!(tid in freed))
				print tid
}
