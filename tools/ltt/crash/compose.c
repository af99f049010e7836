// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: a trace put together as if it were a half of an area.
 *
 * That of a half is a copy. Of a trace in ordinary memory, what its root leads to is brought into
 * that form, see <linux/ltt/area.h>: what follows is the same for both. To a window belong the
 * log of its trace, without what that says of buffers, and its own. Nothing that is
 * read is believed: no trace has more memory than the machine, and none refers to more than the
 * dump has of it. It may have less: makedumpfile leaves out pages of zeros.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/kernel.h>

#include "crash.h"

#define LIST_LEN(root)	((root)->page / sizeof(u64))
/* That with struct ltt_area_window, and why it was taken. */
#define WINDOW_RECORD_MAX	256u

/**
 * struct composer - what is being put together
 * @crash:	where from
 * @half:	what comes of it
 * @room:	bytes that it may still have
 * @left:	bytes that it may still refer to
 */
struct composer {
	const struct crash *crash;
	struct crash_half *half;
	u64 room;
	u64 left;
};

static u64 round_down(u64 offset)
{
	return offset & ~(LTT_AREA_PAGE - 1ull);
}

static u64 round_up_page(u64 offset)
{
	return round_down(offset + LTT_AREA_PAGE - 1);
}

/* ---- memory --------------------------------------------------------------------- */

/* More of the half, all zeros. Return: 0, -ENOMEM; -EINVAL: more than the machine has. */
static int extend(struct composer *c, u64 bytes, u64 *offset)
{
	struct crash_half *half = c->half;
	void *base;

	bytes = round_up_page(bytes);
	if (bytes > c->room)
		return -EINVAL;
	if (half->base)
		base = mremap(half->base, half->size, half->size + bytes, MREMAP_MAYMOVE);
	else
		base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -ENOMEM;
	half->base = base;
	*offset = half->size;
	half->size += bytes;
	c->room -= bytes;
	return 0;
}

/* Bytes that are not there; they ascend. Return: 0, -ENOMEM. */
static int add_hole(struct crash_half *half, u64 offset, u64 bytes)
{
	u64 from = round_down(offset), to = round_up_page(offset + bytes);
	struct ltt_area_hole *holes;

	if (half->nr_holes && half->holes[half->nr_holes - 1].to >= from) {
		half->holes[half->nr_holes - 1].to = max(half->holes[half->nr_holes - 1].to, to);
		return 0;
	}
	/* Doubled when it is full. */
	if (!(half->nr_holes & (half->nr_holes - 1))) {
		holes = reallocarray(half->holes, half->nr_holes ? 2ul * half->nr_holes : 1,
				     sizeof(*holes));
		if (!holes)
			return -ENOMEM;
		half->holes = holes;
	}
	half->holes[half->nr_holes++] = (struct ltt_area_hole){ .from = from, .to = to };
	return 0;
}

/* Of the @bytes at @address, those that are missing or cannot be read: at least @len. */
static u64 missing(const struct crash *crash, u64 address, u64 bytes, u64 len)
{
	u64 next = round_down(address);

	if (!crash_next_page(crash, &next))
		return bytes;
	return next > address ? min(bytes, next - address) : len;
}

/* Bytes of the half from memory. Return: 0, -ENOMEM; -EINVAL: more than the dump has. */
static int fill(struct composer *c, u64 offset, u64 address, u64 bytes)
{
	unsigned char page[LTT_AREA_PAGE];
	u64 len;
	int ret = 0;

	for (; bytes && !ret; bytes -= len) {
		len = min(bytes, LTT_AREA_PAGE - address % LTT_AREA_PAGE);
		/* What is not there takes neither memory nor time. */
		if (!crash_read(c->crash, address, page, len)) {
			len = missing(c->crash, address, bytes, len);
			ret = add_hole(c->half, offset, len);
		} else if (len <= c->left) {
			memcpy(c->half->base + offset, page, len);
			c->left -= len;
		} else {
			ret = -EINVAL;
		}
		offset += len;
		address += len;
	}
	return ret;
}

/* ---- the log of a root ----------------------------------------------------------- */

/**
 * crash_has_magic() - is a page a root of a kind?
 * @root:	the page
 * @magic:	that of the kind
 *
 * Return: true if so, however damaged it is.
 */
bool crash_has_magic(const struct ltt_area_root *root, const char *magic)
{
	return !memcmp(root->magic, magic, sizeof(root->magic));
}

/**
 * crash_is_root() - is a page the root of something that there still was?
 * @root:	the page
 * @at:		its address
 * @magic:	that of the kind of root
 *
 * Return: true if so; false also for what is left of an earlier one, or a copy.
 */
