/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: moving a trace's packets from the kernel to a directory, or elsewhere.
 *
 *	capture.c	the streams, messages to the threads
 *	scan.c		streams that come later, for threads that need to know them
 *	channel.c	its channels, and what has been taken of each
 *	worker.c	the threads
 *	stream.c	one stream: packets out of the kernel
 *	sink_*.c	where they go; sink_relay.h lists the files of one of them
 *	metadata.c	the metadata: always ahead of the packets
 *	symbols.c	the copy of the kernel's symbols
 *	child.c		signals, and the command that is run meanwhile
 *	live.c		the text of a running trace
 *
 * A stream belongs to one worker, a thread that waits for packets in all of its
 * streams at once. The main thread looks for new streams, gives them to the workers
 * and tells all of them how to end.
 *
 * On disk, everything is appended. A packet is written after the metadata that it
 * needs, its index entry after the packet.
 */
#ifndef _LTT_TOOL_CAPTURE_H
#define _LTT_TOOL_CAPTURE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/ltt.h>

struct capture;
struct capture_stream;
struct ltt_packet;
struct worker;

/**
 * enum capture_mode - mode of the workers
 * @CAPTURE_RUN:	take packets as they are completed
 * @CAPTURE_FLUSHED:	take what was complete when this was said, then end; the trace
 *			may go on
 * @CAPTURE_DRAIN:	take everything up to the end: the trace is destroyed
 * @CAPTURE_ABORT:	end at once
 */
enum capture_mode {
	CAPTURE_RUN,
	CAPTURE_FLUSHED,
	CAPTURE_DRAIN,
	CAPTURE_ABORT,
};

/**
 * struct sink - where captures go
 * @open:	begin; @where: a directory that is empty. Waits no longer than capture.stop allows
 * @metadata:	append whole declarations, all of them or nothing. Calls do not overlap
 * @take:	take the next packet of a stream, @size bytes of which are left in the kernel,
 *		after metadata_update(), and stream_count() it. Called by the stream's thread
 * @end_stream:	nothing more will be taken of it: an incomplete packet is removed
 * @idle:	a thread has nothing to do for now; may be NULL, as the three below
 * @ending:	the capture is to end so. Called by any thread
 * @finish:	all has been taken, or none will be. Called by the last of the threads
 * @summary:	say what has become of it, after progress_summary()
 * @close:	free everything; may follow @open that has failed
 *
 * Functions say what is wrong, but for @take; those with a result return 0 or a negative errno.
 * To @take, -ESTALE is: another packet comes next, -ENODATA: none will come, and -ECANCELED:
 * what is wrong with the metadata has been said.
 */
struct sink {
	int (*open)(struct capture *capture, const char *where);
	int (*metadata)(struct capture *capture, const char *text, size_t size);
	int (*take)(struct capture_stream *stream, struct worker *worker, uint64_t size);
	void (*end_stream)(struct capture_stream *stream);
	void (*idle)(struct capture *capture, struct worker *worker);
	void (*ending)(struct capture *capture, enum capture_mode mode);
	int (*finish)(struct capture *capture);
	void (*summary)(const struct capture *capture);
	void (*close)(struct capture *capture);
};

extern const struct sink sink_directory;
extern const struct sink sink_relay;

/**
 * struct metadata - the trace's metadata, in the kernel and where the capture goes
 * @lock:	protects all but @grown and @symbols
 * @capture:	whose it is
 * @in:		the kernel's file
 * @size:	bytes that the sink has
 * @error:	the first error, a negative errno: declarations are missing there
 * @buf:	what has been read but not passed on yet
 * @room:	bytes at @buf
 * @grown:	changes when @size does
 * @symbols:	some event has a field that is shown as a symbol
 */
struct metadata {
	pthread_mutex_t lock;
	struct capture *capture;
	int in;
	uint64_t size;
	int error;
	char *buf;
	size_t room;
	atomic_ulong grown;
	atomic_bool symbols;
};

