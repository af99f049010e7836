// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: /sys/kernel/debug/ltt/function/
 */

#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/ltt/control.h>
#include <linux/ltt/trace.h>

#include "function.h"

static int filter_show(struct seq_file *m, void *unused)
{
	ltt_function_entry_show(LTT_FUNCTION_FILTER, m);
	return 0;
}

static int filter_store(void *unused, const char *request, struct ltt_error *error)
{
	return ltt_function_entry_set(LTT_FUNCTION_FILTER, request, error);
}

static int notrace_show(struct seq_file *m, void *unused)
{
	ltt_function_entry_show(LTT_FUNCTION_NOTRACE, m);
	return 0;
}

static int notrace_store(void *unused, const char *request, struct ltt_error *error)
{
	return ltt_function_entry_set(LTT_FUNCTION_NOTRACE, request, error);
}

static int returns_show(struct seq_file *m, void *unused)
{
	ltt_function_returns_show(m);
	return 0;
}

static int returns_store(void *unused, const char *request, struct ltt_error *error)
{
	return ltt_function_returns_set(request, error);
}

static int profile_show(struct seq_file *m, void *unused)
{
	ltt_function_profile_show(m);
	return 0;
}

static int stats_show(struct seq_file *m, void *unused)
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
	return 0;
}

static const struct ltt_control_ops files[] = {
	{
		.owner = THIS_MODULE,
		.path = "function/filter",
		.show = filter_show,
		.store = filter_store,
		.may_be_empty = true,
	}, {
		.owner = THIS_MODULE,
		.path = "function/notrace",
		.show = notrace_show,
		.store = notrace_store,
		.may_be_empty = true,
	}, {
		.owner = THIS_MODULE,
		.path = "function/returns",
		.show = returns_show,
		.store = returns_store,
		.may_be_empty = true,
	}, {
		.owner = THIS_MODULE,
		.path = "function/stats",
		.show = stats_show,
	}, {
		.owner = THIS_MODULE,
		.path = "function/profile",
		.show = profile_show,
	},
};

static struct dentry *dir;
static struct ltt_control_file *made[ARRAY_SIZE(files)];

/**
 * ltt_function_files_init() - make the files
 * @profile:	the last one, too
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
	for (i = 0; !err && i < ARRAY_SIZE(files) - !profile; i++) {
		made[i] = ltt_control_file_create(&files[i], dir, NULL, NULL);
		err = PTR_ERR_OR_ZERO(made[i]);
	}
	if (err)
		ltt_function_files_exit();
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(made); i++) {
		ltt_control_file_remove(made[i]);
		made[i] = NULL;
	}
	debugfs_remove(dir);
}
