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
#	disk_bytes_packed	the same when both are compressed: trace-cmd does that
#			itself, at the end, unless it is told not to
#
# Real time on emulated CPUs: take the ratios, not the values.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

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

ltt record -o "$tmp/disk/ltt" --budget 1T --size 1M --number $((buffer / 1024)) -e power.cpu_idle -- \
	sh "$tmp/load" 2> "$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
ns=$(since_start)
# DIRECTORY: N bytes in N packets, N events, N lost
read -r ours lost < <(awk 'NR == 1 { print $7, $9 }' "$tmp/err")
bytes=$(find "$tmp/disk/ltt" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
our_rate=$((ours * 1000000000 / ns))
our_kept=$(awk -v n="$ours" -v l="$lost" 'BEGIN { printf "%.3f\n", n / (n + l) }')
echo "# ltt: $ours events, $lost lost, $bytes bytes, $((ns / 1000000)) ms"

# traced FILE [OPTION...]: by trace-cmd, into FILE
traced()
{
	local file=$1

	shift
	trace-cmd record -q -C mono -b $buffer "$@" -e power:cpu_idle -o "$file" \
		sh "$tmp/load" > "$tmp/out" 2>&1 || { cat "$tmp/out" >&2; exit 1; }
}

# in_file FILE: events
in_file()
{
	trace-cmd report -i "$1" -q 2> /dev/null | grep -c 'cpu_idle:'
}

# per_event BYTES EVENTS
per_event()
{
	awk -v b="$1" -v n="$2" 'BEGIN { printf "%.2f\n", b / n }'
}

traced "$tmp/disk/trace.dat" --compression none
ns=$(since_start)
theirs=$(in_file "$tmp/disk/trace.dat")
lost=$(awk '/^overrun:/ { n += $2 } END { print n }' $tracefs/per_cpu/cpu*/stats)
their_bytes=$(stat -c %s "$tmp/disk/trace.dat")
their_rate=$((theirs * 1000000000 / ns))
their_kept=$(awk -v n="$theirs" -v l="$lost" 'BEGIN { printf "%.3f\n", n / (n + l) }')
echo "# trace-cmd: $theirs events, $lost lost, $their_bytes bytes, $((ns / 1000000)) ms"
rm "$tmp/disk/trace.dat"

traced "$tmp/disk/packed.dat"
ns=$(since_start)
packed=$(per_event "$(stat -c %s "$tmp/disk/packed.dat")" "$(in_file "$tmp/disk/packed.dat")")
echo "# trace-cmd, compressed: $((ns / 1000000)) ms"
our_packed=$(per_event "$(tar -C "$tmp/disk" -c ltt | zstd -q | wc -c)" "$ours")
trace-cmd reset > /dev/null

figure capture "$our_rate" events_per_second trace-cmd "$their_rate"
figure capture_kept "$our_kept" share trace-cmd "$their_kept"
figure disk_bytes "$(per_event "$bytes" "$ours")" bytes \
	trace-cmd "$(per_event "$their_bytes" "$theirs")"
figure disk_bytes_packed "$our_packed" bytes trace-cmd "$packed"
rmmod ltt-bench
