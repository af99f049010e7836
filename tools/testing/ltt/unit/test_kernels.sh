#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_kernels.sh
#
# What one kernel has recorded into memory that survives, another one finds: Debian's default
# kernel and KVER=RELEASE, in both directions. A machine crashes, and another one with the same
# memory boots. Builds the modules first.
# shellcheck disable=SC2317,SC2016 # tests are called by name; guests have shells of their own
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
selftests=$top/tools/testing/selftests/ltt
tmp=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"
# shellcheck source=../lib.sh
. "$here/lib.sh"
ours=$(default_kver)
theirs=$(kernel_release "${KVER:-$ours}")

# Where both keep it, in MiB: there is memory in each machine.
area=768
range="memmap=16M\$${area}M ltt_core.persist=16M@${area}M"
named='reserve_mem=16M:4096:ltt ltt_core.persist=ltt'

# boot KERNEL PARAMETERS SCRIPT: run it there; what it writes to /out is in $tmp/out
boot()
{
	KVER=$1 APPEND="no_hash_pointers $2" RAM=$tmp/ram OUT=$tmp/out LOG=$tmp/log SMP=2 MEM=1G \
		TIMEOUT=600 LTT_LOAD="ltt-core ltt-textout" "$here/vm/run" "set -e; ltt=/sys/kernel/debug/ltt
		. $selftests/lib/wait.sh
		$3" > "$tmp/output" 2>&1 || { tail -n 40 "$tmp/output"; return 1; }
}

# All CPUs are busy, and a reader has seen something of it. The buffers go round.
record()
{
	rm -rf "$tmp/out"
	EXPECT_PANIC=1 boot "$1" "$2" '
		area=$(cat /sys/module/ltt_core/parameters/persist)
		[[ $area != *@* ]] || area=0
		modprobe ltt-tracepoints systems=sched,irq,raw_syscalls
		modprobe ltt-test
		echo black > $ltt/setup_trace
		echo $area > $ltt/traces/black/persist
		for channel in sched irq raw_syscalls ltt_test; do
			echo 16384 > $ltt/traces/black/channels/$channel/subbuf_size
			echo overwrite > $ltt/traces/black/channels/$channel/mode
		done
		printf "%s\n" "sched.*" irq.irq_\* irq.softirq_\* "raw_syscalls.*" ltt_test.event \
			> $ltt/traces/black/markers
		echo 1 > $ltt/traces/black/enabled
		cat $ltt/traces/black/text/ALL > /out/before &
		echo "1000000000 1 20000" > /sys/kernel/debug/ltt_test/run &
		( while :; do /bin/true; done ) &
		seen() { [ "$(stat -c %s /out/before)" -gt 500000 ]; }
		wait_for 400 seen
		uname -r > /out/kernel
		cat /proc/sys/kernel/random/boot_id > /out/boot_id
		echo c > /proc/sysrq-trigger'
}

# find KERNEL PARAMETERS: what the other one has left
find_trace()
{
	boot "$1" "$2" '
		found=$ltt/traces/black.boot-1
		cat $found/info > /out/info
		cat $found/text/ALL > /out/after
		cp -r $found/binary /out/binary' || return
	# Nothing damaged, and of the kernel that was there.
	if ! grep -qxF "kernel $(cat "$tmp/out/kernel")" "$tmp/out/info" ||
	   ! grep -qxF "boot_id $(cat "$tmp/out/boot_id")" "$tmp/out/info" ||
	   ! grep -qx 'damaged 0' "$tmp/out/info" || grep -q '^#' "$tmp/out/info"; then
		cat "$tmp/out/info"
		return 1
	fi
	"$selftests/compare/survived.py" "$tmp/out/before" "$tmp/out/after" &&
		[ "$(babeltrace2 "$tmp/out/binary" | wc -l)" -eq \
		  "$(grep -vc '^#' "$tmp/out/after")" ]
}

# The same as from the memory itself.
same_by_tool()
{
	dd if="$tmp/ram" of="$tmp/image" bs=1M skip="$area" count=16 status=none &&
		"$top/build/tools/ltt" crash "$tmp/image" | cmp - "$tmp/out/after"
}

# pass WRITER READER
pass()
{
	record "$1" "$range" && find_trace "$2" "$range" && same_by_tool
}

# Memory that the kernel has found itself.
reserved()
{
	record "$1" "$named" && find_trace "$1" "$named"
}

since_612()
{
	printf '6.12\n%s\n' "$theirs" | sort -VC
}

modules()
{
	local kver

	for kver in "$ours" "$theirs"; do
		(cd "$top" && MODULE_TREE=1 make -s KVER="$kver" modules) || return
	done
	make -s -C "$top" tools
}

echo "KTAP version 1"
echo "1..3"
set_up modules
run_test "$ours records, $theirs finds it" pass "$ours" "$theirs"
run_test "$theirs records, $ours finds it" pass "$theirs" "$ours"
if since_612; then
	run_test "in memory that the kernel has reserved by name" reserved "$theirs"
else
	number=$((number + 1))
	echo "ok $number in memory that the kernel has reserved by name # SKIP since Linux 6.12"
fi
exit $failed
