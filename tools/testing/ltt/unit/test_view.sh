#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_view.sh BUILD-DIRECTORY LTT
#
# The command `ltt view` (LTT, built with sanitizers) on the traces of make_trace, of both
# byte orders: it agrees with babeltrace2, and it does what its options say.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

build=$1
ltt=$2
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
compare=$top/tools/testing/selftests/ltt/compare
export TZ=UTC LC_ALL=C

# shellcheck source=ktap.sh
. "$here/ktap.sh"
# shellcheck source=traces.sh
. "$here/traces.sh"

# A tracer's directory for commands that only read.
fake_tracer()
{
	mkdir "$tmp/tracer" "$tmp/tracer/traces" && touch "$tmp/tracer/setup_trace" &&
	seq 5000 | sed 's/.*/chan.marker_&\tmodule\toff\tformat &/' > "$tmp/tracer/markers"
}

make_both()
{
	fake_tracer &&
	"$build/make_trace" "$tmp/le" > "$tmp/le.made" &&
	qemu-s390x "$build/make_trace_s390x" "$tmp/be" > "$tmp/be.made" &&
	"$ltt" view "$tmp/le" > "$tmp/le.text" &&
	"$ltt" view "$tmp/be" > "$tmp/be.text"
}

shown()
{
	[ "$(wc -l < "$tmp/le.text")" -gt 5000 ] && [ "$(wc -l < "$tmp/be.text")" -gt 5000 ]
}

agrees()
{
	"$ltt" view --wall "$tmp/$1" > "$tmp/wall" &&
	babeltrace2 --clock-seconds --no-delta "$tmp/$1" > "$tmp/bt" 2> "$tmp/bt.err" &&
	"$here/compare_view.py" "$tmp/$1" "$tmp/wall" "$tmp/bt"
}

# Only %pI4h means the machine's own byte order.
same_text()
{
	diff <(sed 's/ host [0-9.]* / /' "$tmp/le.text") <(sed 's/ host [0-9.]* / /' "$tmp/be.text")
}

# A notice reports the events lost before the next event.
losses()
{
	local made shown

	made=$(awk '/^loss_/ { n += $5 } END { print n }' "$tmp/le.made")
	shown=$(awk '/^# lost .* channel loss / { n += $3 } END { print n }' "$tmp/le.text")
	echo "lost $made, shown $shown"
	[ "$made" -gt 0 ] && [ "$made" = "$shown" ]
}

in_order()
{
	awk '!/^#/ { if ($1 + 0 < last) { print; exit 1 } last = $1 + 0 }' "$tmp/$1.text"
}

# Ranges: each third of the text, by the times of its first and last line.
ranges()
{
	local from first last lines

	lines=$(wc -l < "$tmp/be.text")
	for from in 3 $((lines / 3)) $((lines * 2 / 3)); do
		first=$(sed -n "${from}p" "$tmp/be.text" | grep -o '^[0-9.]*') || return
		last=$(sed -n "$((from + 500))p" "$tmp/be.text" | grep -o '^[0-9.]*') || return
		"$ltt" view -b "$first" -e "$last" "$tmp/be" | grep -v '^#' > "$tmp/part"
		awk -v b="$first" -v e="$last" '!/^#/ && $1 >= b && $1 <= e' "$tmp/be.text" |
			cmp - "$tmp/part" || return
	done
}

patterns()
{
	"$ltt" view -m 'many.* !*.event_?' -m 'loss.two' "$tmp/le" | grep -v '^#' |
		cmp - <(grep -E '^[^#]* (many\.event_[0-9]{2,}|loss\.two):' "$tmp/le.text")
}

# Styles "kv" and "lttv", with strings as hostile as the traces have them.
names_and_values()
{
	"$ltt" view --style "$1" "$tmp/$2" > "$tmp/pairs" &&
	"$here/compare_pairs.py" "$1" "$tmp/$2.text" "$tmp/pairs"
}

# json_of TRACE: each line is JSON for jq as well, and no control character is in any.
json_of()
{
	"$ltt" view --style json "$tmp/$1" > "$tmp/$1.json" &&
	[ "$(jq -c . "$tmp/$1.json" | wc -l)" = "$(grep -vc '^# seconds' "$tmp/$1.text")" ] &&
	! LC_ALL=C.UTF-8 grep -P '[\x00-\x1f\x7f\x{80}-\x{9f}]' "$tmp/$1.json"
}

