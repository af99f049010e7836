// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is left of traces after a crash.
 *
 * The streams, events and buffers of a trace are written to a log before anything can be recorded
 * in them. With it, others find the trace in a dump of all memory, see area/root.c. Writers
 * know nothing of it. A window has a log of its own, which says where its packets are.
 *
 * A trace in an area that survives a reset has its log there. It differs from others in where its
 * sub-buffers are, and with them the structures that tell what is in these (struct ltt_subbuf).
 * Private channels are left out of areas.
 *
 * What is found afterwards is described in <linux/ltt/area.h>.
 */

#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/panic.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/ltt/ring_buffer.h>

#include "../area/area.h"
#include "../area/root.h"
#include "core.h"
#include "frozen.h"

static_assert(sizeof(struct ltt_subbuf) == sizeof(struct ltt_area_slot));
static_assert(offsetof(struct ltt_subbuf, base) == offsetof(struct ltt_area_slot, base));
static_assert(offsetof(struct ltt_subbuf, events) == offsetof(struct ltt_area_slot, events));
static_assert(offsetof(struct ltt_subbuf, events_open) ==
	      offsetof(struct ltt_area_slot, events_open));
static_assert(offsetof(struct ltt_subbuf, first) == offsetof(struct ltt_area_slot, first));
static_assert(offsetof(struct ltt_subbuf, content_end) ==
	      offsetof(struct ltt_area_slot, content_end));
static_assert(offsetof(struct ltt_subbuf, ts_end) == offsetof(struct ltt_area_slot, ts_end));
static_assert(offsetof(struct ltt_subbuf, end) == offsetof(struct ltt_area_slot, end));
static_assert(offsetof(struct ltt_subbuf, origin) == offsetof(struct ltt_area_slot, origin));

/* ---- the log of a trace ---------------------------------------------------------- */

static void describe(const struct ltt_trace *trace, struct ltt_area_trace *what,
		     struct ltt_area_names *names)
{
	*names = (struct ltt_area_names){
		.name = trace->name,
		.hostname = trace->hostname,
		.release = init_utsname()->release,
		.build = init_utsname()->version,
		.version = LTT_VERSION,
		.clock = ltt_clock_name(trace->clock),
	};
	*what = (struct ltt_area_trace){
		.real_offset = trace->real_offset,
		.created = ltt_clock_now(trace->clock),
		.anchor = (unsigned long)panic,
	};
	memcpy(what->uuid, trace->uuid, sizeof(what->uuid));
	if (ltt_boot_id())
		memcpy(what->boot_id, ltt_boot_id(), sizeof(what->boot_id));
}

/**
 * ltt_persist_begin() - begin the log of a trace
 * @trace:	the trace, new, in ordinary memory
 *
 * Context: task; sleeps.
 * Return: 0 or -ENOMEM.
 */
int ltt_persist_begin(struct ltt_trace *trace)
{
	struct ltt_area_names names;
	struct ltt_area_trace what;

	describe(trace, &what, &names);
	trace->root = ltt_root_create(&what, &names);
	return trace->root ? 0 : -ENOMEM;
}

/* Where records of a trace are made; end_records() follows. */
static struct ltt_area_log *begin_records(const struct ltt_trace *trace)
{
	if (!trace->area)
		return ltt_root_begin(trace->root);
	mutex_lock(&trace->area->lock);
	return &trace->area->log;
}

/* @err: that of making them. Return: 0, -ENOSPC, -ENOMEM; says why. */
static int end_records(const struct ltt_trace *trace, int err, struct ltt_error *error)
{
	if (!trace->area) {
		err = ltt_root_add(trace->root, err);
		return err ? ltt_fail(error, err, "out of memory") : 0;
	}
	mutex_unlock(&trace->area->lock);
	return err ? ltt_fail(error, err, "area %s has no room for more declarations",
			      ltt_half_name(trace->area)) : 0;
}

/* ---- the area of a trace -------------------------------------------------------- */

