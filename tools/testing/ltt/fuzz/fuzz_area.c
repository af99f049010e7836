// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: memory that survived, or was dumped, as anybody may have written it.
 *
 * The input is a list of changes to the image of a small area, or to memory with the root of a
 * trace, which the first byte says: where (three bytes), how many bytes, and these. So that it
 * gets further than checksums, those of the head and of all records are made anew if that
 * byte says so. Whatever is found consists of whole events of known kinds, in order.
 */
#include <stdio.h>

#include <linux/ltt/decode.h>
#include <linux/ltt/textbuf.h>

#include "../../../ltt/crash/crash.h"
#include "../unit/vmcore_image.h"

#define FLAG_SUMS	0x01u
#define FLAG_ROOT	0x02u
#define FLAG_DUMP	0x04u

#define REQUIRE(what)	do { if (!(what)) fail(#what, __LINE__); } while (0)

#define EVENTS		30u	/* of each ring */
#define PER_PACKET	4u

static void fail(const char *what, int line)
{
	fprintf(stderr, "line %d: not so: %s\n", line, what);
	abort();
}

/* Has gone round, with few events in each packet: it is looked at again and again. */
static void make(struct image *image)
{
	u8 payload[] = "1234some letters";
	struct image_ring *ring;
	unsigned int i;
	u32 n;

	image_begin(image);
	for (i = 0; i < IMAGE_RINGS; i++) {
		ring = &image->ring[i];
		for (n = 0; n < EVENTS; n++) {
			if (!(n % PER_PACKET))
				image_open(image, ring);
			memcpy(payload, &n, sizeof(n));
			image_event(image, ring, i == 2 ? 0 : n % (IMAGE_LIKE + 1), payload,
				    i == 2 ? sizeof(n) : sizeof(payload));
		}
	}
}

static void make_sums(u8 *image)
{
	struct ltt_area_head *head = (struct ltt_area_head *)image;
	struct ltt_area_record *record;
	u64 at;

	head->crc = ltt_area_head_crc(head);
	for (at = LTT_AREA_PAGE; at + sizeof(*record) <= IMAGE_SIZE / 4; at += 8) {
		record = (struct ltt_area_record *)(image + at);
		if (record->magic == LTT_AREA_RECORD && record->size <= LTT_AREA_PAYLOAD_MAX)
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

/* ---- an area ---------------------------------------------------------------------- */

static void look_at_area(u8 *copy)
{
	char why[LTT_AREA_ERROR];
	struct ltt_area_head head;
	struct ltt_found *found;

	if (ltt_area_check(copy, IMAGE_SIZE, &head, why))
		return;
	found = ltt_area_scan(copy, &head, why);
	if (IS_ERR(found))
		return;
	check(found);
	ltt_area_found_free(found);
}

/* ---- memory, as ltt crash looks at it ---------------------------------------------- */

void crash_say(const struct crash *crash __maybe_unused, const char *format __maybe_unused, ...)
{
}

void crash_say_at(const struct crash *crash __maybe_unused, u64 at __maybe_unused,
		  const char *what __maybe_unused)
{
}

bool crash_read(const struct crash *crash, u64 address, void *to, size_t size)
{
	if (address > MEMORY_SIZE || size > MEMORY_SIZE - address)
		return false;
	memcpy(to, crash->bytes + address, size);
	return true;
}

bool crash_next_page(const struct crash *crash __maybe_unused, u64 *address)
{
	return *address < MEMORY_SIZE;
}

/* Most of it is not in the dump. */
u64 vmcore_room(const struct vmcore *vmcore __maybe_unused)
{
	return 64 * MEMORY_SIZE;
}

u64 vmcore_most(const struct vmcore *vmcore __maybe_unused)
{
	return U64_MAX;
}

static void look_at_trace(const struct crash *crash, const struct crash_trace *trace)
{
	struct ltt_found *found = NULL;
	char why[LTT_AREA_ERROR];
	struct crash_half half;

	if (!crash_compose(crash, trace, false, &half))
		found = ltt_area_scan_holes(half.base, &half.head, half.holes, half.nr_holes, why);
	if (!IS_ERR_OR_NULL(found)) {
		check(found);
		ltt_area_found_free(found);
	}
	crash_decompose(&half);
}

static void look_at_memory(u8 *copy, bool is_dump)
{
	struct crash crash = { .bytes = copy };
	unsigned int i;

	if (is_dump)
		crash.vmcore = (struct vmcore *)copy;
	else
		crash.size = MEMORY_SIZE;

	REQUIRE(!crash_find(&crash));
	for (i = 0; i < crash.nr; i++) {
		look_at_trace(&crash, &crash.traces[i]);
		free(crash.traces[i].name);
	}
	free(crash.traces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory memory;
	static struct image image;
	static u8 *copy;
	const uint8_t *end = data + size;
	size_t whole;
	u8 flags;
	u32 at;

	if (!copy) {
		make(&image);
		memory_make(&memory, 0, &image);
		memory_window(&memory, memory_first_buffer(&memory));
		copy = aligned_alloc(LTT_AREA_PAGE, max(IMAGE_SIZE, MEMORY_SIZE));
		REQUIRE(copy);
	}
	if (!size)
		return 0;
	flags = *data++;
	whole = flags & FLAG_ROOT ? MEMORY_SIZE : IMAGE_SIZE;
	memcpy(copy, flags & FLAG_ROOT ? memory.bytes : image.base, whole);
	while (end - data > 4) {
		at = (data[0] | data[1] << 8 | data[2] << 16) % whole;
		size = min_t(size_t, data[3] % 64 + 1, end - data - 4);
		size = min_t(size_t, size, whole - at);
		memcpy(copy + at, data + 4, size);
		data += 4 + size;
	}
	if (flags & FLAG_ROOT) {
		if (flags & FLAG_SUMS)
			memory_sums(&(struct memory){ .bytes = copy });
		look_at_memory(copy, flags & FLAG_DUMP);
	} else {
		if (flags & FLAG_SUMS)
			make_sums(copy);
		look_at_area(copy);
	}
	return 0;
}
