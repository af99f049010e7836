#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600
#
# System calls by name: what the markers say against the kernel's headers, ftrace and
# strace, for programs with 64 and 32 bits.

. "$(dirname "$0")/lib.sh"
needs x86

headers=/lib/modules/$(uname -r)/build/arch/x86/include/generated/uapi/asm
events=/sys/kernel/tracing/events/syscalls

# own FILE: of its lines those of the thread that makes the calls between which we look, and
# of its children, without what tells whose they are
own()
{
	awk '
		{ tid = $NF }
		NR != FNR {
			if (sub(/ tid [0-9]+$/, "") && tid in own)
				print
			next
		}
		/ syscalls\.sched_get_priority_max: policy 77 tid [0-9]+$/ { own[tid] }
		/ syscalls\.clone_exit: ret [0-9]+ tid [0-9]+$/ && tid in own { own[$(NF - 2)] }
	' "$1" "$1"
}

# traced COMMAND...: its events, to $tmp/text, as babeltrace2 sees them too
traced()
{
	local text_pid record_pid

	rm -rf "$tmp/ctf"
	new_trace calls
	echo tid > $ltt/traces/calls/channels/syscalls/contexts
	echo 'syscalls.*' > $ltt/traces/calls/markers
	reader calls ALL "$tmp/all"
	text_pid=$!
	ltt record -t calls -o "$tmp/ctf" 2> "$tmp/ctf.err" &
	record_pid=$!
	wait_for 20 test -s "$tmp/ctf/metadata"
	start_trace calls
	"$@"
	stop_trace calls
	destroy_trace calls
	wait $text_pid
	wait $record_pid || { cat "$tmp/ctf.err"; fail "capture"; }
	none grep '^# lost' "$tmp/all"
	own "$tmp/all" > "$tmp/text"
}

# shown REGEX...: these are the lines between the sentinels, less what all have
shown()
{
	sed -n '/sched_get_priority_max_exit/b
		/sched_get_priority_max: policy 77$/,/sched_get_priority_max: policy 78$/{
			/sched_get_priority_max/d
			s/^[^ ]* \[[0-9]*\] syscalls\.//p
		}' "$tmp/text" > "$tmp/shown"
	printf '%s\n' "$@" > "$tmp/wanted"
	paste -d '\n' "$tmp/wanted" "$tmp/shown" | awk '
		NR % 2 { wanted = $0; next }
		$0 !~ "^" wanted "$" {
			print "wanted: " wanted; print "found:  " $0; bad = 1
		}
		END { exit bad }'
	expect "lines" "$(wc -l < "$tmp/wanted")" "$(wc -l < "$tmp/shown")"
}

# names HEADER: of the system calls in one of the kernel's headers
names()
{
	sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' "$headers/$1" | grep -vx syscalls
}

test_complete()
{
	local name markers

	[ -d "$headers" ] || { echo "no headers for this kernel"; exit 4; }
	cut -f 1 $ltt/markers | sort > "$tmp/markers"
	{
		names unistd_64.h | sed 's/.*/syscalls.&\nsyscalls.&_exit/'
		names unistd_32.h | sed 's/.*/syscalls.compat_&\nsyscalls.compat_&_exit/'
	} | sort -u > "$tmp/names"
	[ "$(wc -l < "$tmp/names")" -gt 1000 ] || fail "few calls in the headers"
	comm -13 "$tmp/markers" "$tmp/names" > "$tmp/missing"
	[ ! -s "$tmp/missing" ] || fail "no markers for $(tr '\n' ' ' < "$tmp/missing")"
	markers=$(grep -c '^syscalls\.' "$tmp/markers")
	echo "$markers markers"
	none grep -P '\trefused\t' $ltt/markers
	for name in unknown unknown_exit compat_unknown compat_unknown_exit; do
		grep -qx "syscalls.$name" "$tmp/markers"
	done
}

