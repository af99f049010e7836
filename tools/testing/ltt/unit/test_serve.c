// SPDX-License-Identifier: GPL-2.0
/*
 * ltt serve without a kernel: what viewers are told, what they may not do, and that nothing they
 * do takes more memory than there is for them.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "../../../ltt/serve/say.h"
#include "ktap.h"
#include "serve_source.h"

#define MEMORY	(64u << 10)

static struct store store;
static struct store_trace *trace;

static void begin(unsigned int streams)
{
	memset(&source, 0, sizeof(source));
	source.streams = streams;
	store_init(&store, &test_source, MEMORY);
	store.host = "machine";
	trace = store_add_trace(&store, "live");
}

static void end(void)
{
	EXPECT(!source.opened, "%u traces are open", source.opened);
	store_free(&store);
}

/* Say a command in pieces of @piece bytes, all of it at once if that is 0. */
static void say_in_pieces(struct viewer *viewer, uint32_t type, const void *data, size_t size,
			  size_t piece)
{
	struct live_command command = { .size = htobe64(size), .type = htobe32(type) };
	uint8_t all[sizeof(command) + 64];
	size_t at = 0, n, len = sizeof(command) + size;

	memcpy(all, &command, sizeof(command));
	if (size)
		memcpy(all + sizeof(command), data, size);
	while (at < len) {
		n = piece && piece < len - at ? piece : len - at;
		n = viewer_feed(viewer, all + at, n);
		if (!n)
			break;
		at += n;
	}
}

static void command(struct viewer *viewer, uint32_t type, const void *data, size_t size)
{
	say_in_pieces(viewer, type, data, size, 0);
}

static void command_id(struct viewer *viewer, uint32_t type, uint64_t id)
{
	id = htobe64(id);
	command(viewer, type, &id, sizeof(id));
}

static uint32_t take_u32(struct viewer *viewer)
{
	uint32_t value = 0;

	EXPECT(viewer_take(viewer, &value, sizeof(value)) == sizeof(value), "no reply");
	return be32toh(value);
}

static void nothing_more(struct viewer *viewer)
{
	const void *from;

	EXPECT(!viewer_reply(viewer, &from), "more than was expected");
}

static const struct live_connect hello = {
	.viewer = UINT64_MAX, .major = 0x02000000, .minor = 0x0f000000, .type = 0x01000000,
};

static void connect_viewer(struct viewer *viewer)
{
	struct live_connect reply;

	viewer_init(viewer, &store, "test");
	command(viewer, LIVE_CONNECT, &hello, sizeof(hello));
	EXPECT(viewer_take(viewer, &reply, sizeof(reply)) == sizeof(reply), "no reply");
	EXPECT(be32toh(reply.major) == 2 && be32toh(reply.minor) == 4, "version %u.%u",
	       be32toh(reply.major), be32toh(reply.minor));
	command(viewer, LIVE_CREATE_SESSION, NULL, 0);
	EXPECT(take_u32(viewer) == LIVE_CREATE_OK, "no viewer");
	nothing_more(viewer);
}

static uint32_t try_attach(struct viewer *viewer, uint64_t id, uint32_t seek)
{
	struct live_attach request = { .session = htobe64(id), .seek = htobe32(seek) };

	command(viewer, LIVE_ATTACH_SESSION, &request, sizeof(request));
	return take_u32(viewer);
}

/* Streams of a reply, that of the metadata first if it is the first reply. */
static void take_streams(struct viewer *viewer, unsigned int count, unsigned int first)
{
	struct live_stream s;
	unsigned int i;

	EXPECT(take_u32(viewer) == count, "not %u streams", count);
	for (i = 0; i < count; i++) {
		EXPECT(viewer_take(viewer, &s, sizeof(s)) == sizeof(s), "stream is missing");
		EXPECT(be64toh(s.id) == (trace->id << 32 | (first + i)), "stream %llx",
		       (unsigned long long)be64toh(s.id));
		EXPECT(be32toh(s.metadata) == !(first + i), "metadata or not");
		EXPECT_STR(s.path, "machine/live");
	}
	nothing_more(viewer);
}

