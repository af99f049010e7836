/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: what the bytes in a sub-buffer mean.
 *
 * A sub-buffer holds one CTF 1.8 packet: struct ltt_packet, then events without
 * any padding between them. All integers are in the byte order of the machine
 * that wrote them and are aligned to bytes only. An event is a header and its
 * fields. The header has one of three lengths. It begins with a 32-bit word,
 *
 *	31                              5 4        0
 *	+--------------------------------+----------+
 *	| low 27 bits of the timestamp   |   form   |
 *	+--------------------------------+----------+
 *
 *	form	bytes	what it is
 *	0-29	4	compact: the form is the id
 *	30	6	wide: the id, of 16 bits, follows
 *	31	16	extended, if the id does not fit into these, or 2^27 ns or more may
 *			have passed since the previous event: instead of time bits the word
 *			has zeros; the id (32 bits) and the whole timestamp (64 bits) follow
 *
 * On big-endian machines the form is in the five most significant bits, as CTF
 * counts bit-fields from there.
 *
 * Timestamps are nanoseconds of the trace's clock and never decrease within
 * a buffer. That of an event without the whole of it is the smallest value not below the event
 * before (for the first event: the packet's timestamp_begin) with these low bits.
 *
 * Before version 0.3 there was no wide form: 30 was an id like others.
 *
 * Source: Common Trace Format 1.8.3, sections 5 and 6; the compact and extended
 * forms are those of its example 6.1.1.
 */
#ifndef _LINUX_LTT_PACKET_H
#define _LINUX_LTT_PACKET_H

#include <linux/types.h>

#define LTT_PACKET_MAGIC	0xC1FC1FC1u
#define LTT_UUID_SIZE		16

/**
 * struct ltt_packet - packet header and context, at offset 0 of a sub-buffer
 * @magic:		LTT_PACKET_MAGIC
 * @uuid:		of the trace
 * @stream_id:		number of the channel in the trace
 * @timestamp_begin:	ns, that of the first event
 * @timestamp_end:	ns, at or after the last event
 * @content_size:	bits, this struct included
 * @packet_size:	bits, equal to content_size on the wire
 * @packet_seq_num:	number of the packet in its stream, from 0
 * @events_discarded:	events lost in this buffer so far, modulo 2^64
 * @cpu_id:		CPU that wrote the events
 *
 * The writer that opens a sub-buffer fills in everything but timestamp_end,
 * content_size and packet_size; these are known when the packet is complete.
 */
struct ltt_packet {
	__u32 magic;
	__u8 uuid[LTT_UUID_SIZE];
	__u32 stream_id;
	__u64 timestamp_begin;
	__u64 timestamp_end;
	__u64 content_size;
	__u64 packet_size;
	__u64 packet_seq_num;
	__u64 events_discarded;
	__u64 cpu_id;
};

/**
 * ltt_packet_complete() - store what is known of a packet when it is complete
 * @packet:	its header
 * @size:	bytes
 * @ts_end:	ns, 0 if it is not known
 *
 * Context: any.
 */
static inline void ltt_packet_complete(struct ltt_packet *packet, __u64 size, __u64 ts_end)
{
	packet->timestamp_end = ts_end;
	packet->content_size = size * 8;
	packet->packet_size = size * 8;
}

#define LTT_ID_BITS		5
#define LTT_TIME_BITS		27
#define LTT_ID_WIDE		30u	/* ids below fit into a compact header */
#define LTT_ID_EXTENDED		31u
#define LTT_ID_WIDE_MAX		0xffffu	/* in a wide header */
#define LTT_TIME_MASK		((1ull << LTT_TIME_BITS) - 1)

#define LTT_HEADER_COMPACT	4u	/* bytes */
#define LTT_HEADER_WIDE		6u
#define LTT_HEADER_EXTENDED	16u

/* The channel that has the buffers, and thus the streams, that others share */
#define LTT_CHANNEL_SHARED	"shared"

/* log2 of the bytes in a sub-buffer, and the number of sub-buffers in a buffer */
#define LTT_SUBBUF_ORDER_MIN	12	/* 4 KiB */
#define LTT_SUBBUF_ORDER_MAX	22	/* 4 MiB */
#define LTT_SUBBUF_NUM_MIN	2u
#define LTT_SUBBUF_NUM_MAX	65536u

#endif /* _LINUX_LTT_PACKET_H */
