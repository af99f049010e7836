// SPDX-License-Identifier: GPL-2.0
/*
 * Readers of whole packets, at random beside readers of events, and of others that stop.
 * Every attempt to write has a number: when a packet comes, what the reader has taken and
 * what it was told to be discarded add up to the number of its first event.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include "../../../../kernel/trace/ltt-core/relay/packet_reader.h"

#include "test_ring.h"

#define MAX_READERS	3

/**
 * struct taker - a reader of packets and what its owner knows
 * @packets:	the reader
 * @open:	it has been opened
 * @shadow:	in overwrite mode
 * @copy:	of a packet that was kept
 * @until:	it does nothing before this operation
 * @seen:	packets taken
 * @taken:	events in them
 * @base:	attempts before the first packet, less what that said was discarded
 * @last:	header of the last packet
 * @since:	the next packet does not begin before
 * @begun:	it has begun, right then
 */
struct taker {
	struct ltt_packet_reader packets;
	bool open;
	u8 *shadow;
	u8 *copy;
	u32 until;
	u32 seen;
	u32 taken;
	u32 base;
	struct ltt_packet last;
	u64 since;
	bool begun;
};

static unsigned long long seed;
static unsigned int gaps, emptied, kept, begun, quiet;

/* Stands in for format.c: the second word of the payload is its size. */
long ltt_payload_size(const struct ltt_format *format, const void *payload, size_t avail,
		      bool swap)
{
	u32 size;

	(void)format;
	(void)swap;
	if (avail < 8)
		return -EBADMSG;
	memcpy(&size, (const u8 *)payload + 4, sizeof(size));
	return size <= avail ? (long)size : -EBADMSG;
}

static const struct ltt_format *find_format(const void *arg, u32 id)
{
	static const struct ltt_format any;

	EXPECT(arg == &buf, "the argument");
	EXPECT(is_known(id), "id %u", id);
	return &any;
}

static u32 dice(u32 sides)
{
	return (ktap_random(&seed) >> 32) % sides;
}

static void open_taker(struct taker *taker)
{
	const struct ltt_packet_formats formats = { .format = find_format, .arg = &buf };

	memset(taker, 0, sizeof(*taker));
	if (buf.overwrite)
		taker->shadow = malloc(buf.off_mask + 1);
	ltt_packet_reader_open(&taker->packets, &buf, taker->shadow, &formats);
	taker->open = true;
}

static void close_taker(struct taker *taker)
{
	ltt_packet_reader_close(&taker->packets);
	free(taker->shadow);
	free(taker->copy);
	taker->open = false;
}

static void check_header(struct taker *taker, const struct ltt_packet *h, size_t size)
{
	EXPECT(h->magic == LTT_PACKET_MAGIC && h->stream_id == 5 && h->cpu_id == 6, "magic");
	EXPECT(h->content_size == size * 8 && h->packet_size == size * 8, "sizes");
	EXPECT(h->timestamp_end >= h->timestamp_begin, "end before begin");
	EXPECT(h->timestamp_begin >= taker->since, "begins before that was to be expected");
	if (!taker->seen)
		return;
	EXPECT(!taker->begun || h->timestamp_begin == taker->since ||
	       h->packet_seq_num != taker->last.packet_seq_num + 1, "has begun before");
	EXPECT(h->timestamp_begin >= taker->last.timestamp_end,
	       "packet %llu: begins before the one before ends",
	       (unsigned long long)h->packet_seq_num);
	EXPECT(h->packet_seq_num > taker->last.packet_seq_num, "sequence");
	EXPECT(h->events_discarded >= taker->last.events_discarded, "discarded");
	gaps += h->packet_seq_num != taker->last.packet_seq_num + 1;
}

/* Of the header that begins with @word. */
static size_t header_size(u32 word)
{
	return word % 32 == 31 ? 16 : word % 32 == 30 ? 6 : 4;
}

