// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the files of the bridge in debugfs: the events with their fields, and what is
 * missing.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/seq_file.h>

#include "bridge.h"

static const char *const missing[] = {
#include "gen/missing.h"
};

static struct dentry *tracepoints_file, *missing_file;

static void *tracepoints_start(struct seq_file *m, loff_t *pos)
{
	return *pos < ltt_nr_bridges ? &ltt_bridges[*pos] : NULL;
}

static void *tracepoints_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return tracepoints_start(m, pos);
}

static void tracepoints_stop(struct seq_file *m, void *v)
{
}

static int tracepoints_show(struct seq_file *m, void *v)
{
	const struct ltt_bridge *bridge = v;
	const struct ltt_bridge_field *fields;
	unsigned int nr, i;

	seq_printf(m, "%s.%s %s%s\n", bridge->desc->channel, bridge->desc->name,
		   READ_ONCE(bridge->registered) ? "present" : "absent",
		   bridge->desc->print ? "" : " noprint");
	fields = bridge->desc->fields(&nr);
	for (i = 0; i < nr; i++)
		seq_printf(m, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%u;\n",
			   fields[i].type, fields[i].name, fields[i].offset,
			   fields[i].size, fields[i].is_signed);
	return 0;
}

static const struct seq_operations tracepoints_sops = {
	.start = tracepoints_start,
	.next = tracepoints_next,
	.stop = tracepoints_stop,
	.show = tracepoints_show,
};

static int tracepoints_open(struct inode *inode, struct file *file)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?: seq_open(file, &tracepoints_sops);
}

static const struct file_operations tracepoints_fops = {
	.owner = THIS_MODULE,
	.open = tracepoints_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

static int missing_show(struct seq_file *m, void *v)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(missing); i++)
		seq_puts(m, missing[i]);
	return 0;
}

static int missing_open(struct inode *inode, struct file *file)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?: single_open(file, missing_show, NULL);
}

static const struct file_operations missing_fops = {
	.owner = THIS_MODULE,
	.open = missing_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * ltt_bridge_files_init() - make the files
 *
 * Context: task, may sleep.
 * Return: 0, also without debugfs; -EEXIST, -ENOMEM.
 */
int __init ltt_bridge_files_init(void)
{
	struct dentry *root = debugfs_lookup("ltt", NULL);
	int err;

	if (!root)
		return 0;
	tracepoints_file = debugfs_create_file("tracepoints", 0400, root, NULL,
					       &tracepoints_fops);
	missing_file = debugfs_create_file("missing", 0400, root, NULL, &missing_fops);
	dput(root);
	err = PTR_ERR_OR_ZERO(tracepoints_file) ?: PTR_ERR_OR_ZERO(missing_file);
	if (err)
		ltt_bridge_files_exit();
	return err;
}

/**
 * ltt_bridge_files_exit() - remove the files; they are not in use any more
 *
 * Context: task, may sleep.
 */
void ltt_bridge_files_exit(void)
{
	debugfs_remove(tracepoints_file);
	debugfs_remove(missing_file);
}
