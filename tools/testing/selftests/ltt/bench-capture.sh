#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Figures of capturing, next to trace-cmd record of the same tracepoint with buffers of
# the same size:
#
#	capture		events per second that are on disk, from the first event to the
#			end of the recorder
#	capture_kept	share of the events that were not lost
#	disk_bytes	bytes on disk for an event, everything in the directory or the
#			file included
#
# Real time on emulated CPUs: take the ratios, not the values.

. "$(dirname "$0")/lib.sh" > /dev/null

bench=/sys/kernel/debug/ltt_bench
tracefs=/sys/kernel/tracing
events=1000000
# Of each CPU, in KiB.
buffer=8192

command -v ltt > /dev/null || { echo "ltt is not built" >&2; exit 1; }
command -v trace-cmd > /dev/null || { echo "there is no trace-cmd" >&2; exit 1; }
modprobe ltt-bench || exit
mkdir "$tmp/disk"
mount -t tmpfs -o size=512m capture "$tmp/disk" || exit
trap 'umount "$tmp/disk"; cleanup' EXIT

# What is recorded.
cat > "$tmp/load" <<EOM
date +%s%N > $tmp/start
echo "tracepoint $events" > $bench/run
EOM

# since_start: ns
since_start()
{
	echo $(($(date +%s%N) - $(< "$tmp/start")))
}

# figure NAME UNIT OURS THEIRS
figure()
{
	awk -v n="$1" -v u="$2" -v v="$3" -v w="$4" 'BEGIN {
		printf "bench %s %s %s peer trace-cmd %s ratio %.3f\n", n, v, u, w, v / w
	}'
}

ltt record -o "$tmp/disk/ltt" --size 1M --number $((buffer / 1024)) -e power.cpu_idle -- \
	sh "$tmp/load" 2> "$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
ns=$(since_start)
# DIRECTORY: N bytes in N packets, N events, N lost
read -r ours lost < <(awk 'NR == 1 { print $7, $9 }' "$tmp/err")
bytes=$(find "$tmp/disk/ltt" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
our_rate=$((ours * 1000000000 / ns))
our_kept=$(awk -v n="$ours" -v l="$lost" 'BEGIN { printf "%.3f\n", n / (n + l) }')
our_bytes=$(awk -v b="$bytes" -v n="$ours" 'BEGIN { printf "%.2f\n", b / n }')
echo "# ltt: $ours events, $lost lost, $bytes bytes, $((ns / 1000000)) ms"

trace-cmd record -q -C mono -b $buffer -e power:cpu_idle -o "$tmp/disk/trace.dat" \
	sh "$tmp/load" > "$tmp/out" 2>&1 || { cat "$tmp/out" >&2; exit 1; }
ns=$(since_start)
theirs=$(trace-cmd report -i "$tmp/disk/trace.dat" -q 2> /dev/null | grep -c 'cpu_idle:')
lost=$(awk '/^overrun:/ { n += $2 } END { print n }' $tracefs/per_cpu/cpu*/stats)
bytes=$(stat -c %s "$tmp/disk/trace.dat")
their_rate=$((theirs * 1000000000 / ns))
their_kept=$(awk -v n="$theirs" -v l="$lost" 'BEGIN { printf "%.3f\n", n / (n + l) }')
their_bytes=$(awk -v b="$bytes" -v n="$theirs" 'BEGIN { printf "%.2f\n", b / n }')
echo "# trace-cmd: $theirs events, $lost lost, $bytes bytes, $((ns / 1000000)) ms"
trace-cmd reset > /dev/null

figure capture events_per_second "$our_rate" "$their_rate"
figure capture_kept share "$our_kept" "$their_kept"
figure disk_bytes bytes "$our_bytes" "$their_bytes"
rmmod ltt-bench
