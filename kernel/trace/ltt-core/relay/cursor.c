// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the readers' side of the per-CPU ring buffer.
 *
 * The protocol between writers and readers is described at the top of
 * ring_buffer.c. This file is also compiled in user space, for the tests.
 *
 * A reader never writes anything that a writer changes. In discard mode it reads
 * the sub-buffers in place: they are not reused before all cursors have left
 * them. In overwrite mode it copies what it wants, then checks that it was not
 * overtaken meanwhile; the copy (the shadow) has the layout of the sub-buffer.
 */

#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <linux/ltt/cursor.h>

#include "buf_warn.h"
#include "cursor_tail.h"

/* To be reported by the owner: what writers dropped, and what it missed alone. */
static void add_lost(struct ltt_cursor *cursor, unsigned long dropped,
		     unsigned long missed)
{
	if (!cursor->lost)
		cursor->told = cursor->missed;
	cursor->missed += missed;
	cursor->lost += dropped + missed;
}

/* What writers dropped, as far as it was noticed and not reported. */
static unsigned long untold(struct ltt_cursor *cursor)
{
	if (!cursor->lost)
		cursor->told = cursor->missed;
	return cursor->lost - (cursor->missed - cursor->told);
}

/* Losses that were noticed but not reported are left to the next reader. */
static void release(struct ltt_cursor *cursor)
{
	const unsigned long offset = cursor->mark.pos & cursor->buf->off_mask;

	cursor->released = cursor->mark;
	cursor->released.lost -= untold(cursor);
	/* No event was taken out of this packet: the next reader enters it anew. */
	if (offset == sizeof(struct ltt_packet))
		cursor->released.pos -= offset;
}

/* Start, or continue, at the tail. Caller holds read_lock. */
static void start_at_tail(struct ltt_cursor *cursor)
{
	const struct ltt_buf *buf = cursor->buf;

	cursor->mark = buf->tail;
	cursor->released = buf->tail;
	/* In the middle of a packet, and nothing after consumed is reused. */
	if (cursor->mark.pos & buf->off_mask)
		cursor->packet = *(struct ltt_packet *)ltt_buf_sb(buf, cursor->mark.pos)->base;
	/* Who was there had seen that all before is committed. */
	cursor->limit = max(cursor->limit, cursor->mark.pos);
}

/*
 * The owner of a cursor that was left behind reads again. Caller holds read_lock.
 * Return: true if the sub-buffer that the cursor would read next was given to writers.
 */
static bool rejoin(struct ltt_cursor *cursor)
{
	const struct ltt_mark old = cursor->mark;

	cursor->left = false;
	cursor->watched = false;
	if (cursor->buf->tail.pos <= old.pos)
		return false;
	start_at_tail(cursor);
	/* A header may tell less than was noticed before; see enter_packet(). */
	if ((long)(cursor->mark.lost - old.lost) < 0)
		cursor->mark.lost = old.lost;
	/* Of what was dropped in between, this cursor will not see the headers. */
	add_lost(cursor, cursor->mark.lost - old.lost, cursor->mark.events - old.events);
	return true;
}

/**
 * ltt_cursor_open() - start reading a buffer
 * @cursor:	to be initialised; owned by the caller
 * @buf:	the buffer
 * @shadow:	room for a copy of one sub-buffer in overwrite mode, else NULL;
 *		owned by the caller. May be set later, see ltt_cursor_wants_shadow()
 *
 * Discard mode: reading starts after the events that other readers have read already, with
 * the oldest one in the buffer. Overwrite mode: it starts with the oldest event in the
 * buffer, and everything before counts as lost. In a frozen buffer, it starts at its beginning.
 *
 * Context: task; does not sleep.
 */
void ltt_cursor_open(struct ltt_cursor *cursor, struct ltt_buf *buf, u8 *shadow)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->buf = buf;
	cursor->shadow = shadow;
	spin_lock(&buf->read_lock);
	if (!buf->overwrite || buf->frozen)
		start_at_tail(cursor);
	list_add_tail(&cursor->node, &buf->cursors);
	spin_unlock(&buf->read_lock);
}

/**
 * ltt_cursor_rewind() - count what others have read as missed
 * @cursor:	the cursor, right after ltt_cursor_open()
 *
 * For a reader that is older than the buffer, and is late because it had stopped.
 *
 * Context: task; does not sleep.
 */
void ltt_cursor_rewind(struct ltt_cursor *cursor)
{
	struct ltt_buf *buf = cursor->buf;

	if (buf->overwrite)
		return;
	spin_lock(&buf->read_lock);
	memset(&cursor->mark, 0, sizeof(cursor->mark));
	cursor->left = true;
	spin_unlock(&buf->read_lock);
}

