// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: the next event of a stream.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf/ctf.h"
#include "stream.h"

/* Bytes of a window, and of all windows together, until an event needs more. */
#define WINDOW_MAX	(128u << 10)
#define WINDOW_MIN	(16u << 10)
#define WINDOWS		(128u << 20)

/**
 * lib_stream_more() - have more of the packet in the window
 * @ltt:	for reports
 * @s:		the stream; the next event is not whole in the window
 *
 * Return: true if there is more of it now.
 */
bool lib_stream_more(struct libltt *ltt, struct lib_stream *s)
{
	size_t have = s->end - s->p, want;
	u64 at = s->window_at + (s->p - s->window), rest = s->content_end - at;

	if (s->finished || have == rest)
		return false;
	/* As much as the window takes; more only if that is full. */
	want = have < s->room ? have + 1 : 2 * have;
	return lib_packet_fill(ltt, s, at, min_t(u64, want, rest));
}

/**
 * lib_stream_skip() - leave out the rest of a packet that can't be decoded
 * @ltt:	for reports
 * @s:		the stream
 * @why:	what is wrong at s->p
 */
void lib_stream_skip(struct libltt *ltt, struct lib_stream *s, const char *why)
{
	u64 at = s->window_at + (s->p - s->window);

	/* Then it has been reported that the rest can't be read. */
	if (!s->finished) {
		lib_report(ltt, LIBLTT_ERROR, EBADMSG, s->pub.file, at,
			   "%s; skipping to offset %llu", why, (unsigned long long)s->packet_end);
		lib_packet_damaged(s, at);
	}
	lib_packet_leave(s);
}

/* The next event, whole packets aside. Return: 1, 0: no more here; or -EBADMSG. */
static int decode(struct libltt *ltt, struct lib_stream *s, const char **why)
{
	u64 ts;

	do {
		if (s->p == s->end)
			continue;
		ts = s->ts;
		s->header = ltt_decode_header_of(s->p, s->end - s->p, &ts, &s->id, s->swap,
						 s->compact);
		if (s->header < 0)
			continue;
		if (ts > s->ts_end) {
			*why = "an event after the end of its packet";
			return -EBADMSG;
		}
		s->class = lib_class_find(s->channel, s->id);
		if (!s->class) {
			*why = "an event that the metadata don't declare";
			return -EBADMSG;
		}
		s->ts = ts;
		return 1;
	} while (lib_stream_more(ltt, s));

	*why = "not the header of an event";
	return s->p == s->end ? 0 : -EBADMSG;
}

/**
 * lib_stream_peek_slow() - lib_stream_peek() where a packet or the window ends
 * @ltt:	for reports
 * @s:		the stream
 *
 * Return: as that.
 */
bool lib_stream_peek_slow(struct libltt *ltt, struct lib_stream *s)
{
	const char *why;
	long size;
	int ret;

	do {
		for (;;) {
			ret = decode(ltt, s, &why);
			if (ret <= 0)
				break;
			if (s->ts + s->shift >= ltt->begin)
				return true;
			/* Before the range, and so are the notices. */
			s->lost = 0;
			s->corrupt = false;
			size = lib_stream_size(ltt, s);
			if (size < 0) {
				why = "incomplete event";
				ret = -EBADMSG;
				break;
			}
			s->p += s->header + size;
		}
		if (ret < 0)
			lib_stream_skip(ltt, s, why);
	} while (lib_packet_next(ltt, s));

	s->header = 0;
	/* What was lost and nothing follows: when it was found, at the latest. */
	s->ts = s->ts_end;
	return false;
}

/**
 * lib_stream_rewind() - begin to read at the begin of the range
 * @ltt:	for the range, and for reports
 * @s:		the stream
 */
void lib_stream_rewind(struct libltt *ltt, struct lib_stream *s)
{
	s->finished = false;
	s->lost = 0;
	s->corrupt = false;
	memset(&s->packet, 0, sizeof(s->packet));
	s->packets = 0;
	s->packet_end = 0;
	s->ts = 0;
	s->ts_end = 0;
	s->header = 0;
	lib_packet_leave(s);
	if (s->ctf)
		ctf_stream_rewind(s);
	if (ltt->begin > s->shift)
		lib_index_seek(ltt, s, ltt->begin - s->shift);
}

