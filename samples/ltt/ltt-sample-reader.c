// SPDX-License-Identifier: GPL-2.0
/*
 * LTT sample: a private channel and its reader inside the kernel.
 *
 * The module records into a channel that no file shows, in a trace of its own,
 * and reads it itself: a flow of typed events between two parts of a module,
 * from any context, without a lock. What it read is in
 * /sys/module/ltt_sample_reader/parameters/{events,sum,context_bytes,lost}.
 *
 * Where modprobe does not find the sample, insmod the file that was built, see the Makefile.
 *
 *	modprobe ltt-sample-reader contexts=pid,comm
 *
 * also records who it was, with every event.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/reader.h>
#include <linux/ltt/trace.h>

#define NAME	"sample_private"

static unsigned long events, sum, context_bytes, lost;
module_param(events, ulong, 0444);
module_param(sum, ulong, 0444);
module_param(context_bytes, ulong, 0444);
module_param(lost, ulong, 0444);

static char *contexts = "";
module_param(contexts, charp, 0444);
MODULE_PARM_DESC(contexts, "Contexts to record with each event (default: none)");

static const struct ltt_channel_params params = {
	.subbuf_order	= 12,
	.subbuf_num	= 4,
};

static struct ltt_trace *trace;
static struct task_struct *thread;

static void tick(struct work_struct *work);
static DECLARE_DELAYED_WORK(tick_work, tick);

static void tick(struct work_struct *work)
{
	static unsigned int value;

	trace_mark(sample_private, tick, "value %u", value++);
	schedule_delayed_work(&tick_work, 1);
}

/* Only one kind of event is enabled. */
static int take(const struct ltt_reader_event *event, void *arg)
{
	events++;
	sum += ltt_load32(event->fields, false);
	context_bytes += event->context_size;
	return 0;
}

static int read_all(void *data)
{
	struct ltt_reader *reader = data;
	int err = 0;

	while (!err && !ltt_reader_finished(reader)) {
		err = ltt_reader_wait(reader, false);
		if (!err)
			err = ltt_reader_for_each(reader, take, NULL, &lost);
	}
	if (err)
		pr_err("reading stopped with error %d\n", err);
	ltt_reader_close(reader);

	/* The trace is gone; the module will ask for us. */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 10);
	return err;
}

static int start_reader(void)
{
	struct ltt_reader *reader = ltt_reader_open(trace, NAME);

	if (IS_ERR(reader))
		return PTR_ERR(reader);
	thread = kthread_run(read_all, reader, NAME);
	if (IS_ERR(thread)) {
		ltt_reader_close(reader);
		return PTR_ERR(thread);
	}
	return 0;
}

static int __init ltt_sample_reader_init(void)
{
	struct ltt_error error;
	int err;

	err = ltt_channel_register(NAME, &params, LTT_CHANNEL_PRIVATE);
	if (err)
		return err;
	trace = ltt_trace_create(NAME, &error);
	if (IS_ERR(trace)) {
		err = PTR_ERR(trace);
		goto fail_channel;
	}
	err = ltt_trace_set_contexts(trace, NAME, contexts, &error);
	if (!err)
		err = ltt_trace_set_event(trace, NAME, "tick", true, &error);
	if (!err)
		err = ltt_trace_start(trace, &error);
	if (!err)
		err = start_reader();
	if (err)
		goto fail_trace;
	schedule_delayed_work(&tick_work, 0);
	return 0;

fail_trace:
	ltt_trace_destroy(trace);
	ltt_trace_put(trace);
fail_channel:
	ltt_channel_unregister(NAME);
	return err;
}

static void __exit ltt_sample_reader_exit(void)
{
	cancel_delayed_work_sync(&tick_work);
	/* The reader takes what is left, then comes to the end. */
	ltt_trace_destroy(trace);
	kthread_stop(thread);
	ltt_trace_put(trace);
	ltt_channel_unregister(NAME);
}

module_init(ltt_sample_reader_init);
module_exit(ltt_sample_reader_exit);

MODULE_DESCRIPTION("LTT sample: a private channel and its reader");
MODULE_LICENSE("GPL");
