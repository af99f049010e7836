// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: one stream: packets out of the kernel, to where the capture goes.
 */

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/ltt/packet.h>

#include "capture.h"
#include "../lib/ctf_index.h"

/* Where the number of the CPU begins, with the underscore before it; NULL: nowhere. */
static const char *cpu_suffix(const char *name)
{
	const char *suffix = strrchr(name, '_');

	if (!suffix || suffix == name || !isdigit((unsigned char)suffix[1]))
		return NULL;
	return suffix[1 + strspn(suffix + 1, "0123456789")] ? NULL : suffix;
}

/**
 * stream_channel_len() - length of the channel's name, with which the stream's begins
 * @stream:	the stream
 *
 * Return: bytes.
 */
size_t stream_channel_len(const struct capture_stream *stream)
{
	return cpu_suffix(stream->name) - stream->name;
}

/**
 * stream_open() - begin with a stream
 * @capture:	the capture
 * @name:	file in the kernel's directory
 *
 * From now on we are a reader of it. Nothing is made on disk before there is a
 * packet. Says nothing.
 *
 * Return: the stream; NULL with errno set: EINVAL: that is not the name of a stream;
 * ENOENT: it is gone.
 */
struct capture_stream *stream_open(struct capture *capture, const char *name)
{
	struct capture_stream *stream;
	int error;

	if (!cpu_suffix(name)) {
		errno = EINVAL;
		return NULL;
	}
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->out = -1;
	stream->index = -1;
	stream->young = capture->looked;
	stream->name = strdup(name);
	stream->in = openat(capture->binary, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (stream->name && stream->in >= 0 &&
	    !ioctl(stream->in, LTT_IOC_INFO, &stream->info))
		return stream;

	error = errno;
	stream_close(stream, capture);
	errno = error;
	return NULL;
}

/**
 * stream_begin() - a packet has been taken
 * @stream:	the stream
 * @packet:	its header
 *
 * Return: packets before it that we should have had, if it is the first one of a stream that has
 * come after us. Another reader has taken them before we saw the stream, or they were overwritten.
 */
uint64_t stream_begin(struct capture_stream *stream, const struct ltt_packet *packet)
{
	bool first = !stream->begun && stream->young;

	stream->begun = true;
	return first ? packet->packet_seq_num : 0;
}

/**
 * stream_count() - a packet has been taken
 * @stream:	the stream
 * @capture:	the capture
 * @packet:	its header
 */
void stream_count(struct capture_stream *stream, const struct capture *capture,
		  const struct ltt_packet *packet)
{
	uint64_t missing;

	/* What was lost before a capture that begins later is not ours to report. */
	if (!stream->begun && !stream->young && !capture->whole)
		stream->lost = packet->events_discarded;
	missing = stream_begin(stream, packet);
	/* Live, an empty one is sent before the first. */
	if (missing && capture->live)
		missing--;
	if (missing)
		warnx("%s: packets before the first that was taken: %" PRIu64,
		      stream->name, missing);
	channel_add(stream->channel, packet->packet_size / 8,
		    packet->events_discarded - stream->lost);
	stream->lost = packet->events_discarded;
}

/* Only the index is missing if it could be neither made nor written. */
static void complain(const struct capture_stream *stream, int ret)
{
	if (stream->out >= 0 && stream->index < 0)
		error(0, -ret, LTT_INDEX_DIR "/%s" LTT_INDEX_SUFFIX, stream->name);
	else
		error(0, -ret, "%s", stream->name);
}

/**
 * stream_take() - take the next packet
 * @stream:	the stream
 * @worker:	the caller, that of the stream
 *
 * After an error, which is said, whole packets are left where it goes and the stream
 * has ended.
 *
 * Return: 1; 0: there is none now, or, if @stream->ended, none will come; or
 * a negative errno.
 */
int stream_take(struct capture_stream *stream, struct worker *worker)
{
	struct ltt_packet_info info;
	int ret;

	ret = ioctl(stream->in, LTT_IOC_PEEK_PACKET, &info) ? -errno : 0;
	if (ret == -EAGAIN || ret == -EINTR)
		return 0;
	if (!ret)
		ret = worker->capture->sink->take(stream, worker, info.size);
	/* We have been so slow that the packet has gone; another one is next. */
	if (!ret || ret == -ESTALE)
		return 1;
	if (ret == -ENODATA)
		ret = 0;
	else if (ret != -ECANCELED)
		complain(stream, ret);
	worker->capture->sink->end_stream(stream);
	stream->ended = true;
	return ret;
}

/**
 * stream_close_file() - close a file that has been written
 * @capture:	the capture, which has failed if not all is on the disk
 * @fd:		the file; -1: none
 * @dir:	where it is, and a slash, if it is not beside the metadata
 * @name:	its name, for the message
 *
 * A disk may tell only now that it is full.
 */
void stream_close_file(struct capture *capture, int fd, const char *dir, const char *name)
{
	if (fd < 0 || !close(fd))
		return;
	warn("%s%s", dir, name);
	atomic_store(&capture->failed, -EIO);
}

/**
 * stream_close() - be done with a stream
 * @stream:	the stream
 * @capture:	the capture
 */
void stream_close(struct capture_stream *stream, struct capture *capture)
{
	stream_close_file(capture, stream->out, "", stream->name);
	stream_close_file(capture, stream->index, LTT_INDEX_DIR "/", stream->name);
	if (stream->in >= 0)
		close(stream->in);
	free(stream->name);
	free(stream);
}
