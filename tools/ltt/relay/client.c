// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: commands to lttng-relayd.
 */

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../common/ondisk.h"
#include "address.h"
#include "relay.h"
#include "wire.h"

/**
 * relay_init() - prepare a connection
 * @relay:	the connection
 * @address:	whom to connect to, must stay
 * @stop:	descriptor that becomes readable when everything shall fail; -1: none
 *
 * Looks the host's name up: once, however often the connection is made.
 *
 * Return: 0, or a negative errno; relay_free() is right in both cases.
 */
int relay_init(struct relay *relay, const struct relay_address *address, int stop)
{
	*relay = (struct relay) {
		.address = address,
		.timeout = RELAY_TIMEOUT,
		.stop = stop,
		.control = -1,
		.data = -1,
	};
	return relay_resolve(relay, address->control, &relay->control_at) ?:
	       relay_resolve(relay, address->data, &relay->data_at);
}

/**
 * relay_free() - end the connection for good
 * @relay:	the connection
 */
void relay_free(struct relay *relay)
{
	relay_disconnect(relay);
	relay_release(relay->control_at);
	relay_release(relay->data_at);
}

static int send_command(struct relay *relay, enum relay_command cmd, const void *payload,
			size_t size, const char *text, size_t text_size, const char *what)
{
	struct relay_header header = {
		.data_size = htobe64(size + text_size),
		.cmd = htobe32(cmd),
	};
	struct iovec iov[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)payload, .iov_len = size },
		{ .iov_base = (void *)text, .iov_len = text_size },
	};

	return relay_write(relay, relay->control, iov, text_size ? 3 : size ? 2 : 1, what);
}

/* Replies come in order: those that are due come first. */
static int ask(struct relay *relay, enum relay_command cmd, const void *payload, size_t size,
	       void *reply, size_t reply_size, const char *what)
{
	return send_command(relay, cmd, payload, size, NULL, 0, what) ?:
	       relay_settle(relay, 0) ?:
	       relay_read(relay, reply, reply_size, what);
}

static int check_code(struct relay *relay, __be32 code, const char *what)
{
	if (be32toh(code) == RELAY_OK)
		return 0;
	return relay_fail(relay, -EREMOTEIO, "%s refused (error %" PRIu32 ")", what,
			  be32toh(code));
}

/* A command whose reply says no more than whether it has been done. */
static int command(struct relay *relay, enum relay_command cmd, const void *payload, size_t size,
		   const char *what)
{
	struct relay_reply reply;

	return ask(relay, cmd, payload, size, &reply, sizeof(reply), what) ?:
	       check_code(relay, reply.ret_code, what);
}

static int agree_on_version(struct relay *relay)
{
	const struct relay_version ours = {
		.major = htobe32(RELAY_MAJOR),
		.minor = htobe32(RELAY_MINOR),
	};
	struct relay_version theirs;
	uint32_t major, minor;
	int ret;

	ret = ask(relay, RELAY_VERSION, &ours, sizeof(ours), &theirs, sizeof(theirs), "VERSION");
	if (ret)
		return ret;
	major = be32toh(theirs.major);
	minor = be32toh(theirs.minor);
	if (major == RELAY_MAJOR && minor >= RELAY_MINOR_MIN)
		return 0;
	return relay_fail(relay, -EPROTONOSUPPORT,
			  "version %" PRIu32 ".%" PRIu32 " is not supported, only %u.%u and later %u.x",
			  major, minor, RELAY_MAJOR, RELAY_MINOR_MIN, RELAY_MAJOR);
}

/**
 * relay_connect() - connect
 * @relay:	the connection
 *
 * Return: 0, or a negative errno.
 */
int relay_connect(struct relay *relay)
{
	int ret;

	relay->due = 0;
	ret = relay_socket(relay, relay->control_at, relay->address->control);
	if (ret < 0)
		return ret;
	relay->control = ret;
	ret = agree_on_version(relay);
	if (ret)
		return ret;
	ret = relay_socket(relay, relay->data_at, relay->address->data);
	if (ret < 0)
		return ret;
	relay->data = ret;
	return 0;
}

/**
 * relay_disconnect() - end a connection
 * @relay:	the connection, which may be none
 */
