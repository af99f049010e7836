#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=16 MEM=4G TIMEOUT=1800
#
# test-stress.sh on many more CPUs than the host has: each of them stands still in the
# middle of a write while the others go on. That may delay, but not reorder.

exec "$(dirname "$0")/test-stress.sh"
