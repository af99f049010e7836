#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: [LTTNG=DIRECTORY] bench.sh
#
# Figures that are instruction counts: run on one CPU of a machine whose clock
# advances one nanosecond per instruction (QEMU -icount shift=0,sleep=off). Each
# peer is measured in the same boot. One line a figure:
#	bench NAME VALUE UNIT [peer PEER VALUE ratio R]

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

filters=/sys/kernel/debug/ltt_test_filter/control

command -v read-text > /dev/null || { echo "read-text is not built" >&2; exit 1; }
modprobe ltt-bench || exit
empty=$(cost empty)

figure disabled_marker "$(cost marker)" instructions

ltt_on ltt_bench ltt_bench.marker ltt_bench.string
write_marker=$(cost marker)
figure write_marker "$write_marker" instructions
for bytes in 8 16 32 64 128 256; do
	figure write_string$bytes "$(cost string $bytes)" instructions
done
# filter MARKER EXPRESSION: of the channel's events
filter()
{
	echo "$2" > "$ltt/traces/bench/channels/${1%.*}/markers/${1#*.}/filter" || exit
}
filter ltt_bench.marker 'value == 1000000001'
figure filter_reject "$(cost marker)" instructions write_marker "$write_marker"
filter ltt_bench.marker 'value == 1000000001 || value == 1000000002 || value < 0'
figure filter_reject3 "$(cost marker)" instructions write_marker "$write_marker"
filter ltt_bench.marker 'value != 1000000001'
figure filter_accept "$(cost marker)" instructions write_marker "$write_marker"
filter ltt_bench.marker none
triggers=$ltt/traces/bench/triggers
echo 'on ltt_bench.marker if value == 1000000001 do stop' > $triggers
figure trigger_unfired "$(cost marker)" instructions write_marker "$write_marker"
# once LOOP UNFIRED: an event that makes a trigger act, until what is left to an interrupt begins: the
# last of 65, of which the others do not
once()
{
	loops=65 cost "$1" | awk -v other="$2" '{ printf "%.0f\n", 65 * $1 - 64 * other }'
}
unfired=$(loops=65 cost marker_off)
echo none > $triggers
echo 'on ltt_bench.marker if value == 64 count 1 do snapshot' > $triggers
trigger_snapshot=$(once marker_off "$unfired")
[ "$(grep -c 'fired 1 held 1 skipped 0 failed 0' $triggers)" -eq 1 ] || exit
echo none > $triggers
tasks=$ltt/traces/bench/tasks
echo 'comm nobody' > $tasks
figure tasks_reject "$(cost marker)" instructions write_marker "$write_marker"
printf 'none\ncomm *\n' > $tasks
figure tasks_accept "$(cost marker)" instructions write_marker "$write_marker"
echo none > $tasks
filter ltt_bench.string 'text == "x"'
figure filter_string "$(cost string 8)" instructions
filter ltt_bench.string none
modprobe ltt-test-filter
echo "define 0 0 none" > $filters
echo "add 0 bench ltt_bench marker" > $filters
figure write_marker_rejected "$(cost marker)" instructions
echo "remove 0 bench ltt_bench marker" > $filters
ltt_off
rmmod ltt-test-filter

# In memory that survives a reset, if there is any.
if [ "$(cat /sys/module/ltt_core/parameters/persist)" != '(null)' ]; then
	area=0
	ltt_on ltt_bench ltt_bench.marker
	figure write_marker_persistent "$(cost marker)" instructions write_marker "$write_marker"
	ltt_off
	area=
fi

# The same event with an id that does not fit into a short header.
ltt_on ltt_bench 'ltt_bench.filler*'
echo ltt_bench.marker > $ltt/traces/bench/markers
figure write_wide_event "$(cost marker)" instructions write_marker "$write_marker"
ltt_off

new_trace second
channel_buffers second ltt_bench 1048576 4 overwrite
echo 'ltt_bench.marker' > $ltt/traces/second/markers
start_trace second
ltt_on ltt_bench ltt_bench.marker ltt_bench.string
figure write_marker_two_traces "$(cost marker)" instructions
ltt_off
destroy_trace second

ftrace_on
ftrace_tracepoint=$(cost tracepoint)
ftrace=$ftrace_tracepoint
ftrace_off
ltt_on power power.cpu_idle
write_tracepoint=$(cost tracepoint)
figure write_tracepoint "$write_tracepoint" instructions ftrace "$ftrace"
filter power.cpu_idle 'state == 77777'
filter_reject=$(cost tracepoint)
filter power.cpu_idle none
echo 'comm nobody' > $tasks
tasks_reject=$(cost tracepoint)
ltt_off
ftrace_on
echo 1 > $tracefs/set_event_pid
figure tasks_reject_tracepoint "$tasks_reject" instructions ftrace "$(cost tracepoint)"
echo > $tracefs/set_event_pid
echo 'snapshot if state == 77777' > $tracefs/events/power/cpu_idle/trigger
unfired=$(loops=65 cost tracepoint_off)
echo '!snapshot' > $tracefs/events/power/cpu_idle/trigger
echo 'snapshot if state == 64' > $tracefs/events/power/cpu_idle/trigger
figure trigger_snapshot "$trigger_snapshot" instructions \
	ftrace "$(once tracepoint_off "$unfired")"
