#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=900 UML=1 DEBUG=0
#
# ltt record: what is recorded is on disk, whole and readable, however it ends.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"

# Big enough that nothing is lost below.
big="--size 256K --number 16"

# Its events are numbered from 0.
fresh_module()
{
	rmmod ltt-test 2> /dev/null || true
	load_test_module
}

# all_there DIR: what was generated is in the trace, or reported lost
all_there()
{
	generated
	check-stream -g "$tmp/generated" < "$1.text"
}

of_a_command()
{
	local dir=$tmp/command status=0

	fresh_module
	# shellcheck disable=SC2086
	ltt record -o "$dir" $big -e 'ltt_test.*' -- \
		sh -c "echo 2000 1 > $run_file; exit 3" 2> "$tmp/err" || status=$?
	cat "$tmp/err"
	expect "status" 3 $status
	grep -q " $((2000 * $(nproc))) events, 0 lost$" "$tmp/err"
	check_trace "$dir"
	all_there "$dir"
	expect "events" $((2000 * $(nproc))) "$(events < "$dir.text" | wc -l)"
	cp -r "$dir" "$dir.copy"
	expect "repairs" "" "$(ltt repair "$dir" 2>&1)"
	diff -r "$dir" "$dir.copy"
	nothing_left
}

# The exit status is the command's, whatever that is.
statuses()
{
	local status

	status=0; ltt record -q -o "$tmp/s1" -e 'ltt_test.*' -- true || status=$?
	expect "true" 0 $status
	status=0; ltt record -q -o "$tmp/s2" -e 'ltt_test.*' -- sh -c 'kill -9 $$' || status=$?
	expect "killed" 137 $status
	status=0; ltt record -q -o "$tmp/s3" -e 'ltt_test.*' -- ./no-such-command || status=$?
	expect "not there" 127 $status
	status=0; ltt record -q -o "$tmp/s4" -e 'ltt_test.*' -- /proc/version || status=$?
	expect "not a program" 126 $status
	for dir in "$tmp"/s?; do
		check_trace "$dir"
	done
	nothing_left
}

until_interrupted()
{
	local signal=$1 dir=$tmp/interrupted-$1 pid

	fresh_module
	# shellcheck disable=SC2086
	record_background -o "$dir" $big -e 'ltt_test.*'
	pid=$!
	reader $recording ALL "$tmp/text"
	generate 1000 15
	kill -$signal $pid
	ended $pid 0
	wait
	check_trace "$dir"
	all_there "$dir"
	diff -q <(events < "$tmp/text") <(events < "$dir.text")
	nothing_left
}

# The command gets the signal, and its status is still ours.
command_interrupted()
{
	local dir=$tmp/both-interrupted pid

	record_background -o "$dir" -e 'ltt_test.*' -- \
		sh -c 'trap "exit 5" INT; touch "$0"; while :; do sleep 0.1; done' "$tmp/trapped"
	pid=$!
	wait_for 20 test -e "$tmp/trapped"
	kill -INT $pid
	ended $pid 5
	check_trace "$dir"
	nothing_left
}

# systemd sends SIGTERM and SIGHUP, a terminal that is closed SIGHUP twice: that is one wish.
hung_up()
{
	local dir=$tmp/hung-up pid command

	fresh_module
	trapped "$tmp/hung"
	# shellcheck disable=SC2086
	record_background -o "$dir" $big -e 'ltt_test.*' -- "${command[@]}"
	pid=$!
	wait_for 20 test -e "$tmp/hung"
	kill -STOP $pid
	generate 1000 15
	kill -TERM $pid
	kill -HUP $pid
	kill -CONT $pid
	wait_for 20 grep -qs HUP "$tmp/hung"
	wait_for 20 grep -q TERM "$tmp/hung"
	kill -HUP $pid
	wait_for 20 [ ! -e "$ltt/traces/$recording" ]
	kill -INT $pid
	wait_for 20 grep -q INT "$tmp/hung"
	touch "$tmp/hung.go"
	ended $pid 5
	check_trace "$dir"
	all_there "$dir"
	nothing_left
}

