// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a viewer: commands in, replies out.
 *
 * Nothing that comes from a viewer is believed. It gets one reply after the other: the next
 * command is not read before all of the last reply was sent. So it takes a command, a part of
 * a reply, and what it is attached to: each trace once.
 *
 * Time in what a viewer merges
 * ----------------------------
 * Viewers want the streams' next packets to be no earlier than what they have shown. Of a stream
 * without packets they are told up to when nothing will come (LIVE_INDEX_INACTIVE). New streams
 * are looked for after each packet that was taken, and after each such time was found: so
 * those whose events may be earlier are known. A viewer is told of these before anything else:
 * with the next packet, or, if there is none, with a packet of no bits, since the flag is heeded
 * only if the status is OK.
 */

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "viewer.h"

/* Of a reply, as long as nobody has more to say. */
#define PART_MAX	(64u << 10)

/* The lower half of a packet's number in an offset, above that of a byte in it: none has 4 GiB. */
#define NUMBER_SHIFT	32

/* us. Channels have a switch timer of that order. */
#define LIVE_TIMER	200000

/* Each piece of the metadata begins with it, if only because Babeltrace 2.0 demands it. */
static const char signature[] = "/* CTF 1.8 */\n";

/**
 * viewer_init() - a viewer has come
 * @viewer:	the viewer
 * @store:	what it may see
 * @peer:	who it is, for messages; stays the caller's
 */
void viewer_init(struct viewer *viewer, struct store *store, const char *peer)
{
	memset(viewer, 0, sizeof(*viewer));
	viewer->store = store;
	viewer->peer = peer;
	viewer->number = ++store->last_viewer;
	SLIST_INIT(&viewer->traces);
}

static void drop(struct viewer_stream *stream)
{
	if (stream->packet)
		store_drop(stream->packet);
	stream->packet = NULL;
}

static void detach(struct viewer *viewer, struct viewer_trace *vt)
{
	unsigned int i;

	SLIST_REMOVE(&viewer->traces, vt, viewer_trace, node);
	for (i = 0; i < vt->nr; i++)
		drop(&vt->streams[i]);
	say(SAY_VIEWER, "%s: trace %s: %" PRIu64 " packets, %" PRIu64 " lost", viewer->peer,
	    vt->trace->name, vt->packets, vt->lost + vt->late);
	store_detach(vt->trace);
	free(vt->streams);
	free(vt);
}

/**
 * viewer_free() - a viewer has gone
 * @viewer:	the viewer
 */
void viewer_free(struct viewer *viewer)
{
	while (!SLIST_EMPTY(&viewer->traces))
		detach(viewer, SLIST_FIRST(&viewer->traces));
	free(viewer->out);
}

static void put(struct viewer *viewer, const void *data, size_t size)
{
	size_t room = viewer->out_room;
	uint8_t *more;

	while (room - viewer->out_len < size)
		room = room ? 2 * room : 1024;
	if (room != viewer->out_room) {
		more = realloc(viewer->out, room);
		if (!more) {
			viewer->wrong = "no memory";
			return;
		}
		viewer->out = more;
		viewer->out_room = room;
	}
	memcpy(viewer->out + viewer->out_len, data, size);
	viewer->out_len += size;
}

static void put_u32(struct viewer *viewer, uint32_t value)
{
	value = htobe32(value);
	put(viewer, &value, sizeof(value));
}

static struct viewer_trace *find_trace(const struct viewer *viewer, uint64_t id)
{
	struct viewer_trace *vt;

	SLIST_FOREACH(vt, &viewer->traces, node) {
		if (vt->trace->id == id)
			return vt;
	}
	return NULL;
}

/* Streams have the number of the trace in the upper half, and in the lower 0 for the metadata. */
static uint64_t id_of(const struct store_trace *trace, unsigned int nr)
{
	return trace->id << 32 | nr;
}

static struct viewer_trace *find_stream(const struct viewer *viewer, uint64_t id, unsigned int *nr)
{
	struct viewer_trace *vt = find_trace(viewer, id >> 32);

	*nr = (uint32_t)id;
	return vt && *nr <= vt->nr ? vt : NULL;
}

