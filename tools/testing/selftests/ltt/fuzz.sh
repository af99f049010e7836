#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=1800
#
# usage: fuzz.sh		(FUZZ=600 seconds in all, FUZZ_SEED= for what has been before)
#
# Requests made by a grammar to all files, by one process that looks what came of them, then
# by four at once, while events are recorded.

. "$(dirname "$0")/lib.sh"

seconds=$((${FUZZ:-600} / 2))
seed=${FUZZ_SEED:-$RANDOM}

some()
{
	generate 200 15 20
	sleep 0.1
}

files()
{
	repeat some
	echo "seed $seed"
	fuzz-files.py $ltt $seconds "$seed" "$1"
	repeat_end
	expect "traces left" "" "$(ls $ltt/traces)"
}

kernel_events sched,irq,timer,power
load_test_module
run_test "one process" files 1
run_test "four processes" files 4
finish
