#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: ALONE=1 SMP=4 MEM=2G TIMEOUT=600 APPEND='isolcpus=domain,1-3'
#
# One CPU is busy, the others idle: lines appear in time, and tracing wakes no
# idle CPU. A fast pipe, which may interrupt busy ones, is sooner.
#
# The scheduler balances no load here: it would wake an idle CPU whenever two processes
# can run on the busy one, and who reads a trace is one more.

. "$(dirname "$0")/lib.sh"

period=10	# seconds of each measurement
most_ms=50	# from event to text, 99 of 100 events
most_ms_fast=8	# the same of a fast pipe, a few times what it is on a machine of its own

# Everything that is not what we look at: to CPU 0.
gather_on_cpu0()
{
	local pid irq

	taskset -pc 0 $$ > /dev/null
	for irq in /proc/irq/*/smp_affinity; do
		echo 1 > "$irq" 2> /dev/null || true
	done
	echo 1 > /sys/devices/virtual/workqueue/cpumask
	for pid in $(pgrep '^(rcu_|kworker/u|ksoftirqd/0|kcompactd|khugepaged)'); do
		taskset -pc 0 "$pid" > /dev/null 2>&1 || true
	done
	sysctl -qw kernel.timer_migration=0 2> /dev/null || true
}

# Interrupts on CPUs 1 to 3, a line of each kind
interrupts()
{
	awk 'NR > 1 && $1 != "ERR:" && $1 != "MIS:" { print $1, $3 + $4 + $5 }' /proc/interrupts
}

# System calls, and nothing that makes other CPUs work: no files, no forks.
busy()
{
	exec taskset -c 0 python3 -c '
import os
while True:
    for i in range(3000):
        pass
    os.getppid()'
}

# How late the machine itself is: by how many ms a sleep of 5 ms lasts longer, 99 of
# 100 times, beside the load. An emulated CPU may be away for long.
lateness()
{
	exec taskset -c 0 python3 -c '
import sys, time
late = []
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    start = time.monotonic()
    time.sleep(0.005)
    late.append(time.monotonic() - start - 0.005)
late.sort()
print(int(late[len(late) * 99 // 100] * 1000))' $period
}

# interrupts_in_period FILE: the kinds into FILE, and how many there are
interrupts_in_period()
{
	sleep 1
	interrupts > "$tmp/before"
	sleep $period
	interrupts > "$tmp/after"
	awk 'NR == FNR { before[$1] = $2; next }
	     $2 > before[$1] { print $1, $2 - before[$1] }' "$tmp/before" "$tmp/after" > "$1"
	awk '{ n += $2 } END { print n + 0 }' "$1"
}

# read_trace PATTERN...: its delays go to $tmp/delays; started when the pipe is open, as an
# event from before that cannot be shown in time.
read_trace()
{
	local pipe=$ltt/traces/idle/text/ALL

	new_trace idle "$@"
	taskset -c 0 read-text delay $pipe 1000000000 > "$tmp/delays" &
	reader=$!
	wait_for 10 has_open $reader $pipe
	start_trace idle
}

end_trace()
{
	stop_trace idle
	destroy_trace idle
	wait $reader
}

# measure [ROUND]: with no text pipe, and with one. The host's other work makes timers
# late and adds interrupts, never takes any away: too many, or too late, is looked at once
# more.
measure()
{
	local round=${1:-1} off on load reader late

	busy &
	load=$!
	lateness > /dev/null &
	off=$(interrupts_in_period "$tmp/off")
	wait $!

	read_trace sched.sched_switch sched.sched_wakeup 'sched.sched_process_*' \
		'raw_syscalls.*' 'irq.*'
	lateness > "$tmp/late" &
	late=$!
	on=$(interrupts_in_period "$tmp/on")
	wait $late
	end_trace
	kill $load
	echo "interrupts on idle CPUs in $period s: $off without, $on with a text pipe open:" \
		"$(paste -sd ' ' "$tmp/off") / $(paste -sd ' ' "$tmp/on")"
	echo "$off $on" > "$tmp/interrupts"
	wc -l < "$tmp/delays"
	{ woken || belated $most_ms; } && [ "$round" -lt 3 ] || return 0
	measure $((round + 1))
}

# What idle CPUs do on their own varies by a few a second.
woken()
{
	local off on

	read -r off on < "$tmp/interrupts"
	[ "$on" -gt $((off + 3 * period)) ]
}

not_woken()
{
	cat "$tmp/interrupts"
	none woken
}

# belated MOST: do lines come later than they should?
belated()
{
	local p99 most

	most=$(($1 + 10 * $(cat "$tmp/late")))
	p99=$(sort -n "$tmp/delays" | awk '{ d[NR] = $1 } END { print int(d[int(NR * 0.99)] / 1000000) }')
	echo "p99 $p99 ms of $(wc -l < "$tmp/delays") events; at most $most;" \
		"a sleep ends $(cat "$tmp/late") ms late here"
	[ "$p99" -gt "$most" ]
}

in_time()
{
	[ "$(wc -l < "$tmp/delays")" -gt 1000 ]
	none belated $most_ms
}

# measure_fast [ROUND]
measure_fast()
{
	local round=${1:-1} load reader

	busy &
	load=$!
	echo Y > $fast
	read_trace 'sched.*' 'irq.*'
	echo N > $fast
	lateness > "$tmp/late"
	end_trace
	kill $load
	[ "$(wc -l < "$tmp/delays")" -gt 1000 ]
	belated $most_ms_fast || return 0
	[ "$round" -lt 3 ] || fail "later than they should"
	measure_fast $((round + 1))
}

gather_on_cpu0
run_test "a busy CPU, three idle ones" measure
run_test "no idle CPU is woken" not_woken
run_test "99 of 100 lines appear in time" in_time
run_test "sooner in a fast pipe" measure_fast
finish