static void put_stream(struct viewer *viewer, const struct viewer_trace *vt, unsigned int nr)
{
	const struct store_trace *trace = vt->trace;
	struct live_stream s = {
		.id = htobe64(id_of(trace, nr)),
		.trace = htobe64(trace->id),
		.metadata = htobe32(!nr),
	};

	snprintf(s.path, sizeof(s.path), "%s/%s", trace->store->host, trace->name);
	snprintf(s.name, sizeof(s.name), "%s", nr ? trace->streams[nr - 1]->name : "metadata");
	put(viewer, &s, sizeof(s));
}

/* The next part of a reply. */
static void refill(struct viewer *viewer)
{
	const struct viewer_trace *vt = viewer->rest;
	size_t size;

	while (viewer->stream < viewer->streams && viewer->out_len < PART_MAX)
		put_stream(viewer, vt, viewer->stream++);
	if (viewer->text < viewer->text_end) {
		size = viewer->text_end - viewer->text;
		if (size > PART_MAX)
			size = PART_MAX;
		put(viewer, vt->trace->metadata + viewer->text, size);
		viewer->text += size;
	}
}

static void do_connect(struct viewer *viewer, const void *data)
{
	struct live_connect connect;

	memcpy(&connect, data, sizeof(connect));
	if (be32toh(connect.major) != LIVE_MAJOR)
		viewer->wrong = "speaks another version of the protocol";
	else if (be32toh(connect.type) != LIVE_CLIENT_COMMAND)
		viewer->wrong = "wants another kind of connection";
	if (viewer->wrong)
		return;
	connect.viewer = htobe64(viewer->number);
	connect.minor = htobe32(LIVE_MINOR);
	put(viewer, &connect, sizeof(connect));
	viewer->connected = true;
}

static void do_list_sessions(struct viewer *viewer, const void *data)
{
	struct store *store = viewer->store;
	struct live_session session = { .live_timer = htobe32(LIVE_TIMER) };
	const struct store_trace *trace;
	uint32_t count = 0;

	(void)data;
	store->source->scan(store);
	TAILQ_FOREACH(trace, &store->traces, node)
		count += !trace->gone;
	put_u32(viewer, count);
	snprintf(session.host, sizeof(session.host), "%s", store->host);
	TAILQ_FOREACH(trace, &store->traces, node) {
		if (trace->gone)
			continue;
		session.id = htobe64(trace->id);
		session.clients = htobe32(trace->viewers);
		session.streams = htobe32(trace->nr_streams);
		memset(session.name, 0, sizeof(session.name));
		snprintf(session.name, sizeof(session.name), "%s", trace->name);
		put(viewer, &session, sizeof(session));
	}
}

static void do_create_session(struct viewer *viewer, const void *data)
{
	(void)data;
	viewer->created = true;
	put_u32(viewer, LIVE_CREATE_OK);
}

/*
 * Streams that the viewer will be told of. Those that were there when it attached begin as it
 * wants; all that is in others has come since. Return: 0 or -ENOMEM.
 */
static int learn(struct viewer_trace *vt, bool attach, uint32_t seek)
{
	const struct store_trace *trace = vt->trace;
	struct viewer_stream *more;

	if (vt->room < trace->nr_streams) {
		more = reallocarray(vt->streams, trace->nr_streams, sizeof(*more));
		if (!more)
			return -ENOMEM;
		vt->streams = more;
		vt->room = trace->nr_streams;
	}
	for (; vt->nr < trace->nr_streams; vt->nr++) {
		const struct store_stream *stream = trace->streams[vt->nr];
		struct viewer_stream *vs = &vt->streams[vt->nr];

		memset(vs, 0, sizeof(*vs));
		if (attach)
			vs->next = seek == LIVE_SEEK_LAST ? stream->next : stream->first;
	}
	return 0;
}

/*
 * The streams from @from on. That of the metadata is told of with the first others: without them,
 * Babeltrace forgets the trace at once.
 */
static void put_streams(struct viewer *viewer, struct viewer_trace *vt, unsigned int from)
{
	viewer->rest = vt;
	viewer->stream = from ? from + 1 : 0;
	viewer->streams = vt->nr ? vt->nr + 1 : 0;
	put_u32(viewer, LIVE_STREAMS_OK);
	put_u32(viewer, viewer->streams ? viewer->streams - viewer->stream : 0);
}

static void put_no_streams(struct viewer *viewer, uint32_t status)
{
	put_u32(viewer, status);
	put_u32(viewer, 0);
}