json_values()
{
	json_of "$1" && "$compare/json_values.py" "$tmp/$1" "$tmp/$1.json"
}

json_schema()
{
	"$compare/json_schema.py" "$top/Documentation/trace/ltt/text-json.schema.json"
}

# The notices of live traces, as test_style has them.
live_notices()
{
	local place='"ts":1234567890123,"cpu":12,"channel":"sched"'

	printf '%s\n' "{\"notice\":\"unfinished\",$place}" '{"notice":"late","cpu":12}' \
		"{\"notice\":\"corrupt\",$place,\"packet\":67,\"offset\":890}" \
		'{"notice":"silent","cpu":12,"since":1234567890123}'
}

# The header, losses, contexts, events of all kinds; what is not as described is found.
json_as_described()
{
	local wrong

	json_of le && live_notices >> "$tmp/le.json" && json_schema < "$tmp/le.json" > "$tmp/kinds" && cat "$tmp/kinds" &&
	[ "$(wc -l < "$tmp/kinds")" -gt 50 ] && grep -q ' lost$' "$tmp/kinds" || return
	for wrong in '1d' '1s/"ltt":1/"ltt":2/' 's/"ts":/"time":/' 's/"cpu":\([0-9]*\)/"cpu":"\1"/' \
		     's/"events":/"lost":/' 's/"since":/"ts":/' 's/"notice":"late"/"notice":"now"/' 's/"context":{/"x":0,&/' 's/}$//'; do
		sed "$wrong" "$tmp/le.json" | json_schema > "$tmp/found" 2>&1 &&
			{ echo "accepted: $wrong"; return 1; }
	done
	return 0
}

# generated = delivered + said lost, from nothing but the stream
json_losses()
{
	local made

	json_of le &&
	made=$(awk '/^loss_/ { n += $3 + $5 } END { print n }' "$tmp/le.made") &&
	[ "$(jq -n 'reduce inputs as $e (0; if $e.channel != "loss" then .
			elif $e.notice == "lost" then . + $e.events else . + 1 end)' \
			"$tmp/le.json")" = "$made" ]
}

# Times since 1970, either way; losses, too.
json_time()
{
	json_of le && "$ltt" view --wall --style json "$tmp/le" > "$tmp/wall" &&
	[ "$(head -n 1 "$tmp/wall" | jq '.traces[0].offset')" = 0 ] &&
	python3 - "$tmp/le.json" "$tmp/wall" << 'EOP'
import json, sys

ours, wall = ([json.loads(line) for line in open(name, encoding='utf-8')] for name in sys.argv[1:])
offset = ours[0]['traces'][0]['offset']
sys.exit(not offset or [one['ts'] + offset for one in ours[1:]] != [one['ts'] for one in wall[1:]])
EOP
}

# Of several directories, each line is that of one of them, and says which; of one, none does.
json_of_several()
{
	local nr one

	"$ltt" view --wall --style json "$tmp/le" "$tmp/be" > "$tmp/both.json" &&
	json_schema < "$tmp/both.json" > "$tmp/kinds" || return
	for nr in 0 1; do
		one=$([ $nr = 0 ] && echo le || echo be)
		"$ltt" view --wall --style json "$tmp/$one" | tail -n +2 | jq -c . > "$tmp/one.json" &&
		! jq -e 'select(has("trace"))' "$tmp/one.json" > "$tmp/out" &&
		tail -n +2 "$tmp/both.json" | jq -c "select(.trace == $nr) | del(.trace)" |
			cmp - "$tmp/one.json" || return
	done
	[ "$(jq -c 'select(has("trace") or has("traces"))' "$tmp/both.json" | wc -l)" = \
		"$(wc -l < "$tmp/both.json")" ]
}

# chosen TRACE FILTER AWK-CONDITION: lines that awk chooses of the text
chosen()
{
	"$ltt" view --filter "$2" "$tmp/$1" > "$tmp/filtered" &&
	awk "/^#/ { next } $3" "$tmp/$1.text" > "$tmp/wanted" &&
	grep -v '^#' "$tmp/filtered" | cmp - "$tmp/wanted" &&
	[ "$(wc -l < "$tmp/wanted")" -lt "$(grep -vc '^#' "$tmp/$1.text")" ]
}

