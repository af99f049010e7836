#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=2G TIMEOUT=600 UML=1
#
# Modules with markers come before ltt-core, stay when it goes, and come and go
# while it comes and goes.

. "$(dirname "$0")/lib.sh"

ours="ltt-tracepoints ltt-textout ltt-core"

unload()
{
	# shellcheck disable=SC2086 # a list
	rmmod $ours
	[ ! -e $ltt ]
}

# Not all of the kernel's events: a thousand markers take their time.
load()
{
	modprobe -a ltt-core ltt-textout
	modprobe ltt-tracepoints systems=sched
}

# known CHANNEL: its lines in the markers file
known()
{
	grep -c "^$1\." $ltt/markers || true
}

# Record some events of both modules, all of them are there.
record()
{
	new_trace order 'ltt_test.*' 'sample_types.*'
	start_trace order
	reader order ALL "$tmp/order"
	generate 100 15
	echo 1 > /sys/module/ltt_sample_types/parameters/fire
	destroy_trace order
	wait $!
	none grep '^# lost' "$tmp/order"
	expect "tasks" $((100 * $(nproc))) "$(grep -c 'ltt_test.event: context 0 ' "$tmp/order")"
	expect "types" "$(grep -c . "$here/compare/types.expected")" "$(grep -c sample_types "$tmp/order")"
}

before_core()
{
	unload
	modprobe -a ltt-test ltt-sample-types
	[ ! -e /sys/module/ltt_core ]
	generate 100 15
	load
	expect "ltt_test" 1 "$(known ltt_test)"
	expect "sample_types" "$(grep -c . "$here/compare/types.expected")" "$(known sample_types)"
	record
}

after_core()
{
	local i

	# As the first case has left them.
	modprobe -a ltt-test ltt-sample-types
	for i in $(seq 5); do
		unload
		generate 100 15
		load
		record
	done
	# And they go as any others.
	rmmod ltt-test ltt-sample-types
	expect "ltt_test" 0 "$(known ltt_test)"
	expect "sample_types" 0 "$(known sample_types)"
}

refused_before_core()
{
	unload
	dmesg -C
	modprobe ltt-test-refused
	expect "messages" 0 "$(dmesg | grep -c refused: || true)"
	load
	expect "messages" 3 "$(dmesg | grep -c refused: || true)"
	grep -q '^ltt_refused\.sound' $ltt/markers
	rmmod ltt-test-refused
}

# Each time with a trace that records, and was not destroyed.
under_load()
{
	local i

	modprobe ltt-test
	repeat generate 2000 15 20
	for i in $(seq $(amount 1 10)); do
		new_trace forgotten 'ltt_test.*' 'sched.*'
		start_trace forgotten
		sleep 0.1
		awk '{ n += $2 } END { exit !n }' $ltt/traces/forgotten/channels/ltt_test/stats
		unload
		load
		[ ! -e $ltt/traces/forgotten ]
	done
	# What comes last must be whole: numbers without a gap.
	new_trace whole
	channel_buffers whole ltt_test 1048576 8
	echo 'ltt_test.*' > $ltt/traces/whole/markers
	start_trace whole
	sleep 0.2
	stop_trace whole
	reader whole ALL "$tmp/whole"
	destroy_trace whole
	wait $!
	repeat_end
	none grep '^# lost' "$tmp/whole"
	events < "$tmp/whole" | awk '
		{ key = $2 " " $5 }
		key in seq && $7 != seq[key] + 1 { print "odd:", $0; bad = 1 }
		{ seq[key] = $7 }
		END { print NR, "events"; exit bad || NR < 100 }'
	rmmod ltt-test
}

# The walk looks at a module with a reference to it: for so long it cannot go.
unload_others()
{
	rmmod ltt-test-late ltt-sample-types 2> "$tmp/rmmod" ||
		none grep -v "is in use$" "$tmp/rmmod"
}

# The walk through the loaded modules, against modules being loaded and unloaded.
races()
{
	local others i

	rm -f "$tmp/stop"
	( while [ ! -e "$tmp/stop" ]; do
		modprobe -a ltt-test-late ltt-sample-types
		unload_others
	done
	for i in ltt_test_late ltt_sample_types; do
		[ ! -e /sys/module/$i ] || rmmod $i
	done ) &
	others=$!
	for i in $(seq $(amount 4 20)); do
		unload
		load
		new_trace race 'ltt_late.*' 'sample_types.*'
		start_trace race
		[ $((i % 3)) -ne 0 ] || sleep 0.1
	done
	touch "$tmp/stop"
	wait $others
	# What a trace has recorded stays known as long as the trace.
	destroy_trace race
	expect "left" 0 "$(($(known ltt_late) + $(known sample_types)))"
	modprobe -a ltt-test ltt-sample-types
	record
	rmmod ltt-test ltt-sample-types
}

run_test "markers of modules that were there before ltt-core" before_core
run_test "ltt-core goes and comes, modules with markers stay" after_core
run_test "wrong markers that were there before are refused" refused_before_core
run_test --long --needs smp "ltt-core goes and comes while markers fire in every context" under_load
run_test --needs smp "modules come and go while ltt-core comes and goes" races
finish
