#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: packages.sh CODENAME
#
# Debian's packages: built, looked at by lintian, and installed, used, upgraded and purged in a
# fresh system of release CODENAME. In that nothing can be loaded: DKMS builds the modules for its
# kernel. Takes root, and a while; `make check-long` runs it.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
here=$ltt_root/tools/testing/ltt
codename=${1:?}
tmp=$(mktemp -d)
trap 'umount -q "$tmp/root"/{proc,dev/null} 2> /dev/null; rm -rf "$tmp"' EXIT

# shellcheck source=../unit/ktap.sh
. "$here/unit/ktap.sh"

debs=$ltt_root/build/deb
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$ltt_root/dkms.conf")
packages=(ltt-dkms ltt-tools libltt0 libltt-dev ltt-kernel-dev ltt-doc)

inside()
{
	chroot "$tmp/root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
		LC_ALL=C HOME=/root "$@"
}

build()
{
	make -s -C "$ltt_root" deb > "$tmp/log" 2>&1 || { tail -n 30 "$tmp/log"; return 1; }
}

linted()
{
	local output

	output=$(lintian --allow-root --fail-on error,warning "$debs"/ltt_*.changes 2>&1) || { echo "$output"; return 1; }
}

unpack()
{
	mkdir "$tmp/root"
	tar -C "$tmp/root" -xf "$("$here/debian/system" "$codename")" || return
	mount --bind /proc "$tmp/root/proc"
	# What is there was not put there by any of ours.
	files > "$tmp/before"
}

# All files, but those that dpkg, ldconfig and others keep account in.
files()
{
	(cd "$tmp/root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/log -o -path ./var/lib/dpkg \
		-o -path ./var/cache -o -path ./root \) -prune -o -print) | grep -v __pycache__ | sort
}

# The kernel whose headers are there.
kernel()
{
	inside sh -c 'cd /lib/modules && echo */build' | cut -d/ -f1
}

# put DIRECTORY: install the packages there
put()
{
	local files=() package

	for package in "${packages[@]}"; do
		files+=("$1/${package}"_*.deb)
	done
	cp "${files[@]}" "$tmp/root/tmp" || return
	inside sh -c 'dpkg -i /tmp/*.deb' > "$tmp/log" 2>&1 || { grep dpkg: "$tmp/log"; tail -n 30 "$tmp/log"; }
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
	[[ $(inside modinfo -k "$kernel" -F version ltt-core) = "$1" ]]
}

fresh()
{
	put "$debs" && modules "$version"
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
	inside sh -c 'cd /root && gcc -o count count.c $(pkg-config --cflags --libs libltt) && ./count trace' > "$tmp/counts" ||
		return
	diff "$tmp/counts" <(inside ltt view -m sched.sched_switch /root/trace | grep -v '^#' |
		sed -E 's/.* next_pid ([0-9]+).*/\1/' | sort -n | uniq -c | awk '{ print $2, $1 }')
}

# The tutorial, up to loading.
tutorial()
{
	local kernel

	kernel=$(kernel)
	awk '/^\.\. code-block:: sh$/ { n++; next } /^[^\t]/ { code = 0 } n && /^\t/ && n <= 2 { print substr($0, 2) }' \
		"$ltt_root/Documentation/trace/ltt/first-marker.rst" | sed "s/\$(uname -r)/$kernel/" > "$tmp/root/root/typed"
	inside sh -c 'mkdir /root/hello && cd /root/hello && . /root/typed' > "$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	inside modinfo -F vermagic /root/hello/hello.ko | grep -q "^$kernel " || return
	# Modules that use more.
	inside sh -c "cp -r /usr/share/doc/ltt-doc/examples /root/more && cd /root/more && gunzip -fq *.gz; rm -f Makefile
		echo 'obj-m := ltt-sample-channel.o' > Kbuild
		echo 'include \$(shell pkg-config --variable=kbuild ltt-kernel)' >> Kbuild
		make -C /lib/modules/$kernel/build M=/root/more modules" > "$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	! grep -i warn "$tmp/log" | grep -v 'compiler differs'
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
	next_version && put "$tmp/next" && modules "$version.1" || return
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
	[[ -e $tmp/root/etc/ltt/flight.d/mine.conf && ! $(inside dkms status) ]]
}

# A trace of a machine that there never was.
record()
{
	make -s -C "$here" "$ltt_root/build/user/make_bench" && "$ltt_root/build/user/make_bench" "$tmp/trace" 5000
}

echo "KTAP version 1"
((EUID == 0)) || { echo "1..0 # SKIP must be root"; exit 4; }
for program in debootstrap lintian dh_dkms dh_sphinxdoc; do
	command -v $program > /dev/null || { echo "1..0 # SKIP needs $program"; exit 4; }
done
set_up record
set_up build
set_up unpack
run_test "lintian has nothing to say" linted
run_test "installed, and the modules built" fresh
run_test "used" used
run_test "modules of others, with what is installed" tutorial
run_test "upgraded" upgraded
run_test "purged" purged
echo "1..$number"
exit $failed
