// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the ways from the call sites into the traces.
 *
 * All call sites of an event share one array of taps, which is never changed, only
 * replaced: writers hold it in a section with preemption disabled, hence it is freed
 * after a grace period of RCU.
 *
 * Which taps an event has is decided and published under ltt_mutex. That is all it takes
 * to record no more: a call site without taps records nothing, whether it is on or off.
 * To turn a call site on or off - its static key, and what calls it, such as a
 * tracepoint's probe - may wait for as long as the kernel likes: for grace periods of RCU,
 * for all tasks to be scheduled, for answers of other CPUs. So that is done later, one
 * call site at a time, with ltt_switch_mutex held and ltt_mutex not:
 *
 *   - An event whose call sites are not what its taps say is put into to_switch, and a
 *     work item is queued that will mend it.
 *   - A caller that needs it done does it with ltt_switch_now(), or waits for it with
 *     ltt_switch_wait(), which a fatal signal ends.
 *   - Whoever switches looks again after each call site whether it has become what the
 *     taps say; they may have changed meanwhile.
 *   - A call site is removed with ltt_switch_mutex held, so none goes while it is being
 *     switched; and it is switched off by whoever removes it.
 *
 * A key is enabled after the taps were stored, and connecting comes before that; it is
 * disabled first.
 *
 * Locks: ltt_switch_mutex > ltt_mutex. Enabling a key takes the CPU hotplug lock under the
 * former. See buffer.c.
 */

#include <linux/jump_label.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core.h"

/**
 * struct ltt_taps - the ways of an event's call sites into the traces
 * @rcu:	frees it
 * @nr:		entries of @tap without the last, whose reserve is NULL
 * @tap:	one for each trace that records the event
 */
struct ltt_taps {
	struct rcu_head rcu;
	unsigned int nr;
	struct ltt_tap tap[];
};

/* ---- call sites are turned on and off ---------------------------------------- */

DEFINE_MUTEX(ltt_switch_mutex);	/* see above */

/* Events with call sites that have to be switched; protected by ltt_mutex. */
static LIST_HEAD(to_switch);

/*
 * How many events were ever put into to_switch, and how many of these have been served, in
 * the same order. Written under ltt_mutex.
 */
static u64 switches_wanted;
static u64 switches_done;

/* For switches_done, and for traces that are being destroyed. */
static DECLARE_WAIT_QUEUE_HEAD(switch_wait);

static bool is_on(const struct ltt_marker *marker)
{
	return static_key_enabled(&marker->key);
}

static void switch_off(struct ltt_marker *marker)
{
	static_key_disable(&marker->key.key);
	if (marker->disconnect)
		marker->disconnect(marker);
}

static int switch_on(struct ltt_marker *marker)
{
	int err = marker->connect ? marker->connect(marker) : 0;

	if (err) {
		pr_warn("ltt: marker %s.%s of module %s cannot be connected: error %d\n",
			marker->channel, marker->name, marker->event->module, err);
		ltt_log_error(NULL, "marker %s.%s cannot be connected: error %d",
			      marker->channel, marker->name, err);
		return err;
	}
	if (marker->connect)
		marker->hooked = true;
	static_key_enable(&marker->key.key);
	return 0;
}

/*
 * Make a call site what the event's taps say. ltt_mutex is held, but let go of while it is
 * switched; the call site stays, as ltt_switch_mutex is held.
 */
static void switch_marker(struct ltt_event *event, struct ltt_marker *marker)
{
	bool wanted;
	int err = 0;

	while (!err && is_on(marker) != (wanted = event->taps)) {
		mutex_unlock(&ltt_mutex);
		if (wanted)
			err = switch_on(marker);
		else
			switch_off(marker);
		mutex_lock(&ltt_mutex);
	}
	/*
	 * What cannot be connected stays off until the taps change. They may have changed
	 * while ltt_mutex was not held, and have come to a call site that is off, to be
	 * connected after all: it gets what is true now, and not what was.
	 */
	rcu_assign_pointer(marker->taps, err || !event->taps ? NULL : event->taps->tap);
}

