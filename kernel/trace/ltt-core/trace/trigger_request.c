// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: triggers: requests, and which events have which.
 *
 * A trace has a list of triggers. Each event of the trace that some of them match has a set of
 * these, with their conditions made for its fields, at the end of its chain of filters; a marker
 * that is registered later gets one when it becomes an event of the trace. The list, and the
 * sets and chains, are replaced as a whole: all is made, and then published, which cannot fail.
 *
 * A trigger is kept by the list and by the sets; both drop it a grace period after nobody finds
 * it there any more. So its counts go on where other lines are written beside it.
 */

#include <linux/err.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../error.h"
#include "core.h"
#include "event_filter.h"
#include "trigger.h"
#include "window.h"

/* ---- triggers ------------------------------------------------------------------- */

static void trigger_release(struct kref *ref)
{
	struct ltt_trigger *trigger = container_of(ref, struct ltt_trigger, ref);

	cancel_delayed_work_sync(&trigger->watch);
	ltt_trigger_line_free(&trigger->line);
	kfree(trigger);
}

/**
 * ltt_trigger_put() - drop a reference to a trigger
 * @trigger:	the trigger
 *
 * Context: task, ltt_mutex not held; sleeps.
 */
void ltt_trigger_put(struct ltt_trigger *trigger)
{
	kref_put(&trigger->ref, trigger_release);
}

static void put_work(struct work_struct *work)
{
	ltt_trigger_put(container_of(to_rcu_work(work), struct ltt_trigger, free));
}

static struct ltt_trigger *trigger_create(struct ltt_trace *trace, const char *text,
					  const struct ltt_spot *place)
{
	struct ltt_trigger *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);
	int err;

	if (!trigger)
		return ERR_PTR(ltt_fail(place->error, -ENOMEM, "out of memory"));
	kref_init(&trigger->ref);
	INIT_RCU_WORK(&trigger->free, put_work);
	ltt_trigger_watch_init(trigger);
	trigger->trace = trace;
	trigger->number = place->number;
	trigger->fresh = true;
	err = ltt_trigger_parse(&trigger->line, text, place) ?:
	      ltt_trigger_notice_check(&trigger->line, place, text);
	if (err) {
		ltt_trigger_put(trigger);
		return ERR_PTR(err);
	}
	atomic_set(&trigger->left, trigger->line.count);
	trigger->starts = ltt_trigger_does(&trigger->line, LTT_DO_START);
	return trigger;
}

/* ---- sets ----------------------------------------------------------------------- */

static void set_work(struct work_struct *work)
{
	struct ltt_trigger_set *set = container_of(to_rcu_work(work), struct ltt_trigger_set, work);
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		ltt_event_filter_free(set->entry[i].condition);
		ltt_trigger_put(set->entry[i].trigger);
	}
	kfree(set);
}

/**
 * ltt_trigger_set_free() - free the triggers of an event
 * @set:	the set, or NULL; no tap leads to it any more
 *
 * Writers may use it for one RCU grace period.
 *
 * Context: task.
 */
void ltt_trigger_set_free(struct ltt_trigger_set *set)
{
	if (set)
		queue_rcu_work(ltt_wq, &set->work);
}

/* The events of triggers have none: it would not end. */
static bool can_have_triggers(const struct ltt_event *event)
{
	return !(event->channel->flags & LTT_CHANNEL_PRIVATE) &&
	       strcmp(event->channel->name, LTT_TRIGGERS_CHANNEL);
}

static bool matches(const struct ltt_trigger *trigger, const struct ltt_event *event)
{
	char name[2 * LTT_NAME_MAX + 2];

	if (!trigger->line.glob || !can_have_triggers(event))
		return false;
	scnprintf(name, sizeof(name), "%s.%s", event->channel->name, event->name);
	return glob_match(trigger->line.glob, name);
}

/* Add a trigger to the set of an event. */
static int set_add(struct ltt_trigger_set *set, struct ltt_trigger *trigger,
		   const struct ltt_event *event, struct ltt_error *error)
{
	struct ltt_event_filter *condition = NULL;
	struct ltt_error why;

	if (trigger->line.expr) {
		condition = ltt_event_filter_create(event, trigger->line.expr, &why);
		if (IS_ERR(condition))
			return ltt_fail(error, PTR_ERR(condition), "line %u, %s", trigger->number,
					why.text);
	}
	kref_get(&trigger->ref);
	set->entry[set->nr].trigger = trigger;
	set->entry[set->nr++].condition = condition;
	set->starts |= trigger->starts;
	return 0;
}

