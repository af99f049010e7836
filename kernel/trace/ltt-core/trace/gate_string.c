// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: gates that record events of one string.
 *
 * Call sites measure a string, reserve room, and store it: three calls, two of which read the
 * string. Where that is all that an event has, call sites ask its gate first, which does the
 * same in one go.
 */

#include <linux/container_of.h>
#include <linux/percpu.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/reserve.h>

#include "../marker/short_string.h"
#include "core.h"

#define LEN_MAX		(LTT_MAX_STR - 1)

static __always_inline const struct ltt_tap *tap_of(const struct ltt_gate *gate)
{
	return container_of(gate, struct ltt_taps, gate)->tap;
}

/*
 * Any string, and whatever reserving needs. Cold: the compiler shall take what leads here for
 * what seldom happens.
 */
static noinline notrace __cold const struct ltt_tap *
record_any(const struct ltt_gate *gate, const char *ptr)
{
	const struct ltt_tap *tap = tap_of(gate);
	size_t size = ltt_string_size(ptr, LEN_MAX);
	struct ltt_slot slot = ltt_reserve(tap, LTT_HEADER_COMPACT + size);

	if (likely(slot.p)) {
		ltt_string_put(slot.p, ptr, size, LEN_MAX);
		ltt_commit(tap, slot);
	}
	return NULL;
}

/* One that goes on behind what was copied of it. */
static noinline notrace __cold const struct ltt_tap *
record_long(const struct ltt_gate *gate, const char *ptr, const struct ltt_short_string *begin)
{
	const struct ltt_tap *tap = tap_of(gate);
	size_t size = ltt_string_size(ptr + sizeof(*begin), LEN_MAX - sizeof(*begin));
	struct ltt_slot slot;

	/* If the rest cannot be read, all of the string is what that is recorded as. */
	if (unlikely(size == LTT_FAULT_SIZE))
		return record_any(gate, ptr);
	slot = ltt_reserve(tap, LTT_HEADER_COMPACT + sizeof(*begin) + size);
	if (likely(slot.p)) {
		ltt_short_string_store_full(slot.p, begin);
		ltt_string_put(slot.p + sizeof(*begin), ptr + sizeof(*begin), size,
			       LEN_MAX - sizeof(*begin));
		ltt_commit(tap, slot);
	}
	return NULL;
}

/* Short strings in ordinary places. */
static __always_inline const struct ltt_tap *record(const struct ltt_gate *gate, const char *ptr,
						    const bool shared)
{
	const struct ltt_tap *tap = tap_of(gate);
	struct ltt_short_string string;
	struct ltt_slot slot;
	struct ltt_buf *buf;
	size_t len, need;
	bool done;

	switch (ltt_short_string_load(&string, ptr, &len)) {
	case LTT_STRING_SHORT:
		break;
	case LTT_STRING_LONG:
		return record_long(gate, ptr, &string);
	default:
		return record_any(gate, ptr);
	}
	buf = this_cpu_ptr(tap->buf);
	need = LTT_HEADER_COMPACT + len + 1;
	if (shared)
		done = ltt_reserve_shared_fast(tap, buf, need, ltt_clock_tsc_try, &slot);
	else
		done = ltt_reserve_fast(tap, buf, need, ltt_clock_tsc_try, &slot);
	if (!done)
		return record_any(gate, ptr);
	ltt_short_string_store(slot.p, &string, len);
	if (unlikely(!ltt_commit_only(NULL, buf, slot)))
		ltt_buf_publish(buf);
	return NULL;
}

static notrace const struct ltt_tap *record_own(const struct ltt_gate *gate, u64 ptr)
{
	return record(gate, (const char *)ptr, false);
}

static notrace const struct ltt_tap *record_shared(const struct ltt_gate *gate, u64 ptr)
{
	return record(gate, (const char *)ptr, true);
}

/**
 * ltt_gate_record() - make the gate of an event record it, if it can
 * @taps:	the event's taps, with a gate that decides nothing
 * @event:	the kind of event
 *
 * It can where there is one tap, whose reserve function is a plain one for the TSC.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_gate_record(struct ltt_taps *taps, const struct ltt_event *event)
{
	if (!IS_ENABLED(CONFIG_X86) || taps->nr != 1 || event->nr_types != 1 ||
	    event->capture[0].mode != LTT_CAPTURE_STR || event->capture[0].n != LEN_MAX)
		return;
	if (taps->tap[0].reserve == ltt_reserve_tsc)
		taps->gate.ask.ask1 = record_own;
	else if (taps->tap[0].reserve == ltt_reserve_shared_tsc)
		taps->gate.ask.ask1 = record_shared;
}
