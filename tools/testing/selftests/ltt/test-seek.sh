#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=0
#
# Programs that read more of the text pipe than they want, and give the rest back.

. "$(dirname "$0")/lib.sh"

# seek_begin NAME: a trace with events 0 to 99 on each CPU
seek_begin()
{
	rmmod ltt-test 2>/dev/null || true
	load_test_module
	new_trace "$1" 'ltt_test.*'
	start_trace "$1"
	generate 100 1
	stop_trace "$1"
	all=$((100 * $(nproc)))
}

with_head()
{
	seek_begin head
	# Both open the file before one of them reads.
	exec 5< $ltt/traces/head/text/ALL
	reader head ALL "$tmp/whole"
	head -n 5 <&5 > "$tmp/head" 2> "$tmp/errors"
	head -n 1 <&5 >> "$tmp/head" 2>> "$tmp/errors"
	expect "head said" "" "$(cat "$tmp/errors")"
	expect "lines of head" 6 "$(wc -l < "$tmp/head")"
	sleep 1
	destroy_trace head
	cat <&5 >> "$tmp/head"
	exec 5<&-
	wait
	expect "lines" "$all" "$(events < "$tmp/whole" | wc -l)"
	cmp "$tmp/whole" "$tmp/head"
}

with_read()
{
	local line

	seek_begin read
	# Both open the file before one of them reads.
	exec 5< $ltt/traces/read/text/ALL
	reader read ALL "$tmp/whole"
	sleep 1
	destroy_trace read
	while IFS= read -r line; do
		printf '%s\n' "$line"
		# Another process, on the same file.
		[ $((RANDOM % 50)) -ne 0 ] || head -n 1
	done <&5 > "$tmp/lines"
	exec 5<&-
	wait
	expect "lines" "$all" "$(events < "$tmp/whole" | wc -l)"
	cmp "$tmp/whole" "$tmp/lines"
}

with_grep()
{
	seek_begin grep
	exec 5< $ltt/traces/grep/text/ALL
	expect "first" "context 0 seq 7" "$(grep -m 1 -o 'context 0 seq 7\>' <&5)"
	# The last of that number is yet to come.
	destroy_trace grep
	cat <&5 > "$tmp/rest"
	exec 5<&-
	expect "others" $(($(nproc) - 1)) "$(grep -c 'context 0 seq 7 ' "$tmp/rest")"
	expect "in order" "context 0 seq 99" "$(grep -o 'context 0 seq [0-9]*' "$tmp/rest" | tail -n 1)"
}

# Within what was read last, and no further.
positions()
{
	seek_begin seek
	python3 - $ltt/traces/seek/text/ALL "$all" <<-'PY'
	import errno, os, sys
	fd = os.open(sys.argv[1], os.O_RDONLY)

	def refused(offset, whence):
	    try:
	        os.lseek(fd, offset, whence)
	    except OSError as e:
	        assert e.errno == errno.EINVAL, e
	    else:
	        assert False, "was not refused"

	assert os.lseek(fd, 0, os.SEEK_CUR) == 0
	refused(-1, os.SEEK_CUR)
	refused(1, os.SEEK_CUR)
	refused(0, os.SEEK_END)
	first = os.read(fd, 50)				# of the header
	assert len(first) == 50
	assert os.lseek(fd, 0, os.SEEK_CUR) == 50
	assert os.lseek(fd, -40, os.SEEK_CUR) == 10
	assert os.read(fd, 20) == first[10:30]
	assert os.lseek(fd, 5, os.SEEK_SET) == 5
	assert os.read(fd, 45) == first[5:]
	refused(-51, os.SEEK_CUR)
	refused(-1 << 63, os.SEEK_CUR)
	refused((1 << 63) - 1, os.SEEK_SET)
	# Each read can be given back as a whole, whatever batch it was from.
	text = first
	while text.count(b'\n') < 2 + int(sys.argv[2]):
	    more = os.read(fd, 1000)
	    assert os.lseek(fd, -len(more), os.SEEK_CUR) == len(text)
	    assert os.read(fd, 1000) == more
	    text += more
	assert text.count(b' ltt_test.event: ') == int(sys.argv[2])
	refused(1, os.SEEK_CUR)
	PY
	destroy_trace seek
}

run_test "head gives back what it does not show" with_head
run_test "a shell's read" with_read
run_test "grep -m" with_grep
run_test "positions" positions
finish
