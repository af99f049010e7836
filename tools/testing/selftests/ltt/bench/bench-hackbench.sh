#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: [LTTNG=DIRECTORY] bench-hackbench.sh
#
# By how much a program that does little but system calls and context switches becomes slower
# while all of them are recorded: percent, by a clock that counts instructions.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

# The time of one run of hackbench, us: the mean of eight, after one that fills the caches. No
# two of them switch between its tasks at the same places; means are within half a percent. It
# prints no more than milliseconds itself.
run_time()
{
	local run begin sum=0

	for run in {0..8}; do
		begin=${EPOCHREALTIME/./}
		hackbench -s 100 -l 1000 -g 2 -f 5 > /dev/null
		((run == 0)) || sum=$((sum + ${EPOCHREALTIME/./} - begin))
	done
	echo $((sum / 8))
}

# percent: over the time without a tracer
percent()
{
	awk -v time="$(run_time)" -v none="$none" 'BEGIN { printf "%.2f\n", (time - none) * 100 / none }'
}

# With LTT_SHARED into buffers that the channels share.
of_ltt()
{
	local channel

	new_trace load
	for channel in sched irq timer raw_syscalls; do
		channel_buffers load $channel 1048576 4 overwrite
	done
	printf '%s\n' 'sched.*' 'irq.*' 'timer.*' 'raw_syscalls.*' > $ltt/traces/load/markers
	start_trace load
	percent
	stop_trace load
	destroy_trace load
}

of_ftrace()
{
	local system

	ftrace_on sched
	for system in irq timer raw_syscalls; do
		echo 1 > $tracefs/events/$system/enable
	done
	percent
	ftrace_off
}

of_lttng()
{
	lttng_on 'sched_*,irq_*,softirq_*,tasklet_*,timer_*,hrtimer_*,itimer_*,tick_stop' &&
		lttng enable-event --kernel --channel events --syscall --all > /dev/null || return
	percent
	lttng_off
}

command -v hackbench > /dev/null || { echo "hackbench is missing: run 'make setup'" >&2; exit 1; }
none=$(run_time)
figure time_hackbench "$none" us
ftrace=$(of_ftrace)
ours=$(LTT_SHARED=1 of_ltt)
figure overhead_hackbench "$ours" percent ftrace "$ftrace"
figure overhead_hackbench_per_channel "$(of_ltt)" percent ftrace "$ftrace"
if [ -n "${LTTNG:-}" ]; then
	LTTNG_KMOD_PROBES=power,sched,irq,timer
	lttng_begin && lttng_insert lttng-probe-irq lttng-probe-timer || exit
	# Its daemon takes time, too.
	none=$(run_time)
	figure overhead_hackbench_lttng "$ours" percent lttng "$(of_lttng)"
	pkill -TERM lttng-sessiond
fi
