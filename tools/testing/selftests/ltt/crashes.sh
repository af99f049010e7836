#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: RESETS=1 SMP=4 MEM=2G TIMEOUT=10800 APPEND='no_hash_pointers memmap=25M$0x30000000 ltt_core.persist=16M@0x30000000,8M@0x31000000'
#
# usage: crashes.sh		(CRASHES=200 of them)
#
# test-persist.sh with many crashes.

CRASHES=${CRASHES:-200} exec "$(dirname "$0")/test-persist.sh"
