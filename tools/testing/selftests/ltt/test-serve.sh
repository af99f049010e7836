#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 UML=1 DEBUG=0
#
# ltt serve: viewers elsewhere see what is recorded. The viewer is babeltrace2; what it shall
# show is what it shows of a capture of the same trace.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"

command -v babeltrace2 > /dev/null || { echo "1..0 # SKIP babeltrace2 is not installed"; exit 4; }
ip link set lo up
port=5399

# serve ARGUMENT...: in the background; its PID is $server
serve()
{
	ltt serve -l 127.0.0.1:$port "$@" 2> "$tmp/serve.err" &
	server=$!
	wait_for 20 grep -q 'listening on' "$tmp/serve.err" || fail "$(< "$tmp/serve.err")"
}

# end_serve: it ends regularly; what it has said
end_serve()
{
	kill -TERM $server
	ended $server 0
	head -n 20 "$tmp/serve.err"
}

# live_trace SIZE [CONTEXTS]: a trace with sub-buffers of that size
live_trace()
{
	load_test_module
	new_trace live
	channel_buffers live ltt_test "$1" 16
	[ $# -lt 2 ] || echo "$2" > $ltt/traces/live/channels/ltt_test/contexts
	echo 'ltt_test.*' > $ltt/traces/live/markers
}

# watch TRACE OUTPUT: a viewer in the background, its PID is $!. It writes each line at once, unless
# $buffer says when, and ends with the trace
watch()
{
	stdbuf -o"${buffer:-L}" babeltrace2 --no-delta -o text -i lttng-live "net://127.0.0.1:$port/host/$(uname -n)/$1" \
		-p 'session-not-found-action="end"' > "$2" 2> "$2.err" &
}

# attached N: that many viewers see something
attached()
{
	[ "$(babeltrace2 -i lttng-live "net://127.0.0.1:$port" |
	     awk '{ for (i = 1; i < NF; i++) if ($(i + 1) ~ /^client/) n += $i }
		  END { print n + 0 }')" = "$1" ]
}

# record TRACE DIRECTORY: capture it in the background; its PID is $!
record()
{
	ltt record -q -t "$1" -o "$2" 2> "$2.err" &
	wait_for 20 has_open $! "*/$1/binary/*_0" || fail "$(< "$2.err")"
}

# comparable FILE: lines of babeltrace2, in one order if times are the same. It shows an earlier
# string in place of an empty one: ltt-test's tail is empty once in 27 events.
comparable()
{
	awk '{ if (match($0, /seq = [0-9]+/) && substr($0, RSTART + 6, RLENGTH - 6) % 27 == 26)
			sub(/, tail = .*/, "")
	       print }' "$1" | sort
}

# shows OUTPUT DIRECTORY: the viewer has shown what is in the capture
shows()
{
	babeltrace2 --no-delta "$2" > "$2.babel"
	expect "what the viewer says" "" "$(head -n 3 "$1.err")"
	cut -d' ' -f1 "$1" | sort -c || fail "not in order"
	diff <(comparable "$1") <(comparable "$2.babel") > "$tmp/diff" || true
	expect "differences" "" "$(head -n 10 "$tmp/diff")"
	[ -s "$1" ] || fail "nothing was shown"
	wc -l < "$1"
}

# Three at once, each sees all of it, and ends with the trace.
three()
{
	local i pids=() recorder

	live_trace 8K
	record live "$tmp/three"
	recorder=$!
	serve live
	for i in 1 2 3; do
		watch live "$tmp/three.$i"
		pids+=($!)
	done
	wait_for 30 attached 3 || fail "not all viewers have come"
	start_trace live
	generate 2000 15
	destroy_trace live
	for i in "${pids[@]}"; do
		ended "$i" 0
	done
	ended $recorder 0
	check_trace "$tmp/three"
	for i in 1 2 3; do
		shows "$tmp/three.$i" "$tmp/three"
	done
	end_serve
}

# A channel without events holds nothing up, nor does a buffer that is not full: what has
# happened is shown while the trace is running. The viewer that comes second sees what happens
# then.
while_it_runs()
{
	local first second

	kernel_events module
	load_test_module
	new_trace live 'ltt_test.*' 'module.module_free'
	serve live
	watch live "$tmp/first"
	first=$!
	wait_for 30 attached 1 || fail "the viewer has not come"
	expect "switch timer" 200 "$(< $ltt/traces/live/channels/ltt_test/switch_timer)"
	start_trace live
	generate 10 1
	wait_for 30 has_lines 10 "$tmp/first" || fail "$(wc -l < "$tmp/first") lines"
	watch 'live' "$tmp/second"
	second=$!
	wait_for 30 attached 2 || fail "the second viewer has not come"
	generate 20 1
	wait_for 30 has_lines 30 "$tmp/first" || fail "$(wc -l < "$tmp/first") lines"
	wait_for 30 has_lines 20 "$tmp/second" || fail "$(wc -l < "$tmp/second") lines"
	destroy_trace live
	ended $first 0
	ended $second 0
	tail -n $((20 * $(nproc))) "$tmp/first" > "$tmp/rest"
	diff <(comparable "$tmp/rest") <(comparable "$tmp/second")
	expect "what it says" "" "$(cat "$tmp/first.err" "$tmp/second.err")"
	end_serve
	kernel_events
}

# has_lines N FILE: for each CPU
has_lines()
{
	[ "$(wc -l < "$2")" -eq $(($1 * $(nproc))) ]
}

# channels_come TRACE PATTERNS CHANNEL...: $recorder and $server read them from their first event on.
# In a trace that is running, who opens a stream last may find that the other one has taken its
# first packets.
channels_come()
{
	local trace=$1 patterns=$2 channel stream reader

	shift 2
	stop_trace "$trace"
	echo "$patterns" > "$ltt/traces/$trace/markers"
	for channel; do
		for stream in "$ltt/traces/$trace/binary/${channel}"_*; do
			for reader in $recorder $server; do
				wait_for 30 has_open "$reader" "*/$trace/binary/${stream##*/}" ||
					fail "$stream is not opened"
			done
		done
	done
	start_trace "$trace"
}

# Each channel has its own buffers, so that there are new streams, and new metadata.
channel_comes()
{
	local viewer recorder dir=$tmp/channel

	kernel_events
	live_trace 64K
	record live "$dir"
	recorder=$!
	serve 'l*e'
	watch live "$dir.1"
	viewer=$!
	wait_for 30 attached 1 || fail "the viewer has not come"
	start_trace live
	generate 200 1
	wait_for 30 has_lines 200 "$dir.1" || fail "$(wc -l < "$dir.1") lines"
	channels_come live 'sched.sched_switch timer.*' sched timer
	wait_for 30 grep -q ' sched\.sched_switch:' "$dir.1" || fail "no events of the channel"
	generate 200 1
	destroy_trace live
	ended $viewer 0
	ended $recorder 0
	check_trace "$dir"
	shows "$dir.1" "$dir"
	end_serve
}

# A trace is there for viewers when it has a channel; so is another one of the same name, later.
come_and_go()
{
	local viewer i

	load_test_module
	serve 'live*'
	for i in 1 2; do
		new_trace live
		start_trace live
		expect "traces" "" "$(babeltrace2 -i lttng-live "net://127.0.0.1:$port")"
		echo 'ltt_test.*' > $ltt/traces/live/markers
		watch live "$tmp/come"
		viewer=$!
		wait_for 30 attached 1 || fail "the viewer has not come"
		generate 10 1
		wait_for 30 has_lines 10 "$tmp/come" || fail "$(wc -l < "$tmp/come") lines"
		destroy_trace live
		ended $viewer 0
		expect "what it says" "" "$(< "$tmp/come.err")"
	done
	end_serve
}

# A later babeltrace2 than this machine's sees the same.
later_babeltrace()
{
	local dir

	dir=$(host "$here/../../../../tools/testing/ltt/debian/babeltrace" 2> "$tmp/err") ||
		{ echo "cannot be had: $(tail -n 1 "$tmp/err")"; exit 4; }
	PATH=$dir:$PATH
	babeltrace2 --version | head -n 1
	three
	while_it_runs
	channel_comes
}

# One viewer is killed, one is stopped, and many are no viewers at all.
bad_company()
{
	local killed stopped viewer recorder dir=$tmp/company i fd fds=()

	live_trace 64K
	record live "$dir"
	recorder=$!
	serve live
	watch live "$dir.killed"
	killed=$!
	watch live "$dir.stopped"
	stopped=$!
	watch live "$dir.1"
	viewer=$!
	wait_for 30 attached 3 || fail "not all viewers have come"
	start_trace live
	generate 1000 1
	wait_for 30 has_lines 1000 "$dir.stopped" || fail "$(wc -l < "$dir.stopped") lines"
	kill -STOP $stopped
	kill -KILL $killed
	for ((i = 0; i < 400; i++)); do
		exec {fd}<> /dev/tcp/127.0.0.1/$port
		fds+=("$fd")
		# Nothing, half a command, one that is too long, one of which there is none.
		case $((i % 4)) in
		1) printf '\0\0\0\0' >&$fd ;;
		2) printf '\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\1\0\0\0\0' >&$fd ;;
		3) printf '\0\0\0\0\0\0\0\0\xff\0\0\1\0\0\0\0' >&$fd ;;
		esac 2> /dev/null
	done
	generate 1000 1
	wait_for 30 has_lines 2000 "$dir.1" || fail "$(wc -l < "$dir.1") lines"
	kill -CONT $stopped
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
	destroy_trace live
	ended $viewer 0
	ended $stopped 0
	ended $recorder 0
	check_trace "$dir"
	shows "$dir.1" "$dir"
	shows "$dir.stopped" "$dir"
	end_serve
	grep -q 'unknown command' "$tmp/serve.err"
	grep -q 'command of a wrong length' "$tmp/serve.err"
}

