#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 APPEND=no_hash_pointers
#
# kprobe markers: the same definitions in ftrace and in LTT give the same values; they
# come and go while traces record, and with modules; nonsense is refused, with a place.

. "$(dirname "$0")/lib.sh"
needs kprobes

# shellcheck source=lib/kprobes.sh
. "$here/lib/kprobes.sh"

# us: any. A host takes a virtual CPU away in the middle of a hit; what times there are
# without that, test-kprobes-time.sh looks at.
near=(1000000 10000000)

# What the first case has left; one that runs alone makes it.
recorded()
{
	[ -e "$tmp/ctf" ] || same_as_ftrace "${near[@]}" > /dev/null
}

no_false_equality()
{
	recorded
	# The comparison looks at values.
	host "$here/compare/kprobes.py" "$tmp/ftrace.txt" "$tmp/ltt.txt" kpwork "${near[@]}" > /dev/null
	sed 's/ count \([0-9]*\)/ count 1\1/' "$tmp/ltt.txt" > "$tmp/other.txt"
	none host "$here/compare/kprobes.py" "$tmp/ftrace.txt" "$tmp/other.txt" kpwork "${near[@]}" > /dev/null
}

in_binary()
{
	recorded
	same_capture events "$tmp/ctf" "$tmp/ltt.txt"
}

# naps N: N processes sleep at the same time
naps()
{
	local i

	for i in $(seq "$1"); do
		sleep 1 &
	done
	wait
}

missed_returns()
{
	local hits missed

	forget_all
	echo 'r1:ltt_k/nap hrtimer_nanosleep ret=$retval:s32' > $tracefs/kprobe_events
	echo 'r1:ltt_k/nap hrtimer_nanosleep ret=$retval:s32' > $file
	new_trace naps ltt_k.nap
	start_trace naps
	echo 1 > $tracefs/events/ltt_k/nap/enable
	naps 5
	echo 0 > $tracefs/events/ltt_k/nap/enable
	read -r _ hits missed < $tracefs/kprobe_profile
	echo > $tracefs/kprobe_events
	grep nap $file
	expect "hits, misses" "on hits $hits missed $missed" \
		"$(sed -n 's/.*nap.* # //p' $file)"
	[ "$missed" -ge 1 ]
	reader naps ALL "$tmp/naps"
	destroy_trace naps
	wait $!
	expect "lines" "$hits" \
		"$(grep -c ' ltt_k.nap: func hrtimer_nanosleep from .* ret 0$' "$tmp/naps")"
	echo '-:ltt_k/nap' > $file
}

# A trace that runs already gets what is defined then; what is removed stays readable.
while_tracing()
{
	local i

	forget_all
	new_trace kp 'ltt_k.nap*'
	start_trace kp
	# The channel has its buffers before the readers come: both see all of it.
	echo 'p:ltt_k/nap hrtimer_nanosleep' > $file
	echo '-:ltt_k/nap' > $file
	reader kp ALL "$tmp/all"
	reader kp ALL "$tmp/again"
	for i in 1 2 3 4 5 6; do
		echo "p:ltt_k/nap$((i % 3)) hrtimer_nanosleep number=\\$i:u8" > $file
		sleep 0.01; sleep 0.01; sleep 0.01; sleep 0.01
		echo "-:ltt_k/nap$((i % 3))" > $file
	done
	none grep nap $file
	destroy_trace kp
	wait_for 20 none_running
	diff "$tmp/all" "$tmp/again"
	for i in 1 2 3 4 5 6; do
		[ "$(grep -c "ltt_k.nap$((i % 3)): .* number $i\$" "$tmp/all")" -ge 4 ]
	done
	# Neither a marker nor a probe is left.
	none grep '^ltt_k\.' $ltt/markers
	none grep hrtimer_nanosleep /sys/kernel/debug/kprobes/list
}

# The listing can be written back, and more than one line be written at once.
listing()
{
	forget_all
	definitions ltt_k > "$tmp/request"
	printf '%s\n' '# a comment' '' 'p:other/x vfs_open $arg1 # and another' \
		'r:other/y vfs_open' '-:other/x' 'p vfs_open' >> "$tmp/request"
	expect "definitions" OK "$(write-errno -f $file "$tmp/request")"
	cat $file > "$tmp/list"
	expect "lines" 7 "$(wc -l < "$tmp/list")"
	[ "$(tail -n 1 "$tmp/list")" = 'p:kprobes/p_vfs_open_0 vfs_open # off hits 0 missed 0' ]
	expect "markers" 6 "$(grep -c ltt_kprobes $ltt/markers)"
	sed -n 's/^[pr][0-9]*\(:[^ ]*\) .*/-\1/p' "$tmp/list" > "$tmp/removals"
	expect "removals" OK "$(write-errno -f $file "$tmp/removals")"
	expect "list" 1 "$(wc -l < $file)"
	expect "the list again" OK "$(write-errno -f $file "$tmp/list")"
	cmp "$tmp/list" $file
	# Replaced in one request.
	expect "replaced" OK "$(write-errno $file '-:other/y\np:other/y vfs_read\n')"
	[ "$(tail -n 1 $file)" = 'p:other/y vfs_read # off hits 0 missed 0' ]
	sed -i 's/r:other/p:other/' "$tmp/removals"
	expect "removals" OK "$(write-errno -f $file "$tmp/removals")"
}

