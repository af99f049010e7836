// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the format and the argument types of a bridged event's marker, made from the
 * table of its fields: "prev_comm %s[16] prev_pid %d prev_prio %d ...". Which of them are
 * addresses of code is found in what TP_printk() says: "call_site %pS".
 */

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/format.h>

#include "bridge.h"

/* ---- what TP_printk() says --------------------------------------------------------- */

/* Where the argument at @args ends, at a comma or with the text. */
static const char *skip_arg(const char *args)
{
	int depth = 0;
	char quote;

	for (; *args && (depth || *args != ','); args++) {
		if (*args == '"' || *args == '\'') {
			quote = *args++;
			while (*args && *args != quote)
				args += *args == '\\' && args[1] ? 2 : 1;
			if (!*args)
				break;
		}
		depth += *args == '(' || *args == '[' || *args == '{';
		depth -= *args == ')' || *args == ']' || *args == '}';
	}
	return args;
}

/* Is the argument a field of the record, with or without casts around it? */
static bool arg_is_field(const char *arg, const char *end, const char *field)
{
	size_t len = strlen(field);

	for (; arg < end; arg++) {
		if (*arg == '(' || *arg == ')' || isspace(*arg) || *arg == '*')
			continue;
		/* "(void *)": words before the record's name are a type. */
		if (!strncmp(arg, "__entry->", 9) || !strncmp(arg, "REC->", 5))
			break;
		while (arg < end && (isalnum(*arg) || *arg == '_'))
			arg++;
		if (arg == end || (*arg != ')' && !isspace(*arg)))
			return false;
	}
	if (arg >= end)
		return false;
	arg = strchr(arg, '>') + 1;
	while (arg < end && isspace(*arg))
		arg++;
	if (end - arg < len || strncmp(arg, field, len))
		return false;
	for (arg += len; arg < end; arg++) {
		if (*arg != ')' && !isspace(*arg))
			return false;
	}
	return true;
}

/*
 * How @words, of TP_printk(), show a field: what follows its %p, for a symbol if there is a
 * choice. NULL: not as an address.
 */
static const char *shown_as(const char *words, const char *field)
{
	const char *args = strchr(words, LTT_BRIDGE_ARGS[0]), *p, *end, *found = NULL;

	if (!args++)
		return NULL;
	for (p = words; *p != LTT_BRIDGE_ARGS[0];) {
		if (*p++ != '%')
			continue;
		if (*p == '%') {
			p++;
			continue;
		}
		for (; *p && strchr("-+ #0123456789.*hlLqjzt", *p); p++) {
			if (*p != '*')
				continue;
			args = skip_arg(args);
			args += *args == ',';
		}
		end = skip_arg(args);
		if (*p == 'p' && arg_is_field(args, end, field)) {
			switch (p[1]) {
			case 'S':
				return "S";
			case 's':
				return "s";
			case 'B':
				return "B";
			case 'x':
				found = "x";
				break;
			default:
				/* %pI4 and the like show what is there. */
				if (!isalnum(p[1]) || p[1] == 'K')
					found = found ?: "";
			}
		}
		args = end + (*end == ',');
		if (*p != LTT_BRIDGE_ARGS[0])
			p++;
	}
	return found;
}

/* ---- formats ----------------------------------------------------------------------- */

static const char *int_conversion(unsigned int size, bool is_signed)
{
	if (size == sizeof(u64))
		return is_signed ? "lld" : "llu";
	return is_signed ? "d" : "u";
}

static u32 int_type(u32 kind, const struct ltt_bridge_field *field)
{
	return LTT_TYPE(kind, field->element, field->int_signed ? LTT_TYPE_SIGNED : 0);
}

/*
 * Add a field to the format. Many events keep addresses in integers, and only their text tells.
 * Return: the field's type.
 */
