#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: ICOUNT=1 SMP=2 MEM=4G TIMEOUT=600 DEBUG=0 LONG=1
#
# A kprobe marker's time is that of the hit, on each of several CPUs: next to what ftrace
# says of the same. Time counts instructions here, so that it is nobody else's doing who is
# late. Only the CPUs take turns, of half a millisecond and more: the other one's comes between
# the two probes of 2 in 100 events where the kernel's checkers make these long.

. "$(dirname "$0")/lib.sh"
needs kprobes icount
# shellcheck source=lib/kprobes.sh
. "$here/lib/kprobes.sh"

near=(20 100)	# us
# KCSAN lets one access in some thousands wait, for others to come in between.
[ ! -e /sys/kernel/debug/kcsan ] || near=(200 2000)

run_test "times as of ftrace's kprobe events" same_as_ftrace "${near[@]}"
finish
