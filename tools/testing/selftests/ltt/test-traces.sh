#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1
#
# Traces, channels, patterns: what they select, what they leave alone.

. "$(dirname "$0")/lib.sh"

two_traces()
{
	load_test_module
	new_trace one 'ltt_test.*'
	new_trace two 'ltt_test.event'
	start_trace one
	generate 1000 1
	start_trace two
	generate 1000 1
	stop_trace one
	generate 1000 1
	stop_trace two
	reader one ALL "$tmp/one"
	reader two ALL "$tmp/two"
	destroy_trace one
	destroy_trace two
	wait
	local cpus
	cpus=$(nproc)
	expect "one" $((2000 * cpus)) "$(events < "$tmp/one" | wc -l)"
	expect "two" $((2000 * cpus)) "$(events < "$tmp/two" | wc -l)"
}

pattern_before_module()
{
	rmmod ltt-test-late 2>/dev/null || true
	new_trace late '*.init' 'ltt_late.e*' '!ltt_late.exit*'
	start_trace late
	reader late ALL "$tmp/late"
	modprobe ltt-test-late events=7
	rmmod ltt-test-late
	stop_trace late
	destroy_trace late
	wait
	events < "$tmp/late" | cut -d' ' -f3- > "$tmp/found"
	seq -f 'ltt_late.init: number %g of 7' 0 6 | diff - "$tmp/found"
}

negative_pattern()
{
	# In one request, where later patterns override earlier ones.
	new_trace neg
	echo '!sched.sched_switch sched.* !sched.sched_w*' > $ltt/traces/neg/markers
	start_trace neg
	sleep 0.2
	stop_trace neg
	reader neg ALL "$tmp/neg"
	destroy_trace neg
	wait
	grep -q 'sched.sched_switch: ' "$tmp/neg"
	none grep -q 'sched_wakeup' "$tmp/neg"
}

channel_file()
{
	new_trace chan 'sched.*' 'raw_syscalls.*'
	# What one reader has passed is gone for those that come later.
	reader chan sched "$tmp/sched"
	reader chan ALL "$tmp/all"
	start_trace chan
	ls / > /dev/null
	sleep 0.1
	destroy_trace chan
	wait
	# The same lines, in the same order.
	grep ' sched\.' "$tmp/all" | diff - <(events < "$tmp/sched")
	grep -q ' raw_syscalls\.' "$tmp/all"
}

paused_channel()
{
	load_test_module
	new_trace pause 'ltt_test.*'
	start_trace pause
	generate 10 1
	echo 0 > $ltt/traces/pause/channels/ltt_test/enable
	generate 10 1
	echo 1 > $ltt/traces/pause/channels/ltt_test/enable
	echo 0 > $ltt/enable
	generate 10 1
	echo 1 > $ltt/enable
	generate 10 1
	stop_trace pause
	reader pause ALL "$tmp/pause"
	destroy_trace pause
	wait
	expect "events" $((20 * $(nproc))) "$(events < "$tmp/pause" | wc -l)"
}

one_marker()
{
	new_trace single
	echo 1 > $ltt/traces/single/channels/sched/markers/sched_switch/enable
	expect "enable" 1 "$(< $ltt/traces/single/channels/sched/markers/sched_switch/enable)"
	start_trace single
	sleep 0.1
	echo 0 > $ltt/traces/single/channels/sched/markers/sched_switch/enable
	reader single ALL "$tmp/single"
	destroy_trace single
	wait
	expect "names" "sched.sched_switch:" "$(events < "$tmp/single" | awk '{ print $3 }' | sort -u)"
}

refused_formats()
{
	dmesg -C
	modprobe ltt-test-refused
	dmesg | grep refused > "$tmp/refused" || true
	cat "$tmp/refused"
	for name in blob table extension; do
		grep -q "ltt_refused.$name .*ltt_test_refused" "$tmp/refused" ||
			fail "no message about $name"
	done
	expect "refused" 3 "$(wc -l < "$tmp/refused")"
	grep -q 'ltt_refused\.sound' $ltt/markers
	new_trace refused 'ltt_refused.*'
	expect "markers" sound "$(ls $ltt/traces/refused/channels/ltt_refused/markers)"
	rmmod ltt-test-refused
}

too_much_memory()
{
	new_trace big
	channel_buffers big sched 4194304 65536
	expect_errno ENOMEM $ltt/traces/big/markers 'sched.*'
	grep -q . $ltt/traces/big/error_log
	none grep -q '^# *pattern.*sched' $ltt/traces/big/markers
	channel_buffers big sched 65536 4
	echo 'sched.*' > $ltt/traces/big/markers
	destroy_trace big
}

