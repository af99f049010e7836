// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the ways from the call sites into the traces.
 *
 * All call sites of an event share one array of taps, which is never changed, only
 * replaced: writers hold it in a section with preemption disabled, hence it is freed
 * after a grace period of RCU.
 *
 * Which taps an event has is decided and published under ltt_mutex. That is all it takes
 * to record no more. Call sites are turned on and off later, see switch.c.
 */

#include <linux/slab.h>
#include <linux/string.h>

#include "core.h"

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

/* Is the event to be recorded in this trace? */
static bool recorded(const struct ltt_tevent *tevent)
{
	const struct ltt_tchan *tchan = tevent->tchan;

	return tevent->enabled && tchan->enabled && tchan->buf && !tchan->trace->dying;
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
	struct ltt_taps *taps;
	unsigned int nr = 0;

	if (list_empty(&event->markers))
		return NULL;
	list_for_each_entry(tevent, &event->tevents, node) {
		if (recorded(tevent))
			nr++;
	}
	if (!nr)
		return NULL;

	/*
	 * What goes away must go away, or its buffers could never be freed. The
	 * array is small: a cache line for each trace.
	 */
	taps = kzalloc(struct_size(taps, tap, nr + 1), GFP_KERNEL | __GFP_NOFAIL);
	list_for_each_entry(tevent, &event->tevents, node) {
		if (recorded(tevent))
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
	ltt_switch_event(event);
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
