// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the root of the debugfs tree.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "../trace/found.h"
#include "control.h"

static const char readme[] =
"LTT shows what a running kernel does as text: one line per event, in order of\n"
"time, from all CPUs. In this directory:\n"
"\n"
"  cat markers                              list what can be recorded\n"
"  echo demo > setup_trace                  create a trace called demo\n"
"  echo 'sched.* irq.*' > traces/demo/markers    select CHANNEL.MARKER\n"
"  echo 1 > traces/demo/enabled             start it\n"
"  cat traces/demo/text/ALL                 read it, until Ctrl-C\n"
"  echo demo > destroy_trace                end it; readers get the rest\n"
"\n"
"When a write fails, error_log, here or in the trace, says why, one line per error.\n"
"Patterns in traces/NAME/markers also apply to modules loaded later; to deselect\n"
"markers, write !CHANNEL.MARKER. The files in traces/NAME/channels/CHANNEL/ set the\n"
"size of the buffers, before the channel is first used, and count the events recorded\n"
"and lost (stats). Documentation/ABI/testing/debugfs-ltt describes every file, and\n"
"Documentation/trace/ltt/ the tracer as a whole.\n";

static int readme_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_write(m, readme, sizeof(readme) - 1);
	return 0;
}

static int version_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_printf(m, "ltt %s\n", LTT_VERSION);
	return 0;
}

static int clock_show(struct seq_file *m, struct ltt_dir *dir)
{
	ltt_clock_show(m);
	return 0;
}

static int clock_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	int ret = ltt_clock_select(text);

	switch (ret) {
	case -EINVAL:
		return ltt_fail(error, ret, "column 1: no such clock");
	case -ENODEV:
		return ltt_fail(error, ret, "column 1: this machine does not have that clock");
	case -EBUSY:
		return ltt_fail(error, ret, "existing traces use another clock");
	case -EINTR:
		return ltt_fail(error, ret, "interrupted");
	}
	return ret;
}

static int enable_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_printf(m, "%d\n", ltt_is_enabled());
	return 0;
}

static int enable_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool enable;
	int ret;

	ret = ltt_parse_bool(text, &enable, error);
	return ret ?: ltt_set_enabled(enable);
}

static int traces_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_trace *trace;

	list_for_each_entry(trace, &ltt_traces, node)
		seq_printf(m, "%s\n", trace->name);
	return 0;
}

static int setup_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	struct ltt_trace *trace = ltt_trace_create(text, error);

	if (IS_ERR(trace))
		return PTR_ERR(trace);
	ltt_trace_put(trace);		/* it stays until it is destroyed */
	return 0;
}

static int destroy_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	struct ltt_trace *trace = ltt_trace_find(text);
	int ret = -ENODEV;

	if (trace) {
		ret = ltt_trace_destroy_killable(trace);
		ltt_trace_put(trace);
	} else if (!ltt_trace_is_dying(text)) {
		return ltt_found_destroy(text, error);
	}
	if (ret == -ENODEV)
		ltt_fail(error, ret, "it is already being destroyed");
	return ret;
}

static int channels_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_channel *channel;

	seq_puts(m, "# channel\tmode\tsubbuf_size\tsubbuf_num\tswitch_timer\tbuffers\n");
	list_for_each_entry(channel, &ltt_channels, node) {
		if (channel->flags & LTT_CHANNEL_PRIVATE)
			continue;
		seq_printf(m, "%s\t%s\t%lu\t%u\t%u\t", channel->name,
			   channel->params.overwrite ? "overwrite" : "discard",
			   1ul << channel->params.subbuf_order, channel->params.subbuf_num,
			   channel->params.switch_ms);
		/* In traces whose channels share buffers. */
		ltt_seq_buffers(m, !ltt_channel_wants_own(channel));
	}
	return 0;
}

static int error_log_show(struct seq_file *m, struct ltt_dir *dir)
{
	ltt_seq_log(m, &ltt_root_log);
	return 0;
}

static void error_log_discard(struct ltt_dir *dir)
{
	ltt_log_clear(&ltt_root_log);
}

static const struct ltt_file root_files[] = {
	{ .name = "README",	   .show = readme_show },
	{ .name = "version",	   .show = version_show },
	{ .name = "clock",	   .show = clock_show,  .store = clock_store },
	{ .name = "enable",	   .show = enable_show, .store = enable_store },
	{ .name = "markers",	   .seq = &ltt_all_markers_seq },
	{ .name = "channels",	   .show = channels_show },
	{ .name = "module_symbols", .seq = &ltt_module_symbols_seq },
	{ .name = "setup_trace",   .show = traces_show, .store = setup_store },
	{ .name = "destroy_trace", .show = traces_show, .store = destroy_store },
	{ .name = "error_log",	   .show = error_log_show, .discard = error_log_discard },
	{ }
};

static struct ltt_dir root = { .files = root_files };

/**
 * ltt_control_init() - get ready for traces
 *
 * Context: task, may sleep; ltt_mutex not held. There are no traces yet.
 * Return: 0 or a negative errno.
 */
int ltt_control_init(void)
{
	return ltt_control_traces_init();
}

/**
 * ltt_control_open() - create the root of the tree
 *
 * Without debugfs there are no files, and only in-kernel readers can use traces.
 *
 * Context: task, may sleep; ltt_mutex not held. There are no traces yet, and everything
 * else is ready: requests may arrive before this returns.
 * Return: 0; -EEXIST if another file is named ltt; -ENOMEM. ltt_control_exit() cleans up
 * even after an error.
 */
int ltt_control_open(void)
{
	int ret;

	if (!debugfs_initialized()) {
		pr_info("no debugfs, so no control files\n");
		return 0;
	}
	ltt_traces_dentry = ERR_PTR(-ENOENT);	/* setup_trace fails until it is there */
	ret = ltt_dir_init(&root, "ltt", NULL) ?: ltt_dir_fill(&root);
	if (!ret) {
		ltt_traces_dentry = ltt_mkdir("traces", root.dentry);
		ret = PTR_ERR_OR_ZERO(ltt_traces_dentry);
	}
	return ret;
}

/**
 * ltt_control_exit() - remove the tree, if there is one
 *
 * Context: task, may sleep; ltt_mutex not held. There are no traces any more.
 */
void ltt_control_exit(void)
{
	debugfs_remove(root.dentry);
	ltt_control_traces_exit();
	ltt_log_clear(&ltt_root_log);
}
