// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what a viewer says, and what it gets.
 *
 * Nothing that comes is believed: lengths have limits, and memory is taken for what has come, not
 * for what is said to come.
 */

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../relay/address.h"
#include "dialogue.h"

/* Bytes of metadata that are received at once. */
#define PIECE	(256u << 10)

/* Of lttng-relayd's viewer protocol; ltt serve has no use for them. */
#define ATTACH_NOT_LIVE	4
#define PACKET_RETRY	2

static int wrong(struct relay *relay, const char *what)
{
	return relay_fail(relay, -EPROTO, "it does not keep to the protocol: %s", what);
}

static int say(struct relay *relay, enum live_type type, const void *data, size_t size,
	       const char *what)
{
	struct live_command command = { .size = htobe64(size), .type = htobe32(type) };
	struct iovec iov[] = {
		{ .iov_base = &command, .iov_len = sizeof(command) },
		{ .iov_base = (void *)data, .iov_len = size },
	};

	return relay_write(relay, relay->control, iov, size ? 2 : 1, what);
}

static int ask(struct relay *relay, enum live_type type, const void *data, size_t size,
	       void *reply, size_t reply_size, const char *what)
{
	return say(relay, type, data, size, what) ?: relay_read(relay, reply, reply_size, what);
}

/**
 * dialogue_init() - prepare a connection
 * @relay:	the connection, for relay_free() in any case
 * @address:	where to, must stay
 * @stop:	descriptor that becomes readable when everything shall fail; -1: none
 *
 * Looks the host's name up.
 *
 * Return: 0, or a negative errno.
 */
int dialogue_init(struct relay *relay, const struct relay_address *address, int stop)
{
	*relay = (struct relay) {
		.address = address,
		.timeout = RELAY_TIMEOUT,
		.stop = stop,
		.control = -1,
		.data = -1,
	};
	return relay_resolve(relay, address->control, &relay->control_at);
}

/**
 * dialogue_connect() - connect, and say that we are a viewer
 * @relay:	the connection
 *
 * Return: 0, or a negative errno.
 */
int dialogue_connect(struct relay *relay)
{
	struct live_connect hello = {
		.viewer = UINT64_MAX,
		.major = htobe32(LIVE_MAJOR),
		.minor = htobe32(LIVE_MINOR),
		.type = htobe32(LIVE_CLIENT_COMMAND),
	};
	uint32_t status;
	int ret;

	ret = relay_socket(relay, relay->control_at, relay->address->control);
	if (ret < 0)
		return ret;
	relay->control = ret;
	ret = ask(relay, LIVE_CONNECT, &hello, sizeof(hello), &hello, sizeof(hello), "CONNECT");
	if (ret)
		return ret;
	if (be32toh(hello.major) != LIVE_MAJOR)
		return relay_fail(relay, -EPROTO,
				  "it speaks version %" PRIu32 ".%" PRIu32 " of the protocol, which is not supported",
				  be32toh(hello.major), be32toh(hello.minor));
	ret = ask(relay, LIVE_CREATE_SESSION, NULL, 0, &status, sizeof(status), "CREATE_SESSION");
	if (ret)
		return ret;
	return be32toh(status) == LIVE_CREATE_OK ? 0 : wrong(relay, "no viewer is created");
}

/**
 * dialogue_sessions() - which sessions are there?
 * @relay:	the connection
 * @session:	called for each of them; returns 0, or a negative errno, which ends it
 * @data:	for @session
 *
 * Return: 0, or a negative errno.
 */
int dialogue_sessions(struct relay *relay, dialogue_session session, void *data)
{
	struct live_session s;
	uint32_t count;
	int ret;

	ret = ask(relay, LIVE_LIST_SESSIONS, NULL, 0, &count, sizeof(count), "LIST_SESSIONS");
	count = be32toh(count);
	if (!ret && count > DIALOGUE_SESSIONS_MAX)
		return wrong(relay, "too many sessions");
	for (; !ret && count; count--) {
		ret = relay_read(relay, &s, sizeof(s), "LIST_SESSIONS");
		if (ret)
			break;
		s.host[sizeof(s.host) - 1] = '\0';
		s.name[sizeof(s.name) - 1] = '\0';
		ret = session(&s, data);
	}
	return ret;
}

