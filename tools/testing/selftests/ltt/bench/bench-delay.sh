#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: bench-delay.sh [SUFFIX]	(of the figures' names)
#
# How long from an event to its text, and to that of a viewer elsewhere. An event is shown when all
# CPUs have let go of what is older, so what the host of a virtual machine takes away from one CPU,
# all wait for.
# Where the clock counts instructions, that is left out.

. "$(dirname "$0")/../lib.sh" > /dev/null
. "$(dirname "$0")/../lib/bench.sh"

percentile()
{
	sort -n "$1" | awk -v p="$2" '{ d[NR] = $1 } END { printf "%.2f\n", d[int((NR - 1) * p) + 1] / 1e6 }'
}

# Something goes on, on every CPU, but none is overloaded.
light_load()
{
	local cpu

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu bash -c 'for i in {1..100}; do read -t 0.03 -u 9; done 9<> <(:)' &
	done
	wait $(jobs -p | grep -v "^$1$")
}

# delays PIPE START STOP: nanoseconds from each event to its text. The pipe is open before
# the first event.
delays()
{
	local pipe=$1 reader

	read-text delay "$pipe" 100000000 &
	reader=$!
	wait_for 10 has_open $reader "$pipe"
	$2
	light_load $reader
	$3
	wait $reader
}

ltt_delays()
{
	echo "$1" > $fast
	new_trace delay 'sched.sched_switch' 'irq.*'
	delays $ltt/traces/delay/text/ALL "start_trace delay" "destroy_trace delay"
	echo N > $fast
}

ftrace_on()
{
	echo 1 > $tracefs/events/sched/sched_switch/enable
	echo 1 > $tracefs/events/irq/enable
}

# Its pipe does not end.
ftrace_off()
{
	echo 0 > $tracefs/events/enable
	sleep 1
	pkill -TERM -x read-text
}

ftrace_delays()
{
	echo mono > $tracefs/trace_clock
	delays $tracefs/trace_pipe ftrace_on ftrace_off
}

# attached: there is a viewer
attached()
{
	ltt text "net://127.0.0.1:5399" 2> /dev/null | grep -q ' viewers 1$'
}

# Through ltt serve, over the loopback device. They are no jobs of ours, which are waited for.
serve_delays()
{
	local server

	ip link set lo up
	new_trace delay 'sched.sched_switch' 'irq.*'
	server=$(ltt serve -l 127.0.0.1:5399 delay > /dev/null 2> "$tmp/serve" & echo $!)
	wait_for 20 grep -q 'listening on' "$tmp/serve" || exit
	mkfifo "$tmp/remote"
	(ltt text "net://127.0.0.1:5399/host/$(uname -n)/delay" > "$tmp/remote" &)
	delays "$tmp/remote" "start_served" "destroy_trace delay"
	kill "$server"
}

start_served()
{
	wait_for 20 attached || exit
	start_trace delay
}

# figures SUFFIX ''|_fast: next to ftrace's
figures()
{
	local percent

	for percent in 50 99; do
		figure delay_p$percent$2$1 "$(percentile "$tmp/delays$2" 0.$percent)" ms \
			trace_pipe "$(percentile "$tmp/trace_pipe" 0.$percent)"
	done
}

ltt_delays N > "$tmp/delays"
ltt_delays Y > "$tmp/delays_fast"
ftrace_delays > "$tmp/trace_pipe"
serve_delays > "$tmp/serve_delays"
wc -l "$tmp"/{delays,delays_fast,trace_pipe,serve_delays} | sed 's/^/# events:/'
figures "${1:-}" ''
figures "${1:-}" _fast
for percent in 50 99; do
	figure serve_delay_p$percent"${1:-}" "$(percentile "$tmp/serve_delays" 0.$percent)" ms
done

uptime_ms()
{
	awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}

# From the moment at which CPU 1 is stuck until a line of CPU 0 from after that is shown.
stuck_delay()
{
	local begin

	load_test_module
	echo "$usual_patience" > $patience
	new_trace stuck 'signal.*'
	start_trace stuck
	reader stuck ALL "$tmp/stuck"
	echo 1 > /sys/kernel/debug/ltt_test/hold
	begin=$(uptime_ms)
	taskset -c 0 bash -c 'trap : USR1; kill -USR1 $$'
	wait_for 30 grep -q '\[000\] signal\.signal_generate: sig 10 ' "$tmp/stuck"
	echo $(($(uptime_ms) - begin))
	echo -1 > /sys/kernel/debug/ltt_test/hold
	destroy_trace stuck
}

figure "stuck_cpu_delay${1:-}" "$(stuck_delay)" ms

# idle_switches PIPE START: those in a second of who reads the pipe, and of RCU, on an idle machine
# whose scheduler is traced: the reader reads what it causes.
idle_switches()
{
	cat "$1" > /dev/null &
	wait_for 10 has_open $! "$1"
	$2
	# Not what the start has caused.
	sleep 2
	switch_rates $! 10
	kill $!
}

ftrace_sched_on()
{
	echo 1 > $tracefs/events/sched/enable
}

new_trace idle 'sched.*'
read -r reader rcu < <(idle_switches $ltt/traces/idle/text/ALL "start_trace idle")
destroy_trace idle
read -r their_reader _ < <(idle_switches $tracefs/trace_pipe ftrace_sched_on)
echo 0 > $tracefs/events/enable
figure "idle_switches${1:-}" "$reader" 1/s trace_pipe "$their_reader"
figure "idle_switches_rcu${1:-}" "$rcu" 1/s
