#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_plot.sh BUILD-DIRECTORY LTT
#
# The command `ltt plot` (LTT, built with sanitizers) on the traces of make_trace, of both byte
# orders, and of make_bench: the page has what `ltt view` shows. In a long run, a browser shows it.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

build=$1
ltt=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC LC_ALL=C PYTHONDONTWRITEBYTECODE=1

# shellcheck source=ktap.sh
. "$here/ktap.sh"
# shellcheck source=traces.sh
. "$here/traces.sh"

# plot TRACE [OPTION...]: to $tmp/page, which has what view shows. HIDDEN=--hidden: who runs is read,
# too, but not shown. AHEAD: from when on; LIKE: options for view instead; BESIDE: another trace;
# JSON: a filter for what view shows.
plot()
{
	local trace=("$tmp/$1") hidden=()

	shift
	[ ! "${BESIDE:-}" ] || trace+=("$tmp/$BESIDE")
	[ ! "${HIDDEN:-}" ] || hidden=(-m sched.sched_switch)
	rm -f "$tmp/page"
	"$ltt" plot -o "$tmp/page" "$@" "${trace[@]}" || return
	# shellcheck disable=SC2086
	set -- ${LIKE:-"$@"}
	"$ltt" view "$@" "${trace[@]}" > "$tmp/text" &&
	"$ltt" view --style json "$@" "${hidden[@]}" "${trace[@]}" | ${JSON:-cat} > "$tmp/json" &&
	"$ltt" view --style json -b "${AHEAD:-0}" -m sched.sched_switch "${trace[@]}" > "$tmp/ahead" &&
	"$here/compare_plot.py" "$tmp/page" "$tmp/text" "$tmp/ahead" ${HIDDEN:-} < "$tmp/json" > "$tmp/counts"
}

# counts REGEX: there are so many
counts()
{
	grep -qE "$1" "$tmp/counts" || { cat "$tmp/counts"; return 1; }
}

losses()
{
	plot "$1" && counts '^[1-9][0-9]* losses$'
}

# Each has its own: what another one has recorded since is not the last that came before a loss.
beside()
{
	cp -r "$tmp/le" "$tmp/later"
	sed -i 's/offset = 123456789;/offset = 123987654;/' "$tmp/later/metadata"
	BESIDE=later plot le --wall && counts '^[1-9][0-9]* losses$'
}

# A loss is told with the first event after it, whose channel is that of its file.
by_file()
{
	tac | sed -E '/"notice"/!{h; b}; G; s/"channel":"[^"]*"(.*)\n.*("channel":"[^"]*").*/\2\1/' | tac
}

# Files of another tracer that does not tell their CPUs: each has its own losses.
no_cpus()
{
	declare_packets "$tmp/files" '' &&
	python3 - "$tmp/files" <<-'END' && JSON=by_file plot files && counts '^14 losses$'
		import struct, sys
		for id, name in enumerate(("left", "right")):
		    with open(sys.argv[1] + "/metadata", "a") as file:
		        file.write(f'event {{ id = {id}; name = "{name}:e"; fields := struct {{ u32 n; }}; }};\n')
		    with open(sys.argv[1] + "/" + name, "wb") as file:
		        for packet in range(8):
		            events = b"".join(struct.pack("<IQI", id, 100 * packet + (10 + id) * n + 3 * id, n) for n in range(8))
		            bits = 8 * (24 + len(events))
		            file.write(struct.pack("<QQQ", bits, bits, packet * (1 + id)) + events)
	END
}

# In a trace of another tracer the channel that has lost events is not that of the events.
foreign_losses()
{
	make_perf "$tmp/perf" &&
	JSON='sed s/"channel":"perf_stream"/"channel":"shared"/' plot perf && counts '^18 losses$' &&
	counts '^20 interrupts$' && counts '^23 runs$'
}

kernel()
{
	plot bench && counts '^20000 lines$' && counts '^[1-9][0-9]* runs$' &&
	counts '^[1-9][0-9]* interrupts$'
}

chosen()
{
	AHEAD=1.005 plot bench -b 1.005 -e 1.015 && counts '^[1-9][0-9]* runs$' || return
	# No switch is in the range: the next one tells who it was.
	AHEAD=1.0005 plot bench -b 1.0005 -e 1.000505 && counts '^[1-9][0-9]* runs$' || return
	HIDDEN=--hidden plot bench -m 'irq.*' && counts '^[1-9][0-9]* runs$' || return
	plot bench --wall && counts '^20000 lines$' || return
	# Of switches, all are shown, as they tell who runs.
	LIKE=' ' plot bench --filter 'sched.sched_switch: prev_pid == 1' || return
	# Of nothing, there is a page of nothing.
	rm "$tmp/page"
	"$ltt" plot -o "$tmp/page" -b 100000 -e 100001 "$tmp/bench" && [ -s "$tmp/page" ]
}

# What is not recorded is not made up: a CPU whose first packets are gone, and switches.
unknown()
{
	cp -r "$tmp/bench" "$tmp/late"
	# The size of a packet is in its header.
	tail -c +$(($(od -An -tu8 -j48 -N8 "$tmp/bench/sched_1") / 8 + 1)) "$tmp/bench/sched_1" \
		> "$tmp/late/sched_1"
	rm -r "$tmp/late/index"
	plot late && counts '^[1-9][0-9]* runs$'
}

# A mistake is found.
different()
{
	plot bench || return
	cp "$tmp/text" "$tmp/good"
	sed '1000s/$/ /' "$tmp/good" > "$tmp/text"
	! "$here/compare_plot.py" "$tmp/page" "$tmp/text" "$tmp/ahead" < "$tmp/json" || return
	jq -c 'if .event == "sched_switch" and .cpu == 1 then .ts -= 1 else . end' "$tmp/json" > "$tmp/other"
	! "$here/compare_plot.py" "$tmp/page" "$tmp/good" "$tmp/ahead" < "$tmp/other"
}

