/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server of lttng-relayd's streaming protocol, for tests of its clients: it does what its
 * script says, and remembers what it got. A thread.
 */
#ifndef _LTT_RELAY_SERVER_H
#define _LTT_RELAY_SERVER_H

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../ltt/relay/wire.h"

#define SERVER_SESSIONS	64
#define SERVER_STREAMS	8
#define SERVER_TEXT	65536

/**
 * enum fault - what to do instead of a reply
 * @GOOD:	the reply
 * @CLOSE:	close the connection
 * @RESET:	the same, with a reset
 * @SHORT:	half of it, then close
 * @SILENT:	nothing, from now on
 * @DRIP:	it, so slowly that it takes too long
 * @REFUSE:	an error
 * @GARBAGE:	bytes with all bits set
 * @FAULTS:	how many there are
 */
enum fault { GOOD, CLOSE, RESET, SHORT, SILENT, DRIP, REFUSE, GARBAGE, FAULTS };

/**
 * struct server_session - what came in a session
 * @name:	its name
 * @host:	of whom
 * @paths:	of the streams
 * @names:	of the streams
 * @nr:		streams
 * @packets:	of each stream
 * @indexes:	of each stream
 * @last:	value of packet_seq_num in the last index
 * @first:	value of packet_seq_num in the first index of each stream
 * @lost:	value of events_discarded there
 * @begin:	time at which the last packet of each stream begins
 * @end:	up to when each stream is known: the end of that, or a beacon
 * @early:	packets and beacons before that
 * @closed:	streams that were closed
 * @text:	the metadata
 * @size:	bytes of it
 */
struct server_session {
	char name[RELAY_SESSION_NAME + 1];
	char host[RELAY_HOST_NAME + 1];
	char paths[SERVER_STREAMS][256];
	char names[SERVER_STREAMS][64];
	unsigned int nr;
	unsigned int packets[SERVER_STREAMS];
	unsigned int indexes[SERVER_STREAMS];
	uint64_t last;
	uint64_t first[SERVER_STREAMS];
	uint64_t lost[SERVER_STREAMS];
	uint64_t begin[SERVER_STREAMS];
	uint64_t end[SERVER_STREAMS];
	unsigned int early;
	unsigned int closed;
	char text[SERVER_TEXT];
	size_t size;
};

/**
 * struct server - the server
 * @thread:	its thread
 * @stop:	an eventfd: end
 * @listening:	sockets for control and data
 * @ports:	theirs
 * @control:	connection, -1: none
 * @data:	likewise
 * @fault:	what to do
 * @at:		instead of which reply of a connection, from 0
 * @times:	in so many connections
 * @minor:	of the version
 * @major:	likewise
 * @deaf:	data are not read
 * @never:	data are always pending
 * @replies:	in this connection, so far
 * @connections: so far
 * @nr:		sessions
 * @sessions:	what came
 */
struct server {
	pthread_t thread;
	int stop;
	int listening[2];
	unsigned int ports[2];
	int control;
	int data;
	enum fault fault;
	int at;
	int times;
	uint32_t major;
	uint32_t minor;
	bool deaf;
	bool never;
	int replies;
	atomic_int connections;
	atomic_uint nr;
	struct server_session sessions[SERVER_SESSIONS];
};