/* Return: LIVE_ATTACH_*. */
static uint32_t attach(struct viewer *viewer, uint64_t id, uint32_t seek)
{
	struct store_trace *trace = store_find_trace(viewer->store, id);
	struct viewer_trace *vt;

	if (!viewer->created)
		return LIVE_ATTACH_NO_VIEWER;
	if (find_trace(viewer, id))
		return LIVE_ATTACH_ALREADY;
	if (!trace)
		return LIVE_ATTACH_UNKNOWN;
	if (seek != LIVE_SEEK_LAST && seek != LIVE_SEEK_BEGINNING)
		return LIVE_ATTACH_SEEK;
	vt = calloc(1, sizeof(*vt));
	if (!vt || store_attach(trace)) {
		free(vt);
		return LIVE_ATTACH_UNKNOWN;
	}
	vt->trace = trace;
	SLIST_INSERT_HEAD(&viewer->traces, vt, node);
	if (learn(vt, true, seek)) {
		detach(viewer, vt);
		return LIVE_ATTACH_UNKNOWN;
	}
	put_streams(viewer, vt, 0);
	return LIVE_ATTACH_OK;
}

static void do_attach(struct viewer *viewer, const void *data)
{
	struct live_attach request;
	uint32_t status;

	memcpy(&request, data, sizeof(request));
	status = attach(viewer, be64toh(request.session), be32toh(request.seek));
	if (status != LIVE_ATTACH_OK)
		put_no_streams(viewer, status);
}

static bool has_ended(const struct viewer_trace *vt, unsigned int i)
{
	const struct store_stream *stream = vt->trace->streams[i];

	return stream->ended && vt->streams[i].next == stream->next && !vt->streams[i].packet;
}

/* Is there nothing to come, and has the viewer got all there was? */
static bool all_ended(const struct viewer_trace *vt)
{
	unsigned int i;

	for (i = 0; i < vt->nr; i++) {
		if (!has_ended(vt, i))
			return false;
	}
	return vt->trace->gone;
}

static uint64_t get_id(const void *data)
{
	uint64_t id;

	memcpy(&id, data, sizeof(id));
	return be64toh(id);
}

static void do_get_new_streams(struct viewer *viewer, const void *data)
{
	struct viewer_trace *vt = find_trace(viewer, get_id(data));
	unsigned int before;

	viewer->store->source->scan(viewer->store);
	if (!vt) {
		put_no_streams(viewer, LIVE_STREAMS_ERROR);
		return;
	}
	before = vt->nr;
	if (vt->trace->broken)
		put_no_streams(viewer, LIVE_STREAMS_ERROR);
	/* Babeltrace 2.0 dies of streams of which it has no metadata; it learns of them later. */
	else if (before && !vt->metadata)
		put_no_streams(viewer, LIVE_STREAMS_NO_NEW);
	else if (learn(vt, false, 0))
		put_no_streams(viewer, LIVE_STREAMS_ERROR);
	else if (vt->nr > before)
		put_streams(viewer, vt, before);
	else
		put_no_streams(viewer, all_ended(vt) ? LIVE_STREAMS_HUP : LIVE_STREAMS_NO_NEW);
}

static void do_get_metadata(struct viewer *viewer, const void *data)
{
	struct live_metadata reply = { .status = htobe32(LIVE_METADATA_ERROR) };
	const size_t first = sizeof(signature) - 1;
	struct viewer_trace *vt;
	unsigned int nr;

	vt = find_stream(viewer, get_id(data), &nr);
	if (!vt || nr) {
		put(viewer, &reply, sizeof(reply));
		return;
	}
	if (vt->metadata == vt->trace->metadata_size) {
		/* Who waits for declarations would wait for ever. */
		if (!vt->trace->broken)
			reply.status = htobe32(LIVE_METADATA_NO_NEW);
		put(viewer, &reply, sizeof(reply));
		return;
	}
	reply.status = htobe32(LIVE_METADATA_OK);
	reply.len = htobe64(vt->trace->metadata_size - vt->metadata + (vt->metadata ? first : 0));
	put(viewer, &reply, sizeof(reply));
	if (vt->metadata)
		put(viewer, signature, first);
	viewer->rest = vt;
	viewer->text = vt->metadata;
	viewer->text_end = vt->trace->metadata_size;
	vt->metadata = viewer->text_end;
}

