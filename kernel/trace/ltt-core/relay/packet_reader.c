// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: reading a ring buffer packet by packet.
 *
 * The protocol between writers and readers is described at the top of
 * ring_buffer.c. This file is also compiled in user space.
 */

/**
 * DOC: whole packets
 *
 * A packet is complete when the frontier is at or beyond the end of its sub-buffer:
 * it was filled, or closed. Before that only the cursors of <linux/ltt/cursor.h> access it,
 * whose readers take single events.
 *
 * Completing the header
 * ---------------------
 * The writer left timestamp_end, content_size and packet_size at 0. In overwrite
 * mode the reader's copy is completed. In discard mode the packet stays in place, where
 * several readers may find it: the first one stores them, under read_lock; later ones
 * find packet_size set, and change nothing. So packets that were mapped or lent do not
 * change any more. Writers do not access these words before they own the slot again, and
 * then store all of the header; that is ordered after the readers' stores for the same
 * reason as after their loads (ltt_cursor_update_tail:A). Readers of events copy the
 * header at any time, and ignore these words.
 *
 * The size is that of the whole sub-buffer, unless this lap of it was closed earlier.
 * timestamp_end lies between the last event and the first of the next packet, as
 * tools demand:
 *
 *   closed by a flush or a loss	the time at which that was done, on the same CPU
 *   closed by the writer		that of its event, which opens the next packet
 *   exactly full, next is open		timestamp_begin of the next
 *   exactly full, next is not open	nobody stored anything: that of the last event,
 *					for which all events must be decoded
 *
 * Losses
 * ------
 * events_discarded tells what was lost in the buffer before the packet was opened. To
 * a reader that is overtaken (overwrite mode) or left behind (discard mode), what it
 * missed is lost as well: this is added in the header that it gets (struct
 * ltt_packet_reader.header; the one in place is everybody's), so that
 *
 *	events in all packets + events_discarded of the last = events generated
 *
 * for a reader that was there from the beginning, in both modes. Losses after the last
 * packet have no header to be told by; when the trace is over, a packet without
 * events tells them (ltt_packet_reader_last()).
 *
 * Readers of events beside readers of packets
 * -------------------------------------------
 * A new reader begins where the last one stopped. If that read events, it may have
 * stopped in the middle of a packet, which then is handed out as a whole: a packet
 * is the unit here, and nothing shall be missing. The sub-buffer is there, since
 * nothing is reused that has not been left completely.
 *
 * A reader that was left behind also goes on with a whole packet, of which some
 * events may lie before the place where the cursor rejoined: these were not missed.
 *
 * Memory barriers
 * ---------------
 *   ltt_packet_reader_next:A
 *	As ltt_cursor_window:A: if the reader's load of frontier reads the store of
 *	ltt_commit_only:A or ltt_buf_publish:A, it sees all bytes, slot fields and packet
 *	headers below. ACQUIRE pairs with RELEASE. When the CPU came while the trace was
 *	there, it sees buf->sb as well: the writer ran after that was stored.
 *
 *   ltt_packet_reader_begun:A
 *	As ltt_packet_reader_next:A, for the header of a packet that is not complete.
 *
 *   take_copy:A
 *	As copy:A of cursor.c: if the reader's copy reads what a later lap stored,
 *	its load of horizon sees the value that declared the lap dead. RMB pairs with
 *	the WMB of open_slot:B.
 *
 *   ltt_packet_reader_begun:B
 *	If the reader's copy reads what a later lap stored, its second load of frontier sees one
 *	beyond the packet, without which the lap could not begin (may_open()). RMB pairs with
 *	the WMB of open_slot:B.
 */

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <linux/ltt/decode.h>
#include "packet_reader.h"

#include "buf_warn.h"

/* First position of the sub-buffer that is next. */
static unsigned long begin_of(const struct ltt_packet_reader *packets)
{
	return packets->at.pos & ~packets->cursor.buf->off_mask;
}

