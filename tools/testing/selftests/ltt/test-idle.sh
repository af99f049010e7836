#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: ALONE=1 SMP=4 MEM=2G TIMEOUT=600 APPEND='isolcpus=domain,1-3' DEBUG=0 LONG=1
#
# One CPU is busy, the others idle: tracing wakes no idle CPU, and interrupts no busy one. A
# fast pipe may interrupt busy ones. A real-time task that keeps its CPU does not keep it from
# closing sub-buffers. How soon lines appear is for test-delay.sh.
#
# The scheduler balances no load here: it would wake an idle CPU whenever two processes
# can run on the busy one, and who reads a trace is one more.

. "$(dirname "$0")/lib.sh"
needs smp

period=$(amount 3 10)	# seconds of each measurement

# Everything that is not what we look at: to CPU 0.
gather_on_cpu0()
{
	local pid

	taskset -pc 0 $$ > /dev/null
	interrupts_on 1
	echo 1 > /sys/devices/virtual/workqueue/cpumask
	for pid in $(pgrep '^(rcu_|kworker/u|ksoftirqd/0|kcompactd|khugepaged)'); do
		taskset -pc 0 "$pid" > /dev/null 2>&1 || true
	done
	sysctl -qw kernel.timer_migration=0 2> /dev/null || true
}

# Interrupts on CPUs 1 to 3, a line of each kind. Not those of the tick where RCU works in
# threads, as with PREEMPT_RT: there a CPU that has woken for reasons of its own keeps its tick
# for as long as grace periods come and go. Each tick finds one, wakes the thread, and so ends
# the CPU's idle loop, which stops the tick only after one that did not.
interrupts()
{
	local tick=none

	[ -z "$(pgrep '^rcuc/')" ] || tick=LOC:
	awk -v tick=$tick 'NR > 1 && $1 != "ERR:" && $1 != "MIS:" && $1 != tick {
		print $1, $3 + $4 + $5 }' /proc/interrupts
}

# busy [CPU]: system calls, and nothing that makes other CPUs work: no files, no forks.
busy()
{
	exec taskset -c "${1:-0}" python3 -c '
import os
while True:
    for i in range(3000):
        pass
    os.getppid()'
}

# interrupts_in_period FILE: the kinds into FILE, and how many there are
interrupts_in_period()
{
	sleep 1
	interrupts > "$tmp/before"
	sleep $period
	interrupts > "$tmp/after"
	awk 'NR == FNR { before[$1] = $2; next }
	     $2 > before[$1] { print $1, $2 - before[$1] }' "$tmp/before" "$tmp/after" > "$1"
	awk '{ n += $2 } END { print n + 0 }' "$1"
}

# read_trace PATTERN...: a line in $tmp/delays for each of its; started when the pipe is open,
# as what is from before that would be much at once.
read_trace()
{
	local pipe=$ltt/traces/idle/text/ALL channel

	# Of a test that failed.
	[ ! -d $ltt/traces/idle ] || destroy_trace idle
	new_trace idle
	# So large that no buffer is half full, whatever the host does to the reader.
	for channel in sched raw_syscalls irq; do
		channel_buffers idle $channel 256K 16
	done
	printf '%s\n' "$@" > $ltt/traces/idle/markers
	taskset -c 0 read-text delay $pipe 1000000000 > "$tmp/delays" &
	reader=$!
	wait_for 10 has_open $reader $pipe
	start_trace idle
}

end_trace()
{
	stop_trace idle
	destroy_trace idle
	wait $reader
}

skip()
{
	echo "$*"
	exit 4
}

# How often an expedited grace period has interrupted a CPU: its handler has been entered.
# The kernel has a tracepoint for that, but Debian's kernels are built without.
tracefs=/sys/kernel/tracing
count_expedited()
{
	grep -q ' rcu_exp_handler$' /proc/kallsyms || return
	echo 'p:ltt_expedited rcu_exp_handler' > $tracefs/kprobe_events
	echo 1 > $tracefs/events/kprobes/ltt_expedited/enable
}

expedited()
{
	awk '$1 == "ltt_expedited" { print $2 }' $tracefs/kprobe_profile
}

