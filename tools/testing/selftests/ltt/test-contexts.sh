#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=900 APPEND=no_hash_pointers UML=1
#
# What is recorded with every event of a channel: the values are those that the kernel
# shows elsewhere, in text, in a capture and in babeltrace2.

. "$(dirname "$0")/lib.sh"

everything="pid tid comm prio nice ppid cgroup_id cgroup_ns ipc_ns mnt_ns net_ns pid_ns
	    time_ns user_ns uts_ns irq_state"
# Not every kernel has these.
[ -e /proc/self/ns/time ] || everything=${everything/time_ns/}
ustack=ustack
machine_has x86 || ustack=
number=$(wc -w <<< "$everything")

# contexts TRACE CHANNEL NAME...
contexts()
{
	local file=$ltt/traces/$1/channels/$2/contexts

	shift 2
	echo "$*" > "$file"
}

chosen()
{
	grep -v '^#' "$1" | tr '\n' ' '
}

the_file()
{
	local dir file

	new_trace file
	dir=$ltt/traces/file/channels/sched
	file=$dir/contexts
	expect "at first" "" "$(chosen "$file")"
	echo "tid, comm" > "$file"
	expect "two" "tid comm " "$(chosen "$file")"
	echo kstack,ppid,comm,pid > "$file"
	expect "their order" "kstack ppid comm pid " "$(chosen "$file")"
	expect "come first" 4 "$(grep -n -m 1 '^#' "$file" | awk -F: '{ print $1 - 1 }')"
	echo "tid, comm" > "$file"
	expect "the others" $((number + $(wc -w <<< "$ustack"))) "$(grep -c '^# [a-z_]*$' "$file")"
	expect_errno ENOENT "$file" "pid nonsense"
	tail -n 1 $ltt/traces/file/error_log | grep 'column 5: no such context: nonsense'
	expect_errno EEXIST "$file" "pid,tid,pid"
	expect "unchanged" "tid comm " "$(chosen "$file")"
	echo none > "$file"
	expect "none" "" "$(chosen "$file")"
	echo ppid > "$file"
	echo 'sched.*' > $ltt/traces/file/markers
	expect_errno EBUSY "$file" "pid"
	expect "as it was" "ppid " "$(chosen "$file")"
	destroy_trace file
}

# value NAME LINE
value()
{
	sed -n "s/.* $1 \([^ ]*\)\( .*\|$\)/\1/p" <<< "$2"
}

inode()
{
	readlink "/proc/$1/ns/$2" | tr -dc 0-9
}

# A thread whose number differs from that of its process shows both.
threads='
import os, threading
def tell():
    print(os.getpid(), threading.get_native_id())
    os.getppid()
threading.Thread(target=tell).start()
'

# A process with namespaces of its own shows them.
told='
	exec 3>&2 2>/dev/null
	for ns in $(ls -I "*_for_children" /proc/$$/ns); do
		echo ${ns}_ns $(readlink /proc/$$/ns/$ns | tr -dc 0-9)
	done
	echo pid $$
	echo tid $$
	echo ppid $(awk "/^PPid/ { print \$2 }" /proc/$$/status)
	echo comm $(cat /proc/$$/comm)
	echo nice $(awk "{ print \$19 }" /proc/$$/stat)
	echo prio $(($(awk "{ print \$18 }" /proc/$$/stat) + 100))
	echo cgroup_id $(stat -c %i '"/tmp/ltt-cgroup/one"')
	echo irq_state task
'

tasks()
{
	local line name want pid tid

	mkdir -p /tmp/ltt-cgroup
	mount -t cgroup2 none /tmp/ltt-cgroup
	mkdir -p /tmp/ltt-cgroup/one
	new_trace tasks
	# shellcheck disable=SC2086 # a list
	contexts tasks raw_syscalls $everything
	channel_buffers tasks raw_syscalls 1048576 8
	echo 'raw_syscalls.sys_enter' > $ltt/traces/tasks/markers
	reader tasks ALL "$tmp/text"
	start_trace tasks
	(
		echo $BASHPID > /tmp/ltt-cgroup/one/cgroup.procs
		exec nice -n 5 unshare -u -n -i bash -c "$told" > "$tmp/told"
	)
	python3 -c "$threads" > "$tmp/threads"
	stop_trace tasks
	destroy_trace tasks
	wait $!
	rmdir /tmp/ltt-cgroup/one
	umount /tmp/ltt-cgroup
	rmdir /tmp/ltt-cgroup
	cat "$tmp/told"
	line=$(grep " tid $(awk '/^tid/ { print $2 }' "$tmp/told") " "$tmp/text" | tail -n 1)
	echo "$line"
	expect "values" "$number" "$(wc -l < "$tmp/told")"
	while read -r name want; do
		expect "$name" "$want" "$(value "$name" "$line")"
	done < "$tmp/told"
	expect "another namespace" 1 \
		"$(($(value uts_ns "$line") != $(inode self uts)))"
	read -r pid tid < "$tmp/threads"
	[ "$pid" != "$tid" ]
	line=$(grep " tid $tid " "$tmp/text" | tail -n 1)
	expect "process of a thread" "$pid" "$(value pid "$line")"
}

# Interrupts come when the machine has a turn for its timers: one round may see none.
each_context()
{
	generate 100 15 1000
	generated
	[ "$(awk '$6 { print $4 }' "$tmp/generated" | sort -u | xargs)" = "0 1 2 3" ]
}

