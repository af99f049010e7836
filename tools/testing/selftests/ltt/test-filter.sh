#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=300 UML=1 RACES=1
#
# Filters of other modules (<linux/ltt/filter.h>), on events from every context.

. "$(dirname "$0")/lib.sh"
. "$here/lib/filter.sh"

control=/sys/kernel/debug/ltt_test_filter/control
counts=/sys/kernel/debug/ltt_test_filter/counts
# Events in each context, on each CPU.
many=$(amount 2000 5000)

# filter "COMMAND": see modules/ltt-test-filter.c
filter()
{
	echo "$*" > $control
}

# counted N WHAT
counted()
{
	awk -v n="$1" -v what="$2" \
		'$2 == n { for (i = 3; i < NF; i++) if ($i == what) print $(i + 1) }' $counts
}

# end TRACE...: the text of each is in $tmp/TRACE, and holds all that was recorded
end()
{
	local trace

	for trace; do
		reader "$trace" ALL "$tmp/$trace"
		destroy_trace "$trace"
		wait $!
		none grep '^# lost' "$tmp/$trace"
	done
	generated
}

# matching DIVISOR REST: what $tmp/generated has of these, "CPU CONTEXT SEQ" in a
# file that can be compared with that of shown
matching()
{
	awk -v m="$1" -v r="$2" \
		'{ for (i = r; i < $6; i += m) print $2, $4, i }' "$tmp/generated" | sort
}

# shown TRACE: the same of its text
shown()
{
	events < "$tmp/$1" | sed -E 's/^[^ ]+ \[0*([0-9]+)\] [^ ]+ context ([0-9]+) seq ([0-9]+) .*/\1 \2 \3/' | sort
}

by_number()
{
	begin some every
	filter define 0 0 mod seq 3 1
	filter add 0 some ltt_test event
	generate $many $all 100
	end some every
	filter remove 0 some ltt_test event
	cmp <(matching 3 1) <(shown some)
	cmp <(matching 1 0) <(shown every)
	# In all four contexts, and each event was asked about once.
	expect "contexts" "0 1 2 3" "$(shown some | cut -d' ' -f2 | sort -u | xargs)"
	expect "seen" "$(matching 1 0 | wc -l)" "$(counted 0 seen)"
	expect "accepted" "$(matching 3 1 | wc -l)" "$(counted 0 accepted)"
	expect "malformed" 0 "$(counted 0 malformed)"
}

by_string()
{
	begin text
	filter define 0 0 prefix tail uvw
	filter add 0 text ltt_test event
	generate $many $all
	end text
	filter remove 0 text ltt_test event
	# The number selects the letter where the string begins, of 27 with the empty string.
	cmp <(matching 27 20) <(shown text)
	none grep -v ' tail uvwxyz$' <(events < "$tmp/text")
}

by_priority()
{
	begin two
	filter define 0 10 mod seq 2 0
	filter define 1 -10 mod seq 5 0
	filter add 0 two ltt_test event
	filter add 1 two ltt_test event
	generate $many $all
	end two
	filter remove 0 two ltt_test event
	filter remove 1 two ltt_test event
	cmp <(matching 10 0) <(shown two)
	# The one with the lower number came first, and the other saw what it let pass.
	expect "seen first" "$(matching 1 0 | wc -l)" "$(counted 1 seen)"
	expect "seen second" "$(matching 5 0 | wc -l)" "$(counted 0 seen)"
	expect "accepted" "$(matching 10 0 | wc -l)" "$(counted 0 accepted)"
}

two_traces()
{
	begin even odd
	filter define 0 0 mod seq 2 0
	filter define 1 0 mod seq 2 1
	filter define 2 5 all
	filter add 0 even ltt_test event
	filter add 1 odd ltt_test event
	filter add 2 even ltt_test event
	filter add 2 odd ltt_test event
	generate $many $all
	filter remove 2 even ltt_test event
	generate $many $all
	end even odd
	filter remove 0 even ltt_test event
	filter remove 1 odd ltt_test event
	filter remove 2 odd ltt_test event
	cmp <(matching 2 0) <(shown even)
	cmp <(matching 2 1) <(shown odd)
}

