#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 UML=1 RACES=1
#
# Filters that are expressions: what passes is what awk, and ftrace, would choose; they are
# replaced at full speed, apply to markers that come later, and wrong ones change nothing.

. "$(dirname "$0")/lib.sh"
. "$here/lib/filter.sh"
tracefs=/sys/kernel/tracing
mountpoint -q $tracefs || mount -t tracefs none $tracefs

# end TRACE...: the events of each are in $tmp/TRACE
end()
{
	local trace

	for trace; do
		reader "$trace" ALL "$tmp/all"
		destroy_trace "$trace"
		wait $!
		none grep '^# lost' "$tmp/all"
		events < "$tmp/all" > "$tmp/$trace"
	done
}

# filter_of TRACE MARKER: its file
filter_of()
{
	echo "$ltt/traces/$1/channels/${2%.*}/markers/${2#*.}/filter"
}

# counted FILE WHAT: how many events passed (hits) or did not (misses)
counted()
{
	awk -v what="$2" '$1 == "#" { for (i = 2; i < NF; i++) if ($i == what) print $(i + 1) }' "$1"
}

# chosen AWK-CONDITION: those of $tmp/every, with $context, seq and tail as names, that awk chooses
chosen()
{
	awk '{ context = $5; seq = $7; tail = $9 } '"$1" "$tmp/every"
}

# Times differ.
without_time()
{
	cut -d' ' -f2- "$1" | sort
}

# chooses EXPRESSION AWK-CONDITION
chooses()
{
	local file hits misses

	begin some every
	file=$(filter_of some ltt_test.event)
	echo "$1" > "$file"
	generate 2000 $all
	hits=$(counted "$file" hits)
	misses=$(counted "$file" misses)
	end some every
	chosen "$2" > "$tmp/want"
	[ -s "$tmp/want" ]
	[ "$(wc -l < "$tmp/want")" -lt "$(wc -l < "$tmp/every")" ]
	cmp <(without_time "$tmp/want") <(without_time "$tmp/some")
	expect "hits" "$(wc -l < "$tmp/want")" "$hits"
	expect "misses" "$(($(wc -l < "$tmp/every") - hits))" "$misses"
}

by_integers()
{
	chooses '(seq & 7) == 3 && !(context == 1) || seq in {100-110, 200}' \
		'(seq % 8 == 3 && context != 1) || (seq >= 100 && seq <= 110) || seq == 200'
}

by_strings()
{
	chooses 'tail ~ "uvw*" || tail == "z" || len(tail) == 3' \
		'tail ~ /^uvw/ || tail == "z" || length(tail) == 3'
}

by_arithmetic()
{
	chooses 'seq * 3 > 3000 + 1 && (seq + context << 1 & 4) != 0' \
		'seq * 3 > 3001 && (seq + context) * 2 % 8 >= 4'
}

# at_call_site EXPRESSION AWK-CONDITION: in a trace that is alone, so that call sites decide. All
# that the module has generated is known.
at_call_site()
{
	local file hits misses

	begin some
	file=$(filter_of some ltt_test.event)
	echo "$1" > "$file"
	generate 2000 $all
	hits=$(counted "$file" hits)
	misses=$(counted "$file" misses)
	generated
	end some
	awk '{ letters = "abcdefghijklmnopqrstuvwxyz"; context = $4; events += $6
		for (seq = 0; seq < $6; seq++) {
			tail = substr(letters, seq % 27 + 1)
			if ('"$2"')
				printf "[%03d] %u %u\n", $2, context, seq
		}
	} END { print events > "/dev/stderr" }' "$tmp/generated" 2> "$tmp/events" | sort > "$tmp/want"
	awk '{ print $2, $5, $7 }' "$tmp/some" | sort > "$tmp/found"
	[ -s "$tmp/want" ]
	cmp "$tmp/want" "$tmp/found"
	expect "hits" "$(wc -l < "$tmp/want")" "$hits"
	expect "all" "$(< "$tmp/events")" "$((hits + misses))"
}

by_one_number()
{
	at_call_site 'seq >= 250' 'seq >= 250'
	at_call_site 'seq != 7' 'seq != 7'
}

# only EXPRESSION OTHERWISE: one of the arguments of a marker with six, where one is true
only()
{
	local file

	file=$(filter_of some sample_types.wide)
	echo "$1" > "$file"
	echo 1 > /sys/module/ltt_sample_types/parameters/fire
	expect "$1" 10 "$(counted "$file" hits)$(counted "$file" misses)"
	echo "$2" > "$file"
	echo 1 > /sys/module/ltt_sample_types/parameters/fire
	expect "$2" 01 "$(counted "$file" hits)$(counted "$file" misses)"
}

