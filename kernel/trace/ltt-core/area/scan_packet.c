// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is left of a trace in an area: the packets of a buffer.
 *
 * Shared by the kernel, the user-space tools and the tests. See scan.c.
 *
 * A packet is not believed more than its slot and its neighbours, so what is read later
 * consists of whole events of known kinds, in order: readers need not be careful. All
 * that is left out is counted. Numbers of packets follow each other.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/decode.h>

#include "private.h"

#define NSEC	1000000000u
/* How many slots are tried until one is found with which most others agree. */
#define TRIES_MAX	64u

/**
 * struct scan - a buffer that is looked at
 * @found:	the trace
 * @buffer:	the buffer
 * @size:	bytes of a sub-buffer
 * @newest:	sequence number of the newest packet
 * @next:	the next packet after the one that is looked at that is there, NULL if there is none
 */
struct scan {
	struct ltt_found *found;
	struct ltt_found_buffer *buffer;
	u64 size;
	u64 newest;
	const struct ltt_packet *next;
};

static const struct ltt_area_slot *slot_at(const struct scan *scan, u64 seq)
{
	const struct ltt_area_slot *slots = (const void *)(scan->found->base + scan->buffer->slots);

	return &slots[seq & (scan->buffer->subbuf_num - 1)];
}

static u8 *data_at(const struct scan *scan, u64 seq)
{
	u64 nr = seq & (scan->buffer->subbuf_num - 1);

	return scan->found->base + scan->buffer->data + nr * scan->size;
}

/* Is the slot of a packet there? */
static bool has_slot(const struct scan *scan, u64 seq)
{
	u64 nr = seq & (scan->buffer->subbuf_num - 1), size = sizeof(struct ltt_area_slot);

	return ltt_area_present(scan->found, scan->buffer->slots + nr * size, size);
}

/* How much of the packet in a sub-buffer is there, from its beginning. */
static u64 present(const struct scan *scan, u64 seq)
{
	return ltt_area_present(scan->found, data_at(scan, seq) - scan->found->base, scan->size);
}

/* Number of the packet in it, if it can be that of one. */
static u64 seq_of(const struct scan *scan, const struct ltt_area_slot *slot)
{
	return (slot->end >> scan->buffer->subbuf_order) - 1;
}

/* Can the slot at this index be that of a packet? */
static bool is_slot(const struct scan *scan, const struct ltt_area_slot *slot, u32 index)
{
	return slot->end && !(slot->end & (scan->size - 1)) &&
	       (seq_of(scan, slot) & (scan->buffer->subbuf_num - 1)) == index;
}

/*
 * The newest packet is that of the slot which most others agree with: a slot that is damaged
 * must not make all others look old. Return: false if there are no packets.
 */
static bool find_newest(struct scan *scan)
{
	const u32 num = scan->buffer->subbuf_num;
	const struct ltt_area_slot *slots = slot_at(scan, 0);
	u32 i, j, agree, valid = 0, tries = 0, best = 0;
	u64 seq, other;

	for (i = 0; i < num; i++)
		valid += is_slot(scan, &slots[i], i);
	/* Around the right one, all others are within one lap: few have to be tried. */
	for (i = 0; i < num && best <= valid / 2 && tries < TRIES_MAX; i++) {
		if (!is_slot(scan, &slots[i], i))
			continue;
		tries++;
		cond_resched();
		seq = seq_of(scan, &slots[i]);
		for (j = 0, agree = 0; j < num; j++) {
			other = seq_of(scan, &slots[j]);
			agree += is_slot(scan, &slots[j], j) && other + num > seq &&
				 other < seq + num;
		}
		if (agree <= best)
			continue;
		best = agree;
		scan->newest = seq;
		for (j = 0; j < num; j++) {
			other = seq_of(scan, &slots[j]);
			if (is_slot(scan, &slots[j], j) && other > scan->newest &&
			    other < seq + num)
				scan->newest = other;
		}
	}
	return best;
}

/* The header of a packet of this buffer, with this number? */
static bool owns(const struct scan *scan, const struct ltt_packet *packet, u64 seq)
{
	return packet->magic == LTT_PACKET_MAGIC &&
	       !memcmp(packet->uuid, scan->found->trace.uuid, sizeof(packet->uuid)) &&
	       packet->stream_id == scan->found->streams[scan->buffer->stream].stream_id &&
	       packet->cpu_id == scan->buffer->cpu && packet->packet_seq_num == seq;
}

/* What an event needs of the bytes at @p; negative: that is none. */
static long event_size(const struct scan *scan, const u8 *p, size_t avail, u64 *ts,
		       const char **why)
{
	const struct ltt_found_stream *stream = &scan->found->streams[scan->buffer->stream];
	const struct ltt_found_event *event;
	long payload;
	int header;
	u32 id;

	header = ltt_decode_header(p, avail, ts, &id, false);
	if (header < 0) {
		*why = "invalid header of an event";
		return header;
	}
	event = ltt_area_event(scan->found, scan->buffer->stream, id);
	if (!event) {
		*why = "unknown event";
		return -EBADMSG;
	}
	payload = ltt_event_size(stream->context.format, event->format, p + header,
				 avail - header, false);
	if (payload < 0)
		*why = "an event does not end";
	return payload < 0 ? payload : header + payload;
}

