/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: filters that are expressions, for the other files of the traces.
 */
#ifndef _LTT_EVENT_FILTER_H
#define _LTT_EVENT_FILTER_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#include "../expr/expr.h"

struct ltt_error;
struct ltt_event;
struct ltt_filter_chain;
struct ltt_trace;
struct ltt_trace_event;

/**
 * struct ltt_filter_counts - of a CPU
 * @hits:	events that passed
 * @misses:	events that did not
 */
struct ltt_filter_counts {
	local_t hits;
	local_t misses;
};

/**
 * struct ltt_event_filter - the filter of an event in a trace
 * @expr:	decides
 * @text:	its text, of a trace's; else NULL
 * @counts:	what it decided
 * @work:	frees it when no writer uses it any more
 */
struct ltt_event_filter {
	struct ltt_expr *expr;
	char *text;
	struct ltt_filter_counts __percpu *counts;
	struct rcu_work work;
};

/* event_filter.c */
struct ltt_event_filter *ltt_event_filter_new(const struct ltt_trace *trace,
					      const struct ltt_event *event,
					      struct ltt_error *error);
void ltt_event_filter_free(struct ltt_event_filter *filter);
bool ltt_event_filter_decide(const struct ltt_event_filter *filter, const u8 *payload,
			     size_t size);
void ltt_event_filters_free(struct ltt_trace *trace);
int ltt_event_filter_init(void);
void ltt_event_filter_exit(void);
const struct list_head *ltt_trace_next_filter(const struct ltt_trace *trace,
					      const struct list_head *prev,
					      const char **pattern, const char **text);
const char *ltt_trace_filter_text(const struct ltt_trace *trace);
const char *ltt_event_filter_text(const struct ltt_trace *trace, const struct ltt_event *event);
void ltt_event_filter_counts(const struct ltt_event_filter *filter, unsigned long *hits,
			     unsigned long *misses);

/**
 * ltt_event_filter_accepts() - may an event be recorded?
 * @filter:	the filter
 * @payload:	the event's fields; LTT_EXPR_SLACK bytes after them can be read, too
 * @size:	bytes of them
 *
 * Context: that of the marker, NMI included; preemption disabled.
 */
static __always_inline bool ltt_event_filter_accepts(const struct ltt_event_filter *filter,
						     const u8 *payload, size_t size)
{
	unsigned int nr = ltt_expr_try(filter->expr, payload);
	struct ltt_filter_counts *counts;

	counts = this_cpu_ptr(filter->counts);
	if (unlikely(nr < LTT_TEST_NO))
		nr = ltt_event_filter_decide(filter, payload, size) ? LTT_TEST_YES : LTT_TEST_NO;
	if (nr == LTT_TEST_YES) {
		local_inc(&counts->hits);
		return true;
	}
	local_inc(&counts->misses);
	return false;
}

/* filter.c: chains that begin with one */
int ltt_filter_prepare(struct ltt_trace_event *tevent, struct ltt_event_filter *own,
		       struct ltt_filter_chain **chains);
int ltt_filter_prepare_common(struct ltt_trace_event *tevent,
			      const struct ltt_event_filter *common,
			      struct ltt_filter_chain **chains);
void ltt_filter_publish(struct ltt_filter_chain *chains, bool keep);

#endif /* _LTT_EVENT_FILTER_H */
