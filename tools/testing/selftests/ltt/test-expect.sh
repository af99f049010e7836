#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=300 UML=1 DEBUG=0
#
# What other tests assert on a trace with: lib/expect.sh, in every shell there is.

. "$(dirname "$0")/lib.sh"

library=$here/lib/expect.sh

# as SHELL STATUS SCRIPT: run it, as a test would; output in $tmp/out and $tmp/err
as()
{
	local status=0

	$1 -c ". $library; $3" > "$tmp/out" 2> "$tmp/err" || status=$?
	[ "$status" = "$2" ] || { cat "$tmp/out" "$tmp/err"; fail "$3: $status, not $2"; }
	expect "traces left" "" "$(ls "$ltt/traces")"
}

# says REGEX: on standard error
says()
{
	grep -qE "$1" "$tmp/err" || { cat "$tmp/err"; fail "it does not say $1"; }
}

found()
{
	local shell=$1 begin='trap ltt_end EXIT; ltt_begin signal.signal_generate || exit'

	as "$shell" 0 "$begin; kill -28 \$\$
		ltt_expect signal.signal_generate \"sig == 28 && pid == \$\$\" || exit
		ltt_expect 'signal.*' 'sig == 28' count 1 || exit
		ltt_expect_no signal.signal_generate 'sig == 29'"
	expect lines 2 "$(grep -cE '^[0-9.]+ \[[0-9]+\] signal.signal_generate: sig 28 ' "$tmp/out")"
	expect errors "" "$(< "$tmp/err")"
	# Those of before the beginning do not count.
	as "$shell" 1 "kill -28 \$\$; $begin; ltt_expect signal.signal_generate 'sig == 28'"
	says 'expected 1, found 0: signal.signal_generate with sig == 28'
	as "$shell" 1 "$begin; kill -28 \$\$; ltt_begin 'signal.*'; ltt_expect 'signal.*' 'sig == 28'"
	# Fewer than wanted; what there was instead is shown.
	as "$shell" 1 "$begin; kill -28 \$\$; ltt_expect signal.signal_generate 'sig == 28' count 2"
	says 'expected 2, found 1'
	as "$shell" 1 "$begin; kill -28 \$\$; ltt_expect signal.signal_generate 'sig == 29'"
	says 'recorded: [1-9][0-9]* signal.signal_generate$'
	as "$shell" 1 "$begin; kill -28 \$\$; ltt_expect_no signal.signal_generate 'sig == 28'"
	says 'not expected: signal.signal_generate with sig == 28'
	says '\] signal.signal_generate: sig 28 '
}

# It comes while one waits, or comes too late.
waits()
{
	local shell=$1 begin='trap ltt_end EXIT; ltt_begin signal.signal_generate || exit'

	as "$shell" 0 "$begin; (sleep 0.3; kill -28 \$\$) &
		ltt_expect signal.signal_generate 'sig == 28' within 60s"
	expect lines 1 "$(wc -l < "$tmp/out")"
	as "$shell" 1 "$begin; (sleep 0.3; kill -28 \$\$) &
		ltt_expect_no signal.signal_generate 'sig == 28' within 60s"
	as "$shell" 0 "$begin; ltt_expect_no signal.signal_generate 'sig == 28' within 200ms"
	as "$shell" 1 "$begin; ltt_expect signal.signal_generate 'sig == 28' within 0.2s"
	as "$shell" 0 "trap ltt_end EXIT; ltt_begin -c 'pid comm' 'signal.*' || exit; kill -28 \$\$
		ltt_expect signal.signal_generate \"\\\$pid == \$\$ && sig == 28\""
}

# What was overwritten may be what is looked for.
too_much()
{
	local begin='trap ltt_end EXIT; ltt_begin -s 32 ltt_test.event || exit' run="echo 9000 1 > $run_file"

	load_test_module
	as sh 1 "$begin; $run; ltt_expect_no ltt_test.event 'seq > 10000'"
	says '[0-9]+ events had no room: give ltt_begin a larger -s'
	as sh 1 "$begin; $run; ltt_expect ltt_test.event 'seq == 0'"
	says '[0-9]+ events had no room: give ltt_begin a larger -s'
	as sh 0 "$begin; $run; ltt_expect ltt_test.event 'seq == 26999' count $(nproc)"
}

