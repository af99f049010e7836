// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: traces/NAME/: a trace's own files. Clients add theirs.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/ltt/client.h>

#include "../trace/event_filter.h"
#include "../trace/frozen.h"
#include "../trace/tasks.h"
#include "../trace/trigger.h"
#include "../trace/window.h"
#include "control.h"

/* traces/; NULL without debugfs */
struct dentry *ltt_traces_dentry;

/**
 * struct control - what the control layer keeps for a trace
 * @dir:	its directory
 * @node:	in controls, unless it is frozen
 */
struct control {
	struct ltt_dir dir;
	struct list_head node;
};

/* Protected by ltt_mutex. */
static LIST_HEAD(controls);

/*
 * Files
 */

static int enabled_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_printf(m, "%d\n", dir->trace->started && !ltt_triggers_halted(dir->trace));
	return 0;
}

static int enabled_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool enable;
	int ret;

	ret = ltt_parse_bool(text, &enable, error);
	if (ret)
		return ret;
	return enable ? ltt_trace_start(dir->trace, error) : ltt_trace_stop(dir->trace);
}

static int markers_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_trace_pattern(dir->trace, text, error);
}

static int filter_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_event_filter *filter = dir->trace->filter;
	unsigned long hits, misses;

	ltt_seq_escape(m, ltt_trace_filter_text(dir->trace));
	seq_putc(m, '\n');
	if (filter) {
		ltt_event_filter_counts(filter, &hits, &misses);
		seq_printf(m, "# hits %lu misses %lu\n", hits, misses);
	}
	return 0;
}

static int filter_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_trace_set_common_filter(dir->trace, text, error);
}

static int filters_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct list_head *filter = NULL;
	const char *pattern, *text;

	while ((filter = ltt_trace_next_filter(dir->trace, filter, &pattern, &text))) {
		seq_printf(m, "%s: ", pattern);
		ltt_seq_escape(m, text);
		seq_putc(m, '\n');
	}
	return 0;
}

static int filters_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_trace_set_filter(dir->trace, text, error);
}

/* What it shows can be written back. */
static int tasks_show(struct seq_file *m, struct ltt_dir *dir)
{
	const char *text;
	unsigned int i;
	bool ended;

	if (!dir->trace->tasks) {
		seq_puts(m, "none\n");
		return 0;
	}
	for (i = 0; ltt_trace_tasks_line(dir->trace, i, &text, &ended); i++)
		seq_printf(m, ended ? "# %s has ended\n" : "%s\n", text);
	seq_printf(m, "# tasks %u\n", ltt_trace_tasks_count(dir->trace));
	return 0;
}

static int tasks_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_trace_set_tasks(dir->trace, text, error);
}

/* What it shows can be written back; the counts begin anew then. */
static int triggers_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_trigger *trigger;
	unsigned int i, markers;

	for (i = 0; (trigger = ltt_trace_trigger(dir->trace, i, &markers)); i++) {
		seq_printf(m, "%s\n# fired %ld held %ld skipped %ld failed %ld",
			   trigger->line.text, atomic_long_read(&trigger->fired),
			   atomic_long_read(&trigger->held), atomic_long_read(&trigger->skipped),
			   atomic_long_read(&trigger->failed));
		if (trigger->line.glob)
			seq_printf(m, " markers %u", markers);
		seq_putc(m, '\n');
	}
	return 0;
}

static int triggers_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_trace_set_triggers(dir->trace, text, error);
}

static unsigned int triggers_news(struct ltt_dir *dir)
{
	return ltt_trace_triggers_acted(dir->trace);
}

/* How much is taken cannot be written back: a comment. */
static int budget_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_printf(m, "%llu\n# %llu taken\n", READ_ONCE(dir->trace->budget),
		   READ_ONCE(dir->trace->taken));
	return 0;
}

static int budget_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	u64 bytes;
	int ret;

	if (strcmp(text, "default")) {
		ret = ltt_parse_size(text, &bytes, error);
		if (ret)
			return ret;
	} else {
		bytes = ltt_budget_default();
	}
	return ltt_trace_set_budget(dir->trace, bytes, error);
}

/*
 * Whether channels share buffers
 */

static int buffers_show(struct seq_file *m, struct ltt_dir *dir)
{
	ltt_seq_buffers(m, READ_ONCE(dir->trace->shared));
	return 0;
}

