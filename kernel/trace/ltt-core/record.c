// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: events of markers that are made at run time.
 *
 * What trace_mark() has the compiler lay out is done here in loops over the types:
 * for whoever learns what to record only when it runs, as probes that a user
 * describes.
 */

#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "core.h"

static __always_inline size_t arg_size(const struct ltt_marker *marker, unsigned int i,
				       const struct ltt_arg *arg, u64 *prev)
{
	u32 type = marker->types[i];

	switch (LTT_TYPE_KIND(type)) {
	case LTT_KIND_INT:
		if (!(LTT_TYPE_FLAGS(type) & LTT_TYPE_BE))
			*prev = arg->value;
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

/**
 * ltt_marker_record() - record an event of a marker that was made at run time
 * @marker:	registered by ltt_marker_register(), with its types and format
 * @only:	NULL for all traces that want it, else the buffers of the marker's
 *		channel in the one trace that is to get it
 * @args:	marker->nr_args values; pointers may be anything, see trace_mark()
 *
 * Costs nothing worth mentioning while no trace wants the marker. The caller must
 * make sure that the marker is not freed meanwhile, see ltt_marker_unregister().
 *
 * Context: any, NMI included, where RCU is watching. Does not sleep.
 */
notrace void ltt_marker_record(const struct ltt_marker *marker,
			       const struct ltt_buf __percpu *only,
			       const struct ltt_arg *args)
{
	size_t size[LTT_MAX_ARGS], len = LTT_HEADER_COMPACT;
	const struct ltt_tap *tap;
	struct ltt_slot slot;
	unsigned int i;
	u64 prev = 0;
	u8 *p;

	preempt_disable_notrace();
	tap = rcu_dereference_raw(marker->taps);
	if (!tap)
		goto out;
	for (i = 0; i < marker->nr_args; i++) {
		size[i] = arg_size(marker, i, &args[i], &prev);
		len += size[i];
	}
	for (; tap->reserve; tap++) {
		if (only && tap->buf != only)
			continue;
		slot = tap->reserve(tap, len);
		p = slot.p;
		if (!p)
			continue;
		for (i = 0; i < marker->nr_args; i++)
			p = put_arg(marker, i, p, &args[i], size[i]);
		ltt_commit(tap, slot);
	}
out:
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(ltt_marker_record);
