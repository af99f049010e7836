// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: turns call sites on and off.
 *
 * tap.c decides which taps an event has, and publishes them, under ltt_mutex. That is all
 * it takes to stop recording: a call site without taps records nothing, whether it is on or
 * off. Turning a call site on or off - its static key, and its caller, such as a
 * tracepoint's probe - may take arbitrarily long: it waits for RCU grace periods, for all
 * tasks to be scheduled, or for other CPUs to answer. So that is done later, one call site
 * at a time, with ltt_switch_mutex held and ltt_mutex not held:
 *
 *   - An event whose call sites do not match its taps is put into to_switch, and a work
 *     item is queued.
 *   - A caller that needs it done calls ltt_switch_now(), or waits in ltt_switch_wait(),
 *     which can be killed.
 *   - After each call site, its state is compared with the taps again, which may have
 *     changed meanwhile.
 *   - A call site is removed, after it was switched off, with ltt_switch_mutex held, so
 *     none disappears while it is being switched.
 *
 * A key is enabled after the taps were stored and the call site was connected, and disabled
 * before the call site is disconnected.
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
 * How many events were ever put into to_switch, and how many of them have been handled, in
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
 * Make a call site match the event's taps. ltt_mutex is held, but dropped while the call
 * site is switched; it cannot be removed, as ltt_switch_mutex is held.
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
	 * A call site that cannot be connected stays off until the taps change. They may
	 * have changed while ltt_mutex was not held: use the current ones.
	 */
	ltt_marker_set_taps(marker, err ? NULL : event->taps);
}

/* Handle the first event in to_switch, if there is one. */
static bool switch_one(void)
{
	struct ltt_marker *marker;
	struct ltt_event *event;

	lockdep_assert_held(&ltt_switch_mutex);
	mutex_lock(&ltt_mutex);
	event = list_first_entry_or_null(&to_switch, struct ltt_event, to_switch);
	if (event) {
		/* Changes from now on queue it again. */
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
 * ltt_switch_now() - turn pending call sites on and off
 *
 * On return, everything that was decided before the call is done.
 *
 * Context: task, neither ltt_mutex nor ltt_switch_mutex held; waits as long as it takes.
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
 * ltt_switch_wait() - wait until pending call sites are on or off
 * @give_up:	do not wait while this is true: the trace that needs it is dying
 *
 * On return, everything that was decided before the call is done, unless the caller is
 * being killed, or gives up: then it is done later.
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
 * ltt_switch_give_up() - have tasks in ltt_switch_wait() check whether to give up
 *
 * Context: task.
 */
void ltt_switch_give_up(void)
{
	wake_up_all(&switch_wait);
}

/**
 * ltt_switch_off() - turn off a call site that is being removed
 * @marker:	the call site; has no event and no taps any more
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
 * ltt_switch_event() - queue an event if its call sites do not match its taps
 * @event:	the kind of event
 *
 * They are switched later: see ltt_switch_now() and ltt_switch_wait().
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
 * ltt_switch_init() - create the work queue
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM.
 */
int ltt_switch_init(void)
{
	/* Its items wait for RCU, independently of each other. */
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
