// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a session of a capture at lttng-relayd, from its first stream to its end.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/metadata.h>
#include <linux/ltt/packet.h>

#include "sink_relay.h"

/* ms after which relayd is asked once more, at most; streams that it is asked for at once. */
#define PENDING_MAX	100
#define ASK_MAX		256

/* Bytes of metadata that are sent at once. */
#define PIECE		(1024 * 1024)

/**
 * relay_sink_path() - where lttng-relayd has the present session's streams
 * @s:		the sink
 * @path:	receives it, RELAY_PATH bytes
 */
void relay_sink_path(const struct relay_sink *s, char path[RELAY_PATH])
{
	if (s->session > 1)
		snprintf(path, RELAY_PATH, "%s-%u/kernel", s->dir, s->session);
	else
		snprintf(path, RELAY_PATH, "%s/kernel", s->dir);
}

/*
 * A copy of what comes next: it may be long until it is sent, and the text grows meanwhile.
 * Babeltrace 2.0 wants what it gets to begin as the whole does, and to be whole declarations.
 */
static int undeclared(struct relay_sink *s, char **copy, size_t *size, size_t *len)
{
	const size_t first = s->live && s->declared ? strlen(LTT_METADATA_SIGNATURE) : 0;
	int ret = 0;

	*copy = NULL;
	pthread_mutex_lock(&s->text_lock);
	*size = s->size - s->declared;
	if (*size > PIECE && !s->live)
		*size = PIECE;
	*len = *size + first;
	if (*size) {
		*copy = malloc(*len);
		if (*copy) {
			memcpy(*copy, LTT_METADATA_SIGNATURE, first);
			memcpy(*copy + first, s->text + s->declared, *size);
		} else {
			ret = relay_fail(&s->relay, -ENOMEM, "%s", strerror(ENOMEM));
		}
	}
	pthread_mutex_unlock(&s->text_lock);
	return ret;
}

/**
 * relay_sink_declare() - send the metadata that have not been sent
 * @s:		the sink, connected
 *
 * When it returns 0, relayd has them: a packet on the other connection cannot be faster.
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_declare(struct relay_sink *s)
{
	bool sent = false;
	size_t size, len;
	char *text;
	int ret;

	while (!(ret = undeclared(s, &text, &size, &len)) && size) {
		ret = relay_send_metadata(&s->relay, s->metadata, text, len);
		free(text);
		if (ret)
			return ret;
		s->declared += size;
		sent = true;
	}
	return ret || !sent ? ret : relay_streams_sent(&s->relay);
}

/**
 * relay_sink_open_session() - connect, and begin a session with all of the metadata
 * @s:		the sink, not connected
 *
 * Return: 0, or a negative errno, with @s->relay.why; then relay_disconnect() is needed.
 */
int relay_sink_open_session(struct relay_sink *s)
{
	char path[RELAY_PATH];
	int ret;

	s->nr = 0;
	s->open = 0;
	s->declared = 0;
	ret = relay_connect(&s->relay);
	if (ret)
		return ret;
	s->session++;
	relay_sink_path(s, path);
	ret = relay_create_session(&s->relay, s->name, s->hostname,
				   s->live ? RELAY_LIVE_TIMER : 0) ?:
	      relay_add_stream(&s->relay, RELAY_METADATA, path, &s->metadata) ?:
	      relay_sink_declare(s);
	if (!ret) {
		s->connected = true;
		s->good = relay_now();
	}
	return ret;
}