/* Serve the first of the events in to_switch, if there is one. */
static bool switch_one(void)
{
	struct ltt_marker *marker;
	struct ltt_event *event;

	lockdep_assert_held(&ltt_switch_mutex);
	mutex_lock(&ltt_mutex);
	event = list_first_entry_or_null(&to_switch, struct ltt_event, to_switch);
	if (event) {
		/* What changes from now on puts it there again. */
		list_del_init(&event->to_switch);
		list_for_each_entry(marker, &event->markers, node)
			switch_marker(event, marker);
		WRITE_ONCE(switches_done, switches_done + 1);
		ltt_event_put(event);
	}
	mutex_unlock(&ltt_mutex);
	wake_up_all(&switch_wait);
	return event;
}

/**
 * ltt_switch_now() - turn call sites on and off that are to be
 *
 * When it returns, all that was decided before the call is done.
 *
 * Context: task, neither ltt_mutex nor ltt_switch_mutex held; waits for as long as that
 * takes.
 */
void ltt_switch_now(void)
{
	bool any;

	mutex_lock(&ltt_mutex);
	any = switches_done != switches_wanted;
	mutex_unlock(&ltt_mutex);
	if (!any)
		return;
	mutex_lock(&ltt_switch_mutex);
	while (switch_one())
		;
	mutex_unlock(&ltt_switch_mutex);
}

static void switch_later(struct work_struct *work)
{
	ltt_switch_now();
}

static DECLARE_WORK(switch_work, switch_later);

/**
 * ltt_switch_wait() - wait until call sites are on or off that are to be
 * @trace:	the trace for which it was decided, of which the caller has a reference
 *
 * All that was decided before the call is done when this returns, unless the caller is
 * being killed, or the trace destroyed: then it will be.
 *
 * Context: task, ltt_mutex not held; can be killed.
 */
void ltt_switch_wait(const struct ltt_trace *trace)
{
	u64 wanted;

	mutex_lock(&ltt_mutex);
	wanted = switches_wanted;
	mutex_unlock(&ltt_mutex);
	wait_event_killable(switch_wait, READ_ONCE(switches_done) >= wanted ||
			    READ_ONCE(trace->dying));
}

/**
 * ltt_switch_trace_dies() - nobody is to wait in ltt_switch_wait() for a trace any more
 *
 * Context: task; the trace is dying.
 */
void ltt_switch_trace_dies(void)
{
	wake_up_all(&switch_wait);
}

/**
 * ltt_switch_off() - turn off a call site that goes
 * @marker:	the call site; no event's any more, and without taps
 *
 * Context: task, ltt_switch_mutex held; sleeps.
 */
void ltt_switch_off(struct ltt_marker *marker)
{
	lockdep_assert_held(&ltt_switch_mutex);
	if (is_on(marker))
		switch_off(marker);
}

/* Have the call sites of @event turned on or off if they are not what its taps say. */
static void switch_if_needed(struct ltt_event *event)
{
	struct ltt_marker *marker;

	if (!list_empty(&event->to_switch))
		return;
	list_for_each_entry(marker, &event->markers, node) {
		if (is_on(marker) == !!event->taps)
			continue;
		ltt_event_get(event);
		list_add_tail(&event->to_switch, &to_switch);
		switches_wanted++;
		queue_work(ltt_wq, &switch_work);
		return;
	}
}

/* ---- taps ------------------------------------------------------------------ */

static struct ltt_slot (*const reserve_fast[])(const struct ltt_tap *tap, size_t len) = {
	[LTT_CLOCK_TSC] = ltt_reserve_tsc,
	[LTT_CLOCK_MONO] = ltt_reserve_mono,
	[LTT_CLOCK_COUNTER] = ltt_reserve_counter,
};

static struct ltt_slot (*const reserve_slow[])(const struct ltt_tap *tap, size_t len) = {
	[LTT_CLOCK_TSC] = ltt_reserve_slow_tsc,
	[LTT_CLOCK_MONO] = ltt_reserve_slow_mono,
	[LTT_CLOCK_COUNTER] = ltt_reserve_slow_counter,
};

