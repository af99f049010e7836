#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=2G TIMEOUT=900 UML=1
#
# CPUs, modules, traces and readers appear and disappear while events are recorded at
# full speed.

. "$(dirname "$0")/lib.sh"

rounds=$(amount 2 15)
last=$(($(nproc --all) - 1))
online=/sys/devices/system/cpu/cpu$last/online

# with_load COMMAND: run it beside writers in every context, and a reader that
# checks that all that was generated is printed or reported lost.
with_load()
{
	local reader status=0

	rmmod ltt-test 2>/dev/null || true
	load_test_module
	new_trace load
	channel_buffers load ltt_test 65536 4
	echo 'ltt_test.*' > $ltt/traces/load/markers
	start_trace load
	checker load ALL "$tmp/checked"
	reader=$!
	repeat generate 3000 15 50

	"$@"

	repeat_end
	generated
	destroy_trace load
	wait $reader || status=1
	cat "$tmp/checked"
	return $status
}

hotplug()
{
	local i cpu

	for i in $(seq $rounds); do
		cpu=$((i % last + 1))
		echo 0 > /sys/devices/system/cpu/cpu$cpu/online
		echo 1 > /sys/devices/system/cpu/cpu$cpu/online
	done
}

offline_data_readable()
{
	rmmod ltt-test 2>/dev/null || true
	load_test_module
	new_trace off 'ltt_test.*'
	start_trace off
	generate 100 1
	echo 0 > /sys/devices/system/cpu/cpu1/online
	checker off ALL "$tmp/checked"
	generated
	destroy_trace off
	wait $!
	echo 1 > /sys/devices/system/cpu/cpu1/online
}

# A CPU that was away when the trace got its buffers
coming_cpu()
{
	echo 0 > $online
	rmmod ltt-test 2>/dev/null || true
	load_test_module
	new_trace come 'ltt_test.*'
	start_trace come
	checker come ALL "$tmp/checked"
	echo 1 > $online
	generate 100 1
	generated
	grep "cpu $last context 0 events 100" "$tmp/generated"
	destroy_trace come
	wait $!
}

# recorded TRACE CPU: events recorded and lost in ltt_test, and what the buffer does
recorded()
{
	awk -v cpu="$2" '$1 == cpu { print $2, $3, $6 ($6 == "no" ? $7 : "") }' "$ltt/traces/$1/channels/ltt_test/stats"
}

# The last CPU is brought up, by $comer, who has to wait until $holder is killed, as has who asks for
# the CPUs to stay: from the grace period on for which $comer waits first.
bring_slowly()
{
	cat /sys/kernel/debug/ltt_test/hold_cpus &
	holder=$!
	wait_for 10 grep -q hold_cpus /proc/$holder/stack
	bash -c "echo 1 > $online" &
	comer=$!
	wait_for 10 grep -q change /sys/kernel/debug/ltt_test/cpus
}

# The task that brings a CPU is being killed, and cannot die before the CPU is there.
killed_while_coming()
{
	local holder comer

	rmmod ltt-test 2>/dev/null || true
	load_test_module
	echo 0 > $online
	new_trace killed 'ltt_test.*'
	start_trace killed
	bring_slowly
	kill -KILL $comer
	kill $holder
	wait $holder || true
	wait $comer || true
	expect "online" 1 "$(cat $online)"
	generate 100 1
	expect "recorded" "100 0 recording" "$(recorded killed $last)"
	destroy_trace killed
}

# A request that waits, here for a CPU that somebody brings up, is in nobody's way.
waiting_request()
{
	local holder comer request other dir=$ltt/traces/waits

	rmmod ltt-test 2>/dev/null || true
	load_test_module
	echo 0 > $online
	new_trace waits
	bring_slowly
	bash -c "echo 'ltt_test.*' > $dir/markers" &
	request=$!
	wait_for 10 grep -q ltt_buffers_alloc /proc/$request/stack
	# Another one has to wait for it, and can be killed.
	bash -c "echo 'sched.*' > $dir/markers" &
	other=$!
	wait_for 10 grep -q ltt_trace_request /proc/$other/stack
	kill -KILL $other
	wait_for 10 has_ended $other
	timeout 10 cat $ltt/markers $dir/markers $dir/channels/ltt_test/stats > "$tmp/read"
	timeout 10 bash -c "echo aside > $ltt/setup_trace; echo aside > $ltt/destroy_trace"
	timeout 10 dd if=$dir/text/ALL iflag=nonblock count=1 status=none > "$tmp/read"
	grep -q ltt_buffers_alloc /proc/$request/stack || fail "the request did not wait"
	kill $holder
	wait $holder || true
	wait $comer
	wait $request
	grep '^+ ltt_test.event ' $dir/markers
	none grep '^+ sched' $dir/markers
	start_trace waits
	generate 100 1
	expect "recorded" "100 0 recording" "$(recorded waits $last)"
	destroy_trace waits
}