# What traces say of themselves and of threads is not taken for HTML.
hostile()
{
	cp -r "$tmp/bench" "$tmp/hostile"
	sed -i 's|hostname = ".*"|hostname = "</script><img src=x>&\\"\\\\"|' "$tmp/hostile/metadata"
	LC_ALL=C find "$tmp/hostile" -maxdepth 1 -type f -name 'sched_*' \
		-exec sed -i 's/bash/<\/b>/g; s/sshd/\xff<i>/g' {} +
	plot hostile && ! grep -q '<img\|<i>\|<\/b>.*<\/b>' "$tmp/page"
}

# The page has the event, but not its line, which is told.
long_line()
{
	cp -r "$tmp/le" "$tmp/long" && add_long_line "$tmp/long" &&
	expect 1 '0.000000000 [000] long.line: more than 67108864 bytes of text, skipped' \
		"$ltt" plot -m 'long.*' -o "$tmp/long.html" "$tmp/long" &&
	[ "$(wc -l < "$tmp/err")" = 1 ] && [ -s "$tmp/long.html" ]
}

refused()
{
	printf 'mine' > "$tmp/file"
	expect 2 "missing output file" "$ltt" plot "$tmp/bench" &&
	expect 2 "trace directory" "$ltt" plot -o "$tmp/new" &&
	expect 1 "File exists" "$ltt" plot -o "$tmp/file" "$tmp/bench" &&
	[ "$(cat "$tmp/file")" = mine ] &&
	expect 1 "No such file" "$ltt" plot -o "$tmp/new" "$tmp/none" && [ ! -e "$tmp/new" ] &&
	expect 1 "different machines or boots" "$ltt" plot --wall -o "$tmp/new" "$tmp/le" "$tmp/other" &&
	[ ! -e "$tmp/new" ] || return
	# shellcheck disable=SC2016
	expect 1 "File too large" bash -c 'ulimit -f 8; exec "$@"' bash "$ltt" plot -o "$tmp/new" "$tmp/bench" &&
	[ ! -e "$tmp/new" ] || return
	# What is damaged is told, the rest is there.
	damaged
	expect 1 'irq_1: offset' "$ltt" plot -o "$tmp/new" "$tmp/damaged" && [ -s "$tmp/new" ] || return
	impossible_cpu
	rm "$tmp/new"
	expect 1 'no machine has a CPU 16777215, left out' "$ltt" plot -o "$tmp/new" "$tmp/cpu" && [ -s "$tmp/new" ]
}

# of_boot NAME SED-SCRIPT: a trace like le, with other metadata
of_boot()
{
	cp -r "$tmp/le" "$tmp/$1" && sed -i "$2" "$tmp/$1/metadata" &&
	! cmp -s "$tmp/le/metadata" "$tmp/$1/metadata"
}

# Where a trace does not tell its boot, as those of other tracers: by the name of the machine, and when
# its clock was 0.
boots()
{
	local page=$tmp/boots.html names

	of_boot unknown '/boot_id/d' && of_boot machine '/boot_id/d; s/hostname = "/&x/' &&
	of_boot start '/boot_id/d; s/offset_s = 1/&1/' && of_boot clock '/boot_id/d; s/\<mono\>/other/g' &&
	of_boot adjusted '/boot_id/d; s/offset = 123456789;/offset = 123987654;/' || return
	for names in unknown,adjusted le,unknown unknown,le le,adjusted,unknown unknown,clock; do
		eval "$ltt plot --wall -o $page $tmp/{$names}" && [ -s "$page" ] && rm "$page" || return
	done
	for names in unknown,machine unknown,start le,machine le,start unknown,le,other; do
		expect 1 "different machines or boots" eval "$ltt plot --wall -o $page $tmp/{$names}" &&
		[ ! -e "$page" ] || return
	done
}

interrupted()
{
	plot bench && all_or_nothing "$tmp/page" "1 2 20" "$ltt" plot "$tmp/bench"
}

another_boot()
{
	cp -r "$tmp/le" "$tmp/other"
	sed -i 's/boot_id = "./boot_id = "0/' "$tmp/other/metadata"
}

# A page of a million events, as a user would have it.
browser()
{
	"$build/make_bench" "$tmp/large" 1000000 && "$ltt" plot -o "$tmp/large.html" "$tmp/large" &&
	plot bench && mv "$tmp/page" "$tmp/bench.html" || return
	"$here/browse_plot.py" "$tmp/bench.html" "$tmp/large.html" "${LTT_SCREENSHOTS:-}"
}

echo "KTAP version 1"
set_up make_traces 20000
set_up another_boot
run_test "all types, little-endian" losses le
run_test "all types, big-endian" losses be
run_test "losses of two traces" beside
run_test "losses of files that do not tell their CPUs" no_cpus
run_test "losses of another tracer" foreign_losses
run_test "the kernel's events" kernel
run_test "ranges, patterns, wall time" chosen
run_test "what is not known" unknown
run_test "what differs is found" different
run_test "hostile names" hostile
run_test "a line that is too long" long_line
run_test "refusals" refused
run_test "traces that do not tell their boot" boots
run_test "interrupted while it is written" interrupted
if [[ ${LTT_LONG:-} ]]; then
	run_test "in a browser" browser
else
	number=$((number + 1))
	echo "ok $number in a browser # SKIP only in a long run"
fi
echo "1..$number"
exit $failed
