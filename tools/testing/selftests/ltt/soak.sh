#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=7200
#
# usage: soak.sh		(SOAK=900 seconds, and SOAK_EVENTS=1000000000, at least)
#
# Full load with all at once: text and captures are read, readers are killed, CPUs, modules
# and traces come and go. All that was generated is printed or reported lost, and memory is
# what it was.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"

# What fragments may keep, of the guest's 2 GiB; a trace that is left has a multiple.
slack_kb=8192
kernel_markers='sched.* irq.*'

load()
{
	generate 200000 15
}

cpus()
{
	local cpu

	for cpu in 1 2 3; do
		echo 0 > /sys/devices/system/cpu/cpu$cpu/online
		sleep 0.5
		echo 1 > /sys/devices/system/cpu/cpu$cpu/online
		sleep 2
	done
}

modules()
{
	modprobe ltt-test-late events=50
	modprobe ltt-sample-types
	sleep 1
	rmmod ltt-test-late ltt-sample-types
	sleep 1
}

traces()
{
	local text

	new_trace short
	channel_buffers short ltt_test 65536 4 overwrite
	echo "ltt_test.* ltt_late.* $kernel_markers" > $ltt/traces/short/markers
	reader short ALL /dev/null
	text=$!
	start_trace short
	sleep 1
	destroy_trace short
	wait $text
	sleep 1
}

killed_readers()
{
	local pid

	reader soak ALL /dev/null
	pid=$!
	sleep 1
	kill -9 $pid
	wait $pid 2> /dev/null || true
	sleep 1
}

# Of the trace that text is read from.
captures()
{
	local pid

	record_background -t soak -q -o "$tmp/capture"
	pid=$!
	wait_for 60 test -s "$tmp/capture/metadata"
	sleep 2
	kill -INT $pid
	ended $pid 0
	ltt view "$tmp/capture" > "$tmp/capture.text"
	check-stream -m < "$tmp/capture.text" >> "$tmp/captures"
	rm -r "$tmp"/capture{,.text}
	sleep 1
}

# Events so far
events_generated()
{
	generated
	awk '{ n += $NF } END { printf "%.0f\n", n }' "$tmp/generated"
}

# KiB that are neither free nor only a cache of what is elsewhere. The processors' lists of free
# pages do not count as free in meminfo.
memory_used()
{
	sync
	echo 3 > /proc/sys/vm/drop_caches
	sleep 5
	echo 1 > /proc/sys/vm/stat_refresh
	{
		cat /proc/meminfo
		awk '$1 == "count:" { n += $2 } END { print "Lists:", 4 * n, "kB" }' /proc/zoneinfo
	} > "$tmp/meminfo"
	awk '$1 == "MemTotal:" { used += $2 }
		$1 ~ /^(MemFree|Lists|Cached|Buffers):$/ { used -= $2 }
		END { print used }' "$tmp/meminfo"
}

# soak SECONDS EVENTS
soak()
{
	local end=$((SECONDS + $1)) least=$2 text n

	rmmod ltt-test 2> /dev/null || true
	load_test_module
	# An emulated processor may go on with a breakpoint that has been patched away (see
	# testing.rst). So tracepoints of hot paths stay connected while traces come and go.
	new_trace connected "$kernel_markers"
	start_trace connected
	new_trace soak
	channel_buffers soak ltt_test 65536 8
	echo 'ltt_test.*' > $ltt/traces/soak/markers
	start_trace soak
	checker soak ALL "$tmp/checked"
	text=$!
	for churn in load cpus modules traces killed_readers captures; do
		repeat $churn
	done
	until n=$(events_generated) && ((SECONDS >= end && n >= least)); do
		sleep 30
		echo "$SECONDS s: $n events"
	done
	repeat_end
	n=$(events_generated)
	stop_trace soak
	destroy_trace soak
	destroy_trace connected
	wait $text || touch "$tmp/bad"
	cat "$tmp/checked"
	echo "$n events generated, $(wc -l < "$tmp/captures") captures:"
	tail -n 3 "$tmp/captures"
	[ ! -e "$tmp/bad" ] || fail "see above"
	rm "$tmp/captures"
}

memory_is_flat()
{
	local now

	now=$(memory_used)
	echo "$before KiB before, $now KiB after; what has changed by 256 KiB:"
	join <(sort "$tmp/meminfo.before") <(sort "$tmp/meminfo") |
		awk '($4 - $2) ^ 2 >= 256 ^ 2 { print $1, $2, "KiB before,", $4, "KiB after" }'
	((now - before < slack_kb))
}

# What is there but once, like caches of objects, is there then.
run_test "at first" soak 20 0
before=$(memory_used)
mv "$tmp/meminfo" "$tmp/meminfo.before"
run_test "for long" soak "${SOAK:-900}" "${SOAK_EVENTS:-1000000000}"
run_test "memory is what it was" memory_is_flat
finish