filters()
{
	chosen "$1" 'types.wide: int < 0 && uint >= 1000000' \
		'$3 != "types.wide:" || ($5 < 0 && $7 >= 1000000)' &&
	chosen "$1" 'types.network: be16 == 4096 || be32 in {0x10, 0x80-0x100}' \
		'$3 != "types.network:" || $5 == 4096 || $7 == "0x10" ||
			($7 ~ /^0x(100|[89a-f][0-9a-f])$/)' &&
	chosen "$1" 'types.*: $cpu == 2' '$3 !~ /^types\./ || $2 == "[002]"' &&
	chosen "$1" 'flight.*: $cpu != 0 && $tid > 0 && $state == irq' \
		'$3 !~ /^flight\./ || ($2 != "[000]" && / tid [1-9][0-9]* / && / state irq /)' &&
	expect 1 'no such context: pid' "$ltt" view --filter 'flight.*: $cpu && $pid' "$tmp/$1" &&
	chosen "$1" 'many.event_1*: 0' '$3 !~ /^many.event_1/' &&
	"$ltt" view -m loss.one --filter 'loss.*: none' --filter 'loss.one: text ~ "two*"' \
		"$tmp/$1" > "$tmp/filtered" &&
	[ "$(grep -vc '^#' "$tmp/filtered")" -ge 1 ] &&
	! grep -v '^#' "$tmp/filtered" | grep -v ' text two' &&
	expect 1 'types.wide: column 8: no such field: nosuch' \
		"$ltt" view --filter 'types.wide: int && nosuch' "$tmp/$1" &&
	expect 1 'column 5: the expression ends too early' \
		"$ltt" view --filter 'types.wide: int+' "$tmp/$1" &&
	expect 1 'expected a pattern without !' "$ltt" view --filter '!*: 1' "$tmp/$1"
}

bad_usage()
{
	local usage

	expect 1 /nonexistent/metadata "$ltt" view /nonexistent || return
	"$ltt" view > /dev/null 2>&1
	usage=$?
	((usage > 0)) || { echo "no argument is no error"; return 1; }
	expect "$usage" 'invalid time' "$ltt" view -b 1x "$tmp/le" &&
	expect "$usage" 'invalid time' "$ltt" view -b '' "$tmp/le" &&
	expect "$usage" 'invalid time' "$ltt" view -e 1.2.3 "$tmp/le" &&
	expect "$usage" 'invalid time' "$ltt" view -e 99999999999999999999 "$tmp/le" &&
	expect "$usage" '--begin is after --end' "$ltt" view -b 2 -e 1 "$tmp/le" &&
	expect "$usage" 'empty pattern' "$ltt" view -m '' "$tmp/le" &&
	expect "$usage" 'many.*: expected PATTERN: EXPR' "$ltt" view --filter 'many.*' "$tmp/le" &&
	expect "$usage" 'sched: no dot' "$ltt" view -m sched "$tmp/le" &&
	expect "$usage" '!a.b.c: second dot' "$ltt" view -m 'many.* !a.b.c' "$tmp/le" &&
	expect "$usage" 'invalid character' "$ltt" view -m $'esc\e[31m.x' /nonexistent &&
	no_controls &&
	expect "$usage" 'empty pattern' "$ltt" view -m ' ' "$tmp/le" &&
	expect "$usage" 'empty argument' "$ltt" record -o "$tmp/new" -e '' &&
	expect "$usage" 'empty argument' "$ltt" text -e ' ' &&
	expect "$usage" 'empty argument' "$ltt" create new --size '' &&
	expect "$usage" 'empty trace name' "$ltt" create '' &&
	expect "$usage" 'empty trace name' "$ltt" create ' ' &&
	"$ltt" view --help | grep -q -- --markers
}

