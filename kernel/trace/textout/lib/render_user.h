/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: addresses in text, in user space.
 */
#ifndef _LTT_RENDER_USER_H
#define _LTT_RENDER_USER_H

#include <linux/types.h>

/**
 * struct ltt_symbol - what is known of an address
 * @name:	of the symbol it lies in; NULL if only the module is known
 * @module:	of the module, NULL if the kernel itself
 * @offset:	bytes from the symbol's beginning, or from that of the module's code
 * @size:	bytes of the symbol
 */
struct ltt_symbol {
	const char *name;
	const char *module;
	u64 offset;
	u64 size;
};

/**
 * struct ltt_symbolizer - knows the symbols of a kernel
 * @find:	looks up an address as it was at a time in ns of the trace's clock; returns
 *		false if it lay in no symbol and no module
 */
struct ltt_symbolizer {
	bool (*find)(const struct ltt_symbolizer *symbolizer, u64 address, u64 time,
		     struct ltt_symbol *symbol);
};

/* Bytes of the longest floating-point number. */
#define LTT_FLOAT_TEXT	32

unsigned int ltt_put_float(char text[LTT_FLOAT_TEXT], u64 bits, unsigned int size);

/* That of the kernel whose events this thread renders, NULL if nothing is known. */
extern __thread const struct ltt_symbolizer *ltt_symbolizer;

/* ns of the trace's clock: when the event that this thread renders was recorded. */
extern __thread u64 ltt_symbol_time;

struct ltt_event_printer;

/* What text style "ftrace" asks, for tests; NULL: nobody. */
extern const struct ltt_event_printer *ltt_user_printer;

#endif /* _LTT_RENDER_USER_H */
