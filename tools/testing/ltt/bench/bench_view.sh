#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: bench_view.sh BUILD-DIRECTORY LTT
#
# How fast recorded traces become text, by the command LTT and by babeltrace2, both
# to /dev/null, LTT's own and LTTng's; and what an event costs among few and many streams. Times are those
# of the processor: other work on the machine does not count. view_parallel is by the
# clock, of as many threads as there are CPUs; other work has to wait, if we may say so.
#
# EVENTS=N for traces of another size than 5 million events
set -euo pipefail

build=$1
ltt=$2
here=$(cd "$(dirname "$0")" && pwd)
events=${EVENTS:-5000000}
growth_events=$((events * 2 / 5))
export LC_ALL=C TZ=UTC

# A file for each stream.
ulimit -n "$(ulimit -Hn)"
tmp=$(mktemp -d "$build/bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# cpu_ms COMMAND...: milliseconds of processor time, the least of three runs
cpu_ms()
{
	local best='' ms

	for _ in 1 2 3; do
		ms=$({ TIMEFORMAT='%3U %3S'; time "$@" > /dev/null 2> "$tmp/err"; } 2>&1 |
			awk '{ printf "%d", 1000 * ($1 + $2) + 0.5 }')
		if [[ -s $tmp/err ]]; then
			cat "$tmp/err" >&2
			exit 1
		fi
		[[ $best ]] && ((best <= ms)) || best=$ms
	done
	echo "$best"
}

# clock_ms COMMAND...: the same by the clock, of ten runs
clock_ms()
{
	local best='' ms

	! chrt -f 1 true 2> /dev/null || set -- chrt -f 1 "$@"
	for _ in {1..10}; do
		ms=$({ TIMEFORMAT='%3R'; time "$@" > /dev/null; } 2>&1 | awk '{ printf "%d", 1000 * $1 + 0.5 }')
		[[ $best ]] && ((best <= ms)) || best=$ms
	done
	echo "$best"
}

view()
{
	local lines ours theirs exported filtered parallel

	"$build/make_bench" "$tmp/trace" "$events"
	# Two lines of header; all events, or the figure means nothing.
	lines=$("$ltt" view "$tmp/trace" | wc -l)
	((lines == events + 2)) || { echo "$lines lines of $events events" >&2; exit 1; }
	ours=$(cpu_ms "$ltt" view -j 1 "$tmp/trace")
	theirs=$(cpu_ms babeltrace2 "$tmp/trace")
	awk -v n="$events" -v a="$ours" -v b="$theirs" 'BEGIN {
		printf "bench view %.0f events_per_second peer babeltrace2 %.0f ratio %.1f\n",
			1000 * n / a, 1000 * n / b, b / a
	}'
	parallel=$(clock_ms "$ltt" view "$tmp/trace")
	awk -v n="$events" -v a="$parallel" -v b="$theirs" 'BEGIN {
		printf "bench view_parallel %.0f events_per_second peer babeltrace2 %.0f ratio %.1f\n",
			1000 * n / a, 1000 * n / b, b / a
	}'
	exported=$(cpu_ms "$ltt" export --perfetto "$tmp/trace")
	awk -v n="$events" -v a="$exported" -v b="$ours" 'BEGIN {
		printf "bench export_perfetto %.0f events_per_second peer view %.0f ratio %.2f\n",
			1000 * n / a, 1000 * n / b, b / a
	}'
	# Half of the events pass.
	filtered=$(cpu_ms "$ltt" view -j 1 --filter 'irq.irq_handler_entry: irq <= 32' \
		--filter 'sched.sched_waking: pid < 16000' --filter 'raw_syscalls.sys_enter: id < 200' \
		--filter 'sched.sched_switch: prev_pid < 16000' "$tmp/trace")
	awk -v n="$events" -v a="$filtered" -v b="$ours" 'BEGIN {
		printf "bench view_filter %.0f events_per_second peer view %.0f ratio %.2f\n",
			1000 * n / a, 1000 * n / b, b / a
	}'
	rm -r "$tmp/trace"
}

# A trace of LTTng: events as those of a kernel, recorded by its tracer for applications.
view_lttng()
{
	local dir lines ours theirs nr=$((events * 2 / 5))

	dir=$(. "$here/../unit/record_foreign.sh" && record_foreign "$tmp/lttng.trace" $nr kernel) || {
		echo "$dir" >&2; exit 1
	}
	lines=$("$ltt" view "$dir" | wc -l)
	((lines == nr + 2)) || { echo "$lines lines of $nr events" >&2; exit 1; }
	ours=$(cpu_ms "$ltt" view -j 1 "$dir")
	theirs=$(cpu_ms babeltrace2 "$dir")
	awk -v n="$nr" -v a="$ours" -v b="$theirs" 'BEGIN {
		printf "bench view_lttng %.0f events_per_second peer babeltrace2 %.0f ratio %.1f\n",
			1000 * n / a, 1000 * n / b, b / a
	}'
	rm -r "$tmp/lttng.trace"
}

# Without what opening that many files costs.
growth()
{
	local nr all none one='' ns

	for nr in 1 16 256 4096; do
		"$build/make_bench" "$tmp/$nr" "$growth_events" "$nr"
		all=$(cpu_ms "$ltt" view -j 1 "$tmp/$nr")
		none=$(cpu_ms "$ltt" view -j 1 -e 0 "$tmp/$nr")
		ns=$(awk -v n="$growth_events" -v ms=$((all - none)) \
			'BEGIN { printf "%.1f", 1000000 * ms / n }')
		one=${one:-$ns}
		echo "bench view_streams_$nr $ns ns"
		rm -r "${tmp:?}/$nr"
	done
	awk -v many="$ns" -v one="$one" 'BEGIN {
		printf "bench merge_growth %.1f ns peer one_stream %.1f ratio %.1f\n",
			many, one, many / one
	}'
}

view
view_lttng
growth
