#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: packages-guest.sh CHECKOUT
#
# The part of packages.sh in a booted guest, in which CHECKOUT must not be: LTT is loaded and used
# as its packages have it. /root/typed has the tutorial's commands. Results go to /out.
set -euo pipefail

[[ ! -e $1 ]] || { echo "$1 is there"; exit 1; }

# The first event, and seconds since this began.
echo "$EPOCHREALTIME" > /out/began
modprobe -a ltt-core ltt-textout ltt-tracepoints
{ timeout 120 ltt text -e 'sched.*' || true; } | head -n 100 | while IFS= read -r line; do
	echo "$EPOCHREALTIME $line"
done > /out/sched
ls /sys/kernel/debug/ltt/traces > /out/left

(
	mkdir /root/hello
	cd /root/hello
	set -eE
	trap 'echo "this failed: $BASH_COMMAND"' ERR
	for block in /root/typed/??; do
		# shellcheck disable=SC1090 # made of the page
		. "$block"
	done
) > /out/tutorial 2>&1 || true

# The versions of symbols are right.
insmod /root/more/ltt-sample-channel.ko
ltt list 'heartbeat.*' > /out/more
rmmod ltt-sample-channel

modprobe ltt-tool
install /sys/kernel/debug/ltt/tool/ltt /tmp/tool
/tmp/tool --version > /out/tool
modprobe -r ltt-tool ltt-tracepoints ltt-textout ltt-core
[[ ! -e /sys/kernel/debug/ltt ]]
