#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: ICOUNT=1 SMP=2 MEM=1G TIMEOUT=240 DEBUG=1
#
# The events of a CPU come out in the order in which they happened, also those of different
# channels, and also if the clock is so coarse that many of them happen in one tick.

. "$(dirname "$0")/lib.sh"
needs smp

many=$(amount 2000 5000)	# events of each CPU
clocksource=/sys/devices/system/clocksource/clocksource0

# What $1 prints of the events, a line each: CPU, time, context, number.
in_text()
{
	events < "$1" | sed -E 's/^ *([0-9.]+) \[([0-9]+)\] .* context ([0-9]+) seq ([0-9]+)$/\2 \1 \3 \4/'
}

in_babeltrace()
{
	sed -E 's/^\[([0-9.]+)\].*cpu_id = ([0-9]+) .* context = ([0-9]+), seq = ([0-9]+) .*/\2 \1 \3 \4/' "$1"
}

# Each CPU's times differ, and each context's numbers follow each other: checks what it
# reads, and says how many events there were.
strictly_ordered()
{
	awk '$1 in time && time[$1] >= $2 { ties++ }
		$1 FS $3 in seq && seq[$1 FS $3] + 1 != $4 { disorder++ }
		{ time[$1] = $2; seq[$1 FS $3] = $4; n++ }
		END { print n + 0, "events,", ties + 0, "ties,", disorder + 0, "out of order"
			exit !n || ties || disorder }'
}

# two_channels EVENTS CONTEXTS: events of all contexts go to two channels in turns
two_channels()
{
	load_test_module
	new_trace order
	channel_buffers order ltt_test_short $((1 << 18)) 16
	channel_buffers order ltt_test_other $((1 << 18)) 16
	printf '%s\n' 'ltt_test_short.*' 'ltt_test_other.*' > $ltt/traces/order/markers
	start_trace order
	reader order ALL "$tmp/text"
	pipe=$!
	ltt record -q -t order -o "$tmp/capture" 2> "$tmp/record.err" &
	recorder=$!
	wait_for 60 has_open $recorder "*/binary/$(home ltt_test_other)_1"
	generate "$1" $(($2 + 16))
	stop_trace order
	destroy_trace order
	wait $pipe $recorder
	none grep '^# lost' "$tmp/text"
	in_text "$tmp/text" | tee "$tmp/text.events" | strictly_ordered ||
		fail "in the text"
	host ltt view "$tmp/capture" > "$tmp/view"
	in_text "$tmp/view" | tee "$tmp/view.events" | strictly_ordered ||
		fail "in ltt view"
	cmp "$tmp/text.events" "$tmp/view.events"
	host babeltrace2 --clock-cycles "$tmp/capture" > "$tmp/babeltrace"
	in_babeltrace "$tmp/babeltrace" | strictly_ordered || fail "in babeltrace2"
}

# restore_clock CLOCK CLOCKSOURCE
restore_clock()
{
	local trace

	# Of a test that failed: the clock is that of all traces.
	for trace in $ltt/traces/*/; do
		destroy_trace "$(basename "$trace")"
	done
	rm -rf "$tmp/capture"
	echo "$2" > $clocksource/current_clocksource
	echo "$1" > $ltt/clock
}

# with_clock CLOCK CLOCKSOURCE COMMAND...
with_clock()
{
	local clock source

	grep -qw "$2" $clocksource/available_clocksource || { echo "no $2"; exit 4; }
	clock=$(grep -o '\[.*\]' $ltt/clock | tr -d '[]')
	source=$(cat $clocksource/current_clocksource)
	trap "kill_jobs; restore_clock $clock $source" EXIT
	echo "$1" > $ltt/clock
	echo "$2" > $clocksource/current_clocksource
	expect "the clocksource" "$2" "$(cat $clocksource/current_clocksource)"
	"${@:3}"
}

now=$(cat $clocksource/current_clocksource)
run_test --long "two channels, clock mono from acpi_pm" with_clock mono acpi_pm two_channels $many 1
run_test "the same, with interrupts and NMIs" with_clock mono acpi_pm two_channels $many 15
run_test --long "two channels, the machine's clock" \
	with_clock "$(grep -o '\[.*\]' $ltt/clock | tr -d '[]')" "$now" two_channels $many 15
LTT_SHARED=1
run_test "two channels in shared buffers, with interrupts and NMIs" \
	with_clock mono acpi_pm two_channels $many 15
finish
