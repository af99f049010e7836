#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=0
#
# ltt pair, live: the pairs are those that awk finds in the text of the same trace, and that
# ltt pair finds in a recording of it.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"

# Tasks that come and go, with names that look like fields, and interrupts: in QEMU, files of the
# host make some if they are not in memory.
work()
{
	local i sleeps=()

	echo 3 > /proc/sys/vm/drop_caches
	cat "$here"/*.sh > /dev/null

	for ((i = 0; i < 20; i++)); do
		(printf 'prev_pid=1 "a b' > /proc/self/comm; sleep 0.01; :) &
		sleeps+=($!)
		ls /proc > /dev/null
	done
	wait "${sleeps[@]}"
}

# Without bars and doubts, as pairs.awk has it.
plain()
{
	sed 's/ evicted 0 doubtful 0$//; s/ |.*|$//' "$1" |
		awk '/^ / { if (!$3) next; $1 = $1 } { print }' | sort
}

# found OUTPUT BEGIN END A B: with the key in these columns and on the same CPU
found()
{
	awk -f "$here/compare/pairs.awk" -v "begin=$2" -v "end=$3" -v "a=$4" -v "b=$5" \
		-v own="$6" "$tmp/text" | sort > "$tmp/wanted"
	diff "$tmp/wanted" <(plain "$1")
	grep -q '^# begins .* lost 0 evicted 0 doubtful 0$' "$1"
	[ "$(sed -n 's/^# begins.* pairs \([0-9]*\) .*/\1/p' "$1")" -gt 10 ] ||
		fail "few pairs: $(grep '^# begins' "$1")"
}

# watch NAME ARGUMENT...: ltt pair of the trace "live", output in NAME; until it reads
watchers=()
watch()
{
	local name=$1

	shift
	ltt pair "$@" -t live > "$tmp/$name" &
	watchers+=($!)
	wait_for 20 has_open $! "$ltt/traces/live/text/ALL"
}

live()
{
	local pid

	new_trace live
	channel_buffers live sched 262144 8
	channel_buffers live irq 262144 8
	echo tid > $ltt/traces/live/channels/sched/contexts
	printf '%s\n' 'sched.sched_switch' 'irq.*' > $ltt/traces/live/markers
	ltt text live > "$tmp/text.all" &
	pid=$!
	wait_for 20 has_open $pid "$ltt/traces/live/text/ALL"
	watch tasks 'sched.sched_switch' 'sched.sched_switch' --key next_pid=prev_pid
	watch here 'sched.sched_switch' 'sched.*' --key 'next_pid=$tid,cpu'
	watch irq 'irq.irq_handler_entry' 'irq.irq_handler_exit' --key irq,cpu --over 0ns
	expect "style" '[format]' "$(grep -o '\[.*\]' $ltt/traces/live/text_style)"
	ltt record -q -t live -o "$tmp/dir" &
	watchers+=($!)
	wait_for 20 test -e "$tmp/dir/metadata"
	start_trace live
	work
	destroy_trace live
	ended $pid 0
	for pid in "${watchers[@]}"; do
		ended "$pid" 0
	done
	! grep '^# lost' "$tmp/text.all"
	# The names of tasks are of no use to awk.
	sed -E 's/(sched_switch:) .* prev_pid ([0-9]+) .* next_pid ([0-9]+) .*( tid [0-9]+)$/\1 \2 \3 \4/' \
		"$tmp/text.all" > "$tmp/text"
	found "$tmp/tasks" sched.sched_switch sched.sched_switch 5 4 0
	found "$tmp/here" sched.sched_switch sched.sched_switch 5 7 1
	grep -v '^[0-9]\|^# pair' "$tmp/irq" > "$tmp/numbers"
	found "$tmp/numbers" irq.irq_handler_entry irq.irq_handler_exit 5 5 1
	grep '^[0-9].* irq.irq_handler_entry: irq=[0-9]* name=' "$tmp/irq" > "$tmp/entries"
	expect "events shown" "$(grep -c '^# pair' "$tmp/irq")" "$(wc -l < "$tmp/entries")"
	diff "$tmp/tasks" <(ltt pair sched.sched_switch sched.sched_switch -k next_pid=prev_pid "$tmp/dir")
	diff "$tmp/here" <(ltt pair sched.sched_switch 'sched.*' -k 'next_pid=$tid,cpu' "$tmp/dir")
}