/**
 * ltt_packet_reader_open() - start reading a buffer
 * @packets:	to be initialised; stays the caller's
 * @buf:	the buffer
 * @shadow:	room for a copy of one sub-buffer in overwrite mode, else NULL;
 *		stays the caller's
 * @formats:	of its events; what it finds lives as long as @packets
 *
 * Where reading starts is as for ltt_cursor_open(), but begins with a whole packet.
 *
 * Context: task; does not sleep.
 */
void ltt_packet_reader_open(struct ltt_packet_reader *packets, struct ltt_buf *buf, u8 *shadow,
			    const struct ltt_packet_formats *formats)
{
	memset(packets, 0, sizeof(*packets));
	ltt_cursor_open(&packets->cursor, buf, shadow);
	packets->at = packets->cursor.mark;
	packets->events = packets->at.events;
	packets->formats = *formats;
}

/**
 * ltt_packet_reader_close() - stop reading a buffer
 * @packets:	the reader
 *
 * The next reader goes on behind the last packet that was released (discard mode).
 *
 * Context: task; does not sleep.
 */
void ltt_packet_reader_close(struct ltt_packet_reader *packets)
{
	ltt_cursor_close(&packets->cursor);
}

/**
 * ltt_packet_step() - find out how long an event is
 * @formats:	of the events of the packet
 * @p:		the event
 * @avail:	bytes of the packet from @p on
 * @ts:		ns, that of the event before, or the packet's timestamp_begin; becomes that of
 *		the event
 *
 * Context: any.
 * Return: bytes, or -EBADMSG: it is damaged, or of a kind that is not known.
 */
long ltt_packet_step(const struct ltt_packet_formats *formats, const u8 *p, size_t avail, u64 *ts)
{
	const struct ltt_format *format;
	long header, payload;
	u32 id;

	header = ltt_decode_header(p, avail, ts, &id, false);
	if (header < 0)
		return header;
	format = formats->format(formats->arg, id);
	if (!format)
		return -EBADMSG;
	payload = ltt_event_size(formats->context, format, p + header, avail - header, false);
	return payload < 0 ? payload : header + payload;
}

/**
 * ltt_packet_events() - count events of a packet
 * @formats:	of its events
 * @base:	the packet
 * @from:	offset of the first event to be counted
 * @size:	offset at which to stop
 * @ts:		as for ltt_packet_step(); becomes that of the last event
 *
 * Context: any.
 * Return: how many events there are, up to the first that is damaged.
 */
unsigned long ltt_packet_events(const struct ltt_packet_formats *formats, const u8 *base,
				size_t from, size_t size, u64 *ts)
{
	unsigned long events = 0;
	long len;

	for (; from < size; from += len, events++) {
		len = ltt_packet_step(formats, base + from, size - from, ts);
		if (len < 0)
			break;
	}
	return events;
}

/*
 * When does the complete packet at @begin end, 0: not known without decoding it.
 * In overwrite mode the values may be those of a later lap, as the caller finds out.
 */
static u64 end_time(const struct ltt_buf *buf, unsigned long begin, size_t size,
		    unsigned long frontier)
{
	unsigned long end = begin + buf->off_mask + 1;
	const struct ltt_packet *next;

	if (size <= buf->off_mask) {
		/* Overwrite mode: may race, take_copy() finds out. */
		return data_race(ltt_buf_sb(buf, begin)->ts_end);
	}
	if (frontier <= end)
		return 0;
	next = (const struct ltt_packet *)ltt_buf_sb(buf, end)->base;
	/* As above. */
	return data_race(next->timestamp_begin);
}

static void complete(struct ltt_packet_reader *packets, const u8 *base, size_t size, u64 ts_end)
{
	struct ltt_packet *header = &packets->header;

	if (!ts_end) {
		ts_end = header->timestamp_begin;
		ltt_packet_events(&packets->formats, base, sizeof(*header), size, &ts_end);
	}
	ltt_packet_complete(header, size, ts_end);
}