static u32 add_field(struct seq_buf *s, const struct ltt_bridge_field *field,
		     const char *words)
{
	const char *conversion = int_conversion(field->element, field->int_signed);
	const char *letters = NULL;

	if (words && field->size == sizeof(void *) &&
	    (field->kind == LTT_BRIDGE_INT || field->kind == LTT_BRIDGE_PTR))
		letters = shown_as(words, field->name);

	seq_buf_printf(s, "%s%s %%", s->len ? " " : "", field->name);
	switch (field->kind) {
	case LTT_BRIDGE_INT:
		if (letters) {
			/* Often it is an address of a program. */
			letters = *letters ? letters : "x";
			break;
		}
		seq_buf_printf(s, "%s", conversion);
		return int_type(LTT_KIND_INT, field);
	case LTT_BRIDGE_PTR:
		break;
	case LTT_BRIDGE_STR:
	case LTT_BRIDGE_DYN_STR:
		seq_buf_printf(s, "s");
		return LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0);
	case LTT_BRIDGE_CHARS:
		seq_buf_printf(s, "s[%u]", field->size);
		return int_type(LTT_KIND_SEQ, field);
	case LTT_BRIDGE_BYTES:
		seq_buf_printf(s, "x[%u]", field->size);
		return LTT_TYPE(LTT_KIND_SEQ, 1, 0);
	case LTT_BRIDGE_ARRAY:
		seq_buf_printf(s, "%s[%u]", conversion, field->size / field->element);
		return int_type(LTT_KIND_SEQ, field);
	case LTT_BRIDGE_DYN_CHARS:
		seq_buf_printf(s, "c");
		return int_type(LTT_KIND_SEQ, field);
	default:
		seq_buf_printf(s, "%s", conversion);
		return int_type(LTT_KIND_SEQ, field);
	}
	seq_buf_printf(s, "p%s", letters ?: "");
	return LTT_TYPE(LTT_KIND_PTR, sizeof(void *), 0);
}

static void free_format(struct ltt_marker *marker)
{
	kfree(marker->format);
	kfree(marker->types);
	marker->format = NULL;
	marker->types = NULL;
}

/**
 * ltt_bridge_make_format() - make the format and the types of an event's marker
 * @bridge:	the event
 *
 * Does nothing if they are there. They stay when the event's module goes: its
 * events are still printed.
 *
 * Context: task, may sleep.
 * Return: 0; -E2BIG (too many fields, or their names too long); -ENOMEM.
 */
int ltt_bridge_make_format(struct ltt_bridge *bridge)
{
	struct ltt_marker *marker = &bridge->marker;
	const char *words = bridge->desc->words();
	const struct ltt_bridge_field *fields;
	u32 types[LTT_MAX_ARGS];
	unsigned int nr, i;
	struct seq_buf s;
	int err = -E2BIG;
	char *text;

	if (marker->format)
		return 0;
	text = kmalloc(LTT_MAX_FORMAT + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	seq_buf_init(&s, text, LTT_MAX_FORMAT + 1);
	fields = bridge->desc->fields(&nr);
	marker->nr_args = 0;
	for (i = 0; i < nr; i++) {
		if (!fields[i].size)
			continue;
		if (marker->nr_args == LTT_MAX_ARGS)
			goto free;
		types[marker->nr_args++] = add_field(&s, &fields[i], words);
	}
	if (seq_buf_has_overflowed(&s) || s.len > LTT_MAX_FORMAT)
		goto free;
	text[s.len] = '\0';

	err = -ENOMEM;
	marker->format = kstrdup(text, GFP_KERNEL);
	/* Never of size 0: NULL is to mean that there is no memory. */
	marker->types = kmemdup(types, (marker->nr_args ?: 1) * sizeof(u32), GFP_KERNEL);
	if (marker->format && marker->types)
		err = 0;
	else
		free_format(marker);
free:
	kfree(text);
	return err;
}

/**
 * ltt_bridge_free_formats() - undo ltt_bridge_make_format() for all events
 *
 * Context: task; no marker is registered.
 */
void ltt_bridge_free_formats(void)
{
	unsigned int i;

	for (i = 0; i < ltt_nr_bridges; i++)
		free_format(&ltt_bridges[i].marker);
}
