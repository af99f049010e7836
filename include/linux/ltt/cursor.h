/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a reader's place in one ring buffer.
 *
 * Any number of cursors may be open on a buffer; each sees every event that is
 * still there when it comes to it, and learns exactly how many it missed.
 *
 * In discard mode writers wait for readers, but not for one that has stopped, as long
 * as there are others: its cursor is left behind, and goes on, when its owner comes
 * back, with the oldest event that is kept. That happens only to cursors that are not
 * pinned. A cursor is pinned while its owner looks at the buffer's memory:
 *
 *	ltt_cursor_window(), ltt_cursor_pin()	pin it
 *	ltt_cursor_release()			unpins it
 *
 * An owner that is at the mercy of user space releases its cursor before it goes there,
 * and remembers no pointer into the buffer, and no time of an event in it, unless
 * ltt_cursor_pin() said afterwards that they still hold. How a stopped reader is told
 * from a slow one is described at the top of cursor_tail.c.
 */
#ifndef _LINUX_LTT_CURSOR_H
#define _LINUX_LTT_CURSOR_H

#include <linux/jiffies.h>
#include <linux/ltt/ring_buffer.h>

/* After how many jiffies without progress a reader is taken for stopped. */
#define LTT_STALL	HZ

/**
 * struct ltt_cursor - a reader's place in a buffer
 * @buf:	the buffer
 * @mark:	what has been read; the owner moves @mark.pos, @mark.ts and
 *		@mark.events over each event it takes out of a window
 * @released:	what writers may have back, a copy of an earlier @mark; protected
 *		by ltt_buf.read_lock
 * @limit:	highest frontier seen
 * @lost:	events lost right before @mark.pos and not yet reported: the
 *		owner reports them before the window's first event, and clears it
 * @missed:	of all that was ever added to @lost, the events that this cursor alone
 *		missed: it was left behind, or overtaken in overwrite mode
 * @told:	what @missed was when @lost was 0
 * @packet:	header of the packet in which @mark.pos lies
 * @shadow:	copy of the sub-buffer being read (overwrite mode), else NULL
 * @shadow_end:	position up to which @shadow is filled
 * @pinned:	the owner may be looking at the buffer's memory
 * @left:	left behind: nobody waits for it
 * @watched:	another reader has seen that this one has something to give back
 * @watch_pos:	where @released.pos was then
 * @watch_since: jiffies, when that was
 * @node:	in ltt_buf.cursors
 *
 * @pinned and @left are protected by ltt_buf.read_lock; @pinned is written by the owner
 * only. The watch belongs to the other readers, under the lock; the owner only
 * ever ends it.
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

/* Have writers lost more than what is accounted for? In a broken buffer, mark.lost may be < 0. */
static inline bool ltt_cursor_lossy(const struct ltt_cursor *cursor)
{
	return (long)(local_read(&cursor->buf->lost) - cursor->mark.lost) > 0;
}

/**
 * ltt_cursor_pending() - is there anything to read or to report?
 * @cursor:	the cursor
 *
 * A hint: what is there may be the unused end of a sub-buffer.
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
 * As ltt_cursor_pending(), but also if a writer has yet to commit. It may be dead. In a broken
 * buffer, nobody waits for it.
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
 * ltt_cursor_idle() - say that the reader has not stopped
 * @cursor:	the cursor
 *
 * To be called by an owner that waits, in the kernel, and has taken everything that it
 * may take until then, although there may be more in the buffer.
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
