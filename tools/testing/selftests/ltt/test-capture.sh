#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=4G TIMEOUT=1500
#
# Many events of four CPUs, captured while a text reader runs: nothing is lost
# where the buffers have room for all of them before a reader may be left behind;
# elsewhere, what was generated is captured or counted as lost, in the capture and in the
# text.

. "$(dirname "$0")/lib.sh"
needs smp
. "$here/lib/record.sh"

# Events of each CPU, and at least how many there are in all.
events=$(amount 130000 2600000)
least=$(amount 500000 10000000)

# has_more BYTES DIRECTORY: than so many
has_more()
{
	[ "$(du -sb "$2" | cut -f 1)" -gt "$1" ]
}

# is_still DIRECTORY: it does not grow for a while
is_still()
{
	local before

	before=$(du -sb "$1" | cut -f 1)
	sleep 0.5
	! has_more "$before" "$1"
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
	# What the first one loses is told before the second one's events.
	generate $((events / 2)) 15
	wait_for 60 has_more 0 "$dir" || fail "nothing is captured"
	wait_for 60 is_still "$dir" || fail "it does not come to an end"
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
