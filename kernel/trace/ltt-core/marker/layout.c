// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the layout of a marker's events: its format and types, and what is derived from
 * them.
 *
 * Locks: ltt_mutex is held where a layout is looked for or made.
 */

#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "registry.h"

/* Formats of at least so many bytes are shared if they are equal. */
#define LONG_FORMAT	256

/**
 * ltt_layout_is() - do the events of a marker have the layout of this kind of event?
 * @event:	the kind of event
 * @marker:	the marker
 *
 * Context: any.
 */
bool ltt_layout_is(const struct ltt_event *event, const struct ltt_marker *marker)
{
	return event->nr_types == marker->nr_args &&
	       !strcmp(event->format_text, marker->format) &&
	       !memcmp(event->types, marker->types,
		       marker->nr_args * sizeof(*marker->types));
}

/**
 * ltt_layout_put() - drop a reference to a layout
 * @layout:	the layout, may be gone when this returns; or NULL
 *
 * Context: any.
 */
void ltt_layout_put(struct ltt_layout *layout)
{
	if (!layout || !refcount_dec_and_test(&layout->ref))
		return;
	ltt_format_free(layout->format);
	kfree(layout->capture);
	kfree(layout->types);
	kfree(layout->format_text);
	kfree(layout);
}

static bool is_long(const char *format)
{
	return strnlen(format, LONG_FORMAT) == LONG_FORMAT;
}

/* The layout of another event of the channel, with a reference; NULL if none has it. */
static struct ltt_layout *find(const struct ltt_marker *marker)
{
	struct ltt_channel *channel = ltt_channel_find(marker->channel);
	struct ltt_event *event;

	if (!channel || !is_long(marker->format))
		return NULL;
	list_for_each_entry_reverse(event, &channel->events, node) {
		if (!ltt_layout_is(event, marker))
			continue;
		refcount_inc(&event->layout->ref);
		return event->layout;
	}
	return NULL;
}

/**
 * ltt_layout_create() - make a layout
 * @text:	the format; copied
 * @types:	types of the arguments; copied
 * @nr_types:	entries of @types
 * @reason:	why it failed; empty if there is no memory
 *
 * Context: task; may sleep.
 * Return: the layout, to be given back by ltt_layout_put(); an ERR_PTR() of -EINVAL
 * (format and types do not fit) or -ENOMEM.
 */
struct ltt_layout *ltt_layout_create(const char *text, const u32 *types, unsigned int nr_types,
				     char reason[LTT_FORMAT_ERROR])
{
	struct ltt_layout *layout;
	struct ltt_format *format;

	layout = kzalloc(sizeof(*layout), GFP_KERNEL);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	refcount_set(&layout->ref, 1);
	layout->is_long = is_long(text);
	format = ltt_format_parse(text, types, nr_types, reason);
	if (IS_ERR(format)) {
		ltt_layout_put(layout);
		return ERR_CAST(format);
	}
	layout->format = format;
	layout->format_text = kstrdup(text, GFP_KERNEL);
	/* Never of size 0: the result could not be compared with NULL. */
	layout->types = nr_types ? kmemdup(types, nr_types * sizeof(u32), GFP_KERNEL) :
				   kzalloc(sizeof(u32), GFP_KERNEL);
	layout->nr_types = nr_types;
	layout->capture = ltt_capture_alloc(format);
	if (layout->format_text && layout->types && layout->capture)
		return layout;
	ltt_layout_put(layout);
	return ERR_PTR(-ENOMEM);
}

/**
 * ltt_layout_get() - find or make the layout of a marker's events
 * @marker:	the marker
 * @reason:	why it failed; empty if there is no memory
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: the layout, to be given back by ltt_layout_put(); an ERR_PTR() of -EINVAL
 * (format and types do not fit) or -ENOMEM.
 */
struct ltt_layout *ltt_layout_get(const struct ltt_marker *marker,
				  char reason[LTT_FORMAT_ERROR])
{
	return find(marker) ?: ltt_layout_create(marker->format, marker->types, marker->nr_args,
						 reason);
}
