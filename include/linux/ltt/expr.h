/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: expressions over the fields of events, which filters are made of.
 *
 *	prev_pid == 1 && (next_comm ~ "kworker/?:*" || prev_state & (S | D))
 *
 * Shared by the kernel, the user-space tools and the tests. The language is described in
 * Documentation/trace/ltt/filters.rst.
 */
#ifndef _LINUX_LTT_EXPR_H
#define _LINUX_LTT_EXPR_H

#include <linux/types.h>
#include <linux/ltt/format.h>

struct ltt_expr;

/* Longest expression, in bytes without its NUL. */
#define LTT_EXPR_MAX	1024

/* Room for any message of ltt_expr_parse(), NUL included. */
#define LTT_EXPR_ERROR	160

/* Bytes behind the payload that may be read, whatever they are. */
#define LTT_EXPR_SLACK	8

/* Bytes of a context's value that an expression looks at. */
#define LTT_EXPR_CONTEXT	64

/**
 * struct ltt_expr_layout - what an expression is about, and where its values are
 * @fields:	of the event; must stay as long as the expression
 * @context:	the same for names with $ before them; may be NULL
 * @swap:	events are written in the other byte order
 * @args:	the values of fields are arguments of 64 bits each: integers, of which what is above
 *		their size does not matter, or pointers
 * @task_at:	for each field of @context, where it always is in the task, or -1; may be NULL
 */
struct ltt_expr_layout {
	const struct ltt_format *fields;
	const struct ltt_format *context;
	bool swap;
	bool args;
	const int *task_at;
};

/**
 * struct ltt_expr_event - an event, for expressions
 * @payload:	its fields
 * @size:	bytes of them
 * @avail:	bytes that may be read there, @size or more
 * @task:	the task, of expressions whose layout has places in it
 * @context:	stores the value of a field of the context, at most LTT_EXPR_CONTEXT bytes, to
 *		@to, or where it is, however large, to @p; returns the number of bytes, or a
 *		negative errno; NULL if no expression that is evaluated has contexts
 * @priv:	for @context
 */
struct ltt_expr_event {
	const u8 *payload;
	size_t size;
	size_t avail;
	const u8 *task;
	int (*context)(const struct ltt_expr_event *event, unsigned int field, u8 *to,
		       const u8 **p);
	const void *priv;
};

struct ltt_expr *ltt_expr_parse_for(const char *text, const struct ltt_expr_layout *layout,
				    char error[LTT_EXPR_ERROR]);
struct ltt_expr *ltt_expr_parse(const char *text, const struct ltt_format *fields,
				const struct ltt_format *context, bool swap,
				char error[LTT_EXPR_ERROR]);
void ltt_expr_free(struct ltt_expr *expr);
int ltt_expr_eval(const struct ltt_expr *expr, const struct ltt_expr_event *event);
bool ltt_glob_matches(const u8 *text, size_t len, const char *pattern, size_t pattern_len);

#endif /* _LINUX_LTT_EXPR_H */