static uint32_t flags_of(const struct viewer_trace *vt)
{
	return (vt->metadata < vt->trace->metadata_size ? LIVE_NEW_METADATA : 0) |
	       (vt->nr < vt->trace->nr_streams ? LIVE_NEW_STREAMS : 0);
}

static void tell_packet(struct viewer_trace *vt, struct viewer_stream *vs, struct live_index *index)
{
	const struct store_packet *packet = vs->packet;

	vt->packets++;
	vs->end = packet->end;
	index->offset = htobe64(packet->number << NUMBER_SHIFT);
	index->packet_size = htobe64(packet->size * 8);
	index->content_size = index->packet_size;
	index->timestamp_begin = htobe64(packet->begin);
	index->timestamp_end = htobe64(packet->end);
	index->events_discarded = htobe64(packet->discarded);
}

/* Return: LIVE_INDEX_*. */
static uint32_t next_index(struct viewer_trace *vt, unsigned int i, struct live_index *index)
{
	const struct store_source *source = vt->trace->store->source;
	struct store_stream *stream = vt->trace->streams[i];
	struct viewer_stream *vs = &vt->streams[i];
	uint64_t time = 0;
	bool quiet = false;

	index->stream_id = htobe64(stream->stream_id);
	drop(vs);
	source->look(stream);
	vs->packet = store_hold(stream, &vs->next, &vt->lost);
	/* An end would say that this was all. */
	if (vt->trace->broken)
		return LIVE_INDEX_ERROR;
	if (!vs->packet && !stream->ended)
		quiet = !source->watermark(stream, &time);
	index->flags = htobe32(flags_of(vt));
	if (vs->packet) {
		tell_packet(vt, vs, index);
		return LIVE_INDEX_OK;
	}
	/* A packet of no bits, with the flag. */
	if (vt->nr < vt->trace->nr_streams)
		return LIVE_INDEX_OK;
	if (stream->ended)
		return vs->next == stream->next ? LIVE_INDEX_HUP : LIVE_INDEX_RETRY;
	if (!quiet)
		return LIVE_INDEX_RETRY;
	/* Babeltrace warns each time when two streams say the same: no two do. */
	time -= time < i ? time : i;
	/* The last packet may have been closed after that: the next one begins no earlier. */
	index->timestamp_end = htobe64(time > vs->end ? time : vs->end);
	return LIVE_INDEX_INACTIVE;
}

static void do_get_next_index(struct viewer *viewer, const void *data)
{
	struct live_index index = { };
	uint32_t status = LIVE_INDEX_ERROR;
	struct viewer_trace *vt;
	unsigned int nr;

	vt = find_stream(viewer, get_id(data), &nr);
	if (vt && nr)
		status = next_index(vt, nr - 1, &index);
	index.status = htobe32(status);
	put(viewer, &index, sizeof(index));
}

/* Bytes of the packet that the viewer is to get, 0: there are none for it. */
static uint32_t part_of(struct viewer *viewer, const struct live_get_packet *request,
			struct viewer_trace **vt, struct viewer_stream **vs)
{
	uint64_t offset = be64toh(request->offset);
	uint32_t at = (uint32_t)offset, len = be32toh(request->len);
	const struct store_packet *packet;
	unsigned int nr;

	*vt = find_stream(viewer, be64toh(request->stream), &nr);
	if (!*vt || !nr)
		return 0;
	*vs = &(*vt)->streams[nr - 1];
	packet = (*vs)->packet;
	if (!packet || (uint32_t)packet->number != offset >> NUMBER_SHIFT || at >= packet->size)
		return 0;
	if (!packet->data) {
		(*vt)->late++;
		drop(*vs);
		return 0;
	}
	if (len > packet->size - at)
		len = packet->size - at;
	return len > PART_MAX ? PART_MAX : len;
}

static void do_get_packet(struct viewer *viewer, const void *data)
{
	struct live_packet reply = { .status = htobe32(LIVE_PACKET_ERROR) };
	struct live_get_packet request;
	struct viewer_stream *vs;
	struct viewer_trace *vt;
	uint32_t at, len;

	memcpy(&request, data, sizeof(request));
	at = (uint32_t)be64toh(request.offset);
	len = part_of(viewer, &request, &vt, &vs);
	if (len) {
		reply.status = htobe32(LIVE_PACKET_OK);
		reply.len = htobe32(len);
	}
	put(viewer, &reply, sizeof(reply));
	if (!len)
		return;
	put(viewer, (const uint8_t *)vs->packet->data + at, len);
}