/**
 * ltt_cursor_pin() - start accessing the buffer
 * @cursor:	the cursor
 *
 * From now until ltt_cursor_release() the data after mark.pos is not reused. If the cursor
 * was left behind, and what it would read next is gone, it continues with the oldest event
 * in the buffer: mark, packet and lost have changed, and pointers into the buffer are
 * invalid. Does nothing if the cursor is pinned already, or in overwrite mode, where
 * windows are copies.
 *
 * Context: task; does not sleep.
 * Return: false if the cursor continues somewhere else.
 */
bool ltt_cursor_pin(struct ltt_cursor *cursor)
{
	struct ltt_buf *buf = cursor->buf;
	bool moved;

	if (buf->overwrite || cursor->pinned)
		return true;
	spin_lock(&buf->read_lock);
	moved = cursor->left && rejoin(cursor);
	cursor->pinned = true;
	spin_unlock(&buf->read_lock);
	return !moved;
}
EXPORT_SYMBOL_GPL(ltt_cursor_pin);

/* What a pinned cursor has read. */
static void give_back(struct ltt_cursor *cursor)
{
	struct ltt_buf *buf = cursor->buf;

	spin_lock(&buf->read_lock);
	release(cursor);
	ltt_cursor_update_tail(buf, cursor);
	spin_unlock(&buf->read_lock);
}

/**
 * ltt_cursor_release() - allow what the cursor has read to be reused
 * @cursor:	the cursor
 *
 * The window that ltt_cursor_window() returned must not be used any more, unless
 * ltt_cursor_pin(), called next, returns true: then it is valid from mark.pos on.
 * Call this after each access to the buffer, even if there was nothing to read: this is
 * where other readers that have stopped are detected.
 *
 * Context: task; does not sleep.
 */
void ltt_cursor_release(struct ltt_cursor *cursor)
{
	struct ltt_buf *buf = cursor->buf;

	if (buf->overwrite)
		return;
	spin_lock(&buf->read_lock);
	if (!cursor->left) {
		release(cursor);
		cursor->pinned = false;
		ltt_cursor_update_tail(buf, cursor);
	}
	spin_unlock(&buf->read_lock);
}

/**
 * ltt_cursor_close() - stop reading a buffer
 * @cursor:	the cursor
 *
 * The next reader continues where the last one that was not left behind stopped (discard
 * mode).
 *
 * Context: task; does not sleep.
 */
void ltt_cursor_close(struct ltt_cursor *cursor)
{
	struct ltt_buf *buf = cursor->buf;

	spin_lock(&buf->read_lock);
	if (!buf->overwrite && !cursor->left) {
		release(cursor);
		ltt_cursor_update_tail(buf, cursor);
	}
	list_del(&cursor->node);
	if (!buf->overwrite)
		ltt_cursor_update_tail(buf, NULL);
	spin_unlock(&buf->read_lock);
}

/**
 * ltt_cursor_overtaken() - continue with the oldest sub-buffer (overwrite mode)
 * @cursor:	the cursor, whose next data a writer has reused, or is about to reuse
 *
 * Missed events are added to cursor->lost.
 *
 * Context: task; does not sleep.
 */
void ltt_cursor_overtaken(struct ltt_cursor *cursor)
{
	const struct ltt_buf *buf = cursor->buf;
	unsigned long horizon, first;

	do {
		horizon = smp_load_acquire(&buf->horizon); /* LMM(ltt_cursor_overtaken:A) */
		first = READ_ONCE(ltt_buf_sb(buf, horizon)->first);
		smp_rmb();				/* LMM(ltt_cursor_overtaken:B) */
	} while (READ_ONCE(buf->horizon) != horizon);

	add_lost(cursor, 0, first - cursor->mark.events);
	cursor->mark.events = first;
	cursor->mark.pos = horizon;
	if (cursor->limit < horizon)
		cursor->limit = horizon;
}

/*
 * Bring [mark.pos, @end) of the sub-buffer that starts at @begin into the shadow.
 * Return: false if the cursor was overtaken.
 */
static bool copy(struct ltt_cursor *cursor, unsigned long begin, unsigned long end)
{
	const struct ltt_buf *buf = cursor->buf;
	unsigned long from = cursor->mark.pos;

	if (cursor->shadow_end > from && cursor->shadow_end <= end)
		from = cursor->shadow_end;
	/* Races with a writer that overtakes us; then the copy is not used. */
	data_race(memcpy(cursor->shadow + (from & buf->off_mask),
			 ltt_buf_sb(buf, begin)->base + (from & buf->off_mask),
			 end - from));
	smp_rmb();	/* the copy before horizon; pairs with WMB of open_slot:B */
	if (READ_ONCE(buf->horizon) > begin)			/* LMM(copy:A) */
		return false;
	cursor->shadow_end = end;
	return true;
}

