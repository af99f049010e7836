#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_export.sh BUILD-DIRECTORY LTT
#
# The command `ltt export` (LTT, built with sanitizers) on the traces of make_trace, of both byte
# orders, and of make_bench: protoc finds in it what `ltt view` shows.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

build=$1
ltt=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC LC_ALL=C PYTHONDONTWRITEBYTECODE=1
HIDDEN=

# shellcheck source=ktap.sh
. "$here/ktap.sh"
# shellcheck source=traces.sh
. "$here/traces.sh"

# exported TRACE [OPTION...]: and what view shows with the same ones; to $tmp/kinds. HIDDEN: who
# runs, too, which is not exported.
exported()
{
	local trace=$tmp/$1

	shift
	"$ltt" export --perfetto "$@" "$trace" > "$tmp/perfetto" &&
	"$ltt" view --style json "$@" ${HIDDEN:+-m sched.sched_switch} "$trace" > "$tmp/json" &&
	"$here/compare_perfetto.py" "$tmp/perfetto" $HIDDEN < "$tmp/json" > "$tmp/kinds"
}

# kinds REGEX: there are such packets, or events
kinds()
{
	grep -qE "$1" "$tmp/kinds" || { cat "$tmp/kinds"; return 1; }
}

# But for integers of which the format shows a part: JSON has all of them.
same()
{
	exported "$1" -m '* !types.converted !types.corners' && kinds '^[1-9][0-9]* described$'
}

known()
{
	exported bench && kinds ' sched_switch$' && kinds ' sys_enter$' && kinds ' irq_handler_entry$'
}

# Who runs is known all the same, from what is not shown.
selected()
{
	local HIDDEN=--hidden

	exported bench -m 'irq.*' || return
	kinds ' irq_handler_entry$' && ! kinds ' sched_switch$' > /dev/null || return
	exported bench --filter 'irq.irq_handler_entry: irq <= 32' -m 'irq.*' || return
	HIDDEN=
	exported bench -b 1.001 -e 1.005 -m 'sched.* raw_syscalls.*' && kinds ' sched_switch$'
}

