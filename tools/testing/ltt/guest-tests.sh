#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: guest-tests.sh TIMEOUT TEST[:CASE][@rest]...
#
# Run selftests, or one case of each, or those that user-mode Linux leaves, in the guest and
# print their KTAP, one level down, each with a result line of its own, which the host numbers.
# A test fails, too, when the kernel's log complains while it runs.
#
# /out/done gets the name of each test as it ends, so that the host knows which
# one took the guest with it; /out/complained is there if a log was bad.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
limit=$1
shift

cd "$here/../selftests/ltt" || exit
PATH=$PWD/../../../../build/selftests:$PATH

where=
! grep -q 'User Mode Linux' /proc/cpuinfo || where=", in user-mode Linux"

# How many processes and threads this machine has made: most of what a test costs, if it is emulated.
processes()
{
	sed -n 's/^processes //p' /proc/stat
}

# The kernel's log since mark $1.
log_since()
{
	dmesg | awk -v mark="$1" 'seen { print } index($0, mark) { seen = 1 }'
}

# It looks by itself, too, after a minute and for as long; what is lost stays so until asked.
leaks=/sys/kernel/debug/kmemleak
[[ ! -w $leaks ]] || echo scan=off > $leaks
kmemleak()
{
	[[ -w $leaks ]] || return 4
	# Memory younger than five seconds is not yet suspected.
	sleep 6
	echo scan > $leaks
	echo scan > $leaks
	sed 's/^/# /' $leaks
	! grep -q . $leaks
}

# How much it watched; that it was not asleep.
kcsan()
{
	sed -n '/^[a-z_]*: /s/^/# /p' /sys/kernel/debug/kcsan
	awk '/^setup_watchpoints:/ && $2 > 1000 { watched = 1 } END { exit !watched }' \
		/sys/kernel/debug/kcsan
}

verdict()
{
	local status=$1 name=$2 mark=$3 complaint left

	# The next one would be skipped: somebody uses LTT.
	left=$(ls /sys/kernel/debug/ltt/traces 2> /dev/null | grep -v '\.boot-[0-9]*$')
	# Nobody can destroy them any more.
	! grep -qs '\[confidentiality\]' /sys/kernel/security/lockdown || left=
	[[ ! $left ]] || clear_up
	echo "# $name: $SECONDS seconds, $(($(processes) - made)) processes$where"
	if complaint=$(log_since "$mark" | "$here/vm/logscan"); then
		case ${left:+left}$status in
		0)	echo "ok $name" ;;
		4)	echo "ok $name # SKIP" ;;
		124|137) echo "not ok $name # took more than $limit seconds" ;;
		left*)	echo "not ok $name # exit $status, and left traces:" $left ;;
		*)	echo "not ok $name # exit $status" ;;
		esac
	else
		touch /out/complained
		log_since "$mark" | sed 's/^/# /'
		echo "not ok $name # kernel: ${complaint%%$'\n'*}"
	fi
	echo "$name" >> /out/done
}

# Shortly before a test is out of time: what it waits for, and what it has printed, which
# run_test keeps in a file until the function ends.
stands()
{
	local pid

	# The shell itself must sleep, not a child that outlives it.
	read -rt $((limit - 10)) <> <(:)
	{
		echo "nearly out of time:"
		for pid in $(ps --ppid 2 -p 2 --deselect -o pid=); do
			ps -p "$pid" -o pid=,ppid=,psr=,stat=,time=,args=
			sed 's/^/  /' "/proc/$pid/stack"
		done 2> /dev/null
		tail -n 20 /tmp/tmp.*/output
	} | sed 's/^/  # /'
}

# What a test that was killed has left, and the next one would not start beside.
clear_up()
{
	local trace ltt=/sys/kernel/debug/ltt

	for trace in $ltt/traces/*/; do
		[[ ! -d $trace ]] || basename "$trace" > $ltt/destroy_trace
	done
	rmmod ltt_btf ltt_kprobes 2> /dev/null
}

for test; do
	# The machine may have been reset since.
	! grep -qsxF "${test%@rest}" /out/done || continue
	rest=
	[[ $test != *@rest ]] || rest=1
	test=${test%@rest}
	mark="ltt-check: $test"
	echo "$mark" > /dev/kmsg
	SECONDS=0
	made=$(processes)
	stands &
	if [[ $test = kmemleak || $test = kcsan ]]; then
		$test
	else
		case=${LTT_CASE:-}
		[[ $test != *:* ]] || case=${test##*:}
		LTT_CASE=$case LTT_REST=$rest timeout -k 10 "$limit" "./${test%:*}" < /dev/null 2>&1 | sed -u 's/^/  /'
	fi
	status=$?
	{ kill $!; wait $!; } 2> /dev/null
	((status != 124 && status != 137)) || clear_up
	verdict $status "$test" "$mark"
done
