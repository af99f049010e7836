# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC3043
#
# For tests of other things than LTT: what must, or must not, have happened in the kernel. See
# Documentation/trace/ltt/expect.rst. For any shell that has `local'; needs root and the command ltt.
# Functions say on standard error what is wrong, and return
#
#	0	it is as expected
#	1	it is not
#	2	a bad argument, or the tracer refuses
#	4	no tracer here; kselftest's code for a skipped test

ltt_dir=/sys/kernel/debug/ltt
ltt_trace=

# ltt_say WORD...
ltt_say()
{
	echo "ltt: $*" >&2
}

# ltt_write WORD FILE: a request to the tracer; says why it refuses
ltt_write()
{
	local log="$ltt_dir/error_log"

	# The shell would name its own line.
	{ echo "$1" > "$ltt_dir/$2"; } 2> /dev/null && return
	case $2 in
	traces/*)	log=$ltt_here/error_log ;;
	esac
	ltt_say "$2: '$1' is refused: $(tail -n 1 "$log" 2> /dev/null)"
	return 2
}

# ltt_begin [-s SIZE] [-c CONTEXTS] PATTERN...: record the events that match, from now on; those of
# before are forgotten. SIZE is what the buffer of each CPU holds, in KiB, a power of two, 32 at
# least. The default is 1024. ltt_expect and ltt_expect_no tell if that was not enough. CONTEXTS,
# separated by blanks, are recorded with each event; expressions can ask for $pid then.
ltt_begin()
{
	local size=1024 contexts='' status=0

	while :; do
		case ${1:-} in
		-s)	size=${2:-} ;;
		-c)	contexts=${2:-} ;;
		*)	break ;;
		esac
		[ $# -lt 2 ] || shift
		shift
	done
	case $size in
	''|*[!0-9]*)	ltt_say "ltt_begin: '$size' is not a number of KiB"; return 2 ;;
	esac
	case ${1:--} in
	-*)		ltt_say "usage: ltt_begin [-s SIZE] [-c CONTEXTS] PATTERN..."; return 2 ;;
	esac
	command -v ltt > /dev/null || { ltt_say "the command ltt is not installed"; return 4; }
	[ -d $ltt_dir/traces ] || modprobe -qa ltt-core ltt-textout ltt-tracepoints
	[ -d $ltt_dir/traces ] || { ltt_say "this kernel has no LTT"; return 4; }
	ltt_end
	ltt_write "expect_$$" setup_trace || return
	ltt_trace=expect_$$
	ltt_here=$ltt_dir/traces/$ltt_trace
	ltt_setup "$size" "$contexts" "$@" || status=2
	[ $status = 0 ] || ltt_end
	return $status
}

# ltt_setup SIZE CONTEXTS PATTERN...: the new trace
ltt_setup()
{
	local here=traces/$ltt_trace size=$1 contexts=$2 pattern

	shift 2
	ltt_write shared $here/buffers &&
		ltt_write overwrite $here/channels/shared/mode &&
		ltt_write $((size * 128)) $here/channels/shared/subbuf_size &&
		ltt_write 8 $here/channels/shared/subbuf_num || return
	[ ! "$contexts" ] || ltt_write "$contexts" $here/channels/shared/contexts || return
	for pattern; do
		ltt_write "$pattern" $here/markers || return
	done
	ltt_write 1 $here/snapshot_max && ltt_write 1 $here/enabled
}

# ltt_end: stop recording. May be called when nothing is recorded, and in a trap.
ltt_end()
{
	[ "$ltt_trace" ] || return 0
	ltt_write $ltt_trace destroy_trace || return
	ltt_trace=
}

# ltt_now: hundredths of a second since some time
ltt_now()
{
	local now

	read -r now _ < /proc/uptime
	echo "${now%.*}${now#*.}"
}

# ltt_time TIME: a number of s or ms, in hundredths of a second, rounded up
ltt_time()
{
	local number=${1%s} factor=100

	case $1 in
	*ms)	number=${1%ms} factor=0.1 ;;
	esac
	case $number in
	''|.*|*[!0-9.]*|*.*.*)	return 1 ;;
	esac
	awk -v time="$number" -v factor=$factor \
		'BEGIN { time *= factor; print int(time) + (time > int(time)) }'
}

# ltt_arguments FUNCTION PATTERN [EXPR] [within TIME] [count N]: sets ltt_pattern, ltt_expr,
# ltt_within (hundredths of a second) and ltt_count
ltt_arguments()
{
	local name=$1

	ltt_pattern=${2:-} ltt_expr='' ltt_within=0 ltt_count=1
	[ "$ltt_trace" ] || { ltt_say "$name: ltt_begin was not called"; return 2; }
	[ "$ltt_pattern" ] || { ltt_say "usage: $name PATTERN [EXPR] [within TIME] [count N]"; return 2; }
	shift 2
	case ${1:-within} in
	within|count)	;;
	*)		ltt_expr=$1; shift ;;
	esac
	while [ $# -gt 0 ]; do
		case $1 in
		within)	ltt_within=$(ltt_time "${2:-}") ||
				{ ltt_say "$name: within: '${2:-}' is not a time"; return 2; } ;;
		count)	ltt_count=${2:-}
			case $ltt_count in
			''|*[!0-9]*|0)	ltt_say "$name: count: '$ltt_count' is not a number"; return 2 ;;
			esac ;;
		*)	ltt_say "$name: '$1' is neither within nor count"; return 2 ;;
		esac
		shift 2
	done
}

# ltt_known: is any marker recorded whose events the pattern matches?
ltt_known()
{
	local sign name

	while read -r sign name _; do
		# shellcheck disable=SC2254 # it is a pattern
		case $sign$name in
		+$ltt_pattern)	return 0 ;;
		esac
	done < "$ltt_here/markers"
	return 1
}

# ltt_look DIRECTORY: a copy of what has been recorded so far. Sets ltt_missed: events that are not
# in it.
ltt_look()
{
	local number

	rm -rf "$1/trace"
	mkdir "$1/trace" || return 2
	ltt_write 1 "traces/$ltt_trace/snapshot" || return
	ltt_missed=$(awk '!/^#/ { n += $3 + $4 } END { print n + 0 }' "$ltt_here/channels/shared/stats")
	number=$(awk '!/^#/ { n = $1 } END { print n }' "$ltt_here/snapshot")
	cp "$ltt_here/snapshots/$number/binary/"* "$1/trace/" || return 2
	ltt_write "!$number" "traces/$ltt_trace/snapshot"
}

# ltt_show DIRECTORY [EXPR]: of a copy, the events that match
ltt_show()
{
	ltt view -m "$ltt_pattern" ${2:+--filter "$ltt_pattern: $2"} "$1/trace" > "$1/all" || return 2
	grep -v '^#' "$1/all"
	return 0
}

# ltt_wanted: what is looked for, in words
ltt_wanted()
{
	echo "$ltt_pattern${ltt_expr:+ with $ltt_expr}"
}

# ltt_seen DIRECTORY: what there was instead
ltt_seen()
{
	ltt_show "$1" > "$1/others"
	ltt_say "recorded: $(wc -l < "$1/others") $ltt_pattern"
	tail -n 5 "$1/others" >&2
	[ "$ltt_missed" = 0 ] ||
		ltt_say "$ltt_missed events had no room: give ltt_begin a larger -s"
}

# ltt_search DIRECTORY WANTED: look until COUNT events were found, at most as long as said; to
# DIRECTORY/found. Returns 1 if there are fewer.
ltt_search()
{
	local end=$(($(ltt_now) + ltt_within)) last

	while :; do
		[ "$(ltt_now)" -lt $end ] && last='' || last=1
		ltt_look "$1" || return 2
		ltt_show "$1" "$ltt_expr" > "$1/found" || return 2
		[ "$(wc -l < "$1/found")" -lt "$2" ] || return 0
		[ ! "$last" ] || return 1
		sleep 0.1
	done
}

# ltt_expect PATTERN [EXPR] [within TIME] [count N]: an event, or N of them, for which EXPR is true
# have been recorded since ltt_begin, or are within TIME. Prints their lines.
ltt_expect()
{
	local dir status=0

	ltt_arguments ltt_expect "$@" || return
	dir=$(mktemp -d) || return 2
	ltt_search "$dir" "$ltt_count" || status=$?
	case $status in
	0)	cat "$dir/found" ;;
	1)	ltt_say "expected $ltt_count, found $(wc -l < "$dir/found"): $(ltt_wanted)"
		ltt_known || ltt_say "no marker that is recorded has that name"
		ltt_seen "$dir" ;;
	esac
	rm -rf "$dir"
	return $status
}

# ltt_expect_no PATTERN [EXPR] [within TIME]: no event for which EXPR is true has been recorded
# since ltt_begin, nor is one within TIME.
ltt_expect_no()
{
	local dir status=0

	ltt_arguments ltt_expect_no "$@" || return
	ltt_known || { ltt_say "$ltt_pattern: no marker that is recorded has that name"; return 2; }
	dir=$(mktemp -d) || return 2
	ltt_search "$dir" 1 || status=$?
	case $status in
	0)	ltt_say "not expected: $(ltt_wanted)"
		head -n 5 "$dir/found" >&2
		status=1 ;;
	1)	status=0
		[ "$ltt_missed" = 0 ] || { ltt_seen "$dir"; status=1; } ;;
	esac
	rm -rf "$dir"
	return $status
}
