// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: who looks for packets on behalf of those who poll.
 *
 * Writers wake nobody. While somebody polls a stream in vain, the stream is on a list
 * of its trace, and one work item of the trace looks at all streams there, which
 * costs little; also for other readers that have stopped: where they have filled the
 * buffer, nothing comes any more that would bring the poller here. It looks less and
 * less often while nothing comes, and stops when the list is empty.
 *
 * A poller puts itself on the stream's queue, then looks, then puts the stream on the
 * list. The work takes the stream off the list when it wakes the queue, or finds nobody
 * there: under the lock under which it was put there, so that a poller is either
 * seen, or puts the stream on the list again. With epoll the queue stays occupied:
 * a level-triggered poller looks again when it was woken, an edge-triggered one reads
 * until there is nothing, and that puts the stream on the list (ltt_stream_unlock()).
 *
 * Streams with pages in the hands of others, of a socket for instance, are on the list
 * as well: nobody tells us when such a page is free again. A stream that is closed
 * in this state lives on until it is.
 */

#include <linux/jiffies.h>
#include <linux/module.h>

#include "binary.h"

/* Pause between two looks, ms. */
#define PAUSE_MIN	4
#define PAUSE_MAX	32

struct workqueue_struct *ltt_binary_wq;

static void look(struct work_struct *work)
{
	struct ltt_binary *binary = container_of(to_delayed_work(work), struct ltt_binary,
						 work);
	struct ltt_stream *stream, *next;
	bool found = false, settled;
	LIST_HEAD(gone);
	__poll_t poll;

	spin_lock(&binary->lock);
	list_for_each_entry_safe(stream, next, &binary->waiting, wait_node) {
		settled = ltt_stream_settle(stream);
		ltt_cursor_look(&stream->packets.cursor);
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
		queue_delayed_work(ltt_binary_wq, &binary->work, binary->pause);
	spin_unlock(&binary->lock);

	/* The last of them may take the trace, and @binary, with it. */
	list_for_each_entry_safe(stream, next, &gone, wait_node) {
		list_del(&stream->wait_node);
		mutex_lock(&binary->open_lock);
		if (!--binary->open)
			cancel_delayed_work(&binary->work);
		mutex_unlock(&binary->open_lock);
		ltt_stream_free(stream);
		module_put(THIS_MODULE);	/* ltt_binary_exit() waits for us */
	}
}

/**
 * ltt_binary_watch_init() - prepare
 * @binary:	of a new trace
 *
 * Context: any.
 */
void ltt_binary_watch_init(struct ltt_binary *binary)
{
	spin_lock_init(&binary->lock);
	INIT_LIST_HEAD(&binary->waiting);
	INIT_DELAYED_WORK(&binary->work, look);
	mutex_init(&binary->open_lock);
}

/**
 * ltt_binary_attach() - a stream was opened
 * @stream:	the stream
 *
 * Context: task; may sleep.
 */
void ltt_binary_attach(struct ltt_stream *stream)
{
	struct ltt_binary *binary = stream->trace->binary;

	mutex_lock(&binary->open_lock);
	binary->open++;
	mutex_unlock(&binary->open_lock);
}

/**
 * ltt_binary_detach() - a stream is closed
 * @stream:	the stream, which has no page in a pipe; freed, now or as soon as
 *		its pages are free
 *
 * Context: task; may sleep. The caller holds a reference to the module.
 */
void ltt_binary_detach(struct ltt_stream *stream)
{
	struct ltt_binary *binary = stream->trace->binary;
	bool settled = ltt_stream_settle(stream);

	if (!settled)
		__module_get(THIS_MODULE);
	spin_lock(&binary->lock);
	stream->closed = true;
	if (settled)
		list_del_init(&stream->wait_node);
	else if (list_empty(&stream->wait_node))
		list_add_tail(&stream->wait_node, &binary->waiting);
	if (!settled)
		queue_delayed_work(ltt_binary_wq, &binary->work,
				   msecs_to_jiffies(PAUSE_MIN));
	spin_unlock(&binary->lock);
	if (!settled)
		return;

	/* The work may be pending for streams that are no longer there. */
	mutex_lock(&binary->open_lock);
	if (!--binary->open)
		cancel_delayed_work_sync(&binary->work);
	mutex_unlock(&binary->open_lock);
	ltt_stream_free(stream);
}

/**
 * ltt_binary_watch() - look after a stream
 * @stream:	the stream, open
 *
 * Context: task.
 */
void ltt_binary_watch(struct ltt_stream *stream)
{
	struct ltt_binary *binary = stream->trace->binary;

	spin_lock(&binary->lock);
	if (list_empty(&stream->wait_node))
		list_add_tail(&stream->wait_node, &binary->waiting);
	binary->pause = msecs_to_jiffies(PAUSE_MIN);
	queue_delayed_work(ltt_binary_wq, &binary->work, binary->pause);
	spin_unlock(&binary->lock);
}
