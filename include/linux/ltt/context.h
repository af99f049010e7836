/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: contexts, what is recorded with every event of a channel in a trace.
 *
 * A context is one format, with the types of its values, for all events of the
 * channel: "tid %d comm %s". In an event it precedes the fields, as CTF requires;
 * in a line of text it follows them.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#ifndef _LINUX_LTT_CONTEXT_H
#define _LINUX_LTT_CONTEXT_H

#include <linux/ltt/format.h>

/**
 * struct ltt_context - what is recorded with each event
 * @text:	format string
 * @nr_types:	entries of @types
 * @types:	type codes, see <linux/ltt/types.h>
 * @format:	what ltt_format_parse() made of these
 * @room:	bytes of all values, at most; 0 if nobody records them any more
 */
struct ltt_context {
	const char *text;
	unsigned int nr_types;
	const __u32 *types;
	struct ltt_format *format;
	size_t room;
};

/**
 * ltt_event_size() - how many bytes an event occupies after its header
 * @context:	format of the context, NULL if there is none
 * @format:	format of the event
 * @p:		the first byte after the event's header
 * @avail:	bytes that may be read there
 * @swap:	the event was written in the other byte order
 *
 * Context: any.
 * Return: bytes of context and fields, or -EBADMSG if they do not fit into @avail.
 */
static inline long ltt_event_size(const struct ltt_format *context,
				  const struct ltt_format *format,
				  const void *p, size_t avail, bool swap)
{
	long before = 0, size;

	if (context) {
		before = ltt_payload_size(context, p, avail, swap);
		if (before < 0)
			return before;
	}
	size = ltt_payload_size(format, p + before, avail - before, swap);
	return size < 0 ? size : before + size;
}

#endif /* _LINUX_LTT_CONTEXT_H */
