/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the buffers of a trace as the text output sees them; for text.c only.
 */
#ifndef _LTT_TEXT_STREAM_H
#define _LTT_TEXT_STREAM_H

#include <linux/list.h>
#include <linux/ltt/reader.h>

#include <linux/ltt/decode.h>
#include "lib/merge.h"
#include "lib/style.h"

/**
 * struct text_channel - a channel, shared by its streams
 * @tchan:	the channel that has the buffers
 * @reader:	says which of the events are to be shown
 * @style:	style of the lines
 * @nr:		entries of @events
 * @events:	programs that render its events, by id; NULL until the first event
 * @node:	in merge_streams.channels
 */
struct text_channel {
	struct ltt_trace_channel *tchan;
	const struct ltt_reader *reader;
	const struct ltt_text_style *style;
	u32 nr;
	struct ltt_event_text **events;
	struct list_head node;
};

/**
 * struct merge_stream - a buffer
 * @p:		header of the next event
 * @end:	of the window that the cursor gave us
 * @ts:		ns, of the next event
 * @id:		of the next event
 * @header:	bytes of its header; 0: there is no event; negative: it cannot be
 *		decoded
 * @channel:	the channel that has the buffer
 * @cursor:	of @reader
 * @cpu:	for the lines
 * @reader:	the reader's view of the buffer
 * @lost_at:	ns, a time after losses that no event follows yet; 0: there are none
 * @unfinished:	of the buffer, as far as it was reported
 * @skip:	the packet at @skip_seq is corrupt
 * @skip_seq:	number of a packet
 * @node:	in merge_streams.all
 */
struct merge_stream {
	const u8 *p;
	const u8 *end;
	u64 ts;
	u32 id;
	int header;
	struct text_channel *channel;
	struct ltt_cursor *cursor;
	struct ltt_cpu_text cpu;
	struct ltt_reader_stream *reader;
	u64 lost_at;
	unsigned long unfinished;
	bool skip;
	unsigned long skip_seq;
	struct list_head node;
};

/**
 * struct merge_streams - all streams
 * @nr:		entries of @stream
 * @room:	those for which it has room
 * @stream:	in the order of ltt_reader.active; NULL where there was no event yet
 * @generation:	of the reader, for which @stream and @merge were made
 * @merge:	of their next events
 * @all:	struct merge_stream, those at rest as well
 * @channels:	struct text_channel
 * @reader:	whose streams these are
 * @style:	of the lines
 */
struct merge_streams {
	unsigned int nr;
	unsigned int room;
	struct merge_stream **stream;
	unsigned int generation;
	struct ltt_merge merge;
	struct list_head all;
	struct list_head channels;
	const struct ltt_reader *reader;
	const struct ltt_text_style *style;
};

void ltt_text_streams_init(struct merge_streams *streams, const struct ltt_reader *reader,
			   const struct ltt_text_style *style);
void ltt_text_streams_destroy(struct merge_streams *streams);
bool ltt_text_streams_pin(struct merge_streams *streams);
int ltt_text_streams_refresh(struct merge_streams *streams, const struct ltt_reader *reader);
bool ltt_text_stream_window(struct merge_stream *stream);
void ltt_text_stream_skip(struct merge_stream *stream);
struct ltt_event_text *ltt_text_event_create(struct text_channel *channel, u32 id);

/**
 * ltt_text_stream_peek() - find a stream's next event
 * @stream:	the stream
 *
 * Return: false if nothing follows for now.
 */
static __always_inline bool ltt_text_stream_peek(struct merge_stream *stream)
{
	u64 ts;

	if (stream->p == stream->end && !ltt_text_stream_window(stream))
		return false;
	ts = stream->cursor->mark.ts;
	stream->header = ltt_decode_header(stream->p, stream->end - stream->p, &ts,
					   &stream->id, false);
	/* After a failure: the time of the problem. */
	stream->ts = ts;
	return true;
}

/**
 * ltt_text_event() - the program that renders an event
 * @channel:	its channel
 * @id:		its id
 *
 * Return: the program, or ERR_PTR as ltt_text_event_create().
 */
static __always_inline struct ltt_event_text *
ltt_text_event(struct text_channel *channel, u32 id)
{
	if (likely(id < channel->nr && channel->events[id]))
		return channel->events[id];
	return ltt_text_event_create(channel, id);
}

#endif /* _LTT_TEXT_STREAM_H */
