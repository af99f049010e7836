#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Figures that are nanoseconds: run in user-mode Linux with everything built in. Of
# several attempts the fastest counts, of LTT and of its peer. Both take the time from the
# same clock, which there asks the host, or, as "counter", no clock at all.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

loops=1000000
attempts=10

# best COMMAND...: the least of what it prints
best()
{
	local i

	for ((i = 0; i < attempts; i++)); do
		"$@"
	done | sort -g | head -n 1
}

# What a line of text costs, of so many events as the buffers have room for.
events=100000

ftrace_line()
{
	ftrace_on
	echo "tracepoint $events" > $bench/run
	echo 0 > $tracefs/tracing_on
	drain $tracefs/trace_pipe >&2
	ftrace_off
	echo "$line"
}

ltt_line()
{
	new_trace line
	channel_buffers line ltt_bench 4194304 2
	echo ltt_bench.cpu_idle > $ltt/traces/line/markers
	start_trace line
	echo "tracepoint $events" > $bench/run
	stop_trace line
	drain $ltt/traces/line/text/ALL >&2
	destroy_trace line
	echo "$line"
}

empty=$(best cost empty)
figure uml_disabled_marker "$(best cost marker)" ns
for clock in mono counter; do
	echo $clock > $ltt/clock
	ftrace_on
	echo $clock > $tracefs/trace_clock
	ftrace=$(best cost tracepoint)
	ftrace_off
	ltt_on ltt_bench ltt_bench.cpu_idle
	figure uml_write_tracepoint_$clock "$(best cost tracepoint)" ns ftrace "$ftrace"
	ltt_off
	ltt_on ltt_bench ltt_bench.marker
	figure uml_write_marker_$clock "$(best cost marker)" ns ftrace "$ftrace"
	ltt_off
done
echo mono > $ltt/clock
ftrace=$(best ftrace_line)
figure uml_text_line "$(best ltt_line)" ns ftrace "$ftrace"
