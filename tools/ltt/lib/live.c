// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: traces that come packet by packet.
 *
 * A stream's packets are in a file of its own, which has no name: there they are read as those of
 * a directory are, with all that is checked on the way. What has been read is given back.
 *
 * Of each stream it is known before which time no other event will come. When all that has come of
 * a stream has been read, the merge stops there. Time does not go back: events that come after
 * later ones have been shown are left out, and counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live.h"
#include "merge.h"
#include "stream.h"

/* Bytes of a window, until an event needs more. */
#define WINDOW	(16u << 10)

/**
 * struct lib_live_stream - a stream that comes packet by packet
 * @ltt:	the traces
 * @trace:	its trace
 * @file:	its name, with that of the trace
 * @next:	in lib_live.streams
 * @in:		what is read, index in libltt.streams; -1: no packet has come
 * @fresh:	one has come that lib_live_go() has not seen
 * @bad:	it is not known whose it is, so nothing is read
 * @paused:	nothing is known of it, and it holds nothing up
 * @known:	no event will come before that
 * @seq:	number of the last packet, if one has come
 * @lost:	its events_discarded
 * @given_back:	bytes at the beginning of the file that are not there any more
 */
struct lib_live_stream {
	struct libltt *ltt;
	struct lib_trace *trace;
	char *file;
	struct lib_live_stream *next;
	int in;
	bool fresh;
	bool bad;
	bool paused;
	u64 known;
	u64 seq;
	u64 lost;
	u64 given_back;
};

/**
 * struct lib_live - how traces come
 * @parsers:	of the metadata of each trace
 * @declared:	bytes of these
 * @streams:	all streams
 * @last:	where the next one is added
 * @room:	for so many at libltt.streams
 * @limit:	ns, the last time that is wanted
 * @horizon:	ns, all before that has been shown
 * @missing:	packets that have not come
 * @late:	packets with events that came after later ones
 * @lost:	events that were lost before they were in a packet
 * @checked:	the clocks have been compared
 * @began:	events have been read
 * @over:	nothing will come
 */
struct lib_live {
	struct lib_parser **parsers;
	u64 *declared;
	struct lib_live_stream *streams;
	struct lib_live_stream **last;
	unsigned int room;
	u64 limit;
	u64 horizon;
	u64 missing;
	u64 late;
	u64 lost;
	bool checked;
	bool began;
	bool over;
};

static int open_traces(struct libltt *ltt, const char *const names[], unsigned int nr,
		       struct libltt_problem *error)
{
	struct lib_live *live = ltt->live;
	struct lib_trace *trace;
	unsigned int i;
	int err;

	err = lib_style_open(ltt, ltt->options.style, error);
	if (err)
		return err;
	live->parsers = calloc(nr, sizeof(*live->parsers));
	live->declared = calloc(nr, sizeof(*live->declared));
	ltt->traces = calloc(nr, sizeof(*ltt->traces));
	if (!live->parsers || !live->declared || !ltt->traces)
		return -ENOMEM;
	ltt->nr_traces = nr;
	for (i = 0; i < nr; i++) {
		trace = &ltt->traces[i];
		trace->number = i;
		trace->of = nr;
		trace->style = ltt->out.style;
		trace->dir = strdup(names[i]);
		trace->metadata = strdup(names[i]);
		/* They are not among what comes. */
		trace->symbols_known = true;
		live->parsers[i] = lib_metadata_begin(trace);
		if (!trace->dir || !trace->metadata || !live->parsers[i])
			return -ENOMEM;
	}
	return ltt_merge_reset(&ltt->merge, 0);
}

/**
 * lib_live_open() - begin to get traces
 * @names:	their names, for messages
 * @nr:		how many, at least one
 * @options:	how to read, may be NULL
 * @error:	what is wrong if this fails
 *
 * Return: the traces, to be closed by libltt_close(), or NULL.
 */