echo '!snapshot' > $tracefs/events/power/cpu_idle/trigger
echo 0 > $tracefs/snapshot
echo 'state == 77777' > $tracefs/events/power/cpu_idle/filter
figure filter_reject_tracepoint "$filter_reject" instructions ftrace "$(cost tracepoint)"
echo 0 > $tracefs/events/power/cpu_idle/filter
ftrace_off

# Both in memory that survives a reset, where the kernel has that of ftrace: since Linux 6.12.
if [ -d $tracefs/instances/persistent ]; then
	area=0
	ltt_on power power.cpu_idle
	persistent=$(cost tracepoint)
	ltt_off
	area=
	echo mono > $tracefs/instances/persistent/trace_clock
	echo 1 > $tracefs/instances/persistent/events/power/cpu_idle/enable
	figure write_tracepoint_persistent "$persistent" instructions ftrace "$(cost tracepoint)"
	echo 0 > $tracefs/instances/persistent/events/power/cpu_idle/enable
fi

ftrace_on sched/sched_switch
ftrace=$(cost sched_switch)
ftrace_off
ltt_on sched sched.sched_switch
write_sched_switch=$(cost sched_switch)
figure write_sched_switch "$write_sched_switch" instructions ftrace "$ftrace"
ltt_off

# The same events into LTTng's buffers.
if [ -n "${LTTNG:-}" ]; then
	lttng_begin && lttng_on power_cpu_idle || exit
	figure write_tracepoint_lttng "$write_tracepoint" instructions lttng "$(cost tracepoint)"
	lttng_off
	lttng_on sched_switch || exit
	figure write_sched_switch_lttng "$write_sched_switch" instructions \
		lttng "$(cost sched_switch)"
	lttng_off
	pkill -TERM lttng-sessiond
fi

# In shared buffers, behind the events of other channels.
LTT_SHARED=1
ltt_on power 'sched.*' 'irq.*' power.cpu_idle
figure write_tracepoint_shared "$(cost tracepoint)" instructions ftrace "$ftrace_tracepoint"
ltt_off
new_trace memory '*'
figure memory_all_per_cpu "$(awk -v cpus="$(getconf _NPROCESSORS_ONLN)" \
	'$3 == "taken" { print $2 / 1024 / cpus }' $ltt/traces/memory/budget)" KiB \
	ltt_per_channel "$(ltt plan -e '*' --per-channel --cpus 1 --budget 1T |
		awk '$1 == "bytes" { print $2 / 1024 }')"
destroy_trace memory
LTT_SHARED=

# event_bytes CHANNEL LOOP: of trace "size", by how far the open sub-buffer is filled. The idle
# loop's own events are of the same kind. When a trace stops its sub-buffers count as full.
event_bytes()
{
	local stats="$ltt/traces/size/channels/$1/stats" before

	start_trace size
	echo "$2 100" > $bench/run
	before=$(awk '$1 == "0" { print $2, $5 }' "$stats")
	echo "$2 4000" > $bench/run
	echo "$before $(awk '$1 == "0" { print $2, $5 }' "$stats")" |
		awk '{ printf "%.2f\n", ($4 - $2) / ($3 - $1) }'
	stop_trace size
	destroy_trace size
}
new_trace size power.cpu_idle
bytes=$(event_bytes power tracepoint)
new_trace size 'ltt_bench.filler*' ltt_bench.marker
wide_bytes=$(event_bytes ltt_bench marker)
ftrace_on
echo "tracepoint 10000" > $bench/run
echo 0 > $tracefs/tracing_on
ftrace_bytes=$(awk '/^entries:/ { e = $2 } /^bytes:/ { b = $2 } END { printf "%.2f\n", b / e }' \
	$tracefs/per_cpu/cpu0/stats)
ftrace_off
figure event_bytes "$bytes" bytes ftrace "$ftrace_bytes"
figure event_bytes_wide "$wide_bytes" bytes ftrace "$ftrace_bytes"

# Text: the same number of the same events through both pipes.
ftrace_on
echo "tracepoint $loops" > $bench/run
echo 0 > $tracefs/tracing_on
drain $tracefs/trace_pipe
ftrace_line=$line
ftrace_off

