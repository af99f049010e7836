#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_pair.sh BUILD-DIRECTORY LTT LTT-AS-INSTALLED
#
# The command `ltt pair` (LTT, built with sanitizers, which take all memory there is) on made-up traces of both byte orders: it
# finds the pairs that a few lines of awk find in the text of `ltt view`, whose values are
# compared as text; and it does what its options say.
# shellcheck disable=SC2317,SC2016,SC2086 # tests are called by name, $cpu is not ours, words
set -uo pipefail

build=$1
ltt=$2
installed=$3
here=$(cd "$(dirname "$0")" && pwd)
compare=$here/../../selftests/ltt/compare
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC LC_ALL=C

# shellcheck source=ktap.sh
. "$here/ktap.sh"
# shellcheck source=traces.sh
. "$here/traces.sh"

make_both()
{
	"$build/make_pairs" "$tmp/le" && qemu-s390x "$build/make_pairs_s390x" "$tmp/be" &&
	"$ltt" view "$tmp/le" > "$tmp/le.text" && "$ltt" view "$tmp/be" > "$tmp/be.text" &&
	cmp "$tmp/le.text" "$tmp/be.text" && [ "$(grep -c '^# lost' "$tmp/le.text")" -gt 50 ]
}

# Numbers only: of rows with a count, and with the name of the group in each, as pairs.awk has it.
plain()
{
	sed 's/ evicted 0 doubtful [0-9]*$//; s/ |.*|$//' "$1" | awk '
		/^pairs/ { group = $12; sub(/^[^=]*=/, "", group); $12 = group }
		/^ / { if (!$3) next; $1 = $1; if (group != "") $0 = group " " $0 }
		{ sub(/ $/, ""); print }' | sort
}

# equals TRACE AWK-VARIABLES ARGUMENT...: the output is what awk finds
equals()
{
	local trace=$1 variables=$2

	shift 2
	"$ltt" pair "$@" "$tmp/$trace" > "$tmp/out" &&
	awk -f "$compare/pairs.awk" $variables "$tmp/$trace.text" | sort | diff - <(plain "$tmp/out") &&
	[ "$(sed -n 's/^# begins.* pairs \([0-9]*\) .*/\1/p' "$tmp/out")" -gt 20 ] && adds_up
}

# Each event is accounted for, once.
adds_up()
{
	awk '/^# begins/ {
		for (i = 2; i < NF; i += 2) n[$i] = $(i + 1)
		seen = n["begins"] == n["pairs"] + n["again"] + n["open"] + n["lost"] + n["evicted"] &&
			n["ends"] == n["pairs"] + n["unmatched"] && n["doubtful"] <= n["pairs"]
	} END { exit !seen }' "$tmp/out"
}

work='-v begin=work.begin -v end=work.end -v a=5 -v b=5'

same_key()
{
	equals "$1" "$work" work.begin work.end --key id=number
}

on_one_cpu()
{
	equals "$1" "$work -v own=1" work.begin work.end --key id=number,cpu &&
	grep -q ' doubtful 0$' "$tmp/out" &&
	equals "$1" "$work -v own=1" work.begin work.end '--key=$cpu=cpu,id=number'
}

rules()
{
	equals "$1" "$work -v rule=first" work.begin work.end -k id=number --again first &&
	equals "$1" "$work -v rule=nest" work.begin work.end -k id=number --again nest &&
	equals "$1" "$work -v rule=nest -v own=1" work.begin work.end -k id=number,cpu --again=nest &&
	grep -q ' again 0 ' "$tmp/out" &&
	equals "$1" "$work -v rule=last" work.begin work.end -k id=number --again last
}

# Each event ends a pair and begins one; its context is part of neither.
both_ends()
{
	local task='-v begin=tasks.switch -v end=tasks.switch'

	equals "$1" "$task -v a=7 -v b=5" tasks.switch tasks.switch --key next=prev &&
	equals "$1" "$task -v a=9 -v b=9" tasks.switch tasks.switch --key '$tid' &&
	equals "$1" "$task -v a=7 -v b=9" tasks.switch 'tasks.*' --key 'next=$tid'
}

