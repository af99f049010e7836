#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_small_ctf.sh LTT
#
# Traces of other tracers that have a few packets each, see small_ctf.py: what is lost, damaged, and
# called how.
# shellcheck disable=SC2317,SC2016 # tests are called by name; LTT has a "$", too
set -uo pipefail

ltt=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/ktap.sh"

# shows STATUS DIRECTORY [OPTION...]: what ltt view shows of it, in $tmp/out; its messages in $tmp/err
shows()
{
	local status=0

	"$ltt" view "${@:3}" "$tmp/made/$2" > "$tmp/out" 2> "$tmp/err" || status=$?
	[ $status = "$1" ] && return
	cat "$tmp/err"
	echo "$2: $status, not $1"
	return 1
}

# lines REGEX: how many are there?
lines()
{
	grep -c "$1" "$tmp/out"
}

empty_packet()
{
	local lost='^# lost 5 events cpu 0 channel chan before 0\.000000400$'

	shows 0 empty && [ "$(lines "$lost")" = 1 ] &&
	shows 0 empty -b 0.0000004 && [ "$(lines "$lost")" = 1 ] && [ "$(lines ' a=')" = 2 ] &&
	shows 0 empty -b 0.00000045 && [ "$(lines lost)" = 0 ] && [ "$(lines ' a=')" = 1 ]
}

names()
{
	shows 0 names && [ "$(lines ' disk_1\.e: a=0$')" = 2 ] && [ "$(lines ' disk_2\.e: a=1$')" = 2 ] &&
	shows 0 names -m 'disk_2.*' && [ "$(lines 'a=')" = 2 ] &&
	shows 0 pieces && [ "$(lines ' chan\.e: ')" = 12 ]
}

context()
{
	shows 0 context --filter '*.e: $path ~ "*/b" && len($path) == 83' && [ "$(lines 'a=1 ')" = 1 ] &&
	[ "$(lines 'a=')" = 1 ] &&
	shows 0 context --filter '*.e: $seq[31] == 31' && [ "$(lines 'a=')" = 1 ] &&
	shows 0 context --filter '*.e: $seq[31] == 0' && [ "$(lines 'a=')" = 0 ]
}

# A pattern, and one only, with blanks around it.
filter()
{
	shows 0 nested --filter ' *.e : s.x == 1' && [ "$(lines 's.x=1')" = 2 ] && [ "$(lines 's.x=')" = 2 ] &&
	shows 2 nested --filter '*.f *.e: s.x == 1' && grep -q 'expected PATTERN: EXPR' "$tmp/err"
}

nested_key()
{
	"$ltt" pair '*.e' '*.e' --key s.x "$tmp/made/nested" > "$tmp/out" &&
	grep -q '^# begins 6 ends 6 pairs 3 ' "$tmp/out"
}

# The others are not read, and that is told.
damaged_size()
{
	shows 1 cut && [ "$(lines ' a=')" = 2 ] && [ "$(lines '^# corrupt cpu 0 channel chan packet 1 ')" = 1 ] &&
	grep -q '/chan_0: offset 76: packet does not end where its size says$' "$tmp/err" &&
	shows 1 first && [ "$(lines ' a=')" = 0 ] &&
	grep -q '/chan_0: offset 0: packet does not end where its size says$' "$tmp/err" || return
	# Files that really end there.
	cp -r "$tmp/made/whole" "$tmp/made/ended"
	truncate -s -10 "$tmp/made/ended/chan_0"
	shows 0 ended && [ "$(lines ' a=')" = 10 ] && [ "$(lines corrupt)" = 0 ] &&
	grep -q 'note: the last packet is truncated$' "$tmp/err" &&
	shows 0 magic && [ "$(lines ' a=')" = 1 ] && [ "$(lines corrupt)" = 0 ] &&
	grep -q 'note: the last packet is truncated$' "$tmp/err"
}

# What is lost inside a file and between two of them is told once.
pieces()
{
	shows 0 whole && cp "$tmp/out" "$tmp/whole" && [ "$(lines '^# lost')" = 2 ] &&
	shows 0 pieces && cmp "$tmp/whole" "$tmp/out" && [ ! -s "$tmp/err" ] &&
	shows 0 pieces -j 3 && cmp "$tmp/whole" "$tmp/out" &&
	shows 0 later && [ "$(lines '^# lost 2 events')" = 1 ] && [ "$(lines '^# lost')" = 1 ] &&
	grep -q '/chan_0_1: .*note: packet 2 is the first that is found; what was lost' "$tmp/err"
}

echo "KTAP version 1"
run_test "make the traces" "$here/small_ctf.py" "$tmp/made"
run_test "a packet without events tells losses" empty_packet
run_test "names with numbers" names
run_test "contexts of any size" context
run_test "the pattern of a filter" filter
run_test "fields of structures are keys" nested_key
run_test "streams in several files" pieces
run_test "the size of a packet is damaged" damaged_size
echo "1..$number"
exit $failed
