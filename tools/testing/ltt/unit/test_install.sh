#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_install.sh
#
# What `make install` of the tools puts where, that headers for modules are complete, that
# systemd understands the unit, and that `make uninstall` leaves nothing of it.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"

version=$(sed -n 's/^#define LTT_VERSION[^"]*"\(.*\)"/\1/p' "$top/include/linux/ltt/version.h")

install_tools()
{
	make -s -C "$top/tools/ltt" install OUTPUT="$tmp/build" DESTDIR="$tmp/root" INITRAMFS= \
		SPHINXBUILD=none "$@"
}

files()
{
	(cd "$tmp/root" && find . -type f -printf '%m %P\n' -o -type l -printf '%l %P\n' | sort)
}

places()
{
	install_tools || return
	diff - <(files | grep -v /linux/ltt/ | sed "s/$version/VERSION/") <<-'EOM' || return
		644 usr/local/include/libltt.h
		644 usr/local/include/ltt-kernel/ltt.kbuild
		644 usr/local/include/ltt-kernel/ltt_marker.h
		644 usr/local/lib/libltt.a
		644 usr/local/lib/libltt.so.0.VERSION
		644 usr/local/lib/pkgconfig/libltt.pc
		644 usr/local/lib/systemd/system/ltt-flight@.service
		644 usr/local/share/bash-completion/completions/ltt
		644 usr/local/share/doc/ltt/debugfs-ltt
		644 usr/local/share/doc/ltt/flight.conf
		644 usr/local/share/doc/ltt/text-json.schema.json
		644 usr/local/share/ltt/expect.sh
		644 usr/local/share/pkgconfig/ltt-kernel.pc
		644 usr/local/share/zsh/site-functions/_ltt
		755 usr/local/bin/ltt
		libltt.so.0 usr/local/lib/libltt.so
		libltt.so.0.VERSION usr/local/lib/libltt.so.0
	EOM
	[[ -d $tmp/root/etc/ltt/flight.d ]] || return
	# What is there is the administrator's.
	echo mine > "$tmp/root/etc/ltt/flight.d/mine.conf"
	install_tools && [[ $(cat "$tmp/root/etc/ltt/flight.d"/*) = mine ]]
}

elsewhere()
{
	rm -rf "$tmp/root"
	install_tools PREFIX=/usr UNITDIR=/lib/systemd/system || return
	grep -qx 'ExecStart=/usr/bin/ltt flight --stay --config /etc/ltt/flight.d/%i.conf %i' \
		"$tmp/root/lib/systemd/system/ltt-flight@.service"
}

# The shared library has what the header declares, and nothing else; pkg-config's answers make
# the program of the documentation.
library()
{
	local dir=$tmp/root/usr/lib

	diff <(grep -oE '\<libltt_[a-z_]+\(' "$tmp/root/usr/include/libltt.h" | grep -v 'libltt_report(' |
	       tr -d '(' | sort -u) \
	     <(nm -D --defined-only "$dir/libltt.so" | sed -n 's/.* T \(.*\)@@LIBLTT_.*/\1/p' | sort) || return
	[[ $(nm -D --defined-only "$dir/libltt.so" | grep -vc ' [TA] .*LIBLTT_') = 0 ]] || return
	sed -n '/#include <stdio.h>/,/^\t}$/s/^\t//p' "$top/Documentation/trace/ltt/view.rst" > "$tmp/count.c"
	export PKG_CONFIG_PATH=$dir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
	export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
	# shellcheck disable=SC2046 # words
	${CC:-cc} -o "$tmp/count" "$tmp/count.c" $(pkg-config --cflags --libs libltt) || return
	[[ $(readelf -d "$tmp/count") = *'[libltt.so.0]'* ]] || return
	! LD_LIBRARY_PATH=$dir "$tmp/count" "$tmp/nothing" 2> "$tmp/err" || return
	grep -q 'nothing/metadata: No such file' "$tmp/err" || { cat "$tmp/err"; return 1; }
}

# Headers for modules include none that is not there. pkg-config finds them wherever they
# were installed.
headers()
{
	local dir=$tmp/root/usr/include/ltt-kernel missing name

	name=linux/ltt/marker.h
	[[ -e $dir/$name ]] || { echo "no $name"; return 1; }
	missing=$(grep -rhoP '#\s*include\s*<\Klinux/ltt/[^>]*' "$dir" | sort -u |
		while read -r name; do [[ -e $dir/$name ]] || echo "$name"; done)
	[[ ! $missing ]] || { echo "missing: $missing"; return 1; }
	! grep '^#[[:space:]]*include.*ltt' "$dir/ltt_marker.h" || return
	export PKG_CONFIG_PATH=$tmp/root/usr/share/pkgconfig
	[[ $(pkg-config --cflags ltt-kernel) = -I/usr/include/ltt-kernel* ]] &&
		[[ $(pkg-config --modversion ltt-kernel) = "$version" ]] &&
		[[ -e $tmp/root$(pkg-config --variable=marker_header ltt-kernel) ]] &&
		[[ -e $tmp/root$(pkg-config --variable=kbuild ltt-kernel) ]]
}

# Each part of the single header is there once, whole, and nothing else.
single_header()
{
	local dir=$tmp/root/usr/include/ltt-kernel name

	# Lines of the headers, in their order, are those of the single one.
	for name in marker gate tap local packet types marker_args; do
		grep -v -e SPDX -e '#include <linux/ltt/' "$dir/linux/ltt/$name.h" > "$tmp/part"
		[[ $(diff "$tmp/part" "$dir/ltt_marker.h" | grep -c '^<') = 0 ]] || { echo "$name"; return 1; }
		[[ $(grep -c "^#define _LINUX_LTT_${name^^}_H$" "$dir/ltt_marker.h") = 1 ]] || return
	done
	[[ $(grep -c '^#define _LINUX_LTT_' "$dir/ltt_marker.h") = 7 ]]
}

unit()
{
	local file=$tmp/ltt-flight@.service output

	# The program is not where it will be.
	sed "s,^ExecStart=,&$tmp/root," "$tmp/root/lib/systemd/system/ltt-flight@.service" > "$file"
	grep -q "^ExecStart=$tmp/root/usr/bin/ltt" "$file" || return
	output=$(systemd-analyze verify "$file" 2>&1) && [[ ! $output ]] || { echo "$output"; return 1; }
}

# Its options are right: what is missing is the tracer.
example()
{
	local output status=0

	output=$(LTT_ROOT=$tmp/none "$tmp/build/ltt" flight \
		 --config "$tmp/root/usr/share/doc/ltt/flight.conf" name 2>&1) || status=$?
	echo "$status: $output"
	((status == 1)) && [[ $output = *"$tmp/none: No such file"* ]] || return
	# With what is in comments, too.
	sed 's/^#\([a-z-]* = \)/\1/' "$tmp/root/usr/share/doc/ltt/flight.conf" > "$tmp/all.conf"
	grep -q '^before = ' "$tmp/all.conf" || return
	LTT_ROOT=$tmp/none "$tmp/build/ltt" flight --config "$tmp/all.conf" name || status=$?
	((status == 1))
}

# put FILE...: one of others, or of a kernel that is not there
put()
{
	local file

	for file; do
		mkdir -p "$tmp/root/$(dirname "$file")"
		touch "$tmp/root/$file"
	done
}

# uninstall VARIABLE=VALUE...: what is below $tmp/root, of a kernel of which only headers are there
uninstall()
{
	mkdir -p "$tmp/kernel/include/generated"
	echo '#define UTS_RELEASE "7.9.1-amd64"' > "$tmp/kernel/include/generated/utsrelease.h"
	env -u KVER -u MAKEFLAGS -u MAKELEVEL make -s -C "$top" uninstall KDIR="$tmp/kernel" OUTPUT="$tmp/build" \
		DESTDIR="$tmp/root" "$@" > "$tmp/output" 2>&1 || { cat "$tmp/output"; return 1; }
}

# What others have put there, and the administrator, is all that stays.
uninstalled()
{
	local module modules=lib/modules/7.9.1-amd64 hooks=usr/share/initramfs-tools

	rm -rf "$tmp/root"
	install_tools INITRAMFS=/$hooks || return
	put $modules/ltt.symvers $modules/{extra,updates}/kernel/trace/{ltt-core/ltt-core,textout/ltt-textout}.ko
	for module in core textout tracepoints kprobes syscalls function statedump btf tool; do
		put $modules/extra/kernel/trace/ltt-events/$module/ltt-$module.ko{,.gz,.xz,.zst}
	done
	put $modules/extra/{other.ko,kernel/trace/ltt-other.ko} $modules/updates/dkms/ltt-core.ko \
		etc/ltt/flight.d/mine.conf usr/local/share/doc/ltt/mine $hooks/hooks/other \
		usr/local/include/ltt-kernel/linux/ltt/mine.h usr/local/bin/ltt-mine
	uninstall INITRAMFS=/$hooks || return
	diff - <(files | grep -v '/modules\.' | cut -d' ' -f2-) <<-EOM || return
		etc/ltt/flight.d/mine.conf
		$modules/extra/kernel/trace/ltt-other.ko
		$modules/extra/other.ko
		$modules/updates/dkms/ltt-core.ko
		usr/local/bin/ltt-mine
		usr/local/include/ltt-kernel/linux/ltt/mine.h
		usr/local/share/doc/ltt/mine
		$hooks/hooks/other
	EOM
	[[ ! -d $tmp/root/$modules/updates/kernel ]]
}

# Nor directories of that name; and what is not there is not missing.
nothing_left()
{
	rm -rf "$tmp/root"
	uninstall INITRAMFS= PREFIX=/usr && install_tools PREFIX=/usr UNITDIR=/lib/systemd/system &&
		uninstall INITRAMFS= PREFIX=/usr UNITDIR=/lib/systemd/system || return
	[[ ! $(files) ]] || { files; return 1; }
	[[ ! $(find "$tmp/root" -name '*ltt*') ]] || { find "$tmp/root" -name '*ltt*'; return 1; }
}

# One name must not become two.
blanks()
{
	rm -rf "$tmp/root"
	install_tools INITRAMFS= || return
	files > "$tmp/before"
	! uninstall DESTDIR="$tmp/root " > /dev/null && grep -q 'DESTDIR has a blank' "$tmp/output" &&
		files | diff "$tmp/before" -
}

echo "KTAP version 1"
run_test "files, and nothing of others" places
run_test "other places" elsewhere
run_test "the library" library
run_test "headers for modules" headers
run_test "the header that drivers carry" single_header
if command -v systemd-analyze > /dev/null; then
	run_test "the unit of the flight recorder" unit
else
	number=$((number + 1))
	echo "ok $number the unit of the flight recorder # SKIP needs systemd-analyze"
fi
run_test "the example of its options" example
run_test "uninstalled, and nothing of others" uninstalled
run_test "uninstalled, and nothing is left" nothing_left
run_test "a name with a blank is refused" blanks
echo "1..$number"
exit $failed
