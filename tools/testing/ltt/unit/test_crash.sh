#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_crash.sh
#
# The last events on the console of a kernel that crashes. Boots a virtual machine for each
# crash; builds the modules first. KVER=...: of another kernel.
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

# What all guests begin with: functions of theirs. The text is in /out/text.
prelude='
set -e
ltt=/sys/kernel/debug/ltt test=/sys/kernel/debug/ltt_test
parameters=/sys/module/ltt_core/parameters
begin()
{
	modprobe ltt-test
	echo t > $ltt/setup_trace
	echo 512M > $ltt/traces/t/budget
	echo 1048576 > $ltt/traces/t/channels/ltt_test/subbuf_size
	printf "ltt_test.*\nltt_test_other.*\n" > $ltt/traces/t/markers
	echo 1 > $ltt/traces/t/enabled
	cat $ltt/traces/t/text/ALL > /out/text &
}
has_lines() { [ $(grep -c "^[0-9].*event:" /out/text) -ge $1 ]; }
. "'"$top"'/tools/testing/selftests/ltt/lib/wait.sh"
'

# crash SCRIPT: boot, run it, and see a panic; leaves log and out/text in $tmp
crash()
{
	local status=0

	rm -rf "$tmp/out" "$tmp/log"
	EXPECT_PANIC=1 TIMEOUT=900 LOG=$tmp/log OUT=$tmp/out LTT_LOAD="ltt-core ltt-textout" \
		APPEND="ltt-core.dump_ms=0 ${append:-}" "$here/vm/run" "$prelude$1" > "$tmp/output" 2>&1 || status=$?
	((status == 0)) || tail -n 40 "$tmp/output"
	return $status
}

compare()
{
	"$here/unit/compare_dump.py" "$@"
}

modules()
{
	(cd "$top" && MODULE_TREE=1 make -s modules &&
		make -s -C tools/testing/selftests/ltt OUTPUT="$top/build/selftests" all) \
		> "$tmp/output" 2>&1 || { tail "$tmp/output"; return 1; }
}

# All CPUs write, and the reader is behind.
sysrq()
{
	append='ltt-core.dump=3000' emulated crash '
		begin
		echo "100000000 1 20000" > $test/run &
		wait_for 600 has_lines 6000
		echo c > /proc/sysrq-trigger' || return
	compare panic "$tmp/log" "$tmp/out/text" 3000 running
}

# An oops, while nothing happens; then a panic in an NMI that has interrupted an event. Another
# trace records, too.
nmi()
{
	emulated crash '
		echo 200 > $parameters/dump
		echo 1 > $parameters/dump_on_oops
		echo t > $parameters/dump_trace
		echo 0 > /proc/sys/kernel/panic_on_oops
		begin
		echo other > $ltt/setup_trace
		echo "ltt_test*.*" > $ltt/traces/other/markers
		echo 1 > $ltt/traces/other/enabled
		echo "3000 15" > $test/run
		n=$(awk "{ n += \$NF } END { print n }" $test/generated)
		wait_for 600 has_lines $n
		sh -c "echo oops > $test/crash" || true
		echo nmi > $test/crash' || return
	compare oops "$tmp/log" "$tmp/out/text" 200 && compare panic "$tmp/log" "$tmp/out/text" 200 &&
		grep -q '# cpu [0-9] channel ltt_test_other: [0-9]* bytes are not committed' "$tmp/log"
}

echo "KTAP version 1"
echo "1..2"
set_up modules
run_test "a panic while four CPUs write" sysrq
run_test "an oops, and a panic in an NMI, in an event" nmi
exit $failed
