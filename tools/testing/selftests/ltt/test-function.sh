#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600
#
# The function tracer: it sees what ftrace sees, of the functions that were chosen; it
# is safe to change, to remove, and to turn on itself.

. "$(dirname "$0")/lib.sh"
needs function

fn=$ltt/function
tracefs=/sys/kernel/tracing
bench=/sys/kernel/debug/ltt_bench

# In a shell of its own, as it waits for all that it started.
workload()
(
	for i in $(seq "${1:-8}"); do
		( cat /proc/self/status /proc/self/maps | wc -c > /dev/null ) &
		[ $((i % 4)) -ne 0 ] || wait
	done
	wait
)

# stat_of NAME: a line of stats
stat_of()
{
	awk -v name="$1" '$1 == name { print $2 }' $fn/stats
}

clear_lists()
{
	local list

	for list in filter notrace returns; do
		echo > $fn/$list
		expect "$list" "" "$(cat $fn/$list)"
	done
}

# record NAME COMMAND...: function.* while the command runs, to $tmp/NAME
record()
{
	local name=$1

	shift
	new_trace fn 'function.*'
	start_trace fn
	"$@"
	stop_trace fn
	reader fn ALL "$tmp/$name"
	destroy_trace fn
	wait $!
	none grep '^# lost' "$tmp/$name"
}

# names FILE: the functions in it, once each
names()
{
	events < "$1" | awk '{ print $5 }' | sort -u
}

# Both at once. What LTT records lies within what ftrace does.
both()
{
	local glob globs=''

	echo nop > $tracefs/current_tracer
	echo mono > $tracefs/trace_clock
	echo 16384 > $tracefs/buffer_size_kb
	echo 1 > $tracefs/options/sym-offset
	# Compilers leave out some, but never the first ones.
	for glob in 'vfs_*' dput 'ksys_*' 'do_sys_open*' do_filp_open '__fdget*' 'security_file_*'; do
		! echo "$glob" 2> /dev/null > $tracefs/set_ftrace_filter || globs+=" $glob"
	done
	echo "globs$globs"
	[[ $globs = ' vfs_* dput '* ]] || fail "ftrace refuses vfs_* or dput"
	echo "$globs" > $tracefs/set_ftrace_filter
	echo "$globs" > $fn/filter
	new_trace fn
	channel_buffers fn function 4194304 4
	echo function.entry > $ltt/traces/fn/markers
	expect attached 1 "$(stat_of attached)"
	echo function > $tracefs/current_tracer
	echo 1 > $tracefs/tracing_on
	sleep 0.1
	start_trace fn
	workload "$(amount 12 100)"
	stop_trace fn
	sleep 0.1
	echo 0 > $tracefs/tracing_on
	cat $tracefs/trace > "$tmp/ftrace"
	echo nop > $tracefs/current_tracer
	echo > $tracefs/set_ftrace_filter
	echo 0 > $tracefs/options/sym-offset
	reader fn ALL "$tmp/both"
	destroy_trace fn
	wait $!
	expect attached 0 "$(stat_of attached)"
	clear_lists
	head -n 3 "$tmp/both" "$tmp/ftrace"
	host "$here/compare/function.py" "$tmp/ftrace" "$tmp/both"
}

nothing_unless_chosen()
{
	expect "filter" "" "$(cat $fn/filter)"
	new_trace fn '*'
	expect attached 0 "$(stat_of attached)"
	destroy_trace fn
	record nothing workload
	expect "events" "" "$(events < "$tmp/nothing")"
}

