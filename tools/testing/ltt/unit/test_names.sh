#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_names.sh BUILD-DIRECTORY LTT
#
# The command `ltt names` (LTT, built with sanitizers) on the traces of make_trace, of both byte
# orders, and of make_bench: babeltrace2 sees other names and the same values, LTT sees no change.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

build=$1
ltt=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC LC_ALL=C

# shellcheck source=ktap.sh
. "$here/ktap.sh"
# shellcheck source=traces.sh
. "$here/traces.sh"

# take TRACE: a copy to work on
take()
{
	rm -rf "$tmp/trace"
	cp -r "$tmp/$1" "$tmp/trace"
}

names()
{
	"$ltt" names --names="$1" "$tmp/trace"
}

# All but the metadata is as it was, and so is what LTT makes of it.
untouched()
{
	diff -r -x metadata "$tmp/$1" "$tmp/trace" &&
	cmp <("$ltt" view "$tmp/$1") <("$ltt" view "$tmp/trace")
}

# From each scheme to each other one, and back.
there_and_back()
{
	local scheme

	take "$1"
	for scheme in ltt perf lttng perf perf ltt lttng lttng ltt; do
		names $scheme && untouched "$1" || return
		[ $scheme != ltt ] || cmp "$tmp/$1/metadata" "$tmp/trace/metadata" || return
	done
}

# seen TRACE SCHEME SED-SCRIPT: babeltrace2's lines are those of LTT's names, changed by the script
seen()
{
	take "$1" && names "$2" && babeltrace2 "$tmp/trace" > "$tmp/seen" &&
	babeltrace2 "$tmp/$1" | sed -E "$3" | diff - "$tmp/seen" && [ -s "$tmp/seen" ]
}

# Where the name is in a line of babeltrace2.
before='^(\[[^]]*\] \([^)]*\) ([^ ]* )?)'

perf()
{
	seen "$1" perf "s/$before([^ .:]+)\\./\\1\\3:/"
}

lttng()
{
	seen "$1" lttng "/${before}sched\\./s/\\b(([a-z]+_)?)pid = /\\1tid = /g
		s/${before}raw_syscalls\\.sys_enter:/\\1syscall_entry_unknown:/
		s/${before}raw_syscalls\\.sys_exit:/\\1syscall_exit_unknown:/
		s/$before([^ .:]+)\\.\\3_/\\1\\3_/
		s/$before([^ .:]+)\\./\\1\\3_/"
}

# Names by which Trace Compass knows what it shows, see rewrite.c.
known()
{
	take bench && names perf && grep -q '^	tracer_name = "perf";$' "$tmp/trace/metadata" &&
	grep -q '^	domain = "kernel";$' "$tmp/trace/metadata" &&
	grep -q '^	name = "sched:sched_switch";$' "$tmp/trace/metadata" &&
	names lttng && grep -q '^	tracer_name = "lttng-modules";$' "$tmp/trace/metadata" &&
	grep -q '^	tracer_major = 2;$' "$tmp/trace/metadata" &&
	grep -A12 '^	name = "sched_switch";$' "$tmp/trace/metadata" > "$tmp/switch" &&
	grep -q '[ _]prev_tid\b' "$tmp/switch" && grep -q '[ _]next_tid\b' "$tmp/switch"
}

# No two fields of an event get the same name.
twins()
{
	take bench
	sed -i 's/int32 _prev_prio;/int32 _next_tid;/' "$tmp/trace/metadata"
	names lttng && babeltrace2 "$tmp/trace" > "$tmp/seen" && grep -q 'next_tid = .*next_pid = ' "$tmp/seen" &&
	grep -q ' prev_tid = ' "$tmp/seen"
}