available_kib()
{
	local name kib

	while read -r name kib _; do
		[ "$name" != MemAvailable: ] || echo "$kib"
	done < /proc/meminfo
}

# The least memory that is available until $tmp/enough appears, in $tmp/least.
least_available()
{
	local least now

	least=$(available_kib)
	touch "$tmp/looking"
	until [ -e "$tmp/enough" ]; do
		now=$(available_kib)
		((now >= least)) || least=$now
	done
	echo "$least" > "$tmp/least"
}

# A trace whose channels fit one by one, but not all of them: each with $each KiB.
many_channels()
{
	local dir nr=0 number=16

	# Of a test that failed.
	[ ! -d $ltt/traces/many ] || destroy_trace many
	new_trace many
	# Nobody uses shared buffers.
	for dir in $ltt/traces/many/channels/*/; do
		[[ $dir = */shared/ ]] || nr=$((nr + 1))
	done
	while ((nr * number * 64 * $(nproc) < $(awk '/^MemTotal:/ { print $2 }' /proc/meminfo))); do
		number=$((number * 2))
	done
	each=$((number * 64 * $(nproc)))
	all=$((each * nr))
	for dir in $ltt/traces/many/channels/*/; do
		echo $number > "$dir/subbuf_num"
	done
}

too_many_channels()
{
	local before each all line needed available

	kernel_events
	many_channels
	rm -f "$tmp/looking" "$tmp/enough"
	least_available &
	wait_for 10 test -e "$tmp/looking"
	before=$(available_kib)
	expect_errno ENOMEM $ltt/traces/many/markers '*'
	touch "$tmp/enough"
	wait $!
	echo "$before KiB available before, $(< "$tmp/least") KiB meanwhile"
	((before - $(< "$tmp/least") < 65536)) || fail "memory was taken"

	line=$(tail -n 1 $ltt/traces/many/error_log)
	echo "$line"
	needed=$(sed -n 's/.* \([0-9]*\) KiB needed, .*/\1/p' <<< "$line")
	available=$(sed -n 's/.* \([0-9]*\) KiB available, .*/\1/p' <<< "$line")
	((needed >= all && needed < all + all / 50)) || fail "$all KiB are needed for sub-buffers"
	((available < before + 65536 && available > before - 65536)) || fail "not what is available"
	expect "buffers" "" "$(grep -lv '^#' $ltt/traces/many/channels/*/stats)"
	none grep -q '^# pattern' $ltt/traces/many/markers
	destroy_trace many
}

# Not even many requests take all memory.
many_requests()
{
	local dir each all refused=

	kernel_events
	many_channels
	for dir in $ltt/traces/many/channels/*; do
		[ "$(write-errno $ltt/traces/many/markers "${dir##*/}.*")" != ENOMEM ] ||
			refused+=.
	done
	echo "$(available_kib) KiB left, refused $refused"
	tail -n 1 $ltt/traces/many/error_log
	[ "$refused" ] || fail "all of them had room"
	(($(available_kib) > 120 * 1024)) || fail "less than 128 MiB are left"
	destroy_trace many
}

# budget TRACE: what it may take, what it has taken, in bytes
budget()
{
	xargs < "$ltt/traces/$1/budget" | sed 's/ # / /; s/ taken$//'
}

within_budget()
{
	local file=$ltt/traces/thrifty/budget eighth needed line

	kernel_events
	eighth=$(awk '/^MemTotal:/ { print $2 * 1024 / 8 }' /proc/meminfo)
	echo thrifty > $ltt/setup_trace
	expect "at first" "$eighth 0" "$(budget thrifty)"
	# What a plan says is what the kernel counts: it fits exactly, or not at all.
	needed=$(ltt plan --per-channel -e 'sched.* irq.*' | awk '$1 == "bytes" { print $2 }')
	echo "planned: $needed bytes"
	echo $((needed - 1)) > $file
	expect_errno EDQUOT $ltt/traces/thrifty/markers 'sched.* irq.*'
	line=$(tail -n 1 $ltt/traces/thrifty/error_log)
	[[ $line = *" buffers of 2 channels on $(nproc) CPU"*" take $((needed / 1024)) KiB, but the budget is $(((needed - 1) / 1024)) KiB, of which 0 KiB are taken: "*budget* ]] ||
		fail "$line"
	expect "nothing was taken" "$((needed - 1)) 0" "$(budget thrifty)"
	expect "buffers" "" "$(grep -lv '^#' $ltt/traces/thrifty/channels/*/stats)"
	none grep '^# pattern' $ltt/traces/thrifty/markers
	echo $needed > $file
	echo 'sched.* irq.*' > $ltt/traces/thrifty/markers
	expect "all of it" "$needed $needed" "$(budget thrifty)"
	expect_errno EDQUOT $ltt/traces/thrifty/markers 'timer.*'
	# What has its buffers costs nothing more.
	echo 'sched.sched_switch' > $ltt/traces/thrifty/markers
	expect "status" "$needed $needed" \
		"$(ltt status thrifty | awk '/^(budget|taken)\t/ { print $2 }' | xargs)"
	expect_errno EBUSY $file $((needed - 1))
	expect_errno EINVAL $file 12Q
	expect_errno EINVAL $file -1
	expect_errno ERANGE $file 16777216T
	expect "unchanged" "$needed $needed" "$(budget thrifty)"
	echo 16777215T > $file
	echo default > $file
	expect "as at first" "$eighth $needed" "$(budget thrifty)"
	echo 'timer.*' > $ltt/traces/thrifty/markers
	destroy_trace thrifty
	# One trace's budget is not another's.
	echo thrifty > $ltt/setup_trace
	expect "a new one" "$eighth 0" "$(budget thrifty)"
	destroy_trace thrifty
}

