// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: where BTF comes from: the files in /sys/kernel/btf, as the first process sees
 * them, whoever asks.
 */
#include <linux/err.h>
#include <linux/kernel_read_file.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ltt-btf.h"

#define DIRECTORY	"/sys/kernel/btf/"

/* The kernel's, while somebody uses it; protected by kernel_mutex. */
static struct ltt_btf kernel;
static void *kernel_bytes;
static unsigned int kernel_users;
static DEFINE_MUTEX(kernel_mutex);

static int read_btf(const char *name, const struct ltt_btf *base, struct ltt_btf *btf,
		    void **bytes)
{
	char path[sizeof(DIRECTORY) + MODULE_NAME_LEN];
	ssize_t size;
	int err;

	snprintf(path, sizeof(path), DIRECTORY "%s", name);
	*bytes = NULL;
	size = kernel_read_file_from_path_initns(path, 0, bytes, INT_MAX, NULL,
						 READING_UNKNOWN);
	if (size < 0)
		return size;
	err = ltt_btf_open(btf, *bytes, size, base);
	if (err) {
		vfree(*bytes);
		*bytes = NULL;
	}
	return err;
}

/**
 * ltt_btf_kernel_get() - have the kernel's BTF in memory
 * @btf:	receives it
 *
 * Context: task, may sleep.
 * Return: 0; -ENOENT: this kernel has none; -EBADMSG: it makes no sense; -ENOMEM;
 * another errno with which the file cannot be read.
 */
int ltt_btf_kernel_get(const struct ltt_btf **btf)
{
	int err = 0;

	mutex_lock(&kernel_mutex);
	if (!kernel_users)
		err = read_btf("vmlinux", NULL, &kernel, &kernel_bytes);
	if (!err) {
		kernel_users++;
		*btf = &kernel;
	}
	mutex_unlock(&kernel_mutex);
	return err;
}

/**
 * ltt_btf_kernel_put() - undo ltt_btf_kernel_get()
 *
 * Context: task, may sleep.
 */
void ltt_btf_kernel_put(void)
{
	mutex_lock(&kernel_mutex);
	if (!--kernel_users) {
		ltt_btf_close(&kernel);
		vfree(kernel_bytes);
		kernel_bytes = NULL;
	}
	mutex_unlock(&kernel_mutex);
}

/**
 * ltt_btf_source_open() - have BTF in memory
 * @source:	receives it
 * @module:	name of the module whose types are to be found, too, or NULL
 *
 * Context: task, may sleep.
 * Return: as ltt_btf_kernel_get().
 */
int ltt_btf_source_open(struct ltt_btf_source *source, const char *module)
{
	int err;

	err = ltt_btf_kernel_get(&source->kernel);
	if (err)
		return err;
	source->bytes = NULL;
	source->btf = source->kernel;
	if (!module)
		return 0;
	err = read_btf(module, source->kernel, &source->module, &source->bytes);
	if (err) {
		ltt_btf_kernel_put();
		return err;
	}
	source->btf = &source->module;
	return 0;
}

/**
 * ltt_btf_source_close() - undo ltt_btf_source_open()
 * @source:	the BTF
 *
 * Context: task, may sleep.
 */
void ltt_btf_source_close(struct ltt_btf_source *source)
{
	if (source->bytes) {
		ltt_btf_close(&source->module);
		vfree(source->bytes);
	}
	ltt_btf_kernel_put();
}
