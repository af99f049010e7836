/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: internal errors of the ring buffer.
 *
 * The invariants are those of the DOC comments in ring_buffer.c, cursor_tail.c and
 * packet_reader.c. They are checked where sub-buffers are switched and where readers look
 * for more events, never for each event.
 */
#ifndef _LTT_BUF_WARN_H
#define _LTT_BUF_WARN_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/ltt/ring_buffer.h>

/* Is it the header of the packet at @begin? */
static inline bool ltt_buf_owns(const struct ltt_buf *buf, const struct ltt_packet *packet,
				unsigned long begin)
{
	return packet->magic == LTT_PACKET_MAGIC &&
	       packet->packet_seq_num == begin >> buf->sb_order;
}

void ltt_buf_break(struct ltt_buf *buf);
unsigned long ltt_buf_events(const struct ltt_buf *buf);

/**
 * LTT_BUF_WARN_ON() - stop a buffer in which an invariant does not hold
 * @_buf:	the buffer
 * @_cond:	true if the invariant is violated
 *
 * Warns once for each place where it is used, and calls ltt_buf_break().
 *
 * Context: any, NMI included; on any CPU.
 * Return: @_cond.
 */
#define LTT_BUF_WARN_ON(_buf, _cond)					\
({									\
	const bool __ltt_broken = WARN_ON_ONCE(_cond);			\
									\
	if (unlikely(__ltt_broken))					\
		ltt_buf_break(_buf);					\
	__ltt_broken;							\
})

#endif /* _LTT_BUF_WARN_H */