int metadata_open(struct metadata *metadata, struct capture *capture);
ssize_t metadata_read(int in, char **buf, size_t *room, size_t len);
int metadata_update(struct metadata *metadata);
void metadata_close(struct metadata *metadata);

/**
 * struct symbols - the copy of the kernel's symbols
 * @dir:	its directory, -1 before it is made
 * @out:	the file of modules in it, NULL likewise
 * @modules:	those whose symbols we have, with their addresses
 * @lines:	lines that name modules whose symbols we have: a tree, see tsearch()
 * @written:	there is a copy
 * @hidden:	the kernel does not tell addresses
 */
struct symbols {
	int dir;
	FILE *out;
	char *modules;
	void *lines;
	bool written;
	bool hidden;
};

#define SYMBOLS_INIT	{ .dir = -1 }

int symbols_update(struct symbols *symbols, int dir, bool last);
void symbols_free(struct symbols *symbols);

/**
 * struct channel - what has been taken of a channel
 * @name:	of the channel
 * @id:		its number in the trace
 * @packets:	taken
 * @bytes:	taken
 * @lost:	events lost
 */
struct channel {
	char *name;
	uint32_t id;
	atomic_ullong packets;
	atomic_ullong bytes;
	atomic_ullong lost;
};

/**
 * struct relayed - a stream at lttng-relayd
 * @session:	number of the session that it is in, 0: none
 * @handle:	its number there
 * @next:	number of its next packet there
 * @packets:	sent, but not confirmed yet
 * @bytes:	of these
 * @empty:	the first of these is the one without events
 * @known:	ns, viewers know that nothing will come before; stays from one session to the next
 * @number:	of the last packet, as it is in that; likewise
 */
struct relayed {
	unsigned int session;
	uint64_t handle;
	uint64_t next;
	uint64_t packets;
	uint64_t bytes;
	bool empty;
	uint64_t known;
	uint64_t number;
};

/**
 * struct capture_stream - a stream, in the kernel and where it goes
 * @name:	CHANNEL_CPU
 * @in:		the kernel's file
 * @out:	ours, -1 before the first packet
 * @index:	ours, likewise
 * @info:	what the kernel says of it
 * @end:	bytes in @out
 * @whole:	bytes of whole packets in @out, which have been counted
 * @copy:	the file refuses splice(): read and write
 * @relayed:	instead of these, if the capture goes to lttng-relayd
 * @ended:	no more data will follow
 * @left:	packets to be taken at most, if the capture's mode says so
 * @channel:	whose it is
 * @lost:	events lost up to the last packet that was taken
 * @begun:	there is such a packet
 * @young:	it came after we did: its first packet is number 0
 */
struct capture_stream {
	char *name;
	int in;
	int out;
	int index;
	struct ltt_stream_info info;
	uint64_t end;
	uint64_t whole;
	bool copy;
	struct relayed relayed;
	bool ended;
	unsigned long left;
	struct channel *channel;
	uint64_t lost;
	bool begun;
	bool young;
};

/**
 * struct worker - a thread, and its streams
 * @capture:	what it works for
 * @thread:	the thread
 * @started:	@thread is valid
 * @pipe:	what packets go through
 * @pipe_size:	bytes that fit into it
 * @buf:	the same for copying, NULL if there was no need
 * @packet:	a packet that is to be sent
 * @packet_room: bytes at @packet
 * @wake:	an eventfd: @streams or the capture's mode has changed
 * @lock:	protects @streams and @nr
 * @streams:	the streams; appended to by the main thread
 * @nr:		how many
 */
struct worker {
	struct capture *capture;
	pthread_t thread;
	bool started;
	int pipe[2];
	size_t pipe_size;
	char *buf;
	char *packet;
	size_t packet_room;
	int wake;
	pthread_mutex_t lock;
	struct capture_stream **streams;
	unsigned int nr;
};

