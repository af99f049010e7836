// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the metadata of events.
 *
 * Shared by the kernel, the user-space tools and the tests. tsdl.h has the conventions of
 * these files.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "tsdl.h"

/* ---- types of fields --------------------------------------------------------- */

/* @value as an integer of @size bytes holds it, extended to 64 bits. */
static __u64 extend(__u64 value, unsigned int size, bool is_signed)
{
	unsigned int shift = 64 - 8 * size;

	if (is_signed)
		return (__s64)(value << shift) >> shift;
	return value << shift >> shift;
}

static int put_integer_name(struct ltt_textbuf *out, const struct ltt_field *field,
			    bool sign)
{
	unsigned int show = ltt_field_is_number(field) ? field->show : LTT_SHOW_DEC;

	switch (field->show) {
	case LTT_SHOW_PTR:
	case LTT_SHOW_PTR_RAW:
	case LTT_SHOW_SYM:
		show = LTT_SHOW_HEX;
		break;
	}
	return ltt_md_put(out, "%sint%u%s%s", sign ? "" : "u", 8 * field->size,
			  ltt_md_bases[show].suffix,
			  field->flags & LTT_FIELD_BE ? "_be" : "");
}

/*
 * The value to declare for a name: the value in an event that is shown as that name.
 * Return: false if there is no such value.
 */
static bool declared_value(const struct ltt_field *field, const struct ltt_sym *sym,
			   __u64 *value)
{
	bool show_signed = field->flags & LTT_FIELD_SHOW_SIGNED;
	__u64 shown = extend(sym->value, field->show_size, show_signed);

	*value = extend(shown, field->size, ltt_field_is_signed(field));
	return extend(*value, field->show_size, show_signed) == shown;
}

/* An enumeration must not be empty. */
static bool has_names(const struct ltt_field *field)
{
	unsigned int i;
	__u64 value;

	for (i = 0; i < field->nr_syms; i++) {
		if (declared_value(field, &field->syms[i], &value))
			return true;
	}
	return false;
}

static int put_enum(struct ltt_textbuf *out, const struct ltt_field *field)
{
	const char *gap = "";
	unsigned int i;
	__u64 value;
	int err;

	err = ltt_md_put(out, "enum : ") ?:
	      put_integer_name(out, field, ltt_field_is_signed(field)) ?: ltt_md_put(out, " { ");
	for (i = 0; i < field->nr_syms && !err; i++) {
		if (!declared_value(field, &field->syms[i], &value))
			continue;
		err = ltt_md_put(out, "%s", gap) ?:
		      ltt_md_quoted(out, field->syms[i].name) ?:
		      ltt_md_put(out, ltt_field_is_signed(field) ? " = %lld" : " = %llu",
				 (unsigned long long)value);
		gap = ", ";
	}
	return err ?: ltt_md_put(out, " }");
}

/* Type of an integer, or of an element. @is_length: of the blob that follows. */
static int put_type(struct ltt_textbuf *out, const struct ltt_field *field, bool is_length)
{
	if (is_length)
		return put_integer_name(out, field, false);
	switch (field->show) {
	case LTT_SHOW_CHAR:
		if (field->size == 1)
			return ltt_md_put(out, "char8");
		break;
	case LTT_SHOW_STR:
		return ltt_md_put(out, "char8");
	case LTT_SHOW_IP4:
		return ltt_md_put(out, "uint8");
	case LTT_SHOW_IP6:
	case LTT_SHOW_MAC:
	case LTT_SHOW_UUID:
	case LTT_SHOW_BLOB:
		return ltt_md_put(out, "uint8_x");
	}
	if (field->flags & (LTT_FIELD_SYMS | LTT_FIELD_FLAGS) && has_names(field))
		return put_enum(out, field);
	return put_integer_name(out, field, ltt_field_is_signed(field));
}

/* ---- names of fields --------------------------------------------------------- */

/*
 * How many '_' must follow @lead @name @tail for it to be unlike the names of all
 * fields?
 */
static unsigned int spare_underscores(const struct ltt_format *format, const char *lead,
				      const char *name, const char *tail)
{
	const char *const part[] = { lead, name, tail };
	const char *other;
	size_t nr = 0, i, j, len;

	for (i = 0; i < format->nr_fields; i++) {
		other = format->fields[i].name;
		for (j = 0; j < ARRAY_SIZE(part); j++) {
			len = strlen(part[j]);
			if (strncmp(other, part[j], len))
				break;
			other += len;
		}
		if (j == ARRAY_SIZE(part) && strspn(other, "_") == strlen(other))
			nr = max(nr, strlen(other) + 1);
	}
	return nr;
}

