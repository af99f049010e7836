// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: addresses in text, in the kernel.
 *
 * Pointers are left to the kernel's own vsnprintf(), which knows symbols and what
 * may be revealed to whom.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "render_private.h"

/*
 * May this reader see raw addresses? %pK shows zeros where kptr_restrict forbids
 * it, and complains where it can't tell.
 */
static bool may_see(u64 value)
{
	char text[2 * sizeof(value) + 8];

	if (!value)
		return true;
	scnprintf(text, sizeof(text), "%pK", (void *)(unsigned long)value);
	return text[0] != 'p' && text[strspn(text, "0")];
}

/**
 * ltt_render_address() - show a pointer or the symbol it points to
 * @buf:	where to put the text
 * @size:	bytes there
 * @field:	one of LTT_SHOW_PTR, LTT_SHOW_PTR_RAW, LTT_SHOW_SYM
 * @value:	the pointer
 *
 * %px shows the raw pointer only to who could see it through %pK, and to others
 * what %p shows.
 *
 * Context: as for snprintf(); what is shown depends on the current task's rights.
 * Return: length of the whole text; it is cut if that is @size or more.
 */
int ltt_render_address(char *buf, size_t size, const struct ltt_field *field, u64 value)
{
	const char *letters = field->variant;
	char format[24], *pos = format;

	if (field->show == LTT_SHOW_PTR_RAW && !may_see(value))
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
	return snprintf(buf, min_t(size_t, size, INT_MAX), format,
			(void *)(unsigned long)value);
}
