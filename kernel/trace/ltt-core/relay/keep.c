// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: packets that are kept when their sub-buffers are reused.
 *
 * See "Packets that are kept" at the top of ring_buffer.c. This file is also compiled in user
 * space, for the tests.
 */

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/err.h>
#include <linux/string.h>
#include <asm/barrier.h>

#include "buf_warn.h"
#include "keep.h"

/* Take a spare that is free. Return: NULL if there is none. */
static struct ltt_spare *take(const struct ltt_buf *buf)
{
	struct ltt_spares *spares;
	struct ltt_spare *spare;
	unsigned long seq;
	unsigned int i;

	for (spares = READ_ONCE(buf->spares); spares; spares = READ_ONCE(spares->next)) {
		for (i = 0; i < spares->nr; i++) {
			spare = &spares->spare[i];
			seq = READ_ONCE(spare->seq);
			if (seq == LTT_SPARE_FREE &&
			    try_cmpxchg(&spare->seq, &seq, LTT_SPARE_BUSY))
				return spare;
		}
	}
	return NULL;
}

/**
 * ltt_spare_free() - a packet is not needed any more
 * @spare:	where it is
 *
 * Context: any; nobody else uses it.
 */
void ltt_spare_free(struct ltt_spare *spare)
{
	smp_store_release(&spare->seq, LTT_SPARE_FREE);	/* after what the caller has read there */
}

/**
 * ltt_buf_kept() - look for a packet among those that are kept
 * @buf:	the buffer
 * @seq:	its number
 *
 * Context: any.
 * Return: where it is, NULL if it is not kept.
 */
struct ltt_spare *ltt_buf_kept(const struct ltt_buf *buf, unsigned long seq)
{
	struct ltt_spares *spares;
	unsigned int i;

	for (spares = READ_ONCE(buf->spares); spares; spares = READ_ONCE(spares->next)) {
		for (i = 0; i < spares->nr; i++) {
			/* LMM(ltt_buf_kept:A) */
			if (smp_load_acquire(&spares->spare[i].seq) == seq)
				return &spares->spare[i];
		}
	}
	return NULL;
}

/**
 * ltt_buf_keep() - copy the packet in a slot that is about to be reused, if it is wanted
 * @buf:	the buffer, in overwrite mode; its keep is set
 * @begin:	where the packet that is to be opened there begins
 *
 * If there is no spare, the packet will be overwritten, which is counted.
 *
 * Context: any, NMI included; preemption disabled, on the buffer's CPU. Copies a sub-buffer.
 * Return: the copy, for ltt_spare_publish() if the slot could be taken, else for
 * ltt_spare_free(); NULL if there is none.
 */
notrace struct ltt_spare *ltt_buf_keep(struct ltt_buf *buf, unsigned long begin)
{
	const unsigned long ring = ((unsigned long)buf->sb_mask + 1) << buf->sb_order;
	const struct ltt_subbuf *sb = ltt_buf_sb(buf, begin);
	const struct ltt_packet *packet = (const struct ltt_packet *)sb->base;
	unsigned long size;
	struct ltt_spare *spare;

	if (begin < ring || packet->timestamp_begin > READ_ONCE(buf->keep->until))
		return NULL;
	begin -= ring;
	smp_mb();						/* LMM(ltt_buf_keep:A) */
	/* A window may have a copy already. */
	if (!READ_ONCE(buf->spares) || ltt_buf_kept(buf, begin >> buf->sb_order))
		return NULL;
	spare = take(buf);
	if (!spare) {
		WRITE_ONCE(buf->unkept, buf->unkept + 1);
		return NULL;
	}
	size = ltt_buf_packet_end(buf, begin) - begin;
	memcpy(spare->base, packet, size);
	ltt_packet_complete(ltt_spare_packet(spare), size, size > buf->off_mask ? 0 : sb->ts_end);
	return spare;
}

/**
 * ltt_spare_publish() - let windows find a packet
 * @spare:	where it is, whole
 *
 * Context: any. What the caller stores next, who sees that sees the packet.
 */
notrace void ltt_spare_publish(struct ltt_spare *spare)
{
	/* LMM(ltt_spare_publish:A) */
	smp_store_release(&spare->seq, ltt_spare_packet(spare)->packet_seq_num);
	smp_wmb();						/* LMM(ltt_spare_publish:B) */
}

/*
 * Copy the first @size bytes of the packet at @begin. If a writer takes the slot
 * meanwhile, the packet is among the spares soon, if there are enough.
 * Return: as ltt_buf_copy_packet().
 */
static struct ltt_spare *copy(struct ltt_buf *buf, unsigned long begin, unsigned long size,
			      u64 ts_end)
{
	struct ltt_spare *spare = take(buf);

	if (!spare)
		return ERR_PTR(-ENOSPC);
	/* As below. */
	data_race(memcpy(spare->base, ltt_buf_sb(buf, begin)->base, size));
	smp_rmb();	/* as copy:A of cursor.c */
	if (READ_ONCE(buf->horizon) > begin) {
		ltt_spare_free(spare);
		return ERR_PTR(-EAGAIN);
	}
	ltt_packet_complete(ltt_spare_packet(spare), size, ts_end);
	return spare;
}

