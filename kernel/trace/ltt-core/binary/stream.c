// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: an open stream of the binary output.
 *
 * There is at most one current packet. read() and splice() take bytes of it until
 * nothing is left; a reader of the mapping holds it as a whole. Its sub-buffer is
 * given back to the writers when all of it was taken and nothing of it is in a pipe.
 * If the file is closed before that, the next reader gets the whole packet again: events
 * are handed over in packets, so none gets lost between two readers.
 *
 * While an operation runs the cursor is pinned, and it stays pinned while pages are lent.
 * At other times user space may never return, and the stream may be left behind. Then the
 * current packet is lost, unless a part of it was taken: the rest of such a packet is
 * kept in a copy, or its pages are lent and keep the cursor pinned. A packet of which
 * nothing was taken is never copied, even after an error: it stays where a mapping shows
 * it. If user space knows about the packet (PEEK, GET), it gets an error when the packet is
 * gone; a mere reader finds the number of missed events in the next header.
 *
 * Memory barriers
 * ---------------
 *   ltt_stream_fetch:A
 *	If a reader sees dead, it sees that all packets are complete. ACQUIRE pairs
 *	with the RELEASE of finish_destroy:A.
 *
 *   settle:A, settle:B
 *	A page of a pipe is read before it is given back: before lent is decremented,
 *	and before the reader's reference to the page, if any, is dropped. If the last
 *	of both is seen here, the writers' stores come after these loads: ACQUIRE
 *	pairs with the full barrier of atomic_dec_and_test() in unlend() (A), and with
 *	that in put_page() (B); ltt_cursor_update_tail:A does the rest.
 */

#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "binary.h"
#include "../trace/core.h"
#include "../trace/unfinished.h"

/*
 * Pauses between two checks for a packet, ns: packets are completed less often than
 * events are recorded, and a quiet buffer may have none for hours.
 */
#define PAUSE_MIN	(1 * NSEC_PER_MSEC)
#define PAUSE_MAX	(16 * NSEC_PER_MSEC)

/**
 * ltt_stream_open() - open a stream of a buffer
 * @file:	the buffer's file, which the caller prevents from being removed
 *
 * Context: task; may sleep.
 * Return: the stream; ERR_PTR: -ENOMEM.
 */
struct ltt_binary_stream *ltt_stream_open(const struct ltt_binary_file *file)
{
	struct ltt_trace_channel *tchan = file->channel->tchan;
	const struct ltt_packet_formats formats = ltt_trace_channel_formats(tchan);
	struct ltt_binary_stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL);
	struct ltt_buf *buf = per_cpu_ptr(tchan->buf, file->cpu);

	if (!stream)
		return ERR_PTR(-ENOMEM);
	/* An allocation failure is reported to the reader, not in the kernel's log. */
	stream->shadow = __vmalloc(buf->overwrite ? buf->off_mask + 1 : PAGE_SIZE,
				   GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
	if (!stream->shadow) {
		kfree(stream);
		return ERR_PTR(-ENOMEM);
	}
	ltt_unfinished_init(&stream->unfinished);
	stream->unfinished_at = LTT_START_NONE;
	mutex_init(&stream->lock);
	spin_lock_init(&stream->lend_lock);
	atomic_set(&stream->lent, 0);
	INIT_LIST_HEAD(&stream->wait_node);
	init_waitqueue_head(&stream->poll_wait);
	ltt_trace_get(tchan->trace);
	stream->trace = tchan->trace;
	stream->binary = file->channel->binary;
	kref_get(&stream->binary->ref);
	stream->tchan = tchan;
	stream->cpu = file->cpu;
	stream->buf = buf;
	ltt_packet_reader_open(&stream->packets, buf, buf->overwrite ? stream->shadow : NULL,
			       &formats);
	return stream;
}

/**
 * ltt_stream_free() - undo ltt_stream_open()
 * @stream:	the stream; nothing of it is in a pipe
 *
 * Context: task; may sleep.
 */
void ltt_stream_free(struct ltt_binary_stream *stream)
{
	ltt_unfinished_cancel(&stream->unfinished);
	ltt_packet_reader_close(&stream->packets);
	kvfree(stream->copy);
	vfree(stream->shadow);
	ltt_binary_put(stream->binary);
	ltt_trace_put(stream->trace);
	kfree(stream);
}

/*
 * Release what was taken, unless some of it is lent. Other users of the pages, such as a
 * socket that sends them, hold a reference to the sub-buffer's page.
 */