/* Discard mode: the packet stays where it is, as the cursor has not released it. */
static void take_in_place(struct ltt_packet_reader *packets, unsigned long begin,
			  unsigned long frontier)
{
	const struct ltt_mark *at = &packets->at;
	struct ltt_buf *buf = packets->cursor.buf;
	const struct ltt_subbuf *sb = ltt_buf_sb(buf, begin);
	struct ltt_packet *place = (struct ltt_packet *)sb->base;
	size_t size = ltt_buf_packet_end(buf, begin) - begin;
	u64 ts = at->ts;

	spin_lock(&buf->read_lock);
	memcpy(&packets->header, place, sizeof(*place));
	spin_unlock(&buf->read_lock);
	if (!packets->header.packet_size) {
		complete(packets, sb->base, size, end_time(buf, begin, size, frontier));
		spin_lock(&buf->read_lock);
		if (!place->packet_size) {
			place->timestamp_end = packets->header.timestamp_end;
			place->content_size = packets->header.content_size;
			place->packet_size = packets->header.packet_size;
		}
		memcpy(&packets->header, place, sizeof(*place));
		spin_unlock(&buf->read_lock);
	}

	packets->data = sb->base;
	packets->size = size;
	packets->in_place = true;
	packets->after.events = at->events;
	if (at->pos == begin)
		packets->after.events += local_read(&sb->events) - sb->events_open;
	else	/* Those before have been read by somebody else. */
		packets->after.events += ltt_packet_events(&packets->formats, sb->base,
							   at->pos & buf->off_mask, size, &ts);
	packets->after.lost = packets->header.events_discarded;
	packets->header.events_discarded += packets->missed;
}

/* Overwrite mode. Return: false if the cursor was overtaken. */
static bool take_copy(struct ltt_packet_reader *packets, unsigned long begin,
		      unsigned long frontier)
{
	const struct ltt_buf *buf = packets->cursor.buf;
	const struct ltt_subbuf *sb = ltt_buf_sb(buf, begin);
	u8 *shadow = packets->cursor.shadow;
	size_t size = ltt_buf_packet_end(buf, begin) - begin;
	u64 ts_end = end_time(buf, begin, size, frontier);
	unsigned long events;

	/* Both race with a writer that overtakes us; then nothing of it is used. */
	events = local_read(&sb->events) - data_race(sb->events_open);
	/* As above. */
	data_race(memcpy(shadow, sb->base, size));
	smp_rmb();						/* LMM(take_copy:A) */
	if (READ_ONCE(buf->horizon) > begin)
		return false;

	memcpy(&packets->header, shadow, sizeof(packets->header));
	complete(packets, shadow, size, ts_end);
	packets->after.events = packets->at.events + events;
	packets->after.lost = packets->header.events_discarded;
	packets->header.events_discarded += packets->missed;
	memcpy(shadow, &packets->header, sizeof(packets->header));
	packets->data = shadow;
	packets->size = size;
	packets->in_place = false;
	return true;
}

/* Writers have gone beyond @packets->at: go on with the oldest packet there. */
static void overtaken(struct ltt_packet_reader *packets)
{
	struct ltt_cursor *cursor = &packets->cursor;

	cursor->mark = packets->at;
	ltt_cursor_overtaken(cursor);
	packets->missed += cursor->lost;
	cursor->lost = 0;
	packets->at = cursor->mark;
	packets->events = packets->at.events;
}

/*
 * The cursor was left behind and has rejoined at the tail. What was missed lies between
 * the last packet taken, or kept, and the packet in which the tail is.
 */
static void rejoined(struct ltt_packet_reader *packets)
{
	const struct ltt_cursor *cursor = &packets->cursor;
	const struct ltt_mark *tail = &cursor->mark;
	const struct ltt_mark *from = packets->data ? &packets->after : &packets->at;
	unsigned long *events = packets->data ? &packets->events_after : &packets->events;
	const size_t part = tail->pos & cursor->buf->off_mask;
	unsigned long begin = tail->pos - part, before = tail->events;
	u64 ts = cursor->packet.timestamp_begin;

	if (begin > from->pos) {
		if (part)
			before -= ltt_packet_events(&packets->formats,
						    ltt_buf_sb(cursor->buf, begin)->base,
						    sizeof(struct ltt_packet), part, &ts);
		packets->missed += before - *events;
		*events = before;
	}
	packets->at = *tail;
	if (packets->data && tail->pos > from->pos)
		packets->after = *tail;
}

