# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # what lib.sh sets
#
# A file system of its own. Sourced after lib.sh.

# mount_disk: an ext4 that is new, as $tmp/mnt, in which nothing happens by itself; umount_disk follows
mount_disk()
{
	modprobe -a loop ext4
	truncate -s 16M "$tmp/disk"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$tmp/disk"
	mkdir -p "$tmp/mnt"
	mount -o loop,noinit_itable,no_prefetch_block_bitmaps "$tmp/disk" "$tmp/mnt"
}

# umount_disk: also if it is not mounted
umount_disk()
{
	umount "$tmp/mnt" 2> /dev/null || true
}