# Names of arguments, and which are pointers, are those of the kernel's own events.
test_arguments()
{
	[ -d $events ] || { echo "no ftrace events"; exit 4; }
	awk -F ';' '/^\tfield:/ {
		split(FILENAME, part, "/sys_enter_|/format")
		name = $1
		sub(/.*[ *]/, "", name)
		# Strings that ftrace of newer kernels records, too, are fields of their own.
		if (name !~ /^common_|^__syscall_nr$|^__.*_val$/)
			print part[2], name, $1 ~ /\*/ ? "pointer" : "number"
	}' "$events"/sys_enter_*/format > "$tmp/ftrace"
	awk -F '\t' '$1 ~ /^syscalls\./ && $1 !~ /_exit$|^syscalls\.(compat|x32)_/ {
		name = substr($1, 10)
		gsub(/\{[^}]*\}/, "", $4)
		n = split($4, word, " ")
		for (i = 1; i < n; i += 2)
			print name, word[i], word[i + 1]
	}' $ltt/markers > "$tmp/ours"
	awk 'NR == FNR { ours[$1] = ours[$1] " " $2; how[$1, $2] = $3; next }
	     $1 in ours {
		theirs[$1] = theirs[$1] " " $2
		if ($3 == "pointer" && how[$1, $2] != "%s" && how[$1, $2] != "%#lx") {
			print $0, how[$1, $2]; bad = 1
		}
	     }
	     END {
		for (name in theirs) {
			n++
			if (theirs[name] != ours[name]) {
				print name ":" theirs[name] " is here" ours[name]; bad = 1
			}
		}
		print n " calls"
		exit bad || n < 250
	     }' "$tmp/ours" "$tmp/ftrace"
}

# The same program seen by itself, by strace and by LTT at once.
known_calls()
{
	mkdir "$tmp/empty"
	cd "$tmp/empty"
	strace -o "$tmp/strace" known-calls native > "$tmp/called"
	cd - > /dev/null
}

test_strace()
{
	traced known_calls
	host "$here/compare/syscalls.py" "$tmp/called" "$tmp/strace" "$tmp/text"
}

# Text, babeltrace2 and ltt view agree on the capture of the test before.
test_capture()
{
	[ -e "$tmp/ctf" ] || traced known_calls
	same_capture events "$tmp/ctf" "$tmp/all"
}

test_compat()
{
	traced known-calls compat
	shown 'compat_getpid: ?' 'compat_getpid_exit: ret [0-9]+' \
		'compat_open: filename a_missing_file flags O_WRONLY[|]O_TRUNC mode 0' \
		'compat_open_exit: ret ENOENT' \
		'compat_access: filename a_missing_file mode 04' \
		'compat_access_exit: ret ENOENT' \
		'compat_lseek: fd 4294967295 offset -2 whence SEEK_END' \
		'compat_lseek_exit: ret EBADF' \
		'compat_close: fd 99' 'compat_close_exit: ret EBADF' \
		'compat_kill: pid 1073741823 sig SIGUSR1' 'compat_kill_exit: ret ESRCH' \
		'compat_write: fd 1 buf 0x10000000 count 0' 'compat_write_exit: ret 0' \
		'compat_openat: dfd AT_FDCWD filename a_missing_file flags O_RDONLY mode .*' \
		'compat_openat_exit: ret ENOENT' \
		'compat_unknown: nr 9999 arg1 0x1 arg2 0x2 arg3 0x3 arg4 .*' \
		'compat_unknown_exit: nr 9999 ret ENOSYS'
}

test_odd()
{
	local open='openat: dfd AT_FDCWD filename' rest='flags O_RDONLY mode 0'

	traced known-calls odd
	# What becomes of the child is of no order.
	sed -i '/ syscalls\.clone: /,/policy 78$/{ / policy 78$/!w '"$tmp/later"'
		/ policy 78$/!d }' "$tmp/text"
	shown "$open [(]null[)] $rest" 'openat_exit: ret EFAULT' \
		"$open [(]fault[)] $rest" 'openat_exit: ret EFAULT' \
		"$open [(]fault[)] $rest" 'openat_exit: ret EFAULT' \
		"$open at_end_ $rest" 'openat_exit: ret ENOENT' \
		"$open [(]fault[)] $rest" 'openat_exit: ret EFAULT' \
		"$open a*a $rest" 'openat_exit: ret ENAMETOOLONG' \
		"symlink: oldname a*a newname [(]fault[)]" 'symlink_exit: ret EFAULT' \
		"$open one.ntwo .x1b.1m $rest" 'openat_exit: ret ENOENT' \
		'unknown: nr 9999 arg1 0x1 arg2 0x2 arg3 0x3 arg4 0x4 arg5 0x5 arg6 0x6' \
		'unknown_exit: nr 9999 ret ENOSYS' \
		'unknown: nr -1 arg1 0x1 arg2 0x2 arg3 0x3 arg4 0x4 arg5 0x5 arg6 0x6' \
		'getpid: ?' 'getpid_exit: ret [0-9]+' \
		'kill: pid [0-9]+ sig SIGUSR2' 'kill_exit: ret 0' 'rt_sigreturn: ?'
	expect "a string that is too long" 4095 \
		"$(sed -n 's/.*filename \(aaa*\) .*/\1/p' "$tmp/text" | tr -d '\n' | wc -c)"

	grep -q 'clone: clone_flags CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|0x11 newsp 0x0 ' \
		"$tmp/later"
	expect "returns of clone" 2 "$(grep -c 'syscalls.clone_exit: ret [0-9]*$' "$tmp/later")"
	grep -q 'syscalls.clone_exit: ret 0$' "$tmp/later"
	grep -q 'syscalls.execve: filename /bin/true argv 0x[0-9a-f]* envp 0x' "$tmp/later"
	grep -q 'syscalls.execve_exit: ret 0$' "$tmp/later"
	grep -q 'syscalls.exit_group: error_code 0$' "$tmp/later"
	none grep 'syscalls.exit_group_exit' "$tmp/later"
}

