#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=4G TIMEOUT=600 UML=1
#
# The state dump tells what /proc and others tell, to the trace that asks and to no
# other; it ends when it is to end, and waits for readers.

. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/statedump.sh
. "$here/lib/statedump.sh"

# recorded TRACE: events of its dump
recorded()
{
	awk '$1 !~ /^(state|number|lost|skipped)$/ { n += $2 } END { print n }' \
		"$ltt/traces/$1/statedump"
}

# count FILE MARKER: its events there
count()
{
	grep -c " statedump\.$2: " "$1" || true
}

lost()
{
	awk '/^# lost/ { n += $3 } END { print n + 0 }' "$1"
}

# A process with files and maps of all kinds, in namespaces and a cgroup of its own.
helper()
{
	local flags="-m -u" ns

	for ns in ipc net; do
		[ ! -e "/proc/self/ns/$ns" ] || flags+=" --$ns"
	done
	chmod 755 "$tmp"
	install -d -m 777 "$tmp/open"
	mkfifo "$tmp/hold"
	cat > "$tmp/helper" <<-'EOM'
		import ctypes, mmap, os, socket, sys, tempfile, threading
		os.chdir(sys.argv[1])
		keep = [socket.socket(socket.AF_INET), socket.socket(socket.AF_UNIX), os.pipe(),
		        open("/dev/zero"), os.open("/proc", os.O_DIRECTORY), open("gone", "wb"),
		        open("a file\\\n(not this one)", "a+"), tempfile.TemporaryFile()]
		os.unlink("gone")
		os.dup2(keep[3].fileno(), 700)
		maps = [mmap.mmap(-1, 40960, mmap.MAP_PRIVATE), mmap.mmap(-1, 8192),
		        mmap.mmap(os.open(sys.argv[0], os.O_RDONLY), 0, mmap.MAP_PRIVATE,
		                  mmap.PROT_READ | mmap.PROT_EXEC)]
		def separate():
		        ctypes.CDLL(None).unshare(0x400)    # CLONE_FILES
		        keep.append(open("/proc/version"))
		        open("ready", "w").close()
		        threading.Event().wait()
		open("/proc/self/comm", "w").write("a (helper) \\x")
		threading.Thread(target=separate, daemon=True).start()
		sys.stdin.read()
	EOM
	# shellcheck disable=SC2086 # a list
	unshare $flags sh -c '
		if [ -e /proc/self/ns/net ]; then
			ip link set lo up
			ip link add dummy7 type dummy && ip link set dummy7 up
			ip addr add 172.17.7.7/20 dev dummy7
			ip addr add fd07::7:7/48 dev dummy7
		fi
		exec setpriv --regid 4321 --reuid 1234 --clear-groups nice -n 7 \
			python3 "$@"' sh "$tmp/helper" "$tmp/open" < "$tmp/hold" &
	helper=$!
	exec 8> "$tmp/hold"
	mkdir -p "$tmp/cgroup"
	if mount -t cgroup2 none "$tmp/cgroup"; then
		mkdir -p "$tmp/cgroup/ltt/inner"
		echo "$helper" > "$tmp/cgroup/ltt/inner/cgroup.procs"
	fi
	wait_for 60 test -e "$tmp/open/ready"
}

everything()
{
	local alone

	modprobe -q dummy || true
	modprobe -q loop || true
	truncate -s 3M "$tmp/disk"
	losetup -f --show "$tmp/disk" > "$tmp/loop" || true
	ip addr add 10.7.7.7/20 dev lo
	ip addr add fd70::7/64 dev lo || true
	unshare --pid --fork --kill-child sleep 1000 &
	crowd 1 alone > "$tmp/alone" &
	alone=$!
	helper
	dump_trace all 1048576 16
	"$here/compare/statedump.py" all "$helper" $alone > "$tmp/compared" ||
		{ cat "$tmp/compared"; fail "not the same"; }
	cat "$tmp/compared"
	destroy_trace all
	exec 8>&-
	wait "$helper"
	kill -KILL $alone
}

# What everything() has changed, as far as it came.
undo()
{
	ip addr del 10.7.7.7/20 dev lo
	ip addr del fd70::7/64 dev lo
	[ ! -s "$tmp/loop" ] || losetup -d "$(cat "$tmp/loop")"
	rmdir "$tmp/cgroup/ltt/inner" "$tmp/cgroup/ltt"
	umount "$tmp/cgroup"
} 2> /dev/null

