// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that survived: what is whole is found; what is not is told, whatever is wrong with it.
 *
 * usage: test_area [FILE]	with FILE, the image of a good area is written there instead
 */
#include <stdio.h>

#include <linux/ltt/decode.h>
#include <linux/ltt/textbuf.h>

#include "area_image.h"
#include "ktap.h"

#define ROUNDS	4000

static struct image good;

/* Look at a copy, as readers do. NULL: nothing is left, for @why. */
static struct ltt_found *look(u8 *copy, char why[LTT_AREA_ERROR])
{
	struct ltt_area_head head;
	struct ltt_found *found;

	why[0] = '\0';
	if (ltt_area_check(copy, IMAGE_SIZE, &head, why))
		return NULL;
	found = ltt_area_scan(copy, &head, why);
	return IS_ERR(found) ? NULL : found;
}

static u64 events_of(const struct ltt_found *found)
{
	u64 events = 0;
	u32 i;

	for (i = 0; i < found->nr_buffers; i++)
		events += found->buffers[i].events;
	return events;
}

static u64 lost_of(const struct ltt_found *found)
{
	u64 lost = 0;
	u32 i;

	for (i = 0; i < found->nr_buffers; i++)
		lost += found->buffers[i].lost;
	return lost;
}

static u64 events_left(void)
{
	u64 events = 0;
	unsigned int i;

	for (i = 0; i < IMAGE_RINGS; i++)
		events += image_left(&good, &good.ring[i]);
	return events;
}

static u8 *copy_of_good(void)
{
	u8 *copy = aligned_alloc(LTT_AREA_PAGE, IMAGE_SIZE);

	if (!copy)
		err(1, "copy");
	return memcpy(copy, good.base, IMAGE_SIZE);
}

/* What readers are promised: whole events of known kinds, in order. */
static void check_packet(const struct ltt_found *found, const struct ltt_found_buffer *buffer,
			 const struct ltt_found_packet *packet, u64 before)
{
	const struct ltt_found_stream *stream = &found->streams[buffer->stream];
	const struct ltt_packet *header = (const struct ltt_packet *)packet->data;
	const struct ltt_found_event *event;
	u64 ts = packet->begin, events = 0;
	u32 at = sizeof(*header), id;
	long size;

	EXPECT(packet->begin >= before, "packets are not in order");
	EXPECT(header->magic == LTT_PACKET_MAGIC && header->cpu_id == buffer->cpu, "header");
	EXPECT(header->packet_seq_num == packet->seq, "sequence number");
	EXPECT(header->content_size == packet->size * 8ull &&
	       header->packet_size == packet->size * 8ull, "size");
	EXPECT(header->timestamp_begin == packet->begin && header->timestamp_end == packet->end,
	       "times");
	while (at < packet->size) {
		size = ltt_decode_header(packet->data + at, packet->size - at, &ts, &id, false);
		if (!EXPECT(size > 0, "header of an event"))
			return;
		at += size;
		event = ltt_area_event(found, buffer->stream, id);
		if (!EXPECT(event, "unknown event"))
			return;
		size = ltt_event_size(stream->context.format, event->format, packet->data + at,
				      packet->size - at, false);
		if (!EXPECT(size >= 0, "event does not end"))
			return;
		at += size;
		events++;
	}
	EXPECT(at == packet->size && events == packet->events && ts <= packet->end, "contents");
}

static void check_all(const struct ltt_found *found)
{
	const struct ltt_found_buffer *buffer;
	char text[4096];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	u64 before, seq;
	u32 i, j;

	for (i = 0; i < found->nr_buffers; i++) {
		buffer = &found->buffers[i];
		before = 0;
		seq = buffer->nr_packets ? buffer->packets[0].seq : 0;
		for (j = 0; j < buffer->nr_packets; j++) {
			check_packet(found, buffer, &buffer->packets[j], before);
			EXPECT(buffer->packets[j].seq == seq + j, "numbers do not follow each other");
			before = buffer->packets[j].end;
		}
	}
	/* It may take more room. */
	if (!ltt_area_info(found, &out))
		EXPECT(out.pos < out.end && out.pos[-1] == '\n', "info");
}

/* ---- cases ------------------------------------------------------------------------ */

