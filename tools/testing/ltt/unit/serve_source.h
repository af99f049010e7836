/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces for the server's tests: the tracer's place is taken by the test, which says what there
 * is. Beside it, the viewer's side of the protocol.
 */
#ifndef _LTT_SERVE_SOURCE_H
#define _LTT_SERVE_SOURCE_H

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/packet.h>

#include "../../../ltt/serve/store.h"
#include "../../../ltt/serve/viewer.h"

/**
 * struct source - what there is
 * @opened:	traces that are open
 * @streams:	each trace has so many, once it is looked at
 * @watermark:	ns, 0: not known
 * @arrive:	called before a stream is looked at; may add packets. May be NULL
 */
static struct source {
	unsigned int opened;
	unsigned int streams;
	uint64_t watermark;
	void (*arrive)(struct store_stream *stream);
} source;

static void source_add_streams(struct store_trace *trace)
{
	char name[32];

	while (trace->nr_streams < source.streams) {
		snprintf(name, sizeof(name), "channel_%u", trace->nr_streams);
		if (!store_add_stream(trace, name, 7 + trace->nr_streams))
			abort();
	}
}

static void source_add_metadata(struct store_trace *trace, const char *text)
{
	size_t size = trace->metadata_size + strlen(text);

	trace->metadata = realloc(trace->metadata, size);
	if (!trace->metadata)
		abort();
	memcpy(trace->metadata + trace->metadata_size, text, strlen(text));
	trace->metadata_size = size;
}

static int source_add_packet(struct store_stream *stream, uint64_t begin, uint64_t end, size_t size)
{
	struct ltt_packet header = {
		.magic = LTT_PACKET_MAGIC,
		.stream_id = stream->stream_id,
		.timestamp_begin = begin,
		.timestamp_end = end,
		.content_size = size * 8,
		.packet_size = size * 8,
		.packet_seq_num = stream->next,
	};
	uint8_t *data = malloc(size);

	if (!data)
		abort();
	memset(data, (int)stream->next, size);
	memcpy(data, &header, size < sizeof(header) ? size : sizeof(header));
	return store_add_packet(stream, data, size);
}

static void source_scan(struct store *store)
{
	struct store_trace *trace;

	TAILQ_FOREACH(trace, &store->traces, node) {
		if (trace->viewers && !trace->gone)
			source_add_streams(trace);
	}
}

static int source_open(struct store_trace *trace)
{
	source.opened++;
	source_add_streams(trace);
	source_add_metadata(trace, "/* CTF 1.8 */\ntrace {};\n");
	return 0;
}

static void source_close(struct store_trace *trace)
{
	(void)trace;
	source.opened--;
}

static void source_look(struct store_stream *stream)
{
	if (source.arrive)
		source.arrive(stream);
	if (!stream->trace->gone)
		source_add_streams(stream->trace);
}

static int source_watermark(struct store_stream *stream, uint64_t *time)
{
	if (!stream->trace->gone)
		source_add_streams(stream->trace);
	*time = source.watermark;
	return source.watermark ? 0 : -EAGAIN;
}

static const struct store_source test_source = {
	.scan = source_scan,
	.open = source_open,
	.close = source_close,
	.look = source_look,
	.watermark = source_watermark,
};

/* Give the viewer what it wants of @data. Return: bytes. */
static size_t viewer_feed(struct viewer *viewer, const void *data, size_t size)
{
	size_t want;
	void *to;

	want = viewer_want(viewer, &to);
	if (want > size)
		want = size;
	if (!want)
		return 0;
	memcpy(to, data, want);
	viewer_got(viewer, want);
	return want;
}

/* Take up to @size bytes of its reply. Return: bytes. */
static size_t viewer_take(struct viewer *viewer, void *to, size_t size)
{
	const void *from;
	size_t got = 0, n;

	while (got < size && (n = viewer_reply(viewer, &from))) {
		if (n > size - got)
			n = size - got;
		memcpy((uint8_t *)to + got, from, n);
		viewer_sent(viewer, n);
		got += n;
	}
	return got;
}

#endif /* _LTT_SERVE_SOURCE_H */