globs()
{
	printf 'vfs_* dput\n!vfs_writ[ae] !vfs_getattr*' > $fn/filter
	expect filter "vfs_* dput !vfs_writ[ae] !vfs_getattr*" "$(paste -sd' ' $fn/filter)"
	echo 'vfs_rea?' > $fn/notrace
	record globs workload
	names "$tmp/globs"
	names "$tmp/globs" | grep -qx vfs_open
	names "$tmp/globs" | grep -qx dput
	none grep -E 'ip (vfs_read|vfs_write|vfs_getattr[a-z_]*) ' "$tmp/globs"
	none grep -vE '^#|: ip (vfs_[a-z_0-9]+|dput) parent_ip [a-zA-Z_0-9.]+\+0x' "$tmp/globs"

	# Both are taken back.
	echo '!vfs_rea?' > $fn/notrace
	expect notrace "" "$(cat $fn/notrace)"
	echo 'vfs_writ[ae]' > $fn/filter
	expect filter "vfs_* dput !vfs_getattr* vfs_writ[ae]" "$(paste -sd' ' $fn/filter)"
	echo '!vfs_writ[ae]' > $fn/filter
	expect filter "vfs_* dput !vfs_getattr*" "$(paste -sd' ' $fn/filter)"
	record globs workload
	names "$tmp/globs" | grep -qx vfs_read
	names "$tmp/globs" | grep -qx vfs_write
	clear_lists
}

# 1064 times; a byte is written for it.
call_function()
{
	echo "function 1000" > $bench/run
	echo -n . >> "$tmp/called"
	sleep 0.05
}

# A function that is selected all the while is recorded as often as it is called, but
# for the calls whose entry a change falls into.
changes()
{
	local rounds=0 calls

	modprobe ltt-bench
	: > "$tmp/called"
	echo ltt_bench_function > $fn/filter
	new_trace fn
	channel_buffers fn function 4194304 4
	echo function.entry > $ltt/traces/fn/markers
	start_trace fn
	repeat call_function
	# A debug kernel takes half a minute for a round.
	until ((rounds >= 2 && $(wc -c < "$tmp/called") >= 40)); do
		echo 'vfs_op*' > $fn/filter
		echo 'dput' > $fn/notrace
		echo '!vfs_op*' > $fn/filter
		echo > $fn/notrace
		((++rounds))
	done
	repeat_end
	stop_trace fn
	reader fn ALL "$tmp/changes"
	destroy_trace fn
	wait
	clear_lists
	none grep '^# lost' "$tmp/changes"
	calls=$((1064 * $(wc -c < "$tmp/called")))
	awk -v rounds="$rounds" -v calls="$calls" '/ip ltt_bench_function / { n++ }
		END {
			print n, "of", calls, "entries,", 4 * rounds, "changes"
			exit n < calls - 4 * rounds || n > calls + 4 * rounds
		}' "$tmp/changes"
	grep -q 'ip vfs_open ' "$tmp/changes"
}

# The module goes, or the trace, while functions are recorded.
goes()
{
	local name

	echo 'vfs_* dput' > $fn/filter
	echo 'vfs_read' > $fn/returns
	repeat workload 4
	new_trace first 'function.*'
	start_trace first
	reader first ALL "$tmp/first"
	sleep 0.3
	new_trace second 'function.*'
	start_trace second
	destroy_trace first
	wait $!
	expect attached 1 "$(stat_of attached)"
	rmmod ltt-function
	stop_trace second
	reader second ALL "$tmp/second"
	modprobe ltt-function
	expect attached 0 "$(stat_of attached)"
	start_trace second
	echo 'vfs_open' > $fn/filter
	expect attached 1 "$(stat_of attached)"
	sleep 0.5
	destroy_trace second
	wait $!
	repeat_end
	clear_lists
	for name in first second; do
		grep -q 'function.entry: ip vfs_' "$tmp/$name"
		grep -q 'function.return: ip vfs_read ' "$tmp/$name"
	done
	tail -n 1 "$tmp/second" | grep 'ip vfs_open '
}

naps()
{
	sleep 0.3
	sleep 0.5
	sleep 0.7
}

