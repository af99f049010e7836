/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: filters that are expressions, for the other files of the traces.
 */
#ifndef _LTT_EVENT_FILTER_H
#define _LTT_EVENT_FILTER_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>
#include <asm/current.h>

#include "../expr/expr.h"

struct ltt_error;
struct ltt_event;
struct ltt_filter_chain;
struct ltt_trace;
struct ltt_trace_event;
struct ltt_trigger_set;

/**
 * struct ltt_filter_counts - of a CPU
 * @decided:	events that did not pass, events that did
 */
struct ltt_filter_counts {
	unsigned long decided[2];
};

/**
 * struct ltt_event_filter - the filter of an event in a trace
 * @expr:	decides
 * @args:	the same expression for the arguments of a marker; NULL in a trace's filter
 * @text:	its text, of a trace's; else NULL
 * @counts:	what it decided
 * @work:	frees it when no writer uses it any more
 */
struct ltt_event_filter {
	struct ltt_expr *expr;
	struct ltt_expr *args;
	char *text;
	struct ltt_filter_counts __percpu *counts;
	struct rcu_work work;
};

/* event_filter.c */
struct ltt_event_filter *ltt_event_filter_new(const struct ltt_trace *trace,
					      const struct ltt_event *event,
					      struct ltt_error *error);
struct ltt_event_filter *ltt_event_filter_create(const struct ltt_event *event, const char *text,
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
	unsigned int nr = ltt_expr_try(filter->expr, payload, (const u8 *)current, NULL);
	bool pass = nr == LTT_TEST_YES;

	if (unlikely(nr < LTT_TEST_NO))
		pass = ltt_event_filter_decide(filter, payload, size);
	this_cpu_inc(filter->counts->decided[pass]);
	return pass;
}

/* filter.c: chains that begin with one */
int ltt_filter_prepare(struct ltt_trace_event *tevent, struct ltt_event_filter *own,
		       struct ltt_filter_chain **chains);
int ltt_filter_prepare_common(struct ltt_trace_event *tevent,
			      const struct ltt_event_filter *common,
			      struct ltt_filter_chain **chains);
int ltt_filter_prepare_triggers(struct ltt_trace_event *tevent, struct ltt_trigger_set *triggers,
				struct ltt_filter_chain **chains);
void ltt_filter_publish(struct ltt_filter_chain *chains, bool keep);

#endif /* _LTT_EVENT_FILTER_H */
