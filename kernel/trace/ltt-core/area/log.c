// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the writer's side of a half of an area: its head and its log.
 *
 * Shared by the kernel and the tests. The layout is in <linux/ltt/area.h>.
 *
 * A reset may come between any two stores, and memory may keep later ones without earlier
 * ones: checksums tell what is complete, so stores need no order. The users serialise calls.
 */

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "log.h"
#include "scan.h"

/* A part of a record's payload. */
struct part {
	const void *data;
	size_t size;
};

static struct part string(const char *text)
{
	return (struct part){ text, strlen(text) + 1 };
}

static int add(struct ltt_area_log *log, enum ltt_area_type type, const struct part *parts,
	       unsigned int nr)
{
	struct ltt_area_head *head = &log->head, *place = log->base;
	struct ltt_area_record record = { .magic = LTT_AREA_RECORD, .type = type };
	u64 at = head->log_offset + head->log_used, used;
	u8 *payload = log->base + at + sizeof(record);
	unsigned int i;

	for (i = 0; i < nr; i++)
		record.size += parts[i].size;
	used = ltt_area_record_bytes(record.size);
	if (used > head->data_offset - at)
		return -ENOSPC;
	for (i = 0; i < nr; i++) {
		if (parts[i].size)
			memcpy(payload, parts[i].data, parts[i].size);
		payload += parts[i].size;
	}
	record.crc = ltt_area_crc(head->generation, &record, log->base + at + sizeof(record));
	memcpy(log->base + at, &record, sizeof(record));
	head->log_used += used;
	WRITE_ONCE(place->log_used, head->log_used);
	return 0;
}

/**
 * ltt_area_begin() - make a half ready for a trace
 * @log:	to be initialised
 * @base:	the half, aligned to LTT_AREA_PAGE; what is in it is lost
 * @size:	bytes, a multiple of LTT_AREA_PAGE, LTT_AREA_HALF_MIN at least
 * @generation:	larger than those of earlier traces in this area
 *
 * Context: any.
 */
void ltt_area_begin(struct ltt_area_log *log, void *base, u64 size, u64 generation)
{
	struct ltt_area_head *head = &log->head;

	log->base = base;
	*head = (struct ltt_area_head){
		.version = LTT_AREA_VERSION,
		.order = LTT_AREA_ORDER,
		.size = size,
		.generation = generation,
		.log_offset = LTT_AREA_PAGE,
		/* An eighth for what is recorded where, the rest for what is recorded. */
		.data_offset = (LTT_AREA_PAGE + size / 8) & ~(LTT_AREA_PAGE - 1ull),
	};
	memcpy(head->magic, LTT_AREA_MAGIC, sizeof(head->magic));
	head->crc = ltt_area_head_crc(head);
	memset(base, 0, head->data_offset);
	memcpy(base + LTT_AREA_COPY, head, sizeof(*head));
	memcpy(base, head, sizeof(*head));
}

/**
 * ltt_area_end() - the trace does not need the half any more
 * @log:	the half
 *
 * Context: any.
 */
void ltt_area_end(struct ltt_area_log *log)
{
	struct ltt_area_head *place = log->base;

	WRITE_ONCE(place->state, LTT_AREA_ENDED);
}

/**
 * ltt_area_add_trace() - say which trace it is
 * @log:	the half, which is empty
 * @trace:	the trace
 * @names:	its names
 *
 * Without that, nothing can be read: it is there twice.
 *
 * Context: any.
 * Return: 0 or -ENOSPC.
 */
int ltt_area_add_trace(struct ltt_area_log *log, const struct ltt_area_trace *trace,
		       const struct ltt_area_names *names)
{
	const struct part parts[] = {
		{ trace, sizeof(*trace) }, string(names->name), string(names->hostname),
		string(names->release), string(names->build), string(names->version),
		string(names->clock),
	};

	return add(log, LTT_AREA_TRACE, parts, ARRAY_SIZE(parts)) ?:
	       add(log, LTT_AREA_TRACE, parts, ARRAY_SIZE(parts));
}

