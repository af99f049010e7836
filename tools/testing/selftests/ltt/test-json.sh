#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=3600 APPEND=no_hash_pointers UML=1 DEBUG=1
#
# Text style json, of running traces: lines are as the schema describes them, their values are
# those that babeltrace2 reads in a capture of the same trace, and the stream alone tells how many
# events there were.

. "$(dirname "$0")/lib.sh"
. "$here/lib/both.sh"

schema=Documentation/trace/ltt/text-json.schema.json

# json_trace NAME: its text will be JSON
json_trace()
{
	new_trace "$1"
	echo json > "$ltt/traces/$1/text_style"
}

# as_described FILE: what there is of each kind goes to $tmp/kinds
as_described()
{
	local status=0

	needs_source $schema
	# shellcheck disable=SC2016 # for another shell
	host sh -c '"$1" "$2" < "$3"' sh "$here/compare/json_schema.py" "$here/../../../../$schema" "$1" \
		> "$tmp/kinds" 2> "$tmp/error" || status=$?
	[ $status -eq 0 ] || { cat "$tmp/kinds" "$tmp/error"; fail "not as described"; }
}

# same_values TRACE
same_values()
{
	host "$here/compare/json_values.py" "$tmp/ctf.$1" "$tmp/text.$1"
}

# told FILE [CHANNEL]: how many events there were, of one channel or all, by the stream alone
told()
{
	# shellcheck disable=SC2016 # jq's
	host jq -n --arg channel "${2:-}" 'reduce inputs as $e (0;
		if ($e.channel // "") != $channel and $channel != "" then .
		elif $e.notice == "lost" then . + $e.events
		elif $e.event then . + 1 else . end)' "$1"
}

# All of its markers, of all types.
fire()
{
	echo 1 > /sys/module/ltt_sample_types/parameters/fire
}

every_type()
{
	json_trace types
	echo 'sample_types.*' > $ltt/traces/types/markers
	both types
	start_trace types
	modprobe ltt-sample-types
	rmmod ltt-sample-types
	ended types
	same_values types
	as_described "$tmp/text.types"
	expect "kinds" "$(grep -c . "$here/compare/types.expected")" "$(($(wc -l < "$tmp/kinds") - 1))"
	# It does look at values.
	sed -i 's/"fields":{"\([a-z0-9_]*\)":\([0-9]\)/"fields":{"\1":1\2/' "$tmp/text.types"
	none same_values types
}

header()
{
	json_trace head
	reader head ALL "$tmp/head"
	wait_for 10 has_open $! "$ltt/traces/head/text/ALL"
	destroy_trace head
	wait $!
	as_described "$tmp/head"
	expect "lines" 1 "$(wc -l < "$tmp/head")"
	expect "name" head "$(jq -r '.traces[0].name' "$tmp/head")"
	expect "host" "$(hostname)" "$(jq -r '.traces[0].host' "$tmp/head")"
	expect "boot" "$(< /proc/sys/kernel/random/boot_id)" "$(jq -r '.traces[0].boot_id' "$tmp/head")"
	expect "clock" "$(sed -n 's/.*\[\(.*\)\].*/\1/p' $ltt/clock)" \
		"$(jq -r '.traces[0].clock' "$tmp/head")"
}

# Time, as date(1) has it, before and after an event.
real_time()
{
	local before after

	json_trace time
	echo 'sample_types.nothing' > $ltt/traces/time/markers
	reader time ALL "$tmp/time"
	modprobe ltt-sample-types
	start_trace time
	before=$(date +%s%N)
	fire
	after=$(date +%s%N)
	destroy_trace time
	wait $!
	rmmod ltt-sample-types
	# Not jq, for which this is too large a number.
	python3 - "$tmp/time" "$before" "$after" << 'EOP'
import json, sys

header, event = map(json.loads, open(sys.argv[1]))
now = header["traces"][0]["offset"] + event["ts"]
# The offset is as old as the trace.
print("since then, ns:", now - int(sys.argv[2]))
sys.exit(not int(sys.argv[2]) - 10**8 <= now <= int(sys.argv[3]) + 10**8)
EOP
}