void relay_disconnect(struct relay *relay)
{
	if (relay->control >= 0)
		close(relay->control);
	if (relay->data >= 0)
		close(relay->data);
	relay->control = -1;
	relay->data = -1;
}

static bool has_ended(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLRDHUP };

	return poll(&pollfd, 1, 0) > 0;
}

/**
 * relay_check() - is anybody there?
 * @relay:	the connection
 *
 * What is sent to nobody is lost, and succeeds. So it is better to look first.
 *
 * Return: 0; -ECONNRESET: the other side has closed it.
 */
int relay_check(struct relay *relay)
{
	if (has_ended(relay->control) || has_ended(relay->data))
		return relay_fail(relay, -ECONNRESET, "connection closed by peer");
	return 0;
}

/**
 * relay_create_session() - begin a session, the only one of this connection
 * @relay:	the connection
 * @name:	its name, cut if it is too long
 * @hostname:	ours, likewise
 * @live_timer:	us, how often viewers are told what is new; 0: there are none
 *
 * Return: 0, or a negative errno.
 */
int relay_create_session(struct relay *relay, const char *name, const char *hostname,
			 unsigned int live_timer)
{
	struct relay_create_session session = { .live_timer = htobe32(live_timer) };
	struct relay_session_reply reply;

	snprintf(session.session_name, sizeof(session.session_name), "%s", name);
	snprintf(session.hostname, sizeof(session.hostname), "%s", hostname);
	return ask(relay, RELAY_CREATE_SESSION, &session, sizeof(session), &reply, sizeof(reply),
		   "CREATE_SESSION") ?:
	       check_code(relay, reply.ret_code, "CREATE_SESSION");
}

/**
 * relay_add_stream() - begin a stream
 * @relay:	the connection
 * @name:	of its file
 * @path:	of its trace
 * @handle:	returns its number
 *
 * Return: 0, or a negative errno.
 */
int relay_add_stream(struct relay *relay, const char *name, const char *path, uint64_t *handle)
{
	struct relay_add_stream stream = { };
	struct relay_stream_reply reply;
	int ret;

	if (strlen(name) >= sizeof(stream.channel_name) || strlen(path) >= sizeof(stream.pathname))
		return relay_fail(relay, -ENAMETOOLONG, "%s/%s: name too long", path, name);
	strcpy(stream.channel_name, name);
	strcpy(stream.pathname, path);
	ret = ask(relay, RELAY_ADD_STREAM, &stream, sizeof(stream), &reply, sizeof(reply),
		  "ADD_STREAM") ?:
	      check_code(relay, reply.ret_code, "ADD_STREAM");
	if (!ret)
		*handle = be64toh(reply.handle);
	return ret;
}

/**
 * relay_streams_sent() - let viewers see the streams that have been added
 * @relay:	the connection
 *
 * Return: 0, or a negative errno.
 */
int relay_streams_sent(struct relay *relay)
{
	return command(relay, RELAY_STREAMS_SENT, NULL, 0, "STREAMS_SENT");
}

/**
 * relay_send_metadata() - append to the metadata
 * @relay:	the connection
 * @handle:	its stream
 * @text:	what to append
 * @size:	bytes
 *
 * Whether that has succeeded will be known later.
 *
 * Return: 0, or a negative errno.
 */
int relay_send_metadata(struct relay *relay, uint64_t handle, const char *text, size_t size)
{
	const struct relay_metadata metadata = { .stream_id = htobe64(handle) };

	if (size > RELAY_PAYLOAD_MAX - sizeof(metadata))
		return relay_fail(relay, -EMSGSIZE, "%zu bytes of metadata are too many", size);
	return send_command(relay, RELAY_SEND_METADATA, &metadata, sizeof(metadata), text, size,
			    "metadata");
}

/**
 * relay_send_packet() - send a packet
 * @relay:	the connection
 * @handle:	the stream
 * @seq:	the packet's number in this stream, from 0
 * @data:	the packet
 * @size:	bytes
 *
 * Whether it has arrived relay_pending() tells.
 *
 * Return: 0, or a negative errno; then the other side has not got all of it.
 */
int relay_send_packet(struct relay *relay, uint64_t handle, uint64_t seq, const void *data,
		      size_t size)
{
	struct relay_data_header header = {
		.stream_id = htobe64(handle),
		.net_seq_num = htobe64(seq),
		.data_size = htobe32(size),
	};
	struct iovec iov[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)data, .iov_len = size },
	};

	return relay_write(relay, relay->data, iov, 2, "a packet");
}

