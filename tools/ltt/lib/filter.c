// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: filters, expressions that decide which events are shown.
 *
 * They mean what they mean to the kernel (Documentation/trace/ltt/filters.rst), and are
 * evaluated by the same code.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/expr.h>
#include <linux/ltt/unaligned.h>

#include "../../../kernel/trace/ltt-core/expr/expr.h"
#include "private.h"
#include "stream.h"

/* It is in no event, but in the packets. */
static const struct ltt_field cpu_field = {
	.name = "cpu", .store = LTT_STORE_INT, .show = LTT_SHOW_DEC,
	.size = sizeof(u32), .show_size = sizeof(u32),
};

/* What expressions know as contexts: those that were recorded, and then the CPU. */
static const struct ltt_format *contexts_of(struct lib_channel *channel)
{
	unsigned int nr = channel->context ? channel->context->nr_fields : 0;
	struct ltt_format *format = channel->with_cpu;

	if (format)
		return format;
	format = calloc(1, sizeof(*format) + (nr + 1) * sizeof(format->fields[0]));
	if (!format)
		return NULL;
	if (nr)
		memcpy(format->fields, channel->context->fields, nr * sizeof(format->fields[0]));
	format->fields[nr] = cpu_field;
	format->nr_fields = nr + 1;
	channel->with_cpu = format;
	return format;
}

/* The CPU, in the byte order of the trace. */
static int get_cpu(const struct lib_stream *s, u8 *to)
{
	u32 cpu = ltt_load32(&s->pub.cpu, s->swap);

	memcpy(to, &cpu, sizeof(cpu));
	return sizeof(cpu);
}

/* A value of the event's context, which comes before its fields. */
static int get_context(const struct ltt_expr_event *event, unsigned int field, u8 *to,
		       const u8 **at)
{
	const struct lib_stream *s = event->priv;
	const struct ltt_format *format = s->class->context;
	const u8 *p = s->p + s->header;
	size_t avail = event->payload - p;
	unsigned int i;
	u64 value = 0;
	long size;

	if (!format || field == format->nr_fields)
		return get_cpu(s, to);
	for (i = 0; ; i++) {
		size = ltt_field_size(&format->fields[i], p, avail, s->swap, &value);
		if (size < 0)
			return size;
		if (i == field)
			break;
		p += size;
		avail -= size;
	}
	*at = p;
	return size;
}

/* See struct lib_class. */
static size_t reach_of(const struct ltt_expr *expr)
{
	const struct ltt_expr_test *test = expr->test;
	size_t reach = 0;
	unsigned int nr;

	for (nr = 0; expr->start < LTT_TEST_NO && nr <= expr->start; nr++, test++) {
		if (test->place != LTT_PLACE_EVENT)
			return SIZE_MAX;
		reach = max(reach, test->at + sizeof(u64));
	}
	return reach;
}

/**
 * lib_filter_early() - does the next event pass the filter of its kind, by its first bytes?
 * @s:		its stream
 *
 * What is behind an event that has been cut off does not matter: it is not shown anyway.
 *
 * Return: 0 or 1; -1 if its size must be known first.
 */
int lib_filter_early(const struct lib_stream *s)
{
	const struct lib_class *class = s->class;
	struct ltt_expr_event event = { .payload = s->p + s->header };

	event.avail = s->end - event.payload;
	event.size = event.avail;
	if (class->context || class->reach > event.avail)
		return -1;
	return ltt_expr_eval(class->filter, &event) > 0;
}

/**
 * lib_filter_accepts() - does the next event pass the filter of its kind?
 * @s:		its stream
 * @size:	bytes of its context and fields, all in the window
 */
bool lib_filter_accepts(const struct lib_stream *s, size_t size)
{
	const u8 *p = s->p + s->header;
	struct ltt_expr_event event = { .context = get_context, .priv = s };
	long before = 0;

	if (s->class->context)
		before = ltt_payload_size(s->class->context, p, size, s->swap);
	if (before < 0)
		return false;
	event.payload = p + before;
	event.size = size - before;
	event.avail = s->end - event.payload;
	return ltt_expr_eval(s->class->filter, &event) > 0;
}

/* The next class that @pattern matches after *@id in *@channel of *@trace. */
static struct lib_class *next_match(const struct libltt *ltt, const char *pattern,
				    unsigned int *trace, u32 *channel, u32 *id)
{
	struct lib_channel *in;
	struct lib_class *class;

	for (; *trace < ltt->nr_traces; (*trace)++, *channel = 0) {
		for (; *channel < ltt->traces[*trace].nr_channels; (*channel)++, *id = 0) {
			in = ltt->traces[*trace].channels[*channel];
			while (in && *id < in->nr) {
				class = in->classes[(*id)++];
				if (class && lib_class_matches(class, pattern))
					return class;
			}
		}
	}
	return NULL;
}

/* Make the filter of each class in @class->made. Return: 0, -EINVAL, -ENOMEM. */
static int make_all(struct libltt *ltt, const char *pattern, const char *expression,
		    struct libltt_problem *error)
{
	unsigned int trace = 0;
	const struct ltt_format *contexts;
	struct lib_class *class;
	u32 channel = 0, id = 0;
	char reason[LTT_EXPR_ERROR];
	int err;

	while ((class = next_match(ltt, pattern, &trace, &channel, &id))) {
		contexts = contexts_of(ltt->traces[trace].channels[channel]);
		if (!contexts)
			return lib_fail(error, ENOMEM, pattern, LIBLTT_NO_OFFSET, "out of memory");
		class->made = ltt_expr_parse(expression, class->format, contexts,
					     ltt->traces[trace].swap, reason);
		if (!IS_ERR(class->made))
			continue;
		err = PTR_ERR(class->made);
		class->made = NULL;
		return lib_fail(error, -err, pattern, LIBLTT_NO_OFFSET, "%s.%s: %s",
				class->pub.channel, class->pub.marker, reason);
	}
	return 0;
}

/**
 * libltt_filter() - say which events of some kinds are wanted
 * @ltt:	the traces
 * @pattern:	CHANNEL.MARKER with the wildcards * and ?, or "*"
 * @expression:	what is true for the wanted ones; NULL: all are wanted
 * @error:	what is wrong; may be NULL
 *
 * The expression must suit all kinds of events that match; otherwise nothing changes. Of the
 * filters given by successive calls, the last one that matches an event decides. Kinds of events
 * that are not selected stay so, see libltt_select(). Of the contexts, it can use $cpu and those
 * that were recorded.
 *
 * Takes effect with the next event.
 *
 * Return: 0; -EINVAL, -E2BIG, -ENOMEM.
 */
int libltt_filter(struct libltt *ltt, const char *pattern, const char *expression,
		  struct libltt_problem *error)
{
	unsigned int trace = 0;
	struct lib_class *class;
	u32 channel = 0, id = 0;
	int err;

	if (libltt_pattern(pattern, error) || *pattern == '!')
		return *pattern == '!' ? lib_fail(error, EINVAL, pattern, LIBLTT_NO_OFFSET,
						  "expected a pattern without !") : -EINVAL;
	err = expression ? make_all(ltt, pattern, expression, error) : 0;
	while ((class = next_match(ltt, pattern, &trace, &channel, &id))) {
		if (err) {
			ltt_expr_free(class->made);
		} else {
			ltt_expr_free(class->filter);
			class->filter = class->made;
			class->reach = class->made ? reach_of(class->made) : 0;
		}
		class->made = NULL;
	}
	return err;
}