static void not_suitable(const struct ltt_trace *trace, const struct ltt_trigger *trigger,
			 const struct ltt_error *error)
{
	ltt_log_error(trace->log, "triggers: %s: \"%s\"", error->text, trigger->line.text);
}

/*
 * The set of an event. Triggers that it does not suit are an error if they are being written,
 * and else are left out; @tell: that is logged. Return: NULL if there are none.
 */
static struct ltt_trigger_set *make_set(const struct ltt_trace *trace,
					const struct ltt_trigger_list *list,
					const struct ltt_event *event, bool tell,
					struct ltt_error *error)
{
	struct ltt_trigger_set *set;
	unsigned int i, nr = 0;
	int err;

	for (i = 0; list && i < list->nr; i++)
		nr += matches(list->trigger[i], event);
	if (!nr)
		return NULL;
	set = kzalloc(struct_size(set, entry, nr), GFP_KERNEL);
	if (!set)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	INIT_RCU_WORK(&set->work, set_work);
	for (i = 0; i < list->nr; i++) {
		if (!matches(list->trigger[i], event))
			continue;
		err = set_add(set, list->trigger[i], event, error);
		if (!err)
			continue;
		if (list->trigger[i]->fresh || err == -ENOMEM) {
			ltt_trigger_set_free(set);
			return ERR_PTR(err);
		}
		if (tell)
			not_suitable(trace, list->trigger[i], error);
	}
	if (set->nr)
		return set;
	ltt_trigger_set_free(set);
	return NULL;
}

static struct ltt_trigger_list *list_of(const struct ltt_trace *trace)
{
	return trace->triggers ? rcu_dereference_protected(trace->triggers->list,
							   lockdep_is_held(&ltt_mutex)) : NULL;
}

/**
 * ltt_trigger_set_new() - make the triggers that an event has in a trace
 * @trace:	the trace
 * @event:	the kind of event, which is new there
 *
 * Triggers that the event does not suit, or for which there is no memory, are left out, which is
 * logged.
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: the triggers; NULL if there are none.
 */
struct ltt_trigger_set *ltt_trigger_set_new(const struct ltt_trace *trace,
					    const struct ltt_event *event)
{
	struct ltt_trigger_set *set;
	struct ltt_error error;

	lockdep_assert_held(&ltt_mutex);
	set = make_set(trace, list_of(trace), event, true, &error);
	if (!IS_ERR(set))
		return set;
	ltt_log_error(trace->log, "triggers: marker %s.%s has none: %s", event->channel->name,
		      event->name, error.text);
	return NULL;
}

/* ---- requests ------------------------------------------------------------------- */

/* Does an event have triggers, or is it to have some? */
static bool is_concerned(const struct ltt_trigger_list *list, const struct ltt_event *event,
			 const struct ltt_trace_event *tevent)
{
	unsigned int i;

	if (tevent && tevent->triggers)
		return true;
	for (i = 0; i < list->nr; i++) {
		if (matches(list->trigger[i], event))
			return true;
	}
	return false;
}

/*
 * Make the triggers of all events, and chains with them for those that have an id. @chains:
 * receives them; NULL: only see whether that is possible.
 */
static int prepare(struct ltt_trace *trace, const struct ltt_trigger_list *list,
		   struct ltt_filter_chain **chains, struct ltt_error *error)
{
	struct ltt_trace_event *tevent;
	struct ltt_channel *channel;
	struct ltt_trigger_set *set;
	struct ltt_event *event;
	int err;

	list_for_each_entry(channel, &ltt_channels, node) {
		list_for_each_entry(event, &channel->events, node) {
			tevent = ltt_trace_event_find(trace, event);
			if (!is_concerned(list, event, tevent))
				continue;
			set = make_set(trace, list, event, false, error);
			if (IS_ERR(set))
				return PTR_ERR(set);
			if (!tevent || !chains) {
				ltt_trigger_set_free(set);
				continue;
			}
			err = ltt_filter_prepare_triggers(tevent, set, chains);
			if (err)
				return ltt_fail(error, err, "out of memory");
		}
	}
	return 0;
}

