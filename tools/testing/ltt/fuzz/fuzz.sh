#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: fuzz.sh BUILD-DIRECTORY SECONDS
#
# Run the fuzzers, each for so long: of libltt, beginning with a small trace in which
# everything occurs, and with those of other tracers; of formats and what is made of them; of expressions over fields; of memory
# that survived a crash; of what viewers say to ltt serve. Some have dictionaries of their
# words. What they find interesting stays in
# BUILD-DIRECTORY/fuzz/*/corpus, for the next time; an input that breaks something in
# BUILD-DIRECTORY/fuzz/*. Output is KTAP.
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
echo '1..6'
mkdir -p "$build"/fuzz/{view,foreign,format,expr,area,serve}/corpus
"$build/fuzz_seed" "$build/fuzz/view/corpus"
fuzz view 32768
"$here/../unit/make_foreign.py" --seeds "$build/fuzz/foreign/corpus"
fuzz foreign 32768 -dict="$here/fuzz_foreign.dict"
# An integer and a string, with values.
printf '\0\0\4\2\2\60n %%u s %%s\0\1\2\3\4abc\0' > "$build/fuzz/format/corpus/seed"
fuzz format 8192 -dict="$here/fuzz_format.dict"
# One for each of its formats: kinds of fields, names, sets; payloads that are whole.
printf '\2a<0&&c==S||d&(hi|lo)||t~"a*?"||s in{"b"}||len(w)+q[1]\0%048db\0\1\0%05du\0%08d' 0 0 0 \
	> "$build/fuzz/expr/corpus/seed0"
printf '\4b in{1-5,7}&&s!="x"&&a!=dead&&len(q)\0\1\0\0\0axx\0%032d' 0 \
	> "$build/fuzz/expr/corpus/seed1"
printf '\10(a&-1)==b||!(a<<3>>b)\0%016d' 0 > "$build/fuzz/expr/corpus/seed2"
printf '\14(S in{1})==d||i[3]\0%019d' 0 > "$build/fuzz/expr/corpus/seed3"
printf '\2%sd&(lo|hi)\0%048db\0\1\0%05du\0%08d' "$(printf 'a||%.0s' {1..300})" 0 0 0 \
	> "$build/fuzz/expr/corpus/seed4"
fuzz expr 2048 -dict="$here/fuzz_expr.dict"
# A slot, a head and a record, each changed; a root, its list of pages, and slots; a window's root,
# log and slots.
printf '\1\1\120\0\7abcdefgh\10\0\0\3\2\0\0\0\20\20\0\3\1\0\0\0' > "$build/fuzz/area/corpus/seed"
printf '\3\30\60\0\7abcdefgh\0\160\0\7\0\100\1\0\0\0\0\0\100\203\1\7abcdefgh' > "$build/fuzz/area/corpus/root"
printf '\7\30\60\0\7abcdefgh\0\160\0\7\0\100\1\0\0\0\0\0\100\203\1\7abcdefgh' > "$build/fuzz/area/corpus/dump"
printf '\3\30\220\0\7abcdefgh\20\260\0\7\0\60\0\0\0\0\0\0\0\300\0\7abcdefgh' > "$build/fuzz/area/corpus/window"
fuzz area 4096
# A viewer attaches, asks for metadata, a packet's index, the packet, and new streams.
{
	printf '\310\0\0\0\0\0\0\0\24\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\2'
	printf '\210\0\0\0\0\0\0\0\10\0\0\0\6\0\0\0\0\0\0\0\1\0\0\0\0'
	printf '\212\0\0\0\0\0\0\0\10\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\1'
	printf '\310\0\0\0\0\0\0\0\24\0\0\0\5\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\1\0'
	printf '\214\0\0\0\0\0\0\0\10\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0\1'
} > "$build/fuzz/serve/corpus/seed"
fuzz serve 4096
exit $failed