/**
 * struct capture - a trace that is captured
 * @trace:	its name
 * @whole:	from its beginning: all losses are ours
 * @looked:	the streams are known that were there before us
 * @sink:	where it goes
 * @stop:	a descriptor: when it becomes readable, opening fails with ECANCELED; -1: none
 * @binary:	the kernel's directory of its streams
 * @dir:	ours, if it goes to a directory; otherwise -1
 * @index:	directory of our indexes, likewise
 * @declarations: our file of the metadata, likewise
 * @relay:	what sink_relay knows
 * @metadata:	its metadata
 * @symbols:	symbols of its kernel
 * @streams:	all streams that were found
 * @nr_streams:	how many
 * @names:	their names: a tree
 * @channels:	the channels of these, in the order in which they were found
 * @nr_channels: how many
 * @by_id:	the same: a tree
 * @workers:	the threads
 * @nr_workers:	how many
 * @wake:	an eventfd: the metadata has grown, a worker has ended, or failed
 * @mode:	enum capture_mode
 * @taking:	workers that may take packets
 * @busy:	workers that have not ended
 * @failed:	the first error, a negative errno; it has been reported
 * @live:	others look at it meanwhile, so it has one thread
 * @scan_lock:	protects @wanted and @scanned
 * @scan_done:	@scanned, or @mode, has changed
 * @wanted:	how often it was wanted that new streams are looked for
 * @scanned:	how many of these have been done
 */
struct capture {
	const char *trace;
	bool whole;
	bool looked;
	const struct sink *sink;
	int stop;
	int binary;
	int dir;
	int index;
	int declarations;
	struct relay_sink *relay;
	struct metadata metadata;
	struct symbols symbols;
	struct capture_stream **streams;
	unsigned int nr_streams;
	void *names;
	struct channel **channels;
	unsigned int nr_channels;
	void *by_id;
	struct worker *workers;
	unsigned int nr_workers;
	int wake;
	atomic_int mode;
	atomic_uint taking;
	atomic_uint busy;
	atomic_int failed;
	bool live;
	pthread_mutex_t scan_lock;
	pthread_cond_t scan_done;
	unsigned long wanted;
	unsigned long scanned;
};

/* For tdestroy(), of trees whose entries are freed elsewhere. */
static inline void free_nothing(void *entry)
{
	(void)entry;
}

int capture_open(struct capture *capture, const char *trace, bool whole, bool live,
		 const struct sink *sink, const char *where, int stop, unsigned int nr_workers);
int capture_scan(struct capture *capture, const char *timer);
int capture_each_new(struct capture *capture,
		     int (*call)(struct capture *capture, const char *name, void *data),
		     void *data);
int capture_know(struct capture *capture, const char *name);
void capture_unknow(struct capture *capture, const char *name);
void capture_forget(struct capture *capture);
void capture_raise_limit(void);
int capture_open_kernel(struct capture *capture);
void capture_end(struct capture *capture, enum capture_mode mode);
int capture_symbols(struct capture *capture, bool last);
int capture_join(struct capture *capture);
void capture_close(struct capture *capture);

void capture_want_scan(struct capture *capture);
unsigned long capture_scan_wanted(struct capture *capture);
void capture_scan_done(struct capture *capture, unsigned long wanted);

int worker_start(struct worker *worker, struct capture *capture);
int worker_add(struct worker *worker, struct capture_stream *stream);
void worker_wake(struct worker *worker);
void worker_stop(struct worker *worker);

struct channel *channel_get(struct capture *capture, uint32_t id, const char *name, size_t len,
			    bool *is_new);
void channel_add(struct channel *channel, uint64_t bytes, uint64_t lost);
void channels_free(struct capture *capture);

struct capture_stream *stream_open(struct capture *capture, const char *name);
uint64_t stream_begin(struct capture_stream *stream, const struct ltt_packet *packet);
void stream_count(struct capture_stream *stream, const struct capture *capture,
		  const struct ltt_packet *packet);
int stream_take(struct capture_stream *stream, struct worker *worker);
void stream_close_file(struct capture *capture, int fd, const char *dir, const char *name);
void stream_close(struct capture_stream *stream, struct capture *capture);
size_t stream_channel_len(const struct capture_stream *stream);

#endif /* _LTT_TOOL_CAPTURE_H */
