// SPDX-License-Identifier: GPL-2.0
/* The ring buffer and its cursors, case by case. */

#include <linux/kernel.h>

#include "test_ring.h"

/* Sub-buffers of 256 bytes have room for 176 bytes of events. */

static void test_fill(void)
{
	struct reader reader;
	unsigned int i;

	setup(8, 4, false);
	EXPECT(!buf.write, "not empty");
	for (i = 0; i < 11; i++)		/* 16 bytes each: 176 */
		EXPECT(put(&narrow, 12), "event %u dropped", i);
	EXPECT(buf.write == 256, "write %lu after an exact fill", buf.write);
	EXPECT(put(&narrow, 12), "dropped");
	EXPECT(buf.write == 256 + HEADER + 16, "write %lu", buf.write);
	EXPECT(put(&narrow, 156), "dropped");
	EXPECT(buf.write == 512, "write %lu", buf.write);
	EXPECT(put(&narrow, 172), "dropped");	/* one event, one sub-buffer */
	EXPECT(buf.write == 768, "write %lu", buf.write);
	EXPECT(put(&narrow, 12), "dropped");
	EXPECT(!put(&narrow, 160), "does not fit behind that");
	EXPECT(buf.write == 1024, "write %lu", buf.write);
	open_reader(&reader);
	drain(&reader);
	close_reader(&reader);
	teardown();
}

static void test_layout(void)
{
	const struct ltt_packet *packet;
	u64 ts;
	u32 word[5];
	u16 id;

	setup(8, 2, false);
	/* The slow path reads the clock again. */
	put(&narrow, 8);
	put(&wide, 8);
	put(&huge, 8);
	packet = (const struct ltt_packet *)buf.sb[0].base;
	memcpy(word, buf.sb[0].base + 80, 4);
	EXPECT(packet->timestamp_begin == 1001 && !packet->packet_seq_num &&
	       !packet->events_discarded, "packet header");
	EXPECT(word[0] == (1001 << 5 | 29), "compact header %08x", word[0]);
	memcpy(word, buf.sb[0].base + 92, 4);
	memcpy(&id, buf.sb[0].base + 96, 2);
	EXPECT(word[0] == (1002 << 5 | 30) && id == 30, "wide header %08x %04x", word[0], id);
	memcpy(word, buf.sb[0].base + 106, 8);
	memcpy(&ts, buf.sb[0].base + 114, 8);
	EXPECT(word[0] == 31 && word[1] == 65536 && ts == 1003,
	       "extended header %08x %08x", word[0], word[1]);
	EXPECT(buf.write == 106 + 16 + 8, "write %lu", buf.write);
	teardown();
}

static void test_extended_time(void)
{
	struct reader reader;

	setup(8, 2, false);
	put(&narrow, 8);
	ss_clock += (1 << 27) - 2;		/* 2^27 - 1 since the last one: fits */
	put(&narrow, 8);
	EXPECT(buf.write == HEADER + 24, "write %lu", buf.write);
	ss_clock += (1 << 27) - 1;
	put(&narrow, 8);
	EXPECT(buf.write == HEADER + 24 + 24, "write %lu", buf.write);
	ss_clock += 5ull << 40;
	put(&narrow, 120);			/* fits, but not extended */
	EXPECT(buf.write == 256 + HEADER + 124, "write %lu", buf.write);
	put(&wide, 10);
	EXPECT(buf.write == 256 + HEADER + 124 + 16, "write %lu", buf.write);
	ss_clock += 1 << 27;
	put(&wide, 8);
	EXPECT(buf.write == 256 + HEADER + 124 + 16 + 24, "write %lu", buf.write);
	open_reader(&reader);
	drain(&reader);
	close_reader(&reader);
	teardown();
}

