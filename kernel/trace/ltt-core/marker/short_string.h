/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: ordinary strings that are short, copied in one pass.
 *
 * Room in a buffer can be reserved only when the size of an event is known. A string that is
 * copied to the stack while its end is looked for need not be read, nor looked at, again: it
 * does not change any more.
 */
#ifndef _LTT_SHORT_STRING_H
#define _LTT_SHORT_STRING_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/types.h>

#include "nofault.h"

/**
 * struct ltt_short_string - a copy of a string
 * @words:	its bytes, its NUL, and anything
 */
struct ltt_short_string {
	u64 words[8];
};

/* What a string is. */
enum ltt_string_kind {
	LTT_STRING_SHORT,	/* the copy has all of it */
	LTT_STRING_LONG,	/* the copy has how it begins, and is full */
	LTT_STRING_OTHER,	/* anything else, and the copy may be anything */
};

/**
 * ltt_short_string_load() - copy a string
 * @copy:	where to
 * @ptr:	the string; may be anything
 * @len:	set to its length if it is short
 *
 * What is copied reaches over the NUL, but not over the end of a page.
 *
 * Context: any, NMI included.
 * Return: LTT_STRING_OTHER if it is not ASCII, or in an unusual place, or cannot be read.
 */
static __always_inline enum ltt_string_kind
ltt_short_string_load(struct ltt_short_string *copy, const char *ptr, size_t *len)
{
	u64 minus_ones = -(~0ul / 0xff), highs = ~0ul / 0xff << 7;
	unsigned int i;
	u64 word;

	/* Two registers are better than a load of 64 bits for each word. */
	OPTIMIZER_HIDE_VAR(minus_ones);
	OPTIMIZER_HIDE_VAR(highs);
	if (unlikely(!ltt_is_simple_in_page(ptr, sizeof(*copy))))
		return LTT_STRING_OTHER;
#pragma GCC unroll 8
	for (i = 0; i < ARRAY_SIZE(copy->words); i++) {
		if (unlikely(!ltt_load_64_nofault(&word, ptr + 8 * i, true)))
			return LTT_STRING_OTHER;
		copy->words[i] = word;
		word += minus_ones;
		if (word & highs)
			goto found;
	}
	return LTT_STRING_LONG;

found:
	/* The first byte that is NUL, or no ASCII: nothing was borrowed from it. */
	*len = 8 * i + __ffs(word & highs) / 8;
	return likely(!((const char *)copy->words)[*len]) ? LTT_STRING_SHORT : LTT_STRING_OTHER;
}

#define LTT_COPY(_bits, _at)						\
	__builtin_memcpy(p + (_at), from + (_at), sizeof(u##_bits))

/**
 * ltt_short_string_store() - store the copy of a short string
 * @p:		where to
 * @copy:	the copy
 * @len:	of the string, without its NUL
 *
 * Context: any.
 */
static __always_inline void ltt_short_string_store(u8 *p, const struct ltt_short_string *copy,
						   size_t len)
{
	const u8 *from = (const u8 *)copy->words;

	/* From both ends: the last integers may overlap the first. */
	if (likely(len >= 31)) {
		LTT_COPY(64, 0);
		LTT_COPY(64, 8);
		LTT_COPY(64, 16);
		LTT_COPY(64, 24);
		LTT_COPY(64, len - 31);
		LTT_COPY(64, len - 23);
		LTT_COPY(64, len - 15);
		LTT_COPY(64, len - 7);
	} else if (len >= 15) {
		LTT_COPY(64, 0);
		LTT_COPY(64, 8);
		LTT_COPY(64, len - 15);
		LTT_COPY(64, len - 7);
	} else if (len >= 7) {
		LTT_COPY(64, 0);
		LTT_COPY(64, len - 7);
	} else if (len >= 3) {
		LTT_COPY(32, 0);
		LTT_COPY(32, len - 3);
	} else if (len) {
		LTT_COPY(16, 0);
		LTT_COPY(16, len - 1);
	} else {
		*p = '\0';
	}
}

/**
 * ltt_short_string_store_full() - store the copy of how a long string begins
 * @p:		where to
 * @copy:	the copy
 *
 * Context: any.
 */
static __always_inline void ltt_short_string_store_full(u8 *p, const struct ltt_short_string *copy)
{
	const u8 *from = (const u8 *)copy->words;

	/* Not at once: where size matters, that would be byte by byte. */
	LTT_COPY(64, 0);
	LTT_COPY(64, 8);
	LTT_COPY(64, 16);
	LTT_COPY(64, 24);
	LTT_COPY(64, 32);
	LTT_COPY(64, 40);
	LTT_COPY(64, 48);
	LTT_COPY(64, 56);
}

#undef LTT_COPY

#endif /* _LTT_SHORT_STRING_H */
