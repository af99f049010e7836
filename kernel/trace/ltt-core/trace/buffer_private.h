/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of buffer.c, the memory of the ring buffers, and buffer_spares.c, the memory
 * for windows.
 */
#ifndef _LTT_BUFFER_PRIVATE_H
#define _LTT_BUFFER_PRIVATE_H

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/ltt/ring_buffer.h>
#include <linux/ltt/trace.h>

/*
 * Try hard, but without the OOM killer, and without a warning: the caller logs it. Pages
 * are cleared because readers may see whole sub-buffers.
 */
#define LTT_GFP		(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN | __GFP_ZERO)

/* A reference to any page of a sub-buffer pins all of it: splice lends pages. */
#define LTT_GFP_SUBBUF	(LTT_GFP | __GFP_COMP)

extern struct mutex ltt_buffer_mutex;	/* see buffer.c */
extern struct mutex ltt_alloc_mutex;

/* buffer_spares.c */
unsigned int ltt_spares_count(const struct ltt_buf *buf);
void ltt_spares_free(const struct ltt_buf *buf, struct ltt_spares *spares);
void ltt_spares_add_cpu(struct ltt_trace_channel *tchan, unsigned int cpu);

/**
 * ltt_has_windows() - do windows of a trace contain what a channel has recorded?
 * @tchan:	the channel in the trace
 *
 * Context: any.
 */
static inline bool ltt_has_windows(const struct ltt_trace_channel *tchan)
{
	return tchan->params.overwrite;
}

/**
 * ltt_buffer_take() - the budget: a CPU got memory
 * @trace:	the trace
 * @bytes:	how much
 *
 * Context: task, ltt_buffer_mutex held.
 */
static inline void ltt_buffer_take(struct ltt_trace *trace, u64 bytes)
{
	lockdep_assert_held(&ltt_buffer_mutex);
	WRITE_ONCE(trace->taken, trace->taken + bytes);
}

#endif /* _LTT_BUFFER_PRIVATE_H */