static void start(struct viewer *viewer)
{
	connect_viewer(viewer);
	EXPECT(try_attach(viewer, trace->id, LIVE_SEEK_LAST) == LIVE_ATTACH_OK, "not attached");
	take_streams(viewer, source.streams ? source.streams + 1 : 0, 0);
}

static struct live_index next_index(struct viewer *viewer, unsigned int stream)
{
	struct live_index index = { };

	command_id(viewer, LIVE_GET_NEXT_INDEX, trace->id << 32 | stream);
	EXPECT(viewer_take(viewer, &index, sizeof(index)) == sizeof(index), "no index");
	nothing_more(viewer);
	return index;
}

static void expect_index(struct viewer *viewer, unsigned int stream, uint32_t status,
			 uint32_t flags)
{
	struct live_index index = next_index(viewer, stream);

	EXPECT(be32toh(index.status) == status, "status %u, wanted %u", be32toh(index.status),
	       status);
	EXPECT(be32toh(index.flags) == flags, "flags %x, wanted %x", be32toh(index.flags), flags);
}

static void expect_beacon(struct viewer *viewer, unsigned int stream, uint64_t time)
{
	struct live_index index = next_index(viewer, stream);

	EXPECT(be32toh(index.status) == LIVE_INDEX_INACTIVE, "status %u", be32toh(index.status));
	EXPECT(be64toh(index.timestamp_end) == time, "time %llu",
	       (unsigned long long)be64toh(index.timestamp_end));
	EXPECT(be64toh(index.stream_id) == 6 + stream, "stream id");
}

/* A part of a packet. Return: its length, 0: an error. */
static uint32_t get_packet(struct viewer *viewer, unsigned int stream, uint64_t offset,
			   uint32_t len, uint8_t *to)
{
	struct live_get_packet request = {
		.stream = htobe64(trace->id << 32 | stream), .offset = htobe64(offset),
		.len = htobe32(len),
	};
	struct live_packet reply = { };

	command(viewer, LIVE_GET_PACKET, &request, sizeof(request));
	EXPECT(viewer_take(viewer, &reply, sizeof(reply)) == sizeof(reply), "no packet");
	len = be32toh(reply.len);
	EXPECT(be32toh(reply.status) == (len ? LIVE_PACKET_OK : LIVE_PACKET_ERROR), "status %u",
	       be32toh(reply.status));
	EXPECT(viewer_take(viewer, to, len) == len, "bytes are missing");
	nothing_more(viewer);
	return len;
}

static size_t get_metadata(struct viewer *viewer, char *to, size_t size)
{
	struct live_metadata reply = { };
	size_t len;

	command_id(viewer, LIVE_GET_METADATA, trace->id << 32);
	EXPECT(viewer_take(viewer, &reply, sizeof(reply)) == sizeof(reply), "no metadata");
	len = be64toh(reply.len);
	EXPECT(be32toh(reply.status) == (len ? LIVE_METADATA_OK : LIVE_METADATA_NO_NEW), "status %u",
	       be32toh(reply.status));
	if (!EXPECT(len < size, "%zu bytes", len))
		exit(1);
	EXPECT(viewer_take(viewer, to, len) == len, "bytes are missing");
	to[len] = '\0';
	nothing_more(viewer);
	return len;
}

/* ---- what viewers are told ------------------------------------------------------ */

static void list(void)
{
	struct live_session session;
	struct viewer viewer;
	char name[32];
	unsigned int i;

	begin(2);
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "trace-%u", i);
		store_add_trace(&store, name);
	}
	connect_viewer(&viewer);
	command(&viewer, LIVE_LIST_SESSIONS, NULL, 0);
	EXPECT(take_u32(&viewer) == 301, "not all traces");
	viewer_take(&viewer, &session, sizeof(session));
	EXPECT_STR(session.name, "live");
	EXPECT_STR(session.host, "machine");
	for (i = 0; i < 300; i++)
		viewer_take(&viewer, &session, sizeof(session));
	EXPECT_STR(session.name, "trace-299");
	nothing_more(&viewer);
	viewer_free(&viewer);
	end();
}

