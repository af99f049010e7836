#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_initramfs.sh
#
# A trace from the kernel's command line, with an initramfs of Debian's initramfs-tools: it has
# what happened before there is a root file system. `make install` goes to a directory that
# mkinitramfs takes for the machine's; this needs the right to mount, if only in namespaces.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"
# shellcheck source=../lib.sh
. "$here/lib.sh"
KVER=$(default_kver)
export KVER

# The packages, unpacked into one directory, as on a machine where /lib is in /usr.
packages()
{
	local dir=$ltt_cache/initramfs-tools deb part

	[[ ! -d $dir ]] || return 0
	rm -rf "$dir.tmp"
	mkdir -p "$dir.tmp/root/usr"
	(cd "$dir.tmp" && apt-get -qq download initramfs-tools-core busybox klibc-utils libklibc udev) || return
	for deb in "$dir.tmp"/*.deb; do
		dpkg-deb -x "$deb" "$dir.tmp/root" || return
	done
	for part in bin sbin lib; do
		[[ ! -d $dir.tmp/root/$part ]] || cp -r "$dir.tmp/root/$part" "$dir.tmp/root/usr/" || return
		rm -rf "${dir:?}.tmp/root/$part"
	done
	mv "$dir.tmp" "$dir"
}

# Prints the text and ends, before the root file system is mounted.
script()
{
	cat <<-'EOM'
		#!/bin/sh
		[ "$1" != prereqs ] || exit 0
		mount -t debugfs debugfs /sys/kernel/debug
		cat /sys/kernel/debug/ltt/traces/boot/enabled > /dev/ttyS0
		timeout 60 cat /sys/kernel/debug/ltt/traces/boot/text/ALL > /dev/ttyS0
		poweroff -f
	EOM
}

# What runs in the namespaces, as root there: its own view of the machine, with what is
# installed on top.
make_image()
{
	cat > "$tmp/make" <<-'EOM'
		set -e
		view=$1/view
		mkdir -p $view $1/rw
		mount -t tmpfs tmpfs $1/rw
		mkdir $1/rw/upper $1/rw/work
		mount -t overlay -o lowerdir=/,upperdir=$1/rw/upper,workdir=$1/rw/work overlay $view
		cp -r $2/. $1/installed/. $view
		mount --rbind /proc $view/proc
		mount --rbind /dev $view/dev
		mkdir -p $view/boot $view/mnt
		mount --bind $1/image $view/mnt
		cp $4/boot/config-$3 $view/boot
		exec chroot $view mkinitramfs -o /mnt/initrd $3
	EOM
	"${unshare[@]}" bash "$tmp/make" "$tmp" "$ltt_cache/initramfs-tools/root" "$KVER" "$kernel"
}

installed()
{
	local etc=$tmp/installed/etc/initramfs-tools

	# As all tests build them.
	MODULE_TREE=1 make -s -C "$top" install INSTALL_MOD_PATH="$tmp/installed/usr" DESTDIR="$tmp/installed" \
		PREFIX=/usr INITRAMFS=/usr/share/initramfs-tools || return
	mkdir -p "$etc/scripts/init-premount" "$tmp/image"
	printf 'MODULES=list\nBUSYBOX=auto\nCOMPRESS=gzip\nKEYMAP=n\nDEVICE=\n' > "$etc/initramfs.conf"
	printf 'virtio_pci\n' > "$etc/modules"
	script > "$etc/scripts/init-premount/test"
	chmod +x "$etc/scripts/init-premount/test"
	make_image
	[[ -s $tmp/image/initrd ]]
}

# Runs QEMU with the kernel's PARAMETER...
guest()
{
	local qemu

	mapfile -t qemu < <("$here/vm/qemu")
	timeout 600 "${qemu[@]}" -nodefaults -display none -no-reboot -machine q35 -m 1G -smp 2 \
		-accel tcg,thread=multi -cpu max,erms=off,fsrm=off,la57=off \
		-kernel "$kernel/boot/vmlinux-$KVER" -initrd "$tmp/image/initrd" \
		-append "console=ttyS0 panic=-1 tsc=reliable no_timer_check loglevel=4 $*" \
		-serial "file:$tmp/console" < /dev/null
}

# boot PARAMETER...: leaves what the console showed in $tmp/console. QEMU may lose a timer's
# interrupt, and the guest hangs, or abort (see vm/run): only one that does so each time is to blame.
boot()
{
	local tries=3 status=124

	while ((status >= 124 && tries--)); do
		guest "$@"
		status=$?
		((status < 124)) || { echo "status $status; $tries more"; tail -n 3 "$tmp/console"; }
	done
	tr -d '\r' < "$tmp/console" > "$tmp/lines"
	return "$status"
}

# At the end, what happened before that script: udev had not even begun.
early()
{
	boot ltt-core.trace=sched.sched_process_exec,ltt_nothing.x ltt-core.dump=100 || return
	grep -E '^[0-9]+\.[0-9]{9} \[[0-9]{3}\] sched\.sched_process_exec: ' "$tmp/lines" > "$tmp/events"
	grep -q '^# LTT trace boot, ' "$tmp/lines" && grep -q 'udevd' "$tmp/events" &&
		! grep '^# lost' "$tmp/lines" || { tail -n 20 "$tmp/lines"; return 1; }
}

# Without a parameter nothing is loaded, and the machine goes on.
silent()
{
	boot quiet || return
	none "$tmp/lines" 'LTT trace'
	grep 'ltt/traces/boot/enabled' "$tmp/lines"
}

none()
{
	! grep "$2" "$1"
}

if [[ $EUID = 0 ]]; then unshare=(unshare --mount); else unshare=(unshare --mount --map-root-user); fi
echo "KTAP version 1"
echo "1..3"
kernel=$("$here/vm/kernel")
set_up with_lock initramfs-tools packages
run_test "mkinitramfs takes what is installed" installed
run_test "a trace has what happened before the root file system" early
run_test "without a parameter there is no trace" silent
exit $failed
