// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: taps, through which call sites record into traces.
 *
 * All call sites of an event share one array of taps, which is replaced as a whole. Writers
 * use it with preemption disabled, so it is freed after an RCU grace period.
 *
 * A new array needs memory. To record an event that was not recorded, or in another way,
 * call ltt_event_prepare() before changing anything, when it is still possible to fail. To
 * stop recording an event must not fail, or buffers could never be freed. If there is no
 * memory then, the tap is closed in place: it refuses all events, and stays until the
 * array is replaced.
 *
 * The taps of an event are decided and published under ltt_mutex. That is all it takes to
 * stop recording. Call sites are turned on and off later, see switch.c.
 */

#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/ring_buffer.h>

#include "core.h"
#include "tasks.h"

static struct ltt_slot (*const reserve_fast[])(const struct ltt_tap *tap, size_t len) = {
	[LTT_CLOCK_TSC] = ltt_reserve_tsc,
	[LTT_CLOCK_MONO] = ltt_reserve_mono,
	[LTT_CLOCK_COUNTER] = ltt_reserve_counter,
};

static struct ltt_slot (*const reserve_wide[])(const struct ltt_tap *tap, size_t len) = {
	[LTT_CLOCK_TSC] = ltt_reserve_wide_tsc,
	[LTT_CLOCK_MONO] = ltt_reserve_wide_mono,
	[LTT_CLOCK_COUNTER] = ltt_reserve_wide_counter,
};

static struct ltt_slot (*const reserve_shared[])(const struct ltt_tap *tap, size_t len) = {
	[LTT_CLOCK_TSC] = ltt_reserve_shared_tsc,
	[LTT_CLOCK_MONO] = ltt_reserve_shared_mono,
	[LTT_CLOCK_COUNTER] = ltt_reserve_shared_counter,
};

static struct ltt_slot (*const reserve_slow[])(const struct ltt_tap *tap, size_t len) = {
	[LTT_CLOCK_TSC] = ltt_reserve_slow_tsc,
	[LTT_CLOCK_MONO] = ltt_reserve_slow_mono,
	[LTT_CLOCK_COUNTER] = ltt_reserve_slow_counter,
};

/* Is the event to be recorded in this trace? */
static bool recorded(const struct ltt_trace_event *tevent)
{
	const struct ltt_trace_channel *tchan = tevent->tchan;

	return tevent->enabled && tchan->enabled && ltt_trace_channel_buf(tchan) &&
	       !tchan->trace->dying;
}

static void fill_tap(struct ltt_tap *tap, struct ltt_trace_event *tevent)
{
	const struct ltt_trace_channel *tchan = tevent->tchan;
	enum ltt_clock_id clock = tchan->trace->clock;

	/* By the length of the header that the id fits into. */
	if (tevent->id > LTT_ID_WIDE_MAX)
		tap->plain = reserve_slow[clock];
	else if (tchan->counts)
		tap->plain = reserve_shared[clock];
	else if (tevent->id >= LTT_ID_WIDE)
		tap->plain = reserve_wide[clock];
	else
		tap->plain = reserve_fast[clock];
	tap->reserve = tap->plain;
	tap->buf = ltt_trace_channel_buf(tchan);
	tap->id = tevent->id;
	tap->publish = ltt_buf_publish;
	tap->counts = tchan->counts;
	ltt_context_setup(tap, tchan->home);
	ltt_filter_setup(tap, tevent);
	ltt_tasks_setup(tap, tevent);
}

/* How many taps should @event have? */
static unsigned int nr_recorded(const struct ltt_event *event)
{
	const struct ltt_trace_event *tevent;
	unsigned int nr = 0;

	if (list_empty(&event->markers))
		return 0;
	list_for_each_entry(tevent, &event->tevents, node)
		nr += recorded(tevent);
	return nr;
}

/**
 * ltt_event_prepare() - allocate memory for the taps of an event
 * @event:	the kind of event
 *
 * Call this before a change that makes a trace record the event, or record it in another
 * way, and ltt_event_update() after the change. The memory is kept until then, or until
 * the event is freed.
 *
 * Context: task, ltt_mutex held; sleeps, but does not wait for others.
 * Return: 0 or -ENOMEM.
 */
int ltt_event_prepare(struct ltt_event *event)
{
	const struct ltt_trace_event *tevent;
	struct ltt_taps *taps;
	unsigned int room = 0;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(tevent, &event->tevents, node)
		room++;
	if (!room || (event->spare && event->spare->room >= room))
		return 0;
	taps = kzalloc(struct_size(taps, tap, room + 1), GFP_KERNEL);
	if (!taps)
		return -ENOMEM;
	taps->room = room;
	kfree(event->spare);
	event->spare = taps;
	return 0;
}

