// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is left of a trace in an area: its head and its log.
 *
 * Shared by the kernel, the user-space tools and the tests. What is read here was kept by
 * memory through a reset, with luck, and written by who knows whom: it may be anything. It
 * must not change meanwhile: the kernel makes a copy first.
 *
 * The layout is in <linux/ltt/area.h>. Conventions in these files: "half" is what is being
 * read; what is found there is used if it is good, told of in a note if it is not.
 */

#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "private.h"

/* Bytes of notes, at most. */
#define NOTES_MAX	(64u << 10)
/* As LTT_NAME_MAX; for the names of hosts and kernels, as utsname has it. */
#define NAME_MAX_LEN	63
#define UTS_MAX_LEN	64
#define CPU_MAX		65535u
/* Channels that have buffers: far more than any trace has, few enough to be searched. */
#define STREAMS_MAX	4096u

void ltt_area_note(struct ltt_found *found, const char *format, ...)
{
	va_list args;
	int len;

	found->nr_notes++;
	if (!found->notes) {
		found->notes = kvmalloc(NOTES_MAX, GFP_KERNEL);
		found->notes_room = found->notes ? NOTES_MAX : 0;
	}
	if (found->notes_room - found->notes_len < 2)
		return;
	va_start(args, format);
	len = vsnprintf(found->notes + found->notes_len, found->notes_room - found->notes_len - 1,
			format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= found->notes_room - found->notes_len - 1) {
		/* Not a part of it, nor a later one. */
		found->notes_room = found->notes_len;
		return;
	}
	found->notes_len += len;
	found->notes[found->notes_len++] = '\n';
}

/* ---- head ---------------------------------------------------------------------- */

/**
 * ltt_area_head_crc() - the checksum of a head
 * @head:	the head
 *
 * Context: any.
 */
u32 ltt_area_head_crc(const struct ltt_area_head *head)
{
	return ~crc32_le(~0u, (const u8 *)head, offsetof(struct ltt_area_head, crc));
}

static bool is_whole(const struct ltt_area_head *head)
{
	return !memcmp(head->magic, LTT_AREA_MAGIC, sizeof(head->magic)) &&
	       head->crc == ltt_area_head_crc(head);
}

__printf(2, 3) static int refuse(char error[LTT_AREA_ERROR], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, LTT_AREA_ERROR, format, args);
	va_end(args);
	return -EINVAL;
}

static int check_head(const struct ltt_area_head *head, u64 size, char error[LTT_AREA_ERROR])
{
	if (head->order != LTT_AREA_ORDER)
		return refuse(error, "written in another byte order");
	if (head->version != LTT_AREA_VERSION)
		return refuse(error, "version %u of the format, only %u is known", head->version,
			      LTT_AREA_VERSION);
	if (head->size > size || head->size < LTT_AREA_HALF_MIN || head->size > LTT_AREA_HALF_MAX)
		return refuse(error, "%llu bytes, but there are %llu",
			      (unsigned long long)head->size, (unsigned long long)size);
	if (head->log_offset < LTT_AREA_PAGE || head->log_offset > head->data_offset ||
	    head->data_offset > head->size ||
	    (head->log_offset | head->data_offset | head->size) % LTT_AREA_PAGE)
		return refuse(error, "invalid offsets");
	return 0;
}

/**
 * ltt_area_check() - is there a trace?
 * @base:	where a half begins, aligned as its integers are
 * @size:	bytes that may be read there
 * @head:	receives the head, or the copy of it if that is damaged
 * @error:	receives why not
 *
 * Nothing else is looked at: it may still be that nothing is left.
 *
 * Context: any.
 * Return: 0; -ENODATA: there is no trace, or it has ended; -EINVAL: it cannot be read.
 */
