#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_foreign.sh BUILD-DIRECTORY LTT LTT-OF-SMALL-SLICES [--chance]
#
# Traces of other tracers: those of make_foreign.py, which have all that the Common Trace Format 1.8
# allows, and one that LTTng-UST records here. LTT (built with sanitizers) shows of them what
# babeltrace2 shows, and refuses what it does not understand. The last one reads even small traces
# with several threads. --chance: only what programs do that run side by side; all else has the same
# result each time, and is another test, as the cache can have that.
# shellcheck disable=SC2317,SC2016 # tests are called by name; LTT and sed have a "$", too
set -uo pipefail

build=$1
ltt=$2
sliced=$3
chance=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
compare=$top/tools/testing/selftests/ltt/compare
schema=$top/Documentation/trace/ltt/text-json.schema.json
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC LC_ALL=C.UTF-8

# shellcheck source=ktap.sh
. "$here/ktap.sh"
# shellcheck source=traces.sh
. "$here/traces.sh"
# shellcheck source=record_foreign.sh
. "$here/record_foreign.sh"

make_all()
{
	"$here/make_foreign.py" "$tmp/made" && "$build/make_trace" "$tmp/ours" > /dev/null
}

# agrees DIR [TICK]: with babeltrace2, event by event and value by value
agrees()
{
	babeltrace2 --clock-seconds --clock-gmt --no-delta "$1" > "$tmp/bt" 2> "$tmp/bt.err" &&
	"$ltt" view --wall --style json "$1" > "$tmp/json" &&
	"$here/compare_foreign.py" "$tmp/json" "$tmp/bt" "${2:-0}"
}

recorded()
{
	local dir

	dir=$(record_foreign "$tmp/ust" 3000) && agrees "$dir" || return
	[ "$("$ltt" view "$dir" | grep -vc '^#')" = 6375 ] || { "$ltt" view "$dir" | wc -l; return 1; }
}

# A trace of LTT that babeltrace2 has written anew has the same events and values.
copied()
{
	local copy

	babeltrace2 "$tmp/ours" -c sink.ctf.fs -p "path=\"$tmp/copy\"" > /dev/null || return
	copy=$(dirname "$(find "$tmp/copy" -name metadata)")
	"$ltt" view --style json "$copy" > "$tmp/copy.json" &&
	"$ltt" view --style json "$tmp/ours" > "$tmp/ours.json" &&
	"$here/compare_foreign_copy.py" "$tmp/ours.json" "$tmp/copy.json" || return
	# All of its declarations are of one clock.
	sed -i '0,/offset_s = 1/s//offset_s = 2/' "$copy/metadata"
	expect 1 'second clock mono' "$ltt" view "$copy" || return
	# One of LTT that ends in the declaration of the first stream is one of LTT.
	mkdir "$tmp/cut"
	sed '/ltt-channel/Q' "$tmp/ours/metadata" > "$tmp/cut/metadata"
	expect 0 'note: the file ends in a declaration' "$ltt" view "$tmp/cut"
}

# One of the packets counts another event in two places.
losses()
{
	[ "$("$ltt" view --style json "$tmp/made/plain-le" | jq -s 'map(select(.notice == "lost") | .events) | add')" = 2 ]
}

# lines EXPECTED ARG...: so many lines of events are shown
lines()
{
	local want=$1 found

	shift
	found=$("$ltt" view "$@" | grep -vc '^#')
	[ "$found" = "$want" ] || { echo "not $want but $found lines: $*"; return 1; }
}

