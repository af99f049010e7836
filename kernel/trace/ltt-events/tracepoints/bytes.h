/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: how large a bridged event's record may be, and how it is recorded.
 *
 * Also compiled in user space: tools/testing/ltt/unit/test_bridge.c.
 */
#ifndef _LTT_BRIDGE_BYTES_H
#define _LTT_BRIDGE_BYTES_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Events of plain fields, up to so many bytes with their header, have the fast path inline. */
#define LTT_BRIDGE_FAST		64

/* Events with so many bytes of fields are assigned before room is reserved. */
#define LTT_BRIDGE_EARLY	8

/*
 * Do the events of a header assign all fields, if they have so many longs? See preamble.h. If so,
 * and if the event has the same bytes as the record, the record may as well be in the buffer,
 * aligned or not.
 */
#define LTT_BRIDGE_ASSIGNS_ALL(_longs)	false
#ifdef CONFIG_UBSAN_ALIGNMENT
#define LTT_BRIDGE_IN_PLACE(_record, _len)	false
#else
#define LTT_BRIDGE_IN_PLACE(_record, _len)				\
	(LTT_BRIDGE_ASSIGNS_ALL(((_len) - LTT_HEADER_COMPACT) / sizeof(long)) && \
	 (_len) - LTT_HEADER_COMPACT == sizeof(_record) - sizeof(struct trace_entry))
#endif

/*
 * Arrays of so many characters, or fewer, are recorded as a whole: to measure the string takes
 * longer than to copy what follows it, and its event has no constant size.
 */
#define LTT_BRIDGE_CHARS_MAX	16

/* Arrays of char are strings, except those in which the kernel stores UUIDs. */
#define LTT_BRIDGE_IS_TEXT(_type, _item)				\
	(__builtin_types_compatible_p(typeof(_type), char) &&		\
	 __builtin_strcmp(#_item, "uuid"))

/* Is an array of @_len elements recorded as a string, up to its NUL? */
#define LTT_BRIDGE_IS_STR(_type, _item, _len)				\
	(LTT_BRIDGE_IS_TEXT(_type, _item) && (_len) > LTT_BRIDGE_CHARS_MAX)

/* Bytes of an event's record that may lie on the stack. */
#define LTT_BRIDGE_STACK	256

/* Events with more fields than this are not filtered before they are recorded. */
#define LTT_BRIDGE_ASK		16

/* How a probe goes on. */
enum ltt_bridge_way {
	LTT_BRIDGE_DONE,	/* the event is recorded: enable preemption */
	LTT_BRIDGE_PUBLISH,	/* the same, and publish what nested writers have left */
	LTT_BRIDGE_SLOW,	/* nothing has been done */
};

/* What a function of stages/give.h is called for, besides its return value. */
enum ltt_bridge_give {
	LTT_BRIDGE_GIVE,	/* the fields become arguments of a gate */
	LTT_BRIDGE_TAKE,	/* if all are words, and few: they become fields again */
	LTT_BRIDGE_FEW,		/* to know whether they are, without a record */
};

/* Does it fit into an argument of a gate? */
#define LTT_BRIDGE_IS_WORD(_x)						\
	(sizeof(_x) == 1 || sizeof(_x) == 2 || sizeof(_x) == 4 || sizeof(_x) == 8)

/* Most bytes of a record elsewhere; perf has the same limit. */
#define LTT_BRIDGE_SCRATCH	8192

/**
 * ltt_bridge_bytes() - bytes of a dynamic array
 * @len:	its elements, as a header of the kernel says, in whatever type
 * @size:	bytes of one
 *
 * A length below 0 is none: an error code, say. TP_fast_assign() trusts it as well, and must
 * not be called then.
 *
 * Context: any.
 * Return: bytes; more than there is room for in a record if @len is no length.
 */
static __always_inline int ltt_bridge_bytes(s64 len, int size)
{
	if (len < 0 || len > LTT_BRIDGE_SCRATCH / size)
		return LTT_BRIDGE_SCRATCH + 1;
	return len * size;
}

#endif /* _LTT_BRIDGE_BYTES_H */
