# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # $tmp and $ltt are lib.sh's
#
# What the tests of the ltt command share. Sourced after lib.sh.

command -v ltt > /dev/null || { echo "1..0 # SKIP ltt is not built"; exit 4; }

# check_trace DIR [OPTION]: ltt view and babeltrace2 read the whole of it without a
# word, and see the same number of events. Leaves DIR.text and DIR.babel.
# OPTION lossy: events may have been lost, which babeltrace2 says on standard error.
check_trace()
{
	local dir=$1 option=${2:-} n

	ltt view "$dir" > "$dir.text" 2> "$dir.err" || fail "view: $(head -n 3 "$dir.err")"
	expect "what view says" "" "$(head -n 3 "$dir.err")"
	babeltrace2 "$dir" > "$dir.babel" 2> "$dir.err" ||
		fail "babeltrace2: $(head -n 3 "$dir.err")"
	[ "$option" != lossy ] || sed -i '/^WARNING: Tracer \(may have \)\?discarded/d' "$dir.err"
	expect "what babeltrace2 says" "" "$(head -n 3 "$dir.err")"
	n=$(events < "$dir.text" | wc -l)
	expect "events in babeltrace2" "$n" "$(wc -l < "$dir.babel")"
}

# For wait_for, too, which "none" would end at once.
no_guard()
{
	local file name

	for file in /proc/[0-9]*/comm; do
		{ read -r name < "$file"; } 2> /dev/null || continue
		[ "$name" != ltt-guard ] || return 1
	done
}

# No temporary trace is left, and no guard process.
nothing_left()
{
	local left=("$ltt"/traces/*)

	no_guard || fail "there is a guard"
	expect "traces left" "" "${left[*]##*/}"
}

# record_background OPTIONS...: ltt record in the background, as if from a terminal;
# returns when it records; its PID is $!, its trace's name in $recording
record_background()
{
	env --default-signal=INT,TERM,HUP ltt record "$@" 2> "$tmp/record.err" &
	recording=record-$!
	[ "${1:-}" = -t ] || wait_for 20 recording "$!" ||
		fail "it does not start: $(cat "$tmp/record.err")"
}

recording()
{
	local enabled=

	{ read -r enabled < "$ltt/traces/record-$1/enabled"; } 2> /dev/null || true
	[ "$enabled" = 1 ] || ! kill -0 "$1"
}

# unable_to_destroy COMMAND...: a trace, the first time; COMMAND's guard can. Not for ever.
unable_to_destroy()
{
	timeout -k 5 60 strace -o /dev/null -P "$ltt/destroy_trace" -e trace=write \
		-e inject=write:error=ENOMEM:when=1 "$@"
}

# trapped FILE: a command that tells the signals it gets, and ends with status 5 when FILE.go is there
trapped()
{
	# shellcheck disable=SC2034 # is its caller's
	command=(sh -c 'for s in INT TERM HUP; do trap "echo $s >> $0" $s; done; touch "$0"
		until [ -e "$0.go" ]; do sleep 0.1; done; exit 5' "$1")
}

# again PID: SIGTERM once more, until it ends; for wait_for
again()
{
	kill -TERM "$1" 2> /dev/null
	has_ended "$1"
}

# ended PID STATUS: wait for it; that must be its exit status
ended()
{
	local status=0

	wait "$1" || status=$?
	expect "exit status" "$2" $status
}
