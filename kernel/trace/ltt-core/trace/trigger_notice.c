// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: triggers on what is no event: losses, an event that does not come, oopses, a panic,
 * warnings.
 *
 * Losses are told by the ring buffer, where it drops an event. Oopses and the panic come through
 * the kernel's notifiers. Modules are not told of warnings, but the tracepoint error_report_end
 * is hit at the end of each, and of each report of KFENCE and KASAN: its probe is attached
 * with the first such line, and stays.
 */

#include <linux/jiffies.h>
#include <linux/kdebug.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/ltt/compat.h>
#include <trace/events/error_report.h>

#include "core.h"
#include "trigger.h"

/* struct ltt_triggers; changed under ltt_mutex, walked under RCU. */
static LIST_HEAD(all_triggers);

static struct tracepoint *warn_tracepoint;	/* set once, with ltt_mutex held */
static bool warn_attached;			/* written with warn_mutex held */
static DEFINE_MUTEX(warn_mutex);

/* ---- writers --------------------------------------------------------------------- */

/* The triggers of a trace that wait for @on. Preemption is disabled. */
static notrace void fire(struct ltt_triggers *triggers, enum ltt_trigger_on on)
{
	const struct ltt_trigger_list *list = rcu_dereference_raw(triggers->list);
	unsigned int i;

	for (i = 0; list && i < list->nr; i++) {
		if (list->trigger[i]->line.on == on && ltt_trigger_is_on(list->trigger[i]))
			ltt_trigger_fire(list->trigger[i], NULL);
	}
}

static notrace void fire_all(enum ltt_trigger_on on)
{
	struct ltt_triggers *triggers;

	preempt_disable_notrace();
	list_for_each_entry_rcu(triggers, &all_triggers, node, true)
		fire(triggers, on);
	preempt_enable_notrace();
}

static notrace void lost(struct ltt_subbuf_notifier *notifier)
{
	fire(container_of(notifier, struct ltt_triggers, lost), LTT_ON_LOST);
}

static int died(struct notifier_block *nb, unsigned long what, void *data)
{
	if (what != DIE_OOPS)
		return NOTIFY_DONE;
	preempt_disable_notrace();
	fire_all(LTT_ON_OOPS);
	ltt_triggers_oopsed();
	preempt_enable_notrace();
	return NOTIFY_DONE;
}

static int panicked(struct notifier_block *nb, unsigned long what, void *data)
{
	fire_all(LTT_ON_PANIC);
	return NOTIFY_DONE;
}

static notrace void warned(void *data, enum error_detector detector, unsigned long id)
{
	fire_all(LTT_ON_WARN);
}

/* Before others: a panic may never come to the end of the list. */
static struct notifier_block die_block = { .notifier_call = died, .priority = INT_MAX };
static struct notifier_block panic_block = { .notifier_call = panicked, .priority = INT_MAX };

/* ---- silence --------------------------------------------------------------------- */

static unsigned long patience(const struct ltt_trigger *trigger)
{
	return max(nsecs_to_jiffies(trigger->line.timeout), 1ul);
}

/* Has nothing come for too long? Return: jiffies after which to look again. */
static unsigned long look_at(struct ltt_trigger *trigger)
{
	unsigned long due = READ_ONCE(trigger->seen) + patience(trigger), now = jiffies;

	if (time_before(now, due))
		return due - now;
	if (!READ_ONCE(trigger->silent)) {
		WRITE_ONCE(trigger->silent, true);
		ltt_trigger_fire(trigger, NULL);
	}
	return patience(trigger);
}

static void look(struct work_struct *work)
{
	struct ltt_trigger *trigger = container_of(to_delayed_work(work), struct ltt_trigger,
						   watch);
	unsigned long pause = 0;

	preempt_disable();
	if (ltt_trigger_is_on(trigger))
		pause = look_at(trigger);
	preempt_enable();
	/* Where the trace does not record, ltt_triggers_watch() goes on. */
	if (pause)
		queue_delayed_work(ltt_wq, &trigger->watch, pause);
}

/**
 * ltt_trigger_watch() - from now on, the event of a trigger must not be missed for long
 * @trigger:	any trigger; does nothing if it does not wait for silence
 *
 * Context: task, ltt_mutex held.
 */
void ltt_trigger_watch(struct ltt_trigger *trigger)
{
	if (trigger->line.on != LTT_ON_TIMEOUT)
		return;
	WRITE_ONCE(trigger->seen, jiffies);
	WRITE_ONCE(trigger->silent, false);
	mod_delayed_work(ltt_wq, &trigger->watch, patience(trigger));
}

/**
 * ltt_triggers_watch() - ltt_trigger_watch() for all triggers of a trace
 * @trace:	the trace, which begins to record
 *
 * Context: task, ltt_mutex held.
 */
void ltt_triggers_watch(struct ltt_trace *trace)
{
	const struct ltt_trigger_list *list;
	unsigned int i;

	if (!trace->triggers)
		return;
	list = rcu_dereference_protected(trace->triggers->list, lockdep_is_held(&ltt_mutex));
	for (i = 0; list && i < list->nr; i++)
		ltt_trigger_watch(list->trigger[i]);
}

