/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a reader's place in one ring buffer.
 *
 * Any number of cursors may be open on a buffer; each sees every event that is
 * still there when it gets to it, and learns exactly how many it missed.
 *
 * In discard mode writers wait for readers, but not for one that has stopped, as long
 * as there are others: its cursor is left behind. When its owner reads again, it continues
 * with the oldest event in the buffer. That happens only to cursors that are not
 * pinned. A cursor is pinned while its owner accesses the buffer's memory:
 *
 *	ltt_cursor_window(), ltt_cursor_pin()	pin it
 *	ltt_cursor_release()			unpins it
 *
 * An owner that may be held up by user space releases its cursor before it returns there.
 * Pointers into the buffer, and times of events in it, are invalid from then on, unless
 * ltt_cursor_pin() afterwards says that they still hold. cursor_tail.c describes how a
 * stopped reader is told from a slow one.
 */
#ifndef _LINUX_LTT_CURSOR_H
#define _LINUX_LTT_CURSOR_H

#include <linux/jiffies.h>
#include <linux/ltt/ring_buffer.h>

/* A reader without progress for so many jiffies counts as stopped. */
#define LTT_STALL	HZ

/**
 * struct ltt_cursor - a reader's place in a buffer
 * @buf:	the buffer
 * @mark:	what has been read; the owner moves @mark.pos, @mark.ts and
 *		@mark.events over each event it takes out of a window
 * @released:	what writers may reuse, a copy of an earlier @mark; protected
 *		by ltt_buf.read_lock
 * @limit:	highest frontier seen
 * @lost:	events lost right before @mark.pos and not yet reported: the
 *		owner reports them before the window's first event, and clears it
 * @missed:	how much of all that was ever added to @lost this cursor alone missed,
 *		because it was left behind, or overtaken in overwrite mode
 * @told:	value of @missed when @lost was last 0
 * @packet:	header of the packet in which @mark.pos lies
 * @shadow:	copy of the sub-buffer being read (overwrite mode), else NULL; then there is
 *		nothing to read yet
 * @shadow_end:	position up to which @shadow is filled
 * @pinned:	the owner may be accessing the buffer's memory
 * @left:	left behind: no writer waits for it
 * @watched:	another reader has seen that this one holds back writers
 * @watch_pos:	@released.pos at that time
 * @watch_since: that time, in jiffies
 * @doze_pos:	@mark.pos when the owner began to let the buffer rest; LTT_START_NONE: it has not
 * @doze_stirs:	ltt_buf.stirs at that time
 * @node:	in ltt_buf.cursors
 *
 * @pinned and @left are protected by ltt_buf.read_lock; @pinned is written by the owner
 * only. Other readers start the watch, under the lock; the owner may only end it.
 */
struct ltt_cursor {
	struct ltt_buf *buf;
	struct ltt_mark mark;
	struct ltt_mark released;
	unsigned long limit;
	unsigned long lost;
	unsigned long missed;
	unsigned long told;
	struct ltt_packet packet;
	u8 *shadow;
	unsigned long shadow_end;
	bool pinned;
	bool left;
	bool watched;
	unsigned long watch_pos;
	unsigned long watch_since;
	unsigned long doze_pos;
	unsigned long doze_stirs;
	struct list_head node;
};

void ltt_cursor_open(struct ltt_cursor *cursor, struct ltt_buf *buf, u8 *shadow);
void ltt_cursor_close(struct ltt_cursor *cursor);
void ltt_cursor_rewind(struct ltt_cursor *cursor);
bool ltt_cursor_pin(struct ltt_cursor *cursor);
size_t ltt_cursor_window(struct ltt_cursor *cursor, const u8 **events);
void ltt_cursor_release(struct ltt_cursor *cursor);
void ltt_cursor_look(const struct ltt_cursor *cursor);
void ltt_cursor_overtaken(struct ltt_cursor *cursor);
void ltt_cursor_last_losses(struct ltt_cursor *cursor);
bool ltt_cursor_doze(struct ltt_cursor *cursor);
bool ltt_cursor_rests(const struct ltt_cursor *cursor);
bool ltt_cursor_stirred(const struct ltt_cursor *cursor);

/* Have writers lost more than what is accounted for? In a broken buffer, mark.lost may be < 0. */
static inline bool ltt_cursor_lossy(const struct ltt_cursor *cursor)
{
	return (long)(local_read(&cursor->buf->lost) - cursor->mark.lost) > 0;
}

/**
 * ltt_cursor_pending() - is there anything to read or to report?
 * @cursor:	the cursor
 *
 * Only a hint: the rest may be the unused end of a sub-buffer.
 *
 * Context: any.
 */
static inline bool ltt_cursor_pending(const struct ltt_cursor *cursor)
{
	return cursor->lost || cursor->mark.pos != READ_ONCE(cursor->buf->frontier) ||
	       ltt_cursor_lossy(cursor);
}

/**
 * ltt_cursor_expecting() - is there anything to read or to report, or will there be?
 * @cursor:	the cursor
 *
 * As ltt_cursor_pending(), but also true if a writer has yet to commit, even if that writer
 * is dead; not in a broken buffer, which has nothing to wait for.
 *
 * Context: any.
 */
static inline bool ltt_cursor_expecting(const struct ltt_cursor *cursor)
{
	if (unlikely(READ_ONCE(cursor->buf->broken)))
		return ltt_cursor_pending(cursor);
	return cursor->lost || cursor->mark.pos != READ_ONCE(cursor->buf->write) ||
	       ltt_cursor_lossy(cursor);
}

/**
 * ltt_cursor_wants_shadow() - does the cursor need a shadow now?
 * @cursor:	the cursor
 *
 * In overwrite mode there are no windows without a shadow; but as long as there is nothing to
 * read there need not be one.
 *
 * Context: any; the cursor's owner.
 */
static inline bool ltt_cursor_wants_shadow(const struct ltt_cursor *cursor)
{
	return cursor->buf->overwrite && !cursor->shadow &&
	       cursor->mark.pos != READ_ONCE(cursor->buf->frontier);
}

/**
 * ltt_cursor_idle() - say that the reader has not stopped
 * @cursor:	the cursor
 *
 * Called by an owner that waits in the kernel and has taken all it may take for now,
 * although the buffer may hold more.
 *
 * Context: any; the cursor's owner.
 */
static inline void ltt_cursor_idle(struct ltt_cursor *cursor)
{
	/* Another reader may be about to begin the watch: no harm in that. */
	if (READ_ONCE(cursor->watched))
		WRITE_ONCE(cursor->watched, false);
}

#endif /* _LINUX_LTT_CURSOR_H */
