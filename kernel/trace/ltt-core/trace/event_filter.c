// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: filters that are expressions: which events of a marker a trace records.
 *
 * A trace remembers its filters, PATTERN and EXPRESSION, and the last one whose pattern
 * matches a marker decides, also for markers that are registered later. Each event in the trace has
 * a program of its own made from that, as fields have other places in each. It is the first
 * of the event's chain, see filter.c, and replaced with that as a whole.
 *
 * A trace can also have a filter for all of its events, which knows contexts only.
 *
 * A request changes all events that match, or none: all programs and chains are made, and
 * then published, which cannot fail.
 */

#include <linux/err.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "../error.h"
#include "context.h"
#include "core.h"
#include "event_filter.h"

/**
 * struct rule - a filter of a trace
 * @node:	in ltt_trace.rules, the latest last
 * @glob:	CHANNEL.MARKER with * and ?
 * @one:	for this marker, whose channel may be private; else a pattern, which does not
 *		match private channels
 * @text:	the expression; empty: events that match have no filter
 */
struct rule {
	struct list_head node;
	char *glob;
	bool one;
	char text[];
};

/* Everything that $NAME may be, in this order, and the CPU. */
static struct ltt_format *contexts;

/* Of an event without fields, which the filter of a trace is about. */
static struct ltt_format *no_fields;

static u8 context_ids[LTT_NR_CONTEXTS];
static unsigned int nr_contexts;

/* Where a context always is in the task, or -1; by the number of the field. */
static int context_at[LTT_NR_CONTEXTS + 1];

/* ---- writers --------------------------------------------------------------- */

static notrace int get_context(const struct ltt_expr_event *event, unsigned int field, u8 *to,
			       const u8 **p)
{
	u32 cpu = raw_smp_processor_id();

	if (field < nr_contexts)
		return ltt_context_put(to, context_ids[field]) - to;
	memcpy(to, &cpu, sizeof(cpu));
	return sizeof(cpu);
}

/**
 * ltt_event_filter_decide() - may an event be recorded, by an expression of any kind?
 * @filter:	the filter
 * @payload:	the event's fields; LTT_EXPR_SLACK bytes after them can be read, too
 * @size:	bytes of them
 *
 * Context: that of the marker, NMI included; preemption disabled.
 */
noinline notrace bool ltt_event_filter_decide(const struct ltt_event_filter *filter,
					      const u8 *payload, size_t size)
{
	const struct ltt_expr_event event = {
		.payload = payload,
		.size = size,
		.avail = size + LTT_EXPR_SLACK,
		.task = (const u8 *)current,
		.context = get_context,
	};

	return ltt_expr_eval(filter->expr, &event) > 0;
}

/* ---- filters of events --------------------------------------------------------- */

static void destroy(struct ltt_event_filter *filter)
{
	ltt_expr_free(filter->expr);
	ltt_expr_free(filter->args);
	kfree(filter->text);
	free_percpu(filter->counts);
	kfree(filter);
}

static void free_work(struct work_struct *work)
{
	destroy(container_of(to_rcu_work(work), struct ltt_event_filter, work));
}

/**
 * ltt_event_filter_free() - free the filter of an event
 * @filter:	the filter, or NULL; no tap leads to it any more
 *
 * Writers may use it for one RCU grace period.
 *
 * Context: task.
 */
void ltt_event_filter_free(struct ltt_event_filter *filter)
{
	if (filter)
		queue_rcu_work(ltt_wq, &filter->work);
}

/*
 * @where: what the fields are of, for messages. Return: ERR_PTR of -EINVAL (the expression is
 * wrong, or does not suit the fields), -E2BIG or -ENOMEM.
 */
