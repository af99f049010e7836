#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=2G
#
# A CPU that is stuck in the kernel, so that no grace period of RCU ends. Text goes on without
# it. It holds up those only who have to wait for a grace period, and they can be killed. How
# many grace periods are waited for when markers are removed.

. "$(dirname "$0")/lib.sh"
needs smp
. "$here/lib/dynamic.sh"

hold=/sys/kernel/debug/ltt_test/hold
freeze=/sys/kernel/debug/ltt_test/freeze
# The last one of four, as far as they are there.
stuck=$(($(nproc --all) < 4 ? $(nproc --all) - 1 : 3))
mountpoint -q $tracefs || mount -t tracefs none $tracefs

# The threads that handle interrupts with PREEMPT_RT would be stuck with the CPU, and with them
# who waits for a disk, or for 9p. A thread moves when its next interrupt comes.
interrupts_elsewhere()
{
	interrupts_on "$(printf %x $(((1 << stuck) - 1)))"
	find / -xdev -maxdepth 3 -newermt now > /dev/null 2>&1 || true
	sync
}

# with_stuck_cpu COMMAND...: while CPU $stuck does not leave the kernel
with_stuck_cpu()
{
	load_test_module
	interrupts_elsewhere
	# In any case, let the machine continue.
	trap 'echo -1 > $hold; kill_jobs' EXIT
	echo $stuck > $hold
	"$@"
	echo -1 > $hold
}

# ends "what" COMMAND...: although the CPU is stuck
ends()
{
	local what=$1

	shift
	"$@" > "$tmp/ends" 2>&1 &
	wait_for 30 has_ended $! || fail "$what waits for the stuck CPU: $(cat /proc/$!/stack)"
	wait $! || fail "$what: $(cat "$tmp/ends")"
}

# write STRING FILE
write()
{
	echo "$1" > "$2"
}

# killed "what" STRING FILE: a task that waits for the CPU, or need not, ends when it is killed
killed()
{
	local writer

	write "$2" "$3" &
	writer=$!
	# Let it begin to wait.
	wait_for 10 grep -qs 'State:.*[DS] ' /proc/$writer/status || true
	kill -9 $writer
	wait_for 30 has_ended $writer ||
		fail "$1 cannot be killed: $(cat /proc/$writer/stack)"
}

# listed TRACE: it is not being destroyed
listed()
{
	grep -qx "$1" $ltt/setup_trace
}

not_listed()
{
	! listed "$1"
}

no_directory()
{
	[ ! -e "$ltt/traces/$1" ]
}

destroy_full()
{
	local destroyer

	write full $ltt/destroy_trace &
	destroyer=$!
	ends "the list of traces" wait_for 10 not_listed full
	ends "the list of markers" cat $ltt/markers
	ends "an empty trace's end" write empty $ltt/destroy_trace
	no_directory empty || fail "the empty trace is still there"
	ends "a new trace" write another $ltt/setup_trace
	ends "a trace's list of markers" cat $ltt/traces/other/markers
	none has_ended $destroyer
	ls -d $ltt/traces/full
	expect_errno ENODEV $ltt/destroy_trace full
	expect_errno EEXIST $ltt/setup_trace full

	kill -9 $destroyer
	wait_for 30 has_ended $destroyer ||
		fail "who destroys a trace cannot be killed: $(cat /proc/$destroyer/stack)"
	killed "who stops a trace" 0 $ltt/traces/other/enabled
	# What was unregistered from a tracepoint must have left it before it is registered.
	killed "who enables markers" 'sched.*' $ltt/traces/other/markers
	killed "who disables a channel" 0 $ltt/traces/another/channels/ltt_test/enable
	ends "the list of markers" cat $ltt/markers
	ends "the state of a trace" grep -x 0 $ltt/traces/other/enabled
	ls -d $ltt/traces/full
}

destroyed_beside_stuck_cpu()
{
	local fd

	load_test_module
	new_trace full 'ltt_test.*' 'sched.*'
	start_trace full
	new_trace empty
	new_trace other 'ltt_test.*'
	start_trace other
	generate 100 1
	exec {fd}< $ltt/traces/full/text/ALL
	with_stuck_cpu destroy_full

	# The rest was done without the killed tasks.
	wait_for 30 no_directory full || fail "the trace is still there"
	[ "$(timeout 60 cat <&"$fd" | grep -c ' ltt_test.event: ')" -eq $((100 * $(nproc))) ]
	new_trace full 'sched.*'
	start_trace full
	wait_for 30 grep -q '^sched.sched_switch	.*	on	' $ltt/markers
	destroy_trace full
	destroy_trace other
	destroy_trace another
}

need_kprobes()
{
	modprobe ltt-kprobes 2> /dev/null || { echo "no kprobes"; exit 4; }
}

remove_beside()
{
	local remover

	write "-:stuck/read" $file &
	remover=$!
	ends "the list of definitions" wait_for 10 none_named stuck/read
	ends "another definition" write "p:stuck/open vfs_open" $file
	none has_ended $remover
}

