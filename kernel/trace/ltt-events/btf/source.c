// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: where BTF comes from: the files in kernel/btf of sysfs, whatever is mounted where
 * somebody asks.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mount.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ltt-btf.h"

#define DIRECTORY	"kernel/btf/"

/* The kernel's, while somebody uses it; protected by kernel_mutex. */
static struct ltt_btf kernel;
static void *kernel_bytes;
static unsigned int kernel_users;
static DEFINE_MUTEX(kernel_mutex);

/**
 * ltt_btf_mount() - mount a pseudo file system internally
 * @name:	its name in /proc/filesystems
 *
 * Context: task, may sleep.
 * Return: the mount, for kern_unmount(); -ENODEV: this kernel has no such; another
 * ERR_PTR().
 */
struct vfsmount *ltt_btf_mount(const char *name)
{
	struct file_system_type *type = get_fs_type(name);
	struct vfsmount *mnt;

	if (!type)
		return ERR_PTR(-ENODEV);
	mnt = kern_mount(type);
	module_put(type->owner);
	return mnt;
}

/*
 * The whole of a file. kernel_read_file() is not for this: security modules want to hear
 * from it what a file is to do to the kernel, and some warn if that is nothing.
 */
static ssize_t read_file(struct vfsmount *mnt, const char *path, void **bytes)
{
	struct file *file = file_open_root_mnt(mnt, path, O_RDONLY, 0);
	loff_t size, pos = 0;
	ssize_t n = 0;

	if (IS_ERR(file))
		return PTR_ERR(file);
	size = i_size_read(file_inode(file));
	if (size > INT_MAX)
		n = -EFBIG;
	else
		*bytes = vmalloc(size ?: 1);
	if (!n && !*bytes)
		n = -ENOMEM;
	while (!n && pos < size) {
		n = kernel_read(file, *bytes + pos, size - pos, &pos);
		if (n > 0)
			n = 0;
		else if (!n)
			n = -EIO;
	}
	fput(file);
	return n ?: pos;
}

static int read_btf(const char *name, const struct ltt_btf *base, struct ltt_btf *btf,
		    void **bytes)
{
	char path[sizeof(DIRECTORY) + MODULE_NAME_LEN];
	struct vfsmount *mnt = ltt_btf_mount("sysfs");
	ssize_t size;

	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	snprintf(path, sizeof(path), DIRECTORY "%s", name);
	*bytes = NULL;
	size = read_file(mnt, path, bytes);
	kern_unmount(mnt);
	if (size >= 0)
		size = ltt_btf_open(btf, *bytes, size, base);
	if (size < 0) {
		vfree(*bytes);
		*bytes = NULL;
	}
	return size;
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
