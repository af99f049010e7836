#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=300 UML=1 DEBUG=1
#
# The samples do what the comments at their tops say, to the letter.

. "$(dirname "$0")/lib.sh"

samples=$here/../../../../samples/ltt
parameters=/sys/module/ltt_sample_reader/parameters

# The commands in a comment, "# COMMAND" after the comment's star.
commands()
{
	needs_source "samples/ltt/$1.c"
	sed -n 's/^ \*\t# //p' "$samples/$1.c"
}

# lines N: are there N events in $tmp/text?
lines()
{
	[ "$(events < "$tmp/text" | wc -l)" -ge "$1" ]
}

# follow SAMPLE TRACE EVENTS: type them; the last one reads until TRACE is destroyed
follow()
{
	commands "$1" > "$tmp/commands"
	cat "$tmp/commands"
	bash -e "$tmp/commands" > "$tmp/text" &
	wait_for 120 lines "$3" || fail "too little to read"
	destroy_trace "$2"
	wait $!
	head -n 3 "$tmp/text"
}

types()
{
	follow ltt-sample-types types 1
	expect "lines" "$(grep -c . "$here/compare/types.expected")" "$(events < "$tmp/text" | wc -l)"
	new_trace again 'sample_types.*'
	start_trace again
	reader again ALL "$tmp/again"
	echo whatever > /sys/module/ltt_sample_types/parameters/fire
	destroy_trace again
	wait $!
	expect "once more" "$(events < "$tmp/text" | cut -d' ' -f3-)" \
		"$(events < "$tmp/again" | cut -d' ' -f3-)"
	rmmod ltt-sample-types
}

# Numbers that follow each other, a tenth of a second apart or more: of the kernel's own
# time, as ticks of an emulated machine may be late together.
beats()
{
	[ "$(events < "$1" | wc -l)" -ge 5 ] || fail "too few beats"
	none grep -v ' heartbeat\.beat: number [0-9]* jiffies [0-9]*$' <(events < "$1")
	none grep '^# lost' "$1"
	events < "$1" | awk '
		{ time[NR] = $1; number[NR] = $5; jiffies[NR] = $7 }
		END {
			hz = (jiffies[NR] - jiffies[1]) / (time[NR] - time[1])
			for (i = 2; i <= NR; i++) {
				if (number[i] == number[i - 1] + 1 &&
				    jiffies[i] - jiffies[i - 1] >= 0.08 * hz)
					continue
				print "odd:", time[i], number[i], jiffies[i]
				bad = 1
			}
			exit bad
		}'
}

channel()
{
	local dir=$ltt/traces/beat/channels/heartbeat

	modprobe ltt-sample-channel
	new_trace beat
	expect "mode" overwrite "$(cat $dir/mode)"
	expect "size" 4096 "$(cat $dir/subbuf_size)"
	expect "number" 4 "$(cat $dir/subbuf_num)"
	destroy_trace beat
	rmmod ltt-sample-channel

	follow ltt-sample-channel beat 10
	beats "$tmp/text"
	rmmod ltt-sample-channel
}

# Readers of a flight recorder find the same again.
flight_recorder()
{
	modprobe ltt-sample-channel
	new_trace beat 'heartbeat.*'
	start_trace beat
	sleep 1
	stop_trace beat
	timeout 1 cat $ltt/traces/beat/text/heartbeat > "$tmp/first" || true
	reader beat ALL "$tmp/second"
	expect "events" "$(events < "$tmp/first" | wc -l)" \
		"$(awk '!/^#/ { n += $2 } END { print n }' $ltt/traces/beat/channels/heartbeat/stats)"
	destroy_trace beat
	wait $!
	beats "$tmp/first"
	cmp <(events < "$tmp/first") <(events < "$tmp/second")
	rmmod ltt-sample-channel
}

# The values are 0, 1, 2, ...
sum_is_right()
{
	local n sum again

	# Quickly, while the reader waits for the next ones.
	read -r n < $parameters/events
	read -r sum < $parameters/sum
	read -r again < $parameters/events
	[ "$n" -ge "$1" ] && [ "$n" = "$again" ] && [ "$sum" = $((n * (n - 1) / 2)) ]
}

private_reader()
{
	local n

	modprobe ltt-sample-reader
	wait_for 10 sum_is_right 50
	n=$(cat $parameters/events)
	wait_for 10 sum_is_right $((n + 50))
	head $parameters/*
	expect "lost" 0 "$(cat $parameters/lost)"
	# Nobody else sees any of it.
	none grep -q sample_private $ltt/markers
	expect "files" "" "$(find $ltt/traces -name '*sample_private*' -not -path $ltt/traces/sample_private)"
	new_trace nosy '*'
	start_trace nosy
	sleep 0.3
	stop_trace nosy
	reader nosy ALL "$tmp/nosy"
	destroy_trace nosy
	wait $!
	none grep -q " sample_private\." "$tmp/nosy"
	rmmod ltt-sample-reader
	[ ! -e $ltt/traces/sample_private ]
}

# Contexts of any size come before the fields.
private_contexts()
{
	local before after bytes

	modprobe ltt-sample-reader contexts=pid,comm,kstack
	wait_for 10 sum_is_right 50
	# Not less than a pid, an empty name and the length of a stack.
	read -r before < $parameters/events
	read -r bytes < $parameters/context_bytes
	read -r after < $parameters/events
	echo "$before to $after events, $bytes bytes"
	[ "$bytes" -gt $((9 * before)) ]
	[ "$bytes" -le $((after * (4 + 16 + 4 + 32 * 8))) ]
	expect "lost" 0 "$(cat $parameters/lost)"
	rmmod ltt-sample-reader
	none modprobe ltt-sample-reader contexts=pid,nonsense
	[ ! -e $ltt/traces/sample_private ]
}

# The step between two runs is not recorded; the module's end is that of its trace.
own_trace()
{
	local dir=$ltt/traces/sample_trace run=/sys/module/ltt_sample_trace/parameters/run

	modprobe ltt-sample-trace
	expect "mode" overwrite "$(cat $dir/channels/sample_trace/mode)"
	expect "enabled" 1 "$(cat $dir/enabled)"
	reader sample_trace ALL "$tmp/own"
	echo 5 > $run
	echo 2 > $run
	rmmod ltt-sample-trace
	wait $!
	expect "steps" "1 2 3 4 5 7 8" \
		"$(events < "$tmp/own" | sed 's/.*number \([0-9]*\).*/\1/' | xargs)"
	none grep '^# lost' "$tmp/own"
	[ ! -e $dir ]
}

