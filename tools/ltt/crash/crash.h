/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: ltt crash: traces in an image of memory that survived a reset.
 */
#ifndef _LTT_TOOL_CRASH_H
#define _LTT_TOOL_CRASH_H

#include <stddef.h>

#include "../../../kernel/trace/ltt-core/area/scan.h"

/**
 * struct crash - an image, and what is in it
 * @path:	of the image, for messages
 * @bytes:	a copy of it
 * @size:	bytes
 * @nr:		entries of @at and @heads
 * @at:		offsets of halves in which a trace is left, the newest first
 * @heads:	their heads
 */
struct crash {
	const char *path;
	unsigned char *bytes;
	size_t size;
	unsigned int nr;
	size_t *at;
	struct ltt_area_head *heads;
};

void crash_say(const struct crash *crash, const char *format, ...)
	__attribute__((__format__(printf, 2, 3)));
int crash_load(struct crash *crash);
void crash_free(struct crash *crash);
int crash_put(int fd, int (*put)(const struct ltt_found *found, struct ltt_textbuf *out),
	      const struct ltt_found *found);
int crash_write(const struct crash *crash, const struct ltt_found *found, const char *path);
void crash_remove(const struct ltt_found *found, const char *path);

#endif /* _LTT_TOOL_CRASH_H */