/* Keep the buffer as it is. The current packet may have gone before. */
static void pin(struct ltt_packet_reader *packets)
{
	if (ltt_cursor_pin(&packets->cursor))
		return;
	if (packets->data && packets->in_place) {
		packets->data = NULL;
		packets->gone = true;
	}
	rejoined(packets);
	packets->cursor.lost = 0;	/* told by headers */
}

/*
 * The buffer is broken. Nothing is read from it any more: what has not been, is lost, and told
 * at the end. The position stays: should this reader not come to that, another one counts anew.
 */
static void skip_all(struct ltt_packet_reader *packets)
{
	const struct ltt_buf *buf = packets->cursor.buf;
	unsigned long events = ltt_buf_events(buf);

	packets->data = NULL;
	/* These numbers may be anything. */
	if ((long)(events - packets->events) > 0) {
		packets->missed += events - packets->events;
		packets->events = events;
	}
}

/**
 * ltt_packet_reader_next() - make the next complete packet the current one
 * @packets:	the reader, which is pinned
 *
 * Does nothing if there is a current packet, unless that has gone (packets->gone).
 *
 * Context: task; does not sleep. May decode a packet.
 * Return: 0, or -EAGAIN: there is none, or the buffer is broken.
 */
int ltt_packet_reader_next(struct ltt_packet_reader *packets)
{
	struct ltt_buf *buf = packets->cursor.buf;
	unsigned long frontier, begin;

	pin(packets);
	if (packets->data)
		return 0;
	for (;;) {
		if (unlikely(READ_ONCE(buf->broken)))
			goto broken;
		frontier = smp_load_acquire(&buf->frontier);	/* LMM(ltt_packet_reader_next:A) */
		if (buf->overwrite && READ_ONCE(buf->horizon) > packets->at.pos) {
			overtaken(packets);
			continue;
		}
		begin = begin_of(packets);
		if (frontier < begin + buf->off_mask + 1)
			return -EAGAIN;
		packets->after.pos = begin + buf->off_mask + 1;
		if (!buf->overwrite)
			take_in_place(packets, begin, frontier);
		else if (!take_copy(packets, begin, frontier))
			continue;
		break;
	}
	if (LTT_BUF_WARN_ON(buf, !ltt_buf_owns(buf, &packets->header, begin)))
		goto broken;
	packets->after.ts = packets->header.timestamp_end;
	packets->events_after = packets->after.events;
	/* A reader of events may have found, and told, later losses. */
	if (packets->after.lost < packets->at.lost)
		packets->after.lost = packets->at.lost;
	return 0;

broken:
	skip_all(packets);
	return -EAGAIN;
}

/**
 * ltt_packet_reader_begun() - when did the packet begin that is being written?
 * @packets:	the reader, pinned
 * @ts:		set to the time, ns, of the first event after those that were taken
 *
 * Context: task; does not sleep.
 * Return: 1; 0: nothing is written there, or the buffer is broken: then no packet comes but that
 * of ltt_packet_reader_last(); -EAGAIN: there is a complete packet, or a writer is just beginning
 * one.
 */