static void server_drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void server_hang_up(struct server *s, bool reset)
{
	struct linger linger = { .l_onoff = 1 };

	if (reset && s->control >= 0)
		setsockopt(s->control, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	server_drop(&s->control);
	server_drop(&s->data);
}

static bool server_get(int fd, void *data, size_t size)
{
	return !size || recv(fd, data, size, MSG_WAITALL) == (ssize_t)size;
}

static bool server_now(const struct server *s)
{
	return s->fault != GOOD && s->replies == s->at && s->connections <= s->times;
}

static void server_drip(struct server *s, const char *reply, size_t size)
{
	struct pollfd stop = { .fd = s->stop, .events = POLLIN };

	for (; size && poll(&stop, 1, 600) == 0; size--) {
		if (send(s->control, reply++, 1, MSG_NOSIGNAL) != 1)
			return;
	}
}

/* @code: where in the reply the code is that says whether it has been done. */
static void server_reply(struct server *s, void *reply, size_t size, void *code)
{
	const __be32 refusal = htobe32(11);
	enum fault fault = server_now(s) ? s->fault : GOOD;

	s->replies++;
	switch (fault) {
	case CLOSE:
	case RESET:
		server_hang_up(s, fault == RESET);
		return;
	case SHORT:
		send(s->control, reply, size / 2, MSG_NOSIGNAL);
		server_hang_up(s, false);
		return;
	case SILENT:
		/* Whatever comes next finds no reply either. */
		s->at++;
		return;
	case DRIP:
		server_drip(s, reply, size);
		return;
	case REFUSE:
		memcpy(code, &refusal, sizeof(refusal));
		break;
	case GARBAGE:
		memset(reply, 0xff, size);
		break;
	default:
		break;
	}
	send(s->control, reply, size, MSG_NOSIGNAL);
}

static void server_done(struct server *s, uint32_t code)
{
	struct relay_reply reply = { .ret_code = htobe32(code) };

	server_reply(s, &reply, sizeof(reply), &reply.ret_code);
}

static void server_add_stream(struct server *s, struct server_session *session,
			      const struct relay_add_stream *stream)
{
	struct relay_stream_reply reply = {
		/* Numbers that no index into something is. */
		.handle = htobe64(1000 * s->nr + session->nr),
		.ret_code = htobe32(RELAY_OK),
	};

	if (session->nr == SERVER_STREAMS)
		exit(1);
	snprintf(session->paths[session->nr], 256, "%.255s", stream->pathname);
	snprintf(session->names[session->nr++], 64, "%.63s", stream->channel_name);
	server_reply(s, &reply, sizeof(reply), &reply.ret_code);
}

static void server_add_index(struct server_session *session, unsigned int i,
			     const struct relay_index *index)
{
	const uint64_t end = be64toh(index->entry.timestamp_end);
	uint64_t begin = end;

	/* Of a beacon there is no packet. */
	if (index->entry.packet_size) {
		begin = be64toh(index->entry.timestamp_begin);
		session->begin[i] = begin;
		if (!session->indexes[i]++) {
			session->first[i] = be64toh(index->entry.packet_seq_num);
			session->lost[i] = be64toh(index->entry.events_discarded);
		}
		session->last = be64toh(index->entry.packet_seq_num);
	}
	session->early += begin < session->end[i];
	session->end[i] = end;
}

/* Number of the stream in the present session. */
static unsigned int server_stream(struct server *s, const struct server_session *session,
				  __be64 handle)
{
	uint64_t nr = be64toh(handle) - 1000 * s->nr;

	if (nr >= session->nr) {
		printf("# the server got stream %llu\n", (unsigned long long)be64toh(handle));
		exit(1);
	}
	return nr;
}

static void server_command(struct server *s, const struct relay_header *header, const char *data)
{
	const size_t size = be64toh(header->data_size);
	struct server_session *session = &s->sessions[s->nr ? s->nr - 1 : 0];
	const struct relay_stream_seq *seq = (const void *)data;
	const struct relay_index *index = (const void *)data;
	const struct relay_create_session *create = (const void *)data;
	struct relay_version version = { htobe32(s->major), htobe32(s->minor) };
	struct relay_session_reply reply = { htobe64(7), htobe32(RELAY_OK) };
	unsigned int i;

	switch (be32toh(header->cmd)) {
	case RELAY_VERSION:
		server_reply(s, &version, sizeof(version), &version.major);
		return;
	case RELAY_CREATE_SESSION:
		if (s->nr == SERVER_SESSIONS)
			exit(1);
		session = &s->sessions[s->nr];
		snprintf(session->name, sizeof(session->name), "%s", create->session_name);
		snprintf(session->host, sizeof(session->host), "%s", create->hostname);
		atomic_fetch_add(&s->nr, 1);
		server_reply(s, &reply, sizeof(reply), &reply.ret_code);
		return;
	case RELAY_ADD_STREAM:
		server_add_stream(s, session, (const void *)data);
		return;
	case RELAY_STREAMS_SENT:
		server_done(s, RELAY_OK);
		return;
	case RELAY_SEND_METADATA:
		if (session->size + size > SERVER_TEXT)
			exit(1);
		memcpy(session->text + session->size, data + sizeof(struct relay_metadata),
		       size - sizeof(struct relay_metadata));
		session->size += size - sizeof(struct relay_metadata);
		return;
	case RELAY_SEND_INDEX:
		i = server_stream(s, session, index->relay_stream_id);
		server_add_index(session, i, index);
		server_done(s, RELAY_OK);
		return;
	case RELAY_DATA_PENDING:
		i = server_stream(s, session, seq->stream_id);
		server_done(s, s->never || session->packets[i] <= be64toh(seq->last_net_seq_num));
		return;
	case RELAY_CLOSE_STREAM:
		server_stream(s, session, seq->stream_id);
		session->closed++;
		server_done(s, RELAY_OK);
		return;
	default:
		printf("# the server got command %u\n", be32toh(header->cmd));
		exit(1);
	}
}

static void server_take_command(struct server *s)
{
	struct relay_header header;
	char *data = NULL;
	size_t size;

	if (!server_get(s->control, &header, sizeof(header))) {
		server_hang_up(s, false);
		return;
	}
	size = be64toh(header.data_size);
	data = size < 1 << 20 ? malloc(size + 1) : NULL;
	if (data && server_get(s->control, data, size))
		server_command(s, &header, data);
	else
		server_hang_up(s, false);
	free(data);
}

static void server_take_data(struct server *s)
{
	struct server_session *session = &s->sessions[s->nr ? s->nr - 1 : 0];
	struct relay_data_header header;
	char *data = NULL;
	unsigned int i;
	size_t size;

	if (!server_get(s->data, &header, sizeof(header))) {
		server_drop(&s->data);
		return;
	}
	size = be32toh(header.data_size);
	data = malloc(size);
	if (data && server_get(s->data, data, size)) {
		i = server_stream(s, session, header.stream_id);
		if (be64toh(header.net_seq_num) != session->packets[i]++) {
			printf("# packet %llu comes too early or late\n",
			       (unsigned long long)be64toh(header.net_seq_num));
			exit(1);
		}
	} else {
		server_drop(&s->data);
	}
	free(data);
}

static void *server_main(void *arg)
{
	struct server *s = arg;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = s->stop, .events = POLLIN },
			{ .fd = s->listening[0], .events = POLLIN },
			{ .fd = s->listening[1], .events = POLLIN },
			{ .fd = s->data, .events = s->deaf ? 0 : POLLIN },
			{ .fd = s->control, .events = POLLIN },
		};

		if (poll(fds, 5, -1) < 0)
			exit(1);
		if (fds[0].revents)
			return NULL;
		if (fds[1].revents) {
			server_hang_up(s, false);
			s->control = accept(s->listening[0], NULL, NULL);
			s->replies = 0;
			atomic_fetch_add(&s->connections, 1);
		} else if (fds[2].revents) {
			server_drop(&s->data);
			s->data = accept(s->listening[1], NULL, NULL);
		} else if (fds[3].revents && !s->deaf) {
			server_take_data(s);
		} else if (fds[4].revents) {
			server_take_command(s);
		}
	}
}

/* The port stays that of the one before if that has ended. */
static int server_listen(unsigned int *port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(*port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 8) ||
	    getsockname(fd, (struct sockaddr *)&address, &size)) {
		perror("server");
		exit(1);
	}
	*port = ntohs(address.sin_port);
	return fd;
}

static void server_start(struct server *s)
{
	s->listening[0] = server_listen(&s->ports[0]);
	s->listening[1] = server_listen(&s->ports[1]);
	s->stop = eventfd(0, 0);
	if (pthread_create(&s->thread, NULL, server_main, s))
		exit(1);
}

/* A good one of the present version. */
static struct server *server_new(void)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s)
		exit(1);
	s->major = 2;
	s->minor = 13;
	s->control = -1;
	s->data = -1;
	s->times = 1;
	server_start(s);
	return s;
}

static void server_stop(struct server *s)
{
	eventfd_write(s->stop, 1);
	pthread_join(s->thread, NULL);
	server_hang_up(s, false);
	close(s->listening[0]);
	close(s->listening[1]);
	close(s->stop);
}

#endif /* _LTT_RELAY_SERVER_H */
