#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=300
#
# The order of the text rests on grace periods of RCU: an event that was stamped
# before one began is visible when it is over. Here writers dawdle between the
# two, and waiting in other ways must be seen to fail.

. "$(dirname "$0")/lib.sh"

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
	observe "$1" 5000 60
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

modprobe ltt-test-watermark
run_test "events are late without waiting" misses_events none
run_test "events are late after 5 ms" misses_events sleep
run_test "none is late after a grace period" misses_nothing normal
run_test "none is late after a polled grace period" misses_nothing polled
run_test "none is late after an expedited grace period" misses_nothing expedited
run_test "none is behind a reader's watermark" misses_nothing reader
run_test "none is behind a hurried reader's watermark" misses_nothing fast
run_test "nor with the clock mono" other_clock
rmmod ltt-test-watermark
finish
