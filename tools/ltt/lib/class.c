// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: tables of channels and events.
 *
 * Numbers are indices, as the kernel gives them out densely. A metadata text that
 * doesn't is not believed: else a few bytes of it could ask for any amount of memory.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* How much larger than the number of events so far an event's number may be. */
#define SPARSE_FACTOR	16u
#define SPARSE_START	64u

/* Make room for entry @id in a table of pointers. */
static int grow(void *table, u32 *nr, u32 id)
{
	u64 want = max_t(u64, 2 * (u64)*nr, (u64)id + 1);
	void **old = *(void **)table, **new;

	if (want > U32_MAX)
		want = U32_MAX;
	new = reallocarray(old, want, sizeof(*new));
	if (!new)
		return -ENOMEM;
	memset(new + *nr, 0, (want - *nr) * sizeof(*new));
	*(void **)table = new;
	*nr = want;
	return 0;
}

/**
 * lib_channel_declare() - add a channel to a trace
 * @trace:	the trace
 * @id:		its stream id
 * @channel:	returns it
 *
 * Return: 0; -EEXIST (declared before), -ERANGE (more than any trace has), -ENOMEM.
 */
int lib_channel_declare(struct lib_trace *trace, u64 id, struct lib_channel **channel)
{
	if (id >= LIB_CHANNELS_MAX)
		return -ERANGE;
	if (id >= trace->nr_channels && grow(&trace->channels, &trace->nr_channels, id))
		return -ENOMEM;
	if (trace->channels[id])
		return -EEXIST;
	*channel = calloc(1, sizeof(**channel));
	trace->channels[id] = *channel;
	return *channel ? 0 : -ENOMEM;
}

/**
 * lib_channel_find() - look up a channel
 * @trace:	the trace
 * @id:		its stream id
 *
 * Return: the channel, or NULL if it was not declared.
 */
struct lib_channel *lib_channel_find(const struct lib_trace *trace, u64 id)
{
	return id < trace->nr_channels ? trace->channels[id] : NULL;
}

/**
 * lib_class_add() - add an event to its channel
 * @channel:	the channel
 * @class:	the event; belongs to the channel unless this fails
 *
 * Return: 0; -EEXIST (the id is taken), -ERANGE (the id is far from those so far),
 * -ENOMEM.
 */
int lib_class_add(struct lib_channel *channel, struct lib_class *class)
{
	u32 id = class->pub.id;

	if (id >= SPARSE_FACTOR * (u64)channel->declared + SPARSE_START)
		return -ERANGE;
	if (id >= channel->nr && grow(&channel->classes, &channel->nr, id))
		return -ENOMEM;
	if (channel->classes[id])
		return -EEXIST;
	channel->classes[id] = class;
	channel->declared++;
	return 0;
}

/**
 * lib_class_complete() - all fields of an event are known: know what follows from them
 * @trace:	its trace
 * @channel:	its channel
 * @class:	the event, of which the names and the format are known
 *
 * Return: 0 or -ENOMEM.
 */
int lib_class_complete(const struct lib_trace *trace, const struct lib_channel *channel,
		       struct lib_class *class)
{
	struct ltt_text_kind kind = {};

	class->context = channel->context;
	class->pub.nr_fields = class->format->nr_fields;
	if (class->context) {
		class->pub.nr_context = class->context->nr_fields;
		class->pub.nr_fields += class->pub.nr_context;
	}
	if (!trace->style)
		return 0;
	kind.channel = class->name;
	kind.marker = class->pub.marker;
	kind.format = class->format;
	kind.context = class->context;
	kind.nr_traces = trace->of;
	kind.trace = trace->number;
	class->text = ltt_event_text_create(trace->style, &kind);
	return IS_ERR(class->text) ? -ENOMEM : 0;
}

/**
 * lib_class_free() - free an event
 * @class:	the event, or NULL
 */
void lib_class_free(struct lib_class *class)
{
	if (!class)
		return;
	ltt_event_text_free(class->text);
	ltt_expr_free(class->filter);
	lib_fields_put(class->fields);
	free(class->name);
	free(class);
}

/**
 * lib_channels_free() - free the channels of a trace, and their events
 * @trace:	the trace
 */
void lib_channels_free(struct lib_trace *trace)
{
	struct lib_channel *channel;
	u32 i, id;

	for (i = 0; i < trace->nr_channels; i++) {
		channel = trace->channels[i];
		if (!channel)
			continue;
		for (id = 0; id < channel->nr; id++)
			lib_class_free(channel->classes[id]);
		free(channel->classes);
		free(channel->with_cpu);
		ltt_format_free(channel->context);
		free(channel->name);
		free(channel);
	}
	free(trace->channels);
	trace->channels = NULL;
	trace->nr_channels = 0;
}
