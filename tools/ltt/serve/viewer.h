/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a viewer: commands in, replies out.
 */
#ifndef _LTT_TOOL_SERVE_VIEWER_H
#define _LTT_TOOL_SERVE_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "protocol.h"
#include "store.h"

/* The longest command. */
#define VIEWER_COMMAND_MAX	(sizeof(struct live_command) + sizeof(struct live_connect))

/**
 * struct viewer_stream - a stream, as far as a viewer has got
 * @next:	number of its next packet
 * @end:	timestamp_end of the last one
 * @packet:	the last one, until the viewer asks for the next: Babeltrace 2.1 gets the first
 *		one of a stream twice
 */
struct viewer_stream {
	uint64_t next;
	uint64_t end;
	struct store_packet *packet;
};

/**
 * struct viewer_trace - a trace that a viewer is attached to
 * @node:	in viewer.traces
 * @trace:	the trace
 * @streams:	the first @nr of the trace's streams: the viewer has been told of these
 * @nr:		how many
 * @room:	of @streams
 * @metadata:	bytes of the metadata that it has got
 * @packets:	it has been told of
 * @lost:	packets that had gone when it came for them
 * @late:	packets that were taken away before it had got all of them
 */
struct viewer_trace {
	SLIST_ENTRY(viewer_trace) node;
	struct store_trace *trace;
	struct viewer_stream *streams;
	unsigned int nr;
	unsigned int room;
	size_t metadata;
	uint64_t packets;
	uint64_t lost;
	uint64_t late;
};

SLIST_HEAD(viewer_traces, viewer_trace);

/**
 * struct viewer - a viewer
 * @store:	what it may see
 * @peer:	who it is, for messages
 * @wrong:	why nothing can be said to it any more, NULL: it can
 * @number:	of the viewer
 * @connected:	it has said which version it speaks
 * @created:	it may attach to traces
 * @traces:	those it is attached to
 * @in:		a command
 * @in_len:	bytes of it that have come
 * @out:	a reply, or the next part of one
 * @out_room:	bytes at @out
 * @out_len:	bytes of the reply
 * @out_at:	those that have been sent
 * @rest:	the trace whose streams or metadata follow
 * @stream:	the next stream
 * @streams:	the one after the last
 * @text:	the next byte of the metadata
 * @text_end:	the one after the last
 */
struct viewer {
	struct store *store;
	const char *peer;
	const char *wrong;
	uint64_t number;
	bool connected;
	bool created;
	struct viewer_traces traces;
	uint8_t in[VIEWER_COMMAND_MAX];
	size_t in_len;
	uint8_t *out;
	size_t out_room;
	size_t out_len;
	size_t out_at;
	struct viewer_trace *rest;
	unsigned int stream;
	unsigned int streams;
	size_t text;
	size_t text_end;
};

void viewer_init(struct viewer *viewer, struct store *store, const char *peer);
void viewer_free(struct viewer *viewer);
size_t viewer_want(struct viewer *viewer, void **to);
void viewer_got(struct viewer *viewer, size_t size);
size_t viewer_reply(struct viewer *viewer, const void **from);
void viewer_sent(struct viewer *viewer, size_t size);

#endif /* _LTT_TOOL_SERVE_VIEWER_H */
