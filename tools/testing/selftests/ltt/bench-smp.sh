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

load_test_module
new_trace delay 'ltt_test.*'
start_trace delay
read-text delay $ltt/traces/delay/text/ALL 100000000 > "$tmp/delays" &
# 4 x 500 events, a fraction of a millisecond apart
echo "500 1 300" > /sys/kernel/debug/ltt_test/run
destroy_trace delay
wait
echo "# delay of $(wc -l < "$tmp/delays") events"
echo "bench delay_p50 $(percentile "$tmp/delays" 0.5) ms"
echo "bench delay_p99 $(percentile "$tmp/delays" 0.99) ms"