static int get_streams(struct relay *relay, uint32_t count, dialogue_stream stream, void *data)
{
	struct live_stream s;
	int ret = 0;

	if (count > DIALOGUE_STREAMS_MAX)
		return wrong(relay, "too many streams");
	for (; !ret && count; count--) {
		ret = relay_read(relay, &s, sizeof(s), "streams");
		if (ret)
			break;
		s.path[sizeof(s.path) - 1] = '\0';
		s.name[sizeof(s.name) - 1] = '\0';
		ret = stream(&s, data);
	}
	return ret;
}

/**
 * dialogue_attach() - look at a session
 * @relay:	the connection
 * @session:	live_session.id
 * @seek:	LIVE_SEEK_*
 * @stream:	called for each stream that there is, as in dialogue_sessions()
 * @data:	for @stream
 *
 * Return: 0; -ENOENT: there is none; -EBUSY: another viewer looks at it; or another negative
 * errno.
 */
int dialogue_attach(struct relay *relay, uint64_t session, uint32_t seek, dialogue_stream stream,
		    void *data)
{
	const struct live_attach request = {
		.session = htobe64(session),
		.seek = htobe32(seek),
	};
	struct live_streams reply;
	int ret;

	ret = ask(relay, LIVE_ATTACH_SESSION, &request, sizeof(request), &reply, sizeof(reply),
		  "ATTACH_SESSION");
	if (ret)
		return ret;
	switch (be32toh(reply.status)) {
	case LIVE_ATTACH_OK:
		return get_streams(relay, be32toh(reply.count), stream, data);
	case LIVE_ATTACH_ALREADY:
		return relay_fail(relay, -EBUSY, "another viewer looks at it");
	case LIVE_ATTACH_UNKNOWN:
		return relay_fail(relay, -ENOENT, "it has no such session any more");
	case ATTACH_NOT_LIVE:
		return relay_fail(relay, -EPROTO, "the session is not live: not for viewers");
	default:
		return relay_fail(relay, -EPROTO, "it refuses ATTACH_SESSION, status %" PRIu32,
				  be32toh(reply.status));
	}
}

/**
 * dialogue_new_streams() - which streams are new?
 * @relay:	the connection
 * @session:	live_session.id
 * @stream:	called for each, as in dialogue_sessions()
 * @data:	for @stream
 *
 * Return: 1; 0: the session has ended, and all of it has been got; or a negative errno.
 */
int dialogue_new_streams(struct relay *relay, uint64_t session, dialogue_stream stream, void *data)
{
	const uint64_t id = htobe64(session);
	struct live_streams reply;
	int ret;

	ret = ask(relay, LIVE_GET_NEW_STREAMS, &id, sizeof(id), &reply, sizeof(reply),
		  "GET_NEW_STREAMS");
	if (ret)
		return ret;
	switch (be32toh(reply.status)) {
	case LIVE_STREAMS_OK:
		return get_streams(relay, be32toh(reply.count), stream, data) ?: 1;
	case LIVE_STREAMS_NO_NEW:
		return 1;
	case LIVE_STREAMS_HUP:
		return 0;
	default:
		return relay_fail(relay, -EREMOTEIO, "it refuses GET_NEW_STREAMS, status %" PRIu32,
				  be32toh(reply.status));
	}
}

/* Memory for what comes, as it comes. */
static int receive(struct relay *relay, char **text, size_t *size, uint64_t len)
{
	size_t piece;
	char *more;
	int ret = 0;

	for (; !ret && len; len -= piece) {
		piece = len < PIECE ? len : PIECE;
		more = realloc(*text, *size + piece);
		if (!more)
			return relay_fail(relay, -ENOMEM, "%s", strerror(ENOMEM));
		*text = more;
		ret = relay_read(relay, *text + *size, piece, "GET_METADATA");
		*size += ret ? 0 : piece;
	}
	return ret;
}

/**
 * dialogue_metadata() - get metadata that are new
 * @relay:	the connection
 * @stream:	that of the metadata
 * @text:	they are appended to it; allocated
 * @size:	bytes at @text
 * @most:	that these may become
 *
 * Return: 1; 0: there are none; or a negative errno.
 */
