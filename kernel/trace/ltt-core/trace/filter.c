// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: filters, which see an event before it is written.
 *
 * An event with filters is first stored in scratch memory: its tap's reserve function
 * returns a piece of that, and ltt_commit(), for which such a reservation never is at the
 * frontier, calls filter_commit(). That runs the filters; if all accept, room is reserved
 * in the buffer, and the event is copied and committed like any other. Its timestamp is
 * that of the second reservation. So an event that is rejected leaves nothing in the
 * buffer, and events without filters have no cost.
 *
 * Scratch memory is a stack per CPU. Writers nest last-in-first-out and stay on
 * their CPU, so plain loads and stores move its top. A writer that nests between
 * the load and the store of another uses the same piece, but is done with it
 * before the other continues. Every piece records where it begins, and committing
 * it frees whatever may lie above it.
 *
 * Most events are decided before that, by their arguments: see gate.c. Here are those that need
 * more than it does: several traces, several filters, contexts, globs, sequences, calculations.
 *
 * First in a chain are the expressions of the trace and of the event, if they have one, see
 * event_filter.c; then come filters that were registered, by their priority.
 *
 * Last come the triggers of the event, see trigger.c: they are asked about what was accepted, after
 * it was recorded. Those that start a trace are asked although nothing is recorded.
 *
 * A chain is replaced as a whole, and is reached through the taps. Old chains are freed after
 * an RCU grace period, like taps. Removing a filter must not require memory: if there is
 * none for a shorter chain, a filter that accepts all events replaces the removed one, until
 * the chain is replaced.
 */

#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/ring_buffer.h>

#include "core.h"
#include "event_filter.h"
#include "trigger.h"

/**
 * struct ltt_filter_chain - the filters of an event in a trace
 * @rcu:	frees it
 * @next:	before it is published: other chains that are published together with it
 * @tevent:	before it is published: the event it is for
 * @event:	the kind of event
 * @common:	the expression of the trace, which comes first, or NULL
 * @own:	that of the event, or NULL
 * @triggers:	asked about what was accepted, NULL if there are none
 * @nr:		entries of @filter
 * @filter:	by ascending priority
 */
struct ltt_filter_chain {
	union {
		struct rcu_head rcu;
		struct {
			struct ltt_filter_chain *next;
			struct ltt_trace_event *tevent;
		};
	};
	const struct ltt_event *event;
	const struct ltt_event_filter *common;
	struct ltt_event_filter *own;
	struct ltt_trigger_set *triggers;
	unsigned int nr;
	struct ltt_filter *filter[];
};

/* Room for events that are being filtered on a CPU, all nested writers together. */
#define SCRATCH_SIZE	SZ_32K

/* Expressions may read behind what they look at. */
#define SCRATCH_ROOM	(SCRATCH_SIZE - LTT_EXPR_SLACK)

/**
 * struct scratch - a CPU's stack
 * @base:	SCRATCH_SIZE bytes
 * @top:	bytes in use; changed by this CPU's writers only
 */
struct scratch {
	u8 *base;
	unsigned int top;
};

static DEFINE_PER_CPU(struct scratch, scratch);
static bool scratch_ready;		/* protected by ltt_mutex */

/**
 * struct piece - a piece of scratch memory
 * @begin:	value of top before it
 * @size:	bytes of @payload
 * @payload:	the event's fields
 */
struct piece {
	u32 begin;
	u32 size;
	u8 payload[];
};

static const struct ltt_slot no_slot = { .p = NULL, .start = LTT_START_NONE };

/* ---- writers --------------------------------------------------------------- */

/*
 * A writer in task context that has interrupted nothing finds the stack empty.
 * Anything there was left by one that died between reservation and commit.
 */
static __always_inline bool outermost(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_COUNT) &&
	       preempt_count() == PREEMPT_DISABLE_OFFSET;
}

/* Is there a trigger that starts the trace? */
static __always_inline bool starts(const struct ltt_filter_chain *chain)
{
	return chain->triggers && chain->triggers->starts;
}

