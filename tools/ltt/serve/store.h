/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what is served: traces, and the last packets of their streams.
 *
 *	protocol.h	what viewers say, and what is said to them
 *	store.c		packets in memory, from where all viewers of a trace get them
 *	viewer.c	a viewer: commands in, replies out
 *	kernel.c	fills the store with the kernel's traces
 *	listen.c	where viewers come from
 *	server.c	connections
 *	say.c		messages about viewers
 *
 * store.c and viewer.c know neither the kernel nor sockets. All of it is one thread.
 *
 * A packet is taken out of the kernel once. It is in the trace's ring until newer ones need its
 * memory. A viewer that has been told of a packet holds it until it asks for the next one; it then
 * stays in memory, but half of that is for the ring. Viewers that hold more have it taken away,
 * the oldest packet first. So what a trace takes is bounded, whatever viewers do.
 */
#ifndef _LTT_TOOL_SERVE_STORE_H
#define _LTT_TOOL_SERVE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct store_trace;

/**
 * struct store_packet - a packet
 * @node:	in store_trace.ring, or, if it is not there any more, in store_trace.held
 * @stream:	whose it is
 * @number:	in its stream, from 0
 * @holders:	viewers that hold it
 * @in_ring:	it is in the ring
 * @begin:	timestamp_begin
 * @end:	timestamp_end
 * @discarded:	events_discarded
 * @size:	bytes
 * @data:	the packet; NULL: it was taken away
 */
struct store_packet {
	TAILQ_ENTRY(store_packet) node;
	struct store_stream *stream;
	uint64_t number;
	unsigned int holders;
	bool in_ring;
	uint64_t begin;
	uint64_t end;
	uint64_t discarded;
	size_t size;
	void *data;
};

TAILQ_HEAD(store_packets, store_packet);

/**
 * struct store_stream - a stream
 * @trace:	whose it is
 * @name:	CHANNEL_CPU
 * @stream_id:	as in its packets
 * @slots:	those in the ring: packet n is at n modulo @room
 * @room:	slots, a power of two
 * @first:	number of the oldest packet in the ring
 * @next:	number of the next packet
 * @ended:	there will be none
 * @source:	the source's
 */
struct store_stream {
	struct store_trace *trace;
	char *name;
	uint64_t stream_id;
	struct store_packet **slots;
	size_t room;
	uint64_t first;
	uint64_t next;
	bool ended;
	void *source;
};

/**
 * struct store_trace - a trace
 * @node:	in store.traces
 * @store:	the store
 * @id:		never that of another
 * @name:	its name
 * @viewers:	how many are attached: only then there is anything below
 * @gone:	the trace was destroyed
 * @broken:	it goes on, but nothing more can be told of it; it is @gone, too
 * @streams:	its streams; only ever appended to
 * @nr_streams:	how many
 * @metadata:	its metadata; only ever appended to
 * @metadata_size: bytes
 * @metadata_room: bytes at @metadata
 * @ring:	packets, in the order in which they were taken
 * @held:	packets that viewers only have
 * @ring_size:	bytes
 * @held_size:	bytes
 * @source:	the source's
 */
struct store_trace {
	TAILQ_ENTRY(store_trace) node;
	struct store *store;
	uint64_t id;
	char *name;
	unsigned int viewers;
	bool gone;
	bool broken;
	struct store_stream **streams;
	unsigned int nr_streams;
	char *metadata;
	size_t metadata_size;
	size_t metadata_room;
	struct store_packets ring;
	struct store_packets held;
	size_t ring_size;
	size_t held_size;
	void *source;
};

/**
 * struct store_source - where traces come from
 * @scan:	bring the list of traces up to date
 * @open:	the first viewer comes: open the trace. Returns 0 or a negative errno
 * @close:	the last viewer has gone
 * @look:	take what is there of a stream, then look for new metadata, and, if there was
 *		anything, for new streams
 * @watermark:	a time, ns, before which no packet will begin that is taken later. After
 *		that, new streams are looked for. Returns 0, or a negative errno: not known now
 *
 * What goes wrong is said by them.
 */
struct store_source {
	void (*scan)(struct store *store);
	int (*open)(struct store_trace *trace);
	void (*close)(struct store_trace *trace);
	void (*look)(struct store_stream *stream);
	int (*watermark)(struct store_stream *stream, uint64_t *time);
};

TAILQ_HEAD(store_traces, store_trace);

/**
 * struct store - all traces
 * @source:	where they come from
 * @priv:	the source's
 * @host:	name of the machine
 * @memory:	bytes for the packets of a trace
 * @traces:	the traces
 * @last_id:	of a trace
 * @last_viewer: number of a viewer
 */
struct store {
	const struct store_source *source;
	void *priv;
	const char *host;
	size_t memory;
	struct store_traces traces;
	uint32_t last_id;
	uint64_t last_viewer;
};

void store_init(struct store *store, const struct store_source *source, size_t memory);
void store_free(struct store *store);
struct store_trace *store_add_trace(struct store *store, const char *name);
void store_forget_trace(struct store_trace *trace);
struct store_trace *store_find_trace(struct store *store, uint64_t id);
int store_attach(struct store_trace *trace);
void store_detach(struct store_trace *trace);
struct store_stream *store_add_stream(struct store_trace *trace, const char *name,
				      uint64_t stream_id);
int store_add_packet(struct store_stream *stream, void *data, size_t size);
void store_empty(struct store_stream *stream);
void store_lose(struct store_stream *stream);
struct store_packet *store_hold(struct store_stream *stream, uint64_t *next, uint64_t *lost);
void store_drop(struct store_packet *packet);

#endif /* _LTT_TOOL_SERVE_STORE_H */
