// SPDX-License-Identifier: GPL-2.0
/*
 * The checker. It decodes sub-buffers by the definition in <linux/ltt/packet.h>,
 * with nothing of the code under test but the layout of its structures, and
 * compares what it finds with the ghosts: what each writer tried, when, and what
 * became of it.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "world.h"

bool ss_failed;
const char *ss_warning;

void ss_fail(const char *fmt, ...)
{
	va_list args;

	if (ss_failed)
		return;
	ss_failed = true;
	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static unsigned long round_up_pos(unsigned long pos)
{
	return (pos + SS_SIZE - 1) & ~(SS_SIZE - 1);
}

static u32 get32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

static u64 get64(const u8 *p)
{
	return get32(p) | (u64)get32(p + 4) << 32;
}

/**
 * struct event - an event found in a buffer
 * @ghost:	who wrote it
 * @ts:		timestamp
 * @len:	bytes, header included
 */
struct event {
	const struct ss_ghost *ghost;
	u64 ts;
	size_t len;
};

/*
 * Decode the event at @p, which has position @pos; at most @room bytes of it are
 * there. @base is the timestamp before it.
 */
static bool decode(const u8 *p, size_t room, unsigned long pos, u64 base,
		   struct event *event)
{
	const struct ss_ghost *ghost;
	size_t header = 4;
	u32 word, id, i;
	u64 ts;

	if (room < header)
		goto torn;
	word = get32(p);
	id = word & 31;
	if (id == 31) {
		header = 16;
		if (room < header)
			goto torn;
		id = get32(p + 4);
		ts = get64(p + 8);
	} else {
		/* The smallest value not below the base with these low bits. */
		ts = (base & ~((1ull << 27) - 1)) | word >> 5;
		if (ts < base)
			ts += 1ull << 27;
		if (id == 30) {
			header = 6;
			if (room < header)
				goto torn;
			id = p[4] | p[5] << 8;
		}
	}
	p += header;
	room -= header;

	if (room < 4 || p[0] >= ss_world.nr_log)
		goto torn;
	ghost = &ss_world.log[p[0]];
	if (room < ghost->payload)
		goto torn;
	for (i = 0; i < ghost->payload / 4u; i++) {
		if (get32(p + 4 * i) != ss_word(ghost->id, ghost->payload, i))
			goto torn;
	}
	if (ghost->state != SS_COMMITTING && ghost->state != SS_COMMITTED) {
		ss_fail("event %u at %lu is readable before it is committed",
			ghost->id, pos);
		return false;
	}
	if (id != ss_tap[ghost->form].id) {
		ss_fail("event %u at %lu has the event id %u", ghost->id, pos, id);
		return false;
	}
	if (pos != ghost->start &&
	    pos != round_up_pos(ghost->start) + sizeof(struct ltt_packet)) {
		ss_fail("event %u reserved at %lu is at %lu", ghost->id,
			ghost->start, pos);
		return false;
	}
	if (ts < base || ts < ghost->begin ||
	    ts >= (ghost->end ? ghost->end : ss_clock)) {
		ss_fail("event %u of %llu..%llu is stamped %llu after %llu",
			ghost->id, (unsigned long long)ghost->begin,
			(unsigned long long)ghost->end, (unsigned long long)ts,
			(unsigned long long)base);
		return false;
	}
	if (ts <= ghost->after) {
		ss_fail("event %u is stamped %llu, and was not there when the CPU had answered as of %llu",
			ghost->id, (unsigned long long)ts, (unsigned long long)ghost->after);
		return false;
	}
	event->ghost = ghost;
	event->ts = ts;
	event->len = header + ghost->payload;
	return true;
torn:
	ss_fail("no whole event at %lu (%zu bytes): %08x %08x", pos, room,
		get32(p), get32(p + 4));
	return false;
}

/* The constant part of a packet's header. */
static void check_packet(const struct ltt_packet *packet, unsigned long pos)
{
	const u8 *p = (const u8 *)packet;
	int i;

	for (i = 0; i < 16; i++) {
		if (p[4 + i] != 0x60 + i)
			break;
	}
	if (i < 16 || get32(p) != 0xC1FC1FC1u || get32(p + 20) != SS_STREAM ||
	    get64(p + 56) != pos >> SS_ORDER ||
	    get32(p + 72) != SS_CPU || get32(p + 76))
		ss_fail("malformed packet header at %lu", pos);
}

