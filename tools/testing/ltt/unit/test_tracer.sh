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
	make_files "$LTT_ROOT/traces/there" &&
	printf '%s.m\tmodule\toff\tformat\n' some half1 half2 most > "$LTT_ROOT/markers" &&
	# Name, mode, size, number, timer, buffers. No kernel has such large ones.
	printf '%s\tdiscard\t%s\t0\tchannel\n' some $'4096\t4' half1 $'4611686018427387904\t2' \
		half2 $'4611686018427387904\t2' most $'9223372036854775807\t2' \
		> "$LTT_ROOT/channels"
}

# expect STATUS TEXT COMMAND...: this status, and TEXT on standard error
expect()
{
	local want=$1 text=$2 status=0

	shift 2
	timeout 120 "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null || status=$?
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

# A host that takes the connection and says nothing: it is not waited for.
silent_host()
{
	local pid host status=0 port

	python3 -c '
import select, signal, socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
select.select([s], [], [])
print("connected", flush=True)
signal.pause()' > "$tmp/silent" &
	host=$!
	until port=$(head -n 1 "$tmp/silent") && [ "$port" ]; do sleep 0.1; done
	"$ltt" record -o "net://127.0.0.1:$port" -t there 2> "$tmp/err" &
	pid=$!
	until grep -q connected "$tmp/silent"; do sleep 0.1; done
	kill -TERM "$pid"
	wait "$pid" || status=$?
	kill "$host"
	cat "$tmp/err"
	echo "status $status"
	# If it were the host that took too long, that would be said.
	[ "$status" = 143 ] && grep -q "canceled" "$tmp/err"
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

# refused OPTION VALUE...: the first one by all commands that have such an option, before they do
# anything; the others are parsed by the same function.
refused()
{
	local option=$1 value

	expect 2 "invalid ${option//-/ }: '$2'" "$ltt" create new -e 'some.*' "--$option=$2" &&
	expect 2 "invalid ${option//-/ }: '$2'" \
		"$ltt" record -o "$tmp/refused" -e 'some.*' "--$option=$2" -- true &&
	expect 2 "invalid ${option//-/ }: '$2'" \
		"$ltt" text -e 'some.*' "--$option=$2" -- true || return
	shift
	for value; do
		expect 2 "invalid ${option//-/ }: '$value'" \
			"$ltt" plan -e 'some.*' "--$option=$value" || return
	done
	[ ! -e "$tmp/refused" ] && [ ! -s "$LTT_ROOT/setup_trace" ]
}

parameters()
{
	# Some would be all right if they were cut to 32 or 64 bits.
	refused size 0 3 5000 2K 8M 4G 4T 64Q K x 0x1000 -4096 +4096 4294971392 \
		18446744073709555712 18014398509481984K &&
	refused number 0 1 3 128K 2G x -2 4294967298 &&
	refused mode nonsense Discard discard,overwrite &&
	refused switch-timer x 3600001 4294967296 -1 1.5 &&
	refused budget x -1 1Q 18446744073709551616 16777216T
}

# planned BYTES OPTION...
planned()
{
	expect 0 '' "$ltt" plan -e 'some.*' --budget 18446744073709551615 "${@:2}" || return
	grep -qx "bytes	$1" "$tmp/out" || { cat "$tmp/out"; return 1; }
}

plans()
{
	planned 32768 --cpus 2 &&
	planned 549755813888 --cpus 2 --size 4M --number 64K &&
	planned 8192 --cpus 1 --size 4K --number 2 --mode overwrite --switch-timer 3600000 &&
	planned 16384 --cpus 1 --size ' 4096' --mode discard --switch-timer 0 &&
	expect 0 '' "$ltt" plan -e 'some.*' --cpus 1 --budget default &&
	expect 1 '16 KiB are more than the budget of 15 KiB' \
		"$ltt" plan -e 'some.*' --cpus 1 --budget 16383 &&
	expect 0 '' "$ltt" plan -e 'half1.*' --cpus 1 --budget 8388608T &&
	expect 1 '9007199254740992 KiB are more than the budget' \
		"$ltt" plan -e 'half1.*' --cpus 1 --budget 1T
}

# too_much OPTION...: more than 64 bits can say
too_much()
{
	expect 1 'more than 18446744073709551615 bytes' \
		"$ltt" plan --budget 18446744073709551615 "$@" && ! grep '^bytes' "$tmp/out"
}

overflows()
{
	too_much -e 'half1.*' --cpus 2 &&
	too_much -e 'half1.* half2.*' --cpus 1 &&
	too_much -e 'half1.*' --cpus 1 --number 4 &&
	expect 1 '18014398509481984 KiB are more than the budget of 16777216 KiB' \
		"$ltt" plan -e 'most.*' --cpus 1 --budget 16G
}

echo 'KTAP version 1'
set_up make_tracer
run_test "a signal before the command of ltt record starts" early_signal record
run_test "a signal before the command of ltt text starts" early_signal text
run_test "a signal while a host does not answer" silent_host
run_test "what the command inherits" command_inherits
run_test "the command's status" statuses
run_test "options of a new trace with one that there is" existing
run_test "parameters that no trace can have" parameters
run_test "plans" plans
run_test "plans that are too large to be counted" overflows
echo "1..$number"
exit $failed
