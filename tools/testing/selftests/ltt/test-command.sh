#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=0
#
# The ltt command besides ltt record and ltt view: what it prints, for people and for
# awk, and what it says when it can not.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"

# says STATUS PATTERN ARGUMENTS...: ltt ends so, and says a line on standard error that matches
says()
{
	local wanted=$1 pattern=$2 status=0

	shift 2
	ltt "$@" < /dev/null > "$tmp/out" 2> "$tmp/err" || status=$?
	expect "status of ltt $*" "$wanted" $status
	grep -qE -e "$pattern" "$tmp/err" || fail "ltt $*: $(< "$tmp/err")"
}

# quietly ARGUMENTS...: ltt succeeds and says nothing
quietly()
{
	expect "ltt $*" "" "$(ltt "$@" 2>&1)"
}

help()
{
	local command

	ltt --help > "$tmp/help"
	for command in record view text pair flight list status plan create start stop destroy repair; do
		grep -q "^  $command  *[a-z]" "$tmp/help"
		ltt $command --help > "$tmp/out"
		grep -q "^Usage: ltt $command " "$tmp/out"
	done
	says 2 'Usage: ltt'
	says 2 "unknown command 'frob'" frob
	says 2 'unrecognized option' list --frob
}

list()
{
	load_test_module
	diff <(ltt list) $ltt/markers
	expect "one" "ltt_test.event ltt_test off" \
		"$(ltt list 'ltt_test.*' | awk -F'\t' '!/^#/ { print $1, $2, $3 }')"
	expect "two patterns" "$(ltt list | grep -cE '^(ltt_test|sched)\.')" \
		"$(ltt list 'ltt_test.*' 'sched.*' | grep -vc '^#')"
	says 1 'no marker matches' list 'nosuch.*'
	diff <(ltt list --missing) $ltt/missing
	ltt list --missing '*/btrfs.h' 'btrfs__*' > "$tmp/missing"
	diff "$tmp/missing" <(grep -E '^([^:]*/btrfs\.h|[^:]*: (text of )?btrfs__[^:]*):' $ltt/missing)
	[ -s "$tmp/missing" ]
	says 1 'no missing event matches' list --missing nosuch
	new_trace list 'ltt_test.event'
	expect "state" on "$(ltt list ltt_test.event | awk -F'\t' '!/^#/ { print $3 }')"
	destroy_trace list
}

# field TRACE COLUMN, of ltt status
field()
{
	ltt status | awk -F'\t' -v trace="$1" -v column="$2" \
		'NR == 1 { sub("^# ", ""); for (i = 1; i <= NF; i++) at[$i] = i }
		 $1 == trace { print $at[column] }'
}

# channel TRACE COLUMN, of ltt_test in ltt status TRACE
channel()
{
	ltt status "$1" | awk -F'\t' -v column="$2" \
		'/^# channel/ { sub("^# ", ""); for (i = 1; i <= NF; i++) at[$i] = i }
		 $1 == "ltt_test" { print $at[column] }'
}

manage()
{
	load_test_module
	quietly create one -e 'ltt_test.*' -e '!ltt_test.nothing' --size 64K --number 4 \
		--mode overwrite --switch-timer 100 --per-channel
	quietly create two -e 'ltt_test.*'
	quietly create three
	expect "traces" "one three two" "$(ltt status | awk '!/^#/ { print $1 }' | xargs)"
	expect "state" stopped "$(field one state)"
	expect "channels" 1 "$(field one channels)"
	expect "buffers" $((65536 * 4 * $(nproc))) "$(field one buffers)"
	expect "channels" 1 "$(field two channels)"
	expect "mode" shared "$(channel two mode)"
	expect "nothing" 0 "$(field three channels)"
	quietly start one two
	generate 1000 1
	expect "state" started "$(field one state)"
	quietly stop one
	expect "state" stopped "$(field one state)"
	expect "events" $((1000 * $(nproc))) "$(field one events)"
	expect "lost" 0 "$(field one lost)"
	expect "mode" overwrite "$(channel one mode)"
	expect "size" 65536 "$(channel one subbuf_size)"
	expect "number" 4 "$(channel one subbuf_num)"
	expect "timer" 100 "$(channel one switch_timer)"
	expect "CPUs" "$(nproc)" "$(channel one cpus)"
	expect "channel's events" $((1000 * $(nproc))) "$(channel one events)"
	expect "the patterns" 'ltt_test.* !ltt_test.nothing' \
		"$(ltt status one | awk -F'\t' '$1 == "pattern" { print $2 }' | xargs)"
	expect "markers" 1 "$(ltt status one | awk '$1 == "markers" { print $2 }')"
	quietly destroy one two three
	expect "header alone" 1 "$(ltt status | wc -l)"
}

