// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: which start of the machine this is.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/ltt/trace.h>
#include <linux/uuid.h>

#include "core.h"

#define FILE_NAME	"/proc/sys/kernel/random/boot_id"

static uuid_t boot_id;
/* Set with RELEASE, after boot_id. */
static bool known;

/**
 * ltt_boot_id_init() - find out the boot ID
 *
 * The kernel shows it to user space only. Without /proc it stays unknown, until this is called
 * again.
 *
 * Context: task; may sleep, opens a file.
 */
void ltt_boot_id_init(void)
{
	char text[UUID_STRING_LEN + 1] = "";
	struct file *file;
	loff_t pos = 0;
	uuid_t id;
	ssize_t len;

	if (READ_ONCE(known))
		return;
	file = filp_open(FILE_NAME, O_RDONLY, 0);
	if (IS_ERR(file))
		return;
	len = kernel_read(file, text, UUID_STRING_LEN, &pos);
	filp_close(file, NULL);
	if (len != UUID_STRING_LEN || uuid_parse(text, &id))
		return;
	/* Others find the same. */
	boot_id = id;
	/* Whoever finds it known in ltt_boot_id() finds all of it. */
	smp_store_release(&known, true);
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
EXPORT_SYMBOL_GPL(ltt_boot_id);