static void test_wrap(void)
{
	struct reader reader;
	unsigned int i;

	setup(8, 2, false);
	open_reader(&reader);
	for (i = 0; i < 1000; i++) {
		EXPECT(put(i % 3 ? &narrow : i % 2 ? &wide : &huge, 8 + i % 5 * 4),
		       "event %u dropped", i);
		if (i % 4 == 0)
			drain(&reader);
	}
	drain(&reader);
	EXPECT(!reader.lost, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

static void test_full(void)
{
	struct reader reader;
	unsigned int i;

	setup(8, 2, false);
	open_reader(&reader);
	for (i = 0; i < 30; i++)		/* 22 fit */
		EXPECT(put(&narrow, 12) == (i < 22), "event %u", i);
	EXPECT(buf.write == 512, "write %lu", buf.write);
	take(&reader, 22);
	EXPECT(reader.read == 22 && !reader.lost, "%u read", reader.read);
	/* Nothing follows yet, but where they were lost is known. */
	drain(&reader);
	EXPECT(reader.lost == 8, "%u lost", reader.lost);
	for (i = 0; i < 23; i++)
		EXPECT(put(&narrow, 12) == (i < 22), "event %u", i);
	drain(&reader);
	EXPECT(reader.lost == 9 && reader.read == 44, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

/* A loss closes the packet: it is reported before what comes next. */
static void test_loss_in_packet(void)
{
	struct reader reader;
	unsigned int i;

	setup(8, 2, false);
	open_reader(&reader);
	for (i = 0; i < 12; i++)
		put(&narrow, 12);
	EXPECT(!put(&narrow, 164), "no room for that");
	EXPECT(buf.write == 512, "write %lu", buf.write);
	EXPECT(!put(&narrow, 12), "the packet is closed");
	take(&reader, 11);
	EXPECT(!put(&narrow, 12) == 0, "a sub-buffer is free");
	drain(&reader);
	EXPECT(reader.lost == 2 && reader.read == 13, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

static void test_too_large(void)
{
	struct reader reader;

	setup(8, 2, false);
	open_reader(&reader);
	EXPECT(!put(&narrow, 176), "larger than a sub-buffer");
	EXPECT(!put(&wide, 171), "larger than a sub-buffer");
	EXPECT(!put(&huge, 161), "larger than a sub-buffer");
	EXPECT(!buf.write, "write %lu", buf.write);
	put(&huge, 160);
	EXPECT(!put(&narrow, 1 << 20), "larger than the ring");
	put(&narrow, 172);
	take(&reader, 1);
	put(&wide, 170);
	drain(&reader);
	EXPECT(reader.lost == 4 && reader.read == 3, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

static void test_overwrite(void)
{
	struct reader reader, late;
	unsigned int i;

	setup(8, 4, true);
	open_reader(&reader);
	for (i = 0; i < 44 * 3 + 1; i++)	/* 44 in a lap */
		EXPECT(put(&narrow, 12), "event %u dropped", i);
	drain(&reader);
	EXPECT(reader.lost == 44 * 2 + 11 && reader.read == 34, "%u lost", reader.lost);
	open_reader(&late);
	drain(&late);
	EXPECT(late.lost == reader.lost, "%u lost", late.lost);
	close_reader(&late);
	close_reader(&reader);
	teardown();
}

/* What was copied stays readable; what comes after it is counted. */
static void test_overtaken(void)
{
	struct reader reader;
	unsigned int i;

	setup(8, 2, true);
	open_reader(&reader);
	for (i = 0; i < 5; i++)
		put(&narrow, 12);
	take(&reader, 2);
	for (i = 0; i < 60; i++)
		put(&narrow, 12);
	take(&reader, 3);
	EXPECT(reader.read == 5 && !reader.lost, "%u read", reader.read);
	drain(&reader);
	EXPECT(reader.lost == 39, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

static void test_cursors(void)
{
	struct reader fast, slow, next;
	unsigned int i;

	setup(8, 2, false);
	open_reader(&fast);
	open_reader(&slow);
	for (i = 0; i < 22; i++)
		put(&narrow, 12);
	drain(&fast);
	EXPECT(!put(&narrow, 12), "the slow one keeps it");
	take(&slow, 10);
	EXPECT(!put(&narrow, 12), "the slow one keeps it");
	take(&slow, 1);
	EXPECT(put(&narrow, 12), "eleven are a sub-buffer");
	take(&slow, 2);				/* in the middle of a packet */
	close_reader(&slow);
	drain(&fast);
	EXPECT(fast.lost == 2, "%u lost", fast.lost);
	close_reader(&fast);
	/* Where the last one was, also if that is in the middle of a packet. */
	put(&narrow, 12);
	put(&narrow, 12);
	open_reader(&slow);
	slow.next = 25;
	take(&slow, 1);
	open_reader(&fast);
	fast.next = 26;
	drain(&fast);
	close_reader(&fast);
	close_reader(&slow);
	open_reader(&next);
	next.next = 26;
	EXPECT(next.cursor.packet.packet_seq_num == 2, "no packet header");
	drain(&next);
	close_reader(&next);
	teardown();
}

/* Losses that a reader noticed and did not report are left to the next one. */
static void test_unreported(void)
{
	struct reader reader;
	const u8 *events;
	unsigned int i;

	setup(8, 2, false);
	for (i = 0; i < 23; i++)
		put(&narrow, 12);
	open_reader(&reader);
	take(&reader, 22);
	put(&narrow, 12);
	EXPECT(ltt_cursor_window(&reader.cursor, &events) == 16, "no event");
	EXPECT(reader.cursor.lost == 1, "%lu lost", reader.cursor.lost);
	close_reader(&reader);
	open_reader(&reader);
	reader.next = 22;
	drain(&reader);
	EXPECT(reader.lost == 1 && reader.read == 1, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

static void test_close(void)
{
	struct reader reader;

	setup(8, 4, false);
	open_reader(&reader);
	ltt_buf_close(&buf, LTT_CLOCK_MONO);
	EXPECT(!buf.write && ss_clock == 1000, "an empty buffer was closed");
	put(&narrow, 12);
	ltt_buf_close(&buf, LTT_CLOCK_MONO);
	EXPECT(buf.write == 256 && buf.frontier == 256, "write %lu", buf.write);
	EXPECT(buf.sb[0].content_end == HEADER + 16 && buf.sb[0].ts_end == 1002,
	       "content_end %lu", buf.sb[0].content_end);
	ltt_buf_close(&buf, LTT_CLOCK_MONO);
	EXPECT(buf.write == 256, "closed twice");
	drain(&reader);
	EXPECT(buf.consumed == 256, "consumed %lu", buf.consumed);
	put(&narrow, 172);
	ltt_buf_close(&buf, LTT_CLOCK_MONO);
	EXPECT(buf.write == 512, "a full sub-buffer was closed");
	put(&narrow, 12);
	drain(&reader);
	close_reader(&reader);
	teardown();
}

static void test_stopped(void)
{
	struct reader reader;

	setup(8, 2, false);
	open_reader(&reader);
	put(&narrow, 12);
	buf.recording = false;
	buf.cur = &ltt_subbuf_none;
	EXPECT(!put(&narrow, 12) && !put(&wide, 12), "recorded");
	attempts -= 2;				/* no losses */
	EXPECT(buf.write == HEADER + 16 && !local_read(&buf.lost), "not stopped");
	buf.recording = true;
	put(&narrow, 12);
	drain(&reader);
	EXPECT(!reader.lost, "%u lost", reader.lost);
	close_reader(&reader);
	teardown();
}

static void test_no_subbufs(void)
{
	struct reader reader;

	setup(8, 2, false);
	teardown();
	buf.sb = NULL;
	open_reader(&reader);
	EXPECT(!put(&narrow, 8) && !put(&wide, 8), "recorded");
	ltt_buf_close(&buf, LTT_CLOCK_MONO);
	drain(&reader);
	EXPECT(reader.lost == 2, "%u lost", reader.lost);
	close_reader(&reader);
}

/* A writer reserves room for an event, and never commits. */
static void die(size_t payload)
{
	struct ltt_slot slot = narrow.reserve(&narrow, payload + LTT_HEADER_COMPACT);

	EXPECT(slot.p, "no room");
	attempts++;
}

/*
 * A writer dies after @before events in a packet, and @after more are recorded before that is
 * found out. Readers get all other events, and exactly as many losses.
 */
static void give_up(unsigned int before, unsigned int after, bool overwrite)
{
	struct reader first, second;
	unsigned long from;
	unsigned int i;
	u32 lost, gone;

	setup(8, 4, overwrite);
	open_reader(&first);
	open_reader(&second);
	put(&narrow, 172);			/* a packet of its own */
	for (i = 0; i < before; i++)
		put(&narrow, 12);
	take(&first, 2);
	EXPECT(!ltt_buf_give_up(&buf, buf.frontier, 0, LTT_CLOCK_MONO), "nobody is dead");
	die(12);
	for (i = 0; i < after; i++)
		put_nested(&narrow, 12);	/* not published, because someone is dead */
	from = buf.frontier;
	lost = local_read(&buf.lost);
	EXPECT(from != buf.write, "committed");
	take(&second, ~0u);
	EXPECT(second.read + second.lost == 1 + before && (overwrite || !second.lost),
	       "%u read, %u lost", second.read, second.lost);
	gone = second.lost;			/* overwritten */
	EXPECT(!ltt_buf_give_up(&buf, from - 1, before, LTT_CLOCK_MONO), "somebody else is dead");

	EXPECT(ltt_buf_give_up(&buf, from, from & buf.off_mask ? before : 0, LTT_CLOCK_MONO),
	       "not given up");
	EXPECT(buf.unfinished == 1, "unfinished %lu", buf.unfinished);
	EXPECT(buf.frontier == buf.write && !(buf.write & buf.off_mask), "frontier %lu write %lu",
	       buf.frontier, buf.write);
	EXPECT((u32)local_read(&buf.lost) == 1 + after && lost <= after, "lost %ld after %u",
	       local_read(&buf.lost), lost);
	drain(&second);				/* losses that nothing follows */
	EXPECT(second.lost == gone + 1 + after, "%u lost", second.lost);

	/* All is as ever, also when the ring goes round. */
	for (i = 0; i < 40; i++) {
		put(&narrow, 12);
		drain(&first);
		EXPECT(overwrite || first.lost == 1 + after, "%u lost", first.lost);
		drain(&second);
	}
	EXPECT(second.lost == gone + 1 + after, "%u lost later", second.lost);
	close_reader(&first);
	open_reader(&first);			/* counts from the oldest there is */
	if (overwrite)
		drain(&first);
	close_reader(&first);
	close_reader(&second);
	teardown();
}

static void test_give_up(void)
{
	unsigned int before, after;

	for (before = 0; before <= 11; before++) {
		for (after = 0; after < 60; after++) {
			give_up(before, after, false);
			give_up(before, after, true);
		}
	}
}

/* Events of an NMI that comes when write has moved, and the losses are not counted yet. */
static unsigned int nmi;

void ss_before_local_sub(void)
{
	for (; nmi; nmi--)
		put_nested(&narrow, 12);
}

/* The losses lie before the NMI's packets, and the counts in the packets never step back. */
static void give_up_nmi(unsigned int after, unsigned int events, bool overwrite)
{
	const struct ltt_packet *packet;
	unsigned long from, pos, last = 0;
	struct reader reader;
	unsigned int i;

	setup(8, 8, overwrite);
	open_reader(&reader);
	put(&narrow, 12);
	from = buf.frontier;
	die(12);
	for (i = 0; i < after; i++)
		put_nested(&narrow, 12);
	nmi = events;
	EXPECT(ltt_buf_give_up(&buf, from, 1, LTT_CLOCK_MONO) && !nmi, "not given up");
	EXPECT(buf.frontier == buf.write, "frontier %lu write %lu", buf.frontier, buf.write);
	for (pos = 0; pos < buf.write; pos += buf.off_mask + 1) {
		packet = (const void *)buf.sb[pos >> buf.sb_order].base;
		EXPECT(packet->events_discarded >= last,
		       "%u after, %u in an NMI: packet at %lu tells of %lu, one before of %lu",
		       after, events, pos, (unsigned long)packet->events_discarded, last);
		last = packet->events_discarded;
	}
	drain(&reader);
	put(&narrow, 12);
	drain(&reader);
	close_reader(&reader);
	teardown();
}

static void test_give_up_nmi(void)
{
	unsigned int after, events;

	for (after = 0; after < 40; after++) {
		for (events = 0; events < 50; events++) {
			give_up_nmi(after, events, false);
			give_up_nmi(after, events, true);
		}
	}
}

/* Mistakes, of which none can be told from the events alone. */
static void other_lap(void)
{
	((struct ltt_packet *)buf.sb[1].base)->packet_seq_num += buf.sb_mask + 1;
}

static void no_packet(void)
{
	memset(buf.sb[1].base, 0, HEADER);
}

static void frontier_back(void)
{
	buf.frontier = 0;
}

static void frontier_ahead(void)
{
	buf.frontier = buf.write + buf.off_mask + 1;
}

static void content_before(void)
{
	buf.sb[0].content_end = HEADER + 8;
}

/*
 * The reader, or else a writer, finds the mistake. The buffer stops; whatever is not read has
 * been lost, and the reader comes to its end.
 */
static void broken(void (*mistake)(void), bool writer, bool overwrite)
{
	struct reader reader;
	unsigned int i;

	setup(8, 4, overwrite);
	open_reader(&reader);
	for (i = 0; i < 20; i++)
		put(&narrow, 12);
	take(&reader, 5);
	EXPECT(!warnings && !buf.broken && reader.read == 5, "%u warnings", warnings);
	warnings_wanted = true;
	mistake();
	for (i = 0; writer && i < 20 && !buf.broken; i++)
		put_nested(&narrow, 12);
	take(&reader, ~0u);
	EXPECT(warnings && buf.broken && !buf.recording, "%u warnings", warnings);
	EXPECT(!put_nested(&narrow, 12) && !put_nested(&wide, 12), "recorded");
	EXPECT(local_read(&buf.lost) == 2, "%ld lost", local_read(&buf.lost));
	drain(&reader);
	ltt_cursor_last_losses(&reader.cursor);
	EXPECT(!ltt_cursor_pending(&reader.cursor), "no end");
	close_reader(&reader);

	/* Who comes later learns how many there were. Paused, nothing is lost. */
	buf.wanted = false;
	put_nested(&narrow, 12);
	attempts--;
	open_reader(&reader);
	reader.next = overwrite ? 0 : buf.tail.events + buf.tail.lost;
	drain(&reader);
	EXPECT(!reader.read, "%u read", reader.read);
	EXPECT(!ltt_buf_give_up(&buf, buf.frontier, 0, LTT_CLOCK_MONO), "given up");
	close_reader(&reader);
	teardown();
}

/* A reader that finds the mistake, but does not come to tell of the losses, leaves that. */
static void broken_untold(void)
{
	struct reader reader;
	const u8 *events;
	unsigned int i;

	setup(8, 4, false);
	open_reader(&reader);
	for (i = 0; i < 20; i++)
		put(&narrow, 12);
	take(&reader, 5);
	warnings_wanted = true;
	other_lap();
	while (!buf.broken && ltt_cursor_window(&reader.cursor, &events))
		take(&reader, 1);
	EXPECT(buf.broken && !ltt_cursor_window(&reader.cursor, &events), "not found");
	EXPECT(reader.cursor.lost, "nothing lost");
	ltt_cursor_release(&reader.cursor);
	i = reader.next;
	close_reader(&reader);
	open_reader(&reader);
	EXPECT(ltt_cursor_pending(&reader.cursor), "nothing to report");
	reader.next = i;
	drain(&reader);
	EXPECT(!reader.read, "%u read", reader.read);
	close_reader(&reader);
	teardown();
}

static void test_broken(void)
{
	broken(other_lap, false, false);
	broken(other_lap, false, true);
	broken(no_packet, false, false);
	broken(no_packet, false, true);
	broken(frontier_back, false, false);
	broken(frontier_back, false, true);
	broken(frontier_ahead, true, false);
	broken(frontier_ahead, true, true);
	broken(content_before, false, false);
	broken_untold();
}

static const struct ktap_case cases[] = {
	{ "sub-buffers fill to the last byte", test_fill },
	{ "packet and event headers", test_layout },
	{ "extended header when time does not fit", test_extended_time },
	{ "wrap", test_wrap },
	{ "full: losses between the right events", test_full },
	{ "a loss closes the packet", test_loss_in_packet },
	{ "events that fit nowhere", test_too_large },
	{ "overwrite", test_overwrite },
	{ "overwrite: a reader overtaken in a packet", test_overtaken },
	{ "several cursors", test_cursors },
	{ "losses noticed but not reported", test_unreported },
	{ "close", test_close },
	{ "stopped", test_stopped },
	{ "writers that die", test_give_up },
	{ "writers that die while NMIs write", test_give_up_nmi },
	{ "no sub-buffers", test_no_subbufs },
	{ "internal errors", test_broken },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
