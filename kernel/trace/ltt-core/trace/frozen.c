// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: traces that are read only. See frozen.h.
 *
 * Life: ltt_frozen_create(), channels, events and declarations (ltt_frozen_copy() copies those of
 * a trace), buffers, packets, ltt_frozen_publish(). From then on it does not change. After
 * ltt_frozen_hide() it has no files any more, and is freed when the last of those that were
 * open is closed.
 */

#include <linux/errno.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core.h"
#include "frozen.h"

LIST_HEAD(ltt_frozen_traces);

/**
 * ltt_frozen_create() - create a frozen trace
 * @frozen:	the caller has set @ops, and @of, @parent and @dir_name; belongs to the trace
 *		from now on, unless this fails
 * @name:	what its text and metadata call it
 *
 * The clock, the UUID and what else is known of the trace are the caller's to set.
 *
 * Context: task, may sleep.
 * Return: the trace with a reference, for ltt_trace_put(), if it was published after
 * ltt_frozen_hide(); ERR_PTR: -ENOMEM.
 */
struct ltt_trace *ltt_frozen_create(struct ltt_frozen *frozen, const char *name)
{
	struct ltt_trace *trace = kzalloc(sizeof(*trace), GFP_KERNEL);

	if (!trace)
		return ERR_PTR(-ENOMEM);
	if (ltt_trace_init(trace, name)) {
		kfree(trace);
		return ERR_PTR(-ENOMEM);
	}
	/* That trace holds its clock. Modules of another boot are not known. */
	if (frozen->of)
		ltt_symbols_get();
	trace->frozen = frozen;
	trace->dead = true;
	frozen->trace = trace;
	INIT_LIST_HEAD(&frozen->node);
	if (frozen->of)
		ltt_trace_get(frozen->of);
	return trace;
}

/**
 * ltt_frozen_add_channel() - add a channel
 * @trace:	the frozen trace
 * @name:	the channel's
 * @stream_id:	its number; ascending
 *
 * It is its own home.
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: the channel in the trace; ERR_PTR: -ENOMEM.
 */
struct ltt_trace_channel *ltt_frozen_add_channel(struct ltt_trace *trace, const char *name,
						 u32 stream_id)
{
	struct ltt_trace_channel *tchan = kzalloc(sizeof(*tchan), GFP_KERNEL);

	lockdep_assert_held(&ltt_mutex);
	if (!tchan)
		return ERR_PTR(-ENOMEM);
	tchan->channel = ltt_channel_get(name);
	if (!tchan->channel) {
		kfree(tchan);
		return ERR_PTR(-ENOMEM);
	}
	tchan->trace = trace;
	tchan->stream_id = stream_id;
	tchan->home = tchan;
	tchan->known = true;
	INIT_LIST_HEAD(&tchan->mem_node);
	xa_init(&tchan->events);
	list_add_tail_rcu(&tchan->node, &trace->tchans);
	trace->nr_tchans = stream_id + 1;
	return tchan;
}

/**
 * ltt_frozen_add_event() - add a kind of event
 * @tchan:	its channel, with the home already set
 * @event:	the event; gets a reference
 * @id:		its number in the home of @tchan
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: the event in the trace; ERR_PTR: -ENOMEM.
 */
struct ltt_trace_event *ltt_frozen_add_event(struct ltt_trace_channel *tchan,
					     struct ltt_event *event, u32 id)
{
	struct ltt_trace_event *tevent = kzalloc(sizeof(*tevent), GFP_KERNEL);
	struct ltt_trace_channel *home = tchan->home;
	int err;

	lockdep_assert_held(&ltt_mutex);
	if (!tevent)
		return ERR_PTR(-ENOMEM);
	tevent->event = event;
	tevent->tchan = tchan;
	tevent->id = id;
	err = xa_err(xa_store(&home->events, id, tevent, GFP_KERNEL));
	if (err) {
		kfree(tevent);
		return ERR_PTR(err);
	}
	ltt_event_get(event);
	/* Not among those that are recorded. */
	INIT_LIST_HEAD(&tevent->node);
	home->nr_events = max(home->nr_events, id + 1);
	return tevent;
}

/**
 * ltt_frozen_declare() - add a declaration to the metadata
 * @trace:	the frozen trace
 * @declaration: that of @tevent, or of @tchan if that is NULL
 * @tchan:	as in struct ltt_declaration
 * @tevent:	as there
 * @like:	as there
 *
 * Context: task, ltt_mutex held.
 */
