#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=300 UML=1 DEBUG=0
#
# ltt export and ltt plot, of the kernel's own events: what protoc finds in the one, and what is in
# the other's page, is what ltt view shows.

. "$(dirname "$0")/lib.sh"

unit=$here/../../../../tools/testing/ltt/unit

# exported PATTERN...: of some work, to $tmp/kinds
exported()
{
	local pattern patterns=()

	needs_source tools/testing/ltt/unit/compare_perfetto.py tools/testing/ltt/unit/compare_plot.py
	for pattern; do
		patterns+=(-e "$pattern")
	done
	rm -rf "$tmp/trace"
	ltt record -q -o "$tmp/trace" "${patterns[@]}" -- \
		sh -c 'ls /proc | wc -l; cat /nonexistent; (sleep 0.1; :) & wait' || true
	ltt export --perfetto "$tmp/trace" > "$tmp/perfetto"
	ltt view --style json "$tmp/trace" > "$tmp/json"
	# shellcheck disable=SC2016 # for another shell
	host sh -c '"$1" "$2" < "$3"' sh "$unit/compare_perfetto.py" "$tmp/perfetto" "$tmp/json" \
		> "$tmp/kinds"
	cat "$tmp/kinds"
	rm -f "$tmp/page"
	ltt plot -o "$tmp/page" "$tmp/trace"
	ltt view "$tmp/trace" > "$tmp/text"
	ltt view --style json -m sched.sched_switch "$tmp/trace" > "$tmp/ahead"
	# shellcheck disable=SC2016
	host sh -c '"$1" "$2" "$3" "$4" < "$5"' sh "$unit/compare_plot.py" "$tmp/page" "$tmp/text" \
		"$tmp/ahead" "$tmp/json"
}

# has KIND...
has()
{
	local kind

	for kind; do
		grep -qE "^[1-9][0-9]* $kind$" "$tmp/kinds" || fail "no $kind"
	done
}

threads()
{
	modprobe ltt-statedump
	exported 'sched.*' 'raw_syscalls.*' 'irq.*' 'task.*' 'signal.*' 'statedump.process_state'
	has sched_switch sched_waking sys_enter sys_exit process described sched_process_fork
	rmmod ltt-statedump
}

calls()
{
	modprobe ltt-syscalls
	exported 'syscalls.*' 'sched.sched_switch'
	has call track_descriptor sched_switch
	rmmod ltt-syscalls
}

run_test "threads, interrupts, system calls by number" threads
run_test --needs x86 "system calls with their arguments" calls
finish
