/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: for which readers the writers of a ring buffer wait; for cursor.c only.
 */
#ifndef _LTT_CURSOR_TAIL_H
#define _LTT_CURSOR_TAIL_H

struct ltt_buf;
struct ltt_cursor;

void ltt_cursor_update_tail(struct ltt_buf *buf, const struct ltt_cursor *self);

#endif /* _LTT_CURSOR_TAIL_H */
