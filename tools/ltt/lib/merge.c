// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: all streams as one sequence of events.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <string.h>

#include "merge.h"

/**
 * lib_merge_end_of_stream() - the stream at the top has no further event
 * @ltt:	the traces
 * @s:		the stream
 *
 * Notices at its end, if any, are next.
 */
void lib_merge_end_of_stream(struct libltt *ltt, struct lib_stream *s)
{
	if (s->live)
		lib_live_exhausted(ltt, s->live);
	if (lib_stream_notice(s) && s->ts + s->shift >= ltt->begin)
		ltt_merge_update(&ltt->merge, s->ts + s->shift);
	else
		ltt_merge_exhaust(&ltt->merge);
}

/**
 * lib_merge_start() - make the top of the merge valid
 * @ltt:	the traces
 *
 * The user's event, if there was one, is done; or all begins anew.
 */
void lib_merge_start(struct libltt *ltt)
{
	struct lib_stream *s;
	unsigned int i;

	if (ltt->started) {
		s = &ltt->streams[ltt_merge_top(&ltt->merge)];
		s->p += ltt->taken;
		ltt->taken = 0;
		lib_merge_step(ltt, s);
		return;
	}
	ltt->started = true;
	ltt->taken = 0;
	for (i = 0; i < ltt->nr_streams; i++) {
		s = &ltt->streams[i];
		lib_stream_rewind(ltt, s);
		if (lib_stream_peek(ltt, s) ||
		    (lib_stream_notice(s) && s->ts + s->shift >= ltt->begin))
			ltt_merge_set(&ltt->merge, i, s->pub.cpu, s->ts + s->shift);
		else
			ltt_merge_clear(&ltt->merge, i);
	}
	ltt_merge_build(&ltt->merge);
}

/**
 * libltt_range() - say which times are wanted
 * @ltt:	the traces
 * @begin:	ns, the first
 * @end:	ns, the last
 *
 * The next event that is read will be the first one in the range. With an index this
 * looks at O(log packets) places of each stream, without one at each packet's header.
 *
 * Return: 0, or -EINVAL if @begin is after @end.
 */
int libltt_range(struct libltt *ltt, uint64_t begin, uint64_t end)
{
	if (begin > end)
		return -EINVAL;
	ltt->begin = begin;
	ltt->end = end;
	ltt->started = false;
	ltt->taken = 0;
	return 0;
}

/* A notice; the stream has nothing else if it has no event. */
static int take_notice(struct libltt *ltt, struct lib_stream *s, struct libltt_event *event)
{
	memset(event, 0, sizeof(*event));
	event->time = ltt->merge.top.ts;
	event->cpu = s->pub.cpu;
	event->channel = s->pub.channel;
	event->origin = s;
	if (s->corrupt) {
		event->corrupt = true;
		event->packet = s->corrupt_packet;
		event->offset = s->corrupt_offset;
		s->corrupt = false;
	} else {
		event->lost = s->lost;
		s->lost = 0;
	}
	if (!s->header && !s->lost)
		ltt_merge_exhaust(&ltt->merge);
	return 1;
}

/**
 * libltt_next() - take the next event
 * @ltt:	the traces
 * @event:	returns it
 *
 * Return: 1, or 0 at the end of the range. What could not be read was reported, see
 * libltt_errors().
 */
int libltt_next(struct libltt *ltt, struct libltt_event *event)
{
	struct lib_stream *s;
	long size;

	while ((s = lib_merge_top(ltt))) {
		if (lib_stream_notice(s) && s->channel->selected)
			return take_notice(ltt, s, event);
		s->lost = 0;
		s->corrupt = false;
		if (!s->header) {
			ltt_merge_exhaust(&ltt->merge);
			continue;
		}
		size = lib_stream_size(ltt, s);
		if (size < 0) {
			lib_stream_skip(ltt, s, "incomplete event");
			lib_merge_step(ltt, s);
			continue;
		}
		ltt->taken = s->header + size;
		if (!s->class->selected ||
		    (s->class->filter && !lib_filter_accepts(s, size)))
			continue;
		event->time = s->ts + s->shift;
		event->lost = 0;
		event->corrupt = false;
		event->cpu = s->pub.cpu;
		event->channel = s->class->pub.channel;
		event->kind = &s->class->pub;
		event->payload = s->p + s->header;
		event->size = size;
		event->origin = s;
		return 1;
	}
	return 0;
}
