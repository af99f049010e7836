/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: areas of memory that survive a reset.
 */
#ifndef _LTT_AREA_H
#define _LTT_AREA_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <linux/ioport.h>

#include "log.h"

struct ltt_area;
struct ltt_error;

/**
 * struct ltt_half - half of an area, into which a trace records
 * @area:	the area
 * @nr:		0 or 1
 * @lock:	protects the rest; nests inside all others
 * @log:	what is written to it; @log.base is NULL before it was first used
 * @ended:	the trace was destroyed
 * @room:	all of its memory for buffers
 * @blocks:	struct resource in @room, by the number of their first page
 * @free:	bytes of @room that are in none of these
 */
struct ltt_half {
	struct ltt_area *area;
	unsigned int nr;
	struct mutex lock;	/* the rest of it */
	struct ltt_area_log log;
	bool ended;
	struct resource room;
	struct xarray blocks;
	u64 free;
};

int ltt_areas_init(void);
void ltt_areas_exit(void);
const void *ltt_area_half(unsigned int area, unsigned int half, u64 *size, const char **name);
void ltt_area_forget(unsigned int area, unsigned int half, u64 generation);

struct ltt_half *ltt_half_claim(const char *name, const struct ltt_area_trace *trace,
				const struct ltt_area_names *names, struct ltt_error *error);
void ltt_half_end(struct ltt_half *half);
void ltt_half_release(struct ltt_half *half);
const char *ltt_half_name(const struct ltt_half *half);
u64 ltt_half_free(struct ltt_half *half);
u64 ltt_half_bytes(unsigned int subbuf_num, unsigned int subbuf_order);
int ltt_half_alloc(struct ltt_half *half, struct ltt_area_buffer *buffer);
void ltt_half_give_back(struct ltt_half *half, const struct ltt_area_buffer *buffer);
void *ltt_half_at(const struct ltt_half *half, u64 offset);
u64 ltt_half_offset(const struct ltt_half *half, const void *p);

#endif /* _LTT_AREA_H */