struct libltt *lib_live_open(const char *const names[], unsigned int nr,
			     const struct libltt_options *options, struct libltt_problem *error)
{
	struct libltt *ltt = calloc(1, sizeof(*ltt));

	lib_fail(error, ENOMEM, names[0], LIBLTT_NO_OFFSET, "out of memory");
	if (ltt)
		ltt->live = calloc(1, sizeof(*ltt->live));
	if (!ltt || !ltt->live) {
		free(ltt);
		return NULL;
	}
	ltt->live->last = &ltt->live->streams;
	ltt->live->limit = U64_MAX;
	ltt->started = true;
	if (options)
		ltt->options = *options;
	if (open_traces(ltt, names, nr, error)) {
		libltt_close(ltt);
		return NULL;
	}
	return ltt;
}

/**
 * lib_live_close() - forget how traces come
 * @ltt:	the traces, which may be others
 */
void lib_live_close(struct libltt *ltt)
{
	struct lib_live *live = ltt->live;
	struct lib_live_stream *stream;
	unsigned int i;

	if (!live)
		return;
	while ((stream = live->streams)) {
		live->streams = stream->next;
		free(stream->file);
		free(stream);
	}
	for (i = 0; i < ltt->nr_traces; i++)
		lib_metadata_end(live->parsers[i]);
	free(live->parsers);
	free(live->declared);
	free(live);
	ltt->live = NULL;
}

/**
 * lib_live_range() - say which times are wanted, before any packet comes
 * @ltt:	the traces
 * @begin:	ns, the first
 * @end:	ns, the last
 *
 * Return: 0, or -EINVAL if @begin is after @end.
 */
int lib_live_range(struct libltt *ltt, uint64_t begin, uint64_t end)
{
	if (begin > end)
		return -EINVAL;
	ltt->begin = begin;
	ltt->live->limit = end;
	return 0;
}

/**
 * lib_live_declare() - metadata have come
 * @ltt:	the traces
 * @trace:	number of the trace
 * @text:	what follows the declarations that have been read
 * @size:	its bytes; the last declaration may have no end yet
 * @error:	what is wrong
 *
 * Return: bytes of the declarations that have been read now, or a negative errno.
 */
long lib_live_declare(struct libltt *ltt, unsigned int trace, const char *text, size_t size,
		      struct libltt_problem *error)
{
	struct lib_live *live = ltt->live;
	long len = lib_metadata_more(live->parsers[trace], text, size, error);

	if (len > 0)
		live->declared[trace] += len;
	else if (len < 0 && error->offset != LIBLTT_NO_OFFSET)
		error->offset += live->declared[trace];
	return len;
}

/**
 * lib_live_ready() - are all traces declared?
 * @ltt:	the traces
 * @error:	what is wrong
 *
 * Return: 1; 0: not yet; or a negative errno.
 */
int lib_live_ready(struct libltt *ltt, struct libltt_problem *error)
{
	struct lib_trace *trace;
	unsigned int i;
	int err;

	if (ltt->live->checked)
		return 1;
	for (i = 0; i < ltt->nr_traces; i++) {
		trace = &ltt->traces[i];
		if (!trace->uuid_known)
			return 0;
		err = lib_trace_complete(trace, error);
		if (err)
			return err == -EBADMSG ? 0 : err;
	}
	err = lib_clocks_check(ltt, error);
	if (err)
		return err;
	for (i = 0; i < ltt->nr_traces; i++) {
		if (ltt->options.flags & LIBLTT_WALL)
			ltt->traces[i].shift = ltt->traces[i].pub.real_offset;
	}
	ltt->live->checked = true;
	return 1;
}

/**
 * lib_live_declared() - is a trace declared?
 * @ltt:	the traces
 * @trace:	number of the trace
 *
 * Return: false: its metadata have not come, or not all that must be there.
 */
bool lib_live_declared(const struct libltt *ltt, unsigned int trace)
{
	struct libltt_problem error;

	return ltt->traces[trace].uuid_known && !lib_trace_complete(&ltt->traces[trace], &error);
}

/**
 * lib_live_stream() - there is a stream
 * @ltt:	the traces
 * @trace:	number of its trace
 * @name:	CHANNEL_CPU
 *
 * It holds up all others, until it is known what it has.
 *
 * Return: the stream, which stays until libltt_close(); NULL: no memory.
 */
struct lib_live_stream *lib_live_stream(struct libltt *ltt, unsigned int trace, const char *name)
{
	struct lib_live_stream *stream = calloc(1, sizeof(*stream));