static int put_underscores(struct ltt_textbuf *out, unsigned int nr)
{
	int err = 0;

	while (nr-- && !err)
		err = ltt_md_char(out, '_');
	return err;
}

/*
 * Three keywords of TSDL begin with an underscore themselves: a field "Bool" is named
 * "_Bool_".
 */
static int put_field_name(struct ltt_textbuf *out, const struct ltt_format *format,
			  const struct ltt_field *field)
{
	static const char *const words[] = { "Bool", "Complex", "Imaginary" };
	unsigned int nr = 0, i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(field->name, words[i]))
			nr = spare_underscores(format, "", words[i], "");
	}
	return ltt_md_put(out, "_%s", field->name) ?: put_underscores(out, nr);
}

/*
 * The length of a sequence "x" is named "_x_length", followed by more underscores if the
 * event has a field of that name. The names of two sequences differ: if they were equal,
 * one of the sequences' names would have to end in "_".
 */
static int put_length_name(struct ltt_textbuf *out, const struct ltt_format *format,
			   const struct ltt_field *field)
{
	unsigned int nr = spare_underscores(format, "_", field->name, "_length");

	return ltt_md_put(out, "__%s_length", field->name) ?: put_underscores(out, nr);
}

/* The state of a blob "x" is named "_x_state", in the same way. */
static int put_state_name(struct ltt_textbuf *out, const struct ltt_format *format,
			  const struct ltt_field *field)
{
	unsigned int nr = spare_underscores(format, "_", field->name, "_state");

	return ltt_md_put(out, "__%s_state", field->name) ?: put_underscores(out, nr);
}

/* ---- fields and events ------------------------------------------------------- */

/* @tabs precedes each line. */
static int put_array(struct ltt_textbuf *out, const char *tabs, const struct ltt_format *format,
		     const struct ltt_field *field)
{
	return ltt_md_put(out, "%s", tabs) ?: put_type(out, field, false) ?:
	       ltt_md_char(out, ' ') ?: put_field_name(out, format, field) ?:
	       ltt_md_put(out, "[%u];\n", field->count);
}

/* As many elements as the u32 before them says. */
static int put_sequence(struct ltt_textbuf *out, const char *tabs,
			const struct ltt_format *format, const struct ltt_field *field)
{
	return ltt_md_put(out, "%suint32 ", tabs) ?: put_length_name(out, format, field) ?:
	       ltt_md_put(out, ";\n%s", tabs) ?: put_type(out, field, false) ?:
	       ltt_md_char(out, ' ') ?: put_field_name(out, format, field) ?:
	       ltt_md_char(out, '[') ?: put_length_name(out, format, field) ?:
	       ltt_md_put(out, "];\n");
}

/* How it was recorded, then as many bytes as the previous field says. */
static int put_blob(struct ltt_textbuf *out, const char *tabs, const struct ltt_format *format,
		    const struct ltt_field *field)
{
	return ltt_md_put(out, "%senum : uint8 { \"read\" = %u, \"null\" = %u, \"fault\" = %u } ",
			  tabs, LTT_BLOB_READ, LTT_BLOB_NULL, LTT_BLOB_FAULT) ?:
	       put_state_name(out, format, field) ?: ltt_md_put(out, ";\n%s", tabs) ?:
	       put_type(out, field, false) ?:
	       ltt_md_char(out, ' ') ?: put_field_name(out, format, field) ?:
	       ltt_md_char(out, '[') ?: put_field_name(out, format, field - 1) ?:
	       ltt_md_put(out, "];\n");
}

static int put_field(struct ltt_textbuf *out, const char *tabs, const struct ltt_format *format,
		     unsigned int nr)
{
	const struct ltt_field *field = &format->fields[nr];
	bool is_length = ltt_field_is_length(format, nr);

	switch (field->store) {
	case LTT_STORE_STR:
		return ltt_md_put(out, "%sstring ", tabs) ?:
		       put_field_name(out, format, field) ?: ltt_md_put(out, ";\n");
	case LTT_STORE_ARRAY:
		return put_array(out, tabs, format, field);
	case LTT_STORE_SEQ:
		return put_sequence(out, tabs, format, field);
	case LTT_STORE_BLOB:
		return put_blob(out, tabs, format, field);
	default:
		return ltt_md_put(out, "%s", tabs) ?: put_type(out, field, is_length) ?:
		       ltt_md_char(out, ' ') ?: put_field_name(out, format, field) ?:
		       ltt_md_put(out, ";\n");
	}
}

