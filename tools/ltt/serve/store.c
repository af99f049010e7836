// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: packets in memory, from where all viewers of a trace get them.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/packet.h>

#include "store.h"

/* What a packet takes: there may be many small ones. */
static size_t cost_of(const struct store_packet *packet)
{
	return packet->size + sizeof(*packet);
}

/**
 * store_init() - make an empty store
 * @store:	the store
 * @source:	where its traces come from
 * @memory:	bytes for the packets of a trace
 */
void store_init(struct store *store, const struct store_source *source, size_t memory)
{
	memset(store, 0, sizeof(*store));
	store->source = source;
	store->memory = memory;
	store->host = "";
	TAILQ_INIT(&store->traces);
}

/**
 * store_free() - free a store
 * @store:	the store, which no viewer is attached to
 */
void store_free(struct store *store)
{
	struct store_trace *trace;

	while ((trace = TAILQ_FIRST(&store->traces)))
		store_forget_trace(trace);
}

/**
 * store_add_trace() - there is a trace
 * @store:	the store
 * @name:	its name
 *
 * Return: the trace; NULL: no memory.
 */
struct store_trace *store_add_trace(struct store *store, const char *name)
{
	struct store_trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	trace->name = strdup(name);
	if (!trace->name) {
		free(trace);
		return NULL;
	}
	trace->store = store;
	trace->id = ++store->last_id;
	TAILQ_INIT(&trace->ring);
	TAILQ_INIT(&trace->held);
	TAILQ_INSERT_TAIL(&store->traces, trace, node);
	return trace;
}

/**
 * store_forget_trace() - the trace was destroyed
 * @trace:	the trace; freed when no viewer is attached to it any more
 */
void store_forget_trace(struct store_trace *trace)
{
	trace->gone = true;
	if (trace->viewers)
		return;
	TAILQ_REMOVE(&trace->store->traces, trace, node);
	free(trace->name);
	free(trace);
}

/**
 * store_find_trace() - find a trace that is there
 * @store:	the store
 * @id:		its number
 *
 * Return: the trace, or NULL.
 */
struct store_trace *store_find_trace(struct store *store, uint64_t id)
{
	struct store_trace *trace;

	TAILQ_FOREACH(trace, &store->traces, node) {
		if (trace->id == id && !trace->gone)
			return trace;
	}
	return NULL;
}

/* The packet is neither in the ring nor held. */
static void free_packet(struct store_packet *packet)
{
	free(packet->data);
	free(packet);
}

/* The oldest packet makes room for others. */
static void leave_ring(struct store_trace *trace, struct store_packet *packet)
{
	packet->stream->first = packet->number + 1;
	TAILQ_REMOVE(&trace->ring, packet, node);
	trace->ring_size -= cost_of(packet);
	packet->in_ring = false;
	if (!packet->holders) {
		free_packet(packet);
		return;
	}
	TAILQ_INSERT_TAIL(&trace->held, packet, node);
	trace->held_size += cost_of(packet);
}

/* Its holders find that out. */
static void take_away(struct store_trace *trace, struct store_packet *packet)
{
	TAILQ_REMOVE(&trace->held, packet, node);
	trace->held_size -= cost_of(packet);
	free(packet->data);
	packet->data = NULL;
}

static void shrink(struct store_trace *trace)
{
	const size_t memory = trace->store->memory;

	while (trace->ring_size + trace->held_size > memory) {
		if (trace->held_size > memory / 2 || TAILQ_EMPTY(&trace->ring))
			take_away(trace, TAILQ_FIRST(&trace->held));
		else
			leave_ring(trace, TAILQ_FIRST(&trace->ring));
	}
}

static void free_streams(struct store_trace *trace)
{
	unsigned int i;

	while (!TAILQ_EMPTY(&trace->ring))
		leave_ring(trace, TAILQ_FIRST(&trace->ring));
	for (i = 0; i < trace->nr_streams; i++) {
		free(trace->streams[i]->name);
		free(trace->streams[i]->slots);
		free(trace->streams[i]);
	}
	free(trace->streams);
	trace->streams = NULL;
	trace->nr_streams = 0;
	free(trace->metadata);
	trace->metadata = NULL;
	trace->metadata_size = 0;
	trace->metadata_room = 0;
}

/**
 * store_attach() - a viewer comes
 * @trace:	what it wants to see
 *
 * Return: 0, or a negative errno: it has not come.
 */
int store_attach(struct store_trace *trace)
{
	int ret;

	if (!trace->viewers) {
		ret = trace->store->source->open(trace);
		if (ret) {
			free_streams(trace);
			return ret;
		}
	}
	trace->viewers++;
	return 0;
}

