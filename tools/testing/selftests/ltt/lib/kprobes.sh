# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # $tmp and $ltt are lib.sh's
#
# The same kprobes for ftrace and for LTT, and a run that both see. Sourced after lib.sh.

. "$here/lib/dynamic.sh"

modprobe ltt-kprobes 2> /dev/null || { echo "1..0 # SKIP no kprobes"; exit 4; }
trap 'rmmod ltt-kprobes; cleanup' EXIT

# Where an instruction begins behind the one that the function tracer patches, of 5 bytes:
# the compiler may put others before it, and an endbr64 comes first where the kernel uses
# the processor's tracking of branches.
for inside in {5..32}; do
	echo "p vfs_read+$inside" > $tracefs/kprobe_events 2> /dev/null && break
done
echo > $tracefs/kprobe_events

# Where a dentry has its name: how large the sequence counter before it is depends on
# PREEMPT_RT and on lockdep. ftrace tells.
find_name()
{
	local at args=

	for at in {32..160..8}; do
		args+=" at$at=+0(+$at(+8(%di))):string"
	done
	echo > $tracefs/trace
	echo "p:ltt_k/find vfs_open$args" > $tracefs/kprobe_events
	echo 1 > $tracefs/events/ltt_k/find/enable
	cat /etc/hostname > /dev/null
	echo 0 > $tracefs/events/ltt_k/find/enable
	# The rest may hold any bytes.
	LC_ALL=C sed -n 's/.* at\([0-9]*\)="hostname".*/\1/p' $tracefs/trace | head -n 1
	echo > $tracefs/kprobe_events
	echo > $tracefs/trace
}
name_at=$(find_name)
[ "$name_at" ] || { echo "Bail out! cannot find the name in a dentry"; exit 1; }

# Some need functions that other kernels may not have; Debian's have all of them.
open="do_sys_openat2 dfd=%di:s32 name=+0(%si):ustring uname=+u0(%si):string
	raw=+u1(%si):x16 flags=+0(%dx):x64 low=+0(%dx):b2@0/32 mode=+8(%dx):u64
	a1=\$arg1:s32 a2=\$arg2 imm=\\-5:s16 big=\\0xfffffffffffffffe:u64
	from=\$stack0:symbol comm=\$comm"
# No lock comes before what else is looked up. Both must find the same everywhere, but ftrace
# is not to be trusted with faults.
vfs="vfs_open file=+0(+$name_at(+8(%di))):string type=+0(+0(+40(+8(+0(%di))))):string
	dflags=+0(+8(%di)):u32 bits=+0(+8(%di)):b8@3/16[2] banner=@linux_banner:x8[12]
	word=@linux_banner+6:x32 command=+0(@saved_command_line):string sp=\$stack
	sp1=\$stack1 bytes=+0(%di):u8[16] ax=%ax:x16 flags=%flags cs=%cs:u16 comm=\$comm"
read="vfs_read+$inside count=%dx:u64 small=%dx:u8 neg=%dx:s8 buf=%si:x32 comm=\$comm"
ret="do_sys_openat2 ret=\$retval:s64 low=\$retval:s8 hex=\$retval:x64 comm=\$comm"

# definitions CHANNEL
definitions()
{
	printf '%s\n' "p:$1/open ${open//$'\n'/ }" "p:$1/vfs ${vfs//$'\n'/ }" \
		"p:$1/read $read" "r64:$1/ret $ret"
}

workload()
{
	local i pids=()

	cp /bin/cat "$tmp/kpwork"
	for i in 1 2 3 4; do
		( for _ in $(seq 10); do
			"$tmp/kpwork" /etc/passwd /etc/hostname "/nonexistent/$i" || true
		done > /dev/null 2>&1 ) &
		pids+=($!)
	done
	wait "${pids[@]}"
}

# What a test that failed has left.
forget_all()
{
	forget_definitions
	echo > $tracefs/kprobe_events
}

ftrace_on()
{
	echo mono > $tracefs/trace_clock
	echo 16384 > $tracefs/buffer_size_kb
	definitions ltt_k > "$tmp/request"
	write-errno -f $tracefs/kprobe_events "$tmp/request" | grep -x OK ||
		fail "ftrace: $(cat $tracefs/error_log)"
	echo > $tracefs/trace
	echo 1 > $tracefs/events/ltt_k/enable
}

ftrace_off()
{
	echo 0 > $tracefs/events/ltt_k/enable
	cat $tracefs/trace > "$tmp/ftrace.txt"
	echo > $tracefs/kprobe_events
	echo > $tracefs/trace
}

# same_as_ftrace HALF MOST: times differ by at most so many us (see kprobes.py).
# Readers come when it is over: their own reads would be recorded, and read, and so on.
same_as_ftrace()
{
	local fd

	forget_all
	definitions ltt_k > "$tmp/request"
	expect "definitions" OK "$(write-errno -f $file "$tmp/request")"
	new_trace kp
	channel_buffers kp ltt_k 1048576 16
	echo 'ltt_k.*' > $ltt/traces/kp/markers
	ftrace_on
	start_trace kp
	workload
	stop_trace kp
	ftrace_off
	cat $file
	# Both begin at the beginning: nothing is read before both are there.
	exec {fd}< $ltt/traces/kp/text/ALL
	ltt record -t kp -o "$tmp/ctf" 2> "$tmp/record.err" {fd}<&- &
	wait_for 20 test -s "$tmp/ctf/metadata"
	cat <&"$fd" > "$tmp/ltt.txt" &
	exec {fd}<&-
	destroy_trace kp
	wait_for 60 none_running || fail "readers: $(cat "$tmp/record.err")"
	none grep '^# lost' "$tmp/ltt.txt"
	host "$here/compare/kprobes.py" "$tmp/ftrace.txt" "$tmp/ltt.txt" kpwork "$@"
}

none_running()
{
	[ -z "$(jobs -rp)" ]
}