# The time of a nap, by its own duration and by the stamps of its two events. A host that
# takes the CPU away in between makes them differ, but not each time.
returns()
{
	echo hrtimer_nanosleep > $fn/filter
	echo 'hrtimer_nanoslee? vfs_f*sync' > $fn/returns
	record slept naps
	grep hrtimer_nanosleep "$tmp/slept"
	events < "$tmp/slept" | awk '
		$5 != "hrtimer_nanosleep" { next }
		/function.entry/ { entry = $1; caller = $7 }
		/function.return/ {
			n++
			stamps = $1 - entry
			duration = $9 / 1e9
			wanted = 0.1 + 0.2 * n
			if ($7 != caller || duration < wanted)
				exit bad = 1
			near += duration - stamps < 0.05 && stamps - duration < 0.05 &&
				duration < wanted + 0.2
		}
		END { exit bad || n != 3 || !near }' || fail "not what three naps look like"

	# Named functions of modules, and many calls.
	modprobe ltt-bench
	echo > $fn/filter
	echo ltt_bench_function > $fn/returns
	new_trace fn 'function.return'
	expect probed 3 "$(stat_of returns_probed)"
	start_trace fn
	echo "function 2000" > $bench/run
	expect missed 0 "$(stat_of returns_missed)"
	stop_trace fn
	reader fn ALL "$tmp/many"
	destroy_trace fn
	wait $!
	expect "returns" 2064 \
		"$(grep -c 'ip ltt_bench_function \[ltt_bench\] parent_ip function+' "$tmp/many")"
	clear_lists
}

# What recording and reading call themselves, and what the kernel does for us.
itself()
{
	local name names=

	cat $tracefs/available_filter_functions > "$tmp/traceable"
	new_trace itself 'function.*' 'sample_types.*'
	echo 20 > $ltt/traces/itself/channels/function/switch_timer
	for name in copy_from_kernel_nofault irq_work_queue arch_irq_work_raise mod_timer \
		delayed_work_timer_fn rcu_note_context_switch rcu_core schedule \
		schedule_timeout mutex_lock mutex_unlock text_poke text_poke_bp_batch \
		synchronize_rcu native_smp_send_reschedule __sysvec_irq_work; do
		! grep -qx "$name" "$tmp/traceable" || names+=" $name"
	done
	echo "$names" > $fn/filter
	cat $fn/filter
	start_trace itself
	reader itself ALL "$tmp/itself"
	modprobe ltt-sample-types
	workload
	for _ in $(amount 1 "1 2 3"); do
		echo > /sys/module/ltt_sample_types/parameters/fire
		echo "vfs_open" > $fn/filter
		echo "!vfs_open" > $fn/filter
	done
	destroy_trace itself
	wait $!
	rmmod ltt-sample-types
	cat $fn/stats
	grep -c 'ip copy_from_kernel_nofault ' "$tmp/itself"
	grep -Ec 'ip (arch_irq_work_raise|mod_timer|text_poke) ' "$tmp/itself"
	expect "faulting strings" "$(amount 2 4)" \
		"$(grep -c 'sample_types.faults: null (null) fault (fault)' "$tmp/itself")"
	clear_lists
}

# The worst: recording calls a function that is traced, and recording that calls it
# again. It is recorded once for each event, and refused and counted the second time.
recursion()
{
	local control=/sys/kernel/debug/ltt_test_filter/control before refused

	modprobe ltt-test-filter
	echo "define 0 0 all" > $control
	new_trace fn
	channel_buffers fn function 4194304 4
	echo function.entry > $ltt/traces/fn/markers
	echo "add 0 fn function entry" > $control
	before=$(stat_of recursion)
	start_trace fn
	echo 'accept dput' > $fn/filter
	workload
	echo > $fn/filter
	stop_trace fn
	refused=$(($(stat_of recursion) - before))
	reader fn ALL "$tmp/recursion"
	destroy_trace fn
	wait $!
	cat /sys/kernel/debug/ltt_test_filter/counts
	rmmod ltt-test-filter
	none grep '^# lost' "$tmp/recursion"
	awk -v refused="$refused" '
		/ip dput / { dput++ }
		/ip accept / { accept++ }
		END {
			print dput, "of dput,", accept, "of accept,", refused, "refused"
			exit !dput || accept != dput || refused != dput
		}' "$tmp/recursion"
}

# Everything, in a flight recorder.
all()
{
	new_trace all
	channel_buffers all function 65536 4 overwrite
	echo function.entry > $ltt/traces/all/markers
	echo '*' > $fn/filter
	start_trace all
	workload 4
	stop_trace all
	cat $ltt/traces/all/channels/function/stats
	cat $fn/stats
	reader all ALL "$tmp/all"
	destroy_trace all
	wait $!
	clear_lists
	names "$tmp/all" | wc -l
	[ "$(names "$tmp/all" | wc -l)" -gt 300 ] || fail "few functions"
	awk '{ print $6 }' "$tmp/all" > "$tmp/modules"
	none grep -E '\[ltt_(core|textout|function)\]' "$tmp/modules"
}

