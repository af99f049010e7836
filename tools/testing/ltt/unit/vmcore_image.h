/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory in which there is a trace, and no area: the one of area_image.h as a root leads to it, in
 * pages that do not follow each other.
 */
#ifndef _LTT_VMCORE_IMAGE_H
#define _LTT_VMCORE_IMAGE_H

#include "area_image.h"

#define MEMORY_PAGES	64u
#define MEMORY_SIZE	(MEMORY_PAGES * LTT_AREA_PAGE)
#define MEMORY_LINEAR	0xffff888000000000ull
#define MEMORY_SKIP	0x340u	/* where slots begin in their page */

/* Places. Pages of the log go down from MEMORY_LOG, those of buffers up from MEMORY_BUFFERS. */
#define MEMORY_ROOT	3u
#define MEMORY_LIST	7u
#define MEMORY_LOG	20u
#define MEMORY_BUFFERS	24u
#define MEMORY_WINDOW	9u	/* root of a window; then its list, its log, and slots */

#define MEMORY_WINDOW_NR	7u

/**
 * struct memory - memory
 * @bytes:	of it
 * @at:		address of the first one
 * @used:	bytes of the log
 * @next:	page that is free
 */
struct memory {
	u8 *bytes;
	u64 at;
	u64 used;
	u32 next;
};

static struct ltt_area_root *memory_root(const struct memory *memory)
{
	return (struct ltt_area_root *)(memory->bytes + MEMORY_ROOT * LTT_AREA_PAGE);
}

static void memory_sum(const struct memory *memory)
{
	struct ltt_area_root *root = memory_root(memory);

	root->crc = ltt_area_root_crc(root);
}

static void memory_append(struct memory *memory, const void *data, u64 bytes)
{
	u64 *list = (u64 *)(memory->bytes + MEMORY_LIST * LTT_AREA_PAGE);
	const u8 *from = data;
	u64 nr;

	for (; bytes; bytes--) {
		nr = memory->used / LTT_AREA_PAGE;
		list[nr] = memory->at + (MEMORY_LOG - nr) * LTT_AREA_PAGE;
		memory->bytes[list[nr] - memory->at + memory->used++ % LTT_AREA_PAGE] = *from++;
	}
	memory_root(memory)->log_used = memory->used;
}

static void memory_record(struct memory *memory, u32 type, const void *payload, u32 size)
{
	struct ltt_area_record record = { .magic = LTT_AREA_RECORD, .type = type, .size = size };

	record.crc = ltt_area_crc(memory_root(memory)->generation, &record, payload);
	memory_append(memory, &record, sizeof(record));
	memory_append(memory, payload, size);
	memory_append(memory, "\0\0\0\0\0\0\0", -size % 8);
}

/* The buffer of a record of the image. */
static void memory_buffer(struct memory *memory, const struct image *image,
			  const struct ltt_area_buffer *from)
{
	struct {
		struct ltt_area_buffer buffer;
		u64 page;
	} payload = { .buffer = *from, .page = memory->at + memory->next++ * LTT_AREA_PAGE };
	struct ltt_area_slot *slot;
	u64 address;
	u32 i;

	payload.buffer.slots = payload.page + MEMORY_SKIP;
	payload.buffer.data = 0;
	slot = (struct ltt_area_slot *)(memory->bytes + payload.buffer.slots - memory->at);
	memcpy(slot, image->base + from->slots, from->subbuf_num * sizeof(*slot));
	for (i = 0; i < from->subbuf_num; i++, slot++) {
		/* The last one first. */
		address = (memory->next + from->subbuf_num - 1 - i) * LTT_AREA_PAGE;
		slot->origin += MEMORY_LINEAR + memory->at + address - slot->base;
		slot->base = MEMORY_LINEAR + memory->at + address;
		memcpy(memory->bytes + address, image->base + from->data + i * IMAGE_SUBBUF,
		       IMAGE_SUBBUF);
	}
	memory->next += from->subbuf_num;
	memory_record(memory, LTT_AREA_BUFFER, &payload, sizeof(payload));
}

/* A buffer is gone, of which the memory has been used for something else. */
static void memory_gone(struct memory *memory)
{
	struct {
		struct ltt_area_buffer buffer;
		u64 page;
	} payload = {
		.buffer = {
			.cpu = 1, .subbuf_order = IMAGE_ORDER, .subbuf_num = IMAGE_NUM,
			.slots = 5 * LTT_AREA_PAGE,
		},
		.page = 5 * LTT_AREA_PAGE,
	};

	memset(memory->bytes + payload.page, 0xa5, LTT_AREA_PAGE);
	memory_record(memory, LTT_AREA_BUFFER, &payload, sizeof(payload));
	memory_record(memory, LTT_AREA_NO_BUFFER, &payload.buffer, sizeof(payload.buffer));
}