# The last packet of a CPU has nothing but a loss.
lost_at_end()
{
	cp -r "$tmp/bench" "$tmp/lost" && rm -rf "$tmp/lost/index" && python3 - "$tmp"/lost/*_3 <<-'EOF' &&
		import struct, sys
		with open(sys.argv[1], "r+b") as file:
		    data, at = file.read(), 0
		    while at < len(data):
		        fields = list(struct.unpack_from("<IQQQQQQQ", data, at + 20))
		        last, at = at, at + fields[4] // 8
		    fields[1] = fields[2]
		    fields[3] = fields[4] = 8 * 80
		    fields[5] += 1
		    fields[6] += 7
		    file.write(data[last:last + 20] + struct.pack("<IQQQQQQQ", *fields))
	EOF
	exported lost && grep -q '"notice":"lost".*"cpu":3.*"events":7}' "$tmp/json" &&
	[ "$(tail -n 1 "$tmp/json" | grep -c '"notice":"lost"')" = 1 ]
}

# The comparison does look.
different()
{
	exported bench && sed -i '0,/"irq":/s/"irq":\([0-9]*\)/"irq":1\1/' "$tmp/json" &&
	expect 1 '' "$here/compare_perfetto.py" "$tmp/perfetto" < "$tmp/json" || return
	exported bench && sed -i '/irq_handler/{d;q}' "$tmp/json" &&
	expect 1 '' "$here/compare_perfetto.py" "$tmp/perfetto" < "$tmp/json"
}

# plain OPTION...: exported, and decoded without anything to compare it with
plain()
{
	"$ltt" export --perfetto "$@" "$tmp/bench" > "$tmp/perfetto" &&
	"$ltt" view --style json "$tmp/bench" > "$tmp/json" &&
	"$here/compare_perfetto.py" "$tmp/perfetto" < "$tmp/json" > "$tmp/kinds"
}

tracks()
{
	plain --slice 'irq.irq_handler_entry=irq.irq_handler_exit:irq' &&
	kinds '^[0-9]+ track_event_type=66$' && kinds '^[0-9]+ slice_name=irq_handler_entry$' &&
	kinds '^[0-9]+ scope_irq=[0-9]+$' && kinds '^[0-9]+ track_name=irq.irq_handler_entry$' || return
	plain --counter 'raw_syscalls.sys_enter:id,cpu' --counter 'sched.sched_waking:prio' &&
	kinds '^[0-9]+ counter_value=120$' && kinds '^[0-9]+ track_name=sched_waking.prio$' &&
	kinds '^[0-9]+ scope_cpu=3$'
}

refused()
{
	local export=("$ltt" export)

	expect 2 'missing trace directory' "${export[@]}" --perfetto || return
	expect 2 'for which program' "${export[@]}" "$tmp/bench" || return
	expect 2 'expected BEGIN=END' "${export[@]}" --perfetto --slice 'a.b' "$tmp/bench" || return
	expect 2 'expected MARKER:VALUE' "${export[@]}" --perfetto --counter 'a.b' "$tmp/bench" || return
	expect 2 'a.[b' "${export[@]}" --perfetto --slice 'a.[b=c.d' "$tmp/bench" || return
	expect 1 'sched.sched_waking has no integer comm' "${export[@]}" --perfetto \
		--counter 'sched.sched_waking:comm' "$tmp/bench" || return
	expect 1 'no integer nothing' "${export[@]}" --perfetto \
		--slice 'sched.sched_waking=sched.sched_switch:nothing' "$tmp/bench" || return
	expect 1 'No such file' "${export[@]}" --perfetto "$tmp/none" || return
	echo mine > "$tmp/file"
	expect 1 'exists' "${export[@]}" --perfetto -o "$tmp/file" "$tmp/bench" &&
	[ "$(cat "$tmp/file")" = mine ] || return
	"${export[@]}" --perfetto -o "$tmp/new" "$tmp/bench" && exported bench &&
	cmp "$tmp/new" "$tmp/perfetto" || return
	expect 1 'No space' sh -c '"$@" > /dev/full' sh "${export[@]}" --perfetto "$tmp/bench" || return
	# What is damaged is told, the rest is there.
	damaged
	expect 1 'irq_1: offset' "${export[@]}" --perfetto "$tmp/damaged" && [ -s "$tmp/out" ] || return
	# Nothing stays of what could not be read.
	expect 1 'No such file' "${export[@]}" --perfetto -o "$tmp/nothing" "$tmp/none" &&
	[ ! -e "$tmp/nothing" ] || return
	impossible_cpu
	expect 1 'no machine has a CPU 16777215' "${export[@]}" --perfetto "$tmp/cpu"
}

# Fields of lines of up to 64 MiB are exported, and others are told.
long_lines()
{
	make_long "$tmp/long" 5 700000 && exported long && kinds described &&
	rm -r "$tmp/long" && make_long "$tmp/long" 5 20000000 5 &&
	expect 1 '0.000000001 [000] s.e: more than 67108864 bytes of text, skipped' \
		"$ltt" export --perfetto -o "$tmp/long.perfetto" "$tmp/long" &&
	[ "$(wc -l < "$tmp/err")" = 1 ] && [ -s "$tmp/long.perfetto" ]
}

# What a trace calls its events and files does not reach the terminal as it is.
hostile()
{
	local export=("$ltt" export --perfetto) name='sched.x\x1b]0;pwn\x07\n' file=$'irq_1\e]0;pwn\a\n'

	make_hostile "$tmp/hostile" &&
	expect_escaped 1 "$name has no integer y" "${export[@]}" --counter 'sched.*:y' "$tmp/hostile" &&
	expect_escaped 1 "$name has no integer y" "${export[@]}" --counter 'sched.*:n,y' "$tmp/hostile" ||
		return
	rm -rf "$tmp/cpu" && impossible_cpu && mv "$tmp/cpu/irq_1" "$tmp/cpu/$file" &&
	expect_escaped 1 '/irq_1\x1b]0;pwn\x07\n: no machine has a CPU 16777215' "${export[@]}" "$tmp/cpu"
}

interrupted()
{
	exported bench && all_or_nothing "$tmp/perfetto" 1 "$ltt" export --perfetto "$tmp/bench"
}

echo "KTAP version 1"
set_up make_traces 8000
run_test "all types, little-endian" same le
run_test "all types, big-endian" same be
run_test "what Perfetto knows" known
run_test "ranges, patterns, filters" selected
run_test "slices and counters" tracks
run_test "a loss after the last event" lost_at_end
run_test "what differs is found" different
run_test "long lines" long_lines
run_test "refusals" refused
run_test "hostile names" hostile
run_test "interrupted" interrupted
echo "1..$number"
exit $failed
