// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: triggers: what they do.
 *
 * At once, in any context: snapshots, marks, call stacks, dumps. A trace is stopped at once,
 * too, as far as it matters: its buffers do not record any more, those of this CPU when
 * the trigger returns, and the others a few nanoseconds each later; if there are very many,
 * from an interrupt of the same CPU. What else belongs to that, to start a trace, and to select
 * markers, needs ltt_mutex, and is left to a work item, which is queued by an irq_work.
 *
 * Start and stop
 * --------------
 * ltt_triggers.asked says what triggers want: the low bit is set for start, the others are a
 * number that grows with each wish. done is what has been carried out. As long as they
 * differ, and the wish is stop, the trace is halted: ltt_trace_update_recording() does not let
 * it record. A request of the user overrules all wishes that were there when it began: it sets
 * done to that. So of all wishes and requests, the last one decides.
 *
 * Who lets the buffers record and does not see the wish to stop has stored that before the wish was
 * there, and the stores of who halts them come after it: smp_mb() in ltt_trace_update_recording()
 * pairs with the cmpxchg in ask(). Who sees the wish and overrules it may be done before the
 * buffers are halted; the work item, which is asked for after that, lets them record again.
 */

#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/ltt/dump.h>
#include <linux/ltt/marker.h>

#include "../error.h"
#include "context.h"
#include "core.h"
#include "trigger.h"

/* For a line with a "count" up to this, memory for all of its snapshots is set aside. */
#define SNAPSHOTS_ASIDE	64u

/* So many buffers are stopped where the trigger acts; more by an interrupt. */
#define HALT_MAX	1024u

/* ---- marks and stacks ----------------------------------------------------------- */

static const u32 mark_types[] = { LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0) };
static const u32 stack_types[] = {
	LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0),
	LTT_TYPE(LTT_KIND_SEQ, sizeof(long), 0),
};

static struct ltt_marker mark_marker = {
	.magic = LTT_MARKER_MAGIC,
	.nr_args = ARRAY_SIZE(mark_types),
	.self = &mark_marker,
	.channel = LTT_TRIGGERS_CHANNEL,
	.name = "mark",
	.format = "text %s",
	.types = mark_types,
};

static struct ltt_marker stack_marker = {
	.magic = LTT_MARKER_MAGIC,
	.nr_args = ARRAY_SIZE(stack_types),
	.self = &stack_marker,
	.channel = LTT_TRIGGERS_CHANNEL,
	.name = "stack",
	.format = "event %s kstack %pS",
	.types = stack_types,
};

/**
 * ltt_triggers_own_get() - make the markers of triggers known
 * @error:	why it failed; may be NULL
 *
 * They stay: events of them may have been recorded.
 *
 * Context: task, ltt_mutex not held; sleeps.
 * Return: 0, -ENOMEM, -EINVAL (another module has markers of that name).
 */
int ltt_triggers_own_get(struct ltt_error *error)
{
	int err = ltt_marker_register(&mark_marker, THIS_MODULE) ?:
		  ltt_marker_register(&stack_marker, THIS_MODULE);

	return err ? ltt_fail(error, err, "cannot register the markers ltt.mark and ltt.stack") : 0;
}

/**
 * ltt_trigger_needs() - what does a line need that may not be there?
 * @line:	the line
 * @needs:	that is added to this
 *
 * Context: any.
 */
void ltt_trigger_needs(const struct ltt_trigger_line *line, struct ltt_trigger_needs *needs)
{
	unsigned int windows = line->count <= SNAPSHOTS_ASIDE ? line->count : 0;

	needs->own |= ltt_trigger_does(line, LTT_DO_MARK) || ltt_trigger_does(line, LTT_DO_STACK);
	needs->warn |= line->on == LTT_ON_WARN;
	if (ltt_trigger_does(line, LTT_DO_SNAPSHOT))
		needs->windows = max3(needs->windows, windows, 1u);
}

/**
 * ltt_triggers_own_known() - are the markers of triggers known?
 *
 * Context: task, ltt_mutex held.
 */
bool ltt_triggers_own_known(void)
{
	return mark_marker.event && stack_marker.event;
}

static bool record(const struct ltt_trigger *trigger, const struct ltt_marker *marker,
		   const struct ltt_arg *args)
{
	const struct ltt_trace_channel *tchan = READ_ONCE(trigger->trace->triggers->own);
	const struct ltt_buf __percpu *buf = tchan ? ltt_trace_channel_buf(tchan) : NULL;

	return buf && !ltt_marker_record_one(marker, buf, args, false);
}

static bool record_mark(const struct ltt_trigger *trigger, const char *text)
{
	const struct ltt_arg arg = { .ptr = text };

	return record(trigger, &mark_marker, &arg);
}