# Only the listed ones are accepted. The first is the default.
styles()
{
	local style time usage=2

	"$ltt" view --style help > "$tmp/styles" || return
	[ "$(head -n 1 "$tmp/styles")" = format ] || return
	"$ltt" view --style=format "$tmp/le" | cmp - "$tmp/le.text" || return
	time=$(sed -n "5000s/ .*//p" "$tmp/le.text")
	while read -r style; do
		"$ltt" view --style "$style" "$tmp/le" > "$tmp/out" || return
		# Or in nanoseconds.
		grep -qF -e "$time" -e "${time/./}" "$tmp/out" ||
			{ echo "$style: no event at $time"; return 1; }
	done < "$tmp/styles"
	expect $usage 'no such style: nosuch; styles of recorded traces: format kv json lttv' \
		"$ltt" view --style nosuch "$tmp/le" &&
	expect $usage 'no such style: ' "$ltt" view --style '' "$tmp/le" &&
	expect $usage 'needs the running kernel; styles of recorded traces: format' \
		"$ltt" view --style ftrace "$tmp/le" &&
	! grep -qx ftrace "$tmp/styles" &&
	"$ltt" text --style help | cmp - <(printf '%s\n' format ftrace; sed -n '2,$p' "$tmp/styles")
}

# One version for the modules, the tools and DKMS.
version()
{
	local version

	version=$(sed -n 's/^#define LTT_VERSION\t"\(.*\)"$/\1/p' "$top/include/linux/ltt/version.h")
	[ "$("$ltt" --version)" = "ltt $version" ] &&
	[ "$("$ltt" record --version)" = "ltt $version" ] &&
	grep -qx "PACKAGE_VERSION=\"$version\"" "$top/dkms.conf"
}

# A reader that stops causes no message; a full disk does, and a file that must not grow.
outputs()
{
	local line

	for line in --version --help 'view --help' 'record --version'; do
		# shellcheck disable=SC2086 # words
		expect 1 'standard output: No space left' \
			sh -c 'exec "$@" > /dev/full' sh "$ltt" $line || return
	done
	(ulimit -f 1 && expect 1 'standard output: File too large' "$ltt" view "$tmp/le") || return
	line=$("$ltt" view "$tmp/le" 2> "$tmp/err" | head -n 1)
	[ "$line" = '# LTT trace made, clock mono' ] && [ ! -s "$tmp/err" ] || return
	"$ltt" view "$tmp/le" > /dev/full 2> "$tmp/err" && return 1
	grep -q 'No space left' "$tmp/err"
}

# What COMMAND writes to a pipe that does not block, read when it waits for room there.
through_full_pipe()
{
	timeout 300 python3 - "$@" << 'EOF'
import fcntl, os, select, subprocess, sys, time

def sleeps(pid):
	with open(f'/proc/{pid}/stat') as stat:
		return stat.read().rpartition(') ')[2][0] == 'S'

ours, theirs = os.pipe()
os.set_blocking(theirs, False)
fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
command = subprocess.Popen(sys.argv[1:], stdout=theirs)
while command.poll() is None:
	if not select.select([], [theirs], [], 0)[1] and sleeps(command.pid):
		break
	time.sleep(0.01)
os.close(theirs)
with open(ours, 'rb') as pipe:
	sys.stdout.buffer.write(pipe.read())
sys.exit(command.wait())
EOF
}

not_blocking()
{
	through_full_pipe "$ltt" view "$tmp/le" | cmp - "$tmp/le.text" &&
	LTT_ROOT=$tmp/tracer through_full_pipe "$ltt" list | cmp - "$tmp/tracer/markers" &&
	through_full_pipe "$ltt" record --help | cmp - <("$ltt" record --help)
}

# The first file that is opened does not become standard output.
closed()
{
	local status=0

	expect 1 'standard output: Bad file descriptor' \
		sh -c 'exec "$@" >&-' sh "$ltt" view "$tmp/le" &&
	expect 1 'standard output: Bad file descriptor' \
		env LTT_ROOT="$tmp/tracer" sh -c 'exec "$@" >&-' sh "$ltt" list || return
	"$ltt" view -m nonsense "$tmp/le" <&- >&- 2>&- || status=$?
	[ "$status" = 2 ]
}