# Hundredths of a second, rounded up.
times()
{
	local time

	expect "times" "500 500 150 1 1 2 3 0" "$(as_time 5s 5 1.5s 1ms 1.5ms 20ms 20.1ms 0)"
	for time in '' s ms 5m 1m5s 1.2.3 .5 -1 1e3 '1 s'; do
		none as_time "$time"
	done
}

as_time()
{
	set -o pipefail
	# shellcheck disable=SC2016
	sh -c '. "$0"; for time; do ltt_time "$time" || exit; done' "$library" "$@" | xargs
}

wrong()
{
	local begin='trap ltt_end EXIT; ltt_begin signal.signal_generate || exit'

	as sh 2 'ltt_expect signal.signal_generate'
	says 'ltt_expect: ltt_begin was not called'
	as sh 2 'ltt_begin'
	as sh 2 'ltt_begin -s 12x sched.*'
	as sh 2 'ltt_begin -s 7 "sched.*"'
	says "traces/expect_[0-9]*/channels/shared/subbuf_size: '896' is refused: .* not between 4096"
	as sh 2 'ltt_begin -c nonsense "sched.*"'
	as sh 2 'ltt_begin "sched.["'
	says "markers: 'sched.\\[' is refused"
	as sh 2 "$begin; kill -28 \$\$; ltt_expect signal.signal_generate 'sigh == 28'"
	says 'no such field: sigh'
	as sh 2 "$begin; kill -28 \$\$; ltt_expect signal.signal_generate 'sig =='"
	as sh 2 "$begin; ltt_expect signal.signal_generate 'sig == 28' soon"
	as sh 2 "$begin; ltt_expect signal.signal_generate 'sig == 28' within never"
	as sh 2 "$begin; ltt_expect signal.signal_generate within 1s count 0"
	# A misspelled name would never come.
	as sh 2 "$begin; ltt_expect_no signal.signal_generates"
	says 'no marker that is recorded has that name'
	as sh 1 "$begin; ltt_expect signal.signal_generates"
	says 'no marker that is recorded has that name'
}

skipped()
{
	as sh 4 'PATH=/nonexistent; ltt_begin "sched.*"'
	says 'the command ltt is not installed'
	as sh 4 'ltt_dir=/nonexistent; ltt_begin "sched.*"'
	says 'this kernel has no LTT'
}

# It loads what it needs: ltt-core, the text, and the kernel's events.
loads()
{
	rmmod ltt-tracepoints ltt-textout ltt-core
	as sh 0 'trap ltt_end EXIT; ltt_begin signal.signal_generate || exit
		kill -28 $$; ltt_expect signal.signal_generate "sig == 28"'
}

# Programs that use it are tests.
sample()
{
	needs_source samples/ltt/expect.sh
	"$here/../../../../samples/ltt/expect.sh" > "$tmp/out"
	cat "$tmp/out"
	expect result "ok 1 signals" "$(tail -n 1 "$tmp/out")"
	expect "traces left" "" "$(ls "$ltt/traces")"
}

# What the page shows.
documented()
{
	needs_source Documentation/trace/ltt/expect.rst
	sed -n '/^\.\. code-block:: bash/,/^[^.\t ]/s/^\t//p' \
		"$here/../../../../Documentation/trace/ltt/expect.rst" | sed '/^``/,$d' > "$tmp/page"
	grep -q ltt_expect_no "$tmp/page"
	cd "$here"
	sh "$tmp/page"
	expect "traces left" "" "$(ls "$ltt/traces")"
}

shells=()
for shell in bash dash 'busybox sh'; do
	command -v ${shell%% *} > /dev/null && shells+=("$shell")
done
# Either in another one in a short run.
for shell in "${shells[@]}"; do
	[ "$shell" = "${shells[0]}" ] && long=() || long=(--long)
	run_test "${long[@]}" "events that are there, $shell" found "$shell"
	[ "$shell" = "${shells[*]: -1}" ] && long=() || long=(--long)
	run_test "${long[@]}" "events that come, $shell" waits "$shell"
done
run_test "more than there is room for" too_much
run_test "times" times
run_test "wrong arguments" wrong
run_test "no tracer" skipped
run_test "no modules" loads
run_test "the sample" sample
run_test "the page's example" documented
finish