# Where RCU does not watch an entry is counted, not recorded.
unwatched()
{
	local before

	grep -qx arch_cpu_idle $tracefs/available_filter_functions ||
		{ echo "arch_cpu_idle cannot be traced"; return 4; }
	echo arch_cpu_idle > $fn/filter
	before=$(stat_of no_rcu)
	record idle sleep 0.5
	expect events "" "$(events < "$tmp/idle")"
	[ "$(stat_of no_rcu)" -gt "$before" ] || fail "not counted"
	clear_lists
}

refused()
{
	local long list before

	long=$(printf '%0600d' 0 | tr 0 a)
	echo 'vfs_* !vfs_read' > $fn/filter
	echo vfs_read > $fn/returns
	echo > $ltt/error_log
	for list in filter notrace returns; do
		before=$(cat $fn/$list)
		expect_errno EINVAL $fn/$list '9lives'
		expect_errno EINVAL $fn/$list 'dput vfs:open'
		expect_errno EINVAL $fn/$list 'dput !'
		expect_errno EINVAL $fn/$list 'dput\0'
		expect_errno ENOENT $fn/$list 'dput no_such_function_at_all'
		expect_errno ENAMETOOLONG $fn/$list "$long"
		expect_errno ENOSPC $fn/$list "$(seq -f 'vfs_*%g' 257 | tr '\n' ' ')"
		expect_errno E2BIG $fn/$list "$(printf '%04100d' 0)"
		expect "$list" "$before" "$(cat $fn/$list)"
	done
	expect_errno E2BIG $fn/returns '*'
	# The clock of a return itself, and of ours: not to be touched.
	expect_errno ENOENT $fn/returns ktime_get_mono_fast_ns
	expect_errno EACCES $fn/stats 1
	expect "error_log" 26 "$(wc -l < $ltt/error_log)"
	grep 'function/filter: column 6: no such function' $ltt/error_log
	expect "filter" "vfs_* !vfs_read" "$(paste -sd' ' $fn/filter)"
	echo > $ltt/error_log
	clear_lists
}

# The private channel: no file, no pattern; the module's own reader counts all.
private()
{
	rmmod ltt-function
	modprobe ltt-function private=1
	modprobe ltt-bench
	none grep '^function\.' $ltt/markers
	new_trace fn '*'
	none test -e $ltt/traces/fn/channels/function
	destroy_trace fn
	echo 'ltt_bench_function dput' > $fn/filter
	expect attached 1 "$(stat_of attached)"
	echo "function 5000" > $bench/run
	workload
	wait_for 20 grep -qx '5064 ltt_bench_function \[ltt_bench\]' $fn/profile ||
		fail "$(cat $fn/profile)"
	grep ' dput$' $fn/profile
	grep ' 0 lost, 0 of functions left out' $fn/profile
	echo ltt_bench_function > $fn/filter
	rmmod ltt-function
	none test -e $ltt/traces/function_profile
	modprobe ltt-function
	grep -q '^function\.entry' $ltt/markers
}

# The next test finds the machine as this one did, whatever went wrong.
run()
{
	local trace

	run_test "$@"
	for trace in "$ltt"/traces/*/; do
		destroy_trace "$(basename "$trace")"
	done
	[ -d $fn ] || modprobe ltt-function
	clear_lists
}

# Where all markers are enabled, a thousand of them take their time.
kernel_events sched
modprobe ltt-function || exit
run "nothing is traced unless functions were chosen" nothing_unless_chosen
run "ftrace and LTT agree" both
run "globs choose, exclude and are taken back" globs
run "the filter changes while it traces" changes
run "returns, and how long they took" returns
run "the trace and the module go while it traces" goes
run --long "functions that tracing itself needs" itself
run "a function that recording itself calls" recursion
run --long "all functions" all
run "functions where RCU does not watch" unwatched
run "bad requests change nothing" refused
run "a private channel, and its reader" private
finish