static noinline bool record_stack(const struct ltt_trigger *trigger, const struct ltt_event *event)
{
	u8 bytes[sizeof(u32) + LTT_STACK_MAX * sizeof(long)];
	char name[2 * LTT_NAME_MAX + 2];
	struct ltt_arg args[2];
	u32 nr;

	if (ltt_context_values[LTT_CONTEXT_KSTACK].missing)
		return false;
	ltt_context_put(bytes, LTT_CONTEXT_KSTACK);
	memcpy(&nr, bytes, sizeof(nr));
	if (event)
		scnprintf(name, sizeof(name), "%s.%s", event->channel->name, event->name);
	args[0].ptr = event ? name : trigger->line.text;
	args[1].ptr = bytes + sizeof(nr);
	args[1].n = nr;
	return record(trigger, &stack_marker, args);
}

/* ---- start and stop ---------------------------------------------------------------- */

/* Is @a a later wish than @b? The numbers may have wrapped around. */
static bool is_later(unsigned int a, unsigned int b)
{
	return (int)((a | 1) - (b | 1)) > 0;
}

/**
 * ltt_triggers_asked() - what triggers last asked for
 * @trace:	the trace
 *
 * Context: any.
 * Return: for ltt_triggers_settle().
 */
unsigned int ltt_triggers_asked(const struct ltt_trace *trace)
{
	const struct ltt_triggers *triggers = READ_ONCE(trace->triggers);

	return triggers ? atomic_read(&triggers->asked) : 0;
}

/**
 * ltt_triggers_pending() - is a wish of triggers still to be carried out?
 * @trace:	the trace
 * @asked:	the wish
 *
 * Context: task, ltt_mutex held.
 */
bool ltt_triggers_pending(const struct ltt_trace *trace, unsigned int asked)
{
	return trace->triggers && is_later(asked, trace->triggers->done);
}

/**
 * ltt_triggers_halted() - has a trigger stopped a trace, which still counts as started?
 * @trace:	the trace
 *
 * Context: any, NMI included.
 */
bool ltt_triggers_halted(const struct ltt_trace *trace)
{
	const struct ltt_triggers *triggers = READ_ONCE(trace->triggers);
	unsigned int asked;

	if (likely(!triggers))
		return false;
	asked = atomic_read(&triggers->asked);
	return !(asked & 1) && is_later(asked, READ_ONCE(triggers->done));
}

/**
 * ltt_triggers_settle() - the trace is being started or stopped
 * @trace:	the trace
 * @asked:	wishes up to this one are carried out, or overruled
 *
 * Context: task, ltt_mutex held.
 */
void ltt_triggers_settle(struct ltt_trace *trace, unsigned int asked)
{
	if (ltt_triggers_pending(trace, asked))
		WRITE_ONCE(trace->triggers->done, asked);
}

/* Is it on, or is it about to be? */
static bool is_started(const struct ltt_triggers *triggers, unsigned int asked)
{
	if (is_later(asked, READ_ONCE(triggers->done)))
		return asked & 1;
	return READ_ONCE(triggers->trace->started);
}

/* Return: false if the trace is that already. */
static bool ask(struct ltt_triggers *triggers, bool start)
{
	unsigned int asked = atomic_read(&triggers->asked);

	do {
		if (is_started(triggers, asked) == start)
			return false;
	} while (!atomic_try_cmpxchg(&triggers->asked, (int *)&asked,
				     ((asked & ~1u) + 2) | start));
	return true;
}

static void stop(struct ltt_triggers *triggers)
{
	const struct ltt_trace *trace = triggers->trace;
	unsigned int cpu, this_cpu = raw_smp_processor_id();

	if (!ask(triggers, false))
		return;
	ltt_buffers_halt(trace, this_cpu);
	if (READ_ONCE(trace->nr_tchans) * num_possible_cpus() > HALT_MAX) {
		WRITE_ONCE(triggers->halt, true);
	} else {
		for_each_possible_cpu(cpu) {
			if (cpu != this_cpu)
				ltt_buffers_halt(trace, cpu);
		}
	}
	WRITE_ONCE(triggers->want_work, true);
}

static void start(struct ltt_triggers *triggers)
{
	if (ask(triggers, true))
		WRITE_ONCE(triggers->want_work, true);
}

/* ---- any context ------------------------------------------------------------------- */

static void leave_to_work(struct ltt_trigger *trigger, unsigned int nr)
{
	if (!test_and_set_bit(nr, &trigger->pending))
		WRITE_ONCE(trigger->trace->triggers->want_work, true);
}

