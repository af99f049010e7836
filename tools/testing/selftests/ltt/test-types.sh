#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1
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
	# Nothing below a blank, no DEL, in the whole text.
	LC_ALL=C none grep -nP '[\x00-\x09\x0b-\x1f\x7f]' "$tmp/text"
}

run_test "every type is shown as documented" all_types
run_test "no string forges a line or reaches the terminal" no_forgery
run_test "single markers of a channel" fire_again
finish
