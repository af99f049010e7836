/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: ltt crash: traces in an image of memory that survived a reset, or in a dump of all memory.
 *
 *	image.c		reads a file that is memory as it is
 *	vmcore.c	reads a dump, by libkdumpfile
 *	find.c		looks for traces in either
 *	compose.c	puts together what belongs to one
 *	write.c		writes it as a trace directory
 */
#ifndef _LTT_TOOL_CRASH_H
#define _LTT_TOOL_CRASH_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../kernel/trace/ltt-core/area/scan.h"

struct vmcore;

/**
 * struct crash_trace - a trace that was found
 * @at:		address of its half or root; in an image, the offset
 * @is_root:	it is one in ordinary memory
 * @is_window:	of which it is a window
 * @head:	the head of the half
 * @root:	the root
 * @name:	its name, and a number if there are others of the same name; NULL: not known
 * @created:	ns since 1970, when it was begun, or taken; 0: not known
 * @is_dated:	its clock tells that; else @created counts from some time
 * @boot_id:	of the kernel's start, if @knows_boot
 * @knows_boot:	that is known
 */
struct crash_trace {
	u64 at;
	bool is_root;
	bool is_window;
	union {
		struct ltt_area_head head;
		struct ltt_area_root root;
	};
	char *name;
	u64 created;
	bool is_dated;
	u8 boot_id[LTT_UUID_SIZE];
	bool knows_boot;
};

/**
 * struct crash - an image or a dump, and what is in it
 * @path:	of the file, for messages
 * @fd:		the file
 * @vmcore:	the dump; NULL: it is an image
 * @bytes:	a copy of the image, if its file can be read only once; NULL: it is read by parts
 * @size:	bytes of the image, or that are in the dump
 * @room:	bytes of the image, or at most of the machine's memory
 * @is_dump:	there may be many traces in it: it is a dump, or an image that has a root
 * @damaged:	something was found that could not be read
 * @described:	bytes that were put together to see which traces there are
 * @nr:		entries of @traces
 * @traces:	the newest first
 */
struct crash {
	const char *path;
	int fd;
	struct vmcore *vmcore;
	unsigned char *bytes;
	u64 size;
	u64 room;
	bool is_dump;
	bool damaged;
	u64 described;
	unsigned int nr;
	struct crash_trace *traces;
};

/**
 * struct crash_half - a half, as in <linux/ltt/area.h>, that was put together
 * @base:	where it is
 * @size:	bytes
 * @head:	its head
 * @nr_holes:	entries of @holes
 * @holes:	what is not in the dump
 */
struct crash_half {
	unsigned char *base;
	u64 size;
	struct ltt_area_head head;
	u32 nr_holes;
	struct ltt_area_hole *holes;
};

/* image.c */
void crash_say(const struct crash *crash, const char *format, ...)
	__attribute__((__format__(printf, 2, 3)));
void crash_say_at(const struct crash *crash, u64 at, const char *what);
int crash_load(struct crash *crash);
bool crash_read(const struct crash *crash, u64 address, void *to, size_t size);
bool crash_next_page(const struct crash *crash, u64 *address);
void crash_free(struct crash *crash);

/* vmcore.c */
struct vmcore *vmcore_open(const struct crash *crash, int fd);
bool vmcore_read(const struct vmcore *vmcore, u64 address, void *to, size_t size);
bool vmcore_next_page(const struct vmcore *vmcore, u64 *address);
u64 vmcore_room(const struct vmcore *vmcore);
u64 vmcore_most(const struct vmcore *vmcore);
void vmcore_close(struct vmcore *vmcore);

/* find.c */
int crash_find(struct crash *crash);

/* compose.c */
bool crash_has_magic(const struct ltt_area_root *root, const char *magic);
bool crash_is_root(const struct ltt_area_root *root, u64 at, const char *magic);
int crash_window_trace(const struct crash *crash, const struct ltt_area_root *root,
		       struct ltt_area_window *window, struct ltt_area_root *of);
int crash_compose(const struct crash *crash, const struct crash_trace *trace, bool only_log,
		  struct crash_half *half);
void crash_decompose(struct crash_half *half);

/* write.c */
int crash_put(int fd, int (*put)(const struct ltt_found *found, struct ltt_textbuf *out),
	      const struct ltt_found *found);
int crash_write(const struct crash *crash, const struct ltt_found *found, const char *path);
void crash_remove(const struct ltt_found *found, const char *path);

#endif /* _LTT_TOOL_CRASH_H */