static void dialogue(void)
{
	static const size_t sizes[] = { 84, 1000, 40000 };
	static uint8_t bytes[40000];
	struct live_index index;
	struct viewer viewer;
	char text[256];
	unsigned int i;
	uint32_t at;

	begin(2);
	start(&viewer);
	EXPECT(source.opened == 1 && trace->viewers == 1, "not open");
	get_metadata(&viewer, text, sizeof(text));
	EXPECT_STR(text, "/* CTF 1.8 */\ntrace {};\n");
	EXPECT(!get_metadata(&viewer, text, sizeof(text)), "again");
	expect_index(&viewer, 1, LIVE_INDEX_RETRY, 0);
	for (i = 0; i < 3; i++)
		source_add_packet(trace->streams[1], 100 * i, 100 * i + 50, sizes[i]);
	source_add_metadata(trace, "event {};\n");
	for (i = 0; i < 3; i++) {
		index = next_index(&viewer, 2);
		EXPECT(be32toh(index.status) == LIVE_INDEX_OK, "status");
		EXPECT(be32toh(index.flags) == (i ? 0 : LIVE_NEW_METADATA), "flags");
		EXPECT(be64toh(index.packet_size) == sizes[i] * 8 &&
		       be64toh(index.content_size) == sizes[i] * 8, "sizes");
		EXPECT(be64toh(index.timestamp_begin) == 100 * i &&
		       be64toh(index.timestamp_end) == 100 * i + 50, "times");
		EXPECT(be64toh(index.stream_id) == 8, "stream id");
		for (at = 0; at < sizes[i]; )
			at += get_packet(&viewer, 2, be64toh(index.offset) + at, 999, bytes + at);
		EXPECT(at == sizes[i] && bytes[at - 1] == (at > 84 ? i : 0), "bytes");
		/* Babeltrace 2.1 gets the first one twice. */
		EXPECT(get_packet(&viewer, 2, be64toh(index.offset), 999, bytes) > 0, "gone");
		if (!i) {
			get_metadata(&viewer, text, sizeof(text));
			EXPECT_STR(text, "/* CTF 1.8 */\nevent {};\n");
		}
	}
	expect_index(&viewer, 2, LIVE_INDEX_RETRY, 0);
	command_id(&viewer, LIVE_DETACH_SESSION, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_DETACH_OK, "attached");
	EXPECT(!source.opened && !trace->nr_streams, "open");
	command_id(&viewer, LIVE_DETACH_SESSION, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_DETACH_UNKNOWN, "detached twice");
	viewer_free(&viewer);
	end();
}

/* Numbers of packets do not fit into an offset any more. */
static void many_packets(void)
{
	struct store_stream *stream;
	struct live_index index;
	struct viewer viewer;
	uint8_t bytes[1000];
	unsigned int i;

	begin(1);
	start(&viewer);
	stream = trace->streams[0];
	stream->first = UINT32_MAX;
	stream->next = UINT32_MAX;
	SLIST_FIRST(&viewer.traces)->streams[0].next = UINT32_MAX;
	for (i = 0; i < 3; i++) {
		source_add_packet(stream, 100 * i, 100 * i + 50, 1000);
		index = next_index(&viewer, 1);
		EXPECT(get_packet(&viewer, 1, be64toh(index.offset), 1000, bytes) == 1000,
		       "packet %llx", (unsigned long long)stream->next - 1);
	}
	viewer_free(&viewer);
	end();
}

