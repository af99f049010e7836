/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The image of a small area: a flight recorder of two CPUs that has gone round, in shared buffers,
 * and a channel with a context. Where which event is, and how many there are, is known.
 */
#ifndef _LTT_AREA_IMAGE_H
#define _LTT_AREA_IMAGE_H

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/version.h>

#include "../../../../kernel/trace/ltt-core/area/log.h"
#include "../../../../kernel/trace/ltt-core/area/scan.h"

#define IMAGE_SIZE	LTT_AREA_HALF_MIN
#define IMAGE_ORDER	12
#define IMAGE_SUBBUF	4096u
#define IMAGE_NUM	4u
#define IMAGE_RINGS	3u
#define IMAGE_TS	1000000000000ull
#define IMAGE_STEP	1000u
#define IMAGE_LIKE	5u	/* events that are like another one */

/**
 * struct image_ring - a buffer
 * @place:	as the log tells it
 * @events:	that were ever recorded
 * @write:	position
 * @ts:		ns, of the last event
 */
struct image_ring {
	struct ltt_area_buffer place;
	u64 events;
	u64 write;
	u64 ts;
};

/**
 * struct image - a half
 * @base:	its bytes
 * @log:	its log
 * @ring:	its buffers
 */
struct image {
	u8 *base;
	struct ltt_area_log log;
	struct image_ring ring[IMAGE_RINGS];
};

static const u8 image_uuid[LTT_UUID_SIZE] = "area of a test..";

static struct ltt_area_slot *image_slot(const struct image *image, const struct image_ring *ring,
					u64 seq)
{
	return (struct ltt_area_slot *)(image->base + ring->place.slots) + seq % IMAGE_NUM;
}

static u8 *image_packet(const struct image *image, const struct image_ring *ring, u64 seq)
{
	return image->base + ring->place.data + seq % IMAGE_NUM * IMAGE_SUBBUF;
}

/* As ring_buffer.c has it, step by step. */
static void image_open(const struct image *image, struct image_ring *ring)
{
	u64 seq = (ring->write + IMAGE_SUBBUF - 1) >> IMAGE_ORDER;
	struct ltt_area_slot *slot = image_slot(image, ring, seq);
	struct ltt_packet *packet = (struct ltt_packet *)image_packet(image, ring, seq);
	struct ltt_area_slot *before;

	if (ring->write % IMAGE_SUBBUF) {
		before = image_slot(image, ring, seq - 1);
		before->ts_end = ring->ts;
		before->content_end = ring->write;
	}
	*packet = (struct ltt_packet){
		.magic = LTT_PACKET_MAGIC,
		.stream_id = ring->place.stream_id,
		.timestamp_begin = ring->ts,
		.packet_seq_num = seq,
		.cpu_id = ring->place.cpu,
	};
	memcpy(packet->uuid, image_uuid, sizeof(packet->uuid));
	slot->events_open = slot->events;
	slot->origin = slot->base - (seq << IMAGE_ORDER);
	slot->end = (seq + 1) << IMAGE_ORDER;
	ring->write = (seq << IMAGE_ORDER) + sizeof(*packet);
}

static void image_event(const struct image *image, struct image_ring *ring, u32 id,
			const void *payload, u32 size)
{
	u32 word = LTT_HOST_BE ? id << LTT_TIME_BITS : id;
	u64 rest = -ring->write & (IMAGE_SUBBUF - 1), seq;
	u8 *p;

	ring->ts += IMAGE_STEP;
	if (rest < sizeof(word) + size)
		image_open(image, ring);
	if (LTT_HOST_BE)
		word |= ring->ts & LTT_TIME_MASK;
	else
		word |= (u32)(ring->ts & LTT_TIME_MASK) << LTT_ID_BITS;
	seq = ring->write >> IMAGE_ORDER;
	p = image_packet(image, ring, seq) + ring->write % IMAGE_SUBBUF;
	image_slot(image, ring, seq)->events++;
	memcpy(p, &word, sizeof(word));
	memcpy(p + sizeof(word), payload, size);
	ring->write += sizeof(word) + size;
	ring->events++;
}

