// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: events as values, and what is known of the traces.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <string.h>

#include "../../../kernel/trace/textout/lib/render_private.h"
#include "private.h"

/* ---- traces, streams, classes ------------------------------------------------ */

/**
 * libltt_nr_traces() - how many traces were opened?
 * @ltt:	the traces
 */
unsigned int libltt_nr_traces(const struct libltt *ltt)
{
	return ltt->nr_traces;
}

/**
 * libltt_trace() - what is known of a trace
 * @ltt:	the traces
 * @nr:		which, in the order of libltt_open()
 *
 * Return: valid until libltt_close(); NULL if there are not so many.
 */
const struct libltt_trace *libltt_trace(const struct libltt *ltt, unsigned int nr)
{
	return nr < ltt->nr_traces ? &ltt->traces[nr].pub : NULL;
}

/**
 * libltt_nr_streams() - how many streams are there?
 * @ltt:	the traces
 */
unsigned int libltt_nr_streams(const struct libltt *ltt)
{
	return ltt->nr_streams;
}

/**
 * libltt_stream() - what is known of a stream
 * @ltt:	the traces
 * @nr:		which, in the order of channel, trace, CPU
 *
 * Return: valid until libltt_close(); NULL if there are not so many.
 */
const struct libltt_stream *libltt_stream(const struct libltt *ltt, unsigned int nr)
{
	return nr < ltt->nr_streams ? &ltt->streams[nr].pub : NULL;
}

/* The first class from (@trace, @stream, @id) on. */
static const struct libltt_class *class_from(const struct libltt *ltt, unsigned int trace,
					     u32 stream, u64 id)
{
	const struct lib_channel *channel;

	for (; trace < ltt->nr_traces; trace++, stream = 0, id = 0) {
		for (; stream < ltt->traces[trace].nr_channels; stream++, id = 0) {
			channel = ltt->traces[trace].channels[stream];
			for (; channel && id < channel->nr; id++) {
				if (channel->classes[id])
					return &channel->classes[id]->pub;
			}
		}
	}
	return NULL;
}

/**
 * libltt_class() - go through the kinds of events
 * @ltt:	the traces
 * @last:	what was returned last; NULL to begin
 *
 * Return: the next one, valid until libltt_close(), or NULL.
 */
const struct libltt_class *libltt_class(const struct libltt *ltt,
					const struct libltt_class *last)
{
	if (!last)
		return class_from(ltt, 0, 0, 0);
	return class_from(ltt, last->trace, last->stream, (u64)last->id + 1);
}

/**
 * libltt_errors() - how much could not be read?
 * @ltt:	the traces
 *
 * Return: number of problems of severity LIBLTT_ERROR so far.
 */
unsigned long libltt_errors(const struct libltt *ltt)
{
	return ltt->errors;
}

/* ---- fields ------------------------------------------------------------------ */

/* struct libltt_value.element */
#define ELEMENT_SIZE(element)	((element) & 0xf)
#define ELEMENT_SIGNED		0x10u	/* stored as two's complement */
#define ELEMENT_REVERSED	0x20u	/* stored in the other byte order */
#define ELEMENT_SHOW_SIGNED	0x40u	/* shown as signed */
#define ELEMENT_SHOW_SIZE(element) ((element) >> 8 & 0xf)

/* An integer as its conversion shows it. */
static u64 load(const u8 *p, u32 element)
{
	unsigned int shift = 64 - 8 * ELEMENT_SHOW_SIZE(element);
	u64 v = ltt_load_int(p, ELEMENT_SIZE(element), element & ELEMENT_SIGNED,
			     element & ELEMENT_REVERSED);

	if (element & ELEMENT_SHOW_SIGNED)
		return (s64)(v << shift) >> shift;
	return v << shift >> shift;
}

