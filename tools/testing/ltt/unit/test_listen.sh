#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_listen.sh LTT
#
# Where the command `ltt serve` (LTT, built with sanitizers) listens, and who comes there, without a
# tracer: it serves no trace.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

ltt=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C LTT_ROOT=$tmp/ltt

# shellcheck source=ktap.sh
. "$here/ktap.sh"

make_tracer()
{
	mkdir -p "$LTT_ROOT/traces" && touch "$LTT_ROOT/setup_trace"
}

# wait_for COMMAND...: for two minutes
wait_for()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "never: $*"
	return 1
}

# serve NAME ARGUMENT...: in the background; its PID is $server, what it says is in NAME.err. It
# ends with the case, which runs in a shell of its own.
serve()
{
	# What an earlier one of that name has said is no sign of this one.
	: > "$tmp/$1.err"
	"${under[@]}" "$ltt" serve "${@:2}" 'none*' > /dev/null 2> "$tmp/$1.err" &
	server=$!
	trap 'jobs -p | xargs -r kill 2> /dev/null' EXIT
	wait_for grep -qs 'listening on' "$tmp/$1.err" || { cat "$tmp/$1.err"; return 1; }
}
under=()

# end_server PID
end_server()
{
	kill -TERM "$1" && wait "$1"
}

# Only what is for root alone needs no warning. One is enough for loopback.
warnings()
{
	local all='every user of this machine can read the traces'

	serve tcp -l 127.0.0.1:0 -l '[::1]:0' && wait_for grep -q "$all" "$tmp/tcp.err" &&
	end_server "$server" && [ "$(grep -c "$all" "$tmp/tcp.err")" = 1 ] || return
	serve unix -l "$tmp/unix" && end_server "$server" && ! grep 'can read' "$tmp/unix.err" || return
	serve any -l 0.0.0.0:0 && wait_for grep -q 'whoever can connect' "$tmp/any.err" &&
	end_server "$server" && ! grep "$all" "$tmp/any.err"
}

# strace ARGUMENT...: under which the next server runs, as the same process
strace_of()
{
	under=(env ASAN_OPTIONS=detect_leaks=0 strace -D -qq -o "$tmp/strace" "$@")
}

# taken PATH: another server cannot have it
taken()
{
	expect 1 "$1: Address already in use" timeout 120 "$ltt" serve -l "$1" 'none*'
}

# One server at a time has a path; what one leaves that is killed is in nobody's way.
one_path()
{
	local first

	serve first -l "$tmp/path" && first=$server || return
	taken "$tmp/path" && [ -S "$tmp/path" ] || return
	kill -KILL "$first"
	wait "$first"
	serve second -l "$tmp/path" && end_server "$server" && ! ls "$tmp/path"* || return
	# It has a name, but does not listen yet.
	strace_of -e inject=listen:delay_enter=60s
	"${under[@]}" "$ltt" serve -l "$tmp/path" 'none*' 2> /dev/null > /dev/null &
	first=$!
	wait_for [ -S "$tmp/path" ] && taken "$tmp/path" || return
	# Until its time is up, strace keeps us from seeing its end.
	kill -KILL "$first"
}

# The socket of somebody else stays.
not_ours()
{
	serve ours -l "$tmp/ours" && rm "$tmp/ours" || return
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$tmp/ours" &&
	end_server "$server" && [ -S "$tmp/ours" ]
}

# Nor is a lock that another program has written, or that is there beside its socket, touched.
not_our_lock()
{
	python3 -c 'import signal, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
signal.pause()' "$tmp/theirs" &
	trap "kill $!" EXIT
	wait_for [ -S "$tmp/theirs" ] && echo 1234 > "$tmp/theirs.lock" && taken "$tmp/theirs" &&
	[ "$(< "$tmp/theirs.lock")" = 1234 ] && : > "$tmp/theirs.lock" && taken "$tmp/theirs" &&
	[ -e "$tmp/theirs.lock" ] && [ -S "$tmp/theirs" ] || return
	# It need not have a socket yet.
	echo 1234 > "$tmp/soon.lock" && taken "$tmp/soon" && [ "$(< "$tmp/soon.lock")" = 1234 ] &&
	[ ! -e "$tmp/soon" ]
}

nowhere()
{
	expect 1 "$tmp/none/path: No such file or directory" timeout -s KILL 120 "$ltt" serve -l "$tmp/none/path" 'none*' &&
	ln -s nowhere "$tmp/link.lock" &&
	expect 1 "$tmp/link: Too many levels" timeout -s KILL 120 "$ltt" serve -l "$tmp/link" 'none*'
}

# viewer PATH OWN-PATH: somebody who says something wrong
viewer()
{
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
if sys.argv[2]: s.bind(sys.argv[2])
s.connect(sys.argv[1])
s.sendall(b"\377" * 16)
s.recv(1)' "$1" "$2" 2> "$tmp/viewer" || grep -q ConnectionReset "$tmp/viewer"
}

accepts()
{
	[ "$(grep -c 'accept4(' "$tmp/strace")" -ge "$1" ]
}

# cannot_accept ERRNO: for three times, a second apart
cannot_accept()
{
	strace_of -ttt -e trace=accept4,accept -e "inject=accept4,accept:error=$1:when=1..3"
	serve rest -l "$tmp/rest" || return
	viewer "$tmp/rest" '' &
	wait_for accepts 4 && wait_for grep -q 'unknown command' "$tmp/rest.err" &&
	end_server "$server" || return
	awk '/accept4\(/ { if (n++ && n <= 4 && $1 - last < 0.9) exit 1; last = $1 }' "$tmp/strace" ||
		{ cat "$tmp/strace"; return 1; }
	rm "$tmp/strace"
}

tired()
{
	cannot_accept ENOMEM && cannot_accept ENFILE && grep -q 'viewers have to wait: Too many open files in system' "$tmp/rest.err"
}

# What a viewer calls itself is not taken for a line of ours.
forged()
{
	serve names -l "$tmp/names" && viewer "$tmp/names" "$tmp/me"$'\n'"ltt: forged" &&
	wait_for grep -q 'unknown command' "$tmp/names.err" && end_server "$server" &&
	! grep '^ltt: forged' "$tmp/names.err" && grep -q '/me.*ltt: forged: unknown command' "$tmp/names.err"
}

echo 'KTAP version 1'
set_up make_tracer
run_test "warnings" warnings
run_test "one server for a path" one_path
run_test "a path that has become another's" not_ours
run_test "a lock that is another's" not_our_lock
run_test "a directory that is not there" nowhere
run_test "nobody can be accepted for a while" tired
run_test "a viewer's name" forged
echo "1..$number"
exit $failed
