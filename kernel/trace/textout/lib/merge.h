/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: many sorted streams, one order.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#ifndef _LTT_MERGE_H
#define _LTT_MERGE_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct ltt_merge_key - when a stream's next event is to come
 * @ts:		ns
 * @tie:	CPU in the upper, number of the stream in the lower half: orders
 *		events of one time; all ones if the stream has no event
 */
struct ltt_merge_key {
	u64 ts;
	u64 tie;
};

/**
 * struct ltt_merge - a tournament over the next events of streams
 * @top:	the winner
 * @runner_up:	nothing but the winner comes before this, as far as is known
 * @nr:		streams
 * @room:	streams for which there is memory
 * @nodes:	[1, nr): the losers of the matches; [nr, 2 nr): the streams' keys
 *		as they were set for the next ltt_merge_build()
 *
 * Not locked: it belongs to one reader.
 */
struct ltt_merge {
	struct ltt_merge_key top;
	struct ltt_merge_key runner_up;
	unsigned int nr;
	unsigned int room;
	struct ltt_merge_key *nodes;
};

#define LTT_MERGE_NONE	(~(u64)0)

int ltt_merge_init(struct ltt_merge *m, unsigned int nr);
int ltt_merge_reset(struct ltt_merge *m, unsigned int nr);
void ltt_merge_destroy(struct ltt_merge *m);
void ltt_merge_build(struct ltt_merge *m);
void __ltt_merge_replay(struct ltt_merge *m, u64 ts, u64 tie);

/* Ties are rare: let the processor predict that there is none. */
static inline bool ltt_merge_before(u64 ts, u64 tie, const struct ltt_merge_key *b)
{
	if (likely(ts != b->ts))
		return ts < b->ts;
	return tie < b->tie;
}

/**
 * ltt_merge_set() - say what a stream's next event is
 * @m:		the merge
 * @stream:	number of the stream, below the nr of ltt_merge_init()
 * @cpu:	its CPU, the first thing that orders events of the same time
 * @ts:		ns, timestamp of its next event
 *
 * Takes effect with the next ltt_merge_build(). Streams that nobody sets or clears
 * in between keep their events.
 *
 * Context: any; the caller serialises all calls for one merge.
 */
static inline void ltt_merge_set(struct ltt_merge *m, unsigned int stream, u32 cpu,
				 u64 ts)
{
	m->nodes[m->nr + stream].ts = ts;
	m->nodes[m->nr + stream].tie = (u64)cpu << 32 | stream;
}

/**
 * ltt_merge_clear() - say that a stream has no event
 * @m:		the merge
 * @stream:	number of the stream, below the nr of ltt_merge_init()
 *
 * Takes effect with the next ltt_merge_build().
 *
 * Context: as ltt_merge_set().
 */
static inline void ltt_merge_clear(struct ltt_merge *m, unsigned int stream)
{
	m->nodes[m->nr + stream].ts = LTT_MERGE_NONE;
	m->nodes[m->nr + stream].tie = LTT_MERGE_NONE;
}

/**
 * ltt_merge_top() - the stream whose event comes next
 * @m:		the merge
 *
 * Context: as ltt_merge_set().
 * Return: number of the stream, or -1 if no stream has an event.
 */
static inline int ltt_merge_top(const struct ltt_merge *m)
{
	return m->top.tie == LTT_MERGE_NONE ? -1 : (int)(u32)m->top.tie;
}

/**
 * ltt_merge_update() - the top stream's event is done, here is its next
 * @m:		the merge, ltt_merge_top() of which is not -1
 * @ts:		ns, timestamp of the stream's next event
 *
 * In a burst of one stream this is a comparison, else O(log streams).
 *
 * Context: as ltt_merge_set().
 */
static inline void ltt_merge_update(struct ltt_merge *m, u64 ts)
{
	m->nodes[m->nr + (u32)m->top.tie].ts = ts;
	if (ltt_merge_before(ts, m->top.tie, &m->runner_up))
		m->top.ts = ts;
	else
		__ltt_merge_replay(m, ts, m->top.tie);
}

/**
 * ltt_merge_exhaust() - the top stream's event is done and was its last for now
 * @m:		the merge, ltt_merge_top() of which is not -1
 *
 * Context: as ltt_merge_set().
 */
static inline void ltt_merge_exhaust(struct ltt_merge *m)
{
	ltt_merge_clear(m, (u32)m->top.tie);
	__ltt_merge_replay(m, LTT_MERGE_NONE, LTT_MERGE_NONE);
}

#endif /* _LTT_MERGE_H */
