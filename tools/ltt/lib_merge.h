/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: all streams as one sequence of events.
 */
#ifndef _LTT_LIB_MERGE_H
#define _LTT_LIB_MERGE_H

#include "lib_stream.h"

void lib_merge_start(struct libltt *ltt);
void lib_merge_end_of_stream(struct libltt *ltt, struct lib_stream *s);

/**
 * lib_merge_step() - the event at the top is done
 * @ltt:	the traces
 * @s:		its stream, at what comes next
 */
static __always_inline void lib_merge_step(struct libltt *ltt, struct lib_stream *s)
{
	if (likely(lib_stream_peek(ltt, s)))
		ltt_merge_update(&ltt->merge, s->ts + s->shift);
	else
		lib_merge_end_of_stream(ltt, s);
}

/**
 * lib_merge_top() - the stream that comes next
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
