#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Figures that want several CPUs and real time: how long from an event to its
# text. Emulated CPUs on a shared machine: take them as upper bounds.

. "$(dirname "$0")/lib.sh" > /dev/null

percentile()
{
	sort -n "$1" | awk -v p="$2" '{ d[NR] = $1 } END { printf "%.2f\n", d[int((NR - 1) * p) + 1] / 1e6 }'
}

# Something goes on, on every CPU, but none is overloaded.
light_load()
{
	local cpu

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu bash -c 'for i in {1..100}; do read -t 0.03 -u 9; done 9<> <(:)' &
	done
	wait $(jobs -p | grep -v "^$1$")
}

new_trace delay 'sched.sched_switch' 'irq.*'
start_trace delay
read-text delay $ltt/traces/delay/text/ALL 100000000 > "$tmp/delays" &
light_load $!
destroy_trace delay
wait
echo "# delay of $(wc -l < "$tmp/delays") events"
echo "bench delay_p50 $(percentile "$tmp/delays" 0.5) ms"
echo "bench delay_p99 $(percentile "$tmp/delays" 0.99) ms"
