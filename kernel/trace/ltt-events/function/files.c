// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: /sys/kernel/debug/ltt/function/
 *
 * As elsewhere in ltt/, a write is one request, carried out as a whole or refused
 * with an errno and a line in error_log, and the offset does not matter.
 */

#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/ltt/trace.h>

#include "function.h"

/* Most bytes of a request, and of one that error_log repeats. */
#define REQUEST_MAX	(PAGE_SIZE - 1)
#define QUOTE_MAX	80

static struct dentry *dir;

static void filter_show(struct seq_file *m)
{
	ltt_function_entry_show(LTT_FUNCTION_FILTER, m);
}

static int filter_store(const char *request, struct ltt_error *error)
{
	return ltt_function_entry_set(LTT_FUNCTION_FILTER, request, error);
}

static void notrace_show(struct seq_file *m)
{
	ltt_function_entry_show(LTT_FUNCTION_NOTRACE, m);
}

static int notrace_store(const char *request, struct ltt_error *error)
{
	return ltt_function_entry_set(LTT_FUNCTION_NOTRACE, request, error);
}

static void stats_show(struct seq_file *m)
{
	struct ltt_function_stats sum = {};
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		sum.recursion += READ_ONCE(per_cpu(ltt_function_stats, cpu).recursion);
		sum.no_rcu += READ_ONCE(per_cpu(ltt_function_stats, cpu).no_rcu);
	}
	mutex_lock(&ltt_function_mutex);
	ltt_function_entry_stats(m);
	seq_printf(m, "recursion %lu\n", sum.recursion);
	seq_printf(m, "no_rcu %lu\n", sum.no_rcu);
	ltt_function_returns_stats(m);
	mutex_unlock(&ltt_function_mutex);
}

struct function_file {
	const char *name;
	void (*show)(struct seq_file *m);
	int (*store)(const char *request, struct ltt_error *error);
};

static const struct function_file files[] = {
	{ "filter",	filter_show,			filter_store },
	{ "notrace",	notrace_show,			notrace_store },
	{ "returns",	ltt_function_returns_show,	ltt_function_returns_set },
	{ "stats",	stats_show },
};

static const struct function_file profile_file = {
	"profile",	ltt_function_profile_show,
};

static ssize_t file_write(struct file *file, const char __user *ubuf, size_t count,
			  loff_t *ppos)
{
	const struct function_file *desc = file_inode(file)->i_private;
	struct ltt_error error = {};
	char *request;
	int err;

	err = ltt_request_fetch(ubuf, count, REQUEST_MAX, &request, &error);
	if (!err)
		err = desc->store(request, &error);
	if (err)
		ltt_log_error(NULL, "function/%s: %s (%pe)%s%.*s%s", desc->name,
			      error.text[0] ? error.text : "failed", ERR_PTR(err),
			      request ? ": \"" : "", QUOTE_MAX, request ?: "",
			      request ? "\"" : "");
	kfree(request);
	return err ?: count;
}

static int file_show(struct seq_file *m, void *unused)
{
	const struct function_file *desc = m->private;

	desc->show(m);
	return 0;
}

static int file_open(struct inode *inode, struct file *file)
{
	const struct function_file *desc = inode->i_private;

	/* Its mode does not stop who may override modes. */
	if ((file->f_mode & FMODE_WRITE) && !desc->store)
		return -EACCES;
	return single_open(file, file_show, (void *)desc);
}

static const struct file_operations file_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.read = seq_read,
	.write = file_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int make(const struct function_file *desc)
{
	return PTR_ERR_OR_ZERO(debugfs_create_file(desc->name, desc->store ? 0600 : 0400,
						   dir, (void *)desc, &file_fops));
}

/**
 * ltt_function_files_init() - make the files
 * @profile:	and the one called profile
 *
 * Where ltt has no tree in debugfs there is nothing to do.
 *
 * Context: task, may sleep.
 * Return: 0 or a negative errno.
 */
int ltt_function_files_init(bool profile)
{
	struct dentry *parent;
	size_t i;
	int err = 0;

	if (!debugfs_initialized())
		return 0;
	parent = debugfs_lookup("ltt", NULL);
	if (IS_ERR_OR_NULL(parent))
		return -ENOENT;
	dir = debugfs_create_dir("function", parent);
	dput(parent);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	d_inode(dir)->i_mode &= ~0077;	/* root's alone, as all of ltt */
	for (i = 0; !err && i < ARRAY_SIZE(files); i++)
		err = make(&files[i]);
	if (!err && profile)
		err = make(&profile_file);
	if (err)
		debugfs_remove(dir);
	return err;
}

/**
 * ltt_function_files_exit() - remove the files
 *
 * Waits for reads and writes that are under way.
 *
 * Context: task, may sleep; ltt_function_mutex not held.
 */
void ltt_function_files_exit(void)
{
	debugfs_remove(dir);
}
