#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=2 MEM=1G TIMEOUT=120 APPEND='lsm=lockdown' DEBUG=1
#
# A kernel that is locked down: what may still be done in which mode, and what the ltt
# command says. There is no way back but a reboot, so this test has a machine of its own, which is
# booted with lsm=lockdown, and its tests are in the order of the modes.

. "$(dirname "$0")/lib.sh"

grep -qw 'lsm=lockdown' /proc/cmdline ||
	skip_script "locks the machine down for good, to have it do that boot with lsm=lockdown"
command -v ltt > /dev/null || skip_script "ltt is not built"
lockdown=/sys/kernel/security/lockdown
mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
grep -q '\[none\]' $lockdown || { echo "1..0 # SKIP no lockdown"; exit 4; }

# From then on nothing can be undone.
trap 'kill_jobs; rm -rf "$tmp"' EXIT

new_trace locked 'sched.*'
start_trace locked
wait_for 30 test -d $ltt/traces/locked/text || exit
exec {text}< $ltt/traces/locked/text/ALL {list}< $ltt/markers {log}< $ltt/error_log
probes=
if modprobe ltt-kprobes 2> /dev/null; then
	exec {probes}> $ltt/dynamic_markers
fi

# may_open FILE: for reading, which is all that is asked
may_open()
{
	{ : < "$1"; } 2> /dev/null
}

# Those of its own for each marker are all alike.
files()
{
	find $ltt -type f ! -path '*/markers/*' -o -type f -path '*/markers/sched_switch/*'
}

# lines FD: does this file, which shows what happens, show anything?
lines()
{
	timeout 20 grep -q -m 1 sched_switch <&"$1"
}

# says PATTERN ARGUMENTS...: ltt fails and says why in one line, which matches
says()
{
	local pattern=$1 status=0

	shift
	timeout 60 ltt "$@" < /dev/null > "$tmp/out" 2> "$tmp/err" || status=$?
	cat "$tmp/err"
	expect "status of ltt $*" 1 $status
	expect "lines that explain" 1 "$(grep -c 'locked down' "$tmp/err")"
	grep -q "^ltt[^:]*: the kernel is locked down ($pattern" "$tmp/err"
}

# define TEXT: through a descriptor that has been open since before
define()
{
	echo "$1" >&"$probes"
}

nothing_yet()
{
	local file

	for file in $(files); do
		may_open "$file" || fail "$file"
	done
	quiet=$(ltt status locked 2>&1 > /dev/null)
	expect "complaints" "" "$quiet"
	[ -z "$probes" ] || define 'p:ltt_k/before vfs_read'
}

integrity()
{
	echo integrity > $lockdown
	expect_errno EPERM $ltt/setup_trace other
	expect_errno EPERM $ltt/destroy_trace locked
	expect_errno EPERM $ltt/traces/locked/enabled 0
	[ -d $ltt/traces/locked ]
	lines $text
	exec {again}< $ltt/traces/locked/text/ALL
	lines "$again"
	grep -q '^sched\.' $ltt/markers
	grep -q 'CTF 1.8' $ltt/traces/locked/binary/metadata
	none may_open $ltt/traces/locked/enabled
	none may_open $ltt/dynamic_markers
	[ -z "$probes" ] || define 'p:ltt_k/integrity vfs_read'
	none may_open $ltt/traces/locked/binary/sched_0
}

ltt_in_integrity()
{
	local why='integrity): .* cannot be controlled, only the text of existing traces can be read; to trace, boot'

	says "$why" create other
	says "$why" destroy locked
	says "$why" record -o "$tmp/record" -e 'sched.*' true
	says "$why" text -e 'sched.*' true
	ltt list 'sched.*' | grep -q '^sched\.'
	timeout 20 ltt text locked | grep -q -m 1 sched_switch
}

confidentiality()
{
	local file open=0

	echo confidentiality > $lockdown
	for file in $(files); do
		if may_open "$file"; then
			echo "$file"
			((++open))
		fi
	done
	expect "files that can be opened" 0 $open
	[ "$(files | wc -l)" -gt 30 ]
	# As in tracefs, of what is open already.
	lines $text
	[ "$(wc -l <&$list)" -gt 100 ]
}

# What makes no probe can still be done.
no_new_probes()
{
	local definition

	for definition in 'p:ltt_k/new vfs_read' 'r:ltt_k/new vfs_read' \
			  'p:ltt_k/new no_such_module:f'; do
		if define "$definition" 2> "$tmp/err"; then
			fail "there is a probe: $definition"
		fi
		grep -q 'Operation not permitted' "$tmp/err" || fail "$(cat "$tmp/err")"
	done
	define '-:ltt_k/before'
	cat <&"$log" > "$tmp/log"
	expect "explanations" 3 \
		"$(grep -c 'column 1: the kernel is locked down (-EPERM): ' "$tmp/log")"
}

ltt_in_confidentiality()
{
	local why='confidentiality): .* neither controlled nor read; to trace, boot'

	says "$why" text locked
	says "$why" list
	says "$why" create other
}

run_test "not locked down: all files can be opened" nothing_yet
run_test "integrity: existing traces can be read as text, nothing can be changed" integrity
run_test "integrity: the ltt command says so" ltt_in_integrity
run_test "confidentiality: no file can be opened" confidentiality
[ -z "$probes" ] ||
	run_test "confidentiality: no new probes, whoever has the file open" no_new_probes
run_test "confidentiality: the ltt command says so" ltt_in_confidentiality
finish
