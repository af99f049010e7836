#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 UML=1 RACES=1
#
# Windows: what overwrite buffers held at some time, while recording goes on.

. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/record.sh
. "$here/lib/record.sh"

# new_flight TRACE SIZE NUMBER: a flight recorder of ltt-test's events that runs
new_flight()
{
	load_test_module
	[ ! -e "$ltt/traces/$1" ] || destroy_trace "$1"	# of a test that failed
	new_trace "$1"
	channel_buffers "$1" ltt_test "$2" "$3" overwrite
	echo 'ltt_test.*' > "$ltt/traces/$1/markers"
	start_trace "$1"
}

# take TRACE
take()
{
	echo 1 > "$ltt/traces/$1/snapshot"
}

# windows TRACE: their numbers, in a line
windows()
{
	awk '!/^#/ { printf "%s%s", n++ ? " " : "", $1 }' "$ltt/traces/$1/snapshot"
}

# In order of time, and on each CPU and in each context one number after the other: whole TEXT
whole()
{
	awk '/^#/ { if (/lost/) lost++; next }
		{
			if (NF < 8 || $9 != substr("abcdefghijklmnopqrstuvwxyz", $7 % 27 + 1)) { print "torn:", $0; bad++ }
			cpu = $2; context = $5; seq = $7
			if ($1 + 0 < time) { print "out of order:", $0; bad++ }
			time = $1 + 0
			if ((cpu, context) in last && seq != last[cpu, context] + 1) {
				print "gap before:", $0; bad++
			}
			last[cpu, context] = seq
			n++
		}
		END {
			if (!n || bad || lost) { print n + 0, "events,", bad + 0, "bad,", lost + 0, "losses"; exit 1 }
		}' "$1"
}

# info TRACE NUMBER NAME: a value
info()
{
	awk -v name="$3" '$1 == name { print $2 }' "$ltt/traces/$1/snapshots/$2/info"
}

# Its events are the last ones of all, and as many as the buffers held.
what_buffers_hold()
{
	new_flight flight 4096 4
	generate 2000
	take flight
	expect windows 1 "$(windows flight)"
	cat "$ltt/traces/flight/snapshots/1/text/ALL" > "$tmp/text"
	whole "$tmp/text"
	# Of each CPU the last, number 1999, and not the first.
	events < "$tmp/text" | awk '{ last[$2] = $7; if (!($2 in first)) first[$2] = $7 }
		END { for (cpu in last) print cpu, last[cpu], (first[cpu] > 1000) }' > "$tmp/ends"
	cat "$tmp/ends"
	expect CPUs "$(nproc)" "$(wc -l < "$tmp/ends")"
	none grep -v ' 1999 1$' "$tmp/ends"
	expect events "$(events < "$tmp/text" | wc -l)" "$(info flight 1 events)"
	expect first "$(events < "$tmp/text" | head -n 1 | awk '{ print $1 }')" "$(info flight 1 first)"
	expect last "$(events < "$tmp/text" | tail -n 1 | awk '{ print $1 }')" "$(info flight 1 last)"
	expect why user "$(info flight 1 why)"
	# The file of the channel, other styles, and what a window has not.
	cmp "$tmp/text" "$ltt/traces/flight/snapshots/1/text/ltt_test"
	echo json > "$ltt/traces/flight/snapshots/1/text_style"
	expect JSON "$(events < "$tmp/text" | wc -l)" \
		"$(grep -c '"event":"event"' "$ltt/traces/flight/snapshots/1/text/ALL")"
	[ ! -e "$ltt/traces/flight/snapshots/1/enabled" ] || fail "it can be started"
	destroy_trace flight
}

# What the recorder held is there after it has been overwritten many times, and later windows go on
# where earlier ones end.
recording_goes_on()
{
	local i

	new_flight flight 4096 4
	echo 4 > $ltt/traces/flight/snapshot_max
	generate 2000
	take flight
	cat $ltt/traces/flight/snapshots/1/text/ALL > "$tmp/before"
	for i in 2 3 4; do
		generate 30
		take flight
	done
	generate 5000
	cat $ltt/traces/flight/snapshots/1/text/ALL > "$tmp/after"
	cmp "$tmp/before" "$tmp/after"
	for i in 1 2 3 4; do
		cat $ltt/traces/flight/snapshots/$i/text/ALL > "$tmp/$i"
		whole "$tmp/$i"
	done
	# They overlap: together they are one piece.
	events < "$tmp/1" > "$tmp/all"
	for i in 2 3 4; do
		events < "$tmp/$i" | awk -v last="$(tail -n 1 "$tmp/all" | awk '{ print $1 }')" \
			'$1 + 0 > last + 0' >> "$tmp/all"
	done
	whole "$tmp/all"
	expect events $(($(nproc) * 90 + $(events < "$tmp/1" | wc -l))) "$(wc -l < "$tmp/all")"
	destroy_trace flight
}

