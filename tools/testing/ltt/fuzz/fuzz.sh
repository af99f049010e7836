#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: fuzz.sh BUILD-DIRECTORY SECONDS
#
# Run the fuzzers, each for so long: of libltt, beginning with a small trace in which
# everything occurs; of formats and what is made of them, with a dictionary of their words.
# What they find interesting stays in BUILD-DIRECTORY/fuzz/*/corpus, for the next time; an
# input that breaks something in BUILD-DIRECTORY/fuzz/*. Output is KTAP.
set -euo pipefail

build=$1
seconds=$2
here=$(realpath "$(dirname "$0")")
n=0
failed=0

# fuzz NAME BYTES OPTION...: inputs of at most BYTES
fuzz()
{
	local name=$1 longest=$2 dir=$build/fuzz/$1 status=0 runs
	shift 2

	((++n))
	(cd "$dir" && "$build/fuzz_$name" -max_total_time="$seconds" -max_len="$longest" \
		-timeout=20 -rss_limit_mb=1024 -malloc_limit_mb=512 -print_final_stats=1 \
		-verbosity=0 "$@" corpus) > "$dir/log" 2>&1 || status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/log")
	if ((status == 0)) && ((${runs:-0} > 0)); then
		echo "ok $n fuzz_$name # $runs inputs in $seconds s"
	else
		tail -n 40 "$dir/log" | sed 's/^/# /'
		echo "not ok $n fuzz_$name # status $status after ${runs:-0} inputs"
		failed=1
	fi
}

echo 'KTAP version 1'
echo '1..2'
mkdir -p "$build"/fuzz/{view,format}/corpus
"$build/fuzz_seed" "$build/fuzz/view/corpus"
fuzz view 32768
# An integer and a string, with values.
printf '\0\0\4\2\2\60n %%u s %%s\0\1\2\3\4abc\0' > "$build/fuzz/format/corpus/seed"
fuzz format 8192 -dict="$here/fuzz_format.dict"
exit $failed