int ltt_packet_reader_begun(const struct ltt_packet_reader *packets, u64 *ts)
{
	const struct ltt_buf *buf = packets->cursor.buf;
	unsigned long begin = begin_of(packets), frontier;
	struct ltt_packet header;

	if (packets->data)
		return -EAGAIN;
	if (READ_ONCE(buf->broken))
		return 0;
	frontier = smp_load_acquire(&buf->frontier);	/* LMM(ltt_packet_reader_begun:A) */
	if (frontier > begin + buf->off_mask)
		return -EAGAIN;
	if (frontier <= begin)
		return READ_ONCE(buf->write) == frontier ? 0 : -EAGAIN;
	/* In overwrite mode writers may come round meanwhile. */
	data_race(memcpy(&header, ltt_buf_sb(buf, begin)->base, sizeof(header)));
	smp_rmb();						/* LMM(ltt_packet_reader_begun:B) */
	if (READ_ONCE(buf->frontier) > begin + buf->off_mask ||
	    !ltt_buf_owns(buf, &header, begin))
		return -EAGAIN;
	*ts = header.timestamp_begin;
	return 1;
}

/**
 * ltt_packet_reader_last() - is there a last packet to tell of losses?
 * @packets:	the reader
 * @now:	ns, a time after the last event; 0: that at which the last packet ends
 *
 * To be called when nothing is recorded any more and ltt_packet_reader_next() has
 * found no packet after that became known. If events have been lost since the last
 * packet, a packet without events becomes the current one; it carries their number.
 *
 * Context: task; does not sleep.
 * Return: true if there is a current packet.
 */
bool ltt_packet_reader_last(struct ltt_packet_reader *packets, u64 now)
{
	const struct ltt_buf *buf = packets->cursor.buf;
	struct ltt_packet *header = &packets->header;
	unsigned long lost = local_read(&buf->lost);

	if (packets->data)
		return true;
	if (lost + packets->missed == packets->told)
		return false;

	*header = buf->packet;
	if (now < packets->ts_end)
		now = packets->ts_end;
	header->timestamp_begin = now;
	ltt_packet_complete(header, sizeof(*header), now);
	header->packet_seq_num = packets->at.pos >> buf->sb_order;
	header->events_discarded = lost + packets->missed;
	packets->after = packets->at;
	packets->after.lost = lost;
	packets->events_after = packets->events;
	packets->data = (const u8 *)header;
	packets->size = sizeof(*header);
	packets->in_place = false;
	return true;
}

/**
 * ltt_packet_reader_keep() - be independent of the buffer
 * @packets:	the reader, pinned, with a current packet
 * @copy:	room for packets->size bytes; the caller's, until the packet is done
 *
 * From now on the packet is that in the copy, and does not go.
 *
 * Context: task; does not sleep.
 */
void ltt_packet_reader_keep(struct ltt_packet_reader *packets, u8 *copy)
{
	memcpy(copy, packets->data, packets->size);
	memcpy(copy, &packets->header, sizeof(packets->header));
	packets->data = copy;
	packets->in_place = false;
}

/**
 * ltt_packet_reader_done() - the current packet has been taken
 * @packets:	the reader; has a current packet
 *
 * Its sub-buffer is not reused before ltt_packet_reader_release() is called.
 *
 * Context: any.
 */
void ltt_packet_reader_done(struct ltt_packet_reader *packets)
{
	packets->at = packets->after;
	packets->events = packets->events_after;
	packets->told = packets->header.events_discarded;
	packets->ts_end = packets->header.timestamp_end;
	packets->data = NULL;
}

/**
 * ltt_packet_reader_release() - let writers have all packets that are done
 * @packets:	the reader, which is not pinned any more
 *
 * Context: task; does not sleep.
 */
void ltt_packet_reader_release(struct ltt_packet_reader *packets)
{
	packets->cursor.mark = packets->at;
	ltt_cursor_release(&packets->cursor);
}

/**
 * ltt_packet_reader_ready() - is there a packet to be had?
 * @packets:	the reader
 *
 * A hint, for those who do not own the reader.
 *
 * Context: any.
 */
bool ltt_packet_reader_ready(const struct ltt_packet_reader *packets)
{
	const struct ltt_buf *buf = packets->cursor.buf;
	unsigned long begin = READ_ONCE(packets->at.pos) & ~buf->off_mask;

	return READ_ONCE(packets->data) ||
	       (!READ_ONCE(buf->broken) &&
		READ_ONCE(buf->frontier) >= begin + buf->off_mask + 1);
}
