#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=2G TIMEOUT=900 UML=1 RACES=1
#
# Readers that stop reading: the others go on and lose nothing by it; the one that
# stopped reports exactly what it missed. check-stream compares each reader's output
# with what was generated: printed + reported lost = generated, on each CPU.

. "$(dirname "$0")/lib.sh"

# The module counts from 0 again.
new_module()
{
	rmmod ltt-test 2>/dev/null || true
	load_test_module
	rm -f "$tmp"/generated "$tmp"/out.*
}

# stop_begin SUBBUF_SIZE SUBBUF_NUM [MODE]: a trace of ltt_test that records
stop_begin()
{
	new_module
	new_trace stopped
	channel_buffers stopped ltt_test "$1" "$2" "${3:-discard}"
	echo 'ltt_test.*' > $ltt/traces/stopped/markers
	start_trace stopped
}

# load SLICES: 500 events of about 27 bytes on each CPU, several times a second. The
# buffers of most tests here have room for some twenty slices.
load()
{
	local i

	for ((i = 0; i < $1; i++)); do
		generate 500 1
		nap 0.2
	done
}

# No more events; readers come to the end.
stop_end()
{
	stop_trace stopped
	generated
	destroy_trace stopped
}

# lost N: what reader N reported
lost()
{
	awk '{ print $6 }' "$tmp/out.$1"
}

# all_right PID...: readers that must end and must have found nothing wrong
all_right()
{
	local pid bad=0

	for pid; do
		wait "$pid" || bad=1
	done
	cat "$tmp"/out.*
	awk '{ n += $NF } END { print n, "generated" }' "$tmp/generated"
	[ $bad -eq 0 ] || fail "see above"
}

nothing_lost()
{
	expect "lost by the reader that went on" 0 "$(lost "$1")"
}

something_lost()
{
	[ "$(lost "$1")" -gt 0 ] || fail "the reader that stopped has missed nothing"
}

# The reference for all others: the load is not too much for one reader.
alone()
{
	local fast

	stop_begin 4096 64
	checker stopped ALL "$tmp/out.1"
	fast=$!
	load 10
	stop_end
	all_right $fast
	nothing_lost 1
}

sigstop()
{
	local fast slow

	stop_begin 4096 64
	checker stopped ALL "$tmp/out.1"
	fast=$!
	checker stopped "$1" "$tmp/out.2"
	slow=$!
	load 3
	kill -STOP $slow
	load 28
	kill -CONT $slow
	load 3
	stop_end
	all_right $fast $slow
	nothing_lost 1
	something_lost 2
}

# Writers in all contexts without a pause: everybody loses; all is counted.
full_load()
{
	local fast slow

	stop_begin 65536 4
	checker stopped ALL "$tmp/out.1"
	fast=$!
	checker stopped ALL "$tmp/out.2"
	slow=$!
	for stop in STOP CONT STOP CONT; do
		kill -$stop $slow
		generate 100000 15
	done
	stop_end
	all_right $fast $slow
}

never_reads()
{
	local fast fd

	stop_begin 4096 64
	exec {fd}< $ltt/traces/stopped/text/ALL
	checker stopped ALL "$tmp/out.1"
	fast=$!
	load 28
	stop_end
	all_right $fast
	nothing_lost 1
	check-stream -g "$tmp/generated" <&"$fd" > "$tmp/out.2" 2>&1 || {
		cat "$tmp/out.2"
		fail "the one that had not read"
	}
	exec {fd}<&-
	cat "$tmp/out.2"
	something_lost 2
}

# Looking whether there is something to read is not reading.
only_polls()
{
	local fast fd poller

	stop_begin 4096 64
	exec {fd}< $ltt/traces/stopped/text/ALL
	python3 -c '
import select
p = select.poll()
p.register(0, select.POLLIN)
while True:
    p.poll(100)
' <&"$fd" &
	poller=$!
	checker stopped ALL "$tmp/out.1"
	fast=$!
	load 28
	kill $poller
	wait $poller || true
	stop_end
	all_right $fast
	nothing_lost 1
	check-stream -g "$tmp/generated" <&"$fd" > "$tmp/out.2" 2>&1 || {
		cat "$tmp/out.2"
		fail "the one that had not read"
	}
	exec {fd}<&-
	cat "$tmp/out.2"
	something_lost 2
}

# Much has been read, and waits to be written to a pipe that is not read.
slow_pipe()
{
	local fast slow fd mover

	stop_begin 4096 64
	exec {fd}< $ltt/traces/stopped/text/ALL
	mkfifo "$tmp/pipe.$1"
	check-stream -g "$tmp/generated" < "$tmp/pipe.$1" > "$tmp/out.2" 2>&1 &
	slow=$!
	case $1 in
	read)	dd bs=1M status=none <&"$fd" > "$tmp/pipe.$1" & ;;
	splice)	python3 -c '
import os
while os.splice(0, 1, 1 << 20):
    pass
' <&"$fd" > "$tmp/pipe.$1" & ;;
	esac
	mover=$!
	exec {fd}<&-
	checker stopped ALL "$tmp/out.1"
	fast=$!
	load 3
	kill -STOP $slow
	load 28
	kill -CONT $slow
	stop_end
	all_right $fast $slow
	wait $mover
	nothing_lost 1
	something_lost 2
}

