// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is recorded with every event of a channel in a trace.
 *
 * A tap into such a channel has a reserve function of its own, which reserves additional
 * bytes and fills them in; the call site gets the room after them. So channels without
 * contexts have no cost.
 *
 * The values are collected before room is reserved, as the size of some is known only
 * then.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/ring_buffer.h>

#include "context.h"
#include "core.h"

/* Maximum bytes of all values together. */
#define ROOM_MAX	(2 * (sizeof(u32) + LTT_STACK_MAX * sizeof(long)) + 128)

/**
 * struct recorder - how a channel's context is recorded
 * @context:	its format
 * @nr:		entries of @id
 * @id:		values, in the order in which they are recorded
 * @types:	their types
 */
struct recorder {
	struct ltt_context context;
	unsigned int nr;
	u8 id[LTT_NR_CONTEXTS];
	u32 types[LTT_NR_CONTEXTS];
};

/* ---- writers --------------------------------------------------------------- */

static noinline notrace struct ltt_slot reserve(const struct ltt_tap *tap, size_t len)
{
	const struct recorder *recorder =
		container_of(tap->context, struct recorder, context);
	const struct ltt_buf *buf = this_cpu_ptr(tap->buf);
	u8 bytes[ROOM_MAX], *p = bytes;
	struct ltt_slot slot;
	unsigned int i;

	if (!READ_ONCE(buf->recording) && !READ_ONCE(buf->broken)) {
		ltt_tap_stopped(tap);
		return (struct ltt_slot){ .p = NULL, .start = LTT_START_NONE };
	}
	for (i = 0; i < recorder->nr; i++)
		p = ltt_context_put(p, recorder->id[i]);

	slot = INDIRECT_CALL_1(tap->plain, ltt_reserve_tsc, tap, len + (p - bytes));
	if (likely(slot.p)) {
		memcpy(slot.p, bytes, p - bytes);
		slot.p += p - bytes;
	}
	return slot;
}

/**
 * ltt_context_setup() - make a tap record its channel's context
 * @tap:	the tap, before ltt_filter_setup()
 * @tchan:	the home of its channel in the trace
 *
 * Context: task, ltt_mutex held.
 */
void ltt_context_setup(struct ltt_tap *tap, const struct ltt_trace_channel *tchan)
{
	tap->context = tchan->context;
	if (tap->context)
		tap->reserve = reserve;
}

/* ---- what is to be recorded ------------------------------------------------- */

static int find_value(const char *word, size_t len)
{
	unsigned int id;

	for (id = 0; id < LTT_NR_CONTEXTS; id++) {
		if (strlen(ltt_context_values[id].name) == len &&
		    !strncmp(ltt_context_values[id].name, word, len))
			return id;
	}
	return -ENOENT;
}

static int add_value(struct recorder *recorder, const char *word, size_t len,
		     size_t column, struct ltt_error *error)
{
	int id = find_value(word, len);

	if (id < 0)
		return ltt_fail(error, id, "column %zu: no such context: %.*s", column,
				(int)min_t(size_t, len, LTT_NAME_MAX), word);
	if (ltt_context_values[id].missing)
		return ltt_fail(error, -EOPNOTSUPP, "column %zu: this kernel does not support %s",
				column, ltt_context_values[id].name);
	if (memchr(recorder->id, id, recorder->nr))
		return ltt_fail(error, -EEXIST, "column %zu: duplicate context %s", column,
				ltt_context_values[id].name);
	recorder->id[recorder->nr++] = id;
	recorder->context.room += ltt_context_values[id].room;
	return 0;
}

static int parse(struct recorder *recorder, const char *text, struct ltt_error *error)
{
	static const char blanks[] = " \t\n,";
	const char *word = text;
	size_t len;
	int err;

	for (;; word += len) {
		word += strspn(word, blanks);
		len = strcspn(word, blanks);
		if (!len)
			return 0;
		err = add_value(recorder, word, len, word - text + 1, error);
		if (err)
			return err;
	}
}

/* "pid %d comm %s", and all that is derived from it. */
static int make_format(struct recorder *recorder, struct ltt_error *error)
{
	const struct ltt_context_value *value;
	char reason[LTT_FORMAT_ERROR];
	char *text, *pos;
	unsigned int i;
	size_t size = 1;

	for (i = 0; i < recorder->nr; i++)
		size += strlen(ltt_context_values[recorder->id[i]].format) + 1;
	text = kmalloc(size, GFP_KERNEL);
	if (!text)
		return ltt_fail(error, -ENOMEM, "out of memory");
	recorder->context.text = text;
	for (i = 0, pos = text; i < recorder->nr; i++) {
		value = &ltt_context_values[recorder->id[i]];
		pos += scnprintf(pos, text + size - pos, "%s%s", i ? " " : "",
				 value->format);
		recorder->types[i] = value->type;
	}
	recorder->context.nr_types = recorder->nr;
	recorder->context.types = recorder->types;
	recorder->context.format = ltt_format_parse(text, recorder->types, recorder->nr,
						    reason);
	if (IS_ERR(recorder->context.format))
		return ltt_fail(error, PTR_ERR(recorder->context.format), "%s", reason);
	return 0;
}

/**
 * ltt_context_free() - undo ltt_context_create()
 * @context:	the context, or NULL; no tap leads to it any more
 *
 * Context: task.
 */
void ltt_context_free(const struct ltt_context *context)
{
	if (!context)
		return;
	ltt_format_free(context->format);
	kfree(context->text);
	kfree(container_of(context, struct recorder, context));
}

/**
 * ltt_context_create() - create a context from a list of names
 * @text:	names, separated by blanks or commas
 * @context:	receives the context, NULL if @text has no names
 * @error:	what is wrong with @text, and where; may be NULL
 *
 * Context: task; may sleep.
 * Return: 0; -ENOENT (no such context), -EOPNOTSUPP (not on this kernel), -EEXIST
 * (twice), -ENOMEM.
 */
int ltt_context_create(const char *text, const struct ltt_context **context,
		       struct ltt_error *error)
{
	struct recorder *recorder = kzalloc(sizeof(*recorder), GFP_KERNEL);
	int err;

	BUILD_BUG_ON(ROOM_MAX > 1024);
	BUILD_BUG_ON(LTT_NR_CONTEXTS > LTT_MAX_ARGS);
	if (!recorder)
		return ltt_fail(error, -ENOMEM, "out of memory");
	err = parse(recorder, text, error);
	if (!err && recorder->nr)
		err = make_format(recorder, error);
	if (err || !recorder->nr) {
		ltt_context_free(&recorder->context);
		*context = NULL;
		return err;
	}
	*context = &recorder->context;
	return 0;
}

/**
 * ltt_context_value_at() - which value is recorded at a position?
 * @context:	the context, or NULL
 * @nr:		the position, from 0
 *
 * Context: task.
 * Return: enum ltt_context_id; LTT_NR_CONTEXTS if there is no such position.
 */
unsigned int ltt_context_value_at(const struct ltt_context *context, unsigned int nr)
{
	const struct recorder *recorder;

	if (!context)
		return LTT_NR_CONTEXTS;
	recorder = container_of(context, struct recorder, context);
	return nr < recorder->nr ? recorder->id[nr] : LTT_NR_CONTEXTS;
}
