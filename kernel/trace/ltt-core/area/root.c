// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the log of a trace in ordinary memory, for dumps of all memory.
 *
 * A dump is found to have the trace by its root, see <linux/ltt/area.h>. ltt-core cannot
 * use vmcoreinfo for that, as it is a module.
 *
 * A record is made as for an area, in room that all traces share, and then copied into pages
 * of the log, which grows by single pages: there is no limit that matters, and no need
 * for contiguous memory. There is always room for saying that a buffer is gone.
 */

#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/ltt/ring_buffer.h>

#include "root.h"
#include "scan.h"

/* Addresses in a page of them. */
#define LIST_LEN	(PAGE_SIZE / sizeof(u64))
#define PAGES_MAX	(LTT_ROOT_LISTS * LIST_LEN)
#define ROOT_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN)
#define ROOM		(sizeof(struct ltt_area_record) + LTT_AREA_PAYLOAD_MAX)
/*
 * Pages of a table of slots, one more if it does not begin with a page. A window can have more
 * packets than its buffer has sub-buffers.
 */
#define SLOT_PAGES_MAX	(2 * LTT_SUBBUF_NUM_MAX * sizeof(struct ltt_area_slot) / LTT_AREA_PAGE + 1)

static_assert(sizeof(struct ltt_area_record) + sizeof(struct ltt_area_buffer) +
	      SLOT_PAGES_MAX * sizeof(u64) <= ROOM);

/**
 * struct ltt_root - the log of a trace
 * @place:	its root, a page
 * @nr_pages:	pages of the log
 * @owed:	bytes of it that are set aside, for telling that buffers are gone
 */
struct ltt_root {
	struct ltt_area_root *place;
	unsigned long nr_pages;
	u64 owed;
};

/* Records that are being made. The mutex protects all roots; it nests inside all others. */
static struct {
	struct ltt_area_head head;
	u8 room[ROOM] __aligned(8);
} scratch;
static struct ltt_area_log scratch_log;
static DEFINE_MUTEX(scratch_mutex);

/* ---- pages ----------------------------------------------------------------------- */

static u64 *list_of(const struct ltt_root *root, unsigned long nr)
{
	return phys_to_virt(root->place->lists[nr / LIST_LEN]);
}

static u8 *log_page(const struct ltt_root *root, unsigned long nr)
{
	return phys_to_virt(list_of(root, nr)[nr % LIST_LEN]);
}

static int add_page(struct ltt_root *root)
{
	unsigned long nr = root->nr_pages;
	void *page;

	if (nr >= PAGES_MAX)
		return -ENOMEM;
	if (!root->place->lists[nr / LIST_LEN]) {
		page = (void *)__get_free_page(ROOT_GFP);
		if (!page)
			return -ENOMEM;
		root->place->lists[nr / LIST_LEN] = virt_to_phys(page);
	}
	page = (void *)__get_free_page(ROOT_GFP);
	if (!page)
		return -ENOMEM;
	list_of(root, nr)[nr % LIST_LEN] = virt_to_phys(page);
	root->nr_pages++;
	return 0;
}

/* Have room for that much more, besides what is owed. */
static int grow(struct ltt_root *root, u64 bytes)
{
	u64 wanted = root->place->log_used + root->owed + bytes;
	int err = 0;

	while (!err && (u64)root->nr_pages << PAGE_SHIFT < wanted)
		err = add_page(root);
	return err;
}

/* There is room for it. */
static void append(struct ltt_root *root, const u8 *data, u64 bytes)
{
	u64 at = root->place->log_used;
	size_t len;

	while (bytes) {
		len = min_t(u64, bytes, PAGE_SIZE - offset_in_page(at));
		memcpy(log_page(root, at >> PAGE_SHIFT) + offset_in_page(at), data, len);
		data += len;
		at += len;
		bytes -= len;
	}
	WRITE_ONCE(root->place->log_used, at);
}

/* ---- records --------------------------------------------------------------------- */