static struct ltt_half *claim(const struct ltt_trace *trace, const char *name,
			      struct ltt_error *error)
{
	struct ltt_area_names names;
	struct ltt_area_trace what;

	describe(trace, &what, &names);
	return ltt_half_claim(name, &what, &names, error);
}

/* Does anything that it records depend on where? */
static bool is_used(const struct ltt_trace *trace)
{
	const struct ltt_trace_channel *tchan;

	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->mem || tchan->nr_events)
			return true;
	}
	return false;
}

/**
 * ltt_trace_set_area() - say where the buffers of a trace are
 * @trace:	the trace; the caller has a reference
 * @name:	name of an area that survives a reset, in which those of no other trace are; or
 *		"none"
 * @error:	why it failed; may be NULL
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, sleeps.
 * Return: 0; -ENOENT (no such area), -EBUSY (another trace has it, or this trace has recorded
 * something already), -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_area(struct ltt_trace *trace, const char *name, struct ltt_error *error)
{
	struct ltt_half *half = NULL, *old;
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	old = trace->area;
	if (is_used(trace)) {
		err = ltt_fail(error, -EBUSY, "trace %s already has buffers", trace->name);
		goto unlock;
	}
	if (trace->nr_windows) {
		err = ltt_fail(error, -EBUSY, "trace %s has memory for windows", trace->name);
		goto unlock;
	}
	/* The same one again, which nobody can take meanwhile: in the other half, perhaps. */
	if (old && !strcmp(name, ltt_half_name(old))) {
		ltt_half_release(old);
		old = NULL;
	}
	if (strcmp(name, "none"))
		half = claim(trace, name, error);
	if (IS_ERR(half)) {
		err = PTR_ERR(half);
		goto unlock;
	}
	if (old)
		ltt_half_release(old);
	trace->area = half;
	/* It has one log. */
	ltt_root_set_ended(trace->root, trace->area);
unlock:
	ltt_trace_request_end(trace);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_set_area);

/**
 * ltt_trace_area() - where are the buffers of a trace?
 * @trace:	the trace
 *
 * Context: task, ltt_mutex held.
 * Return: name of the area, "none" if it does not survive a reset.
 */
const char *ltt_trace_area(const struct ltt_trace *trace)
{
	return trace->area ? ltt_half_name(trace->area) : "none";
}

/**
 * ltt_persist_end() - a trace has been destroyed: neither its area nor its log need be kept
 * @trace:	the trace, or a window; it may have no log, if it is frozen
 *
 * Context: task; sleeps.
 */
void ltt_persist_end(struct ltt_trace *trace)
{
	if (trace->area)
		ltt_half_end(trace->area);
	if (trace->root)
		ltt_root_set_ended(trace->root, true);
}

/**
 * ltt_persist_free() - a trace gives its area and its log back
 * @trace:	the trace, without buffers, to which nobody has a reference any more
 *
 * Context: task; sleeps.
 */
void ltt_persist_free(struct ltt_trace *trace)
{
	if (trace->area)
		ltt_half_release(trace->area);
	ltt_root_free(trace->root);
}

/* ---- what is recorded there ----------------------------------------------------- */

/**
 * ltt_persist_choose() - decide where the buffers of a channel will be
 * @tchan:	the channel in the trace, which is about to get some of its own
 *
 * It may become private, or public, later.
 *
 * Context: task.
 */
void ltt_persist_choose(struct ltt_trace_channel *tchan)
{
	tchan->unlogged = tchan->trace->area && tchan->channel->flags & LTT_CHANNEL_PRIVATE;
}

/**
 * ltt_persist_has() - are the buffers of a channel in an area?
 * @tchan:	the channel in the trace, after ltt_persist_choose()
 *
 * Context: any.
 */
bool ltt_persist_has(const struct ltt_trace_channel *tchan)
{
	return tchan->trace->area && !tchan->unlogged;
}

/**
 * ltt_persist_stream() - declare the streams of a channel in the trace's log
 * @tchan:	the channel in the trace, with buffers of its own, after ltt_persist_choose()
 * @error:	why it failed; may be NULL
 *
 * Context: task; sleeps.
 * Return: 0, -ENOSPC, -ENOMEM.
 */
