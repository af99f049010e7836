// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: fields of other tracers as LTT has them.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/ltt/escape.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../symbols.h"
#include "ctf.h"

/* Bytes of the longest name, with those of the structures around. */
#define NAME_MAX_BYTES	4096u

/* Texts are read in words, up to two more than there are. */
#define MARGIN		(2 * sizeof(u64))

/**
 * struct flat - a field
 * @node:	what it is
 * @name:	its name
 */
struct flat {
	const struct ctf_node *node;
	char *name;
};

/**
 * struct flats - all fields of a format
 * @at:		the fields
 * @nr:		how many
 * @room:	entries of @at
 * @path:	names of the structures around the next one
 * @len:	bytes there
 * @text:	bytes of all texts
 * @syms:	names of values
 */
struct flats {
	struct flat *at;
	size_t nr;
	size_t room;
	char path[NAME_MAX_BYTES];
	size_t len;
	size_t text;
	size_t syms;
};

/* ---- which there are ----------------------------------------------------------------- */

/* What the table of an enumeration is of: the type, or that of elements. */
static const struct ctf_type *number_of(const struct ctf_type *type)
{
	return ctf_is_number(type) || !type->element ? type : type->element;
}

static bool has_ranges(const struct ctf_type *type)
{
	const struct ctf_label *label;

	for (label = type->labels; label; label = label->next) {
		if (label->low != label->high)
			return true;
	}
	return false;
}

static int count_labels(struct ctf_trace *trace, struct flats *flats, const struct ctf_type *type)
{
	size_t per = has_ranges(type) ? 2 : 1, nr = 0;
	const struct ctf_label *label;

	for (label = type->labels; label; label = label->next) {
		nr += per;
		flats->text += LTT_ESCAPE_MAX * strlen(label->name) + 1;
	}
	if (nr > U16_MAX)
		return ctf_fail(trace, type->place, "enumeration of too many labels");
	flats->syms += nr;
	trace->expanded += nr * sizeof(struct ltt_sym);
	return 0;
}

static bool is_taken(const struct flats *flats, const char *name)
{
	size_t i;

	for (i = 0; i < flats->nr; i++) {
		if (!strcmp(flats->at[i].name, name))
			return true;
	}
	return false;
}

/* A name that was used before gets "_2", "_3" and so on behind it, as for markers. */
static char *make_name(const struct flats *flats)
{
	unsigned int nr = 1;
	char *name = NULL;

	do {
		free(name);
		if (asprintf(&name, nr > 1 ? "%s_%u" : "%s", flats->path, nr) < 0)
			return NULL;
		nr++;
	} while (is_taken(flats, name));
	return name;
}

static int add_field(struct ctf_trace *trace, struct flats *flats, const struct ctf_node *node)
{
	size_t text = flats->text;
	struct flat *flat;
	char *name = make_name(flats);
	int err;

	if (!name || lib_grow((void **)&flats->at, flats->nr, &flats->room, sizeof(*flat))) {
		free(name);
		return ctf_no_memory(trace);
	}
	flat = &flats->at[flats->nr++];
	flat->node = node;
	flat->name = name;
	/* " NAME=" and the name. */
	flats->text += 2 * strlen(name) + 3;
	err = count_labels(trace, flats, number_of(node->type));
	if (err)
		return err;
	/* Each field has labels of its own. */
	trace->expanded += flats->text - text;
	return trace->expanded <= LIB_EXPANDED_MAX ? 0 :
	       ctf_fail(trace, node->type->place, "too many names and labels of all fields");
}

static int add_fields(struct ctf_trace *trace, struct flats *flats, const struct ctf_node *node);

static int add_struct(struct ctf_trace *trace, struct flats *flats, const struct ctf_node *node)
{
	size_t len = flats->len;
	const struct ctf_node *child;
	const char *name;
	int err = 0, n;

	for (child = node->child; child && !err; child = child->next) {
		name = ctf_shown_name(child);
		n = snprintf(flats->path + len, sizeof(flats->path) - len, "%s%s",
			     len ? "." : "", name);
		if ((size_t)n >= sizeof(flats->path) - len)
			return ctf_fail(trace, child->type->place, "name too long");
		flats->len = len + n;
		err = add_fields(trace, flats, child);
	}
	flats->len = len;
	return err;
}

static int add_fields(struct ctf_trace *trace, struct flats *flats, const struct ctf_node *node)
{
	if (node->type->kind == CTF_STRUCT)
		return add_struct(trace, flats, node);
	/* That is for the reader. */
	if (node->role)
		return 0;
	return add_field(trace, flats, node);
}

/* ---- the format ------------------------------------------------------------------------ */

/**
 * struct out - a format that is being filled in
 * @format:	the format
 * @sym:	the next name of a value
 * @text:	where the next text goes
 */
struct out {
	struct ltt_format *format;
	struct ltt_sym *sym;
	char *text;
};

static const char *put_escaped(struct out *out, const char *text)
{
	size_t len = strlen(text);
	const char *begin = out->text;
	unsigned int used;

	for (; len; len -= used, text += used)
		out->text += ltt_escape_char(out->text, (const u8 *)text, len, &used);
	*out->text++ = '\0';
	return begin;
}