count_expedited_no_more()
{
	echo 0 > $tracefs/events/kprobes/enable
	echo > $tracefs/kprobe_events
}

# measure [ROUND]: with no text pipe, and with one. The host's other work makes timers
# late and adds interrupts, never takes any away: too many are looked at once more.
measure()
{
	local round=${1:-1} off on load reader

	busy &
	load=$!
	off=$(interrupts_in_period "$tmp/off")

	read_trace sched.sched_switch sched.sched_wakeup 'sched.sched_process_*' \
		'raw_syscalls.*' 'irq.*'
	on=$(interrupts_in_period "$tmp/on")
	end_trace
	kill $load
	echo "interrupts on idle CPUs in $period s: $off without, $on with a text pipe open:" \
		"$(paste -sd ' ' "$tmp/off") / $(paste -sd ' ' "$tmp/on")"
	echo "$off $on" > "$tmp/interrupts"
	[ "$(wc -l < "$tmp/delays")" -gt 1000 ] || fail "nothing was traced"
	woken && [ "$round" -lt 3 ] || return 0
	measure $((round + 1))
}

# What idle CPUs do on their own varies by a few a second.
woken()
{
	local off on

	read -r off on < "$tmp/interrupts"
	[ "$on" -gt $((off + 3 * period)) ]
}

not_woken()
{
	cat "$tmp/interrupts"
	none woken
}

# As before, with CPU 1 busy: RCU runs on CPU 0, and does not interrupt itself.
busy_trace()
{
	[ "$(expedited)" ] || skip "the kernel has no rcu_exp_handler()"
	busy &
	busy 1 &
	read_trace sched.sched_switch 'raw_syscalls.*' 'irq.*'
}

end_busy_trace()
{
	end_trace
	kill_jobs
}

# Such interrupts were counted from $before on.
interrupts_by_rcu()
{
	local now

	now=$(expedited)
	echo "expedited grace periods interrupted a CPU $((now - before)) times"
	[ "$now" -ge $((before + $1)) ]
}

not_interrupted()
{
	local before reader

	busy_trace
	before=$(expedited)
	sleep $period
	none interrupts_by_rcu 1
	end_busy_trace
	[ "$(wc -l < "$tmp/delays")" -gt 1000 ]
}

# Such interrupts would have been seen: a fast pipe needs them.
interrupted()
{
	local before reader

	echo Y > $fast
	busy_trace
	echo N > $fast
	before=$(expedited)
	wait_for 60 interrupts_by_rcu 10 > /dev/null
	interrupts_by_rcu 10
	end_busy_trace
}

# rcu_is_normal 0|1 COMMAND...: with expedited grace periods or without, as kernels for
# real-time tasks are
rcu_is_normal()
{
	local file=/sys/kernel/rcu_normal was

	was=$(cat $file)
	trap "kill_jobs; echo $was > $file; echo N > $fast" EXIT
	echo "$1" > $file
	shift
	"$@"
}

# Where there are none it is told, and the pipe is like others.
fast_in_vain()
{
	echo > $ltt/error_log
	echo N > $fast
	expect "errors" "" "$(cat $ltt/error_log)"
	echo Y > $fast
	grep ' fast: no effect while /sys/kernel/rcu_normal is 1' $ltt/error_log
	echo > $ltt/error_log
	not_interrupted
}

fast_as_ever()
{
	echo > $ltt/error_log
	echo Y > $fast
	echo N > $fast
	expect "errors" "" "$(cat $ltt/error_log)"
	interrupted
}

# Whoever reads what the scheduler does, does some of it: so much in each second. It is more where
# others are at work; a slow host makes it less.
few_switches()
{
	local reader rcu

	read -r reader rcu < <(switch_rates "$1" $period) || return
	echo "the reader switches $reader times a second, RCU $rcu times"
	((reader <= 100 && rcu <= 80))
}

