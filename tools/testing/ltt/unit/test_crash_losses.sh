#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_crash_losses.sh
#
# What a reset has lost at the end of a buffer: the kernel, ltt view and ltt crash tell it at the same
# place, with the same time. Boots a virtual machine, which resets itself, damages the last event of
# each CPU in turn in its memory, and boots it again; builds the modules first. KVER=...: of another
# kernel.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ltt=$top/build/tools/ltt

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"
# shellcheck source=../lib.sh
. "$here/lib.sh"
KVER=$(kernel_release "${KVER:-$(default_kver)}")
export KVER SMP=2 MEM=1G TIMEOUT=200 RAM=$tmp/ram OUT=$tmp/out
# The area is 16 MiB, at 768 MiB, where dd finds it in $RAM.
export APPEND='no_hash_pointers memmap=16M$0x30000000 ltt_core.persist=16M@0x30000000'

modules()
{
	(cd "$top" && MODULE_TREE=1 make -s modules && make -s tools) > "$tmp/output" 2>&1 ||
		{ tail "$tmp/output"; return 1; }
}

# Twenty events on each CPU, in one packet.
record='
set -e
ltt=/sys/kernel/debug/ltt
modprobe ltt-test
echo lost > $ltt/setup_trace
echo 0 > $ltt/traces/lost/persist
echo "ltt_test.*" > $ltt/traces/lost/markers
echo 1 > $ltt/traces/lost/enabled
echo 20 1 > /sys/kernel/debug/ltt_test/run
echo 1 > /proc/sys/kernel/sysrq
echo b > /proc/sysrq-trigger
'

show='
cd /sys/kernel/debug/ltt/traces/lost.boot-1 && cat text/ALL > /out/text && cp -r binary /out/binary
'

crash()
{
	mkdir "$OUT"
	"$here/vm/run" "$record" > "$tmp/log" 2>&1
	dd if="$RAM" of="$tmp/area" bs=1M skip=768 count=16 2> /dev/null
	mv "$RAM" "$tmp/ram.good"
	"$ltt" crash "$tmp/area" > "$tmp/text" || { tail "$tmp/log"; return 1; }
	[ "$(grep -vc '^#' "$tmp/text")" = 40 ]
}

# damage NUMBER: the header of the last event, number 19, of one of the two streams; it is behind
# the string of number 18
damage()
{
	python3 - "$tmp/area" "$1" "$tmp/area.$1" <<-'END'
		import sys
		data, last = bytearray(open(sys.argv[1], 'rb').read()), -1
		for _ in range(int(sys.argv[2])):
		    last = data.index(b'\0tuvwxyz\0', last + 1)
		start = data.rindex(b'stuvwxyz\0', 0, last) + 9
		data[start:start + 8] = 8 * b'\xff'
		open(sys.argv[3], 'wb').write(data)
	END
}

# told NUMBER: by all three
told()
{
	damage "$1" && cp "$tmp/ram.good" "$RAM" && rm -rf "$OUT" && mkdir "$OUT" || return
	dd if="$tmp/area.$1" of="$RAM" bs=1M seek=768 conv=notrunc 2> /dev/null
	"$here/vm/run" "$show" > "$tmp/log" 2>&1 || { tail "$tmp/log"; return 1; }
	"$ltt" crash "$tmp/area.$1" > "$tmp/wanted" 2> /dev/null
	diff "$tmp/wanted" "$OUT/text" && diff <("$ltt" view "$OUT/binary") "$OUT/text" || return
	awk '/^# lost 1 events cpu [01] channel ltt_test before / { n++; bad += $NF + 0 != ts }
		!/^#/ { ts = $1 + 0 }
		END { print n + 0, "losses,", bad + 0, "elsewhere"; exit n != 1 || bad }' "$OUT/text"
}

echo "KTAP version 1"
echo "1..2"
set_up modules
set_up crash
run_test "a loss at the end of the first stream" told 1
run_test "a loss at the end of the second stream" told 2
exit $failed
