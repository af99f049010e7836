#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: UML=1 SMP=4 MEM=1G TIMEOUT=200
#
# The last events in the kernel's log, on request: they are those that a reader of the text sees
# last, byte for byte. At an oops and at a panic: tools/testing/ltt/unit/test_crash.sh.

. "$(dirname "$0")/lib.sh"

parameters=/sys/module/ltt_core/parameters
dumps=0

# dump EVENTS: ask for that many; what came into the log is in $tmp/dump, without its prefix
dump()
{
	local mark="test-dump $BASHPID $((++dumps))"

	echo "$mark" > /dev/kmsg
	echo "$1" > /sys/kernel/debug/ltt_test/dump
	wait_for 120 has_ended_dump "$mark" || fail "the dump does not end"
}

# Others may put lines there meanwhile.
has_ended_dump()
{
	dmesg | awk -v mark="$1" 'seen { print } index($0, mark) { seen = 1 }' |
		sed -E 's/^\[ *[0-9]+\.[0-9]+\] //' |
		grep -E '^# |^[0-9]+\.[0-9]{9} \[|^ltt_core:' > "$tmp/dump" || true
	grep -q '^# LTT dump (request): \(end\|there\)\|^ltt_core: dump (request)' "$tmp/dump"
}

# same_as FILE EVENTS: what was dumped is the end of that text
same_as()
{
	grep '^#' "$tmp/dump"
	events < "$tmp/dump" > "$tmp/dumped"
	expect "events" "$2" "$(wc -l < "$tmp/dumped")"
	events < "$1" | tail -n "$2" | diff - "$tmp/dumped" | head -20
	events < "$1" | tail -n "$2" | cmp - "$tmp/dumped"
}

# text TRACE: all of it, from a reader that comes to the end when the trace is destroyed
read_text()
{
	reader "$1" ALL "$tmp/$1"
	destroy_trace "$1"
	wait $!
}

wrong_parameters()
{
	expect_errno EINVAL $parameters/dump 65537
	expect_errno EINVAL $parameters/dump -1
	expect_errno EINVAL $parameters/dump many
	expect_errno EINVAL $parameters/dump_trace "$(printf '%064d' 1)"
	expect "dump" 0 "$(cat $parameters/dump)"
	expect "dump_trace" "" "$(cat $parameters/dump_trace)"
	echo 65536 > $parameters/dump
	echo 0 > $parameters/dump
}

# with_mode MODE: in the buffers of two channels, from all contexts
with_mode()
{
	new_trace last
	channel_buffers last ltt_test 16384 4 "$1"
	echo 'ltt_test*.*' > $ltt/traces/last/markers
	start_trace last
	generate 3000 31
	generate 3000 15
	for events in 1 200 2000; do
		dump $events
		cp "$tmp/dump" "$tmp/dump.$events"
	done
	read_text last
	for events in 1 200 2000; do
		cp "$tmp/dump.$events" "$tmp/dump"
		same_as "$tmp/last" $events
	done
}

more_than_there_are()
{
	new_trace few ltt_test.event
	start_trace few
	generate 10
	dump 60000
	read_text few
	same_as "$tmp/few" "$(events < "$tmp/few" | wc -l)"
	grep -q "the last $(events < "$tmp/few" | wc -l) of" "$tmp/dump"
}

# Readers have had it all, and writers may reuse it.
already_read()
{
	local cat

	new_trace taken ltt_test.event
	start_trace taken
	reader taken ALL "$tmp/taken"
	cat=$!
	generate 500
	generated
	wait_for 60 all_read
	dump 100
	destroy_trace taken
	wait $cat
	same_as "$tmp/taken" 100
}

all_read()
{
	[ "$(events < "$tmp/taken" | wc -l)" -ge $((500 * $(nproc))) ]
}

every_type()
{
	local types=/sys/module/ltt_sample_types/parameters/fire

	modprobe ltt-sample-types
	new_trace types 'sample_types.*'
	start_trace types
	for _ in 1 2 3; do
		echo 1 > $types
	done
	dump 1000
	read_text types
	rmmod ltt-sample-types
	# What depends on rights is shown as to somebody without any, at a crash only.
	same_as "$tmp/types" "$(events < "$tmp/types" | wc -l)"
	[ "$(wc -l < "$tmp/dumped")" -gt 3 ]
}