no_addresses()
{
	local restrict

	for restrict in 1 2; do
		dump_trace base 65536 16 statedump.module
		echo $restrict > /proc/sys/kernel/kptr_restrict
		start_trace base
		complete base
		reader base statedump "$tmp/base"
		destroy_trace base
		wait $!
		grep -c ' base [1-9a-f][0-9a-f]* size' "$tmp/base" > "$tmp/known" || true
		expect "kptr_restrict $restrict" $((restrict == 2 ? 0 : 1)) \
			"$(($(cat "$tmp/known") > 0))"
	done
	echo 0 > /proc/sys/kernel/kptr_restrict
}

two_traces()
{
	dump_trace one 1048576 4
	dump_trace two 1048576 4
	new_trace other 'sched.sched_process_exit'
	start_trace other
	reader one statedump "$tmp/one"
	reader two statedump "$tmp/two"
	start_trace one
	complete one
	state two none
	start_trace two
	complete two
	state other none
	expect "one" 1 "$(value one number)"
	recorded one > "$tmp/recorded.one"
	recorded two > "$tmp/recorded.two"
	destroy_trace one
	destroy_trace two
	destroy_trace other
	wait
	for name in one two; do
		expect "start" 1 "$(count "$tmp/$name" start)"
		expect "end" 1 "$(count "$tmp/$name" end)"
		expect "events" "$(cat "$tmp/recorded.$name")" "$(events < "$tmp/$name" | wc -l)"
		expect "lost" 0 "$(lost "$tmp/$name")"
	done
}

requests()
{
	local file=$ltt/traces/ask/statedump text

	dump_trace ask 1048576 4 'statedump.start' 'statedump.cpu*' 'statedump.end'
	expect_errno EAGAIN $file 1
	start_trace ask
	complete ask
	reader ask ALL "$tmp/ask"
	expect_errno OK $file '1\n'
	complete ask
	expect "number" 2 "$(value ask number)"
	for text in '' ' ' 0 2 11 '1 1' '1\0' one; do
		expect_errno EINVAL $file "$text"
	done
	expect_errno E2BIG $file "$(printf '%05000d' 1)"
	echo '!statedump.*' > $ltt/traces/ask/markers
	expect_errno ENOENT $file 1
	stop_trace ask
	start_trace ask
	expect "number" 2 "$(value ask number)"
	cat $ltt/traces/ask/error_log
	expect "errors" 11 "$(grep -c ' statedump: ' $ltt/traces/ask/error_log)"
	destroy_trace ask
	wait $!
	expect "reasons" "number 1 reason start,number 2 reason request," \
		"$(sed -n 's/.*statedump.start: //p' "$tmp/ask" | tr '\n' ,)"
	expect "CPUs" $((2 * $(nproc))) "$(count "$tmp/ask" cpu_topology)"
	expect "events" $((2 * $(nproc) + 4)) "$(events < "$tmp/ask" | wc -l)"
}

# Tiny buffers, with a reader: with_reader [CONTEXTS]
with_reader()
{
	local contexts=${1:-}

	dump_trace patient 4096 4
	reader patient statedump "$tmp/patient"
	wait_for 30 reads $!
	start_trace patient
	complete patient
	cat $ltt/traces/patient/statedump
	expect "lost" 0 "$(value patient lost)"
	recorded patient > "$tmp/recorded"
	destroy_trace patient
	wait $!
	expect "lost" 0 "$(lost "$tmp/patient")"
	expect "events" "$(cat "$tmp/recorded")" "$(events < "$tmp/patient" | wc -l)"
	[ "$(wc -c < "$tmp/patient")" -gt $((4 * 4096 * $(nproc))) ]
}

# The same, and nobody reads. So many files do not fit into the buffers of all CPUs together,
# on which a busy machine may spread the dump.
without_reader()
{
	local lost fd

	for _ in $(seq 900); do
		exec {fd}< /dev/null
	done
	dump_trace full 4096 2
	# One dump at a time. It takes about a second: no program is started in between.
	start_trace full
	if { echo 1 > $ltt/traces/full/statedump; } 2> "$tmp/busy"; then
		fail "a second dump began beside the first"
	fi
	grep -q 'Device or resource busy' "$tmp/busy"
	complete full
	lost=$(value full lost)
	cat $ltt/traces/full/statedump
	recorded full > "$tmp/recorded"
	stop_trace full
	reader full statedump "$tmp/full"
	destroy_trace full
	wait $!
	[ "$lost" -gt 0 ]
	expect "lost" "$lost" "$(lost "$tmp/full")"
	expect "events" "$(cat "$tmp/recorded")" "$(events < "$tmp/full" | wc -l)"
}

