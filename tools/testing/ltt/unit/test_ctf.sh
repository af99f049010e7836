#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_ctf.sh BUILD-DIRECTORY
#
# Traces that make_trace makes on machines of both byte orders are what
# babeltrace2 takes for CTF, and mean the same.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC LC_ALL=C

# shellcheck source=ktap.sh
. "$(dirname "$0")/ktap.sh"

# text NAME DIR: of the trace DIR in $tmp/NAME, warnings in $tmp/NAME.err
text()
{
	babeltrace2 "$2" > "$tmp/$1" 2> "$tmp/$1.err"
}

make_both()
{
	local order

	"$build/make_trace" "$tmp/le" > "$tmp/le.made" &&
	qemu-s390x "$build/make_trace_s390x" "$tmp/be" > "$tmp/be.made" || return
	for order in le be; do
		text "$order.text" "$tmp/$order" || { cat "$tmp/$order.text.err"; return 1; }
	done
}

same_events()
{
	diff "$tmp/le.made" "$tmp/be.made"
}

# All there, and no complaint; losses it reports as warnings, but they are none.
read_one()
{
	local order=$1 made lost told

	if grep -v '^WARNING: Tracer discarded [0-9]* events' "$tmp/$order.text.err"; then
		return 1
	fi
	made=$(awk '{ n += $3 } END { print n }' "$tmp/$order.made")
	[ "$(wc -l < "$tmp/$order.text")" -eq "$made" ] || { echo "not $made events"; return 1; }
	lost=$(awk '/^loss_/ { n += $5 } END { print n }' "$tmp/$order.made")
	told=$(awk '{ n += $4 } END { print n }' "$tmp/$order.text.err")
	[ "$lost" -gt 0 ] || { echo "nothing was lost"; return 1; }
	[ "$told" -eq "$lost" ] || { echo "not $lost events lost"; return 1; }
}

same_text()
{
	[ -s "$tmp/le.text" ] && cmp "$tmp/le.text" "$tmp/be.text"
}

# Of a machine, the text of the metadata knows nothing but its byte order.
same_metadata()
{
	diff "$tmp/le/metadata" "$tmp/be/metadata" | grep '^[<>]' > "$tmp/diff"
	printf '%s\tbyte_order = %s;\n' '< ' le '> ' be | diff - "$tmp/diff"
}

every_kind()
{
	sed -n 's/^\tname = "\(.*\..*\)";/\1/p' "$tmp/le/metadata" | sort > "$tmp/declared"
	[ "$(wc -l < "$tmp/declared")" -gt 50 ] &&
	grep -ao ' [a-z]*\.[a-z_0-9]*: { cpu_id' "$tmp/le.text" | cut -d: -f1 | tr -d ' ' |
		sort -u | diff "$tmp/declared" -
}

# The index is of use: with it and without, the text is the same.
without_index()
{
	local order

	for order in le be; do
		mv "$tmp/$order/index" "$tmp/$order.index" &&
		text "$order.again" "$tmp/$order" &&
		cmp "$tmp/$order.text" "$tmp/$order.again" || return
	done
}

# Fields that several events have are declared once; with each of them means the same.
declared_once()
{
	local options=(--names=all --fields=all) order

	"$build/make_trace" --apart "$tmp/apart" > "$tmp/apart.made" &&
	diff "$tmp/le.made" "$tmp/apart.made" || return
	for order in le apart; do
		grep -c 'ENOENT' "$tmp/$order/metadata" > "$tmp/$order.enums"
		babeltrace2 "${options[@]}" "$tmp/$order" > "$tmp/$order.full" \
			2> "$tmp/$order.full.err" || return
	done
	# The enumeration itself, and its format.
	[ "$(cat "$tmp/le.enums")" = 2 ] && [ "$(cat "$tmp/apart.enums")" = 40 ] || return
	cmp "$tmp/le.full" "$tmp/apart.full" && grep -q 'ret = ( "ENOENT" :' "$tmp/le.full"
}

echo 'KTAP version 1'
set_up make_both
run_test "a trace of either byte order is made" same_events
run_test "babeltrace2 reads the little-endian one" read_one le
run_test "babeltrace2 reads the big-endian one" read_one be
run_test "both have the same text" same_text
run_test "metadata differ in the byte order only" same_metadata
run_test "every kind of event is there" every_kind
run_test "an index changes nothing" without_index
run_test "fields declared once are those declared with each event" declared_once
echo "1..$number"
exit $failed
