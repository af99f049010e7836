#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=1
#
# A marker of every type: the text is what printk would have said, or what
# Documentation/trace/ltt/markers.rst says. The markers fire in the module's
# init function, so they must be enabled by a pattern before the module comes.

. "$(dirname "$0")/lib.sh"

all_types()
{
	new_trace types 'sample_types.*'
	start_trace types
	modprobe ltt-sample-types
	stop_trace types
	rmmod ltt-sample-types
	destroyed_text types > "$tmp/text"
	events < "$tmp/text" |
		sed -E "s/^[0-9]+\.[0-9]{9} \[[0-9]{3}\] //; s,schedule\+0x0/0x[0-9a-f]+,schedule+0x0/0xc0," > "$tmp/found"
	diff -u "$here/compare/types.expected" "$tmp/found"
}

# Text of a stopped trace whose module has been unloaded.
destroyed_text()
{
	reader "$1" ALL "$tmp/all"
	destroy_trace "$1"
	wait $!
	cat "$tmp/all"
}

fire_again()
{
	new_trace again 'sample_types.nothing' 'sample_types.wide'
	modprobe ltt-sample-types
	start_trace again
	echo 1 > /sys/module/ltt_sample_types/parameters/fire
	echo 1 > /sys/module/ltt_sample_types/parameters/fire
	stop_trace again
	destroyed_text again | events > "$tmp/found"
	rmmod ltt-sample-types
	expect "lines" 4 "$(wc -l < "$tmp/found")"
	expect "names" "sample_types.nothing: sample_types.wide:" \
		"$(awk '{ print $3 }' "$tmp/found" | sort -u | xargs)"
}

no_forgery()
{
	grep -q '^sample_types.escapes: text line\\nforged' "$here/compare/types.expected"
	[ -e "$tmp/text" ] || all_types
	# Nothing below a blank, no DEL, in the whole text.
	LC_ALL=C none grep -nP '[\x00-\x09\x0b-\x1f\x7f]' "$tmp/text"
}

# Markers whose only argument is a string have ways of their own to record short ones and others.
# The module fires each 64 times before what it counts.
all_lengths()
{
	local bytes x lengths="$(seq 1 72) 128 200 256"

	modprobe ltt-bench
	LTT_SHARED=$1 new_trace lengths
	LTT_SHARED=$1 channel_buffers lengths ltt_bench 1048576 4
	echo ltt_bench.string > $ltt/traces/lengths/markers
	start_trace lengths
	for bytes in $lengths; do
		echo "string 1 $bytes" > /sys/kernel/debug/ltt_bench/run
		printf -v x '%*s' $((bytes - 1)) ''
		echo "     65 ltt_bench.string: text ${x// /x}"
	done > "$tmp/wanted"
	stop_trace lengths
	destroyed_text lengths > "$tmp/text"
	rmmod ltt-bench
	events < "$tmp/text" | cut -d ' ' -f 3- | uniq -c > "$tmp/found"
	diff "$tmp/wanted" "$tmp/found"
	none grep '^# lost' "$tmp/text"
}

run_test "every type is shown as documented" all_types
run_test "no string forges a line or reaches the terminal" no_forgery
run_test "single markers of a channel" fire_again
run_test --needs x86 "strings of all lengths" all_lengths ''
run_test --needs x86 "strings of all lengths, shared buffers" all_lengths 1
finish
