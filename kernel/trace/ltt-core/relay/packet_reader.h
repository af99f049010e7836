/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: reading a ring buffer packet by packet.
 *
 * For outputs that pass on sub-buffers as they are. A packet is handed out when it is
 * complete: full, or closed by a flush. Then its header is also completed.
 *
 *	ltt_packet_reader_open(&packets, buf, shadow, format, arg);
 *	while (!ltt_packet_reader_next(&packets)) {
 *		take packets.size bytes: packets.header, and what follows it at
 *		packets.data;
 *		ltt_packet_reader_done(&packets);
 *		ltt_packet_reader_release(&packets);
 *	}
 *	ltt_packet_reader_close(&packets);
 *
 * Between ltt_packet_reader_next() and ltt_packet_reader_release() the reader is pinned, as its
 * cursor is (see <linux/ltt/cursor.h>). It may be released with a current packet; then
 * ltt_packet_reader_next() tells whether that is still there.
 */
#ifndef _LTT_PACKET_READER_H
#define _LTT_PACKET_READER_H

#include <linux/ltt/cursor.h>
#include <linux/ltt/context.h>

/**
 * struct ltt_packet_formats - what the events of a packet look like
 * @format:	finds the format of the events with an id; NULL: there is none
 * @arg:	for @format
 * @context:	format of what is recorded before the fields of each event, NULL if nothing is
 */
struct ltt_packet_formats {
	const struct ltt_format *(*format)(const void *arg, __u32 id);
	const void *arg;
	const struct ltt_format *context;
};

/**
 * struct ltt_packet_reader - a reader of whole packets
 * @cursor:	its place in the buffer; cursor.mark is what was released
 * @formats:	of its events
 * @at:		what has been taken; not beyond cursor.mark
 * @after:	value of @at after the current packet
 * @events:	events before the next packet, taken or missed; differs from @at.events
 *		if @at is in the middle of a packet
 * @events_after: value of @events after the current packet
 * @missed:	events that this reader alone missed: it was overtaken, or left behind
 * @told:	events_discarded of the last packet taken, 0 if there was none
 * @ts_end:	timestamp_end of the last packet taken, 0 if there was none
 * @header:	header of the current packet, complete. Equal to what is at @data, but
 *		for events_discarded, to which @missed is added here
 * @data:	the current packet: in the buffer (discard mode), in the cursor's shadow
 *		(overwrite mode), or elsewhere (the last packet, or it was kept);
 *		NULL: none
 * @size:	bytes at @data
 * @in_place:	@data is in the buffer
 * @gone:	the packet that was the current one is not there any more, because the
 *		reader was left behind; the owner clears it
 */
struct ltt_packet_reader {
	struct ltt_cursor cursor;
	struct ltt_packet_formats formats;
	struct ltt_mark at;
	struct ltt_mark after;
	unsigned long events;
	unsigned long events_after;
	unsigned long missed;
	__u64 told;
	__u64 ts_end;
	struct ltt_packet header;
	const u8 *data;
	size_t size;
	bool in_place;
	bool gone;
};

void ltt_packet_reader_open(struct ltt_packet_reader *packets, struct ltt_buf *buf, u8 *shadow,
			    const struct ltt_packet_formats *formats);
long ltt_packet_step(const struct ltt_packet_formats *formats, const u8 *p, size_t avail,
		     __u64 *ts);
unsigned long ltt_packet_events(const struct ltt_packet_formats *formats, const u8 *base,
				size_t from, size_t size, __u64 *ts);
void ltt_packet_reader_close(struct ltt_packet_reader *packets);
int ltt_packet_reader_next(struct ltt_packet_reader *packets);
void ltt_packet_reader_keep(struct ltt_packet_reader *packets, u8 *copy);
int ltt_packet_reader_begun(const struct ltt_packet_reader *packets, __u64 *ts);
bool ltt_packet_reader_last(struct ltt_packet_reader *packets, __u64 now);
void ltt_packet_reader_done(struct ltt_packet_reader *packets);
void ltt_packet_reader_release(struct ltt_packet_reader *packets);
bool ltt_packet_reader_ready(const struct ltt_packet_reader *packets);

#endif /* _LTT_PACKET_READER_H */
