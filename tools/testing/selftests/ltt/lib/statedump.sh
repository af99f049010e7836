# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What tests of the state dump share.

# has TRACE NAME VALUE: does its file statedump say so? Without a program that had to be
# started: a dump without a reader runs for hardly more than a second.
has()
{
	local name value

	while read -r name value; do
		[ "$name" != "$2" ] || break
	done < "$ltt/traces/$1/statedump"
	[ "$value" = "$3" ]
}

# state TRACE WORD: is its dump "running", "complete", ...?
state()
{
	has "$1" state "$2"
}

# begun TRACE: wait until its dump has recorded that it began, which is later than that it
# runs
begun()
{
	local end=$((SECONDS + 10))

	until has "$1" start 1; do
		[ $SECONDS -lt $end ] || fail "no beginning"
	done
}

# reads PID: for wait_for; a reader that has come to read, and waits for more. To begin takes
# the debug kernel longer than the second for which a dump waits.
reads()
{
	grep -qF '(cat) S ' "/proc/$1/stat"
}

complete()
{
	wait_for 120 state "$1" complete || { cat "$ltt/traces/$1/statedump"; fail "no end"; }
}

# value TRACE NAME: a number of its file statedump
value()
{
	sed -n "s/^$2 //p" "$ltt/traces/$1/statedump"
}

# dump_trace NAME SIZE NUMBER [PATTERN...]: a trace with buffers of that size
dump_trace()
{
	local name=$1 size=$2 number=$3

	shift 3
	[ -e /sys/module/ltt_statedump ] || modprobe ltt-statedump
	[ $# -ne 0 ] || set -- 'statedump.*'
	new_trace "$name"
	channel_buffers "$name" statedump "$size" "$number"
	[ ! "${contexts:-}" ] || echo "$contexts" > "$ltt/traces/$name/channels/statedump/contexts"
	printf '%s\n' "$@" > "$ltt/traces/$name/markers"
}

# ms_of COMMAND...: how long it takes
ms_of()
{
	local begin=${EPOCHREALTIME/./}

	"$@"
	echo $(((${EPOCHREALTIME/./} - begin) / 1000))
}