/* A beacon is neither before the last packet's end nor before streams that are not known yet. */
static void beacons(void)
{
	struct viewer viewer;
	char text[256];

	begin(1);
	start(&viewer);
	source.streams = 2;
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_NO_NEW, "streams before the metadata");
	take_streams(&viewer, 0, 0);
	get_metadata(&viewer, text, sizeof(text));
	expect_index(&viewer, 1, LIVE_INDEX_OK, LIVE_NEW_STREAMS);
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_OK, "no streams");
	take_streams(&viewer, 1, 2);
	source.watermark = 1000;
	expect_beacon(&viewer, 1, 1000);
	source_add_packet(trace->streams[0], 1200, 1500, 100);
	expect_index(&viewer, 1, LIVE_INDEX_OK, 0);
	expect_beacon(&viewer, 1, 1500);
	expect_beacon(&viewer, 2, 999);
	source.watermark = 2000;
	expect_beacon(&viewer, 1, 2000);

	source.streams = 4;
	source.watermark = 3000;
	expect_index(&viewer, 2, LIVE_INDEX_OK, LIVE_NEW_STREAMS);
	expect_index(&viewer, 1, LIVE_INDEX_OK, LIVE_NEW_STREAMS);
	EXPECT(!get_packet(&viewer, 1, 0, 100, (uint8_t *)text), "there is a packet");
	expect_index(&viewer, 3, LIVE_INDEX_ERROR, 0);
	source_add_packet(trace->streams[2], 2500, 2600, 100);
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_OK, "no streams");
	take_streams(&viewer, 2, 3);
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_NO_NEW, "again");
	take_streams(&viewer, 0, 0);
	expect_beacon(&viewer, 1, 3000);
	expect_index(&viewer, 3, LIVE_INDEX_OK, 0);
	viewer_free(&viewer);
	end();
}

/* Babeltrace would forget a trace that has a stream of metadata only. */
static void no_streams_yet(void)
{
	struct viewer viewer;

	begin(0);
	start(&viewer);
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_NO_NEW, "streams");
	take_streams(&viewer, 0, 0);
	source.streams = 20;
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_OK, "no streams");
	take_streams(&viewer, 21, 0);
	viewer_free(&viewer);
	end();
}

/* The trace is destroyed: first all that there is, then its end. */
static void the_end(void)
{
	struct viewer viewer, late;
	struct live_index index;
	uint8_t bytes[100];
	char text[256];

	begin(1);
	start(&viewer);
	get_metadata(&viewer, text, sizeof(text));
	source_add_packet(trace->streams[0], 100, 200, 100);
	trace->streams[0]->ended = true;
	store_forget_trace(trace);
	index = next_index(&viewer, 1);
	EXPECT(be32toh(index.status) == LIVE_INDEX_OK, "status");
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_NO_NEW, "it ends before its last packet");
	take_streams(&viewer, 0, 0);
	get_packet(&viewer, 1, be64toh(index.offset), 100, bytes);
	expect_index(&viewer, 1, LIVE_INDEX_HUP, 0);
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_HUP, "no end");
	take_streams(&viewer, 0, 0);
	EXPECT(!get_metadata(&viewer, text, sizeof(text)), "metadata");
	connect_viewer(&late);
	EXPECT(try_attach(&late, trace->id, LIVE_SEEK_LAST) == LIVE_ATTACH_UNKNOWN, "attached");
	take_streams(&late, 0, 0);
	viewer_free(&late);
	viewer_free(&viewer);
	EXPECT(TAILQ_EMPTY(&store.traces), "not freed");
	end();
}

/* It goes on, but some of its metadata are lost: that is no end. */
static void broken(void)
{
	struct live_metadata reply;
	struct viewer viewer;
	char text[256];

	begin(1);
	start(&viewer);
	get_metadata(&viewer, text, sizeof(text));
	trace->streams[0]->ended = true;
	trace->broken = true;
	store_forget_trace(trace);
	expect_index(&viewer, 1, LIVE_INDEX_ERROR, 0);
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_ERROR, "new streams");
	take_streams(&viewer, 0, 0);
	command_id(&viewer, LIVE_GET_METADATA, trace->id << 32);
	EXPECT(viewer_take(&viewer, &reply, sizeof(reply)) == sizeof(reply), "no reply");
	EXPECT(be32toh(reply.status) == LIVE_METADATA_ERROR, "status %u", be32toh(reply.status));
	viewer_free(&viewer);
	end();
}

/* ---- memory ------------------------------------------------------------------------ */

static bool is_bounded(void)
{
	return trace->ring_size + trace->held_size <= MEMORY;
}