static void put_labels(struct out *out, struct ltt_field *field, const struct ctf_type *type)
{
	const struct ctf_label *label;
	bool ranges = has_ranges(type);
	const char *name;
	u64 mask = ~0ull;

	if (!type->labels)
		return;
	/* As the values are stored. */
	if (type->is_signed && !ctf_is_signed(type))
		mask >>= 64 - type->bits;
	field->flags |= ranges ? LTT_FIELD_RANGES : LTT_FIELD_SYMS;
	field->syms = out->sym;
	for (label = type->labels; label; label = label->next) {
		name = put_escaped(out, label->name);
		*out->sym++ = (struct ltt_sym){ label->low & mask, name };
		if (ranges)
			*out->sym++ = (struct ltt_sym){ label->high & mask, name };
	}
	field->nr_syms = out->sym - field->syms;
	if (!ranges)
		ltt_field_count_dense(field);
}

static void set_number(struct out *out, struct ltt_field *field, const struct ctf_type *type)
{
	static const u8 shows[] = {
		[2] = LTT_SHOW_HEX, [8] = LTT_SHOW_OCT, [10] = LTT_SHOW_DEC, [16] = LTT_SHOW_HEX,
	};

	field->size = ctf_size(type);
	field->show_size = field->size;
	field->show = type->kind == CTF_FLOAT ? LTT_SHOW_FLOAT : shows[type->base];
	if (type->base != 10)
		field->flags |= LTT_FIELD_ALT;
	if (ctf_is_signed(type))
		field->flags |= LTT_FIELD_SIGNED | LTT_FIELD_SHOW_SIGNED;
	put_labels(out, field, type);
}

static void put_field(struct out *out, struct ltt_field *field, const struct flat *flat,
		      bool first)
{
	const struct ctf_type *type = flat->node->type;
	const char *begin = out->text;

	memset(field, 0, sizeof(*field));
	out->text = stpcpy(stpcpy(stpcpy(out->text, first ? "" : " "), flat->name), "=");
	field->lit = begin;
	field->lit_len = out->text - begin;
	field->name = out->text;
	out->text = stpcpy(out->text, flat->name) + 1;
	field->store = ctf_store(type);
	field->show = LTT_SHOW_STR;
	if (field->store == LTT_STORE_STR)
		return;
	field->count = type->kind == CTF_ARRAY ? type->count : 0;
	type = number_of(type);
	set_number(out, field, type);
	if (field->store == LTT_STORE_ARRAY && type->is_text && type->bits == 8)
		field->show = LTT_SHOW_STR;
}

static int fixed_size(const struct ltt_format *format)
{
	u64 size = 0;
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		if (format->fields[i].store == LTT_STORE_INT)
			size += format->fields[i].size;
		else if (format->fields[i].store == LTT_STORE_ARRAY)
			size += (u64)format->fields[i].size * format->fields[i].count;
		else
			return -1;
	}
	return size > INT_MAX ? -1 : (int)size;
}

static struct ltt_format *make_format(const struct flats *flats)
{
	const size_t size = sizeof(struct ltt_format) + flats->nr * sizeof(struct ltt_field);
	struct out out;
	size_t i;

	out.format = calloc(1, size + flats->syms * sizeof(*out.sym) + flats->text + MARGIN);
	if (!out.format)
		return NULL;
	out.sym = (void *)out.format + size;
	out.text = (char *)(out.sym + flats->syms);
	for (i = 0; i < flats->nr; i++)
		put_field(&out, &out.format->fields[i], &flats->at[i], !i);
	out.format->nr_fields = flats->nr;
	out.format->tail = out.text;
	out.format->fixed_size = fixed_size(out.format);
	return out.format;
}

/**
 * ctf_fields() - make a format of scopes
 * @trace:	the trace
 * @roots:	the scopes, each NULL if there is none
 * @nr:		how many
 * @format:	returns the format, to be freed by ltt_format_free(); NULL after a failure
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int ctf_fields(struct ctf_trace *trace, const struct ctf_node *const roots[], unsigned int nr,
	       struct ltt_format **format)
{
	struct flats flats = {};
	unsigned int i;
	int err = 0;

	*format = NULL;
	for (i = 0; i < nr && !err; i++)
		err = roots[i] ? add_fields(trace, &flats, roots[i]) : 0;
	if (!err) {
		*format = make_format(&flats);
		err = *format ? 0 : ctf_no_memory(trace);
	}
	while (flats.nr)
		free(flats.at[--flats.nr].name);
	free(flats.at);
	return err;
}

/* What the field would have in the format of a marker. */
static const char *conversion(const struct ltt_field *field)
{
	switch (field->show) {
	case LTT_SHOW_STR:
		return "%s";
	case LTT_SHOW_FLOAT:
		return "%g";
	case LTT_SHOW_OCT:
		return "%#o";
	case LTT_SHOW_HEX:
		return "%#x";
	default:
		return field->flags & LTT_FIELD_SHOW_SIGNED ? "%d" : "%u";
	}
}

/**
 * ctf_fields_text() - show a format as that of a marker
 * @format:	the format
 *
 * Return: the text, to be freed by free(), or NULL: no memory.
 */
char *ctf_fields_text(const struct ltt_format *format)
{
	const struct ltt_field *field = format->fields;
	size_t size = 1;
	unsigned int i;
	char *text, *p;

	for (i = 0; i < format->nr_fields; i++)
		size += field[i].lit_len + strlen("%#x");
	text = malloc(size);
	if (!text)
		return NULL;
	p = text;
	for (i = 0; i < format->nr_fields; i++) {
		p = mempcpy(p, field[i].lit, field[i].lit_len);
		p = stpcpy(p, conversion(&field[i]));
	}
	*p = '\0';
	return text;
}