int ltt_persist_stream(struct ltt_trace_channel *tchan, struct ltt_error *error)
{
	int err;

	if (tchan->unlogged)
		return 0;
	err = ltt_area_add_stream(begin_records(tchan->trace), tchan->stream_id,
				  tchan->channel->name, tchan->context);
	return end_records(tchan->trace, err, error);
}

/* The first event of the stream with the same long format, NULL if there is none. */
static const struct ltt_trace_event *find_like(const struct ltt_trace_event *tevent)
{
	const struct ltt_trace_channel *home = tevent->tchan->home;
	const struct ltt_layout *layout = tevent->event->layout;
	const struct ltt_trace_event *other;
	u32 id;

	for (id = 0; layout->is_long && id < home->nr_events; id++) {
		other = ltt_trace_channel_event(home, id);
		if (other && other->event->layout == layout)
			return other;
	}
	return NULL;
}

/**
 * ltt_persist_event() - declare an event in the trace's log
 * @tevent:	the event in the trace, which is about to get its id there
 * @error:	why it failed; may be NULL
 *
 * Context: task, ltt_mutex held; sleeps.
 * Return: 0, -ENOSPC, -ENOMEM.
 */
int ltt_persist_event(const struct ltt_trace_event *tevent, struct ltt_error *error)
{
	const struct ltt_trace_channel *home = tevent->tchan->home;
	const struct ltt_event *event = tevent->event;
	const char *channel = event->channel->name;
	const struct ltt_trace_event *like;
	struct ltt_area_log *log;
	int err;

	if (home->unlogged)
		return 0;
	/* In ordinary memory there is room for all, and no need to look for it. */
	like = home->trace->area ? find_like(tevent) : NULL;
	log = begin_records(home->trace);
	if (like)
		err = ltt_area_add_event_like(log, home->stream_id, tevent->id, channel,
					      event->name, like->id);
	else
		err = ltt_area_add_event(log, home->stream_id, tevent->id, channel,
					 event->name, event->format_text, event->types,
					 event->nr_types);
	return end_records(home->trace, err, error);
}

/* ---- sub-buffers ----------------------------------------------------------------- */

static struct ltt_area_buffer buffer_of(const struct ltt_trace_channel *tchan, unsigned int cpu)
{
	return (struct ltt_area_buffer){
		.stream_id = tchan->stream_id,
		.cpu = cpu,
		.subbuf_order = tchan->params.subbuf_order,
		.subbuf_num = tchan->params.subbuf_num,
		.overwrite = tchan->params.overwrite,
	};
}

/**
 * ltt_persist_tell() - say in the trace's log where the sub-buffers for a CPU are
 * @tchan:	the channel in the trace, not in an area
 * @cpu:	the CPU
 * @sb:		its sub-buffers
 *
 * Context: task; sleeps.
 * Return: 0 or -ENOMEM.
 */
int ltt_persist_tell(const struct ltt_trace_channel *tchan, unsigned int cpu,
		     const struct ltt_subbuf *sb)
{
	const struct ltt_area_buffer buffer = buffer_of(tchan, cpu);

	return tchan->unlogged ? 0 : ltt_root_add_buffer(tchan->trace->root, &buffer, sb);
}

/**
 * ltt_persist_forget() - undo ltt_persist_tell()
 * @tchan:	the channel in the trace
 * @cpu:	the CPU
 * @sb:		its sub-buffers, which are about to be freed
 *
 * Context: task; sleeps.
 */
void ltt_persist_forget(const struct ltt_trace_channel *tchan, unsigned int cpu,
			const struct ltt_subbuf *sb)
{
	const struct ltt_area_buffer buffer = buffer_of(tchan, cpu);

	if (!tchan->unlogged)
		ltt_root_remove_buffer(tchan->trace->root, &buffer, sb);
}