# Whatever chooses events chooses those that jq chooses from all.
chosen()
{
	local dir=$tmp/made/plain-be all=$tmp/all.json

	"$ltt" view --style json "$dir" | jq -c 'select(.event)' > "$all"
	# chooses JQ ARG...
	chooses()
	{
		local want=$1

		want=$(jq -c "select($1)" "$all" | wc -l)
		shift
		[ "$want" -gt 0 ] || { echo "none: $*"; return 1; }
		lines "$want" "$@" "$dir"
	}
	chooses '.event == "nested"' -m '*.nested' &&
	chooses '.channel == "app"' -m 'app.*' &&
	chooses '.event == "ints" and .fields.i16 < 0' -m '*.ints' --filter '*.ints: i16 < 0' &&
	chooses '.event == "ints" and .fields.big > 5' -m '*.ints' --filter '*.ints: big > 5' &&
	chooses '.event == "texts" and .fields.s == "a"' -m '*.texts' --filter '*.texts: s == "a"' &&
	chooses '.event == "texts" and .fields.len == 3' -m '*.texts' --filter '*.texts: len == 3' &&
	chooses '.event == "nested" and .fields["p.y.z"] == 255' -m '*.nested' --filter '*.nested: p.y.z == 255' &&
	chooses '.event == "enums" and .fields.state == 0' -m '*.enums' --filter '*.enums: state == RUN' &&
	chooses '.event == "enums" and .fields.one == 2' -m '*.enums' --filter '*.enums: one == B' &&
	chooses '.channel == "chan7" and .context.vpid < 0' -m 'chan7.*' --filter 'chan7.*: $vpid < 0' &&
	chooses '.ts >= 20000 and .ts <= 30000' -b 0.00002 -e 0.00003 &&
	expect 1 "state: 'a b' is the name of several values" "$ltt" view --filter '*.enums: state == "a b"' "$dir" &&
	expect 1 "d is a floating-point number" "$ltt" view --filter '*.nested: d == 1' "$dir"
}

# Styles have the same events.
styles()
{
	local style

	for style in kv lttv json; do
		diff <("$ltt" view "$tmp/made/odd-le" | grep -vc '^#') \
		     <("$ltt" view --style "$style" "$tmp/made/odd-le" | grep -vc '^#\|^{"ltt"\|^{"notice"') ||
			{ echo "style $style"; return 1; }
	done
	"$ltt" view --style json "$tmp"/made/odd-be | "$compare/json_schema.py" "$schema" &&
	"$ltt" view --style json "$tmp"/made/plain-le | "$compare/json_schema.py" "$schema" || return
	"$ltt" view --style kv "$tmp/made/plain-le" > "$tmp/kv" || return
	grep -q 'chan0.enums: state="a b" ' "$tmp/kv" &&
	grep -q 'chan7.nested: p.x=[-0-9]* p.y.z=[0-9]* p.y.f=[-.0-9a-z+]* q.x=' "$tmp/kv" &&
	grep -q 'chan0.ints: u8=.* hex=0x[0-9a-f]* oct=0[0-7]* ' "$tmp/kv"
}

# Of several labels, the first one is shown.
first_label()
{
	rm -rf "$tmp/bad"
	cp -r "$tmp/made/plain-le" "$tmp/bad"
	sed -i 's/"A" = 1, "B" = 2, "C" = 4/"A" = 1, "X" = 4, "B" = 2, "C" = 4/' "$tmp/bad/metadata"
	"$ltt" view "$tmp/bad" > "$tmp/out" && grep -q 'enums: .* one=X ' "$tmp/out" &&
	! grep 'enums: .* one=C ' "$tmp/out"
}

# Signed values have their labels if their digits are those of the bits.
signed_labels()
{
	local dir=$tmp/made/packed-be

	"$ltt" view --style json "$dir" > "$tmp/json" && "$ltt" view --style kv "$dir" > "$tmp/kv" &&
	python3 - "$tmp/json" "$tmp/kv" <<-'END' || return
		import json, re, sys
		labels = {"near": range(-2, 2), "low": range(-16, -8), "three": [3], "five": [-5]}
		seen = set()
		for event, line in zip(open(sys.argv[1]), open(sys.argv[2]).readlines()[1:]):
		    fields = json.loads(event).get("fields", {})
		    for name, bits in ("h", 5), ("o", 8), ("y", 5):
		        if name not in fields:
		            continue
		        value = fields[name] - (fields[name] >> bits - 1 << bits)
		        want = [label for label in labels if value in labels[label]]
		        if name == "y" and want and want[0] in ("near", "low"):
		            want = []
		        shown = re.search(f" {name}=([^ ]*)", line)[1]
		        digits = f"{fields[name]:#x}" if name != "o" else "0" + f"{fields[name]:o}".lstrip("0")
		        if shown != (want[0] if want else digits):
		            sys.exit(f"{name} of {fields[name]} is {shown}, not {want}")
		        seen.add((name, shown))
		missing = {(n, label) for n in "hoy" for label in labels} - seen
		assert missing == {("y", "near"), ("y", "low")}, missing
	END
	lines "$(jq -c 'select(.fields.y == 27)' "$tmp/json" | wc -l)" --filter '*.*: y == five' "$dir"
}