static int buffers_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool shared;
	int ret = ltt_parse_buffers(text, &shared, error);

	return ret ?: ltt_trace_set_shared(dir->trace, shared, error);
}

static int persist_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_printf(m, "%s\n", ltt_trace_area(dir->trace));
	return 0;
}

static int persist_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_trace_set_area(dir->trace, text, error);
}

static int flush_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_puts(m, "0\n");
	return 0;
}

static int flush_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool flush;
	int ret;

	ret = ltt_parse_bool(text, &flush, error);
	if (ret)
		return ret;
	if (!flush)
		return ltt_fail(error, -EINVAL, "column 1: expected 1");
	return ltt_trace_flush(dir->trace);
}

static int error_log_show(struct seq_file *m, struct ltt_dir *dir)
{
	ltt_seq_log(m, dir->trace->log);
	return 0;
}

static void error_log_discard(struct ltt_dir *dir)
{
	ltt_log_clear(dir->trace->log);
}

/*
 * Windows
 */

static int snapshot_show(struct seq_file *m, struct ltt_dir *dir)
{
	ltt_windows_show(m, dir->trace);
	return 0;
}

static int snapshot_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_windows_request(dir->trace, text, error);
}

static int snapshot_max_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_printf(m, "%u\n", ltt_windows_max(dir->trace));
	return 0;
}

static int snapshot_max_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	unsigned int windows;
	int ret = ltt_parse_uint(text, &windows, error);

	return ret ?: ltt_windows_set_max(dir->trace, windows, error);
}

static int snapshot_keep_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_puts(m, ltt_windows_keep_last(dir->trace) ? "last\n" : "first\n");
	return 0;
}

static int snapshot_keep_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool last = !strcmp(text, "last");

	if (!last && strcmp(text, "first"))
		return ltt_fail(error, -EINVAL, "column 1: expected first or last");
	return ltt_windows_set_keep(dir->trace, last, error);
}

static unsigned int snapshot_news(struct ltt_dir *dir)
{
	return ltt_windows_news(dir->trace);
}

static int info_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_frozen *frozen = dir->trace->frozen;

	frozen->ops->show_info(m, frozen);
	return 0;
}

/*
 * Tables
 */

static const struct ltt_file trace_files[] = {
	{ .name = "enabled",   .show = enabled_show,   .store = enabled_store },
	{ .name = "markers",   .seq = &ltt_trace_markers_seq, .store = markers_store },
	{ .name = "buffers",   .show = buffers_show,   .store = buffers_store },
	{ .name = "budget",    .show = budget_show,    .store = budget_store },
	{ .name = "persist",   .show = persist_show,   .store = persist_store },
	{ .name = "filter",    .show = filter_show,    .store = filter_store },
	{ .name = "filters",   .show = filters_show,   .store = filters_store },
	{ .name = "tasks",     .show = tasks_show,     .store = tasks_store },
	{ .name = "triggers",  .show = triggers_show,  .store = triggers_store,
	  .news = triggers_news },
	{ .name = "flush",     .show = flush_show,     .store = flush_store },
	{ .name = "snapshot",  .show = snapshot_show,  .store = snapshot_store,
	  .news = snapshot_news },
	{ .name = "snapshot_max", .show = snapshot_max_show, .store = snapshot_max_store },
	{ .name = "snapshot_keep", .show = snapshot_keep_show, .store = snapshot_keep_store },
	{ .name = "error_log", .show = error_log_show, .discard = error_log_discard },
	{ }
};

static const struct ltt_file frozen_files[] = {
	{ .name = "info",      .show = info_show },
	{ .name = "error_log", .show = error_log_show, .discard = error_log_discard },
	{ }
};

/*
 * Creation and removal of traces
 */

static void *add_trace(struct ltt_trace *trace)
{
	const struct ltt_frozen *frozen = trace->frozen;
	struct dentry *parent = ltt_traces_dentry;
	const char *name = trace->name;
	struct control *control;
	int err;

	if (!ltt_traces_dentry)
		return NULL;
	control = kzalloc(sizeof(*control), GFP_KERNEL);
	if (!control)
		return ERR_PTR(-ENOMEM);
	control->dir.files = frozen ? frozen_files : trace_files;
	control->dir.trace = trace;
	if (frozen) {
		parent = frozen->parent ?: parent;
		name = frozen->dir_name;
	}
	err = ltt_dir_init(&control->dir, name, parent);
	if (err) {
		kfree(control);
		return ERR_PTR(err);
	}
	INIT_LIST_HEAD(&control->node);
	if (!frozen)
		list_add_tail(&control->node, &controls);
	trace->dir = control->dir.dentry;
	ltt_log_open(trace->log);
	return control;
}

