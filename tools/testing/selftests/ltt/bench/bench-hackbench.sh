#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: [LTTNG=DIRECTORY] bench-hackbench.sh
#
# By how much a program that does little but system calls and context switches becomes slower
# while all of them are recorded: percent, by a clock that counts instructions.
#
# No two runs switch between its tasks at the same places, nor equally often: a switch costs some
# thousand instructions, and a tracer's presence makes them fewer. So the tracers take turns, and
# hackbench.py tells next to the means what they would be with the same number of switches.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

runs=$tmp/runs
turns=3
# Those of the scheduler, interrupts and timers as LTTng and the kernel call them.
tracepoints='sched_*,irq_*,softirq_*,tasklet_*,timer_*,hrtimer_*,itimer_*,tick_stop'

# run_as TRACER: three runs of hackbench: their times in us, as it prints no more than milliseconds
# itself, and how often the machine has switched
run_as()
{
	local begin before _

	for _ in 1 2 3; do
		before=$(all_switches)
		begin=${EPOCHREALTIME/./}
		hackbench -s 100 -l 1000 -g 2 -f 5 > /dev/null
		echo "$1 $((${EPOCHREALTIME/./} - begin)) $(($(all_switches) - before))" >> "$runs"
	done
}

all_switches()
{
	awk '/^ctxt/ { print $2 }' /proc/stat
}

# as_ltt NAME: with LTT_SHARED into buffers that the channels share
as_ltt()
{
	local channel

	new_trace load
	for channel in sched irq timer raw_syscalls; do
		channel_buffers load $channel 1048576 4 overwrite
	done
	printf '%s\n' 'sched.*' 'irq.*' 'timer.*' 'raw_syscalls.*' > $ltt/traces/load/markers
	start_trace load
	run_as "$1"
	stop_trace load
	destroy_trace load
}

# Probes that do nothing: what is the kernel's part of it.
as_empty()
{
	modprobe ltt-bench-empty events="$tracepoints,sys_enter,sys_exit" || return
	run_as empty
	rmmod ltt-bench-empty
}

as_ftrace()
{
	local system

	ftrace_on sched
	for system in irq timer raw_syscalls; do
		echo 1 > $tracefs/events/$system/enable
	done
	run_as ftrace
	ftrace_off
}

as_lttng()
{
	lttng_on "$tracepoints" &&
		lttng enable-event --kernel --channel events --syscall --all > /dev/null || return
	run_as lttng
	lttng_off
}

# overheads TRACER...: a line with the percentages of each, as they are and for as many switches
overheads()
{
	"$here/bench/hackbench.py" "$runs" none "$@" > "$tmp/overheads" || exit
	sed 's/^/# /' "$tmp/overheads"
}

# of TRACER raw|equal
of()
{
	awk -v tracer="$1" -v what="$2" '$1 == tracer { print what == "raw" ? $3 : $5 }' "$tmp/overheads"
}

command -v hackbench > /dev/null || { echo "hackbench is missing: run 'make setup'" >&2; exit 1; }
# Caches are filled.
run_as first
for ((turn = 0; turn < turns; turn++)); do
	run_as none
	as_empty
	LTT_SHARED=1 as_ltt shared
	as_ltt own
	as_ftrace
done
overheads empty shared own ftrace
figure time_hackbench "$(awk '$1 == "none" { print $2; exit }' "$tmp/overheads")" us
for what in raw equal; do
	suffix=$([ $what = raw ] || echo _equal)
	figure overhead_hackbench$suffix "$(of shared $what)" percent ftrace "$(of ftrace $what)"
	figure overhead_hackbench_per_channel$suffix "$(of own $what)" percent ftrace "$(of ftrace $what)"
	figure overhead_hackbench_empty$suffix "$(of empty $what)" percent ftrace "$(of ftrace $what)"
done
if [ -n "${LTTNG:-}" ]; then
	LTTNG_KMOD_PROBES=power,sched,irq,timer
	lttng_begin && lttng_insert lttng-probe-irq lttng-probe-timer || exit
	# Its daemon takes time, too.
	rm "$runs"
	for ((turn = 0; turn < turns; turn++)); do
		run_as none
		LTT_SHARED=1 as_ltt shared
		as_lttng
	done
	overheads shared lttng
	figure overhead_hackbench_lttng "$(of shared raw)" percent lttng "$(of lttng raw)"
	figure overhead_hackbench_lttng_equal "$(of shared equal)" percent lttng "$(of lttng equal)"
	pkill -TERM lttng-sessiond
fi
