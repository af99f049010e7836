#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=0
#
# The documentation is correct: all its commands are run, in order, in one shell.

. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/typing.sh
. "$here/lib/typing.sh"
# shellcheck source=lib/disk.sh
. "$here/lib/disk.sh"

root=$(realpath "$here/../../../..")
readme=$root/README.md
documents=$root/Documentation/trace/ltt

# markdown_blocks LANGUAGE DIRECTORY: the code blocks of the README, as DIRECTORY/01 and so on
markdown_blocks()
{
	mkdir "$2"
	awk -v language="$1" -v dir="$2" '
		/^```/ { out = ($0 == "```" language) ? sprintf("%s/%02d", dir, ++n) : ""; next }
		out { print > out }' "$readme"
}

# printed FILE: is this what a block should have printed?
printed()
{
	local lines

	lines=$(wc -l < "$1.out")
	case $(< "$1") in
	*'text/ALL | head'*)
		expect "lines" 10 "$lines"
		expect "events" 8 "$(grep -cE '^[0-9]+\.[0-9]{9} \[[0-9]{3}\] sched\.[a-z_]+: ' "$1.out")"
		;;
	*'grep sched_switch markers'*)
		grep -q '^sched\.sched_switch.*prev_comm %' "$1.out"
		expect "CPUs" "$(nproc)" "$(grep -cE '^[0-9]+\s+[0-9]+\s' "$1.out")"
		# Some of them may have been idle all the time.
		grep -qE '^[0-9]+\s+[1-9][0-9]*\s' "$1.out"
		;;
	*'sched_wakeup:/'*)
		expect "names" "$lines" "$(grep -cE '^[0-9]+ [^ ]+$' "$1.out")"
		[ "$lines" -ge 1 ]
		;;
	*'grep -c sys_enter'*)
		[ "$(< "$1.out")" -gt 0 ]
		;;
	*--follow*)
		# exit_group(), the last of its system calls.
		expect "lines" 3 "$lines"
		tail -n 1 "$1.out" | grep -q ' raw_syscalls.sys_enter: id 231 '
		;;
	*'|| cat traces/tour/error_log'*)
		grep -q ' markers: .*"sched"$' "$1.out"
		;;
	*'tail -n 5'*)
		expect "events" 5 "$(grep -cE '^[0-9]+\.[0-9]{9} \[[0-9]{3}\] sched\.[a-z_]+: ' "$1.out")"
		;;
	*'> destroy_trace'*)
		expect "output" 0 "$lines"
		;;
	*)
		fail "what should this print?"
		;;
	esac
}

need()
{
	[ -e "$1" ] || { echo "missing: ${1#"$root"/}"; exit 4; }
}

tour()
{
	local block

	need "$readme"
	markdown_blocks sh "$tmp/tour"
	[ -s "$tmp/tour/05" ] || fail "few commands in the README"
	type_blocks "$tmp/tour"
	for block in "$tmp"/tour/??; do
		cat "$block"
		sed 's/^/> /' "$block.out"
		printed "$block"
	done
	expect "traces left" "" "$(ls $ltt/traces)"
}

reference()
{
	local file

	need "$documents"
	for file; do
		file=$documents/$file.rst
		rst_blocks "$file" "$tmp/$(basename "$file")"
		type_blocks "$tmp/$(basename "$file")"
		expect "traces left by $(basename "$file")" "" "$(ls $ltt/traces)"
	done
}

# Names of pages that show commands, except those that are typed below, or by other tests.
others()
{
	(cd "$documents" && grep -l '^\.\. code-block:: sh$' *.rst) | sed 's/\.rst$//' |
		grep -vxE 'btf|coming|first-marker|function|kprobes|relay|signing'
}

# Somebody works with the file that btf.rst shows.
reference_btf()
{
	local notes=$tmp/mnt/notes.txt

	mount_disk
	( while :; do echo > "$notes"; sync "$notes"; rm "$notes"; done ) &
	reference btf
	kill $!
	wait $! || true
}

# shown_in FILE: the markers of ltt-test-docs.c that FILE has, white space aside
shown_in()
{
	local text

	text=$(tr -d ' \t\n' < "$1")
	sed -n '/^\ttrace_mark(/,/;$/p' "$here/modules/ltt-test-docs.c" |
		tr -d ' \t\n' | tr ';' '\n' > "$tmp/shown"
	while read -r mark; do
		[[ $text != *"$mark;"* ]] || echo "$mark"
	done < "$tmp/shown"
}

markers()
{
	need "$readme"
	need "$here/modules/ltt-test-docs.c"
	expect "README" 1 "$(shown_in "$readme" | wc -l)"
	expect "markers.rst" 1 "$(shown_in "$documents/markers.rst" | wc -l)"
	new_trace docs 'mydriver.*' 'net.*'
	start_trace docs
	reader docs ALL "$tmp/docs"
	modprobe ltt-test-docs
	rmmod ltt-test-docs
	destroy_trace docs
	wait $!
	expect "text" "mydriver.submit: queue 7 len 60 dest 52:54:00:12:34:56
net.retransmit: saddr 192.0.2.1 sport 443 seq 305419896" \
		"$(events < "$tmp/docs" | cut -d' ' -f3-)"
}

# Every file that is named is there; names may be patterns.
files()
{
	local name

	need "$readme"
	cat "$readme" "$documents"/*.rst |
		grep -oP '(?<![\w/.-])(Documentation|include|kernel|samples|tools)/[\w./*-]*[\w/*]' |
		sort -u > "$tmp/all"
	# NAME stands for any. Those of the kernel's own tree are not ours.
	grep -vxE -e 'kernel/trace/(Kconfig|Kconfig\.ltt|Makefile)|samples/Makefile|tools/memory-model' \
		-e tools/testing/selftests/Makefile "$tmp/all" | sed 's/NAME/*/' > "$tmp/names"
	[ "$(wc -l < "$tmp/names")" -gt 20 ] || fail "few files are named"
	while read -r name; do
		compgen -G "$root/$name" > "$tmp/found" || echo "$name" | tee -a "$tmp/missing"
	done < "$tmp/names"
	[ ! -e "$tmp/missing" ] || fail "these are named, but do not exist"
}

run_test "the README's tour" tour
run_test "the commands of the reference" reference $(others)
run_test --needs function "those of function.rst" reference function
run_test --needs kprobes "those of coming.rst and kprobes.rst" reference coming kprobes
run_test --needs btf "those of btf.rst" reference_btf
umount_disk
run_test "the markers that are shown compile, and record what they say" markers
run_test "the files that are named exist" files
finish