# A CPU that comes online while there is no budget left for it: its events are lost, and it is
# told. With a larger budget the trace has it from the next start on.
no_budget_for_cpu()
{
	local dir=$ltt/traces/thrifty

	load_test_module
	echo 0 > /sys/devices/system/cpu/cpu1/online
	new_trace thrifty
	echo 'ltt_test.*' > $dir/markers
	budget thrifty | awk '{ print $2 }' > $dir/budget
	start_trace thrifty
	echo 1 > /sys/devices/system/cpu/cpu1/online
	grep ' events of CPU 1 are lost: .*budget' $dir/error_log
	expect "no more" 1 "$(budget thrifty | awk '{ print $1 == $2 }')"
	generate 100
	expect "lost" 100 "$(awk '$1 == 1 && /no memory/ { print $3 }' $dir/channels/ltt_test/stats)"
	stop_trace thrifty
	echo default > $dir/budget
	start_trace thrifty
	generate 100
	expect "recorded" 100 "$(awk '$1 == 1 { print $2 }' $dir/channels/ltt_test/stats)"
	destroy_trace thrifty
}

names_and_reuse()
{
	new_trace reuse 'sched.*'
	expect_errno EEXIST $ltt/setup_trace reuse
	exec 9< $ltt/traces/reuse/text/ALL
	destroy_trace reuse
	expect_errno ENOENT $ltt/destroy_trace reuse
	new_trace reuse 'irq.*'
	exec 9<&-
	destroy_trace reuse
	expect_errno EINVAL $ltt/setup_trace '../x'
	expect_errno EINVAL $ltt/setup_trace 'a b'
	expect_errno EINVAL $ltt/setup_trace ''
	# To the kernel, Latin-1's no-break space is white space, too; half of UTF-8's is left.
	printf '\240 \treuse\240\n' > $ltt/setup_trace
	[ -d $ltt/traces/reuse ]
	destroy_trace reuse
	expect_errno EINVAL $ltt/setup_trace $'re\240use'
	expect_errno EINVAL $ltt/setup_trace $'reuse\302\240'
}

# Tests destroy all traces: they refuse to start beside those of others.
beside_others()
{
	local output

	new_trace somebodys 'sched.*'
	start_trace somebodys
	! output=$("$here/test-types.sh" 2>&1) || fail "it ran: $output"
	[[ $output = "1..0 # SKIP LTT is in use, destroy trace "*"somebodys first" ]] ||
		fail "it says: $output"
	[ "$(< $ltt/traces/somebodys/enabled)" = 1 ]
	destroy_trace somebodys
}

run_test "two traces do not disturb each other" two_traces
run_test "a pattern enables markers before their module exists" pattern_before_module
run_test "the last matching pattern decides" negative_pattern
run_test "a channel's file and ALL agree" channel_file
run_test "pausing a channel and the global switch" paused_channel
run_test "one marker by its enable file" one_marker
run_test "wrong formats are refused, with a message naming the marker" refused_formats
run_test "a request that does not fit changes nothing" too_much_memory
run_test "a request for many channels takes nothing before it fits" too_many_channels
run_test "many requests leave memory for others" many_requests
run_test "no more than the budget, and what a plan says" within_budget
run_test --needs hotplug "no budget for a CPU that comes online" no_budget_for_cpu
run_test "names of traces" names_and_reuse
run_test "tests do not start beside somebody's traces" beside_others
finish