void ltt_frozen_declare(struct ltt_trace *trace, struct ltt_declaration *declaration,
			const struct ltt_trace_channel *tchan,
			const struct ltt_trace_event *tevent, const struct ltt_trace_event *like)
{
	declaration->tchan = tchan;
	declaration->tevent = tevent;
	declaration->like = like;
	list_add_tail_rcu(&declaration->node, &trace->declarations);
}

/* ---- a copy of a trace ---------------------------------------------------------- */

static struct ltt_trace_channel *channel_nr(const struct ltt_trace *trace, u32 stream_id)
{
	struct ltt_trace_channel *tchan;

	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->stream_id == stream_id)
			return tchan;
	}
	return NULL;
}

/* The events that @from is the home of. */
static int copy_events(struct ltt_trace *trace, const struct ltt_trace_channel *from)
{
	const struct ltt_trace_event *tevent;
	struct ltt_trace_channel *tchan;
	struct ltt_trace_event *new;
	u32 next = 0;

	while ((tevent = ltt_trace_channel_next_event(from, &next))) {
		tchan = channel_nr(trace, tevent->tchan->stream_id);
		new = ltt_frozen_add_event(tchan, tevent->event, tevent->id);
		if (IS_ERR(new))
			return PTR_ERR(new);
	}
	return 0;
}

static void copy_declaration(struct ltt_trace *trace, const struct ltt_declaration *from)
{
	struct ltt_trace_channel *tchan = channel_nr(trace, from->tchan->stream_id);
	struct ltt_trace_event *tevent, *like = NULL;

	if (!from->tevent) {
		ltt_frozen_declare(trace, &tchan->declaration, tchan, NULL, NULL);
		return;
	}
	tevent = ltt_trace_channel_event(tchan, from->tevent->id);
	if (from->like)
		like = ltt_trace_channel_event(tchan, from->like->id);
	ltt_frozen_declare(trace, &tevent->declaration, tchan, tevent, like);
}

/**
 * ltt_frozen_copy() - give a frozen trace the channels, events and declarations of a trace
 * @trace:	the frozen trace, new; its @of is @of
 * @of:		the trace, which may be recording
 *
 * What the copy shares with @of lives as long as that.
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: 0 or -ENOMEM.
 */
int ltt_frozen_copy(struct ltt_trace *trace, const struct ltt_trace *of)
{
	const struct ltt_declaration *declaration;
	const struct ltt_trace_channel *from;
	struct ltt_trace_channel *tchan;
	int err;

	lockdep_assert_held(&ltt_mutex);
	trace->clock = of->clock;
	trace->real_offset = of->real_offset;
	memcpy(trace->uuid, of->uuid, sizeof(trace->uuid));
	memcpy(trace->hostname, of->hostname, sizeof(trace->hostname));
	list_for_each_entry(from, &of->tchans, node) {
		tchan = ltt_frozen_add_channel(trace, from->channel->name, from->stream_id);
		if (IS_ERR(tchan))
			return PTR_ERR(tchan);
		tchan->params = from->params;
		tchan->context = from->context;
		tchan->known = from->known;
	}
	list_for_each_entry(from, &of->tchans, node) {
		if (from->home)
			channel_nr(trace, from->stream_id)->home =
				channel_nr(trace, from->home->stream_id);
	}
	list_for_each_entry(from, &of->tchans, node) {
		err = copy_events(trace, from);
		if (err)
			return err;
	}
	list_for_each_entry(declaration, &of->declarations, node)
		copy_declaration(trace, declaration);
	return 0;
}

/* ---- packets -------------------------------------------------------------------- */

/**
 * ltt_frozen_add_buffers() - give a channel buffers, without packets
 * @tchan:	the channel; its params are set
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_frozen_add_buffers(struct ltt_trace_channel *tchan)
{
	struct ltt_buf *buf;
	unsigned int cpu;

	tchan->mem = alloc_percpu(struct ltt_buf);
	if (!tchan->mem)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		ltt_buffer_init_cpu(tchan, cpu);
		buf = per_cpu_ptr(tchan->mem, cpu);
		/* Readers take copies, as from a flight recorder. */
		buf->overwrite = true;
		buf->frozen = true;
	}
	tchan->buf = tchan->mem;
	atomic_inc(&tchan->trace->layout);
	return 0;
}

