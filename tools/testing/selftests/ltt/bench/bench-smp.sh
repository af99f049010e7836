#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How writers on several CPUs hold each other up. Emulated CPUs on a shared machine: of
# the rates take the ratios.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

# rate CPUS: events of power:cpu_idle per second, of so many CPUs at once. More than the
# host has take turns.
rate()
{
	local cpu start

	start=$(date +%s%N)
	for ((cpu = 0; cpu < $1; cpu++)); do
		taskset -c $cpu sh -c "echo tracepoint $loops > $bench/run" &
	done
	wait
	echo $(($1 * loops * 1000000 / (($(date +%s%N) - start) / 1000)))
}

loops=1000000
modprobe ltt-bench || exit
new_trace writers
channel_buffers writers power 1048576 4 overwrite
echo power.cpu_idle > $ltt/traces/writers/markers
echo 8192 > $tracefs/buffer_size_kb
for cpus in 1 2 4; do
	start_trace writers
	ours=$(rate $cpus)
	stop_trace writers
	echo 1 > $tracefs/events/power/cpu_idle/enable
	theirs=$(rate $cpus)
	echo 0 > $tracefs/events/power/cpu_idle/enable
	figure write_cpus_$cpus "$ours" events_per_second ftrace "$theirs"
done
destroy_trace writers
rmmod ltt-bench
