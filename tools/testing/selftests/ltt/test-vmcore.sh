#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: RESETS=1 SMP=4 MEM=640M TIMEOUT=1200 APPEND='no_hash_pointers memmap=16M$0x18000000 ltt_core.persist=16M@0x18000000' DEBUG=0 LONG=1
#
# Traces in a dump that the hypervisor makes of a machine's memory while all of its processors are
# busy: they are what readers have seen. For kdump, see kdump.sh.

. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/vmcore.sh
. "$here/lib/vmcore.sh"

if [[ ! ${LTT_HOST:-} || ! -S $LTT_HOST/qmp ]]; then
	echo "1..0 # SKIP needs a virtual machine of check.sh"
	exit 4
fi
state=$LTT_HOST/vmcore
# As commands on the host see it.
LTT_ON_HOST=../vmcore
mkdir -p "$state"

# make_dump FORMAT NAME: the host has QEMU write it
make_dump()
{
	host python3 -c '
import json, os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("../qmp")
f = s.makefile("rw")
f.readline()
def order(name, **arguments):
    print(json.dumps({"execute": name, "arguments": arguments}), file=f, flush=True)
    while "return" not in (answer := json.loads(f.readline())):
        if "error" in answer:
            sys.exit(str(answer))
order("qmp_capabilities")
order("dump-guest-memory", paging=False, format=sys.argv[1],
      protocol="file:" + os.path.realpath(sys.argv[2]))
' "$1" "$LTT_ON_HOST/$2"
}

# The host has the dump of the first test.
chosen()
{
	choice "$LTT_ON_HOST/elf"
}

# What is cut off is told of; it may be all. Where the cut is decides what is told: a page, a slot,
# a packet, a window or all of a trace is missing, or there is no trace to be found.
truncated()
{
	local size status=0

	size=$(stat -c %s "$state/elf")
	# Half of that again as long as all of the trace is in it.
	while [ $status -eq 0 ] && [ $size -gt 4096 ]; do
		size=$((size / 2))
		host truncate -s $size "$LTT_ON_HOST/elf"
		host ltt crash "$LTT_ON_HOST/elf" --info > "$tmp/part" 2> "$tmp/err" || status=$?
	done
	cat "$tmp/err"
	grep '^#' "$tmp/part" || true
	expect "exit status" 1 "$status"
	[ -s "$tmp/err" ] || grep -q '^#' "$tmp/part"
}

crash_traces "$state" 0 || exit 1
# In a short run only one: most of the time goes into reading a machine's memory.
read -ra formats <<< "$(amount elf 'elf kdump-raw-zlib')"
for format in "${formats[@]}"; do
	readers_catch_up
	seen $format
	make_dump $format $format || exit 1
done
# The host's processors are for what follows.
kill "${crash_load[@]}"
for name in "${crash_names[@]}"; do
	stop_trace "$name"
done
run_test "a dump in ELF format" look_for "$state" elf
run_test "one of several traces" chosen
[ ${#formats[@]} -eq 1 ] || run_test "a compressed dump" look_for "$state" kdump-raw-zlib
run_test "half of a dump" truncated
finish
