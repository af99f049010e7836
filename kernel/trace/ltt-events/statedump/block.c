// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's block devices.
 */

#include <linux/blkdev.h>
#include <linux/device.h>
#include <linux/kdev_t.h>
#include <linux/ltt/compat.h>

#include "statedump.h"

static void tell(struct state_dump *dump, struct block_device *bdev)
{
	dev_t dev = bdev->bd_dev;

	state_mark(dump, STATE_BLOCK, block_device,
		   "major %u minor %u name %s sectors %llu partition %u readonly %u",
		   MAJOR(dev), MINOR(dev), dev_name(&bdev->bd_device),
		   (u64)bdev_nr_sectors(bdev), bdev_is_partition(bdev), bdev_read_only(bdev));
}

/**
 * ltt_state_block() - record all disks and partitions
 * @dump:	the dump
 *
 * Their class is not exported, but can be found through any disk, including one that is
 * allocated for this purpose and never becomes visible.
 *
 * Context: task, sleeps.
 */
void ltt_state_block(struct state_dump *dump)
{
	struct class_dev_iter iter;
	struct gendisk *disk;
	struct device *dev;

	if (!ltt_state_wants(dump, STATE_BLOCK))
		return;
	disk = ltt_disk_alloc();
	if (!disk) {
		ltt_state_skip(dump);
		return;
	}
	class_dev_iter_init(&iter, disk_to_dev(disk)->class, NULL, NULL);
	while (!ltt_state_cancelled(dump) && (dev = class_dev_iter_next(&iter)))
		tell(dump, dev_to_bdev(dev));
	class_dev_iter_exit(&iter);
	put_disk(disk);
}
