#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600
#
# Nonsense to every file, in a short run to two of a kind in each trace: a documented errno, a line
# in error_log, no change, and a running trace is not disturbed.

. "$(dirname "$0")/lib.sh"
needs smp kprobes function

# Their files are tried.
kernel_events sched

churn()
{
	local i j made traces

	traces=$(amount 6 15)
	rm -f "$tmp/churned"
	for i in 1 2 3 4; do
		(
			set +e
			for j in $(seq "$traces"); do
				echo "churn$j" > $ltt/setup_trace && echo "$j" >> "$tmp/churned"
				echo 'sched.*' > $ltt/traces/churn$j/markers
				echo 1 > $ltt/traces/churn$j/enabled
				echo "churn$j" > $ltt/destroy_trace
			done
		) 2> /dev/null &
	done
	wait
	for j in $(seq "$traces"); do
		[ ! -d $ltt/traces/churn$j ] || destroy_trace churn$j
	done
	# Who did not make it found that somebody else had.
	made=$(sort -u "$tmp/churned" | wc -l)
	expect "traces that were made" "$traces" "$made"
	echo "$traces traces made $(wc -l < "$tmp/churned") times"
	expect "traces left" "steady victim" "$(ls $ltt/traces | xargs)"
}

some()
{
	generate 200 1 100
	sleep 0.05
}

# A trace that records all the while.
load_test_module
new_trace steady
channel_buffers steady ltt_test 65536 8
echo 'ltt_test.*' > $ltt/traces/steady/markers
start_trace steady
checker steady ALL "$tmp/steady"
checker=$!
repeat some

undisturbed()
{
	cat "$tmp/steady"
	[ "$checker_status" -eq 0 ]
}

# What other modules add to the tree takes requests as the rest of it does.
modprobe -a ltt-statedump ltt-kprobes ltt-function
new_trace victim 'sched.sched_switch'
run_test "every file can be read" nonsense.py read $ltt
run_test "nonsense to every file" nonsense.py write $ltt
run_test "nonsense from four writers at once" nonsense.py storm $ltt "$(amount 0.3 3)"
run_test "traces of the same names made and destroyed from four sides" churn

repeat_end
generated
destroy_trace steady
wait $checker
checker_status=$?
run_test "a running trace is undisturbed" undisturbed
finish