groups()
{
	equals "$1" "$work -v c=5" work.begin work.end -k id=number --by id &&
	equals "$1" "$work -v c=5 -v own=1" work.begin work.end -k id=number,cpu --by id || return
	"$ltt" pair work.begin work.end -k id=number --by kind "$tmp/$1" > "$tmp/out" &&
	grep ' kind=' "$tmp/out" | grep -o 'kind=[0-9]*' | cmp - <(printf 'kind=%d\n' 0 1 2 3) &&
	awk '/ kind=/ { n += $2; total += $10 } !/ kind=/ && /^ / { rows += $3 }
		/^# begins/ { exit !(n == $7 && rows == n) }' "$tmp/out" &&
	"$ltt" pair work.begin work.end -k id=number --by name,cpu "$tmp/$1" > "$tmp/out" &&
	grep -qF ' ns name="n\"q\" id=3" cpu=1' "$tmp/out" &&
	grep -qF ' ns name="new\nline\\ \x01\xff" cpu=0' "$tmp/out"
}

# Strings, and all there is of no key.
strings()
{
	# The name is at the end of a line, blanks included.
	"$ltt" pair work.begin work.end -k name "$tmp/$1" > "$tmp/out" && adds_up &&
	awk '{ at = index($0, " name "); if (at) { n = substr($0, at + 6); gsub(/ /, "_", n)
		$0 = $1 " " $2 " " $3 " x" n } print }' "$tmp/$1.text" |
		awk -f "$compare/pairs.awk" -v begin=work.begin -v end=work.end -v a=4 -v b=4 | sort |
		diff - <(plain "$tmp/out") &&
	equals "$1" '-v begin=work.begin -v end=work.end -v a=99 -v b=99' work.begin work.end
}

# By value, not by text or bits.
values()
{
	"$ltt" pair work.other work.end -k id=number "$tmp/$1" > "$tmp/out" &&
	awk -f "$compare/pairs.awk" -v begin=work.other -v end=work.end -v a=5 -v b=5 \
		"$tmp/$1.text" | sort | diff - <(plain "$tmp/out") &&
	"$ltt" pair work.other work.end -k big=number "$tmp/$1" > "$tmp/out" &&
	awk -f "$compare/pairs.awk" -v begin=work.other -v end=work.end -v a=9 -v b=5 \
		"$tmp/$1.text" | sort | diff - <(plain "$tmp/out") &&
	# mask is hexadecimal, kind has names.
	"$ltt" pair work.begin work.end -k kind=mask "$tmp/$1" > "$tmp/out" && adds_up &&
	sed 's/ kind TIMER / kind 0x1 /; s/ kind NET / kind 0x2 /; s/ kind 3/ kind 0x3/' "$tmp/$1.text" |
		awk -f "$compare/pairs.awk" -v begin=work.begin -v end=work.end -v a=7 -v b=7 | sort |
		diff - <(plain "$tmp/out") &&
	# A field with the name of the CPU.
	"$ltt" pair work.other work.begin -k cpu "$tmp/$1" > "$tmp/out" && adds_up &&
	awk '/work.begin:/ { $5 = substr($2, 2, 3) + 0 } { print }' "$tmp/$1.text" |
		awk -f "$compare/pairs.awk" -v begin=work.other -v end=work.begin -v a=7 -v b=5 | sort |
		diff - <(plain "$tmp/out") &&
	"$ltt" pair work.other work.begin -k '$cpu' "$tmp/$1" > "$tmp/out" && adds_up &&
	awk -f "$compare/pairs.awk" -v begin=work.other -v end=work.begin -v a=2 -v b=2 -v own=1 \
		"$tmp/$1.text" | sort | diff - <(plain "$tmp/out")
}

# The events of the pair, as view shows them.
over()
{
	"$ltt" pair work.begin work.end -k id=number,cpu --over 5ms "$tmp/$1" > "$tmp/out" &&
	grep '^[0-9]' "$tmp/out" > "$tmp/lines" && [ "$(wc -l < "$tmp/lines")" -gt 20 ] &&
	! grep -vxFf "$tmp/$1.text" "$tmp/lines" &&
	awk '/^# pair / { ns = $3; key = $5; cpu = $6; n++; want = 2; next }
		want { split($1, t, "."); now = t[1] * 1e9 + t[2]
			sub(/^.*=/, "", key)
			if (key != $5 || cpu != "cpu=" substr($2, 2, 3) + 0) exit bad = 1
			if (want-- == 2) from = now; else if (now - from != ns || ns <= 5e6) exit bad = 1 }
		/^  / && $1 >= 8388608 { rows += $3 }
		END { exit bad || n < rows || n < 10 }' "$tmp/out" &&
	"$ltt" pair work.begin work.end -k id=number --over 1ms -c 3 --style kv "$tmp/$1" > "$tmp/out" &&
	[ "$(grep -c '^# pair' "$tmp/out")" = 3 ] && [ "$(grep -c '^[0-9].* number=' "$tmp/out")" = 3 ] &&
	"$ltt" pair work.begin work.end -k id=number -c 100 "$tmp/$1" > "$tmp/out" &&
	grep -q ' pairs 100 ' "$tmp/out" && grep -q '^pairs 100 ' "$tmp/out" && adds_up
}