static void image_declare(struct image *image)
{
	static const u32 tid[] = { LTT_TYPE(LTT_KIND_INT, 4, LTT_TYPE_SIGNED) };
	static const u32 two[] = { LTT_TYPE(LTT_KIND_INT, 4, 0), LTT_TYPE(LTT_KIND_CPTR, 8, 0) };
	const struct ltt_area_trace trace = {
		.uuid = "area of a test..", .boot_id = "boot of a test..",
		.real_offset = 1700000000000000000ull, .created = IMAGE_TS,
	};
	const struct ltt_area_names names = {
		.name = "test", .hostname = "here", .release = "6.1.0", .build = "#1",
		.version = LTT_VERSION, .clock = "mono",
	};
	const struct ltt_context context = { .text = "tid %d", .nr_types = 1, .types = tid };
	struct ltt_area_log *log = &image->log;
	unsigned int i;
	char name[16];

	if (ltt_area_add_trace(log, &trace, &names) ||
	    ltt_area_add_stream(log, 0, "shared", NULL) ||
	    ltt_area_add_stream(log, 7, "own", &context) ||
	    ltt_area_add_event(log, 0, 0, "first", "number", "n %u s %s", two, 2) ||
	    ltt_area_add_event(log, 7, 0, "own", "plain", "plain", NULL, 0))
		errx(1, "the log is full");
	for (i = 0; i < IMAGE_LIKE; i++) {
		snprintf(name, sizeof(name), "like%u", i);
		if (ltt_area_add_event_like(log, 0, i + 1, "second", name, 0))
			errx(1, "the log is full");
	}
}

/* Its log is there, and no event yet. */
static void image_begin(struct image *image)
{
	u64 at, bytes = (u64)IMAGE_NUM << IMAGE_ORDER;
	unsigned int i, j;

	image->base = aligned_alloc(LTT_AREA_PAGE, IMAGE_SIZE);
	if (!image->base)
		err(1, "image");
	memset(image->base, 0x5a, IMAGE_SIZE);
	ltt_area_begin(&image->log, image->base, IMAGE_SIZE, 3);
	image_declare(image);
	at = image->log.head.data_offset;
	for (i = 0; i < IMAGE_RINGS; i++) {
		image->ring[i] = (struct image_ring){
			.place = {
				.stream_id = i == 2 ? 7 : 0, .cpu = i == 2 ? 0 : i,
				.subbuf_order = IMAGE_ORDER, .subbuf_num = IMAGE_NUM,
				.overwrite = 1, .slots = at, .data = at + LTT_AREA_PAGE,
			},
			.ts = IMAGE_TS + i,
		};
		memset(image->base + at, 0, LTT_AREA_PAGE);
		for (j = 0; j < IMAGE_NUM; j++)
			image_slot(image, &image->ring[i], j)->base = 0xffff888000000000ull + at;
		if (ltt_area_add_buffer(&image->log, LTT_AREA_BUFFER, &image->ring[i].place))
			errx(1, "the log is full");
		at += LTT_AREA_PAGE + bytes;
	}
}

/* Buffers have gone round, and in each one packet is open. */
static inline void image_make(struct image *image)
{
	char text[64];
	u32 n, size;

	image_begin(image);
	for (n = 0; n < 2200; n++) {
		memcpy(text, &n, sizeof(n));
		size = sizeof(n) + 1 + snprintf(text + sizeof(n), sizeof(text) - sizeof(n),
						"text %u", n);
		image_event(image, &image->ring[n & 1], n % (IMAGE_LIKE + 1), text, size);
		image_event(image, &image->ring[2], 0, &n, sizeof(n));
	}
}

/* Events that are in the packets of a buffer. */
static inline u64 image_left(const struct image *image, const struct image_ring *ring)
{
	u64 events = 0;
	unsigned int i;

	for (i = 0; i < IMAGE_NUM; i++)
		events += image_slot(image, ring, i)->events -
			  image_slot(image, ring, i)->events_open;
	return events;
}

#endif /* _LTT_AREA_IMAGE_H */