static notrace struct ltt_slot filter_reserve(const struct ltt_tap *tap, size_t len)
{
	struct ltt_buf *buf = this_cpu_ptr(tap->buf);
	struct scratch *stack = this_cpu_ptr(&scratch);
	unsigned int begin = outermost() ? 0 : READ_ONCE(stack->top);
	size_t size = len - LTT_HEADER_COMPACT;
	struct piece *piece;

	if (!READ_ONCE(buf->recording) && !READ_ONCE(buf->broken) && !starts(tap->filter))
		return no_slot;
	/*
	 * An event that cannot be filtered is lost. Only the ring buffer can count
	 * that; it has no room for so many bytes.
	 */
	if (unlikely(size > SCRATCH_ROOM - begin ||
		     sizeof(*piece) > SCRATCH_ROOM - begin - size))
		return tap->direct(tap, LTT_LEN_NEVER);

	WRITE_ONCE(stack->top, ALIGN(begin + sizeof(*piece) + size, 8));
	barrier();	/* what nests from now on stays above */
	piece = (struct piece *)(stack->base + begin);
	piece->begin = begin;
	piece->size = size;
	return (struct ltt_slot){ .p = piece->payload, .start = LTT_START_NONE };
}

static __always_inline bool accepted(const struct ltt_filter_chain *chain,
				     const struct piece *piece)
{
	struct ltt_filter *filter;
	unsigned int i;

	if (chain->common &&
	    !ltt_event_filter_accepts(chain->common, piece->payload, piece->size))
		return false;
	if (chain->own && !ltt_event_filter_accepts(chain->own, piece->payload, piece->size))
		return false;
	for (i = 0; i < chain->nr; i++) {
		filter = READ_ONCE(chain->filter[i]);
		if (!filter->accept(filter, chain->event, piece->payload, piece->size))
			return false;
	}
	return true;
}

/* Out of line: what is rejected needs no registers for it. */
static noinline notrace void record(const struct ltt_tap *tap, const struct piece *piece)
{
	struct ltt_slot slot = tap->direct(tap, piece->size + LTT_HEADER_COMPACT);
	struct ltt_tap unfiltered;

	if (!slot.p)
		return;
	memcpy(slot.p, piece->payload, piece->size);
	/* A nested writer's commit must not return here. */
	unfiltered.filter = NULL;
	unfiltered.buf = tap->buf;
	unfiltered.publish = tap->publish;
	ltt_commit(&unfiltered, slot);
}

static notrace void filter_commit(const struct ltt_tap *tap, struct ltt_slot slot)
{
	struct piece *piece = container_of(slot.p, struct piece, payload[0]);
	const struct ltt_filter_chain *chain = tap->filter;
	const struct ltt_buf *buf;
	bool recording;

	if (accepted(chain, piece)) {
		buf = this_cpu_ptr(tap->buf);
		recording = READ_ONCE(buf->recording);
		record(tap, piece);
		if (unlikely(chain->triggers))
			ltt_trigger_set_fire(chain->triggers, recording, chain->event,
					     piece->payload, piece->size);
	}
	barrier();	/* the piece is used up */
	__this_cpu_write(scratch.top, piece->begin);
}

/* ---- chains ---------------------------------------------------------------- */

/**
 * ltt_filter_setup() - make a tap pass the filters of its event
 * @tap:	the tap, otherwise complete
 * @tevent:	the event in its trace
 *
 * Context: task, ltt_mutex held.
 */
void ltt_filter_setup(struct ltt_tap *tap, struct ltt_trace_event *tevent)
{
	tap->direct = tap->reserve;
	tap->filter = tevent->filter;
	if (!tap->filter)
		return;
	tap->reserve = filter_reserve;
	tap->filtered = filter_commit;
}

/**
 * ltt_filter_only() - the expression that alone decides about an event
 * @chain:	the event's filters
 *
 * Context: task, ltt_mutex held.
 * Return: the expression; NULL if something else decides, too.
 */
const struct ltt_event_filter *ltt_filter_only(const struct ltt_filter_chain *chain)
{
	return chain->nr || chain->common || chain->triggers ? NULL : chain->own;
}

/**
 * ltt_filter_triggers() - the triggers at the end of a chain
 * @chain:	the event's filters, or NULL
 *
 * Context: task, ltt_mutex held.
 * Return: the triggers; NULL if there are none.
 */
const struct ltt_trigger_set *ltt_filter_triggers(const struct ltt_filter_chain *chain)
{
	return chain ? chain->triggers : NULL;
}