static struct ltt_event_filter *create(const struct ltt_format *fields, const char *where,
				       const char *text, struct ltt_error *error)
{
	struct ltt_expr_layout layout = {
		.fields = fields,
		.context = contexts,
		.task_at = context_at,
	};
	struct ltt_event_filter *filter;
	char reason[LTT_EXPR_ERROR];
	int err;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	INIT_RCU_WORK(&filter->work, free_work);
	filter->counts = alloc_percpu(struct ltt_filter_counts);
	filter->expr = ltt_expr_parse_for(text, &layout, reason);
	if (!IS_ERR(filter->expr) && fields != no_fields) {
		layout.args = true;
		filter->args = ltt_expr_parse_for(text, &layout, reason);
	}
	if (IS_ERR(filter->expr)) {
		err = ltt_fail(error, PTR_ERR(filter->expr), "%s%s", where, reason);
		destroy(filter);
		return ERR_PTR(err);
	}
	if (!filter->counts || IS_ERR(filter->args)) {
		destroy(filter);
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	}
	return filter;
}

/**
 * ltt_event_filter_create() - make an expression for an event
 * @event:	the kind of event
 * @text:	the expression
 * @error:	why it failed; may be NULL
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: to be freed by ltt_event_filter_free(); ERR_PTR: -EINVAL (the expression is wrong, or
 * does not suit the event), -E2BIG, -ENOMEM.
 */
struct ltt_event_filter *ltt_event_filter_create(const struct ltt_event *event, const char *text,
						 struct ltt_error *error)
{
	char where[2 * LTT_NAME_MAX + 4];

	scnprintf(where, sizeof(where), "%s.%s: ", event->channel->name, event->name);
	return create(event->format, where, text, error);
}

/* ---- the filters of a trace ----------------------------------------------------- */

static bool matches(const struct rule *rule, const struct ltt_event *event)
{
	char name[2 * LTT_NAME_MAX + 2];

	if (!rule->one && event->channel->flags & LTT_CHANNEL_PRIVATE)
		return false;
	scnprintf(name, sizeof(name), "%s.%s", event->channel->name, event->name);
	return glob_match(rule->glob, name);
}

/* The one that decides, or NULL. */
static const struct rule *rule_for(const struct ltt_trace *trace, const struct ltt_event *event)
{
	const struct rule *rule;

	list_for_each_entry_reverse(rule, &trace->rules, node) {
		if (matches(rule, event))
			return *rule->text ? rule : NULL;
	}
	return NULL;
}

/**
 * ltt_event_filter_new() - make the filter that an event has in a trace
 * @trace:	the trace
 * @event:	the kind of event, which is new there
 * @error:	why it failed; may be NULL
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: the filter, NULL if it has none; ERR_PTR: -EINVAL (the expression does not suit the
 * event), -ENOMEM.
 */
struct ltt_event_filter *ltt_event_filter_new(const struct ltt_trace *trace,
					      const struct ltt_event *event,
					      struct ltt_error *error)
{
	const struct rule *rule;

	lockdep_assert_held(&ltt_mutex);
	rule = rule_for(trace, event);
	return rule ? ltt_event_filter_create(event, rule->text, error) : NULL;
}

/**
 * ltt_event_filters_free() - forget the filters of a trace
 * @trace:	the trace, to which nobody has a reference any more
 *
 * Context: task.
 */
void ltt_event_filters_free(struct ltt_trace *trace)
{
	struct rule *rule, *next;

	list_for_each_entry_safe(rule, next, &trace->rules, node)
		kfree(rule);
	ltt_event_filter_free(trace->filter);
}

/* With the glob behind the expression in the same memory. @text: "none" is no filter. */
static struct rule *rule_alloc(const char *glob, bool one, const char *text,
			       struct ltt_error *error)
{
	struct rule *rule;
	size_t len;

	if (!*text)
		return ERR_PTR(ltt_fail(error, -EINVAL, "empty expression"));
	if (!strcmp(text, "none"))
		text = "";
	len = strlen(text);
	rule = kmalloc(sizeof(*rule) + len + strlen(glob) + 2, GFP_KERNEL);
	if (!rule)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	strcpy(rule->text, text);
	rule->one = one;
	rule->glob = rule->text + len + 1;
	strcpy(rule->glob, glob);
	return rule;
}

/*
 * Make the filter of each event that @rule decides about, and a chain with it for those that
 * have an id; all of them are on *@chains.
 */