bool crash_is_root(const struct ltt_area_root *root, u64 at, const char *magic)
{
	return crash_has_magic(root, magic) &&
	       root->order == LTT_AREA_ORDER && root->crc == ltt_area_root_crc(root) &&
	       root->address == at && root->state != LTT_AREA_ENDED;
}

/* Where a page of the log is; 0: not known. */
static u64 log_page(const struct crash *crash, const struct ltt_area_root *root, u64 nr)
{
	u64 list = root->lists[nr / LIST_LEN(root)], page = 0;

	if (list % root->page ||
	    !crash_read(crash, list + nr % LIST_LEN(root) * sizeof(page), &page, sizeof(page)) ||
	    page % root->page)
		return 0;
	return page;
}

/* Bytes of the log, at most. */
static u64 log_bytes(const struct ltt_area_root *root)
{
	return min(root->log_used, (u64)LTT_ROOT_LISTS * LIST_LEN(root) * root->page);
}

/* In pages. */
static u64 log_room(const struct ltt_area_root *root)
{
	return (log_bytes(root) + root->page - 1) / root->page * root->page;
}

static int fill_log(struct composer *c, const struct ltt_area_root *root, u64 at)
{
	u64 nr = log_room(root) / root->page, i, page;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++, at += root->page) {
		page = log_page(c->crash, root, i);
		ret = page ? fill(c, at, page, root->page) : add_hole(c->half, at, root->page);
	}
	return ret;
}

static int compose_log(struct composer *c, const struct ltt_area_root *root)
{
	u64 at;
	int ret = extend(c, LTT_AREA_PAGE + log_room(root), &at);

	ret = ret ?: fill_log(c, root, LTT_AREA_PAGE);
	c->half->head = (struct ltt_area_head){
		.size = c->half->size,
		.generation = root->generation,
		.log_offset = LTT_AREA_PAGE,
		.data_offset = c->half->size,
		.log_used = root->log_used,
	};
	return ret;
}

/* ---- its buffers ----------------------------------------------------------------- */

static struct ltt_area_record *record_at(const struct composer *c, u64 at)
{
	return (struct ltt_area_record *)(c->half->base + at);
}

static struct ltt_area_buffer *buffer_at(const struct composer *c, u64 at)
{
	return (struct ltt_area_buffer *)(record_at(c, at) + 1);
}

static bool is_buffer(const struct ltt_area_record *record)
{
	return (record->type == LTT_AREA_BUFFER || record->type == LTT_AREA_NO_BUFFER) &&
	       record->size >= sizeof(struct ltt_area_buffer);
}

/* A record was changed. */
static void make_sum(const struct composer *c, u64 at)
{
	struct ltt_area_record *record = record_at(c, at);

	record->crc = ltt_area_crc(c->half->head.generation, record, record + 1);
}

/* Not to be looked at: no type that is known. */
static void drop(const struct composer *c, u64 at)
{
	record_at(c, at)->type = 0;
	make_sum(c, at);
}

/**
 * struct entry - a record of a buffer
 * @at:		where it is
 * @nr:		in order of the records
 * @buffer:	what it says
 * @gone:	that the buffer is gone
 */
struct entry {
	u64 at;
	u64 nr;
	struct ltt_area_buffer buffer;
	bool gone;
};

/* Return: 0 or -ENOMEM. */
static int list_entries(const struct composer *c, struct entry **entries, u64 *nr)
{
	u64 pos = c->half->head.log_offset, room = 0, at;
	const struct ltt_area_record *record;
	struct entry *more;

	while ((record = ltt_area_next_record(c->half->base, &c->half->head, &pos))) {
		if (!is_buffer(record))
			continue;
		if (*nr == room) {
			room = 2 * room + 16;
			more = reallocarray(*entries, room, sizeof(**entries));
			if (!more)
				return -ENOMEM;
			*entries = more;
		}
		at = (const unsigned char *)record - c->half->base;
		(*entries)[*nr] = (struct entry){
			.at = at, .nr = *nr, .buffer = *buffer_at(c, at),
			.gone = record->type == LTT_AREA_NO_BUFFER,
		};
		++*nr;
	}
	return 0;
}

#define compare(a, b)	(((a) > (b)) - ((a) < (b)))

static int compare_buffers(const struct entry *a, const struct entry *b)
{
	return compare(a->buffer.stream_id, b->buffer.stream_id) ?:
	       compare(a->buffer.cpu, b->buffer.cpu) ?:
	       compare(a->buffer.slots, b->buffer.slots);
}

/* Those of a buffer together. */
static int by_buffer(const void *a, const void *b)
{
	return compare_buffers(a, b) ?:
	       compare(((const struct entry *)a)->nr, ((const struct entry *)b)->nr);
}

static int by_number(const void *a, const void *b)
{
	return compare(((const struct entry *)a)->nr, ((const struct entry *)b)->nr);
}