/**
 * ltt_filter_quiet() - make a tap what it would be without triggers
 * @tap:	the tap, complete
 *
 * Context: task, ltt_mutex held.
 * Return: false if its event has filters as well, which come first: the tap stays as it is.
 */
bool ltt_filter_quiet(struct ltt_tap *tap)
{
	const struct ltt_filter_chain *chain = tap->filter;

	if (chain->nr || chain->common || chain->own)
		return false;
	tap->filter = NULL;
	if (tap->tasks)
		tap->everybody = tap->direct;
	else
		tap->reserve = tap->direct;
	return true;
}

/**
 * ltt_filter_free() - forget the filters of an event
 * @tevent:	the event in its trace; no tap leads to it any more
 *
 * Context: task, ltt_mutex held.
 */
void ltt_filter_free(struct ltt_trace_event *tevent)
{
	if (tevent->filter)
		kfree_rcu(tevent->filter, rcu);
	tevent->filter = NULL;
	ltt_event_filter_free(tevent->own);
	tevent->own = NULL;
	ltt_trigger_set_free(tevent->triggers);
	tevent->triggers = NULL;
}

static void scratch_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kfree(per_cpu(scratch.base, cpu));
		per_cpu(scratch.base, cpu) = NULL;
	}
}

/* Allocated with the first filter; kept for later ones. */
static int scratch_alloc(void)
{
	unsigned int cpu;
	u8 *base;

	if (scratch_ready)
		return 0;
	for_each_possible_cpu(cpu) {
		base = kmalloc_node(SCRATCH_SIZE, GFP_KERNEL, cpu_to_node(cpu));
		if (!base) {
			scratch_free();
			return -ENOMEM;
		}
		per_cpu(scratch.base, cpu) = base;
		per_cpu(scratch.top, cpu) = 0;
	}
	scratch_ready = true;
	return 0;
}

static bool chain_has(const struct ltt_filter_chain *chain, const struct ltt_filter *filter)
{
	unsigned int i;

	for (i = 0; chain && i < chain->nr; i++) {
		if (chain->filter[i] == filter)
			return true;
	}
	return false;
}

/* Replaces a filter that was removed. */
static notrace bool accept_all(struct ltt_filter *filter, const struct ltt_event *event,
			       const u8 *payload, size_t size)
{
	return true;
}

static struct ltt_filter removed = { .accept = accept_all };

/* An empty chain for as many filters as there are now, and one more. NULL: no memory. */
static struct ltt_filter_chain *chain_alloc(struct ltt_trace_event *tevent)
{
	const struct ltt_filter_chain *old = tevent->filter;
	struct ltt_filter_chain *chain;

	chain = kmalloc(struct_size(chain, filter, (old ? old->nr : 0) + 1), GFP_KERNEL);
	if (!chain)
		return NULL;
	chain->tevent = tevent;
	chain->event = tevent->event;
	chain->common = tevent->tchan->trace->filter;
	chain->own = tevent->own;
	chain->triggers = tevent->triggers;
	chain->nr = 0;
	return chain;
}

/* The current filters and @filter, after those of the same priority. NULL: no memory. */
static struct ltt_filter_chain *chain_with(struct ltt_trace_event *tevent,
					   struct ltt_filter *filter)
{
	const struct ltt_filter_chain *old = tevent->filter;
	struct ltt_filter_chain *chain = chain_alloc(tevent);
	struct ltt_filter *new = filter, *other;
	unsigned int i;

	if (!chain)
		return NULL;
	for (i = 0; old && i < old->nr; i++) {
		other = old->filter[i];
		if (other == &removed)
			continue;
		if (new && other->priority > new->priority) {
			chain->filter[chain->nr++] = new;
			new = NULL;
		}
		chain->filter[chain->nr++] = other;
	}
	if (new)
		chain->filter[chain->nr++] = new;
	return chain;
}

/* Without @filter. NULL: no memory. */
static struct ltt_filter_chain *chain_without(struct ltt_trace_event *tevent,
					      const struct ltt_filter *filter)
{
	const struct ltt_filter_chain *old = tevent->filter;
	struct ltt_filter_chain *chain = chain_alloc(tevent);
	unsigned int i;

	for (i = 0; chain && old && i < old->nr; i++) {
		if (old->filter[i] != filter && old->filter[i] != &removed)
			chain->filter[chain->nr++] = old->filter[i];
	}
	return chain;
}

