#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: packages.sh CODENAME
#
# Debian's packages: built, looked at by lintian, and installed, used, upgraded and purged in a
# fresh system of release CODENAME. What needs its kernel is done in QEMU, which boots that system.
# Takes root, and a while; `make check-long` runs it. Figures are printed, and written to
# build/packages-CODENAME.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
here=$ltt_root/tools/testing/ltt
selftests=$ltt_root/tools/testing/selftests/ltt
codename=${1:?}
tmp=$(mktemp -d)
trap 'umount -q "$tmp"/{root,build}/proc 2> /dev/null; rm -rf --one-file-system "$tmp"' EXIT

# shellcheck source=../unit/ktap.sh
. "$here/unit/ktap.sh"
# shellcheck source=../../selftests/ltt/lib/typing.sh
. "$selftests/lib/typing.sh"

debs=$tmp/build/root/ltt/build/deb
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$ltt_root/dkms.conf")
# What these depend on, and what the test uses: a compiler comes with DKMS.
there=(dkms linux-{headers,image}-amd64 binutils libc6-dev python3 pkgconf bash-completion
       libjs-sphinxdoc '?name(^libkdumpfile[0-9]+$)')
packages=(ltt-dkms ltt-tools libltt0 libltt-dev ltt-kernel-dev ltt-doc)

figure()
{
	echo "bench $*" >> "$tmp/figures"
}

# clocked NAME COMMAND...: how long it takes is a figure. What it prints is in $tmp/log.
clocked()
{
	timed "$@" > "$tmp/log" 2>&1 || return
	sed -n '$s/^# \(.*\): \(.*\) s, \(.*\) CPU s$/bench \1 \2 s\nbench \1_cpu \3 s/p' "$tmp/log" \
		>> "$tmp/figures"
}

# within DIRECTORY COMMAND...: in that system
within()
{
	chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
		LC_ALL=C HOME=/root "${@:2}"
}

inside()
{
	within "$tmp/root" "$@"
}

# system NAME PACKAGE...: a fresh one with these
system()
{
	mkdir "$tmp/$1"
	tar -C "$tmp/$1" -xf "$("$here/debian/system" "$codename" "${@:2}")" &&
		mount --bind /proc "$tmp/$1/proc"
}

build_depends()
{
	sed -n '/^Build-Depends:/,/^[^ ]*:/s/^ \([a-z0-9-]*\).*/\1/p' "$ltt_root/debian/control" |
		sed 's/^debhelper-compat$/debhelper/; s/^dh-sequence-dkms$/dh-dkms/; /^dh-sequence-/d'
}

# As those build them who have got the source, on a machine of that release.

build()
{
	local package header=debian/tmp/usr/include/ltt-kernel/ltt_marker.h

	system build build-essential git $(build_depends) &&
		git clone -q "$ltt_root" "$tmp/build/root/ltt" || return
	clocked package_build within "$tmp/build" make -s -C /root/ltt deb || { tail -n 30 "$tmp/log"; return 1; }
	for package in "${packages[@]}"; do
		figure "package_size_$package" "$(du -k "$debs/${package}"_*.deb | cut -f 1)" KiB
	done
	figure marker_header "$(($(wc -c < "$debs/ltt/$header") / 1024))" KiB
}

# What groff says of man pages, test_man.sh looks at.
linted()
{
	local output

	output=$(lintian --allow-root --fail-on error,warning --suppress-tags groff-message \
		 "$debs"/ltt_*.changes 2>&1) || { echo "$output"; return 1; }
}

unpack()
{
	system root "${there[@]}" || return
	# An initramfs is made each time, for no particular machine.
	echo MODULES=list > "$tmp/root/etc/initramfs-tools/conf.d/modules"
	# What is there was not put there by any of ours.
	files > "$tmp/before"
}