rejected()
{
	begin nothing
	filter define 0 0 none
	filter add 0 nothing ltt_test event
	generate $((4 * many)) $all
	stop_trace nothing
	cat $ltt/traces/nothing/channels/ltt_test/stats
	# Neither events, nor losses, nor a byte.
	expect "stats" "0 0 0 0" \
		"$(grep -v '^#' $ltt/traces/nothing/channels/ltt_test/stats | cut -f2-5 | sort -u | xargs)"
	end nothing
	expect "seen" "$(matching 1 0 | wc -l)" "$(counted 0 seen)"
	expect "lines" 0 "$(events < "$tmp/nothing" | wc -l)"
	filter remove 0 nothing ltt_test event
}

add_remove()
{
	local i checker

	rmmod ltt-test 2> /dev/null || true
	load_test_module
	new_trace come
	channel_buffers come ltt_test 65536 8
	echo 'ltt_test.*' > $ltt/traces/come/markers
	start_trace come
	checker come ALL "$tmp/checked"
	checker=$!
	repeat generate 2000 $all 50
	# Those that accept everything: nothing may be missing, whatever they do.
	filter define 0 1 all
	filter define 1 2 all
	for i in $(seq 30); do
		filter add 0 come ltt_test event
		filter add 1 come ltt_test event
		# To remove one takes a grace period, in which the other is asked.
		filter remove $((i % 2)) come ltt_test event
		filter remove $(((i + 1) % 2)) come ltt_test event
	done
	repeat_end
	generated
	destroy_trace come
	wait $checker || fail "$(cat "$tmp/checked")"
	cat "$tmp/checked" $counts
	[ "$(counted 0 seen)" -gt 1000 ] || fail "it was asked too seldom"
	expect "rejected" "$(counted 0 seen)" "$(counted 0 accepted)"
	expect "malformed" 0 "$(counted 0 malformed)"
}

asked_since()
{
	[ "$(counted 0 seen)" -gt "$1" ]
}

add_remove_rejecting()
{
	local asked

	begin half
	filter define 0 0 mod seq 2 0
	repeat generate 2000 $all 2000
	for _ in $(seq "$(amount 2 10)"); do
		asked=$(counted 0 seen)
		filter add 0 half ltt_test event
		wait_for 60 asked_since "$asked" || fail "it was never asked"
		filter remove 0 half ltt_test event
	done
	repeat_end
	end half
	# All even ones are there; of the others only those recorded in between.
	cmp <(matching 2 0) <(shown half | awk '!($3 % 2)')
	expect "odd" $(($(matching 2 1 | wc -l) - $(counted 0 seen) + $(counted 0 accepted))) \
		"$(shown half | awk '$3 % 2' | wc -l)"
}

# Filters are the trace's: they outlive the module of the marker, and can be removed
# when the trace is no more.
lifetimes()
{
	begin life
	filter define 0 0 mod seq 2 0
	filter add 0 life ltt_test event
	generate 100 1
	rmmod ltt-test
	load_test_module
	generate 100 1
	end life
	expect "events" $((100 * $(nproc))) "$(events < "$tmp/life" | wc -l)"
	expect_errno EBUSY $control "define 0 0 all"
	filter remove 0 life ltt_test event
	filter define 0 0 all
	# With its module, while events fire.
	begin gone
	filter add 0 gone ltt_test event
	repeat generate 2000 $all 50
	rmmod ltt-test-filter
	repeat_end
	modprobe ltt-test-filter
	destroy_trace gone
}

errors()
{
	begin err
	filter define 0 0 all
	expect_errno ENOENT $control "add 0 err ltt_test no_such"
	expect_errno ENOENT $control "add 0 err no_such event"
	expect_errno ENOENT $control "remove 0 err ltt_test event"
	filter add 0 err ltt_test event
	expect_errno EEXIST $control "add 0 err ltt_test event"
	filter remove 0 err ltt_test event
	expect_errno ENOENT $control "remove 0 err ltt_test event"
	destroy_trace err
}

modprobe ltt-test-filter
run_test --needs nmi "by an integer, in one trace of two" by_number
run_test "by a string" by_string
run_test "two filters, in the order of their priorities" by_priority
run_test "one filter in two traces, and two filters in each" two_traces
run_test "what is rejected leaves nothing in the buffer" rejected
run_test --needs smp "filters come and go at full speed, nothing is missing" add_remove
run_test --needs smp "the same with a filter that rejects" add_remove_rejecting
run_test "filters, markers, traces and modules go in any order" lifetimes
run_test "wrong requests" errors
rmmod ltt-test-filter
finish
