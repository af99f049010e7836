/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of the ring buffer with one writer at a time, so that what is in the
 * buffer can be told exactly: a buffer, a writer, and a reader that checks.
 * (Nested writers are the matter of singlestep/.)
 *
 * Every attempt to write has a number, which is in the payload. Without nesting,
 * attempts lie in the buffer in the order of their numbers, and so, whatever the
 * mode: when a cursor comes to an event, the number of events that it has read
 * and the number that it has reported as lost add up to that event's number.
 */
#ifndef _LTT_TEST_RING_H
#define _LTT_TEST_RING_H

#include <stdlib.h>
#include <string.h>

#include <linux/bug.h>
#include <linux/ltt/cursor.h>

#include "ktap.h"

/* One for each length of an event header, the last with it and the first without */
#define ID_NARROW	29u
#define ID_WIDE		30u
#define ID_HUGE		65536u
#define HEADER		sizeof(struct ltt_packet)

u64 ss_clock;	/* one test program, one file */
unsigned long ss_jiffies;

static struct ltt_buf buf;
static u32 attempts;

/* How often an internal error was found, by tests that make one. Else it fails the case. */
static unsigned int warnings;
static bool warnings_wanted;

static void warned(const char *what)
{
	warnings++;
	EXPECT(warnings_wanted, "internal error: %s", what);
}

static const struct ltt_tap narrow = {
	.reserve = ltt_reserve_mono, .buf = &buf, .id = ID_NARROW,
	.publish = ltt_buf_publish,
};

static const struct ltt_tap wide = {
	.reserve = ltt_reserve_wide_mono, .buf = &buf, .id = ID_WIDE,
	.publish = ltt_buf_publish,
};

static const struct ltt_tap huge = {
	.reserve = ltt_reserve_slow_mono, .buf = &buf, .id = ID_HUGE,
	.publish = ltt_buf_publish,
};

static inline bool is_known(u32 id)
{
	return id == ID_NARROW || id == ID_WIDE || id == ID_HUGE;
}

/**
 * struct reader - a cursor and what its owner knows
 * @cursor:	the cursor
 * @shadow:	in overwrite mode
 * @next:	number of the attempt that comes next, be it read or lost
 * @read:	events read
 * @lost:	events reported as lost
 * @seq:	number of the packet last entered
 * @ts:		timestamp of the last event
 */
struct reader {
	struct ltt_cursor cursor;
	u8 *shadow;
	u32 next;
	u32 read;
	u32 lost;
	u64 seq;
	u64 ts;
};

static inline void setup(unsigned int order, unsigned int subbufs, bool overwrite)
{
	unsigned int i;

	ss_warned = warned;
	warnings = 0;
	warnings_wanted = false;
	memset(&buf, 0, sizeof(buf));
	buf.sb = aligned_alloc(64, subbufs * sizeof(*buf.sb));
	memset(buf.sb, 0, subbufs * sizeof(*buf.sb));
	for (i = 0; i < subbufs; i++) {
		/* On the heap, so that one byte too many is noticed. */
		buf.sb[i].base = malloc(1ul << order);
		memset(buf.sb[i].base, 0xee, 1ul << order);
	}
	buf.off_mask = (1ul << order) - 1;
	buf.cur = &ltt_subbuf_none;
	buf.sb_mask = subbufs - 1;
	buf.sb_order = order;
	buf.recording = true;
	buf.wanted = true;
	buf.overwrite = overwrite;
	buf.packet.magic = LTT_PACKET_MAGIC;
	buf.packet.stream_id = 5;
	buf.packet.cpu_id = 6;
	spin_lock_init(&buf.read_lock);
	INIT_LIST_HEAD(&buf.cursors);
	attempts = 0;
	ss_clock = 1000;
}

static inline void teardown(void)
{
	unsigned int i;

	for (i = 0; buf.sb && i <= buf.sb_mask; i++)
		free(buf.sb[i].base);
	free(buf.sb);
}

static inline u8 filler(u32 number, size_t i)
{
	return number * 7 + i;
}