# babeltrace2 and ltt view find in its binary files what is in its text, contexts and shared buffers
# included.
binary()
{
	load_test_module
	new_trace flight
	echo shared > $ltt/traces/flight/buffers
	echo overwrite > $ltt/traces/flight/channels/shared/mode
	echo 4096 > $ltt/traces/flight/channels/shared/subbuf_size
	echo 'ltt_test.* ltt_test_short.*' > $ltt/traces/flight/markers
	start_trace flight
	generate 3000
	generate 1000 17
	take flight
	cat $ltt/traces/flight/snapshots/1/text/ALL > "$tmp/text"
	rm -rf "$tmp/capture"
	mkdir "$tmp/capture"
	cp $ltt/traces/flight/snapshots/1/binary/* "$tmp/capture"
	ls "$tmp/capture"
	destroy_trace flight
	same_capture whole "$tmp/capture" "$tmp/text"
}

# Again and again, at full speed, with two readers: nothing torn, no gap that is not told.
full_speed()
{
	local size=$1 number=$2 most=$3 i readers wanted

	new_flight flight "$size" "$number"
	echo "$most" > $ltt/traces/flight/snapshot_max
	generate 10
	reader flight ALL /dev/null
	readers=$!
	reader flight ltt_test /dev/null
	readers="$readers $!"
	repeat generate 20000 15
	wanted=$(amount 5 400)
	for ((i = 1; i <= wanted; i++)); do
		take flight
		[ $i -lt "$most" ] && continue
		# The oldest one, as long as it is one of several.
		cat $ltt/traces/flight/snapshots/$((i - most + 1))/text/ALL > "$tmp/text"
		grep '^#' $ltt/traces/flight/snapshots/$((i - most + 1))/info && fail "it lacks something"
		whole "$tmp/text" || fail "window $((i - most + 1))"
		expect CPUs "$(nproc)" "$(events < "$tmp/text" | awk '{ print $2 }' | sort -u | wc -l)"
		echo "!$((i - most + 1))" > $ltt/traces/flight/snapshot
		expect windows $((most - 1)) "$(windows flight | wc -w)"
	done
	repeat_end
	destroy_trace flight
	# shellcheck disable=SC2086
	wait $readers
}

# counts TRACE: fired and failed of its only trigger
counts()
{
	awk '/^#/ { print $3, $9 }' "$ltt/traces/$1/triggers"
}

# closed TEXT: the last event of one of the CPUs is what the window was taken at
closed()
{
	events < "$1" | awk '{ last[$2] = $0 } END { for (cpu in last) print last[cpu] }' |
		awk '$5 == 3 && $7 % 16 == 0 { found = 1 } END { exit !found }'
}

# next_window TRACE: for wait_for: the number of the first window is in $first
next_window()
{
	first=$(windows "$1" | cut -d ' ' -f 1)
	[ "$first" ]
}

# The same, but each of them is taken by an NMI that has interrupted writers.
full_speed_nmi()
{
	local i readers wanted first last fired failed

	new_flight flight 4096 4
	echo 3 > $ltt/traces/flight/snapshot_max
	generate 10
	reader flight ALL /dev/null
	readers=$!
	reader flight ltt_test /dev/null
	readers="$readers $!"
	repeat generate 20000 15
	echo 'on ltt_test.event if context == 3 && !(seq & 15) do snapshot' > $ltt/traces/flight/triggers
	wanted=$(amount 4 400)
	for ((i = 1; i <= wanted; i++)); do
		wait_for 60 next_window flight || fail "there are no NMIs"
		cat $ltt/traces/flight/snapshots/$first/text/ALL > "$tmp/text"
		grep '^#' $ltt/traces/flight/snapshots/$first/info && fail "it lacks something"
		whole "$tmp/text" || fail "window $first"
		closed "$tmp/text" || fail "window $first does not end with the event"
		expect CPUs "$(nproc)" "$(events < "$tmp/text" | awk '{ print $2 }' | sort -u | wc -l)"
		echo "!$first" > $ltt/traces/flight/snapshot
	done
	repeat_end
	wait_for 30 grep -q '^# 0 being taken' $ltt/traces/flight/snapshot
	# There is one for each time, or there was no room for it.
	read -r fired failed < <(counts flight)
	last=$(windows flight)
	last=${last##* }
	expect "windows" $((fired - failed)) "${last:-$first}"
	echo "$fired snapshots, no room for $failed"
	destroy_trace flight
	# shellcheck disable=SC2086
	wait $readers
}

# Take one more window, whose number is in $last; it goes if anything is missing.
complete_window()
{
	take flight
	last=$(windows flight)
	last=${last##* }
	grep -q '^#' "$ltt/traces/flight/snapshots/$last/info" || return 0
	echo "!$last" > $ltt/traces/flight/snapshot
	return 1
}

hold=/sys/kernel/debug/ltt_test/hold

# A CPU that does not leave the kernel may not have seen yet which packets to keep: the window waits
# for it, but not for ever, and then tells.
cpu_is_stuck()
{
	local last=$(($(nproc) - 1)) dir=$ltt/traces/flight/snapshots

	new_flight flight 4096 4
	echo 2 > $ltt/traces/flight/snapshot_max
	generate 2000
	taskset -p -c 0-$((last - 1)) $BASHPID > /dev/null
	trap 'echo -1 > $hold; kill_jobs' EXIT
	echo $last > $hold
	take flight
	grep '^#' $dir/1/info > "$tmp/told" || true
	echo -1 > $hold
	expect told "# a CPU did not respond, its last events may be missing" "$(< "$tmp/told")"
	whole $dir/1/text/ALL
	# On a slow machine, others may not respond in time, either.
	wait_for 60 complete_window || fail "still not complete"
	cmp $dir/1/text/ALL $dir/$last/text/ALL
	destroy_trace flight
}

# Channels in discard mode are not in a window; those that are have files as in any trace.
discarded()
{
	local dir=$ltt/traces/flight/snapshots/1

	load_test_module
	new_trace flight
	channel_buffers flight ltt_test_short 4096 4 overwrite
	echo 'ltt_test_short.* ltt_test_other.*' > $ltt/traces/flight/markers
	start_trace flight
	generate 1000 17
	take flight
	expect "text" "ALL ltt_test_short" "$(ls $dir/text | xargs)"
	expect "channels" ltt_test_short "$(ls $dir/binary | sed -n 's/_[0-9]*$//p' | sort -u)"
	cat $dir/text/ALL > "$tmp/text"
	rm -rf "$tmp/capture"
	mkdir "$tmp/capture"
	cp $dir/binary/* "$tmp/capture"
	destroy_trace flight
	same_capture whole "$tmp/capture" "$tmp/text"
}

# are_there NUMBERS
are_there()
{
	[ "$(windows flight)" = "$1" ]
}

# One more event, which a window is taken at; is it, or one of those before, the fourth, or later?
goes_on()
{
	local numbers

	generate 2
	numbers=$(windows flight)
	[ "${numbers##* }" -ge 4 ]
}

# The last ones are kept also while one that went is being read: one is missed, not all.
last_while_read()
{
	local dir=$ltt/traces/flight fd wanted

	new_flight flight 4096 2
	echo 2 > $dir/snapshot_max
	echo last > $dir/snapshot_keep
	echo 'on ltt_test.event if seq & 1 && $cpu == 0 do snapshot' > $dir/triggers
	for wanted in 1 '1 2' '2 3'; do
		generate 2
		wait_for 20 are_there "$wanted" || fail "there is '$(windows flight)', not '$wanted'"
		[ "${fd:-}" ] || exec {fd}< $dir/snapshots/1/text/ALL
	done
	wait_for 20 goes_on || fail "there is '$(windows flight)'"
	exec {fd}<&-
	destroy_trace flight
}

limits()
{
	local dir=$ltt/traces/flight i

	new_flight flight 4096 2
	generate 100
	expect "windows at first" 0 "$(< $dir/snapshot_max)"
	expect kept first "$(< $dir/snapshot_keep)"
	take flight
	expect "windows then" 1 "$(< $dir/snapshot_max)"
	expect_errno ENOSPC $dir/snapshot 1
	grep -q 'there are 1 windows already' $dir/error_log
	echo 3 > $dir/snapshot_max
	take flight
	take flight
	expect_errno ENOSPC $dir/snapshot 1
	expect windows "1 2 3" "$(windows flight)"
	echo '!2' > $dir/snapshot
	expect windows "1 3" "$(windows flight)"
	[ ! -e $dir/snapshots/2 ]
	take flight
	expect windows "1 3 4" "$(windows flight)"
	echo last > $dir/snapshot_keep
	for i in 5 6 7 8; do
		take flight
		expect "the last" "$i" "$(windows flight | awk '{ print $NF }')"
	done
	expect windows "6 7 8" "$(windows flight)"
	expect "windows then" 3 "$(< $dir/snapshot_max)"
	echo 0 > $dir/snapshot
	expect windows "" "$(windows flight)"
	expect_errno EBUSY $dir/snapshot_max 2
	expect_errno ERANGE $dir/snapshot_max 1000
	# One more, as the last ones are kept, is 0.
	expect_errno ERANGE $dir/snapshot_max 4294967295
	expect "windows then" 3 "$(< $dir/snapshot_max)"
	expect_errno EINVAL $dir/snapshot_keep some
	expect_errno EINVAL $dir/snapshot 2
	expect_errno EINVAL $dir/snapshot '!'
	expect_errno EINVAL $dir/snapshot '!x'
	expect_errno ENOENT $dir/snapshot '!6'
	# What they take is part of the budget.
	read -r _ i _ < <(tail -n 1 $dir/budget)
	expect taken $((4096 * $(nproc) * (2 + 4 * 3 + 3))) "$i"
	echo "$i" > $dir/budget
	expect_errno EDQUOT $dir/snapshot_max 4
	grep -q 'snapshot_max: 1 window of 1 channel take .* write fewer into snapshot_max' $dir/error_log
	destroy_trace flight
	# No channel, no overwrite mode.
	new_trace flight 'ltt_test.*'
	expect_errno EINVAL $dir/snapshot 1
	grep -q 'no channel has recorded in overwrite mode' $dir/error_log
	destroy_trace flight
}

# Who reads a window goes on when it, or its trace, is gone; its memory is free when it is closed.
readers_stay()
{
	local dir=$ltt/traces/flight fd

	new_flight flight 4096 2
	generate 1000
	take flight
	cat $dir/snapshots/1/text/ALL > "$tmp/whole"
	exec {fd}< $dir/snapshots/1/text/ALL
	echo '!1' > $dir/snapshot
	expect_errno ENOSPC $dir/snapshot 1
	cat <&$fd | cmp "$tmp/whole" - || fail "it has changed"
	exec {fd}<&-
	wait_for 10 take flight || fail "its memory is not free"
	exec {fd}< $dir/snapshots/2/text/ALL
	cat $dir/snapshots/2/text/ALL > "$tmp/whole"
	destroy_trace flight
	cat <&$fd > "$tmp/read"
	exec {fd}<&-
	cmp "$tmp/whole" "$tmp/read"
}

# poll() reports EPOLLPRI when the list of windows has changed.
polled()
{
	new_flight flight 4096 2
	echo 3 > $ltt/traces/flight/snapshot_max
	generate 100
	python3 - $ltt/traces/flight/snapshot <<-'PY'
	import os, select, sys, threading
	path = sys.argv[1]
	fd = os.open(path, os.O_RDONLY)
	p = select.poll()
	p.register(fd, select.POLLPRI)
	assert p.poll(0) == [], "news at once"
	thread = threading.Timer(0.3, lambda: open(path, 'w').write('1'))
	thread.start()
	got = p.poll(10000)
	assert got and got[0][1] & select.POLLPRI, got
	thread.join()
	# Read, there is nothing new.
	os.lseek(fd, 0, os.SEEK_SET)
	os.read(fd, 4096)
	while p.poll(100):
	    os.lseek(fd, 0, os.SEEK_SET)
	    text = os.read(fd, 4096)
	assert text.startswith(b'1 ') if 'text' in dir() else True
	PY
	destroy_trace flight
}

# The text output may come later than a window.
text_comes_later()
{
	new_flight flight 4096 2
	generate 1000
	take flight
	cat $ltt/traces/flight/snapshots/1/text/ALL > "$tmp/before"
	rmmod ltt-textout
	[ ! -e $ltt/traces/flight/snapshots/1/text ]
	modprobe ltt-textout
	cmp "$tmp/before" $ltt/traces/flight/snapshots/1/text/ALL
	destroy_trace flight
}

# A channel that is used, or a CPU that comes, when the memory was set aside already.
later()
{
	local dir=$ltt/traces/flight

	load_test_module
	new_trace flight
	echo 2 > $dir/snapshot_max
	channel_buffers flight ltt_test 4096 2 overwrite
	echo 'ltt_test.*' > $dir/markers
	start_trace flight
	generate 10
	repeat generate 20000
	take flight
	take flight
	repeat_end
	whole $dir/snapshots/1/text/ALL
	whole $dir/snapshots/2/text/ALL
	destroy_trace flight
}

cpu_comes()
{
	local dir=$ltt/traces/flight cpu=/sys/devices/system/cpu/cpu1/online

	echo 0 > $cpu
	new_flight flight 4096 2
	echo 2 > $dir/snapshot_max
	echo 1 > $cpu
	generate 10
	repeat generate 20000
	take flight
	take flight
	repeat_end
	whole $dir/snapshots/1/text/ALL
	whole $dir/snapshots/2/text/ALL
	grep -q '\[001\]' $dir/snapshots/2/text/ALL
	none grep '^#' $dir/snapshots/[12]/info
	echo 0 > $cpu
	take flight 2> /dev/null || echo '!1' > $dir/snapshot
	take flight
	grep -q '\[001\]' $dir/snapshots/3/text/ALL || fail "a CPU that has gone is missing"
	echo 1 > $cpu
	destroy_trace flight
}

# bytes_taken TRACE: without another program; in $taken
bytes_taken()
{
	{ read -r _; read -r _ taken _; } < "$ltt/traces/$1/budget"
}

# One that comes while memory is set aside gets as much as the others: it comes when one of them has
# got its own.
cpu_comes_meanwhile()
{
	local dir=$ltt/traces/flight cpu=/sys/devices/system/cpu/cpu1/online windows=250 i taken before

	for i in $(seq "$(amount 3 10)"); do
		echo 0 > $cpu
		new_flight flight 65536 2
		bytes_taken flight
		before=$taken
		echo $windows > $dir/snapshot_max &
		until [ "$taken" -gt "$before" ]; do
			bytes_taken flight
		done
		echo 1 > $cpu
		wait $!
		bytes_taken flight
		expect "memory, attempt $i" $((65536 * $(nproc) * (2 + windows * 3 + 3))) "$taken"
		destroy_trace flight
	done
}

# Traces are destroyed while windows are taken and read, at full speed.
destroyed()
{
	local i takers

	load_test_module
	repeat generate 20000 15
	for i in $(seq "$(amount 5 100)"); do
		new_flight flight 4096 2
		echo 4 > $ltt/traces/flight/snapshot_max
		echo last > $ltt/traces/flight/snapshot_keep
		( while take flight; do cat $ltt/traces/flight/snapshots/*/text/ALL; done > /dev/null 2>&1 ) &
		takers=$!
		( while take flight; do :; done > /dev/null 2>&1 ) &
		takers="$takers $!"
		wait_for 10 grep -q '^[4-9]' $ltt/traces/flight/snapshot
		destroy_trace flight
		# shellcheck disable=SC2086
		wait $takers
	done
	repeat_end
}

run_test "a window is what the buffers held" what_buffers_hold
run_test "recording goes on, and windows stay" recording_goes_on
run_test "binary files of a window" binary
run_test "at full speed, 4 KiB x 4" full_speed 4096 4 3
run_test "at full speed, 64 KiB x 2" full_speed 65536 2 2
run_test --needs nmi "at full speed, taken by NMIs" full_speed_nmi
run_test --needs smp "a CPU that does not answer" cpu_is_stuck
run_test "channels in discard mode" discarded
run_test "the last ones, while one that went is being read" last_while_read
run_test "limits" limits
run_test "readers of windows that are removed" readers_stay
run_test "poll" polled
run_test "text output that comes later" text_comes_later
run_test "channels that come later" later
run_test --needs hotplug "CPUs that come and go" cpu_comes
run_test --needs hotplug "a CPU that comes while memory is set aside" cpu_comes_meanwhile
run_test "traces that are destroyed" destroyed
finish