static void add_item(struct ss_stream *stream, unsigned long item)
{
	if (stream->nr == SS_ITEMS || item > 0xffff) {
		ss_fail("a reader sees far too much");
		return;
	}
	stream->item[stream->nr++] = item;
}

/* It comes behind what @stream has seen; with gaps, if its reader @missed events. */
static void enter_packet(struct ss_stream *stream, const struct ltt_packet *packet,
			 bool missed)
{
	if (ss_world.buf.overwrite || missed ?
	    packet->packet_seq_num < stream->last_seq :
	    packet->packet_seq_num != stream->last_seq)
		ss_fail("packet %llu comes after packet %llu", packet->packet_seq_num,
			(unsigned long long)stream->last_seq - 1);
	if (packet->events_discarded < stream->discarded)
		ss_fail("packet %llu: %llu events discarded, %llu before",
			packet->packet_seq_num, packet->events_discarded,
			(unsigned long long)stream->discarded);
	stream->last_seq = packet->packet_seq_num + 1;
	stream->discarded = packet->events_discarded;
}

/**
 * ss_take() - take events out of a window, as a reader's owner does
 * @cursor:	the cursor
 * @stream:	where they go
 * @events:	the window
 * @len:	its bytes
 * @one:	take the first one only
 */
void ss_take(struct ltt_cursor *cursor, struct ss_stream *stream,
	     const u8 *events, size_t len, bool one)
{
	const struct ltt_packet *packet = &cursor->packet;
	unsigned long begin = cursor->mark.pos & ~(SS_SIZE - 1);
	struct event event;

	if (cursor->lost) {
		if (cursor->lost >= SS_LOG)
			ss_fail("%ld events reported as lost", cursor->lost);
		else
			add_item(stream, SS_LOST | cursor->lost);
		cursor->lost = 0;
	}
	if (!len)
		return;

	check_packet(packet, begin);
	if (stream->last_seq != packet->packet_seq_num + 1)
		enter_packet(stream, packet, cursor->missed);

	while (len && !ss_failed) {
		if (!decode(events, len, cursor->mark.pos, cursor->mark.ts, &event))
			return;
		if (event.ts < stream->last_ts)
			ss_fail("time steps back at event %u", event.ghost->id);
		if (cursor->mark.pos == begin + sizeof(*packet) &&
		    event.ts != packet->timestamp_begin)
			ss_fail("packet %llu does not begin with its first event",
				packet->packet_seq_num);
		stream->last_ts = event.ts;
		add_item(stream, event.ghost->id);
		cursor->mark.pos += event.len;
		cursor->mark.ts = event.ts;
		cursor->mark.events++;
		events += event.len;
		len -= event.len;
		if (one)
			return;
	}
}

/* What it writes into the header is what all others find there, but for its own losses. */
static void check_header(const struct ltt_packet_reader *packets)
{
	const struct ltt_packet *header = &packets->header;
	struct ltt_packet there;

	memcpy(&there, packets->data, sizeof(there));
	there.events_discarded = header->events_discarded;
	if (memcmp(&there, header, sizeof(there)))
		ss_fail("packet %llu: what is with the events is another header",
			header->packet_seq_num);
	if (packets->size < sizeof(*header) || packets->size > SS_SIZE ||
	    header->content_size != packets->size * 8 ||
	    header->packet_size != packets->size * 8)
		ss_fail("packet %llu of %zu bytes: %llu and %llu bits",
			header->packet_seq_num, packets->size, header->content_size,
			header->packet_size);
}

/**
 * ss_answered() - the CPU has answered: what is not committed is later than the watermark
 * @watermark:	of the round
 */
void ss_answered(u64 watermark)
{
	struct ss_ghost *ghost;
	u32 i;

	for (i = 0; i < ss_world.nr_log; i++) {
		ghost = &ss_world.log[i];
		if (ghost->state != SS_COMMITTED)
			ghost->after = watermark;
	}
}

/**
 * ss_take_packet() - take the second reader's packet
 */
