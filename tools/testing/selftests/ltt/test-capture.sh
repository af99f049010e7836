#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=4G TIMEOUT=1500
#
# Many events of all CPUs, captured while a text reader runs: nothing is lost
# where the buffers have room for all of them before a reader may be left behind;
# elsewhere, what was generated is captured or counted as lost, in the capture and in the
# text.

. "$(dirname "$0")/lib.sh"
needs smp
. "$here/lib/record.sh"

# Events of each CPU, and at least how many there are in all.
events=$(amount 130000 2600000)
least=$(($(amount 125000 2500000) * $(nproc)))

# recorded: events in the buffers, so far
recorded()
{
	awk '$1 ~ /^[0-9]+$/ { n += $2 } END { print n }' $ltt/traces/$recording/channels/ltt_test/stats
}

# records_more EVENTS: than so many, when some more come
records_more()
{
	generate 10 15
	[ "$(recorded)" -gt "$1" ]
}

# The text of what was captured goes from the viewer to the checker: it is too long
# to be kept.
# all_captured SIZE NUMBER LOST, of sub-buffers; a pattern for the number of lost events
all_captured()
{
	local dir=$tmp/disk/trace lost=$3 pid text

	rmmod ltt-test 2> /dev/null || true
	load_test_module
	rm -f "$tmp/bad"
	mkdir -p "$tmp/disk"
	mount -t tmpfs -o size=1g capture "$tmp/disk"
	record_background -o "$dir" --budget 1T --size "$1" --number "$2" -e 'ltt_test.*'
	pid=$!
	checker "$recording" ALL "$tmp/text"
	text=$!
	# Events follow those that are lost: there is room again when a packet has been taken.
	generate $((events / 2)) 15
	wait_for 60 records_more "$(recorded)" || fail "there is no room any more"
	generate $((events / 2)) 15
	generated
	awk -v least="$least" '{ n += $NF } END { print n, "generated"; exit n < least }' \
		"$tmp/generated"
	kill -INT $pid
	ended $pid 0
	cat "$tmp/record.err"
	wait $text || touch "$tmp/bad"
	echo "text: $(< "$tmp/text")"
	ltt view "$dir" 2> "$tmp/err" | check-stream -g "$tmp/generated" > "$tmp/view" ||
		touch "$tmp/bad"
	echo "capture: $(< "$tmp/view")"
	expect "what view says" "" "$(head -n 3 "$tmp/err")"
	umount "$tmp/disk"
	[[ $(< "$tmp/view") =~ \ lost\ $lost\ errors ]] || touch "$tmp/bad"
	[ ! -e "$tmp/bad" ] || fail "see above"
	nothing_left
}

# Many sub-buffers: the timer closes one a second on each CPU, however few events are in it.
run_test "many events, room for all" all_captured 256K 1024 0
run_test "many events, more than the readers can take" all_captured 64K 4 '[1-9][0-9]*'
finish
