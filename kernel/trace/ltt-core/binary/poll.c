// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: wakes tasks that poll streams.
 *
 * Writers do not wake anyone. While a stream without data is polled, it is on a list of its
 * trace, and one work item of the trace checks all streams on the list, which costs
 * little. It also checks for other readers that have stopped: if they block a full buffer,
 * no events will arrive that could wake the poller. The checks become less frequent while
 * there is nothing, and end when the list is empty.
 *
 * A poller adds itself to the stream's queue, checks for data, then puts the stream on the
 * list. The work takes the stream off the list when it wakes the queue, or finds it empty,
 * under the same lock, so that a poller is either seen, or puts the stream on the list
 * again. With epoll the queue is never empty: a level-triggered poller checks again when
 * it was woken, an edge-triggered one reads until there is no data, which puts the stream
 * on the list (ltt_stream_unlock()).
 *
 * Streams with pages that others still use, such as a socket, are on the list as well:
 * there is no notification when such a page is free again. A stream that is closed
 * in this state is kept until then.
 *
 * While the list is empty the work is not pending: once all streams are closed, the work
 * may at most still be running, and ltt_binary_exit() waits for that.
 */

#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "binary.h"
#include "../trace/unfinished.h"

/* Pause between two checks, ms. */
#define PAUSE_MIN	4
#define PAUSE_MAX	32

struct workqueue_struct *ltt_binary_wq;

/* Caller holds @binary->lock. */
static void look_later(struct ltt_binary *binary)
{
	if (queue_delayed_work(ltt_binary_wq, &binary->work, binary->pause))
		kref_get(&binary->ref);
}

static void look(struct work_struct *work)
{
	struct ltt_binary *binary = container_of(to_delayed_work(work), struct ltt_binary,
						 work);
	struct ltt_binary_stream *stream, *next;
	bool found = false, settled;
	LIST_HEAD(gone);
	__poll_t poll;

	spin_lock(&binary->lock);
	list_for_each_entry_safe(stream, next, &binary->waiting, wait_node) {
		settled = ltt_stream_settle(stream);
		ltt_cursor_look(&stream->packets.cursor);
		ltt_unfinished_look(&stream->unfinished, stream->tchan, stream->cpu,
				    &stream->unfinished_at);
		if (stream->closed) {
			if (settled)
				list_move(&stream->wait_node, &gone);
			continue;
		}
		poll = ltt_stream_poll(stream);
		if (poll) {
			wake_up_interruptible_poll(&stream->poll_wait, poll);
			found = true;
		}
		/* No barrier is needed: see above. */
		if (settled && (poll || !waitqueue_active(&stream->poll_wait)))
			list_del_init(&stream->wait_node);
	}
	binary->pause = found ? msecs_to_jiffies(PAUSE_MIN) :
			min(2 * binary->pause, msecs_to_jiffies(PAUSE_MAX));
	if (!list_empty(&binary->waiting))
		look_later(binary);
	spin_unlock(&binary->lock);

	list_for_each_entry_safe(stream, next, &gone, wait_node) {
		list_del(&stream->wait_node);
		ltt_stream_free(stream);
		module_put(THIS_MODULE);	/* ltt_binary_exit() waits for us */
	}
	ltt_binary_put(binary);
}

/**
 * ltt_binary_alloc() - allocate the binary output of a trace
 *
 * Context: task, may sleep.
 * Return: the binary output, with a reference for the caller; NULL if there is no memory.
 */
struct ltt_binary *ltt_binary_alloc(void)
{
	struct ltt_binary *binary = kzalloc(sizeof(*binary), GFP_KERNEL);

	if (!binary)
		return NULL;
	kref_init(&binary->ref);
	INIT_LIST_HEAD(&binary->channels);
	spin_lock_init(&binary->lock);
	INIT_LIST_HEAD(&binary->waiting);
	INIT_DELAYED_WORK(&binary->work, look);
	return binary;
}

static void binary_free(struct kref *ref)
{
	kfree(container_of(ref, struct ltt_binary, ref));
}

/**
 * ltt_binary_put() - drop a reference to the binary output of a trace
 * @binary:	the binary output; may be gone when this returns
 *
 * Context: any.
 */
void ltt_binary_put(struct ltt_binary *binary)
{
	kref_put(&binary->ref, binary_free);
}

/* Caller holds @binary->lock. */
static void watch(struct ltt_binary *binary, struct ltt_binary_stream *stream)
{
	if (list_empty(&stream->wait_node))
		list_add_tail(&stream->wait_node, &binary->waiting);
	binary->pause = msecs_to_jiffies(PAUSE_MIN);
	look_later(binary);
}

/**
 * ltt_binary_watch() - put a stream on the list of those to check
 * @stream:	the stream, open
 *
 * Context: task.
 */
void ltt_binary_watch(struct ltt_binary_stream *stream)
{
	struct ltt_binary *binary = stream->binary;

	spin_lock(&binary->lock);
	watch(binary, stream);
	spin_unlock(&binary->lock);
}

/**
 * ltt_binary_detach() - a stream is closed
 * @stream:	the stream, which has no page in a pipe; freed, now or as soon as
 *		its pages are free
 *
 * Context: task; may sleep. The caller holds a reference to the module.
 */
void ltt_binary_detach(struct ltt_binary_stream *stream)
{
	struct ltt_binary *binary = stream->binary;
	bool settled, cancelled = false;

	ltt_stream_abandon(stream);
	settled = ltt_stream_settle(stream);
	if (!settled)
		__module_get(THIS_MODULE);
	spin_lock(&binary->lock);
	stream->closed = true;
	if (settled) {
		list_del_init(&stream->wait_node);
		cancelled = list_empty(&binary->waiting) &&
			    cancel_delayed_work(&binary->work);
	} else {
		watch(binary, stream);
	}
	spin_unlock(&binary->lock);

	if (cancelled)
		ltt_binary_put(binary);		/* not the last: see the stream's */
	if (settled)
		ltt_stream_free(stream);
}