by_each_argument()
{
	modprobe ltt-sample-types
	new_trace some sample_types.wide
	start_trace some
	only 'int < 0' 'int >= 0'
	only 'uint == 4294967295' 'uint != 4294967295'
	only 'long < 0' 'long == 0'
	only 'ulong == 0xffffffffffffffff' 'ulong == 0xffffffff'
	only 's64 < 0' 's64 > 0'
	only 'u64 > 0x7fffffffffffffff' 'u64 < 0x7fffffffffffffff'
	reader some ALL "$tmp/all"
	destroy_trace some
	wait $!
	rmmod ltt-sample-types
	expect "events" 6 "$(grep -c 'sample_types\.wide: int -2147483648 uint 4294967295 ' "$tmp/all")"
}

by_one_text()
{
	at_call_site 'tail == "xyz"' 'tail == "xyz"'
	at_call_site 'tail != ""' 'tail != ""'
}

by_several_tests()
{
	at_call_site '(seq & 7) == 3 && !(context == 1) || tail == "abcdefghijklmnopqrstuvwxyz"' \
		'seq % 8 == 3 && context != 1 || seq % 27 == 0'
	at_call_site 'tail in {"", "z", "qrstuvwxyz"} && seq in {0-300, 400}' \
		'(tail == "" || tail == "z" || tail == "qrstuvwxyz") && (seq <= 300 || seq == 400)'
}

# What the call site does not decide, the filter behind it does.
by_rest()
{
	at_call_site 'seq > 100 && tail ~ "x*"' 'seq > 100 && tail == "xyz"'
	at_call_site '$cpu < 4096 && seq + 1 > 200' 'seq + 1 > 200'
}

# chosen_type MARKER EXPRESSION 0|1: is this event of the sample recorded, with this filter?
chosen_type()
{
	new_trace some "sample_types.$1"
	echo "$2" > "$(filter_of some "sample_types.$1")"
	start_trace some
	echo 1 > /sys/module/ltt_sample_types/parameters/fire
	end some
	expect "$2" "$3" "$(grep -c . "$tmp/some")"
}

# Text that is not there, cannot be read, or is longer than what is recorded.
odd_text()
{
	modprobe ltt-sample-types
	chosen_type faults 'null == "(null)"' 1
	chosen_type faults 'null != "(null)"' 0
	chosen_type faults 'fault == "(fault)"' 1
	chosen_type faults 'fault == "" || null == ""' 0
	chosen_type strings 'bounded == "raw!"' 1
	chosen_type strings 'bounded == "raw"' 0
	chosen_type strings 'empty == "" && string == "hello" && char == 120' 1
	rmmod ltt-sample-types
}

# Their probes ask by themselves.
system_calls()
{
	local pid

	modprobe ltt-syscalls
	new_trace some syscalls.kill syscalls.kill_exit syscalls.openat
	echo 'sig == 12' > "$(filter_of some syscalls.kill)"
	echo 'ret == 0' > "$(filter_of some syscalls.kill_exit)"
	echo 'filename == "/dev/zero"' > "$(filter_of some syscalls.openat)"
	sleeper
	start_trace some
	kill -10 $pid
	kill -12 $pid
	kill -12 $pid
	! kill -12 999999999 2> /dev/null
	: < /dev/zero
	: < /dev/null
	stop_trace some
	kill -9 $pid
	end some
	cat "$tmp/some"
	expect "signals" "SIGUSR2 SIGUSR2 SIGUSR2" "$(sed -n 's/.* syscalls.kill: .*sig //p' "$tmp/some" | xargs)"
	expect "returns" "0 0 0" "$(sed -n 's/.* syscalls.kill_exit: ret //p' "$tmp/some" | xargs)"
	expect "files" 1 "$(grep -c 'syscalls.openat: ' "$tmp/some")"
	grep -q 'syscalls.openat: .*filename /dev/zero' "$tmp/some"
	rmmod ltt-syscalls
}

# What is not recorded anyway is not counted.
stopped()
{
	stopped_with none
	stopped_with tid
}

# stopped_with CONTEXTS
stopped_with()
{
	local file before

	load_test_module
	new_trace some
	echo "$1" > $ltt/traces/some/channels/ltt_test/contexts
	echo ltt_test.event > $ltt/traces/some/markers
	file=$(filter_of some ltt_test.event)
	echo 'seq >= 250' > "$file"
	generate 500
	expect "before the start" 00 "$(counted "$file" hits)$(counted "$file" misses)"
	start_trace some
	generate 500
	stop_trace some
	before=$(grep '^#' "$file")
	[ "$(counted "$file" hits)" -gt 0 ]
	generate 500
	expect "after the end" "$before" "$(grep '^#' "$file")"
	destroy_trace some
}

