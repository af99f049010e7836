/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what a viewer says to ltt serve, or lttng-relayd, and what it gets.
 *
 * Functions that fail return a negative errno, and leave the reason in relay.why:
 * -EPROTO: the other side does not keep to the protocol, or has what is too much for us;
 * -ECANCELED: we shall stop.
 */
#ifndef _LTT_TOOL_REMOTE_DIALOGUE_H
#define _LTT_TOOL_REMOTE_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../relay/relay.h"
#include "../serve/protocol.h"

/* Indexes that are asked for before any is received. */
#define DIALOGUE_ASK_MAX	64

/* More than there are, of sessions and of a session's streams: see capture/channel.c. */
#define DIALOGUE_SESSIONS_MAX	65536u
#define DIALOGUE_STREAMS_MAX	65536u

typedef int (*dialogue_session)(const struct live_session *session, void *data);
typedef int (*dialogue_stream)(const struct live_stream *stream, void *data);

/**
 * struct dialogue_packet - which packet is wanted
 * @stream:	live_stream.id
 * @offset:	live_index.offset
 * @size:	bytes
 */
struct dialogue_packet {
	uint64_t stream;
	uint64_t offset;
	uint32_t size;
};

/* What became of a packet. */
enum dialogue_got { DIALOGUE_GOT, DIALOGUE_LATER, DIALOGUE_GONE };

int dialogue_init(struct relay *relay, const struct relay_address *address, int stop);
int dialogue_connect(struct relay *relay);
int dialogue_sessions(struct relay *relay, dialogue_session session, void *data);
int dialogue_attach(struct relay *relay, uint64_t session, uint32_t seek, dialogue_stream stream,
		    void *data);
int dialogue_new_streams(struct relay *relay, uint64_t session, dialogue_stream stream, void *data);
int dialogue_metadata(struct relay *relay, uint64_t stream, char **text, size_t *size, size_t most);
int dialogue_ask_index(struct relay *relay, uint64_t stream);
int dialogue_index(struct relay *relay, struct live_index *index);
int dialogue_get_packet(struct relay *relay, const struct dialogue_packet *packet, void *data,
			uint32_t *flags);

#endif /* _LTT_TOOL_REMOTE_DIALOGUE_H */
