#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: build.sh KDIR [MAKE-ARGUMENT...]
#
# Build the modules against the kernel whose build directory is KDIR, in
# build/RELEASE: the source tree stays clean and several kernels can be built
# for side by side. What is in there are symbolic links to the sources, which
# make follows, and the objects, which stay.
#
# build/RELEASE/root/lib/modules/RELEASE is what modprobe wants to see: the
# kernel's modules and ours, for the virtual machine. MODULE_TREE=1 makes it, with W=1: a
# developer's build shows all warnings, and that of a test is the one that is looked at. It
# takes from the cache what was compiled before, see cached-cc.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

[[ -f ${1:-}/Makefile ]] || die "no kernel build directory at '${1:-}': set KDIR or KVER, or run 'make setup'"
kdir=$(realpath "$1")
shift
# What uname -r says; Debian's include/config/kernel.release says otherwise.
kver=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "$kdir/include/generated/utsrelease.h")
build=${BUILD_DIR:-$ltt_root/build/$kver}
dirs=(include kernel samples tools/testing/selftests/ltt/modules)

link_sources()
{
	local dir

	mkdir -p "$build/include"
	cd "$ltt_root"
	for dir in "${dirs[@]}"; do
		[[ -d $dir ]] || continue
		mkdir -p "$build/$dir"
		cp -rsf "$ltt_root/$dir/." "$build/$dir/"
	done
	ln -sf "$ltt_root/Kbuild" "$build/Kbuild"
	# For the module that carries it, if it was built.
	[[ ! -e $ltt_root/build/tools/ltt-static ]] ||
		ln -sf "$ltt_root/build/tools/ltt-static" "$build/kernel/trace/ltt-tool/ltt"
	# Sources that went away.
	find "$build" -xtype l -not -path "$build/root/*" -delete
}

# The modules of this kernel's package, if it is one of Debian's.
kernel_modules()
{
	[[ -d $kdir/kernel ]] || "$ltt_root/tools/testing/ltt/vm/kernel" "$kver" || true
}

module_tree()
{
	local tree=$build/root/lib/modules/$kver modules=() base

	mapfile -t modules < <(find "$build" -path "$build/root" -prune -o -name '*.ko' -print)
	if [[ -f $tree/modules.dep && $tree/build -ef $kdir && $(printf '%s\n' "${modules[@]}") = "$(cat "$tree/ours")" &&
	      ! $(find "$kdir/" "${modules[@]}" -maxdepth 0 -newer "$tree/modules.dep") ]]; then
		return
	fi
	base=$(kernel_modules)
	rm -rf "$build/root"
	mkdir -p "$tree/updates"
	if [[ $base ]]; then
		cp -rs "$base/lib/modules/$kver/kernel" "$tree/"
		cp "$base/lib/modules/$kver"/modules.{order,builtin,builtin.modinfo} "$tree/"
	fi
	((${#modules[@]})) && ln -s "${modules[@]}" "$tree/updates/"
	touch "$tree"/modules.{order,builtin}
	ln -s "$kdir" "$tree/build"
	printf '%s\n' "${modules[@]}" > "$tree/ours"
	depmod -b "$build/root" "$kver"
}

[[ ! ${MODULE_TREE:-} ]] || set -- "$@" W=1
# Newer kernels ask a script whether sparse is there, which Debian's packages lack.
for arg; do
	[[ $arg != C=* ]] || set -- "$@" "KBUILD_CHECKSRC=${arg#C=}"
done

# Our own make's variables would override those of kbuild.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES

# What looks at sources and compiles them, with the cache.
cached_compilers()
{
	local dir=$build/.cc here=$ltt_root/tools/testing/ltt compiler

	mkdir -p "$dir"
	for compiler in /usr/bin/{,*-}gcc{,-[0-9]*} sparse{,-cc}; do
		ln -sf "$here/cached-cc" "$dir/${compiler##*/}"
	done
	# Headers of another kernel have another path, or version.
	LTT_CC_NAMES=$({ header_names "${dirs[@]}"; cat "$kdir"/include/generated/{compile,utsversion}.h; } \
		2> /dev/null | sha256sum | cut -c1-32) || true
	export LTT_CC_NAMES LTT_CC_TREE=$build PATH=$dir:$PATH
	# shellcheck disable=SC2016 # for make
	cached=(cmd_checkdoc="$here/cached-doc"' $(srctree)/scripts/kernel-doc $<')
	# Type information is made of debug information, which is left out.
	cached+=(CONFIG_DEBUG_INFO_BTF_MODULES=)
}

mkdir -p "$build"
exec 9> "$build/.lock"
flock 9
link_sources
cached=()
# Not for a kernel that brings its own compiler.
[[ ! ${MODULE_TREE:-} || $(own_usr "$kdir") ]] || cached_compilers
with_usr "$kdir" make --no-print-directory -C "$kdir" M="$build" -j"$(nproc)" "${cached[@]}" "$@" 9>&- modules
[[ ${MODULE_TREE:-} ]] && module_tree
exit 0
