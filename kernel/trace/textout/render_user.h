/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: addresses in text, in user space.
 */
#ifndef _LTT_RENDER_USER_H
#define _LTT_RENDER_USER_H

#include <linux/types.h>

/**
 * struct ltt_symbol - what is known of an address
 * @name:	of the symbol it lies in
 * @module:	of the module, NULL if the kernel itself
 * @offset:	bytes from the symbol's beginning
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
 * @find:	looks up an address; returns false if it lies in no symbol
 */
struct ltt_symbolizer {
	bool (*find)(const struct ltt_symbolizer *symbolizer, u64 address,
		     struct ltt_symbol *symbol);
};

/* That of the kernel whose events this thread renders, NULL if nothing is known. */
extern __thread const struct ltt_symbolizer *ltt_symbolizer;

#endif /* _LTT_RENDER_USER_H */
