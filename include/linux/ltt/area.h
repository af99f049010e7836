/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: a trace in memory that survives a reset.
 *
 * Shared by the kernel, the user-space tools and the tests. Readers are of any version and
 * kernel, so this is an ABI; Documentation/trace/ltt/persist.rst describes it for users.
 */
#ifndef _LINUX_LTT_AREA_H
#define _LINUX_LTT_AREA_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <linux/ltt/packet.h>

/**
 * DOC: an area
 *
 * An area is physical memory that no kernel uses for anything else. It has two halves. A
 * trace records into one of them; the other one keeps what an earlier boot has left. A half
 * is complete in itself:
 *
 *	0		struct ltt_area_head, and a copy of it at LTT_AREA_COPY
 *	log_offset	the log: records, one after the other, and then zeros
 *	data_offset	sub-buffers and their slots
 *
 * All offsets are bytes from the start of the half. Integers are in the byte order of the
 * machine that wrote them, which the head tells.
 *
 * The log
 * -------
 * A record is a struct ltt_area_record and its payload, padded to a multiple of 8 bytes. The
 * checksum covers both and the generation of the half, so that what an earlier trace left is
 * not taken for a record. Records are only ever added, each before anything that
 * needs it can be recorded. A reader that finds a damaged record goes on with the next whole
 * one, at any multiple of 8 bytes. log_used, which is not checksummed, tells how much there
 * should be.
 *
 * A payload is one of the structures below, then an array of type codes if the structure has
 * @nr_types, then strings, each with a NUL:
 *
 *	LTT_AREA_TRACE		struct ltt_area_trace; name, host name, kernel release, kernel
 *				version, version of LTT, name of the clock
 *	LTT_AREA_STREAM		struct ltt_area_stream; types; channel, format of the context or
 *				an empty string
 *	LTT_AREA_EVENT		struct ltt_area_event; types; channel, marker, format
 *	LTT_AREA_BUFFER		struct ltt_area_buffer
 *	LTT_AREA_NO_BUFFER	struct ltt_area_buffer: that memory is free again
 *	LTT_AREA_WINDOW		struct ltt_area_window; why it was taken
 *
 * An event whose @like is not LTT_AREA_UNLIKE has neither types nor a format of its own, but
 * those of an earlier event of its stream. Unknown types of records are ignored.
 *
 * Buffers
 * -------
 * A buffer is that of a stream on a CPU: 2^k sub-buffers, and as many slots, which tell what
 * is in them. They are the ring buffer's own and are described at the top of
 * kernel/trace/ltt-core/relay/ring_buffer.c; writers need not do anything for this area. A
 * slot is changed in this order, of which each step is a store that is never torn:
 *
 *	the packet's header in the sub-buffer, events_open, origin, end
 *
 * So the packet in a sub-buffer is the one with the sequence number end / size - 1; it begins at
 * base - origin. If its header has another one, writers were about to open it and it holds
 * nothing. events - events_open events have been reserved in it; the last of them may not have
 * been finished. It ends with
 *
 *	content_end	if that lies in it: it was closed before it was full, at ts_end
 *	its last event	if it is the newest
 *	the sub-buffer	otherwise
 *
 * and must consist of that many events exactly, each of a known kind, whose times do not
 * decrease, and do not exceed that at which the next one begins. Contents of events have no
 * checksum.
 */

#define LTT_AREA_MAGIC		"LTT area"
#define LTT_AREA_VERSION	1u
#define LTT_AREA_ORDER		0x01020304u	/* byte order */
#define LTT_AREA_COPY		2048u		/* offset of the head's copy */
#define LTT_AREA_PAGE		4096u		/* of this all offsets are multiples */
#define LTT_AREA_HALF_MIN	(128u << 10)	/* bytes */
#define LTT_AREA_HALF_MAX	(64ull << 30)
#define LTT_AREA_ENDED		0x6465646e65206973ull	/* state: "is ended" */