# The module itself reports interrupts of all kinds.
states()
{
	load_test_module
	new_trace states
	contexts states ltt_test irq_state preempt_count tid
	echo 'ltt_test.*' > $ltt/traces/states/markers
	reader states ALL "$tmp/text"
	start_trace states
	wait_for 60 each_context || { cat "$tmp/generated"; fail "none of a context"; }
	stop_trace states
	destroy_trace states
	wait $!
	events < "$tmp/text" | awk '
		{
			for (i = 1; i < NF; i++) {
				if ($i == "context") context = $(i + 1)
				if ($i == "irq_state") state = $(i + 1)
				if ($i == "preempt_count") depth = $(i + 1)
			}
			seen[context " " state]++
			if (depth > 8) print "depth", depth
		}
		END { for (i in seen) print i }' | sort > "$tmp/seen"
	cat "$tmp/seen"
	expect "states" "0 task,1 softirq,2 irq,3 nmi" "$(paste -sd, "$tmp/seen")"
}

# stacks [filtered]: by a filter that accepts everything, which adds frames of its own
stacks()
{
	local want line control=/sys/kernel/debug/ltt_test_filter/control

	new_trace stacks
	contexts stacks raw_syscalls ustack kstack
	contexts stacks sched kstack
	echo 'raw_syscalls.sys_enter sched.sched_switch' > $ltt/traces/stacks/markers
	if [ "${1:-}" ]; then
		modprobe ltt-test-filter
		echo 'define 0 0 all' > $control
		echo 'add 0 stacks raw_syscalls sys_enter' > $control
		echo 'add 0 stacks sched sched_switch' > $control
	fi
	reader stacks ALL "$tmp/text"
	start_trace stacks
	want=$(user-stack 9999)
	stop_trace stacks
	destroy_trace stacks
	wait $!
	[ ! "${1:-}" ] || rmmod ltt-test-filter
	line=$(grep 'sys_enter: id 9999 ' "$tmp/text")
	echo "$line"
	expect "user's" "$want" "$(value ustack "$line" | tr -d '[]' | cut -d, -f1-3)"
	value kstack "$line" | grep -q '^\[.*do_syscall_64+.*,entry_SYSCALL_64_after_hwframe+'
	# Without the tracer, from the scheduler on.
	line=$(grep 'sched.sched_switch: .* kstack' "$tmp/text" | tail -n 1)
	echo "$line"
	value kstack "$line" | grep -q '^\[\([^,]*trace[^,]*,\)*__schedule+'
	# Readers of ours are scheduled, too.
	none grep -m 1 'kstack \[[^,]*\[ltt_' "$tmp/text"
}

# In text, in a capture, and for babeltrace2.
capture()
{
	needs_pointers
	new_trace capture
	# shellcheck disable=SC2086 # a list
	contexts capture sched $everything
	# shellcheck disable=SC2086 # one, or none
	contexts capture raw_syscalls tid kstack $ustack
	contexts capture timer comm
	for channel in sched raw_syscalls timer irq; do
		channel_buffers capture $channel 1048576 8
	done
	echo 'sched.* raw_syscalls.* timer.* irq.*' > $ltt/traces/capture/markers
	reader capture ALL "$tmp/text"
	text=$!
	ltt record -t capture -o "$tmp/ctf" 2> "$tmp/err" &
	record=$!
	wait_for 10 test -s "$tmp/ctf/metadata"
	start_trace capture
	for _ in $(seq $(amount 1 5)); do ls /proc > /dev/null; done
	stop_trace capture
	destroy_trace capture
	wait $text
	wait $record || { cat "$tmp/err"; fail "capture"; }
	none grep '^# lost' "$tmp/text"
	same_capture whole "$tmp/ctf" "$tmp/text"
}

# The command chooses them for all channels that it records.
command_line()
{
	ltt record -o "$tmp/own" --context tid,comm -e 'sched.*' -e 'raw_syscalls.*' -- true \
		2> "$tmp/err" || { cat "$tmp/err"; fail "record"; }
	host ltt view "$tmp/own" | events > "$tmp/own.text"
	expect "without" "" "$(grep -v ' tid [0-9]* comm ' "$tmp/own.text" | head -n 1)"
	grep -q 'sched.sched_process_exec: .* comm true$' "$tmp/own.text"
	none ltt record -o "$tmp/other" --context nonsense -e 'sched.*' -- true 2> "$tmp/err"
	grep 'no such context: nonsense' "$tmp/err"
	expect "traces left" "" "$(ls $ltt/traces)"
}

# At full load, small buffers, both modes: nothing is torn, all is counted.
under_load()
{
	rmmod ltt-test 2> /dev/null || true
	load_test_module
	new_trace load
	contexts load ltt_test tid comm kstack
	channel_buffers load ltt_test 16384 4 "$1"
	echo 'ltt_test.*' > $ltt/traces/load/markers
	start_trace load
	exec {fd}< "$ltt/traces/load/text/ALL"
	# What check-stream knows of a line ends with the marker's own fields.
	{ sed -u '/^[^#]/s/ tid .*//' <&"$fd" | check-stream -g "$tmp/generated"; } > "$tmp/checked" 2>&1 &
	exec {fd}<&-
	generate 3000 15 20
	stop_trace load
	generated
	destroy_trace load
	wait $! || { cat "$tmp/checked"; fail "see above"; }
	cat "$tmp/checked"
}

run_test "the file" the_file
run_test "of a process" tasks
run_test --needs nmi "of interrupts" states
run_test --needs x86 "call stacks" stacks
run_test --needs x86 "call stacks of events that a filter lets through" stacks filtered
run_test "text, capture and babeltrace2 agree" capture
run_test "the command" command_line
run_test --long --needs smp "under load, newest events lost" under_load discard
run_test --needs smp "under load, oldest events lost" under_load overwrite
finish