# A dump waits for full buffers; ending the dump does not.
cancel()
{
	local fd

	dump_trace stopped 4096 2
	start_trace stopped
	begun stopped
	state stopped running
	stop_trace stopped
	state stopped cancelled
	reader stopped statedump "$tmp/stopped"
	wait_for 30 reads $!
	start_trace stopped
	complete stopped
	expect "number" 2 "$(value stopped number)"
	stop_trace stopped
	destroy_trace stopped
	wait $!
	expect "starts" 2 "$(count "$tmp/stopped" start)"
	expect "ends" "number 2" \
		"$(sed -n 's/.*statedump.end: \(number [0-9]*\) .*/\1/p' "$tmp/stopped")"

	# Had it gone on until it lost patience with a reader that does not read, there would
	# be losses.
	dump_trace destroyed 4096 2
	exec {fd}< $ltt/traces/destroyed/text/statedump
	start_trace destroyed
	begun destroyed
	state destroyed running
	destroy_trace destroyed
	cat <&$fd > "$tmp/destroyed"
	exec {fd}<&-
	[ "$(events < "$tmp/destroyed" | wc -l)" -gt 0 ]
	expect "ends" 0 "$(count "$tmp/destroyed" end)"
	expect "lost" 0 "$(lost "$tmp/destroyed")"

	dump_trace unloaded 4096 2
	start_trace unloaded
	state unloaded running
	rmmod ltt-statedump
	[ ! -e $ltt/traces/unloaded/statedump ]
	reader unloaded statedump "$tmp/unloaded"
	wait_for 30 reads $!
	modprobe ltt-statedump
	complete unloaded
	destroy_trace unloaded
	wait $!
	expect "ends" 1 "$(count "$tmp/unloaded" end)"
	grep ' statedump.start: number 1 reason load' "$tmp/unloaded"
}

# The module comes when traces want it already.
late()
{
	[ ! -e /sys/module/ltt_statedump ] || rmmod ltt-statedump
	new_trace late 'statedump.*'
	new_trace idle 'statedump.*'
	start_trace late
	reader late ALL "$tmp/late"
	modprobe ltt-statedump
	complete late
	state idle none
	destroy_trace late
	wait $!
	grep ' statedump.start: number 1 reason load$' "$tmp/late"
	[ "$(count "$tmp/late" process_state)" -gt 10 ]
	expect "end" 1 "$(count "$tmp/late" end)"
	destroy_trace idle
}

# Many threads, and the trace goes in the middle.
crowd_and_destroy()
{
	local crowd ms i

	rm -f "$tmp/crowd"
	crowd 10000 > "$tmp/crowd" &
	crowd=$!
	wait_for 120 grep -qs ready "$tmp/crowd"
	for i in 0 0.03 0.1 0.2 0.3; do
		dump_trace gone 65536 16
		reader gone statedump "$tmp/gone"
		start_trace gone
		sleep $i
		ms=$(ms_of destroy_trace gone)
		wait $!
		echo "destroyed after $i s in $ms ms: $(count "$tmp/gone" process_state) threads"
	done
	kill $crowd
}

captured()
{
	local pid reader

	dump_trace ctf 1048576 4
	reader ctf ALL "$tmp/text"
	reader=$!
	ltt record -t ctf -o "$tmp/ctf" 2> "$tmp/ctf.err" &
	pid=$!
	wait_for 10 test -s "$tmp/ctf/metadata"
	start_trace ctf
	complete ctf
	destroy_trace ctf
	wait $reader
	wait $pid || { cat "$tmp/ctf.err"; fail "capture"; }
	same_capture events "$tmp/ctf" "$tmp/text"
	[ "$(wc -l < "$tmp/kinds")" -ge 11 ]
}

run_test --needs x86 "what /proc, /sys and ip tell" everything
undo
run_test "no address where kptr_restrict forbids it" no_addresses
run_test "each trace has its own" two_traces
run_test "on request" requests
run_test "it waits for a reader" with_reader
run_test "it waits for a reader, with contexts" with_reader 'tid comm kstack'
run_test "without a reader, what is lost is counted" without_reader
run_test "stop, destroy and rmmod end it" cancel
run_test "the module comes later than the trace" late
run_test --long --needs smp "it is destroyed at any time" crowd_and_destroy
run_test "babeltrace2 and ltt view read it" captured
finish
