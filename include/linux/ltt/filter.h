/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: filters, which accept or reject an event before anything is written.
 *
 * Each event of a trace may have a chain of filters. A filter sees the typed fields
 * as they would be recorded; the event is dropped by the first filter that rejects it.
 */
#ifndef _LINUX_LTT_FILTER_H
#define _LINUX_LTT_FILTER_H

#include <linux/types.h>

struct ltt_event;
struct ltt_trace;

/**
 * struct ltt_filter - a filter, embedded in its owner's data
 * @accept:	returns whether the event may be recorded. @payload holds its
 *		fields as @event->format describes them, @size bytes of them.
 *		Context: that of the marker, up to NMI; preemption disabled
 * @priority:	filters run in ascending order
 *
 * Constant while it is in a chain. It may be in the chains of several events.
 */
struct ltt_filter {
	bool (*accept)(struct ltt_filter *filter, const struct ltt_event *event,
		       const u8 *payload, size_t size);
	int priority;
};

int ltt_filter_add(struct ltt_trace *trace, const char *channel,
		   const char *marker, struct ltt_filter *filter);
int ltt_filter_remove(struct ltt_trace *trace, const char *channel,
		      const char *marker, struct ltt_filter *filter);

#endif /* _LINUX_LTT_FILTER_H */