static struct ltt_trigger *find(const struct ltt_trigger_list *list, const char *text,
				unsigned int *nr)
{
	for (*nr = 0; *nr < list->nr; ++*nr) {
		if (!strcmp(list->trigger[*nr]->line.text, text))
			return list->trigger[*nr];
	}
	return NULL;
}

/* Triggers that are being written are freed, the others belong to the old list. */
static void take_out(struct ltt_trigger_list *list, unsigned int nr)
{
	if (list->trigger[nr]->fresh)
		ltt_trigger_put(list->trigger[nr]);
	list->nr--;
	memmove(&list->trigger[nr], &list->trigger[nr + 1],
		(list->nr - nr) * sizeof(list->trigger[0]));
}

static void take_out_all(struct ltt_trigger_list *list)
{
	while (list->nr)
		take_out(list, list->nr - 1);
}

/* A line that is there already begins anew, at the end. */
static int add_line(struct ltt_trace *trace, struct ltt_trigger_list *list, const char *text,
		    const struct ltt_spot *place)
{
	struct ltt_trigger *trigger = trigger_create(trace, text, place);
	unsigned int nr;

	if (IS_ERR(trigger))
		return PTR_ERR(trigger);
	if (find(list, text, &nr))
		take_out(list, nr);
	if (list->nr == LTT_TRIGGERS_MAX) {
		ltt_trigger_put(trigger);
		return ltt_fail_at(place, place->begin, -E2BIG, "more than %u lines",
				   LTT_TRIGGERS_MAX);
	}
	list->trigger[list->nr++] = trigger;
	return 0;
}

static int apply_line(struct ltt_trace *trace, struct ltt_trigger_list *list, const char *text,
		      const struct ltt_spot *place)
{
	unsigned int nr;

	if (!strcmp(text, "none")) {
		take_out_all(list);
		return 0;
	}
	if (*text != '!')
		return add_line(trace, list, text, place);
	if (!find(list, skip_spaces(text + 1), &nr))
		return ltt_fail_at(place, text + 1, -ENOENT, "there is no such line");
	take_out(list, nr);
	return 0;
}

/* The lines as they are to be. @text: is cut up. */
static int apply(struct ltt_trace *trace, struct ltt_trigger_list *list, char *text,
		 struct ltt_error *error)
{
	struct ltt_spot place = { .error = error };
	char *line;
	int err;

	while ((line = ltt_spot_next_line(&place, &text))) {
		err = apply_line(trace, list, line, &place);
		if (err)
			return err;
	}
	return 0;
}

/* ---- carrying out ------------------------------------------------------------------ */

/* Does a line that is being written do this? */
static bool fresh_does(const struct ltt_trigger_list *list, enum ltt_trigger_do what)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->trigger[i]->fresh && ltt_trigger_does(&list->trigger[i]->line, what))
			return true;
	}
	return false;
}

/* What a trace needs to have triggers; it is kept. */
static int triggers_get(struct ltt_trace *trace, struct ltt_error *error)
{
	struct ltt_triggers *triggers;

	if (trace->triggers)
		return 0;
	triggers = kzalloc(sizeof(*triggers), GFP_KERNEL);
	if (!triggers)
		return ltt_fail(error, -ENOMEM, "out of memory");
	triggers->trace = trace;
	ltt_triggers_init_work(triggers);
	ltt_triggers_notice_add(triggers);
	/* Readers depend on the address. */
	smp_store_release(&trace->triggers, triggers);
	return 0;
}

/* Let the trace record marks and stacks, if there are lines that make some. */
static int select_own(struct ltt_trace *trace, const struct ltt_trigger_list *list,
		      struct ltt_error *error)
{
	int err = 0;

	if (fresh_does(list, LTT_DO_MARK))
		err = ltt_trace_select(trace, LTT_TRIGGERS_CHANNEL ".mark", error);
	if (!err && fresh_does(list, LTT_DO_STACK))
		err = ltt_trace_select(trace, LTT_TRIGGERS_CHANNEL ".stack", error);
	if (!err)
		WRITE_ONCE(trace->triggers->own,
			   ltt_trace_channel_named(trace, LTT_TRIGGERS_CHANNEL));
	return err;
}