/* The current packet, by the definition of the format. */
static void take_packet(struct taker *taker)
{
	const struct ltt_packet_reader *packets = &taker->packets;
	struct ltt_packet h = packets->header;
	const u8 *p = packets->data;
	size_t at = sizeof(h);
	u64 ts = h.timestamp_begin;
	u32 word, payload[2], i;

	check_header(taker, &h, packets->size);
	/* In place it is everybody's: without what this reader alone missed. */
	h.events_discarded = ((const struct ltt_packet *)p)->events_discarded;
	EXPECT(!memcmp(&h, p, sizeof(h)), "header differs");
	h = packets->header;
	if (!taker->seen && at < packets->size) {
		memcpy(&word, p + at, sizeof(word));
		memcpy(payload, p + at + header_size(word), sizeof(payload));
		taker->base = payload[0] - h.events_discarded;
	}
	while (at < packets->size && !ktap_failures) {
		memcpy(&word, p + at, sizeof(word));
		if (word % 32 == 31)
			memcpy(&ts, p + at + 8, sizeof(ts));
		else
			ts += (word / 32 - ts) & LTT_TIME_MASK;
		at += header_size(word);
		memcpy(payload, p + at, sizeof(payload));
		EXPECT(payload[0] == taker->base + taker->taken + h.events_discarded,
		       "packet %llu: event %u, %u + %u taken, %llu discarded",
		       (unsigned long long)h.packet_seq_num, payload[0], taker->base,
		       taker->taken, (unsigned long long)h.events_discarded);
		if (!EXPECT(at + payload[1] <= packets->size, "too long"))
			break;
		for (i = 8; i < payload[1]; i++)
			EXPECT(p[at + i] == filler(payload[0], i), "torn");
		at += payload[1];
		taker->taken++;
	}
	EXPECT(ts <= h.timestamp_end, "last event after the end");
	taker->last = h;
	taker->begun = false;
	taker->seen++;
}

static void done(struct taker *taker)
{
	take_packet(taker);
	ltt_packet_reader_done(&taker->packets);
	free(taker->copy);
	taker->copy = NULL;
}

/* There is no packet: what is said of the next one? */
static void look_ahead(struct taker *taker)
{
	u64 ts;
	int ret = ltt_packet_reader_begun(&taker->packets, &ts);

	if (ret == -EAGAIN)
		return;
	taker->begun = ret;
	taker->since = ret ? ts : ss_clock;
	begun += ret;
	quiet += !ret;
}

/* One of the things that an owner may do; ends without a pin. */
static void use(struct taker *taker)
{
	struct ltt_packet_reader *packets = &taker->packets;
	const u8 *before = packets->data;
	u32 nr = dice(4);

	if (ltt_packet_reader_next(packets)) {
		EXPECT(!before || packets->gone, "the packet has gone without a word");
		look_ahead(taker);
	} else if (dice(4) == 0) {
		/* Only look. */
	} else if (packets->in_place && dice(4) == 0) {
		taker->copy = malloc(packets->size);
		ltt_packet_reader_keep(packets, taker->copy);
		kept++;
	} else {
		do {
			done(taker);
		} while (nr-- && !ltt_packet_reader_next(packets));
		/* What is read ahead is let go of, too, if it is not taken. */
	}
	packets->gone = false;
	ltt_packet_reader_release(packets);
}

static void finish(struct taker *taker)
{
	struct ltt_packet_reader *packets = &taker->packets;

	while (!ltt_packet_reader_next(packets) && !ktap_failures)
		done(taker);
	packets->gone = false;
	if (ltt_packet_reader_last(packets, ss_clock)) {
		EXPECT(packets->size == sizeof(struct ltt_packet), "not empty");
		done(taker);
		emptied++;
	}
	EXPECT(ltt_packet_reader_next(packets) && !ltt_packet_reader_last(packets, ss_clock), "no end");
	ltt_packet_reader_release(packets);
	if (taker->taken)
		EXPECT(taker->base + taker->taken + taker->last.events_discarded == attempts,
		       "%u attempts, %u + %u taken, %llu discarded", attempts, taker->base,
		       taker->taken, (unsigned long long)taker->last.events_discarded);
}

static void operate(struct taker *takers, struct reader *reader, u32 now)
{
	struct taker *taker = &takers[dice(MAX_READERS)];
	u32 what = dice(100);

	ss_clock += dice(20) ? dice(1000) : dice(1u << 28);
	if (what < 60) {
		put(dice(8) ? &narrow : dice(2) ? &wide : &huge, 8 + dice(dice(10) ? 40 : 400));
	} else if (what < 63) {
		ltt_buf_close(&buf, LTT_CLOCK_MONO);
	} else if (what < 67) {
		jiffies += dice(HZ);
	} else if (what < 80) {
		take(reader, dice(30));
	} else if (!taker->open) {
		if (!dice(4))
			open_taker(taker);
	} else if (now < taker->until) {
		return;
	} else if (!dice(60)) {
		close_taker(taker);
	} else if (!dice(30)) {
		taker->until = now + dice(2000);
	} else {
		use(taker);
	}
}

static void scenario(unsigned int order, unsigned int subbufs, bool overwrite)
{
	struct taker takers[MAX_READERS] = { };
	struct reader reader;
	u32 i;

	setup(order, subbufs, overwrite);
	open_reader(&reader);
	open_taker(&takers[0]);
	for (i = 0; i < 20000 && !ktap_failures; i++)
		operate(takers, &reader, i);
	ltt_buf_close(&buf, LTT_CLOCK_MONO);
	ss_clock++;
	for (i = 0; i < MAX_READERS; i++) {
		if (!takers[i].open)
			continue;
		if (!ktap_failures)
			finish(&takers[i]);
		close_taker(&takers[i]);
	}
	close_reader(&reader);
	teardown();
}