/* Where the events end that follow in the sub-buffer that starts at @begin, as far as is known. */
static unsigned long content_end(const struct ltt_cursor *cursor, unsigned long begin)
{
	return min(ltt_buf_packet_end(cursor->buf, begin), cursor->limit);
}

/* The shadow has events: bring those into it that were committed since, unless it is too late. */
static void copy_more(struct ltt_cursor *cursor)
{
	unsigned long begin = cursor->mark.pos & ~cursor->buf->off_mask;
	unsigned long end = content_end(cursor, begin);

	if (end > cursor->shadow_end && READ_ONCE(cursor->buf->horizon) <= begin)
		copy(cursor, begin, end);
}

/* Return: false if there is no packet of this lap. */
static bool enter_packet(struct ltt_cursor *cursor, const u8 *base)
{
	struct ltt_packet *packet = &cursor->packet;
	struct ltt_buf *buf = cursor->buf;
	long lost;

	memcpy(packet, base, sizeof(*packet));
	if (LTT_BUF_WARN_ON(buf, !ltt_buf_owns(buf, packet, cursor->mark.pos)))
		return false;
	/* Not more than was reported already, if that was at the very end. */
	lost = packet->events_discarded - cursor->mark.lost;
	if (lost > 0) {
		add_lost(cursor, lost, 0);
		cursor->mark.lost += lost;
	}
	cursor->mark.ts = packet->timestamp_begin;
	cursor->mark.pos += sizeof(*packet);
	return true;
}

/*
 * The buffer is broken. Nothing is read from it any more: unread events are lost, as if
 * writers had dropped them, and left to the next reader unless they are reported.
 * Return: 0.
 */
static size_t skip_all(struct ltt_cursor *cursor)
{
	const struct ltt_buf *buf = cursor->buf;
	unsigned long lost = local_read(&buf->lost);
	unsigned long events = ltt_buf_events(buf);

	cursor->mark.pos = READ_ONCE(buf->frontier);
	cursor->limit = cursor->mark.pos;
	/* These numbers may be anything. */
	if ((long)(events - cursor->mark.events) > 0) {
		add_lost(cursor, events - cursor->mark.events, 0);
		cursor->mark.events = events;
	}
	if ((long)(lost - cursor->mark.lost) > 0) {
		add_lost(cursor, lost - cursor->mark.lost, 0);
		cursor->mark.lost = lost;
	}
	return 0;
}

/* Nothing follows mark.pos now. Were events lost here? */
static void look_for_losses(struct ltt_cursor *cursor)
{
	const struct ltt_buf *buf = cursor->buf;
	unsigned long lost;

	if (cursor->mark.pos & buf->off_mask)
		return;
	lost = local_read(&buf->lost);
	smp_rmb();						/* LMM(look_for_losses:A) */
	if (READ_ONCE(buf->write) != cursor->mark.pos)
		return;
	add_lost(cursor, lost - cursor->mark.lost, 0);
	cursor->mark.lost = lost;
}

/**
 * ltt_cursor_window() - committed events that follow the cursor
 * @cursor:	the cursor
 * @events:	set to their address: the header of the event at mark.pos
 *
 * Steps over packet headers and unused room at the end of sub-buffers, and gives
 * sub-buffers that were read to the writers. The events stay valid until the next call or
 * until the cursor is released, and lie in one packet, cursor->packet; the last of them is
 * complete. mark.ts is the time base for the first. Regardless of the return value,
 * cursor->lost may have grown.
 *
 * If it returns events, the cursor is pinned, and continues at the tail if it was left
 * behind, as after ltt_cursor_pin().
 *
 * Context: task; does not sleep.
 * Return: bytes at @events, 0 if nothing is committed after the cursor, or the buffer is
 * broken.
 */
