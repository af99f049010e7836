// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the buffers of a trace as the text output sees them.
 */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "merge_stream.h"

/**
 * ltt_text_stream_window() - get more events of a stream
 * @stream:	the stream, with no events left
 *
 * Context: task; does not sleep.
 * Return: false if nothing follows for now; then @stream->header is 0.
 */
bool ltt_text_stream_window(struct merge_stream *stream)
{
	struct ltt_cursor *cursor = stream->cursor;
	size_t size;

	for (;;) {
		size = ltt_cursor_window(cursor, &stream->p);
		stream->end = stream->p + size;
		if (!size) {
			stream->p = NULL;
			stream->end = NULL;
			stream->header = 0;
			return false;
		}
		if (!stream->skip)
			return true;
		if (cursor->mark.pos >> cursor->buf->sb_order != stream->skip_seq) {
			stream->skip = false;
			return true;
		}
		cursor->mark.pos += size;
	}
}

/**
 * ltt_text_stream_skip() - leave out the rest of a corrupt packet
 * @stream:	the stream
 *
 * Including what will be written to it later, as its times are unknown. The position of
 * the next packet is known.
 *
 * Context: task; does not sleep.
 */
void ltt_text_stream_skip(struct merge_stream *stream)
{
	struct ltt_cursor *cursor = stream->cursor;

	stream->skip = true;
	stream->skip_seq = cursor->mark.pos >> cursor->buf->sb_order;
	cursor->mark.pos += stream->end - stream->p;
	stream->p = stream->end;
}

/* Make room in the table for @id. */
static int grow_events(struct text_channel *channel, u32 id)
{
	u32 nr = READ_ONCE(channel->tchan->nr_events);
	struct ltt_event_text **events;

	if (id >= nr)
		nr = id + 1;	/* it is known, regardless of the hint */
	events = kvcalloc(nr, sizeof(*events), GFP_KERNEL);
	if (!events)
		return -ENOMEM;
	if (channel->nr)
		memcpy(events, channel->events, channel->nr * sizeof(*events));
	kvfree(channel->events);
	channel->events = events;
	channel->nr = nr;
	return 0;
}

/**
 * ltt_text_event_create() - create the program that renders an event
 * @channel:	its channel
 * @id:		its id
 *
 * Context: task; may sleep.
 * Return: the program, or ERR_PTR: -EBADMSG (no such id), -ENOENT (of a channel that is not to
 * be shown), -ENOMEM.
 */
struct ltt_event_text *ltt_text_event_create(struct text_channel *channel, u32 id)
{
	/* It lives as long as the trace, and so do the event and its format. */
	const struct ltt_trace_event *tevent = ltt_trace_channel_event(channel->tchan, id);
	const struct ltt_context *context = channel->tchan->context;
	struct ltt_text_kind kind = {};
	struct ltt_event_text *text;

	if (!tevent)
		return ERR_PTR(-EBADMSG);
	if (!ltt_reader_wants(channel->reader, tevent))
		return ERR_PTR(-ENOENT);
	if (id >= channel->nr && grow_events(channel, id))
		return ERR_PTR(-ENOMEM);
	kind.channel = tevent->tchan->channel->name;
	kind.marker = tevent->event->name;
	kind.format = tevent->event->format;
	kind.context = context ? context->format : NULL;
	kind.event = tevent->event;
	text = ltt_event_text_create(channel->style, &kind);
	if (!IS_ERR(text))
		channel->events[id] = text;
	return text;
}

/* Return: NULL if there is no memory. */
static struct text_channel *get_channel(struct merge_streams *streams,
					struct ltt_trace_channel *tchan)
{
	struct text_channel *channel;

	list_for_each_entry(channel, &streams->channels, node) {
		if (channel->tchan == tchan)
			return channel;
	}
	channel = kzalloc(sizeof(*channel), GFP_KERNEL);
	if (!channel)
		return NULL;
	channel->tchan = tchan;
	channel->reader = streams->reader;
	channel->style = streams->style;
	list_add(&channel->node, &streams->channels);
	return channel;
}

/* Return: NULL if there is no memory. */
static struct merge_stream *create(struct merge_streams *streams,
				   struct ltt_reader_stream *reader)
{
	struct merge_stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL_ACCOUNT);

	if (!stream)
		return NULL;
	stream->channel = get_channel(streams, reader->tchan);
	if (!stream->channel) {
		kfree(stream);
		return NULL;
	}
	stream->reader = reader;
	stream->cursor = &reader->cursor;
	ltt_cpu_text_init(&stream->cpu, reader->cpu);
	/* What somebody else was told of stays untold, unless its loss is still to come. */
	stream->unfinished = reader->given_up;
	list_add(&stream->node, &streams->all);
	reader->client = stream;
	return stream;
}

