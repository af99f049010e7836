# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # $tmp and $ltt are lib.sh's
#
# What tests share that see the same trace as text and as a capture. Sourced after lib.sh.

# capture TRACE: to $tmp/ctf.TRACE, in the background; its PID is $!
capture()
{
	rm -rf "$tmp/ctf.$1"
	ltt record -t "$1" -o "$tmp/ctf.$1" 2> "$tmp/ctf.$1.err" &
	wait_for 10 test -s "$tmp/ctf.$1/metadata"
}

# both TRACE: let text and capture see all of it from now on. Nothing is read before both are
# there: what one has read, a second one that comes later does not find.
both()
{
	local fd

	exec {fd}< "$ltt/traces/$1/text/ALL"
	capture "$1"
	capture_pid=$!
	cat <&"$fd" > "$tmp/text.$1" &
	text_pid=$!
	exec {fd}<&-
}

# ended TRACE: end it and wait for both
ended()
{
	destroy_trace "$1"
	wait $text_pid
	wait $capture_pid || { cat "$tmp/ctf.$1.err"; fail "capture"; }
}

# flood TRACE SIZE MODE: more of ltt-test's events than four buffers of SIZE bytes hold, from all
# contexts on all CPUs, while both see a new trace without channels, and the text is not read;
# $generated is their number
flood()
{
	local before

	before=$(generated)
	channel_buffers "$1" ltt_test "$2" 4 "$3"
	echo 'ltt_test.*' > "$ltt/traces/$1/markers"
	start_trace "$1"
	both "$1"
	kill -STOP $text_pid
	generate 5000 15 20
	kill -CONT $text_pid
	generated=$(($(generated) - before))
	ended "$1"
}

generated()
{
	awk '{ n += $NF } END { print n }' /sys/kernel/debug/ltt_test/generated
}