# It is left out, and all others are shown.
long_line()
{
	cp -r "$tmp/le" "$tmp/long" && add_long_line "$tmp/long" &&
	expect 1 '0.000000000 [000] long.line: more than 67108864 bytes of text, skipped' \
		"$ltt" view "$tmp/long" &&
	[ "$(wc -l < "$tmp/err")" = 1 ] &&
	[ "$(grep -c '^0.000000000 \[000\] long.short: short$' "$tmp/out")" = 2 ] &&
	grep -v ' long\.' "$tmp/out" | cmp - "$tmp/le.text" &&
	[ "$("$ltt" view -m 'long.short' "$tmp/long" | grep -vc '^#')" = 2 ] || return
	# As far as memory goes.
	(ulimit -v 60000 && expect 1 'bytes of text, skipped' \
		"$top/build/tools/ltt" view "$tmp/long") &&
	grep -v ' long\.' "$tmp/out" | cmp - "$tmp/le.text"
}

# A header that is too long is left out, too; one that is just long is not.
long_header()
{
	local dir=$tmp/named

	# A long name and no events; the header names all traces.
	mkdir "$dir" && {
		sed '/trace_name = /,$d' "$tmp/le/metadata"
		printf '\ttrace_name = "%s";\n' "$(printf 'n%.0s' {1..30000})"
		sed '1,/trace_name = /d' "$tmp/le/metadata"
	} > "$dir/metadata" &&
	# shellcheck disable=SC2046 # words
	"$ltt" view "$tmp/le" $(yes "$dir" | head -n 12) > "$tmp/out" &&
	[ "$(grep '^#' "$tmp/out" | wc -c)" -gt 300000 ] &&
	grep -v nnn "$tmp/out" | cmp - "$tmp/le.text" || return
	# shellcheck disable=SC2046
	expect 1 'header: more than 67108864 bytes of text, skipped' \
		"$top/build/tools/ltt" view "$tmp/le" $(yes "$dir" | head -n 2300) &&
	grep -v '^# LTT trace\|^# seconds' "$tmp/le.text" | cmp - "$tmp/out"
}

# Damage is reported with its place, in the exit status, and by a notice; the rest is shown.
damage()
{
	cp -r "$tmp/le" "$tmp/bad" &&
	printf 'XXXX' | dd of="$tmp/bad/many_1" bs=1 seek=0 conv=notrunc 2> /dev/null &&
	expect 1 "$tmp/bad/many_1: offset 0: no packet begins here" "$ltt" view "$tmp/bad" &&
	[ "$(grep -c '^# corrupt' "$tmp/out")" = 1 ] &&
	grep -q '^# corrupt cpu 1 channel many packet 0 offset 0 at ' "$tmp/out" &&
	cmp <(grep -v '\[001\] many\.\|^# corrupt' "$tmp/out") <(grep -v '\[001\] many\.' "$tmp/le.text") &&
	# What follows the damaged packet, which is the first.
	grep '\[001\] many\.' "$tmp/out" > "$tmp/rest" &&
	grep '\[001\] many\.' "$tmp/le.text" | tail -n "$(wc -l < "$tmp/rest")" | cmp - "$tmp/rest" &&
	expect 1 'no packet begins here' "$ltt" view --style json "$tmp/bad" &&
	json_schema < "$tmp/out" > "$tmp/kinds" && grep -q ' corrupt$' "$tmp/kinds" &&
	[ "$(jq -c 'select(.notice == "corrupt") | [.cpu, .channel, .packet, .offset]' "$tmp/out")" = \
		'[1,"many",0,0]' ] &&
	truncate -s -1 "$tmp/bad/many_2" && rm "$tmp/bad/many_1" &&
	expect 0 'note: the last packet is truncated' "$ltt" view "$tmp/bad"
}

