#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=2 MEM=2G TIMEOUT=900 UML=1 DEBUG=0
#
# The tutorial: what it says is typed in an empty directory, with nothing but what `make install`
# leaves on a machine.

. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/typing.sh
. "$here/lib/typing.sh"

root=$(realpath "$here/../../../..")
page=$root/Documentation/trace/ltt/first-marker.rst
[ -e "$page" ] || { echo "1..0 # SKIP not in LTT's own tree"; exit 4; }

# As on a machine on which no kernel is built: user-mode Linux has to be asked for.
[[ $(< /proc/cpuinfo) != *'User Mode Linux'* ]] || export ARCH=um

# empty NAME: to an empty directory, on a machine where LTT is installed
empty()
{
	[ -e "$tmp/installed" ] || install_all
	touch "$tmp/installed"
	mkdir "$tmp/$1"
	cd "$tmp/$1"
}

install_all()
{
	make -s -C "$root" symvers_install KDIR="/lib/modules/$(uname -r)/build"
	make -s -C "$root/tools/ltt" install SPHINXBUILD=none
}

# build: what Kbuild says
build()
{
	make -s -C "/lib/modules/$(uname -r)/build" M="$PWD" modules > output 2>&1 || { cat output; exit 1; }
	none grep -i warn output
}

# The page's module with another number than its markers have, as they stand in it: of headers that
# are too old, and of a static key that is no marker's.
old='\x01\x54\x54\x4d'
nobodys='\x78\x56\x34\x12'

# hello NUMBER: to that module
hello()
{
	local header mine

	[ -e "$tmp/tutorial/hello.ko" ] || page_module
	header=$(pkg-config --variable=marker_header ltt-kernel)
	mine=$(sed -nE 's/^#define LTT_MARKER_MAGIC\s+0x(..)(..)(..)(..)u\s.*/\\x\4\\x\3\\x\2\\x\1/p' "$header")
	mkdir -p "$tmp/numbers"
	cd "$tmp/numbers"
	expect "markers" 1 "$(LC_ALL=C grep -obUaP "$mine" "$tmp/tutorial/hello.ko" | wc -l)"
	LC_ALL=C sed "s/$mine/$1/" "$tmp/tutorial/hello.ko" > hello.ko
	none cmp -s "$tmp/tutorial/hello.ko" hello.ko
}

# page_module: what the page leaves, if it was not typed
page_module()
{
	empty tutorial
	rst_blocks "$page" blocks
	. ./blocks/01
	cp "$(pkg-config --variable=marker_header ltt-kernel)" .
	sed -i 's,<linux/ltt/marker.h>,"ltt_marker.h",' hello.c
	echo 'obj-m := hello.o' > Kbuild
	build
}

# modules: to those that use more than markers, and one that carries the header, whose only marker is
# disabled. One build takes less time than two.
modules()
{
	if [ -e "$tmp/modules/nothing.ko" ]; then
		cd "$tmp/modules"
		return
	fi
	rm -rf "$tmp/modules"
	empty modules
	cp "$root"/samples/ltt/ltt-sample-{channel,reader}.c .
	cp "$(pkg-config --variable=marker_header ltt-kernel)" .
	cat > nothing.c <<-'EOM'
		#include <linux/module.h>
		#include "ltt_marker.h"

		void nothing(int a);
		void nothing(int a) { }
		void something(int a);
		void something(int a) { trace_mark(hello, something, "a %d", a); }
		MODULE_LICENSE("GPL");
	EOM
	echo 'obj-m := ltt-sample-channel.o ltt-sample-reader.o nothing.o' > Kbuild
	sed -n 's/^\t\(include \$(shell pkg-config .*\)/\1/p' "$page" | tee -a Kbuild | grep -q .
	build
}

# without_tree OBJECT: it was compiled without any file of ours that is not installed
without_tree()
{
	local deps

	deps=$(< "$(dirname "$1")/.$(basename "$1").cmd")
	[[ $deps = *'include/linux/module.h'* ]] || fail "are these the files it was made of? $deps"
	none grep -F -e "$root/include" -e "$root/build/$(uname -r)/include" <<< "$deps"
}

# own_symbols MODULE: symbols of LTT that it needs
own_symbols()
{
	nm -u "$1" | grep -o 'ltt_.*' || true
}

tutorial()
{
	empty tutorial
	rst_blocks "$page" "$tmp/typed"
	PATH=/usr/local/bin:$PATH type_blocks "$tmp/typed"
	cat "$tmp/typed"/*.out
	expect "listed" "hello.greeting	hello	off	who %s length %zu" "$(grep -h '^hello\.' "$tmp"/typed/*.out)"
	expect "recorded" "hello.greeting: who world length 5
hello.greeting: who again length 5" "$(cat "$tmp"/typed/*.out | grep ' hello\.greeting: ' | cut -d' ' -f3-)"
	without_tree hello.o
	none grep -F /linux/ltt/ .hello.o.cmd
	expect "symbols of LTT" "" "$(own_symbols hello.ko)"
	[ ! -e /sys/module/hello ]
}

# A disabled marker is one instruction, which does nothing.
no_op()
{
	local nop

	modules
	objdump -dr --no-show-raw-insn nothing.ko > dump
	# Of five bytes, or of two if what is out of line is near.
	nop='\snop.*0x0(\|\sxchg *%ax,%ax'
	# Up to the jump or return: what is after it is out of line.
	awk '/^[0-9a-f]+ <(nothing|something)>:/ { print; n = 1; next }
	     n && NF { print; if (/(ret|jmp)/) n = 0 }' dump | tee straight
	expect "instructions besides a no-op" \
		"$(sed -n '/<nothing>/,/<something>/p' straight | grep -c :$'\t')" \
		"$(sed -n '/<something>/,$p' straight | grep :$'\t' | grep -vc "$nop")"
	expect "no-ops" 1 "$(sed -n '/<something>/,$p' straight | grep -c "$nop")"
}

# refusals MODULE: how often the kernel's log says so
refusals()
{
	dmesg | grep -c "ltt_core: markers of module $1 refused: built with headers of another version of LTT" ||
		true
}

stale()
{
	hello "$old"
	dmesg -C
	insmod hello.ko
	expect "too old" 1 "$(refusals hello)"
	none grep '^hello' $ltt/markers
	printf ignored > /sys/module/hello/parameters/greet
	# It is there before ltt-core, too.
	rmmod ltt-tracepoints ltt-textout ltt-core
	modprobe -a ltt-core ltt-textout
	expect "ltt-core came later" 2 "$(refusals hello)"
	rmmod hello
	hello "$nobodys"
	dmesg -C
	insmod hello.ko
	expect "nothing of ours" 0 "$(refusals hello)"
	none grep '^hello' $ltt/markers
	rmmod hello
	expect "still works" 0 "$(grep -c '^hello' $ltt/markers)"
}

# With the symbols, modpost is content, and the versions of symbols are right.
more()
{
	modules
	without_tree ltt-sample-channel.o
	without_tree ltt-sample-reader.o
	modprobe -a ltt-core ltt-textout
	insmod ./ltt-sample-channel.ko
	new_trace more 'heartbeat.*'
	expect "mode" overwrite "$(< $ltt/traces/more/channels/heartbeat/mode)"
	start_trace more
	wait_for 10 grep -q '^[0-9]*[[:space:]][1-9]' $ltt/traces/more/channels/heartbeat/stats
	destroy_trace more
	rmmod ltt-sample-channel
}

run_test "the page's commands" tutorial
run_test "a disabled marker is a no-op" no_op
run_test "markers of another layout are refused, with a message" stale
run_test "modules that use more than markers" more
finish