# It ends for another reason: somebody's first Ctrl-C is the command's, and the second one ours.
ended_before()
{
	local dir=$tmp/ended-before pid command i

	load_test_module
	for i in 1 2 3; do
		new_trace before
		echo 'ltt_test.*' > $ltt/traces/before/markers
		trapped "$tmp/before$i"
		record_background -t before -o "$dir$i" -- "${command[@]}"
		pid=$!
		wait_for 20 test -e "$tmp/before$i"
		destroy_trace before
		# The summary.
		wait_for 20 grep -q ' 0 lost$' "$tmp/record.err"
		kill -INT $pid
		wait_for 20 grep -q INT "$tmp/before$i"
		case $i in
		1)	touch "$tmp/before$i.go"
			ended $pid 5 ;;
		2)	kill -INT $pid
			ended $pid 130 ;;
		3)	wait_for 20 again $pid
			ended $pid 130 ;;
		esac
		touch "$tmp/before$i.go"
		check_trace "$dir$i"
	done
	nothing_left
}

terminal()
{
	script -qec "ltt record -o $tmp/terminal -e 'ltt_test.*' -- sleep 3" /dev/null \
		> "$tmp/typescript" < /dev/null
	grep -q ' events/s, 0 lost' "$tmp/typescript"
	ltt record -q -o "$tmp/quiet" -e 'ltt_test.*' -- true > "$tmp/out" 2>&1
	expect "--quiet" "" "$(< "$tmp/out")"
}

# The second Ctrl-C does not wait; what is there then is readable all the same.
twice_interrupted()
{
	local dir=$tmp/twice pid status=0

	load_test_module
	record_background -o "$dir" --size 4K --number 256 -e 'ltt_test.*'
	pid=$!
	generate 20000 15
	kill -INT $pid
	kill -INT $pid 2> /dev/null || true
	wait $pid || status=$?
	[ $status -eq 0 ] || expect "status" 130 $status
	check_trace "$dir" lossy
	nothing_left
}

# A trace of somebody else, twice, beside a text reader: all three see the same.
of_an_existing_trace()
{
	local one=$tmp/one two=$tmp/two pids=()

	fresh_module
	new_trace other
	channel_buffers other ltt_test 262144 16
	echo 'ltt_test.*' > $ltt/traces/other/markers
	reader other ALL "$tmp/text"
	record_background -t other -o "$one"
	pids+=($!)
	record_background -t other -o "$two" --threads 4
	pids+=($!)
	wait_for 20 test -s "$one/metadata"
	wait_for 20 test -s "$two/metadata"
	sleep 1
	start_trace other
	generate 1000 15
	stop_trace other
	# After an interrupt the rest is captured; the trace continues.
	kill -INT "${pids[0]}"
	ended "${pids[0]}" 0
	expect "still there" 0 "$(< $ltt/traces/other/enabled)"
	destroy_trace other
	ended "${pids[1]}" 0
	wait
	check_trace "$one"
	check_trace "$two"
	all_there "$one"
	all_there "$two"
	cmp "$one.text" "$two.text"
	diff -q <(events < "$tmp/text") <(events < "$one.text")
	nothing_left
}

# A trace that keeps recording while its capture ends.
of_a_busy_trace()
{
	local dir=$tmp/busy pid

	load_test_module
	new_trace busy
	channel_buffers busy ltt_test 65536 16
	echo 'ltt_test.*' > $ltt/traces/busy/markers
	start_trace busy
	generate 20000 1 2000 &
	record_background -t busy -o "$dir"
	pid=$!
	wait_for 20 compgen -G "$dir/ltt_test_?" > /dev/null
	sleep 1
	kill -INT $pid
	ended $pid 0
	kill -0 %% 2> /dev/null || echo "the writers ended first"
	expect "the trace" 1 "$(< $ltt/traces/busy/enabled)"
	check_trace "$dir" lossy
	[ "$(events < "$dir.text" | wc -l)" -gt 0 ]
	wait
	destroy_trace busy
	nothing_left
}

# A channel comes while the recorder sleeps, and somebody else reads its first packet.
taken_before()
{
	local dir=$tmp/taken pid

	kernel_events
	load_test_module
	new_trace taken 'sched.sched_kthread_stop'
	start_trace taken
	# The command is started when it knows what there is.
	mkfifo "$tmp/enough"
	record_background -t taken -o "$dir" -- sh -c "touch $tmp/started; cat $tmp/enough"
	pid=$!
	wait_for 20 test -e "$tmp/started"
	kill -STOP $pid
	take_first taken
	kill -CONT $pid
	wait_for 20 has_open $pid '*/taken/binary/ltt_test_0'
	echo > "$tmp/enough"
	ended $pid 0
	destroy_trace taken
	cat "$tmp/record.err"
	expect "what it says" "ltt: ltt_test_0: packets before the first that was taken: 1" \
		"$(grep 'packets before' "$tmp/record.err")"
	nothing_left
}

