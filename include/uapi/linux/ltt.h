/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * LTT: the binary stream files, traces/NAME/binary/CHANNEL_CPU.
 *
 * A stream is a sequence of CTF 1.8 packets; traces/NAME/binary/metadata says what is
 * in them. There are three ways to take packets out of a stream, and each open file is
 * a reader of its own, with its own place in the stream:
 *
 *	read()		copies bytes; packets follow each other without padding.
 *	splice()	moves pages into a pipe, copying only what it must not lend.
 *	mmap()		maps the buffers; LTT_IOC_GET_PACKET says where the next packet
 *			lies, LTT_IOC_PUT_PACKET gives it back.
 *
 * read() and splice() can be mixed. While a packet is held by LTT_IOC_GET_PACKET, both
 * fail with EBUSY.
 */
#ifndef _UAPI_LINUX_LTT_H
#define _UAPI_LINUX_LTT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * struct ltt_stream_info - of a stream and of its buffers
 * @mmap_size:		bytes that mmap() at offset 0 maps at most
 * @subbuf_size:	bytes of a sub-buffer: no packet is larger
 * @subbuf_num:		sub-buffers of this stream
 * @stream_id:		number of the channel in the trace
 * @cpu:		CPU that writes it
 * @overwrite:		1: flight recorder, the oldest packets give way to new ones
 * @reserved:		0
 */
struct ltt_stream_info {
	__u64 mmap_size;
	__u32 subbuf_size;
	__u32 subbuf_num;
	__u32 stream_id;
	__u32 cpu;
	__u32 overwrite;
	__u32 reserved;
};

/**
 * struct ltt_packet_info - the packet that comes next
 * @offset:		bytes, where it lies in the mapping; LTT_OFFSET_NONE if part of it has
 *			been taken already: the rest may not be there
 * @size:		bytes that read() and splice() will give of it from now on, all
 *			of it unless part has been taken already
 * @packet_size:	bytes
 * @seq:		number of the packet in its stream, from 0; those in between that
 *			never come were overwritten
 * @timestamp_begin:	ns
 * @timestamp_end:	ns
 * @events_discarded:	events lost so far in this stream
 */
struct ltt_packet_info {
	__u64 offset;
	__u64 size;
	__u64 packet_size;
	__u64 seq;
	__u64 timestamp_begin;
	__u64 timestamp_end;
	__u64 events_discarded;
};

#define LTT_OFFSET_NONE		(~(__u64)0)

/* Numbers 80-8F. ioctl-number.rst has nobody else under this type. */
#define LTT_IOC_TYPE		0xF7

/*
 * LTT_IOC_INFO:	never blocks.
 * LTT_IOC_PEEK_PACKET:	what comes next; nothing is taken. Waits like a read, or fails
 *			with EAGAIN (O_NONBLOCK); ENODATA: the trace was destroyed and
 *			all its packets have been taken; EBUSY: one is held. If the
 *			reader is so slow that the buffer does not wait for it, and the
 *			packet is gone by then, the next read(), splice() or GET_PACKET
 *			fails with ESTALE; the one after that gives another packet.
 * LTT_IOC_GET_PACKET:	the same, and holds the packet in its place until PUT_PACKET or
 *			close. EBUSY: one is held, or part of it has been taken: read() and
 *			splice() take the rest. A call that failed has taken nothing.
 * LTT_IOC_PUT_PACKET:	gives it back; the next packet comes next. EINVAL: none is held.
 *			ESTALE: given back, too, but the reader was so slow that the buffer
 *			did not wait for it: what lay there may have changed meanwhile.
 * LTT_IOC_WATERMARK:	a time, ns: no packet that comes later begins before it. Never blocks.
 *			EAGAIN: there is a packet, which is to be taken first, somebody else
 *			uses the stream, or the time is not known yet: ask again in some
 *			milliseconds. ENODATA: as for PEEK_PACKET. ESTALE: a packet that was
 *			peeked at is gone, and the trace was destroyed.
 *			Each call asks for a newer one, which a later call finds; no CPU is
 *			woken for it.
 */
#define LTT_IOC_INFO		_IOR(LTT_IOC_TYPE, 0x80, struct ltt_stream_info)
#define LTT_IOC_PEEK_PACKET	_IOR(LTT_IOC_TYPE, 0x81, struct ltt_packet_info)
#define LTT_IOC_GET_PACKET	_IOR(LTT_IOC_TYPE, 0x82, struct ltt_packet_info)
#define LTT_IOC_PUT_PACKET	_IO(LTT_IOC_TYPE, 0x83)
#define LTT_IOC_WATERMARK	_IOR(LTT_IOC_TYPE, 0x84, __u64)

#endif /* _UAPI_LINUX_LTT_H */
