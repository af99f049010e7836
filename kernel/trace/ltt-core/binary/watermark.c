// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: until when nothing more will come in a stream.
 *
 * Programs that merge streams of packets must know that of a stream without packets. The
 * watermark of reader.c says it: after a grace period, all events up to then are committed. Either
 * they are in complete packets, which are to be taken first; or in the one that is being written,
 * whose first event is the answer then; or there are none, and the watermark is the answer.
 *
 * All streams of a trace share one watermark and one grace period. That is begun when somebody
 * asks, and those who ask next learn what it has led to: nobody waits. An old watermark is as
 * true as a new one.
 *
 * Memory barriers
 * ---------------
 *   watermark_of:A / watermark_of:B
 *	As start_grace_period:A / poll_grace_period:A of reader.c.
 */

#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>
#include <linux/ltt/compat.h>

#include "binary.h"

/* Return: the watermark, 0: none is known yet. */
static u64 watermark_of(struct ltt_binary *binary, const struct ltt_trace *trace)
{
	u64 watermark;

	spin_lock(&binary->lock);
	if (binary->gp_running &&
	    poll_state_synchronize_rcu_full(&binary->gp)) {		/* LMM(watermark_of:B) */
		binary->gp_running = false;
		binary->watermark = max(binary->watermark, binary->next_watermark);
	}
	if (!binary->gp_running) {
		binary->next_watermark = ltt_clock_settled(trace->clock);
		start_poll_synchronize_rcu_full(&binary->gp);		/* LMM(watermark_of:A) */
		binary->gp_running = true;
	}
	watermark = binary->watermark;
	spin_unlock(&binary->lock);
	return watermark;
}

/* Caller has locked the stream. */
static int watermark_in(struct ltt_binary_stream *stream, u64 *watermark)
{
	u64 begun;
	int ret;

	/* All its packets are complete, or will be. */
	if (READ_ONCE(stream->trace->dead))
		return ltt_stream_fetch(stream) ?: -EAGAIN;
	*watermark = watermark_of(stream->binary, stream->trace);
	if (!*watermark)
		return -EAGAIN;
	/* After the grace period: see the top of reader.c. What gets current stays so. */
	if (!ltt_packet_reader_next(&stream->packets))
		return -EAGAIN;
	ret = ltt_packet_reader_begun(&stream->packets, &begun);
	if (ret > 0)
		*watermark = min(*watermark, begun);
	return min(ret, 0);
}

/**
 * ltt_stream_watermark() - LTT_IOC_WATERMARK
 * @stream:	the stream
 * @arg:	receives ns, in user space
 *
 * Whoever waits for a packet holds the stream, so operations of others are not waited for.
 *
 * Context: task; may sleep.
 * Return: see include/uapi/linux/ltt.h; -EFAULT.
 */
long ltt_stream_watermark(struct ltt_binary_stream *stream, void __user *arg)
{
	u64 watermark;
	long ret;

	ret = ltt_stream_lock(stream, true);
	if (ret)
		return ret;
	ret = watermark_in(stream, &watermark);
	ltt_stream_unlock(stream, ret);
	if (ret)
		return ret;
	return copy_to_user(arg, &watermark, sizeof(watermark)) ? -EFAULT : 0;
}
