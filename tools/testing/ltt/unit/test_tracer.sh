#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_tracer.sh LTT
#
# The commands that control the tracer (LTT, built with sanitizers), on a directory of plain
# files instead: what they do with their options, with signals, and for the command that they
# start. Nothing is recorded.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

ltt=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C LTT_ROOT=$tmp/ltt

# shellcheck source=ktap.sh
. "$here/ktap.sh"

# make_files TRACE: those of a trace
make_files()
{
	mkdir -p "$1/binary" "$1/channels" "$1/text" &&
	touch "$1/enabled" "$1/flush" "$1/markers" "$1/text/ALL" &&
	echo '/* CTF 1.8 */' > "$1/binary/metadata"
}

# The tracer, with a trace named there.
make_tracer()
{
	mkdir -p "$LTT_ROOT/traces" &&
	touch "$LTT_ROOT/setup_trace" "$LTT_ROOT/destroy_trace" &&
	make_files "$LTT_ROOT/traces/there"
}

# expect STATUS TEXT COMMAND...: this status, and TEXT on standard error
expect()
{
	local want=$1 text=$2 status=0

	shift 2
	timeout 20 "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null || status=$?
	[ "$status" = "$want" ] || { echo "status $status: $*"; cat "$tmp/err"; return 1; }
	grep -qF -- "$text" "$tmp/err" || { echo "no '$text': $*"; cat "$tmp/err"; return 1; }
}

# creates COMMAND PID: its guard is there, which is started before the trace is created
creates()
{
	local i

	for i in $(seq 100); do
		pgrep -P "$2" > /dev/null && return
		sleep 0.1
	done
	echo "$1 does not get there after $i attempts"
	return 1
}

# A signal that comes while the trace is created: the command is not started.
early_signal()
{
	local what=$1 root=$tmp/early-$1 options=(-e 'a.*' --per-channel) pid status=0

	[ "$what" = text ] || options+=(-o "$tmp/early")
	mkdir -p "$root/traces" && mkfifo "$root/setup_trace" && touch "$root/destroy_trace" ||
		return
	LTT_ROOT=$root env --default-signal=INT "$ltt" "$what" "${options[@]}" \
		-- "$tmp/no-such-command" > /dev/null 2> "$tmp/err" &
	pid=$!
	# It waits for a reader.
	creates "$what" "$pid" && make_files "$root/traces/$what-$pid" && kill -INT "$pid"
	cat "$root/setup_trace" > "$tmp/name"
	wait "$pid" || status=$?
	cat "$tmp/err"
	echo "status $status"
	[ "$status" = 130 ] && ! grep -q 'no-such-command' "$tmp/err" &&
		[ "$(cat "$root/destroy_trace")" = "$what-$pid" ]
}

echo 'KTAP version 1'
set_up make_tracer
run_test "a signal before the command of ltt record starts" early_signal record
run_test "a signal before the command of ltt text starts" early_signal text
echo "1..$number"
exit $failed
