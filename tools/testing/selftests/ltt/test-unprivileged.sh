#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=1
#
# Whoever is not root can read nothing, list nothing, write nothing; and the text
# shows no raw kernel address where the kernel's settings forbid it.

. "$(dirname "$0")/lib.sh"

# Every file of every marker is tried.
kernel_events sched,timer,kmem,skb,module,workqueue

nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

closed()
{
	local file mode

	new_trace secret 'sched.*'
	# The mount itself is closed on Debian: look at LTT's own modes as well.
	while read -r mode file; do
		[ "${mode: -2}" = 00 ] || fail "$file has mode $mode"
	done < <(find $ltt -printf '%m %p\n')
	mount -o remount,mode=755 /sys/kernel/debug
	none nobody ls $ltt
	find $ltt -type f > "$tmp/files"
	[ "$(wc -l < "$tmp/files")" -gt 100 ]
	nobody python3 -c '
import os, sys
for path in sys.stdin.read().splitlines():
    for mode in os.O_RDONLY, os.O_WRONLY, os.O_RDWR:
        try:
            os.open(path, mode | os.O_NONBLOCK)
        except PermissionError:
            continue
        sys.exit(f"{path} was opened")
' < "$tmp/files"
	mount -o remount,mode=700 /sys/kernel/debug
	destroy_trace secret
}

# raw FILE...: to FILE.raw, integers in it that are addresses of the kernel's, decimal or not.
# Errors are none.
raw()
{
	python3 - "$@" <<'END'
import re, sys
for name in sys.argv[1:]:
    with open(name, errors="replace") as text, open(name + ".raw", "w") as raw:
        for line in text:
            for word in re.findall(r"(?<![\w.+/])(?:0x)?[0-9a-f]{14,20}\b", line):
                for base in 10, 16:
                    try:
                        value = int(word, base)
                    except ValueError:
                        continue
                    if 0xffff800000000000 <= value < 0xfffffffffffff000:
                        print(word, "in", line, end="", file=raw)
END
}

# shows PATTERN FILE
shows()
{
	grep -q "$1" "$2" || fail "no '$1' in ${2##*/}: $(grep -v '^#' "$2" | tail -n 3)"
}

# Symbols of all kinds, pointers, a call stack with each event, integers that are addresses,
# addresses that have no symbol, also in strings; in all styles.
addresses()
{
	local restrict style styles kprobes=

	styles=$(amount 'format ftrace' 'format ftrace kv json lttv')
	modprobe ltt-function
	if modprobe ltt-kprobes 2> /dev/null; then
		kprobes=ltt_k
		echo 'p:ltt_k/read vfs_read heap=%di:symstr code=$stack0:symstr' \
			> $ltt/dynamic_markers
	fi
	echo 'vfs_read dput' > $ltt/function/filter
	for restrict in $(amount "0 2" "0 1 2"); do
		echo "$restrict" > /proc/sys/kernel/kptr_restrict
		# In a short run all styles only where it matters.
		for style in $([ "$restrict" = 2 ] && echo "$styles" || amount format "$styles"); do
			new_trace addr
			for channel in timer kmem skb module workqueue ltt_twin; do
				[ ! -d $ltt/traces/addr/channels/$channel ] ||
					echo kstack > $ltt/traces/addr/channels/$channel/contexts
			done
			printf '%s\n' 'timer.*' 'kmem.kfree' 'kmem.kmalloc' 'skb.*' 'module.*' \
				'workqueue.*' 'function.*' 'ltt_twin.*' '!ltt_twin.place' \
				${kprobes:+"$kprobes.*"} > $ltt/traces/addr/markers
			echo $style > $ltt/traces/addr/text_style
			start_trace addr
			modprobe ltt-test-first
			rmmod ltt-test-first
			sleep 0.2
			stop_trace addr
			reader addr ALL "$tmp/addr.$restrict.$style"
			destroy_trace addr
			wait $!
		done
	done
	echo 0 > /proc/sys/kernel/kptr_restrict
	rmmod ltt-function
	[ -z "$kprobes" ] || echo '-:ltt_k/read' > $ltt/dynamic_markers
	raw "$tmp"/addr.?.*
	# What is looked for is there.
	shows 'timer.*_expire_entry: .* kstack \[.*+0x' "$tmp/addr.2.format"
	shows 'kmem.kfree: call_site [a-z_0-9]*+0x[0-9a-f]*/0x' "$tmp/addr.2.format"
	shows 'kmem.kfree: call_site=[a-z_0-9]*+0x[0-9a-f]*/0x.* kstack \[' "$tmp/addr.2.ftrace"
	shows 'function.entry: ip [a-z_0-9]* parent_ip [a-z_0-9]*+0x' "$tmp/addr.2.format"
	shows 'ltt_twin.work: .* work twin_first_work+0x0/.* heap [0-9a-f]\{16\}\b' \
		"$tmp/addr.2.format"
	[ -z "$kprobes" ] ||
		shows 'ltt_k.read: .* heap [0-9a-f]\{16\} code [a-z_0-9]*+0x[0-9a-f]*/0x' \
			"$tmp/addr.2.format"
	# Where it is allowed, what has no symbol is shown; that is how we know that it is found.
	shows ' heap 0xffff' "$tmp/addr.0.format.raw"
	for style in $styles; do
		expect "raw addresses" "" "$(head -n 3 "$tmp/addr.2.$style.raw")"
	done
}

# Symbols that kallsyms must not show are not in our file either.
symbols_hidden()
{
	none nobody cat $ltt/module_symbols 2> /dev/null
	grep -q '^module ltt_core [0-9]* 0 -$' $ltt/module_symbols
	grep -qE '^[0-9a-f]{8,16} [0-9a-f]+ ltt_symbol_print$' $ltt/module_symbols
	echo 2 > /proc/sys/kernel/kptr_restrict
	grep -v '^#' $ltt/module_symbols > "$tmp/hidden" || true
	echo 0 > /proc/sys/kernel/kptr_restrict
	expect "module_symbols" "" "$(head -n 3 "$tmp/hidden")"
}

run_test "closed to the unprivileged" closed
run_test --needs x86,function "no raw kernel addresses in the text" addresses
run_test "no addresses in module_symbols" symbols_hidden
finish
