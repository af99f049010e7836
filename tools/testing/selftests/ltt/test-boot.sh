#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: UML=1 MEM=1G TIMEOUT=200 DEBUG=1
#
# A trace that records as soon as ltt-core is loaded, as its parameters say.

. "$(dirname "$0")/lib.sh"

# load [PARAMETER...]: ltt-core anew; what it says is in $tmp/said
load()
{
	local mark="test-boot $BASHPID $RANDOM" module

	for module in ltt-test ltt-tracepoints ltt-textout ltt-core; do
		[ ! -e /sys/module/${module/-/_} ] || rmmod $module
	done
	echo "$mark" > /dev/kmsg
	modprobe ltt-core "$@"
	dmesg | awk -v mark="$mark" 'seen { print } index($0, mark) { seen = 1 }' |
		sed -n 's/.*ltt_core: //p' > "$tmp/said"
	cat "$tmp/said"
}

boot=$ltt/traces/boot

# Markers come later, and the text.
records()
{
	load trace='ltt_test.*, !sched.nothing sample_types.narrow'
	expect "enabled" 1 "$(cat $boot/enabled)"
	expect "buffers" shared "$(cat $boot/buffers)"
	load_test_module
	generate 100
	modprobe ltt-textout
	reader boot ALL "$tmp/boot"
	destroy_trace boot
	wait $!
	expect "events" $((100 * $(nproc))) "$(grep -c 'ltt_test.event:' "$tmp/boot")"
	none grep -q '^# lost' "$tmp/boot"
}

# value FILE: of the shared buffers
value()
{
	cat "$ltt/traces/$1/channels/shared/$2"
}

options()
{
	load trace='ltt_test.*' \
		trace_options=name=early,overwrite,subbuf_size=64K,subbuf_num=16,contexts=pid+comm,budget=100M
	[ ! -e $boot ]
	expect "mode" overwrite "$(value early mode)"
	expect "subbuf_size" 65536 "$(value early subbuf_size)"
	expect "subbuf_num" 16 "$(value early subbuf_num)"
	expect "budget" 104857600 "$(head -n 1 $ltt/traces/early/budget)"
	load_test_module
	generate 10
	modprobe ltt-textout
	reader early ALL "$tmp/early"
	destroy_trace early
	wait $!
	expect "events" $((10 * $(nproc))) "$(grep -c 'ltt_test.event: .* pid [0-9]* comm ltt_test/' "$tmp/early")"
	load trace='ltt_test.*' trace_options=channel,name=own
	load_test_module
	expect "buffers" channel "$(cat $ltt/traces/own/buffers)"
	expect "those of the channel" channel "$(cat $ltt/traces/own/channels/ltt_test/buffers)"
	destroy_trace own
}

# refused WHY PARAMETER...: it loads, says why in one line, and there is no trace
refused()
{
	local why=$1 traces

	shift
	load "$@"
	expect "lines" 1 "$(wc -l < "$tmp/said")"
	grep -qF -- "$why" "$tmp/said" || fail "it does not say: $why"
	traces=("$ltt"/traces/*/)
	expect "traces" 0 ${#traces[@]}
}

wrong()
{
	local option

	for option in subbuf_size=5000 subbuf_size=1K subbuf_size=8M subbuf_size=x subbuf_size= \
		      subbuf_num=3 subbuf_num=1 subbuf_num=131072 budget=0 budget=1X overwrite=1 \
		      subbuf_size name= contexts= nonsense; do
		refused "trace_options: invalid: $option" trace='ltt_test.*' trace_options=$option
	done
	refused 'column 4: no dot in pattern' trace='abc'
	refused 'column 10: invalid character 0x24' trace='ltt.* abc$.*'
	refused 'invalid character 0x2f in trace name' trace='a.*' trace_options=name=a/b
	refused 'context' trace='a.*' trace_options=contexts=nonsense
	refused 'shared buffers only' trace='a.*' trace_options=channel,overwrite
	refused 'trace_options without trace' trace_options=overwrite
	refused 'no pattern' trace=,
}

run_test "markers and text come later" records
run_test "options" options
run_test "what is wrong is refused" wrong
modprobe -a ltt-textout
finish