static void all_is_found(void)
{
	char why[LTT_AREA_ERROR];
	u8 *copy = copy_of_good();
	struct ltt_found *found = look(copy, why);
	u32 i;

	if (!EXPECT(found, "%s", why))
		return;
	EXPECT_STR(found->name, "test");
	EXPECT_STR(found->hostname, "here");
	EXPECT_STR(found->clock, "mono");
	EXPECT(!found->nr_notes, "notes: %.*s", (int)found->notes_len, found->notes);
	EXPECT(found->nr_streams == 2 && found->nr_events == IMAGE_LIKE + 2 &&
	       found->nr_buffers == IMAGE_RINGS, "%u streams, %u events, %u buffers",
	       found->nr_streams, found->nr_events, found->nr_buffers);
	EXPECT(events_of(found) == events_left(), "%llu events, not %llu",
	       (unsigned long long)events_of(found), (unsigned long long)events_left());
	for (i = 0; i < found->nr_buffers; i++) {
		EXPECT(found->buffers[i].nr_packets == IMAGE_NUM, "packets");
		EXPECT(found->buffers[i].packets[IMAGE_NUM - 1].open, "the last one is open");
		EXPECT(found->buffers[i].packets[IMAGE_NUM - 1].seq >= IMAGE_NUM, "not gone round");
	}
	check_all(found);
	ltt_area_found_free(found);
	free(copy);
}

static void nothing_is_left(void)
{
	char why[LTT_AREA_ERROR];
	u8 *copy = copy_of_good();
	struct ltt_area_head *head = (struct ltt_area_head *)copy, old;

	head->state = LTT_AREA_ENDED;
	EXPECT(!look(copy, why), "found");
	EXPECT_STR(why, "the trace has ended");
	head->state = 0;
	EXPECT(ltt_area_check(copy, IMAGE_SIZE - LTT_AREA_PAGE, &old, why) == -ENODATA, "too short");
	head->version = 2;
	head->crc = ltt_area_head_crc(head);
	EXPECT(!look(copy, why), "found");
	EXPECT_STR(why, "version 2 of the format, only 1 is known");
	head->version = 1;
	head->order = 0x04030201;
	head->crc = ltt_area_head_crc(head);
	EXPECT(!look(copy, why), "found");
	EXPECT_STR(why, "written in another byte order");
	memset(copy, 0xff, IMAGE_SIZE);
	EXPECT(!look(copy, why), "found");
	EXPECT_STR(why, "no trace");
	free(copy);
}

/* A slot is being taken by the next packet: after any of the stores of that, nothing is wrong. */
static void being_opened(void)
{
	struct image_ring *ring = &good.ring[0];
	u64 seq = (ring->write >> IMAGE_ORDER) + 1;
	struct ltt_area_slot *slot;
	struct ltt_packet *packet;
	char why[LTT_AREA_ERROR];
	struct ltt_found *found;
	unsigned int step;
	u64 dead;
	u8 *copy;

	slot = image_slot(&good, ring, seq);
	dead = slot->events - slot->events_open;
	for (step = 0; step < 6; step++) {
		struct image image = good;

		copy = copy_of_good();
		image.base = copy;
		slot = image_slot(&image, ring, seq - 1);
		slot->ts_end = ring->ts;
		if (step > 0)
			slot->content_end = ring->write;
		slot = image_slot(&image, ring, seq);
		packet = (struct ltt_packet *)image_packet(&image, ring, seq);
		if (step > 1) {
			packet->timestamp_begin = 0;
			packet->packet_seq_num = 0;
		}
		if (step > 2) {
			packet->timestamp_begin = ring->ts;
			packet->packet_seq_num = seq;
		}
		if (step > 3)
			slot->events_open = slot->events;
		if (step > 4)
			slot->origin = slot->base - (seq << IMAGE_ORDER);
		found = look(copy, why);
		if (EXPECT(found, "step %u: %s", step, why)) {
			EXPECT(!found->nr_notes, "step %u: %.*s", step, (int)found->notes_len,
			       found->notes);
			EXPECT(events_of(found) == events_left() - (step > 1 ? dead : 0),
			       "step %u: events", step);
			check_all(found);
		}
		ltt_area_found_free(found);
		free(copy);
	}
}

/* The record that declares the event of this number, from 1. */
static struct ltt_area_record *declaration(u8 *copy, unsigned int nr)
{
	struct ltt_area_record *record;
	u64 at;

	for (at = LTT_AREA_PAGE; at < LTT_AREA_PAGE + good.log.head.log_used; at += 8) {
		record = (struct ltt_area_record *)(copy + at);
		if (record->magic == LTT_AREA_RECORD && record->type == LTT_AREA_EVENT && !--nr)
			return record;
	}
	errx(1, "there are not so many events");
}