# A trace of its own: of a command, until Ctrl-C, until there is enough.
own()
{
	local status=0 pid

	load_test_module
	ltt pair 'sched.sched_switch' 'sched.sched_switch' --key 'next_pid=$tid' \
		--by '$cpu' --context comm,tid \
		--filter 'sched.sched_switch: next_pid > 0 || prev_pid > 0' -- \
		sh -c 'ls /proc > /dev/null; sleep 0.1; ls / > /dev/null; exit 9' > "$tmp/out" || status=$?
	expect "status" 9 $status
	grep -q '^pairs [0-9]* min .* ns \$cpu=0$' "$tmp/out"
	grep -q '^# begins [1-9][0-9]* ends' "$tmp/out"
	nothing_left

	# What is there now has pairs, too.
	: > "$tmp/out"
	env --default-signal=INT ltt pair 'sched.sched_switch' 'sched.sched_switch' \
		--key next_pid=prev_pid --every 100ms > "$tmp/out" &
	pid=$!
	wait_for 20 grep -q '^pairs' "$tmp/out"
	kill -INT $pid
	ended $pid 0
	grep -q '^# until [0-9.]*$' "$tmp/out"
	sed '1,/^# all$/d' "$tmp/out" | grep -q '^pairs'
	nothing_left

	ltt pair 'sched.sched_switch' 'sched.sched_switch' --key '$tid' -c 20 > "$tmp/out"
	grep -q '^pairs 20 ' "$tmp/out"
	nothing_left

	# For a reader who leaves.
	ltt pair sched.sched_switch sched.sched_switch -k next_pid=prev_pid --over 0ns 2> "$tmp/err" |
		head -n 3 > "$tmp/out"
	expect "lines" 3 "$(wc -l < "$tmp/out")"
	expect "messages" "" "$(cat "$tmp/err")"
	wait_for 20 no_guard
	nothing_left
}

# Events were lost: what is found is said to be lost or doubtful, and adds up.
losses()
{
	local pid

	load_test_module
	new_trace live
	channel_buffers live ltt_test 4096 2
	echo 'ltt_test.event' > $ltt/traces/live/markers
	watch out 'ltt_test.event' 'ltt_test.event' --key cpu
	kill -STOP "${watchers[-1]}"
	start_trace live
	generate 3000 1
	kill -CONT "${watchers[-1]}"
	stop_trace live
	destroy_trace live
	ended "${watchers[-1]}" 0
	awk '/^# begins/ { for (i = 2; i < NF; i += 2) n[$i] = $(i + 1); lines++ }
		END { exit lines != 1 || n["begins"] != n["pairs"] + n["open"] + n["lost"] ||
			!n["lost"] || n["doubtful"] || n["ends"] != n["pairs"] + n["unmatched"] }' "$tmp/out"
}

# refused STATUS PATTERN ARGUMENT...: before anything is recorded
refused()
{
	local wanted=$1 pattern=$2 status=0

	shift 2
	timeout 20 ltt pair "$@" > "$tmp/out" 2> "$tmp/err" || status=$?
	expect "status of ltt pair $*" "$wanted" $status
	grep -qF -e "$pattern" "$tmp/err" || fail "ltt pair $*: $(< "$tmp/err")"
	nothing_left
}

refusals()
{
	refused 1 "sched.sched_switch has no field 'nosuch'" sched.sched_switch sched.sched_switch -k nosuch
	refused 1 "is a string" sched.sched_switch sched.sched_switch -k prev_pid=next_comm
	refused 1 'no such context: nosuch (-' sched.sched_switch sched.sched_switch -k '$nosuch'
	refused 1 "no such trace" sched.sched_switch sched.sched_switch -t nosuch
	refused 1 "column" sched.sched_switch sched.sched_switch --filter 'sched.sched_switch: 1+'
}

run_test "pairs are those of the text, and of a recording" live
run_test "of a trace of its own" own
run_test "where events are lost" losses
run_test "refusals" refusals
finish
