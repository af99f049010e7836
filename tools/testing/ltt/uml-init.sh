#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The first process of user-mode Linux for bench_uml.sh. The host's files are the root;
# OUT is where results go, LTT_ROOT this tree.
exec > "$OUT/figures" 2> "$OUT/stderr" < /dev/null
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t debugfs debug /sys/kernel/debug
mount -t tracefs trace /sys/kernel/tracing
mount -t tmpfs tmp /mnt
export TMPDIR=/mnt

# All is built in.
modprobe() { :; }
rmmod() { :; }
export -f modprobe rmmod

"$LTT_ROOT/tools/testing/selftests/ltt/bench/bench-uml.sh" && touch "$OUT/done"
exec busybox poweroff -f