three_readers()
{
	local fast slow twice

	stop_begin 4096 64
	checker stopped ALL "$tmp/out.1"
	fast=$!
	checker stopped ltt_test "$tmp/out.2"
	slow=$!
	checker stopped ALL "$tmp/out.3"
	twice=$!
	load 3
	kill -STOP $slow $twice
	load 30
	kill -CONT $twice
	load 5
	kill -STOP $twice
	load 30
	kill -CONT $slow $twice
	stop_end
	all_right $fast $slow $twice
	nothing_lost 1
	something_lost 2
	something_lost 3
}

# Nobody waits for anybody there, stopped or not.
overwrite()
{
	local fast slow

	stop_begin 4096 64 overwrite
	checker stopped ALL "$tmp/out.1"
	fast=$!
	checker stopped ALL "$tmp/out.2"
	slow=$!
	load 3
	kill -STOP $slow
	load 28
	kill -CONT $slow
	stop_end
	all_right $fast $slow
	nothing_lost 1
	something_lost 2
}

# It finds its place, the last events, and the end, when it is continued after all.
destroyed()
{
	local fast slow

	stop_begin 4096 64
	checker stopped ALL "$tmp/out.1"
	fast=$!
	checker stopped ALL "$tmp/out.2"
	slow=$!
	kill -STOP $slow
	load 28
	stop_end
	wait_for 30 test -s "$tmp/out.1"
	kill -CONT $slow
	wait_for 30 test -s "$tmp/out.2" || fail "no end of file"
	all_right $fast $slow
	nothing_lost 1
	something_lost 2
}

# There is room for what it does not read: nothing is taken from it.
room_enough()
{
	local fast slow

	stop_begin 4096 64
	checker stopped ALL "$tmp/out.1"
	fast=$!
	checker stopped ALL "$tmp/out.2"
	slow=$!
	kill -STOP $slow
	load 3
	sleep 4
	generate 100 1
	sleep 1
	kill -CONT $slow
	stop_end
	all_right $fast $slow
	nothing_lost 1
	nothing_lost 2
}

# It does not even know the channel, which was first used after it had stopped.
new_channel()
{
	local fast fd

	new_module
	new_trace stopped
	channel_buffers stopped ltt_test 4096 64
	start_trace stopped
	exec {fd}< $ltt/traces/stopped/text/ALL
	echo 'ltt_test.*' > $ltt/traces/stopped/markers
	checker stopped ALL "$tmp/out.1"
	fast=$!
	load 3
	sleep 1
	stop_end
	all_right $fast
	nothing_lost 1
	check-stream -g "$tmp/generated" <&"$fd" > "$tmp/out.2" 2>&1 || {
		cat "$tmp/out.2"
		fail "the one that had not read"
	}
	exec {fd}<&-
	cat "$tmp/out.2"
	something_lost 2
}

# A capture that polls takes all there is, and then waits for more: it must come even
# if the stopped reader has filled the buffer until then.
polled_capture()
{
	local slow capture

	stop_begin 4096 64
	checker stopped ALL "$tmp/out.1"
	slow=$!
	kill -STOP $slow
	python3 - $ltt/traces/stopped/binary/ltt_test_* > "$tmp/discarded" <<-'PY' &
	import os, select, struct, sys
	poll = select.poll()
	discarded = {}
	for path in sys.argv[1:]:
	    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
	    poll.register(fd, select.POLLIN)
	    discarded[fd] = 0
	left = len(discarded)
	while left:
	    for fd, _ in poll.poll():
	        packets = os.read(fd, 1 << 16)
	        if not packets:
	            poll.unregister(fd)
	            left -= 1
	        at = 0
	        while at < len(packets):
	            size, _, discarded[fd] = struct.unpack_from('=QQQ', packets, at + 48)
	            at += size // 8
	print(sum(discarded.values()))
	PY
	capture=$!
	wait_for 10 sh -c "ls -l /proc/$capture/fd | grep -q ltt_test_0"
	# At first faster than readers are left behind, then slowly.
	generate 16000 1
	sleep 3
	cat /sys/kernel/debug/ltt_test/generated > "$tmp/before"
	load 28
	kill -CONT $slow
	stop_end
	wait $capture
	all_right $slow
	something_lost 1
	echo "$(< "$tmp/discarded") discarded"
	[ "$(< "$tmp/discarded")" -gt 0 ] || fail "the buffers have never been full"
	[ "$(< "$tmp/discarded")" -lt "$(awk '{ n += $NF } END { print n }' "$tmp/before")" ] ||
		fail "the capture lost events after that, too"
}

# Who has no company keeps what it has not read, and writers lose what comes next.
no_others()
{
	local slow

	stop_begin 4096 64
	checker stopped ALL "$tmp/out.1"
	slow=$!
	kill -STOP $slow
	load 28
	kill -CONT $slow
	stop_end
	all_right $slow
	something_lost 1
}

run_test "the load is not too much for a reader" alone
# "three readers" has these as well, where it reads instead of splicing.
if [ "${LTT_LONG:-}" ]; then
	run_test "a stopped reader of all channels" sigstop ALL
	run_test "a stopped reader of one channel" sigstop ltt_test
	run_test "stopped in the middle of a splice" slow_pipe splice
fi
run_test --needs smp "stopped and continued under full load" full_load
run_test "a file that is open and never read" never_reads
run_test "a program that polls and does not read" only_polls
run_test "stopped in the middle of a large read" slow_pipe read
run_test "three readers" three_readers
run_test "overwrite mode" overwrite
run_test "the trace is destroyed meanwhile" destroyed
run_test "nothing is taken from a stopped reader without need" room_enough
run_test "a channel that a stopped reader does not know" new_channel
run_test --needs smp "a capture that polls, and a stopped reader" polled_capture
run_test "a stopped reader without others" no_others
finish