static void do_detach(struct viewer *viewer, const void *data)
{
	struct viewer_trace *vt = find_trace(viewer, get_id(data));

	if (vt)
		detach(viewer, vt);
	put_u32(viewer, vt ? LIVE_DETACH_OK : LIVE_DETACH_UNKNOWN);
}

static const struct {
	size_t size;
	void (*call)(struct viewer *viewer, const void *data);
} commands[] = {
	[LIVE_CONNECT]		= { sizeof(struct live_connect),	do_connect },
	[LIVE_LIST_SESSIONS]	= { 0,					do_list_sessions },
	[LIVE_ATTACH_SESSION]	= { sizeof(struct live_attach),		do_attach },
	[LIVE_GET_NEXT_INDEX]	= { sizeof(uint64_t),			do_get_next_index },
	[LIVE_GET_PACKET]	= { sizeof(struct live_get_packet),	do_get_packet },
	[LIVE_GET_METADATA]	= { sizeof(uint64_t),			do_get_metadata },
	[LIVE_GET_NEW_STREAMS]	= { sizeof(uint64_t),			do_get_new_streams },
	[LIVE_CREATE_SESSION]	= { 0,					do_create_session },
	[LIVE_DETACH_SESSION]	= { sizeof(uint64_t),			do_detach },
};

#define COMMANDS	(sizeof(commands) / sizeof(*commands))

/* All of the header has come. */
static void check(struct viewer *viewer, uint64_t size, uint32_t type)
{
	if (type >= COMMANDS || !commands[type].call)
		viewer->wrong = "unknown command";
	else if (size != commands[type].size)
		viewer->wrong = "command of a wrong length";
	else if (viewer->connected == (type == LIVE_CONNECT))
		viewer->wrong = viewer->connected ? "connects twice" : "does not say its version";
}

/**
 * viewer_want() - what is wanted of a viewer?
 * @viewer:	the viewer
 * @to:		set to where that is to be stored
 *
 * Return: bytes; 0: it has to take its reply first, or @viewer->wrong says why nothing is wanted.
 */
size_t viewer_want(struct viewer *viewer, void **to)
{
	struct live_command command;
	const void *from;

	if (viewer->wrong || viewer_reply(viewer, &from))
		return 0;
	*to = viewer->in + viewer->in_len;
	if (viewer->in_len < sizeof(command))
		return sizeof(command) - viewer->in_len;
	memcpy(&command, viewer->in, sizeof(command));
	return sizeof(command) + be64toh(command.size) - viewer->in_len;
}

/**
 * viewer_got() - it has come
 * @viewer:	the viewer
 * @size:	bytes, no more than were wanted
 *
 * If the viewer does not keep to the protocol, @viewer->wrong says why.
 */
void viewer_got(struct viewer *viewer, size_t size)
{
	struct live_command command;
	uint32_t type;

	viewer->in_len += size;
	if (viewer->in_len < sizeof(command))
		return;
	memcpy(&command, viewer->in, sizeof(command));
	type = be32toh(command.type);
	/* Nothing is stored of what is too long. */
	check(viewer, be64toh(command.size), type);
	if (viewer->wrong || viewer->in_len < sizeof(command) + commands[type].size)
		return;
	viewer->in_len = 0;
	commands[type].call(viewer, viewer->in + sizeof(command));
}

/**
 * viewer_reply() - what is to be sent to a viewer?
 * @viewer:	the viewer
 * @from:	set to where that is
 *
 * Return: bytes; 0: nothing.
 */
size_t viewer_reply(struct viewer *viewer, const void **from)
{
	if (viewer->out_at == viewer->out_len) {
		viewer->out_at = 0;
		viewer->out_len = 0;
		refill(viewer);
		if (!viewer->out_len)
			return 0;
	}
	*from = viewer->out + viewer->out_at;
	return viewer->out_len - viewer->out_at;
}

/**
 * viewer_sent() - it has been sent
 * @viewer:	the viewer
 * @size:	bytes, no more than there were
 */
void viewer_sent(struct viewer *viewer, size_t size)
{
	viewer->out_at += size;
}
