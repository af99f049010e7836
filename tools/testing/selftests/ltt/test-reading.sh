#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=1
#
# The text pipe as a file: blocking, O_NONBLOCK, poll, signals, odd sizes, end.

. "$(dirname "$0")/lib.sh"

nonblock()
{
	new_trace nb 'ltt_test.*'
	load_test_module
	python3 - "$ltt/traces/nb/text/ALL" <<-'PY'
	import errno, os, select, sys, time
	fd = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
	# The header is there at once; then there is nothing.
	text = b''
	try:
	    while True:
	        text += os.read(fd, 4096)
	        assert text
	except BlockingIOError as e:
	    assert e.errno == errno.EAGAIN
	assert all(l.startswith(b'#') for l in text.splitlines()), text
	p = select.poll()
	p.register(fd, select.POLLIN)
	start = time.time()
	assert p.poll(300) == [], "readable without an event"
	assert time.time() - start >= 0.29
	open('/sys/kernel/debug/ltt/traces/nb/enabled', 'w').write('1')
	open('/sys/kernel/debug/ltt_test/run', 'w').write('1 1')
	assert p.poll(5000), "not readable after an event"
	line = os.read(fd, 65536)
	assert b' ltt_test.event: ' in line, line
	PY
	destroy_trace nb
}

tiny_and_odd_reads()
{
	load_test_module
	new_trace tiny 'ltt_test.*'
	start_trace tiny
	generate 100 1
	stop_trace tiny
	# All of them open the file before one of them reads.
	exec 5< $ltt/traces/tiny/text/ALL 6< $ltt/traces/tiny/text/ALL 7< $ltt/traces/tiny/text/ALL
	reader tiny ALL "$tmp/whole"
	dd bs=1 of="$tmp/bytes" status=none <&5 &
	dd bs=77 of="$tmp/odd" status=none <&6 &
	dd bs=1M of="$tmp/big" status=none <&7 &
	exec 5<&- 6<&- 7<&-
	sleep 1
	destroy_trace tiny
	wait
	expect "lines" $((100 * $(nproc))) "$(events < "$tmp/whole" | wc -l)"
	cmp "$tmp/whole" "$tmp/bytes"
	cmp "$tmp/whole" "$tmp/odd"
	cmp "$tmp/whole" "$tmp/big"
}

large_reads()
{
	load_test_module
	new_trace large 'ltt_test.*'
	start_trace large
	generate $((20000 / $(nproc))) 1
	stop_trace large
	python3 - "$ltt/traces/large/text/ALL" <<-'PY'
	import os, sys, time
	fd = os.open(sys.argv[1], os.O_RDONLY)
	os.read(fd, 1 << 20)
	sizes = sorted(len(os.read(fd, 1 << 20)) for i in range(5))
	print("sizes", sizes)
	assert sizes[2] >= 20 * 1024, sizes
	PY
	destroy_trace large
}

interrupted()
{
	local pid signal status

	new_trace intr
	# Those that a background job ignores are none for cat.
	for signal in INT TERM KILL; do
		rm -f "$tmp/intr"
		env --default-signal=INT cat $ltt/traces/intr/text/ALL > "$tmp/intr" &
		pid=$!
		# It has read the header, and waits.
		wait_for 20 test -s "$tmp/intr"
		status=0
		kill -$signal $pid
		wait $pid || status=$?
		expect "SIG$signal" "$signal" "$(kill -l $status)"
	done
	destroy_trace intr
}

end_of_file()
{
	load_test_module
	new_trace eof 'ltt_test.*'
	start_trace eof
	reader eof ALL "$tmp/eof"
	generate 2000 1
	destroy_trace eof
	wait
	expect "lines" $((2000 * $(nproc))) "$(events < "$tmp/eof" | wc -l)"
	expect "last" "seq" "$(tail -n 1 "$tmp/eof" | awk '{ print $6 }')"
}

reopened()
{
	# What one reader has read, the next does not see again (discard mode).
	load_test_module
	new_trace again 'ltt_test.*'
	start_trace again
	generate 50 1
	timeout 1 cat $ltt/traces/again/text/ALL > "$tmp/first" || true
	generate 50 1
	timeout 1 cat $ltt/traces/again/text/ALL > "$tmp/second" || true
	destroy_trace again
	expect "first" $((50 * $(nproc))) "$(events < "$tmp/first" | wc -l)"
	expect "second" $((50 * $(nproc))) "$(events < "$tmp/second" | wc -l)"
	expect "seen twice" "" "$(comm -12 <(events < "$tmp/first" | sort) <(events < "$tmp/second" | sort))"
}

run_test "O_NONBLOCK and poll" nonblock
run_test "reads of one byte, of odd sizes, of a megabyte" tiny_and_odd_reads
run_test "reads return tens of KiB when there is much" large_reads
run_test "signals end a blocked read" interrupted
run_test "destroying the trace ends the read after the last event" end_of_file
run_test "a reader goes on where the last one stopped" reopened
finish