int ltt_area_check(const void *base, u64 size, struct ltt_area_head *head,
		   char error[LTT_AREA_ERROR])
{
	const struct ltt_area_head *first = base;

	if (size < LTT_AREA_HALF_MIN) {
		refuse(error, "less than %u bytes", LTT_AREA_HALF_MIN);
		return -ENODATA;
	}
	memcpy(head, first, sizeof(*head));
	if (!is_whole(head))
		memcpy(head, base + LTT_AREA_COPY, sizeof(*head));
	if (!is_whole(head)) {
		refuse(error, "no trace");
		return -ENODATA;
	}
	head->log_used = first->log_used;
	head->state = first->state;
	if (head->state == LTT_AREA_ENDED) {
		refuse(error, "the trace has ended");
		return -ENODATA;
	}
	return check_head(head, size, error);
}

/* ---- records ------------------------------------------------------------------- */

/**
 * ltt_area_crc() - the checksum of a record
 * @generation:	of the half
 * @record:	the record; its crc is not looked at
 * @payload:	its payload
 *
 * Context: any.
 */
u32 ltt_area_crc(u64 generation, const struct ltt_area_record *record, const void *payload)
{
	u32 crc = crc32_le(~0u, (const u8 *)&generation, sizeof(generation));

	crc = crc32_le(crc, (const u8 *)record, offsetof(struct ltt_area_record, crc));
	return ~crc32_le(crc, payload, record->size);
}

/**
 * ltt_area_root_crc() - the checksum of a root
 * @root:	the root
 *
 * Context: any.
 */
u32 ltt_area_root_crc(const struct ltt_area_root *root)
{
	return ~crc32_le(~0u, (const u8 *)root, offsetof(struct ltt_area_root, crc));
}

/* The whole record at @pos, NULL if there is none. */
static const struct ltt_area_record *record_at(const void *base, const struct ltt_area_head *head,
					       u64 pos)
{
	const struct ltt_area_record *record = base + pos;

	if (head->data_offset - pos < sizeof(*record) || record->magic != LTT_AREA_RECORD ||
	    record->size > LTT_AREA_PAYLOAD_MAX ||
	    ltt_area_record_bytes(record->size) > head->data_offset - pos ||
	    record->crc != ltt_area_crc(head->generation, record, record + 1))
		return NULL;
	return record;
}

/**
 * ltt_area_next_record() - look for a record
 * @base:	a half
 * @head:	its head
 * @pos:	offset in the log, a multiple of 8; moves after the record
 *
 * Context: task; sleeps.
 * Return: the first whole record there or later; NULL if there is none, and @pos stays.
 */
const struct ltt_area_record *ltt_area_next_record(const void *base,
						   const struct ltt_area_head *head, u64 *pos)
{
	const struct ltt_area_record *record;
	u64 at;

	for (at = *pos; at < head->data_offset; at += 8) {
		/* Each may look like the beginning of a record until its checksum is known. */
		if (!(at % LTT_AREA_PAGE))
			cond_resched();
		record = record_at(base, head, at);
		if (!record)
			continue;
		*pos = at + ltt_area_record_bytes(record->size);
		return record;
	}
	return NULL;
}

/* The same. Where it is found to have been preceded by anything else, @gap is called. */
static const struct ltt_area_record *next_record(struct ltt_found *found, u64 *pos,
						 void (*gap)(struct ltt_found *found, u64 from,
							     u64 to))
{
	const struct ltt_area_record *record;
	u64 from = *pos, to;

	record = ltt_area_next_record(found->base, &found->head, pos);
	if (!record || !gap)
		return record;
	to = (const u8 *)record - found->base;
	if (to != from)
		gap(found, from, to);
	return record;
}

static void note_gap(struct ltt_found *found, u64 from, u64 to)
{
	ltt_area_note(found, "log: %llu bytes at offset %llu are damaged",
		      (unsigned long long)(to - from), (unsigned long long)from);
}