/**
 * ltt_frozen_set_packets() - give a buffer its packets
 * @tchan:	the channel
 * @cpu:	the CPU that wrote them; a possible one
 * @packets:	the packets, the oldest first; of each @base, @content_end and @ts_end as
 *		when it was recorded, with @events, the number of its events. Their numbers
 *		follow each other. @base stays the caller's
 * @nr:		how many; at least one
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_frozen_set_packets(struct ltt_trace_channel *tchan, unsigned int cpu,
			   const struct ltt_subbuf *packets, unsigned int nr)
{
	const struct ltt_packet *first = (const struct ltt_packet *)packets[0].base;
	const struct ltt_packet *last = (const struct ltt_packet *)packets[nr - 1].base;
	struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);
	unsigned int slots = max_t(unsigned int, roundup_pow_of_two(nr), LTT_SUBBUF_NUM_MIN), i;
	unsigned long pos = (unsigned long)first->packet_seq_num << buf->sb_order;
	struct ltt_subbuf *sb;

	sb = kvcalloc(slots, sizeof(*sb), GFP_KERNEL);
	if (!sb)
		return -ENOMEM;
	buf->sb_mask = slots - 1;
	buf->sb = sb;
	buf->horizon = pos;
	buf->tail.pos = pos;
	buf->tail.lost = first->events_discarded;
	for (i = 0; i < nr; i++, pos += buf->off_mask + 1) {
		sb = ltt_buf_sb(buf, pos);
		*sb = packets[i];
		sb->origin = (unsigned long)sb->base - pos;
		sb->end = pos + buf->off_mask + 1;
	}
	local_set(&buf->lost, last->events_discarded);
	buf->write = pos;
	buf->frontier = pos;
	return 0;
}

/* ---- files ---------------------------------------------------------------------- */

/**
 * ltt_frozen_publish() - create the files of a frozen trace
 * @trace:	the trace, complete
 *
 * Context: task, may sleep; ltt_mutex held, and @of is not dying.
 * Return: 0; or a negative errno: some files may exist, call ltt_frozen_hide().
 */
int ltt_frozen_publish(struct ltt_trace *trace)
{
	lockdep_assert_held(&ltt_mutex);
	list_add_tail(&trace->frozen->node, &ltt_frozen_traces);
	return ltt_clients_add_trace(trace);
}

/**
 * ltt_frozen_hide() - remove the files of a frozen trace
 * @trace:	the trace, which was published
 *
 * Files that are open can be read to their end. Give the reference back afterwards.
 *
 * Context: task, ltt_mutex not held; not in an operation of a trace's file. Waits for
 * operations on the trace's files.
 */
void ltt_frozen_hide(struct ltt_trace *trace)
{
	mutex_lock(&ltt_mutex);
	WRITE_ONCE(trace->dying, true);
	trace->frozen->removed = true;
	mutex_unlock(&ltt_mutex);
	ltt_clients_remove_trace(trace);
	mutex_lock(&ltt_mutex);
	list_del_init(&trace->frozen->node);
	mutex_unlock(&ltt_mutex);
}

/* ---- what readers ask of any trace ----------------------------------------------- */

/**
 * ltt_trace_boot_id() - the boot ID of the kernel that has recorded a trace
 * @trace:	the trace
 *
 * Context: any.
 * Return: LTT_UUID_SIZE bytes, or NULL if it is unknown.
 */
const u8 *ltt_trace_boot_id(const struct ltt_trace *trace)
{
	const struct ltt_frozen *frozen = trace->frozen;

	return frozen && frozen->release ? frozen->boot_id : ltt_boot_id();
}
EXPORT_SYMBOL_GPL(ltt_trace_boot_id);

/**
 * ltt_trace_now() - what time is it in a trace?
 * @trace:	the trace
 *
 * Nothing happens any more in a frozen one, which may be of another boot, and holds no clock.
 *
 * Context: any.
 * Return: ns on its clock; 0 if it is frozen.
 */
u64 ltt_trace_now(const struct ltt_trace *trace)
{
	return trace->frozen ? 0 : ltt_clock_now(trace->clock);
}
EXPORT_SYMBOL_GPL(ltt_trace_now);

/* ---- end ------------------------------------------------------------------------ */

/**
 * ltt_frozen_end() - release what a frozen trace refers to
 * @trace:	the trace, to which nobody has a reference any more; need not be frozen
 *
 * Context: task, ltt_mutex not held; sleeps.
 */
void ltt_frozen_end(struct ltt_trace *trace)
{
	struct ltt_frozen *frozen = trace->frozen;
	struct ltt_trace *of;
	struct ltt_trace_channel *tchan;
	unsigned int cpu;

	if (!frozen)
		return;
	of = frozen->of;
	frozen->ops->release(frozen);
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (of)
			tchan->context = NULL;
		if (!tchan->mem)
			continue;
		for_each_possible_cpu(cpu)
			kvfree(per_cpu_ptr(tchan->mem, cpu)->sb);
		free_percpu(tchan->mem);
		tchan->mem = NULL;
		tchan->buf = NULL;
	}
	if (of) {
		ltt_symbols_put();
		ltt_trace_put(of);
	}
}