# A viewer that is stopped for too long loses packets, and is told of it. It goes on.
too_slow()
{
	local stopped viewer burst=$((40000 / $(nproc))) sent=0 dir=$tmp/slow

	# Large events: fewer are as many bytes.
	live_trace 256K 'pid tid ppid comm prio'
	serve --memory 8M live
	# A write for each line would take most of the time.
	buffer=4K watch live "$dir.stopped"
	stopped=$!
	ours text live "$dir.1"
	viewer=$!
	wait_for 30 attached 2 || fail "not all viewers have come"
	start_trace live
	generate 100 1
	wait_for 30 at_least 10 "$dir.stopped" || fail "it shows nothing"
	kill -STOP $stopped
	# More than ltt serve keeps, but not faster than the other one.
	while [ $sent -lt 200000 ]; do
		generate $burst 1
		sent=$((sent + burst * $(nproc)))
		wait_for 120 at_least $((sent - 15000)) "$dir.1" || fail "it does not keep up"
	done
	kill -CONT $stopped
	destroy_trace live
	ended $viewer 0
	ended $stopped 0
	end_serve
	grep -q '[1-9][0-9]* packets, [1-9][0-9]* lost$' "$tmp/serve.err"
	grep -q '[1-9][0-9]* packets, 0 lost$' "$tmp/serve.err"
	grep -q 'Tracer discarded.*packet' "$dir.stopped.err"
	[ "$(wc -l < "$dir.stopped")" -lt "$(wc -l < "$dir.1")" ]
}