/**
 * struct ltt_area_head - the beginning of a half
 * @magic:	LTT_AREA_MAGIC, without its NUL
 * @version:	LTT_AREA_VERSION
 * @order:	LTT_AREA_ORDER
 * @size:	bytes of the half
 * @generation:	increases with each trace that is put into the area, in either half
 * @log_offset:	where the log begins
 * @data_offset: where it ends at the latest
 * @reserved:	0
 * @crc:	CRC-32 of all of the above
 * @log_used:	bytes of the log that are in use; the copy of the head has no meaning here, nor
 *		for @state
 * @state:	LTT_AREA_ENDED: the trace was destroyed, and its memory is free. Anything else: it
 *		was recording, or could
 */
struct ltt_area_head {
	__u8 magic[8];
	__u32 version;
	__u32 order;
	__u64 size;
	__u64 generation;
	__u64 log_offset;
	__u64 data_offset;
	__u32 reserved;
	__u32 crc;
	__u64 log_used;
	__u64 state;
};

#define LTT_AREA_RECORD		0x4c54521au	/* magic of a record */

enum ltt_area_type {
	LTT_AREA_TRACE = 1,
	LTT_AREA_STREAM,
	LTT_AREA_EVENT,
	LTT_AREA_BUFFER,
	LTT_AREA_NO_BUFFER,
	LTT_AREA_WINDOW,
	LTT_AREA_TYPES,
};

/**
 * struct ltt_area_record - precedes the payload of a record
 * @magic:	LTT_AREA_RECORD
 * @type:	enum ltt_area_type
 * @size:	bytes of the payload
 * @crc:	see ltt_area_crc()
 */
struct ltt_area_record {
	__u32 magic;
	__u32 type;
	__u32 size;
	__u32 crc;
};

/* No payload is larger: that of a record of the slots of a window of the largest buffer. */
#define LTT_AREA_PAYLOAD_MAX	20480u

/**
 * ltt_area_record_bytes() - how much of a log a record takes
 * @size:	bytes of its payload
 *
 * Context: any.
 */
static inline __u64 ltt_area_record_bytes(__u32 size)
{
	return sizeof(struct ltt_area_record) + ((size + 7ull) & ~7ull);
}

/**
 * struct ltt_area_trace - what the metadata's preamble says
 * @uuid:	of the trace
 * @boot_id:	of the kernel's start; all zeros: unknown
 * @real_offset: ns, what to add to a timestamp to get the time since 1970
 * @created:	ns, timestamp
 * @anchor:	address of the kernel's panic()
 */
struct ltt_area_trace {
	__u8 uuid[LTT_UUID_SIZE];
	__u8 boot_id[LTT_UUID_SIZE];
	__u64 real_offset;
	__u64 created;
	__u64 anchor;
};

/**
 * struct ltt_area_stream - a channel that has buffers
 * @stream_id:	its number in the trace
 * @nr_types:	types of the context
 */
struct ltt_area_stream {
	__u32 stream_id;
	__u32 nr_types;
};

#define LTT_AREA_UNLIKE		(~0u)

/**
 * struct ltt_area_event - a kind of event
 * @stream_id:	the stream that it is recorded in
 * @id:		its number there
 * @like:	that of an event with the same format and types, LTT_AREA_UNLIKE: none
 * @nr_types:	types of its arguments
 */
struct ltt_area_event {
	__u32 stream_id;
	__u32 id;
	__u32 like;
	__u32 nr_types;
};

/**
 * struct ltt_area_buffer - the buffer of a stream on a CPU
 * @stream_id:	the stream
 * @cpu:	the CPU
 * @subbuf_order: log2 of the bytes of a sub-buffer
 * @subbuf_num:	sub-buffers, a power of two
 * @overwrite:	1: the oldest sub-buffer gives way to new events
 * @packets:	of a window: packets that it has, whose numbers follow each other; other slots are
 *		all zeros. Else 0
 * @slots:	offset of the first struct ltt_area_slot
 * @data:	offset of the first sub-buffer
 */
struct ltt_area_buffer {
	__u32 stream_id;
	__u32 cpu;
	__u32 subbuf_order;
	__u32 subbuf_num;
	__u32 overwrite;
	__u32 packets;
	__u64 slots;
	__u64 data;
};

/**
 * struct ltt_area_slot - a sub-buffer; this is what struct ltt_subbuf is in memory
 * @base:	@base - @origin is the position at which the packet begins
 * @events:	events ever reserved in it
 * @events_open: @events when the packet that is in it was opened
 * @first:	no meaning here
 * @content_end: position after the last event, if that lies in the packet
 * @ts_end:	ns, not before the last event; valid with @content_end
 * @end:	position after the packet; 0: there was none yet
 * @origin:	see @base
 */