# What an interrupted recorder leaves: babeltrace2 reads it afterwards. Files of others stay
# as they are, and warnings do not land in the trace.
repair()
{
	local dir=$tmp/torn

	cp -r "$tmp/le" "$dir" && echo mine > "$dir/.notes" &&
	truncate -s -5 "$dir/many_0" && head -c 100 "$dir/types_1" >> "$dir/types_1" &&
	printf half >> "$dir/metadata" && truncate -s -5 "$dir/index/loss_0.idx" &&
	"$ltt" view "$dir" > "$tmp/before" 2> /dev/null &&
	! babeltrace2 "$dir" > /dev/null 2>&1 &&
	cp -r "$dir" "$dir.closed" &&
	cp -r "$dir" "$dir.limited" &&
	(ulimit -f 1 && expect 1 'File too large' "$ltt" repair "$dir.limited") &&
	"$ltt" repair "$dir.limited" 2> /dev/null &&
	expect 0 'to repair/types_1.' "$ltt" repair "$dir" &&
	sh -c 'exec "$@" 2>&-' sh "$ltt" repair "$dir.closed" && diff -r "$dir" "$dir.closed" &&
	[ -z "$("$ltt" repair "$dir" 2>&1)" ] && diff -r "$dir" "$dir.closed" &&
	"$ltt" view "$dir" 2>&1 | cmp - "$tmp/before" &&
	babeltrace2 "$dir" > "$tmp/bt" 2> "$tmp/bt.err" || return
	[ "$(wc -l < "$tmp/bt")" = "$(grep -vc '^#' "$tmp/before")" ] || return
	# Damage stays, and is reported each time.
	printf XXXX | dd of="$dir/types_2" bs=1 seek=40 conv=notrunc 2> /dev/null &&
	cp "$dir/types_2" "$tmp/types_2" &&
	expect 1 "$dir/types_2: " "$ltt" repair "$dir" && cmp "$dir/types_2" "$tmp/types_2" &&
	expect 1 'damaged bytes at offset 0, left as they are' "$ltt" repair "$dir"
}

# Anything may have any name, and the terminal shows it.
names()
{
	local dir=$tmp/$'esc\e[31m\n' shown='esc\x1b[31m\n'

	cp -r "$tmp/le" "$dir" && echo junk > "$dir/"$'junk\r_0' &&
	expect 1 "$shown/junk\\x0d_0: offset 0: " "$ltt" view "$dir" &&
	cmp "$tmp/out" "$tmp/le.text" && no_controls &&
	expect 0 "$shown/junk\\x0d_0: not a stream of this trace" "$ltt" repair "$dir" &&
	no_controls &&
	expect 1 "$shown/no: No such file" "$ltt" repair "$dir/no" && no_controls
}

no_controls()
{
	! LC_ALL=C grep -a '[[:cntrl:]]' "$tmp/err"
}

# Files other than regular ones do not block.
fifos()
{
	local dir=$tmp/fifos file

	cp -r "$tmp/le" "$dir" && mkfifo "$dir/fifo_0" &&
	expect 1 "$dir/fifo_0: not a regular file" timeout 120 "$ltt" view "$dir" &&
	cmp "$tmp/out" "$tmp/le.text" && rm "$dir/fifo_0" || return
	for file in index/many_0.idx symbols/kallsyms metadata; do
		mkdir -p "$dir/symbols" && rm -f "$dir/$file" && mkfifo "$dir/$file" || return
		timeout 120 "$ltt" view "$dir" > "$tmp/out" 2> "$tmp/err"
		[ $? -le 1 ] || { echo "$file"; return 1; }
	done
}

# Numbers in a file do not make it use much memory. ASan needs too much of its own.
# What is behind a link is not opened: that may do something.
behind_links()
{
	local dir=$tmp/links

	cp -r "$tmp/le" "$dir" && mkfifo "$tmp/behind" && ln -s "$tmp/behind" "$dir/fifo_0" &&
	expect 1 "$dir/fifo_0: not a regular file" \
		strace -f --seccomp-bpf -qq -e trace=openat,open -E ASAN_OPTIONS=detect_leaks=0 -o "$tmp/opened" timeout 120 "$ltt" view "$dir" &&
	grep -q many_0 "$tmp/opened" && ! grep fifo_0 "$tmp/opened"
}

# A file without an end takes no time.
sparse()
{
	local dir=$tmp/sparse

	cp -r "$tmp/le" "$dir" && truncate -s 1T "$dir/hole_0" &&
	truncate -s 1T "$dir/many_0" && rm -rf "$dir/index" || return
	timeout -s KILL 300 "$ltt" view "$dir" > "$tmp/out" 2> "$tmp/err"
	[ $? = 1 ] && grep -q many_0 "$tmp/err" && grep -q ' many\.' "$tmp/out" || { head "$tmp/err"; return 1; }
	timeout -s KILL 300 "$ltt" repair "$dir" > "$tmp/out" 2>&1
	[ $? -le 1 ] || { head "$tmp/out"; return 1; }
}

