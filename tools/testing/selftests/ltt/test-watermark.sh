#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=2G TIMEOUT=300
#
# The order of the text rests on grace periods of RCU: an event that was stamped
# before one began is visible when it is over. Here writers dawdle between the
# two, and waiting in other ways must be seen to fail.

. "$(dirname "$0")/lib.sh"
needs smp

files=/sys/kernel/debug/ltt_test_watermark

# observe METHOD EVENTS ROUNDS: sets late
observe()
{
	echo "$*" > $files/run
	cat $files/result
	late=$(awk '{ print $8 }' $files/result)
}

misses_events()
{
	observe "$1" 2000 100
	[ "$late" -gt 0 ] || fail "the control does not bite: no event is late"
}

misses_nothing()
{
	observe "$1" 5000 "$(amount 30 60)"
	expect "late events" 0 "$late"
}

other_clock()
{
	local clock

	clock=$(grep -o '\[.*\]' $ltt/clock | tr -d '[]')
	echo mono > $ltt/clock
	misses_nothing reader
	echo "$clock" > $ltt/clock
}

# with_skew MARGIN COMMAND...: each CPU's clock is ahead of that of the one before.
skew=1000
with_skew()
{
	local margin=$1
	shift

	rmmod ltt-test-watermark
	[ ! -e /sys/module/ltt_tracepoints ] || rmmod ltt-tracepoints
	rmmod ltt-textout ltt-core
	modprobe ltt-core counter_skew=$skew "counter_margin=$margin"
	modprobe -a ltt-textout ltt-test-watermark
	echo counter > $ltt/clock
	"$@"
}

# Lines are in order, and none is missing: with the clock that with_skew has left.
in_order()
{
	load_test_module
	new_trace skewed 'ltt_test.*'
	start_trace skewed
	checker skewed ALL "$tmp/skewed"
	generate 20000 15
	stop_trace skewed
	generated
	destroy_trace skewed
	wait $! || { cat "$tmp/skewed"; fail "not in order, or not complete"; }
	cat "$tmp/skewed"
}

modprobe ltt-test-watermark
run_test "events are late without waiting" misses_events none
run_test "events are late after 5 ms" misses_events sleep
run_test "none is late after a grace period" misses_nothing normal
run_test "none is late after a polled grace period" misses_nothing polled
run_test "none is late after an expedited grace period" misses_nothing expedited
run_test "none is behind a reader's watermark" misses_nothing reader
run_test "none is behind a hurried reader's watermark" misses_nothing fast
run_test "nor with the clock mono" other_clock
run_test "events are late if clocks differ by more than the margin" \
	with_skew $((skew * ($(nproc) - 1) / 2)) misses_events reader
run_test "none is late if they differ by no more" \
	with_skew $((skew * ($(nproc) - 1))) misses_nothing reader
run_test "nor is a line of text" in_order
rmmod ltt-test-watermark ltt-test ltt-textout ltt-core
finish