static void settle(struct ltt_binary_stream *stream)
{
	lockdep_assert_held(&stream->lend_lock);
	if (stream->lent_base) {
		/* A packet of which a part was taken is kept. */
		if (stream->packets.at.pos <= stream->lent_pos &&
		    (stream->busy || stream->taken))
			return;
		if (atomic_read_acquire(&stream->lent))		/* LMM(settle:A) */
			return;
		if (page_count(virt_to_page(stream->lent_base)) > 1)
			return;
		smp_acquire__after_ctrl_dep();			/* LMM(settle:B) */
		WRITE_ONCE(stream->lent_base, NULL);
	}
	if (!stream->busy)
		ltt_packet_reader_release(&stream->packets);
}

/**
 * ltt_stream_settle() - check whether lent pages were given back
 * @stream:	the stream
 *
 * After the last one, the sub-buffer is returned to the writers.
 *
 * Context: task.
 * Return: false if some are still lent, or in use elsewhere.
 */
bool ltt_stream_settle(struct ltt_binary_stream *stream)
{
	bool settled;

	spin_lock(&stream->lend_lock);
	if (stream->lent_base)
		settle(stream);
	settled = !stream->lent_base;
	spin_unlock(&stream->lend_lock);
	return settled;
}

/**
 * ltt_stream_abandon() - nobody will take the rest of the current packet
 * @stream:	the stream, which is being closed
 *
 * Context: task.
 */
void ltt_stream_abandon(struct ltt_binary_stream *stream)
{
	spin_lock(&stream->lend_lock);
	stream->taken = 0;
	spin_unlock(&stream->lend_lock);
}

/* The operation starts, or continues, to access the buffer. */
static void set_busy(struct ltt_binary_stream *stream)
{
	spin_lock(&stream->lend_lock);
	stream->busy = true;
	spin_unlock(&stream->lend_lock);
}

/* The operation has ended, or pauses. */
static void set_idle(struct ltt_binary_stream *stream)
{
	spin_lock(&stream->lend_lock);
	stream->busy = false;
	settle(stream);
	spin_unlock(&stream->lend_lock);
}

/**
 * ltt_stream_lock() - begin an operation on a stream
 * @stream:	the stream
 * @nonblock:	do not wait for operations of others
 *
 * Context: task; may sleep.
 * Return: 0, -EAGAIN (@nonblock), -ERESTARTSYS (a signal).
 */