static int make_room(struct merge_streams *streams, unsigned int nr)
{
	struct merge_stream **stream;

	if (nr <= streams->room)
		return 0;
	stream = kvmalloc_array(nr, sizeof(*stream), GFP_KERNEL_ACCOUNT);
	if (!stream)
		return -ENOMEM;
	if (streams->nr)
		memcpy(stream, streams->stream, streams->nr * sizeof(*stream));
	kvfree(streams->stream);
	streams->stream = stream;
	streams->room = nr;
	return 0;
}

/*
 * The reader has other streams active. Those that came to rest have no event, the others keep
 * theirs.
 */
static int follow(struct merge_streams *streams, const struct ltt_reader *reader)
{
	struct merge_stream *stream;
	unsigned int i;
	int err;

	err = make_room(streams, reader->nr_active);
	if (!err)
		err = ltt_merge_reset(&streams->merge, reader->nr_active);
	if (err)
		return err;
	for (i = 0; i < reader->nr_active; i++) {
		stream = reader->active[i]->client;
		streams->stream[i] = stream;
		if (stream && stream->header)
			ltt_merge_set(&streams->merge, i, stream->reader->cpu, stream->ts);
	}
	streams->nr = reader->nr_active;
	streams->generation = reader->generation;
	return 0;
}

/**
 * ltt_text_streams_pin() - continue with events found before the reader's release
 * @streams:	the streams
 *
 * A stream that was left behind meanwhile has lost its event. Streams without an event need
 * not be pinned: that is done when they are checked.
 *
 * Context: task; does not sleep.
 * Return: false if a stream was left behind: call ltt_text_streams_refresh() next.
 */
bool ltt_text_streams_pin(struct merge_streams *streams)
{
	struct merge_stream *stream;
	bool all = true;
	unsigned int i;

	for (i = 0; i < streams->nr; i++) {
		stream = streams->stream[i];
		if (!stream || !stream->header || ltt_cursor_pin(stream->cursor))
			continue;
		stream->p = NULL;
		stream->end = NULL;
		stream->header = 0;
		stream->lost_at = 0;
		ltt_merge_clear(&streams->merge, i);
		all = false;
	}
	return all;
}

/**
 * ltt_text_streams_refresh() - check streams without an event again
 * @streams:	the streams
 * @reader:	whose watermark has moved, or which has other streams active
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOMEM: call it again before events are taken.
 */
int ltt_text_streams_refresh(struct merge_streams *streams, const struct ltt_reader *reader)
{
	struct merge_stream *stream;
	unsigned int i;
	int err;

	if (streams->generation != reader->generation) {
		err = follow(streams, reader);
		if (err)
			return err;
	}
	for (i = 0; i < streams->nr; i++) {
		stream = streams->stream[i];
		if (unlikely(!stream)) {
			if (!ltt_cursor_pending(&reader->active[i]->cursor))
				continue;
			stream = create(streams, reader->active[i]);
			if (!stream)
				return -ENOMEM;
			streams->stream[i] = stream;
		}
		if (!stream->header && ltt_text_stream_peek(stream))
			ltt_merge_set(&streams->merge, i, stream->reader->cpu, stream->ts);
	}
	ltt_merge_build(&streams->merge);
	return 0;
}

/**
 * ltt_text_streams_init() - start without streams
 * @streams:	the streams
 * @reader:	whose streams they will be
 * @style:	style of the lines
 */
void ltt_text_streams_init(struct merge_streams *streams, const struct ltt_reader *reader,
			   const struct ltt_text_style *style)
{
	memset(streams, 0, sizeof(*streams));
	streams->reader = reader;
	streams->style = style;
	streams->merge.top.ts = LTT_MERGE_NONE;
	streams->merge.top.tie = LTT_MERGE_NONE;
	INIT_LIST_HEAD(&streams->all);
	INIT_LIST_HEAD(&streams->channels);
}

/**
 * ltt_text_streams_destroy() - free everything
 * @streams:	the streams
 *
 * Context: task; may sleep. The reader is still open.
 */
void ltt_text_streams_destroy(struct merge_streams *streams)
{
	struct merge_stream *stream, *next_stream;
	struct text_channel *channel, *next;
	u32 id;

	list_for_each_entry_safe(channel, next, &streams->channels, node) {
		for (id = 0; id < channel->nr; id++)
			ltt_event_text_free(channel->events[id]);
		kvfree(channel->events);
		kfree(channel);
	}
	list_for_each_entry_safe(stream, next_stream, &streams->all, node)
		kfree(stream);
	ltt_merge_destroy(&streams->merge);
	kvfree(streams->stream);
}
