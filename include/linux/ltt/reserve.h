/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: the fast path of a writer, for LTT's own probes.
 *
 * Used by the functions of ltt-core. Probes may inline it; their modules then depend on
 * ltt-core. The algorithm is described at the top of
 * kernel/trace/ltt-core/relay/ring_buffer.c.
 */
#ifndef _LINUX_LTT_RESERVE_H
#define _LINUX_LTT_RESERVE_H

#include <linux/ltt/clock.h>
#include <linux/ltt/local.h>
#include <linux/ltt/ring_buffer.h>

/* ltt_reserve_fast(), and the same for a @wide header, with an id up to LTT_ID_WIDE_MAX. */
static __always_inline bool
ltt_reserve_form(const struct ltt_tap *tap, struct ltt_buf *buf, size_t len,
		 bool (*clock)(u64 *t), struct ltt_slot *slot, const bool wide)
{
	const size_t header = wide ? LTT_HEADER_WIDE : LTT_HEADER_COMPACT;
	unsigned long old = READ_ONCE(buf->write), seen = old;
	struct ltt_subbuf *sb;
	u64 ts;
	u8 *p;

	len += header - LTT_HEADER_COMPACT;
	barrier();	/* write before the clock */
	if (unlikely(!clock(&ts)))
		return false;
	if (unlikely((ts - ltt_read_local(buf->last_ts)) >> LTT_TIME_BITS))
		return false;
	sb = READ_ONCE(buf->cur);
	if (unlikely(old + len > ltt_read_local(sb->end)))
		return false;
	if (unlikely(!ltt_try_cmpxchg_local(&buf->write, &seen, old + len)))
		return false;
	WRITE_ONCE(buf->last_ts, ts);

	local_inc(&sb->events);
	p = (u8 *)(sb->origin + old + header);
	if (wide)
		ltt_put_wide_header(p - header, tap->id, ts);
	else
		ltt_put_header(p - header, tap->id, ts);
	slot->p = p;
	slot->start = old;
	return true;
}

/**
 * ltt_reserve_fast() - reserve room for an event, in the common case only
 * @tap:	the marker's way into the trace; its id is below LTT_ID_WIDE, and it has
 *		neither a filter nor a context
 * @buf:	the tap's buffer on this CPU
 * @len:	bytes that the event needs, compact header included
 * @clock:	reads the clock of the trace, returns false if that needs the slow path
 * @slot:	set on success; @slot->p is not NULL then
 *
 * It fails in four cases: the clock needs a lookup, too much time has passed, the event
 * does not fit into the current sub-buffer (it never does while the buffer is stopped), or
 * a writer nested.
 *
 * Context: any, NMI included; preemption disabled until ltt_commit_to().
 * Return: false if nothing was done; call @tap->reserve then.
 */
static __always_inline bool
ltt_reserve_fast(const struct ltt_tap *tap, struct ltt_buf *buf, size_t len,
		 bool (*clock)(u64 *t), struct ltt_slot *slot)
{
	return ltt_reserve_form(tap, buf, len, clock, slot, false);
}

/**
 * ltt_reserve_shared_fast() - the same in shared buffers
 * @tap:	the marker's way into the trace; its id is at most LTT_ID_WIDE_MAX
 * @buf:	as for ltt_reserve_fast()
 * @len:	as for ltt_reserve_fast()
 * @clock:	as for ltt_reserve_fast()
 * @slot:	as for ltt_reserve_fast()
 *
 * Context: as for ltt_reserve_fast().
 * Return: as for ltt_reserve_fast().
 */
static __always_inline bool
ltt_reserve_shared_fast(const struct ltt_tap *tap, struct ltt_buf *buf, size_t len,
			bool (*clock)(u64 *t), struct ltt_slot *slot)
{
	bool done;

	if (tap->id < LTT_ID_WIDE)
		done = ltt_reserve_form(tap, buf, len, clock, slot, false);
	else
		done = ltt_reserve_form(tap, buf, len, clock, slot, true);
	if (likely(done))
		local_inc(&this_cpu_ptr(tap->counts)->events);
	return done;
}

#endif /* _LINUX_LTT_RESERVE_H */
