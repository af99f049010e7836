// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: areas of memory that survive a reset.
 *
 * The module parameter persist names them:
 *
 *	SIZE@ADDRESS	memory that the kernel was told not to use (memmap=SIZE$ADDRESS)
 *	NAME		memory that it has reserved by that name (reserve_mem=), 6.12 and later
 *
 * What is in a half is described in <linux/ltt/area.h>. A half belongs to a trace from
 * ltt_half_claim() to ltt_half_release(); an area to one trace at a time. Of two halves
 * in which something is left, the older one is taken.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/error.h>

#include "../error.h"
#include "area.h"
#include "scan.h"

#define AREAS_MAX	8
#define NAME_ROOM	64

/**
 * struct ltt_area - an area
 * @name:	its number, or the name by which the kernel knows it
 * @start:	where it begins
 * @size:	bytes
 * @base:	where it is mapped
 * @taken:	by a trace; protected by areas_lock
 * @half:	its halves
 */
struct ltt_area {
	char name[NAME_ROOM];
	phys_addr_t start;
	u64 size;
	void *base;
	bool taken;
	struct ltt_half half[2];
};

static char *persist;
module_param(persist, charp, 0444);
MODULE_PARM_DESC(persist,
		 "areas of memory that survive a reset: SIZE@ADDRESS or NAME, separated by commas");

static struct ltt_area areas[AREAS_MAX];
static unsigned int nr_areas;
static DEFINE_MUTEX(areas_lock);

/* ---- areas ----------------------------------------------------------------------- */

static u64 half_size(const struct ltt_area *area)
{
	return (area->size / 2) & ~(LTT_AREA_PAGE - 1ull);
}

static int parse_range(struct ltt_area *area, char *text)
{
	char *end;
	u64 start;

	area->size = memparse(text, &end);
	if (end == text || *end != '@')
		return -EINVAL;
	text = end + 1;
	start = memparse(text, &end);
	if (end == text || *end)
		return -EINVAL;
	area->start = start;
	return 0;
}

/* Where is it? Says what is wrong. */
static int find(struct ltt_area *area, char *text)
{
	int err;

	if (!strchr(text, '@')) {
		strscpy(area->name, text, sizeof(area->name));
		err = ltt_reserve_mem_find(text, &area->start, &area->size);
		if (err == -EOPNOTSUPP)
			pr_err("persist: %s: memory can be reserved by name (reserve_mem) since Linux 6.12; use memmap=SIZE$ADDRESS and SIZE@ADDRESS\n",
			       text);
		else if (err)
			pr_err("persist: %s: the kernel has reserved no such memory; is there reserve_mem=SIZE:4096:%s on its command line?\n",
			       text, text);
		return err;
	}
	snprintf(area->name, sizeof(area->name), "%u", nr_areas);
	if (parse_range(area, text)) {
		pr_err("persist: %s: expected SIZE@ADDRESS\n", text);
		return -EINVAL;
	}
	if (area->start + area->size < area->start ||
	    region_intersects(area->start, area->size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	    REGION_DISJOINT) {
		pr_err("persist: %s: the kernel itself uses this memory; is there memmap=%lluM$%#llx on its command line?\n",
		       text, area->size >> 20, (u64)area->start);
		return -EBUSY;
	}
	return 0;
}

static int map(struct ltt_area *area, const char *text)
{
	u32 *word, old;

	if (area->start % LTT_AREA_PAGE || half_size(area) < LTT_AREA_HALF_MIN ||
	    half_size(area) > LTT_AREA_HALF_MAX) {
		pr_err("persist: %s: must begin at a multiple of %u, and have %u KiB or more\n",
		       text, LTT_AREA_PAGE, 2 * LTT_AREA_HALF_MIN >> 10);
		return -EINVAL;
	}
	area->base = ltt_map_memory(area->start, area->size);
	if (!area->base) {
		pr_err("persist: %s: cannot be mapped\n", text);
		return -ENOMEM;
	}
	/* Is there memory at all? Nothing else is kept in this word. */
	word = area->base + LTT_AREA_PAGE - sizeof(*word);
	old = READ_ONCE(*word);
	WRITE_ONCE(*word, ~old);
	if (READ_ONCE(*word) == ~old)
		return 0;
	pr_err("persist: %s: there is no memory\n", text);
	return -ENXIO;
}

static bool overlaps(const struct ltt_area *area)
{
	unsigned int i;

	for (i = 0; i < nr_areas; i++) {
		if (area->start < areas[i].start + areas[i].size &&
		    areas[i].start < area->start + area->size)
			return true;
	}
	return false;
}

static int add_area(char *text)
{
	struct ltt_area *area = &areas[nr_areas];
	unsigned int i;
	int err;

	if (nr_areas == AREAS_MAX || strlen(text) >= NAME_ROOM) {
		pr_err("persist: %.40s: too long a name, or more than %u areas\n", text, AREAS_MAX);
		return -EINVAL;
	}
	err = find(area, text);
	if (!err && overlaps(area)) {
		pr_err("persist: %s: overlaps another area\n", text);
		err = -EINVAL;
	}
	err = err ?: map(area, text);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(area->half); i++) {
		area->half[i].area = area;
		area->half[i].nr = i;
		mutex_init(&area->half[i].lock);
		xa_init(&area->half[i].blocks);
	}
	nr_areas++;
	return 0;
}