	if (!stream || asprintf(&stream->file, "%s/%s", ltt->traces[trace].dir, name) < 0) {
		free(stream);
		return NULL;
	}
	stream->ltt = ltt;
	stream->trace = &ltt->traces[trace];
	stream->in = -1;
	*ltt->live->last = stream;
	ltt->live->last = &stream->next;
	return stream;
}

/**
 * lib_live_wants() - have all events of a stream been read that have come?
 * @stream:	the stream
 *
 * Return: whether it can take a packet.
 */
bool lib_live_wants(const struct lib_live_stream *stream)
{
	return stream->in < 0 || (!stream->fresh && stream->ltt->streams[stream->in].finished);
}

/* ---- packets --------------------------------------------------------------------- */

/* What the user has is done with, and the merge may change. */
static void settle(struct libltt *ltt)
{
	if (ltt->taken)
		lib_merge_start(ltt);
}

/* Put the stream among the others. lib_live_go() makes the merge anew. */
static int insert(struct libltt *ltt, const struct lib_stream *s)
{
	unsigned int i;

	settle(ltt);
	if (lib_streams_grow(ltt, &ltt->live->room) ||
	    ltt_merge_reset(&ltt->merge, ltt->nr_streams + 1))
		return -ENOMEM;
	ltt->streams[ltt->nr_streams++] = *s;
	qsort(ltt->streams, ltt->nr_streams, sizeof(*s), lib_streams_compare);
	for (i = 0; i < ltt->nr_streams; i++)
		ltt->streams[i].live->in = i;
	return 0;
}

static int write_file(int fd, const void *data, size_t size, u64 at)
{
	ssize_t n;

	for (; size; size -= n, at += n, data = (const char *)data + n) {
		n = pwrite(fd, data, size, at);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return -errno;
	}
	return 0;
}

/* What the header of a packet says of its place. */
static bool place_of(const struct lib_live_stream *stream, const void *data, size_t size,
		     u64 *number, u64 *end)
{
	struct ltt_packet packet;

	if (stream->in < 0 || size < sizeof(packet))
		return false;
	memcpy(&packet, data, sizeof(packet));
	*number = packet.packet_seq_num;
	*end = packet.timestamp_end;
	if (stream->ltt->streams[stream->in].swap) {
		*number = __builtin_bswap64(*number);
		*end = __builtin_bswap64(*end);
	}
	return true;
}

/* What a stream has lost before its first packet is known if that is the first one of all. */
static void begin_counting(struct lib_live_stream *stream, struct lib_stream *s)
{
	struct ltt_packet packet;

	if (lib_packet_header(s, 0, &packet))
		return;
	stream->seq = packet.packet_seq_num - 1;
	stream->lost = packet.packet_seq_num ? packet.events_discarded : 0;
	s->packet.events_discarded = stream->lost;
}

/* Return: 0; -EBADMSG: it has been said whose it is not; -ENOMEM, or another negative errno. */
static int open_stream(struct lib_live_stream *stream, const void *data, size_t size)
{
	struct libltt *ltt = stream->ltt;
	struct lib_stream s = {
		.trace = stream->trace,
		.live = stream,
		.pub.trace = stream->trace->number,
		.pub.size = size,
		.finished = true,
	};
	int err;

	s.pub.file = strdup(stream->file);
	s.window = malloc(WINDOW);
	s.room = WINDOW;
	s.fd = memfd_create("ltt", MFD_CLOEXEC);
	err = s.fd < 0 ? -errno : s.window && s.pub.file ? 0 : -ENOMEM;
	if (!err)
		err = write_file(s.fd, data, size, 0);
	if (!err && !lib_stream_identify(ltt, &s))
		err = -EBADMSG;
	if (!err) {
		begin_counting(stream, &s);
		lib_packet_leave(&s);
		err = insert(ltt, &s);
	}
	if (err)
		lib_stream_close(&s);
	return err;
}

/* All that the file has was read: it gets another packet. */
static int append(struct lib_live_stream *stream, const void *data, size_t size)
{
	struct lib_stream *s = &stream->ltt->streams[stream->in];
	const u64 page = sysconf(_SC_PAGESIZE), done = s->pub.size & ~(page - 1);
	int err = write_file(s->fd, data, size, s->pub.size);

	if (err)
		return err;
	if (done > stream->given_back)
		fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, stream->given_back,
			  done - stream->given_back);
	stream->given_back = done;
	/* Whatever the one before has said of its length. */
	s->packet_end = s->pub.size;
	s->pub.size += size;
	s->gap_begin = 0;
	s->gap_end = 0;
	return 0;
}