# plan COLUMN ARGUMENTS...: a value of ltt plan
plan()
{
	local what=$1

	shift
	ltt plan "$@" | awk -F'\t' -v what="$what" '$1 == what { print $2 }'
}

plans()
{
	local each=$((65536 * 4))

	load_test_module
	expect "lines" $'ltt_test\toverwrite\t65536\t4\t100\t'$each \
		"$(ltt plan -e 'ltt_test.*' --per-channel --size 64K --number 4 --mode overwrite --switch-timer 100 | grep ^ltt_test)"
	expect "shared" $'shared\toverwrite\t65536\t4\t100\t'$each \
		"$(ltt plan -e 'ltt_test.* irq.*' --size 64K --number 4 --mode overwrite --switch-timer 100 | grep ^shared)"
	expect "channels" 2 "$(plan channels -e 'ltt_test.* irq.*' -e 'sched.*' -e '!sched.*')"
	expect "bytes" $((each * $(nproc))) "$(plan bytes -e 'ltt_test.* irq.*' --size 64K --number 4)"
	expect "bytes" $((2 * each * $(nproc))) \
		"$(plan bytes --per-channel -e 'ltt_test.* irq.*' --size 64K --number 4)"
	expect "for others" $((each * 64)) \
		"$(plan bytes -e 'ltt_test.*' --size 64K --number 4 --cpus 64)"
	expect "all" "$(grep -vc '^#\|^shared	' $ltt/channels)" "$(plan channels -e '*' --budget 1T)"
	ltt create all -e '*' --size 4K --number 2
	expect "as the kernel has it" "$(ltt status all | awk -F'\t' '$1 == "taken" { print $2 }')" \
		"$(plan bytes -e '*' --size 4K --number 2)"
	expect "channels" "$(ltt status | awk '$1 == "all" { print $3 }')" "$(plan channels -e '*' --budget 1T)"
	ltt destroy all
	ltt create all -e '*' --size 4K --number 2 --per-channel
	expect "as the kernel has it" "$(ltt status all | awk -F'\t' '$1 == "taken" { print $2 }')" \
		"$(plan bytes -e '*' --size 4K --number 2 --per-channel)"
	ltt destroy all
	says 1 '256 KiB are more than the budget of 255 KiB' \
		plan -e 'ltt_test.*' --size 64K --number 4 --cpus 1 --budget 262143
	says 1 'are more than the budget' plan -e '*' --per-channel --cpus 4096
	says 1 'no marker matches' plan -e 'nosuch.*'
	says 2 'invalid size' plan -e 'ltt_test.*' --size 64Q
	says 2 'invalid number' plan -e 'ltt_test.*' --number 2G
	says 2 'missing pattern' plan
	says 2 'invalid number of CPUs' plan -e '*' --cpus 0
	says 2 'extra argument' plan -e '*' x
	says 1 'budget is 255 KiB' create poor -e 'ltt_test.*' --budget 255K
	expect "traces" "" "$(ls $ltt/traces)"
}

refused()
{
	ltt create there
	says 1 'already' create there
	says 1 'Invalid argument' create 'not/a name'
	says 1 'column 4' create new -e 'sch[d.*'
	says 2 'not a power of two' create new -e 'sched.*' --size 5000
	expect "traces" there "$(ls $ltt/traces)"
	says 2 'one trace at a time' create a b
	says 2 'missing trace name' create
	says 2 'missing trace name' start
	says 1 "no such trace: 'nosuch'" start nosuch
	says 1 "no such trace: '..'" stop ..
	says 1 "no such trace: 'nosuch'" status nosuch
	says 1 "no such trace: 'a'" destroy a there b
	expect "the others are done" "" "$(ls $ltt/traces)"
	says 2 'either' text
	says 2 'only for existing traces' text -e 'a.*' -c chan
	says 1 "no such trace: 'nosuch'" text nosuch
	says 2 'cannot change the parameters' text --context tid there
	says 2 'cannot change the parameters' text --budget 1G there
	says 2 'missing trace directory' repair
	says 1 'No such file' repair "$tmp/nosuch"
	says 1 'not a trace directory' repair "$tmp"
}

