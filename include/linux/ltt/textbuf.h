/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: a buffer for text.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#ifndef _LINUX_LTT_TEXTBUF_H
#define _LINUX_LTT_TEXTBUF_H

#include <linux/types.h>

struct ltt_other_boot;
struct ltt_symbol_cache;
struct ltt_text_style;

/**
 * struct ltt_textbuf - a buffer for text
 * @pos:	the next free byte; everything before it is complete
 * @end:	the first byte that must not be written
 * @value:	internal: the last integer, which may be the length of a blob
 * @sec_begin:	internal: ns, the second that @sec_text shows
 * @sec_len:	internal: bytes of @sec_text
 * @sec_text:	internal: "1234.", as events of one second follow each other
 * @ts:		time of the event that is being shown, to look up its symbols, or
 *		LTT_SYMBOL_ATOMIC; NULL: use the current symbols. In the kernel only
 * @boot:	whose addresses are shown; NULL: those of the running kernel. In the kernel only
 * @symbols:	those that were shown; NULL: look each up anew. In the kernel only
 * @style:	internal: the text style, see ltt_style_open(); NULL if nothing that is shown
 *		depends on a style
 * @state:	internal: what the style needs for this output
 *
 * Not locked: it belongs to one reader. The user may move @pos and @end, and set @ts, @boot and
 * @symbols.
 */
struct ltt_textbuf {
	char *pos;
	char *end;
	u64 value;
	u64 sec_begin;
	u32 sec_len;
	char sec_text[16];
	const u64 *ts;
	const struct ltt_other_boot *boot;
	struct ltt_symbol_cache *symbols;
	const struct ltt_text_style *style;
	void *state;
};

#endif /* _LINUX_LTT_TEXTBUF_H */