/**
 * relay_send_index() - say what is in a packet
 * @relay:	the connection
 * @handle:	the stream
 * @seq:	the packet's number, see relay_send_packet()
 * @packet:	its header
 *
 * Does not wait for the reply, see relay_settle().
 *
 * Return: 0, or a negative errno.
 */
int relay_send_index(struct relay *relay, uint64_t handle, uint64_t seq,
		     const struct ltt_packet *packet)
{
	struct relay_index index = { .relay_stream_id = htobe64(handle) };
	struct ltt_index_entry entry;
	int ret;

	ondisk_index_entry(&entry, seq, packet);
	index.entry = entry;
	ret = send_command(relay, RELAY_SEND_INDEX, &index, sizeof(index), NULL, 0, "an index");
	if (!ret)
		relay->due++;
	return ret;
}

/**
 * relay_send_beacon() - say that nothing will come before a time
 * @relay:	the connection
 * @handle:	the stream, of which lttng-relayd has all packets that were sent, and one at least
 * @stream_id:	as in its packets
 * @time:	ns
 *
 * Does not wait for the reply, see relay_settle().
 *
 * Return: 0, or a negative errno.
 */
int relay_send_beacon(struct relay *relay, uint64_t handle, uint64_t stream_id, uint64_t time)
{
	const struct relay_index index = {
		.relay_stream_id = htobe64(handle),
		.entry.timestamp_end = htobe64(time),
		.entry.stream_id = htobe64(stream_id),
	};
	int ret;

	ret = send_command(relay, RELAY_SEND_INDEX, &index, sizeof(index), NULL, 0, "a beacon");
	if (!ret)
		relay->due++;
	return ret;
}

/**
 * relay_settle() - receive replies
 * @relay:	the connection
 * @max:	so many may still be to come
 *
 * Return: 0, or a negative errno.
 */
int relay_settle(struct relay *relay, unsigned int max)
{
	struct relay_reply reply;
	int ret = 0;

	for (; !ret && relay->due > max; relay->due--)
		ret = relay_read(relay, &reply, sizeof(reply), "SEND_INDEX") ?:
		      check_code(relay, reply.ret_code, "SEND_INDEX");
	return ret;
}

/**
 * relay_ask_pending() - ask whether packets have arrived
 * @relay:	the connection
 * @handle:	the stream
 * @seq:	number of the last packet
 *
 * Several may be asked for before relay_pending() receives the answers, one for each; no other
 * command may come in between.
 *
 * Return: 0, or a negative errno.
 */
int relay_ask_pending(struct relay *relay, uint64_t handle, uint64_t seq)
{
	const struct relay_stream_seq which = {
		.stream_id = htobe64(handle),
		.last_net_seq_num = htobe64(seq),
	};

	return send_command(relay, RELAY_DATA_PENDING, &which, sizeof(which), NULL, 0,
			    "DATA_PENDING");
}

/**
 * relay_pending() - have they arrived?
 * @relay:	the connection
 *
 * Return: 0: the packet and those before it are in the file, with their index; 1: not yet; or a
 * negative errno.
 */
int relay_pending(struct relay *relay)
{
	struct relay_reply reply;
	uint32_t code;
	int ret;

	ret = relay_settle(relay, 0) ?:
	      relay_read(relay, &reply, sizeof(reply), "DATA_PENDING");
	if (ret)
		return ret;
	code = be32toh(reply.ret_code);
	if (code <= 1)
		return code;
	return relay_fail(relay, -EREMOTEIO, "DATA_PENDING refused (error %" PRIu32 ")", code);
}

/**
 * relay_close_stream() - end a stream
 * @relay:	the connection
 * @handle:	the stream
 * @seq:	number of its last packet, RELAY_NO_SEQ: there is none
 *
 * Return: 0, or a negative errno.
 */
int relay_close_stream(struct relay *relay, uint64_t handle, uint64_t seq)
{
	const struct relay_stream_seq which = {
		.stream_id = htobe64(handle),
		.last_net_seq_num = htobe64(seq),
	};

	return command(relay, RELAY_CLOSE_STREAM, &which, sizeof(which), "CLOSE_STREAM");
}