/* Take events up to @size bytes, @events and time @limit, as far as they are good. */
static void walk(const struct scan *scan, struct ltt_found_packet *packet, size_t size,
		 u64 events, u64 limit)
{
	u64 ts = packet->begin;
	long len;

	packet->size = sizeof(struct ltt_packet);
	packet->end = ts;
	while (packet->size < size && packet->events < events) {
		len = event_size(scan, packet->data + packet->size, size - packet->size, &ts,
				 &packet->why);
		if (len < 0)
			return;
		if (ts > limit) {
			packet->why = "times are damaged";
			return;
		}
		packet->size += len;
		packet->end = ts;
		packet->events++;
	}
}

/* When did it end at the latest? */
static u64 time_limit(const struct scan *scan, const struct ltt_area_slot *slot, bool closed)
{
	u64 limit = scan->next ? scan->next->timestamp_begin : U64_MAX;

	return closed ? min_t(u64, limit, slot->ts_end) : limit;
}

/* The packet's header is good. */
static void look_inside(const struct scan *scan, const struct ltt_area_slot *slot,
			struct ltt_found_packet *packet)
{
	u64 first = packet->seq * scan->size, content = slot->content_end - first;
	bool closed = slot->content_end > first && content < scan->size;
	bool newest = packet->seq == scan->newest;
	u64 events = slot->events - slot->events_open;
	u64 there = present(scan, packet->seq);
	u64 limit = time_limit(scan, slot, closed);

	if (!closed)
		content = scan->size;
	/* Events have four bytes at least. */
	if (events > scan->size / LTT_HEADER_COMPACT || content < sizeof(struct ltt_packet)) {
		packet->why = "its slot is damaged";
		return;
	}
	if (packet->begin > limit) {
		packet->why = "its time is damaged";
		packet->missing = events;
		return;
	}
	walk(scan, packet, min(content, there), events, limit);
	packet->missing = events - packet->events;
	packet->open = newest && !closed && packet->size < scan->size;
	if (packet->missing && there < content) {
		packet->why = "its end is not in the dump";
		packet->open = false;
	} else if (packet->open) {
		/* What follows the last good event was not committed, if it is not damaged. */
		if (packet->missing)
			packet->why = "events at its end are unfinished";
	} else if (!packet->why && (packet->missing || packet->size != content)) {
		packet->why = "its events are damaged";
	}
	if (!packet->why && limit != U64_MAX && !packet->open)
		packet->end = limit;
}

/*
 * Is the slot's packet being replaced by the one after the newest? The order of stores is: header
 * of the packet, events_open, origin, end. If origin is new already, no event is counted yet;
 * otherwise it is end that is damaged.
 */
static bool is_opening(const struct scan *scan, u64 seq, const struct ltt_area_slot *slot,
		       const struct ltt_packet *packet)
{
	u64 next = scan->newest + 1, time = scan->next ? scan->next->timestamp_begin : 0;
	bool origin_is_old = slot->base - slot->origin == seq * scan->size;

	return seq + scan->buffer->subbuf_num == next &&
	       (!packet->packet_seq_num || packet->packet_seq_num == next) &&
	       (!packet->timestamp_begin || packet->timestamp_begin >= time) &&
	       (origin_is_old || slot->events == slot->events_open);
}

/*
 * Look at one packet. Return: false if there is nothing that was there, or will be shown, or
 * told of.
 */
static bool look_at(const struct scan *scan, u64 seq, struct ltt_found_packet *packet)
{
	const struct ltt_area_slot *slot = slot_at(scan, seq);
	const struct ltt_packet *header;

	*packet = (struct ltt_found_packet){ .seq = seq, .data = data_at(scan, seq) };
	header = (const struct ltt_packet *)packet->data;
	if (!has_slot(scan, seq)) {
		packet->why = "its slot is not in the dump";
		return true;
	}
	if (slot->end != (seq + 1) * scan->size) {
		packet->why = "its slot is damaged";
		return true;
	}
	if (owns(scan, header, seq)) {
		packet->begin = header->timestamp_begin;
		look_inside(scan, slot, packet);
		return true;
	}
	packet->why = "its header is damaged";
	if (!present(scan, seq))
		packet->why = "it is not in the dump";
	else if (is_opening(scan, seq, slot, header))
		return false;
	packet->missing = slot->events - slot->events_open;
	if (packet->missing > scan->size / LTT_HEADER_COMPACT)
		packet->missing = 0;
	return true;
}

/*
 * From the newest to the oldest, each is bounded by those after it. A header that is damaged
 * bounds nothing.
 */