/**
 * ltt_buf_copy_packet() - copy a packet from its slot into a spare
 * @buf:	the buffer
 * @seq:	the packet's number; it is not kept
 * @until:	ns; a packet that begins later is not wanted
 *
 * A grace period has passed since ltt_keep.until became @until or more. If the packet is not
 * complete, what is committed of it is copied, and nobody else is to find the copy.
 *
 * Context: task; one at a time for a buffer.
 * Return: the copy, whose header is complete; NULL if the packet is not there, not wanted, or
 * has no event; ERR_PTR: -EAGAIN if it is being kept, or another one takes its place; -ENOSPC
 * if there is no spare.
 */
struct ltt_spare *ltt_buf_copy_packet(struct ltt_buf *buf, unsigned long seq, u64 until)
{
	unsigned long frontier = smp_load_acquire(&buf->frontier); /* LMM(ltt_buf_copy_packet:B) */
	const unsigned long begin = seq << buf->sb_order, full = begin + buf->off_mask + 1;
	const struct ltt_subbuf *sb = ltt_buf_sb(buf, begin);
	struct ltt_packet header;
	struct ltt_spare *spare;
	unsigned long end;
	u64 ts_end;

	if (frontier < begin + sizeof(header))
		return NULL;
	/* Races with a writer that takes the slot; then horizon has passed. */
	data_race(memcpy(&header, sb->base, sizeof(header)));
	end = ltt_buf_packet_end(buf, begin);
	ts_end = READ_ONCE(sb->ts_end);
	smp_rmb();						/* LMM(ltt_buf_copy_packet:A) */
	if (READ_ONCE(buf->horizon) > begin)
		return ltt_buf_owns(buf, &header, begin) ? ERR_PTR(-EAGAIN) : NULL;
	if (!ltt_buf_owns(buf, &header, begin) || header.timestamp_begin > until)
		return NULL;
	if (frontier < full)
		return copy(buf, begin, frontier - begin, 0);
	spare = copy(buf, begin, end - begin, end == full ? 0 : ts_end);
	if (!IS_ERR(spare))
		ltt_spare_publish(spare);
	return spare;
}

/**
 * ltt_buf_find_packet() - find a packet among those that are kept, or copy it from its slot
 * @buf:	the buffer
 * @seq:	the packet's number
 * @until:	as for ltt_buf_copy_packet()
 *
 * Context: as ltt_buf_copy_packet().
 * Return: where it is; else as ltt_buf_copy_packet(): on -EAGAIN try again soon.
 */
struct ltt_spare *ltt_buf_find_packet(struct ltt_buf *buf, unsigned long seq, u64 until)
{
	struct ltt_spare *spare = ltt_buf_kept(buf, seq);

	if (!spare)
		spare = ltt_buf_copy_packet(buf, seq, until);
	/* Between its slot and the spares? */
	return spare ?: ltt_buf_kept(buf, seq);
}

/**
 * ltt_buf_newest() - find the newest packet that a window may want
 * @buf:	the buffer
 * @until:	ns, the end of the window; as for ltt_buf_copy_packet()
 *
 * Context: as ltt_buf_copy_packet().
 * Return: its number, plus 1; 0: there is none.
 */
unsigned long ltt_buf_newest(const struct ltt_buf *buf, u64 until)
{
	/* ACQUIRE as LMM(ltt_buf_copy_packet:B): below it headers are there. */
	unsigned long end = smp_load_acquire(&buf->frontier) + buf->off_mask, seq, next = 0;
	const struct ltt_spares *spares;
	const struct ltt_packet *packet;
	unsigned int i;

	/*
	 * The first one in a slot, from the end, that begins in time. What writers do meanwhile
	 * may make it a later one.
	 */
	end >>= buf->sb_order;
	for (seq = end; seq && end - seq <= buf->sb_mask && !next; seq--) {
		packet = (const struct ltt_packet *)
			ltt_buf_sb(buf, (seq - 1) << buf->sb_order)->base;
		if (READ_ONCE(packet->packet_seq_num) == seq - 1 &&
		    READ_ONCE(packet->timestamp_begin) <= until)
			next = seq;
	}
	smp_rmb();	/* as LMM(ltt_buf_copy_packet:A) */
	for (spares = READ_ONCE(buf->spares); spares; spares = READ_ONCE(spares->next)) {
		for (i = 0; i < spares->nr; i++) {
			/* as in ltt_buf_kept() */
			seq = smp_load_acquire(&spares->spare[i].seq);
			if (seq < LTT_SPARE_BUSY && seq >= next &&
			    ltt_spare_packet(&spares->spare[i])->timestamp_begin <= until)
				next = seq + 1;
		}
	}
	return next;
}
