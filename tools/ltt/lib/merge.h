/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: all streams as one sequence of events.
 */
#ifndef _LTT_LIB_MERGE_H
#define _LTT_LIB_MERGE_H

#include "stream.h"

void lib_merge_start(struct libltt *ltt);
void lib_merge_end_of_stream(struct libltt *ltt, struct lib_stream *s);

/*
 * With many streams, what the next event needs is not in the cache. Who comes next after
 * the top is not known either; but most likely it is who lost last against it.
 */
static __always_inline void lib_merge_prefetch(const struct libltt *ltt)
{
	const struct ltt_merge *merge = &ltt->merge;
	const struct lib_stream *s;
	u32 loser;

	if (merge->nr < 64)
		return;
	loser = (u32)merge->nodes[1].tie;
	if (unlikely(loser >= merge->nr))
		return;
	s = &ltt->streams[loser];
	__builtin_prefetch(s->p);
	__builtin_prefetch(s->p + 64);
	__builtin_prefetch(&merge->nodes[(merge->nr + loser) / 2]);
	__builtin_prefetch(&merge->nodes[(merge->nr + loser) / 4]);
	loser = (u32)merge->nodes[2 + (merge->nodes[3].ts < merge->nodes[2].ts)].tie;
	if (unlikely(loser >= merge->nr))
		return;
	s = &ltt->streams[loser];
	__builtin_prefetch(s);
	__builtin_prefetch(&s->lost);
}

/**
 * lib_merge_step() - the event at the top is done
 * @ltt:	the traces
 * @s:		its stream, at the next event
 */
static __always_inline void lib_merge_step(struct libltt *ltt, struct lib_stream *s)
{
	if (likely(lib_stream_peek(ltt, s)))
		ltt_merge_update(&ltt->merge, s->ts + s->shift);
	else
		lib_merge_end_of_stream(ltt, s);
	lib_merge_prefetch(ltt);
}

/**
 * lib_merge_top() - the stream with the next event
 * @ltt:	the traces
 *
 * The event is the stream's next one; if its header is 0, there is only the notice
 * that events were lost.
 *
 * Return: the stream, or NULL if nothing is left in the range.
 */
static __always_inline struct lib_stream *lib_merge_top(struct libltt *ltt)
{
	int top;

	if (unlikely(!ltt->started || ltt->taken))
		lib_merge_start(ltt);
	top = ltt_merge_top(&ltt->merge);
	if (unlikely(ltt->merge.top.ts > ltt->end || top < 0))
		return NULL;
	return &ltt->streams[top];
}

#endif /* _LTT_LIB_MERGE_H */
