#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G
#
# Whoever is not root can read nothing, list nothing, write nothing; and the text
# shows no raw kernel address where the kernel's settings forbid it.

. "$(dirname "$0")/lib.sh"

# Every file of every marker is tried.
kernel_events sched,timer

nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

closed()
{
	local file mode

	new_trace secret 'sched.*'
	# The mount itself is closed on Debian: look at LTT's own modes as well.
	while read -r mode file; do
		[ "${mode: -2}" = 00 ] || fail "$file has mode $mode"
	done < <(find $ltt -printf '%m %p\n')
	mount -o remount,mode=755 /sys/kernel/debug
	none nobody ls $ltt
	find $ltt -type f > "$tmp/files"
	[ "$(wc -l < "$tmp/files")" -gt 100 ]
	nobody python3 -c '
import os, sys
for path in sys.stdin.read().splitlines():
    for mode in os.O_RDONLY, os.O_WRONLY, os.O_RDWR:
        try:
            os.open(path, mode | os.O_NONBLOCK)
        except PermissionError:
            continue
        sys.exit(f"{path} was opened")
' < "$tmp/files"
	mount -o remount,mode=700 /sys/kernel/debug
	destroy_trace secret
}

addresses()
{
	local restrict

	for restrict in 0 1 2; do
		echo $restrict > /proc/sys/kernel/kptr_restrict
		new_trace addr 'timer.*'
		start_trace addr
		sleep 0.2
		stop_trace addr
		timeout 1 cat $ltt/traces/addr/text/ALL > "$tmp/addr" || true
		destroy_trace addr
		grep -q 'timer.*_expire_entry: ' "$tmp/addr"
		# Kernel addresses begin with ffff; %p shows a hash.
		none grep -E '\bffff[0-9a-f]{12}\b' "$tmp/addr"
	done
	echo 0 > /proc/sys/kernel/kptr_restrict
}

run_test "closed to the unprivileged" closed
run_test "no raw kernel addresses in the text" addresses
finish