/* How many records there are of each type. Notes what is missing. */
static void count_records(struct ltt_found *found, u32 nr[LTT_AREA_TYPES])
{
	const struct ltt_area_record *record;
	u64 pos = found->head.log_offset, end = pos + found->head.log_used;

	memset(nr, 0, LTT_AREA_TYPES * sizeof(*nr));
	while ((record = next_record(found, &pos, note_gap))) {
		if (record->type < LTT_AREA_TYPES)
			nr[record->type]++;
	}
	if (found->head.log_used > found->head.data_offset - found->head.log_offset)
		ltt_area_note(found, "log: its length is damaged");
	else if (end > pos)
		note_gap(found, pos, end);
}

/* Of a record's payload, what was not taken yet. */
struct payload {
	const u8 *pos;
	const u8 *end;
};

static const void *take(struct payload *payload, u64 size)
{
	const void *p = payload->pos;

	if (size > (size_t)(payload->end - payload->pos))
		return NULL;
	payload->pos += size;
	return p;
}

/* The next string, NULL if there is none that ends. */
static const char *take_string(struct payload *payload)
{
	const u8 *end = memchr(payload->pos, '\0', payload->end - payload->pos);

	return end ? take(payload, end + 1 - payload->pos) : NULL;
}

static struct payload payload_of(const struct ltt_area_record *record)
{
	const u8 *begin = (const u8 *)(record + 1);

	return (struct payload){ .pos = begin, .end = begin + record->size };
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Is it a name of up to NAME_MAX_LEN letters, digits, and what is in @others? */
static bool is_name(const char *name, const char *others)
{
	size_t i;

	if (!name)
		return false;
	for (i = 0; name[i] && i <= NAME_MAX_LEN; i++) {
		if (!is_alnum(name[i]) && !strchr(others, name[i]))
			return false;
	}
	return i && i <= NAME_MAX_LEN;
}

static bool is_uts(const char *text)
{
	return text && strnlen(text, UTS_MAX_LEN + 1) <= UTS_MAX_LEN;
}

/* MAJOR.MINOR, which the metadata have as numbers. */
static bool is_version(const char *text)
{
	size_t i = 0, dots = 0;

	if (!text)
		return false;
	for (; text[i] && i < 16; i++) {
		dots += text[i] == '.';
		if (!(text[i] >= '0' && text[i] <= '9') && (text[i] != '.' || !i || !text[i + 1]))
			return false;
	}
	return i && i < 16 && dots == 1;
}

static bool is_clock(const char *text)
{
	return text && (!strcmp(text, "tsc") || !strcmp(text, "mono") || !strcmp(text, "counter"));
}

static bool read_trace(struct ltt_found *found, const struct ltt_area_record *record)
{
	struct payload payload = payload_of(record);
	const struct ltt_area_trace *trace = take(&payload, sizeof(*trace));

	if (!trace)
		return false;
	found->name = take_string(&payload);
	found->hostname = take_string(&payload);
	found->release = take_string(&payload);
	found->build = take_string(&payload);
	found->version = take_string(&payload);
	found->clock = take_string(&payload);
	memcpy(&found->trace, trace, sizeof(*trace));
	return is_name(found->name, "_.-") && is_uts(found->hostname) && is_uts(found->release) &&
	       is_uts(found->build) && is_version(found->version) && is_clock(found->clock);
}

/* There are several, all the same. */
static bool find_trace(struct ltt_found *found)
{
	const struct ltt_area_record *record;
	u64 pos = found->head.log_offset;

	while ((record = next_record(found, &pos, NULL))) {
		if (record->type == LTT_AREA_TRACE && read_trace(found, record))
			return true;
	}
	return false;
}

static bool read_window(struct ltt_found *found, const struct ltt_area_record *record)
{
	struct payload payload = payload_of(record);
	const struct ltt_area_window *window = take(&payload, sizeof(*window));
	const char *why = window ? take_string(&payload) : NULL;

	if (!why)
		return false;
	found->window = window;
	found->why = why;
	return true;
}

/* There is one if it is a window. */
static void find_window(struct ltt_found *found)
{
	const struct ltt_area_record *record;
	u64 pos = found->head.log_offset;

	while ((record = next_record(found, &pos, NULL))) {
		if (record->type == LTT_AREA_WINDOW && read_window(found, record))
			break;
	}
}

/**
 * ltt_area_boot_id() - which start of the kernel it was
 * @found:	the trace
 *
 * Context: any.
 * Return: its boot_id, NULL if that is unknown.
 */
const u8 *ltt_area_boot_id(const struct ltt_found *found)
{
	static const u8 unknown[LTT_UUID_SIZE];
	const u8 *boot_id = found->trace.boot_id;

	return memcmp(boot_id, unknown, sizeof(unknown)) ? boot_id : NULL;
}

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
	struct payload payload = payload_of(record);
	const struct ltt_area_stream *from = take(&payload, sizeof(*from));
	const u32 *types = from && from->nr_types <= LTT_MAX_ARGS ?
			   take(&payload, from->nr_types * sizeof(*types)) : NULL;
	const char *channel = types ? take_string(&payload) : NULL;
	const char *text = channel ? take_string(&payload) : NULL;
	struct ltt_found_stream new = { .channel = channel };
	int known;

