// SPDX-License-Identifier: GPL-2.0
/* Readers that stop, in discard mode: who is left behind, and what it is told then. */

#include <linux/kernel.h>

#include "test_ring.h"

/*
 * Four sub-buffers of 256 bytes. Eleven events of 12 bytes fill one exactly.
 */
#define FULL	11

static void write_events(unsigned int nr)
{
	while (nr--)
		put(&narrow, 12);
}

static void look(struct reader *reader)
{
	ltt_cursor_release(&reader->cursor);
}

static void begin(struct reader *fast, struct reader *slow)
{
	setup(8, 4, false);
	open_reader(fast);
	open_reader(slow);
}

/* Long enough for a stopped reader to be noticed. */
static void stall(struct reader *fast)
{
	look(fast);
	ss_jiffies += LTT_STALL;
	look(fast);
}

static void test_left(void)
{
	struct reader fast, slow;

	begin(&fast, &slow);
	write_events(3 * FULL + 1);
	drain(&fast);
	EXPECT(!buf.consumed, "consumed %lu", buf.consumed);
	stall(&fast);
	EXPECT(slow.cursor.left && buf.consumed == fast.cursor.mark.pos &&
	       buf.consumed > 768, "consumed %lu", buf.consumed);
	write_events(4 * FULL - 1);
	EXPECT(!local_read(&buf.lost), "there was room");
	drain(&fast);
	EXPECT(fast.read == 7 * FULL && !fast.lost, "%u lost", fast.lost);
	write_events(2);
	drain(&slow);
	EXPECT(slow.lost == 7 * FULL && slow.read == 2, "%u lost", slow.lost);
	EXPECT(slow.cursor.missed == 7 * FULL, "%lu missed", slow.cursor.missed);
	drain(&fast);
	/* Both count again. */
	write_events(4 * FULL - 2);
	EXPECT(!put(&narrow, 12), "there was no room");
	drain(&slow);
	drain(&fast);
	EXPECT(slow.lost == 7 * FULL + 1 && fast.lost == 1, "%u lost", fast.lost);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

static void test_alone(void)
{
	struct reader reader;

	setup(8, 4, false);
	open_reader(&reader);
	write_events(4 * FULL + 1);
	stall(&reader);
	stall(&reader);
	EXPECT(!reader.cursor.left && !buf.consumed, "left behind by nobody");
	drain(&reader);
	EXPECT(reader.read == 4 * FULL && reader.lost == 1, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

static void test_when(void)
{
	struct reader fast, slow;

	begin(&fast, &slow);
	write_events(3 * FULL);
	drain(&fast);
	stall(&fast);
	EXPECT(!slow.cursor.left, "a sub-buffer is free");
	write_events(1);
	look(&fast);
	EXPECT(slow.cursor.left, "no sub-buffer is free");
	drain(&slow);

	write_events(3 * FULL);
	drain(&fast);
	ss_jiffies += LTT_STALL - 1;
	drain(&fast);
	EXPECT(!slow.cursor.left, "a moment too early");
	ss_jiffies++;
	drain(&fast);
	EXPECT(slow.cursor.left, "still there");
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

/* How much of a buffer of @subbufs is kept for a reader that has stopped: @kept of them. */
static void try_size(unsigned int subbufs, unsigned int kept)
{
	struct reader fast, slow;

	setup(8, subbufs, false);
	open_reader(&fast);
	open_reader(&slow);
	write_events(kept * FULL);
	drain(&fast);
	stall(&fast);
	EXPECT(!slow.cursor.left, "%u of %u: left behind too early", kept, subbufs);
	write_events(1);
	look(&fast);
	EXPECT(slow.cursor.left, "%u of %u: still there", kept, subbufs);
	/* Whoever is alone with one that has stopped gets all that comes. */
	drain(&fast);
	write_events(subbufs * FULL - 1);
	drain(&fast);
	EXPECT(!fast.lost && fast.read == (kept + subbufs) * FULL, "%u lost", fast.lost);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

static void test_sizes(void)
{
	try_size(2, 1);
	try_size(4, 3);
	try_size(8, 7);
	try_size(16, 14);
	try_size(32, 28);
	try_size(128, 112);
}

/* Time runs from when somebody saw that there was something to give back. */
static void test_silence(void)
{
	struct reader fast, slow;

	begin(&fast, &slow);
	write_events(FULL - 1);
	drain(&fast);
	stall(&fast);
	ss_jiffies += 10 * LTT_STALL;
	write_events(2 * FULL + 2);
	drain(&fast);
	EXPECT(!slow.cursor.left, "left behind after a long silence");
	drain(&slow);
	EXPECT(!slow.lost && slow.read == 3 * FULL + 1, "%u lost", slow.lost);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

static void test_pinned(void)
{
	struct reader fast, slow;
	const u8 *events;
	size_t len, done;
	unsigned int i;

	begin(&fast, &slow);
	write_events(3 * FULL);
	len = ltt_cursor_window(&slow.cursor, &events);
	for (i = 0; i < 5; i++) {
		drain(&fast);
		stall(&fast);
		EXPECT(!slow.cursor.left && !buf.consumed, "left behind while pinned");
		write_events(FULL);
	}
	for (done = 0; done < len;)
		done += take_event(&slow, events + done, len - done);
	look(&slow);
	EXPECT(!slow.cursor.left && buf.consumed == 256, "consumed %lu", buf.consumed);
	write_events(1);
	EXPECT(ltt_cursor_pin(&slow.cursor), "left behind by itself");
	drain(&fast);
	stall(&fast);
	EXPECT(!slow.cursor.left, "left behind while pinned");
	look(&slow);
	look(&fast);
	EXPECT(slow.cursor.left, "still there");
	EXPECT(!ltt_cursor_pin(&slow.cursor), "not told");
	EXPECT(ltt_cursor_pin(&slow.cursor), "told twice");
	drain(&fast);
	drain(&slow);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

static void test_idle(void)
{
	struct reader fast, slow;
	unsigned int i;

	begin(&fast, &slow);
	write_events(3 * FULL + 1);
	drain(&fast);
	for (i = 0; i < 10; i++) {
		ss_jiffies += LTT_STALL / 2;
		ltt_cursor_idle(&slow.cursor);
		look(&fast);
		EXPECT(!slow.cursor.left, "left behind while it waited");
	}
	stall(&fast);
	EXPECT(slow.cursor.left, "still there");
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

/* A slow reader holds up the others; one that trickles does not. */
static void test_slow(void)
{
	struct reader fast, slow;
	unsigned int i;

	begin(&fast, &slow);
	for (i = 0; i < 20; i++) {
		write_events(4 * FULL);
		drain(&fast);
		ss_jiffies += LTT_STALL - 1;
		take(&slow, FULL + 1);
		look(&fast);
		EXPECT(!slow.cursor.left, "left behind though it was only slow");
	}
	for (i = 0; i < 4; i++) {
		write_events(4 * FULL);
		drain(&fast);
		EXPECT(!slow.cursor.left, "left behind at once");
		ss_jiffies += (LTT_STALL + 3) / 4;
		take(&slow, 1);
	}
	look(&fast);
	EXPECT(slow.cursor.left, "still there");
	drain(&slow);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

/* It goes on in the middle of a packet of which it knows nothing. */
static void test_middle(void)
{
	struct reader fast, slow;

	begin(&fast, &slow);
	take(&slow, 1);
	write_events(3 * FULL + 5);
	take(&fast, 3 * FULL + 2);
	stall(&fast);
	EXPECT(slow.cursor.left, "still there");
	EXPECT(!ltt_cursor_pin(&slow.cursor), "not told");
	EXPECT(slow.cursor.packet.packet_seq_num == 3 &&
	       slow.cursor.lost == 3 * FULL + 2, "%lu lost", slow.cursor.lost);
	drain(&slow);
	EXPECT(slow.read == 3, "%u read", slow.read);
	drain(&fast);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

/* What it missed is its own affair: who comes next hears of what was dropped only. */
static void test_inherit(void)
{
	struct reader fast, slow, next;
	const u8 *events;

	begin(&fast, &slow);
	write_events(4 * FULL + 3);		/* three dropped */
	take(&fast, 4 * FULL);
	stall(&fast);
	EXPECT(slow.cursor.left, "still there");
	write_events(2);
	close_reader(&fast);
	/* Nobody is left who counts: everything stays where it is. */
	write_events(4 * FULL);
	EXPECT(local_read(&buf.lost) == 3 + 2, "%ld lost", local_read(&buf.lost));
	EXPECT(ltt_cursor_window(&slow.cursor, &events), "no event");
	EXPECT(slow.cursor.lost == 4 * FULL + 3, "%lu lost", slow.cursor.lost);
	close_reader(&slow);			/* without a report */
	open_reader(&next);
	next.next = 4 * FULL;
	drain(&next);
	EXPECT(next.lost == 3 + 2, "%u lost", next.lost);
	close_reader(&next);
	teardown();
}

/* Having reported what it missed, it notices a loss, and closes without a report. */
static void test_inherit_dropped(void)
{
	struct reader fast, slow, next;
	const u8 *events;
	size_t len, done;

	begin(&fast, &slow);
	write_events(4 * FULL + 3);		/* three dropped */
	take(&fast, 3 * FULL + 2);
	stall(&fast);
	EXPECT(slow.cursor.left, "still there");
	len = ltt_cursor_window(&slow.cursor, &events);
	take_losses(&slow);
	EXPECT(slow.lost == 3 * FULL + 2, "%u lost", slow.lost);
	for (done = 0; done < len && !ktap_failures;)
		done += take_event(&slow, events + done, len - done);
	EXPECT(!ltt_cursor_window(&slow.cursor, &events) && slow.cursor.lost == 3,
	       "%lu lost", slow.cursor.lost);
	drain(&fast);
	close_reader(&fast);
	close_reader(&slow);
	open_reader(&next);
	next.next = 4 * FULL;
	drain(&next);
	EXPECT(next.lost == 3, "%u lost", next.lost);
	close_reader(&next);
	teardown();
}

/* Losses that it had noticed before, and those that it could not notice. */
static void test_counts(void)
{
	struct reader fast, slow;
	const u8 *events;

	begin(&fast, &slow);
	write_events(4 * FULL + 3);
	take(&slow, 4 * FULL);
	EXPECT(!ltt_cursor_window(&slow.cursor, &events) && slow.cursor.lost == 3,
	       "%lu lost", slow.cursor.lost);
	look(&slow);
	drain(&fast);
	write_events(4 * FULL + 7);
	take(&fast, 4 * FULL);
	stall(&fast);
	EXPECT(slow.cursor.left, "still there");
	write_events(FULL);
	drain(&slow);
	EXPECT(slow.lost == 3 + 4 * FULL + 7 && slow.read == 5 * FULL, "%u lost", slow.lost);
	EXPECT(slow.cursor.missed == 4 * FULL, "%lu missed", slow.cursor.missed);
	drain(&fast);
	EXPECT(fast.lost == 3 + 7, "%u lost", fast.lost);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

/* Nobody goes on from where it stopped, whoever is the last to go. */
static void close_left(bool last)
{
	struct reader fast, slow;
	struct ltt_mark tail;

	begin(&fast, &slow);
	write_events(3 * FULL + 4);
	drain(&fast);
	stall(&fast);
	EXPECT(slow.cursor.left, "still there");
	tail = buf.tail;
	close_reader(last ? &fast : &slow);
	EXPECT(!memcmp(&tail, &buf.tail, sizeof(tail)) && buf.consumed == tail.pos,
	       "consumed %lu", buf.consumed);
	close_reader(last ? &slow : &fast);
	EXPECT(!memcmp(&tail, &buf.tail, sizeof(tail)) && buf.consumed == tail.pos,
	       "consumed %lu", buf.consumed);
	teardown();
}

static void test_close_left(void)
{
	close_left(false);
	close_left(true);
}

static void test_three(void)
{
	struct reader fast, slow, third;

	begin(&fast, &slow);
	open_reader(&third);
	write_events(3 * FULL + 1);
	take(&third, 2 * FULL + 1);
	drain(&fast);
	stall(&fast);
	EXPECT(slow.cursor.left, "still there");
	EXPECT(!third.cursor.left && buf.consumed == third.cursor.released.pos,
	       "consumed %lu", buf.consumed);
	drain(&third);
	write_events(3 * FULL);
	drain(&third);
	drain(&slow);
	EXPECT(slow.lost == 3 * FULL + 1 && !third.lost, "%u lost", slow.lost);
	stall(&slow);
	EXPECT(fast.cursor.left, "still there");
	drain(&fast);
	EXPECT(fast.lost == 3 * FULL, "%u lost", fast.lost);
	close_reader(&third);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

/* Not the slowest: what it wants to read is there when it comes back. */
static void test_ahead(void)
{
	struct reader fast, slow, third;
	const u8 *events;

	begin(&fast, &slow);
	open_reader(&third);
	write_events(4 * FULL);
	take(&third, 3);
	EXPECT(ltt_cursor_window(&third.cursor, &events), "no event");
	take(&slow, 5);
	drain(&fast);
	stall(&fast);
	EXPECT(slow.cursor.left && !third.cursor.left, "not as planned");
	EXPECT(ltt_cursor_pin(&slow.cursor) && !slow.cursor.lost, "moved");
	drain(&third);
	drain(&slow);
	EXPECT(!slow.lost && slow.read == 4 * FULL, "%u lost", slow.lost);
	close_reader(&third);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

/* A reader that was there first and came late has missed what others have read. */
static void test_rewind(void)
{
	struct reader fast, late;

	setup(8, 4, false);
	open_reader(&fast);
	write_events(2);
	open_reader(&late);
	ltt_cursor_rewind(&late.cursor);
	drain(&late);
	EXPECT(!late.lost && late.read == 2, "%u lost", late.lost);
	close_reader(&late);

	write_events(4 * FULL);
	drain(&fast);
	EXPECT(fast.lost == 2, "%u lost", fast.lost);
	write_events(3);
	open_reader(&late);
	ltt_cursor_rewind(&late.cursor);
	drain(&late);
	EXPECT(late.lost == 4 * FULL + 2 && late.read == 3, "%u lost", late.lost);
	drain(&fast);
	close_reader(&late);
	close_reader(&fast);
	teardown();
}

/* Somebody who looks on behalf of the reader is as good as the reader. */
static void test_look(void)
{
	struct reader fast, slow;

	begin(&fast, &slow);
	write_events(4 * FULL);
	drain(&fast);
	ss_jiffies += LTT_STALL;
	ltt_cursor_look(&fast.cursor);
	EXPECT(slow.cursor.left && buf.consumed == 1024, "still there");
	ltt_cursor_look(&slow.cursor);
	ss_jiffies += LTT_STALL;
	ltt_cursor_look(&slow.cursor);
	EXPECT(!fast.cursor.left, "left behind by one that was");
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

static void test_overwrite(void)
{
	struct reader fast, slow;

	setup(8, 4, true);
	open_reader(&fast);
	open_reader(&slow);
	write_events(9 * FULL);
	drain(&fast);
	stall(&fast);
	EXPECT(!slow.cursor.left && !buf.consumed, "nobody waits in overwrite mode");
	EXPECT(ltt_cursor_pin(&slow.cursor), "left behind");
	drain(&slow);
	EXPECT(slow.lost == 5 * FULL && slow.cursor.missed == 5 * FULL, "%u lost", slow.lost);
	close_reader(&slow);
	close_reader(&fast);
	teardown();
}

static const struct ktap_case cases[] = {
	{ "a stopped reader is left behind", test_left },
	{ "one without others is not", test_alone },
	{ "not before time, and not without need", test_when },
	{ "buffers of all sizes", test_sizes },
	{ "silence is not held against anybody", test_silence },
	{ "nor is a pinned cursor left behind", test_pinned },
	{ "nor one that waits", test_idle },
	{ "nor one that is only slow", test_slow },
	{ "on in the middle of a packet", test_middle },
	{ "what the next reader inherits", test_inherit },
	{ "what the next reader inherits: noticed late", test_inherit_dropped },
	{ "missed and dropped", test_counts },
	{ "closed while left behind", test_close_left },
	{ "three readers", test_three },
	{ "left behind ahead of others", test_ahead },
	{ "late", test_rewind },
	{ "somebody looks", test_look },
	{ "overwrite mode", test_overwrite },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
