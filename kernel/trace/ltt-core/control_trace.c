// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: traces/NAME/: a trace's own files, and what outputs put beside them.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/ltt/output.h>

#include "control.h"

/* traces/; NULL without debugfs */
struct dentry *ltt_traces_dentry;

/*
 * Held while directories are removed, from the moment they are found to that
 * when they are gone: one in another is removed once. Outermost lock.
 */
static DEFINE_MUTEX(remove_lock);

/* Protected by ltt_mutex. */
static LIST_HEAD(outputs);
static LIST_HEAD(controls);

/**
 * struct output_dir - directory of an output in a trace
 * @output:	the output
 * @trace:	the trace
 * @dentry:	the directory, NULL if it needs none
 * @node:	in ltt_control.outputs, or among those to be removed
 */
struct output_dir {
	struct ltt_output *output;
	struct ltt_trace *trace;
	struct dentry *dentry;
	struct list_head node;
};

/*
 * Files
 */

static int enabled_show(struct seq_file *m, struct ltt_dir *dir)
{
	seq_printf(m, "%d\n", dir->trace->started);
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
		return ltt_fail(error, -EINVAL, "column 1: not 1");
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

static const struct ltt_file trace_files[] = {
	{ .name = "enabled",   .show = enabled_show,   .store = enabled_store },
	{ .name = "markers",   .seq = &ltt_trace_markers_seq, .store = markers_store },
	{ .name = "flush",     .show = flush_show,     .store = flush_store },
	{ .name = "error_log", .show = error_log_show, .discard = error_log_discard },
	{ }
};

/*
 * Outputs
 */

/*
 * If that fails, some of the output's files may be there, until the trace or the
 * output goes.
 */
static int add_output(struct ltt_control *control, struct ltt_output *output)
{
	struct ltt_trace *trace = control->dir.trace;
	struct ltt_tchan *tchan;
	struct output_dir *dir;
	int ret;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return -ENOMEM;
	dir->output = output;
	dir->trace = trace;
	if (output->add_channel)
		dir->dentry = ltt_control_mkdir(output->name, control->dir.dentry);
	if (IS_ERR(dir->dentry)) {
		ret = PTR_ERR(dir->dentry);
		kfree(dir);
		return ret;
	}
	list_add_tail(&dir->node, &control->outputs);
	ret = output->add_trace(trace, control->dir.dentry, dir->dentry);
	if (ret || !output->add_channel)
		return ret;
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->buf && !(tchan->channel->flags & LTT_CHANNEL_PRIVATE))
			output->add_channel(tchan, dir->dentry);
	}
	return 0;
}

/*
 * Tell the output and take its directory off the trace, to @gone: nothing is added from now
 * on.
 */
static void detach_output(struct output_dir *dir, struct list_head *gone)
{
	lockdep_assert_held(&ltt_mutex);
	if (dir->output->remove_trace)
		dir->output->remove_trace(dir->trace);
	list_move_tail(&dir->node, gone);
}

/*
 * Remove the files of outputs in @gone. Operations that run on them are waited for, which
 * take as long as user memory that they touch lets them: without ltt_mutex.
 */
static void release_outputs(struct list_head *gone)
{
	struct output_dir *dir, *tmp;

	list_for_each_entry_safe(dir, tmp, gone, node) {
		if (dir->output->release_trace)
			dir->output->release_trace(dir->trace);
		debugfs_remove(dir->dentry);
		kfree(dir);
	}
}

/**
 * ltt_output_register() - add an output's files to each trace
 * @output:	describes it; stays the caller's until it is unregistered
 *
 * Traces that there are get it now, as far as there is memory: a trace that does
 * not get it has a line in its error log.
 *
 * Context: task, may sleep; ltt_mutex not held.
 * Return: 0; -EEXIST if there is an output of that name.
 */