# shows DIR EVENTS: does the trace have EVENTS events now?
shows()
{
	[ "$(ltt view "$1" 2> /dev/null | events | wc -l)" -eq "$2" ]
}

# Events of a quiet CPU get to disk while the recording continues.
soon()
{
	local dir=$tmp/soon pid

	load_test_module
	record_background -o "$dir" -e 'ltt_test.*'
	pid=$!
	generate 1 1
	wait_for 60 shows "$dir" "$(nproc)" || fail "nothing on disk"
	kill -INT $pid
	ended $pid 0
	check_trace "$dir"
}

overwritten()
{
	local dir=$tmp/overwritten events

	events=$(amount 4000 20000)
	fresh_module
	ltt record -o "$dir" --size 4K --number 4 --mode overwrite -e 'ltt_test.*' -- \
		sh -c "echo $events $((15 & ~without)) > $run_file"
	check_trace "$dir" lossy
	check-stream < "$dir.text"
	nothing_left
}

# No recorder is spared: at once, its last packet half written.
killed()
{
	local dir pid i

	for i in $(seq $(amount 2 8)); do
		dir=$tmp/killed$i
		fresh_module
		record_background -o "$dir" --size 64K --number 8 -e 'ltt_test.*'
		pid=$!
		generate 30000 15 &
		sleep 0.$((RANDOM % 10))
		kill -9 $pid
		wait $pid || true
		wait_for 20 no_guard
		wait
		expect "traces left" "" "$(ls $ltt/traces)"
		check_trace "$dir" lossy
		check-stream < "$dir.text"
	done
}

# Both the recorder and its guard: only a manual repair cleans up.
both_killed()
{
	local dir=$tmp/both pid guard

	fresh_module
	record_background -o "$dir" --size 4K --number 64 -e 'ltt_test.*'
	pid=$!
	generate 30000 15 &
	sleep 0.5
	guard=$(pgrep -x ltt-guard)
	# It must not see the recorder die.
	kill -STOP $guard
	kill -9 $pid $guard
	wait
	expect "trace" "$recording" "$(ltt status | awk 'NR == 2 { print $1 }')"
	ltt destroy "$recording"
	# As a kill in the worst moment leaves it.
	printf 'half' >> "$dir/metadata"
	for file in "$dir"/ltt_test_?; do
		head -c 100 "$file" >> "$file"
	done
	ltt view "$dir" > "$tmp/before" 2> "$tmp/err" || true
	ltt repair "$dir"
	check_trace "$dir" lossy
	check-stream < "$dir.text"
	diff -q <(events < "$tmp/before") <(events < "$dir.text")
	nothing_left
}

disk_full()
{
	local dir=$tmp/small status=0

	fresh_module
	mkdir "$dir"
	mount -t tmpfs -o size=1m small "$dir"
	(
		trap 'umount "$dir"' EXIT
		# shellcheck disable=SC2086
		ltt record -o "$dir/trace" $big -e 'ltt_test.*' -- \
			sh -c "echo 60000 1 > $run_file" 2> "$tmp/err" || status=$?
		cat "$tmp/err"
		expect "status" 1 $status
		grep -q 'No space left on device' "$tmp/err"
		rm -rf "$tmp/full"
		cp -r "$dir/trace" "$tmp/full"
	)
	check_trace "$tmp/full" lossy
	check-stream < "$tmp/full.text"
	[ "$(events < "$tmp/full.text" | wc -l)" -gt 10000 ]
	nothing_left
}

# too_large DIR STATUS: how it ends when a file may not grow
too_large()
{
	cat "$tmp/err"
	expect "status" 1 "$2"
	grep -q 'File too large' "$tmp/err"
	check_trace "$1" lossy
	nothing_left
}

# A limit of the file's size instead.
file_limit()
{
	local dir=$tmp/limit status=0

	load_test_module
	(
		ulimit -f 300
		# shellcheck disable=SC2086
		ltt record -o "$dir" $big -e 'ltt_test.*' -- \
			sh -c "echo 60000 1 > $run_file" 2> "$tmp/err"
	) || status=$?
	too_large "$dir" $status
}

# The only thread fails while the main one is looking for new streams, which strace draws out.
fails_unseen()
{
	local dir=$tmp/unseen status=0

	load_test_module
	cat > "$tmp/when-it-looks" <<-EOF
		#!/bin/bash
		# It follows \$PPID, strace's child, for as long as strace holds it.
		for ((looks = 0; looks < 3; looks++)); do
			grep -q '^State:.t' /proc/\$PPID/status || looks=-1
			sleep 0.05
		done
		echo 60000 1 > $run_file
	EOF
	chmod +x "$tmp/when-it-looks"
	(
		ulimit -f 300
		# shellcheck disable=SC2086
		strace -o /dev/null -e trace=getdents64 -e inject=getdents64:delay_exit=1s \
			ltt record -j 1 -o "$dir" $big -e 'ltt_test.*' -- \
			"$tmp/when-it-looks" 2> "$tmp/err"
	) || status=$?
	too_large "$dir" $status
}

