// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is left of a trace in an area: its head, its log, and which trace it is.
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
#include <linux/string.h>

#include "private.h"

/* Bytes of notes, at most. */
#define NOTES_MAX	(64u << 10)
/* Of the names of hosts and kernels, as utsname has it. */
#define UTS_MAX_LEN	64

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

const void *ltt_area_take(struct ltt_area_payload *payload, u64 size)
{
	const void *p = payload->pos;

	if (size > (size_t)(payload->end - payload->pos))
		return NULL;
	payload->pos += size;
	return p;
}

const char *ltt_area_take_string(struct ltt_area_payload *payload)
{
	const u8 *end = memchr(payload->pos, '\0', payload->end - payload->pos);

	return end ? ltt_area_take(payload, end + 1 - payload->pos) : NULL;
}

struct ltt_area_payload ltt_area_payload_of(const struct ltt_area_record *record)
{
	const u8 *begin = (const u8 *)(record + 1);

	return (struct ltt_area_payload){ .pos = begin, .end = begin + record->size };
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool ltt_area_is_name(const char *name, const char *others)
{
	size_t i;

	if (!name)
		return false;
	for (i = 0; name[i] && i <= LTT_AREA_NAME_MAX; i++) {
		if (!is_alnum(name[i]) && !strchr(others, name[i]))
			return false;
	}
	return i && i <= LTT_AREA_NAME_MAX;
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
	struct ltt_area_payload payload = ltt_area_payload_of(record);
	const struct ltt_area_trace *trace = ltt_area_take(&payload, sizeof(*trace));

	if (!trace)
		return false;
	found->name = ltt_area_take_string(&payload);
	found->hostname = ltt_area_take_string(&payload);
	found->release = ltt_area_take_string(&payload);
	found->build = ltt_area_take_string(&payload);
	found->version = ltt_area_take_string(&payload);
	found->clock = ltt_area_take_string(&payload);
	memcpy(&found->trace, trace, sizeof(*trace));
	return ltt_area_is_name(found->name, "_.-") && is_uts(found->hostname) &&
	       is_uts(found->release) && is_uts(found->build) && is_version(found->version) &&
	       is_clock(found->clock);
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
	struct ltt_area_payload payload = ltt_area_payload_of(record);
	const struct ltt_area_window *window = ltt_area_take(&payload, sizeof(*window));
	const char *why = window ? ltt_area_take_string(&payload) : NULL;

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

/* ---- all of it ------------------------------------------------------------------- */

/* Which trace is it? */
static int describe(struct ltt_found *found, char error[LTT_AREA_ERROR])
{
	return find_trace(found) ? 0 :
	       refuse(error, "nothing is left of the trace's description");
}

static int scan(struct ltt_found *found, char error[LTT_AREA_ERROR])
{
	u32 nr[LTT_AREA_TYPES], i;
	int err;

	count_records(found, nr);
	if (nr[LTT_AREA_WINDOW])
		find_window(found);
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
	ltt_area_read_declared(found);
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

	if (IS_ERR(found))
		return found;
	find_window(found);
	return finish(found, describe(found, error));
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