/* The packet is the last one of the file: what does it say of those before it? */
static void count(struct lib_live_stream *stream, struct lib_stream *s)
{
	struct lib_live *live = stream->ltt->live;
	struct ltt_packet packet;
	u64 missing;

	if (lib_packet_header(s, s->packet_end, &packet) || lib_packet_bad_frame(s, &packet))
		return;
	missing = packet.packet_seq_num - stream->seq - 1;
	if ((s64)missing > 0) {
		live->missing += missing;
		lib_report(stream->ltt, LIBLTT_ERROR, ENODATA, stream->file, LIBLTT_NO_OFFSET,
			   "packets from number %llu on did not come: %llu",
			   (unsigned long long)stream->seq + 1, (unsigned long long)missing);
		s->corrupt = true;
		s->corrupt_packet = stream->seq + 1;
		s->corrupt_offset = 0;
	}
	live->lost += packet.events_discarded - stream->lost;
	stream->lost = packet.events_discarded;
	stream->seq = packet.packet_seq_num;
	lib_live_known(stream, packet.timestamp_end);
}

/**
 * lib_live_packet() - a packet of a stream has come
 * @stream:	the stream, which lib_live_wants() it
 * @data:	the packet, copied
 * @size:	its bytes, up to LIB_PACKET_MAX
 *
 * Nothing before its end will come after it. If packets before it have not come, that is
 * reported, and noticed in the text. One that is not newer than the last is left out: it has been
 * read already, or it is the empty one with which a sender begins anew.
 *
 * Return: 0; -EBADMSG: it is not known whose it is, which was reported, and all of the stream
 * will be left out; or another negative errno.
 */
int lib_live_packet(struct lib_live_stream *stream, const void *data, size_t size)
{
	u64 number, end;
	int err;

	if (stream->bad)
		return -EBADMSG;
	if (place_of(stream, data, size, &number, &end) && (s64)(number - stream->seq) <= 0) {
		lib_live_known(stream, end);
		return 0;
	}
	settle(stream->ltt);
	err = stream->in < 0 ? open_stream(stream, data, size) : append(stream, data, size);
	stream->bad = err == -EBADMSG;
	if (err)
		return err;
	count(stream, &stream->ltt->streams[stream->in]);
	stream->fresh = true;
	return 0;
}

/**
 * lib_live_known() - say before which time no other event of a stream will come
 * @stream:	the stream
 * @time:	ns
 */
void lib_live_known(struct lib_live_stream *stream, uint64_t time)
{
	stream->known = max_t(u64, stream->known, time);
}

/**
 * lib_live_pause() - go on without a stream: nothing will come, or nobody can know
 * @stream:	the stream
 * @pause:	begin, or end
 *
 * It holds up no other. Events that come after all are late.
 */
void lib_live_pause(struct lib_live_stream *stream, bool pause)
{
	stream->paused = pause;
}

/* ---- events ---------------------------------------------------------------------- */

/**
 * lib_live_over() - nothing will come any more
 * @ltt:	the traces
 */
void lib_live_over(struct libltt *ltt)
{
	ltt->live->over = true;
}

/* The last time of which nothing else will come, if all that has come has been read. */
static u64 complete_to(const struct lib_live_stream *stream)
{
	u64 time;

	if (__builtin_add_overflow(stream->known, stream->trace->shift, &time))
		time = U64_MAX;
	return time ? time - 1 : 0;
}

/**
 * lib_live_exhausted() - all of a stream that has come has been read
 * @ltt:	the traces
 * @stream:	the stream
 *
 * From now on it holds up others.
 */
void lib_live_exhausted(struct libltt *ltt, const struct lib_live_stream *stream)
{
	if (!stream->paused && !stream->bad)
		ltt->end = min(ltt->end, complete_to(stream));
}

