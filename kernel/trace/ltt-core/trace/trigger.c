// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: triggers: whether one acts.
 *
 * An event with triggers has a chain of filters, see filter.c, which ends with them: they are
 * asked about what was accepted, after it was recorded. But nearly all events do not meet
 * their conditions. So such an event has a gate, which asks them first, by the arguments of
 * the marker: if no condition holds, it returns the taps as they would be without triggers,
 * and that is all. See gate.c.
 *
 * Everything here runs where the event does, up to NMI. What cannot be done there is left to an
 * irq_work, and to a work item after that: trigger_act.c.
 */

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ltt/event.h>

#include "core.h"
#include "event_filter.h"
#include "trigger.h"

/*
 * A bit for each context of the CPU in which a trigger acts. What waits for an oops or a panic has
 * bits of its own: a trigger that acts may be what has crashed.
 */
static DEFINE_PER_CPU(unsigned int, acting);

static notrace unsigned int acting_bit(enum ltt_trigger_on on)
{
	unsigned int bit = 1u << interrupt_context_level();

	if (on == LTT_ON_OOPS)
		return bit << 8;
	return on == LTT_ON_PANIC ? bit << 16 : bit;
}

/**
 * ltt_trigger_is_on() - does a trigger act now?
 * @trigger:	the trigger
 *
 * Context: any, NMI included.
 * Return: whether its trace records, or the trigger starts it.
 */
bool ltt_trigger_is_on(const struct ltt_trigger *trigger)
{
	const struct ltt_trace *trace = trigger->trace;

	if (READ_ONCE(trigger->removed))
		return false;
	return trigger->starts || (READ_ONCE(trace->started) && !ltt_triggers_halted(trace) &&
				   ltt_is_enabled());
}

/* The condition has held. By "every" and "count", does it act? */
static bool is_its_turn(struct ltt_trigger *trigger)
{
	const struct ltt_trigger_line *line = &trigger->line;
	int turn, next, left;

	if (line->every > 1) {
		turn = atomic_read(&trigger->turn);
		do {
			next = turn + 1 == line->every ? 0 : turn + 1;
		} while (!atomic_try_cmpxchg(&trigger->turn, &turn, next));
		if (next)
			return false;
	}
	if (line->count) {
		left = atomic_dec_if_positive(&trigger->left);
		if (left < 0)
			return false;
		if (!left)
			WRITE_ONCE(trigger->spent, true);
	}
	return true;
}

/**
 * ltt_trigger_fire() - the condition of a trigger holds
 * @trigger:	the trigger
 * @event:	the event, NULL if it is none
 *
 * Events that happen meanwhile in the same context, because of what the trigger does, do not
 * make any trigger act: it would not end.
 *
 * Context: any, NMI included; preemption disabled.
 */
notrace void ltt_trigger_fire(struct ltt_trigger *trigger, const struct ltt_event *event)
{
	unsigned int bit = acting_bit(trigger->line.on);

	atomic_long_inc(&trigger->held);
	if (__this_cpu_read(acting) & bit || !is_its_turn(trigger)) {
		atomic_long_inc(&trigger->skipped);
		return;
	}
	__this_cpu_or(acting, bit);
	barrier();
	atomic_long_inc(&trigger->fired);
	ltt_trigger_act(trigger, event);
	barrier();
	__this_cpu_and(acting, ~bit);
}

/**
 * ltt_triggers_oopsed() - a trigger that acts in this context will not come to its end
 *
 * The task that oopses is killed, so no trigger acts here any more. But after a panic, nothing
 * else happens: one that waits for that does not act twice, whatever it does.
 *
 * Context: that of the oops, after the triggers that wait for it; preemption disabled.
 */
void ltt_triggers_oopsed(void)
{
	__this_cpu_and(acting, ~(acting_bit(LTT_ON_EVENT) | acting_bit(LTT_ON_OOPS)));
}

/* The event that should not be missing has come. Not more than one store for each tick. */
static void note_event(struct ltt_trigger *trigger)
{
	unsigned long now = jiffies;

	if (READ_ONCE(trigger->seen) != now)
		WRITE_ONCE(trigger->seen, now);
	if (READ_ONCE(trigger->silent))
		WRITE_ONCE(trigger->silent, false);
}

/**
 * ltt_trigger_set_fire() - an event has been accepted, and recorded if it is to be
 * @set:	its triggers
 * @recording:	its buffers recorded when it came
 * @event:	the kind of event
 * @payload:	its fields; LTT_EXPR_SLACK bytes after them can be read, too
 * @size:	bytes of them
 *
 * Context: that of the marker, NMI included; preemption disabled.
 */
notrace void ltt_trigger_set_fire(const struct ltt_trigger_set *set, bool recording,
				  const struct ltt_event *event, const u8 *payload, size_t size)
{
	const struct ltt_trigger_entry *entry;

	for (entry = set->entry; entry < set->entry + set->nr; entry++) {
		if (!(recording || entry->trigger->starts) || READ_ONCE(entry->trigger->removed))
			continue;
		if (entry->condition &&
		    !ltt_event_filter_accepts(entry->condition, payload, size))
			continue;
		if (entry->trigger->line.on == LTT_ON_TIMEOUT)
			note_event(entry->trigger);
		else
			ltt_trigger_fire(entry->trigger, event);
	}
}