# What it cannot undo itself its guard does.
guard_helps()
{
	local dir=$tmp/helped status=0 files

	fresh_module
	# shellcheck disable=SC2086
	unable_to_destroy ltt record -o "$dir" $big -e 'ltt_test.*' -- \
		sh -c "echo 1000 1 > $run_file" 2> "$tmp/err" || status=$?
	expect "status" 1 $status
	grep -q "^ltt: destroy_trace: 'record-[0-9]*': Cannot allocate memory$" "$tmp/err"
	grep -q '^ltt: destroyed its trace record-' "$tmp/err"
	nothing_left
	check_trace "$dir"
	all_there "$dir"
	# Not one file more may be open, at this point or that.
	for files in 18 22 26 30; do
		rm -rf "$dir"
		status=0
		prlimit --nofile=$files:$files ltt record --per-channel --size 4K -o "$dir" \
			-e '*' -- true 2> "$tmp/err" || status=$?
		expect "status with $files files" 1 $status
		grep -q 'Too many open files' "$tmp/err"
		nothing_left
	done
}

# Markers that are loaded and unloaded while the recorder runs; a new channel.
modules()
{
	local dir=$tmp/modules

	# The copy of a newer kernel's symbols takes some seconds on an emulated machine.
	ltt record -o "$dir" -e 'ltt_late.* sample_types.*' -- sh -c '
		modprobe ltt-test-late
		modprobe ltt-sample-types
		sleep 1
		for i in $(seq 100); do
			! grep -q "^module ltt_sample_types " "$0" 2> /dev/null || break
			sleep 0.2
		done
		rmmod ltt-sample-types
		rmmod ltt-test-late' "$dir/symbols/modules"
	check_trace "$dir"
	expect "in init" 100 "$(grep -c 'ltt_late.init: number' "$dir.text")"
	[ "$(grep -c 'ltt_late.tick: seq' "$dir.text")" -gt 5 ]
	expect "in exit" 1 "$(grep -c 'ltt_late.exit: ticks' "$dir.text")"
	grep ' sample_types\.' "$dir.text" > "$tmp/found"
	# All types, and the symbols by name.
	grep -q ' sample_types.symbols: func schedule offset schedule+0x0/0x[0-9a-f]*$' "$tmp/found"
	expect "types" "$(wc -l < "$here/compare/types.expected")" "$(wc -l < "$tmp/found")"
	grep -q '^module ltt_sample_types ' "$dir/symbols/modules"
	nothing_left
}

# twins_come TRACE: one module after the other, in the same place
twins_come()
{
	modprobe ltt-test-first
	rmmod ltt-test-first
	modprobe ltt-test-second
	rmmod ltt-test-second
	modprobe ltt-test-first
}

# same_place TEXT: were both at one address?
same_place()
{
	sed -n 's/.* ltt_twin.place: name \([a-z_]*\) at \([0-9a-f]*\)$/\2 \1/p' "$1" | sort -u |
		awk '{ n[$1]++ } n[$1] == 2 { found = 1 } END { exit !found }'
}

# Modules in the same place, gone before anybody looks for their symbols: an address is
# that of the module which was there, in text that is read at once, in text that is
# read when all is over, and in a capture.
module_symbols()
{
	local dir=$tmp/twins name late pid

	for _ in $(seq 10); do
		rm -rf "$dir"
		new_trace twins 'ltt_twin.*'
		# From now on the channel has buffers, which both readers know.
		modprobe ltt-test-first
		rmmod ltt-test-first
		start_trace twins
		reader twins ALL "$tmp/live"
		exec {late}< "$ltt/traces/twins/text/ALL"
		record_background -t twins -q -o "$dir"
		pid=$!
		wait_for 20 test -e "$dir/metadata"
		twins_come
		stop_trace twins
		destroy_trace twins
		cat <&"$late" > "$tmp/late"
		exec {late}<&-
		ended $pid 0
		wait
		rmmod ltt-test-first
		ltt view "$dir" > "$tmp/view"
		! same_place "$tmp/view" || break
	done
	cat "$tmp/view"
	same_place "$tmp/view" || { echo "the modules are not in the same place"; return 4; }
	cmp "$tmp/live" "$tmp/late"
	cmp "$tmp/live" "$tmp/view"
	for name in first second; do
		expect "functions of $name" "" "$(grep " ltt_twin.work: name twin_$name " "$tmp/view" |
			grep -v " work twin_${name}_work+0x0/0x[0-9a-f]* \[ltt_test_$name\] ")"
		# While it runs the init function has a name; afterwards there is nothing.
		expect "init functions of $name" "twin_${name}_init+0x0" \
			"$(sed -n "s/.*\.init: name twin_$name init \(.*\)\/.* \[ltt_test_$name\]$/\1/p" \
				"$tmp/view" | uniq)"
	done
	grep -q ' name twin_second .* init twin_second_init \[ltt_test_second\] ' "$tmp/view"
	grep -q ' name twin_second .* init 0x[0-9a-f]* ' "$tmp/view"
	# No more of them is kept than there are traces.
	none grep -q 'ltt_test_first' $ltt/module_symbols
	nothing_left
}

