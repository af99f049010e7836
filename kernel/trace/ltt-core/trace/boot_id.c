// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: which start of the machine this is.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/ltt/trace.h>
#include <linux/uuid.h>
#include <linux/workqueue.h>

#include "core.h"

#define FILE_NAME	"/proc/sys/kernel/random/boot_id"

static uuid_t boot_id;
/* Set with RELEASE, after boot_id. */
static bool known;

static void read_file(struct work_struct *work)
{
	char text[UUID_STRING_LEN + 1] = "";
	struct file *file;
	loff_t pos = 0;
	uuid_t id;
	ssize_t len;

	if (known)
		return;
	file = filp_open(FILE_NAME, O_RDONLY | O_NONBLOCK, 0);
	if (IS_ERR(file))
		return;
	len = kernel_read(file, text, UUID_STRING_LEN, &pos);
	filp_close(file, NULL);
	if (len != UUID_STRING_LEN || uuid_parse(text, &id))
		return;
	boot_id = id;
	/* Whoever finds it known in ltt_boot_id() finds all of it. */
	smp_store_release(&known, true);
}

/* Not done by two threads at a time. */
static DECLARE_WORK(work, read_file);

/**
 * ltt_boot_id_init() - find out the boot ID
 *
 * The kernel shows it to user space only. A kernel thread reads it, which sees the files of the
 * machine's init process: containers may have another one in its place. Without /proc it
 * stays unknown, until this is called again.
 *
 * Context: task; sleeps.
 */
void ltt_boot_id_init(void)
{
	if (READ_ONCE(known))
		return;
	queue_work(ltt_wq, &work);
	flush_work(&work);
}

/**
 * ltt_boot_id() - the boot ID, as in /proc/sys/kernel/random/boot_id
 *
 * Context: any.
 * Return: LTT_UUID_SIZE bytes, or NULL if it is unknown.
 */
const u8 *ltt_boot_id(void)
{
	/* Pairs with ltt_boot_id_init(). */
	return smp_load_acquire(&known) ? boot_id.b : NULL;
}
