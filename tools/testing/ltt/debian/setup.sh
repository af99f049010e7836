#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: setup.sh [KVER]
#
# Install the Debian packages that building and testing need, and get the headers
# of kernel KVER. Says and does nothing where all are there; installing takes root, or sudo.
# What only saves time is installed beside others; if nothing else is missing, it says so.
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

packages=(
	# build
	gcc make libc6-dev linux-headers-amd64 dwarves rsync perl sparse libkdumpfile-dev zlib1g-dev
	# the user-space build of the shared code
	clang libclang-rt-14-dev
	# the models of the lockless protocols
	spin
	# traces of a big-endian machine
	gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
	# the virtual machine
	qemu-system-x86 busybox-static cpio kmod python3 xz-utils zstd
	# the debug kernels, and user-mode Linux
	linux-source-6.1 bison flex bc libelf-dev libssl-dev patch
	# what the tests compare with and look through
	babeltrace2 python3-bt2 lttng-tools liblttng-ust-dev jq python3-jsonschema protobuf-compiler trace-cmd bpftool strace
	procps util-linux
	# what is installed is looked at by these, and man pages are made by Sphinx
	zsh pkg-config python3-sphinx man-db groff-base
	# what the tests need to use the kernel's facilities
	liburing-dev kexec-tools makedumpfile
	# the load of a benchmark: hackbench
	rt-tests
)
# a browser for pages of ltt plot, and for the site
[[ ! ${LTT_LONG:-} ]] || packages+=(chromium)
optional=(ccache)

# Names of packages, the kernel's image, its headers and its source are those of Debian 12. Its
# testing and unstable releases have no number.
debian=$(. /etc/os-release && [[ $ID = debian && ${VERSION_ID:-12} = 12 ]] && echo yes) || true
[[ $debian ]] ||
	die "Debian 12 is required, for its packages; use a container or a virtual machine elsewhere"

# lacking PACKAGE...: those that are not installed
lacking()
{
	local package status

	for package; do
		status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null) || true
		[[ $status = installed ]] || echo "$package"
	done
}

mapfile -t missing < <(lacking "${packages[@]}")
mapfile -t wanted < <(lacking "${optional[@]}")

export DEBIAN_FRONTEND=noninteractive
as_root=()
((EUID == 0)) || as_root=(sudo)
install()
{
	"${as_root[@]}" apt-get -qq -y --no-install-recommends install "$@" >&2
}
if ((${#missing[@]})); then
	((EUID == 0)) || [[ $(type -P sudo) ]] ||
		die "sudo not found; as root, run: apt-get install --no-install-recommends ${missing[*]}"
	echo "installing ${missing[*]}" >&2
	# A fresh machine's package lists are missing or old.
	install "${missing[@]}" 2> /dev/null ||
		{ "${as_root[@]}" apt-get -qq update >&2 && install "${missing[@]}"; }
	((${#wanted[@]} == 0)) || install "${wanted[@]}" || true
elif ((${#wanted[@]})); then
	echo "not installed, builds take longer: ${wanted[*]}" >&2
fi
[[ ! ${1:-} ]] || "${0%/*}/headers" "$1"
