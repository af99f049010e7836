#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=2 MEM=2G TIMEOUT=600 UML=1 DEBUG=1
#
# Memory runs out at every place, one after the other: there is an error, nothing
# is left half made, and the next attempt succeeds. Needs a kernel with fault
# injection. Leaks are found by kmemleak, after all tests.

. "$(dirname "$0")/lib.sh"
shopt -s extglob

# Of these a trace has something to allocate for, too, and a probe to attach.
kernel_events sched,irq

updates=/lib/modules/$(uname -r)/updates

# Of allocations that may wait, too, and without a stack trace for each.
prepare()
{
	[ -e /proc/self/fail-nth ] && [ -d /sys/kernel/debug/failslab ] ||
		{ echo "no fault injection in this kernel"; exit 4; }
	[ ! -e $ltt/traces/f ] || destroy_trace f
	echo N > /sys/kernel/debug/failslab/ignore-gfp-wait
	echo N > /sys/kernel/debug/fail_page_alloc/ignore-gfp-wait
	echo 0 > /sys/kernel/debug/fail_page_alloc/min-order
	echo 0 | tee /sys/kernel/debug/{failslab,fail_page_alloc,fail_usercopy}/verbose > /dev/null
}

create()
{
	prepare
	fail-nth -m $ltt/traces/f -p $ltt/traces/f -l $ltt/traces/f/error_log \
		-u $ltt/destroy_trace f write $ltt/setup_trace f
	works f
}

# works TRACE: everything is there, and does what it should; destroys it
works()
{
	load_test_module
	cat "$ltt/traces/$1/error_log"
	echo 'ltt_test.*' > "$ltt/traces/$1/markers"
	start_trace "$1"
	reader "$1" ltt_test "$tmp/works"
	generate 50 1
	destroy_trace "$1"
	wait $!
	expect "events" $((50 * $(nproc))) "$(events < "$tmp/works" | wc -l)"
}

patterns()
{
	local trace=$ltt/traces/f

	prepare
	new_trace f
	fail-nth -s $trace/channels/sched/markers/sched_process_fork/enable \
		-s $trace/channels/sched/markers/sched_process_exit/enable \
		-s $trace/channels/sched/stats -m $trace/text/sched -p $trace/text/sched -l $trace/error_log \
		-u $ltt/destroy_trace f -u $ltt/setup_trace f \
		write $trace/markers 'sched.sched_process_*'
	expect "not enabled" "" "$(grep -L 1 $trace/channels/sched/markers/sched_process_*/enable)"
	expect "enabled" "" "$(grep -l 1 $trace/channels/sched/markers/!(sched_process_*)/enable)"
	works f
}

one_marker()
{
	local trace=$ltt/traces/f file

	file=$trace/channels/irq/markers/softirq_entry/enable
	prepare
	new_trace f
	fail-nth -s $file -s $trace/channels/irq/stats \
		-u $ltt/destroy_trace f -u $ltt/setup_trace f write $file 1
	expect "enable" 1 "$(cat $file)"
	destroy_trace f
}

channel_parameters()
{
	local trace=$ltt/traces/f

	prepare
	new_trace f
	fail-nth -s $trace/channels/sched/subbuf_num \
		-u $ltt/destroy_trace f -u $ltt/setup_trace f \
		write $trace/channels/sched/subbuf_num 16
	expect "sub-buffers" 16 "$(cat $trace/channels/sched/subbuf_num)"
	destroy_trace f
}

start_stop()
{
	local trace=$ltt/traces/f

	prepare
	new_trace f 'sched.sched_process_*'
	fail-nth -s $trace/enabled -u $trace/enabled 0 write $trace/enabled 1
	expect "enabled" 1 "$(cat $trace/enabled)"
	fail-nth -s $trace/enabled -u $trace/enabled 1 write $trace/enabled 0
	expect "enabled" 0 "$(cat $trace/enabled)"
	works f
}

open_text()
{
	local mode

	prepare
	load_test_module
	for mode in discard overwrite; do
		new_trace f
		channel_buffers f ltt_test 65536 4 $mode
		echo 'ltt_test.*' > $ltt/traces/f/markers
		start_trace f
		generate 50 1
		fail-nth open $ltt/traces/f/text/ALL
		fail-nth open $ltt/traces/f/text/ltt_test
		# Nothing of what was there has been lost by that.
		reader f ALL "$tmp/opened"
		destroy_trace f
		wait $!
		expect "events" $((50 * $(nproc))) "$(events < "$tmp/opened" | wc -l)"
	done
}

destroy()
{
	prepare
	new_trace f 'sched.sched_process_*'
	start_trace f
	fail-nth -s $ltt/traces/f/enabled -u $ltt/setup_trace f write $ltt/destroy_trace f
	[ ! -e $ltt/traces/f ]
	new_trace f
	works f
}

# A module whose markers cannot be made known is loaded all the same, and says so.
load_module()
{
	prepare
	modprobe -r ltt-sample-types
	dmesg -C
	fail-nth -m /sys/module/ltt_sample_types -s $ltt/markers \
		-u unload ltt_sample_types load "$updates/ltt-sample-types.ko"
	expect "known" "$(grep -c . "$here/compare/types.expected")" "$(grep -c '^sample_types\.' $ltt/markers)"
	dmesg | grep -q 'ltt_core: marker sample_types\.[a-z]* of module ltt_sample_types refused: out of memory'
	rmmod ltt-sample-types
}