no_symbols()
{
	ltt record -o "$tmp/nosymbols" -e 'ltt_test.*' -- true
	[ ! -e "$tmp/nosymbols/symbols" ]
}

# refused STATUS TEXT ARGUMENTS...
refused()
{
	local wanted=$1 text=$2 status=0

	shift 2
	ltt record "$@" < /dev/null > "$tmp/out" 2>&1 || status=$?
	expect "status of '$*'" "$wanted" $status
	grep -qe "$text" "$tmp/out" || fail "'$*' says: $(< "$tmp/out")"
}

bad_arguments()
{
	mkdir "$tmp/empty" "$tmp/notempty"
	touch "$tmp/notempty/file"
	refused 2 'missing output directory'
	refused 2 'nothing to record' -o "$tmp/new"
	refused 2 'cannot be used together' -o "$tmp/new" -t trace -e 'x.*'
	refused 2 'cannot change the parameters' -o "$tmp/new" -t trace --size 4K
	refused 2 'cannot change the parameters' -o "$tmp/new" -t trace --budget 1G
	refused 2 'cannot change the parameters' -o "$tmp/new" -t trace --per-channel
	refused 2 'invalid number of threads' -o "$tmp/new" -e 'x.*' -j 0
	refused 2 'unrecognized' -o "$tmp/new" --nonsense
	refused 1 "no such trace: 'nosuch'" -o "$tmp/new" -t nosuch
	refused 1 "no such trace: '../../x'" -o "$tmp/new" -t ../../x
	refused 1 'not empty' -o "$tmp/notempty" -e 'ltt_test.*'
	refused 1 'Not a directory' -o "$tmp/notempty/file" -e 'ltt_test.*'
	refused 1 'No such file' -o "$tmp/none/new" -e 'ltt_test.*'
	refused 1 'column 4' -o "$tmp/new" -e 'sch[d.*'
	refused 2 'not a power of two from 4K to 4M' -o "$tmp/new" -e 'sched.*' --size 7
	refused 2 'expected discard or overwrite' -o "$tmp/new" -e 'sched.*' --mode x
	refused 0 'lost' -o "$tmp/empty" -e 'ltt_test.*' -- true
	[ ! -e "$tmp/new" ]
	nothing_left
}

run_test "a command, whose status is ours" of_a_command
run_test "statuses" statuses
run_test "until Ctrl-C" until_interrupted INT
run_test --long "until SIGTERM" until_interrupted TERM
run_test "Ctrl-C is for the command, too" command_interrupted
run_test "two Ctrl-C" twice_interrupted
run_test "signals that come together are one" hung_up
run_test "Ctrl-C after the end of the trace" ended_before
run_test "a terminal is told how it goes" terminal
run_test --needs smp "an existing trace, two captures and a text reader" of_an_existing_trace
run_test "a trace that goes on" of_a_busy_trace
run_test "a channel of which somebody else has read" taken_before
run_test --needs smp "events of quiet CPUs are on disk before the end" soon
run_test "overwrite mode" overwritten
run_test "kill -9" killed
run_test "kill -9 of the guard, too; ltt repair" both_killed
run_test "a full disk" disk_full
run_test "a file that may not grow" file_limit
run_test "a file that may not grow, while nobody looks" fails_unseen
run_test "a trace that cannot be destroyed" guard_helps
run_test "modules come and go" modules
run_test "symbols of modules that take each other's place" module_symbols
run_test "symbols are copied only if they are needed" no_symbols
run_test "bad arguments" bad_arguments
finish