static bool has(const struct ltt_trigger_list *list, const struct ltt_trigger *trigger)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->trigger[i] == trigger)
			return true;
	}
	return false;
}

/* Cannot fail. */
static void publish(struct ltt_trace *trace, struct ltt_trigger_list *list,
		    struct ltt_filter_chain *chains)
{
	struct ltt_trigger_list *old = list_of(trace);
	struct ltt_trigger *trigger;
	unsigned int i;

	for (i = 0; old && i < old->nr; i++) {
		if (!has(list, old->trigger[i]))
			WRITE_ONCE(old->trigger[i]->removed, true);
	}
	rcu_assign_pointer(trace->triggers->list, list);
	ltt_filter_publish(chains, true);
	ltt_triggers_notice_update(trace->triggers);
	for (i = 0; i < list->nr; i++) {
		trigger = list->trigger[i];
		if (trigger->fresh && (trace->started || trigger->starts))
			ltt_trigger_watch(trigger);
		trigger->fresh = false;
	}
	if (!old)
		return;
	for (i = 0; i < old->nr; i++) {
		if (old->trigger[i]->removed)
			queue_rcu_work(ltt_wq, &old->trigger[i]->free);
	}
	kfree_rcu(old, rcu);
}

/* Is everything there that the lines need? */
static bool has_needs(const struct ltt_trace *trace, const struct ltt_trigger_list *list,
		      struct ltt_trigger_needs *needs)
{
	unsigned int i;

	*needs = (struct ltt_trigger_needs){};
	for (i = 0; i < list->nr; i++) {
		if (list->trigger[i]->fresh)
			ltt_trigger_needs(&list->trigger[i]->line, needs);
	}
	return needs->windows <= ltt_windows_max(trace) &&
	       (!needs->own || ltt_triggers_own_known()) &&
	       (!needs->warn || ltt_triggers_warn_known());
}

/* Return: -EAGAIN if @needs must be there before. */
static int carry_out(struct ltt_trace *trace, struct ltt_trigger_list *list,
		     struct ltt_trigger_needs *needs, struct ltt_error *error)
{
	struct ltt_filter_chain *chains = NULL;
	int err = prepare(trace, list, NULL, error);

	if (err)
		return err;
	if (!has_needs(trace, list, needs))
		return -EAGAIN;
	err = triggers_get(trace, error) ?: select_own(trace, list, error) ?:
	      prepare(trace, list, &chains, error);
	if (err)
		ltt_filter_publish(chains, false);
	else
		publish(trace, list, chains);
	return err;
}

/* A copy, for a request. */
static struct ltt_trigger_list *list_copy(const struct ltt_trigger_list *old)
{
	struct ltt_trigger_list *list = kzalloc(sizeof(*list), GFP_KERNEL);

	if (!list || !old)
		return list;
	list->nr = old->nr;
	memcpy(list->trigger, old->trigger, sizeof(list->trigger));
	return list;
}

static int request(struct ltt_trace *trace, const char *text, struct ltt_trigger_needs *needs,
		   struct ltt_error *error)
{
	struct ltt_trigger_list *list;
	char *copy;
	int err;

	err = ltt_trace_request(trace, error);
	if (err)
		return err;
	list = list_copy(list_of(trace));
	copy = kstrdup(text, GFP_KERNEL);
	if (list && copy)
		err = apply(trace, list, copy, error) ?: carry_out(trace, list, needs, error);
	else
		err = ltt_fail(error, -ENOMEM, "out of memory");
	if (err && list) {
		take_out_all(list);
		kfree(list);
	}
	kfree(copy);
	ltt_trace_request_end(trace);
	ltt_switch_wait(&trace->dying);
	return err;
}