/* Return: false if it failed. */
static bool do_action(struct ltt_trigger *trigger, unsigned int nr, const struct ltt_event *event)
{
	const struct ltt_trigger_action *action = &trigger->line.action[nr];
	struct ltt_triggers *triggers = trigger->trace->triggers;

	switch (action->what) {
	case LTT_DO_START:
		start(triggers);
		return true;
	case LTT_DO_STOP:
		stop(triggers);
		return true;
	case LTT_DO_ENABLE:
	case LTT_DO_DISABLE:
		leave_to_work(trigger, nr);
		return true;
	case LTT_DO_STACK:
		return record_stack(trigger, event);
	case LTT_DO_MARK:
		return record_mark(trigger, action->text);
	case LTT_DO_SNAPSHOT:
		return ltt_window_take(trigger->trace, trigger->line.why, action->before,
				       action->after);
	case LTT_DO_DUMP:
		ltt_dump(trigger->trace, action->events);
		return true;
	default:
		return false;
	}
}

/**
 * ltt_trigger_act() - do what a trigger does
 * @trigger:	the trigger
 * @event:	the event, NULL if it is none
 *
 * Context: any, NMI included; preemption disabled.
 */
void ltt_trigger_act(struct ltt_trigger *trigger, const struct ltt_event *event)
{
	struct ltt_triggers *triggers = trigger->trace->triggers;
	unsigned int i;

	for (i = 0; i < trigger->line.nr; i++) {
		if (!do_action(trigger, i, event))
			atomic_long_inc(&trigger->failed);
	}
	atomic_inc(&triggers->acted);
	if (READ_ONCE(triggers->want_work) || wq_has_sleeper(&ltt_control_wait))
		irq_work_queue(&triggers->irq_work);
}

static void continue_in_irq(struct irq_work *irq_work)
{
	struct ltt_triggers *triggers = container_of(irq_work, struct ltt_triggers, irq_work);
	unsigned int cpu;

	if (xchg(&triggers->halt, false)) {
		for_each_possible_cpu(cpu) {
			if (ltt_triggers_halted(triggers->trace))
				ltt_buffers_halt(triggers->trace, cpu);
		}
		/* What has been asked for before may be done, and overruled, already. */
		WRITE_ONCE(triggers->want_work, true);
	}
	if (xchg(&triggers->want_work, false))
		queue_work(ltt_wq, &triggers->work);
	wake_up_all(&ltt_control_wait);
}

/* ---- tasks ------------------------------------------------------------------------- */

/* The next pattern that is to be selected, with a reference to its trigger; NULL if none is. */
static struct ltt_trigger *next_pattern(struct ltt_triggers *triggers, unsigned int *nr)
{
	const struct ltt_trigger_list *list;
	struct ltt_trigger *trigger = NULL;
	unsigned int i;

	mutex_lock(&ltt_mutex);
	list = rcu_dereference_protected(triggers->list, lockdep_is_held(&ltt_mutex));
	for (i = 0; list && i < list->nr && !trigger; i++) {
		*nr = find_first_bit(&list->trigger[i]->pending, LTT_TRIGGER_ACTIONS);
		if (*nr < LTT_TRIGGER_ACTIONS)
			trigger = list->trigger[i];
	}
	if (trigger) {
		clear_bit(*nr, &trigger->pending);
		kref_get(&trigger->ref);
	}
	mutex_unlock(&ltt_mutex);
	return trigger;
}

static void continue_in_task(struct work_struct *work)
{
	struct ltt_triggers *triggers = container_of(work, struct ltt_triggers, work);
	struct ltt_trace *trace = triggers->trace;
	struct ltt_trigger *trigger;
	struct ltt_error error = {};
	unsigned int nr, asked;
	int err;

	while ((trigger = next_pattern(triggers, &nr))) {
		err = ltt_trace_pattern(trace, trigger->line.action[nr].text, &error);
		if (err && err != -ENODEV) {
			atomic_long_inc(&trigger->failed);
			ltt_log_error(trace->log, "trigger: %s (%pe): \"%s\"", error.text,
				      ERR_PTR(err), trigger->line.text);
		}
		ltt_trigger_put(trigger);
	}
	asked = ltt_triggers_asked(trace);
	err = ltt_trace_settle(trace, asked, &error);
	if (err && err != -ENODEV)
		ltt_log_error(trace->log, "trigger: %s: %s (%pe)", asked & 1 ? "start" : "stop",
			      error.text, ERR_PTR(err));
}

/**
 * ltt_triggers_init_work() - get ready for what is left to tasks
 * @triggers:	those of a trace, new
 *
 * Context: task.
 */
void ltt_triggers_init_work(struct ltt_triggers *triggers)
{
	init_irq_work(&triggers->irq_work, continue_in_irq);
	INIT_WORK(&triggers->work, continue_in_task);
}

/**
 * ltt_triggers_end_work() - undo ltt_triggers_init_work()
 * @triggers:	those of a trace, none of which acts any more
 *
 * Context: task, ltt_mutex not held; waits for what is under way.
 */
void ltt_triggers_end_work(struct ltt_triggers *triggers)
{
	irq_work_sync(&triggers->irq_work);
	cancel_work_sync(&triggers->work);
	wake_up_all(&ltt_control_wait);
}