# The same while a trace waits for it: buffers are made, text files and so on.
load_traced_module()
{
	prepare
	new_trace f 'sample_types.*'
	start_trace f
	fail-nth -m /sys/module/ltt_sample_types -u unload ltt_sample_types \
		-u $ltt/destroy_trace f -u $ltt/setup_trace f \
		-u $ltt/traces/f/markers 'sample_types.*' -u $ltt/traces/f/enabled 1 \
		load "$updates/ltt-sample-types.ko"
	rmmod ltt-sample-types
	reader f ALL "$tmp/all"
	destroy_trace f
	wait $!
	expect "events" "$(grep -c . "$here/compare/types.expected")" "$(events < "$tmp/all" | wc -l)"
}

# load_ours MODULE [PARAMETERS]: it is loaded, or nothing of it is there.
load_ours()
{
	local module=$1

	fail-nth -m "/sys/module/${module//-/_}" -u unload "${module//-/_}" \
		load "$updates/$module.ko" "${2:-}"
}

# Not of ltt-statedump, in which there are static keys of the kernel: that warns if there is no
# memory to remember it.
load_client()
{
	prepare
	[ ! -e "/sys/module/${1//-/_}" ] || rmmod "$1"
	load_ours "$1"
	new_trace f
	works f
	rmmod "$1"
}

load_core()
{
	prepare
	rmmod ltt-test ltt-test-filter ltt-sample-types 2> /dev/null || true
	rmmod ltt-tracepoints ltt-textout ltt-core
	load_ours ltt-core
	load_ours ltt-textout
	load_ours ltt-tracepoints systems=sched,irq
	new_trace f 'sched.*'
	works f
}

contexts()
{
	local file=$ltt/traces/f/channels/sched/contexts

	prepare
	new_trace f
	fail-nth -s $file -u $file none write $file pid,comm,kstack
	expect "contexts" pid,comm,kstack "$(grep -v '^#' $file | paste -sd,)"
	works f
}

filters()
{
	local control=/sys/kernel/debug/ltt_test_filter/control

	prepare
	modprobe ltt-test-filter
	load_test_module
	new_trace f 'ltt_test.*'
	echo "define 0 0 none" > $control
	fail-nth -u $control "remove 0 f ltt_test event" write $control "add 0 f ltt_test event"
	start_trace f
	reader f ALL "$tmp/filtered"
	generate 50 1
	destroy_trace f
	wait $!
	expect "events" 0 "$(events < "$tmp/filtered" | wc -l)"
	rmmod ltt-test-filter
}

open_binary()
{
	local file

	prepare
	load_test_module
	new_trace f 'ltt_test.*'
	start_trace f
	for file in metadata ltt_test_0; do
		fail-nth open $ltt/traces/f/binary/$file
	done
	works f
}

# A call that fails takes nothing, one that takes a part loses nothing.
take_binary()
{
	local mode

	prepare
	load_test_module
	for mode in discard overwrite; do
		new_trace f
		# So many that a reader that waits at the beginning is not left behind.
		channel_buffers f ltt_test 8192 16 $mode
		echo 'ltt_test.*' > $ltt/traces/f/markers
		start_trace f
		generate 1000 1
		stop_trace f
		stream-api nomem $ltt/traces/f/binary/ltt_test_0
		destroy_trace f
	done
}

system_calls()
{
	local trace=$ltt/traces/f

	prepare
	modprobe ltt-syscalls
	new_trace f
	fail-nth -s $trace/channels/syscalls/stats -u $trace/markers '!syscalls.*' \
		write $trace/markers 'syscalls.openat*'
	start_trace f
	cat /proc/version > /dev/null
	stop_trace f
	reader f ALL "$tmp/calls"
	destroy_trace f
	wait $!
	grep -q 'syscalls.openat: .*/proc/version' "$tmp/calls"
}

# One that a running trace waits for.
kprobe()
{
	local file=$ltt/dynamic_markers

	prepare
	modprobe ltt-kprobes
	new_trace f 'fault.*'
	start_trace f
	fail-nth -s $file -u $file -:fault/one write $file 'p:fault/one vfs_read count=$arg3:u64'
	cat /proc/version > /dev/null
	stop_trace f
	reader f ALL "$tmp/kprobe"
	destroy_trace f
	wait $!
	echo -:fault/one > $file
	grep -q 'fault.one: ip vfs_read+.* count [1-9]' "$tmp/kprobe"
}

functions()
{
	local file=$ltt/function/filter

	prepare
	modprobe ltt-function
	fail-nth -s $file -u $file '' write $file 'vfs_*'
	expect "filter" 'vfs_*' "$(cat $file)"
	echo > $file
}

run_test "a trace is made" create
run_test "markers are enabled by a pattern" patterns
run_test --needs smp "the same for several CPUs" patterns
run_test "a marker is enabled by its file" one_marker
run_test "parameters of a channel are set" channel_parameters
run_test "a trace is started and stopped" start_stop
run_test "text is opened" open_text
run_test --needs smp "text of several CPUs is opened" open_text
run_test "a trace is destroyed" destroy
run_test "contexts are chosen" contexts
run_test "a filter is added" filters
run_test "streams are opened" open_binary
run_test "packets are taken" take_binary
run_test --needs x86 "system calls are enabled" system_calls
run_test --needs kprobes "a kprobe is defined for a trace" kprobe
run_test --needs function "functions are chosen" functions
run_test "a module with markers is loaded" load_module
run_test "a module with markers is loaded into a trace" load_traced_module
run_test "ltt-syscalls is loaded" load_client ltt-syscalls
run_test --needs kprobes "ltt-kprobes is loaded" load_client ltt-kprobes
run_test --needs function "ltt-function is loaded" load_client ltt-function
run_test --needs btf "ltt-btf is loaded" load_client ltt-btf
run_test "the tracer is loaded" load_core
finish