static int prepare(struct ltt_trace *trace, const struct rule *rule,
		   struct ltt_filter_chain **chains, struct ltt_error *error)
{
	struct ltt_event_filter *filter;
	struct ltt_trace_event *tevent;
	struct ltt_channel *channel;
	struct ltt_event *event;
	int err;

	list_for_each_entry(channel, &ltt_channels, node) {
		list_for_each_entry(event, &channel->events, node) {
			if (!matches(rule, event))
				continue;
			filter = *rule->text ?
				 ltt_event_filter_create(event, rule->text, error) : NULL;
			if (IS_ERR(filter))
				return PTR_ERR(filter);
			tevent = ltt_trace_event_find(trace, event);
			if (!tevent) {
				/* It was only to be checked: no writer has seen it. */
				if (filter)
					destroy(filter);
				continue;
			}
			err = ltt_filter_prepare(tevent, filter, chains);
			if (err)
				return ltt_fail(error, err, "out of memory");
		}
	}
	return 0;
}

/* The latest one; those with the same pattern have no effect any more. */
static void adopt(struct ltt_trace *trace, struct rule *rule)
{
	struct rule *other, *next;

	list_for_each_entry_safe(other, next, &trace->rules, node) {
		if (!strcmp(other->glob, rule->glob) && (rule->one || !other->one)) {
			list_del(&other->node);
			kfree(other);
		}
	}
	list_add_tail(&rule->node, &trace->rules);
	/* Without a filter is what all are at first. */
	list_for_each_entry_safe(other, next, &trace->rules, node) {
		if (*other->text)
			break;
		list_del(&other->node);
		kfree(other);
	}
}

/*
 * A request for a rule, or the error pointer of one, which is taken over. @channel: must exist; or
 * NULL.
 */
static int apply(struct ltt_trace *trace, struct rule *rule, const char *channel,
		 struct ltt_error *error)
{
	struct ltt_filter_chain *chains = NULL;
	int err;

	if (IS_ERR(rule))
		return PTR_ERR(rule);
	err = ltt_trace_request(trace, error);
	if (err) {
		kfree(rule);
		return err;
	}
	if (channel && !ltt_channel_find(channel))
		err = ltt_fail(error, -ENOENT, "the channel no longer exists");
	else
		err = prepare(trace, rule, &chains, error);
	ltt_filter_publish(chains, !err);
	if (err)
		kfree(rule);
	else
		adopt(trace, rule);
	ltt_trace_request_end(trace);
	return err;
}

static struct rule *parse(const char *glob, size_t glob_len, const char *text,
			  struct ltt_error *error)
{
	LIST_HEAD(patterns);
	struct rule *rule;
	char *copy;
	int err;

	copy = kstrndup(glob, glob_len, GFP_KERNEL);
	if (!copy)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	err = ltt_pattern_parse(copy, &patterns, error);
	kfree(copy);
	if (err)
		return ERR_PTR(err);
	if (!list_is_singular(&patterns) ||
	    list_first_entry(&patterns, struct ltt_pattern, node)->negate) {
		ltt_pattern_free(&patterns);
		return ERR_PTR(ltt_fail(error, -EINVAL,
					"column 1: expected one pattern before the colon"));
	}
	glob = list_first_entry(&patterns, struct ltt_pattern, node)->glob;
	rule = rule_alloc(glob, false, text, error);
	ltt_pattern_free(&patterns);
	return rule;
}

