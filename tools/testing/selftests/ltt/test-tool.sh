#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G UML=1 DEBUG=0
#
# The module ltt-tool: the command that it carries is that which was built, and works.

. "$(dirname "$0")/lib.sh"

modinfo ltt-tool > /dev/null 2>&1 || { echo "1..0 # SKIP built without the ltt command"; exit 4; }
program=$ltt/tool/ltt

installed()
{
	needs_source build/tools/ltt-static
	modprobe ltt-tool
	install -m 755 $program "$tmp/ltt"
	cmp "$tmp/ltt" "$here/../../../../build/tools/ltt-static"
	expect "version" "ltt $(modinfo -F version ltt-core)" "$("$tmp/ltt" --version)"
	# It needs no library.
	none grep -q . <(LC_ALL=C readelf -lW "$tmp/ltt" | grep INTERP)
	"$tmp/ltt" list 'sched.*' > "$tmp/list"
	cmp "$tmp/list" <(ltt list 'sched.*')
	"$tmp/ltt" text -e 'sched.sched_process_exec' -- true | grep -q ' sched\.sched_process_exec: filename .*true'
	rmmod ltt-tool
	[ ! -e $ltt/tool ]
}

# The program, in pieces of BYTES from byte SKIP on.
in_pieces()
{
	dd if=$program bs="$1" skip="$2" iflag=skip_bytes status=none
}

pieces()
{
	modprobe ltt-tool
	cat $program > "$tmp/whole"
	for bytes in 100 4095 4096 65536 3000000; do
		cmp <(in_pieces $bytes 0) "$tmp/whole"
		cmp <(in_pieces $bytes 4097) <(tail -c +4098 "$tmp/whole")
	done
	expect "beyond its end" "" "$(in_pieces 4096 10000000 2> /dev/null)"
	rmmod ltt-tool
}

readers()
{
	local fd readers=()

	needs_source build/tools/ltt-static
	modprobe ltt-tool
	for _ in 1 2 3 4; do
		cmp $program "$here/../../../../build/tools/ltt-static" &
		readers+=($!)
	done
	wait "${readers[@]}"
	# Who has it open keeps the module.
	exec {fd}< $program
	none rmmod ltt-tool
	cmp - "$here/../../../../build/tools/ltt-static" <&"$fd"
	exec {fd}<&-
	rmmod ltt-tool
	none rmmod ltt-tool
}

roots_alone()
{
	modprobe ltt-tool
	expect "modes" "700 400" "$(stat -c %a $ltt/tool $program | xargs)"
	none bash -c "echo x > $program"
	# ltt-core stays for it.
	none rmmod ltt-core
	rmmod ltt-tool
}

come_and_go()
{
	local i

	for i in $(seq $(amount 10 50)); do
		modprobe ltt-tool
		head -c 5000 $program > "$tmp/some"
		rmmod ltt-tool
	done
	expect "bytes" 5000 "$(stat -c %s "$tmp/some")"
}

run_test "installed, it is the command, and works" installed
run_test "read in pieces of any size" pieces
run_test "several readers; the module stays for them" readers
run_test "root's alone" roots_alone
run_test "it comes and goes" come_and_go
finish
