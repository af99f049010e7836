#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 UML=1
#
# The same events through ftrace and through LTT: same number on each CPU, same
# order, same values, same time but for the microseconds between two probes.

. "$(dirname "$0")/lib.sh"

workload()
{
	local i

	for i in $(seq 50); do
		( echo "$i" | cat | cat > /dev/null ) &
		[ $((i % 4)) -ne 0 ] || wait
	done
	wait
}

record_both()
{
	new_trace both
	channel_buffers both sched 4194304 4
	channel_buffers both raw_syscalls 4194304 8
	printf '%s\n' sched.sched_switch raw_syscalls.sys_enter > $ltt/traces/both/markers
	trace-cmd start -C mono -b 65536 -e sched:sched_switch -e raw_syscalls:sys_enter > /dev/null
	start_trace both
	python3 -c 'import time; print(time.monotonic_ns())' > "$tmp/from"
	workload
	stop_trace both
	trace-cmd stop
	trace-cmd extract -o "$tmp/trace.dat" > /dev/null 2>&1
	trace-cmd reset > /dev/null
	reader both ALL "$tmp/ltt.txt"
	destroy_trace both
	wait $!
	trace-cmd report -R -t "$tmp/trace.dat" > "$tmp/ftrace.txt" 2> /dev/null
	none grep '^# lost' "$tmp/ltt.txt"
	wc -l "$tmp/ltt.txt" "$tmp/ftrace.txt"
}

compare()
{
	local option=

	[ -e "$tmp/ltt.txt" ] || record_both
	! kernel_since 6.13 || option=faultable
	# shellcheck disable=SC2086 # none, or one
	host python3 "$here/compare/ftrace.py" "$tmp/ftrace.txt" "$tmp/ltt.txt" "$(< "$tmp/from")" $option
}

run_test "sched_switch and sys_enter recorded by both" record_both
run_test "ftrace and LTT agree" compare
finish
