#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: ICOUNT=1 MEM=4G TIMEOUT=600 DEBUG=0 LONG=1
#
# The state dump of a machine with many threads: it names them all, and keeps nobody
# waiting. Time counts instructions here, so that it is nobody else's doing who is late.

. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/statedump.sh
. "$here/lib/statedump.sh"

number=$(amount 3000 50000)
limit=2000	# us, half a tick
# The debug kernel's checkers have their own idea of time.
if [ -e /sys/kernel/debug/kmemleak ]; then
	number=200
	limit=2000000
fi

# wakeups_during COMMAND...: sets late, by how many us the most urgent thread is meanwhile
wakeups_during()
{
	local pid

	rm -f "$tmp/enough" "$tmp/wakeups"
	wakeups "$tmp/enough" > "$tmp/wakeups" &
	pid=$!
	wait_for 60 grep -qsx ready "$tmp/wakeups"
	"$@"
	touch "$tmp/enough"
	wait $pid
	late=$(sed -n 's/^\([0-9]*\) .*/\1/p' "$tmp/wakeups")
	echo "$*: latest wake-up $late us"
}

dump_of_crowd()
{
	echo "$(ms_of start_and_complete) ms"
}

start_and_complete()
{
	start_trace crowd
	complete crowd
}

pid_max=$(< /proc/sys/kernel/pid_max)
threads_max=$(< /proc/sys/kernel/threads-max)
put_back()
{
	echo "$pid_max" > /proc/sys/kernel/pid_max
	echo "$threads_max" > /proc/sys/kernel/threads-max
}

nobody_waits()
{
	local late

	trap 'kill_jobs; put_back' EXIT
	{ echo 4194304 > /proc/sys/kernel/pid_max && echo 1000000 > /proc/sys/kernel/threads-max; } 2> /dev/null ||
		{ echo "needs room for more threads"; exit 4; }
	crowd "$number" > "$tmp/crowd" &
	crowd=$!
	wait_for 120 grep -qs ready "$tmp/crowd"

	wakeups_during sleep 1
	dump_trace crowd 1048576 4 'statedump.start' 'statedump.process*' 'statedump.end'
	reader crowd statedump "$tmp/text"
	wakeups_during dump_of_crowd
	cat $ltt/traces/crowd/statedump
	expect "lost" 0 "$(value crowd lost)"
	destroy_trace crowd
	wait $!

	sed -n "s/.* statedump.process_state: tid \([0-9]*\) pid $crowd .*/\1/p" "$tmp/text" |
		sort > "$tmp/told"
	find /proc/$crowd/task -mindepth 1 -maxdepth 1 -printf '%f\n' | sort > "$tmp/there"
	kill $crowd
	cmp "$tmp/told" "$tmp/there"
	expect "threads" $((number + 1)) "$(wc -l < "$tmp/told")"
	! machine_has icount || [ "$late" -lt $limit ] || fail "somebody had to wait for $late us"
}

run_test "thousands of threads, and nobody waits" nobody_waits
finish
