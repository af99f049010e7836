#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: bench_uml.sh
#
# Build user-mode Linux from Debian's kernel source with LTT in its tree, run the
# benchmark in it, and print its figures. The kernel is a process on this machine's own
# processor: nanoseconds are real ones.
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
here=$ltt_root/tools/testing/ltt
selftests=$ltt_root/tools/testing/selftests/ltt
out=$ltt_root/build/uml
tree=$out/linux-source-6.1

"$here/debian/setup.sh"

put_in()
{
	[[ -f $tree/.ltt-tree ]] || {
		rm -rf "$tree"
		mkdir -p "$tree"
		tar -xf /usr/src/linux-source-6.1.tar.xz -C "$tree" --strip-components=1
		echo 'obj-$(CONFIG_LTT) += ltt-bench/' >> "$tree/kernel/trace/Makefile"
	}
	"$here/intree/tree.py" "$tree"
	mkdir -p "$tree/kernel/trace/ltt-bench"
	rsync -a "$selftests/modules/ltt-bench.c" "$tree/kernel/trace/ltt-bench/"
	echo 'obj-y := ltt-bench.o' > "$tree/kernel/trace/ltt-bench/Makefile"
}

build()
{
	local um=(make -s -C "$tree" ARCH=um "O=$out" "-j$(nproc)")

	put_in
	"${um[@]}" "KCONFIG_ALLCONFIG=$here/vm/uml.config" allnoconfig
	"${um[@]}" linux
}

build > "$out.log" 2>&1 < /dev/null || { tail -n 30 "$out.log" >&2; die "cannot build user-mode Linux"; }
make -s -C "$selftests" OUTPUT="$ltt_root/build/selftests" all >&2
rm -f "$out"/{figures,stderr,done}
timeout 600 "$out/linux" mem=512M rootfstype=hostfs rw quiet con=null con0=null,fd:2 \
	"init=$here/uml-init.sh" "OUT=$out" "LTT_ROOT=$ltt_root" > "$out/console" 2>&1 < /dev/null || true
[[ -e $out/done ]] || { tail -n 30 "$out/console" "$out/stderr" >&2; die "the benchmark did not finish"; }
grep '^bench ' "$out/figures"