/* One reads all, one nothing, one has begun with a packet: each gets what it can. */
static void slow(void)
{
	struct viewer quick, none, middle;
	struct live_index index, held;
	uint8_t bytes[4096];
	unsigned int i;

	begin(2);
	start(&quick);
	start(&none);
	start(&middle);
	source_add_packet(trace->streams[0], 1, 2, 4000);
	held = next_index(&middle, 1);
	EXPECT(get_packet(&middle, 1, be64toh(held.offset), 1000, bytes) == 1000, "no packet");
	for (i = 1; i < 100; i++) {
		source_add_packet(trace->streams[0], 10 * i, 10 * i + 5, 4000);
		EXPECT(is_bounded(), "too much memory");
	}
	index = next_index(&none, 1);
	EXPECT(trace->streams[0]->first > 80, "the ring is too large: from %llu",
	       (unsigned long long)trace->streams[0]->first);
	EXPECT(be64toh(index.offset) >> 32 == trace->streams[0]->first, "not the oldest packet");
	EXPECT(SLIST_FIRST(&none.traces)->lost == trace->streams[0]->first, "lost %llu",
	       (unsigned long long)SLIST_FIRST(&none.traces)->lost);
	/* What has been begun is there. */
	EXPECT(get_packet(&middle, 1, be64toh(held.offset) + 1000, 4000, bytes) == 3000,
	       "the rest is gone");
	EXPECT(SLIST_FIRST(&middle.traces)->late == 0, "late");
	for (i = 0; i < 100; i++) {
		source_add_packet(trace->streams[1], 10 * i, 10 * i + 5, 4000);
		index = next_index(&quick, 2);
		EXPECT(be64toh(index.offset) >> 32 == i, "not the next packet");
		EXPECT(get_packet(&quick, 2, be64toh(index.offset), 4000, bytes) == 4000, "gone");
	}
	EXPECT(SLIST_FIRST(&quick.traces)->lost == 0, "lost");
	viewer_free(&quick);
	viewer_free(&none);
	viewer_free(&middle);
	end();
}

/* What cannot be stored is lost, for all who have not been told of it, and of what came before. */
static void not_stored(void)
{
	struct viewer viewer, held;
	struct live_index index;
	uint8_t bytes[100];

	begin(1);
	start(&viewer);
	start(&held);
	source_add_packet(trace->streams[0], 1, 2, 100);
	index = next_index(&held, 1);
	EXPECT(source_add_packet(trace->streams[0], 3, 4, 10) == -EBADMSG, "that is no packet");
	expect_index(&viewer, 1, LIVE_INDEX_RETRY, LIVE_NEW_METADATA);
	EXPECT(SLIST_FIRST(&viewer.traces)->lost == 2, "not counted");
	EXPECT(get_packet(&held, 1, be64toh(index.offset), 100, bytes) == 100, "what is held is lost");
	source_add_packet(trace->streams[0], 5, 6, 100);
	index = next_index(&held, 1);
	EXPECT(be64toh(index.timestamp_begin) == 5, "not the next");
	EXPECT(SLIST_FIRST(&held.traces)->lost == 1, "not counted");
	viewer_free(&viewer);
	viewer_free(&held);
	end();
}

/* Viewers that hold packets and never get them have them taken away, the oldest first. */
static void hoarders(void)
{
	enum { VIEWERS = 30 };
	struct viewer viewers[VIEWERS];
	struct live_index indexes[VIEWERS];
	uint8_t bytes[4096];
	unsigned int i, gone = 0;

	begin(1);
	for (i = 0; i < VIEWERS; i++)
		start(&viewers[i]);
	for (i = 0; i < VIEWERS; i++) {
		source_add_packet(trace->streams[0], 10 * i, 10 * i + 5, 4000);
		/* Each holds another packet. */
		SLIST_FIRST(&viewers[i].traces)->streams[0].next = i;
		indexes[i] = next_index(&viewers[i], 1);
		EXPECT(is_bounded(), "too much memory");
	}
	for (i = 0; i < 20; i++)
		source_add_packet(trace->streams[0], 1000 + 10 * i, 1005 + 10 * i, 4000);
	EXPECT(is_bounded(), "too much memory");
	EXPECT(trace->held_size > MEMORY / 4, "nothing is held");
	for (i = 0; i < VIEWERS; i++) {
		if (get_packet(&viewers[i], 1, be64toh(indexes[i].offset), 4000, bytes))
			continue;
		EXPECT(gone == i, "not the oldest first");
		EXPECT(SLIST_FIRST(&viewers[i].traces)->late == 1, "not counted");
		gone++;
	}
	EXPECT(gone && gone < VIEWERS, "%u of %u", gone, VIEWERS);
	/* They go on with others. */
	expect_index(&viewers[0], 1, LIVE_INDEX_OK, LIVE_NEW_METADATA);
	for (i = 0; i < VIEWERS; i++)
		viewer_free(&viewers[i]);
	end();
}