# A clock that was zero before 1970.
negative_offset()
{
	rm -rf "$tmp/bad"
	cp -r "$tmp/made/plain-le" "$tmp/bad"
	sed -i 's/offset_s = 1600000000/offset_s = -3/' "$tmp/bad/metadata"
	"$ltt" view --style json "$tmp/bad" > "$tmp/json" &&
	"$compare/json_schema.py" "$schema" < "$tmp/json" &&
	[ "$(head -n 1 "$tmp/json" | jq '.traces[0].offset')" = -2999987655 ]
}

# Sequences of any length have elements for filters.
far_elements()
{
	make_long "$tmp/long" 5 70001 &&
	lines 2 "$tmp/long" && lines 1 --filter '*.e: x[70000] == 222' "$tmp/long" &&
	lines 1 --filter '*.e: x[4097] == 81' "$tmp/long" && lines 2 --filter '*.e: x[70001] == 0' "$tmp/long" &&
	expect 1 'x has no element 67108864' "$ltt" view --filter '*.e: x[67108864] == 0' "$tmp/long"
}

# Programs get floating-point numbers: those that are in JSON, where infinity is a string.
values()
{
	gcc -Wall -Wextra -Werror -fsanitize=address,undefined -o "$tmp/values" "$here/foreign_values.c" \
		"$build/tools/libltt.a" -pthread -lm &&
	"$tmp/values" "$tmp/made/plain-be" > "$tmp/values.text" && [ -s "$tmp/values.text" ] || return
	diff <("$ltt" view --style json "$tmp/made/plain-be" | python3 -c '
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    fields = event.get("fields", {})
    found = {"nested": ["p.y.f", "q.y.f", "d", "g"], "arrays": ["f"]}.get(event.get("event"))
    if found:
        values = [v for name in found for v in
                  (fields[name] if isinstance(fields[name], list) else [fields[name]])]
        print(",".join("%.6g" % float(v) for v in values))
') "$tmp/values.text"
}

# Several traces, ours among them, are one in the order of their times.
merged()
{
	local all=("$tmp"/made/{plain-le,compact-be,clocks} "$tmp/ours") dir sum=0

	for dir in "${all[@]}"; do
		sum=$((sum + $("$ltt" view --wall "$dir" | grep -vc '^#')))
	done
	"$ltt" view --wall "${all[@]}" | grep -v '^#' > "$tmp/merged" || return
	[ "$(wc -l < "$tmp/merged")" = "$sum" ] && sort -c -s -t' ' -k1,1n "$tmp/merged" || return
	expect 1 'timestamps cannot be compared' "$ltt" view "${all[@]:0:1}" "$tmp/ours" &&
	expect 1 'timestamps of clock fast cannot be compared' "$ltt" view "$tmp/made/clocks" || return
	# One of no time, and one of 2020.
	rm -rf "$tmp/bad"
	cp -r "$tmp/made/clocks" "$tmp/bad"
	sed -i '5s/offset.*;/};/' "$tmp/bad/metadata"
	expect 1 'timestamps of clock fast cannot be compared' "$ltt" view --wall "$tmp/bad"
}

# The other commands.
commands()
{
	"$ltt" pair chan0.ints chan0.nested --key '$cpu' "$tmp/made/compact-le" > "$tmp/pairs" &&
	grep -q '^pairs [1-9]' "$tmp/pairs" &&
	"$ltt" plot -o "$tmp/plot.html" "$tmp/made/plain-le" && [ -s "$tmp/plot.html" ] &&
	"$ltt" export --perfetto -o "$tmp/trace.pftrace" "$tmp/made/plain-le" && [ -s "$tmp/trace.pftrace" ]
}

# same_with ARG...: with threads and without, lines and problems
same_with()
{
	local status=0

	"$sliced" view -j 1 "$@" > "$tmp/one" 2> "$tmp/one.err" || status=$?
	((status < 2)) || { cat "$tmp/one.err"; return 1; }
	"$sliced" view -j 5 "$@" > "$tmp/five" 2> "$tmp/five.err" || [ $? = "$status" ] || return
	cmp "$tmp/one" "$tmp/five" && diff "$tmp/one.err" "$tmp/five.err"
}

# Threads, and where they begin: what they find there is what one finds who reads everything.
threads()
{
	local dir begin lines nr

	for dir in "$tmp"/made/*; do
		same_with --wall "$dir" && same_with --wall --style json "$dir" || return
		lines=$("$ltt" view --wall "$dir" | grep -v '^#')
		for nr in $(amount 100 "20 100 230"); do
			begin=$(sed -n "${nr}s/ .*//p" <<< "$lines")
			same_with --wall -b "$begin" "$dir" &&
			diff <(awk -v b="$begin" '$1 "" >= b ""' <<< "$lines") <(grep -v '^#' "$tmp/one") || return
		done
	done
}

# Of small packets, many are read at once: each byte of the trace is read once.
small_packets()
{
	local size bytes

	size=$(stat -c %s "$tmp/made/small/chan0_0")
	((size > 250000)) || { echo "only $size bytes"; return 1; }
	bytes=$(python3 - "$ltt" view -j 1 "$tmp/made/small" <<-'END'
		import os, pathlib, re, subprocess, sys
		ltt = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
		os.waitid(os.P_PID, ltt.pid, os.WEXITED | os.WNOWAIT)
		print(re.search("rchar: (.*)", pathlib.Path(f"/proc/{ltt.pid}/io").read_text())[1])
		sys.exit(ltt.wait())
	END
	) && ((bytes < 2 * size + 1000000)) || { echo "$bytes bytes of $size"; return 1; }
}

# Memory for where packets are is limited: that of a million is not seen.
many_packets()
{
	rm -rf "$tmp/bad"
	mkdir "$tmp/bad"
	cat > "$tmp/bad/metadata" <<-'END'
		/* CTF 1.8 */
		trace { major = 1; minor = 8; byte_order = le; };
		clock { name = c; };
		typealias integer { size = 64; align = 8; map = clock.c.value; } := time;
		typealias integer { size = 8; align = 8; } := small;
		stream {
			packet.context := struct { time timestamp_begin; time timestamp_end; small packet_size; };
			event.header := struct { small timestamp; };
		};
		event { name = e; };
	END
	# Each has an event at its end.
	python3 -c 'import struct, sys
sys.stdout.buffer.write(b"".join(struct.pack("<QQBB", 2 * i, 2 * i + 1, 144, 2 * i + 1 & 255)
                                 for i in range(1000000)))' > "$tmp/bad/s" &&
	# Of a small process: what it has counts, too.
	python3 - "$sliced" view -j 1 "$tmp/bad" <<-'END' || return
		import os, subprocess, sys
		def most(*more):
		    ltt = subprocess.Popen([*sys.argv[1:], *more], stdout=subprocess.DEVNULL)
		    _, status, usage = os.wait4(ltt.pid, 0)
		    assert status == 0, status
		    return usage.ru_maxrss
		without, found = most("-e", "0.000000100"), most("-b", "0.001999990")
		if found > without + 20000:
		    sys.exit(f"{found} instead of {without} KB")
	END
	"$sliced" view -j 1 -b 0.001999990 "$tmp/bad" > "$tmp/out" &&
	[ "$(grep -vc '^#' "$tmp/out")" = 5 ] || { tail -n 12 "$tmp/out"; return 1; }
}

# The same where bytes are wrong.
damaged_threads()
{
	local seed dir

	for ((seed = $(amount 10 40); seed > 0; seed--)); do
		rm -rf "$tmp/bad"
		dir=("$tmp"/made/*)
		cp -r "${dir[seed % ${#dir[@]}]}" "$tmp/bad"
		python3 - "$tmp/bad" "$seed" <<-'END'
			import pathlib, random, sys
			random.seed(int(sys.argv[2]))
			for file in pathlib.Path(sys.argv[1]).glob("chan*"):
			    data = bytearray(file.read_bytes())
			    for _ in range(random.randint(0, 3)):
			        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
			    file.write_bytes(data[:random.choice([len(data), random.randrange(len(data))])])
		END
		same_with --wall "$tmp/bad" || { echo "seed $seed"; return 1; }
	done
}

# refused PLACE TEXT SED: metadata that were changed like this
refused()
{
	rm -rf "$tmp/bad"
	cp -r "$tmp/made/clocks" "$tmp/bad"
	sed -i -E "$3" "$tmp/bad/metadata"
	! cmp -s "$tmp/bad/metadata" "$tmp/made/clocks/metadata" || { echo "not changed: $3"; return 1; }
	expect 1 "/metadata: $1: $2" "$ltt" view --wall "$tmp/bad" && [ ! -s "$tmp/out" ]
}

refusals()
{
	local labels fields clocks

	printf -v clocks 'clock { name = c%s; };' {1..300}
	printf -v labels 'a%s, ' {1..5000}
	printf -v fields 'f%s, ' {1..900}
	refused 'line 3, column 28' 'not version 1.8' '3s/minor = 8/minor = 9/' &&
	refused 'line 3, column 28' 'unknown value of the trace' '3s/minor = 8/minus = 8/' &&
	refused 'line 3, column 1' 'trace without byte_order' '3s/byte_order = le; //' &&
	refused 'line 5, column 28' 'unknown value of the clock' '5s/freq =/fre =/' &&
	refused 'line 6, column 1' 'second clock slow' '6s/name = fast/name = slow/' &&
	refused 'line 2, column 28' 'expected a size of 1 to 64 bits' '2s/size = 32/size = 65/' &&
	refused 'line 2, column 40' 'expected an alignment' '2s/align = 8/align = 9/' &&
	refused 'line 2, column 11' "unknown type 'integers'" '2s/integer/integers/' &&
	refused 'line 2, column 11' 'integer without a size' '2s/size = 32; //' &&
	refused 'line 2, column 50' 'unknown attribute of a type' '2s/signed/sign/' &&
	refused 'line 11, column 29' "expected '=', not '{'" '11s/struct/integer/' &&
	refused 'line 7, column 45' "unknown clock 'lost'" '7s/clock\.slow/clock.lost/' &&
	refused 'line 20, column 200' "'later' is no field before this one" '20s/s\[n\]/s[later]/' &&
	refused 'line 50, column 1' 'the text ends' '$d' &&
	refused 'line 13, column 1' 'duplicate event id' '10s/id = 0/id = 1/' &&
	refused 'line 10, column 1' 'event of an undeclared stream' '10s/stream_id = 0/stream_id = 5/' &&
	refused 'line 7, column 1' 'the event.header of the stream has no time' '8s/map = [a-z.]*;//' &&
	refused 'line 7, column 1' 'several events, and no id' '8s/\} id;/} i;/' &&
	refused 'line 5, column 5832' 'more than 256 clocks' "5s/\$/$clocks/" &&
	refused 'line 2, column 116' "the enumeration's integer has no value after" \
		'2s/$/ typedef enum : integer { size = 8; } { A = 255, B } e;/' &&
	refused 'line 2, column 128' "the enumeration's integer has no value after" \
		'2s/$/ typedef enum : integer { size = 8; signed = 1; } { A = 127, B } e;/' &&
	refused 'line 2, column 132' "the enumeration's integer has no value after" \
		'2s/$/ typedef enum : integer { size = 64; } { A = 0xffffffffffffffff, B } e;/' &&
	refused 'line 17, column 20' 'variant without a tag' '17s/:= struct \{/& variant { int a; } v[2];/' &&
	refused 'line 2, column 76' 'variant without a tag' \
		'2s/$/ typedef variant { int a; } many[2];/; 17s/:= struct \{/& many v;/' &&
	refused 'line 17, column 28' "duplicate field 'pp'" '17s/:= struct \{/& int pp, pp;/' &&
	refused 'line 16, column 74' "'event.fields._len' is no field before this one" \
		'16s/$/ context := struct { int x[event.fields._len]; };/' &&
	refused 'line 17, column 20' 'too many names and labels of all fields' \
		"17s/:= struct \{/& enum : int { $labels } ${fields}last;/"
}

# make_listed LABELS FIELDS: $tmp/bad gets an event of these fields, of 2001 bytes that are the last of so
# many labels
make_listed()
{
	rm -rf "$tmp/bad"
	mkdir "$tmp/bad"
	python3 - "$tmp/bad" "$@" <<-'END'
		import struct, sys
		labels = "a = 1, " * (int(sys.argv[2]) - 1) + "last = 2"
		open(sys.argv[1] + "/metadata", "w").write(f"""/* CTF 1.8 */
		trace {{ major = 1; minor = 8; byte_order = le; }};
		clock {{ name = c; }};
		stream {{ event.header := struct {{ integer {{ size = 64; align = 8; map = clock.c.value; }} t; }}; }};
		enum listed : integer {{ size = 8; }} {{ {labels} }};
		event {{ name = e; fields := struct {{ {sys.argv[3]} }}; }};
		""")
		open(sys.argv[1] + "/s", "wb").write(struct.pack("<Q", 1) + b"\2" * 2001)
	END
}

# Labels are looked at one by one, but no more than a packet has room for.
many_labels()
{
	local shown='enum listed x; struct { enum listed z; } y[2000];'
	local fields chosen='enum listed x; struct { variant <x> { struct { } a; integer { size = 8; } last; } z; } y[2000];'

	make_listed 1000 "$shown" && lines 1 "$tmp/bad" && same_with "$tmp/bad" &&
	grep -q 'x=last y=\[{z=last},{z=last},' "$tmp/one" &&
	make_listed 1000 "$chosen" && lines 1 "$tmp/bad" || return
	for fields in "$shown" "$chosen"; do
		make_listed 60000 "$fields" &&
		expect 1 'more labels than the packet has room for' "$ltt" view "$tmp/bad" || return
	done
}

# declare_many NAME: metadata of a stream in $tmp/bad, the bytes of which are in this file; more come from
# standard input
declare_many()
{
	rm -rf "$tmp/bad"
	mkdir "$tmp/bad"
	{
		cat <<-'END'
			/* CTF 1.8 */
			trace { major = 1; minor = 8; byte_order = le;
				packet.header := struct { integer { size = 16; align = 8; } stream_id; }; };
			clock { name = c; };
			struct header { integer { size = 64; align = 8; map = clock.c.value; } t;
				integer { size = 16; align = 8; } id; };
			stream { event.header := struct header; };
		END
		cat
	} > "$tmp/bad/metadata"
	printf '\0\0\1\0\0\0\0\0\0\0\0\0' > "$tmp/bad/$1"
}

# The time that it takes does not grow with the square of the number of streams: it would be minutes.
many_streams()
{
	python3 -c 'for i in range(1, 60000):
    print(f"stream {{ id = {i}; event.header := struct header; }};")
    print(f"event {{ name = e; id = 0; stream_id = {i}; }};")
print("event { name = e; id = 0; stream_id = 0; };")' | declare_many s &&
	(ulimit -t 30 && lines 1 "$tmp/bad") &&
	sed -i 's/id = 59999; event.header/id = 59998; event.header/' "$tmp/bad/metadata" &&
	expect 1 'duplicate stream id' "$ltt" view "$tmp/bad"
}

# Names of files that each event has in its own are limited.
long_names()
{
	local name

	name=$(printf '\377%.0s' {1..250}) &&
	python3 -c 'for i in range(60000): print(f"event {{ name = e; id = {i}; stream_id = 0; }};")' |
		declare_many s && lines 1 "$tmp/bad" &&
	mv "$tmp/bad/s" "$tmp/bad/$name" &&
	expect 1 'too many names and fields of all events' "$ltt" view "$tmp/bad"
}

# Of a packet without a header, the notice names the one that should be there.
no_header()
{
	local number

	for number in packet_seq_num no_number; do
		rm -rf "$tmp/bad"
		cp -r "$tmp/made/large-le" "$tmp/bad"
		sed -i "s/packet_seq_num/$number/" "$tmp/bad/metadata"
		python3 - "$tmp/bad/chan0_0" 3 <<-'END' || return
			import sys
			data = bytearray(open(sys.argv[1], "rb").read())
			at = -1
			for _ in range(int(sys.argv[2]) + 1):
			    at = data.index(b"\xc1\x1f\xfc\xc1", at + 1)
			data[at] ^= 1
			open(sys.argv[1], "wb").write(data)
		END
		expect 1 'no packet begins here' "$ltt" view "$tmp/bad" &&
		grep '^# corrupt cpu 0 channel chan0 packet 3 offset 0 at' "$tmp/out" ||
			{ grep '^#' "$tmp/out"; return 1; }
		same_with "$tmp/bad" || return
	done
}

# A packet that ends when no time is any more ends after all events.
far_end()
{
	local begin want

	rm -rf "$tmp/bad"
	cp -r "$tmp/made/plain-le" "$tmp/bad"
	begin=$("$ltt" view --wall "$tmp/bad" | grep -v '^#' | sed -n '20s/ .*//p')
	want=$("$ltt" view --wall -b "$begin" "$tmp/bad" | grep -vc '^#')
	printf '\xff%.0s' {1..8} | dd of="$tmp/bad/chan0_0" bs=1 seek=32 conv=notrunc status=none
	lines "$want" --wall -b "$begin" "$tmp/bad"
}

# header OFFSET DELTA: changes a number in the header of the first packet of chan0_0 in $tmp/bad
header()
{
	python3 - "$tmp/bad/chan0_0" "$@" <<-'END'
		import pathlib, struct, sys
		file, at, delta = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
		data = bytearray(file.read_bytes())
		struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + delta)
		file.write_bytes(data)
	END
}

# ends OFFSET DELTA STATUS NOTICES EVENTS TEXT: with this change to a packet's header
ends()
{
	rm -rf "$tmp/bad"
	cp -r "$tmp/made/plain-le" "$tmp/bad"
	header "$1" "$2" && expect "$3" "chan0_0: offset $6" "$ltt" view "$tmp/bad" || return
	[ "$(grep -c '^# corrupt cpu 0' "$tmp/out") $(grep -vc '^#' "$tmp/out")" = "$4 $5" ] &&
	[ "$(wc -l < "$tmp/err")" = 1 ] || { grep '^# corrupt' "$tmp/out"; grep -vc '^#' "$tmp/out"; return 1; }
}

# A packet's content ends in an event, or after the last one; or an event is after its end.
packet_ends()
{
	local content=40 end=32

	ends $content -8 1 1 479 '2158: incomplete event; skipping to offset 2240' &&
	ends $content -400 1 1 478 '2094: incomplete event; skipping to offset 2240' &&
	ends $content 8 1 1 480 '2177: incomplete event; skipping to offset 2240' &&
	ends $content 200 1 1 480 '2177: an event before the one before it; skipping' &&
	ends $end -9000 0 0 480 '2158: note: an event after the end of its packet' &&
	same_with "$tmp/bad"
}

# Packets that cannot be.
damage()
{
	local file=$tmp/bad/chan0_0 size

	rm -rf "$tmp/bad"
	cp -r "$tmp/made/large-le" "$tmp/bad"
	size=$(stat -c %s "$file")
	truncate -s $((size - 10)) "$file"
	"$ltt" view "$tmp/bad" > "$tmp/out" 2> "$tmp/err" || return
	grep -q 'note: the last packet is truncated' "$tmp/err" || { cat "$tmp/err"; return 1; }
	[ "$(grep -vc '^#' "$tmp/out")" = 200 ] || return
	printf '\xff\xff' | dd of="$file" bs=1 seek=100 conv=notrunc status=none
	"$ltt" view "$tmp/bad" > "$tmp/out" 2> "$tmp/err" && return 1
	grep -q 'skipping to offset' "$tmp/err" && grep -q '^# corrupt cpu 0' "$tmp/out"
}

set_up make_all
echo "KTAP version 1"
if [ "$chance" ]; then
	run_test "babeltrace2 agrees: LTTng-UST" recorded
	run_test "threads" threads
	run_test "threads, with damage" damaged_threads
	run_test "many labels" many_labels
	run_test "a packet without a header" no_header
	run_test "a packet that ends before its events, or after them" packet_ends
	echo "1..$number"
	exit $failed
fi
for dir in "$tmp"/made/*; do
	name=$(basename "$dir")
	run_test "babeltrace2 agrees: $name" agrees "$dir" "$([ "$name" != clocks ] || echo 1)"
done
run_test "a copy of a trace of LTT" copied
run_test "lost events are counted" losses
run_test "patterns, filters and times" chosen
run_test "styles" styles
run_test "traces are merged" merged
run_test "the first label" first_label
run_test "labels of signed values" signed_labels
run_test "a negative offset" negative_offset
run_test "elements of long sequences" far_elements
run_test "values of programs" values
run_test "pairs, plots and exports" commands
run_test "what is not understood is named" refusals
run_test "small packets" small_packets
run_test "memory of many packets" many_packets
run_test "damage" damage
run_test "many streams" many_streams
run_test "long names" long_names
run_test "a packet that never ends" far_end
echo "1..$number"
exit $failed