# Only what is asked for; and the probes leave with the last marker.
test_choice()
{
	new_trace calls syscalls.openat 'syscalls.*_exit' '!syscalls.compat_*'
	start_trace calls
	known-calls odd
	stop_trace calls
	reader calls ALL "$tmp/all"
	destroy_trace calls
	wait $!
	grep -q 'syscalls.openat: ' "$tmp/all"
	grep -q 'syscalls.getpid_exit: ' "$tmp/all"
	none grep 'syscalls.getpid: \|syscalls.kill: ' "$tmp/all"
}

# The module goes while its markers are on, and comes again.
test_reload()
{
	local from

	new_trace calls 'syscalls.*'
	start_trace calls
	for _ in 1 2 3; do
		known-calls loop 20000 > /dev/null &
		rmmod ltt-syscalls
		from=$(date +%s%N)
		modprobe ltt-syscalls
		echo "loaded in $((($(date +%s%N) - from) / 1000000)) ms"
		wait $!
	done
	known-calls loop 1 > /dev/null
	stop_trace calls
	reader calls ALL "$tmp/all"
	destroy_trace calls
	wait $!
	grep -q 'syscalls.getpid_exit: ret ' "$tmp/all"
}

# never_read: opens a file whose name is in memory that userfaultfd never fills
never_read()
{
	exec python3 - <<-'EOP'
		import ctypes, fcntl, mmap, struct, sys
		libc = ctypes.CDLL(None, use_errno=True)
		uffd = libc.syscall(323, 0)	# userfaultfd
		if uffd < 0:
		    sys.exit(4)
		area = mmap.mmap(-1, 4096)
		name = ctypes.addressof(ctypes.c_char.from_buffer(area))
		fcntl.ioctl(uffd, 0xc018aa3f, struct.pack("QQQ", 0xaa, 0, 0))	# UFFDIO_API
		fcntl.ioctl(uffd, 0xc020aa00, struct.pack("QQQQ", name, 4096, 1, 0))
		libc.syscall(257, -100, ctypes.c_void_p(name), 0, 0)	# openat
	EOP
}

stands_or_ends()
{
	grep -qs handle_userfault "/proc/$1/stack" || has_ended "$1"
}

# A page that never arrives blocks its program, but no other.
test_never_read()
{
	local program remover

	new_trace calls 'syscalls.openat*'
	start_trace calls
	never_read &
	program=$!
	wait_for 60 stands_or_ends $program
	grep -qs handle_userfault /proc/$program/stack || { echo "no userfaultfd"; exit 4; }
	stop_trace calls
	reader calls ALL "$tmp/all"
	destroy_trace calls
	wait $!
	rmmod ltt-syscalls &
	remover=$!
	wait_for 30 has_ended $remover ||
		{ kill -9 $program; wait $remover; fail "rmmod waits for the program's page"; }
	grep -q handle_userfault /proc/$program/stack
	kill -9 $program
	modprobe ltt-syscalls
	tail -n 1 "$tmp/all"
	grep -q 'syscalls.openat: dfd AT_FDCWD filename (fault) flags O_RDONLY mode 0$' "$tmp/all"
}

modprobe ltt-syscalls || { echo "Bail out! cannot load ltt-syscalls"; exit 1; }
mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing
run_test "a marker for every system call" test_complete
run_test "arguments have the kernel's names" test_arguments
run_test "150 calls as strace shows them" test_strace
run_test "text, babeltrace2 and ltt view agree" test_capture
run_test "calls of 32-bit programs" test_compat
run_test "unreadable strings, unknown calls, signals, processes" test_odd
run_test "chosen calls" test_choice
run_test "the module goes while it records" test_reload
run_test "a string that is never there" test_never_read
rmmod ltt-syscalls
finish