void ss_take_packet(void)
{
	struct ss_second *second = &ss_world.second;
	const struct ltt_packet_reader *packets = &second->packets;
	const struct ltt_packet *header = &packets->header;
	unsigned long begin = header->packet_seq_num << SS_ORDER;
	struct ss_stream *stream = &second->stream;
	u64 ts = header->timestamp_begin, told = stream->discarded;
	struct event event;
	size_t at;

	check_packet(header, begin);
	check_header(packets);
	enter_packet(stream, header, packets->missed);
	if (ts < second->ts_end)
		ss_fail("packet %llu begins before the one before ends",
			header->packet_seq_num);
	if (header->events_discarded > told)
		add_item(stream, SS_LOST | (header->events_discarded - told));

	for (at = sizeof(*header); at < packets->size && !ss_failed; at += event.len) {
		if (!decode(packets->data + at, packets->size - at, begin + at, ts, &event))
			return;
		if (at == sizeof(*header) && event.ts != ts)
			ss_fail("packet %llu does not begin with its first event",
				header->packet_seq_num);
		ts = event.ts;
		add_item(stream, event.ghost->id);
	}
	if (header->timestamp_end < ts)
		ss_fail("packet %llu ends before its last event", header->packet_seq_num);
	second->ts_end = header->timestamp_end;
	ltt_packet_reader_done(&second->packets);
}

/* How many bytes it takes in a packet: those of windows have compact headers. */
static unsigned long event_len(const struct ss_ghost *ghost)
{
	return LTT_HEADER_COMPACT + ghost->payload;
}

/* The number of the packet that it is in; @opens: it is the first one there. */
static unsigned long packet_of(const struct ss_ghost *ghost, bool *opens)
{
	unsigned long next = round_up_pos(ghost->start);

	*opens = ghost->start == next || ghost->start + event_len(ghost) > next;
	return (*opens ? next : ghost->start) >> SS_ORDER;
}

/*
 * Was the packet overwritten by a writer that may not have seen the end of the window? It was
 * under way, or done, when that was taken.
 */
static bool overwritten(unsigned long seq, u64 until)
{
	const struct ss_ghost *ghost;
	bool opens;
	u32 i;

	for (i = 0; i < ss_world.nr_log; i++) {
		ghost = &ss_world.log[i];
		if (ghost->state == SS_COMMITTED &&
		    packet_of(ghost, &opens) == seq + ss_world.buf.sb_mask + 1 && opens)
			return ghost->begin <= until;
	}
	return false;
}

/*
 * What is in the packet at @p of those before @until becomes true in @found. Return: the
 * timestamp of the last event; 0 after a failure.
 */
static u64 find_events(const u8 *p, unsigned long begin, size_t size, u64 until, bool *found)
{
	u64 ts = ((const struct ltt_packet *)p)->timestamp_begin;
	struct event event;
	size_t at;

	for (at = sizeof(struct ltt_packet); at < size; at += event.len) {
		if (!decode(p + at, size - at, begin + at, ts, &event))
			return 0;
		ts = event.ts;
		if (ts > until)
			continue;
		if (found[event.ghost->id])
			ss_fail("event %u is there twice", event.ghost->id);
		found[event.ghost->id] = true;
	}
	return ts;
}

/* Events in slots and in spares that begin in time are in the window, unless overwritten. */
static void find_missing(const struct ss_window *window, const bool *found)
{
	const struct ltt_buf *buf = &ss_world.buf;
	const struct ltt_packet *packet;
	const struct ltt_subbuf *sb;
	bool there[SS_LOG] = { false }, opens;
	unsigned long begin, end;
	u32 i;

	for (begin = buf->horizon; begin < buf->write && !ss_failed; begin += SS_SIZE) {
		sb = &buf->sb[begin >> SS_ORDER & buf->sb_mask];
		packet = (const struct ltt_packet *)sb->base;
		end = begin + SS_SIZE < buf->write ? begin + SS_SIZE : buf->write;
		if (sb->content_end > begin && sb->content_end < end)
			end = sb->content_end;
		find_events((const u8 *)packet, begin, end - begin, window->until, there);
	}
	for (i = 0; i < ss_world.nr_log && !ss_failed; i++) {
		if (there[i] && !found[i] &&
		    !overwritten(packet_of(&ss_world.log[i], &opens), window->until))
			ss_fail("event %u began before the window ended, and is not in it", i);
	}
}

/**
 * ss_check_window() - is a window what it should be?
 * @window:	the window, collected
 *
 * It holds whole packets whose numbers follow each other, and from its first event on all that
 * were committed up to its end. These are those that were reserved when it was taken, and of
 * those that were under way the ones whose timestamp is not later. Missing are those in packets
 * that writers have overwritten that were under way, or done, when it was taken.
 */
