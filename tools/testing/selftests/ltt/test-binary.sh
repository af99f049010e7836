#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 UML=1
#
# The stream files: read, splice and mmap give the same packets, nothing is lost but
# what is counted, nothing is torn, and pages that are out stay what they were.

. "$(dirname "$0")/lib.sh"

bin=$ltt/traces/bin/binary
cpus=$(seq 0 $(($(nproc) - 1)))
# Not the first, where there are others.
other=$(($(nproc) > 1))

# bin_trace SIZE NUMBER MODE: records ltt_test from now on
bin_trace()
{
	# Of a test that failed.
	[ ! -d "$ltt/traces/bin" ] || destroy_trace bin
	rmmod ltt-test 2>/dev/null || true
	load_test_module
	new_trace bin
	channel_buffers bin ltt_test "$@"
	echo 'ltt_test.*' > $ltt/traces/bin/markers
	start_trace bin
}

# take CPU NAME OPTIONS...: a reader in the background that is there from now on; what it
# prints and takes is in $tmp/NAME and $tmp/NAME.packets
declare -A readers=()
take()
{
	local cpu=$1 name=$2 fd

	shift 2
	exec {fd}< "$bin/ltt_test_$cpu"
	read-packets -g "$tmp/generated" -c "$cpu" -o "$tmp/$name.packets" "$@" \
		<&"$fd" > "$tmp/$name" 2>&1 &
	readers[$name]=$!
	exec {fd}<&-
}

# All of them have come to their end, and all was well.
taken()
{
	local name bad=

	for name in "${!readers[@]}"; do
		wait "${readers[$name]}" || bad=1
		echo "$name: $(< "$tmp/$name")"
	done
	readers=()
	[ -z "$bad" ] || fail "see above"
}

# figure NAME WORD: the number after a word of a reader's last line
figure()
{
	sed -n "s/.*\<$2 \([0-9]*\).*/\1/p" "$tmp/$1" | tail -n 1
}

# The end of a trace with readers.
finish_trace()
{
	stop_trace bin
	generated
	destroy_trace bin
	taken
}

three_ways()
{
	local cpu way

	bin_trace "$@"
	for cpu in $cpus; do
		for way in read splice mmap; do
			take $cpu $way$cpu -m $way
		done
	done
	generate 2000 15 2000
	finish_trace
	for cpu in $cpus; do
		[ "$(figure read$cpu events)" -gt 2000 ] || fail "too few events"
		expect "discarded events" 0 "$(figure read$cpu discarded)"
		cmp "$tmp/read$cpu.packets" "$tmp/splice$cpu.packets"
		cmp "$tmp/read$cpu.packets" "$tmp/mmap$cpu.packets"
	done
}

babeltrace()
{
	local cpu events=0

	command -v babeltrace2 > /dev/null || { echo "no babeltrace2"; exit 4; }
	bin_trace 8K 4 "$1"
	rm -rf "$tmp/ctf"
	mkdir "$tmp/ctf"
	for cpu in $cpus; do
		take $cpu ctf/ltt_test_$cpu -m splice
	done
	cat $bin/metadata > "$tmp/ctf/metadata"
	generate 3000 15 1000
	finish_trace
	for cpu in $cpus; do
		mv "$tmp/ctf/ltt_test_$cpu.packets" "$tmp/ctf/ltt_test_$cpu"
		events=$((events + $(read-packets < "$tmp/ctf/ltt_test_$cpu" |
			sed 's/.*events \([0-9]*\) .*/\1/')))
	done
	babeltrace2 "$tmp/ctf" > "$tmp/text" 2> "$tmp/stderr"
	# Where packets were overwritten before they were read, it is not sure.
	grep -vE 'WARNING: Tracer (may have )?discarded' "$tmp/stderr" > "$tmp/complaints" || true
	cat "$tmp/complaints"
	expect "lines of babeltrace2" $events "$(wc -l < "$tmp/text")"
	[ ! -s "$tmp/complaints" ] || fail "babeltrace2 complains"
}

# stress SIZE NUMBER MODE EVENTS [GAP]: all kinds of readers, and text, under load
stress()
{
	local cpu text

	bin_trace "$1" "$2" "$3"
	checker bin ALL "$tmp/text"
	text=$!
	for cpu in $cpus; do
		take $cpu read$cpu -m read
		take $cpu splice$cpu -m splice
	done
	take 0 mmap0 -m mmap
	take 1 small1 -m read -s 1000
	take $(($(nproc) - 1)) small2 -m splice -s 4096
	generate "$4" 15 "${5:-0}"
	finish_trace
	wait $text || fail "text: $(< "$tmp/text")"
	cat "$tmp/text"
}

# Nobody reads before the buffers are full and events have been lost behind the last
# packet; then only a packet without events can tell.
last_losses()
{
	bin_trace 4K 2 discard
	generate 5000
	take 0 last -m "$1"
	finish_trace
	expect "events of the last packet" 0 "$(figure last last)"
	[ "$(figure last discarded)" -gt 1000 ] || fail "too few discarded"
}