# Each of the filters lets only numbers through that are odd.
replaced()
{
	local file

	begin some
	file=$(filter_of some ltt_test.event)
	echo '(seq & 3) == 1' > "$file"
	repeat sh -c "echo '(seq & 3) == 3' > $file; echo '(seq & 1) == 1 && seq' > $file"
	for _ in $(seq 10); do
		generate 500 $all
	done
	repeat_end
	end some
	[ -s "$tmp/some" ]
	expect "even numbers" "" "$(awk '$7 % 2 == 0' "$tmp/some" | head -n 1)"
}

# With other filters, modules and traces that come and go.
comes_and_goes()
{
	begin some
	repeat sh -c "
		echo x > $ltt/setup_trace
		echo 'ltt_*.*: seq == 1 || 0' > $ltt/traces/x/filters
		echo 'ltt_test.*' > $ltt/traces/x/markers
		echo 1 > $ltt/traces/x/enabled
		echo x > $ltt/destroy_trace"
	repeat sh -c "modprobe ltt-test-late; rmmod ltt-test-late"
	for _ in $(seq 5); do
		generate 500 $all
	done
	repeat_end
	end some
	[ -s "$tmp/some" ]
	[ ! -d $ltt/traces/x ] || destroy_trace x
}

later()
{
	rmmod ltt-test-late 2> /dev/null || true
	new_trace late
	printf '%s\n' 'ltt_late.*: nothing == 1' 'ltt_late.init: number in {2-4} && of == 7' |
		while read -r line; do
			echo "$line" > $ltt/traces/late/filters
		done
	echo 'ltt_late.exit: none' > $ltt/traces/late/filters
	expect "filters" "ltt_late.*: nothing == 1,ltt_late.init: number in {2-4} && of == 7,ltt_late.exit: none" \
		"$(paste -sd, $ltt/traces/late/filters)"
	echo 'ltt_late.*' > $ltt/traces/late/markers
	start_trace late
	modprobe ltt-test-late events=7
	rmmod ltt-test-late
	reader late ALL "$tmp/late"
	destroy_trace late 2> "$tmp/err"
	wait $!
	events < "$tmp/late" | cut -d' ' -f3- > "$tmp/found"
	expect "events" "ltt_late.init: number 2 of 7,ltt_late.init: number 3 of 7,ltt_late.init: number 4 of 7" \
		"$(grep -v exit "$tmp/found" | paste -sd,)"
	grep -q '^ltt_late.exit: ' "$tmp/found"
}

later_refused()
{
	rmmod ltt-test-late 2> /dev/null || true
	new_trace late
	echo 'ltt_late.tick: nothing == 1' > $ltt/traces/late/filters
	echo 'ltt_late.*' > $ltt/traces/late/markers
	modprobe ltt-test-late
	grep 'marker ltt_late.tick is not recorded: ltt_late.tick: column 1: no such field: nothing' \
		$ltt/traces/late/error_log
	grep -q '^- ltt_late.tick' $ltt/traces/late/markers
	grep -q '^+ ltt_late.init' $ltt/traces/late/markers
	# The message may be in the kernel's log, too: it is no complaint.
	rmmod ltt-test-late
	destroy_trace late
}

# A process that ignores signals; its number is in $pid.
sleeper()
{
	trap '' USR1 USR2
	sleep 1000 &
	pid=$!
	trap - USR1 USR2
}

# signals PID: many, to a sleeper
signals()
{
	local n

	for n in $(seq 60); do
		kill -$((10 + 2 * (n % 2))) "$1"
		kill -$((n % 3 ? 23 : 28)) "$1"
	done
}

# What ftrace had before is gone, and there is room: another test may have left it two pages.
empty_ftrace()
{
	echo 4096 > $tracefs/buffer_size_kb
	echo > $tracefs/trace
}

