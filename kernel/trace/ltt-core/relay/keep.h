/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of ltt-core: packets that are kept when their sub-buffers are reused.
 */
#ifndef _LTT_KEEP_H
#define _LTT_KEEP_H

#include <linux/ltt/ring_buffer.h>

/* Of whoever waits for a packet that is neither in its slot nor kept yet, ns. */
#define LTT_KEEP_PATIENCE	(100 * 1000 * 1000ull)

struct ltt_spare *ltt_buf_keep(struct ltt_buf *buf, unsigned long begin);
void ltt_spare_publish(struct ltt_spare *spare);
struct ltt_spare *ltt_buf_kept(const struct ltt_buf *buf, unsigned long seq);
struct ltt_spare *ltt_buf_copy_packet(struct ltt_buf *buf, unsigned long seq, u64 until);
void ltt_spare_free(struct ltt_spare *spare);

/**
 * ltt_spare_packet() - the packet in a spare
 * @spare:	the spare, with a packet
 *
 * Context: any.
 */
static inline struct ltt_packet *ltt_spare_packet(const struct ltt_spare *spare)
{
	return (struct ltt_packet *)spare->base;
}

#endif /* _LTT_KEEP_H */
