// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the ltt command, shipped with the modules.
 *
 *	# modprobe ltt-tool
 *	# install /sys/kernel/debug/ltt/tool/ltt /usr/local/bin/ltt
 *
 * The program is linked statically, so it runs on whatever is installed there. It was built of
 * the same source as the modules, and belongs to exactly these.
 */

#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/ltt/control.h>
#include <linux/ltt/version.h>

/* program.S */
extern const char ltt_tool_begin[], ltt_tool_end[];

static struct dentry *dir;
static struct ltt_control_file *file;

/* The piece that begins at *@pos. */
static void *piece(const loff_t *pos)
{
	loff_t offset = *pos * SZ_4K;

	return offset < ltt_tool_end - ltt_tool_begin ? (void *)(ltt_tool_begin + offset) : NULL;
}

static void *program_start(struct seq_file *m, loff_t *pos)
{
	return piece(pos);
}

static void *program_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return piece(pos);
}

static void program_stop(struct seq_file *m, void *v)
{
}

static int program_show(struct seq_file *m, void *v)
{
	const char *p = v;

	/* If there is no room for it, seq_file makes some, and asks again. */
	seq_write(m, p, min_t(size_t, SZ_4K, ltt_tool_end - p));
	return 0;
}

static const struct seq_operations program = {
	.start = program_start,
	.next = program_next,
	.stop = program_stop,
	.show = program_show,
};

static const struct ltt_control_ops ops = {
	.owner = THIS_MODULE,
	.path = "tool/ltt",
	.seq = &program,
};

static int __init ltt_tool_init(void)
{
	struct dentry *parent = debugfs_lookup("ltt", NULL);

	if (IS_ERR_OR_NULL(parent))
		return -ENOENT;
	dir = debugfs_create_dir("tool", parent);
	dput(parent);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	d_inode(dir)->i_mode &= ~0077;	/* root's alone, as all of ltt */
	file = ltt_control_file_create(&ops, dir, NULL, NULL);
	if (IS_ERR(file)) {
		debugfs_remove(dir);
		return PTR_ERR(file);
	}
	return 0;
}

static void __exit ltt_tool_exit(void)
{
	ltt_control_file_remove(file);
	debugfs_remove(dir);
}

module_init(ltt_tool_init);
module_exit(ltt_tool_exit);

MODULE_DESCRIPTION("LTT: the ltt command");
MODULE_LICENSE("GPL");
MODULE_VERSION(LTT_VERSION);