/* An event of which there is no declaration: it, and what follows in each packet, is lost. */
static void declaration_missing(void)
{
	char why[LTT_AREA_ERROR];
	u8 *copy = copy_of_good();
	struct ltt_found *found;

	declaration(copy, 4)->crc ^= 1;
	found = look(copy, why);
	if (EXPECT(found, "%s", why)) {
		EXPECT(strstr(found->notes, "log: "), "the record is not told of");
		EXPECT(strstr(found->notes, "unknown event"), "the packets are not told of");
		EXPECT(events_of(found) + lost_of(found) == events_left(), "not all are counted");
		EXPECT(events_of(found) > image_left(&good, &good.ring[2]), "none is shown");
		check_all(found);
	}
	ltt_area_found_free(found);
	free(copy);
}

/* More ids than there can be declarations, with a good checksum: readers count up to them. */
static void id_too_large(void)
{
	static const u32 ids[] = { ~0u, 1u << 20 };
	struct ltt_area_record *record;
	struct ltt_area_event *event;
	char why[LTT_AREA_ERROR];
	struct ltt_found *found;
	unsigned int i;
	u8 *copy;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		copy = copy_of_good();
		record = declaration(copy, IMAGE_LIKE + 2);
		event = (struct ltt_area_event *)(record + 1);
		event->id = ids[i];
		record->crc = ltt_area_crc(good.log.head.generation, record, event);
		found = look(copy, why);
		if (EXPECT(found, "%s", why)) {
			EXPECT(found->notes && strstr(found->notes, "invalid record of an event"),
			       "id %u is not told of", ids[i]);
			EXPECT(found->nr_events == IMAGE_LIKE + 1, "%u events", found->nr_events);
			EXPECT(events_of(found) + lost_of(found) == events_left(),
			       "not all are counted");
			check_all(found);
		}
		ltt_area_found_free(found);
		free(copy);
	}
}

/* Is this byte one that nothing can check: of an event, or a number that may be any? */
static bool is_free(u64 at)
{
	const struct image_ring *ring;
	u64 newest, in;
	unsigned int i;

	for (i = 0; i < IMAGE_RINGS; i++) {
		ring = &good.ring[i];
		newest = ring->write >> IMAGE_ORDER;
		if (at >= ring->place.data && at < ring->place.data + IMAGE_NUM * IMAGE_SUBBUF)
			return (at - ring->place.data) % IMAGE_SUBBUF >= sizeof(struct ltt_packet);
		if (at < ring->place.slots ||
		    at >= ring->place.slots + IMAGE_NUM * sizeof(struct ltt_area_slot))
			continue;
		in = at - ring->place.slots;
		/* How many events there are in an open packet only its slot tells. */
		return in / sizeof(struct ltt_area_slot) == newest % IMAGE_NUM &&
		       in % sizeof(struct ltt_area_slot) / 8 <= 2;
	}
	return false;
}

/* A bit is another: all events are there, or it is told that they are not. */
static void flip(u8 *copy, u64 at, unsigned int bit, unsigned long *told)
{
	char why[LTT_AREA_ERROR];
	struct ltt_found *found;

	memcpy(copy, good.base, IMAGE_SIZE);
	copy[at] ^= 1u << bit;
	found = look(copy, why);
	if (!found) {
		EXPECT(why[0], "byte %llu bit %u: no reason", (unsigned long long)at, bit);
		(*told)++;
		return;
	}
	if (found->nr_notes)
		(*told)++;
	else if (!is_free(at))
		EXPECT(events_of(found) == events_left(), "byte %llu bit %u: %llu events, not %llu",
		       (unsigned long long)at, bit, (unsigned long long)events_of(found),
		       (unsigned long long)events_left());
	check_all(found);
	ltt_area_found_free(found);
}

