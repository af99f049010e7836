#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: RESETS=1 KDUMP=1 SMP=4 MEM=2G TIMEOUT=1200 APPEND='no_hash_pointers crashkernel=512M'
#
# Traces in what kdump saves of a kernel that has crashed while all of its processors were busy:
# they are what readers have seen. Whoever runs this test runs it again after the reset, see
# guest-tests.sh; what has been done is remembered in a directory of the host.

resets=1
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/vmcore.sh
. "$here/lib/vmcore.sh"

if [[ ! ${LTT_HOST:-} || ! -e $LTT_HOST/initramfs ]]; then
	echo "1..0 # SKIP needs a virtual machine of check.sh, and a kernel for which kdump has room"
	exit 4
fi
state=$LTT_HOST/vmcore
# As commands on the host see it.
LTT_ON_HOST=../vmcore

# What the capture kernel is to do: all of the memory, as it is and as small as it gets.
capture()
{
	cat > "$LTT_HOST/kdump" <<-'END'
		cd /out/vmcore
		{
			makedumpfile -d 31 -l /proc/vmcore small && cp /proc/vmcore whole && touch done
		} > log 2>&1
		sync
	END
}

crash()
{
	mkdir -p "$state"
	capture
	kexec -s -p "$LTT_HOST/vmlinuz" --initrd="$LTT_HOST/initramfs" \
		--append="console=ttyS0 panic=-1 nr_cpus=1 irqpoll reset_devices tsc=reliable no_timer_check"
	expect "crash kernel" 1 "$(cat /sys/kernel/kexec_crash_loaded)"
	crash_traces "$state"
	readers_catch_up
	sync
	echo "ltt-vm: crash by SysRq, kdump" > /dev/kmsg
	echo 1 > /proc/sys/kernel/sysrq
	echo c > /proc/sysrq-trigger
	sleep 60
	fail "the machine runs on"
}

# saved FILE
saved()
{
	[ -e "$state/done" ] || { cat "$state/log"; fail "the capture kernel has not saved it all"; }
	# It does not say what it leaves out then, and that is not only what it was told to.
	if [ "$1" = small ] && grep 'kernel version is not supported' "$state/log"; then
		echo "needs a makedumpfile that knows $(uname -r)"
		exit 4
	fi
	ls -l "$state/$1"
	seen "$1"
	look_for "$state" "$1"
}

if [ ! -e "$state" ]; then
	( set -e; crash )
	echo "Bail out! the machine was not reset"
	exit 1
fi
echo "KTAP version 1"
run_test "what makedumpfile has left" saved small
run_test "all of it" saved whole
finish