/* The current filters, and memory to run them. NULL: no memory. */
static struct ltt_filter_chain *chain_copy(struct ltt_trace_event *tevent)
{
	return scratch_alloc() ? NULL : chain_without(tevent, NULL);
}

/* The taps are prepared. */
static void chain_publish(struct ltt_filter_chain *chain)
{
	struct ltt_trace_event *tevent = chain->tevent;
	struct ltt_filter_chain *old = tevent->filter;

	if (!chain->nr && !chain->own && !chain->common && !chain->triggers) {
		kfree(chain);
		chain = NULL;
	}
	tevent->filter = chain;
	ltt_event_update(tevent->event);
	if (old)
		kfree_rcu(old, rcu);
}

static int prepare(struct ltt_filter_chain *chain, struct ltt_filter_chain **chains)
{
	chain->next = *chains;
	*chains = chain;
	return ltt_event_prepare(chain->tevent->event);
}

/**
 * ltt_filter_prepare() - prepare another expression for an event
 * @tevent:	the event in its trace
 * @own:	the expression, or NULL; taken over
 * @chains:	receives what ltt_filter_publish() needs, and what was prepared before
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: 0, -ENOMEM.
 */
int ltt_filter_prepare(struct ltt_trace_event *tevent, struct ltt_event_filter *own,
		       struct ltt_filter_chain **chains)
{
	struct ltt_filter_chain *chain = chain_copy(tevent);

	if (!chain) {
		ltt_event_filter_free(own);
		return -ENOMEM;
	}
	chain->own = own;
	return prepare(chain, chains);
}

/**
 * ltt_filter_prepare_common() - prepare another expression of the trace for an event
 * @tevent:	the event in its trace
 * @common:	the expression, or NULL
 * @chains:	receives what ltt_filter_publish() needs, and what was prepared before
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: 0, -ENOMEM.
 */
int ltt_filter_prepare_common(struct ltt_trace_event *tevent,
			      const struct ltt_event_filter *common,
			      struct ltt_filter_chain **chains)
{
	struct ltt_filter_chain *chain = chain_copy(tevent);

	if (!chain)
		return -ENOMEM;
	chain->common = common;
	return prepare(chain, chains);
}

/**
 * ltt_filter_prepare_triggers() - prepare other triggers for an event
 * @tevent:	the event in its trace
 * @triggers:	the triggers, or NULL; taken over
 * @chains:	receives what ltt_filter_publish() needs, and what was prepared before
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: 0, -ENOMEM.
 */
int ltt_filter_prepare_triggers(struct ltt_trace_event *tevent, struct ltt_trigger_set *triggers,
				struct ltt_filter_chain **chains)
{
	struct ltt_filter_chain *chain = chain_copy(tevent);

	if (!chain) {
		ltt_trigger_set_free(triggers);
		return -ENOMEM;
	}
	chain->triggers = triggers;
	return prepare(chain, chains);
}

/**
 * ltt_filter_publish() - give events the expressions and triggers that were prepared
 * @chains:	from ltt_filter_prepare() and the like, or NULL
 * @keep:	false to drop them instead
 *
 * Context: task, ltt_mutex held; sleeps.
 */
void ltt_filter_publish(struct ltt_filter_chain *chains, bool keep)
{
	struct ltt_trigger_set *triggers;
	struct ltt_event_filter *own;
	struct ltt_filter_chain *chain;
	struct ltt_trace_event *tevent;

	while (chains) {
		chain = chains;
		chains = chain->next;
		tevent = chain->tevent;
		own = chain->own;
		triggers = chain->triggers;
		if (keep) {
			swap(own, tevent->own);
			swap(triggers, tevent->triggers);
			chain_publish(chain);
		} else {
			kfree(chain);
		}
		/* What is not used; those of the event may have stayed the same. */
		if (own != tevent->own)
			ltt_event_filter_free(own);
		if (triggers != tevent->triggers)
			ltt_trigger_set_free(triggers);
	}
}

/* Cannot fail. One RCU grace period later @filter does not run any more. */
static void chain_remove(struct ltt_trace_event *tevent, const struct ltt_filter *filter)
{
	struct ltt_filter_chain *old = tevent->filter, *chain;
	unsigned int i;

	chain = chain_without(tevent, filter);
	if (chain && !ltt_event_prepare(tevent->event)) {
		chain_publish(chain);
		return;
	}
	kfree(chain);
	for (i = 0; i < old->nr; i++) {
		if (old->filter[i] == filter)
			WRITE_ONCE(old->filter[i], &removed);
	}
}