like_ftrace()
{
	local expression='sig == 12 || sig == 28 && pid > 1' pid

	[ -d $tracefs/events/signal/signal_generate ] || { echo "no tracepoints"; exit 4; }
	new_trace some 'signal.signal_generate'
	echo "$expression" > "$(filter_of some signal.signal_generate)"
	echo "$expression" > $tracefs/events/signal/signal_generate/filter
	empty_ftrace
	sleeper
	start_trace some
	echo 1 > $tracefs/events/signal/signal_generate/enable
	signals $pid
	echo 0 > $tracefs/events/signal/signal_generate/enable
	stop_trace some
	kill -9 $pid
	echo 0 > $tracefs/events/signal/signal_generate/filter
	sed -nE "s/.* signal_generate: sig=([0-9]+) .*pid=$pid .*/\\1/p" $tracefs/trace > "$tmp/want"
	reader some ALL "$tmp/all"
	destroy_trace some
	wait $!
	sed -nE "s/.* signal\.signal_generate: sig ([0-9]+) .*pid $pid .*/\\1/p" "$tmp/all" > "$tmp/found"
	[ "$(wc -l < "$tmp/want")" -ge 40 ]
	cmp "$tmp/want" "$tmp/found"
	none grep -vE '^(12|28)$' "$tmp/found"
}

# like_ftrace_calls EXPRESSION [FTRACE'S]: with PID for the process that calls getpid()
like_ftrace_calls()
{
	local enable=$tracefs/events/raw_syscalls/sys_exit/enable loop pid

	new_trace some 'raw_syscalls.sys_exit'
	# shellcheck disable=SC2016 # for another shell
	loop='echo "${1/PID/$$}" > "$3" &&
		echo "${2/PID/$$}" > "${4%enable}filter" &&
		echo 1 > "$4" && echo 1 > "$5" || exit
		exec known-calls loop 1000'
	empty_ftrace
	bash -c "$loop" bash "$1" "${2:-$1}" "$(filter_of some raw_syscalls.sys_exit)" $enable \
		"$ltt/traces/some/enabled" &
	pid=$!
	wait $pid
	echo 0 > $enable
	echo 0 > "${enable%enable}filter"
	sed -nE "s/.* sys_exit: NR ([0-9-]+) = $pid\$/\1/p" $tracefs/trace > "$tmp/want"
	reader some ALL "$tmp/all"
	destroy_trace some
	wait $!
	sed -nE "s/.* raw_syscalls\.sys_exit: id ([0-9-]+) ret $pid\$/\1/p" "$tmp/all" > "$tmp/found"
	wc -l "$tmp/want" "$tmp/found" "$tmp/all"
	[ "$(grep -c '^39$' "$tmp/want")" -ge 1000 ]
	cmp "$tmp/want" "$tmp/found"
	# And not because everything is recorded.
	[ "$(events < "$tmp/all" | wc -l)" -lt 1500 ]
}

# An event of the kernel with integers only, one of which is asked about.
few_integers()
{
	[ -d $tracefs/events/raw_syscalls/sys_exit ] || { echo "no tracepoints"; exit 4; }
	like_ftrace_calls 'id == 39'
	like_ftrace_calls 'ret == PID'
	like_ftrace_calls 'id == 39 && ret == PID'
	like_ftrace_calls '(id ^ 39) == 0' 'id == 39'
}

# Signals that one process sends, not those of others.
contexts()
{
	local pid

	new_trace some 'signal.signal_generate'
	sleeper
	start_trace some
	bash -c 'echo "\$pid == $$ && \$comm ~ \"ba*\" && \$cpu < 4096" > $1; kill -10 $0; kill -12 $0' \
		$pid "$(filter_of some signal.signal_generate)"
	signals $pid
	kill -9 $pid
	reader some ALL "$tmp/all"
	destroy_trace some
	wait $!
	expect "signals" "10 12" \
		"$(sed -nE "s/.* signal\\.signal_generate: sig ([0-9]+) .*pid $pid .*/\1/p" "$tmp/all" | xargs)"
}

# Of all events, also of those that get an id later, and besides a marker's own filter.
all_events()
{
	local pid file=$ltt/traces/some/filter

	new_trace some 'signal.signal_generate'
	expect "filter" none "$(< $file)"
	sleeper
	start_trace some
	bash -c '
		echo "\$pid == $$" > $2
		echo "signal.signal_generate: sig != 10" > $3/filters
		echo "sched.sched_process_fork" > $3/markers
		kill -10 $0; kill -12 $0; /bin/true; :' $pid some $file $ltt/traces/some
	signals $pid
	/bin/true
	[ "$(counted $file hits)" -ge 3 ]
	[ "$(counted $file misses)" -ge 100 ]
	expect_errno EINVAL $file 'sig == 10'
	tail -n 1 $ltt/traces/some/error_log | grep 'filter: column 1: no such field: sig'
	echo none > $file
	kill -12 $pid
	stop_trace some
	kill -9 $pid
	reader some ALL "$tmp/all"
	destroy_trace some
	wait $!
	expect "signals" "12 12" \
		"$(sed -nE "s/.* signal\\.signal_generate: sig (1[02]) .*pid $pid .*/\\1/p" "$tmp/all" | xargs)"
	expect "forks" 1 "$(grep -c 'sched\.sched_process_fork' "$tmp/all")"
}