/**
 * relay_sink_send() - send a packet, not yet its index
 * @s:		the sink, connected
 * @stream:	whose it is, added
 * @data:	the packet
 * @packet:	its header
 *
 * relayd has it, in the end, or the connection is broken.
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_send(struct relay_sink *s, struct capture_stream *stream, const void *data,
		    const struct ltt_packet *packet)
{
	struct relayed *relayed = &stream->relayed;
	const size_t size = packet->packet_size / 8;
	int ret;

	ret = relay_send_packet(&s->relay, relayed->handle, relayed->next, data, size);
	if (ret)
		return ret;
	relayed->packets++;
	relayed->bytes += size;
	s->open += size;
	return 0;
}

/**
 * relay_sink_add_stream() - make a stream known in the present session
 * @s:		the sink, connected
 * @stream:	the stream; it may be known
 * @next:	its packet that is to be sent next, if not NULL
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_add_stream(struct relay_sink *s, struct capture_stream *stream,
			  const struct ltt_packet *next)
{
	struct relayed *relayed = &stream->relayed;
	struct capture_stream **streams;
	char path[RELAY_PATH];
	int ret;

	if (relayed->session == s->session)
		return 0;
	if (s->nr == s->room) {
		streams = reallocarray(s->streams, s->room + 64, sizeof(*streams));
		if (!streams)
			return relay_fail(&s->relay, -ENOMEM, "%s", strerror(ENOMEM));
		s->streams = streams;
		s->room += 64;
	}
	relay_sink_path(s, path);
	*relayed = (struct relayed) {
		.session = s->session, .known = relayed->known, .number = relayed->number,
	};
	ret = relay_add_stream(&s->relay, stream->name, path, &relayed->handle) ?:
	      relay_streams_sent(&s->relay);
	if (ret) {
		relayed->session = 0;
		return ret;
	}
	s->streams[s->nr++] = stream;
	return s->live ? relay_sink_send_empty(s, stream, next) : 0;
}

/* Ask for some streams, all at once, and see which packets have arrived. */
static int confirm_some(struct relay_sink *s, struct capture_stream **streams, unsigned int nr)
{
	struct relayed *relayed;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < nr; i++) {
		relayed = &streams[i]->relayed;
		if (relayed->packets)
			ret = relay_ask_pending(&s->relay, relayed->handle, relayed->next - 1);
	}
	for (i = 0; ret >= 0 && i < nr; i++) {
		relayed = &streams[i]->relayed;
		if (!relayed->packets)
			continue;
		ret = relay_pending(&s->relay);
		if (ret)
			continue;
		s->open -= relayed->bytes;
		relayed->packets = 0;
		relayed->bytes = 0;
		relayed->empty = false;
	}
	return ret < 0 ? ret : 0;
}

/**
 * relay_sink_confirm() - wait until relayd has all packets
 * @s:		the sink, connected
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_confirm(struct relay_sink *s)
{
	int64_t deadline = relay_now() + s->relay.timeout + s->open / RELAY_BYTES_PER_MS;
	const bool any = s->open;
	unsigned int i, left;
	int ret = 0, ms = 1;

	for (;;) {
		for (i = 0; !ret && i < s->nr; i += ASK_MAX) {
			left = s->nr - i;
			ret = confirm_some(s, s->streams + i, left < ASK_MAX ? left : ASK_MAX);
		}
		if (ret)
			return ret;
		if (!s->open)
			break;
		if (relay_now() >= deadline)
			return relay_fail(&s->relay, -ETIMEDOUT,
					  "no confirmation from lttng-relayd");
		ret = relay_sleep(&s->relay, ms);
		ms = ms < PENDING_MAX / 2 ? 2 * ms : PENDING_MAX;
	}
	s->good = relay_now();
	if (any) {
		s->arrived = s->good;
		s->backoff = 0;
	}
	return 0;
}

/**
 * relay_sink_close_session() - send what is left, and end the session
 * @s:		the sink, connected
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_close_session(struct relay_sink *s)
{
	unsigned int i;
	int ret;

	ret = relay_sink_declare(s) ?: relay_sink_confirm(s);
	if (!ret && s->live)
		ret = relay_sink_end_live(s);
	for (i = 0; !ret && i < s->nr; i++)
		ret = relay_close_stream(&s->relay, s->streams[i]->relayed.handle,
					 s->streams[i]->relayed.next - 1);
	return ret ?: relay_close_stream(&s->relay, s->metadata, RELAY_NO_SEQ);
}