errors()
{
	forget_all
	echo 'p:ltt_k/there vfs_open' > $file
	refused EINVAL 1 'q:ltt_k/x vfs_open' 'a definition must begin with p, r, t or -'
	refused ENOENT 22 'p:ltt_k/x vfs_open\ta=%foo' 'no such register'
	refused EEXIST 1 'p:ltt_k/there vfs_read' 'marker ltt_k/there already exists'
	refused ENOENT 1 '-:ltt_k/absent' 'no such marker: ltt_k/absent'
	refused ENOENT 11 'p:ltt_k/x no_such_function' 'no such function'
	refused ENOENT 20 'p:ltt_k/x vfs_open @no_such_symbol' 'no such symbol'
	refused ENOENT 11 'p:ltt_k/x 0x1000' 'no function at this address'
	refused EPERM 11 'p:ltt_k/x jiffies' 'the kernel does not allow a probe here'
	refused EPERM 11 'p:ltt_k/x exc_int3' 'the kernel does not allow a probe here'
	refused EINVAL 11 'p:ltt_k/x vfs_open+1' 'not at the start of an instruction'
	refused EINVAL 20 'p:ltt_k/x vfs_open $retval' '$retval is only available in a return probe'
	refused EINVAL 28 'p:ltt_k/x vfs_open +0(%di):x128' 'no such type'
	refused ERANGE 2 'r4097:ltt_k/x vfs_open' 'greater than 4096'
	refused EEXIST 30 'p:ltt_k/x vfs_open a=\\5 b=\\6 a=%si' 'duplicate field a'
	refused EINVAL 6 'p:ltt\x01k/x vfs_open' 'unprintable character'
	# None of several lines, with the number of the line.
	refused ENOENT 13 'p:ltt_k/x vfs_open\n-:ltt_k/there\n  p:ltt_k/y no_such_function' \
		'no such function'
	[[ $(cat $ltt/error_log) = *'dynamic_markers: line 3, column 13: '* ]]
	expect_errno EINVAL $file '  \n\t '
	expect_errno EINVAL $file 'p:ltt_k/x vfs_open\0'
	head -c 70000 /dev/zero | tr '\0' '#' > "$tmp/long"
	expect "70000 bytes" E2BIG "$(write-errno -f $file "$tmp/long")"
	expect "mode" 600 "$(stat -c %a $file)"
	echo '-:ltt_k/there' > $file
}

# A module that is not there yet, its init function included; its marker is not used.
modules()
{
	local i

	forget_all
	printf '%s\n' 'p:ltt_k/init ltt_test_late:ltt_test_late_init comm=$comm' \
		'p:ltt_k/tick ltt_test_late:tick work=$arg1' \
		'r:ltt_k/exit ltt_test_late:ltt_test_late_end' > "$tmp/request"
	expect "definitions" OK "$(write-errno -f $file "$tmp/request")"
	expect "waiting" 3 "$(grep -c '# waiting' $file)"
	new_trace mod 'ltt_k.*'
	start_trace mod
	reader mod ALL "$tmp/mod"
	for i in 1 2; do
		modprobe ltt-test-late
		sleep 0.5
		cat $file
		expect "its init function is gone" 1 "$(grep -c 'init .*# waiting' $file)"
		expect "others" 2 "$(grep -c '# on hits' $file)"
		refused ENOENT 11 'p:ltt_k/x ltt_test_late:no_such_function' 'no such function'
		rmmod ltt-test-late
		expect "waiting" 3 "$(grep -c '# waiting' $file)"
	done
	destroy_trace mod
	wait $!
	events < "$tmp/mod" | cut -d' ' -f3 | sort | uniq -c
	expect "init" 2 "$(grep -c ' ltt_k.init: .* comm modprobe$' "$tmp/mod")"
	expect "exit" 2 "$(grep -c ' ltt_k.exit: ' "$tmp/mod")"
	[ "$(grep -c ' ltt_k.tick: .* work 0x' "$tmp/mod")" -ge 10 ]
	expect "removals" OK "$(write-errno $file '-:ltt_k/init\n-:ltt_k/tick\n-:ltt_k/exit')"
}

