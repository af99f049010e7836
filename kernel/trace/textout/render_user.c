// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: addresses in text, in user space.
 *
 * There is no kernel here that could know a symbol or hide a pointer: what the
 * trace holds is shown, in the forms of printk() without hashing or kallsyms.
 */
#include <linux/kernel.h>

#include "render_private.h"

int ltt_render_address(char *buf, size_t size, const struct ltt_field *field, u64 value)
{
	unsigned int flags = field->flags, width = field->width;
	char *end;

	if (field->show == LTT_SHOW_SYM) {
		flags |= LTT_FIELD_ALT | LTT_FIELD_ZERO;
		width = 2 + 2 * sizeof(value);
	} else if (!width) {
		flags |= LTT_FIELD_ZERO;
		width = 2 * sizeof(value);
	}
	end = ltt_put_number(buf, buf + size, value, 16, flags, width, 0);
	return end ? end - buf : INT_MAX;
}