not_kept_awake()
{
	local mode=$1 reader

	[ -z "$(pgrep '^rcuc/')" ] || { echo "RCU works in threads, whose events are not the reader's"; exit 4; }
	new_trace idle
	channel_buffers idle sched 65536 4 "$mode"
	echo 'sched.*' > $ltt/traces/idle/markers
	reader idle ALL "$tmp/text"
	reader=$!
	start_trace idle
	wait_for 60 few_switches $reader
	destroy_trace idle
	wait $reader
	grep -q ' sched.sched_switch: prev_comm cat ' "$tmp/text"
}

# A task of the highest priority that never sleeps, and makes some events, on CPU 2.
real_time()
{
	exec chrt -f 98 taskset -c 2 python3 -c '
import os, time
end = time.monotonic() + 4
while time.monotonic() < end:
    os.getppid()
    for i in range(3000):
        pass'
}

# Of 40 periods of 100 ms. While the timer waits for a softirq there are two packets.
closed_in_time()
{
	local runtime packets

	runtime=$(sysctl -n kernel.sched_rt_runtime_us)
	trap "kill_jobs; sysctl -qw kernel.sched_rt_runtime_us=$runtime" EXIT
	sysctl -qw kernel.sched_rt_runtime_us=-1
	new_trace closed
	channel_buffers closed raw_syscalls 1M 32 overwrite
	echo 100 > $ltt/traces/closed/channels/raw_syscalls/switch_timer
	echo raw_syscalls.sys_enter > $ltt/traces/closed/markers
	start_trace closed
	( real_time )
	stop_trace closed
	dd if=$ltt/traces/closed/binary/raw_syscalls_2 of="$tmp/closed" iflag=nonblock bs=1M || true
	destroy_trace closed
	# By the number that each begins with.
	packets=$(LC_ALL=C grep -obUaP '\xc1\x1f\xfc\xc1' "$tmp/closed" | wc -l)
	echo "$packets packets"
	[ "$packets" -ge 20 ]
}

# A CPU that goes down gives its timers away while it still records events. Those of other
# CPUs must not close its sub-buffers, and none may be armed any more.
timers_of_cpus_that_go()
{
	local online=/sys/devices/system/cpu/cpu3/online dir=$ltt/traces/cpus channel readers=()

	[ -w $online ] || skip "no hotplug"
	command -v babeltrace2 > /dev/null || skip "no babeltrace2"
	trap "kill_jobs; echo 1 > $online" EXIT
	mkdir "$tmp/cpus"
	new_trace cpus
	for channel in sched timer irq_vectors; do
		channel_buffers cpus $channel 64K 64
		echo 1 > $dir/channels/$channel/switch_timer
		echo "$channel.*" > $dir/markers
	done
	start_trace cpus
	for channel in sched timer irq_vectors; do
		cat $dir/binary/${channel}_3 > "$tmp/cpus/${channel}_3" &
		readers+=($!)
	done
	for _ in $(seq "$(amount 5 15)"); do
		echo 0 > $online
		echo 1 > $online
	done
	stop_trace cpus
	cat $dir/binary/metadata > "$tmp/cpus/metadata"
	destroy_trace cpus
	wait "${readers[@]}"
	babeltrace2 "$tmp/cpus" > "$tmp/events" 2> "$tmp/warnings"
	wc -l < "$tmp/events"
	[ "$(grep -c sched_switch "$tmp/events")" -ge 10 ]
	expect "warnings" "" "$(grep -v 'Tracer discarded' "$tmp/warnings" || true)"
}

gather_on_cpu0
count_expedited || true
run_test "a busy CPU, three idle ones" measure
run_test "no idle CPU is woken" not_woken
run_test "no busy CPU is interrupted by a grace period" not_interrupted
run_test "a fast pipe does interrupt it" rcu_is_normal 0 fast_as_ever
run_test "a fast pipe where RCU does not hurry says so" rcu_is_normal 1 fast_in_vain
count_expedited_no_more || true
run_test "a reader of the scheduler's events is not kept awake by its own" not_kept_awake discard
run_test "the same, in overwrite mode" not_kept_awake overwrite
run_test "sub-buffers are closed in time under a real-time task" closed_in_time
run_test "CPUs that go with a timer" timers_of_cpus_that_go
finish