/* The packets of a channel in a window. Return: 0 or -ENOMEM. */
static int tell_packets(const struct ltt_trace_channel *tchan)
{
	struct ltt_area_buffer buffer;
	const struct ltt_buf *buf;
	unsigned int cpu;
	int err = 0;

	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(tchan->mem, cpu);
		if (!buf->sb)
			continue;
		buffer = buffer_of(tchan, cpu);
		buffer.subbuf_num = buf->sb_mask + 1;
		buffer.packets = (buf->write - buf->horizon) >> buf->sb_order;
		err = err ?: ltt_root_add_buffer(tchan->trace->root, &buffer, buf->sb);
	}
	return err;
}

/**
 * ltt_persist_window() - say in a log of its own where the packets of a window are
 * @trace:	the window, a frozen trace with all its packets
 * @window:	what is to be known of it; @root and @generation are not looked at
 * @why:	why it was taken
 *
 * Context: task; sleeps.
 * Return: 0; -ENOMEM: dumps do not have it.
 */
int ltt_persist_window(struct ltt_trace *trace, const struct ltt_area_window *window,
		       const char *why)
{
	const struct ltt_trace_channel *tchan;
	int err = 0;

	trace->root = ltt_root_create_window(trace->frozen->of->root, window, why);
	if (!trace->root)
		return -ENOMEM;
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->mem)
			err = err ?: tell_packets(tchan);
	}
	/* Before, some of it would look like all. */
	if (!err)
		ltt_root_set_ended(trace->root, false);
	return err;
}

/**
 * ltt_persist_alloc() - the sub-buffers of a channel for a CPU
 * @tchan:	the channel in the trace
 * @cpu:	the CPU
 *
 * Context: task; sleeps.
 * Return: the sub-buffers, or an ERR_PTR() of -ENOSPC, -ENOMEM.
 */
struct ltt_subbuf *ltt_persist_alloc(const struct ltt_trace_channel *tchan, unsigned int cpu)
{
	const struct ltt_channel_params *params = &tchan->params;
	struct ltt_half *half = tchan->trace->area;
	struct ltt_area_buffer buffer = buffer_of(tchan, cpu);
	struct ltt_subbuf *sb;
	int err;
	u32 i;

	err = ltt_half_alloc(half, &buffer);
	if (err)
		return ERR_PTR(err);
	sb = ltt_half_at(half, buffer.slots);
	for (i = 0; i < params->subbuf_num; i++)
		sb[i].base = ltt_half_at(half, buffer.data + ((u64)i << params->subbuf_order));
	return sb;
}

/**
 * ltt_persist_give_back() - undo ltt_persist_alloc()
 * @tchan:	the channel in the trace
 * @cpu:	the CPU
 * @sb:		its sub-buffers
 *
 * Context: task; sleeps.
 */
void ltt_persist_give_back(const struct ltt_trace_channel *tchan, unsigned int cpu,
			   const struct ltt_subbuf *sb)
{
	struct ltt_half *half = tchan->trace->area;
	const struct ltt_area_buffer buffer = {
		.stream_id = tchan->stream_id,
		.cpu = cpu,
		.slots = ltt_half_offset(half, sb),
	};

	ltt_half_give_back(half, &buffer);
}

/**
 * ltt_persist_check() - has the trace's area room for what a request needs?
 * @trace:	the trace, in an area
 * @need:	what the request needs
 * @error:	why not; may be NULL
 *
 * Context: task.
 * Return: 0 or -ENOSPC.
 */
int ltt_persist_check(const struct ltt_trace *trace, const struct ltt_need *need,
		      struct ltt_error *error)
{
	u64 left = ltt_half_free(trace->area);

	if (need->area_bytes <= left)
		return 0;
	return ltt_fail(error, -ENOSPC,
			"buffers of %u channel%s on %u CPU%s take %llu KiB, but area %s has %llu KiB left: select fewer channels, let them share buffers, or make subbuf_num smaller",
			need->channels, need->channels == 1 ? "" : "s",
			need->cpus, need->cpus == 1 ? "" : "s",
			DIV_ROUND_UP_ULL(need->area_bytes, 1024), ltt_half_name(trace->area),
			left >> 10);
}
