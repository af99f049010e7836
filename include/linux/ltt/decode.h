/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: event headers, from bytes to timestamp and id.
 *
 * Shared by the kernel, the user-space tools and the tests. The layout is in
 * include/linux/ltt/packet.h.
 */
#ifndef _LINUX_LTT_DECODE_H
#define _LINUX_LTT_DECODE_H

#include <linux/errno.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/packet.h>

/* Rare, so out of the way of the other forms. */
static inline int ltt_decode_extended(const u8 *p, size_t avail, u64 *ts, u32 *id,
				      bool swap)
{
	u64 now;

	if (avail < LTT_HEADER_EXTENDED)
		return -EBADMSG;
	now = ltt_load64(p + 8, swap);
	if (now < *ts)
		return -EBADMSG;
	*id = ltt_load32(p + 4, swap);
	*ts = now;
	return LTT_HEADER_EXTENDED;
}

/**
 * ltt_decode_header_of() - decode the header of an event of any version
 * @p:		its first byte
 * @avail:	bytes that may be read at @p
 * @ts:		in: ns, timestamp of the event before, or the packet's
 *		timestamp_begin for the first; out: that of this event
 * @id:		receives the event's id
 * @swap:	the packet was written in the other byte order
 * @compact:	ids below it have a compact header: LTT_ID_WIDE, or where there is no wide form
 *		LTT_ID_EXTENDED
 *
 * Nothing is stored to @ts and @id unless the header is good.
 *
 * Context: any.
 * Return: bytes of the header, or -EBADMSG: it is cut off, its time lies before
 * that of the event before, or its reserved bits are not 0.
 */
static __always_inline int ltt_decode_header_of(const u8 *p, size_t avail, u64 *ts, u32 *id,
						bool swap, u32 compact)
{
	u32 word, nr;
	u64 low, now;
	int size = LTT_HEADER_COMPACT;

	if (avail < LTT_HEADER_COMPACT)
		return -EBADMSG;

	word = ltt_load32(p, swap);
	if (swap != LTT_HOST_BE) {
		nr = word >> LTT_TIME_BITS;
		low = word & LTT_TIME_MASK;
	} else {
		nr = word & ((1u << LTT_ID_BITS) - 1);
		low = word >> LTT_ID_BITS;
	}

	if (nr >= compact) {
		if (nr == LTT_ID_EXTENDED)
			return low ? -EBADMSG : ltt_decode_extended(p, avail, ts, id, swap);
		if (avail < LTT_HEADER_WIDE)
			return -EBADMSG;
		nr = ltt_load16(p + LTT_HEADER_COMPACT, swap);
		size = LTT_HEADER_WIDE;
	}

	/* The smallest value not below *ts that ends in these bits. */
	now = *ts + ((low - *ts) & LTT_TIME_MASK);
	if (now < *ts)
		return -EBADMSG;
	*ts = now;
	*id = nr;
	return size;
}

/**
 * ltt_decode_header() - decode the header of an event of this version
 * @p:		as for ltt_decode_header_of()
 * @avail:	as there
 * @ts:		as there
 * @id:		as there
 * @swap:	as there
 *
 * Context: any.
 * Return: as ltt_decode_header_of().
 */
static inline int ltt_decode_header(const u8 *p, size_t avail, u64 *ts, u32 *id, bool swap)
{
	return ltt_decode_header_of(p, avail, ts, id, swap, LTT_ID_WIDE);
}

#endif /* _LINUX_LTT_DECODE_H */