/* ---- what they may not do -------------------------------------------------------- */

/* Nothing is said to it, and nothing wanted of it, any more. */
static void refused(struct viewer *viewer, const char *why)
{
	void *to;

	nothing_more(viewer);
	EXPECT(!viewer_want(viewer, &to), "it may go on");
	EXPECT_STR(viewer->wrong ?: "nothing", why);
	viewer_free(viewer);
}

static void wrong_commands(void)
{
	static const uint64_t sizes[] = {
		0, 1, 7, 8, 9, 19, 20, 21, 24, 1u << 30,
		UINT64_MAX - 15, UINT64_MAX - 36, UINT64_MAX,
	};
	static const size_t right[] = { 0, 20, 0, 20, 8, 20, 8, 8, 0, 8 };
	struct live_connect other = hello;
	struct live_command c;
	struct viewer viewer;
	unsigned int type, i;

	begin(1);
	for (type = 0; type < 40; type++) {
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			const bool known = type >= 1 && type <= 9;

			if (known && sizes[i] == right[type])
				continue;
			connect_viewer(&viewer);
			c.size = htobe64(sizes[i]);
			c.type = htobe32(type);
			c.version = 0;
			viewer_feed(&viewer, &c, sizeof(c));
			refused(&viewer, known ? "command of a wrong length" : "unknown command");
		}
	}
	viewer_init(&viewer, &store, "test");
	command(&viewer, LIVE_LIST_SESSIONS, NULL, 0);
	refused(&viewer, "does not say its version");
	connect_viewer(&viewer);
	command(&viewer, LIVE_CONNECT, &hello, sizeof(hello));
	refused(&viewer, "connects twice");
	other.major = htobe32(3);
	viewer_init(&viewer, &store, "test");
	command(&viewer, LIVE_CONNECT, &other, sizeof(other));
	refused(&viewer, "speaks another version of the protocol");
	other = hello;
	other.type = htobe32(2);
	viewer_init(&viewer, &store, "test");
	command(&viewer, LIVE_CONNECT, &other, sizeof(other));
	refused(&viewer, "wants another kind of connection");
	end();
}

static void wrong_requests(void)
{
	struct live_metadata metadata;
	struct live_index index;
	uint64_t offset;
	struct viewer viewer;
	uint8_t bytes[4096];

	begin(2);
	viewer_init(&viewer, &store, "test");
	command(&viewer, LIVE_CONNECT, &hello, sizeof(hello));
	viewer_take(&viewer, bytes, sizeof(hello));
	EXPECT(try_attach(&viewer, trace->id, LIVE_SEEK_LAST) == LIVE_ATTACH_NO_VIEWER, "attached");
	viewer_free(&viewer);

	connect_viewer(&viewer);
	EXPECT(try_attach(&viewer, trace->id + 1, LIVE_SEEK_LAST) == LIVE_ATTACH_UNKNOWN,
	       "attached");
	take_streams(&viewer, 0, 0);
	EXPECT(try_attach(&viewer, trace->id, 3) == LIVE_ATTACH_SEEK, "attached");
	take_streams(&viewer, 0, 0);
	expect_index(&viewer, 1, LIVE_INDEX_ERROR, 0);
	command_id(&viewer, LIVE_GET_NEW_STREAMS, trace->id);
	EXPECT(take_u32(&viewer) == LIVE_STREAMS_ERROR, "not attached");
	take_streams(&viewer, 0, 0);
	viewer_free(&viewer);

	start(&viewer);
	EXPECT(try_attach(&viewer, trace->id, LIVE_SEEK_LAST) == LIVE_ATTACH_ALREADY, "attached");
	take_streams(&viewer, 0, 0);
	expect_index(&viewer, 0, LIVE_INDEX_ERROR, 0);
	expect_index(&viewer, 3, LIVE_INDEX_ERROR, 0);
	expect_index(&viewer, UINT32_MAX, LIVE_INDEX_ERROR, 0);
	command_id(&viewer, LIVE_GET_METADATA, trace->id << 32 | 1);
	viewer_take(&viewer, &metadata, sizeof(metadata));
	EXPECT(be32toh(metadata.status) == LIVE_METADATA_ERROR, "metadata");
	source_add_packet(trace->streams[0], 1, 2, 1000);
	EXPECT(!get_packet(&viewer, 1, 0, 100, bytes), "there was no index");
	index = next_index(&viewer, 1);
	offset = be64toh(index.offset);
	EXPECT(!get_packet(&viewer, 1, offset + 1000, 1, bytes), "after the end");
	EXPECT(!get_packet(&viewer, 1, offset + UINT32_MAX, 1, bytes), "far after the end");
	EXPECT(!get_packet(&viewer, 1, offset + (1ull << 32), 1, bytes), "another packet");
	EXPECT(!get_packet(&viewer, 1, offset, 0, bytes), "no bytes");
	EXPECT(!get_packet(&viewer, 2, offset, 1, bytes), "another stream");
	EXPECT(!get_packet(&viewer, 0, offset, 1, bytes), "the metadata");
	EXPECT(get_packet(&viewer, 1, offset + 999, UINT32_MAX, bytes) == 1, "the last byte");
	EXPECT(get_packet(&viewer, 1, offset, 1, bytes) == 1, "again");
	next_index(&viewer, 1);
	EXPECT(!get_packet(&viewer, 1, offset, 1, bytes), "after the next was asked for");
	viewer_free(&viewer);
	end();
}

