// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the text output, a module. Its files are part of each trace's directory:
 *
 *	traces/NAME/text/ALL		all channels that are not private
 *	traces/NAME/text/CHANNEL	one channel
 *	traces/NAME/text_style		the style of lines
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/client.h>
#include <linux/ltt/control.h>
#include <linux/ltt/dump.h>
#include <linux/ltt/trace.h>

#include "lib/style.h"
#include "textout.h"

/**
 * struct text_trace - the text output of a trace
 * @trace:	the trace
 * @style_file:	its file text_style
 * @style:	the selected style
 * @files:	struct ltt_text_file of all channels; protected by ltt_mutex
 * @all:	the file ALL
 *
 * Lives until the files are removed. Open files do not use it.
 */
struct text_trace {
	struct ltt_trace *trace;
	struct ltt_control_file *style_file;
	const struct ltt_text_style *style;
	struct list_head files;
	struct ltt_text_file all;
};

/**
 * ltt_text_style_of() - the style of a file
 * @file:	the file, which the caller prevents from being removed
 *
 * Context: any.
 * Return: the style.
 */
const struct ltt_text_style *ltt_text_style_of(const struct ltt_text_file *file)
{
	return READ_ONCE(file->text->style);
}

/* All styles in a line, with the current one in brackets. */
static int style_show(struct seq_file *m, void *data)
{
	const struct ltt_text_style *const *style, *used;
	const struct text_trace *text = data;

	used = READ_ONCE(text->style);
	for (style = ltt_text_styles; *style; style++)
		seq_printf(m, *style == used ? "%s[%s]" : "%s%s",
			   style == ltt_text_styles ? "" : " ", (*style)->name);
	seq_putc(m, '\n');
	return 0;
}

static int style_store(void *data, const char *request, struct ltt_error *error)
{
	const struct ltt_text_style *style = ltt_style_find(request);
	struct text_trace *text = data;

	if (!style)
		return ltt_fail(error, -EINVAL, "column 1: no such style");
	WRITE_ONCE(text->style, style);
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
	ltt_log_error(trace->log, "%s: creation failed (%pe)", name, ERR_PTR(err));
}

static void *add_trace(struct ltt_trace *trace)
{
	struct text_trace *text = kzalloc(sizeof(*text), GFP_KERNEL);

	if (!text)
		return ERR_PTR(-ENOMEM);
	text->trace = trace;
	text->style = ltt_text_styles[0];
	INIT_LIST_HEAD(&text->files);
	text->all.text = text;
	text->all.trace = trace;
	return text;
}

static int add_files(void *data, struct dentry *parent, struct dentry *dir)
{
	struct text_trace *text = data;
	struct dentry *all;

	all = debugfs_create_file_unsafe("ALL", 0400, dir, &text->all, &ltt_text_fops);
	if (IS_ERR(all))
		return PTR_ERR(all);
	text->style_file = ltt_control_file_create(&style_ops, parent, text->trace, text);
	return PTR_ERR_OR_ZERO(text->style_file);
}

static void add_channel(void *data, struct ltt_trace_channel *tchan, struct dentry *dir)
{
	const char *name = tchan->channel->name;
	struct ltt_text_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	struct text_trace *text = data;
	struct dentry *dentry;

	if (!file) {
		complain(text->trace, name, -ENOMEM);
		return;
	}
	file->text = text;
	file->trace = text->trace;
	file->channel = name;
	list_add_tail(&file->node, &text->files);
	dentry = debugfs_create_file_unsafe(name, 0400, dir, file, &ltt_text_fops);
	if (IS_ERR(dentry))
		complain(text->trace, name, PTR_ERR(dentry));
}

static void release_trace(void *data)
{
	struct ltt_text_file *file, *next;
	struct text_trace *text = data;

	ltt_control_file_remove(text->style_file);
	list_for_each_entry_safe(file, next, &text->files, node)
		kfree(file);
	kfree(text);
}

static struct ltt_client client = {
	.name = "text",
	.dir = "text",
	.frozen = true,
	.add_trace = add_trace,
	.add_files = add_files,
	.add_channel = add_channel,
	.release_trace = release_trace,
};

static int __init textout_init(void)
{
	int err = ltt_dumper_register(&ltt_text_dumper);

	if (err)
		return err;
	err = ltt_client_register(&client);
	if (err)
		ltt_dumper_unregister(&ltt_text_dumper);
	return err;
}
module_init(textout_init);

static void __exit textout_exit(void)
{
	ltt_client_unregister(&client);
	ltt_dumper_unregister(&ltt_text_dumper);
}
module_exit(textout_exit);

MODULE_DESCRIPTION("LTT: text output, merged in order of time");
MODULE_LICENSE("GPL");