with_contexts()
{
	new_trace contexts
	echo "pid comm" > $ltt/traces/contexts/channels/ltt_test/contexts
	echo ltt_test.event > $ltt/traces/contexts/markers
	start_trace contexts
	generate 100
	dump 100
	read_text contexts
	same_as "$tmp/contexts" 100
	grep -q 'comm ltt_test/' "$tmp/dumped"
}

lost()
{
	new_trace full
	channel_buffers full ltt_test 4096 2 discard
	echo ltt_test.event > $ltt/traces/full/markers
	start_trace full
	generate 1000
	reader full ALL "$tmp/full"
	wait_for 60 grep -q '^# lost' "$tmp/full"
	generate 20
	dump 20000
	destroy_trace full
	wait $!
	grep 'lost' "$tmp/dump"
	diff <(grep -v '^# \(LTT\|seconds\)' "$tmp/full" | tail -n 20) \
		<(grep -v '^# \(LTT\|seconds\)' "$tmp/dump" | tail -n 20)
}

# The end of the trace gives it up, with what followed on that CPU.
never_committed()
{
	new_trace dead 'ltt_test*.*'
	start_trace dead
	generate 50 17
	echo 1 > /sys/kernel/debug/ltt_test/abandon
	generate 50 17
	dump 5000
	read_text dead
	grep '^# unfinished' "$tmp/dead"
	same_as "$tmp/dead" "$(events < "$tmp/dead" | wc -l)"
	grep -q '^# cpu [0-9]* channel ltt_test_other: [0-9]* bytes are not committed' "$tmp/dump"
}

# Two traces record the same, a third is stopped.
several_traces()
{
	local name

	for name in one two stopped; do
		new_trace $name ltt_test.event
		start_trace $name
	done
	generate 100
	stop_trace stopped
	generate 100
	dump 50
	cp "$tmp/dump" "$tmp/both"
	grep -q '^# LTT trace one,' "$tmp/both"
	grep -q '^# LTT trace two,' "$tmp/both"
	none grep -q '^# LTT trace stopped,' "$tmp/both"
	echo stopped > $parameters/dump_trace
	dump 50
	cp "$tmp/dump" "$tmp/single"
	echo nothing > $parameters/dump_trace
	dump 50
	grep -q 'no trace' "$tmp/dump"
	echo > $parameters/dump_trace
	read_text one
	read_text two
	read_text stopped
	cp "$tmp/single" "$tmp/dump"
	same_as "$tmp/stopped" 50
	cp "$tmp/both" "$tmp/dump"
	sort -s -k 1,1n -k 2,2 <(events < "$tmp/one") <(events < "$tmp/two") > "$tmp/merged"
	same_as "$tmp/merged" 50
}

# Writers overtake the dump: what it shows is whole and in order.
overtaken()
{
	local i shown overwritten=0

	new_trace small
	channel_buffers small ltt_test 4096 4 overwrite
	echo ltt_test.event > $ltt/traces/small/markers
	start_trace small
	repeat generate 2000 15
	for i in 1 2 3 4 5 6 7 8 9 10; do
		dump 300
		grep 'overwritten' "$tmp/dump" && ((++overwritten))
		shown=$(events < "$tmp/dump" | awk '
			BEGIN { letters = "abcdefghijklmnopqrstuvwxyz" }
			$1 < last || $3 != "ltt_test.event:" || NF > 9 ||
			$9 != substr(letters, $7 % 27 + 1) { print "bad: " $0 > "/dev/stderr"; bad = 1 }
			{ last = $1; n++ }
			END { print n + 0; exit bad }')
		[ "$shown" -le 300 ]
	done
	repeat_end
	destroy_trace small
	echo "$overwritten of $i dumps were overtaken"
}

load_test_module
# However slow the console is.
echo 0 > $parameters/dump_ms
run_test "parameters" wrong_parameters
run_test "the last events, newest lost" with_mode discard
run_test "the last events, oldest overwritten" with_mode overwrite
run_test "more than there are" more_than_there_are
run_test "what has been read already" already_read
run_test "every type" every_type
run_test "contexts" with_contexts
run_test "losses" lost
run_test "an event that is never committed" never_committed
run_test "several traces" several_traces
run_test --needs smp "writers overtake it" overtaken
echo 10000 > $parameters/dump_ms
rmmod ltt-test
finish
