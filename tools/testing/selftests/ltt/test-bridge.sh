#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=3G TIMEOUT=900
#
# The kernel's trace events as markers: their fields are those that tracefs shows, their
# text is ftrace's, those of modules come and go, and captures can be read.

. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/disk.sh
. "$here/lib/disk.sh"

tracefs=/sys/kernel/tracing
[ -d $tracefs/events ] || mount -t tracefs none $tracefs

fields()
{
	python3 "$here/compare/fields.py" $tracefs/events "$@" < $ltt/tracepoints
	expect "markers refused" "" "$(grep -P '\trefused\t' $ltt/markers || true)"
	echo "left out: $(wc -l < $ltt/missing) headers or classes"
}

# Integers and pointers that the events' own text shows as symbols.
code_addresses()
{
	python3 "$here/compare/addresses.py" $tracefs/events 20 < $ltt/markers
}

# Files, processes, memory, timers, signals, network, modules.
workload()
{
	local i level

	mount_disk
	ip link set lo up
	for i in $(seq $(amount 1 5)); do
		( echo "$i" | cat > "$tmp/mnt/$i" ) &
		python3 -c '
import os, signal, socket, time
signal.signal(signal.SIGALRM, lambda *args: None)
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.02)
a = socket.create_server(("127.0.0.1", 0))
b = socket.create_connection(a.getsockname())
c, _ = a.accept()
b.sendall(b"x" * 5000)
c.recv(5000)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.sendto(b"nobody", ("127.0.0.1", 9))
' &
	done
	wait
	sync
	umount "$tmp/mnt"
	echo 3 > /proc/sys/vm/drop_caches
	renice -n 3 $$ > /dev/null
	taskset -p 3 $$ > /dev/null
	taskset -p f $$ > /dev/null
	rmmod ltt-test 2> /dev/null || true
	modprobe ltt-test
	io-uring
	level=$(cut -f 1 /proc/sys/kernel/printk)
	dmesg -n 8 && echo bridge > /dev/kmsg && dmesg -n "$level"
}

# The events that are recorded by both: those that can print themselves, without those
# that the recording itself makes without end; in a short run without those of which there are
# most, either.
chosen()
{
	local without='rcu|ipi|msr|lock|tlb|nmi|console|printk|kvm|exceptions' more=

	if [ ! "${LTT_LONG:-}${LTT_ALL_CASES:-}" ]; then
		without+='|power|kmem|irq_vectors|mmap_lock|maple_tree|pagemap|filemap|raw_syscalls'
		more='|irq\.softirq_|timer\.hrtimer_|sched\.sched_stat_'
	fi
	awk '!/^\t/ && $2 == "present" && NF == 2 { print $1 }' $ltt/tracepoints |
		grep -vE "^(($without)\.$more)"
}

# Text of both, of the workload; ftrace starts before LTT, and stops after it.
record_both()
{
	local channel size patterns event busy

	busy='^(sched|raw_syscalls|timer|kmem|irq.*|csd|9p|netfs|workqueue|filemap|maple_tree|memcg|mmap.*|page.*)$'
	chosen > "$tmp/chosen"
	echo "$(wc -l < "$tmp/chosen") events enabled"
	echo nop > $tracefs/current_tracer
	echo mono > $tracefs/trace_clock
	echo 40000 > $tracefs/buffer_size_kb
	echo > $tracefs/trace
	new_trace both
	for channel in $(cut -d. -f1 "$tmp/chosen" | sort -u); do
		size=16384
		[[ ! $channel =~ $busy ]] || size=1048576
		channel_buffers both "$channel" $size 8
	done
	echo ftrace > $ltt/traces/both/text_style
	# A request has less than a page.
	xargs -n 50 < "$tmp/chosen" | while read -r patterns; do
		echo "$patterns" > $ltt/traces/both/markers
	done
	while read -r event; do
		# As in spi-mem.
		[ -e "$tracefs/events/${event/.//}" ] || event=${event/_/-}
		echo "${event/./:}" >> $tracefs/set_event
	done < "$tmp/chosen"
	echo 1 > $tracefs/tracing_on
	start_trace both
	workload
	stop_trace both
	echo 0 > $tracefs/tracing_on
	reader both ALL "$tmp/ltt.txt"
	destroy_trace both
	wait $!
	echo > $tracefs/set_event
	cat $tracefs/trace > "$tmp/ftrace.txt"
	echo > $tracefs/trace
	echo 1 > $tracefs/buffer_size_kb
	echo 1 > $tracefs/tracing_on
	wc -l "$tmp/ltt.txt" "$tmp/ftrace.txt"
	none grep '^# lost' "$tmp/ltt.txt"
	none grep 'LOST' "$tmp/ftrace.txt"
}

compare()
{
	[ -e "$tmp/ltt.txt" ] || record_both
	# shellcheck disable=SC2046 # none, or one
	host python3 "$here/compare/printk.py" "$tmp/ftrace.txt" "$tmp/ltt.txt" 60 $(preemptible)
}