static int put_types(struct ltt_textbuf *out, const __u32 *types, unsigned int nr)
{
	unsigned int i;
	int err = ltt_md_put(out, "\t// ltt-types");

	for (i = 0; i < nr && !err; i++)
		err = ltt_md_put(out, " 0x%x", types[i]);
	return err;
}

static int put_notes(struct ltt_textbuf *out, const char *format_text, const __u32 *types,
		     const struct ltt_format *format)
{
	return put_types(out, types, format->nr_fields) ?:
	       ltt_md_put(out, "\n\t// ltt-format ") ?:
	       ltt_md_quoted(out, format_text) ?: ltt_md_char(out, '\n');
}

static int put_fields(struct ltt_textbuf *out, const char *tabs, const struct ltt_format *format)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < format->nr_fields && !err; i++)
		err = put_field(out, tabs, format, i);
	return err;
}

int ltt_md_fields(struct ltt_textbuf *out, const char *name, const char *format_text,
		  const __u32 *types, const struct ltt_format *format)
{
	return put_notes(out, format_text, types, format) ?:
	       ltt_md_put(out, "\t%s := struct {\n", name) ?:
	       put_fields(out, "\t\t", format) ?: ltt_md_put(out, "\t};\n");
}

/* The part of an event's declaration before its fields. */
static int put_event(struct ltt_textbuf *out, __u32 stream_id, __u32 id, const char *channel,
		     const char *marker)
{
	return ltt_md_put(out, "\nevent {\n\tid = %u;\n\tname = \"", id) ?:
	       ltt_md_escaped(out, channel) ?: ltt_md_char(out, '.') ?:
	       ltt_md_escaped(out, marker) ?:
	       ltt_md_put(out, "\";\n\tstream_id = %u;\n", stream_id);
}

/**
 * ltt_metadata_event() - declare an event
 * @out:	where to put it; at least one byte stays unused
 * @stream_id:	number of its channel in the trace
 * @id:		its number in the channel
 * @channel:	name of the channel
 * @marker:	name of the marker
 * @format_text: the marker's format; anything
 * @types:	the types of its arguments
 * @format:	what ltt_format_parse() made of these two
 *
 * Context: any.
 * Return: 0; -ENOSPC if it does not fit: then nothing was put.
 */
int ltt_metadata_event(struct ltt_textbuf *out, __u32 stream_id, __u32 id,
		       const char *channel, const char *marker, const char *format_text,
		       const __u32 *types, const struct ltt_format *format)
{
	char *start = out->pos;
	int err;

	err = put_event(out, stream_id, id, channel, marker) ?:
	      ltt_md_fields(out, "fields", format_text, types, format) ?:
	      ltt_md_put(out, "};\n");
	return ltt_md_end(out, start, err);
}

/**
 * ltt_metadata_fields() - declare the fields that several events have
 * @out:	where to put it; at least one byte stays unused
 * @stream_id:	number of the events' channel in the trace
 * @id:		number of the first of them in the channel
 * @format_text: the markers' format; anything
 * @types:	the types of its arguments
 * @format:	what ltt_format_parse() made of these two
 *
 * Put this before the first of the events.
 *
 * Context: any.
 * Return: 0; -ENOSPC if it does not fit: then nothing was put.
 */
int ltt_metadata_fields(struct ltt_textbuf *out, __u32 stream_id, __u32 id,
			const char *format_text, const __u32 *types,
			const struct ltt_format *format)
{
	char *start = out->pos;
	int err;

	err = ltt_md_put(out, "\nstruct fields_%u_%u {\n", stream_id, id) ?:
	      put_notes(out, format_text, types, format) ?:
	      put_fields(out, "\t", format) ?: ltt_md_put(out, "};\n");
	return ltt_md_end(out, start, err);
}

/**
 * ltt_metadata_event_like() - declare an event whose fields are declared already
 * @out:	where to put it; at least one byte stays unused
 * @stream_id:	number of its channel in the trace
 * @id:		its number in the channel
 * @channel:	name of the channel
 * @marker:	name of the marker
 * @like:	@id of ltt_metadata_fields()
 *
 * Context: any.
 * Return: 0; -ENOSPC if it does not fit: then nothing was put.
 */
int ltt_metadata_event_like(struct ltt_textbuf *out, __u32 stream_id, __u32 id,
			    const char *channel, const char *marker, __u32 like)
{
	char *start = out->pos;
	int err;

	err = put_event(out, stream_id, id, channel, marker) ?:
	      ltt_md_put(out, "\tfields := struct fields_%u_%u;\n};\n", stream_id, like);
	return ltt_md_end(out, start, err);
}