/* The event in @trace if it is to be recorded there. */
static struct ltt_tevent *recorded(const struct ltt_trace *trace,
				   const struct ltt_event *event)
{
	struct ltt_tchan *tchan;
	struct ltt_tevent *tevent;
	unsigned int id;

	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->channel != event->channel)
			continue;
		if (!tchan->enabled || !tchan->buf)
			return NULL;
		for (id = 0; id < tchan->nr_events; id++) {
			tevent = ltt_tchan_event(tchan, id);
			if (tevent && tevent->event == event)
				return tevent->enabled ? tevent : NULL;
		}
		return NULL;
	}
	return NULL;
}

static void fill_tap(struct ltt_tap *tap, struct ltt_tevent *tevent)
{
	enum ltt_clock_id clock = tevent->tchan->trace->clock;

	/* Larger ids do not fit into the compact header. */
	tap->reserve = tevent->id < LTT_ID_EXTENDED ? reserve_fast[clock] :
						      reserve_slow[clock];
	tap->buf = tevent->tchan->buf;
	tap->id = tevent->id;
	tap->publish = ltt_buf_publish;
	ltt_context_setup(tap, tevent->tchan);
	ltt_filter_setup(tap, tevent);
}

/* The taps @event should have; NULL for none. */
static struct ltt_taps *build(const struct ltt_event *event)
{
	struct ltt_tevent *tevent;
	struct ltt_trace *trace;
	struct ltt_taps *taps;
	unsigned int nr = 0;

	if (list_empty(&event->markers))
		return NULL;
	list_for_each_entry(trace, &ltt_traces, node) {
		if (recorded(trace, event))
			nr++;
	}
	if (!nr)
		return NULL;

	/*
	 * What goes away must go away, or its buffers could never be freed. The
	 * array is small: a cache line for each trace.
	 */
	taps = kzalloc(struct_size(taps, tap, nr + 1), GFP_KERNEL | __GFP_NOFAIL);
	list_for_each_entry(trace, &ltt_traces, node) {
		tevent = recorded(trace, event);
		if (tevent)
			fill_tap(&taps->tap[taps->nr++], tevent);
	}
	return taps;
}

static bool same_taps(const struct ltt_taps *a, const struct ltt_taps *b)
{
	if (!a || !b)
		return a == b;
	return a->nr == b->nr && !memcmp(a->tap, b->tap, a->nr * sizeof(a->tap[0]));
}

/**
 * ltt_event_update() - give the call sites the taps that the traces want
 * @event:	the kind of event
 *
 * To be called after anything changed that decides whether and how a trace records
 * the event: its id, its filters, enablement of the event or its channel, the
 * channel's buffers. Changes nothing, and costs no patching of code, where nothing
 * has to change. Writers may use the old taps until a grace period of RCU has
 * passed; many events may share one wait for it. Cannot fail; call sites that
 * refuse to be connected stay off, with a message.
 *
 * Call sites that have to be turned on or off are so later: see ltt_switch_now() and
 * ltt_switch_wait().
 *
 * Context: task, ltt_mutex held; sleeps, but waits for nobody.
 */
void ltt_event_update(struct ltt_event *event)
{
	struct ltt_taps *old = event->taps, *new = build(event);
	struct ltt_marker *marker;

	lockdep_assert_held(&ltt_mutex);
	if (same_taps(old, new)) {
		kfree(new);
		new = old;
		old = NULL;
	}
	event->taps = new;
	/*
	 * Also where nothing has changed: a call site may be new. Pairs with the address
	 * dependency of __LTT_RECORD().
	 */
	list_for_each_entry(marker, &event->markers, node)
		rcu_assign_pointer(marker->taps, new ? new->tap : NULL);
	switch_if_needed(event);
	if (old)
		kfree_rcu(old, rcu);
}

/**
 * ltt_event_detach() - stop recording events in a trace, for good
 * @trace:	the trace, which has left ltt_traces
 *
 * A grace period of RCU later no writer is in a buffer of the trace or will come there,
 * and no filter runs.
 *
 * Context: task, ltt_mutex held; sleeps, but waits for nobody.
 */
void ltt_event_detach(struct ltt_trace *trace)
{
	struct ltt_tevent *tevent;
	struct ltt_tchan *tchan;
	unsigned int id;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(tchan, &trace->tchans, node) {
		for (id = 0; id < tchan->nr_events; id++) {
			tevent = ltt_tchan_event(tchan, id);
			if (tevent)
				ltt_event_update(tevent->event);
		}
	}
}