/* Bytes come as they come, and replies go so. */
static void in_pieces(void)
{
	struct live_attach request = { .session = htobe64(1), .seek = htobe32(LIVE_SEEK_LAST) };
	struct live_session session;
	struct viewer viewer;
	const void *from;
	size_t i, n;

	begin(3);
	viewer_init(&viewer, &store, "test");
	say_in_pieces(&viewer, LIVE_CONNECT, &hello, sizeof(hello), 1);
	for (i = 0; (n = viewer_reply(&viewer, &from)); i++)
		viewer_sent(&viewer, 1);
	EXPECT(i == sizeof(hello), "%zu bytes", i);
	say_in_pieces(&viewer, LIVE_CREATE_SESSION, NULL, 0, 3);
	/* The next command waits for the reply. */
	command(&viewer, LIVE_LIST_SESSIONS, NULL, 0);
	EXPECT(take_u32(&viewer) == LIVE_CREATE_OK, "not created");
	nothing_more(&viewer);
	command(&viewer, LIVE_LIST_SESSIONS, NULL, 0);
	EXPECT(take_u32(&viewer) == 1, "no trace");
	viewer_take(&viewer, &session, sizeof(session));
	say_in_pieces(&viewer, LIVE_ATTACH_SESSION, &request, sizeof(request), 7);
	for (i = 0; (n = viewer_reply(&viewer, &from)); i += n) {
		n = n > 100 ? 100 : n;
		viewer_sent(&viewer, n);
	}
	EXPECT(i == sizeof(struct live_streams) + 4 * sizeof(struct live_stream), "%zu bytes", i);
	viewer_free(&viewer);
	end();
}

static unsigned long long seed = 1;

static void arrive(struct store_stream *stream)
{
	uint64_t now = ++source.watermark * 10;

	if (ktap_random(&seed) % 3)
		source_add_packet(stream, now, now + 5, 84 + ktap_random(&seed) % 5000);
	if (!(ktap_random(&seed) % 50))
		source_add_metadata(stream->trace, "event {};\n");
	if (!(ktap_random(&seed) % 200) && source.streams < 40)
		source.streams++;
}