int dialogue_metadata(struct relay *relay, uint64_t stream, char **text, size_t *size, size_t most)
{
	const uint64_t id = htobe64(stream);
	struct live_metadata reply;
	uint64_t len;
	int ret;

	ret = ask(relay, LIVE_GET_METADATA, &id, sizeof(id), &reply, sizeof(reply), "GET_METADATA");
	if (ret)
		return ret;
	len = be64toh(reply.len);
	switch (be32toh(reply.status)) {
	case LIVE_METADATA_OK:
		if (len > most - *size)
			return wrong(relay, "too many metadata");
		return receive(relay, text, size, len) ?: len > 0;
	case LIVE_METADATA_NO_NEW:
		return 0;
	default:
		return relay_fail(relay, -EREMOTEIO, "it refuses GET_METADATA, status %" PRIu32,
				  be32toh(reply.status));
	}
}

/**
 * dialogue_ask_index() - ask for the next packet of a stream
 * @relay:	the connection
 * @stream:	live_stream.id
 *
 * Several may be asked for, up to DIALOGUE_ASK_MAX, before dialogue_index() receives the answers,
 * in their order; nothing else may be said in between.
 *
 * Return: 0, or a negative errno.
 */
int dialogue_ask_index(struct relay *relay, uint64_t stream)
{
	const uint64_t id = htobe64(stream);

	return say(relay, LIVE_GET_NEXT_INDEX, &id, sizeof(id), "GET_NEXT_INDEX");
}

/**
 * dialogue_index() - receive the answer
 * @relay:	the connection
 * @index:	returns it, in this machine's byte order
 *
 * Return: 0, or a negative errno.
 */
int dialogue_index(struct relay *relay, struct live_index *index)
{
	int ret = relay_read(relay, index, sizeof(*index), "GET_NEXT_INDEX");

	index->offset = be64toh(index->offset);
	index->packet_size = be64toh(index->packet_size);
	index->content_size = be64toh(index->content_size);
	index->timestamp_begin = be64toh(index->timestamp_begin);
	index->timestamp_end = be64toh(index->timestamp_end);
	index->events_discarded = be64toh(index->events_discarded);
	index->stream_id = be64toh(index->stream_id);
	index->status = be32toh(index->status);
	index->flags = be32toh(index->flags);
	return ret;
}

/* Return: bytes; 0: not now, *@got says whether later; or a negative errno. */
static int get_part(struct relay *relay, const struct live_get_packet *request, void *data,
		    enum dialogue_got *got, uint32_t *flags)
{
	struct live_packet reply;
	uint32_t len;
	int ret;

	ret = ask(relay, LIVE_GET_PACKET, request, sizeof(*request), &reply, sizeof(reply),
		  "GET_PACKET");
	if (ret)
		return ret;
	*flags |= be32toh(reply.flags);
	len = be32toh(reply.len);
	*got = DIALOGUE_GOT;
	if (be32toh(reply.status) == LIVE_PACKET_OK) {
		if (!len || len > be32toh(request->len))
			return wrong(relay, "a part of a packet that was not asked for");
		return relay_read(relay, data, len, "GET_PACKET") ?: (int)len;
	}
	if (len)
		return wrong(relay, "a part of a packet that is not there");
	*got = be32toh(reply.status) == PACKET_RETRY || be32toh(reply.flags) ? DIALOGUE_LATER :
									      DIALOGUE_GONE;
	return 0;
}

/**
 * dialogue_get_packet() - get a packet
 * @relay:	the connection
 * @packet:	which
 * @data:	returns it
 * @flags:	returns LIVE_NEW_*
 *
 * Return: enum dialogue_got, or a negative errno.
 */
int dialogue_get_packet(struct relay *relay, const struct dialogue_packet *packet, void *data,
			uint32_t *flags)
{
	struct live_get_packet request = { .stream = htobe64(packet->stream) };
	enum dialogue_got got = DIALOGUE_GOT;
	uint32_t at;
	int n;

	*flags = 0;
	for (at = 0; at < packet->size; at += n) {
		request.offset = htobe64(packet->offset + at);
		request.len = htobe32(packet->size - at);
		n = get_part(relay, &request, (char *)data + at, &got, flags);
		if (n <= 0)
			return n ?: (int)got;
	}
	return got;
}