# Markers of all types and contexts, and the kernel's own events.
many()
{
	local channel before lines

	needs_pointers

	load_test_module
	modprobe ltt-sample-types
	json_trace many
	for channel in sample_types ltt_test sched irq timer raw_syscalls; do
		[ -d "$ltt/traces/many/channels/$channel" ] || continue
		channel_buffers many "$channel" 1048576 8
	done
	echo 'pid tid comm prio kstack irq_state' > $ltt/traces/many/channels/sample_types/contexts
	echo 'tid comm' > $ltt/traces/many/channels/ltt_test/contexts
	printf '%s\n' 'sample_types.*' 'ltt_test.*' 'sched.*' 'irq.*' 'timer.*' 'raw_syscalls.*' \
		> $ltt/traces/many/markers
	both many
	start_trace many
	before=$(generated)
	while (($(generated) < before + $(amount 4000 1000000))); do
		fire
		generate 1000 15 50
	done
	stop_trace many
	ended many
	rmmod ltt-sample-types
	lines=$(wc -l < "$tmp/text.many")
	echo "$lines lines"
	[ "$lines" -ge "$(amount 4000 1000000)" ] || fail "only $lines lines"
	expect "lines that jq reads" "$lines" "$(host jq -c . "$tmp/text.many" | wc -l)"
	same_values many
	as_described "$tmp/text.many"
	[ "$(wc -l < "$tmp/kinds")" -ge 40 ]
}

# overrun MODE: more than the buffers hold, from all contexts on all CPUs, while somebody reads
overrun()
{
	local generated

	load_test_module
	json_trace over
	flood over 4096 "$1"
	as_described "$tmp/text.over"
	host ltt view --style json "$tmp/ctf.over" > "$tmp/view"
	echo "$generated generated, $(grep -c '"notice":"lost"' "$tmp/text.over") notices"
	grep -q '"notice":"lost"' "$tmp/text.over"
	expect "text" "$generated" "$(told "$tmp/text.over")"
	expect "view" "$generated" "$(told "$tmp/view")"
}

# A writer dies in the middle of an event; its CPU's others are recorded again.
dead_writer()
{
	[ ! -e /sys/module/ltt_test ] || rmmod ltt-test
	load_test_module
	json_trace dead
	printf '%s\n' 'ltt_test_other.*' 'ltt_test.*' > $ltt/traces/dead/markers
	start_trace dead
	reader dead ALL "$tmp/dead"
	generate 100 17
	taskset -c 1 sh -c 'echo 1 > /sys/kernel/debug/ltt_test/abandon'
	generate 100 17
	wait_for 60 grep -q '"notice":"unfinished"' "$tmp/dead" || fail "nobody tells"
	generate 100 17
	destroy_trace dead
	wait $!
	as_described "$tmp/dead"
	expect "writer" '[1,"ltt_test_other"]' \
		"$(jq -c 'select(.notice == "unfinished") | [.cpu, .channel]' "$tmp/dead")"
	jq -c 'select(.cpu == 1)' "$tmp/dead" > "$tmp/one"
	expect "events and losses" 151 "$(told "$tmp/one" ltt_test_other)"
}

# What there is, what is chosen, and what there is not.
choose()
{
	local style

	new_trace style
	expect "styles" "[format] ftrace kv json lttv" "$(< $ltt/traces/style/text_style)"
	for style in ftrace kv json lttv format; do
		echo $style > $ltt/traces/style/text_style
		grep -qF "[$style]" $ltt/traces/style/text_style
	done
	for style in JSON jso json2 ''; do
		expect_errno EINVAL $ltt/traces/style/text_style "$style"
	done
	expect "styles" "[format] ftrace kv json lttv" "$(< $ltt/traces/style/text_style)"
	grep -q 'text_style: column 1: no such style' $ltt/traces/style/error_log
	destroy_trace style
}

# Lines as LTTV wrote them, of the contexts that it knew.
lttv()
{
	modprobe ltt-sample-types
	new_trace viewer
	echo lttv > $ltt/traces/viewer/text_style
	echo 'pid tid comm ppid irq_state prio' > $ltt/traces/viewer/channels/sample_types/contexts
	echo 'sample_types.*' > $ltt/traces/viewer/markers
	reader viewer ALL "$tmp/viewer"
	start_trace viewer
	fire
	destroy_trace viewer
	wait $!
	rmmod ltt-sample-types
	events < "$tmp/viewer" > "$tmp/lines"
	expect "lines" "$(grep -c . "$here/compare/types.expected")" "$(wc -l < "$tmp/lines")"
	none grep -vE "^sample_types\.\w+: [0-9]+\.[0-9]{9} \(/sample_types_[0-9]+\), $BASHPID, $BASHPID, test-json.sh, , $$, 0x0, MODE_UNKNOWN \{ .*\\\$prio = [0-9]+ \}\$" \
		"$tmp/lines"
}

run_test "every type" every_type
run_test "the header" header
run_test "times since 1970" real_time
run_test "many lines, values and contexts" many
run_test "newest events lost, and the stream tells" overrun discard
run_test "oldest events lost, and the stream tells" overrun overwrite
run_test --needs smp "a writer that dies" dead_writer
run_test "the styles of a trace" choose
run_test "lines as LTTV wrote them" lttv
finish
