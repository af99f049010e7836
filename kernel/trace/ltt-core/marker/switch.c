// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: call sites are turned on and off.
 *
 * Which taps an event has is decided and published under ltt_mutex, by tap.c. That is all
 * it takes to record no more: a call site without taps records nothing, whether it is on or
 * off. To turn a call site on or off - its static key, and what calls it, such as a
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

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jump_label.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../error.h"
#include "registry.h"

struct workqueue_struct *ltt_wq;

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
		pr_warn("cannot connect marker %s.%s of module %s: error %d\n",
			marker->channel, marker->name, marker->event->module, err);
		ltt_log_error(NULL, "cannot connect marker %s.%s: error %d",
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
 * @give_up:	do not wait while this is true: the trace for which it was decided is dying
 *
 * All that was decided before the call is done when this returns, unless the caller is
 * being killed, or gives up: then it will be.
 *
 * Context: task, ltt_mutex not held; can be killed.
 */
void ltt_switch_wait(const bool *give_up)
{
	u64 wanted;

	mutex_lock(&ltt_mutex);
	wanted = switches_wanted;
	mutex_unlock(&ltt_mutex);
	wait_event_killable(switch_wait, READ_ONCE(switches_done) >= wanted ||
			    READ_ONCE(*give_up));
}

/**
 * ltt_switch_give_up() - those who wait in ltt_switch_wait() look whether they are to give up
 *
 * Context: task.
 */
void ltt_switch_give_up(void)
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

/**
 * ltt_switch_event() - have call sites turned on or off if they are not what the taps say
 * @event:	the kind of event whose call sites they are
 *
 * They are so later: see ltt_switch_now() and ltt_switch_wait().
 *
 * Context: task, ltt_mutex held.
 */
void ltt_switch_event(struct ltt_event *event)
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

/**
 * ltt_switch_init() - make the work queue
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM.
 */
int ltt_switch_init(void)
{
	/* Items of it wait for RCU, each for itself. */
	ltt_wq = alloc_workqueue("ltt", WQ_UNBOUND, 0);
	return ltt_wq ? 0 : -ENOMEM;
}

/**
 * ltt_switch_exit() - undo ltt_switch_init()
 *
 * Context: task, may sleep. There are no call sites and no traces any more.
 */
void ltt_switch_exit(void)
{
	destroy_workqueue(ltt_wq);
}