# Intervals are the whole, each for itself.
every()
{
	"$ltt" pair work.begin work.end -k id=number --every 100ms "$tmp/$1" > "$tmp/out" &&
	[ "$(grep -c '^# until ' "$tmp/out")" -gt 10 ] &&
	awk '/^# until/ { if (last && ($3 - last) % 0.1 > 1e-6 && ($3 - last) % 0.1 < 0.1 - 1e-6) exit bad = 1
			last = $3 }
		/^# all/ { all = 1 } /^pairs/ && !all { n += $2 } /^pairs/ && all { whole = $2 }
		/^# begins/ { exit bad || n > whole || n < whole * 0.9 }' "$tmp/out" &&
	sed '1,/^# all/d' "$tmp/out" > "$tmp/all" &&
	"$ltt" pair work.begin work.end -k id=number "$tmp/$1" | cmp - "$tmp/all"
}

# A range, a filter, wall-clock times.
chosen()
{
	local from to

	from=$(sed -n '3000s/ .*//p' "$tmp/$1.text") to=$(sed -n '9000s/ .*//p' "$tmp/$1.text")
	"$ltt" view -b "$from" -e "$to" "$tmp/$1" > "$tmp/part.text" &&
	"$ltt" pair work.begin work.end -k id=number -b "$from" -e "$to" "$tmp/$1" > "$tmp/out" &&
	awk -f "$compare/pairs.awk" $work "$tmp/part.text" | sort | diff - <(plain "$tmp/out") &&
	"$ltt" view --filter 'work.begin: id > 0 && $cpu == 1' "$tmp/$1" > "$tmp/part.text" &&
	"$ltt" pair work.begin work.end -k id=number --filter 'work.begin: id > 0 && $cpu == 1' \
		"$tmp/$1" > "$tmp/out" && adds_up &&
	awk -f "$compare/pairs.awk" $work "$tmp/part.text" | sort | diff - <(plain "$tmp/out") &&
	"$ltt" pair work.begin work.end -k id=number --wall --over 1ms "$tmp/$1" > "$tmp/out" &&
	grep -q '^170000.* work.begin: ' "$tmp/out"
}

# The oldest go when there are too many.
evicted()
{
	"$ltt" pair work.begin work.end -k id=number --open 5 "$tmp/$1" > "$tmp/out" && adds_up &&
	awk '/^# begins/ { exit !($17 > 100 && $13 <= 5) }' "$tmp/out" &&
	awk '/^# lost/ && $8 == "work" { n = 0; split("", at); next } /^#/ { next }
		$3 == "work.end:" && $5 in at { pairs++; delete at[$5]; n-- }
		$3 == "work.begin:" {
			if (!($5 in at)) n++
			at[$5] = ++age
			if (n > 5) { old = ""; for (k in at) if (old == "" || at[k] < at[old]) old = k
				delete at[old]; n--; gone++ }
		} END { print "pairs", pairs, "evicted", gone }' "$tmp/$1.text" |
		diff - <(sed -n 's/^# begins.* \(pairs [0-9]*\) .* \(evicted [0-9]*\) .*/\1 \2/p' "$tmp/out")
}

# Events that cannot be read are lost: in a packet whose rest is zeros, where a packet should
# begin, and at the end.
corrupt()
{
	local size

	rm -rf "$tmp/bad" && cp -r "$tmp/$1" "$tmp/bad" && rm -r "$tmp/bad/index" &&
	size=$(stat -c %s "$tmp/bad/work_1") &&
	dd if=/dev/zero of="$tmp/bad/work_1" bs=1 seek=$((size / 3)) count=3000 conv=notrunc 2> /dev/null &&
	dd if=/dev/zero of="$tmp/bad/work_2" bs=1 seek=$((size - 2000)) count=2000 conv=notrunc 2> /dev/null ||
		return
	expect 1 'skipping to offset' "$ltt" view "$tmp/bad" && cp "$tmp/out" "$tmp/bad.text" &&
	grep -q '^# corrupt cpu 1 channel work packet ' "$tmp/bad.text" &&
	grep -q '^# corrupt cpu 2 channel work packet ' "$tmp/bad.text" || return
	# Without these losses, there are more pairs.
	awk -f "$compare/pairs.awk" $work "$tmp/bad.text" | sort > "$tmp/more"
	sed -i 's/^# corrupt \(.*\) packet .* at /# lost 1 events \1 before /' "$tmp/bad.text"
	expect 1 'skipping to offset' "$ltt" pair work.begin work.end -k id=number "$tmp/bad" &&
	adds_up && plain "$tmp/out" > "$tmp/plain" &&
	awk -f "$compare/pairs.awk" $work "$tmp/bad.text" | sort | diff - "$tmp/plain" &&
	! cmp -s "$tmp/more" "$tmp/plain" && expect_doubtful bad
}

