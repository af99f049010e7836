// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: events of markers that are made at run time.
 *
 * trace_mark() lets the compiler lay out an event. Here this is done in loops over the
 * types, for code that learns what to record only at run time, such as probes that a user
 * defines.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/math.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/ltt/context.h>
#include <linux/ltt/ring_buffer.h>

#include "registry.h"

static u64 from_be(u64 value, size_t size)
{
	switch (size) {
	case 2:
		return be16_to_cpu((__force __be16)value);
	case 4:
		return be32_to_cpu((__force __be32)value);
	default:
		return be64_to_cpu((__force __be64)value);
	}
}

static __always_inline size_t arg_size(const struct ltt_marker *marker, unsigned int i,
				       const struct ltt_arg *arg, u64 *prev)
{
	u32 type = marker->types[i];

	switch (LTT_TYPE_KIND(type)) {
	case LTT_KIND_INT:
		*prev = LTT_TYPE_FLAGS(type) & LTT_TYPE_BE ?
			from_be(arg->value, LTT_TYPE_SIZE(type)) : arg->value;
		return LTT_TYPE_SIZE(type);
	case LTT_KIND_SEQ:
		return marker->ops->size(marker, i, arg->ptr, arg->n);
	default:
		return marker->ops->size(marker, i, arg->ptr, *prev);
	}
}

static __always_inline u8 *put_arg(const struct ltt_marker *marker, unsigned int i,
				   u8 *p, const struct ltt_arg *arg, size_t size)
{
	u32 type = marker->types[i];
	size_t whole;

	switch (LTT_TYPE_KIND(type)) {
	case LTT_KIND_INT:
		return __ltt_put_int(marker, i, p, arg->value, size);
	case LTT_KIND_SEQ:
		whole = arg->n * LTT_TYPE_SIZE(type);
		if (marker->capture[i].mode == LTT_CAPTURE_ARRAY && whole < size) {
			memset(p, 0, size);
			marker->ops->put(marker, i, p, arg->ptr, whole);
			break;
		}
		fallthrough;
	default:
		marker->ops->put(marker, i, p, arg->ptr, size);
		break;
	}
	return p + size;
}

/* The sizes of all arguments. Return: what the event needs, compact header included. */
static __always_inline size_t size_args(const struct ltt_marker *marker,
					const struct ltt_arg *args, size_t size[])
{
	size_t len = LTT_HEADER_COMPACT;
	unsigned int i;
	u64 prev = 0;

	for (i = 0; i < marker->nr_args; i++) {
		size[i] = arg_size(marker, i, &args[i], &prev);
		len += size[i];
	}
	return len;
}

/* Return: false if there was no room, which is counted, or the buffer is stopped. */
static __always_inline bool record(const struct ltt_marker *marker, const struct ltt_tap *tap,
				   const struct ltt_arg *args, const size_t size[],
				   struct ltt_slot slot)
{
	u8 *p = slot.p;
	unsigned int i;

	if (!p)
		return false;
	for (i = 0; i < marker->nr_args; i++)
		p = put_arg(marker, i, p, &args[i], size[i]);
	ltt_commit(tap, slot);
	return true;
}

/* Return: the taps to record the event with, NULL if there are none. */
static noinline notrace const struct ltt_tap *
ask(const struct ltt_gate *gate, const struct ltt_marker *marker, const struct ltt_arg *args)
{
	u64 values[LTT_MAX_ARGS];
	unsigned int i;

	for (i = 0; i < marker->nr_args; i++) {
		if (LTT_TYPE_KIND(marker->types[i]) == LTT_KIND_SEQ &&
		    args[i].n < marker->capture[i].n)
			values[i] = 0;
		else
			values[i] = args[i].value;
	}
	return gate->decide(gate, values);
}

/**
 * ltt_marker_record() - record an event of a marker that was made at run time
 * @marker:	registered by ltt_marker_register(), with its types and format
 * @args:	marker->nr_args values; pointers may be anything, see trace_mark()
 *
 * Costs next to nothing while no trace records the marker. The caller must make sure
 * that the marker is not freed meanwhile, see ltt_marker_unregister().
 *
 * Context: any, NMI included, where RCU is watching. Does not sleep.
 */
