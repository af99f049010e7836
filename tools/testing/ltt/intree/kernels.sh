#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: kernels.sh [SERIES...]
#
# User-mode Linux that has LTT in its tree, as `make tree` puts it there, of Debian's sources of each
# SERIES (6.12 and newest): built in, and as modules. Nothing of LTT's causes a warning; it boots; and
# what is built in records before there is an init. With x86-64's default configuration LTT compiles,
# too. Prints KTAP; `make check-long` runs it. The kernels stay in build/intree-SERIES.
#
# LTT_LONG=1: all of that default configuration is built, which takes an hour of processor time, and
# booted in QEMU.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
set +e
here=$ltt_root/tools/testing/ltt
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export PYTHONDONTWRITEBYTECODE=1

# shellcheck source=../unit/ktap.sh
. "$here/unit/ktap.sh"

um()
{
	make -s -C "$tree" ARCH=um "O=$out/um" -j"$(nproc)" "$@"
}

# quiet COMMAND...: no warning is about a file or a function of LTT's
quiet()
{
	"$@" > "$tmp/log" 2>&1 < /dev/null ||
		{ grep -iE -A 5 'error|undefined' "$tmp/log" || tail "$tmp/log"; return 1; }
	! sed "s,$ltt_root,,g" "$tmp/log" | grep -i 'warning.*ltt\|ltt.*warning\|textout.*warning'
}

# A file of the kernel's own that is instrumented.
lay()
{
	mkdir -p "$out"
	[[ -e $tree/.ltt-tree ]] || {
		rm -rf "$tree"
		cp -al "$source" "$tree" && echo 'obj-$(CONFIG_LTT) += ltt-hello/' > "$tmp/line" &&
			cat "$tree/kernel/trace/Makefile" "$tmp/line" > "$tmp/Makefile" &&
			cp --remove-destination "$tmp/Makefile" "$tree/kernel/trace/Makefile"
	} || return
	"$here/intree/tree.py" "$tree" || return
	mkdir -p "$tree/kernel/trace/ltt-hello"
	echo 'obj-y := hello.o' > "$tree/kernel/trace/ltt-hello/Makefile"
	cat > "$tree/kernel/trace/ltt-hello/hello.c" <<-'EOM'
		// SPDX-License-Identifier: GPL-2.0
		#include <linux/init.h>
		#include <linux/kernel.h>
		#include <linux/ltt/marker.h>

		static int __init hello_init(void)
		{
			trace_mark(hello, init, "running %d", system_state >= SYSTEM_RUNNING);
			return 0;
		}
		late_initcall(hello_init);
	EOM
}

# kept REQUESTED CONFIG: Kconfig drops silently what it cannot satisfy
kept()
{
	local line

	while read -r line; do
		grep -qxF "$line" "$2" || { echo "Kconfig dropped $line"; return 1; }
	done < "$1"
}

# configured y|m: LTT that way, besides what user-mode Linux for the tests has
configured()
{
	mkdir -p "$out/um"
	printf '%s\n' CONFIG_{EVENT_TRACING,LTT}=y > "$out/requested.config"
	printf "CONFIG_LTT_%s=$1\n" CORE TEXTOUT STATEDUMP >> "$out/requested.config"
	# It has trace events, also where there is no tracer of functions or system calls.
	echo CONFIG_ENABLE_DEFAULT_TRACERS=y |
		cat "$here/uml/config" - "$out/requested.config" > "$out/all.config"
	um KCONFIG_ALLCONFIG="$out/all.config" allnoconfig || return
	kept "$out/requested.config" "$out/um/.config"
}

# records RUN: the text has what an initcall recorded, of the kernel that RUN boots
records()
{
	LTT_LOAD='' APPEND='ltt_core.trace=hello.* ltt_core.trace_options=subbuf_size=64K' \
		"$1" "cd /sys/kernel/debug/ltt && exec 3< traces/boot/text/ALL &&
			echo boot > destroy_trace && cat <&3" > "$tmp/text" || return
	grep '^[0-9.]* \[[0-9]*\] hello\.init: running 0$' "$tmp/text" || { head "$tmp/text"; return 1; }
}

built_in()
{
	configured y && quiet um linux && TREE=$out/um records "$here/uml/run"
}

# Without jump labels markers of modules are not found there. With more memory they are above 2 GB,
# where labels of __get_kernel_nofault() of 7.2's user-mode Linux do not reach.
modules()
{
	local release root

	configured m && quiet um linux modules || return
	release=$(< "$out/um/include/config/kernel.release")
	root=$ltt_root/build/$release/root
	rm -rf "$root"
	quiet um INSTALL_MOD_PATH="$root" modules_install || return
	MEM=256M TREE=$out/um LTT_LOAD='ltt-core ltt-textout ltt-statedump' "$here/uml/run" \
		"echo one > /sys/kernel/debug/ltt/setup_trace && cat /sys/kernel/debug/ltt/traces/one/text_style"
}

# x86 TARGET: made with the default configuration
x86()
{
	quiet make -s -C "$tree" ARCH=x86_64 "O=$out/x86" -j"$(nproc)" "$1"
}

defconfig()
{
	mkdir -p "$out/x86"
	# The tests' machine has an overlay.
	printf '%s\n' CONFIG_{DEBUG_FS,OVERLAY_FS,LTT,LTT_CORE,LTT_TEXTOUT,LTT_STATEDUMP}=y \
		> "$out/x86.config"
	"$tree/scripts/kconfig/merge_config.sh" -m -O "$out/x86" \
		"$tree/arch/x86/configs/x86_64_defconfig" "$out/x86.config" > "$tmp/log" &&
		make -s -C "$tree" ARCH=x86_64 "O=$out/x86" olddefconfig || { cat "$tmp/log"; return 1; }
	kept "$out/x86.config" "$out/x86/.config" || return
	x86 kernel/trace/ && [[ -s $out/x86/kernel/trace/ltt-core/built-in.a ]]
}

defconfig_boots()
{
	x86 bzImage && KIMG=$out/x86/arch/x86/boot/bzImage records "$here/vm/run"
}

"$here/debian/setup.sh" || exit
echo "KTAP version 1"
(($#)) || set -- 6.12 newest
for series; do
	source=$("$here/debian/source" "$series") || { echo "Bail out! no source of $series"; exit 1; }
	out=$ltt_root/build/intree-$series
	tree=$out/linux
	run_test "$series: laid over the kernel" lay
	run_test "$series: built in, and records before init" built_in
	run_test "$series: as modules" modules
	run_test "$series: x86-64's default configuration" defconfig
	[[ -z ${LTT_LONG:-} ]] || run_test "$series: the whole of it, and it boots" defconfig_boots
done
echo "1..$number"
exit $failed