static void single_bits(void)
{
	const struct image_ring *ring;
	unsigned long told = 0;
	u8 *copy = copy_of_good();
	unsigned int bit, i, j;
	u64 at;

	for (bit = 0; bit < 8; bit++) {
		for (at = 0; at < sizeof(struct ltt_area_head); at++) {
			flip(copy, at, bit, &told);
			flip(copy, LTT_AREA_COPY + at, bit, &told);
		}
		for (at = 0; at < good.log.head.log_used; at++)
			flip(copy, good.log.head.log_offset + at, bit, &told);
		for (i = 0; i < IMAGE_RINGS; i++) {
			ring = &good.ring[i];
			for (at = 0; at < IMAGE_NUM * sizeof(struct ltt_area_slot); at++)
				flip(copy, ring->place.slots + at, bit, &told);
			for (j = 0; j < IMAGE_NUM; j++) {
				u64 data = ring->place.data + j * IMAGE_SUBBUF;

				for (at = 0; at < sizeof(struct ltt_packet) + 60; at++)
					flip(copy, data + at, bit, &told);
			}
		}
	}
	EXPECT(told > 1000, "only %lu were told of", told);
	free(copy);
}

static void random_bytes(void)
{
	char why[LTT_AREA_ERROR];
	struct ltt_found *found;
	u8 *copy = copy_of_good();
	unsigned int round, i, nr;
	unsigned long shown = 0;
	u64 at;

	srandom(1);
	for (round = 0; round < ROUNDS; round++) {
		memcpy(copy, good.base, IMAGE_SIZE);
		nr = 1 + random() % 20;
		for (i = 0; i < nr; i++) {
			at = random() % IMAGE_SIZE;
			if (random() % 2)
				at = random() % 2 ?
				     good.ring[random() % IMAGE_RINGS].place.slots +
					     random() % 256 :
				     LTT_AREA_PAGE + random() % good.log.head.log_used;
			copy[at] = random();
		}
		/* Cache lines that were not written back. */
		for (i = 0; i < nr / 4; i++)
			memset(copy + random() % (IMAGE_SIZE / 64) * 64,
			       random() % 2 ? 0 : 0x5a, 64);
		found = look(copy, why);
		if (!found)
			continue;
		shown += !!events_of(found);
		check_all(found);
		ltt_area_found_free(found);
	}
	EXPECT(shown > ROUNDS / 2, "only %lu are shown", shown);
	free(copy);
}

static void write_image(const char *name)
{
	FILE *file = fopen(name, "wb");

	if (!file || fwrite(good.base, IMAGE_SIZE, 1, file) != 1 || fclose(file))
		err(1, "%s", name);
}

/* Far more channels than a trace has, in a log that could hold twice as many. */
static void many_channels(void)
{
	const u64 size = 2u << 20;
	u8 *base = aligned_alloc(LTT_AREA_PAGE, size);
	const struct ltt_area_trace trace = { .uuid = "area of a test.." };
	const struct ltt_area_names names = {
		.name = "test", .hostname = "", .release = "", .build = "",
		.version = LTT_VERSION, .clock = "mono",
	};
	char name[16], why[LTT_AREA_ERROR];
	struct ltt_area_head head;
	struct ltt_area_log log;
	struct ltt_found *found;
	u32 nr = 0;

	if (!base)
		err(1, "half");
	ltt_area_begin(&log, base, size, 1);
	EXPECT(!ltt_area_add_trace(&log, &trace, &names), "no trace");
	do {
		snprintf(name, sizeof(name), "c%u", nr);
	} while (!ltt_area_add_stream(&log, nr++, name, NULL));
	EXPECT(nr > 5000, "only %u", nr);
	EXPECT(!ltt_area_check(base, size, &head, why), "%s", why);
	found = ltt_area_scan(base, &head, why);
	if (EXPECT(!IS_ERR(found), "%s", why)) {
		EXPECT(found->nr_streams == 4096, "%u are shown", found->nr_streams);
		EXPECT(found->nr_notes == nr - 1 - 4096, "%lu notes", found->nr_notes);
		EXPECT(strstr(found->notes, "log: more than 4096 channels"), "not told of");
		ltt_area_found_free(found);
	}
	free(base);
}

int main(int argc, char **argv)
{
	static const struct ktap_case cases[] = {
		{ "all is found", all_is_found },
		{ "nothing is left", nothing_is_left },
		{ "a packet is being opened", being_opened },
		{ "a declaration is missing", declaration_missing },
		{ "an id that is too large", id_too_large },
		{ "each bit that is another is told of, or does no harm", single_bits },
		{ "random bytes", random_bytes },
		{ "many channels", many_channels },
	};
	int status = 0;

	image_make(&good);
	if (argc > 1)
		write_image(argv[1]);
	else
		status = ktap_run(cases, ARRAY_SIZE(cases));
	free(good.base);
	return status;
}