/**
 * ltt_root_begin() - begin to make records
 * @root:	the log that they are for
 *
 * Context: task; sleeps.
 * Return: where to make them, for ltt_root_add().
 */
struct ltt_area_log *ltt_root_begin(const struct ltt_root *root)
{
	mutex_lock(&scratch_mutex);
	scratch_log = (struct ltt_area_log){
		.base = &scratch,
		.head = {
			.generation = root->place->generation,
			.log_offset = sizeof(scratch.head),
			.data_offset = sizeof(scratch),
		},
	};
	return &scratch_log;
}

/**
 * ltt_root_add() - add the records that were made to a log
 * @root:	the log
 * @err:	0: they have been made; else nothing is added
 *
 * Context: task, after ltt_root_begin(); sleeps.
 * Return: 0, -ENOMEM, @err.
 */
int ltt_root_add(struct ltt_root *root, int err)
{
	u64 used = scratch_log.head.log_used;

	err = err ?: grow(root, used);
	if (!err)
		append(root, scratch.room, used);
	mutex_unlock(&scratch_mutex);
	return err;
}

/* A root that is not found yet, as it has neither magic nor checksum. */
static struct ltt_root *alloc_root(void)
{
	struct ltt_root *root = kzalloc(sizeof(*root), GFP_KERNEL);
	struct ltt_area_root *place = (void *)__get_free_page(ROOT_GFP);

	if (!root || !place) {
		kfree(root);
		free_page((unsigned long)place);
		return NULL;
	}
	root->place = place;
	place->version = LTT_ROOT_VERSION;
	place->order = LTT_AREA_ORDER;
	place->generation = get_random_u64();
	place->address = virt_to_phys(place);
	place->linear = (unsigned long)place;
	place->page = PAGE_SIZE;
	return root;
}

/* Its first records are there, unless @err. Return: @root, or NULL: it is freed. */
static struct ltt_root *publish(struct ltt_root *root, const char *magic, int err)
{
	struct ltt_area_root *place = root->place;

	if (err) {
		ltt_root_free(root);
		return NULL;
	}
	memcpy(place->magic, magic, sizeof(place->magic));
	place->crc = ltt_area_root_crc(place);
	return root;
}

/**
 * ltt_root_create() - begin the log of a trace
 * @trace:	the trace
 * @names:	its names
 *
 * Context: task; sleeps.
 * Return: the log, to be freed by ltt_root_free(); NULL if there is no memory.
 */
struct ltt_root *ltt_root_create(const struct ltt_area_trace *trace,
				 const struct ltt_area_names *names)
{
	struct ltt_root *root = alloc_root();
	int err;

	if (!root)
		return NULL;
	err = ltt_area_add_trace(ltt_root_begin(root), trace, names);
	return publish(root, LTT_ROOT_MAGIC, ltt_root_add(root, err));
}

/**
 * ltt_root_create_window() - begin the log of a window
 * @of:		the log of its trace, which lives as long as this one
 * @window:	the window; @root and @generation are not looked at
 * @why:	why it was taken
 *
 * Dumps have it after ltt_root_set_ended().
 *
 * Context: task; sleeps.
 * Return: as ltt_root_create().
 */
struct ltt_root *ltt_root_create_window(const struct ltt_root *of,
					const struct ltt_area_window *window, const char *why)
{
	struct ltt_area_window told = *window;
	struct ltt_root *root = alloc_root();
	int err;

	if (!root)
		return NULL;
	ltt_root_set_ended(root, true);
	told.root = of->place->address;
	told.generation = of->place->generation;
	err = ltt_area_add_window(ltt_root_begin(root), &told, why);
	return publish(root, LTT_WINDOW_MAGIC, ltt_root_add(root, err));
}

/**
 * ltt_root_set_ended() - say whether dumps need to have a trace
 * @root:	its log
 * @ended:	they need not: it was destroyed, or is elsewhere
 *
 * Context: any.
 */