static void run_all(bool overwrite)
{
	unsigned int run, order, subbufs;

	gaps = 0;
	emptied = 0;
	kept = 0;
	begun = 0;
	quiet = 0;
	for (run = 0; run < 240; run++) {
		order = 9 + run % 4;
		subbufs = 2 << run / 4 % 3;
		seed = 1 + run;
		scenario(order, subbufs, overwrite);
		if (ktap_failures) {
			printf("# 2^%u bytes, %u sub-buffers\n", order, subbufs);
			return;
		}
	}
	printf("# %u gaps, %u last packets, %u kept, %u begun, %u not\n", gaps, emptied, kept,
	       begun, quiet);
	/* Without nesting nothing is lost in overwrite mode, and there all are copies. */
	EXPECT(gaps && begun && quiet, "too few");
	EXPECT(overwrite || (emptied && kept), "too few");
}

static void discard(void)
{
	run_all(false);
}

static void overwrite(void)
{
	run_all(true);
}

/* A packet that is exactly full ends with its last event, or where the next begins. */
static void exactly_full(void)
{
	struct taker early, late;
	unsigned int i;
	u64 last;

	setup(9, 4, false);
	open_taker(&early);
	open_taker(&late);
	/* (512 - 80) / 24 */
	for (i = 0; i < (512 - HEADER) / 24; i++) {
		ss_clock += 100;
		put(&narrow, 20);
	}
	last = buf.last_ts;
	EXPECT(buf.write == 512, "not full: %lu", buf.write);
	EXPECT(!ltt_packet_reader_next(&early.packets) &&
	       early.packets.header.timestamp_end == last, "not the last event's time");
	ss_clock += 1000;
	put(&narrow, 20);
	/* What one has seen the other sees as well. */
	EXPECT(!ltt_packet_reader_next(&late.packets) &&
	       late.packets.header.timestamp_end == last, "has changed");
	close_taker(&early);
	close_taker(&late);
	teardown();
}

/* Take packets until one's header is not its own. Return: the number of packets. */
static u32 take_until_broken(struct taker *taker)
{
	u32 i, taken = 0;

	for (i = 0; i < 30; i++)
		put(&narrow, 12);
	warnings_wanted = true;
	((struct ltt_packet *)buf.sb[1].base)->packet_seq_num++;
	while (!ltt_packet_reader_next(&taker->packets)) {
		done(taker);
		ltt_packet_reader_release(&taker->packets);
		taken++;
	}
	EXPECT(buf.broken, "not found");
	return taken;
}

/* There are no more packets, but the last one, which tells of all events but @taken. */
static void expect_losses(struct ltt_packet_reader *packets, u32 taken)
{
	u64 ts;

	EXPECT(!ltt_packet_reader_ready(packets) && ltt_packet_reader_next(packets) == -EAGAIN,
	       "no end");
	EXPECT(!ltt_packet_reader_begun(packets, &ts), "others would wait for what does not come");
	EXPECT(ltt_packet_reader_last(packets, ss_clock) &&
	       packets->header.events_discarded + taken == attempts,
	       "%llu discarded, %u taken of %u",
	       (unsigned long long)packets->header.events_discarded, taken, attempts);
}

/* Nothing is taken from a broken buffer, and all is accounted for. */
static void broken_packet(bool overwrite_mode)
{
	struct ltt_packet_reader *packets;
	struct taker taker;
	u32 taken;

	setup(8, 4, overwrite_mode);
	open_taker(&taker);
	packets = &taker.packets;
	taken = take_until_broken(&taker);
	EXPECT(taken == 1 && warnings == 1, "%u taken, %u warnings", taken, warnings);
	EXPECT(!put_nested(&narrow, 12), "recorded");
	expect_losses(packets, taker.taken);
	ltt_packet_reader_done(packets);
	EXPECT(!ltt_packet_reader_last(packets, ss_clock), "told again");
	close_taker(&taker);
	teardown();
}

/* The reader that finds the buffer broken closes early: the next one reports the losses. */
static void broken_untold(void)
{
	struct taker early, late;
	u32 taken;

	setup(8, 4, false);
	open_taker(&early);
	take_until_broken(&early);
	ltt_packet_reader_release(&early.packets);
	taken = early.taken;
	close_taker(&early);
	open_taker(&late);
	expect_losses(&late.packets, taken);
	close_taker(&late);
	teardown();
}

static void broken(void)
{
	broken_untold();
	broken_packet(false);
	broken_packet(true);
}

int main(void)
{
	static const struct ktap_case cases[] = {
		{ "at random, discard", discard },
		{ "at random, overwrite", overwrite },
		{ "exactly full", exactly_full },
		{ "internal errors", broken },
	};

	return ktap_run(cases, ARRAY_SIZE(cases));
}
