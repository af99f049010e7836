// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the format and the argument types of a bridged event's marker, made from the
 * table of its fields: "prev_comm %s prev_pid %d prev_prio %d ...".
 */

#include <linux/err.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/format.h>

#include "bridge.h"

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

/* Add a field to the format. Return: its type. */
static u32 add_field(struct seq_buf *s, const struct ltt_bridge_field *field)
{
	const char *conversion = int_conversion(field->element, field->int_signed);

	seq_buf_printf(s, "%s%s %%", s->len ? " " : "", field->name);
	switch (field->kind) {
	case LTT_BRIDGE_INT:
		seq_buf_printf(s, "%s", conversion);
		return int_type(LTT_KIND_INT, field);
	case LTT_BRIDGE_PTR:
		seq_buf_printf(s, "p");
		return LTT_TYPE(LTT_KIND_PTR, sizeof(void *), 0);
	case LTT_BRIDGE_STR:
	case LTT_BRIDGE_DYN_STR:
		seq_buf_printf(s, "s");
		return LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0);
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
		types[marker->nr_args++] = add_field(&s, &fields[i]);
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
