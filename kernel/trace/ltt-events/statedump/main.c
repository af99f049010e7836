// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump, a module: the state of the system when a trace starts, as events.
 *
 *	traces/NAME/statedump	progress; write 1 for another dump
 *
 * Locks: ltt_mutex > state_trace.lock. Requests come from the trace, with
 * ltt_mutex held, and from the file, without it.
 */

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/client.h>
#include <linux/ltt/control.h>
#include <linux/ltt/trace.h>

#include "statedump.h"

static struct workqueue_struct *workqueue;

/* ---- requests ----------------------------------------------------------------- */

static int request(struct state_trace *state, enum state_reason reason)
{
	struct ltt_buf __percpu *buf;
	int err = 0;

	if (!ltt_state_wanted(state->trace, &buf))
		return -ENOENT;
	spin_lock(&state->lock);
	if (!state->started) {
		err = -EAGAIN;
	} else if (state->progress == STATE_RUNNING) {
		err = -EBUSY;
	} else {
		state->requested++;
		state->reason = reason;
		state->progress = STATE_RUNNING;
		/* Runs once more if it is still busy with a cancelled dump. */
		queue_work(workqueue, &state->work);
	}
	spin_unlock(&state->lock);
	return err;
}

/* No more requests. A dump that is being made ends soon. */
static void cancel(struct state_trace *state)
{
	spin_lock(&state->lock);
	state->started = false;
	WRITE_ONCE(state->cancelled, state->requested);
	if (state->progress == STATE_RUNNING)
		state->progress = STATE_CANCELLED;
	spin_unlock(&state->lock);
	wake_up_all(&state->wait);
}

/* ---- the file ----------------------------------------------------------------- */

static int statedump_show(struct seq_file *m, void *data)
{
	static const char *const progress[] = {
		[STATE_NONE] = "none",
		[STATE_RUNNING] = "running",
		[STATE_COMPLETE] = "complete",
		[STATE_CANCELLED] = "cancelled",
	};
	struct state_trace *state = data;
	enum state_progress now;
	unsigned int number, i;

	spin_lock(&state->lock);
	now = state->progress;
	number = state->requested;
	spin_unlock(&state->lock);

	seq_printf(m, "state %s\nnumber %u\n", progress[now], number);
	for (i = 0; i < STATE_KINDS; i++)
		seq_printf(m, "%s %lu\n", ltt_state_names[i], READ_ONCE(state->count[i]));
	seq_printf(m, "lost %lu\nskipped %lu\n", READ_ONCE(state->lost),
		   READ_ONCE(state->skipped));
	return 0;
}

static const char *why(int err)
{
	switch (err) {
	case -ENOENT:
		return "the trace records no markers of channel " STATE_CHANNEL;
	case -EAGAIN:
		return "the trace is not started";
	default:
		return "a state dump is already running";
	}
}

static int statedump_store(void *data, const char *text, struct ltt_error *error)
{
	int err;

	if (strcmp(text, "1"))
		return ltt_fail(error, -EINVAL, "column 1: expected 1");
	err = request(data, STATE_REASON_REQUEST);
	return err ? ltt_fail(error, err, "%s", why(err)) : 0;
}

static const struct ltt_control_ops statedump_ops = {
	.owner = THIS_MODULE,
	.path = "statedump",
	.show = statedump_show,
	.store = statedump_store,
};

/* ---- changes of a trace --------------------------------------------------------- */

static void start_trace(void *data)
{
	struct state_trace *state = data;

	spin_lock(&state->lock);
	state->started = true;
	spin_unlock(&state->lock);
	request(state, STATE_REASON_START);	/* -ENOENT: the trace does not want a dump */
}

static void stop_trace(void *data)
{
	cancel(data);
}

/* No more requests are possible. */
static void free_state(struct work_struct *work)
{
	struct state_trace *state = container_of(work, struct state_trace, free_work);

	cancel_work_sync(&state->work);
	ltt_trace_put(state->trace);
	kfree(state->text);
	kfree(state);
}

static void *add_trace(struct ltt_trace *trace)
{
	struct state_trace *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (!state)
		return ERR_PTR(-ENOMEM);
	/* Allocated now, as a dump could not report that it has no memory. */
	state->text = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!state->text) {
		kfree(state);
		return ERR_PTR(-ENOMEM);
	}
	state->trace = trace;
	INIT_WORK(&state->work, ltt_state_work);
	INIT_WORK(&state->free_work, free_state);
	init_waitqueue_head(&state->wait);
	spin_lock_init(&state->lock);
	ltt_trace_get(trace);
	if (trace->started) {
		state->started = true;
		request(state, STATE_REASON_LOAD);
	}
	return state;
}

static int add_files(void *data, struct dentry *parent, struct dentry *none)
{
	struct state_trace *state = data;

	state->file = ltt_control_file_create(&statedump_ops, parent, state->trace, state);
	return PTR_ERR_OR_ZERO(state->file);
}

static void release_trace(void *data)
{
	struct state_trace *state = data;

	ltt_control_file_remove(state->file);
	/* What was asked for by the file until now. */
	cancel(state);
	/* A dump that is being made may wait for others: do not wait for it here. */
	queue_work(workqueue, &state->free_work);
}

static struct ltt_client client = {
	.name = "statedump",
	.add_trace = add_trace,
	.add_files = add_files,
	.start_trace = start_trace,
	.stop_trace = stop_trace,
	.remove_trace = stop_trace,
	.release_trace = release_trace,
};

static int __init statedump_init(void)
{
	int err;

	workqueue = alloc_workqueue("ltt-statedump", WQ_UNBOUND, 0);
	if (!workqueue)
		return -ENOMEM;
	err = ltt_client_register(&client);
	if (err)
		destroy_workqueue(workqueue);
	return err;
}
module_init(statedump_init);

static void __exit statedump_exit(void)
{
	ltt_client_unregister(&client);
	destroy_workqueue(workqueue);
}
module_exit(statedump_exit);

MODULE_DESCRIPTION("LTT: system state as events");
MODULE_LICENSE("GPL");
