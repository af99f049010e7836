// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's threads.
 *
 * They are looked up by number, one after the other, each in an RCU read-side section of
 * its own: so their number, and the time an event takes, do not matter. A thread that
 * exists during the whole dump is recorded once. One that is created meanwhile may be
 * missed, but that is an event of its own (sched_process_fork).
 */

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/ipc_namespace.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/utsname.h>
#include <linux/ltt/compat.h>
#include <net/net_namespace.h>

#include "statedump.h"

/*
 * The thread with the lowest number from @nr on, with a reference, and its number. A
 * number may belong only to a group or a session: then there is no thread.
 */
static bool next_thread_from(pid_t *nr, struct task_struct **task)
{
	struct pid *pid;

	rcu_read_lock();
	pid = find_ge_pid(*nr, &init_pid_ns);
	if (pid) {
		*nr = pid_nr(pid);
		*task = pid_task(pid, PIDTYPE_PID);
		if (*task)
			get_task_struct(*task);
	}
	rcu_read_unlock();
	return pid;
}

static void tell_state(struct state_dump *dump, struct task_struct *task)
{
	char comm[TASK_COMM_LEN];
	const struct cred *cred;
	unsigned int uid, gid;
	pid_t ppid;

	get_task_comm(comm, task);
	rcu_read_lock();
	cred = __task_cred(task);
	uid = __kuid_val(cred->uid);
	gid = __kgid_val(cred->gid);
	ppid = task_ppid_nr_ns(task, &init_pid_ns);
	rcu_read_unlock();

	/* States are numbered as task_state_index() does. */
	state_mark(dump, STATE_PROCESS, process_state,
		   "tid %d pid %d ppid %d comm %s uid %u gid %u state %u{0=R,1=S,2=D,3=T,4=t,5=X,6=Z,7=P,8=I} type %u{0=user,1=kernel} flags %x nice %d cpu %u",
		   task->pid, task->tgid, ppid, comm, uid, gid, task_state_index(task),
		   !!(task->flags & PF_KTHREAD), task->flags, task_nice(task),
		   task_cpu(task));
}

/*
 * Numbers of namespaces, as in /proc/PID/ns, and those of a thread and its process in its
 * own one; 0 where it has none any more.
 */
struct namespaces {
	pid_t vtid, vpid;
	unsigned int pid, user, mnt, net, uts, ipc, cgroup;
};

static void get_namespaces(struct task_struct *task, struct namespaces *numbers)
{
	struct pid_namespace *pid_ns;
	const struct nsproxy *proxy;

	rcu_read_lock();
	pid_ns = task_active_pid_ns(task);
	if (pid_ns) {
		numbers->pid = pid_ns->ns.inum;
		numbers->vtid = task_pid_nr_ns(task, pid_ns);
		numbers->vpid = task_tgid_nr_ns(task, pid_ns);
	}
	numbers->user = __task_cred(task)->user_ns->ns.inum;
	rcu_read_unlock();

	task_lock(task);
	proxy = task->nsproxy;
	if (proxy) {
		numbers->mnt = ltt_mnt_ns_number(proxy->mnt_ns);
		numbers->net = proxy->net_ns->ns.inum;
		numbers->uts = proxy->uts_ns->ns.inum;
#ifdef CONFIG_IPC_NS
		numbers->ipc = proxy->ipc_ns->ns.inum;
#endif
#ifdef CONFIG_CGROUPS
		numbers->cgroup = proxy->cgroup_ns->ns.inum;
#endif
	}
	task_unlock(task);
}

static void tell_namespaces(struct state_dump *dump, struct task_struct *task)
{
	struct namespaces number = {};

	get_namespaces(task, &number);
	state_mark(dump, STATE_NAMESPACES, process_namespaces,
		   "tid %d vtid %d vpid %d pid_ns %u user_ns %u mnt_ns %u net_ns %u uts_ns %u ipc_ns %u cgroup_ns %u",
		   task->pid, number.vtid, number.vpid, number.pid, number.user,
		   number.mnt, number.net, number.uts, number.ipc,
		   number.cgroup);
}

#ifdef CONFIG_CGROUPS
static void tell_cgroup(struct state_dump *dump, struct task_struct *task)
{
	struct cgroup *cgroup;
	u64 id;
	int err;

	rcu_read_lock();
	cgroup = task_dfl_cgroup(task);
	id = cgroup_id(cgroup);
	err = cgroup_path(cgroup, dump->text, PATH_MAX);
	rcu_read_unlock();
	state_mark(dump, STATE_CGROUP, process_cgroup, "tid %d id %llu path %s",
		   task->pid, id, err < 0 ? "" : dump->text);
}
#else
static void tell_cgroup(struct state_dump *dump, struct task_struct *task)
{
}
#endif

/*
 * What threads share is recorded for one of them: the first one of the process that is not
 * exiting.
 */
static bool tells_for_all(struct task_struct *task, bool *own_files)
{
	struct task_struct *teller;
	bool tells = false;

	*own_files = false;
	rcu_read_lock();
	/* As long as it is, its group is whole. */
	if (pid_alive(task)) {
		teller = READ_ONCE(task->group_leader);
		if (READ_ONCE(teller->flags) & PF_EXITING)
			teller = next_thread(teller);
		tells = task == teller;
		*own_files = READ_ONCE(task->files) != READ_ONCE(teller->files);
	}
	rcu_read_unlock();
	return tells;
}

static void tell(struct state_dump *dump, struct task_struct *task)
{
	bool tells, own_files;

	if (ltt_state_wants(dump, STATE_PROCESS))
		tell_state(dump, task);
	if (ltt_state_wants(dump, STATE_NAMESPACES))
		tell_namespaces(dump, task);
	if (ltt_state_wants(dump, STATE_CGROUP))
		tell_cgroup(dump, task);
	tells = tells_for_all(task, &own_files);
	if ((tells || own_files) && ltt_state_wants(dump, STATE_FILE))
		ltt_state_files(dump, task);
	if (tells && ltt_state_wants(dump, STATE_MAP))
		ltt_state_maps(dump, task);
}

/**
 * ltt_state_processes() - record all threads, their files and memory maps
 * @dump:	the dump
 *
 * Context: task, sleeps.
 */
void ltt_state_processes(struct state_dump *dump)
{
	const unsigned long any = BIT(STATE_PROCESS) | BIT(STATE_NAMESPACES) |
				  BIT(STATE_CGROUP) | BIT(STATE_FILE) | BIT(STATE_MAP);
	struct task_struct *task;
	pid_t nr;

	if (!(dump->wanted & any))
		return;
	for (nr = 1; !ltt_state_cancelled(dump) && next_thread_from(&nr, &task); nr++) {
		if (task) {
			tell(dump, task);
			put_task_struct(task);
		}
		cond_resched();
	}
}