void ss_check_window(const struct ss_window *window)
{
	unsigned long begin, from = ULONG_MAX, to = 0, size;
	const struct ltt_packet *packet;
	const struct ss_ghost *ghost;
	bool found[SS_LOG] = { false }, opens;
	u64 ts = 0, seq = 0;
	u32 i;

	if (window->full)
		ss_fail("the collector found no spare");
	for (i = window->nr; i-- && !ss_failed;) {
		packet = (const struct ltt_packet *)window->packet[i]->base;
		if (i + 1 < window->nr && packet->packet_seq_num != seq + 1)
			ss_fail("packet %llu of a window comes after packet %llu",
				packet->packet_seq_num, (unsigned long long)seq);
		seq = packet->packet_seq_num;
		begin = seq << SS_ORDER;
		size = packet->content_size / 8;
		check_packet(packet, begin);
		if (size <= sizeof(*packet) || size > SS_SIZE ||
		    packet->packet_size != packet->content_size)
			ss_fail("packet %llu of a window: %lu bytes", packet->packet_seq_num, size);
		if (packet->timestamp_begin < ts || packet->timestamp_begin > window->until)
			ss_fail("packet %llu of a window begins at %llu, after %llu",
				packet->packet_seq_num, packet->timestamp_begin,
				(unsigned long long)ts);
		if (ss_failed)
			return;
		ts = find_events((const u8 *)packet, begin, size, window->until, found);
		if (packet->timestamp_end && packet->timestamp_end < ts)
			ss_fail("packet %llu of a window ends before its last event",
				packet->packet_seq_num);
		if (packet->timestamp_end)
			ts = packet->timestamp_end;
	}
	for (i = 0; i < ss_world.nr_log; i++) {
		if (!found[i])
			continue;
		ghost = &ss_world.log[i];
		from = ghost->start < from ? ghost->start : from;
		to = ghost->start > to ? ghost->start : to;
	}
	for (i = 0; i < ss_world.nr_log && !ss_failed; i++) {
		ghost = &ss_world.log[i];
		if (found[i] || ghost->state != SS_COMMITTED)
			continue;
		if (ghost->start > from && ghost->start < to)
			ss_fail("event %u of a window is missing in between", i);
		if (ghost->start < window->write &&
		    !overwritten(packet_of(ghost, &opens), window->until))
			ss_fail("event %u was there when the window was taken, and is not in it",
				i);
	}
	if (!ss_failed)
		find_missing(window, found);
}

/*
 * Between any two instructions: the words move upwards, and nothing is behind the
 * frontier that is not committed. Whether a writer that has just started has a
 * reservation is known later; so what it must not be below is kept.
 */
void ss_observe(void)
{
	const struct ltt_buf *buf = &ss_world.buf;
	struct ss_ghost *ghost;
	u32 i;

	if (buf->frontier > buf->write || buf->write < ss_world.seen_write ||
	    buf->frontier < ss_world.seen_frontier ||
	    buf->horizon < ss_world.seen_horizon || buf->horizon > buf->frontier ||
	    buf->consumed < ss_world.seen_consumed || buf->consumed > buf->frontier)
		ss_fail("write frontier horizon consumed: %lu %lu %lu %lu after %lu %lu %lu %lu",
			buf->write, buf->frontier, buf->horizon, buf->consumed,
			ss_world.seen_write, ss_world.seen_frontier,
			ss_world.seen_horizon, ss_world.seen_consumed);
	ss_world.seen_write = buf->write;
	ss_world.seen_frontier = buf->frontier;
	ss_world.seen_horizon = buf->horizon;
	ss_world.seen_consumed = buf->consumed;

	for (i = ss_world.nr_before; i < ss_world.nr_log; i++) {
		ghost = &ss_world.log[i];
		if (ghost->state < SS_COMMITTING)
			ghost->bound = buf->frontier;
	}
}

/* Is there room for it in an empty sub-buffer? */
static bool fits(const struct ss_ghost *ghost)
{
	static const u8 header[SS_FORMS] = { 4, 6, 16 };

	return header[ghost->form] + ghost->payload <= SS_ROOM;
}

/* A writer has returned. */
void ss_check_attempt(const struct ss_ghost *ghost)
{
	unsigned long end;

	if (ghost->state == SS_COMMITTED) {
		if (ghost->bound > ghost->start)
			ss_fail("the frontier was at %lu while event %u at %lu was not committed",
				ghost->bound, ghost->id, ghost->start);
		return;
	}
	/* Dropped: was there really no room, whenever it looked? */
	end = round_up_pos(ss_world.buf.write) + SS_SIZE;
	if (fits(ghost) && end <= ghost->room)
		ss_fail("event %u was dropped although there was room", ghost->id);
}