struct ltt_area_slot {
	__u64 base;
	__u64 events;
	__u64 events_open;
	__u64 first;
	__u64 content_end;
	__u64 ts_end;
	__u64 end;
	__u64 origin;
};

/**
 * struct ltt_area_window - what is to be known of a window
 * @root:	address of its trace's root
 * @generation:	of that
 * @taken:	ns, timestamp: when it was taken
 * @until:	ns, timestamp: its end
 * @number:	its name
 * @reserved:	0
 */
struct ltt_area_window {
	__u64 root;
	__u64 generation;
	__u64 taken;
	__u64 until;
	__u32 number;
	__u32 reserved;
};

/**
 * ltt_area_subbufs_max() - most sub-buffers of a buffer
 * @window:	it is that of a window, which can have one more packet: the next power of two
 *
 * Context: any.
 */
static inline __u32 ltt_area_subbufs_max(_Bool window)
{
	return window ? 2 * LTT_SUBBUF_NUM_MAX : LTT_SUBBUF_NUM_MAX;
}

/**
 * DOC: a root
 *
 * A trace in ordinary memory keeps the same log, so that it is found in a dump of all
 * memory, whatever made that, without symbols or debug information. Its log is in pages, which
 * need not follow each other; the page with struct ltt_area_root leads to them. It says of
 * itself where it is, so that a copy is not taken for it; it is cleared when the trace is freed.
 * Addresses are physical ones, as the kernel has them.
 *
 *	root -> lists[]: pages of 64-bit addresses -> pages of the log, in order
 *
 * Each of these pages has @page bytes. Beyond @log_used, the log has no meaning.
 *
 * Records are those of an area with @generation, but for buffers, whose places are not offsets.
 * Their payloads are struct ltt_area_buffer, of which
 *
 *	@slots	is the address of the first struct ltt_area_slot
 *	@data	has no meaning: the sub-buffer of a slot is at @base - @linear + @address
 *
 * and then, for LTT_AREA_BUFFER, the addresses of the pages in which the slots are, in order:
 * the first one at @slots, the others where its page ends and the next one begins.
 * LTT_AREA_NO_BUFFER has @stream_id, @cpu and @slots of the buffer that is gone.
 *
 * A window, packets of a trace that were frozen, has a root of its own with LTT_WINDOW_MAGIC.
 * Its log begins with LTT_AREA_WINDOW, which leads to the trace; LTT_AREA_BUFFER tells where the
 * packets are. All else is in the log of the trace.
 */

#define LTT_ROOT_MAGIC		"LTT root"
#define LTT_WINDOW_MAGIC	"LTT wndw"
#define LTT_ROOT_VERSION	1u
#define LTT_ROOT_LISTS		504u
#define LTT_ROOT_PAGE_MAX	65536u

/**
 * struct ltt_area_root - a page that leads to the log of a trace in ordinary memory
 * @magic:	LTT_ROOT_MAGIC or LTT_WINDOW_MAGIC, without its NUL
 * @version:	LTT_ROOT_VERSION
 * @order:	LTT_AREA_ORDER
 * @generation:	random
 * @address:	physical address of this structure, a multiple of @page
 * @linear:	where it is in the kernel's linear mapping, in which all sub-buffers are
 * @page:	bytes of a page, a power of two: LTT_AREA_PAGE to LTT_ROOT_PAGE_MAX
 * @crc:	CRC-32 of all of the above
 * @log_used:	bytes of the log that are in use
 * @state:	LTT_AREA_ENDED, or anything else, as in struct ltt_area_head
 * @lists:	addresses of pages with addresses of pages of the log
 */
struct ltt_area_root {
	__u8 magic[8];
	__u32 version;
	__u32 order;
	__u64 generation;
	__u64 address;
	__u64 linear;
	__u32 page;
	__u32 crc;
	__u64 log_used;
	__u64 state;
	__u64 lists[LTT_ROOT_LISTS];
};

static_assert(sizeof(struct ltt_area_root) == LTT_AREA_PAGE);

#endif /* _LINUX_LTT_AREA_H */