int ltt_stream_lock(struct ltt_binary_stream *stream, bool nonblock)
{
	if (nonblock) {
		if (!mutex_trylock(&stream->lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&stream->lock)) {
		return -ERESTARTSYS;
	}
	set_busy(stream);
	return 0;
}

static void drop_copy(struct ltt_binary_stream *stream)
{
	kvfree(stream->copy);
	stream->copy = NULL;
}

/**
 * ltt_stream_unlock() - end an operation on a stream
 * @stream:	the stream
 * @ret:	the operation's return value
 *
 * Edge-triggered pollers do not check again before they were woken: after an operation
 * that found no data, the work must check for them.
 *
 * Context: task.
 */
void ltt_stream_unlock(struct ltt_binary_stream *stream, ssize_t ret)
{
	if (!stream->taken)
		drop_copy(stream);
	set_idle(stream);
	mutex_unlock(&stream->lock);
	/* waitqueue_active() needs no barrier: see poll.c. */
	if (ret == -EAGAIN && waitqueue_active(&stream->poll_wait))
		ltt_binary_watch(stream);
}

/**
 * ltt_stream_fetch() - get a current packet
 * @stream:	the stream
 *
 * Context: task, between ltt_stream_lock() and ltt_stream_unlock().
 * Return: 0; -EAGAIN (there is none yet), -ENODATA (there will never be one);
 * -ESTALE: the packet that user space knows about is gone, another one is next.
 */
int ltt_stream_fetch(struct ltt_binary_stream *stream)
{
	struct ltt_packet_reader *packets = &stream->packets;
	bool dead;
	int err;

	dead = smp_load_acquire(&stream->trace->dead);	/* LMM(ltt_stream_fetch:A) */
	err = ltt_packet_reader_next(packets);
	if (packets->gone) {
		packets->gone = false;
		if (stream->held || stream->peeked) {
			stream->held = false;
			stream->peeked = false;
			return -ESTALE;
		}
	}
	if (!err || !dead)
		return err;
	if (!ltt_packet_reader_last(packets, ltt_trace_now(stream->trace))) {
		WRITE_ONCE(stream->ended, true);
		return -ENODATA;
	}
	memcpy(stream->shadow, &packets->header, sizeof(packets->header));
	packets->data = stream->shadow;
	return 0;
}

/**
 * ltt_stream_wait() - wait until there is a current packet
 * @stream:	the stream
 * @nonblock:	do not wait
 *
 * Context: task, between ltt_stream_lock() and ltt_stream_unlock(); may sleep.
 * Return: 0, -EAGAIN (@nonblock), -ENODATA (the end), -ESTALE, -ERESTARTSYS (a signal).
 */
int ltt_stream_wait(struct ltt_binary_stream *stream, bool nonblock)
{
	struct ltt_trace *trace = stream->trace;
	u64 pause = PAUSE_MIN;
	DEFINE_WAIT(wait);
	ktime_t timeout;
	int err;

	for (;;) {
		err = ltt_stream_fetch(stream);
		if (err != -EAGAIN || nonblock)
			return err;
		if (signal_pending(current))
			return -ERESTARTSYS;

		set_idle(stream);
		ltt_unfinished_look(&stream->unfinished, stream->tchan, stream->cpu,
				    &stream->unfinished_at);
		prepare_to_wait(&trace->wait, &wait, TASK_INTERRUPTIBLE);
		timeout = ns_to_ktime(pause);
		/* Destroyed since the check? There would be no second wake-up. */
		if (!READ_ONCE(trace->dead))
			schedule_hrtimeout_range(&timeout, pause / 4, HRTIMER_MODE_REL);
		finish_wait(&trace->wait, &wait);
		set_busy(stream);
		pause = min_t(u64, 2 * pause, PAUSE_MAX);
	}
}

/**
 * ltt_stream_begin() - start an operation on the next packet
 * @stream:	the stream
 * @nonblock:	do not wait
 *
 * Context: task; may sleep.
 * Return: 0, and the caller ends with ltt_stream_unlock(); else an errno as from
 * ltt_stream_lock() or ltt_stream_wait(), or -EBUSY: a packet is held.
 */
int ltt_stream_begin(struct ltt_binary_stream *stream, bool nonblock)
{
	int err = ltt_stream_lock(stream, nonblock);

	if (err)
		return err;
	err = stream->held ? -EBUSY : ltt_stream_wait(stream, nonblock);
	if (err)
		ltt_stream_unlock(stream, err);
	return err;
}

/**
 * ltt_stream_reserve() - get ready to take a part of the current packet
 * @stream:	the stream, with a current packet
 *
 * Call this before ltt_stream_take() takes a part of a packet that is not lent. The rest is
 * then read from a copy, which does not depend on the original any more. Without
 * ltt_stream_take(), nothing changes.
 *
 * Context: task, between ltt_stream_lock() and ltt_stream_unlock(); may sleep.
 * Return: 0, -ENOMEM.
 */
int ltt_stream_reserve(struct ltt_binary_stream *stream)
{
	if (!stream->packets.in_place || stream->copy)
		return 0;
	stream->copy = kvmalloc(stream->packets.size, GFP_KERNEL | __GFP_NOWARN);
	return stream->copy ? 0 : -ENOMEM;
}

/**
 * ltt_stream_copy() - copy bytes of the current packet
 * @stream:	the stream, with a current packet
 * @from:	offset of the first one
 * @to:		where
 * @size:	how many
 *
 * The header is the reader's own: see struct ltt_packet_reader.
 *
 * Context: task, between ltt_stream_lock() and ltt_stream_unlock().
 */
void ltt_stream_copy(const struct ltt_binary_stream *stream, size_t from, u8 *to, size_t size)
{
	const struct ltt_packet_reader *packets = &stream->packets;
	size_t part = 0;

	if (from < sizeof(packets->header)) {
		part = min(size, sizeof(packets->header) - from);
		memcpy(to, (const u8 *)&packets->header + from, part);
	}
	memcpy(to + part, packets->data + from + part, size - part);
}

/**
 * ltt_stream_take() - bytes of the current packet have been taken
 * @stream:	the stream
 * @size:	bytes, not more than are left
 *
 * After the last one, there is no current packet any more. Otherwise, the rest of a packet
 * that is not lent is kept from now on, in the reserved memory.
 *
 * Context: task, between ltt_stream_lock() and ltt_stream_unlock().
 */
void ltt_stream_take(struct ltt_binary_stream *stream, size_t size)
{
	if (!size)
		return;
	stream->peeked = false;
	stream->taken += size;
	if (ltt_stream_left(stream)) {
		if (stream->copy && stream->packets.in_place)
			ltt_packet_reader_keep(&stream->packets, stream->copy);
		return;
	}
	stream->taken = 0;
	drop_copy(stream);

	spin_lock(&stream->lend_lock);
	ltt_packet_reader_done(&stream->packets);
	spin_unlock(&stream->lend_lock);
	/* Writers need not wait until the whole operation has ended. */
	set_idle(stream);
	set_busy(stream);
}

/**
 * ltt_stream_poll() - events for poll()
 * @stream:	the stream
 *
 * A running operation may take the data before the poller does.
 *
 * Context: any.
 * Return: EPOLL*; 0 if a read would block.
 */
__poll_t ltt_stream_poll(const struct ltt_binary_stream *stream)
{
	if (READ_ONCE(stream->ended))
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	if (ltt_packet_reader_ready(&stream->packets) || READ_ONCE(stream->trace->dead))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}
