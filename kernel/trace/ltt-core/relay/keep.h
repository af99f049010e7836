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
struct ltt_spare *ltt_buf_find_packet(struct ltt_buf *buf, unsigned long seq, u64 until);
unsigned long ltt_buf_newest(const struct ltt_buf *buf, u64 until);
void ltt_spare_free(struct ltt_spare *spare);

/**
 * ltt_keep_packets() - how many packets of a buffer a window can have
 * @subbufs:	of the buffer
 *
 * All sub-buffers, and one that is opened while the window is taken.
 *
 * Context: any.
 */
static inline unsigned int ltt_keep_packets(unsigned int subbufs)
{
	return subbufs + 1;
}

/* Writers that may be interrupted while they make a copy: task, softirq, interrupt. */
#define LTT_KEEP_NESTED	3

/**
 * ltt_keep_spares() - memory for windows that a buffer needs
 * @subbufs:	of the buffer
 * @windows:	how many
 * @first:	the buffer has none yet
 *
 * Context: any.
 * Return: a number of sub-buffers.
 */
static inline unsigned int ltt_keep_spares(unsigned int subbufs, unsigned int windows, bool first)
{
	return windows * ltt_keep_packets(subbufs) + (first ? LTT_KEEP_NESTED : 0);
}

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
