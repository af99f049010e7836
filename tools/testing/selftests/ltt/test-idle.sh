#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G
#
# One CPU is busy, the others idle: lines appear in time, and tracing wakes no
# idle CPU.

. "$(dirname "$0")/lib.sh"

period=10	# seconds of each measurement
most_ms=50	# from event to text, 99 of 100 events

# Everything that is not what we look at: to CPU 0.
gather_on_cpu0()
{
	local pid

	taskset -pc 0 $$ > /dev/null
	echo 1 > /sys/devices/virtual/workqueue/cpumask
	for pid in $(pgrep '^(rcu_|kworker/u|ksoftirqd/0|kcompactd|khugepaged)'); do
		taskset -pc 0 "$pid" > /dev/null 2>&1 || true
	done
	sysctl -qw kernel.timer_migration=0 2> /dev/null || true
}

# Interrupts of all kinds on CPUs 1 to 3
interrupts()
{
	awk 'NR > 1 && $1 != "ERR:" && $1 != "MIS:" { n += $3 + $4 + $5 } END { print n }' \
		/proc/interrupts
}

busy()
{
	taskset -c 0 bash -c "while [ ! -e '$tmp/quiet' ]; do /bin/true; done" &
}

interrupts_in_period()
{
	local before

	sleep 1
	before=$(interrupts)
	sleep $period
	echo $(($(interrupts) - before))
}

measure()
{
	busy
	off=$(interrupts_in_period)

	new_trace idle 'sched.*' 'raw_syscalls.*' 'irq.*'
	start_trace idle
	taskset -c 0 read-text delay $ltt/traces/idle/text/ALL 1000000000 > "$tmp/delays" &
	on=$(interrupts_in_period)
	stop_trace idle
	destroy_trace idle
	touch "$tmp/quiet"
	wait
	echo "interrupts on idle CPUs in $period s: $off without, $on with a text pipe open"
	echo "$off $on" > "$tmp/interrupts"
	wc -l < "$tmp/delays"
}

not_woken()
{
	local off on

	read -r off on < "$tmp/interrupts"
	echo "$off without, $on with"
	# What idle CPUs do on their own varies by a few a second.
	[ "$on" -le $((off + 3 * period)) ]
}

in_time()
{
	local p99

	p99=$(sort -n "$tmp/delays" | awk '{ d[NR] = $1 } END { print int(d[int(NR * 0.99)] / 1000000) }')
	echo "p99 $p99 ms of $(wc -l < "$tmp/delays") events"
	[ "$(wc -l < "$tmp/delays")" -gt 1000 ]
	[ "$p99" -le $most_ms ]
}

gather_on_cpu0
run_test "a busy CPU, three idle ones" measure
run_test "no idle CPU is woken" not_woken
run_test "99 of 100 lines appear within $most_ms ms" in_time
finish