/*
 * The next event of this name, see ltt_trace_channel_next_event(). There may be several,
 * which differ in their fields.
 */
static struct ltt_trace_event *next_event(const struct ltt_trace *trace, const char *channel,
					  const char *marker, u32 *next)
{
	const struct ltt_trace_channel *tchan = ltt_trace_channel_named(trace, channel);
	struct ltt_trace_event *tevent;

	while (tchan && (tevent = ltt_trace_channel_next_event(tchan, next))) {
		if (!strcmp(tevent->event->name, marker))
			return tevent;
	}
	return NULL;
}

/**
 * ltt_filter_remove() - take a filter out of the chains it was added to
 * @trace:	the trace, live or destroyed; the caller has a reference
 * @channel:	channel's name
 * @marker:	marker's name
 * @filter:	the filter; when this returns it does not run any more
 *
 * Context: task; takes ltt_mutex, waits for a grace period of RCU. Not from a filter.
 * Return: 0, or -ENOENT if it is in no chain of such an event.
 */
int ltt_filter_remove(struct ltt_trace *trace, const char *channel,
		      const char *marker, struct ltt_filter *filter)
{
	struct ltt_trace_event *tevent;
	int err = -ENOENT;
	u32 next = 0;

	mutex_lock(&ltt_mutex);
	while ((tevent = next_event(trace, channel, marker, &next))) {
		if (chain_has(tevent->filter, filter)) {
			chain_remove(tevent, filter);
			err = 0;
		}
	}
	mutex_unlock(&ltt_mutex);
	if (!err)
		synchronize_rcu();
	return err;
}
EXPORT_SYMBOL_GPL(ltt_filter_remove);

/**
 * ltt_filter_add() - add a filter to a trace's events
 * @trace:	the trace; the caller has a reference
 * @channel:	channel's name
 * @marker:	marker's name
 * @filter:	the filter
 *
 * Applies to every kind of event of this name that has an id in @trace now. The
 * filter must be removed again, even if the trace is destroyed.
 *
 * Context: task; takes ltt_mutex, sleeps. Not from a filter.
 * Return: 0; -ENOENT if the trace knows no such event, -EEXIST if @filter is in its
 * chain already, -ENODEV if the trace was destroyed, -ENOMEM. After an error nothing
 * has changed.
 */
int ltt_filter_add(struct ltt_trace *trace, const char *channel,
		   const char *marker, struct ltt_filter *filter)
{
	struct ltt_filter_chain *chain, *chains = NULL;
	struct ltt_trace_event *tevent;
	u32 next;
	int err;

	mutex_lock(&ltt_mutex);
	err = -ENODEV;
	if (trace->dying)
		goto out;

	err = -ENOENT;
	for (next = 0; (tevent = next_event(trace, channel, marker, &next));) {
		err = -EEXIST;
		if (chain_has(tevent->filter, filter))
			goto out;
		err = 0;
	}
	if (err)
		goto out;

	err = scratch_alloc();
	if (err)
		goto out;
	for (next = 0; (tevent = next_event(trace, channel, marker, &next));) {
		chain = chain_with(tevent, filter);
		if (chain) {
			chain->next = chains;
			chains = chain;
		}
		if (!chain || ltt_event_prepare(tevent->event)) {
			err = -ENOMEM;
			break;
		}
	}
	while (chains) {
		chain = chains;
		chains = chain->next;
		if (err)
			kfree(chain);
		else
			chain_publish(chain);
	}
out:
	mutex_unlock(&ltt_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_filter_add);

/* ---- start and end ---------------------------------------------------------- */

/**
 * ltt_filter_init() - prepare for filters
 *
 * Context: task.
 * Return: 0, -ENOMEM.
 */
int ltt_filter_init(void)
{
	return ltt_event_filter_init();
}

/**
 * ltt_filter_exit() - free what filters needed
 *
 * Context: task, after ltt_marker_exit(): no writer is left.
 */
void ltt_filter_exit(void)
{
	ltt_event_filter_exit();
	if (scratch_ready)
		scratch_free();
	scratch_ready = false;
}