	known = text ? stream_named(found, channel) : -1;
	if (!text || !is_name(channel, "_") ||
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
	struct payload payload = payload_of(record);
	const struct ltt_area_event *from = take(&payload, sizeof(*from));
	int stream = from ? stream_of(found, from->stream_id) : -1;

	if (stream < 0 || from->nr_types > LTT_MAX_ARGS || !is_id(found, from->id))
		goto invalid;
	event->types = take(&payload, from->nr_types * sizeof(*event->types));
	if (!event->types)
		goto invalid;
	event->channel = take_string(&payload);
	event->marker = take_string(&payload);
	event->text = take_string(&payload);
	if (!is_name(event->channel, "_") || !is_name(event->marker, "_") || !event->text)
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
	char what[2 * (NAME_MAX_LEN + 1)];
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
	    num & (num - 1) || from->cpu > CPU_MAX)
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
	struct payload payload = payload_of(record);
	const struct ltt_area_buffer *from = take(&payload, sizeof(*from));
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
	struct payload payload = payload_of(record);
	const struct ltt_area_buffer *from = take(&payload, sizeof(*from));
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

	while ((record = next_record(found, &pos, NULL))) {
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

/* Which trace is it? */
static int describe(struct ltt_found *found, char error[LTT_AREA_ERROR])
{
	find_window(found);
	return find_trace(found) ? 0 :
	       refuse(error, "nothing is left of the trace's description");
}

static int scan(struct ltt_found *found, char error[LTT_AREA_ERROR])
{
	u32 nr[LTT_AREA_TYPES], i;
	int err;

	count_records(found, nr);
	err = describe(found, error);
	if (err)
		return err;
	found->streams = kvcalloc(nr[LTT_AREA_STREAM] + 1, sizeof(*found->streams), GFP_KERNEL);
	found->events = kvcalloc(nr[LTT_AREA_EVENT] + 1, sizeof(*found->events), GFP_KERNEL);
	found->buffers = kvcalloc(nr[LTT_AREA_BUFFER] + 1, sizeof(*found->buffers), GFP_KERNEL);
	if (!found->streams || !found->events || !found->buffers) {
		refuse(error, "out of memory");
		return -ENOMEM;
	}
	read_records(found);
	finish_events(found);
	give_streams_events(found);
	sort(found->buffers, found->nr_buffers, sizeof(*found->buffers), compare_buffers, NULL);
	for (i = 0; i < found->nr_buffers && !err; i++)
		err = ltt_area_scan_buffer(found, &found->buffers[i]);
	if (err)
		refuse(error, "out of memory");
	return err;
}

u64 ltt_area_present(const struct ltt_found *found, u64 offset, u64 size)
{
	u32 low = 0, high = found->nr_holes, mid;

	/* The first hole that ends after it. */
	while (low < high) {
		mid = low + (high - low) / 2;
		if (found->holes[mid].to <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == found->nr_holes || found->holes[low].from >= offset + size)
		return size;
	return found->holes[low].from <= offset ? 0 : found->holes[low].from - offset;
}

static struct ltt_found *found_in(void *base, const struct ltt_area_head *head,
				  char error[LTT_AREA_ERROR])
{
	struct ltt_found *found = kvzalloc(sizeof(*found), GFP_KERNEL);

	if (!found) {
		refuse(error, "out of memory");
		return ERR_PTR(-ENOMEM);
	}
	found->base = base;
	found->head = *head;
	return found;
}

static struct ltt_found *finish(struct ltt_found *found, int err)
{
	if (!err)
		return found;
	ltt_area_found_free(found);
	return ERR_PTR(err);
}

/**
 * ltt_area_describe() - find out which trace it is, and nothing else
 * @base:	a half, of which what follows the log is not looked at
 * @head:	what ltt_area_check() has made of it
 * @error:	receives why that is not known
 *
 * Context: task; sleeps.
 * Return: as ltt_area_scan(), without streams, events and buffers.
 */
struct ltt_found *ltt_area_describe(void *base, const struct ltt_area_head *head,
				    char error[LTT_AREA_ERROR])
{
	struct ltt_found *found = found_in(base, head, error);

	return IS_ERR(found) ? found : finish(found, describe(found, error));
}

/**
 * ltt_area_scan_holes() - find out what is left of a trace of which not all is there
 * @base:	a half; the headers of its packets will be completed
 * @head:	what ltt_area_check() has made of it
 * @holes:	what is not there, ascending; all zeros in its place
 * @nr_holes:	entries of @holes
 * @error:	receives why nothing is
 *
 * Whatever is wrong with parts of it is in the notes, and in the packets.
 *
 * Context: task; sleeps.
 * Return: the trace, which refers to @base and @holes, to be freed by ltt_area_found_free(); or
 * an ERR_PTR() of -EINVAL, -ENOMEM.
 */
struct ltt_found *ltt_area_scan_holes(void *base, const struct ltt_area_head *head,
				      const struct ltt_area_hole *holes, u32 nr_holes,
				      char error[LTT_AREA_ERROR])
{
	struct ltt_found *found = found_in(base, head, error);

	if (IS_ERR(found))
		return found;
	found->holes = holes;
	found->nr_holes = nr_holes;
	return finish(found, scan(found, error));
}

/**
 * ltt_area_scan() - find out what is left of a trace
 * @base:	a half; the headers of its packets will be completed
 * @head:	what ltt_area_check() has made of it
 * @error:	receives why nothing is
 *
 * Context: task; sleeps.
 * Return: as ltt_area_scan_holes().
 */
struct ltt_found *ltt_area_scan(void *base, const struct ltt_area_head *head,
				char error[LTT_AREA_ERROR])
{
	return ltt_area_scan_holes(base, head, NULL, 0, error);
}

/**
 * ltt_area_found_free() - free what ltt_area_scan() has found
 * @found:	the trace, or NULL
 *
 * Context: task; sleeps.
 */
void ltt_area_found_free(struct ltt_found *found)
{
	u32 i;

	if (!found)
		return;
	for (i = 0; i < found->nr_buffers; i++)
		kvfree(found->buffers[i].packets);
	for (i = 0; i < found->nr_events; i++) {
		if (found->events[i].like == LTT_AREA_UNLIKE)
			ltt_format_free(found->events[i].format);
	}
	for (i = 0; i < found->nr_streams; i++)
		ltt_format_free(found->streams[i].context.format);
	kvfree(found->buffers);
	kvfree(found->events);
	kvfree(found->streams);
	kvfree(found->notes);
	kvfree(found);
}
