/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the trace maker share.
 *
 *	make_trace.c		what is recorded, when, and by whom; the metadata
 *	make_trace_event.c	values of the fields
 *	make_trace_stream.c	from a ring buffer to a file of packets, and its index
 *
 * All numbers come from one generator: a trace is the same in every run, and but for
 * the order of bytes, on every machine.
 */
#ifndef _LTT_MAKE_TRACE_H
#define _LTT_MAKE_TRACE_H

#include <stdio.h>

#include <linux/ltt/cursor.h>
#include <linux/ltt/context.h>

/* Sub-buffers of 2 KiB: each buffer makes many packets. */
#define SUBBUF_ORDER	11
#define SUBBUF_NUM	4

/* Larger than any event that is made. */
#define PAYLOAD_MAX	1024

/**
 * struct kind - a kind of event
 * @name:	name of the marker
 * @format:	its format
 * @nr_types:	entries of @types
 * @types:	types of its arguments
 * @parsed:	the parsed format
 */
struct kind {
	const char *name;
	const char *format;
	unsigned int nr_types;
	u32 types[LTT_MAX_ARGS];
	struct ltt_format *parsed;
};

/**
 * struct stream - a ring buffer, and the file that takes its packets
 * @buf:	the buffer
 * @cursor:	reads it
 * @shadow:	of the cursor in overwrite mode
 * @kinds:	events of the channel, by id
 * @context:	format of what comes before their fields, NULL if nothing does
 * @name:	of the file, for messages
 * @file:	the packets
 * @index:	their index
 * @packet:	the packet that is being put together
 * @len:	its bytes so far, 0 if there is none
 * @end:	ns, its last event
 * @offset:	bytes in @file
 * @events:	in @file
 * @lost:	noticed by @cursor
 */
struct stream {
	struct ltt_buf buf;
	struct ltt_cursor cursor;
	u8 *shadow;
	const struct kind *kinds;
	const struct ltt_format *context;
	char name[64];
	FILE *file;
	FILE *index;
	u8 packet[1 << SUBBUF_ORDER] __aligned(8);
	size_t len;
	u64 end;
	u64 offset;
	u64 events;
	u64 lost;
};

/* make_trace.c: something that must not fail did. */
__printf(1, 2) __attribute__((__noreturn__)) void die(const char *format, ...);
u32 random_below(u32 limit);
u64 random_word(void);

/* make_trace_event.c; returns bytes of @payload */
size_t make_payload(const struct ltt_format *format, u8 *payload);

/* make_trace_stream.c */
void stream_open(struct stream *stream, const char *dir, const char *channel,
		 const struct ltt_packet *packet, bool overwrite);
void stream_drain(struct stream *stream);
void stream_close(struct stream *stream);

#endif /* _LTT_MAKE_TRACE_H */
