// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the events of a trace: which of them it records.
 *
 * An event that is to be recorded needs three things: its channel in the trace
 * (struct ltt_trace_channel), the channel's buffers, and an id (struct ltt_trace_event). All are
 * made on first use and stay until the trace is freed.
 *
 * Requests can select many events at once, and are carried out as a whole or not at
 * all. So everything that may fail is prepared first, with the buffers still hidden;
 * then they are either freed again, or published and the events enabled, which cannot
 * fail. While buffers are allocated, ltt_mutex is not held: events that appear meanwhile are
 * left to ltt_trace_events_added(), which waits for the request. A failed request may leave
 * channels without buffers, and ids of events that are not recorded: they are small, invisible
 * in the output, and used by the next one.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../relay/packet_reader.h"
#include "core.h"
#include "event_filter.h"
#include "trigger.h"

/* ---- events of a trace ------------------------------------------------------- */

/**
 * ltt_trace_channel_event() - look up an event by its id
 * @tchan:	the channel in the trace that has the buffers; the caller has a reference to
 *		the trace
 * @id:		event id
 *
 * Context: any.
 * Return: the event, which lives as long as the trace; NULL if @id is not in use.
 */
struct ltt_trace_event *ltt_trace_channel_event(const struct ltt_trace_channel *tchan, u32 id)
{
	/* xa_load() changes nothing, its parameter just lacks const. */
	return xa_load((struct xarray *)&tchan->events, id);
}
EXPORT_SYMBOL_GPL(ltt_trace_channel_event);

static const struct ltt_format *find_format(const void *home, u32 id)
{
	const struct ltt_trace_event *tevent = ltt_trace_channel_event(home, id);

	return tevent ? tevent->event->format : NULL;
}

/**
 * ltt_trace_channel_formats() - what the events in a channel's buffers look like
 * @home:	the channel in the trace that has the buffers; the caller has a reference to
 *		the trace
 *
 * Context: any.
 * Return: the formats; valid as long as the trace.
 */
struct ltt_packet_formats ltt_trace_channel_formats(const struct ltt_trace_channel *home)
{
	return (struct ltt_packet_formats){
		.format = find_format,
		.arg = home,
		.context = home->context ? home->context->format : NULL,
	};
}

/**
 * ltt_trace_channel_next_event() - go through the events of a channel
 * @tchan:	the channel in the trace; the caller has a reference to the trace
 * @next:	the smallest id to look at, 0 at first; moves behind that of the event
 *
 * Context: any.
 * Return: the event, which lives as long as the trace; NULL: there are no more now.
 */