void ltt_root_set_ended(struct ltt_root *root, bool ended)
{
	WRITE_ONCE(root->place->state, ended ? LTT_AREA_ENDED : 0);
}

/**
 * ltt_root_free() - free the log of a trace
 * @root:	the log, of which no buffer is needed any more; or NULL
 *
 * Context: task; sleeps.
 */
void ltt_root_free(struct ltt_root *root)
{
	unsigned long nr;

	if (!root)
		return;
	for (nr = 0; nr < root->nr_pages; nr++)
		free_page((unsigned long)log_page(root, nr));
	for (nr = 0; nr < LTT_ROOT_LISTS && root->place->lists[nr]; nr++)
		free_page((unsigned long)phys_to_virt(root->place->lists[nr]));
	/* Pages that are free are in dumps, too. */
	memset(root->place, 0, sizeof(*root->place));
	free_page((unsigned long)root->place);
	kfree(root);
}

/* ---- buffers --------------------------------------------------------------------- */

/* A table of slots may be anywhere. */
static u64 address_of(const void *p)
{
	return is_vmalloc_addr(p) ? page_to_phys(vmalloc_to_page(p)) + offset_in_page(p) :
	       virt_to_phys((void *)p);
}

/* The pages in which the slots are. Return: how many. */
static u32 list_slots(const struct ltt_subbuf *sb, u32 subbuf_num, u64 *pages)
{
	unsigned long at = (unsigned long)sb & PAGE_MASK, end = (unsigned long)(sb + subbuf_num);
	u32 nr = 0;

	for (; at < end; at += PAGE_SIZE)
		pages[nr++] = address_of((void *)at);
	return nr;
}

/* The record is there; the addresses follow its payload. */
static void extend(struct ltt_area_log *log, const struct ltt_subbuf *sb, u32 subbuf_num)
{
	struct ltt_area_record *record = (void *)scratch.room;
	u32 bytes;

	bytes = list_slots(sb, subbuf_num, (void *)(record + 1) + record->size) * sizeof(u64);
	record->size += bytes;
	record->crc = ltt_area_crc(log->head.generation, record, record + 1);
	log->head.log_used += bytes;
}

/* What it takes to say that a buffer is gone. */
static u64 gone_bytes(void)
{
	return ltt_area_record_bytes(sizeof(struct ltt_area_buffer));
}

/**
 * ltt_root_add_buffer() - say where the buffer of a stream on a CPU is
 * @root:	the log
 * @buffer:	says which, and how large
 * @sb:		its sub-buffers, which are in the linear mapping
 *
 * Context: task; sleeps.
 * Return: 0 or -ENOMEM.
 */
int ltt_root_add_buffer(struct ltt_root *root, const struct ltt_area_buffer *buffer,
			const struct ltt_subbuf *sb)
{
	struct ltt_area_buffer told = *buffer;
	struct ltt_area_log *log = ltt_root_begin(root);
	int err;

	told.slots = address_of(sb);
	err = ltt_area_add_buffer(log, LTT_AREA_BUFFER, &told);
	if (!err)
		extend(log, sb, buffer->subbuf_num);
	err = err ?: grow(root, log->head.log_used + gone_bytes());
	if (!err)
		root->owed += gone_bytes();
	return ltt_root_add(root, err);
}

/**
 * ltt_root_remove_buffer() - undo ltt_root_add_buffer()
 * @root:	the log
 * @buffer:	the buffer, of which @stream_id and @cpu are looked at
 * @sb:		its sub-buffers, which are still there
 *
 * Context: task; sleeps.
 */
void ltt_root_remove_buffer(struct ltt_root *root, const struct ltt_area_buffer *buffer,
			    const struct ltt_subbuf *sb)
{
	struct ltt_area_buffer told = *buffer;

	told.slots = address_of(sb);
	ltt_area_add_buffer(ltt_root_begin(root), LTT_AREA_NO_BUFFER, &told);
	/* For that there is room. */
	root->owed -= gone_bytes();
	ltt_root_add(root, 0);
}