size_t ltt_cursor_window(struct ltt_cursor *cursor, const u8 **events)
{
	struct ltt_buf *buf = cursor->buf;
	unsigned long frontier, begin, end, sb_end;
	const u8 *base;

	frontier = smp_load_acquire(&buf->frontier);		/* LMM(ltt_cursor_window:A) */
	if (unlikely(READ_ONCE(buf->broken)))
		return skip_all(cursor);
	if (cursor->limit != frontier) {
		if (LTT_BUF_WARN_ON(buf, cursor->limit > frontier))
			return skip_all(cursor);
		cursor->limit = frontier;
	}
	/* Where nothing follows nobody was left behind, and no memory is looked at. */
	if (cursor->mark.pos != cursor->limit)
		ltt_cursor_pin(cursor);

	for (;;) {
		if (cursor->shadow && cursor->mark.pos < cursor->shadow_end) {
			/* Copied before, and kept if the original has changed since. */
			copy_more(cursor);
			*events = cursor->shadow + (cursor->mark.pos & buf->off_mask);
			return cursor->shadow_end - cursor->mark.pos;
		}
		if (buf->overwrite && READ_ONCE(buf->horizon) > cursor->mark.pos) {
			ltt_cursor_overtaken(cursor);
			continue;
		}
		if (cursor->mark.pos == cursor->limit) {
			look_for_losses(cursor);
			return 0;
		}

		begin = cursor->mark.pos & ~buf->off_mask;
		sb_end = begin + buf->off_mask + 1;
		base = ltt_buf_sb(buf, begin)->base;
		end = content_end(cursor, begin);

		if (buf->overwrite) {
			if (!cursor->shadow)
				return 0;
			if (!copy(cursor, begin, end))
				continue;
			base = cursor->shadow;
		}
		if (cursor->mark.pos == begin && !enter_packet(cursor, base))
			return skip_all(cursor);
		if (cursor->mark.pos < end) {
			*events = base + (cursor->mark.pos & buf->off_mask);
			return end - cursor->mark.pos;
		}
		if (LTT_BUF_WARN_ON(buf, cursor->mark.pos > end))
			return skip_all(cursor);
		if (cursor->limit < sb_end)
			return 0;
		cursor->mark.pos = sb_end;
		if (!buf->overwrite)
			give_back(cursor);
	}
}
EXPORT_SYMBOL_GPL(ltt_cursor_window);

/**
 * ltt_cursor_last_losses() - find the last losses after recording has ended
 * @cursor:	the cursor
 *
 * Does nothing before everything has been read.
 *
 * Context: task; does not sleep. There are no writers any more.
 */
void ltt_cursor_last_losses(struct ltt_cursor *cursor)
{
	unsigned long lost = local_read(&cursor->buf->lost);

	if (cursor->mark.pos != READ_ONCE(cursor->buf->frontier))
		return;
	add_lost(cursor, lost - cursor->mark.lost, 0);
	cursor->mark.lost = lost;
}
EXPORT_SYMBOL_GPL(ltt_cursor_last_losses);

/* Has everything been read and reported? */
static bool at_end(const struct ltt_cursor *cursor)
{
	const struct ltt_buf *buf = cursor->buf;

	return !cursor->lost && READ_ONCE(buf->write) == cursor->mark.pos &&
	       !ltt_cursor_lossy(cursor) && !READ_ONCE(buf->broken);
}

/**
 * ltt_cursor_doze() - begin to let the buffer rest, if everything has been read
 * @cursor:	the cursor
 *
 * The next event takes the slow path. Nothing else changes: an RCU grace period later, ask
 * ltt_cursor_rests(). See "Rest" in ring_buffer.c.
 *
 * Context: task; does not sleep.
 * Return: true if there is nothing to read.
 */
bool ltt_cursor_doze(struct ltt_cursor *cursor)
{
	struct ltt_buf *buf = cursor->buf;

	cursor->doze_pos = LTT_START_NONE;
	if (!buf->stir || !at_end(cursor))
		return false;
	cursor->doze_pos = cursor->mark.pos;
	cursor->doze_stirs = local_read(&buf->stirs);
	smp_mb();					/* LMM(ltt_cursor_doze:A) */
	WRITE_ONCE(buf->cur, &ltt_subbuf_none);
	return true;
}

/**
 * ltt_cursor_rests() - is the buffer at rest?
 * @cursor:	the cursor; a grace period that began after ltt_cursor_doze() has ended, and then
 *		ltt_stir.count was read
 *
 * If it is, there will be nothing to read before the count changes.
 *
 * Context: task; does not sleep.
 * Return: true if it is, false as well if it does not doze.
 */
bool ltt_cursor_rests(const struct ltt_cursor *cursor)
{
	return cursor->mark.pos == cursor->doze_pos && at_end(cursor) &&
	       !ltt_cursor_stirred(cursor);
}

/**
 * ltt_cursor_stirred() - is the buffer at rest no more?
 * @cursor:	the cursor, of a buffer at rest; ltt_stir.count has changed
 *
 * Context: task; does not sleep.
 * Return: true if there may be something to read.
 */
bool ltt_cursor_stirred(const struct ltt_cursor *cursor)
{
	return local_read(&cursor->buf->stirs) != cursor->doze_stirs ||
	       READ_ONCE(cursor->buf->broken);
}