# The last function of a module's code, by its names and its address, from before and after
# the module is there. Where the kernel would crash we say so, and elsewhere it can be probed.
end_of_code()
{
	local last addr request reasons='would read past|no such symbol'

	forget_all
	modprobe ltt-test-late
	read -r addr _ last _ < <(grep '\[ltt_test_late\]$' /proc/kallsyms | grep -i ' t ' |
		sort | tail -n 1)
	echo "$addr $last"
	grep "^$addr.*\[ltt_test_late\]$" /proc/kallsyms
	# The debug kernel has constructors of this name everywhere, also where none is allowed.
	[ "$(awk -v name="$last" '$3 == name' /proc/kallsyms | wc -l)" -eq 1 ] ||
		reasons+='|does not allow a probe'
	for request in "p:ltt_k/last ltt_test_late:$last" "r:ltt_k/last $last" \
		       "p:ltt_k/last 0x$addr" "p:ltt_k/last ltt_test_late:cleanup_module" \
		       "p:ltt_k/last vfs_open end=@$last"; do
		if ! echo "$request" 2> /dev/null > $file; then
			cat $ltt/error_log
			grep -qE "$reasons" $ltt/error_log
			echo > $ltt/error_log
		else
			echo '-:ltt_k/last' > $file
		fi
	done
	rmmod ltt-test-late
	echo "p:ltt_k/last ltt_test_late:$last" > $file
	modprobe ltt-test-late
	cat $file $ltt/error_log
	rmmod ltt-test-late
	echo '-:ltt_k/last' > $file
}

# Unreadable memory is no harm: the place of the fault is anywhere on the way.
faults()
{
	forget_all
	echo 'p:ltt_k/f hrtimer_nanosleep s=+0(\0x10):string u=+0(\0x10):ustring' \
		'k=+u0($stack):string n=+0(\0):string x=+0(\0xdead000000000000):u32' \
		'a=+0(\0xffffffffffffff00):u16[3] d=+8(+0(\0x20)):string' \
		'y=+0(\0x20):symstr' > $file
	new_trace faults ltt_k.f
	start_trace faults
	sleep 0.01
	reader faults ALL "$tmp/faults"
	destroy_trace faults
	wait $!
	cat "$tmp/faults"
	grep -q ' s (fault) u (fault) k (fault) n (null) x 0 a \[0,0,0\] d (fault) y 0\{16\}$' \
		"$tmp/faults"
	echo '-:ltt_k/f' > $file
}

# What records events can be probed, and so can what handlers call; handlers do not nest.
tracer()
{
	local clock fn hits

	forget_all
	clock=$(sed 's/.*\[\(.*\)\].*/\1/' $ltt/clock)
	echo "p:ltt_k/self ltt_core:ltt_reserve_$clock" > $file
	for fn in ltt_core:ltt_marker_record copy_from_user_nofault copy_from_kernel_nofault \
		  sprint_symbol; do
		printf '%s\n' "p:ltt_k/${fn#*:} $fn by=\$stack0:symstr" \
			"r:ltt_k/r_${fn#*:} $fn" > $file
	done
	echo 'p:ltt_k/user do_sys_openat2 name=+0(%si):ustring sym=$stack0:symstr' > $file
	new_trace self
	channel_buffers self ltt_k 1048576 4
	printf '%s\n' 'ltt_k.*' 'sched.*' > $ltt/traces/self/markers
	start_trace self
	reader self ALL "$tmp/self"
	for _ in $(seq 20); do
		/bin/true
	done
	cat $file
	destroy_trace self
	wait $!
	[ "$(grep -c ' ltt_k.self: ' "$tmp/self")" -ge 20 ]
	[ "$(grep -c ' ltt_k.user: .* name /' "$tmp/self")" -ge 20 ]
	hits=$(sed -n 's/^p:ltt_k.ltt_marker_record .* hits 0 missed //p' $file)
	[ "$hits" -ge 40 ]
}

nonsense()
{
	forget_all
	nonsense-kprobes.py $file
}

# The module goes while its markers are recorded.
unloaded()
{
	forget_all
	echo 'p:ltt_k/nap hrtimer_nanosleep' > $file
	new_trace un 'ltt_k.*'
	start_trace un
	sleep 0.01
	rmmod ltt-kprobes
	[ ! -e $file ]
	sleep 0.01
	modprobe ltt-kprobes
	echo 'p:ltt_k/nap hrtimer_nanosleep' > $file
	sleep 0.01
	reader un ALL "$tmp/un"
	destroy_trace un
	wait $!
	expect "lines" 2 "$(grep -c ltt_k.nap: "$tmp/un")"
	echo '-:ltt_k/nap' > $file
}

run_test "values as in ftrace's kprobe events" same_as_ftrace "${near[@]}"
run_test "the comparison finds differences" no_false_equality
run_test "a capture of them is read by babeltrace2" in_binary
run_test "returns are missed as in ftrace, and counted" missed_returns
run_test "definitions come and go while a trace records" while_tracing
run_test "the listing can be written back" listing
run_test "what is wrong is refused, with its column" errors
run_test "functions of modules that come and go" modules
run_test "the end of a module's code" end_of_code
run_test "memory that cannot be read" faults
run_test "probes on the tracer itself" tracer
run_test "nonsense by grammar" nonsense
run_test "the module goes and comes back" unloaded
finish
