#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_image.sh LTT IMAGE-PROGRAM
#
# ltt crash (LTT, built with sanitizers) on the image of a small area, which IMAGE-PROGRAM
# writes: what it shows, and that nothing of it stays.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

ltt=$1
program=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C TMPDIR=$tmp/tmp

# shellcheck source=ktap.sh
. "$here/ktap.sh"
# shellcheck source=../../selftests/ltt/lib/wait.sh
. "$here/../../selftests/ltt/lib/wait.sh"

make_image()
{
	mkdir "$TMPDIR" && "$program" "$tmp/image"
}

# is_empty DIRECTORY
is_empty()
{
	[ ! "$(ls -A "$1")" ] || { ls -A "$1"; return 1; }
}

as_view()
{
	"$ltt" crash -o "$tmp/dir" "$tmp/image" > "$tmp/info" &&
	"$ltt" view "$tmp/dir" > "$tmp/wanted" &&
	"$ltt" crash "$tmp/image" > "$tmp/text" && cmp "$tmp/wanted" "$tmp/text" &&
	[ "$(grep -vc '^#' "$tmp/text")" = "$(awk '$1 == "events" { print $2 }' "$tmp/info")" ] &&
	is_empty "$TMPDIR"
}

# What cannot be read twice shows the same.
from_pipe()
{
	"$ltt" crash <(cat "$tmp/image") > "$tmp/piped" && cmp "$tmp/wanted" "$tmp/piped"
}

# Files of others are not mixed with those of the trace.
not_empty()
{
	mkdir "$tmp/others" && touch "$tmp/others/file" &&
	expect 1 "$tmp/others: Directory not empty" "$ltt" crash -o "$tmp/others" "$tmp/image" &&
	[ "$(ls -A "$tmp/others")" = file ] && rm "$tmp/others/file" &&
	"$ltt" crash -o "$tmp/others" "$tmp/image" > /dev/null && diff -r "$tmp/dir" "$tmp/others"
}

# No text, and nothing is left: a directory that is not there, one that is full.
no_room()
{
	export TMPDIR=$tmp/none

	expect 1 "$tmp/none/ltt-crash." "$ltt" crash "$tmp/image" && [ ! -s "$tmp/out" ] || return
	TMPDIR=$tmp/tmp
	(ulimit -f 8 && expect 1 "$tmp/tmp/ltt-crash." "$ltt" crash "$tmp/image") &&
		is_empty "$TMPDIR"
}

is_full()
{
	[ "$(find "$TMPDIR" -name metadata -size +0)" ] && [ -s "$tmp/first" ]
}

# interrupted SIGNAL NUMBER: by it, in the middle of the text, of which the pipe takes a part only.
interrupted()
{
	local pid status=0

	mkfifo "$tmp/pipe.$1" && rm -f "$tmp/first" || return
	# Without job control, what runs in the background ignores SIGINT.
	env --default-signal "$ltt" crash "$tmp/image" > "$tmp/pipe.$1" &
	pid=$!
	exec 3< "$tmp/pipe.$1"
	head -n 1 <&3 > "$tmp/first"
	wait_for 20 is_full || { echo "no directory"; return 1; }
	kill -s "$1" "$pid"
	wait "$pid" 2> /dev/null || status=$?
	exec 3<&-
	[ "$status" -eq $((128 + $2)) ] || { echo "status $status"; return 1; }
	is_empty "$TMPDIR"
}

echo "KTAP version 1"
echo "1..7"
set_up make_image
run_test "the text is that of ltt view" as_view
run_test "a pipe" from_pipe
run_test "a directory that is not empty" not_empty
run_test "no room for it" no_room
run_test "SIGINT leaves nothing behind" interrupted INT 2
run_test "SIGTERM leaves nothing behind" interrupted TERM 15
run_test "SIGHUP leaves nothing behind" interrupted HUP 1
exit $failed