struct ltt_trace_event *ltt_trace_channel_next_event(const struct ltt_trace_channel *tchan,
						     u32 *next)
{
	const struct ltt_trace_channel *home = READ_ONCE(tchan->home);
	struct ltt_trace_event *tevent;

	while (home && *next < READ_ONCE(home->nr_events)) {
		tevent = ltt_trace_channel_event(home, (*next)++);
		if (tevent && tevent->tchan == tchan)
			return tevent;
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(ltt_trace_channel_next_event);

/**
 * ltt_trace_event_find() - look for an event in a trace
 * @trace:	the trace
 * @event:	the kind of event
 *
 * The time it takes depends on how many traces know the event, not on how many events they
 * have.
 *
 * Context: task, ltt_mutex held.
 * Return: the event in the trace, NULL if it has no id there.
 */
struct ltt_trace_event *ltt_trace_event_find(const struct ltt_trace *trace,
					     const struct ltt_event *event)
{
	struct ltt_trace_event *tevent;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(tevent, &event->tevents, node) {
		if (tevent->tchan->trace == trace)
			return tevent;
	}
	return NULL;
}

/* With the filter that it has in the trace. */
static struct ltt_trace_event *alloc_tevent(struct ltt_trace_channel *tchan,
					    struct ltt_event *event, struct ltt_error *error)
{
	struct ltt_trace_event *tevent = kzalloc(sizeof(*tevent), GFP_KERNEL);
	struct ltt_filter_chain *chains = NULL;
	struct ltt_event_filter *filter;
	int err;

	if (!tevent)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	tevent->event = event;
	tevent->tchan = tchan;
	filter = ltt_event_filter_new(tchan->trace, event, error);
	if (IS_ERR(filter)) {
		kfree(tevent);
		return ERR_CAST(filter);
	}
	tevent->triggers = ltt_trigger_set_new(tchan->trace, event);
	if (!filter && !tchan->trace->filter && !tevent->triggers)
		return tevent;
	err = ltt_filter_prepare(tevent, filter, &chains);
	ltt_filter_publish(chains, !err);
	if (!err)
		return tevent;
	ltt_trigger_set_free(tevent->triggers);
	kfree(tevent);
	return ERR_PTR(ltt_fail(error, err, "out of memory"));
}

static int add_tevent(struct ltt_trace_channel *tchan, struct ltt_event *event,
		      struct ltt_error *error)
{
	struct ltt_trace_channel *home = tchan->home;
	struct ltt_trace_event *tevent;
	int err;

	tevent = alloc_tevent(tchan, event, error);
	if (IS_ERR(tevent))
		return PTR_ERR(tevent);
	tevent->id = home->nr_events;
	err = ltt_persist_event(tevent, error);
	if (err)
		goto free;
	err = xa_err(xa_store(&home->events, tevent->id, tevent, GFP_KERNEL));
	if (err) {
		ltt_fail(error, err, "out of memory");
		goto free;
	}
	ltt_event_get(event);
	list_add_tail(&tevent->node, &event->tevents);
	WRITE_ONCE(home->nr_events, home->nr_events + 1);
	return 0;

free:
	ltt_filter_free(tevent);
	kfree(tevent);
	return err;
}

/* Give an event an id, and prepare enabling it, if its channel is ready. */
static int prepare_id(struct ltt_trace *trace, struct ltt_event *event,
		      struct ltt_error *error)
{
	struct ltt_trace_channel *tchan = ltt_trace_channel_find(trace, event->channel);
	struct ltt_trace_event *tevent = ltt_trace_event_find(trace, event);
	int err;

	/* It is new, see the top of this file. */
	if (!tchan || !tchan->home || !tchan->home->mem)
		return 0;
	if (!tevent) {
		err = add_tevent(tchan, event, error);
		if (err)
			return err;
	} else if (tevent->enabled) {
		return 0;
	}
	err = ltt_event_prepare(event);
	return err ? ltt_fail(error, err, "out of memory") : 0;
}

/* Cannot fail. */
static int set_enabled(struct ltt_trace *trace, struct ltt_event *event, bool enabled)
{
	struct ltt_trace_event *tevent = ltt_trace_event_find(trace, event);

	if (tevent && enabled)
		ltt_declare(tevent);
	if (tevent && tevent->enabled != enabled) {
		tevent->enabled = enabled;
		ltt_event_update(event);
	}
	return 0;
}

/**
 * ltt_trace_events_free() - free all events that a channel in a trace is the home of
 * @tchan:	the channel in the trace, to which nobody has a reference any more
 *
 * Context: task, ltt_mutex held; sleeps.
 */
void ltt_trace_events_free(struct ltt_trace_channel *tchan)
{
	struct ltt_trace_event *tevent;
	unsigned long id;

	xa_for_each(&tchan->events, id, tevent) {
		ltt_filter_free(tevent);
		list_del(&tevent->node);
		ltt_event_put(tevent->event);
		kfree(tevent);
	}
	xa_destroy(&tchan->events);
}

/* ---- requests ---------------------------------------------------------------- */

/* A step of a request, for one event. */
enum step {
	WANT_BUFFER,
	PREPARE_ID,
	ENABLE,
};

static int take_step(struct ltt_trace *trace, struct ltt_event *event, bool enable,
		     enum step step, struct ltt_error *error)
{
	switch (step) {
	case WANT_BUFFER:
		return enable ? ltt_trace_channel_want(trace, event->channel, error) : 0;
	case PREPARE_ID:
		return enable ? prepare_id(trace, event, error) : 0;
	case ENABLE:
		return set_enabled(trace, event, enable);
	}
	return 0;
}

/*
 * Take a step for all events that @patterns match: those of the channel @only, or, if that
 * is NULL, of all channels that are not private.
 */
static int for_matching(struct ltt_trace *trace, const struct list_head *patterns,
			const struct ltt_channel *only, enum step step,
			struct ltt_error *error)
{
	const struct ltt_pattern *pattern;
	struct ltt_channel *channel;
	struct ltt_event *event;
	int err;

	list_for_each_entry(channel, &ltt_channels, node) {
		if (only ? channel != only : channel->flags & LTT_CHANNEL_PRIVATE)
			continue;
		list_for_each_entry(event, &channel->events, node) {
			pattern = ltt_pattern_match(patterns, event);
			if (!pattern)
				continue;
			err = take_step(trace, event, !pattern->negate, step, error);
			if (err)
				return err;
		}
	}
	return 0;
}

static int apply(struct ltt_trace *trace, const struct list_head *patterns,
		 const struct ltt_channel *only, struct ltt_error *error)
{
	int err;

	err = for_matching(trace, patterns, only, WANT_BUFFER, error);
	if (!err)
		err = ltt_trace_channels_prepare(trace, error);
	if (!err)
		err = for_matching(trace, patterns, only, PREPARE_ID, error);
	if (err) {
		ltt_trace_channels_drop(trace);
		return err;
	}
	ltt_trace_channels_publish(trace);
	err = for_matching(trace, patterns, only, ENABLE, error);
	wake_up_all(&trace->wait);	/* readers of the metadata */
	return err;
}

/**
 * ltt_trace_select() - select what a trace records, as a part of a request
 * @trace:	the trace
 * @pattern:	as for ltt_trace_pattern()
 * @error:	why it failed; may be NULL
 *
 * ltt_switch_wait() has to be called when the request ends.
 *
 * Context: task, the trace's request mutex and ltt_mutex held: the latter is released meanwhile;
 * takes the CPU hotplug lock, sleeps.
 * Return: as ltt_trace_pattern().
 */
int ltt_trace_select(struct ltt_trace *trace, const char *pattern, struct ltt_error *error)
{
	LIST_HEAD(patterns);
	int err = ltt_pattern_parse(pattern, &patterns, error);

	if (!err)
		err = apply(trace, &patterns, NULL, error);
	if (!err)
		ltt_pattern_adopt(trace, &patterns);
	ltt_pattern_free(&patterns);
	return err;
}

/**
 * ltt_trace_pattern() - select what a trace records
 * @trace:	the trace; the caller has a reference
 * @pattern:	one or several patterns, separated by white space: CHANNEL.MARKER
 *		with the wildcards * and ?, or "*" for all; with ! before it: do not
 *		record. See pattern.c
 * @error:	why it failed; may be NULL
 *
 * The patterns take effect on the events that are known now, and are remembered for
 * later ones. If several patterns match an event, the last one decides. When a channel
 * is first used, its buffers are allocated. Private channels are not touched. All of
 * @pattern takes effect or none of it.
 *
 * An event that is turned off may still be recorded by writers that are under way, for
 * one RCU grace period. Events that are turned on are recorded when this returns, or
 * soon after if the caller is being killed.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex and the CPU hotplug
 * lock, sleeps.
 * Return: 0; -EINVAL or -ENAMETOOLONG (syntax), -EDQUOT, -ENOMEM, -ENOSPC (no room in its
 * area), -EINTR (killed while it waited, or allocated), -ENODEV (destroyed).
 */
int ltt_trace_pattern(struct ltt_trace *trace, const char *pattern,
		      struct ltt_error *error)
{
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	err = ltt_trace_select(trace, pattern, error);
	ltt_trace_request_end(trace);
	ltt_switch_wait(&trace->dying);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_pattern);

static bool any_match(const struct ltt_channel *channel, const struct list_head *patterns)
{
	const struct ltt_event *event;

	list_for_each_entry(event, &channel->events, node) {
		if (ltt_pattern_match(patterns, event))
			return true;
	}
	return false;
}

/**
 * ltt_trace_set_event() - set whether a trace records a marker
 * @trace:	the trace; the caller has a reference
 * @channel:	name of its channel, which may be a private one
 * @marker:	name of the marker; the wildcards * and ? are allowed
 * @enable:	whether to record
 * @error:	why it failed; may be NULL
 *
 * As ltt_trace_pattern(), but something must match now. For a private channel, the request
 * is not remembered for later events.
 *
 * Context: as ltt_trace_pattern().
 * Return: 0; -ENOENT (no such channel or marker), and as ltt_trace_pattern().
 */
int ltt_trace_set_event(struct ltt_trace *trace, const char *channel,
			const char *marker, bool enable, struct ltt_error *error)
{
	struct ltt_channel *chan;
	LIST_HEAD(patterns);
	char *text;
	int err;

	text = kasprintf(GFP_KERNEL, "%s%s.%s", enable ? "" : "!", channel, marker);
	if (!text)
		return ltt_fail(error, -ENOMEM, "out of memory");
	err = ltt_pattern_parse(text, &patterns, error);
	kfree(text);
	if (err)
		return err;
	err = ltt_trace_request(trace, error);
	if (err)
		goto free;

	chan = ltt_channel_find(channel);
	if (!chan || !any_match(chan, &patterns)) {
		err = ltt_fail(error, -ENOENT, "no such marker: %s.%s", channel, marker);
		goto unlock;
	}
	err = apply(trace, &patterns, chan, error);
	if (!err && !(chan->flags & LTT_CHANNEL_PRIVATE))
		ltt_pattern_adopt(trace, &patterns);
unlock:
	ltt_trace_request_end(trace);
	ltt_switch_wait(&trace->dying);
free:
	ltt_pattern_free(&patterns);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_set_event);

/* ---- new events ---------------------------------------------------------------- */

/*
 * Traces look at new events after ltt_mutex was released, as they may have to allocate buffers.
 * added has those that nobody has looked at yet, and a reference to each; protected by
 * ltt_mutex. Whoever holds added_mutex looks at them, with all traces.
 */
static LIST_HEAD(added);
static DEFINE_MUTEX(added_mutex);
static unsigned long nr_batches;

/**
 * ltt_trace_event_added() - a kind of event was added
 * @event:	the event
 *
 * ltt_trace_events_added() has to be called afterwards.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_trace_event_added(struct ltt_event *event)
{
	lockdep_assert_held(&ltt_mutex);
	ltt_event_get(event);
	list_add_tail(&event->added, &added);
}

/* Does a trace want to record a new event that it does not record yet? */
static bool wants_added(const struct ltt_trace *trace, const struct ltt_event *event)
{
	const struct ltt_trace_event *tevent = ltt_trace_event_find(trace, event);

	return !list_empty(&event->markers) && !(tevent && tevent->enabled) &&
	       ltt_pattern_wants(trace, event);
}

static void not_recorded(struct ltt_trace *trace, const struct ltt_event *event,
			 const struct ltt_error *error)
{
	pr_warn("trace %s: marker %s.%s is not recorded: %s\n", trace->name,
		event->channel->name, event->name, error->text);
	ltt_log_error(trace->log, "marker %s.%s is not recorded: %s", event->channel->name,
		      event->name, error->text);
}

/* A request that records one event. */
static int record(struct ltt_trace *trace, struct ltt_event *event, struct ltt_error *error)
{
	int err = ltt_trace_channel_want(trace, event->channel, error);

	if (!err)
		err = ltt_trace_channels_prepare(trace, error);
	/* It may have been turned off, or its marker unloaded, meanwhile. */
	if (!err && wants_added(trace, event))
		err = prepare_id(trace, event, error);
	if (err) {
		ltt_trace_channels_drop(trace);
		return err;
	}
	ltt_trace_channels_publish(trace);
	if (wants_added(trace, event))
		set_enabled(trace, event, true);
	wake_up_all(&trace->wait);
	return 0;
}

/* Let a trace record those of the events that it wants. Return: false if we are being killed. */
static bool ask(struct ltt_trace *trace, const struct list_head *events)
{
	struct ltt_event *event;
	struct ltt_error error;
	int err = 0;

	if (mutex_lock_killable(&trace->request))
		return false;
	mutex_lock(&ltt_mutex);
	list_for_each_entry(event, events, added) {
		if (trace->dying)
			break;
		if (!wants_added(trace, event))
			continue;
		err = record(trace, event, &error);
		if (err == -EINTR)
			break;
		if (err && err != -ENODEV)
			not_recorded(trace, event, &error);
	}
	mutex_unlock(&ltt_mutex);
	mutex_unlock(&trace->request);
	return err != -EINTR;
}

/* The next trace that was not asked for this batch yet, with a reference. */
static struct ltt_trace *next_to_ask(void)
{
	struct ltt_trace *trace;

	list_for_each_entry(trace, &ltt_traces, node) {
		if (trace->asked != nr_batches) {
			trace->asked = nr_batches;
			ltt_trace_get(trace);
			return trace;
		}
	}
	return NULL;
}

static void added_later(struct work_struct *work)
{
	ltt_trace_events_added();
}

static DECLARE_WORK(added_work, added_later);

/**
 * ltt_trace_events_added() - kinds of events were added: do traces want them?
 *
 * On return they are recorded; if the caller is being killed, a work item does it. If a trace
 * cannot record one, that is logged in the trace's error log and in the kernel's, and is not an
 * error.
 *
 * Context: task, ltt_mutex not held; waits for requests of the traces, takes the CPU hotplug
 * lock, sleeps.
 */
void ltt_trace_events_added(void)
{
	struct ltt_event *event, *next;
	struct ltt_trace *trace;
	bool done = true;
	LIST_HEAD(batch);

	mutex_lock(&added_mutex);
	mutex_lock(&ltt_mutex);
	list_splice_init(&added, &batch);
	nr_batches++;
	while (done && !list_empty(&batch) && (trace = next_to_ask())) {
		mutex_unlock(&ltt_mutex);
		done = ask(trace, &batch);
		ltt_trace_put(trace);
		mutex_lock(&ltt_mutex);
	}
	/* Others wait for them, too: they may have added some of these. */
	if (!done) {
		list_splice_init(&batch, &added);
		queue_work(ltt_wq, &added_work);
	}
	list_for_each_entry_safe(event, next, &batch, added) {
		list_del_init(&event->added);
		ltt_event_put(event);
	}
	mutex_unlock(&ltt_mutex);
	mutex_unlock(&added_mutex);
}

/**
 * ltt_trace_channel_private() - a channel is going to be private
 * @channel:	the channel
 *
 * Events of it that patterns selected are not recorded any more.
 *
 * Context: task, ltt_mutex held; sleeps.
 */
void ltt_trace_channel_private(struct ltt_channel *channel)
{
	struct ltt_event *event;
	struct ltt_trace *trace;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(trace, &ltt_traces, node) {
		list_for_each_entry(event, &channel->events, node)
			set_enabled(trace, event, false);
	}
}
