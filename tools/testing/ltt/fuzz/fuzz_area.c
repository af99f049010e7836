// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: memory that survived, as anybody may have written it.
 *
 * The input is a list of changes to the image of a small area: where (three bytes), how many
 * bytes, and these. So that it gets further than checksums, those of the head and of all
 * records are made anew if the first byte says so. Whatever is found consists of whole events of
 * known kinds, in order.
 */
#include <stdio.h>

#include <linux/ltt/decode.h>
#include <linux/ltt/textbuf.h>

#include "../unit/area_image.h"

#define FLAG_SUMS	0x01u

#define REQUIRE(what)	do { if (!(what)) fail(#what, __LINE__); } while (0)

static void fail(const char *what, int line)
{
	fprintf(stderr, "line %d: not so: %s\n", line, what);
	abort();
}

static void make_sums(u8 *image)
{
	struct ltt_area_head *head = (struct ltt_area_head *)image;
	struct ltt_area_record *record;
	u64 at;

	head->crc = ltt_area_head_crc(head);
	for (at = LTT_AREA_PAGE; at + sizeof(*record) <= IMAGE_SIZE / 4; at += 8) {
		record = (struct ltt_area_record *)(image + at);
		if (record->magic == LTT_AREA_RECORD && record->size <= 8192)
			record->crc = ltt_area_crc(head->generation, record, record + 1);
	}
}

static void check_packet(const struct ltt_found *found, const struct ltt_found_buffer *buffer,
			 const struct ltt_found_packet *packet)
{
	const struct ltt_found_stream *stream = &found->streams[buffer->stream];
	u64 ts = packet->begin, events = 0;
	u32 at = sizeof(struct ltt_packet), id;
	const struct ltt_found_event *event;
	long size;

	REQUIRE(packet->size >= at && packet->size <= 1u << buffer->subbuf_order);
	for (; at < packet->size; at += size, events++) {
		size = ltt_decode_header(packet->data + at, packet->size - at, &ts, &id, false);
		REQUIRE(size > 0);
		at += size;
		event = ltt_area_event(found, buffer->stream, id);
		REQUIRE(event);
		size = ltt_event_size(stream->context.format, event->format, packet->data + at,
				      packet->size - at, false);
		REQUIRE(size >= 0);
	}
	REQUIRE(at == packet->size && events == packet->events && ts <= packet->end);
}

static void check(const struct ltt_found *found)
{
	static char text[256u << 10];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	const struct ltt_found_buffer *buffer;
	u64 before;
	u32 i, j;

	for (i = 0; i < found->nr_buffers; i++) {
		buffer = &found->buffers[i];
		before = 0;
		for (j = 0; j < buffer->nr_packets; j++) {
			check_packet(found, buffer, &buffer->packets[j]);
			REQUIRE(buffer->packets[j].begin >= before);
			REQUIRE(buffer->packets[j].seq == buffer->packets[0].seq + j);
			before = buffer->packets[j].end;
		}
	}
	REQUIRE(!ltt_area_info(found, &out) && out.pos < out.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image image;
	static u8 *copy;
	const uint8_t *end = data + size;
	char why[LTT_AREA_ERROR];
	struct ltt_area_head head;
	struct ltt_found *found;
	bool sums;
	u32 at;

	if (!copy) {
		image_make(&image);
		copy = aligned_alloc(LTT_AREA_PAGE, IMAGE_SIZE);
		REQUIRE(copy);
	}
	if (!size)
		return 0;
	memcpy(copy, image.base, IMAGE_SIZE);
	sums = *data++ & FLAG_SUMS;
	while (end - data > 4) {
		at = (data[0] | data[1] << 8 | data[2] << 16) % IMAGE_SIZE;
		size = min_t(size_t, data[3] % 64 + 1, end - data - 4);
		size = min_t(size_t, size, IMAGE_SIZE - at);
		memcpy(copy + at, data + 4, size);
		data += 4 + size;
	}
	if (sums)
		make_sums(copy);
	if (ltt_area_check(copy, IMAGE_SIZE, &head, why))
		return 0;
	found = ltt_area_scan(copy, &head, why);
	if (IS_ERR(found))
		return 0;
	check(found);
	ltt_area_found_free(found);
	return 0;
}
