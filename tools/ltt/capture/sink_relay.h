/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: inside of a capture that goes to lttng-relayd.
 *
 *	sink_relay.c		the sink: packets, and the end
 *	sink_relay_session.c	a session: its streams, what has arrived
 *	sink_relay_live.c	what viewers of a live one are told besides
 *	sink_relay_again.c	a connection that breaks, and the next one
 */
#ifndef _LTT_TOOL_SINK_RELAY_H
#define _LTT_TOOL_SINK_RELAY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture.h"
#include "../relay/address.h"
#include "../relay/relay.h"
#include "../relay/wire.h"

/*
 * us, how often there are beacons in a live session that is quiet; so viewers know how often to
 * ask. There are more when packets come now and then, and none while they come all the time:
 * those say it themselves.
 */
#define RELAY_LIVE_TIMER	200000

/**
 * struct relay_sink - the connection, and what became of it
 * @lock:	protects all but @text_lock and what that does
 * @address:	whom to connect to
 * @relay:	the connection
 * @name:	of the session
 * @hostname:	ours
 * @dir:	directory of the first session
 * @live:	viewers look at the sessions
 * @uuid:	of the trace, if @live
 * @beacon:	ns, the last time in any beacon, or at which a packet with events ended
 * @session:	number of the present session, or the last one, from 1
 * @connected:	there is a present one
 * @given_up:	there will be no other
 * @metadata:	its stream of metadata
 * @declared:	bytes of @text that have been sent in it
 * @streams:	its other streams
 * @nr:		how many
 * @room:	entries at @streams
 * @open:	bytes that it has not confirmed
 * @good:	ms, when it last had confirmed everything
 * @arrived:	ms, when it last had confirmed packets
 * @lost:	ms, when the last connection was lost
 * @due:	ms, when the next attempt to connect is due
 * @backoff:	ms, how long to wait before the next attempt; 0: none since then
 * @said:	why the last attempt failed, as it was told
 * @breaks:	connections that were lost
 * @missing:	packets that may not have arrived
 * @missing_bytes: of these
 * @unsent:	packets that were not sent
 * @unsent_bytes: of these
 * @kick:	an eventfd: the capture is to end
 * @stop:	an eventfd: at once
 * @ended:	ms, when that was said first; 0: not yet
 * @text_lock:	protects @text, @size and @text_room
 * @text:	the metadata
 * @size:	bytes of it
 * @text_room:	bytes at @text
 */
struct relay_sink {
	pthread_mutex_t lock;
	struct relay_address address;
	struct relay relay;
	char name[RELAY_SESSION_NAME];
	char hostname[RELAY_HOST_NAME];
	char dir[RELAY_PATH - 64];
	bool live;
	uint8_t uuid[LTT_UUID_SIZE];
	uint64_t beacon;
	unsigned int session;
	bool connected;
	bool given_up;
	uint64_t metadata;
	size_t declared;
	struct capture_stream **streams;
	unsigned int nr;
	unsigned int room;
	uint64_t open;
	int64_t good;
	int64_t arrived;
	int64_t lost;
	int64_t due;
	int backoff;
	char said[256];
	unsigned int breaks;
	uint64_t missing;
	uint64_t missing_bytes;
	uint64_t unsent;
	uint64_t unsent_bytes;
	int kick;
	int stop;
	atomic_llong ended;
	pthread_mutex_t text_lock;
	char *text;
	size_t size;
	size_t text_room;
};

/* sink_relay_session.c */
void relay_sink_path(const struct relay_sink *s, char path[RELAY_PATH]);
int relay_sink_declare(struct relay_sink *s);
int relay_sink_open_session(struct relay_sink *s);
int relay_sink_send(struct relay_sink *s, struct capture_stream *stream, const void *data,
		    const struct ltt_packet *packet);
int relay_sink_add_stream(struct relay_sink *s, struct capture_stream *stream,
			  const struct ltt_packet *next);
int relay_sink_confirm(struct relay_sink *s);
int relay_sink_close_session(struct relay_sink *s);

/* sink_relay_live.c */
int relay_sink_send_empty(struct relay_sink *s, struct capture_stream *stream,
			  const struct ltt_packet *next);
int relay_sink_add_all(struct relay_sink *s, struct worker *worker,
		       const struct capture_stream *taken, const struct ltt_packet *packet);
int relay_sink_beacons(struct relay_sink *s, struct capture *capture, struct worker *worker);
int relay_sink_end_live(struct relay_sink *s);

/* sink_relay_again.c */
bool relay_sink_stopped(const struct relay_sink *s);
void relay_sink_lose(struct relay_sink *s);
bool relay_sink_try(struct relay_sink *s);
bool relay_sink_reconnect(struct relay_sink *s);

#endif
