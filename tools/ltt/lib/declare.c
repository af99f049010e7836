// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: from a declaration in the metadata to what it declares.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ltt/packet.h>

#include "metadata.h"

/* Seconds of a clock's offset: more than 64 bits of nanoseconds can't hold. */
#define OFFSET_S_MAX	(U64_MAX / LIB_NSEC - 1)

/**
 * lib_declare_clock() - make the trace's clock of a declaration
 * @ps:		what was declared
 *
 * Return: 0 or -EBADMSG: it counts no nanoseconds, or is the second one.
 */
int lib_declare_clock(struct lib_parser *ps)
{
	if (ps->trace->clock_known)
		return lib_parse_fail(ps, "duplicate clock");
	if (ps->freq != LIB_NSEC)
		return lib_parse_fail(ps, "the clock does not count nanoseconds");
	if (ps->offset_s > OFFSET_S_MAX || ps->offset > U64_MAX - LIB_NSEC * ps->offset_s)
		return lib_parse_fail(ps, "clock offset out of range");
	ps->trace->pub.real_offset = ps->offset_s * LIB_NSEC + ps->offset;
	ps->trace->clock_known = true;
	return 0;
}

static int parse_format(struct lib_parser *ps, const char *text, struct ltt_format **format)
{
	char why[LTT_FORMAT_ERROR];

	*format = ltt_format_parse(text, ps->types, ps->nr_types, why);
	if (!IS_ERR(*format))
		return 0;
	if (PTR_ERR(*format) == -ENOMEM)
		return lib_parse_no_memory(ps);
	return lib_parse_fail(ps, why);
}

/* LTT 0.1 stored only the bytes of a blob. */
static void adapt_blobs(const struct lib_trace *trace, struct ltt_format *format)
{
	unsigned int i;

	if (!lib_trace_is_older(trace, 2))
		return;
	for (i = 0; i < format->nr_fields; i++) {
		if (format->fields[i].store == LTT_STORE_BLOB)
			format->fields[i].flags |= LTT_FIELD_STATELESS;
	}
}

static bool has_symbols(const struct ltt_format *format)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		if (format->fields[i].show == LTT_SHOW_SYM)
			return true;
	}
	return false;
}

/**
 * lib_declare_stream() - make a channel of a declaration
 * @ps:		what was declared
 *
 * Return: 0; -EBADMSG: something is missing, or the number can't be; -ENOMEM.
 */
int lib_declare_stream(struct lib_parser *ps)
{
	struct lib_channel *channel;
	int err;

	if (!ps->has_id || !ps->name)
		return lib_parse_fail(ps, "stream without id or name");
	err = lib_channel_declare(ps->trace, ps->id, &channel);
	if (err == -ENOMEM)
		return lib_parse_no_memory(ps);
	if (err)
		return lib_parse_fail(ps, err == -EEXIST ?
				      "duplicate stream id" :
				      "stream id out of range");
	channel->name = ps->name;
	ps->name = NULL;
	if (!ps->format && ps->nr_types < 0)
		return 0;
	if (!ps->format || ps->nr_types < 0)
		return lib_parse_fail(ps, "context without ltt-types or ltt-format");
	channel->context_len = strlen(ps->format);
	return parse_format(ps, ps->format, &channel->context);
}

/* The fields of the event; of several that have the same, the first one has them parsed. */
static int take_fields(struct lib_parser *ps, struct lib_class *class)
{
	struct lib_fields *fields = ps->used;
	struct ltt_format *format;
	int err;

	if (!fields) {
		fields = lib_fields_create(ps->format);
		ps->format = NULL;
		if (!fields)
			return lib_parse_no_memory(ps);
	}
	ps->used = NULL;
	class->fields = fields;
	class->pub.format = fields->text;
	if (!fields->format) {
		err = parse_format(ps, fields->text, &format);
		if (err)
			return err;
		adapt_blobs(ps->trace, format);
		fields->symbols = has_symbols(format);
		fields->format = format;
	}
	class->format = fields->format;
	return 0;
}

/* Parse the format and prepare to render it. */
static int make_class(struct lib_parser *ps, const struct lib_channel *channel,
		      struct lib_class *class)
{
	char *dot;
	int err;

	class->name = ps->name;
	ps->name = NULL;
	dot = strchr(class->name, '.');
	if (!dot)
		return lib_parse_fail(ps, "event name without a dot");
	*dot = '\0';
	class->pub.marker = dot + 1;

	err = take_fields(ps, class) ?: lib_fields_expand(ps, channel->context_len);
	if (err)
		return err;
	if (lib_class_complete(ps->trace, channel, class))
		return lib_parse_no_memory(ps);
	class->symbols = class->fields->symbols ||
			 (class->context && has_symbols(class->context));
	return 0;
}

static int add_class(struct lib_parser *ps, struct lib_class *class)
{
	struct lib_channel *channel = lib_channel_find(ps->trace, ps->stream_id);
	int err;

	if (!channel)
		return lib_parse_fail(ps, "event of an undeclared stream");
	err = make_class(ps, channel, class);
	if (err)
		return err;
	if (strcmp(class->name, channel->name) && strcmp(channel->name, LTT_CHANNEL_SHARED))
		return lib_parse_fail(ps, "event name does not match the channel");
	class->pub.channel = class->name;
	class->pub.trace = ps->trace->number;
	class->pub.stream = ps->stream_id;
	class->pub.id = ps->id;
	class->selected = true;
	err = lib_class_add(channel, class);
	if (err == -ENOMEM)
		return lib_parse_no_memory(ps);
	if (err)
		return lib_parse_fail(ps, err == -EEXIST ?
				      "duplicate event id" :
				      "event id out of range");
	channel->selected = true;
	return 0;
}

/**
 * lib_declare_event() - make a kind of event of a declaration
 * @ps:		what was declared
 *
 * Return: 0; -EBADMSG: something is missing or wrong; -ENOMEM.
 */
int lib_declare_event(struct lib_parser *ps)
{
	struct lib_class *class;
	int err;

	if (!ps->has_id || !ps->has_stream_id || !ps->name || ps->id > U32_MAX)
		return lib_parse_fail(ps, "event without name, id or stream");
	if ((!ps->format && !ps->used) || ps->nr_types < 0)
		return lib_parse_fail(ps, "event without ltt-types and ltt-format");
	class = calloc(1, sizeof(*class));
	if (!class)
		return lib_parse_no_memory(ps);
	err = add_class(ps, class);
	if (err)
		lib_class_free(class);
	return err;
}
