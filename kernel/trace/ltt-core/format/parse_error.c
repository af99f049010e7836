// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: why a marker's format is refused, in words.
 *
 * Shared by the kernel, the user-space tools and the tests. Nobody has checked
 * what is quoted here: it is cut, and escaped where it can be any character.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/ltt/escape.h>

#include "parse.h"

int ltt_refuse(struct ltt_parser *ps, const char *why, ...)
{
	va_list args;
	int len;

	if (ps->name)
		len = snprintf(ps->error, LTT_FORMAT_ERROR,
			       "argument %u (%.*s), column %zu: ", ps->arg + 1,
			       min(ps->name_len, 32), ps->name, ps->column);
	else
		len = snprintf(ps->error, LTT_FORMAT_ERROR,
			       "argument %u (arg%u), column %zu: ", ps->arg + 1,
			       ps->arg + 1, ps->column);
	va_start(args, why);
	vsnprintf(ps->error + len, LTT_FORMAT_ERROR - len, why, args);
	va_end(args);
	return -EINVAL;
}

int ltt_refuse_char(struct ltt_parser *ps, size_t ahead, const char *why)
{
	char shown[LTT_ESCAPE_MAX];
	unsigned int used;
	char c = ltt_peek(ps, ahead);
	int len;

	ps->column = ps->pos + ahead + 1;
	if (ps->pos + ahead >= ps->len)
		return ltt_refuse(ps, "%s, found the end of the format", why);
	/* One byte only: half a UTF-8 sequence shows as \xNN. */
	len = ltt_escape_char(shown, (const u8 *)&c, 1, &used);
	return ltt_refuse(ps, "%s, found '%.*s'", why, len, shown);
}

/* Room for what type_text() writes. */
#define TYPE_TEXT	48

static const char *type_text(char text[TYPE_TEXT], __u32 type)
{
	unsigned int size = LTT_TYPE_SIZE(type);

	switch (LTT_TYPE_KIND(type)) {
	case LTT_KIND_INT:
		snprintf(text, TYPE_TEXT, "an integer of %u bytes", size);
		break;
	case LTT_KIND_PTR:
		snprintf(text, TYPE_TEXT, "a pointer");
		break;
	case LTT_KIND_CPTR:
		snprintf(text, TYPE_TEXT, "a string pointer");
		break;
	default:
		snprintf(text, TYPE_TEXT, "a sequence of %u-byte integers", size);
		break;
	}
	return text;
}

int ltt_refuse_type(struct ltt_parser *ps, const char *wants)
{
	char text[TYPE_TEXT];

	return ltt_refuse(ps, "%.*s expects %s, but the argument is %s", min(ps->spec_len, 20),
		      ps->spec, wants, type_text(text, ps->types[ps->arg]));
}