int ltt_output_register(struct ltt_output *output)
{
	struct ltt_control *control;
	struct ltt_output *other;
	int ret;

	mutex_lock(&remove_lock);
	mutex_lock(&ltt_mutex);
	list_for_each_entry(other, &outputs, node) {
		if (!strcmp(other->name, output->name)) {
			ret = -EEXIST;
			goto unlock;
		}
	}
	list_add_tail(&output->node, &outputs);
	list_for_each_entry(control, &controls, node) {
		if (control->dir.trace->dying)
			continue;
		ret = add_output(control, output);
		if (ret)
			ltt_log_error(control->dir.trace->log, "%s: not available (%pe)",
				      output->name, ERR_PTR(ret));
	}
	ret = 0;
unlock:
	mutex_unlock(&ltt_mutex);
	mutex_unlock(&remove_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(ltt_output_register);

/**
 * ltt_output_unregister() - remove an output's files from all traces
 * @output:	as registered; its functions are not called after this
 *
 * Context: task, may sleep; ltt_mutex not held. Waits for operations that run on
 * the output's files.
 */
void ltt_output_unregister(struct ltt_output *output)
{
	struct output_dir *dir, *tmp;
	struct ltt_control *control;
	LIST_HEAD(gone);

	mutex_lock(&remove_lock);
	mutex_lock(&ltt_mutex);
	list_del(&output->node);
	list_for_each_entry(control, &controls, node) {
		list_for_each_entry_safe(dir, tmp, &control->outputs, node) {
			if (dir->output == output)
				detach_output(dir, &gone);
		}
	}
	mutex_unlock(&ltt_mutex);

	release_outputs(&gone);
	mutex_unlock(&remove_lock);
}
EXPORT_SYMBOL_GPL(ltt_output_unregister);

/*
 * Notices from below
 */

static int fill(struct ltt_control *control)
{
	struct ltt_channel *channel;
	struct ltt_output *output;
	int ret;

	ret = ltt_dir_init(&control->dir, control->dir.trace->name, ltt_traces_dentry);
	if (ret)
		return ret;
	control->dir.sub = ltt_control_mkdir("channels", control->dir.dentry);
	if (IS_ERR(control->dir.sub))
		return PTR_ERR(control->dir.sub);
	list_for_each_entry(channel, &ltt_channels, node) {
		ret = ltt_control_add_channel(&control->dir, channel);
		if (ret)
			return ret;
	}
	list_for_each_entry(output, &outputs, node) {
		ret = add_output(control, output);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * ltt_control_trace_add() - make the files of a new trace
 * @trace:	the trace
 *
 * After a failure some of the files may be there, and be in use: the caller marks
 * the trace dying, lets go of ltt_mutex and calls ltt_control_trace_del(), as for
 * any other trace.
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: 0, also without debugfs; -ENOMEM; -EEXIST while the files of an older
 * trace of this name are being removed.
 */
int ltt_control_trace_add(struct ltt_trace *trace)
{
	struct ltt_control *control;

	if (!ltt_traces_dentry)
		return 0;
	control = kzalloc(sizeof(*control), GFP_KERNEL);
	if (!control)
		return -ENOMEM;
	control->dir.files = trace_files;
	control->dir.trace = trace;
	INIT_LIST_HEAD(&control->outputs);
	list_add_tail(&control->node, &controls);

	trace->priv = control;
	ltt_log_open(trace->log);
	return fill(control);
}

/**
 * ltt_control_trace_del() - remove the files of a trace
 * @trace:	the trace, dying, so that nobody adds to its files any more
 *
 * When this returns no operation runs on any of them, but for the outputs' own
 * that hold references of theirs; those that are open fail with -EIO. Does nothing
 * if there are no files.
 *
 * Context: task, may sleep; ltt_mutex not held: what runs may want it.
 */
void ltt_control_trace_del(struct ltt_trace *trace)
{
	struct ltt_control *control;
	struct output_dir *dir, *tmp;
	LIST_HEAD(gone);

	mutex_lock(&remove_lock);
	mutex_lock(&ltt_mutex);
	control = trace->priv;
	if (!control)
		goto unlock;
	list_for_each_entry_safe(dir, tmp, &control->outputs, node)
		detach_output(dir, &gone);
	mutex_unlock(&ltt_mutex);

	release_outputs(&gone);
	debugfs_remove(control->dir.dentry);

	mutex_lock(&ltt_mutex);
	trace->priv = NULL;
	list_del(&control->node);
	ltt_dir_free_below(&control->dir);
	ltt_log_close(trace->log);
	kfree(control);
unlock:
	mutex_unlock(&ltt_mutex);
	mutex_unlock(&remove_lock);
}

/**
 * ltt_control_tchan_add() - a channel has got its buffers in a trace
 * @tchan:	the channel in the trace
 *
 * Context: task, may sleep; ltt_mutex held.
 */
void ltt_control_tchan_add(struct ltt_tchan *tchan)
{
	struct ltt_control *control = tchan->trace->priv;
	struct output_dir *dir;

	if (!control || tchan->trace->dying || tchan->channel->flags & LTT_CHANNEL_PRIVATE)
		return;
	list_for_each_entry(dir, &control->outputs, node) {
		if (dir->output->add_channel)
			dir->output->add_channel(tchan, dir->dentry);
	}
}

/**
 * ltt_control_trace_start() - a trace was stopped, and records from now on
 * @trace:	the trace
 *
 * Context: task, may sleep; ltt_mutex held.
 */
void ltt_control_trace_start(struct ltt_trace *trace)
{
	struct ltt_control *control = trace->priv;
	struct output_dir *dir;

	if (!control)
		return;
	list_for_each_entry(dir, &control->outputs, node) {
		if (dir->output->start_trace)
			dir->output->start_trace(trace);
	}
}

/**
 * ltt_control_trace_stop() - a trace that was started does not record any more
 * @trace:	the trace; it may be about to be destroyed
 *
 * Context: task, may sleep; ltt_mutex held.
 */
void ltt_control_trace_stop(struct ltt_trace *trace)
{
	struct ltt_control *control = trace->priv;
	struct output_dir *dir;

	if (!control)
		return;
	list_for_each_entry(dir, &control->outputs, node) {
		if (dir->output->stop_trace)
			dir->output->stop_trace(trace);
	}
}

/*
 * There is a new channel, or a new event in one: make the directories that are missing in
 * all traces. Those of what has gone stay until the trace goes: they are names, and what
 * they name may come back.
 */
static void channel_known(struct ltt_channel *channel)
{
	struct ltt_control *control;
	int ret;

	list_for_each_entry(control, &controls, node) {
		if (control->dir.trace->dying)
			continue;
		ret = ltt_control_add_channel(&control->dir, channel);
		if (ret)
			ltt_log_error(control->dir.trace->log,
				      "channels/%s: not all of its files are there (%pe)",
				      channel->name, ERR_PTR(ret));
	}
}

/*
 * A channel has become private: remove its directories from all traces. They are there if
 * it had markers before.
 */
static void channel_hidden(const char *name)
{
	struct ltt_control *control;
	struct ltt_dir *dir, *tmp;
	LIST_HEAD(gone);

	mutex_lock(&remove_lock);
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
	mutex_unlock(&remove_lock);
}

static void event_known(struct ltt_event *event)
{
	struct ltt_control *control;
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
				      "channels/%s/markers/%s: not all of its files are there (%pe)",
				      event->channel->name, event->name, ERR_PTR(ret));
	}
}

static struct ltt_registry_listener listener = {
	.channel_known = channel_known,
	.channel_hidden = channel_hidden,
	.event_known = event_known,
};

/**
 * ltt_control_traces_init() - be ready for traces
 *
 * Context: task, may sleep; ltt_mutex not held.
 */
void ltt_control_traces_init(void)
{
	ltt_registry_listen(&listener);
}
