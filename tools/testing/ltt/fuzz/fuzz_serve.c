// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: two viewers of ltt serve say what the fuzzer writes, while a trace goes on.
 *
 * The input is a sequence of pieces. The first byte of a piece says which viewer it is from, what
 * happens to the trace before, and how many bytes follow. Whatever they say, packets and replies
 * stay within the memory there is for them.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/serve_source.h"

#define MEMORY		(64u << 10)
#define VIEWERS		2

#define REQUIRE(what)	do { if (!(what)) fail(#what, __LINE__); } while (0)

/* Bits of the first byte. */
#define VIEWER		0x01u
#define PACKET		0x02u
#define STREAM		0x04u
#define TAKE		0x08u
#define LENGTH		4

static void fail(const char *what, int line)
{
	fprintf(stderr, "line %d: not so: %s\n", line, what);
	abort();
}

/* What a viewer says first; the fuzzer would take long to find it. */
static void introduce(struct viewer *viewer)
{
	const struct live_connect hello = { .major = htobe32(2), .type = htobe32(1) };
	struct live_command command = {
		.size = htobe64(sizeof(hello)),
		.type = htobe32(LIVE_CONNECT),
	};
	uint8_t reply[64];

	viewer_feed(viewer, &command, sizeof(command));
	viewer_feed(viewer, &hello, sizeof(hello));
	viewer_take(viewer, reply, sizeof(reply));
	command.size = 0;
	command.type = htobe32(LIVE_CREATE_SESSION);
	viewer_feed(viewer, &command, sizeof(command));
	viewer_take(viewer, reply, sizeof(reply));
	REQUIRE(!viewer->wrong);
}

static void happen(struct store_trace *trace, uint8_t what)
{
	if (what & STREAM && source.streams < 20)
		source.streams++;
	if (what & PACKET && trace->nr_streams) {
		source.watermark += 10;
		source_add_packet(trace->streams[source.watermark / 10 % trace->nr_streams],
				  source.watermark, source.watermark + 5, 84 + what * 30);
		source_add_metadata(trace, "event {};\n");
	}
	REQUIRE(trace->ring_size + trace->held_size <= MEMORY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t reply[1u << 20];
	struct viewer viewers[VIEWERS];
	struct store_trace *trace;
	struct store store;
	unsigned int i;

	memset(&source, 0, sizeof(source));
	source.streams = 2;
	source.watermark = 10;
	store_init(&store, &test_source, MEMORY);
	trace = store_add_trace(&store, "live");
	for (i = 0; i < VIEWERS; i++) {
		viewer_init(&viewers[i], &store, "viewer");
		introduce(&viewers[i]);
	}
	while (size) {
		struct viewer *viewer = &viewers[*data & VIEWER];
		size_t n, len = *data >> LENGTH;

		happen(trace, *data);
		if (*data & TAKE)
			viewer_take(viewer, reply, sizeof(reply));
		data++;
		size--;
		len = 3 * len < size ? 3 * len : size;
		while (len && (n = viewer_feed(viewer, data, len))) {
			data += n;
			size -= n;
			len -= n;
		}
		/* What it is not to say now. */
		data += len;
		size -= len;
		REQUIRE(viewer->out_room <= 256u << 10);
	}
	for (i = 0; i < VIEWERS; i++)
		viewer_free(&viewers[i]);
	REQUIRE(!source.opened);
	store_free(&store);
	return 0;
}