/* Nothing that comes is before that; if nothing holds it up, all that has come is complete. */
static u64 horizon_of(const struct libltt *ltt)
{
	const struct lib_live_stream *stream;
	u64 most = 0;

	if (ltt->end < ltt->live->limit)
		return ltt->end + 1;
	if (ltt->live->over)
		return U64_MAX;
	for (stream = ltt->live->streams; stream; stream = stream->next)
		most = max(most, complete_to(stream));
	return most + 1;
}

/* Does the packet that has come have events that will be left out? Its first is where it begins. */
static bool is_late(const struct libltt *ltt, struct lib_stream *s)
{
	struct ltt_packet packet;

	return !lib_packet_header(s, s->packet_end, &packet) &&
	       !lib_packet_bad_frame(s, &packet) && packet.content_size > LIB_HEADER_BITS &&
	       packet.timestamp_begin + s->trace->shift < ltt->live->horizon;
}

/* Does the stream have an event, or a notice? */
static bool has_next(struct libltt *ltt, struct lib_stream *s)
{
	if (s->live->fresh) {
		ltt->live->late += is_late(ltt, s);
		s->live->fresh = false;
		s->finished = false;
		s->shift = s->trace->shift;
		lib_packet_leave(s);
		lib_stream_peek(ltt, s);
	}
	return s->header || (lib_stream_notice(s) && s->ts + s->shift >= ltt->begin);
}

/**
 * lib_live_go() - let those events be read that are complete now
 * @ltt:	the traces, of which all events have been read that were complete before
 *
 * Return: true; false: not all traces have been declared yet, see lib_live_ready().
 */
bool lib_live_go(struct libltt *ltt)
{
	struct lib_live *live = ltt->live;
	struct lib_live_stream *stream;
	struct lib_stream *s;
	unsigned int i;

	if (!live->checked)
		return false;
	settle(ltt);
	/* What is shown from now on is not before what has been shown. */
	live->horizon = lib_live_time(ltt);
	ltt->begin = max(ltt->begin, live->horizon);
	live->began = true;
	ltt->end = live->limit;
	for (i = 0; i < ltt->nr_streams; i++) {
		s = &ltt->streams[i];
		if (has_next(ltt, s))
			ltt_merge_set(&ltt->merge, i, s->pub.cpu, s->ts + s->shift);
		else
			ltt_merge_clear(&ltt->merge, i);
	}
	for (stream = live->streams; stream; stream = stream->next) {
		if (lib_live_wants(stream))
			lib_live_exhausted(ltt, stream);
	}
	ltt_merge_build(&ltt->merge);
	return true;
}

/**
 * lib_live_time() - up to when has everything been shown?
 * @ltt:	the traces, of which all events have been read that were complete
 *
 * Return: ns, the first time that is not complete; UINT64_MAX: all is.
 */
uint64_t lib_live_time(const struct libltt *ltt)
{
	return ltt->live->began ? max(ltt->live->horizon, horizon_of(ltt)) : 0;
}

/**
 * lib_live_ended() - has the last time that is wanted passed?
 * @ltt:	the traces, of which all events have been read that were complete
 *
 * Return: whether nothing that will come is wanted.
 */
bool lib_live_ended(const struct libltt *ltt)
{
	const struct lib_live_stream *stream;
	bool any = false;

	for (stream = ltt->live->streams; stream; stream = stream->next) {
		if (stream->paused || stream->bad)
			continue;
		if (complete_to(stream) < ltt->live->limit)
			return false;
		any = true;
	}
	return any;
}

/**
 * lib_live_missing() - how many packets have not come?
 * @ltt:	the traces
 *
 * Return: how many, of which later ones have.
 */
uint64_t lib_live_missing(const struct libltt *ltt)
{
	return ltt->live->missing;
}

/**
 * lib_live_late() - how many packets have come too late?
 * @ltt:	the traces
 *
 * Return: how many had events before a time that was said to be complete; these are left out
 * if later ones have been shown.
 */
uint64_t lib_live_late(const struct libltt *ltt)
{
	return ltt->live->late;
}

/**
 * lib_live_lost() - how many events were lost before they were in a packet?
 * @ltt:	the traces
 *
 * Return: how many, since the first packet that has come of each stream.
 */
uint64_t lib_live_lost(const struct libltt *ltt)
{
	return ltt->live->lost;
}
