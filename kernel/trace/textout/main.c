// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the text output, a module. Its files come and go with traces:
 *
 *	traces/NAME/text/ALL		all channels that are not private
 *	traces/NAME/text/CHANNEL	one
 *	traces/NAME/text_style		how lines look
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/control.h>
#include <linux/ltt/output.h>
#include <linux/ltt/trace.h>

#include "textout.h"

enum { STYLE_FORMAT, STYLE_FTRACE };
static const char *const styles[] = {
	[STYLE_FORMAT] = "format",
	[STYLE_FTRACE] = "ftrace",
};

/**
 * struct text_style - the file text_style of a trace
 * @trace:	the trace
 * @file:	the file
 * @style:	index in styles[]
 * @node:	in text_styles
 */
struct text_style {
	struct ltt_trace *trace;
	struct ltt_control_file *file;
	unsigned int style;
	struct list_head node;
};

/* Taken inside of ltt_mutex; nothing is taken inside of it. */
static DEFINE_MUTEX(styles_mutex);
/* Protected by styles_mutex. */
static LIST_HEAD(text_styles);

/**
 * ltt_text_own_words() - which style do text files of a trace have?
 * @trace:	the trace; the caller has a reference
 *
 * Context: task, may sleep.
 * Return: true if events that can print themselves are to do so.
 */
bool ltt_text_own_words(struct ltt_trace *trace)
{
	struct text_style *style;
	bool own_words = false;

	mutex_lock(&styles_mutex);
	list_for_each_entry(style, &text_styles, node) {
		if (style->trace == trace)
			own_words = READ_ONCE(style->style) == STYLE_FTRACE;
	}
	mutex_unlock(&styles_mutex);
	return own_words;
}

/* All of them in a line, that of the trace in brackets. */
static int style_show(struct seq_file *m, void *data)
{
	const struct text_style *style = data;
	unsigned int used = READ_ONCE(style->style), i;

	for (i = 0; i < ARRAY_SIZE(styles); i++)
		seq_printf(m, i == used ? "%s[%s]" : "%s%s", i ? " " : "", styles[i]);
	seq_putc(m, '\n');
	return 0;
}

static int style_store(void *data, const char *text, struct ltt_error *error)
{
	struct text_style *style = data;
	int i = match_string(styles, ARRAY_SIZE(styles), text);

	if (i < 0)
		return ltt_fail(error, -EINVAL, "column 1: no such style");
	WRITE_ONCE(style->style, i);
	return 0;
}

static const struct ltt_control_ops style_ops = {
	.owner = THIS_MODULE,
	.path = "text_style",
	.show = style_show,
	.store = style_store,
};

static void complain(struct ltt_trace *trace, const char *name, int err)
{
	ltt_log_error(trace->log, "%s: not available (%pe)", name, ERR_PTR(err));
}

static int add_style(struct ltt_trace *trace, struct dentry *parent)
{
	struct text_style *style = kzalloc(sizeof(*style), GFP_KERNEL);

	if (!style)
		return -ENOMEM;
	style->trace = trace;
	style->file = ltt_control_file_create(&style_ops, parent, trace, style);
	if (IS_ERR(style->file)) {
		int err = PTR_ERR(style->file);

		kfree(style);
		return err;
	}
	mutex_lock(&styles_mutex);
	list_add(&style->node, &text_styles);
	mutex_unlock(&styles_mutex);
	return 0;
}

static int add_trace(struct ltt_trace *trace, struct dentry *parent, struct dentry *dir)
{
	struct dentry *all;

	all = debugfs_create_file_unsafe("ALL", 0400, dir, trace, &ltt_text_all_fops);
	if (IS_ERR(all))
		return PTR_ERR(all);
	return add_style(trace, parent);
}

static void add_channel(struct ltt_tchan *tchan, struct dentry *dir)
{
	const char *name = tchan->channel->name;
	struct dentry *file;

	file = debugfs_create_file_unsafe(name, 0400, dir, tchan, &ltt_text_channel_fops);
	if (IS_ERR(file))
		complain(tchan->trace, name, PTR_ERR(file));
}

static void release_trace(struct ltt_trace *trace)
{
	struct text_style *style, *found = NULL;

	mutex_lock(&styles_mutex);
	list_for_each_entry(style, &text_styles, node) {
		if (style->trace == trace)
			found = style;
	}
	if (found)
		list_del(&found->node);
	mutex_unlock(&styles_mutex);
	if (!found)
		return;
	ltt_control_file_remove(found->file);
	kfree(found);
}

static struct ltt_output text_output = {
	.owner = THIS_MODULE,
	.name = "text",
	.add_trace = add_trace,
	.add_channel = add_channel,
	.release_trace = release_trace,
};

static int __init textout_init(void)
{
	return ltt_output_register(&text_output);
}
module_init(textout_init);

static void __exit textout_exit(void)
{
	ltt_output_unregister(&text_output);
}
module_exit(textout_exit);

MODULE_DESCRIPTION("LTT: merged, ordered text");
MODULE_LICENSE("GPL");
