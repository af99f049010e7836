#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: bench-reader.sh [STREAMS...]	(default: 1 1600)
#
# What it costs to read many streams in most of which nothing happens. Instruction counts, as
# in bench.sh: on one CPU, with a channel for each stream. Counted is the time that the reader
# runs, as the scheduler does. A program of the lowest priority uses all the time that is left;
# what it misses when a reader is there (the figures with _all) is also that of the timer, of
# switching to the reader and back, and of grace periods.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

[ $# -gt 0 ] || set -- 1 1600
ms=1000

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

# Times that the reader has slept, and nanoseconds that it ran.
state()
{
	awk '$1 == "voluntary_ctxt_switches:" { print $2 }' /proc/$reader/status
	cut -d ' ' -f 1 /proc/$reader/schedstat
}

# wakeup NAME [PERIOD FILE N]: cost of a wake-up with a reader, next to none
wakeup()
{
	local name=$1 alone with before after

	shift
	alone=$(spare $ms "$@")
	open_reader
	mapfile -t before < <(state)
	with=$(spare $ms "$@")
	mapfile -t after < <(state)
	close_reader
	echo "# $(((after[0] - before[0]) * 1000 / ms)) wake-ups a second"
	figure "$name" $(((after[1] - before[1]) / (after[0] - before[0]))) instructions
	figure "${name}_all" "$(echo "$alone $with $((after[0] - before[0]))" | awk '
		{ printf "%.0f\n", ($4 - $3 * $2 / $1) / $5 }')" instructions
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

# one_line: what a line of one stream costs, which is in $line
one_line()
{
	channel_buffers many power 4194304 2
	echo power.cpu_idle > $ltt/traces/many/markers
	echo "tracepoint 20000" > $bench/run
	stop_trace many
	drain $ltt/traces/many/text/ALL
}

alone=
for streams in "$@"; do
	begin "$streams"
	wakeup "reader_idle_$streams"
	wakeup "reader_trickle_$streams" 8000 $bench/ping "$streams"
	one_line
	alone=${alone:-$line}
	figure "text_line_${streams}_idle" \
		"$(awk -v v="$line" -v w="$alone" 'BEGIN { printf "%.3f\n", v / w }')" text_lines
	end
done