# An event with more fields than any has, whose names are looked for among all of them: half of them
# have a twin.
many_fields()
{
	take bench
	awk '{ print } /name = "sched.sched_switch"/ { wanted = 1 } /fields := struct/ && wanted {
		for (i = 0; i < 20000; i++)
			print "\t\tint32 _f" i "_pid;" (i % 2 ? "\n\t\tint32 _f" i "_tid;" : "")
		wanted = 0
	}' "$tmp/bench/metadata" > "$tmp/trace/metadata"
	cp "$tmp/trace/metadata" "$tmp/many"
	(ulimit -t 20 && names lttng) && [ "$(grep -c '_f[0-9]*_tid /\* _f' "$tmp/trace/metadata")" = 10000 ] &&
	[ "$(grep -c '_f[0-9]*_pid;' "$tmp/trace/metadata")" = 10000 ] &&
	(ulimit -t 20 && names ltt) && cmp "$tmp/many" "$tmp/trace/metadata"
}

# It goes on with other names, too.
repaired()
{
	take bench && names lttng && cp "$tmp/trace/metadata" "$tmp/whole" &&
	printf '\nevent {\n\tname = "sched_sw' >> "$tmp/trace/metadata" || return
	expect 1 'ltt: ' "$ltt" names --names=perf "$tmp/trace" || return
	"$ltt" repair "$tmp/trace" && cmp "$tmp/whole" "$tmp/trace/metadata"
}

# refused TEXT: with this text, and nothing has changed
refused()
{
	cp -r "$tmp/trace" "$tmp/before"
	expect 1 "$1" "$ltt" names --names=perf "$tmp/trace" && diff -r "$tmp/before" "$tmp/trace" ||
		return
	rm -r "$tmp/before"
}

refusals()
{
	take bench
	expect 2 "--names=nobody: expected perf, lttng or ltt" "$ltt" names --names=nobody "$tmp/trace" &&
	expect 2 "whose names?" "$ltt" names "$tmp/trace" &&
	expect 2 "missing trace directory" "$ltt" names --names=perf &&
	expect 2 "--names needs a directory, not 'net://host'" \
		"$ltt" record --names=perf -o net://host -e 'sched.*' &&
	expect 1 "No such file" "$ltt" names --names=perf "$tmp/none" || return
	expect 1 "No such file" "$ltt" names --names=perf "$tmp/none" "$tmp/trace" &&
	grep -q '"sched:sched_switch"' "$tmp/trace/metadata" || return
	# Somebody else's.
	take bench && sed -i 's/tracer_name = "ltt"/tracer_name = "other"/' "$tmp/trace/metadata" &&
	refused "not recorded by LTT" || return
	take bench && sed -i '/tracer_name/d' "$tmp/trace/metadata" &&
	refused "not known to be recorded by LTT" || return
	# A name that would need an escape.
	take bench && sed -i 's/"sched.sched_switch"/"sched.\\"switch"/' "$tmp/trace/metadata" &&
	refused "not as LTT writes them" || return
	take bench && mv "$tmp/trace/metadata" "$tmp/trace/.other" && ln -s .other "$tmp/trace/metadata" &&
	refused "Too many levels of symbolic links" || return
	# While somebody writes.
	take bench
	exec 9< "$tmp/trace"
	flock 9
	refused "busy, being recorded or repaired" || return
	exec 9<&-
	# shellcheck disable=SC2016
	printf '#!/bin/bash\nulimit -f 4\nexec "%s" "$@"\n' "$ltt" > "$tmp/limited"
	chmod +x "$tmp/limited"
	ltt=$tmp/limited refused "File too large"
}

echo "KTAP version 1"
set_up make_traces 2000
for order in le be; do
	run_test "there and back, $order" there_and_back $order
	run_test "perf's names, $order" perf $order
	run_test "LTTng's names, $order" lttng $order
done
run_test "the kernel's events: there and back" there_and_back bench
run_test "the kernel's events: perf's names" perf bench
run_test "the kernel's events: LTTng's names" lttng bench
run_test "what other programs know" known
run_test "fields that are called like others" twins
run_test "many fields" many_fields
run_test "repair" repaired
run_test "refusals" refusals
echo "1..$number"
exit $failed
