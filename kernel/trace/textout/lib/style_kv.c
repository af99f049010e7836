// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: text style "kv", which shows fields as names and values.
 *
 *	1234.567890123 [003] sched.switch: prev_comm="a b" prev_pid=17 $tid=17
 *
 * Time, CPU, name and notices are as in style "format". Values are those of the marker's format
 * without padding. As in logfmt, a value that is empty, or has other characters than printable
 * ASCII, or a blank, a quote, "=" or a backslash, stands in quotes, with backslashes before quotes
 * and for what style "format" shows with them. Names of contexts begin with "$", as they may be
 * those of fields.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "style.h"

/* Is the value always of digits? */
static bool is_plain(const struct ltt_field *field)
{
	return field->store == LTT_STORE_INT && field->show <= LTT_SHOW_OCT && !field->width &&
	       !(field->flags & LTT_FIELD_PADDING) && !field->nr_syms;
}

static bool is_bare(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] <= ' ' || text[i] > '~' || strchr("\"=\\", text[i]))
			return false;
	}
	return len;
}

static long kv_field(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
		     size_t avail, bool swap)
{
	char *start = out->pos;
	long size;

	if (start == out->end)
		return -ENOSPC;
	out->pos++;
	size = ltt_render_unpadded(out, field, p, avail, swap);
	if (size < 0)
		return size;
	if (!is_bare(start + 1, out->pos - start - 1))
		return ltt_render_quoted(out, start) ?: size;
	out->pos--;
	memmove(start, start + 1, out->pos - start);
	return size;
}

static void build(struct ltt_text_builder *b, const struct ltt_format *format, const char *before)
{
	const struct ltt_field *field;
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		field = &format->fields[i];
		ltt_build_text(b, before);
		ltt_build_text(b, field->name);
		ltt_build_literal(b, "=", 1);
		if (is_plain(field))
			ltt_build_field(b, format, i);
		else
			ltt_build_own_field(b, format, i, kv_field);
	}
}

static void kv_program(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	ltt_build_name(b, kind);
	ltt_build_literal(b, ":", 1);
	build(b, kind->format, " ");
	if (kind->context) {
		ltt_build_context(b);
		build(b, kind->context, " $");
	}
	ltt_build_literal(b, "\n", 1);
}

const struct ltt_text_style ltt_style_kv = {
	.name = "kv",
	.program = kv_program,
	.notices = &ltt_format_notices,
	.event = ltt_render_event,
};
