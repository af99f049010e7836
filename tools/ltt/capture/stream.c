// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: one stream: packets out of the kernel into a file.
 *
 * A packet's pages go through a pipe into the page cache of the file: nothing is
 * copied in user space. Where the packets are in the file is learnt from the file
 * itself: between asking the kernel for the next packet and taking it, a reader
 * that is too slow may have been left behind, and then gets another one.
 */

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture.h"
#include "control.h"
#include "../lib/ctf_index.h"
#include "ondisk.h"

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

static char *index_name(const struct capture_stream *stream)
{
	char *name;

	return asprintf(&name, "%s" LTT_INDEX_SUFFIX, stream->name) < 0 ? NULL : name;
}

/**
 * stream_open() - begin with a stream
 * @capture:	the capture
 * @name:	file in the kernel's directory
 *
 * From now on we are a reader of it. Nothing is made on disk before there is a
 * packet. Says what is wrong.
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
	stream->name = strdup(name);
	stream->in = openat(capture->binary, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (stream->name && stream->in >= 0 &&
	    !ioctl(stream->in, LTT_IOC_INFO, &stream->info))
		return stream;

	error = errno;
	if (error != ENOENT)
		warn("binary/%s", name);
	control_explain(error);
	stream_close(stream, capture);
	errno = error;
	return NULL;
}

/* Our files of the stream. */
static int open_files(struct capture_stream *stream, const struct capture *capture)
{
	char *name;
	int ret;

	stream->out = openat(capture->dir, stream->name,
			     O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (stream->out < 0)
		return -errno;
	name = index_name(stream);
	if (!name)
		return -ENOMEM;
	ret = ondisk_index_create(capture->index, name);
	free(name);
	if (ret < 0)
		return ret;
	stream->index = ret;
	return 0;
}

/* An index that lacks packets is worse than none: without one, readers scan the file. */
static void drop_index(struct capture_stream *stream, const struct capture *capture)
{
	char *name = index_name(stream);

	if (name && unlinkat(capture->index, name, 0))
		warn(LTT_INDEX_DIR "/%s", name);
	free(name);
	close(stream->index);
	stream->index = -1;
}

/* Count the new packets and add them to the index, one by one. */
static int account(struct capture_stream *stream, const struct capture *capture)
{
	struct ltt_packet packet;
	uint64_t offset;
	int ret;

	while (stream->whole < stream->end) {
		ret = ondisk_packet(stream->out, stream->whole, stream->end, &packet);
		if (ret == -ENODATA)
			return 0;
		if (ret)
			return ret;
		/* It is on disk, and nowhere else: it stays, whatever becomes of the index. */
		offset = stream->whole;
		stream->whole += packet.packet_size / 8;
		/* What was lost before a capture that begins later is not ours to report. */
		if (!stream->begun && !capture->whole)
			stream->lost = packet.events_discarded;
		stream->begun = true;
		channel_add(stream->channel, packet.packet_size / 8,
			    packet.events_discarded - stream->lost);
		stream->lost = packet.events_discarded;
		ret = ondisk_index_add(stream->index, offset, &packet);
		if (ret) {
			drop_index(stream, capture);
			return ret;
		}
	}
	return 0;
}

static int need_buf(struct worker *worker)
{
	if (!worker->buf)
		worker->buf = malloc(worker->pipe_size);
	return worker->buf ? 0 : -ENOMEM;
}

/* @size bytes that are in the pipe. */
static int from_pipe(struct capture_stream *stream, struct worker *worker, size_t size)
{
	ssize_t n;
	int ret;

	while (size && !stream->copy) {
		n = splice(worker->pipe[0], NULL, stream->out, NULL, size, SPLICE_F_MOVE);
		if (n > 0)
			size -= n;
		else if (n < 0 && errno == EINVAL)
			stream->copy = true;
		else if (!n || errno != EINTR)
			return n ? -errno : -EIO;
	}
	ret = size ? need_buf(worker) : 0;
	while (size && !ret) {
		n = read(worker->pipe[0], worker->buf,
			 size < worker->pipe_size ? size : worker->pipe_size);
		if (n <= 0)
			return n ? -errno : -EIO;
		ret = ondisk_write(stream->out, worker->buf, n);
		size -= n;
	}
	return ret;
}

/*
 * Take up to @size bytes, first into the pipe or the buffer.
 * Return: how many, 0 if there are none now, or a negative errno.
 */
static ssize_t take_some(struct capture_stream *stream, struct worker *worker, size_t size)
{
	ssize_t n = -1;
	int ret;

	if (!stream->copy) {
		n = splice(stream->in, NULL, worker->pipe[1], NULL, size,
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n < 0 && errno == EINVAL)
			stream->copy = true;
	}
	if (!stream->copy) {
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		/* The packet is there, so what it needs has been declared. */
		ret = metadata_update(&worker->capture->metadata);
		if (!ret)
			ret = from_pipe(stream, worker, n);
		return ret ?: n;
	}
	ret = need_buf(worker);
	if (ret)
		return ret;
	n = read(stream->in, worker->buf, size < worker->pipe_size ? size : worker->pipe_size);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	ret = metadata_update(&worker->capture->metadata);
	if (!ret)
		ret = ondisk_write(stream->out, worker->buf, n);
	return ret ?: n;
}

static int take_packet(struct capture_stream *stream, struct worker *worker, uint64_t size)
{
	ssize_t n;
	int ret;

	ret = stream->out < 0 ? open_files(stream, worker->capture) : 0;
	while (!ret && size) {
		n = take_some(stream, worker, size);
		if (n < 0)
			ret = n;
		if (n <= 0)
			break;
		stream->end += n;
		size -= n;
	}
	return ret ?: account(stream, worker->capture);
}

/* Only the index is missing if it could be neither made nor written. */
static void complain(const struct capture_stream *stream, int ret)
{
	if (stream->out >= 0 && stream->index < 0)
		error(0, -ret, LTT_INDEX_DIR "/%s" LTT_INDEX_SUFFIX, stream->name);
	else
		error(0, -ret, "%s", stream->name);
}

/* Cut off an incomplete packet: later ones would not be readable. */
static void cut(struct capture_stream *stream)
{
	if (stream->out < 0)
		return;
	if (ftruncate(stream->out, stream->whole))
		warn("%s", stream->name);
	stream->end = stream->whole;
	stream->ended = true;
}

/**
 * stream_take() - take the next packet
 * @stream:	the stream
 * @worker:	the caller, that of the stream
 *
 * After an error, which is said, whole packets are left on disk and the stream has
 * ended.
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
		ret = take_packet(stream, worker, info.size);
	/* We have been so slow that the packet has gone; another one is next. */
	if (!ret || ret == -ESTALE)
		return 1;
	if (ret == -ENODATA)
		ret = 0;
	else
		complain(stream, ret);
	cut(stream);
	stream->ended = true;
	return ret;
}

/**
 * stream_close() - be done with a stream
 * @stream:	the stream
 * @capture:	the capture
 */
void stream_close(struct capture_stream *stream, struct capture *capture)
{
	/* A disk may tell only now that it is full. */
	if (stream->out >= 0 && close(stream->out)) {
		warn("%s", stream->name);
		atomic_store(&capture->failed, -EIO);
	}
	if (stream->index >= 0)
		close(stream->index);
	if (stream->in >= 0)
		close(stream->in);
	free(stream->name);
	free(stream);
}