/**
 * ltt_areas_init() - find the areas that the module parameter names
 *
 * Context: task; sleeps.
 * Return: 0 or a negative errno; says what is wrong.
 */
int ltt_areas_init(void)
{
	char *copy, *rest, *text;
	int err = 0;

	if (!persist || !*persist)
		return 0;
	copy = kstrdup(persist, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	while (!err && (text = strsep(&rest, ",")))
		err = add_area(text);
	kfree(copy);
	if (err)
		ltt_areas_exit();
	return err;
}

/**
 * ltt_areas_exit() - undo ltt_areas_init()
 *
 * Context: task; sleeps. No trace has a half any more.
 */
void ltt_areas_exit(void)
{
	unsigned int i;

	for (i = 0; i < AREAS_MAX; i++) {
		if (areas[i].base)
			ltt_unmap_memory(areas[i].base);
		areas[i].base = NULL;
	}
	nr_areas = 0;
}

/* ---- halves ---------------------------------------------------------------------- */

static void *half_base(const struct ltt_half *half)
{
	return half->area->base + half->nr * half_size(half->area);
}

/* Return: the generation of what is left in a half, 0 if nothing is. */
static u64 generation_of(const struct ltt_half *half)
{
	char error[LTT_AREA_ERROR];
	struct ltt_area_head head;

	return ltt_area_check(half_base(half), half_size(half->area), &head, error) ? 0 :
	       head.generation;
}

/**
 * ltt_area_half() - where a half is
 * @area:	number of the area, from 0
 * @half:	0 or 1
 * @size:	receives its bytes
 * @name:	receives the name of the area
 *
 * Context: any.
 * Return: the half, NULL if there is no such area.
 */
const void *ltt_area_half(unsigned int area, unsigned int half, u64 *size, const char **name)
{
	if (area >= nr_areas)
		return NULL;
	*size = half_size(&areas[area]);
	*name = areas[area].name;
	return areas[area].base + half * *size;
}

/**
 * ltt_area_forget() - what was found in a half need not be found again
 * @area:	number of the area, from 0
 * @half:	0 or 1
 * @generation:	of what was found: if a trace has been put there since, nothing is done
 *
 * Context: task; sleeps.
 */
void ltt_area_forget(unsigned int area, unsigned int half, u64 generation)
{
	struct ltt_half *of = &areas[area].half[half];
	struct ltt_area_log log = { .base = half_base(of) };

	mutex_lock(&of->lock);
	if (generation_of(of) == generation)
		ltt_area_end(&log);
	mutex_unlock(&of->lock);
}

/* ---- claims ---------------------------------------------------------------------- */

/* The half to be used next, and the generation of what will be in it. */
static struct ltt_half *choose(struct ltt_area *area, u64 *generation)
{
	u64 first = generation_of(&area->half[0]), second = generation_of(&area->half[1]);

	*generation = max(first, second) + 1;
	return &area->half[second < first];
}

static struct ltt_area *find_area(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_areas; i++) {
		if (!strcmp(areas[i].name, name))
			return &areas[i];
	}
	return NULL;
}