# Pairs that ended while another CPU lost events, found in the text after the fact.
expect_doubtful()
{
	awk '/^# lost/ && $8 == "work" { for (i = seen["[00" $6 "]"] + 1; i <= pairs; i++) bad[i]
			split("", at); next }
		/^#/ { next }
		$3 == "work.end:" && $5 in at { pairs++; delete at[$5] }
		$3 == "work.begin:" { at[$5] }
		$3 ~ /^work.(begin|end):/ { seen[$2] = pairs }
		END { for (i in bad) n++; print n }' "$tmp/$1.text" > "$tmp/n" &&
	[ "$(sed -n 's/.* doubtful //p' "$tmp/out")" = "$(cat "$tmp/n")" ] && [ "$(cat "$tmp/n")" -gt 10 ]
}

# The begin is in one channel, the end in another; each has its own losses.
two_channels()
{
	"$ltt" pair tasks.switch work.end -k next=number,cpu "$tmp/$1" > "$tmp/out" && adds_up &&
	awk '/^# lost/ { for (i = seen["[00" $6 "]" $8] + 1; i <= pairs; i++) bad[i]
			for (k in at) if (k ~ "^\\[00" $6) delete at[k]
			next }
		/^#/ { next }
		{ channel = $3; sub(/\..*/, "", channel) }
		$3 == "work.end:" && ($2 $5) in at { pairs++; delete at[$2 $5] }
		$3 == "tasks.switch:" { at[$2 $7] }
		$3 ~ /^(work.end|tasks.switch):/ { seen[$2 channel] = pairs }
		END { for (i in bad) n++; print pairs, n }' "$tmp/$1.text" > "$tmp/n" &&
	[ "$(sed -n 's/.* pairs \([0-9]*\) .* doubtful /\1 /p' "$tmp/out")" = "$(cat "$tmp/n")" ] &&
	[ "$(cut -d ' ' -f 2 "$tmp/n")" -gt 10 ]
}

doubtful()
{
	"$ltt" pair work.begin work.end -k id=number "$tmp/$1" > "$tmp/out" && expect_doubtful "$1"
}

# many_groups PAIRS LENGTH GROUPS: so many have a name of their own; "others" has all other pairs.
many_groups()
{
	rm -rf "$tmp/named" && "$build/make_pairs" "$tmp/named" "$1" "$2" 10 &&
	"$ltt" pair work.begin work.end -k id=number --by name "$tmp/named" > "$tmp/out" && adds_up &&
	awk -v want="$1" -v groups="$3" '/ ns name="/ { named++; n += $2 } / ns others$/ { others = $2 }
		/^# begins/ { all = $7 } END { exit !(all == want && named == n && n + others == all &&
			named > groups * 0.9 && named <= groups && others > 0) }' "$tmp/out"
}

# Too many, and too long; of a CPU with a number that no CPU has.
groups_left()
{
	many_groups 12000 10 10000 && many_groups 2000 20000 $(((32 << 20) / 20000))
}

# Times near the end of all times: the sum is as large as it can be, an interval is shown once.
long_times()
{
	"$build/make_pairs" "$tmp/long" 3 5 18000000000000000000 &&
	"$ltt" pair work.begin work.end -k id=number --every 8900000000s "$tmp/long" > "$tmp/out" &&
	[ "$(grep -c '^# until' "$tmp/out")" = 1 ] &&
	sed '1,/^# all/d' "$tmp/out" | grep -q '^pairs 3 min 18000000000000000.* total 18446744073709551615 ns$'
}

