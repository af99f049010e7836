/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what is left of a trace in an area. Shared by the kernel and the tools.
 */
#ifndef _LTT_AREA_SCAN_H
#define _LTT_AREA_SCAN_H

#include <linux/ltt/area.h>
#include <linux/ltt/context.h>
#include <linux/ltt/format.h>

struct ltt_textbuf;

/* Room for any reason of ltt_area_check(). */
#define LTT_AREA_ERROR	160

/**
 * struct ltt_area_hole - bytes of a half that are not there
 * @from:	offset of the first one, a multiple of LTT_AREA_PAGE
 * @to:		offset after the last one, the same
 */
struct ltt_area_hole {
	u64 from;
	u64 to;
};

/**
 * struct ltt_found_event - a kind of event
 * @stream:	index of its stream in ltt_found.streams
 * @id:		its number there
 * @like:	the earlier event that has its format, as in struct ltt_area_event
 * @channel:	its channel
 * @marker:	its name
 * @text:	its format string
 * @nr_types:	number of arguments
 * @types:	their types
 * @format:	what they are parsed into; shared with the event that it is like
 * @shared:	others are like it, or it is like another
 */
struct ltt_found_event {
	unsigned int stream;
	u32 id;
	u32 like;
	const char *channel;
	const char *marker;
	const char *text;
	u32 nr_types;
	const u32 *types;
	struct ltt_format *format;
	bool shared;
};

/**
 * struct ltt_found_stream - a channel that has buffers
 * @stream_id:	its number in the trace
 * @channel:	its name
 * @context:	what is recorded with each event; its format is NULL: nothing
 * @nr_events:	entries of @events
 * @events:	those of ltt_found.events that are recorded in it
 */
struct ltt_found_stream {
	u32 stream_id;
	const char *channel;
	struct ltt_context context;
	u32 nr_events;
	const struct ltt_found_event *events;
};

/**
 * struct ltt_found_packet - a packet
 * @seq:	its number in its stream
 * @data:	the packet, its header completed
 * @size:	bytes of it that are shown, header included
 * @begin:	ns, its timestamp_begin
 * @end:	ns, of its last event, or later
 * @events:	that are shown
 * @missing:	events that should be there, too
 * @open:	it was not complete; its last event may not have been finished
 * @why:	what is wrong with it, NULL: nothing
 */
struct ltt_found_packet {
	u64 seq;
	u8 *data;
	u32 size;
	u64 begin;
	u64 end;
	u64 events;
	u64 missing;
	bool open;
	const char *why;
};

/**
 * struct ltt_found_buffer - the buffer of a stream on a CPU
 * @stream:	index of its stream in ltt_found.streams
 * @cpu:	its CPU
 * @subbuf_order: log2 of the bytes of a sub-buffer
 * @subbuf_num:	sub-buffers
 * @overwrite:	the oldest ones gave way to new events
 * @packets_max: that it can have: fewer than sub-buffers in a window
 * @slots:	offset of the slots
 * @data:	offset of the sub-buffers
 * @nr_packets:	entries of @packets
 * @nr_damaged:	of these, that are damaged
 * @packets:	ascending
 * @events:	in all packets, that are shown
 * @lost:	events lost, those that are missing in damaged packets included
 */
struct ltt_found_buffer {
	unsigned int stream;
	u32 cpu;
	u32 subbuf_order;
	u32 subbuf_num;
	bool overwrite;
	u32 packets_max;
	u64 slots;
	u64 data;
	u32 nr_packets;
	u32 nr_damaged;
	struct ltt_found_packet *packets;
	u64 events;
	u64 lost;
};

/**
 * struct ltt_found - a trace
 * @base:	the half
 * @head:	its head, or the copy of it if that is damaged
 * @trace:	what the trace's record tells
 * @window:	what that of a window tells; NULL: it is a whole trace
 * @why:	why the window was taken
 * @name:	of the trace
 * @hostname:	of the machine
 * @release:	of the kernel
 * @build:	which build of that: utsname's version
 * @version:	of LTT
 * @clock:	name of the clock
 * @nr_holes:	entries of @holes
 * @holes:	what is not there, ascending; all zeros in its place
 * @nr_streams:	entries of @streams
 * @streams:	channels that have buffers
 * @nr_events:	entries of @events
 * @events:	kinds of events, by stream and id
 * @nr_buffers:	entries of @buffers
 * @buffers:	buffers, by stream and CPU
 * @notes:	what is wrong, in lines
 * @notes_len:	bytes of it
 * @notes_room:	bytes allocated
 * @nr_notes:	lines, those included for which there was no room
 */
struct ltt_found {
	u8 *base;
	struct ltt_area_head head;
	struct ltt_area_trace trace;
	const struct ltt_area_window *window;
	const char *why;
	const char *name;
	const char *hostname;
	const char *release;
	const char *build;
	const char *version;
	const char *clock;
	u32 nr_holes;
	const struct ltt_area_hole *holes;
	u32 nr_streams;
	struct ltt_found_stream *streams;
	u32 nr_events;
	struct ltt_found_event *events;
	u32 nr_buffers;
	struct ltt_found_buffer *buffers;
	char *notes;
	size_t notes_len;
	size_t notes_room;
	unsigned long nr_notes;
};

u32 ltt_area_crc(u64 generation, const struct ltt_area_record *record, const void *payload);
u32 ltt_area_head_crc(const struct ltt_area_head *head);
u32 ltt_area_root_crc(const struct ltt_area_root *root);
int ltt_area_check(const void *base, u64 size, struct ltt_area_head *head,
		   char error[LTT_AREA_ERROR]);
struct ltt_found *ltt_area_describe(void *base, const struct ltt_area_head *head,
				    char error[LTT_AREA_ERROR]);
struct ltt_found *ltt_area_scan(void *base, const struct ltt_area_head *head,
				char error[LTT_AREA_ERROR]);
struct ltt_found *ltt_area_scan_holes(void *base, const struct ltt_area_head *head,
				      const struct ltt_area_hole *holes, u32 nr_holes,
				      char error[LTT_AREA_ERROR]);
const struct ltt_area_record *ltt_area_next_record(const void *base,
						   const struct ltt_area_head *head, u64 *pos);
const u8 *ltt_area_boot_id(const struct ltt_found *found);
const struct ltt_found_event *ltt_area_event(const struct ltt_found *found, unsigned int stream,
					     u32 id);
void ltt_area_found_free(struct ltt_found *found);
int ltt_area_info(const struct ltt_found *found, struct ltt_textbuf *out);

#endif /* _LTT_AREA_SCAN_H */
