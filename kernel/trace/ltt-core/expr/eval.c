// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: expressions, evaluated for an event.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/ltt/unaligned.h>

#include "expr.h"

/**
 * struct place - a field of an event
 * @field:	its description
 * @p:		its first byte
 * @size:	bytes of it
 * @copy:	that of a context
 */
struct place {
	const struct ltt_field *field;
	const u8 *p;
	size_t size;
	u8 copy[LTT_EXPR_CONTEXT];
};

static noinline notrace int locate_context(const struct ltt_expr *expr,
					   const struct ltt_expr_event *event, unsigned int nr,
					   struct place *place)
{
	int size;

	place->p = place->copy;
	size = event->context(event, nr, place->copy, &place->p);
	if (size < 0)
		return size;
	place->field = &expr->context->fields[nr];
	place->size = size;
	return 0;
}

/* Find a field. Return: 0, -EBADMSG. */
static notrace int locate(const struct ltt_expr *expr, const struct ltt_expr_event *event,
			  bool context, unsigned int nr, struct place *place)
{
	const struct ltt_field *field = expr->fields->fields;
	const u8 *p = event->payload;
	size_t avail = event->size;
	u64 value = 0;
	long size;

	if (context)
		return locate_context(expr, event, nr, place);
	for (; ; field++) {
		size = ltt_field_size(field, p, avail, expr->swap, &value);
		if (size < 0)
			return size;
		if (!nr--)
			break;
		p += size;
		avail -= size;
	}
	place->field = field;
	place->p = p;
	place->size = size;
	return 0;
}

static notrace u64 load(const struct place *place, const struct ltt_expr_step *step)
{
	const struct ltt_field *field = place->field;
	size_t at = step->index * field->size;

	if (field->store == LTT_STORE_SEQ)
		at += sizeof(u32);
	/* Beyond the end of a sequence. */
	if (at + field->size > place->size)
		return 0;
	return ltt_load_int(place->p + at, field->size, step->flags & LTT_STEP_SIGNED,
			    step->flags & LTT_STEP_SWAP);
}

static notrace u64 length(const struct ltt_expr *expr, const struct place *place)
{
	const struct ltt_field *field = place->field;

	switch (field->store) {
	case LTT_STORE_SEQ:
		return ltt_load32(place->p, expr->swap);
	case LTT_STORE_BLOB:
		return place->size - !(field->flags & LTT_FIELD_STATELESS);
	case LTT_STORE_ARRAY:
		return field->show == LTT_SHOW_STR ?
		       strnlen((const char *)place->p, place->size) : field->count;
	default:
		return strnlen((const char *)place->p, place->size);
	}
}

/**
 * ltt_glob_matches() - does all of a text match a pattern?
 * @text:	the text
 * @len:	bytes of it
 * @pattern:	the pattern, with * for any bytes and ? for one
 * @pattern_len: bytes of it
 *
 * Goes back to the last * only: takes @len times @pattern_len steps at most.
 *
 * Context: any, NMI included.
 */