/* A floating-point number. */
static double load_double(const u8 *p, u32 element)
{
	u64 bits = ltt_load_int(p, ELEMENT_SIZE(element), false, element & ELEMENT_REVERSED);
	u32 low = bits;
	double value;
	float single;

	if (ELEMENT_SIZE(element) == sizeof(single)) {
		memcpy(&single, &low, sizeof(single));
		return single;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static u32 element_of(const struct ltt_field *field, bool swap)
{
	bool reversed = field->flags & LTT_FIELD_BE ? !LTT_HOST_BE : swap;
	u32 element = field->size;

	if (field->flags & LTT_FIELD_SIGNED)
		element |= ELEMENT_SIGNED;
	if (reversed)
		element |= ELEMENT_REVERSED;
	/* Characters and pointers are taken as they are. */
	if (field->show > LTT_SHOW_OCT)
		return element | (u32)field->size << 8;
	if (field->flags & LTT_FIELD_SHOW_SIGNED)
		element |= ELEMENT_SHOW_SIGNED;
	return element | (u32)field->show_size << 8;
}

/* Are the elements of this field bytes, and not numbers? */
static bool is_bytes(const struct ltt_field *field)
{
	return field->size == 1 && field->show > LTT_SHOW_OCT;
}

/**
 * lib_class_field() - a field of a kind of event
 * @kind:	the kind of event
 * @nr:		number of the field, as for libltt_field()
 *
 * Return: the field, or NULL if there is no such field.
 */
const struct ltt_field *lib_class_field(const struct libltt_class *kind, unsigned int nr)
{
	const struct lib_class *class = container_of(kind, struct lib_class, pub);

	if (nr < class->format->nr_fields)
		return &class->format->fields[nr];
	if (nr < kind->nr_fields)
		return &class->context->fields[nr - class->format->nr_fields];
	return NULL;
}

/* What read_field() makes of it, unless the event has something else there. */
static enum libltt_type type_of(const struct ltt_field *field)
{
	if (field->show == LTT_SHOW_FLOAT)
		return field->store == LTT_STORE_INT ? LIBLTT_DOUBLE : LIBLTT_DOUBLES;
	if (field->store == LTT_STORE_INT)
		return field->show <= LTT_SHOW_OCT && field->flags & LTT_FIELD_SHOW_SIGNED ?
		       LIBLTT_SIGNED : LIBLTT_UNSIGNED;
	if (field->store == LTT_STORE_STR || field->show == LTT_SHOW_STR)
		return LIBLTT_STRING;
	return is_bytes(field) ? LIBLTT_BYTES : LIBLTT_ARRAY;
}

/**
 * libltt_class_field() - go through the fields of a kind of event
 * @kind:	the kind of event
 * @nr:		number of the field, as for libltt_field()
 * @value:	returns its name, and the type that it usually has; nothing else
 *
 * Return: 0, or -EINVAL if there is no such field.
 */
int libltt_class_field(const struct libltt_class *kind, unsigned int nr,
		       struct libltt_value *value)
{
	const struct ltt_field *field = lib_class_field(kind, nr);

	if (!field)
		return -EINVAL;
	memset(value, 0, sizeof(*value));
	value->name = field->name;
	value->type = type_of(field);
	return 0;
}

/* Of the @value->count characters at @text, those that are shown. */
static void set_text(const struct ltt_field *field, const u8 *text, struct libltt_value *value)
{
	size_t stored = value->count;
	bool more;

	value->count = ltt_text_length(field, text, stored);
	value->type = LIBLTT_BYTES;
	value->bytes = text;
	/* Is there a byte behind it, and is that its end? */
	more = field->store == LTT_STORE_STR || value->count < stored;
	if (field->show == LTT_SHOW_STR && more && !text[value->count]) {
		value->type = LIBLTT_STRING;
		value->text = (const char *)text;
	}
}

/* Bytes of the field at @p, of which @avail may be read; or -EBADMSG. */
static long read_field(const struct ltt_field *field, const u8 *p, size_t avail, bool swap,
		       u64 *length, struct libltt_value *value)
{
	u64 header = 0, size;
	const u8 *nul;

	value->name = field->name;
	value->element = element_of(field, swap);
	switch (field->store) {
	case LTT_STORE_INT:
		if (field->size > avail)
			return -EBADMSG;
		*length = ltt_load_int(p, field->size, field->flags & LTT_FIELD_SIGNED,
				       value->element & ELEMENT_REVERSED);
		value->type = value->element & ELEMENT_SHOW_SIGNED ? LIBLTT_SIGNED :
								     LIBLTT_UNSIGNED;
		value->u = load(p, value->element);
		value->count = 1;
		if (field->show == LTT_SHOW_FLOAT) {
			value->type = LIBLTT_DOUBLE;
			value->d = load_double(p, value->element);
		}
		return field->size;
	case LTT_STORE_STR:
		nul = memchr(p, '\0', avail);
		if (!nul)
			return -EBADMSG;
		value->count = nul - p;
		set_text(field, p, value);
		return nul - p + 1;
	case LTT_STORE_ARRAY:
		value->count = field->count;
		break;
	case LTT_STORE_SEQ:
		header = sizeof(u32);
		if (avail < header)
			return -EBADMSG;
		value->count = ltt_load32(p, swap);
		break;
	default:
		header = !(field->flags & LTT_FIELD_STATELESS);
		if (avail < header)
			return -EBADMSG;
		value->count = *length;
		break;
	}
	if (value->count > avail)
		return -EBADMSG;
	size = header + (u64)value->count * field->size;
	if (size > avail)
		return -EBADMSG;
	if (field->store == LTT_STORE_BLOB && header && *p != LTT_BLOB_READ) {
		value->type = LIBLTT_STRING;
		value->text = ltt_blob_text(*p);
		value->count = strlen(value->text);
		return size;
	}
	value->type = is_bytes(field) ? LIBLTT_BYTES :
		      field->show == LTT_SHOW_FLOAT ? LIBLTT_DOUBLES : LIBLTT_ARRAY;
	value->bytes = p + header;
	if (value->type == LIBLTT_BYTES &&
	    (field->show == LTT_SHOW_STR || field->show == LTT_SHOW_CHAR))
		set_text(field, value->bytes, value);
	return size;
}

/* Step over the first @nr fields at @p. Return: where the next is, or NULL. */
static const u8 *skip_fields(const struct ltt_format *format, unsigned int nr, const u8 *p,
			     const u8 *end, bool swap, u64 *length)
{
	struct libltt_value value;
	unsigned int i;
	long size;

	for (i = 0; i < nr; i++, p += size) {
		size = read_field(&format->fields[i], p, end - p, swap, length, &value);
		if (size < 0)
			return NULL;
	}
	return p;
}

/**
 * libltt_field() - take a field out of an event
 * @event:	what libltt_next() returned last, not a notice
 * @nr:		number of the field, from 0; those of the context come behind those of
 *		the marker
 * @value:	returns its name and value, as the event's text shows it: in the size and
 *		sign of its conversion. Valid as long as @event
 *
 * Return: 0, or -EINVAL if there is no such field.
 */
int libltt_field(const struct libltt_event *event, unsigned int nr,
		 struct libltt_value *value)
{
	const struct lib_stream *s = event->origin;
	const u8 *p = event->payload, *end = p + event->size;
	const struct ltt_format *format;
	const struct lib_class *class;
	u64 length = 0;

	if (!event->kind || nr >= event->kind->nr_fields)
		return -EINVAL;
	class = container_of(event->kind, struct lib_class, pub);
	format = class->format;
	if (nr >= format->nr_fields) {
		nr -= format->nr_fields;
		format = class->context;
	} else if (class->context) {
		p = skip_fields(class->context, class->context->nr_fields, p, end, s->swap,
				&length);
	}
	if (p)
		p = skip_fields(format, nr, p, end, s->swap, &length);
	if (!p || read_field(&format->fields[nr], p, end - p, s->swap, &length, value) < 0)
		return -EINVAL;
	return 0;
}

/* All fields of a format at @p. Return: what is behind them, or NULL. */
static const u8 *read_fields(const struct ltt_format *format, const u8 *p, const u8 *end,
			     bool swap, struct libltt_value *values)
{
	u64 length = 0;
	unsigned int i;
	long size;

	for (i = 0; p && i < format->nr_fields; i++, p += size) {
		size = read_field(&format->fields[i], p, end - p, swap, &length, &values[i]);
		if (size < 0)
			return NULL;
	}
	return p;
}

/**
 * libltt_fields() - take all fields out of an event
 * @event:	what libltt_next() returned last, not a notice
 * @values:	returns them, event->kind->nr_fields of them: each as libltt_field() does, which
 *		steps over those before it anew each time
 *
 * Return: 0, or -EINVAL if this is a notice.
 */
int libltt_fields(const struct libltt_event *event, struct libltt_value *values)
{
	const struct lib_stream *s = event->origin;
	const u8 *p = event->payload, *end = p + event->size;
	const struct lib_class *class;

	if (!event->kind)
		return -EINVAL;
	class = container_of(event->kind, struct lib_class, pub);
	if (class->context)
		p = read_fields(class->context, p, end, s->swap,
				values + class->format->nr_fields);
	if (p)
		p = read_fields(class->format, p, end, s->swap, values);
	return p ? 0 : -EINVAL;
}

/**
 * libltt_element() - take an integer out of an array
 * @value:	of the type LIBLTT_ARRAY
 * @nr:		number of the element, below @value->count
 *
 * Return: the element, extended to 64 bits according to its sign.
 */
uint64_t libltt_element(const struct libltt_value *value, size_t nr)
{
	return load(value->bytes + nr * ELEMENT_SIZE(value->element), value->element);
}

/**
 * libltt_double() - take a floating-point number out of an array
 * @value:	of the type LIBLTT_DOUBLES
 * @nr:		number of the element, below @value->count
 *
 * Return: the element.
 */
double libltt_double(const struct libltt_value *value, size_t nr)
{
	return load_double(value->bytes + nr * ELEMENT_SIZE(value->element), value->element);
}
