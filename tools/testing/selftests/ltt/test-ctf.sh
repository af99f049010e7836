#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 APPEND=no_hash_pointers UML=1
#
# One trace, three ways to see it: the text pipe, a capture that babeltrace2 reads, and
# the same capture shown by ltt view. They agree in each event and each value.

. "$(dirname "$0")/lib.sh"
. "$here/lib/both.sh"

# same whole|lossy TRACE: what was captured is what the text shows; of which kinds it is goes
# to $tmp/kinds
same()
{
	same_capture "$1" "$tmp/ctf.$2" "$tmp/text.$2"
}

# lost FILE: sum of the notices
lost()
{
	awk '/^# lost/ { n += $3 } END { print n + 0 }' "$1"
}

types()
{
	new_trace types 'sample_types.*'
	both types
	start_trace types
	modprobe ltt-sample-types
	rmmod ltt-sample-types
	ended types
	same whole types
	expect "kinds" "$(grep -c . "$here/compare/types.expected")" "$(($(wc -l < "$tmp/kinds") - 1))"
	# It does look at values.
	sed -i 's/pear/apple/' "$tmp/text.types"
	none host "$here/compare/ctf.py" "$tmp/ctf.types" "$tmp/text.types"
}

# Processes and interrupts on all CPUs.
work()
{
	local i

	for i in $(seq "$1"); do
		( for ((n = 0; n < 10; n++)); do /bin/true; done ) | cat &
	done
	wait $(jobs -p | grep -vx "$text_pid\|$capture_pid")
}

kernel()
{
	needs_pointers
	new_trace kernel
	for channel in sched irq timer power raw_syscalls signal task skb module; do
		# What was used once keeps its size.
		[[ ${LTT_SHARED:-} && $channel != sched ]] ||
			channel_buffers kernel $channel 1048576 8
		echo "$channel.*" > $ltt/traces/kernel/markers
	done
	both kernel
	start_trace kernel
	work $(amount 1 4)
	stop_trace kernel
	ended kernel
	expect "lost" 0 "$(lost "$tmp/text.kernel")"
	same whole kernel
	[ "$(wc -l < "$tmp/kinds")" -ge 20 ]
}

# full MODE: more than fits, from all contexts on all CPUs; text and capture come later
full()
{
	load_test_module
	new_trace "$1"
	channel_buffers "$1" ltt_test 4096 4 "$1"
	echo 'ltt_test.*' > "$ltt/traces/$1/markers"
	start_trace "$1"
	generate 2000 15 40
	stop_trace "$1"
	both "$1"
	ended "$1"
	same lossy "$1"
	[ "$(lost "$tmp/text.$1")" -gt 1000 ]
}

# Under full load, with a capture and a text pipe that lose what they may.
under_load()
{
	local generated

	load_test_module
	new_trace load
	flood load 8192 "$1"
	host ltt view "$tmp/ctf.load" > "$tmp/view"
	host babeltrace2 "$tmp/ctf.load" > "$tmp/babel" 2> "$tmp/warnings"
	echo "$generated generated, of which lost $(lost "$tmp/text.load") $(lost "$tmp/view")"
	expect "text" "$generated" \
		"$(($(events < "$tmp/text.load" | wc -l) + $(lost "$tmp/text.load")))"
	expect "view" "$generated" "$(($(events < "$tmp/view" | wc -l) + $(lost "$tmp/view")))"
	expect "babeltrace2" "$(events < "$tmp/view" | wc -l)" "$(wc -l < "$tmp/babel")"
	none grep -v 'WARNING: Tracer \(discarded\|may have discarded\) ' "$tmp/warnings"
}

come_and_go()
{
	local i text_one capture_one

	new_trace one
	channel_buffers one sched 1048576 8
	printf '%s\n' 'sample_types.*' 'ltt_late.*' 'sched.sched_switch' > $ltt/traces/one/markers
	new_trace two 'sample_types.names' 'ltt_late.*'
	both one
	text_one=$text_pid capture_one=$capture_pid
	both two
	start_trace one
	start_trace two
	for i in 1 2 3; do
		modprobe ltt-sample-types
		modprobe ltt-test-late
		rmmod ltt-sample-types ltt-test-late
		sleep 0.5
	done
	ended two
	text_pid=$text_one capture_pid=$capture_one
	ended one
	for i in one two; do
		same whole $i
		expect "fruits" 3 "$(grep -c 'sample_types.names: ' "$tmp/text.$i")"
		expect "from modules" 300 "$(grep -c 'ltt_late.init' "$tmp/text.$i")"
	done
}

run_test "every type" types
run_test "the kernel's events, on all CPUs" kernel
run_test "full buffers, newest events lost" full discard
run_test "full buffers, oldest events lost" full overwrite
run_test --needs smp "under load, newest events lost" under_load discard
run_test --needs smp "under load, oldest events lost" under_load overwrite
run_test "markers come and go during two captures" come_and_go

LTT_SHARED=1
# Losses in shared buffers: test-shared.sh has them, too.
run_test --long "every type, shared buffers" types
run_test "the kernel's events, on all CPUs, shared buffers" kernel
run_test --long "full buffers, newest events lost, shared buffers" full discard
run_test --long "full buffers, oldest events lost, shared buffers" full overwrite
run_test --needs smp "under load, newest events lost, shared buffers" under_load discard
run_test --long "markers come and go during two captures, shared buffers" come_and_go
finish