/**
 * ltt_half_claim() - take half of an area for a trace
 * @name:	name of the area
 * @trace:	the trace
 * @names:	its names
 * @error:	why it failed; may be NULL
 *
 * Context: task; sleeps.
 * Return: the half, to be given back by ltt_half_release(); an ERR_PTR() of -ENOENT (no such
 * area), -EBUSY (another trace has it).
 */
struct ltt_half *ltt_half_claim(const char *name, const struct ltt_area_trace *trace,
				const struct ltt_area_names *names, struct ltt_error *error)
{
	struct ltt_half *half = NULL;
	struct ltt_area *area;
	u64 generation;
	int err = 0;

	mutex_lock(&areas_lock);
	area = find_area(name);
	if (!area) {
		err = ltt_fail(error, -ENOENT, "no such area: %s", name);
	} else if (area->taken) {
		err = ltt_fail(error, -EBUSY, "another trace has area %s", name);
	} else {
		area->taken = true;
		half = choose(area, &generation);
	}
	mutex_unlock(&areas_lock);
	if (err)
		return ERR_PTR(err);

	mutex_lock(&half->lock);
	ltt_area_begin(&half->log, half_base(half), half_size(area), generation);
	half->ended = false;
	half->room = (struct resource){
		.name = "ltt",
		.start = half->log.head.data_offset,
		.end = half->log.head.size - 1,
	};
	half->free = half->log.head.size - half->log.head.data_offset;
	/* The smallest half has room for that. */
	ltt_area_add_trace(&half->log, trace, names);
	mutex_unlock(&half->lock);
	return half;
}

/**
 * ltt_half_end() - what is recorded in a half need not survive
 * @half:	the half
 *
 * Context: task; sleeps.
 */
void ltt_half_end(struct ltt_half *half)
{
	mutex_lock(&half->lock);
	ltt_area_end(&half->log);
	half->ended = true;
	mutex_unlock(&half->lock);
}

static void free_block(struct ltt_half *half, struct resource *block)
{
	release_resource(block);
	half->free += resource_size(block);
	xa_erase(&half->blocks, block->start >> PAGE_SHIFT);
	kfree(block);
}

/**
 * ltt_half_release() - give back a half
 * @half:	the half, of which nobody uses anything any more
 *
 * Context: task; sleeps.
 */
void ltt_half_release(struct ltt_half *half)
{
	struct resource *block;
	unsigned long i;

	ltt_half_end(half);
	/* Of which there was no room in the log to say that it is not used any more. */
	xa_for_each(&half->blocks, i, block)
		free_block(half, block);
	mutex_lock(&areas_lock);
	half->area->taken = false;
	mutex_unlock(&areas_lock);
}

/**
 * ltt_half_name() - the name of the area of a half
 * @half:	the half
 *
 * Context: any.
 */
const char *ltt_half_name(const struct ltt_half *half)
{
	return half->area->name;
}

/**
 * ltt_half_free() - how much memory a half has for buffers
 * @half:	the half
 *
 * Context: any.
 * Return: bytes; there may be no contiguous piece of that size.
 */
u64 ltt_half_free(struct ltt_half *half)
{
	return READ_ONCE(half->free);
}