# All files, but those that dpkg, apt, ldconfig and others keep account in.
files()
{
	(cd "$tmp/root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/log -o -path ./var/lib/dpkg \
		-o -path ./var/lib/apt -o -path ./var/cache -o -path ./root \) -prune -o -print) | grep -v __pycache__ | sort
}

# The kernel whose headers are there.
kernel()
{
	inside sh -c 'cd /lib/modules && echo */build' | cut -d/ -f1
}

# put NAME DIRECTORY: install the packages there; NAME is that of the figure
put()
{
	local files=() package

	for package in "${packages[@]}"; do
		files+=("$2/${package}"_*.deb)
	done
	cp "${files[@]}" "$tmp/root/tmp" || return
	clocked "$1" inside sh -c 'cd /tmp && apt-get -y install ./*.deb' ||
		{ grep dpkg: "$tmp/log"; tail -n 30 "$tmp/log"; }
	rm "$tmp/root/tmp"/*.deb
	grep -iE 'warning|error' "$tmp/log" | grep -v 'apt-utils'
	[[ $(inside dpkg-query -W -f '${db:Status-Status}\n' "${packages[@]}" | sort -u) = installed ]]
}

# modules VERSION: DKMS has built and installed them all
modules()
{
	local kernel name output

	kernel=$(kernel)
	output=$(inside dkms status)
	[[ $output = "ltt/$1, $kernel, x86_64: installed" ]] || { echo "dkms status: $output"; return 1; }
	for name in core textout tracepoints kprobes syscalls function statedump btf tool; do
		[[ $(inside modinfo -k "$kernel" -F filename "ltt-$name") = */updates/* ]] ||
			{ echo "no ltt-$name"; return 1; }
	done
	[[ $(inside modinfo -k "$kernel" -F version ltt-core) = "$1" ]] || return
	# For those whose traces begin there.
	initramfs | grep '/ltt-core\.ko' > /dev/null || { echo "not in the initramfs"; return 1; }
}

# Files in there.
initramfs()
{
	inside sh -c 'lsinitramfs /boot/initrd.img-*'
}

fresh()
{
	put package_install "$debs" && modules "$version"
}

# Everything is where those look who look for it.
used()
{
	local output

	[[ $(inside ltt --version) = "ltt $version" ]] || return
	# The tracer is not there, which it says.
	output=$(inside ltt list 2>&1)
	[[ $output = *"/sys/kernel/debug/ltt: No such file"* ]] || return
	inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader ltt;
			COMP_WORDS=(ltt rep); COMP_CWORD=1; _ltt; [[ ${COMPREPLY[*]} = repair ]]' || return
	inside test -e /usr/share/doc/ltt-doc/html/first-marker.html || return
	# A program and a trace that was recorded elsewhere.
	sed -n '/#include <stdio.h>/,/^\t}$/s/^\t//p' "$ltt_root/Documentation/trace/ltt/view.rst" \
		> "$tmp/root/root/count.c"
	cp -r "$tmp/trace" "$tmp/root/root/trace"
	# A kernel's headers may bring a compiler that is called gcc-14 only.
	inside sh -c 'cd /root && $(ls /usr/bin/gcc* | head -n 1) -o count count.c \
		$(pkg-config --cflags --libs libltt) && ./count trace' > "$tmp/counts" || return
	diff "$tmp/counts" <(inside ltt view -m sched.sched_switch /root/trace | grep -v '^#' |
		sed -E 's/.* next_pid ([0-9]+).*/\1/' | sort -n | uniq -c | awk '{ print $2, $1 }')
}

# Modules that use more than markers: the samples, as the package has them.
more()
{
	local kernel

	kernel=$(kernel)
	inside sh -c "cp -r /usr/share/doc/ltt-doc/examples /root/more &&
		make -C /lib/modules/$kernel/build M=/root/more modules" > "$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	! grep -i warn "$tmp/log" | grep -v 'compiler differs'
}

# Its kernel, and all that packages-guest.sh does there.
boot()
{
	cp "$here/debian/packages-guest.sh" "$tmp/root/root"
	rst_blocks "$ltt_root/Documentation/trace/ltt/first-marker.rst" "$tmp/root/root/typed"
	SYSTEM=$tmp/root OUT=$tmp/out TIMEOUT=3600 "$here/vm/run" "bash /root/packages-guest.sh $ltt_root" ||
		{ tail "$tmp/out"/*; return 1; }
}

# lines FILE: events in there, each with the second when it was printed before it
lines()
{
	grep -E '^[0-9.]+ [0-9]+\.[0-9]{9} \[[0-9]{3}\] sched\.sched_' "$1"
}

# Lines in their order, from any CPU; and nothing is left of the trace.
shown()
{
	(($(lines "$tmp/out/sched" | wc -l) > 90)) || { cat "$tmp/out/sched"; return 1; }
	lines "$tmp/out/sched" | cut -d' ' -f2 | sort -c || return
	[[ ! -s $tmp/out/left ]] || return
	figure package_first_line "$(lines "$tmp/out/sched" | awk 'NR == 1 { print $1 }' |
		cat "$tmp/out/began" - | awk 'NR == 1 { began = $1 } END { printf "%.1f", $1 - began }')" s
}

tutorial()
{
	diff - <(grep ' hello\.greeting: ' "$tmp/out/tutorial" | cut -d' ' -f3-) <<-'EOM' ||
		hello.greeting: who world length 5
		hello.greeting: who again length 5
	EOM
		{ cat "$tmp/out/tutorial"; return 1; }
	! grep -i warn "$tmp/out/tutorial" | grep -v 'compiler differs'
}

others()
{
	grep -q '^heartbeat\.' "$tmp/out/more" && [[ $(< "$tmp/out/tool") = "ltt $version" ]]
}

# Packages of another version, which are the same otherwise.
next_version()
{
	local package deb new=$version.1

	mkdir "$tmp/next"
	for package in "${packages[@]}"; do
		deb=$(compgen -G "$debs/${package}_*.deb")
		dpkg-deb -R "$deb" "$tmp/next/tree" || return
		sed -i "s/\b$version\b/$new/" "$tmp/next/tree/DEBIAN/control"
		if [[ $package = ltt-dkms ]]; then
			mv "$tmp/next/tree/usr/src/ltt-$version" "$tmp/next/tree/usr/src/ltt-$new"
			sed -i "s/$version/$new/" "$tmp/next/tree/usr/src/ltt-$new"/{dkms.conf,include/linux/ltt/version.h} \
				"$tmp/next/tree/DEBIAN/"{postinst,prerm}
			sed -i "s,usr/src/ltt-$version/,usr/src/ltt-$new/," "$tmp/next/tree/DEBIAN/md5sums"
		fi
		dpkg-deb -b "$tmp/next/tree" "$tmp/next/${package}_$new.deb" > /dev/null || return
		rm -rf "$tmp/next/tree"
	done
}

# What the administrator has in /etc/ltt stays.
upgraded()
{
	echo 'event = sched.*' > "$tmp/root/etc/ltt/flight.d/mine.conf"
	next_version && put package_upgrade "$tmp/next" && modules "$version.1" || return
	[[ ! -e $tmp/root/usr/src/ltt-$version ]] || return
	[[ $(< "$tmp/root/etc/ltt/flight.d/mine.conf") = 'event = sched.*' ]]
}

# Nothing of it is left but that.
purged()
{
	inside dpkg --purge "${packages[@]}" > "$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	grep -iE 'error' "$tmp/log"
	files > "$tmp/after"
	diff "$tmp/before" "$tmp/after" | grep -v -e '^[0-9,]*[acd]' -e '> ./etc/ltt' \
		-e '/lib/modules/[^/]*/modules\.' -e '> ./var/lib/dkms$' > "$tmp/left"
	[[ ! -s $tmp/left ]] || { cat "$tmp/left"; return 1; }
	[[ -e $tmp/root/etc/ltt/flight.d/mine.conf && ! $(inside dkms status) ]] || return
	! initramfs | grep ltt
}

# A trace of a machine that there never was.
record()
{
	make -s -C "$here" "$ltt_root/build/user/make_bench" && "$ltt_root/build/user/make_bench" "$tmp/trace" 5000
}

echo "KTAP version 1"
((EUID == 0)) || { echo "1..0 # SKIP must be root"; exit 4; }
for program in debootstrap lintian qemu-system-x86_64; do
	command -v $program > /dev/null || { echo "1..0 # SKIP needs $program"; exit 4; }
done
set_up record
set_up build
set_up unpack
run_test "lintian has nothing to say" linted
run_test "installed, and the modules built" fresh
run_test "used" used
run_test "a module of others, with what is installed" more
run_test "its kernel boots, and LTT is loaded and removed" boot
run_test "ltt text shows what is scheduled" shown
run_test "the tutorial, typed" tutorial
run_test "the other modules" others
run_test "upgraded" upgraded
run_test "purged" purged
"$here/bench/bench_report.py" "$ltt_root/build/packages-$codename" < "$tmp/figures"
echo "1..$number"
exit $failed
