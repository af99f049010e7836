// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: fields of other tracers that LTT has none for, as text.
 *
 *	3		a number
 *	name		a value of an enumeration that has one
 *	"text"		a string; without quotes if it is the whole field
 *	[1,2]		an array or a sequence
 *	{a=1,b=2}	a structure
 *
 * A variant is shown as the option that was chosen.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <string.h>

#include "../../../../kernel/trace/textout/lib/render_user.h"
#include "ctf.h"

/* Bytes that cost as much as a field: long names of fields that take no bits. */
#define TEXT_CREDIT	4

/**
 * struct show - what is being shown
 * @r:		the bytes, and the room
 * @shown:	there is text
 * @inner:	it is a part of a field
 */
struct show {
	struct ctf_reader *r;
	bool shown;
	bool inner;
};

static int put(struct show *s, const void *text, size_t len)
{
	if (!s->shown)
		return 0;
	if (s->r->credit < len / TEXT_CREDIT) {
		s->r->why = "more text than the packet has room for";
		return -EBADMSG;
	}
	s->r->credit -= len / TEXT_CREDIT;
	if ((size_t)(s->r->out_end - s->r->out) < len)
		return -ENOSPC;
	memcpy(s->r->out, text, len);
	s->r->out += len;
	return 0;
}

static int put_text(struct show *s, const char *text)
{
	return put(s, text, strlen(text));
}

static int put_quoted(struct show *s, const u8 *text, size_t len)
{
	size_t i;
	int err;

	if (!s->inner)
		return put(s, text, len);
	err = put_text(s, "\"");
	for (i = 0; i < len && !err; i++) {
		if (text[i] == '"' || text[i] == '\\')
			err = put_text(s, "\\");
		err = err ?: put(s, text + i, 1);
	}
	return err ?: put_text(s, "\"");
}

/* @name: returns NULL if it has none. */
static int label_of(struct show *s, const struct ctf_type *type, u64 value, const char **name)
{
	const struct ctf_label *label;
	unsigned int nr = 0;

	for (label = type->labels; label; label = label->next, nr++) {
		if (ctf_is_in(type->is_signed, value, label->low, label->high))
			break;
	}
	*name = label ? label->name : NULL;
	return ctf_charge(s->r, nr);
}

static int show_number(struct show *s, const struct ctf_node *node)
{
	const struct ctf_type *type = node->type;
	const char *label;
	char text[40];
	u64 value;
	int err = ctf_align(s->r, type->align) ?:
		  ctf_read_int(s->r, type->bits, type->is_signed, node->be, &value);

	if (err)
		return err;
	if (node->role == CTF_TIME)
		ctf_set_time(s->r, value, type->bits);
	else if (node->role)
		s->r->slots[node->role] = value;
	if (node->slot)
		s->r->slots[node->slot] = value;
	if (!s->shown)
		return 0;
	err = label_of(s, type, value, &label);
	if (err)
		return err;
	if (label)
		return put_text(s, label);
	if (type->kind == CTF_FLOAT)
		return put(s, text, ltt_put_float(text, value, type->bits / 8));
	/* Digits of other bases are those of the bits. */
	if (type->base != 10)
		value &= ~0ull >> (64 - type->bits);
	snprintf(text, sizeof(text), type->base == 8 ? "%#llo" : type->base != 10 ? "0x%llx" :
		 type->is_signed ? "%lld" : "%llu", (unsigned long long)value);
	return put_text(s, text);
}

static int show_node(struct show *s, const struct ctf_node *node);

static int show_inner(struct show *s, const struct ctf_node *node)
{
	bool inner = s->inner;
	int err;

	s->inner = true;
	err = show_node(s, node);
	s->inner = inner;
	return err;
}

static int show_struct(struct show *s, const struct ctf_node *node)
{
	int err = ctf_align(s->r, node->type->align) ?: put_text(s, "{");
	const struct ctf_node *child;

	for (child = node->child; child && !err; child = child->next)
		err = (child == node->child ? 0 : put_text(s, ",")) ?:
		      put_text(s, ctf_shown_name(child)) ?: put_text(s, "=") ?:
		      show_inner(s, child);
	return err ?: put_text(s, "}");
}

static int show_variant(struct show *s, const struct ctf_node *node)
{
	unsigned int choice;

	return ctf_choose(s->r, node, &choice) ?:
	       show_node(s, node->choices[choice].option);
}

/* The characters are text up to the first NUL. */
static int show_chars(struct show *s, const struct ctf_node *node, u64 count)
{
	const struct ctf_type *type = node->type;
	bool ended = false;
	u64 value;
	u8 c;
	int err = s->inner ? put_text(s, "\"") : 0;

	for (; count && !err; count--) {
		err = ctf_align(s->r, type->align) ?:
		      ctf_read_int(s->r, type->bits, false, node->be, &value);
		if (err)
			return err;
		c = value;
		ended |= !c;
		if (!ended && s->inner && (c == '"' || c == '\\'))
			err = put_text(s, "\\");
		if (!ended)
			err = err ?: put(s, &c, 1);
	}
	return err ?: s->inner ? put_text(s, "\"") : 0;
}

static int show_array(struct show *s, const struct ctf_node *node)
{
	const struct ctf_type *type = node->type, *element = type->element;
	u64 count = type->kind == CTF_ARRAY ? type->count : s->r->slots[node->from], i;
	int err = ctf_align(s->r, type->align);

	if (err)
		return err;
	if (element->kind == CTF_INT && element->is_text && element->bits == 8)
		return show_chars(s, node->child, count);
	err = put_text(s, "[");
	for (i = 0; i < count && !err; i++)
		err = (i ? put_text(s, ",") : 0) ?: show_inner(s, node->child);
	return err ?: put_text(s, "]");
}

static int show_string(struct show *s)
{
	const u8 *text;
	size_t len;

	return ctf_align(s->r, 8) ?: ctf_read_string(s->r, &text, &len) ?:
	       put_quoted(s, text, len);
}

static int show_node(struct show *s, const struct ctf_node *node)
{
	if (!s->r->credit) {
		s->r->why = "more fields than the packet has room for";
		return -EBADMSG;
	}
	s->r->credit--;
	switch (node->type->kind) {
	case CTF_STRUCT:
		return show_struct(s, node);
	case CTF_VARIANT:
		return show_variant(s, node);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return show_array(s, node);
	case CTF_STRING:
		return show_string(s);
	default:
		return show_number(s, node);
	}
}

/**
 * ctf_visit() - read a field of any type
 * @r:		at the field, or before its padding
 * @node:	the field
 * @shown:	its text, without a NUL, is put to r->out; else only slots are set
 *
 * Return: as for all functions of decode.c.
 */
int ctf_visit(struct ctf_reader *r, const struct ctf_node *node, bool shown)
{
	struct show show = { .r = r, .shown = shown };

	return show_node(&show, node);
}
