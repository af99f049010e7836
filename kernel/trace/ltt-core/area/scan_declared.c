// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is left of a trace in an area: streams, events and buffers, as its log declares them.
 *
 * Shared by the kernel, the user-space tools and the tests. See scan.c.
 */

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "private.h"

#define CPU_MAX		65535u
/* Channels that have buffers: far more than any trace has, few enough to be searched. */
#define STREAMS_MAX	4096u

/* ---- streams -------------------------------------------------------------------- */

/* Index of a stream; -1: unknown. */
static int stream_of(const struct ltt_found *found, u32 stream_id)
{
	u32 i;

	for (i = 0; i < found->nr_streams; i++) {
		if (found->streams[i].stream_id == stream_id)
			return i;
	}
	return -1;
}

static int stream_named(const struct ltt_found *found, const char *channel)
{
	u32 i;

	for (i = 0; i < found->nr_streams; i++) {
		if (!strcmp(found->streams[i].channel, channel))
			return i;
	}
	return -1;
}

/* A format and its types; NULL: wrong, or no memory. */
static struct ltt_format *parse(struct ltt_found *found, const char *what, const char *text,
				const u32 *types, u32 nr_types)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *format = ltt_format_parse(text, types, nr_types, error);

	if (!IS_ERR(format))
		return format;
	ltt_area_note(found, "log: %s: invalid format: %s", what, error);
	return NULL;
}

/* Its context, if it has one. Return: false if that is invalid, or no memory. */
static bool read_context(struct ltt_found *found, struct ltt_found_stream *stream,
			 const char *text, const u32 *types, u32 nr_types)
{
	stream->context = (struct ltt_context){ .text = text, .types = types,
						.nr_types = nr_types };
	if (!*text)
		return true;
	stream->context.format = parse(found, stream->channel, text, types, nr_types);
	return stream->context.format;
}

static void read_stream(struct ltt_found *found, const struct ltt_area_record *record)
{
	struct ltt_area_payload payload = ltt_area_payload_of(record);
	const struct ltt_area_stream *from = ltt_area_take(&payload, sizeof(*from));
	const u32 *types = from && from->nr_types <= LTT_MAX_ARGS ?
			   ltt_area_take(&payload, from->nr_types * sizeof(*types)) : NULL;
	const char *channel = types ? ltt_area_take_string(&payload) : NULL;
	const char *text = channel ? ltt_area_take_string(&payload) : NULL;
	struct ltt_found_stream new = { .channel = channel };
	int known;

	known = text ? stream_named(found, channel) : -1;
	if (!text || !ltt_area_is_name(channel, "_") ||
	    (known >= 0 && found->streams[known].stream_id != from->stream_id)) {
		ltt_area_note(found, "log: invalid record of a stream");
		return;
	}
	new.stream_id = from->stream_id;
	if (known < 0 && found->nr_streams == STREAMS_MAX) {
		ltt_area_note(found, "log: more than %u channels", STREAMS_MAX);
		return;
	}
	if (!read_context(found, &new, text, types, from->nr_types))
		return;
	/* Again, when its buffers could not be made before. */
	known = stream_of(found, new.stream_id);
	if (known < 0)
		known = found->nr_streams++;
	else
		ltt_format_free(found->streams[known].context.format);
	found->streams[known] = new;
}

/* ---- events --------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
	const struct ltt_found_event *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	/* The last one in the log: what was declared before could not be recorded. */
	return x->marker > y->marker ? -1 : x->marker < y->marker;
}

/* Ids count from 0, and there is a record for each: one that does not fit is damaged. */
static bool is_id(const struct ltt_found *found, u32 id)
{
	return id < (found->head.data_offset - found->head.log_offset) /
		    (sizeof(struct ltt_area_record) + sizeof(struct ltt_area_event));
}

/* Everything but the format. */
static void read_event(struct ltt_found *found, const struct ltt_area_record *record)
{
	struct ltt_found_event *event = &found->events[found->nr_events];
	struct ltt_area_payload payload = ltt_area_payload_of(record);
	const struct ltt_area_event *from = ltt_area_take(&payload, sizeof(*from));
	int stream = from ? stream_of(found, from->stream_id) : -1;

	if (stream < 0 || from->nr_types > LTT_MAX_ARGS || !is_id(found, from->id))
		goto invalid;
	event->types = ltt_area_take(&payload, from->nr_types * sizeof(*event->types));
	if (!event->types)
		goto invalid;
	event->channel = ltt_area_take_string(&payload);
	event->marker = ltt_area_take_string(&payload);
	event->text = ltt_area_take_string(&payload);
	if (!ltt_area_is_name(event->channel, "_") || !ltt_area_is_name(event->marker, "_") ||
	    !event->text)
		goto invalid;
	event->stream = stream;
	event->id = from->id;
	event->like = from->like;
	event->nr_types = from->nr_types;
	found->nr_events++;
	return;

invalid:
	ltt_area_note(found, "log: invalid record of an event");
}

