// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what the marker of a definition looks like: types, format, and the line that
 * defines it again.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse.h"

static u32 arg_type(const struct ltt_fetch *arg)
{
	switch (arg->as) {
	case LTT_AS_STRING:
	case LTT_AS_SYMSTR:
		return LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0);
	case LTT_AS_SYMBOL:
	case LTT_AS_PTR:
		return LTT_TYPE(LTT_KIND_PTR, sizeof(void *), 0);
	default:
		return LTT_TYPE(arg->count ? LTT_KIND_SEQ : LTT_KIND_INT, arg->size,
				arg->is_signed ? LTT_TYPE_SIGNED : 0);
	}
}

/**
 * ltt_kprobe_types() - the types of a marker's arguments
 * @def:	the definition
 * @types:	receives them: the addresses of a kprobe first
 *
 * Return: how many.
 */
unsigned int ltt_kprobe_types(const struct ltt_kprobe_def *def, u32 types[LTT_KPROBE_ARGS])
{
	unsigned int nr = 0, i;

	if (def->kind != 't')
		types[nr++] = LTT_TYPE(LTT_KIND_PTR, sizeof(void *), 0);
	if (def->kind == 'r')
		types[nr++] = LTT_TYPE(LTT_KIND_PTR, sizeof(void *), 0);
	for (i = 0; i < def->nr_args; i++)
		types[nr++] = arg_type(&def->arg[i]);
	return nr;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_types);

/* The conversion of an argument. */
static const char *conversion(const struct ltt_fetch *arg)
{
	switch (arg->as) {
	case LTT_AS_STRING:
	case LTT_AS_SYMSTR:
		return "%s";
	case LTT_AS_SYMBOL:
		return "%pS";
	case LTT_AS_PTR:
		return "%p";
	case LTT_AS_CHAR:
		return "%c";
	}
	if (arg->hex && arg->count)
		return "%#llx";
	if (arg->hex)
		return "0x%llx";
	return arg->is_signed ? "%lld" : "%llu";
}

/**
 * ltt_kprobe_format() - the format of a marker
 * @def:	the definition
 * @buf:	receives it
 * @size:	bytes there
 *
 * Return: its length; it is cut if that is @size or more.
 */
int ltt_kprobe_format(const struct ltt_kprobe_def *def, char *buf, size_t size)
{
	const struct ltt_fetch *arg;
	size_t len;

	len = snprintf(buf, size, "%s", def->kind == 'r' ? "func %ps from %pS" :
				       def->kind == 'p' ? "ip %pS" : "");
	for (arg = def->arg; arg < def->arg + def->nr_args; arg++) {
		len += snprintf(buf + min(len, size), size - min(len, size), "%s%s ",
				len ? " " : "", arg->name);
		if (arg->as == LTT_AS_STRING && arg->most)
			len += snprintf(buf + min(len, size), size - min(len, size), "%%.%us",
					arg->most);
		else
			len += snprintf(buf + min(len, size), size - min(len, size), "%s",
					conversion(arg));
		if (arg->count)
			len += snprintf(buf + min(len, size), size - min(len, size), "[%u]",
					arg->count);
	}
	return len;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_format);

/**
 * ltt_kprobe_print() - the line that makes a definition again
 * @def:	the definition
 * @line:	the line that made it: its first word may have said less
 * @buf:	receives the line, with one blank between two words
 * @size:	bytes there
 *
 * Return: its length; it is cut if that is @size or more.
 */
int ltt_kprobe_print(const struct ltt_kprobe_def *def, const char *line, char *buf,
		     size_t size)
{
	const char *word = line + def->column - 1, *end;
	size_t len;

	len = snprintf(buf, size, "%c", def->kind);
	if (def->maxactive)
		len += snprintf(buf + min(len, size), size - min(len, size), "%u",
				def->maxactive);
	len += snprintf(buf + min(len, size), size - min(len, size), ":%s/%s", def->channel,
			def->name);
	for (; *word; word = end) {
		for (end = word; *end && !ltt_kprobe_is_blank(*end);)
			end++;
		len += snprintf(buf + min(len, size), size - min(len, size), " %.*s",
				(int)(end - word), word);
		while (ltt_kprobe_is_blank(*end))
			end++;
	}
	return len;
}