static void memory_make(struct memory *memory, u64 at, const struct image *image)
{
	const struct ltt_area_record *record;
	u64 pos = image->log.head.log_offset;
	struct ltt_area_root *root;
	bool gone = false;

	memory->bytes = calloc(MEMORY_PAGES, LTT_AREA_PAGE);
	if (!memory->bytes)
		err(1, "memory");
	memory->at = at;
	memory->used = 0;
	memory->next = MEMORY_BUFFERS;
	root = memory_root(memory);
	memcpy(root->magic, LTT_ROOT_MAGIC, sizeof(root->magic));
	root->version = LTT_ROOT_VERSION;
	root->order = LTT_AREA_ORDER;
	root->generation = 0x0123456789abcdefull;
	root->address = at + MEMORY_ROOT * LTT_AREA_PAGE;
	root->linear = MEMORY_LINEAR + root->address;
	root->page = LTT_AREA_PAGE;
	root->lists[0] = at + MEMORY_LIST * LTT_AREA_PAGE;
	memory_sum(memory);
	while ((record = ltt_area_next_record(image->base, &image->log.head, &pos))) {
		if (record->type != LTT_AREA_BUFFER) {
			memory_record(memory, record->type, record + 1, record->size);
			continue;
		}
		if (!gone)
			memory_gone(memory);
		gone = true;
		memory_buffer(memory, image, (const struct ltt_area_buffer *)(record + 1));
	}
}

/* Behind that of the one that is gone. */
static inline struct ltt_area_buffer *memory_first_buffer(const struct memory *memory)
{
	struct ltt_area_buffer *buffer;
	struct ltt_area_record *record;
	u64 at;

	for (at = 0; at < MEMORY_SIZE; at += 8) {
		record = (struct ltt_area_record *)(memory->bytes + at);
		buffer = (struct ltt_area_buffer *)(record + 1);
		if (record->magic == LTT_AREA_RECORD && record->type == LTT_AREA_BUFFER &&
		    buffer->slots % LTT_AREA_PAGE)
			return buffer;
	}
	errx(1, "no buffer");
}

static inline struct ltt_area_root *memory_window_root(const struct memory *memory)
{
	return (struct ltt_area_root *)(memory->bytes + MEMORY_WINDOW * LTT_AREA_PAGE);
}

/* A record at the end of the log of a window, which has one page. */
static inline void memory_window_record(const struct memory *memory, u32 type,
					const void *payload, u32 size)
{
	struct ltt_area_root *root = memory_window_root(memory);
	struct ltt_area_record *record = (struct ltt_area_record *)
		(memory->bytes + (MEMORY_WINDOW + 2) * LTT_AREA_PAGE + root->log_used);

	*record = (struct ltt_area_record){ .magic = LTT_AREA_RECORD, .type = type, .size = size };
	memcpy(record + 1, payload, size);
	record->crc = ltt_area_crc(root->generation, record, record + 1);
	root->log_used += ltt_area_record_bytes(size);
}

/* A window with the packets that a buffer has, but for the oldest. */
static inline void memory_window(const struct memory *memory, const struct ltt_area_buffer *of)
{
	struct {
		struct ltt_area_window window;
		char why[8];
	} what = {
		.window = {
			.root = memory_root(memory)->address,
			.generation = memory_root(memory)->generation,
			.taken = 1, .until = 2, .number = MEMORY_WINDOW_NR,
		},
		.why = "test",
	};
	struct {
		struct ltt_area_buffer buffer;
		u64 page;
	} where = { .buffer = *of, .page = memory->at + (MEMORY_WINDOW + 3) * LTT_AREA_PAGE };
	struct ltt_area_slot *slot = (struct ltt_area_slot *)
		(memory->bytes + where.page - memory->at), *oldest = slot;
	struct ltt_area_root *root = memory_window_root(memory);
	u64 *list = (u64 *)(root + 1);
	u32 i;

	*root = *memory_root(memory);
	memcpy(root->magic, LTT_WINDOW_MAGIC, sizeof(root->magic));
	root->generation++;
	root->address = memory->at + MEMORY_WINDOW * LTT_AREA_PAGE;
	root->linear = MEMORY_LINEAR + root->address;
	root->log_used = 0;
	root->lists[0] = root->address + LTT_AREA_PAGE;
	list[0] = root->address + 2 * LTT_AREA_PAGE;
	root->crc = ltt_area_root_crc(root);
	memory_window_record(memory, LTT_AREA_WINDOW, &what, sizeof(what));
	where.buffer.slots = where.page;
	where.buffer.packets = of->subbuf_num - 1;
	memcpy(slot, memory->bytes + of->slots - memory->at, of->subbuf_num * sizeof(*slot));
	for (i = 1; i < of->subbuf_num; i++) {
		if (slot[i].end < oldest->end)
			oldest = &slot[i];
	}
	memset(oldest, 0, sizeof(*oldest));
	memory_window_record(memory, LTT_AREA_BUFFER, &where, sizeof(where));
}

/* What was changed keeps its checksums: those of roots, and of all records. */
static inline void memory_sums(const struct memory *memory)
{
	const u64 window = (MEMORY_WINDOW + 2) * LTT_AREA_PAGE;
	struct ltt_area_record *record;
	struct ltt_area_root *root;
	u64 at;

	memory_sum(memory);
	root = memory_window_root(memory);
	if (root->magic[0])
		root->crc = ltt_area_root_crc(root);
	for (at = 0; at + sizeof(*record) <= MEMORY_SIZE; at += 8) {
		record = (struct ltt_area_record *)(memory->bytes + at);
		root = at >= window && at < window + LTT_AREA_PAGE ?
		       memory_window_root(memory) : memory_root(memory);
		if (record->magic == LTT_AREA_RECORD &&
		    record->size <= MEMORY_SIZE - at - sizeof(*record))
			record->crc = ltt_area_crc(root->generation, record, record + 1);
	}
}

#endif /* _LTT_VMCORE_IMAGE_H */