/**
 * lib_stream_windows() - allocate the streams' windows
 * @ltt:	all streams are open
 * @readers:	how many have windows, with this one
 *
 * Return: 0 or -ENOMEM.
 */
int lib_stream_windows(struct libltt *ltt, unsigned int readers)
{
	size_t room = ltt->nr_streams ? WINDOWS / readers / ltt->nr_streams : 0;
	unsigned int i;

	room = min_t(size_t, max_t(size_t, room, WINDOW_MIN), WINDOW_MAX);
	for (i = 0; i < ltt->nr_streams; i++) {
		ltt->streams[i].window = malloc(room);
		if (!ltt->streams[i].window)
			return -ENOMEM;
		ltt->streams[i].room = room;
	}
	return 0;
}

/**
 * lib_stream_open() - open a file of packets, and see how many bytes it has
 * @trace:	the trace that it belongs to, the metadata of which need not be known
 * @name:	name of the file; belongs to the stream from now on
 * @s:		the stream, for lib_stream_identify()
 */
void lib_stream_open(struct lib_trace *trace, const char *name, struct lib_stream *s)
{
	u64 size = 0;

	memset(s, 0, sizeof(*s));
	s->trace = trace;
	s->pub.file = name;
	s->pub.trace = trace->number;
	s->fd = lib_file_open(name, &size, NULL);
	s->pub.size = size;
}

/* No whole header is there. */
static void report_short(struct libltt *ltt, const struct lib_stream *s)
{
	u8 begin[LIB_KEY_SIZE];
	long len = lib_file_read(s->fd, begin, sizeof(begin), 0);

	if (len >= 0 && lib_packet_may_begin(s, begin, len))
		lib_report(ltt, LIBLTT_NOTE, EBADMSG, s->pub.file, 0,
			   "the only packet is truncated");
	else
		lib_report(ltt, LIBLTT_ERROR, EBADMSG, s->pub.file, 0, "no packet begins here");
}

/* No packet is whole. Is that the only one, which was being written? Then it says whose it is. */
static int only_packet(struct lib_stream *s, const char **why)
{
	struct ltt_packet packet;
	int err = lib_packet_header(s, 0, &packet);

	if (err)
		return err;
	*why = lib_packet_bad_frame(s, &packet);
	s->channel = lib_channel_find(s->trace, packet.stream_id);
	s->pub.stream = packet.stream_id;
	s->pub.cpu = packet.cpu_id;
	return 0;
}

static int find_owner(struct lib_stream *s, const char **why)
{
	const char *base = strrchr(s->pub.file, '/');
	int ret = lib_stream_owner(s, base ? base + 1 : s->pub.file);

	if (!ret)
		ret = only_packet(s, why);
	return min(ret, 0);
}

/**
 * lib_stream_identify() - find out which channel and CPU a stream is of
 * @ltt:	for reports
 * @s:		the stream; the metadata of its trace are known
 *
 * Return: true; false: there is nothing to read in it, which was reported unless it is
 * empty.
 */
bool lib_stream_identify(struct libltt *ltt, struct lib_stream *s)
{
	const char *why = NULL;
	int err = s->fd < 0 ? s->fd : 0;

	if (s->trace->ctf)
		return ctf_stream_identify(ltt, s);
	s->shift = s->trace->shift;
	s->swap = s->trace->swap;
	s->compact = lib_trace_is_older(s->trace, 3) ? LTT_ID_EXTENDED : LTT_ID_WIDE;
	if (!err) {
		if (!s->pub.size)
			return false;
		err = find_owner(s, &why);
		if (err == -ENODATA) {
			report_short(ltt, s);
			return false;
		}
	}
	if (err)
		why = err == -EINVAL ? "not a regular file" : strerror(-err);
	if (!why && !s->channel)
		why = "packet of a channel that the metadata do not declare";
	if (why) {
		lib_report(ltt, LIBLTT_ERROR, err ? -err : EBADMSG, s->pub.file,
			   s->fd < 0 ? LIBLTT_NO_OFFSET : 0, "%s", why);
		return false;
	}
	s->pub.channel = s->channel->name;
	ltt_cpu_text_init(&s->cpu, s->pub.cpu);
	return true;
}

/**
 * lib_stream_close() - close the file, free the window and the name
 * @s:		the stream
 */
void lib_stream_close(struct lib_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	lib_index_close(s);
	ctf_stream_close(s);
	free(s->window);
	free((void *)s->pub.file);
}
