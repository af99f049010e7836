#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=2 MEM=1G TIMEOUT=120
#
# A writer reserves room for an event and never commits it, as one does that oopses. Readers
# are told, what is lost is counted exactly, and the CPU's later events are recorded again.

. "$(dirname "$0")/lib.sh"
needs smp

# so_many FILE CPU: events of ltt_test_other that were printed, and that were lost
so_many()
{
	awk -v cpu="$2" '
		/^# lost/ && $6 == cpu && $8 == "ltt_test_other" { lost += $3 }
		$2 == sprintf("[%03d]", cpu) && $3 == "ltt_test_other.event:" { events++ }
		END { print events + 0, lost + 0 }' "$1"
}

# One of 101 or more is dead, of three rounds of 50 in its channel; the last is recorded.
counted()
{
	local printed lost

	expect "on the other CPU, in $1" "150 0" "$(so_many "$1" 0)"
	read -r printed lost <<< "$(so_many "$1" 1)"
	echo "$printed events and $lost lost in ${1##*/}"
	expect "events and losses" 151 $((printed + lost))
	[ "$printed" -ge "$2" ] || fail "only $printed events"
}

die()
{
	taskset -c 1 sh -c 'echo 1 > /sys/kernel/debug/ltt_test/abandon'
}

begin()
{
	[ ! -e /sys/module/ltt_test ] || rmmod ltt-test
	load_test_module
	new_trace dead 'ltt_test_other.*' 'ltt_test.*'
}

# column of stats
unfinished()
{
	awk '$1 == 1 { print $NF }' $ltt/traces/dead/channels/ltt_test_other/stats
}

in_text()
{
	local told='^# unfinished cpu 1 channel ltt_test_other: '

	begin
	start_trace dead
	reader dead ALL "$tmp/text"
	generate 100 17
	die
	generate 100 17
	wait_for 60 grep -q "$told" "$tmp/text" || fail "nobody tells"
	expect "unfinished" 1 "$(unfinished)"
	generate 100 17
	stop_trace dead
	destroy_trace dead
	wait $!
	counted "$tmp/text" 100
	expect "notices" 1 "$(grep -c "$told" "$tmp/text")"
	expect "losses in the other channel" "" "$(grep '^# lost.*ltt_test ' "$tmp/text")"
}

is_found()
{
	[ "$(unfinished)" = 1 ]
}

in_a_capture()
{
	begin
	ltt record -q -t dead -o "$tmp/capture" 2> "$tmp/record.err" &
	wait_for 60 has_open $! '*/binary/ltt_test_other_1'
	start_trace dead
	generate 100 17
	die
	generate 100 17
	wait_for 60 is_found || fail "nobody finds the dead writer"
	generate 100 17
	stop_trace dead
	destroy_trace dead
	wait $!
	ltt view "$tmp/capture" > "$tmp/view"
	counted "$tmp/view" 100
	babeltrace2 "$tmp/capture" > "$tmp/babel" 2> "$tmp/babel.err"
	expect "events in babeltrace2" "$(events < "$tmp/view" | wc -l)" "$(wc -l < "$tmp/babel")"
	rm -r "$tmp/capture"
}

# Nobody looks before the end.
at_the_end()
{
	local cat

	begin
	start_trace dead
	reader dead ALL "$tmp/text"
	cat=$!
	wait_for 60 has_open $cat '*/text/ALL'
	kill -STOP $cat
	generate 100 17
	die
	generate 100 17
	generate 100 17
	destroy_trace dead
	kill -CONT $cat
	wait $cat
	counted "$tmp/text" 50
	expect "notices" 1 "$(grep -c '^# unfinished' "$tmp/text")"
}

run_test "a text reader is told, and the CPU goes on" in_text
run_test "so is a capture" in_a_capture
run_test "the end of the trace tells" at_the_end
finish