# With a reader that is late nothing is lost uncounted either.
late_overwrite()
{
	bin_trace 4K 8 overwrite
	generate 5000
	take 0 late -m "$1"
	finish_trace
	expect "packets" 8 "$(figure late packets)"
	expect "skipped" 0 "$(figure late gaps)"
}

partial()
{
	local size

	# So many sub-buffers that others wait for one that takes byte by byte.
	bin_trace 4K 32 "$1"
	take 0 whole -m read
	for size in 1 7 79 80 81 4095 8191 20000; do
		take 0 read$size -m read -s $size
	done
	generate "$(amount 200 1000)"
	finish_trace
	[ "$(figure whole packets)" -ge 2 ] || fail "one packet"
	for size in 1 7 79 80 81 4095 8191 20000; do
		cmp "$tmp/whole.packets" "$tmp/read$size.packets"
	done
}

errors()
{
	bin_trace 8K 4 "$1"
	stream-api errors $bin/ltt_test_$other
	stream-api signal $bin/ltt_test_$other
	destroy_trace bin
}

polls()
{
	local poller

	bin_trace 8K 4 discard
	rm -f "$tmp/poll"
	stream-api poll $bin/ltt_test_$other "$@" > "$tmp/poll" &
	poller=$!
	wait_for 10 grep -qs waiting "$tmp/poll"
	generate 10
	echo 1 > $ltt/traces/bin/flush
	if [ $# -gt 0 ]; then
		wait_for 10 grep -qsz 'waiting.*waiting' "$tmp/poll"
		generate 10
		echo 1 > $ltt/traces/bin/flush
	fi
	wait $poller
	expect "poll" "revents IN" "$(tail -n 1 "$tmp/poll")"
	destroy_trace bin
}

holds()
{
	bin_trace 8K 4 "$1"
	generate 1000
	stop_trace bin
	stream-api hold $bin/ltt_test_0
	destroy_trace bin
}

# What fails takes nothing: a packet that read() or splice() could not pass on is where it was.
fails()
{
	bin_trace 8K 4 "$1"
	generate 1000
	stop_trace bin
	stream-api failed $bin/ltt_test_0
	destroy_trace bin
}

ends()
{
	local fd

	bin_trace 8K 4 discard
	generate 100
	exec {fd}< $bin/ltt_test_0
	destroy_trace bin
	stream-api end - <&$fd
	exec {fd}<&-
}

# The next packets are generated until the buffer is full, the trace is destroyed: what
# is out does not change.
stays()
{
	local how=$1 destroy=$2 pid

	bin_trace 64K 2 discard
	generate 2500
	echo 1 > $ltt/traces/bin/flush
	rm -f "$tmp/api"
	stream-api "$how" $bin/ltt_test_0 "$tmp/out" > "$tmp/api" &
	pid=$!
	wait_for 10 grep -qs ready "$tmp/api"
	generate 20000
	[ -z "$destroy" ] || destroy_trace bin
	kill -USR1 $pid
	wait $pid
	cat "$tmp/api"
	read-packets < "$tmp/out"
	if [ -z "$destroy" ]; then
		# The buffer works, now that the page is back.
		take 0 after -m splice -l
		sleep 0.5
		generate 100
		finish_trace
	fi
}

# lost CPU: events that writers dropped there
lost()
{
	awk -v cpu="$1" '$1 == cpu { print $3 }' $ltt/traces/bin/channels/ltt_test/stats
}

# References to the module: each open stream holds one, and so does a closed one until the last
# of its pages has come back.
references()
{
	cat /sys/module/ltt_core/refcnt
}

references_are()
{
	[ "$(references)" = "$1" ]
}

# What is given back is used again: a packet that nobody releases would end it. One that
# was held, and not put back, or of which only a part was taken, comes again.
comes_back()
{
	local i before

	bin_trace 64K 2 discard
	before=$(references)
	for i in $(seq $(amount 4 8)); do
		generate 500
		echo 1 > $ltt/traces/bin/flush
		rm -f "$tmp/api"
		stream-api "$1" $bin/ltt_test_0 "$tmp/out" > "$tmp/api" &
		wait_for 10 grep -qs ready "$tmp/api"
		kill "-$2" $!
		wait $! || [ "$2" = KILL ]
		# There is no notification when a socket drops its pages: the kernel polls.
		wait_for 10 references_are $before
	done
	if [ "$1$2" = mapKILL ] || [ "$1" = part ]; then
		take 0 rest -m read
		[ "$(lost 0)" -gt 0 ] || fail "its packets were reused"
	else
		take 0 rest -m read -l
		expect "events lost" 0 "$(lost 0)"
	fi
	finish_trace
}

# More than fits, but the buffer has room for a second, after which who has stopped is left
# behind.
slowly()
{
	local i

	for ((i = 0; i < 24; i++)); do
		generate 200
		nap 0.15
	done
}

# A reader that stops while another one reads is left behind, and $2 reports it.
left_behind()
{
	local pid result

	bin_trace 8K 8 discard
	generate 300
	echo 1 > $ltt/traces/bin/flush
	rm -f "$tmp/api"
	stream-api "$1" $bin/ltt_test_0 "$tmp/out" > "$tmp/api" &
	pid=$!
	wait_for 10 grep -qs ready "$tmp/api"
	take 0 other -m splice
	slowly
	kill -USR1 $pid
	# Something that comes next.
	generate 300
	echo 1 > $ltt/traces/bin/flush
	wait $pid
	result=$(tail -n 1 "$tmp/api")
	finish_trace
	expect "the next call" "$2 ESTALE" "$result"
	expect "discarded for the other one" 0 "$(figure other discarded)"
}

# One that is stopped, and continued, has counted what it missed.
stopped()
{
	local pid

	bin_trace 8K 8 discard
	take 0 stopped -m "$1"
	pid=${readers[stopped]}
	take 0 other -m read
	generate 300
	sleep 0.5
	kill -STOP "$pid"
	slowly
	kill -CONT "$pid"
	finish_trace
	expect "discarded for the other one" 0 "$(figure other discarded)"
	[ "$(figure stopped discarded)" -gt 0 ] || fail "the stopped one missed nothing"
	[ "$(figure stopped gaps)" -gt 0 ] || fail "no gap"
}

# A reader of text has stopped in the middle of a packet: a new file has all of it.
in_turn()
{
	bin_trace 8K 64 discard
	generate 200
	head -n 20 < $ltt/traces/bin/text/ltt_test > "$tmp/text" 2> /dev/null || true
	echo 1 > $ltt/traces/bin/flush
	take 0 packets -m read
	generate 300
	finish_trace
	expect "events" 500 "$(figure packets events)"
}

offline()
{
	local online=/sys/devices/system/cpu/cpu1/online

	bin_trace 64K 4 discard
	take 1 gone -m splice
	generate 1000
	echo 0 > $online
	generate 1000
	wait_for 10 test -s "$tmp/gone.packets"
	echo 1 > $online
	generate 1000
	finish_trace
	expect "events" 2000 "$(figure gone events)"
}

# packets FILE NUMBER: are there so many? By the number that each begins with.
packets()
{
	[ "$(LC_ALL=C grep -obUaP '\xc1\x1f\xfc\xc1' "$1" | wc -l)" -ge "$2" ]
}

# Who waits for a packet need not wait for the timer of before.
shorter_timer()
{
	local dir=$ltt/traces/timed

	load_test_module
	new_trace timed
	echo 3600000 > $dir/channels/ltt_test/switch_timer
	echo 'ltt_test.*' > $dir/markers
	start_trace timed
	cat $dir/binary/ltt_test_0 > "$tmp/timed" &
	generate 10
	# That closes what is open.
	echo 100 > $dir/channels/ltt_test/switch_timer
	wait_for 30 packets "$tmp/timed" 1 || fail "no packet"
	generate 10
	wait_for 30 packets "$tmp/timed" 2 || fail "the timer of before is still running"
	destroy_trace timed
	wait
}

run_test "discard: read, splice and mmap give the same bytes" three_ways 64K 16 discard
run_test "overwrite: the same" three_ways 64K 16 overwrite
run_test "babeltrace2 reads it, discard" babeltrace discard
run_test "babeltrace2 reads it, overwrite" babeltrace overwrite
run_test --needs smp "4 KiB x 2 under load, discard" stress 4K 2 discard 30000
run_test --needs smp "64 KiB x 4 under load, discard" stress 64K 4 discard 30000
run_test --needs smp "1 MiB x 2 under load, discard" stress 1M 2 discard 20000
run_test --needs smp "4 KiB x 2 under load, overwrite" stress 4K 2 overwrite 30000
run_test --needs smp "64 KiB x 8 under load, overwrite" stress 64K 8 overwrite 30000
for way in read splice mmap; do
	run_test "the last losses, $way" last_losses $way
	run_test "what was overwritten before, $way" late_overwrite $way
done
run_test "pieces of any size, discard" partial discard
run_test "pieces of any size, overwrite" partial overwrite
run_test "what is refused, discard" errors discard
run_test "what is refused, overwrite" errors overwrite
run_test "poll" polls
run_test "epoll, edge-triggered" polls epoll
run_test "holding packets, discard" holds discard
run_test "holding packets, overwrite" holds overwrite
run_test "calls that fail, discard" fails discard
run_test "calls that fail, overwrite" fails overwrite
run_test "the end" ends
for way in lend socket map; do
	run_test "a packet that is out stays what it is, $way" stays $way ""
	run_test "the same when the trace is destroyed, $way" stays $way destroy
done
for way in lend part socket map; do
	run_test "what is out comes back, $way" comes_back $way USR1
	run_test "what is out of a killed process comes back, $way" comes_back $way KILL
done
run_test "a mapped packet of a stopped reader" left_behind map put
run_test "a packet that a stopped reader looked at" left_behind peek read
for way in read splice mmap; do
	run_test "a stopped reader counts what it missed, $way" stopped $way
done
run_test "readers in turn" in_turn
run_test --needs smp "a switch timer that becomes shorter" shorter_timer
run_test --needs hotplug "a CPU goes and comes" offline
finish