/**
 * ltt_half_at() - where something is in a half
 * @half:	the half
 * @offset:	its offset there
 *
 * Context: any.
 */
void *ltt_half_at(const struct ltt_half *half, u64 offset)
{
	return half->log.base + offset;
}

/**
 * ltt_half_offset() - the reverse of ltt_half_at()
 * @half:	the half
 * @p:		a place in it
 *
 * Context: any.
 */
u64 ltt_half_offset(const struct ltt_half *half, const void *p)
{
	return p - half->log.base;
}

/* Slots, and then the sub-buffers. */
static u64 slots_bytes(unsigned int subbuf_num)
{
	return PAGE_ALIGN(subbuf_num * (u64)sizeof(struct ltt_area_slot));
}

/**
 * ltt_half_bytes() - the memory that the buffer of a stream on a CPU takes of a half
 * @subbuf_num:	number of its sub-buffers
 * @subbuf_order: log2 of the bytes of one
 *
 * Context: any.
 * Return: bytes.
 */
u64 ltt_half_bytes(unsigned int subbuf_num, unsigned int subbuf_order)
{
	return slots_bytes(subbuf_num) + PAGE_ALIGN((u64)subbuf_num << subbuf_order);
}

/* Return: the block, or an ERR_PTR() of -ENOSPC, -ENOMEM. */
static struct resource *alloc_block(struct ltt_half *half, u64 bytes)
{
	struct resource *block = kzalloc(sizeof(*block), GFP_KERNEL);

	if (!block)
		return ERR_PTR(-ENOMEM);
	block->name = "buffer";
	if (allocate_resource(&half->room, block, bytes, half->room.start, half->room.end,
			      PAGE_SIZE, NULL, NULL)) {
		kfree(block);
		return ERR_PTR(-ENOSPC);
	}
	half->free -= bytes;
	if (!xa_err(xa_store(&half->blocks, block->start >> PAGE_SHIFT, block, GFP_KERNEL)))
		return block;
	free_block(half, block);
	return ERR_PTR(-ENOMEM);
}

/**
 * ltt_half_alloc() - memory for the buffer of a stream on a CPU
 * @half:	the half
 * @buffer:	says which, and how large; receives @slots, which are all zeros, and @data
 *
 * Context: task; sleeps.
 * Return: 0; -ENOSPC: no room for it, or for saying where it is; -ENOMEM.
 */
int ltt_half_alloc(struct ltt_half *half, struct ltt_area_buffer *buffer)
{
	struct resource *block;
	int err;

	mutex_lock(&half->lock);
	block = alloc_block(half, ltt_half_bytes(buffer->subbuf_num, buffer->subbuf_order));
	err = PTR_ERR_OR_ZERO(block);
	if (!err) {
		buffer->slots = block->start;
		buffer->data = block->start + slots_bytes(buffer->subbuf_num);
		memset(ltt_half_at(half, buffer->slots), 0, slots_bytes(buffer->subbuf_num));
		err = ltt_area_add_buffer(&half->log, LTT_AREA_BUFFER, buffer) ? -ENOSPC : 0;
		if (err)
			free_block(half, block);
	}
	mutex_unlock(&half->lock);
	return err;
}

/**
 * ltt_half_give_back() - undo ltt_half_alloc()
 * @half:	the half
 * @buffer:	the buffer, of which @slots, @stream_id and @cpu are looked at
 *
 * If there is no room to say so, the memory stays allocated until the trace has ended.
 *
 * Context: task; sleeps.
 */
void ltt_half_give_back(struct ltt_half *half, const struct ltt_area_buffer *buffer)
{
	struct resource *block;

	mutex_lock(&half->lock);
	block = xa_load(&half->blocks, buffer->slots >> PAGE_SHIFT);
	if (block && (half->ended || !ltt_area_add_buffer(&half->log, LTT_AREA_NO_BUFFER, buffer)))
		free_block(half, block);
	mutex_unlock(&half->lock);
}
