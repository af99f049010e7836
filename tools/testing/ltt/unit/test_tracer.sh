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
	[ ! "$text" ] || grep -qF -- "$text" "$tmp/err" || { echo "no '$text': $*"; cat "$tmp/err"; return 1; }
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

# What a process has from the one that started it; of signals, those below 29: the C library
# has some of its own.
inherited="ulimit -Sn; ulimit -Hn; ls /proc/self/fd
	sed -nE 's/^(Sig(Blk|Ign):).*(.{7})$/\\1 \\3/p' /proc/self/status"

# Whatever ltt itself needs. It is started as nohup would, and with few files allowed.
command_inherits()
{
	rm -rf "$tmp/inherits"
	(
		ulimit -Sn 300
		exec 3<&- 4<&- 5<&-
		expect 0 '' env --ignore-signal=HUP sh -c "$inherited" && mv "$tmp/out" "$tmp/wanted" &&
		expect 0 '' env --ignore-signal=HUP "$ltt" record -q -o "$tmp/inherits" -t there \
			-- sh -c "$inherited"
	) && grep -qx 300 "$tmp/wanted" && grep -q 'SigIgn:.*1$' "$tmp/wanted" && diff "$tmp/wanted" "$tmp/out"
}

# ends STATUS COMMAND...: a command ends so, as that of ltt record
ends()
{
	rm -rf "$tmp/ends"
	expect "$1" '' "$ltt" record -q -o "$tmp/ends" -t there -- "${@:2}"
}

statuses()
{
	touch "$tmp/no-program"
	# shellcheck disable=SC2016 # the command's own
	ends 0 true &&
	ends 3 sh -c 'exit 3' &&
	ends 137 sh -c 'kill -KILL $$' &&
	ends 141 sh -c 'kill -PIPE $$' &&
	[ ! -s "$tmp/err" ] &&
	ends 127 "$tmp/no-such-command" && grep -q ': No such file' "$tmp/err" &&
	ends 127 no-such-command && grep -q '^ltt: no-such-command: No such file' "$tmp/err" &&
	ends 126 "$tmp/no-program" && grep -q ': Permission denied' "$tmp/err"
}

# What describes a new trace does not go with one that there is.
existing()
{
	local option

	for option in '--size 4K' '--number 4' '--mode discard' '--switch-timer 0' \
		      '--context tid' '--budget 1G' --per-channel; do
		# shellcheck disable=SC2086 # words
		expect 2 "cannot change the parameters of the existing trace 'there'" \
			"$ltt" record -q -o "$tmp/existing" $option -t there -- true &&
		expect 2 "cannot change the parameters of the existing trace 'there'" \
			"$ltt" text $option there || return
	done
	[ ! -e "$tmp/existing" ] &&
	expect 2 'cannot change' "$ltt" text --style format there &&
	expect 0 '' "$ltt" record -q -o "$tmp/existing" -t there -- true &&
	expect 0 '' "$ltt" text there
}

echo 'KTAP version 1'
set_up make_tracer
run_test "a signal before the command of ltt record starts" early_signal record
run_test "a signal before the command of ltt text starts" early_signal text
run_test "what the command inherits" command_inherits
run_test "the command's status" statuses
run_test "options of a new trace with one that there is" existing
echo "1..$number"
exit $failed