/* As put(), but it need not be published. */
static inline bool put_nested(const struct ltt_tap *tap, size_t payload)
{
	struct ltt_slot slot = tap->reserve(tap, payload + LTT_HEADER_COMPACT);
	u32 number = attempts++;
	size_t i;

	if (!slot.p)
		return false;
	memcpy(slot.p, (u32 []){ number, payload }, 8);
	for (i = 8; i < payload; i++)
		slot.p[i] = filler(number, i);
	ltt_commit(tap, slot);
	return true;
}

/*
 * An event with @payload bytes, eight or more: its number, its length, and a
 * pattern. Return: was there room?
 */
static inline bool put(const struct ltt_tap *tap, size_t payload)
{
	if (!put_nested(tap, payload))
		return false;
	EXPECT(buf.frontier == buf.write, "not published");
	return true;
}

static inline void open_reader(struct reader *reader)
{
	memset(reader, 0, sizeof(*reader));
	if (buf.overwrite)
		reader->shadow = malloc(buf.off_mask + 1);
	ltt_cursor_open(&reader->cursor, &buf, reader->shadow);
}

static inline void close_reader(struct reader *reader)
{
	ltt_cursor_close(&reader->cursor);
	free(reader->shadow);
}

static inline void take_losses(struct reader *reader)
{
	reader->next += reader->cursor.lost;
	reader->lost += reader->cursor.lost;
	reader->cursor.lost = 0;
}

/* Look at the event at @p by the definition of the format, and step over it. */
static inline size_t take_event(struct reader *reader, const u8 *p, size_t room)
{
	struct ltt_cursor *cursor = &reader->cursor;
	u64 ts = cursor->mark.ts;
	size_t len = LTT_HEADER_COMPACT;
	u32 word, id, payload[2], number;
	u16 wide_id;
	size_t i;

	memcpy(&word, p, sizeof(word));
	id = word % 32;
	if (id == 31) {
		memcpy(&id, p + 4, sizeof(id));
		memcpy(&ts, p + 8, sizeof(ts));
		len = 16;
	} else {
		ts += (word / 32 - ts) & ((1 << 27) - 1);
		if (id == 30) {
			memcpy(&wide_id, p + 4, sizeof(wide_id));
			id = wide_id;
			len = 6;
		}
	}
	memcpy(payload, p + len, sizeof(payload));
	number = payload[0];
	EXPECT(number == reader->next, "event %u, want %u", number, reader->next);
	EXPECT(ts >= reader->ts && ts < ss_clock, "event %u: time %llu after %llu",
	       number, (unsigned long long)ts, (unsigned long long)reader->ts);
	EXPECT(is_known(id), "event %u: id %u", number, id);
	EXPECT(cursor->packet.magic == LTT_PACKET_MAGIC &&
	       cursor->packet.packet_seq_num == cursor->mark.pos >> buf.sb_order &&
	       cursor->packet.stream_id == 5 && cursor->packet.cpu_id == 6,
	       "event %u: wrong packet header", number);
	if (!EXPECT(len + payload[1] <= room, "event %u: too long", number))
		return room;
	for (i = 8; i < payload[1]; i++)
		EXPECT(p[len + i] == filler(number, i), "event %u: torn", number);
	len += payload[1];
	reader->ts = ts;
	reader->next = number + 1;
	reader->read++;
	cursor->mark.ts = ts;
	cursor->mark.pos += len;
	cursor->mark.events++;
	return len;
}

/* At most @max events; returns how many. */
static inline u32 take(struct reader *reader, u32 max)
{
	const u8 *events;
	u32 nr = 0;
	size_t len, done;

	while (nr < max && !ktap_failures) {
		len = ltt_cursor_window(&reader->cursor, &events);
		take_losses(reader);
		if (!len)
			break;
		for (done = 0; done < len && nr < max && !ktap_failures; nr++)
			done += take_event(reader, events + done, len - done);
	}
	ltt_cursor_release(&reader->cursor);
	return nr;
}

static inline void drain(struct reader *reader)
{
	take(reader, ~0u);
	EXPECT(reader->next == attempts, "%u events tried, %u read, %u lost",
	       attempts, reader->read, reader->lost);
}

#endif /* _LTT_TEST_RING_H */