static int add_files(void *data, struct dentry *parent, struct dentry *none)
{
	struct control *control = data;
	struct ltt_channel *channel;
	int ret;

	ret = ltt_dir_fill(&control->dir);
	if (ret || control->dir.trace->frozen)
		return ret;
	control->dir.trace->snapshots = ltt_mkdir("snapshots", parent);
	if (IS_ERR(control->dir.trace->snapshots))
		return PTR_ERR(control->dir.trace->snapshots);
	control->dir.sub = ltt_mkdir("channels", parent);
	if (IS_ERR(control->dir.sub))
		return PTR_ERR(control->dir.sub);
	list_for_each_entry(channel, &ltt_channels, node) {
		ret = ltt_control_add_channel(&control->dir, channel);
		if (ret)
			return ret;
	}
	return 0;
}

static void remove_trace(void *data)
{
	struct control *control = data;

	control->dir.trace->dir = NULL;
	list_del(&control->node);
}

static void release_trace(void *data)
{
	struct control *control = data;

	debugfs_remove(control->dir.dentry);
	ltt_log_close(control->dir.trace->log);
	ltt_dir_free_below(&control->dir);
	kfree(control);
}

static struct ltt_client client = {
	.name = "control",
	.frozen = true,
	.add_trace = add_trace,
	.add_files = add_files,
	.remove_trace = remove_trace,
	.release_trace = release_trace,
};

/*
 * Notices from below
 */

/*
 * A channel or an event was added: create the missing directories in all traces.
 * Directories of removed events stay as long as the trace: they stand for names, which may
 * be used again.
 */
static void channel_known(struct ltt_channel *channel)
{
	struct control *control;
	int ret;

	list_for_each_entry(control, &controls, node) {
		if (control->dir.trace->dying)
			continue;
		ret = ltt_control_add_channel(&control->dir, channel);
		if (ret)
			ltt_log_error(control->dir.trace->log,
				      "channels/%s: cannot create all of its files (%pe)",
				      channel->name, ERR_PTR(ret));
	}
}

/*
 * A channel has become private: remove its directories from all traces. They exist if it
 * had markers before.
 */
static void channel_hidden(const char *name)
{
	struct control *control;
	struct ltt_dir *dir, *tmp;
	LIST_HEAD(gone);

	mutex_lock(&ltt_remove_lock);
	mutex_lock(&ltt_mutex);
	list_for_each_entry(control, &controls, node) {
		dir = ltt_control_find_channel(&control->dir, name);
		if (dir)
			list_move(&dir->node, &gone);
	}
	mutex_unlock(&ltt_mutex);

	list_for_each_entry_safe(dir, tmp, &gone, node) {
		debugfs_remove(dir->dentry);
		ltt_dir_free_below(dir);
		kfree(dir);
	}
	mutex_unlock(&ltt_remove_lock);
}

static void event_known(struct ltt_event *event)
{
	struct control *control;
	struct ltt_dir *dir;
	int ret;

	list_for_each_entry(control, &controls, node) {
		if (control->dir.trace->dying)
			continue;
		dir = ltt_control_find_channel(&control->dir, event->channel->name);
		ret = dir && !IS_ERR(dir->sub) ?
			ltt_control_add_event(dir, event) :
			ltt_control_add_channel(&control->dir, event->channel);
		if (ret)
			ltt_log_error(control->dir.trace->log,
				      "channels/%s/markers/%s: cannot create all of its files (%pe)",
				      event->channel->name, event->name, ERR_PTR(ret));
	}
}

static struct ltt_registry_listener listener = {
	.channel_known = channel_known,
	.channel_hidden = channel_hidden,
	.event_known = event_known,
};

/**
 * ltt_control_traces_init() - get ready for traces
 *
 * Context: task, may sleep; ltt_mutex not held.
 * Return: 0 or a negative errno.
 */
int ltt_control_traces_init(void)
{
	ltt_registry_listen(&listener);
	return ltt_client_register(&client);
}

/**
 * ltt_control_traces_exit() - undo ltt_control_traces_init()
 *
 * Context: task, may sleep; ltt_mutex not held. There are no traces any more.
 */
void ltt_control_traces_exit(void)
{
	ltt_client_unregister(&client);
}
