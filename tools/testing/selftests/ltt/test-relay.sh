#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=1800 UML=1 DEBUG=0
#
# ltt record -o net://: what lttng-relayd gets is what a directory would.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"
# shellcheck source=lib/typing.sh
. "$here/lib/typing.sh"

command -v lttng-relayd > /dev/null || { echo "1..0 # SKIP lttng-relayd is not installed"; exit 4; }

# So many machines, as far as lttng-relayd can tell.
machines=$(amount 6 50)

# Not the usual ports: somebody may use them.
relayd=net://127.0.0.1:15342:15343
big="--size 256K --number 16"

listens()
{
	(: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

# start_relayd [DIR [ADDRESS]]: it writes to $out; its PID is $relayd_pid
start_relayd()
{
	local address=${2:-127.0.0.1}

	out=${1:-$tmp/relayd.$BASHPID}
	mkdir -p "$out"
	lttng-relayd -o "$out" -C "tcp://$address:15342" -D "tcp://$address:15343" \
		-L tcp://127.0.0.1:15344 > "$out.log" 2>&1 &
	relayd_pid=$!
	wait_for 60 listens 15342 || fail "lttng-relayd: $(< "$out.log")"
	wait_for 60 listens 15343 || fail "lttng-relayd: $(< "$out.log")"
}

# It has written everything when it has ended.
stop_relayd()
{
	kill "$relayd_pid"
	wait "$relayd_pid" || true
}

# session PATTERN: the directory of the only session so called
session()
{
	local found

	# shellcheck disable=SC2206
	found=($out/$(hostname)/$1/kernel)
	expect "sessions $1" 1 ${#found[@]}
	echo "${found[0]}"
}

fresh_module()
{
	rmmod ltt-test 2> /dev/null || true
	load_test_module
}

# told TEXT: ltt record has said so
told()
{
	grep -q -e "$1" "$tmp/record.err"
}

# A directory, relayd and the text see the same trace.
same()
{
	local pids=() dir

	fresh_module
	start_relayd
	new_trace other
	channel_buffers other ltt_test "$(amount 16384 65536)" 16
	echo 'ltt_test.*' > $ltt/traces/other/markers
	reader other ALL "$tmp/text"
	record_background -t other -o "$tmp/one"
	pids+=($!)
	ltt record -t other -o "$relayd/some/where" 2> "$tmp/err" &
	pids+=($!)
	wait_for 20 test -s "$tmp/one/metadata"
	wait_for 20 compgen -G "$out/*/some/where/other-${pids[1]}-*/kernel/metadata" > /dev/null
	start_trace other
	generate "$(amount 4000 20000)" 15
	destroy_trace other
	ended "${pids[0]}" 0
	ended "${pids[1]}" 0
	cat "$tmp/err"
	grep -q "^$relayd/some/where: [0-9]* bytes in [0-9]* packets, 0 lost$" "$tmp/err"
	stop_relayd
	dir=$(session "some/where/other-${pids[1]}-*")
	cmp "$tmp/one/metadata" "$dir/metadata"
	[ -s "$tmp/one/ltt_test_0" ]
	for file in "$tmp"/one/ltt_test_*; do
		cmp "$file" "$dir/${file##*/}"
		cmp "$tmp/one/index/${file##*/}.idx" "$dir/index/${file##*/}.idx"
	done
	check_trace "$tmp/one"
	check_trace "$dir"
	cmp "$tmp/one.babel" "$dir.babel"
	wait
	same_lines <(events < "$tmp/text") <(events < "$dir.text")
	generated
	check-stream -g "$tmp/generated" < "$dir.text"
	nothing_left
}

of_a_command()
{
	local dir status=0

	fresh_module
	start_relayd
	# shellcheck disable=SC2086
	ltt record -o $relayd $big -j 3 -e 'ltt_test.*' -- \
		sh -c "echo 2000 1 > $run_file; exit 3" 2> "$tmp/err" || status=$?
	cat "$tmp/err"
	expect "status" 3 $status
	grep -q " $((2000 * $(nproc))) events, 0 lost$" "$tmp/err"
	stop_relayd
	dir=$(session 'record-*')
	check_trace "$dir"
	expect "events" $((2000 * $(nproc))) "$(events < "$dir.text" | wc -l)"
	nothing_left
}

# Channels, and kinds of events, that come when the session is there.
later()
{
	local dir

	start_relayd
	ltt record -o $relayd --per-channel -e 'ltt_test.* ltt_late.*' -- sh -c "
		modprobe ltt-test
		echo 10 1 > $run_file
		until ls $out/*/record-*/kernel/ltt_test_0; do sleep 0.1; done
		modprobe ltt-test-late
		until ls $out/*/record-*/kernel/ltt_late_0; do sleep 0.1; done
		rmmod ltt-test-late"
	stop_relayd
	dir=$(session 'record-*')
	check_trace "$dir"
	[ "$(grep -c ' ltt_test\.' "$dir.text")" -ge 10 ]
	expect "in init" 100 "$(grep -c 'ltt_late.init: number' "$dir.text")"
	expect "in exit" 1 "$(grep -c 'ltt_late.exit: ticks' "$dir.text")"
	nothing_left
}

# watch VIEWER OUTPUT: a live viewer of the session $recording in the background; its PID is $!
watch()
{
	local address=net://127.0.0.1:15344/host/$(hostname)/$recording

	if [ "$1" = ltt ]; then
		ltt view "$address" > "$2" 2> "$2.err" &
	else
		stdbuf -oL babeltrace2 --no-delta -o text -i lttng-live "$address" \
			-p 'session-not-found-action="end"' > "$2" 2> "$2.err" &
	fi
}

# watched: somebody looks at the session
watched()
{
	ltt text net://127.0.0.1:15344 | grep -q "/$recording streams [0-9]* viewers 1$"
}

# seen N EVENT OUTPUT: the viewer has shown so many, for each CPU
seen()
{
	[ "$(grep -c "[ .]$2" "$3")" -ge $(($1 * $(nproc))) ]
}

# watched_by VIEWER: it sees what relayd has in the end, while it is recorded; ours also of a channel that
# comes later, of which babeltrace2 is told too late. One in which nothing happens holds up nobody
watched_by()
{
	local pid viewer out_of=$tmp/$1.seen dir

	kernel_events module,sched
	fresh_module
	start_relayd
	# shellcheck disable=SC2086
	record_background -o $relayd --live $big --per-channel -e 'ltt_test.*' -e 'module.module_free'
	pid=$!
	watch "$1" "$out_of"
	viewer=$!
	wait_for 30 watched || fail "it has not come: $(< "$out_of.err")"
	generate 500 1
	wait_for 30 seen 500 'ltt_test.*' "$out_of" || fail "$(wc -l < "$out_of") lines"
	if [ "$1" = ltt ]; then
		echo 'sched.sched_switch' > $ltt/traces/$recording/markers
		wait_for 30 seen 1 'sched_switch:' "$out_of" || fail "no events of the channel"
	fi
	generate 500 15
	kill -INT $pid
	ended $pid 0
	ended $viewer 0
	stop_relayd
	expect "what the viewer says" "" "$(< "$out_of.err")"
	none told 'packets before the first'
	dir=$(session "record-$pid-*")
	check_trace "$dir"
	if [ "$1" = ltt ]; then
		same_lines <(ltt view "$dir") "$out_of"
	else
		# It shows an earlier string in place of an empty one.
		babeltrace2 --no-delta "$dir" > "$tmp/babel"
		same_lines <(sed 's/, tail = .*//' "$tmp/babel" | sort) <(sed 's/, tail = .*//' "$out_of" | sort)
	fi
	[ "$(wc -l < "$out_of")" -gt $((1000 * $(nproc))) ]
	nothing_left
	kernel_events
}

# relayd is killed, another one comes: both ends go on. What the viewer shows is in the text, in
# order, and all of what is sent after that; if packets were lost over it, it says so.
watched_again()
{
	local pid viewer text status=0 out_of=$tmp/again

	fresh_module
	start_relayd
	# shellcheck disable=SC2086
	record_background -o $relayd --live $big -e 'ltt_test.*'
	pid=$!
	reader $recording ALL "$tmp/text"
	text=$!
	watch ltt "$out_of"
	viewer=$!
	wait_for 30 watched || fail "it has not come: $(< "$out_of.err")"
	generate 500 1
	wait_for 30 seen 500 'ltt_test.*' "$out_of" || fail "$(wc -l < "$out_of") lines"
	kill -9 $relayd_pid
	wait $relayd_pid || true
	wait_for 30 grep -q 'connection lost: ' "$out_of.err"
	generate 500 1
	start_relayd "$out"
	wait_for 30 told 'connected again' || fail "it does not come back: $(< "$tmp/record.err")"
	wait_for 30 grep -q 'connected again after ' "$out_of.err" || fail "$(< "$out_of.err")"
	generate 500 1
	kill -INT $pid
	wait $pid || [ $? -eq 1 ]
	wait $viewer || status=$?
	wait $text
	stop_relayd
	cat "$tmp/record.err" "$out_of.err"
	events < "$tmp/text" > "$tmp/all"
	events < "$out_of" > "$tmp/shown"
	expect "events" $((1500 * $(nproc))) "$(wc -l < "$tmp/all")"
	if grep -q 'packets missing: 0, too late: 0, ' "$out_of.err"; then
		expect "status" 0 $status
		cmp "$tmp/all" "$tmp/shown"
	else
		expect "status" 1 $status
		grep -q '^# corrupt cpu ' "$out_of"
		expect "not in the text" "" "$(comm -13 <(sort "$tmp/all") <(sort "$tmp/shown") | head -n 3)"
		cut -d' ' -f1 "$tmp/shown" | sort -c -t. -k1n -k2n
	fi
	same_lines <(tail -n $((500 * $(nproc))) "$tmp/all") <(tail -n $((500 * $(nproc))) "$tmp/shown")
	nothing_left
}

# relayd is killed, events meanwhile are more than the buffers hold. After the new
# one is there, nothing is missing; before that, what has been told. The text may show more: if
# there is no connection for more than a second, the sender is a reader that has stopped.
restarted()
{
	local pid reader first second missing lost gone all=$((20350 * $(nproc)))

	fresh_module
	start_relayd
	record_background -o $relayd --size 4K --number 8 -e 'ltt_test.*'
	pid=$!
	reader $recording ALL "$tmp/text"
	reader=$!
	generate 50 1
	wait_for 60 compgen -G "$out/*/record-$pid-*/kernel/index/*_0.idx" > /dev/null
	kill -9 $relayd_pid
	wait $relayd_pid || true
	generate 20000 1
	wait_for 60 told 'connection lost' || fail "it has not noticed"
	[ "$(< $ltt/traces/$recording/enabled)" = 1 ]
	start_relayd "$out"
	wait_for 60 told 'connected again' || fail "it does not come back"
	# Buffers are empty, and something has come after what was lost in them.
	wait_for 60 compgen -G "$out/*/record-$pid-*-2/kernel/index/*_0.idx" > /dev/null
	generate 200 1 20000
	generate 100 1 20000
	kill -INT $pid
	wait $pid || [ $? -eq 1 ]
	cat "$tmp/record.err"
	wait $reader
	stop_relayd
	first=$(session "record-$pid-*-*[0-9][0-9][0-9]")
	second=$(session "record-$pid-*-2")
	# The first has lost its end, and what relayd had not written.
	ltt view "$first" > "$tmp/first" || true
	check_trace "$second" lossy
	events < "$second.text" > "$tmp/second"
	events < "$tmp/text" > "$tmp/all"
	expect "twice" "" "$(events < "$tmp/first" | sort - "$tmp/second" | uniq -d | head -n 3)"
	tail -n $((100 * $(nproc))) "$tmp/all" > "$tmp/last"
	cmp "$tmp/last" <(tail -n $((100 * $(nproc))) "$tmp/second")
	check-stream -m < "$second.text"
	told 'connections lost: 1,'
	missing=$(sed -n 's/.* lost: 1, .* missing: \([0-9]*\) .*/\1/p' "$tmp/record.err")
	lost=$(sed -n 's/.* events, \([0-9]*\) lost$/\1/p' "$tmp/record.err")
	gone=$((all - lost - $(events < "$tmp/first" | sort -u - "$tmp/second" | wc -l)))
	# No more than what relayd was killed over.
	((gone >= 0 && gone <= (missing ? 50 * $(nproc) : 0))) || fail "$gone events are nowhere"
	[ "$lost" -ge $((all - $(wc -l < "$tmp/all"))) ]
	[ "$lost" -gt 10000 ]
	nothing_left
}

# relayd is gone at the end: what was not sent is told, and it ends.
gone()
{
	local pid

	load_test_module
	start_relayd
	record_background -o $relayd -e 'ltt_test.*'
	pid=$!
	kill -9 $relayd_pid
	wait $relayd_pid || true
	generate 100 1
	kill -INT $pid
	ended $pid 1
	cat "$tmp/record.err"
	told 'connection lost: ' && told 'gave up: port 15342: Connection refused'
	told ' missing: 0 (0 bytes), packets not sent: [1-9][0-9]* ([1-9][0-9]* bytes)$'
	nothing_left
}

# relayd does not move any more: a second Ctrl-C does not wait.
stuck()
{
	local pid status=0

	load_test_module
	start_relayd
	record_background -o $relayd -e 'ltt_test.*'
	pid=$!
	generate 1 1
	wait_for 60 compgen -G "$out/*/record-$pid-*/kernel/index/*_0.idx" > /dev/null
	kill -STOP $relayd_pid
	generate 20000 1
	kill -INT $pid
	wait_for 20 test ! -e "$ltt/traces/$recording"
	kill -INT $pid || true
	wait $pid || status=$?
	kill -CONT $relayd_pid
	stop_relayd
	cat "$tmp/record.err"
	expect "exit status" 130 $status
	told ' missing: [1-9][0-9]* ([1-9][0-9]* bytes), '
	nothing_left
}

# Nothing that relayd has is incomplete.
killed()
{
	local dir pid

	fresh_module
	start_relayd
	record_background -o $relayd --size 64K --number 8 -e 'ltt_test.*'
	pid=$!
	generate 30000 15 &
	wait_for 60 compgen -G "$out/*/record-$pid-*/kernel/index/*_0.idx" > /dev/null
	kill -9 $pid
	wait $pid || true
	wait_for 20 no_guard
	expect "traces left" "" "$(ls $ltt/traces)"
	stop_relayd
	wait
	dir=$(session "record-$pid-*")
	check_trace "$dir" lossy
	check-stream < "$dir.text"
	[ "$(events < "$dir.text" | wc -l)" -gt 0 ]
}

# each_has FILE: wait until relayd has it of each machine
each_has()
{
	local i

	for ((i = 1; i <= machines; i++)); do
		wait_for 60 compgen -G "$out/node$i/fleet-*/kernel/$1" > /dev/null
	done
}

# Many machines at once.
fleet()
{
	local pids=() i dir

	fresh_module
	start_relayd
	new_trace fleet
	channel_buffers fleet ltt_test 65536 16
	echo 'ltt_test.*' > $ltt/traces/fleet/markers
	reader fleet ALL "$tmp/text"
	for ((i = 1; i <= machines; i++)); do
		# shellcheck disable=SC2016
		unshare --uts sh -c 'hostname "node$0"; exec ltt record -q -t fleet -o "$1"' $i $relayd &
		pids+=($!)
	done
	each_has metadata
	start_trace fleet
	generate 2000 1
	destroy_trace fleet
	for i in "${pids[@]}"; do
		ended "$i" 0
	done
	stop_relayd
	wait
	for ((i = 1; i <= machines; i++)); do
		dir=$(echo "$out/node$i"/*/kernel)
		ltt view "$dir" > "$tmp/node"
		same_lines <(events < "$tmp/text") <(events < "$tmp/node")
	done
	nothing_left
}

# node NUMBER: a network with this machine and another one
node()
{
	ip netns add "node$1"
	ip link add "to$1" type veth peer name eth0 netns "node$1"
	ip addr add "10.9.$1.1/24" dev "to$1"
	ip -n "node$1" addr add "10.9.$1.2/24" dev eth0
	ip -n "node$1" link set eth0 up
	ip link set "to$1" up
}

remove_nodes()
{
	local i

	kill_jobs
	for ((i = 1; i <= machines; i++)); do
		ip netns del "node$i" || true
	done
	# ip makes that for the first network, and keeps it.
	$had_networks || { umount /run/netns && rmdir /run/netns; }
}

# says TEXT FILE: for wait_for, which looks for half a minute; without another program
says()
{
	local text=

	read -rd '' text < "$2" || true
	[[ $text = *"$1"* ]]
}

# repeats NUMBER: has that node sent anything a second time, as nobody confirms it?
repeats()
{
	nsenter --net="/run/netns/node$1" awk '/^Tcp: [0-9]/ { exit !$13 }' /proc/net/snmp
}

# packets_in NUMBER: how many are in the indexes of that node
packets_in()
{
	local size=0 file

	for file in "$out/node$1"/*/kernel/index/*.idx; do
		size=$((size + $(stat -c %s "$file") - 16))
	done
	echo $((size / 72))
}

# number TEXT FILE: the one that follows TEXT in the summary
number()
{
	sed -n "s/.*$1\([0-9]*\) .*/\1/p" "$2" | tail -n 1
}

# events_of SESSION...: the events in these
events_of()
{
	local dir

	for dir; do
		ltt view "$dir/kernel" 2> /dev/null | events
	done
}

# In networks of their own, two of which are cut: one so shortly that nobody notices, one until
# the connection counts as broken.
networks()
{
	local pids=() i err taken found missing machines

	machine_has veth || { echo "needs veth"; exit 4; }
	# An emulated processor is too slow for 50.
	machines=$(amount 4 12)
	machine_has x86 || machines=$(amount 4 50)
	had_networks=true
	mountpoint -q /run/netns || had_networks=false
	trap remove_nodes EXIT
	fresh_module
	start_relayd "$tmp/networks" 0.0.0.0
	new_trace fleet
	channel_buffers fleet ltt_test 65536 64
	echo 'ltt_test.*' > $ltt/traces/fleet/markers
	echo 100 > $ltt/traces/fleet/channels/ltt_test/switch_timer
	reader fleet ALL "$tmp/text"
	for ((i = 1; i <= machines; i++)); do
		node "$i"
		# Not ip netns exec: that takes debugfs away.
		# shellcheck disable=SC2016
		nsenter --net="/run/netns/node$i" unshare --uts sh -c '
			hostname "node$0"
			exec ltt record -t fleet -o "net://10.9.$0.1:15342:15343"' "$i" 2> "$tmp/err.$i" &
		pids+=($!)
	done
	each_has metadata
	start_trace fleet
	generate 500 1
	each_has index/ltt_test_0.idx
	ip link set to1 down
	ip link set to2 down
	generate 500 1
	# It has tried.
	wait_for 60 repeats 1
	ip link set to1 up
	generate 500 1
	wait_for 120 says 'connection lost' "$tmp/err.2"
	ip link set to2 up
	wait_for 60 says 'connected again' "$tmp/err.2"
	generate 500 1
	destroy_trace fleet
	for ((i = 1; i <= machines; i++)); do
		if [ "$i" = 2 ]; then
			wait "${pids[i - 1]}" || [ $? -eq 1 ]
		else
			ended "${pids[i - 1]}" 0
		fi
	done
	cat "$tmp"/err.[12]
	stop_relayd
	wait
	events < "$tmp/text" > "$tmp/all"
	expect "events" $((2000 * $(nproc))) "$(wc -l < "$tmp/all")"
	for ((i = 1; i <= machines; i++)); do
		[ "$i" = 2 ] || cmp "$tmp/all" <(events_of "$out/node$i"/*)
	done
	err=$tmp/err.2
	expect "sessions" 2 "$(find "$out/node2" -name metadata | wc -l)"
	events_of "$out/node2"/* | sort > "$tmp/two"
	expect "twice" "" "$(uniq -d "$tmp/two" | head -n 3)"
	expect "not in the text" "" "$(sort "$tmp/all" | comm -13 - "$tmp/two" | head -n 3)"
	tail -n $((500 * $(nproc))) "$tmp/all" > "$tmp/last"
	cmp "$tmp/last" <(events_of "$out/node2"/*-2 | tail -n $((500 * $(nproc))))
	taken=$(number ' bytes in ' "$err")
	missing=$(number 'missing: ' "$err")
	found=$(packets_in 2)
	[ $((found + missing)) -ge "$taken" ] || fail "$taken packets, $found arrived, $missing missing"
	[ "$found" -le "$taken" ]
	nothing_left
}

# refused STATUS TEXT ARGUMENTS...
refused()
{
	local wanted=$1 text=$2 status=0

	shift 2
	ltt record -e 'ltt_test.*' -o "$@" < /dev/null > "$tmp/out" 2>&1 || status=$?
	expect "status of '$*'" "$wanted" $status
	grep -qe "$text" "$tmp/out" || fail "'$*' says: $(< "$tmp/out")"
	[ ! -e "${1%%/*}" ]
}

bad_arguments()
{
	load_test_module
	cd "$tmp"
	refused 2 'expected net://, net6://, tcp:// or tcp6://' http://localhost
	refused 2 'no host' net://
	refused 2 'no host' net://:5342
	refused 2 'expected HOST' net://localhost:x
	refused 2 'expected HOST' net://localhost:0
	refused 2 'expected HOST' net://localhost:1:65536
	refused 2 'expected HOST' net://localhost:1:2:3
	refused 2 'neither . nor ..' net://localhost/a/../b
	refused 2 'is for a new trace' "$tmp/x" --live
	refused 2 'cannot be used together' $relayd --live -j 2
	refused 1 'port 15342: Connection refused' $relayd
	refused 1 'port 15342: Connection refused' 'tcp6://[::1]:15342'
	refused 1 "host 'no.such.host.invalid': " net://no.such.host.invalid
	refused 1 "host '127.0.0.1': " net6://127.0.0.1
	nothing_left
}

documentation()
{
	needs_source Documentation/trace/ltt/relay.rst
	rst_blocks "$here/../../../../Documentation/trace/ltt/relay.rst" "$tmp/relay"
	type_blocks "$tmp/relay"
	cat "$tmp/relay/01.out"
	expect "events" 3 "$(grep -cE '^[0-9]+\.[0-9]{9} \[[0-9]{3}\] sched\.[a-z_]+: ' "$tmp/relay/01.out")"
	[ "$(tail -n 1 "$tmp/relay/01.out")" -ge 3 ]
	cat "$tmp/relay/02.out"
	none grep -q 'differ\|EOF' "$tmp/relay/02.out"
	grep -q 'record-[0-9]* streams [0-9]* viewers 0$' "$tmp/relay/02.out"
	nothing_left
}

run_test "a directory, lttng-relayd and the text see the same" same
run_test "a command, whose status is ours" of_a_command
run_test "channels that come later" later
run_test "LTT's viewer, live" watched_by ltt
run_test "babeltrace2, live" watched_by babeltrace2
run_test "LTT's viewer, live, and lttng-relayd is killed" watched_again
run_test "lttng-relayd is killed, another one comes" restarted
run_test "lttng-relayd is gone at the end" gone
run_test "lttng-relayd is stuck, two Ctrl-C" stuck
run_test "kill -9" killed
run_test "a fleet of senders" fleet
run_test "a fleet of networks, two of which are cut" networks
run_test "bad arguments" bad_arguments
run_test "the commands of relay.rst" documentation
finish