notrace void ltt_marker_record(const struct ltt_marker *marker, const struct ltt_arg *args)
{
	const struct ltt_gate *gate;
	const struct ltt_tap *tap;
	size_t size[LTT_MAX_ARGS];
	size_t len;

	preempt_disable_notrace();
	tap = rcu_dereference_raw(marker->taps);
	if (unlikely(!tap)) {
		gate = rcu_dereference_raw(marker->gate);
		tap = gate ? ask(gate, marker, args) : NULL;
	}
	if (!tap)
		goto out;
	len = size_args(marker, args, size);
	for (; tap->reserve; tap++)
		record(marker, tap, args, size, ltt_reserve(tap, len));
out:
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(ltt_marker_record);

/*
 * Is there room for an event of @len bytes? Not if it needs a sub-buffer that readers
 * still use. Readers only ever free more of them, but other writers may get there before
 * the caller.
 */
static bool has_room(const struct ltt_buf *buf, size_t len)
{
	unsigned long size = buf->off_mask + 1;
	unsigned long write = READ_ONCE(buf->write);
	unsigned long begin = round_up(write, size);

	if (buf->overwrite || write + len + LTT_HEADER_EXTENDED <= begin)
		return true;
	return begin + size - READ_ONCE(buf->consumed) <=
	       ((unsigned long)buf->sb_mask + 1) << buf->sb_order;
}

/**
 * ltt_tap_refuse() - the reserve function of a tap that is closed
 * @tap:	the tap; its buffers may have been freed
 * @len:	bytes
 *
 * Context: any.
 * Return: no room.
 */
notrace struct ltt_slot ltt_tap_refuse(const struct ltt_tap *tap, size_t len)
{
	return (struct ltt_slot){ .p = NULL, .start = LTT_START_NONE };
}

/**
 * ltt_marker_record_one() - record an event in one trace, for callers that can wait
 * @marker:	the marker
 * @only:	the buffers of its channel in the trace
 * @args:	as for ltt_marker_record()
 * @patient:	do nothing where there is no room, else count a lost event
 *
 * The event is not the caller's, but the trace's: it does not matter whose events that records.
 *
 * Context: any, NMI included, where RCU is watching. Does not sleep.
 * Return: 0, also if a filter rejected the event; -EAGAIN if there was no room, but there
 * may be later; -ENOSPC if the event was lost, and counted; -ENOENT if the trace does not
 * record the marker, -ESHUTDOWN if it does not record at all now.
 */
int ltt_marker_record_one(const struct ltt_marker *marker, const struct ltt_buf __percpu *only,
			  const struct ltt_arg *args, bool patient)
{
	const struct ltt_gate *gate;
	const struct ltt_tap *tap;
	size_t size[LTT_MAX_ARGS];
	const struct ltt_buf *buf;
	struct ltt_slot slot;
	int err = -ENOENT;
	bool broken;
	size_t len;

	preempt_disable_notrace();
	gate = rcu_dereference_raw(marker->gate);
	tap = gate ? gate->taps : NULL;
	/* The buffers of a closed tap may have been freed, and their memory reused. */
	while (tap && tap->reserve &&
	       (tap->buf != only || READ_ONCE(tap->reserve) == ltt_tap_refuse))
		tap++;
	if (!tap || !tap->reserve)
		goto out;
	buf = this_cpu_ptr(only);
	err = -ESHUTDOWN;
	/* In a broken buffer, the event is lost, and counted, as if there were no room. */
	broken = READ_ONCE(buf->broken) && READ_ONCE(buf->wanted);
	if (!READ_ONCE(buf->recording) && !broken)
		goto out;
	len = size_args(marker, args, size);
	err = -EAGAIN;
	if (patient && !broken && !has_room(buf, len + (tap->context ? tap->context->room : 0)))
		goto out;
	slot = tap->tasks ? tap->everybody(tap, len) : ltt_reserve(tap, len);
	if (record(marker, tap, args, size, slot))
		err = 0;
	else if (READ_ONCE(tap->reserve) == ltt_tap_refuse)
		err = -ENOENT;		/* closed meanwhile */
	else
		err = -ENOSPC;
out:
	preempt_enable_notrace();
	return err;
}
EXPORT_SYMBOL_GPL(ltt_marker_record_one);