/**
 * ltt_area_add_stream() - declare the streams of a channel
 * @log:	the half
 * @stream_id:	number of the channel in the trace
 * @channel:	its name
 * @context:	what is recorded with each event, NULL if nothing is
 *
 * Context: any.
 * Return: 0 or -ENOSPC.
 */
int ltt_area_add_stream(struct ltt_area_log *log, u32 stream_id, const char *channel,
			const struct ltt_context *context)
{
	const struct ltt_area_stream stream = {
		.stream_id = stream_id,
		.nr_types = context ? context->nr_types : 0,
	};
	const struct part parts[] = {
		{ &stream, sizeof(stream) },
		{ context ? context->types : NULL, stream.nr_types * sizeof(u32) },
		string(channel), string(context ? context->text : ""),
	};

	return add(log, LTT_AREA_STREAM, parts, ARRAY_SIZE(parts));
}

/**
 * ltt_area_add_event() - declare an event
 * @log:	the half
 * @stream_id:	number of the stream, which was declared
 * @id:		event id
 * @channel:	its channel
 * @marker:	its name
 * @text:	its format
 * @types:	types of its arguments
 * @nr_types:	number of arguments
 *
 * Context: any.
 * Return: 0 or -ENOSPC.
 */
int ltt_area_add_event(struct ltt_area_log *log, u32 stream_id, u32 id, const char *channel,
		       const char *marker, const char *text, const u32 *types, u32 nr_types)
{
	const struct ltt_area_event event = {
		.stream_id = stream_id, .id = id, .like = LTT_AREA_UNLIKE, .nr_types = nr_types,
	};
	const struct part parts[] = {
		{ &event, sizeof(event) }, { types, nr_types * sizeof(*types) },
		string(channel), string(marker), string(text),
	};

	return add(log, LTT_AREA_EVENT, parts, ARRAY_SIZE(parts));
}

/**
 * ltt_area_add_event_like() - declare an event that has the format and types of another one
 * @log:	the half
 * @stream_id:	number of the stream of both
 * @id:		event id
 * @channel:	its channel
 * @marker:	its name
 * @like:	id of the other one, which was declared by ltt_area_add_event()
 *
 * Context: any.
 * Return: 0 or -ENOSPC.
 */
int ltt_area_add_event_like(struct ltt_area_log *log, u32 stream_id, u32 id,
			    const char *channel, const char *marker, u32 like)
{
	const struct ltt_area_event event = { .stream_id = stream_id, .id = id, .like = like };
	const struct part parts[] = {
		{ &event, sizeof(event) }, string(channel), string(marker), string(""),
	};

	return add(log, LTT_AREA_EVENT, parts, ARRAY_SIZE(parts));
}

/**
 * ltt_area_add_window() - say which window it is
 * @log:	its log, which is empty
 * @window:	the window
 * @why:	why it was taken
 *
 * Context: any.
 * Return: 0 or -ENOSPC.
 */
int ltt_area_add_window(struct ltt_area_log *log, const struct ltt_area_window *window,
			const char *why)
{
	const struct part parts[] = { { window, sizeof(*window) }, string(why) };

	return add(log, LTT_AREA_WINDOW, parts, ARRAY_SIZE(parts));
}

/**
 * ltt_area_add_buffer() - say where the buffer of a stream on a CPU is
 * @log:	the half
 * @type:	LTT_AREA_BUFFER, or LTT_AREA_NO_BUFFER: it is not there any more
 * @buffer:	the buffer; its slots are all zeros
 *
 * Context: any.
 * Return: 0 or -ENOSPC.
 */
int ltt_area_add_buffer(struct ltt_area_log *log, enum ltt_area_type type,
			const struct ltt_area_buffer *buffer)
{
	const struct part part = { buffer, sizeof(*buffer) };

	return add(log, type, &part, 1);
}