# ext4's journal is a module that is not there yet.
module_by_pattern()
{
	[ ! -e /sys/module/ext4 ] || rmmod ext4 mbcache jbd2 2> /dev/null || true
	[ ! -e /sys/module/jbd2 ] || return 4
	grep -q '^jbd2.jbd2_start_commit absent' $ltt/tracepoints
	new_trace early 'jbd2.*'
	start_trace early
	workload
	grep -q '^jbd2.jbd2_start_commit present' $ltt/tracepoints
	rmmod ext4 mbcache jbd2
	[ ! -e /sys/module/jbd2 ]
	grep -q '^jbd2.jbd2_start_commit absent' $ltt/tracepoints
	reader early ALL "$tmp/format.txt"
	echo ftrace > $ltt/traces/early/text_style
	reader early ALL "$tmp/words.txt"
	destroy_trace early
	wait
	events < "$tmp/format.txt" | awk '{ print $3 }' | sort | uniq -c
	grep -qE ' jbd2.jbd2_start_commit: dev [0-9]+ sync_commit .* transaction [0-9]+$' \
		"$tmp/format.txt"
	grep -qE ' jbd2.jbd2_start_commit: dev 7,[0-9]+ transaction [0-9]+ sync [0-9]+$' \
		"$tmp/words.txt"
	expect "lines of both styles" "$(wc -l < "$tmp/format.txt")" "$(wc -l < "$tmp/words.txt")"
	# A module that comes back finds its marker enabled.
	modprobe jbd2
	grep -q '^jbd2.jbd2_start_commit present' $ltt/tracepoints
}

capture()
{
	local n events=(-e 'sched.*' -e 'skb.*' -e 'net.*' -e 'tcp.*' -e 'signal.*' -e 'block.*')

	command -v ltt > /dev/null || return 4
	[ ! "${LTT_LONG:-}${LTT_ALL_CASES:-}" ] || events+=(-e 'irq.*' -e 'timer.*' -e 'raw_syscalls.*')
	ltt record -q -o "$tmp/capture" "${events[@]}" -- \
		bash -ec "$(declare -f amount mount_disk workload); tmp=$tmp; workload"
	host babeltrace2 "$tmp/capture" > "$tmp/babeltrace"
	n=$(wc -l < "$tmp/babeltrace")
	echo "$n events"
	[ "$n" -gt 1000 ]
	host ltt view "$tmp/capture" > "$tmp/view"
	expect "events in ltt view" "$n" "$(events < "$tmp/view" | wc -l)"
	grep -m 1 'sched_switch: .*prev_comm = "' "$tmp/babeltrace"
}

# A part of them, chosen when the module is loaded.
some_systems()
{
	kernel_events sched,irq
	expect "systems" "irq sched" \
		"$(awk -F. '/^[^#\t]/ { print $1 }' $ltt/tracepoints | sort -u | xargs)"
	expect "channels" "irq sched" \
		"$(grep -P '\tltt_tracepoints\t' $ltt/markers | cut -d. -f1 | sort -u | xargs)"
	rmmod ltt-tracepoints
	none modprobe ltt-tracepoints systems=nosuch
	kernel_events
}

# What is assumed of a structure that is not in the kernel's headers.
layouts()
{
	[ -r /sys/kernel/btf/vmlinux ] || { echo "no BTF"; return 4; }
	command -v pahole > /dev/null || { echo "no pahole"; return 4; }
	# There is none with PREEMPT_RT.
	[ -e /proc/sys/kernel/numa_balancing ] || { echo "no NUMA balancing"; return 4; }
	pahole -C numa_group /sys/kernel/btf/vmlinux > "$tmp/numa_group"
	cat "$tmp/numa_group"
	expect "numa_group" "refcount_t refcount spinlock_t lock int nr_tasks pid_t gid" \
		"$(awk 'NR > 1 && NF > 1 { sub(";", "", $2); print $1, $2 }' "$tmp/numa_group" |
			head -n 4 | xargs)"
}

# While a file is open that prints events, what prints them stays.
pinned()
{
	local fd

	new_trace pin 'power.cpu_idle'
	echo ftrace > $ltt/traces/pin/text_style
	exec {fd}< $ltt/traces/pin/text/ALL
	none rmmod ltt-tracepoints 2> /dev/null
	exec {fd}<&-
	start_trace pin
	rmmod ltt-tracepoints
	modprobe ltt-tracepoints
	destroy_trace pin
}

# A kernel with less in it has neither as many events nor what the workload needs.
if [[ $(uname -r) = *-amd64 ]]; then
	run_test "fields are those of tracefs" fields 800 400
	run_test "addresses are shown as symbols" code_addresses
	run_test "many events recorded by both" record_both
	run_test "LTT's and ftrace's text agree" compare
	run_test "a module's events, enabled before it comes, shown after it went" module_by_pattern
	run_test "captures are read by babeltrace2 and ltt view" capture
	run_test "layouts are those of the kernel's type information" layouts
else
	run_test "fields are those of tracefs" fields 1 1
fi
run_test "what prints events stays while it is used" pinned
run_test "the events of some systems only" some_systems
finish