none_named()
{
	! grep ":$1 " $file
}

removed_beside_stuck_cpu()
{
	need_kprobes
	echo 'p:stuck/read vfs_read' > $file
	with_stuck_cpu remove_beside
	wait
	forget_definitions
}

# waits FUNCTION... -- STRING FILE: how often the functions are called by a task that writes
waits()
{
	local functions=()

	while [ "$1" != -- ]; do
		! grep -qx "$1" $tracefs/available_filter_functions || functions+=("$1")
		shift
	done
	shift
	[ ${#functions[@]} -gt 0 ] || { echo "no traceable function found"; exit 4; }
	echo "${functions[*]}" > $tracefs/set_ftrace_filter
	echo function > $tracefs/current_tracer
	(
		echo "$BASHPID" > $tracefs/set_ftrace_pid
		echo > $tracefs/trace
		# One write; echo and printf of bash write line by line.
		exec dd if="$1" of="$2" bs=65536 status=none
	)
	grep -c -v '^#' $tracefs/trace || true
	echo nop > $tracefs/current_tracer
	echo > $tracefs/set_ftrace_pid
	echo > $tracefs/set_ftrace_filter
}

need_function_tracer()
{
	grep -qw function $tracefs/available_tracers || { echo "no function tracer"; exit 4; }
}

# One wait for all kprobes and one for all kretprobes, however many there are.
one_wait()
{
	local found

	need_kprobes
	need_function_tracer
	seq -f 'p:batch/p%g vfs_read' 50 > "$tmp/define"
	seq -f 'r:batch/r%g vfs_read' 10 >> "$tmp/define"
	expect "definitions" OK "$(write-errno -f $file "$tmp/define")"
	new_trace batch 'batch.*'
	start_trace batch
	cat /etc/passwd > /dev/null
	seq -f '-:batch/p%g' 50 > "$tmp/remove"
	seq -f '-:batch/r%g' 10 >> "$tmp/remove"
	found=$(waits synchronize_rcu -- "$tmp/remove" $file)
	echo "$found grace periods"
	none grep batch/ $file
	[ "$found" -ge 1 ]
	[ "$found" -le 2 ]
	destroy_trace batch
}

# A definition's tracepoint is waited for if it has ever called it; whether a trace wants the
# marker when it is removed is of no importance.
waited_for_tracepoints()
{
	local sync="synchronize_srcu synchronize_rcu_tasks_trace" found

	modprobe ltt-btf 2> /dev/null || { echo "no BTF"; exit 4; }
	need_function_tracer
	echo '-:late/fork' > "$tmp/remove"

	echo 't:late/fork sched_process_fork pid=parent->pid' > $file
	found=$(waits $sync -- "$tmp/remove" $file)
	expect "waits for a marker that was never on" 0 "$found"

	echo 't:late/fork sched_process_fork pid=parent->pid' > $file
	new_trace late 'late.*'
	start_trace late
	/bin/true
	found=$(waits $sync -- "$tmp/remove" $file)
	[ "$found" -ge 1 ] || fail "no wait for a marker that is on"
	destroy_trace late

	echo 't:late/fork sched_process_fork pid=parent->pid' > $file
	new_trace late 'late.*'
	start_trace late
	/bin/true
	destroy_trace late
	grep -x 't:late/fork .* # off .*' $file
	found=$(waits $sync -- "$tmp/remove" $file)
	[ "$found" -ge 1 ] || fail "no wait for a marker that was on before"
}

# signalled: something that happens on CPU 0 only
signalled()
{
	taskset -c 0 bash -c 'trap : USR1; kill -USR1 $$'
}

# shown FILE: the text has a line that was recorded while the CPU was stuck
shown()
{
	grep -q '\[000\] signal\.signal_generate: sig 10 ' "$1"
}

# in_order FILE: times do not decrease, except behind a notice, and there for that CPU
in_order()
{
	awk '/^# late events cpu / { late = sprintf("[%03d]", $5); notices++; first = 1; next }
		/^#/ { next }
		$1 + 0 < last && $2 != late { print "out of order: " $0; bad = 1 }
		$1 + 0 >= last && first { print "notice without a late line: " $0; bad = 1 }
		{ first = 0 }
		$1 + 0 < last { lates++; next }
		{ last = $1 + 0; late = "" }
		END { print notices + 0 " notices, " lates + 0 " late lines"; exit bad }' "$1"
}

# take_cpu preemption|interrupts EVENT: hold CPU $stuck with that disabled, in an event if EVENT is 1
take_cpu()
{
	if [ $1 = preemption ]; then
		echo "$stuck $2" > $hold
	else
		taskset -c $stuck bash -c "echo $2 > $freeze" &
		wait_for 10 grep -qx 1 $freeze
	fi
}

# Whatever has failed, the next case finds all as it was.
release()
{
	echo -1 > $hold
	echo N > $fast
	kill_jobs
	[ ! -d $ltt/traces/beside ] || destroy_trace beside
}

# beside_stuck DISABLED EVENT [PATIENCE SECONDS]: the text of the others while CPU $stuck is held
#
# Where the host keeps processors waiting they look stuck, too. So there may be a notice before
# CPU $stuck is held, and others behind; while it is held there is no second one.
beside_stuck()
{
	local reader notices
	local notice="^# cpu $stuck does not answer since [0-9]*\.[0-9]*, its events may come late$"

	# Who sleeps on CPU $stuck wakes by its timers.
	taskset -p -c 0-$((stuck - 1)) $BASHPID > /dev/null
	load_test_module
	echo ${3:-1000} > $patience
	rm -f "$tmp/text"
	new_trace beside 'signal.*' 'ltt_test_other.*' 'sched.*'
	start_trace beside
	reader beside ALL "$tmp/text"
	reader=$!
	interrupts_elsewhere
	trap release EXIT
	take_cpu $1 $2
	signalled
	wait_for ${4:-20} shown "$tmp/text" || fail "nothing is shown beside the stuck CPU"
	notices=$(grep -c "$notice" "$tmp/text") || fail "no notice"
	# And on it goes, without another one.
	signalled
	wait_for 20 shown_twice "$tmp/text" || fail "nothing more is shown"
	expect "notices" $notices "$(grep -c "$notice" "$tmp/text")"
	# One of the others may have been kept waiting, too, but who is idle is never named; where
	# checkers make all slow, each may take longer than the tenth of a second that it has.
	[ "${LTT_PATIENCE:-}" ] ||
		[ "$(grep '^# cpu ' "$tmp/text" | grep -v "^# cpu $stuck " | sort -u -k 3,3 | wc -l)" -le 1 ] ||
		fail "idle CPUs are named: $(grep '^# cpu' "$tmp/text")"
	echo -1 > $hold
	destroy_trace beside
	wait $reader
	in_order "$tmp/text"
}

shown_twice()
{
	[ "$(grep -c '\[000\] signal\.signal_generate: sig 10 ' "$1")" -ge 2 ]
}

# An event that was begun before the CPU was stuck comes late, and a notice stands before it.
late_event()
{
	beside_stuck $1 1
	grep -A 1 "^# late events cpu $stuck\$" "$tmp/text" |
		grep "\[00$stuck\] ltt_test_other\.abandoned: value 0\$"
}

fast_pipe()
{
	echo Y > $fast
	beside_stuck preemption 0
}

# A CPU is asked to close its packets, and does not answer.
flushed_beside()
{
	taskset -p -c 0-$((stuck - 1)) $BASHPID > /dev/null
	load_test_module
	new_trace other
	new_trace flushed 'ltt_test.*'
	start_trace flushed
	generate 100 1
	interrupts_elsewhere
	trap 'echo -1 > $hold; kill_jobs' EXIT
	take_cpu interrupts 0
	killed "who flushes" 1 $ltt/traces/flushed/flush
	killed "who sets a switch timer" 100 $ltt/traces/flushed/channels/ltt_test/switch_timer
	ends "a parameter" grep -x 100 $ltt/traces/flushed/channels/ltt_test/switch_timer
	ends "a parameter of another trace" write 8 $ltt/traces/other/channels/ltt_test/subbuf_num
	echo -1 > $hold
	# The interrupt comes all the same.
	take_packet $ltt/traces/flushed/binary/ltt_test_$stuck
	destroy_trace flushed
	destroy_trace other
}

take_packet()
{
	[ "$(timeout 30 head -c 100 "$1" | wc -c)" -eq 100 ] || fail "no packet was completed"
}

# The control: without patience the text waits for the CPU.
for_ever()
{
	local status=0

	( beside_stuck preemption 0 0 4 ) > "$tmp/control" 2>&1 || status=$?
	cat "$tmp/control"
	expect "status" 1 $status
	grep -q 'nothing is shown beside the stuck CPU' "$tmp/control"
	none grep '^# cpu' "$tmp/text"
}

run_test "text of the others, preemption disabled" beside_stuck preemption 0
run_test --long "text of the others, interrupts disabled" beside_stuck interrupts 0
run_test "an event that comes late" late_event preemption
run_test --long "an event that comes late, interrupts disabled" late_event interrupts
run_test "a fast pipe" fast_pipe
run_test "without patience text waits" for_ever
run_test "a trace is destroyed while a CPU is stuck" destroyed_beside_stuck_cpu
run_test "a flush while a CPU has interrupts disabled" flushed_beside
run_test "a kprobe marker is removed while a CPU is stuck" removed_beside_stuck_cpu
run_test "many kprobe markers are removed with one wait" one_wait
run_test "removed markers wait for tracepoints that have called them" waited_for_tracepoints
finish
