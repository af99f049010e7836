#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=2G TIMEOUT=900
#
# Writers in task, softirq, hard interrupt and NMI on every CPU at full speed,
# against readers: everything generated is printed once, whole and in order, or
# reported lost. Two readers each, one of them a fast one. The events generated are added
# up.

. "$(dirname "$0")/lib.sh"
needs smp

# stress SUBBUF_SIZE SUBBUF_NUM MODE EVENTS CONTEXTS [GAP]
stress()
{
	local size=$1 num=$2 mode=$3 events=$4 contexts=$5 gap=${6:-0} readers

	rmmod ltt-test 2>/dev/null || true
	load_test_module
	new_trace stress
	channel_buffers stress ltt_test "$size" "$num" "$mode"
	echo 'ltt_test.*' > $ltt/traces/stress/markers
	start_trace stress
	checker stress ALL "$tmp/1"
	readers=$!
	echo Y > $fast
	checker stress ltt_test "$tmp/2"
	readers="$readers $!"
	echo N > $fast
	generate "$events" "$contexts" "$gap"
	stop_trace stress
	generated
	destroy_trace stress
	# shellcheck disable=SC2086
	for reader in $readers; do
		wait "$reader" || touch "$tmp/bad"
	done
	cat "$tmp/1" "$tmp/2"
	awk '{ n += $NF } END { print n, "generated" }' "$tmp/generated"
	awk '{ n += $NF } END { print n }' "$tmp/generated" >> "$tmp/total"
	[ ! -e "$tmp/bad" ] || fail "see above"
}

enough()
{
	local total

	[ ! "${LTT_CASE:-}" ] || { echo "needs what all others generate"; exit 4; }
	total=$(awk '{ n += $1 } END { printf "%d", n }' "$tmp/total")
	echo "$total events in all"
	[ "$total" -ge "$least" ] || fail "fewer than $least"
}

all=15	# contexts: task, softirq, hard interrupt, NMI
many=$(amount 100000 1000000)
least=$(($(amount 500000 5000000) * $(nproc)))

run_test "discard, 4 KiB x 2, all contexts" stress 4096 2 discard 100000 $all
run_test "discard, 64 KiB x 4, all contexts" stress 65536 4 discard 100000 $all
run_test "discard, 4 MiB x 2, slow enough to lose little" stress 4194304 2 discard $(amount 5000 20000) $all 2000
run_test "overwrite, 4 KiB x 2, all contexts" stress 4096 2 overwrite $many $all
run_test "overwrite, 4 KiB x 64, all contexts" stress 4096 64 overwrite $((2 * many)) $all
run_test "overwrite, 1 MiB x 4, all contexts" stress 1048576 4 overwrite $many $all
run_test "overwrite, 64 KiB x 8, tasks only" stress 65536 8 overwrite $many 1
LTT_SHARED=1
run_test "discard, 64 KiB x 4, all contexts, shared buffers" stress 65536 4 discard 100000 $all
run_test "overwrite, 4 KiB x 64, all contexts, shared buffers" stress 4096 64 overwrite $many $all
run_test "millions of events" enough
finish