static struct ltt_found_event *event_of(const struct ltt_found *found, unsigned int stream,
					u32 id)
{
	struct ltt_found_event *event;
	u32 low = 0, high = found->nr_events, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		event = &found->events[mid];
		if (event->stream == stream && event->id == id)
			return event;
		if (event->stream < stream || (event->stream == stream && event->id < id))
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/*
 * Those of a channel are in its own stream, or in the shared one, and then all of them: readers
 * have a file for each name. Of others, the format stays unknown.
 */
static bool is_at_home(const struct ltt_found *found, const struct ltt_found_event *event)
{
	const char *home = found->streams[event->stream].channel;
	u32 i;

	if (!strcmp(event->channel, home))
		return true;
	if (strcmp(home, LTT_CHANNEL_SHARED))
		return false;
	for (i = 0; i < found->nr_streams; i++) {
		if (!strcmp(event->channel, found->streams[i].channel))
			return false;
	}
	return true;
}

static void parse_event(struct ltt_found *found, struct ltt_found_event *event)
{
	char what[2 * (LTT_AREA_NAME_MAX + 1)];
	struct ltt_found_event *like;

	cond_resched();
	snprintf(what, sizeof(what), "%s.%s", event->channel, event->marker);
	if (!is_at_home(found, event)) {
		ltt_area_note(found, "log: %s: in a stream of another channel", what);
		return;
	}
	if (event->like == LTT_AREA_UNLIKE) {
		event->format = parse(found, what, event->text, event->types, event->nr_types);
		return;
	}
	like = event_of(found, event->stream, event->like);
	if (!like || like->like != LTT_AREA_UNLIKE) {
		ltt_area_note(found, "log: %s: its format is missing", what);
		return;
	}
	event->text = like->text;
	event->types = like->types;
	event->nr_types = like->nr_types;
	/* Those were parsed first. */
	event->format = like->format;
	event->shared = true;
	like->shared = true;
}

/* Sort them, drop repeated ones, and parse their formats. */
static void finish_events(struct ltt_found *found)
{
	struct ltt_found_event *events = found->events;
	u32 i, nr = 0;

	if (!found->nr_events)
		return;
	sort(events, found->nr_events, sizeof(*events), compare_events, NULL);
	for (i = 0; i < found->nr_events; i++) {
		if (!nr || events[nr - 1].stream != events[i].stream ||
		    events[nr - 1].id != events[i].id)
			events[nr++] = events[i];
	}
	found->nr_events = nr;
	for (i = 0; i < nr; i++) {
		if (events[i].like == LTT_AREA_UNLIKE)
			parse_event(found, &events[i]);
	}
	for (i = 0; i < nr; i++) {
		if (events[i].like != LTT_AREA_UNLIKE)
			parse_event(found, &events[i]);
	}
}

/**
 * ltt_area_event() - the event of an id
 * @found:	the trace
 * @stream:	index of the stream
 * @id:		the id
 *
 * Context: any.
 * Return: the event, whose format is known; NULL if there is none.
 */
const struct ltt_found_event *ltt_area_event(const struct ltt_found *found, unsigned int stream,
					     u32 id)
{
	const struct ltt_found_stream *in = &found->streams[stream];
	const struct ltt_found_event *event;

	/* Where none is missing, ids are indices. */
	if (id < in->nr_events && in->events[id].id == id)
		event = &in->events[id];
	else
		event = event_of(found, stream, id);
	return event && event->format ? event : NULL;
}

static void give_streams_events(struct ltt_found *found)
{
	struct ltt_found_stream *stream;
	u32 i;

	for (i = 0; i < found->nr_events; i++) {
		stream = &found->streams[found->events[i].stream];
		if (!stream->nr_events++)
			stream->events = &found->events[i];
	}
}

/* ---- buffers -------------------------------------------------------------------- */

static bool overlap(u64 a, u64 a_size, u64 b, u64 b_size)
{
	return a < b + b_size && b < a + a_size;
}

static u64 slots_bytes(const struct ltt_found_buffer *buffer)
{
	return buffer->subbuf_num * (u64)sizeof(struct ltt_area_slot);
}

static u64 data_bytes(const struct ltt_found_buffer *buffer)
{
	return (u64)buffer->subbuf_num << buffer->subbuf_order;
}

static bool apart(const struct ltt_found_buffer *a, const struct ltt_found_buffer *b)
{
	return !overlap(a->slots, slots_bytes(a), b->slots, slots_bytes(b)) &&
	       !overlap(a->slots, slots_bytes(a), b->data, data_bytes(b)) &&
	       !overlap(a->data, data_bytes(a), b->slots, slots_bytes(b)) &&
	       !overlap(a->data, data_bytes(a), b->data, data_bytes(b));
}

/* Is it all in the half? */
static bool is_inside(const struct ltt_found *found, u64 offset, u64 bytes)
{
	const struct ltt_area_head *head = &found->head;

	return offset >= head->data_offset && offset <= head->size &&
	       bytes <= head->size - offset && !(offset % sizeof(struct ltt_area_slot));
}

static bool is_buffer(const struct ltt_found *found, const struct ltt_area_buffer *from,
		      const struct ltt_found_buffer *buffer)
{
	u32 num = from->subbuf_num;
	u32 i;

	if (from->subbuf_order < LTT_SUBBUF_ORDER_MIN ||
	    from->subbuf_order > LTT_SUBBUF_ORDER_MAX ||
	    num < LTT_SUBBUF_NUM_MIN || num > ltt_area_subbufs_max(found->window) ||
	    num & (num - 1) || from->packets > num || from->cpu > CPU_MAX)
		return false;
	if (!is_inside(found, buffer->slots, slots_bytes(buffer)) ||
	    !is_inside(found, buffer->data, data_bytes(buffer)) ||
	    overlap(buffer->slots, slots_bytes(buffer), buffer->data, data_bytes(buffer)))
		return false;
	for (i = 0; i < found->nr_buffers; i++) {
		const struct ltt_found_buffer *other = &found->buffers[i];

		if (!apart(other, buffer))
			return false;
		if (other->stream == buffer->stream &&
		    (other->cpu == buffer->cpu || other->subbuf_order != buffer->subbuf_order))
			return false;
	}
	return true;
}

static void read_buffer(struct ltt_found *found, const struct ltt_area_record *record)
{
	struct ltt_area_payload payload = ltt_area_payload_of(record);
	const struct ltt_area_buffer *from = ltt_area_take(&payload, sizeof(*from));
	int stream = from ? stream_of(found, from->stream_id) : -1;
	struct ltt_found_buffer buffer;

	if (stream < 0)
		goto invalid;
	buffer = (struct ltt_found_buffer){
		.stream = stream,
		.cpu = from->cpu,
		.subbuf_order = from->subbuf_order,
		.subbuf_num = from->subbuf_num,
		.overwrite = from->overwrite,
		.packets_max = from->packets ?: from->subbuf_num,
		.slots = from->slots,
		.data = from->data,
	};
	if (!is_buffer(found, from, &buffer))
		goto invalid;
	found->buffers[found->nr_buffers++] = buffer;
	return;

invalid:
	ltt_area_note(found, "log: invalid record of a buffer");
}

static void forget_buffer(struct ltt_found *found, const struct ltt_area_record *record)
{
	struct ltt_area_payload payload = ltt_area_payload_of(record);
	const struct ltt_area_buffer *from = ltt_area_take(&payload, sizeof(*from));
	int stream = from ? stream_of(found, from->stream_id) : -1;
	u32 i;

	for (i = 0; stream >= 0 && i < found->nr_buffers; i++) {
		if (found->buffers[i].stream == (u32)stream && found->buffers[i].cpu == from->cpu) {
			found->buffers[i] = found->buffers[--found->nr_buffers];
			return;
		}
	}
	ltt_area_note(found, "log: invalid record of a buffer");
}

/* ---- all of it ------------------------------------------------------------------- */

static int compare_buffers(const void *a, const void *b)
{
	const struct ltt_found_buffer *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* Streams come before what belongs to them. */
static void read_records(struct ltt_found *found)
{
	const struct ltt_area_record *record;
	u64 pos = found->head.log_offset;

	while ((record = ltt_area_next_record(found->base, &found->head, &pos))) {
		switch (record->type) {
		case LTT_AREA_STREAM:
			read_stream(found, record);
			break;
		case LTT_AREA_EVENT:
			read_event(found, record);
			break;
		case LTT_AREA_BUFFER:
			read_buffer(found, record);
			break;
		case LTT_AREA_NO_BUFFER:
			forget_buffer(found, record);
			break;
		}
		cond_resched();
	}
}

/*
 * ltt_area_read_declared() - see private.h
 */
void ltt_area_read_declared(struct ltt_found *found)
{
	read_records(found);
	finish_events(found);
	give_streams_events(found);
	sort(found->buffers, found->nr_buffers, sizeof(*found->buffers), compare_buffers, NULL);
}