/*
 * Drop the buffers that are gone, with what says so. What says it of none stays, for
 * ltt_area_scan() to complain. Receives the others, and how many there are.
 * Return: 0, -ENOMEM.
 */
static int find_buffers(const struct composer *c, struct entry **entries, u64 *nr)
{
	u64 all = 0, left = 0, i;
	struct entry *e, *last;
	int ret = list_entries(c, entries, &all);

	if (ret || !all)
		return ret;
	e = *entries;
	qsort(e, all, sizeof(*e), by_buffer);
	for (i = 0; i < all; i++) {
		last = left ? &e[left - 1] : NULL;
		if (e[i].gone && last && !last->gone && !compare_buffers(last, &e[i])) {
			drop(c, last->at);
			drop(c, e[i].at);
			left--;
		} else {
			e[left++] = e[i];
		}
	}
	qsort(e, left, sizeof(*e), by_number);
	for (i = 0; i < left; i++) {
		if (!e[i].gone)
			e[(*nr)++] = e[i];
	}
	return 0;
}

/* The slots, of which the record at @at tells the pages. Return: 0, -ENOMEM, -EINVAL. */
static int compose_slots(struct composer *c, const struct ltt_area_root *root, u64 at, u64 slots)
{
	struct ltt_area_buffer buffer = *buffer_at(c, at);
	u64 bytes = buffer.subbuf_num * (u64)sizeof(struct ltt_area_slot), len, i;
	u64 nr = (record_at(c, at)->size - sizeof(buffer)) / sizeof(u64), page;
	u64 skip = buffer.slots % root->page;
	int ret = 0;

	if (nr != (skip + bytes + root->page - 1) / root->page)
		return add_hole(c->half, slots, bytes);
	for (i = 0; i < nr && !ret; i++) {
		memcpy(&page, (u64 *)(buffer_at(c, at) + 1) + i, sizeof(page));
		len = min(bytes, root->page - skip);
		ret = fill(c, slots, page + skip, len);
		slots += len;
		bytes -= len;
		skip = 0;
	}
	return ret;
}

/*
 * The sub-buffers that have ever been used, as the slots at @slots tell.
 * Return: 0, -ENOMEM, -EINVAL.
 */
static int compose_data(struct composer *c, const struct ltt_area_root *root,
			const struct ltt_area_buffer *buffer, u64 slots, u64 data)
{
	const struct ltt_area_slot *slot;
	u64 size = 1ull << buffer->subbuf_order;
	u32 i;
	int ret = 0;

	for (i = 0; i < buffer->subbuf_num && !ret; i++) {
		slot = (const struct ltt_area_slot *)(c->half->base + slots) + i;
		if (slot->end)
			ret = fill(c, data + i * size,
				   slot->base - root->linear + root->address, size);
	}
	return ret;
}

/* A buffer whose record is at @at. Return: 0, -ENOMEM. */
static int compose_buffer(struct composer *c, const struct ltt_area_root *root, u64 at)
{
	u32 most = ltt_area_subbufs_max(crash_has_magic(root, LTT_WINDOW_MAGIC));
	struct ltt_area_buffer buffer = *buffer_at(c, at);
	u64 slots = 0, data = 0;
	int ret = 0;

	/* Else ltt_area_scan() complains. */
	if (buffer.subbuf_order >= LTT_SUBBUF_ORDER_MIN &&
	    buffer.subbuf_order <= LTT_SUBBUF_ORDER_MAX &&
	    buffer.subbuf_num <= most) {
		ret = extend(c, buffer.subbuf_num * (u64)sizeof(struct ltt_area_slot), &slots);
		ret = ret ?: compose_slots(c, root, at, slots);
		ret = ret ?: extend(c, (u64)buffer.subbuf_num << buffer.subbuf_order, &data);
		ret = ret ?: compose_data(c, root, &buffer, slots, data);
	}
	buffer_at(c, at)->slots = ret ? 0 : slots;
	buffer_at(c, at)->data = ret ? 0 : data;
	make_sum(c, at);
	return ret == -EINVAL ? 0 : ret;
}

/* The log is there. */
static int compose_buffers(struct composer *c, const struct ltt_area_root *root)
{
	struct entry *buffers = NULL;
	u64 nr = 0, i;
	int ret = find_buffers(c, &buffers, &nr);

	for (i = 0; i < nr && !ret; i++)
		ret = compose_buffer(c, root, buffers[i].at);
	free(buffers);
	c->half->head.size = c->half->size;
	return ret;
}

static int compose_root(struct composer *c, const struct ltt_area_root *root, bool only_log)
{
	int ret = compose_log(c, root);

	return ret || only_log ? ret : compose_buffers(c, root);
}

/* ---- windows --------------------------------------------------------------------- */

