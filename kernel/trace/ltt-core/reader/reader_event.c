// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: takes the events out of a reader's buffers, one by one.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/ltt/decode.h>
#include <linux/ltt/reader.h>

#include "reader_event.h"

/* Locate an event's context and fields. Return: bytes of both, or -EBADMSG. */
static long measure(const struct ltt_reader_stream *stream, struct ltt_reader_event *event,
		    u32 id, const u8 *p, size_t avail)
{
	const struct ltt_context *context = stream->tchan->context;
	long before = 0, fields;

	event->tevent = ltt_trace_channel_event(stream->tchan, id);
	if (!event->tevent)
		return -EBADMSG;
	if (context) {
		before = ltt_payload_size(context->format, p, avail, false);
		if (before < 0)
			return before;
	}
	fields = ltt_payload_size(event->tevent->event->format, p + before, avail - before,
				  false);
	if (fields < 0)
		return fields;
	event->context = p;
	event->context_size = before;
	event->fields = p + before;
	event->size = fields;
	return before + fields;
}

/**
 * ltt_reader_decode() - find the parts of an event
 * @stream:	where it is from
 * @p:		its first byte
 * @avail:	bytes that may be read there
 * @until:	how late it may be, ns
 * @event:	receives the event; in: its ts is that of the one before
 *
 * Context: any.
 * Return: bytes of the event; 0: it is later than @until, or -EBADMSG; then @event is undefined.
 */
long ltt_reader_decode(const struct ltt_reader_stream *stream, const u8 *p, size_t avail, u64 until,
		       struct ltt_reader_event *event)
{
	long header, size;
	u32 id;

	header = ltt_decode_header(p, avail, &event->ts, &id, false);
	if (header < 0)
		return header;
	if (event->ts > until)
		return 0;
	size = measure(stream, event, id, p + header, avail - header);
	return size < 0 ? size : header + size;
}

/* The next one, whether the reader wants it or not. Return: as ltt_reader_next_event(). */
static int next_event(struct ltt_reader *reader, struct ltt_reader_stream *stream,
		      struct ltt_reader_event *event)
{
	struct ltt_mark *mark = &stream->cursor.mark;
	size_t avail;
	const u8 *p;
	long size;

	avail = ltt_cursor_window(&stream->cursor, &p);
	if (!avail)
		return 0;
	event->ts = mark->ts;
	size = ltt_reader_decode(stream, p, avail, reader->watermark, event);
	if (size <= 0)
		return size;
	mark->ts = event->ts;
	mark->events++;
	mark->pos += size;
	return 1;
}

/**
 * ltt_reader_next_event() - take the next event out of a buffer
 * @reader:	the reader
 * @stream:	one of @reader->active
 * @event:	receives the event; undefined unless 1 is returned
 *
 * The memory that @event points to stays valid until the next call for @stream, or
 * ltt_reader_release(). Regardless of the return value, @stream->cursor.lost may have
 * grown: so many events were lost before @event, or before the next one.
 *
 * Events of different buffers are not ordered. To get them in the order of time, compare
 * the next events of all streams, as the text output does.
 *
 * Context: task; does not sleep. From ltt_reader_wait() to ltt_reader_release().
 * Return: 1; 0 if there is none up to @reader->watermark; -EBADMSG if the event cannot be
 * decoded, which must not happen.
 */
int ltt_reader_next_event(struct ltt_reader *reader, struct ltt_reader_stream *stream,
			  struct ltt_reader_event *event)
{
	int ret;

	do {
		ret = next_event(reader, stream, event);
	} while (ret > 0 && !ltt_reader_wants(reader, event->tevent));
	return ret;
}
EXPORT_SYMBOL_GPL(ltt_reader_next_event);

static int take_all(struct ltt_reader *reader, struct ltt_reader_stream *stream,
		    int (*take)(const struct ltt_reader_event *event, void *arg), void *arg)
{
	struct ltt_reader_event event;
	int ret;

	do {
		ret = ltt_reader_next_event(reader, stream, &event);
		if (ret > 0)
			ret = take(&event, arg) ?: 1;
	} while (ret > 0);
	return ret;
}

/**
 * ltt_reader_for_each() - take all events up to the watermark
 * @reader:	the reader
 * @take:	called for each event, returns 0, or a negative errno to stop. May sleep;
 *		writers wait meanwhile (discard mode)
 * @arg:	for @take
 * @lost:	increased by the number of events that were lost before those taken, or before
 *		the next one; may be NULL
 *
 * The events of a buffer are in order, those of different buffers are not; see
 * ltt_reader_next_event(). At the end the reader is released, as by
 * ltt_reader_release().
 *
 * Context: task; may sleep if @take does. After ltt_reader_wait().
 * Return: 0, what @take returned, or -EBADMSG as ltt_reader_next_event().
 */
int ltt_reader_for_each(struct ltt_reader *reader,
			int (*take)(const struct ltt_reader_event *event, void *arg),
			void *arg, unsigned long *lost)
{
	struct ltt_cursor *cursor;
	unsigned int i;
	int err = 0;

	for (i = 0; i < reader->nr_active && !err; i++) {
		err = take_all(reader, reader->active[i], take, arg);
		cursor = &reader->active[i]->cursor;
		if (lost)
			*lost += cursor->lost;
		cursor->lost = 0;
	}
	ltt_reader_release(reader);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_reader_for_each);