/**
 * ltt_trace_set_filter() - say which events of some markers a trace records
 * @trace:	the trace; the caller has a reference
 * @text:	"PATTERN: EXPRESSION"; the expression "none": all of them
 * @error:	why it failed; may be NULL
 *
 * Applies to markers that match now, and to those that are registered later. If several filters
 * match, the latest one decides. A marker that is registered later and cannot have its filter is
 * not recorded.
 *
 * While it is replaced, each event is decided by the old filter or the new one.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, sleeps.
 * Return: 0; -EINVAL (the pattern or the expression is wrong, or does not suit a marker), -E2BIG,
 * -ENAMETOOLONG, -ENOMEM, -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_filter(struct ltt_trace *trace, const char *text, struct ltt_error *error)
{
	const char *colon = strchr(text, ':');

	if (!colon)
		return ltt_fail(error, -EINVAL, "column %zu: expected ': ' after a pattern",
				strlen(text) + 1);
	return apply(trace, parse(text, colon - text, skip_spaces(colon + 1), error), NULL, error);
}

/**
 * ltt_trace_set_marker_filter() - say which events of a marker a trace records
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the marker's channel, which may be a private one
 * @marker:	its name
 * @text:	the expression; "none": all of them
 * @error:	why it failed; may be NULL
 *
 * Context: as ltt_trace_set_filter().
 * Return: as ltt_trace_set_filter(); -ENOENT if the channel no longer exists.
 */
int ltt_trace_set_marker_filter(struct ltt_trace *trace, const char *channel, const char *marker,
				const char *text, struct ltt_error *error)
{
	struct rule *rule;
	char *glob;

	glob = kasprintf(GFP_KERNEL, "%s.%s", channel, marker);
	if (!glob)
		return ltt_fail(error, -ENOMEM, "out of memory");
	rule = rule_alloc(glob, true, text, error);
	kfree(glob);
	return apply(trace, rule, channel, error);
}

/* ---- the filter of all events of a trace -------------------------------------------- */

static struct ltt_event_filter *create_common(const char *text, struct ltt_error *error)
{
	struct ltt_event_filter *filter = create(no_fields, "", text, error);

	if (IS_ERR(filter))
		return filter;
	filter->text = kstrdup(text, GFP_KERNEL);
	if (filter->text)
		return filter;
	destroy(filter);
	return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
}

static int prepare_common(struct ltt_trace *trace, const struct ltt_event_filter *filter,
			  struct ltt_filter_chain **chains, struct ltt_error *error)
{
	struct ltt_trace_channel *tchan;
	struct ltt_trace_event *tevent;
	unsigned long id;

	list_for_each_entry(tchan, &trace->tchans, node) {
		xa_for_each(&tchan->events, id, tevent) {
			if (ltt_filter_prepare_common(tevent, filter, chains))
				return ltt_fail(error, -ENOMEM, "out of memory");
		}
	}
	return 0;
}

/**
 * ltt_trace_set_common_filter() - say which events a trace records, by their contexts
 * @trace:	the trace; the caller has a reference
 * @text:	the expression, which can use contexts only; "none": all events
 * @error:	why it failed; may be NULL
 *
 * An event must pass this filter and that of its marker.
 *
 * Context: as ltt_trace_set_filter().
 * Return: 0; -EINVAL, -E2BIG, -ENOMEM, -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_common_filter(struct ltt_trace *trace, const char *text,
				struct ltt_error *error)
{
	struct ltt_filter_chain *chains = NULL;
	struct ltt_event_filter *filter = NULL;
	int err;

	if (strcmp(text, "none"))
		filter = create_common(text, error);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	err = ltt_trace_request(trace, error);
	if (err) {
		ltt_event_filter_free(filter);
		return err;
	}
	err = prepare_common(trace, filter, &chains, error);
	/* Before the chains are built anew for another reason. */
	if (!err)
		swap(trace->filter, filter);
	ltt_filter_publish(chains, !err);
	ltt_event_filter_free(filter);
	ltt_trace_request_end(trace);
	return err;
}

/* ---- reading ------------------------------------------------------------------- */

/**
 * ltt_trace_next_filter() - go through the filters of a trace
 * @trace:	the trace
 * @prev:	the one before, NULL for the first
 * @pattern:	receives which markers it is for
 * @text:	receives the expression, "none" if these have no filter
 *
 * Context: task, ltt_mutex held.
 * Return: the filter, for the next call; NULL if there are no more.
 */
