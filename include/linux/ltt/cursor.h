/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a reader's place in one ring buffer.
 *
 * Any number of cursors may be open on a buffer; each sees every event that is
 * still there when it comes to it, and learns exactly how many it missed.
 */
#ifndef _LINUX_LTT_CURSOR_H
#define _LINUX_LTT_CURSOR_H

#include <linux/ltt/ring_buffer.h>

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
 * @packet:	header of the packet in which @mark.pos lies
 * @shadow:	copy of the sub-buffer being read (overwrite mode), else NULL
 * @shadow_end:	position up to which @shadow is filled
 * @node:	in ltt_buf.cursors
 */
struct ltt_cursor {
	struct ltt_buf *buf;
	struct ltt_mark mark;
	struct ltt_mark released;
	unsigned long limit;
	unsigned long lost;
	struct ltt_packet packet;
	u8 *shadow;
	unsigned long shadow_end;
	struct list_head node;
};

void ltt_cursor_open(struct ltt_cursor *cursor, struct ltt_buf *buf, u8 *shadow);
void ltt_cursor_close(struct ltt_cursor *cursor);
size_t ltt_cursor_window(struct ltt_cursor *cursor, const u8 **events);
void ltt_cursor_release(struct ltt_cursor *cursor);
void ltt_cursor_overtaken(struct ltt_cursor *cursor);
bool ltt_cursor_pending(const struct ltt_cursor *cursor);

#endif /* _LINUX_LTT_CURSOR_H */