/**
 * ltt_trace_set_triggers() - say what is done when certain events happen
 * @trace:	the trace; the caller has a reference
 * @text:	lines as Documentation/trace/ltt/triggers.rst has them, carried out in their
 *		order, all or none
 * @error:	what is wrong, and where; may be NULL
 *
 * Applies to markers that match now, and to those that are registered later. A marker that is
 * registered later, and that the condition of a trigger does not suit, is recorded without that
 * trigger, which is logged.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, sleeps.
 * Return: 0; -EINVAL (no such line, or a condition that does not suit a marker), -ENOENT (no line
 * to remove), -ERANGE (a time), -ENAMETOOLONG, -E2BIG, -EOPNOTSUPP (not on this kernel), -EDQUOT
 * (no room for marks), -ENOMEM, -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_triggers(struct ltt_trace *trace, const char *text, struct ltt_error *error)
{
	struct ltt_trigger_needs needs;
	int err;

	/* What is needed is itself a request, and what is there stays. */
	while ((err = request(trace, text, &needs, error)) == -EAGAIN) {
		err = needs.own ? ltt_triggers_own_get(error) : 0;
		if (!err && needs.warn)
			err = ltt_triggers_warn_get(error);
		if (!err && needs.windows)
			err = ltt_windows_want(trace, needs.windows, error);
		if (err)
			return err;
	}
	return err;
}

/* ---- the end ----------------------------------------------------------------------- */

/**
 * ltt_triggers_end() - let no trigger act any more
 * @trace:	the trace, which has no writers any more
 *
 * Context: task, ltt_mutex not held; takes it, sleeps, waits for a grace period of RCU.
 */
void ltt_triggers_end(struct ltt_trace *trace)
{
	struct ltt_triggers *triggers;
	struct ltt_trigger_list *list;
	unsigned int i;

	mutex_lock(&ltt_mutex);
	triggers = trace->triggers;
	list = list_of(trace);
	for (i = 0; list && i < list->nr; i++)
		WRITE_ONCE(list->trigger[i]->removed, true);
	if (triggers) {
		RCU_INIT_POINTER(triggers->list, NULL);
		ltt_triggers_notice_update(triggers);
		ltt_triggers_notice_remove(triggers);
	}
	mutex_unlock(&ltt_mutex);
	if (!triggers)
		return;
	synchronize_rcu();
	ltt_triggers_end_work(triggers);
	for (i = 0; list && i < list->nr; i++) {
		cancel_delayed_work_sync(&list->trigger[i]->watch);
		ltt_trigger_put(list->trigger[i]);
	}
	kfree(list);
}

/**
 * ltt_triggers_free() - free what a trace had for triggers
 * @trace:	the trace, to which nobody has a reference any more
 *
 * Context: task.
 */
void ltt_triggers_free(struct ltt_trace *trace)
{
	kfree(trace->triggers);
}

/* ---- reading ----------------------------------------------------------------------- */

static bool set_has(const struct ltt_trigger_set *set, const struct ltt_trigger *trigger)
{
	unsigned int i;

	for (i = 0; set && i < set->nr; i++) {
		if (set->entry[i].trigger == trigger)
			return true;
	}
	return false;
}

/**
 * ltt_trace_trigger() - go through the triggers of a trace
 * @trace:	the trace
 * @nr:		number of the trigger, from 0
 * @markers:	receives how many markers that the trace records have it
 *
 * Context: task, ltt_mutex held.
 * Return: the trigger, valid until ltt_mutex is released; NULL if there are no more.
 */
const struct ltt_trigger *ltt_trace_trigger(const struct ltt_trace *trace, unsigned int nr,
					    unsigned int *markers)
{
	const struct ltt_trigger_list *list = list_of(trace);
	struct ltt_trace_channel *tchan;
	struct ltt_trace_event *tevent;
	unsigned int found = 0;
	unsigned long id;

	lockdep_assert_held(&ltt_mutex);
	if (!list || nr >= list->nr)
		return NULL;
	list_for_each_entry(tchan, &trace->tchans, node) {
		xa_for_each(&tchan->events, id, tevent)
			found += tevent->enabled && set_has(tevent->triggers, list->trigger[nr]);
	}
	*markers = found;
	return list->trigger[nr];
}

/**
 * ltt_trace_triggers_acted() - how often have triggers of a trace acted?
 * @trace:	the trace
 *
 * Context: any.
 */
unsigned int ltt_trace_triggers_acted(const struct ltt_trace *trace)
{
	const struct ltt_triggers *triggers = READ_ONCE(trace->triggers);

	return triggers ? atomic_read(&triggers->acted) : 0;
}