# drain_style STYLE
drain_style()
{
	new_trace line
	channel_buffers line power 4194304 2
	echo power.cpu_idle > $ltt/traces/line/markers
	echo "$1" > $ltt/traces/line/text_style
	start_trace line
	echo "tracepoint $loops" > $bench/run
	stop_trace line
	drain $ltt/traces/line/text/ALL
	destroy_trace line
}
drain_style format
text_line=$line
figure text_line "$text_line" instructions ftrace "$ftrace_line"
drain_style json
figure text_line_json "$line" instructions text_line "$text_line"

new_trace line
channel_buffers line sched 4194304 2
echo sched.sched_switch > $ltt/traces/line/markers
start_trace line
for i in $(seq 300); do (:); done
stop_trace line
drain $ltt/traces/line/text/ALL
figure text_line_sched_switch "$line" instructions
destroy_trace line

# Pointers as they are hashed, and callers as symbols, of which many are in modules: those that the
# root file system needs.
new_trace line
channel_buffers line kmem 4194304 2
echo kmem.kfree > $ltt/traces/line/markers
ftrace_on kmem/kfree
start_trace line
for i in 1 2 3; do ls -l /usr/bin > /dev/null; done
stop_trace line
echo 0 > $tracefs/tracing_on
drain $tracefs/trace_pipe
ftrace_line=$line
drain $ltt/traces/line/text/ALL
figure text_line_symbol "$line" instructions ftrace "$ftrace_line"
ftrace_off
destroy_trace line

# The last 200 lines in the kernel's log, which shows nothing on the console: of 81 bytes each, and
# from ftrace's buffer of as many events. Less what printk() takes for such lines, too.
printk=$(cat /proc/sys/kernel/printk)
echo 0 > /proc/sys/kernel/printk
ftrace_on
echo "tracepoint 136" > $bench/run
echo 0 > $tracefs/tracing_on
echo z > /proc/sysrq-trigger
logged 'Dumping ftrace buffer:' '---------------------------------'
ftrace=$cost
ftrace_off
new_trace dump ltt_bench.string
start_trace dump
echo "string 136 40" > $bench/run
echo 200 > $bench/dump
logged '# LTT dump (request): begin' '# LTT dump (request): end'
destroy_trace dump
figure panic_dump "$cost" instructions ftrace "$ftrace"
figure panic_dump_own "$(loops=2000 cost line 81 |
	awk -v all="$cost" '{ printf "%d\n", all - 200 * $1 }')" instructions panic_dump "$cost"
echo "$printk" > /proc/sys/kernel/printk

# The entry of a function, less what the call costs that nobody traces.
modprobe ltt-function
call=$(cost function)
echo ltt_bench_function > $tracefs/set_ftrace_filter
echo mono > $tracefs/trace_clock
echo 8192 > $tracefs/buffer_size_kb
echo function > $tracefs/current_tracer
echo 1 > $tracefs/tracing_on
ftrace=$(cost function)
echo nop > $tracefs/current_tracer
echo > $tracefs/set_ftrace_filter
echo ltt_bench_function > $ltt/function/filter
ltt_on function function.entry
entry=$(cost function)
ltt_off
echo > $ltt/function/filter
figure function_entry "$(awk -v v="$entry" -v c="$call" 'BEGIN { print v - c }')" \
	instructions ftrace "$(awk -v v="$ftrace" -v c="$call" 'BEGIN { print v - c }')"
echo ltt_bench_function > $ltt/function/returns
ltt_on function function.return
returns=$(cost function)
ltt_off
figure function_return "$(awk -v v="$returns" -v c="$call" 'BEGIN { print v - c }')" instructions
rmmod ltt-function
rmmod ltt-bench

# System calls: entry and return of getpid(), both recorded; less the call itself.
call_cost()
{
	"$@" known-calls loop $loops | awk -v n=$loops -v empty="${call:-0}" \
		'{ printf "%.1f\n", $1 / n - empty }'
}

ftrace_calls()
{
	for event in sys_enter_getpid sys_exit_getpid; do
		echo "$1" > $tracefs/events/syscalls/$event/enable
	done
}

modprobe ltt-syscalls || exit
call=
call=$(call_cost env)
ftrace_on
ftrace_calls 1
ftrace=$(call_cost env)
ftrace_calls 0
ftrace_off
strace=$(loops=2000 call_cost strace -c -o /dev/null)
ltt_on syscalls 'syscalls.getpid*'
figure syscall_getpid "$(call_cost env)" instructions ftrace "$ftrace"
figure syscall_getpid_strace "$(call_cost env)" instructions strace "$strace"
ltt_off
ltt_on syscalls 'syscalls.openat*'
figure syscall_other "$(call_cost env)" instructions
ltt_off
ltt_on raw_syscalls 'raw_syscalls.*'
figure syscall_getpid_raw "$(call_cost env)" instructions
ltt_off
rmmod ltt-syscalls