/**
 * store_detach() - a viewer goes
 * @trace:	the trace, of which it holds no packet; may be freed
 */
void store_detach(struct store_trace *trace)
{
	if (--trace->viewers)
		return;
	trace->store->source->close(trace);
	free_streams(trace);
	if (trace->gone)
		store_forget_trace(trace);
}

/**
 * store_add_stream() - there is a stream
 * @trace:	the trace
 * @name:	of the stream
 * @stream_id:	as in its packets
 *
 * Return: the stream; NULL: no memory.
 */
struct store_stream *store_add_stream(struct store_trace *trace, const char *name,
				      uint64_t stream_id)
{
	struct store_stream **streams, *stream;

	streams = reallocarray(trace->streams, trace->nr_streams + 1, sizeof(*streams));
	if (!streams)
		return NULL;
	trace->streams = streams;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->trace = trace;
	stream->stream_id = stream_id;
	stream->name = strdup(name);
	if (!stream->name) {
		free(stream);
		return NULL;
	}
	streams[trace->nr_streams++] = stream;
	return stream;
}

static struct store_packet **slot_of(const struct store_stream *stream, uint64_t number)
{
	return &stream->slots[number & (stream->room - 1)];
}

static int grow(struct store_stream *stream)
{
	struct store_stream more = *stream;
	uint64_t i;

	if (stream->next - stream->first < stream->room)
		return 0;
	more.room = stream->room ? 2 * stream->room : 4;
	more.slots = calloc(more.room, sizeof(struct store_packet *));
	if (!more.slots)
		return -ENOMEM;
	for (i = stream->first; i < stream->next; i++)
		*slot_of(&more, i) = *slot_of(stream, i);
	free(stream->slots);
	*stream = more;
	return 0;
}

/**
 * store_empty() - let all packets of a stream go
 * @stream:	the stream
 *
 * Viewers that have not been told of them lose them.
 */
void store_empty(struct store_stream *stream)
{
	while (stream->first < stream->next)
		leave_ring(stream->trace, *slot_of(stream, stream->first));
}

/**
 * store_lose() - there is a packet that cannot be stored
 * @stream:	the stream
 *
 * Viewers lose it, and older ones that they have not been told of: those in the ring have no
 * gaps.
 */
void store_lose(struct store_stream *stream)
{
	store_empty(stream);
	stream->first = ++stream->next;
}

/**
 * store_add_packet() - there is a packet
 * @stream:	the stream
 * @data:	the packet, allocated; the store's from now on, whatever is returned
 * @size:	bytes
 *
 * Older packets may make room for it.
 *
 * Return: 0, -ENOMEM, or -EBADMSG: that is no packet; then store_lose() has been called.
 */
int store_add_packet(struct store_stream *stream, void *data, size_t size)
{
	struct store_trace *trace = stream->trace;
	struct store_packet *packet;
	struct ltt_packet header;
	int ret;

	ret = size < sizeof(header) ? -EBADMSG : grow(stream);
	packet = ret ? NULL : calloc(1, sizeof(*packet));
	if (!packet) {
		free(data);
		store_lose(stream);
		return ret ?: -ENOMEM;
	}
	memcpy(&header, data, sizeof(header));
	packet->stream = stream;
	packet->begin = header.timestamp_begin;
	packet->end = header.timestamp_end;
	packet->discarded = header.events_discarded;
	packet->size = size;
	packet->data = data;
	packet->number = stream->next;
	packet->in_ring = true;
	*slot_of(stream, stream->next++) = packet;
	TAILQ_INSERT_TAIL(&trace->ring, packet, node);
	trace->ring_size += cost_of(packet);
	shrink(trace);
	return 0;
}

/**
 * store_hold() - get a viewer's next packet
 * @stream:	the stream
 * @next:	the packet's number, or that of an older one; becomes that of the one after it
 * @lost:	increased by those that are not there any more
 *
 * Return: the packet, until store_drop(); NULL: there is none yet.
 */
struct store_packet *store_hold(struct store_stream *stream, uint64_t *next, uint64_t *lost)
{
	struct store_packet *packet;

	if (*next < stream->first) {
		*lost += stream->first - *next;
		*next = stream->first;
	}
	if (*next == stream->next)
		return NULL;
	packet = *slot_of(stream, (*next)++);
	packet->holders++;
	return packet;
}

/**
 * store_drop() - a viewer does not need a packet any more
 * @packet:	the packet, from store_hold()
 */
void store_drop(struct store_packet *packet)
{
	struct store_trace *trace = packet->stream->trace;

	if (--packet->holders || packet->in_ring)
		return;
	if (packet->data) {
		TAILQ_REMOVE(&trace->held, packet, node);
		trace->held_size -= cost_of(packet);
	}
	free_packet(packet);
}