# kinds TEXT: numbers of the signals that a shell sends itself
kinds()
{
	sed -nE 's/.* signal\.signal_generate: sig (10|12) .*/\1/p' "$1" | xargs
}

by_command()
{
	local send='trap "" USR1 USR2; for s in 10 12 10 12; do kill -$s $$; done'

	ltt record -o "$tmp/recorded" -e 'signal.*' --filter 'signal.*: sig == 12' -- bash -c "$send"
	ltt view "$tmp/recorded" > "$tmp/view"
	expect "recorded" "12 12" "$(kinds "$tmp/view")"
	ltt record -o "$tmp/whole" -e 'signal.*' -- bash -c "$send"
	ltt view "$tmp/whole" > "$tmp/view"
	expect "everything" "10 12 10 12" "$(kinds "$tmp/view")"
	ltt view --filter 'signal.*: sig == 12 || sig > 12' "$tmp/whole" > "$tmp/view"
	expect "viewed" "12 12" "$(kinds "$tmp/view")"
	ltt text -e 'signal.*' --filter 'signal.*: sig in {10}' -- bash -c "$send" > "$tmp/view"
	expect "live" "10 10" "$(kinds "$tmp/view")"
	! ltt record -o "$tmp/none" -e 'signal.*' --filter 'signal.*: nothing' -- true 2> "$tmp/err"
	grep 'signal_deliver: column 1: no such field: nothing\|signal_generate: column 1: no such field' \
		"$tmp/err"
}

# refused ERRNO FILE TEXT MESSAGE: and nothing has changed
refused()
{
	local file=$ltt/traces/wrong/filters before after

	mapfile before < $file
	expect_errno "$1" "$2" "$3"
	refused_for wrong "$4"
	mapfile after < $file
	expect "filters" "${before[*]}" "${after[*]}"
}

wrong()
{
	local filters=$ltt/traces/wrong/filters file

	load_test_module
	new_trace wrong 'ltt_test.*'
	file=$(filter_of wrong ltt_test.event)
	echo 'ltt_test.event: seq == 1' > $filters
	refused EINVAL "$file" 'seq ==' 'column 7: the expression ends too early'
	refused EINVAL "$file" 'tail == 1' 'column 9: expected a string'
	refused EINVAL "$file" 'sequence == 1' 'ltt_test.event: column 1: no such field: sequence'
	refused EINVAL "$filters" 'ltt_test.event' "expected ': ' after a pattern"
	refused EINVAL "$filters" 'a b: seq' 'no dot in pattern'
	refused EINVAL "$filters" '!ltt_test.*: seq' 'expected one pattern before the colon'
	refused EINVAL "$filters" 'ltt_test.event: ' 'empty expression'
	# The first marker without the field is named.
	refused EINVAL "$filters" 'sched.*: prev_pid == 1' 'no such field: prev_pid'
	refused E2BIG "$file" "$(printf 'seq == 1 || %.0s' $(seq 90))seq" 'longer than 1024 bytes'
	expect "filter" "seq == 1" "$(head -n 1 "$file")"
	echo none > "$file"
	expect "filter" none "$(head -n 1 "$file")"
	expect "filters" "" "$(< $filters)"
	destroy_trace wrong
}

run_test "integers and sets" by_integers
run_test "strings" by_strings
run_test "arithmetic" by_arithmetic
run_test "one number, at the call site" by_one_number
run_test "each of the arguments, at the call site" by_each_argument
run_test --needs x86 "one text, at the call site" by_one_text
run_test "several tests, at the call site" by_several_tests
run_test "decided later" by_rest
run_test --needs x86 "text that is not what it seems" odd_text
run_test --needs x86 "system calls" system_calls
run_test "a trace that is stopped" stopped
run_test "replaced while events fire" replaced
run_test "beside traces and modules that come and go" comes_and_goes
run_test "markers that come later" later
run_test "a marker that cannot have its filter" later_refused
run_test "the same events as by ftrace's filter" like_ftrace
run_test --needs x86 "the same events of few integers as by ftrace's filter" few_integers
run_test "contexts" contexts
run_test "all events of a trace" all_events
run_test "ltt record, text and view" by_command
run_test "wrong expressions change nothing" wrong
finish
