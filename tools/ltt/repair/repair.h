/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: making a trace directory whole.
 *
 *	repair.c	the directory, the metadata
 *	stream.c	streams and their indexes
 *	cut.c		what is cut off, and where it goes
 */
#ifndef _LTT_TOOL_REPAIR_H
#define _LTT_TOOL_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/private.h"

/* Directory for what is cut off, in that of the trace. */
#define REPAIR_DIR	"repair"

/**
 * struct repair - a directory that is being repaired
 * @path:	its name
 * @dir:	the directory
 * @index:	its directory of indexes, -1 if there is none
 * @side:	its REPAIR_DIR, -1 until there is something to put there
 * @trace:	what its metadata declare
 * @left:	things that are wrong and stay so; each has been said
 */
struct repair {
	const char *path;
	int dir;
	int index;
	int side;
	struct lib_trace trace;
	unsigned int left;
};

/* repair.c */
int repair_directory(const char *path, bool wait);
__printf(3, 4) void repair_say(const struct repair *repair, const char *name,
			       const char *format, ...);

/* stream.c */
int repair_stream(struct repair *repair, int fd, const char *name, uint64_t size);

/* cut.c */
int repair_cut(struct repair *repair, int fd, const char *name, uint64_t size,
	       uint64_t whole);
int repair_set_aside(struct repair *repair, int dir, const char *name);

#endif /* _LTT_TOOL_REPAIR_H */