/**
 * ltt_trigger_watch_init() - get ready for ltt_trigger_watch()
 * @trigger:	the trigger
 *
 * Context: task.
 */
void ltt_trigger_watch_init(struct ltt_trigger *trigger)
{
	INIT_DELAYED_WORK(&trigger->watch, look);
}

/* ---- requests -------------------------------------------------------------------- */

static void note_tracepoint(struct tracepoint *tracepoint, void *none)
{
	if (!strcmp(tracepoint->name, "error_report_end"))
		warn_tracepoint = tracepoint;
}

/**
 * ltt_trigger_notice_check() - can we be told of what a line waits for?
 * @line:	the line
 * @place:	where it is
 * @at:		where the line names it
 *
 * Context: task, ltt_mutex held.
 * Return: 0; -EOPNOTSUPP (not on this kernel).
 */
int ltt_trigger_notice_check(const struct ltt_trigger_line *line, const struct ltt_spot *place,
			     const char *at)
{
	lockdep_assert_held(&ltt_mutex);
	if (line->on != LTT_ON_WARN)
		return 0;
	if (!warn_tracepoint)
		for_each_kernel_tracepoint(note_tracepoint, NULL);
	if (warn_tracepoint)
		return 0;
	return ltt_fail_at(place, at, -EOPNOTSUPP,
			   "this kernel tells of no warnings: it lacks the tracepoint error_report_end");
}

/**
 * ltt_triggers_warn_get() - from now on, we are told of warnings
 * @error:	why it failed; may be NULL
 *
 * It stays so.
 *
 * Context: task, after ltt_trigger_notice_check() of a line that needs it, ltt_mutex not held: code
 * of the kernel is changed; sleeps.
 * Return: 0, -ENOMEM.
 */
int ltt_triggers_warn_get(struct ltt_error *error)
{
	int err = 0;

	mutex_lock(&warn_mutex);
	if (!warn_attached) {
		check_trace_callback_type_error_report_end(warned);
		err = tracepoint_probe_register(warn_tracepoint, warned, NULL);
		WRITE_ONCE(warn_attached, !err);
	}
	mutex_unlock(&warn_mutex);
	return err ? ltt_fail(error, err, "cannot attach to the tracepoint error_report_end") : 0;
}

/**
 * ltt_triggers_warn_known() - are we told of warnings?
 *
 * Context: any.
 */
bool ltt_triggers_warn_known(void)
{
	return READ_ONCE(warn_attached);
}

/**
 * ltt_triggers_notice_update() - the triggers of a trace have changed
 * @triggers:	those of the trace
 *
 * Context: task, ltt_mutex held.
 */
void ltt_triggers_notice_update(struct ltt_triggers *triggers)
{
	const struct ltt_trigger_list *list;
	struct ltt_subbuf_notifier *dropped = NULL;
	unsigned int i, cpu;

	list = rcu_dereference_protected(triggers->list, lockdep_is_held(&ltt_mutex));
	for (i = 0; list && i < list->nr; i++) {
		if (list->trigger[i]->line.on == LTT_ON_LOST)
			dropped = &triggers->lost;
	}
	for_each_possible_cpu(cpu) {
		/* Who sees the pointer sees what it leads to. */
		smp_store_release(&per_cpu_ptr(triggers->trace->stir, cpu)->dropped, dropped);
	}
}

/**
 * ltt_triggers_notice_add() - a trace may have triggers from now on
 * @triggers:	those of the trace
 *
 * Context: task, ltt_mutex held.
 */
void ltt_triggers_notice_add(struct ltt_triggers *triggers)
{
	lockdep_assert_held(&ltt_mutex);
	triggers->lost.notify = lost;
	list_add_tail_rcu(&triggers->node, &all_triggers);
}

/**
 * ltt_triggers_notice_remove() - undo ltt_triggers_notice_add()
 * @triggers:	those of the trace, of which there are none any more; may be told of something for
 *		one RCU grace period
 *
 * Context: task, ltt_mutex held.
 */
void ltt_triggers_notice_remove(struct ltt_triggers *triggers)
{
	lockdep_assert_held(&ltt_mutex);
	list_del_rcu(&triggers->node);
}

/**
 * ltt_triggers_init() - prepare for triggers
 *
 * Context: task.
 * Return: 0 or a negative errno.
 */
int ltt_triggers_init(void)
{
	int err = register_die_notifier(&die_block);

	if (err)
		return err;
	err = atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	if (err)
		unregister_die_notifier(&die_block);
	return err;
}

/**
 * ltt_triggers_exit() - undo ltt_triggers_init()
 *
 * Context: task; sleeps. There are no traces any more.
 */
void ltt_triggers_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	unregister_die_notifier(&die_block);
	if (warn_attached)
		tracepoint_probe_unregister(warn_tracepoint, warned, NULL);
	warn_attached = false;
	ltt_synchronize_probes();
	/* Sets of triggers, and then the triggers. */
	rcu_barrier();
	flush_workqueue(ltt_wq);
	rcu_barrier();
	flush_workqueue(ltt_wq);
}
