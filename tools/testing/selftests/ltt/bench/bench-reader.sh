#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: bench-reader.sh [STREAMS]
#
# What it costs to read many streams in most of which nothing happens. Instruction counts, as
# in bench.sh: on one CPU, with a channel for each stream. A program of the lowest priority uses
# all the time that is left. What it misses when a reader is there, is the reader's, and what
# works on its behalf: all of a wake-up, from the timer to the next sleep.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

streams=${1:-1600}
ms=2000

# open_reader: of the trace; its number is in $reader
open_reader()
{
	cat $ltt/traces/many/text/ALL > "$tmp/text" &
	reader=$!
	wait_for 30 has_open $reader $ltt/traces/many/text/ALL
	# It has looked at everything that there is.
	sleep 1
}

close_reader()
{
	kill $reader
	wait $reader 2> /dev/null || true
}

sleeps()
{
	awk '$1 == "voluntary_ctxt_switches:" { print $2 }' /proc/$reader/status
}

# wakeup NAME [PERIOD FILE N]: cost of a wake-up with a reader, next to none
wakeup()
{
	local name=$1 alone with before after

	shift
	alone=$(spare $ms "$@")
	open_reader
	before=$(sleeps)
	with=$(spare $ms "$@")
	after=$(sleeps)
	close_reader
	figure "$name" "$(echo "$alone $with $((after - before))" | awk '
		{ printf "%.0f\n", ($4 - $3 * $2 / $1) / $5 }')" instructions
	echo "# $(((after - before) * 1000 / ms)) wake-ups a second"
}

# begin CHANNELS
begin()
{
	modprobe ltt-bench channels="$1" || exit
	new_trace many
	echo 'ltt_bench*.*' > $ltt/traces/many/markers
	start_trace many
}

end()
{
	destroy_trace many
	rmmod ltt-bench
}

# line: what a line of one stream costs, which is in $line
one_line()
{
	channel_buffers many power 4194304 2
	echo power.cpu_idle > $ltt/traces/many/markers
	echo "tracepoint 20000" > $bench/run
	drain $ltt/traces/many/text/ALL
}

begin 1
wakeup reader_idle_1
wakeup reader_trickle_1 8000 $bench/ping 1
one_line
alone=$line
end
begin "$streams"
wakeup "reader_idle_$streams"
wakeup "reader_trickle_$streams" 8000 $bench/ping "$streams"
one_line
figure "text_line_${streams}_idle" "$(awk -v v="$line" -v w="$alone" 'BEGIN { printf "%.3f\n", v / w }')" \
	text_lines
end