const struct list_head *ltt_trace_next_filter(const struct ltt_trace *trace,
					      const struct list_head *prev,
					      const char **pattern, const char **text)
{
	const struct list_head *next = (prev ?: &trace->rules)->next;
	const struct rule *rule = list_entry(next, struct rule, node);

	lockdep_assert_held(&ltt_mutex);
	if (next == &trace->rules)
		return NULL;
	*pattern = rule->glob;
	*text = *rule->text ? rule->text : "none";
	return next;
}

/**
 * ltt_trace_filter_text() - the filter of all events of a trace
 * @trace:	the trace
 *
 * Context: task, ltt_mutex held.
 * Return: the expression, valid until ltt_mutex is released; "none".
 */
const char *ltt_trace_filter_text(const struct ltt_trace *trace)
{
	return trace->filter ? trace->filter->text : "none";
}

/**
 * ltt_event_filter_text() - the filter that an event has in a trace, or would have
 * @trace:	the trace
 * @event:	the kind of event
 *
 * Context: task, ltt_mutex held.
 * Return: the expression, valid until ltt_mutex is released; "none".
 */
const char *ltt_event_filter_text(const struct ltt_trace *trace, const struct ltt_event *event)
{
	const struct rule *rule = rule_for(trace, event);

	return rule ? rule->text : "none";
}

/**
 * ltt_event_filter_counts() - what the filter of an event has decided
 * @filter:	the filter
 * @hits:	receives the number of events that passed
 * @misses:	receives the number of those that did not
 *
 * Writers go on meanwhile.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_event_filter_counts(const struct ltt_event_filter *filter, unsigned long *hits,
			     unsigned long *misses)
{
	const struct ltt_filter_counts *counts;
	unsigned int cpu;

	*hits = 0;
	*misses = 0;
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(filter->counts, cpu);
		*hits += READ_ONCE(counts->decided[true]);
		*misses += READ_ONCE(counts->decided[false]);
	}
}

/* ---- start and end -------------------------------------------------------------- */

/* As ltt_context_put() has them. */
static int place_in_task(enum ltt_context_id id)
{
	switch (id) {
	case LTT_CONTEXT_PID:
		return offsetof(struct task_struct, tgid);
	case LTT_CONTEXT_TID:
		return offsetof(struct task_struct, pid);
	case LTT_CONTEXT_COMM:
		return offsetof(struct task_struct, comm);
	case LTT_CONTEXT_PRIO:
		return offsetof(struct task_struct, prio);
	default:
		return -1;
	}
}

/**
 * ltt_event_filter_init() - prepare for filters
 *
 * Context: task.
 * Return: 0, -ENOMEM.
 */
int ltt_event_filter_init(void)
{
	char reason[LTT_FORMAT_ERROR], text[512] = "";
	u32 types[LTT_NR_CONTEXTS + 1];
	unsigned int id, len = 0;

	nr_contexts = 0;
	for (id = 0; id < LTT_NR_CONTEXTS; id++) {
		if (ltt_context_values[id].missing ||
		    ltt_context_values[id].room > LTT_EXPR_CONTEXT)
			continue;
		context_ids[nr_contexts] = id;
		context_at[nr_contexts] = place_in_task(id);
		types[nr_contexts++] = ltt_context_values[id].type;
		len += scnprintf(text + len, sizeof(text) - len, "%s ",
				 ltt_context_values[id].format);
	}
	scnprintf(text + len, sizeof(text) - len, "cpu %%u");
	types[nr_contexts] = LTT_TYPE(LTT_KIND_INT, 4, 0);
	context_at[nr_contexts] = -1;
	contexts = ltt_format_parse(text, types, nr_contexts + 1, reason);
	no_fields = ltt_format_parse("", types, 0, reason);
	if (!IS_ERR(contexts) && !IS_ERR(no_fields))
		return 0;
	ltt_format_free(contexts);
	ltt_format_free(no_fields);
	return -ENOMEM;
}

/**
 * ltt_event_filter_exit() - undo ltt_event_filter_init()
 *
 * Context: task; sleeps. There are no traces any more.
 */
void ltt_event_filter_exit(void)
{
	rcu_barrier();
	flush_workqueue(ltt_wq);
	ltt_format_free(contexts);
	ltt_format_free(no_fields);
}