nobody()
{
	none setpriv --reuid 65534 --regid 65534 --clear-groups "$(command -v ltt)" list \
		2> "$tmp/err"
	grep -q 'only root' "$tmp/err"
	LTT_ROOT=$tmp/nosuch says 1 'is the tracer loaded' status
}

# Text of a trace of its own: of a command, until Ctrl-C, for a reader who leaves.
own_text()
{
	local status=0 pid

	load_test_module
	ltt text -e 'ltt_test.*' -- sh -c "echo 100 1 > $run_file; exit 9" > "$tmp/text" ||
		status=$?
	expect "status" 9 $status
	expect "events" $((100 * $(nproc))) "$(events < "$tmp/text" | wc -l)"
	nothing_left

	env --default-signal=INT ltt text -e 'ltt_test.*' > "$tmp/text" &
	pid=$!
	wait_for 20 grep -qs 1 "$ltt/traces/text-$pid/enabled"
	generate 100 1
	kill -INT $pid
	ended $pid 0
	expect "events" $((100 * $(nproc))) "$(events < "$tmp/text" | wc -l)"
	nothing_left

	ltt text -e 'sched.sched_switch' | head -n 4 > "$tmp/text"
	expect "lines" 4 "$(wc -l < "$tmp/text")"
	nothing_left

	status=0; ltt text -e 'sched.sched_switch' > /dev/full 2> "$tmp/err" || status=$?
	expect "full" 1 $status
	nothing_left

	status=0; ltt text -e 'sched.sched_switch' --style nosuch 2> "$tmp/err" || status=$?
	expect "no such style" 1 $status
	grep -q 'styles: \[format\] [a-z]' "$tmp/err"
	nothing_left

	ltt text -e 'ltt_test.*' > "$tmp/text" &
	pid=$!
	wait_for 20 grep -qs 1 "$ltt/traces/text-$pid/enabled"
	kill -9 $pid
	wait $pid || true
	wait_for 20 no_guard
	nothing_left
}

# What cannot be read is not shown as something else.
unknown_status()
{
	local status

	load_test_module
	new_trace unknown 'ltt_test.*'
	echo 1 > $ltt/traces/unknown/enabled
	for file in enabled channels/ltt_test/stats channels; do
		status=0
		strace -o /dev/null -P "traces/unknown/$file" -e trace=openat \
			-e inject=openat:error=EMFILE ltt status > "$tmp/out" 2> "$tmp/err" || status=$?
		expect "status without $file" 1 $status
		grep -q "^ltt: traces/unknown/$file: Too many open files$" "$tmp/err"
		[ $file != enabled ] || grep -qP '^unknown\t-\t' "$tmp/out"
		[ $file = enabled ] || grep -qP '^unknown\tstarted\t' "$tmp/out"
	done
	destroy_trace unknown
	expect "complaints" "" "$(ltt status 2>&1 > /dev/null)"
}

# is_filled FD: there is a lot in that pipe, which may not use all of its 64 KiB
is_filled()
{
	python3 - "$1" <<-'EOF'
		import array, fcntl, sys, termios
		unread = array.array("i", [0])
		fcntl.ioctl(int(sys.argv[1]), termios.FIONREAD, unread)
		sys.exit(unread[0] < 20000)
	EOF
}

