// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: addresses in text, in the kernel.
 *
 * Pointers are left to the kernel's own vsnprintf(), which knows what may be revealed to
 * whom; symbols to ltt_symbol_print(), which knows modules that are gone, too.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/ltt/symbol.h>

#include "render_private.h"

static int render_symbol(const struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	size_t room = ltt_textbuf_room(out), blanks;
	u64 ts = out->ts ? *out->ts : LTT_SYMBOL_NOW;
	int len;

	if (out->boot)
		len = ltt_symbol_print_other(out->pos, room, value, field->variant, out->boot);
	else if (out->symbols)
		len = ltt_symbol_print_cached(out->symbols, out->pos, room, value,
					      field->variant, ts);
	else
		len = ltt_symbol_print(out->pos, room, value, field->variant, ts);
	if (len < 0 || len >= field->width)
		return len;
	if (field->width >= room)
		return field->width;
	blanks = field->width - len;
	if (field->flags & LTT_FIELD_LEFT) {
		memset(out->pos + len, ' ', blanks);
	} else {
		memmove(out->pos + blanks, out->pos, len);
		memset(out->pos, ' ', blanks);
	}
	return field->width;
}

/**
 * ltt_render_address() - show a pointer or the symbol it points to
 * @out:	where to put the text
 * @field:	one of LTT_SHOW_PTR, LTT_SHOW_PTR_RAW, LTT_SHOW_SYM
 * @value:	the pointer
 *
 * %px shows a pointer into the kernel as it is only to those who may see it, and to others
 * what %p shows; see ltt_may_see(). So do symbols that are not known.
 *
 * Context: for symbols, a task that may sleep, unless *out->ts is LTT_SYMBOL_ATOMIC; else as
 * for snprintf(). What is shown depends on the current task's rights; it has none then.
 * Return: length of the whole text; it is cut if there is not more room.
 */
int ltt_render_address(const struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	const bool atomic = out->ts && *out->ts == LTT_SYMBOL_ATOMIC;
	const char *letters = field->variant;
	char format[24], *pos = format;

	if (field->show == LTT_SHOW_SYM)
		return render_symbol(out, field, value);
	/* %pK looks at rights, too. */
	if (atomic && ltt_is_kernels(value))
		letters = "";
	else if (field->show == LTT_SHOW_PTR_RAW && !ltt_may_see(value))
		letters = "";

	*pos++ = '%';
	if (field->flags & LTT_FIELD_LEFT)
		*pos++ = '-';
	if (field->flags & LTT_FIELD_ALT)
		*pos++ = '#';
	if (field->flags & LTT_FIELD_ZERO)
		*pos++ = '0';
	if (field->width)
		pos = ltt_put_dec(pos, field->width);
	*pos++ = 'p';
	strscpy(pos, letters, format + sizeof(format) - pos);
	return snprintf(out->pos, min_t(size_t, ltt_textbuf_room(out), INT_MAX), format,
			(void *)(unsigned long)value);
}
