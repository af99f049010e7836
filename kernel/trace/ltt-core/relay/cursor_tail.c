// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: for which readers the writers of a ring buffer wait.
 *
 * This file is also compiled in user space, for the tests.
 */

/**
 * DOC: readers that stop
 *
 * In discard mode the slowest cursor decides what writers may reuse. So that a reader
 * that stops does not make all others lose all further events, its cursor is left
 * behind: it does not count any more.
 *
 * Who decides
 * -----------
 * The other readers, each time when one of them gives something back (watch()), under
 * ltt_buf.read_lock. Writers know nothing of it, and a buffer with one cursor is
 * as if there were no such thing. A cursor is left behind if
 *
 *   (a) it could give back a sub-buffer, but for LTT_STALL after another reader saw that
 *	has moved by less than a sub-buffer, or than 4 KiB, whichever is less; and
 *   (b) it keeps more than n - max(n / 8, 1) of the n sub-buffers from being reused,
 *	that which is being filled included; and
 *   (c) it is not pinned.
 *
 * (a) asks for progress, not for a sign of life: a program that polls and never reads, or
 * reads a line a second, has stopped as far as others are concerned. It asks for so
 * little that a reader which is only slow still holds up the others instead of losing
 * events. A reader that has taken everything up to its watermark and waits for a grace
 * period has not stopped, however long that takes: ltt_cursor_idle(). Time does not
 * begin while nobody looks: a burst after a long silence finds no one asleep.
 *
 * (b) acts before writers begin to lose, and not much before that: most of the buffer is
 * there to wait for those who come late. Writers lose nevertheless if they fill the
 * max(n / 8, 1) sub-buffers that were free between two looks of the others, or all of
 * the buffer in less than LTT_STALL. It is max() that makes (b) hold whenever the buffer is
 * full: then nothing comes any more that could make the others look a second time.
 *
 * What it costs the one left behind
 * ---------------------------------
 * When its owner comes back, it goes on at ltt_buf.tail, the place of the slowest
 * cursor that counts, or of the last one that did; or where it was, if the tail has
 * not come that far. Marks count the events and losses before them, so that what lies
 * between two marks is known exactly: rejoin() adds it to ltt_cursor.lost.
 * ltt_cursor.missed keeps it apart from what writers dropped, which the next reader hears
 * of if this one does not report it.
 *
 * Memory safety
 * -------------
 * What a cursor returned is used between pinning and releasing only. A pinned cursor
 * counts, so consumed does not pass it. Both are decided under the lock. Pinning a cursor
 * that was left behind moves it to the tail, behind which nothing was given to writers.
 */

#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <asm/barrier.h>
#include <linux/ltt/cursor.h>

#include "buf_warn.h"
#include "cursor_tail.h"

/* Do writers run out of sub-buffers because nothing behind @pos is reused? */
static bool scarce(const struct ltt_buf *buf, unsigned long pos)
{
	const unsigned long all = buf->sb_mask + 1;
	unsigned long taken = READ_ONCE(buf->write) + buf->off_mask;

	taken = (taken >> buf->sb_order) - (pos >> buf->sb_order);
	return taken > all - max(all / 8, 1ul);
}

/* Is there a sub-buffer that begins after @pos and has something to read, or may have? */
static bool behind(const struct ltt_buf *buf, unsigned long pos)
{
	unsigned long frontier = READ_ONCE(buf->frontier);

	if (frontier >> buf->sb_order == pos >> buf->sb_order)
		return false;
	/* It was closed right here, and the next event opens the next one. */
	return frontier != (pos | buf->off_mask) + 1 || !(pos & buf->off_mask) ||
	       READ_ONCE(ltt_buf_sb(buf, pos)->content_end) != pos;
}

/*
 * Another reader has come by: has this one stopped? Caller holds read_lock. frontier
 * and write are hints here: a decision that comes late is as good.
 */
static void watch(struct ltt_cursor *cursor)
{
	const struct ltt_buf *buf = cursor->buf;
	const unsigned long pos = cursor->released.pos;
	const unsigned long progress = min(buf->off_mask + 1, 1ul << LTT_SUBBUF_ORDER_MIN);

	if (!behind(buf, pos)) {
		WRITE_ONCE(cursor->watched, false);
	} else if (!READ_ONCE(cursor->watched) || pos - cursor->watch_pos >= progress) {
		cursor->watch_pos = pos;
		cursor->watch_since = jiffies;
		WRITE_ONCE(cursor->watched, true);
	} else if (!cursor->pinned && scarce(buf, pos) &&
		   time_after_eq(jiffies, cursor->watch_since + LTT_STALL)) {
		cursor->left = true;
	}
}

/**
 * ltt_cursor_update_tail() - let writers have what all cursors that count have released
 * @buf:	the buffer
 * @self:	the cursor whose owner is here, NULL if it has gone
 *
 * Other cursors' marks move while we look, their owners are not here; what they
 * released does not. read_lock also orders the owners' loads before the store.
 *
 * Context: any; @buf->read_lock is held.
 */
void ltt_cursor_update_tail(struct ltt_buf *buf, const struct ltt_cursor *self)
{
	const struct ltt_mark *least = NULL;
	struct ltt_cursor *cursor;

	list_for_each_entry(cursor, &buf->cursors, node) {
		if (cursor != self && !cursor->left)
			watch(cursor);
		if (cursor->left)
			continue;
		if (!least || cursor->released.pos < least->pos)
			least = &cursor->released;
	}
	if (least) {
		if (LTT_BUF_WARN_ON(buf, least->pos < buf->tail.pos) ||
		    LTT_BUF_WARN_ON(buf, least->pos > READ_ONCE(buf->frontier)))
			return;
		buf->tail = *least;
	}
	smp_store_release(&buf->consumed, buf->tail.pos);	/* LMM(ltt_cursor_update_tail:A) */
}

/**
 * ltt_cursor_look() - find other readers that have stopped
 * @cursor:	the cursor, open; need not be the caller's
 *
 * For those who wait for events on behalf of a reader, without looking into the buffer: if
 * it is full, and all others have stopped, none will come before somebody finds that.
 *
 * Context: task; does not sleep.
 */
void ltt_cursor_look(const struct ltt_cursor *cursor)
{
	struct ltt_buf *buf = cursor->buf;

	if (buf->overwrite)
		return;
	spin_lock(&buf->read_lock);
	if (!cursor->left)
		ltt_cursor_update_tail(buf, cursor);
	spin_unlock(&buf->read_lock);
}