# A signal is seen also while nobody reads the text, and when the trace cannot be destroyed.
text_ends()
{
	local status=0 pid trace

	load_test_module
	mkfifo "$tmp/unread"
	exec 7<> "$tmp/unread"
	env --default-signal=INT,TERM,HUP ltt text -e 'ltt_test.*' > "$tmp/unread" &
	pid=$!
	trace=$ltt/traces/text-$pid
	wait_for 20 grep -qs 1 "$trace/enabled"
	generate 10000 1
	wait_for 20 is_filled 7
	kill -TERM $pid
	kill -HUP $pid
	wait_for 20 [ ! -e "$trace" ]
	has_ended $pid && fail "it does not wait"
	wait_for 20 again $pid
	ended $pid 130
	exec 7<&-
	nothing_left

	# The trace ends with the command, not by a signal: the first one does not lose any event.
	exec 7<> "$tmp/unread"
	env --default-signal=INT,TERM,HUP ltt text --size 256K --number 16 -e 'ltt_test.*' -- \
		sh -c "echo 10000 1 > $run_file; exit 9" > "$tmp/unread" 7<&- &
	pid=$!
	trace=$ltt/traces/text-$pid
	wait_for 20 is_filled 7
	wait_for 20 [ ! -e "$trace" ]
	kill -INT $pid
	exec 8< "$tmp/unread"
	cat <&8 > "$tmp/text" 7<&- &
	exec 7<&- 8<&-
	ended $pid 9
	wait
	expect "events" $((10000 * $(nproc))) "$(events < "$tmp/text" | wc -l)"
	nothing_left

	unable_to_destroy ltt text -e 'ltt_test.*' -- true > "$tmp/text" 2> "$tmp/err" || status=$?
	expect "status" 1 $status
	grep -q '^ltt: destroyed its trace text-' "$tmp/err"
	nothing_left
}

# The command takes its time after a signal: we exit with its status all the same.
waits_for_command()
{
	local command pid trace status tool

	load_test_module
	for tool in "text -e ltt_test.event" "pair ltt_test.event ltt_test.event"; do
		rm -f "$tmp"/slow*
		trapped "$tmp/slow"
		# shellcheck disable=SC2086
		env --default-signal=INT,TERM,HUP ltt $tool -- "${command[@]}" > "$tmp/text" 2>&1 &
		pid=$!
		trace=$ltt/traces/${tool%% *}-$pid
		wait_for 20 test -e "$tmp/slow"
		kill -INT $pid
		wait_for 20 grep -q INT "$tmp/slow"
		wait_for 20 [ ! -e "$trace" ]
		touch "$tmp/slow.go"
		ended $pid 5
		nothing_left
	done

	# Who does not want to wait, and a reader who has gone.
	rm -f "$tmp"/slow*
	env --default-signal=INT,TERM,HUP ltt text -e 'ltt_test.*' -- "${command[@]}" > "$tmp/text" &
	pid=$!
	trace=$ltt/traces/text-$pid
	wait_for 20 test -e "$tmp/slow"
	kill -INT $pid
	wait_for 20 [ ! -e "$trace" ]
	kill -INT $pid
	ended $pid 130
	touch "$tmp/slow.go"
	nothing_left

	rm -f "$tmp"/slow*
	status=0
	timeout -k 5 60 ltt text -e 'sched.sched_switch' -- "${command[@]}" 2> "$tmp/err" |
		head -n 4 > "$tmp/text" || status=$?
	expect "status without a reader" 0 $status
	touch "$tmp/slow.go"
	nothing_left
}

others_text()
{
	local pid other

	load_test_module
	new_trace live 'ltt_test.*'
	start_trace live
	ltt text live > "$tmp/all" &
	pid=$!
	ltt text -c ltt_test live > "$tmp/channel" &
	other=$!
	wait_for 20 has_open $pid "$ltt/traces/live/text/ALL"
	wait_for 20 has_open $other "$ltt/traces/live/text/ltt_test"
	generate 100 1
	destroy_trace live
	ended $pid 0
	ended $other 0
	expect "events" $((100 * $(nproc))) "$(events < "$tmp/all" | wc -l)"
	diff <(events < "$tmp/all") <(events < "$tmp/channel")
}

run_test "help" help
run_test "list" list
run_test "create, start, status, stop, destroy" manage
run_test "plans" plans
run_test "refusals name the reason" refused
run_test "not root, not loaded" nobody
run_test "a status that cannot be read" unknown_status
run_test "text of a trace of its own" own_text
run_test "text that ends, whoever does not read or cannot destroy" text_ends
run_test "a command that takes its time to end" waits_for_command
run_test "text of a trace that there is" others_text
finish