/**
 * ss_check_stream() - all writers are done, and the cursor is at the end
 * @stream:	what it saw
 * @late:	its cursor was opened in the end, or left behind: more is lost than dropped
 *
 * A dropped event must be reported before every event whose writer began after
 * the drop was over, and after every event whose writer was done before the drop
 * began. One exception: a drop between two packets moves nothing. If what is too long for
 * any sub-buffer is nested into the writer that is about to open the next packet, it may be
 * reported at the end of that, and other events nested into the same writer come before it.
 */
void ss_check_stream(const struct ss_stream *stream, bool late)
{
	const struct ss_ghost *event, *last = NULL, *other;
	u32 lost = 0, read = 0, before, least, most, dropped = 0, i, j;

	for (i = 0; i < stream->nr; i++) {
		if (stream->item[i] & SS_LOST) {
			lost += stream->item[i] & ~SS_LOST;
			continue;
		}
		event = &ss_world.log[stream->item[i]];
		if (last && event->start <= last->start)
			ss_fail("event %u is read after event %u", event->id, last->id);
		last = event;
		before = 0;
		least = 0;
		most = 0;
		for (j = 0; j < ss_world.nr_log; j++) {
			other = &ss_world.log[j];
			if (other->state == SS_COMMITTED) {
				before += other->start < event->start;
			} else {
				least += other->end < event->begin &&
					 (other->nest != event->nest || fits(other));
				most += other->begin < event->end;
			}
		}
		if (read + lost < before + least || read + lost > before + most)
			ss_fail("before event %u: %u read, %u lost; should be %u, %u to %u dropped",
				event->id, read, lost, before, least, most);
		read++;
	}
	for (j = 0; j < ss_world.nr_log; j++)
		dropped += ss_world.log[j].state == SS_DROPPED;
	if (read + lost != ss_world.nr_log)
		ss_fail("%u events tried, %u read, %u reported as lost",
			ss_world.nr_log, read, lost);
	if (!ss_world.buf.overwrite && !late && lost != dropped)
		ss_fail("%u events dropped, %u reported as lost", dropped, lost);
}

/* All writers are done: the memory, as the binary output finds it. */
void ss_check_memory(void)
{
	const struct ltt_buf *buf = &ss_world.buf;
	unsigned long ring = (buf->sb_mask + 1ul) * SS_SIZE;
	unsigned long pos, begin, end, content;
	const struct ltt_packet *packet;
	unsigned long found = 0, there = 0;
	const struct ltt_subbuf *sb;
	struct event event;
	u64 ts = 0;
	u32 i;

	if (buf->frontier != buf->write)
		ss_fail("write %lu, frontier %lu at the end", buf->write, buf->frontier);
	begin = buf->overwrite ? buf->horizon : buf->consumed & ~(SS_SIZE - 1);
	if (buf->overwrite && begin && begin > round_up_pos(buf->write) + SS_SIZE - ring)
		ss_fail("horizon %lu is too high for write %lu", begin, buf->write);

	for (i = 0; i < ss_world.nr_log; i++)
		there += ss_world.log[i].state == SS_COMMITTED &&
			 ss_world.log[i].start >= begin;
	for (; begin < buf->write && !ss_failed; begin += SS_SIZE) {
		sb = &buf->sb[begin >> SS_ORDER & buf->sb_mask];
		packet = (const struct ltt_packet *)sb->base;
		end = begin + SS_SIZE;
		content = sb->content_end;
		if (content <= begin || content >= end)
			content = end < buf->write ? end : buf->write;
		else
			end = 0;	/* closed: ts_end holds */
		check_packet(packet, begin);
		if (packet->timestamp_begin < ts)
			ss_fail("packet at %lu begins before the one before ends", begin);
		ts = packet->timestamp_begin;
		for (pos = begin + sizeof(*packet); pos < content; pos += event.len) {
			if (!decode(sb->base + (pos - begin), content - pos, pos, ts, &event))
				return;
			ts = event.ts;
			found++;
			/* It was reserved in the sub-buffer before, and opened this one. */
			there += event.ghost->start < begin && found == 1;
		}
		if (!end) {
			if (sb->ts_end < ts)
				ss_fail("packet at %lu ends before its last event", begin);
			ts = sb->ts_end;
		}
	}
	if (!ss_failed && found != there)
		ss_fail("%lu events in the buffer, should be %lu", found, there);
}