# A million pairs in each other, of which half are too many: the oldest, not the latest, go. Where
# each is looked for among the others, that takes an hour.
nested()
{
	"$build/make_pairs" "$tmp/nested" 1000000 &&
	(ulimit -t 100 && "$ltt" pair work.begin work.end -k id=number --again nest --open 500000 \
		"$tmp/nested" > "$tmp/out") &&
	grep -q '^# begins 1000000 .* open 500000 lost 0 evicted 500000 ' "$tmp/out"
}

bad_usage()
{
	local key

	expect 2 'expected the patterns' "$ltt" pair &&
	expect 2 'expected the patterns' "$ltt" pair work.begin &&
	expect 2 'no dot' "$ltt" pair work end "$tmp/le" &&
	expect 2 'without !' "$ltt" pair '!work.begin' work.end "$tmp/le" || return
	for key in '' ',' 'id,' 'a b' 'a=b=c' '=a' 'a=' '$' 'a$b'; do
		expect 2 'invalid fields' "$ltt" pair a.b c.d --key "$key" "$tmp/le" || return
	done
	expect 2 'invalid fields' "$ltt" pair a.b c.d --by 'a=b' "$tmp/le" || return
	for key in 5 ms -5ms 5m inf nan 1e3s '5 ms' 0x5ms 99999999999s 1..5s; do
		expect 2 'invalid time' "$ltt" pair a.b c.d --over="$key" "$tmp/le" || return
	done
	expect 2 'invalid interval' "$ltt" pair a.b c.d --every 999us "$tmp/le" &&
	expect 2 'invalid rule' "$ltt" pair a.b c.d --again often "$tmp/le" &&
	expect 2 'invalid number of pairs' "$ltt" pair a.b c.d -c 0 "$tmp/le" &&
	expect 2 'invalid number of open pairs' "$ltt" pair a.b c.d --open 0 "$tmp/le" &&
	expect 2 'cannot be used together' "$ltt" pair a.b c.d -t x "$tmp/le" &&
	expect 2 'cannot be used together' "$ltt" pair a.b c.d "$tmp/le" -- true &&
	expect 2 'missing command' "$ltt" pair a.b c.d -- &&
	expect 2 'expected PATTERN: EXPR' "$ltt" pair a.b c.d --filter 1 "$tmp/le" &&
	expect 2 'recorded in another way' "$ltt" pair a.b c.d --size 4096 "$tmp/le" &&
	expect 2 'are for recorded traces' "$ltt" pair a.b c.d --wall &&
	expect 2 'cannot be shown in style json' "$ltt" pair a.b c.d --style json "$tmp/le" &&
	[ ! -s "$tmp/out" ] && "$ltt" pair work.begin work.end --style lttv "$tmp/le" > "$tmp/out" &&
	expect 2 'cannot change the parameters' "$ltt" pair a.b c.d -t x --context pid &&
	expect 1 /nonexistent/metadata "$ltt" pair a.b c.d /nonexistent &&
	expect 1 "no event of the trace matches 'a.b'" "$ltt" pair a.b work.end "$tmp/le" &&
	expect 1 "no event of the trace matches 'c.d'" "$ltt" pair work.end c.d "$tmp/le" &&
	expect 1 "work.end has no field 'id'" "$ltt" pair work.begin work.end -k id "$tmp/le" &&
	expect 1 "work.begin has no context '\$id'" "$ltt" pair work.begin work.end -k '$id' "$tmp/le" &&
	expect 1 "work.begin has no field 'number'" "$ltt" pair work.begin work.end --by number "$tmp/le" &&
	expect 1 "'list' is an array" "$ltt" pair work.other work.end -k list=name "$tmp/le" &&
	expect 1 "work.end: 'name' is a string, but a number in other events" "$ltt" pair work.begin work.end -k id=name "$tmp/le" &&
	expect 1 "work.end: 'number' is a number, but a string in other events" \
		"$ltt" pair work.begin work.end -k name=number "$tmp/le" &&
	"$ltt" pair --help | grep -q -- --again
}

damage()
{
	cp -r "$tmp/le" "$tmp/bad" &&
	printf 'XXXX' | dd of="$tmp/bad/work_1" bs=1 seek=0 conv=notrunc 2> /dev/null &&
	expect 1 "ltt pair: $tmp/bad/work_1: offset 0: no packet begins here" \
		"$ltt" pair work.begin work.end -k id=number "$tmp/bad" && grep -q '^# begins' "$tmp/out"
}