notrace bool ltt_glob_matches(const u8 *text, size_t len, const char *pattern,
			      size_t pattern_len)
{
	size_t t = 0, p = 0, star = pattern_len, from = 0;

	while (t < len) {
		if (p < pattern_len && pattern[p] == '*') {
			star = p++;
			from = t;
		} else if (p < pattern_len && (pattern[p] == '?' || (u8)pattern[p] == text[t])) {
			p++;
			t++;
		} else if (star < pattern_len) {
			p = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern_len && pattern[p] == '*')
		p++;
	return p == pattern_len;
}

static noinline notrace int compare_fields(const struct ltt_expr *expr,
					   const struct ltt_expr_event *event,
					   const struct ltt_expr_step *step,
					   const struct place *a)
{
	struct place b;
	size_t len;
	int err;

	err = locate(expr, event, step->flags & LTT_STEP_CONTEXT_B, step->field_b, &b);
	if (err)
		return err;
	len = strnlen((const char *)a->p, a->size);
	return len == strnlen((const char *)b.p, b.size) && !memcmp(a->p, b.p, len);
}

/* The value of a step that is about a field, to *@value. Return: 0 or a negative errno. */
static noinline notrace int look(const struct ltt_expr *expr, const struct ltt_expr_event *event,
				 const struct ltt_expr_step *step, u64 *value)
{
	struct place place;
	size_t len;
	int ret;

	ret = locate(expr, event, step->flags & LTT_STEP_CONTEXT, step->field, &place);
	if (ret)
		return ret;
	switch (step->op) {
	case LTT_OP_LOAD:
		*value = load(&place, step);
		return 0;
	case LTT_OP_LEN:
		*value = length(expr, &place);
		return 0;
	case LTT_OP_FIELDS_EQ:
		ret = compare_fields(expr, event, step, &place);
		*value = ret;
		return min(ret, 0);
	}
	len = strnlen((const char *)place.p, place.size);
	if (step->op == LTT_OP_STR_MATCH)
		*value = ltt_glob_matches(place.p, len, step->text, step->len);
	else
		*value = len == step->len && !memcmp(place.p, step->text, len);
	return 0;
}

/* By value, whatever their types are. */
static __always_inline bool is_less(u64 a, bool a_signed, u64 b, bool b_signed)
{
	if (a_signed && (s64)a < 0)
		return !b_signed || (s64)b >= 0 || (s64)a < (s64)b;
	if (b_signed && (s64)b < 0)
		return false;
	return a < b;
}

static __always_inline bool is_equal(u64 a, bool a_signed, u64 b, bool b_signed)
{
	return a == b && (a_signed == b_signed || (s64)a >= 0);
}

static __always_inline u64 shift_left(u64 a, u64 by)
{
	return by < 64 ? a << by : 0;
}

static __always_inline u64 shift_right(u64 a, bool is_signed, u64 by)
{
	if (is_signed)
		return (s64)a >> min_t(u64, by, 63);
	return by < 64 ? a >> by : 0;
}

static notrace u64 combine(const struct ltt_expr_step *step, u64 a, u64 b)
{
	bool a_signed = step->flags & LTT_STEP_SIGNED, b_signed = step->flags & LTT_STEP_SIGNED_B;

	switch (step->op) {
	case LTT_OP_MUL:
		return a * b;
	case LTT_OP_ADD:
		return a + b;
	case LTT_OP_SUB:
		return a - b;
	case LTT_OP_SHL:
		return shift_left(a, b);
	case LTT_OP_SHR:
		return shift_right(a, a_signed, b);
	case LTT_OP_LT:
		return is_less(a, a_signed, b, b_signed);
	case LTT_OP_LE:
		return !is_less(b, b_signed, a, a_signed);
	case LTT_OP_GT:
		return is_less(b, b_signed, a, a_signed);
	case LTT_OP_GE:
		return !is_less(a, a_signed, b, b_signed);
	case LTT_OP_EQ:
		return is_equal(a, a_signed, b, b_signed);
	case LTT_OP_NE:
		return !is_equal(a, a_signed, b, b_signed);
	case LTT_OP_AND:
		return a & b;
	case LTT_OP_XOR:
		return a ^ b;
	case LTT_OP_OR:
		return a | b;
	case LTT_OP_ANDAND:
		return a && b;
	default:
		return a || b;
	}
}

static notrace bool is_in(const struct ltt_expr_step *step, u64 value)
{
	bool is_signed = !step->index;

	return !is_less(value, is_signed, step->value, step->flags & LTT_STEP_SIGNED) &&
	       !is_less(step->to, step->flags & LTT_STEP_SIGNED_B, value, is_signed);
}

/* Return: whether the steps leave anything but 0, or a negative errno. */
static noinline notrace int compute(const struct ltt_expr *expr,
				    const struct ltt_expr_event *event,
				    const struct ltt_expr_step *step, unsigned int nr)
{
	/* A tree needs no more values than it is deep. The first one here is below them. */
	u64 stack[LTT_EXPR_DEPTH + 1], *top = stack;
	int err;

	for (; nr; nr--, step++) {
		switch (step->op) {
		case LTT_OP_CONST:
			*++top = step->value;
			break;
		case LTT_OP_NOT:
			*top = !*top;
			break;
		case LTT_OP_MINUS:
			*top = -*top;
			break;
		case LTT_OP_COMPLEMENT:
			*top = ~*top;
			break;
		case LTT_OP_IN_BEGIN:
			*++top = 0;
			break;
		case LTT_OP_IN_ITEM:
			*top |= is_in(step, top[-1]);
			break;
		case LTT_OP_IN_END:
			top--;
			*top = top[1];
			break;
		case LTT_OP_LOAD:
		case LTT_OP_LEN:
		case LTT_OP_STR_EQ:
		case LTT_OP_STR_MATCH:
		case LTT_OP_FIELDS_EQ:
			err = look(expr, event, step, ++top);
			if (unlikely(err))
				return err;
			break;
		default:
			top--;
			*top = combine(step, top[0], top[1]);
			break;
		}
	}
	return !!*top;
}

/* The 8 bytes at @at, of which those after the end can be anything. */
static noinline notrace u64 last_bytes(const struct ltt_expr_event *event, u32 at)
{
	u64 value = 0;

	if (at < event->avail)
		memcpy(&value, event->payload + at, event->avail - at);
	return value;
}

/**
 * ltt_expr_eval() - evaluate an expression for an event
 * @expr:	the expression, not for arguments
 * @event:	the event. If LTT_EXPR_SLACK bytes may be read after its payload, this is faster
 *
 * Context: any, NMI included. Does not sleep.
 * Return: 1 if it is true, 0 if not; errors of @event->context. If the payload ends before
 * its last field does, -EBADMSG, or any of them: fields at a fixed place are not looked for.
 */
notrace int ltt_expr_eval(const struct ltt_expr *expr, const struct ltt_expr_event *event)
{
	const struct ltt_expr_test *test;
	unsigned int nr = expr->start;
	u64 value;
	int ret;

	while (nr < LTT_TEST_NO) {
		test = &expr->test[nr];
		if (unlikely(test->place == LTT_PLACE_STEPS)) {
			ret = compute(expr, event, &expr->step[test->at], test->skip);
			if (unlikely(ret < 0))
				return ret;
		} else {
			if (unlikely(test->place == LTT_PLACE_TASK))
				value = ltt_load64(event->task + test->at, false);
			else if (likely(test->at + sizeof(value) <= event->avail))
				value = ltt_load64(event->payload + test->at, false);
			else
				value = last_bytes(event, test->at);
			ret = ltt_expr_passes(test, value);
		}
		nr = ret ? test->yes : test->no;
	}
	return nr == LTT_TEST_YES;
}
EXPORT_SYMBOL_GPL(ltt_expr_eval);
