#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_crash_triggers.sh
#
# Triggers that wait for an oops or a panic, and one in which the kernel oopses. Boots a virtual
# machine, which oopses twice, panics, and boots once more; builds the modules first. KVER=...: of
# another kernel.
# shellcheck disable=SC2317,SC2016 # tests are called by name; guests have shells of their own
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"
# shellcheck source=../lib.sh
. "$here/lib.sh"
KVER=$(kernel_release "${KVER:-$(default_kver)}")
export KVER

modules()
{
	(cd "$top" && MODULE_TREE=1 make -s modules) > "$tmp/output" 2>&1 ||
		{ tail "$tmp/output"; return 1; }
}

# What the guest does, both times; what it has found is in /out.
script='
set -e
ltt=/sys/kernel/debug/ltt bench=/sys/kernel/debug/ltt_bench
traces=$ltt/traces
. "'"$top"'/tools/testing/selftests/ltt/lib/wait.sh"
# new_trace NAME: a flight recorder
new_trace()
{
	echo $1 > $ltt/setup_trace
	[ ! "$2" ] || echo $2 > $traces/$1/persist
	echo overwrite > $traces/$1/channels/ltt_bench/mode
	echo ltt_bench.marker > $traces/$1/markers
	cat > $traces/$1/triggers
	echo 1 > $traces/$1/enabled
}
# marker: 65 events, in a task on the last CPU
marker()
{
	taskset -c $(($(nproc) - 1)) sh -c "echo marker 1 > $bench/run"
}
has_window()
{
	[ -e $traces/some/snapshots/$1 ]
}
modprobe ltt-bench
if [ -e /out/panics ]; then
	cat $traces/black.boot-1/text/ALL > /out/black
	exit
fi
modprobe ltt-test
modprobe ltt-test-oops
echo 0 > /proc/sys/kernel/panic_on_oops
new_trace black 0 <<END
on panic do mark "panicked"; stack; stop
on oops do mark "oopsed"
END
new_trace some <<END
on oops count 5 do snapshot; mark "oopsed"; stack
on ltt_bench.marker if value == 3 do stack
on ltt_bench.marker if value == 7 do mark "seven"
END
marker
(echo oops > /sys/kernel/debug/ltt_test/crash) || true
wait_for 300 has_window 1
cp $traces/some/triggers /out/oops
cat $traces/some/snapshots/1/info > /out/info
cat $traces/some/snapshots/1/text/ALL > /out/window

# While a trigger acts, in the task that records the event.
echo stack_trace_save > /sys/module/ltt_test_oops/parameters/function
marker || true
wait_for 300 has_window 2
cp $traces/some/triggers /out/within
marker
cp $traces/some/triggers /out/after
exec 3< $traces/some/text/ALL
echo some > $ltt/destroy_trace
cat <&3 > /out/some
touch /out/panics
sync
echo nmi > /sys/kernel/debug/ltt_test/crash'

crash()
{
	local status=0

	rm -rf "$tmp/out" "$tmp/log"
	SMP=2 EXPECT_PANIC=1 RESETS=1 TIMEOUT=900 LOG=$tmp/log OUT=$tmp/out LTT_LOAD="ltt-core ltt-textout" \
		APPEND='memmap=16M$0x30000000 ltt_core.persist=16M@0x30000000' \
		"$here/vm/run" "$script" > "$tmp/output" 2>&1 || status=$?
	[[ $status != 0 || ! -e $tmp/out/black ]] || return 0
	ls "$tmp/out"
	# The log is in there.
	tail -n 40 "$tmp/output"
	return $((status ? status : 1))
}

# same WHAT WANTED GOT
same()
{
	[ "$2" = "$3" ] || { echo "$1: expected $2, got $3"; return 1; }
}

# counts FILE LINE: fired and skipped of the trigger whose line begins so
counts()
{
	grep -A1 "^$2" "$tmp/out/$1" | awk '/^#/ { print $3, $7 }'
}

# events FILE MARKER [TEXT]
events()
{
	grep -c "^[0-9.]* \[[0-9]*\] $2: .*${3:-}" "$tmp/out/$1"
}

oops()
{
	cat "$tmp/out/oops" "$tmp/out/info"
	same "fired" "1 0" "$(counts oops 'on oops')" &&
		grep -q '^why on oops count 5 do snapshot' "$tmp/out/info" &&
		same "events in the window" 65 "$(events window ltt_bench.marker)" &&
		same "marks" 2 "$(events some ltt.mark 'text oopsed$')" &&
		grep 'ltt.stack: .* kstack .*crash_write+' "$tmp/out/some"
}

# The one that did not come to its end keeps none from acting, on this CPU, ever after. The next
# event is in the task that was killed.
within()
{
	cat "$tmp/out/within" "$tmp/out/after"
	grep 'RIP: .*oops_here+' "$tmp/log" &&
		same "oopses" "2 0" "$(counts within 'on oops')" &&
		same "the trigger" "2 0" "$(counts within 'on ltt_bench.marker if value == 3')" &&
		same "later" "3 0" "$(counts after 'on ltt_bench.marker if value == 3')" &&
		same "another" "2 0" "$(counts after 'on ltt_bench.marker if value == 7')" &&
		same "marks" 2 "$(events some ltt.mark 'text seven$')"
}

panic()
{
	grep 'ltt.mark\|ltt.stack' "$tmp/out/black"
	grep 'Kernel panic - not syncing: ltt_test: in an NMI' "$tmp/log" &&
		same "oopses" 2 "$(events black ltt.mark 'text oopsed$')" &&
		same "marks" 1 "$(events black ltt.mark 'text panicked$')" &&
		same "events" $((65 * 2 + 4)) "$(events black ltt_bench.marker)" &&
		tail -n 1 "$tmp/out/black" | grep 'ltt.stack: event on panic do .* kstack '
}

echo "KTAP version 1"
echo "1..3"
set_up modules
set_up emulated crash
run_test "an oops makes triggers act" oops
run_test "an oops in what a trigger does" within
run_test "a panic makes triggers act, as is seen after a reset" panic
exit $failed