static u32 look_at_all(struct scan *scan)
{
	struct ltt_found_buffer *buffer = scan->buffer;
	u64 end = scan->newest + 1, oldest = end - min_t(u64, end, buffer->packets_max), seq;
	u32 nr = 0, i;

	for (seq = scan->newest + 1; seq-- > oldest;) {
		struct ltt_found_packet *packet = &buffer->packets[nr];

		cond_resched();
		if (!look_at(scan, seq, packet))
			continue;
		nr++;
		if (packet->size)
			scan->next = (const struct ltt_packet *)packet->data;
	}
	for (i = 0; i < nr / 2; i++)
		swap(buffer->packets[i], buffer->packets[nr - 1 - i]);
	return nr;
}

static void note_packet(const struct scan *scan, const struct ltt_found_packet *packet)
{
	const struct ltt_found_buffer *buffer = scan->buffer;

	ltt_area_note(scan->found, "%s packet %llu channel %s cpu %u from %llu.%09llu to %llu.%09llu events %llu missing %llu: %s",
		      packet->open ? "open" : "damaged", (unsigned long long)packet->seq,
		      scan->found->streams[buffer->stream].channel, buffer->cpu,
		      (unsigned long long)packet->begin / NSEC,
		      (unsigned long long)packet->begin % NSEC,
		      (unsigned long long)packet->end / NSEC,
		      (unsigned long long)packet->end % NSEC,
		      (unsigned long long)packet->events, (unsigned long long)packet->missing,
		      packet->why);
}

/*
 * Complete the header. What was lost in the buffer only grows, @told up to the packet before;
 * and there is what is @missing in the packets before, which the header does not tell.
 */
static void complete_header(struct ltt_found_packet *packet, u64 *told, u64 missing)
{
	struct ltt_packet *header = (struct ltt_packet *)packet->data;

	if (header->events_discarded < *told) {
		packet->why = packet->why ?: "its number of lost events is damaged";
		header->events_discarded = *told;
	}
	*told = header->events_discarded;
	header->events_discarded += missing;
	header->timestamp_end = packet->end;
	header->content_size = packet->size * 8ull;
	header->packet_size = packet->size * 8ull;
}

/*
 * Nothing of it can be shown. In its place goes a packet without events, so that what was lost is
 * told of where it was.
 */
static void replace(const struct scan *scan, struct ltt_found_packet *packet, u64 time, u64 told)
{
	struct ltt_packet *header = (struct ltt_packet *)packet->data;

	*header = (struct ltt_packet){
		.magic = LTT_PACKET_MAGIC,
		.stream_id = scan->found->streams[scan->buffer->stream].stream_id,
		.timestamp_begin = time,
		.packet_seq_num = packet->seq,
		.events_discarded = told,
		.cpu_id = scan->buffer->cpu,
	};
	memcpy(header->uuid, scan->found->trace.uuid, sizeof(header->uuid));
	packet->size = sizeof(*header);
	packet->begin = time;
	packet->end = time;
}

/* The first packet of which something can be shown; NULL if there is none. */
static const struct ltt_found_packet *first_good(const struct ltt_found_buffer *buffer)
{
	u32 i;

	for (i = 0; i < buffer->nr_packets; i++) {
		if (buffer->packets[i].size)
			return &buffer->packets[i];
	}
	return NULL;
}

/* Complete all headers, and count. */
static void finish(const struct scan *scan)
{
	struct ltt_found_buffer *buffer = scan->buffer;
	const struct ltt_found_packet *good = first_good(buffer);
	u64 time = good ? good->begin : 0, missing = 0, told = 0;
	u32 i;

	if (good)
		told = ((const struct ltt_packet *)good->data)->events_discarded;
	for (i = 0; i < buffer->nr_packets; i++) {
		struct ltt_found_packet *packet = &buffer->packets[i];

		if (!packet->size)
			replace(scan, packet, time, told);
		complete_header(packet, &told, missing);
		time = packet->end;
		if (packet->why) {
			/* How many is not known; not none. */
			if (!packet->open && !packet->missing && !packet->events)
				packet->missing = 1;
			note_packet(scan, packet);
			buffer->nr_damaged += !packet->open;
		}
		missing += packet->missing;
		buffer->events += packet->events;
	}
	buffer->lost = told + missing;
}

/* The newest packets may be those of slots that are not there. */
static void note_slots(const struct scan *scan)
{
	u32 nr = 0, i;

	for (i = 0; i < scan->buffer->subbuf_num; i++)
		nr += !has_slot(scan, i);
	if (nr)
		ltt_area_note(scan->found, "channel %s cpu %u: %u of %u slots are not in the dump",
			      scan->found->streams[scan->buffer->stream].channel,
			      scan->buffer->cpu, nr, scan->buffer->subbuf_num);
}

/*
 * ltt_area_scan_buffer() - see private.h
 */
int ltt_area_scan_buffer(struct ltt_found *found, struct ltt_found_buffer *buffer)
{
	struct scan scan = {
		.found = found,
		.buffer = buffer,
		.size = 1ull << buffer->subbuf_order,
	};

	note_slots(&scan);
	if (!find_newest(&scan))
		return 0;
	buffer->packets = kvcalloc(buffer->subbuf_num, sizeof(*buffer->packets), GFP_KERNEL);
	if (!buffer->packets)
		return -ENOMEM;
	buffer->nr_packets = look_at_all(&scan);
	finish(&scan);
	return 0;
}
