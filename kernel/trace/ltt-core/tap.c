// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the ways from the call sites into the traces.
 *
 * A call site is on, its static key enabled, while its taps are not NULL; so it
 * is enabled last and disabled first. All call sites of an event share one array
 * of taps, which is never changed, only replaced: writers hold it in a section
 * with preemption disabled, hence it is freed after a grace period of RCU.
 *
 * Locks: ltt_mutex is held in all of this file. Enabling a key takes the CPU
 * hotplug lock under it, so that a hotplug callback must not take ltt_mutex.
 */

#include <linux/jump_label.h>
#include <linux/slab.h>
#include <linux/string.h>

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

/* ---- call sites ------------------------------------------------------------ */

/* Give a call site the taps @tap, and bring its key in line with that. */
static void marker_set(struct ltt_marker *marker, const struct ltt_tap *tap)
{
	bool on = static_key_enabled(&marker->key);
	int err;

	if (!tap) {
		if (!on)
			return;
		static_key_disable(&marker->key.key);
		if (marker->disconnect)
			marker->disconnect(marker);
		RCU_INIT_POINTER(marker->taps, NULL);
		return;
	}

	/* Pairs with the address dependency of __LTT_RECORD(). */
	rcu_assign_pointer(marker->taps, tap);
	if (on)
		return;
	err = marker->connect ? marker->connect(marker) : 0;
	if (err) {
		RCU_INIT_POINTER(marker->taps, NULL);
		pr_warn("ltt: marker %s.%s of module %s cannot be connected: error %d\n",
			marker->channel, marker->name, marker->event->module, err);
		ltt_log_error(NULL, "marker %s.%s cannot be connected: error %d",
			      marker->channel, marker->name, err);
		return;
	}
	static_key_enable(&marker->key.key);
}

/**
 * ltt_tap_off() - turn a call site off, before it goes
 * @marker:	the call site
 *
 * Context: task, ltt_mutex held; sleeps.
 * Return: whether what calls the marker was disconnected.
 */
bool ltt_tap_off(struct ltt_marker *marker)
{
	bool hooked = marker->disconnect && static_key_enabled(&marker->key);

	marker_set(marker, NULL);
	return hooked;
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

/* The taps @event should have, without one into @except; NULL for none. */
static struct ltt_taps *build(const struct ltt_event *event,
			      const struct ltt_trace *except)
{
	struct ltt_tevent *tevent;
	struct ltt_trace *trace;
	struct ltt_taps *taps;
	unsigned int nr = 0;

	if (list_empty(&event->markers))
		return NULL;
	list_for_each_entry(trace, &ltt_traces, node) {
		if (trace != except && !trace->dead && recorded(trace, event))
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
		if (trace == except || trace->dead)
			continue;
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

static void update(struct ltt_event *event, const struct ltt_trace *except)
{
	struct ltt_taps *old = event->taps, *new = build(event, except);
	struct ltt_marker *marker;

	if (same_taps(old, new)) {
		kfree(new);
		new = old;
		old = NULL;
	}
	event->taps = new;
	/* Also where nothing has changed: a call site may be new. */
	list_for_each_entry(marker, &event->markers, node)
		marker_set(marker, new ? new->tap : NULL);
	if (old)
		kfree_rcu(old, rcu);
}

/**
 * ltt_event_update() - bring the call sites in line with what the traces want
 * @event:	the kind of event
 *
 * To be called after anything changed that decides whether and how a trace records
 * the event: its id, its filters, enablement of the event or its channel, the
 * channel's buffers. Changes nothing, and costs no patching of code, where nothing
 * has to change. Writers may use the old ways until a grace period of RCU has
 * passed; many events may share one wait for it. Cannot fail; call sites that
 * refuse to be connected stay off, with a message.
 *
 * Context: task, ltt_mutex held; sleeps.
 */
void ltt_event_update(struct ltt_event *event)
{
	lockdep_assert_held(&ltt_mutex);
	update(event, NULL);
}

/**
 * ltt_event_detach() - stop recording events in a trace, for good
 * @trace:	the trace, whether it is still in ltt_traces or not
 *
 * When this returns, no writer is in a buffer of the trace or will come there,
 * and no filter runs, unless ltt_event_update() is called before @trace is dead
 * or has left ltt_traces.
 *
 * Context: task, ltt_mutex held; waits for a grace period of RCU.
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
				update(tevent->event, trace);
		}
	}
	synchronize_rcu();
}
