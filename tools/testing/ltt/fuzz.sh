#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: fuzz.sh BUILD-DIRECTORY SECONDS
#
# Run the fuzzer of libltt, beginning with a small trace in which everything occurs.
# What it finds interesting stays in BUILD-DIRECTORY/fuzz/corpus, for the next time; an
# input that breaks something in BUILD-DIRECTORY/fuzz. Output is KTAP.
set -euo pipefail

build=$1
seconds=$2
dir=$build/fuzz
mkdir -p "$dir/corpus"

echo 'KTAP version 1'
echo '1..1'
"$build/fuzz_seed" "$dir/corpus"
status=0
(cd "$dir" && "$build/fuzz_view" -max_total_time="$seconds" -max_len=32768 -timeout=20 \
	-rss_limit_mb=1024 -malloc_limit_mb=512 -print_final_stats=1 -verbosity=0 corpus) \
	> "$dir/log" 2>&1 || status=$?
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/log")
if ((status == 0)) && ((${runs:-0} > 0)); then
	echo "ok 1 fuzz_view # $runs inputs in $seconds s"
else
	tail -n 40 "$dir/log" | sed 's/^/# /'
	echo "not ok 1 fuzz_view # status $status after ${runs:-0} inputs"
	exit 1
fi