/* The record that its log begins with. */
static bool read_window(const struct crash *crash, const struct ltt_area_root *root,
			struct ltt_area_window *window)
{
	union {
		struct ltt_area_record record;
		unsigned char bytes[WINDOW_RECORD_MAX];
	} begin;
	u64 page = log_page(crash, root, 0);

	if (!page || !crash_read(crash, page, &begin, sizeof(begin)) ||
	    begin.record.magic != LTT_AREA_RECORD || begin.record.type != LTT_AREA_WINDOW ||
	    begin.record.size < sizeof(*window) ||
	    begin.record.size > sizeof(begin) - sizeof(begin.record) ||
	    begin.record.crc != ltt_area_crc(root->generation, &begin.record, &begin.record + 1))
		return false;
	memcpy(window, &begin.record + 1, sizeof(*window));
	return true;
}

/**
 * crash_window_trace() - find out which window it is, and of which trace
 * @crash:	the image or dump
 * @root:	the window's root
 * @window:	receives what is known of it
 * @of:		receives the root of its trace
 *
 * Return: 0; -ENOENT if that trace has been destroyed, so that there was no window either;
 * -EINVAL if something is missing or damaged.
 */
int crash_window_trace(const struct crash *crash, const struct ltt_area_root *root,
		       struct ltt_area_window *window, struct ltt_area_root *of)
{
	if (!read_window(crash, root, window) || window->root % LTT_AREA_PAGE ||
	    !crash_read(crash, window->root, of, sizeof(*of)))
		return -EINVAL;
	if (!crash_is_root(of, window->root, LTT_ROOT_MAGIC) ||
	    of->generation != window->generation)
		return -ENOENT;
	return of->version == root->version && of->page == root->page ? 0 : -EINVAL;
}

/* Where its own buffers are is said from @at on, and is to be believed. */
static void adopt_records(const struct composer *c, const struct ltt_area_root *root, u64 at)
{
	struct ltt_area_head head = c->half->head;
	const struct ltt_area_record *record;

	head.generation = root->generation;
	while ((record = ltt_area_next_record(c->half->base, &head, &at)))
		make_sum(c, (const unsigned char *)record - c->half->base);
}

/* Those of its trace. */
static void drop_buffers(const struct composer *c, u64 end)
{
	u64 pos = c->half->head.log_offset, at;
	const struct ltt_area_record *record;

	while ((record = ltt_area_next_record(c->half->base, &c->half->head, &pos))) {
		at = (const unsigned char *)record - c->half->base;
		if (at >= end)
			break;
		if (is_buffer(record))
			drop(c, at);
	}
}

static int compose_window(struct composer *c, const struct ltt_area_root *root, bool only_log)
{
	struct ltt_area_head *head = &c->half->head;
	struct ltt_area_window window;
	struct ltt_area_root of;
	u64 at, end;
	int ret;

	if (crash_window_trace(c->crash, root, &window, &of))
		return -EINVAL;
	at = LTT_AREA_PAGE + ((log_bytes(&of) + 7) & ~7ull);
	ret = compose_log(c, &of) ?: extend(c, log_room(root), &end) ?: fill_log(c, root, at);
	if (ret)
		return ret;
	head->size = c->half->size;
	head->data_offset = c->half->size;
	head->log_used = at - head->log_offset + log_bytes(root);
	adopt_records(c, root, at);
	drop_buffers(c, at);
	return only_log ? 0 : compose_buffers(c, root);
}

/* ---- all of it ------------------------------------------------------------------- */

static int compose_half(struct composer *c, const struct crash_trace *trace, bool only_log)
{
	u64 size = only_log ? trace->head.data_offset : trace->head.size, at;
	int ret = extend(c, size, &at);

	c->half->head = trace->head;
	return ret ?: fill(c, 0, trace->at, size);
}

/**
 * crash_compose() - put together what belongs to a trace
 * @crash:	the image or dump
 * @trace:	the trace
 * @only_log:	without its buffers
 * @half:	receives it; to be freed by crash_decompose(), also after failures
 *
 * Return: 0; -ENOMEM; -EINVAL if it claims to have more memory than there is.
 */
int crash_compose(const struct crash *crash, const struct crash_trace *trace, bool only_log,
		  struct crash_half *half)
{
	struct composer c = {
		.crash = crash, .half = half,
		.room = min(crash->room, U64_MAX - LTT_AREA_PAGE) + LTT_AREA_PAGE,
		.left = crash->size,
	};

	*half = (struct crash_half){ };
	if (trace->is_window)
		return compose_window(&c, &trace->root, only_log);
	return trace->is_root ? compose_root(&c, &trace->root, only_log) :
	       compose_half(&c, trace, only_log);
}

/**
 * crash_decompose() - forget what was put together
 * @half:	it
 */
void crash_decompose(struct crash_half *half)
{
	if (half->base)
		munmap(half->base, half->size);
	free(half->holes);
}