/* A command of the right length, or nearly so, with numbers that may be right. */
static void random_command(struct viewer *viewer)
{
	static const size_t right[] = { 0, 20, 0, 20, 8, 20, 8, 8, 0, 8 };
	uint32_t type = 2 + ktap_random(&seed) % 8, len = 1 + ktap_random(&seed) % 9000;
	uint64_t id = trace->id << 32 | ktap_random(&seed) % 8, offset;
	const struct viewer_trace *vt = SLIST_FIRST(&viewer->traces);
	uint8_t data[20] = { };

	if (type == LIVE_ATTACH_SESSION || type == LIVE_GET_NEW_STREAMS)
		id = trace->id;
	if (type == LIVE_DETACH_SESSION)
		id = ktap_random(&seed) % 20 ? 0 : trace->id;
	id = htobe64(id);
	memcpy(data, &id, sizeof(id));
	if (type == LIVE_GET_PACKET) {
		offset = ktap_random(&seed) % 5000;
		if (vt && vt->nr && vt->streams[0].packet)
			offset |= vt->streams[0].packet->number << 32;
		offset = htobe64(offset);
		memcpy(data + 8, &offset, sizeof(offset));
		len = htobe32(len);
	} else {
		len = htobe32(1 + len % 2);
	}
	memcpy(data + 16, &len, sizeof(len));
	command(viewer, type, data, right[type]);
}

/* Whatever viewers are said to have done, losses are told; and how much was not said. */
static void much_said(void)
{
	unsigned int i, viewers = 0, losses = 0, number, left_out = 0;
	int err = dup(STDERR_FILENO);
	FILE *said = tmpfile();
	char line[200];

	fflush(stderr);
	dup2(fileno(said), STDERR_FILENO);
	for (i = 0; i < 100; i++) {
		say(SAY_STRANGER, "stranger");
		say(SAY_VIEWER, "viewer");
	}
	say(SAY_TRACE, "loss");
	say_left_out();
	fflush(stderr);
	dup2(err, STDERR_FILENO);
	close(err);
	rewind(said);
	while (fgets(line, sizeof(line), said)) {
		viewers += !!strstr(line, ": viewer\n");
		losses += !!strstr(line, ": loss\n");
		if (strstr(line, " about viewers left out") &&
		    sscanf(line, "%*[^:]: %u messages", &number) == 1)
			left_out += number;
	}
	fclose(said);
	EXPECT(losses == 1, "%u losses are told", losses);
	/* Twenty a second. */
	EXPECT(viewers < 100 && viewers + left_out == 100, "%u messages about viewers, %u left out",
	       viewers, left_out);
}

static void at_random(void)
{
	enum { VIEWERS = 8, ROUNDS = 60000 };
	struct viewer viewers[VIEWERS];
	unsigned int i, round;
	uint8_t bytes[3000];

	begin(3);
	source.arrive = arrive;
	for (i = 0; i < VIEWERS; i++)
		connect_viewer(&viewers[i]);
	for (round = 0; round < ROUNDS && !ktap_failures; round++) {
		struct viewer *viewer = &viewers[ktap_random(&seed) % VIEWERS];

		if (!(ktap_random(&seed) % 2000)) {
			viewer_free(viewer);
			connect_viewer(viewer);
		}
		if (ktap_random(&seed) % 4)
			random_command(viewer);
		viewer_take(viewer, bytes, ktap_random(&seed) % sizeof(bytes));
		EXPECT(!viewer->wrong, "%s", viewer->wrong);
		EXPECT(is_bounded(), "too much memory for packets");
		EXPECT(viewer->out_room <= 256u << 10, "too much memory for a reply");
	}
	for (i = 0; i < VIEWERS; i++)
		viewer_free(&viewers[i]);
	end();
}

int main(void)
{
	static const struct ktap_case cases[] = {
		/* First: the others use up what may be said in a second. */
		{ "viewers about whom much is said", much_said },
		{ "traces are listed", list },
		{ "a viewer sees all, in order", dialogue },
		{ "more than 2^32 packets", many_packets },
		{ "quiet streams, and streams that come later", beacons },
		{ "a trace without streams", no_streams_yet },
		{ "the end of a trace", the_end },
		{ "a trace without its metadata", broken },
		{ "slow viewers lose, others do not", slow },
		{ "what viewers hold is bounded", hoarders },
		{ "a packet that cannot be stored", not_stored },
		{ "wrong commands", wrong_commands },
		{ "wrong numbers in commands", wrong_requests },
		{ "in pieces", in_pieces },
		{ "at random", at_random },
	};

	return ktap_run(cases, sizeof(cases) / sizeof(*cases));
}