available_kib()
{
	awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
}

# A CPU that comes while there is no memory gets its buffer when the trace is started again.
no_memory_for_cpu()
{
	rmmod ltt-test 2>/dev/null || true
	load_test_module
	echo 0 > $online
	new_trace short
	channel_buffers short ltt_test 4M 16
	echo 'ltt_test.*' > $ltt/traces/short/markers
	start_trace short
	mkdir -p "$tmp/full"
	mount -t tmpfs -o size=100% ltt "$tmp/full"
	fallocate -l $(($(available_kib) - 150 * 1024))K "$tmp/full/file"
	echo 1 > $online
	umount "$tmp/full"
	generate 100 1
	expect "without memory" "0 100 nomemory" "$(recorded short $last)"
	cat $ltt/traces/short/error_log
	grep -q "CPU $last are lost: .*1 channel on 1 CPU: [0-9]* KiB needed, [0-9]* KiB available" \
		$ltt/traces/short/error_log
	reader short ALL "$tmp/short"
	stop_trace short
	start_trace short
	generate 100 1
	expect "with memory" "100 100 recording" "$(recorded short $last)"
	destroy_trace short
	wait $!
	expect "lines" 100 "$(events < "$tmp/short" | grep -cF "$(printf '[%03d]' $last)")"
}

modules()
{
	local i

	new_trace mods 'ltt_late.*' 'sample_types.*'
	start_trace mods
	reader mods ALL "$tmp/mods"
	for i in $(seq $rounds); do
		modprobe ltt-test-late events=50
		modprobe ltt-sample-types
		sleep 0.05
		rmmod ltt-test-late ltt-sample-types
	done
	destroy_trace mods
	wait $!
	expect "init events" $((rounds * 50)) "$(grep -c 'ltt_late.init: ' "$tmp/mods")"
	expect "exit events" $rounds "$(grep -c 'ltt_late.exit: ' "$tmp/mods")"
	# As many ticks were recorded as the exit event says.
	expect "ticks" "$(awk '/ltt_late.exit: / { n += $NF } END { print n }' "$tmp/mods")" \
		"$(grep -c 'ltt_late.tick: ' "$tmp/mods")"
}

traces()
{
	local i

	for i in $(seq $rounds); do
		new_trace short 'ltt_test.*' 'sched.*'
		start_trace short
		cat $ltt/traces/short/text/ALL > /dev/null &
		sleep 0.1
		destroy_trace short
		wait $!
	done
}

killed_readers()
{
	local i pid

	for i in $(seq $rounds); do
		cat $ltt/traces/load/text/ALL > /dev/null &
		pid=$!
		sleep 0.1
		kill -9 $pid
		wait $pid || true
	done
}

all_modules()
{
	local i

	rmmod ltt-test 2> /dev/null || true
	for i in $(seq 5); do
		new_trace unload 'sched.*'
		start_trace unload
		rmmod ltt-tracepoints ltt-textout
		destroy_trace unload
		rmmod ltt-core
		modprobe ltt-core
		modprobe ltt-textout
		modprobe ltt-tracepoints
	done
	new_trace back 'sched.*'
	start_trace back
	sleep 0.2
	stop_trace back
	timeout 1 cat $ltt/traces/back/text/ALL | grep -q 'sched.sched_switch: '
	destroy_trace back
}

run_test --needs hotplug "CPUs go and come" with_load hotplug
run_test --needs hotplug "a CPU that went away leaves its events" offline_data_readable
run_test --needs hotplug "a CPU that comes gets a buffer" coming_cpu
run_test --needs hotplug "the task that brings a CPU is killed" killed_while_coming
run_test --needs hotplug "a request that waits for a CPU is in nobody's way" waiting_request
run_test --long --needs hotplug "a CPU that comes without memory gets a buffer later" no_memory_for_cpu
run_test --needs smp "modules with markers come and go" with_load modules
run_test --needs smp "traces come and go" with_load traces
run_test --needs smp "readers are killed" with_load killed_readers
run_test "the modules of LTT unload and load" all_modules
finish