# Parameters are written before the module's init, and until after its exit, when there is no
# trace.
parameter_without_trace()
{
	local run=/sys/module/ltt_sample_trace/parameters/run writer

	none modprobe ltt-sample-trace run=5
	[ ! -e /sys/module/ltt_sample_trace ]
	while :; do
		{ echo 1 > $run; } 2> /dev/null || true
	done &
	writer=$!
	for _ in $(seq $(amount 10 100)); do
		modprobe ltt-sample-trace
		rmmod ltt-sample-trace
	done
	kill $writer
	[ ! -e $ltt/traces/sample_trace ]
}

# Its trace may be taken away from it.
destroyed_trace()
{
	local run=/sys/module/ltt_sample_trace/parameters/run

	follow ltt-sample-trace sample_trace 5
	expect_errno ENODEV $run 1
	rmmod ltt-sample-trace
}

# runs_of MICROSECONDS FROM TO: how many runs that long end in that time, by the switches in
# $tmp/every
runs_of()
{
	events < "$tmp/every" | awk -v us="$1" -v from="$2" -v to="$3" '
		since[$2] && !/ prev_pid 0 / && $1 >= from && $1 <= to && ($1 - since[$2]) * 1e6 >= us { n++ }
		{ since[$2] = $1 }
		END { print n + 0 }'
}

# The switches that end runs of 200 us or more, by the clock of the sample, which is not that
# of the trace: the machine may have been away between them, now and then.
long_runs()
{
	local from to found least most

	new_trace every sched.sched_switch
	start_trace every
	reader every ALL "$tmp/every"
	repeat true
	repeat sleep 0.01
	follow ltt-sample-filter runs 20
	repeat_end
	destroy_trace every
	events < "$tmp/text" > "$tmp/long"
	found=$(wc -l < "$tmp/long")
	from=$(head -n 1 "$tmp/long" | cut -d' ' -f1)
	to=$(tail -n 1 "$tmp/long" | cut -d' ' -f1)
	least=$(runs_of 210 "$from" "$to")
	most=$(runs_of 190 "$from" "$to")
	echo "$found runs, $least to $most by their times"
	[ "$found" -ge $((least * 9 / 10 - $(nproc))) ]
	[ "$found" -le $((most * 11 / 10 + $(nproc))) ]
	none grep ' prev_pid 0 ' "$tmp/long"
	cat /sys/module/ltt_sample_filter/parameters/runs
	[ "$(awk '{ n += $NF } END { print n }' /sys/module/ltt_sample_filter/parameters/runs)" -ge "$found" ]
	rmmod ltt-sample-filter
	none modprobe ltt-sample-filter trace=nosuch
}

come_and_go()
{
	local i

	new_trace all 'heartbeat.*' 'sample_*.*'
	start_trace all
	reader all ALL "$tmp/all"
	for i in $(seq 10); do
		modprobe -a ltt-sample-types ltt-sample-channel ltt-sample-reader
		[ $((i % 2)) -eq 0 ] || sleep 0.1
		rmmod ltt-sample-reader ltt-sample-types ltt-sample-channel
	done
	destroy_trace all
	wait $!
	expect "types" $((10 * $(grep -c . "$here/compare/types.expected"))) \
		"$(grep -c ' sample_types\.' "$tmp/all")"
	none grep ' sample_private\.' "$tmp/all"
}

# Only one that registers something needs ltt-core.
without_core()
{
	local i

	expect "needs" "" "$(modinfo -F depends ltt-sample-types)"
	rmmod ltt-tracepoints ltt-textout ltt-core
	for i in 1 2 3; do
		modprobe ltt-sample-types
		echo 1 > /sys/module/ltt_sample_types/parameters/fire
		[ ! -e /sys/module/ltt_core ]
		rmmod ltt-sample-types
	done
	modprobe -a ltt-core ltt-textout ltt-tracepoints
}

run_test "ltt-sample-types: the comment's commands" types
run_test "ltt-sample-channel: the comment's commands" channel
run_test "ltt-sample-channel: a flight recorder" flight_recorder
run_test "ltt-sample-reader: reads all, alone" private_reader
run_test "ltt-sample-reader: contexts" private_contexts
run_test "ltt-sample-trace: a trace of its own" own_trace
run_test "ltt-sample-trace: the comment's commands" destroyed_trace
run_test "ltt-sample-trace: parameters without a trace" parameter_without_trace
run_test "ltt-sample-filter: the comment's commands" long_runs
run_test "all of them come and go while a trace records" come_and_go
run_test "markers do not need ltt-core" without_core
finish