# at_least N FILE: so many lines, or more
at_least()
{
	[ "$(wc -l < "$2")" -ge "$1" ]
}

sockets()
{
	local socket=$tmp/socket

	new_trace live 'ltt_test.*'
	ltt serve -l "$socket" live 2> "$tmp/serve.err" &
	server=$!
	wait_for 20 grep -q 'listening on' "$tmp/serve.err"
	expect "mode" 600 "$(stat -c %a "$socket")"
	kill -KILL $server
	ended $server 137
	ltt serve -l "$socket" -l "[::1]:$port" live 2> "$tmp/serve.err" &
	server=$!
	wait_for 20 grep -q 'listening on \[::1\]' "$tmp/serve.err" || fail "$(< "$tmp/serve.err")"
	none ltt serve -l "$socket" live 2> "$tmp/err"
	grep -q 'Address already in use' "$tmp/err"
	none ltt serve -l "[::1]:$port" live 2> "$tmp/err"
	grep -q 'Address already in use' "$tmp/err"
	end_serve
	[ ! -e "$socket" ]
	destroy_trace live
}

# listed TRACE: viewers are told of it
listed()
{
	babeltrace2 -i lttng-live "net://127.0.0.1:$port" | grep -q "/$1 "
}

# As systemd does it: the socket is descriptor 3.
inherited()
{
	local status=0

	command -v python3 > /dev/null || { echo "needs python3"; exit 4; }
	new_trace live 'ltt_test.*'
	python3 -c '
import os, socket, sys
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
os.dup2(s.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execvp(sys.argv[2], sys.argv[2:])' $port ltt serve live 2> "$tmp/serve.err" &
	server=$!
	wait_for 30 listed live 2> /dev/null || fail "$(< "$tmp/serve.err")"
	end_serve
	(exec 3< /dev/null; LISTEN_PID=$BASHPID LISTEN_FDS=1 exec ltt serve live) 2> "$tmp/err" || status=$?
	expect "status" 1 $status
	grep -q 'LISTEN_FDS: descriptor 3 is not a listening socket' "$tmp/err"
	destroy_trace live
}

# ours COMMAND TRACE OUTPUT [OPTION...]: LTT's own viewer in the background, its PID is $!
ours()
{
	local command=$1 trace=$2 output=$3

	shift 3
	ltt "$command" "$@" "net://127.0.0.1:$port/host/$(uname -n)/$trace" > "$output" 2> "$output.err" &
}

# has_events N FILE: for each CPU, of ltt-test
has_events()
{
	[ "$(grep -c ' ltt_test\.' "$2")" -ge $(($1 * $(nproc))) ]
}

# What they show is what ltt view shows of a capture, byte for byte; also of a channel that comes
# later. babeltrace2 may look, too.
own_viewers()
{
	local recorder pids=() dir=$tmp/own i

	kernel_events
	live_trace 8K
	record live "$dir"
	recorder=$!
	serve live
	ours text live "$dir.seen"
	pids+=($!)
	ours view live "$dir.json" --style json
	pids+=($!)
	ours text live "$dir.some" -e 'sched.*' --filter 'sched.*: prev_pid != 0'
	pids+=($!)
	watch live "$dir.1"
	pids+=($!)
	wait_for 30 attached 4 || fail "not all viewers have come: $(cat "$dir".*.err)"
	start_trace live
	generate 1000 15
	wait_for 30 has_events 1000 "$dir.seen" || fail "$(wc -l < "$dir.seen") lines"
	channels_come live 'sched.sched_switch' sched
	wait_for 30 grep -q ' sched\.sched_switch:' "$dir.seen" || fail "no events of the channel"
	generate 100 1
	destroy_trace live
	for i in "${pids[@]}"; do
		ended "$i" 0
	done
	ended $recorder 0
	check_trace "$dir"
	expect "what they say" "" "$(cat "$dir.seen.err" "$dir.json.err" "$dir.some.err")"
	same_lines <(ltt view "$dir") "$dir.seen"
	same_lines <(ltt view --style json "$dir") "$dir.json"
	same_lines <(ltt view -m 'sched.*' --filter 'sched.*: prev_pid != 0' "$dir") "$dir.some"
	[ "$(wc -l < "$dir.some")" -gt 2 ] || fail "nothing is left by the filter"
	shows "$dir.1" "$dir"
	end_serve
}

# A channel comes while ltt serve sleeps, and somebody else reads its first packet.
taken_before()
{
	local viewer

	kernel_events
	load_test_module
	new_trace live 'sched.sched_kthread_stop'
	start_trace live
	serve live
	ours view live "$tmp/taken"
	viewer=$!
	wait_for 30 attached 1 || fail "no viewer has come"
	kill -STOP $server
	take_first live
	kill -CONT $server
	wait_for 30 grep -q 'live/ltt_test_0: packets before the first that was taken: 1' "$tmp/serve.err"
	destroy_trace live
	ended $viewer 0
	end_serve
}

# ltt serve is killed and comes again: the viewer goes on with the trace. All that it shows is in
# the capture, in order; if something is not there, it says so.
served_again()
{
	local recorder viewer status=0 dir=$tmp/again

	kernel_events
	live_trace 64K
	record live "$dir"
	recorder=$!
	serve live
	ours view live "$dir.seen"
	viewer=$!
	wait_for 30 attached 1 || fail "the viewer has not come"
	start_trace live
	generate 500 1
	wait_for 30 has_events 500 "$dir.seen" || fail "$(wc -l < "$dir.seen") lines"
	kill -KILL $server
	ended $server 137
	wait_for 30 grep -q 'connection lost: ' "$dir.seen.err"
	generate 500 1
	serve live
	wait_for 30 grep -q 'connected again after ' "$dir.seen.err" || fail "$(< "$dir.seen.err")"
	generate 500 1
	destroy_trace live
	wait $viewer || status=$?
	ended $recorder 0
	check_trace "$dir"
	cat "$dir.seen.err"
	events < "$dir.seen" > "$tmp/seen"
	ltt view "$dir" | events > "$tmp/all"
	grep -q 'connections lost: 1, packets missing: ' "$dir.seen.err"
	if grep -q 'packets missing: 0, ' "$dir.seen.err"; then
		expect "status" 0 $status
		cmp "$tmp/all" "$tmp/seen"
	else
		expect "status" 1 $status
		grep -q '^# corrupt cpu ' "$dir.seen"
		expect "not in the capture" "" "$(comm -13 <(sort "$tmp/all") <(sort "$tmp/seen") | head -n 3)"
	fi
	# What came after that is all there.
	same_lines <(tail -n $((500 * $(nproc))) "$tmp/all") <(tail -n $((500 * $(nproc))) "$tmp/seen")
	end_serve
}

# refused STATUS MESSAGE ARGUMENT...
refused()
{
	local status=0 wanted=$1 message=$2

	shift 2
	ltt serve "$@" 2> "$tmp/err" || status=$?
	expect "$*: status" "$wanted" $status
	grep -qF -- "$message" "$tmp/err" || fail "$*: $(< "$tmp/err")"
}

refusals()
{
	local address

	refused 2 'missing trace name'
	refused 2 'empty trace name' ''
	refused 1 "no such trace: 'none'" none
	refused 1 "no such trace: '../traces'" '../traces'
	for address in '' host 127.0.0.1: 127.0.0.1:65536 127.0.0.1:x 1.2.3 '[::1' '[::1]x' '[1.2.3.4]:5' \
		       "/$(printf '%0200d' 0)"; do
		refused 2 "invalid address: '$address'" -l "$address" 'x*'
	done
	refused 2 'invalid memory' --memory 8191K 'x*'
	refused 2 'invalid memory' --memory x 'x*'
	refused 2 'invalid switch timer' --switch-timer 3600001 'x*'
	refused 1 'Cannot assign requested address' -l 192.0.2.1 'x*'
}

run_test "three viewers at once" three
run_test "while the trace is running" while_it_runs
run_test "a channel that comes later" channel_comes
run_test "traces that come and go" come_and_go
run_test "bad company" bad_company
run_test "a viewer that is too slow" too_slow
if [ "${LTT_LONG:-}" ]; then
	run_test "babeltrace2 of Debian 13" later_babeltrace
fi
run_test "LTT's own viewers" own_viewers
run_test "a channel of which somebody else has read" taken_before
run_test "ltt serve is killed, and comes again" served_again
run_test "sockets" sockets
run_test "a socket of systemd" inherited
run_test "what is refused" refusals
finish