# make_channels DIRECTORY COUNT CPU: a trace of another tracer, of so many channels with an event each, once
# before and once after a loss, on one CPU
make_channels()
{
	declare_packets "$1" 'u32 cpu_id;'
	python3 - "$@" <<-'END'
		import struct, sys
		count, cpu = int(sys.argv[2]), int(sys.argv[3])
		with open(sys.argv[1] + "/metadata", "a") as file:
		    for i in range(count):
		        file.write(f'event {{ id = {i}; name = "c{i}:e"; fields := struct {{ u32 n; }}; }};\n')
		with open(sys.argv[1] + "/stream_0", "wb") as file:
		    for packet in range(2):
		        events = b"".join(struct.pack("<IQI", i, count * packet + i, i) for i in range(count))
		        bits = 8 * (28 + len(events))
		        file.write(struct.pack("<QQQI", bits, bits, 5 * packet, cpu) + events)
	END
}

# Neither what channels need for a CPU nor that there are many of them.
many_channels()
{
	local cpu

	for cpu in 65535 999999; do
		make_channels "$tmp/many" 1000 $cpu &&
		(ulimit -v 200000 && "$installed" pair '*.e' '*.e' "$tmp/many" > "$tmp/out") &&
		# Which of them ended before the loss is not known.
		grep -q ' pairs 1998 .* lost 1 .* doubtful 999$' "$tmp/out" || return
	done
	make_channels "$tmp/many" 100000 3 &&
	(ulimit -t 10 && "$installed" pair '*.e' '*.e' "$tmp/many" > "$tmp/out") &&
	grep -q ' pairs 199998 ' "$tmp/out"
}

# In a trace of another tracer the channel that has lost events is not that of the events.
foreign_losses()
{
	make_perf "$tmp/perf" &&
	"$ltt" pair irq.irq_handler_entry irq.irq_handler_exit -k cpu "$tmp/perf" > "$tmp/out" &&
	grep -q '^# begins 40 ends 40 pairs 20 again 0 unmatched 20 open 2 lost 18 evicted 0 doubtful 0$' "$tmp/out" &&
	"$ltt" pair irq.irq_handler_entry irq.irq_handler_exit "$tmp/perf" > "$tmp/out" && adds_up &&
	grep -q ' pairs 10 .* lost 9 ' "$tmp/out"
}

# What a trace calls its events does not reach the terminal as it is.
hostile()
{
	local name='sched.x\x1b]0;pwn\x07\n'

	make_hostile "$tmp/hostile" &&
	expect_escaped 1 "$name has no field 'y'" "$ltt" pair 'sched.*' 'sched.*' -k y "$tmp/hostile" &&
	expect_escaped 1 "$name: 'x' is an array" "$ltt" pair 'sched.*' 'sched.*' -k x "$tmp/hostile" ||
		return
	sed -i 's/integer .* x\[_n\];/string { encoding = UTF8; } x;/' "$tmp/hostile/metadata"
	expect_escaped 1 "$name: 'x' is a string, but a number in other events" \
		"$ltt" pair 'sched.*' 'sched.*' -k n=x "$tmp/hostile"
}

scanned()
{
	"$build/make_trace" "$tmp/types.le" > "$tmp/made" &&
	qemu-s390x "$build/make_trace_s390x" "$tmp/types.be" > "$tmp/made" &&
	"$build/scan_trace" "$tmp/$1"
}

echo 'KTAP version 1'
set_up make_both
for order in le be; do
	run_test "pairs with the same key, $order" same_key $order
	run_test "pairs on the same CPU, $order" on_one_cpu $order
	run_test "begins that come again, $order" rules $order
	run_test "events that end and begin a pair, $order" both_ends $order
	run_test "strings, and no key, $order" strings $order
	run_test "values, whatever their types are, $order" values $order
	run_test "groups, $order" groups $order
	run_test "pairs that take long, $order" over $order
	run_test "intervals, $order" every $order
	run_test "parts of a trace, $order" chosen $order
	run_test "too many open pairs, $order" evicted $order
	run_test "pairs that may be wrong, $order" doubtful $order
	run_test "pairs of two channels, $order" two_channels $order
	run_test "pairs around what cannot be read, $order" corrupt $order
	rm -rf "$tmp"/types.*
	run_test "values in lines of text are those of events, $order" scanned types.$order
done
run_test "pairs in pairs in pairs" nested
run_test "times of centuries" long_times
run_test "more groups than are shown" groups_left
run_test "more channels than there are" many_channels
run_test "losses of another tracer" foreign_losses
run_test "bad usage" bad_usage
run_test "damage" damage
run_test "hostile names" hostile
echo "1..$number"
exit $failed