/* Build the @nr taps that @event should have, in the prepared memory. */
static struct ltt_taps *build(struct ltt_event *event, unsigned int nr)
{
	struct ltt_taps *taps = event->spare;
	struct ltt_trace_event *tevent;

	event->spare = NULL;
	if (!nr) {
		kfree(taps);
		return NULL;
	}
	list_for_each_entry(tevent, &event->tevents, node) {
		if (recorded(tevent))
			fill_tap(&taps->tap[taps->nr++], tevent);
	}
	ltt_gate_setup(taps, event);
	return taps;
}

static bool is_wanted(const struct ltt_event *event, const struct ltt_tap *tap)
{
	const struct ltt_trace_event *tevent;

	list_for_each_entry(tevent, &event->tevents, node) {
		if (ltt_trace_channel_buf(tevent->tchan) == tap->buf && recorded(tevent))
			return true;
	}
	return false;
}

/*
 * There is no memory for an array without the unwanted taps: close them. There are others, so
 * the gate has no filter.
 */
static void close_taps(struct ltt_event *event)
{
	struct ltt_tap *tap;

	for (tap = event->taps->tap; tap->reserve; tap++) {
		if (!is_wanted(event, tap))
			WRITE_ONCE(tap->reserve, ltt_tap_refuse);
	}
}

static bool same_taps(const struct ltt_taps *a, const struct ltt_taps *b)
{
	if (!a || !b)
		return a == b;
	return a->nr == b->nr && !memcmp(a->tap, b->tap, a->nr * sizeof(a->tap[0]));
}

/**
 * ltt_event_update() - give the call sites the taps that the traces require
 * @event:	the kind of event
 *
 * Call this after any change that affects whether and how a trace records the event: its
 * id, its filters, enabling the event or its channel, the channel's buffers. If nothing
 * has to change, nothing is done, and no code is patched. Writers may use the old taps for
 * one RCU grace period; many events may share one wait for it. Cannot fail if
 * ltt_event_prepare() was called before a change that records more; call sites that cannot
 * be connected stay off, with a message.
 *
 * Call sites are turned on or off later: see ltt_switch_now() and ltt_switch_wait().
 *
 * Context: task, ltt_mutex held; sleeps, but does not wait for others.
 */
void ltt_event_update(struct ltt_event *event)
{
	struct ltt_taps *old = event->taps, *new;
	unsigned int nr = nr_recorded(event);
	struct ltt_marker *marker;

	lockdep_assert_held(&ltt_mutex);
	if (nr && (!event->spare || event->spare->room < nr) && ltt_event_prepare(event)) {
		/* Not prepared: so taps are only to be removed from these. */
		if (!WARN_ON_ONCE(!old))
			close_taps(event);
		return;
	}
	new = build(event, nr);
	if (same_taps(old, new)) {
		kfree(new);
		new = old;
		old = NULL;
	}
	event->taps = new;
	/* Even if nothing has changed: a call site may be new. */
	list_for_each_entry(marker, &event->markers, node)
		ltt_marker_set_taps(marker, new);
	ltt_switch_event(event);
	if (old)
		kfree_rcu(old, rcu);
}

/**
 * ltt_trace_prepare_taps() - ltt_event_prepare() for all events of a trace
 * @trace:	the trace
 *
 * Context: task, ltt_mutex held; sleeps, but does not wait for others.
 * Return: 0 or -ENOMEM.
 */
int ltt_trace_prepare_taps(struct ltt_trace *trace)
{
	struct ltt_trace_event *tevent;
	struct ltt_trace_channel *tchan;
	unsigned long id;
	int err;

	list_for_each_entry(tchan, &trace->tchans, node) {
		xa_for_each(&tchan->events, id, tevent) {
			err = ltt_event_prepare(tevent->event);
			if (err)
				return err;
		}
	}
	return 0;
}

/**
 * ltt_trace_update_taps() - ltt_event_update() for all events of a trace
 * @trace:	the trace
 *
 * If it is dying, this is for good: one RCU grace period later no writer is in a buffer of
 * the trace or will get there, and no filter runs.
 *
 * Context: task, ltt_mutex held; sleeps, but does not wait for others.
 */
void ltt_trace_update_taps(struct ltt_trace *trace)
{
	struct ltt_trace_event *tevent;
	struct ltt_trace_channel *tchan;
	unsigned long id;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(tchan, &trace->tchans, node) {
		xa_for_each(&tchan->events, id, tevent)
			ltt_event_update(tevent->event);
	}
}