small_memory()
{
	local status

	# 200 MB of address space.
	(ulimit -v 200000 && "$top/build/tools/ltt" view "$tmp/le") > "$tmp/out" &&
		cmp "$tmp/out" "$tmp/le.text" || return
	cp "$tmp/le/metadata" "$tmp/metadata" &&
	echo 'stream { id = 4294967295; };' >> "$tmp/le/metadata" || return
	(ulimit -v 200000 &&
		expect 1 "$tmp/le/metadata: offset" "$top/build/tools/ltt" view "$tmp/le")
	status=$?
	mv "$tmp/metadata" "$tmp/le/metadata"
	((status == 0)) && many_alike
}

# A format of 4 KB is there once for all events that have it.
many_alike()
{
	cp -r "$tmp/le" "$tmp/alike" && {
		printf 'stream { id = 9;\n// ltt-channel "c"\n};\n'
		printf 'struct f {\n// ltt-types 4\n// ltt-format "x %%u{%s}"\n};\n' \
			"$(seq -s , 0 549 | sed 's/[0-9]*/&=a/g')"
		seq 0 15999 | sed 's/.*/event { id = &; stream_id = 9; name = "c.x"; fields := struct f; };/'
	} >> "$tmp/alike/metadata" &&
	(ulimit -v 150000 && "$top/build/tools/ltt" view "$tmp/alike") | cmp - "$tmp/le.text"
}

# The program in the documentation.
example()
{
	sed -n '/#include <stdio.h>/,/^\t}$/s/^\t//p' "$top/Documentation/trace/ltt/view.rst" \
		> "$tmp/example.c" &&
	"${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -I"$top/tools/ltt/lib" -o "$tmp/example" \
		"$tmp/example.c" "$top/build/tools/libltt.a" &&
	"$build/make_bench" "$tmp/sched" 5000 &&
	"$tmp/example" "$tmp/sched" > "$tmp/switches" &&
	"$ltt" view -m sched.sched_switch "$tmp/sched" |
		sed -n 's/.* next_pid \([0-9]*\) .*/\1/p' | sort -n | uniq -c |
		awk '{ print $2, $1 }' | diff - "$tmp/switches" &&
	[ "$(wc -l < "$tmp/switches")" -gt 1000 ]
}

# Fields that several events have are declared once; with each of them means the same.
declared_once()
{
	grep -q 'fields := struct fields_' "$tmp/le/metadata" &&
	"$build/make_trace" --apart "$tmp/apart" > "$tmp/apart.made" &&
	none_refer "$tmp/apart/metadata" &&
	"$ltt" view "$tmp/apart" | cmp - "$tmp/le.text"
}

none_refer()
{
	! grep 'fields := struct fields_' "$1"
}

echo 'KTAP version 1'
set_up make_both
run_test "a trace of either byte order is shown" shown
run_test "babeltrace2 sees the same in the little-endian one" agrees le
run_test "babeltrace2 sees the same in the big-endian one" agrees be
run_test "both have the same text" same_text
run_test "losses are told" losses
run_test "times never decrease" in_order le
run_test "times never decrease, big-endian" in_order be
run_test "ranges of time" ranges
run_test "patterns" patterns
run_test "styles" styles
run_test "filters" filters le
run_test "filters, big-endian" filters be
run_test "names and values" names_and_values kv le
run_test "names and values, big-endian" names_and_values kv be
run_test "names and values as LTTV shows them" names_and_values lttv le
run_test "names and values as LTTV shows them, big-endian" names_and_values lttv be
run_test "JSON has the values that babeltrace2 finds" json_values le
run_test "JSON has the values that babeltrace2 finds, big-endian" json_values be
run_test "JSON is as the schema describes it" json_as_described
run_test "JSON tells losses" json_losses
run_test "JSON tells which of several directories" json_of_several
run_test "JSON tells the time" json_time
run_test "bad usage" bad_usage
run_test "the version" version
run_test "outputs that end" outputs
run_test "outputs that do not block" not_blocking
run_test "outputs that are closed" closed
run_test "a line that is too long" long_line
run_test "a header that is long, or too long" long_header
run_test "damage" damage
run_test "repair" repair
run_test "control characters in names" names
run_test "what is no file" fifos
run_test "what is behind a link is not opened" behind_links
run_test "files that are holes" sparse
run_test "little memory" small_memory
run_test "the documented example" example
run_test "fields declared once are those declared with each event" declared_once
echo "1..$number"
exit $failed
