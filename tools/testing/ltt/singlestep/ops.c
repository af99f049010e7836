// SPDX-License-Identifier: GPL-2.0
/*
 * What writers and readers do, in the same way as the kernel's callers do it.
 * Compiled like the code under test and stepped with it.
 */

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/ltt/reserve.h>

#include "world.h"

/* As probes do it that have the fast path inline; there is none but for compact headers. */
static __always_inline struct ltt_slot reserve(const struct ltt_tap *tap, size_t len, u8 form)
{
	struct ltt_slot slot;

	if (form == SS_COMPACT &&
	    ltt_reserve_fast(tap, this_cpu_ptr(tap->buf), len, ltt_clock_tsc_try, &slot))
		return slot;
	return tap->reserve(tap, len);
}

/* The stores to @ghost tell the checker how far the writer has come. */
void ss_op_write(struct ss_ghost *ghost)
{
	const struct ltt_tap *tap = &ss_tap[ghost->form];
	u32 payload = ghost->payload;
	struct ltt_slot slot;
	u32 *word, i;

	slot = reserve(tap, payload + LTT_HEADER_COMPACT, ghost->form);
	if (!slot.p) {
		WRITE_ONCE(ghost->state, SS_DROPPED);
		return;
	}
	WRITE_ONCE(ghost->start, slot.start);
	WRITE_ONCE(ghost->state, SS_RESERVED);
	word = (u32 *)slot.p;
	for (i = 0; i < payload / 4; i++)
		WRITE_ONCE(word[i], ss_word(ghost->id, payload, i));
	WRITE_ONCE(ghost->state, SS_COMMITTING);
	ltt_commit(tap, slot);
	WRITE_ONCE(ghost->state, SS_COMMITTED);
}

/* As trace_mark() and probes do it: all of it with preemption disabled. */
void ss_op_mark(struct ss_ghost *ghost)
{
	WRITE_ONCE(ss_world.preempt, ss_world.preempt + 1);
	barrier();
	ss_op_write(ghost);
	barrier();
	WRITE_ONCE(ss_world.preempt, ss_world.preempt - 1);
}

void ss_op_close(void)
{
	ltt_buf_close(&ss_world.buf, LTT_CLOCK_COUNTER);
}

void ss_op_window(void)
{
	ss_world.window_len = ltt_cursor_window(&ss_world.cursor, &ss_world.window);
}

void ss_op_release(void)
{
	ltt_cursor_release(&ss_world.cursor);
}

/* The first reader finds nothing; and again when the second one had time to move. */
void ss_op_look(void)
{
	ltt_cursor_look(&ss_world.cursor);
	WRITE_ONCE(ss_jiffies, ss_jiffies + LTT_STALL);
	ltt_cursor_look(&ss_world.cursor);
}

void ss_op_doze(void)
{
	ss_world.dozed = ltt_cursor_doze(&ss_world.cursor);
}

/* A third reader has found, at some time, that there is nothing to read. */
void ss_op_other(void)
{
	WRITE_ONCE(ss_world.buf.cur, &ltt_subbuf_none);
}

void ss_op_next(void)
{
	ss_world.second.got = !ltt_packet_reader_next(&ss_world.second.packets);
}

/* What does not fit into the pipe is kept, and the buffer left. */
void ss_op_keep(void)
{
	ss_op_next();
	if (!ss_world.second.got)
		return;
	ltt_packet_reader_keep(&ss_world.second.packets, ss_world.second.copy);
	ltt_packet_reader_release(&ss_world.second.packets);
}

void ss_op_packets_release(void)
{
	ltt_packet_reader_release(&ss_world.second.packets);
}

/* As window.c does it; the latest stamp is as of now. */
void ss_op_take(void)
{
	u64 *keep = &ss_world.kept.keep.until;
	u64 old = READ_ONCE(*keep), new;

	do {
		new = old + 1 > ss_clock - 1 ? old + 1 : ss_clock - 1;
	} while (!try_cmpxchg(keep, &old, new));
}

/* As window_collect.c does it. Where that would wait, this is called again. */
void ss_op_collect(void)
{
	struct ss_window *window = ss_world.kept.collecting;
	const u32 max = ltt_keep_packets(ss_world.buf.sb_mask + 1);
	struct ltt_spare *spare;

	if (!window)
		return;
	if (!window->newest)
		window->seq = ltt_buf_newest(&ss_world.buf, window->until);
	window->newest = true;
	for (; window->seq && window->nr < max; window->seq--) {
		spare = ltt_buf_find_packet(&ss_world.buf, window->seq - 1, window->until);
		if (spare == ERR_PTR(-EAGAIN))
			return;
		if (IS_ERR(spare))
			window->full = true;
		if (IS_ERR(spare) || (!spare && window->nr))
			break;
		if (!spare)
			continue;
		spare->users++;
		window->packet[window->nr++] = spare;
	}
	window->done = true;
}

/* Stands in for formats: the first word of a payload tells how long it is. */
const struct ltt_format *ss_format(const void *arg, u32 id)
{
	unsigned int form;

	for (form = 0; form < SS_FORMS; form++) {
		if (id == ss_tap[form].id)
			return arg;
	}
	return NULL;
}

long ltt_payload_size(const struct ltt_format *format, const void *payload, size_t avail,
		      bool swap)
{
	u8 size;

	(void)format;
	(void)swap;
	if (avail < 4)
		return -EBADMSG;
	size = ((const u8 *)payload)[1];
	return size <= avail ? size : -EBADMSG;
}
