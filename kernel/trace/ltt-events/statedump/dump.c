// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: one state dump, from its beginning to its end.
 */

#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/ltt/trace.h>

#include "statedump.h"

/* How long to wait for a reader that makes no room, and how often to check. */
#define PATIENCE	HZ
#define LOOK_MS		10

/* Names of the markers. */
const char *const ltt_state_names[STATE_KINDS] = {
	[STATE_START] = "start",
	[STATE_PROCESS] = "process_state",
	[STATE_NAMESPACES] = "process_namespaces",
	[STATE_CGROUP] = "process_cgroup",
	[STATE_FILE] = "file_descriptor",
	[STATE_MAP] = "vm_map",
	[STATE_IRQ] = "interrupt",
	[STATE_MODULE] = "module",
	[STATE_INTERFACE] = "network_interface",
	[STATE_IPV4] = "network_ipv4",
	[STATE_IPV6] = "network_ipv6",
	[STATE_BLOCK] = "block_device",
	[STATE_CPU] = "cpu_topology",
	[STATE_END] = "end",
};

static unsigned long wanted_of(const struct ltt_trace_channel *tchan)
{
	const struct ltt_trace_event *tevent;
	unsigned long wanted = 0;
	u32 next = 0;
	int kind;

	while ((tevent = ltt_trace_channel_next_event(tchan, &next))) {
		if (!READ_ONCE(tevent->enabled))
			continue;
		kind = match_string(ltt_state_names, STATE_KINDS, tevent->event->name);
		if (kind >= 0)
			wanted |= BIT(kind);
	}
	return wanted;
}

/**
 * ltt_state_wanted() - which kinds of state a trace records
 * @trace:	the trace; not freed meanwhile
 * @buf:	receives the buffers of the channel if it wants anything
 *
 * Context: any but NMI.
 * Return: a bit for each kind whose marker is enabled in the trace.
 */
unsigned long ltt_state_wanted(const struct ltt_trace *trace, struct ltt_buf __percpu **buf)
{
	const struct ltt_trace_channel *tchan = ltt_trace_channel_named(trace, STATE_CHANNEL);

	if (!tchan)
		return 0;
	*buf = ltt_trace_channel_buf(tchan);
	return *buf ? wanted_of(tchan) : 0;
}

/**
 * ltt_state_cancelled() - was the dump cancelled?
 * @dump:	the dump
 *
 * Context: any.
 */
bool ltt_state_cancelled(const struct state_dump *dump)
{
	return (int)(READ_ONCE(dump->state->cancelled) - dump->number) >= 0;
}

/**
 * ltt_state_sleep() - pause the dump
 * @dump:	the dump
 * @ms:		for how long, unless the dump is cancelled
 *
 * Context: task, sleeps.
 */
void ltt_state_sleep(struct state_dump *dump, unsigned int ms)
{
	wait_event_idle_timeout(dump->state->wait, ltt_state_cancelled(dump),
				msecs_to_jiffies(ms));
}

/**
 * ltt_state_skip() - count something that could not be read
 * @dump:	the dump
 *
 * Context: task.
 */
void ltt_state_skip(struct state_dump *dump)
{
	WRITE_ONCE(dump->state->skipped, dump->state->skipped + 1);
}

/*
 * Wait for readers to make room, if that makes sense. Patience that was used up is restored
 * when there is room: at once if a reader made it while we waited; otherwise gradually, as
 * it may just be on another CPU.
 */
static int record_patiently(struct state_dump *dump, const struct ltt_marker *marker,
			    const struct ltt_arg *args)
{
	unsigned long since;
	bool waited = false;
	int err;

	for (;;) {
		err = ltt_marker_record_one(marker, dump->buf, args, dump->patience);
		if (err != -EAGAIN || ltt_state_cancelled(dump))
			break;
		since = jiffies;
		ltt_state_sleep(dump, LOOK_MS);
		dump->patience -= min(dump->patience, jiffies - since);
		waited = true;
	}
	if (!err)
		dump->patience = waited ? PATIENCE : min_t(unsigned long, PATIENCE,
							   dump->patience + 1);
	return err;
}

/**
 * ltt_state_record() - record an event of a dump
 * @dump:	the dump
 * @kind:	kind of state
 * @marker:	its marker
 * @args:	as for ltt_marker_record()
 *
 * Waits while the buffer of this CPU is full, if there are active readers.
 * Does nothing once the dump is cancelled.
 *
 * Context: task, sleeps.
 */
void ltt_state_record(struct state_dump *dump, enum state_kind kind,
		      const struct ltt_marker *marker, const struct ltt_arg *args)
{
	struct state_trace *state = dump->state;

	might_sleep();
	if (ltt_state_cancelled(dump))
		return;
	switch (record_patiently(dump, marker, args)) {
	case 0:
		WRITE_ONCE(state->count[kind], state->count[kind] + 1);
		break;
	case -ENOSPC:
		WRITE_ONCE(state->lost, state->lost + 1);
		break;
	}
	cond_resched();
}

static void (*const subjects[])(struct state_dump *dump) = {
	ltt_state_cpus,
	ltt_state_irqs,
	ltt_state_modules,
#ifdef CONFIG_BLOCK
	ltt_state_block,
#endif
	ltt_state_net,
	ltt_state_processes,
};

static void mark_end(struct state_dump *dump)
{
	struct state_trace *state = dump->state;
	const unsigned long *count = state->count;

	state_mark(dump, STATE_END, end,
		   "number %u threads %lu namespaces %lu cgroups %lu files %lu maps %lu interrupts %lu modules %lu interfaces %lu ipv4 %lu ipv6 %lu block_devices %lu cpus %lu lost %lu skipped %lu",
		   dump->number, count[STATE_PROCESS], count[STATE_NAMESPACES],
		   count[STATE_CGROUP], count[STATE_FILE], count[STATE_MAP],
		   count[STATE_IRQ], count[STATE_MODULE], count[STATE_INTERFACE],
		   count[STATE_IPV4], count[STATE_IPV6], count[STATE_BLOCK],
		   count[STATE_CPU], state->lost, state->skipped);
}

static void make(struct state_dump *dump, enum state_reason reason)
{
	struct state_trace *state = dump->state;
	size_t i;

	for (i = 0; i < STATE_KINDS; i++)
		WRITE_ONCE(state->count[i], 0);
	WRITE_ONCE(state->lost, 0);
	WRITE_ONCE(state->skipped, 0);

	dump->wanted = ltt_state_wanted(state->trace, &dump->buf);
	if (!dump->wanted)
		return;
	state_mark(dump, STATE_START, start, "number %u reason %u{0=start,1=request,2=load}",
		   dump->number, reason);
	for (i = 0; i < ARRAY_SIZE(subjects) && !ltt_state_cancelled(dump); i++)
		subjects[i](dump);
	mark_end(dump);
}

/**
 * ltt_state_work() - make the requested dump
 * @work:	of a struct state_trace
 *
 * Context: task, sleeps; one at a time for each trace.
 */
void ltt_state_work(struct work_struct *work)
{
	struct state_trace *state = container_of(work, struct state_trace, work);
	struct state_dump dump = {
		.state = state,
		.patience = PATIENCE,
		.text = state->text,
	};
	enum state_reason reason;

	spin_lock(&state->lock);
	dump.number = state->requested;
	reason = state->reason;
	spin_unlock(&state->lock);
	if (ltt_state_cancelled(&dump))
		return;

	make(&dump, reason);

	spin_lock(&state->lock);
	if (state->requested == dump.number && state->progress == STATE_RUNNING)
		state->progress = STATE_COMPLETE;
	spin_unlock(&state->lock);
}
