// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a capture that goes to a directory.
 *
 * A packet's pages go through a pipe into the page cache of the file: nothing is
 * copied in user space. So what is said of a packet in the index is learnt from the file
 * itself.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "../lib/ctf_index.h"
#include "../common/ondisk.h"

static int open_directory(struct capture *capture, const char *dir)
{
	int ret;

	capture->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Keeps ltt repair away while we record. */
	if (capture->dir >= 0 && ondisk_lock(capture->dir, false)) {
		warnx("%s: " ONDISK_BUSY, dir);
		return -EBUSY;
	}
	if (capture->dir < 0 || mkdirat(capture->dir, LTT_INDEX_DIR, 0700)) {
		ret = -errno;
		warn("%s", dir);
		return ret;
	}
	capture->index = openat(capture->dir, LTT_INDEX_DIR,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (capture->index < 0) {
		ret = -errno;
		warn("%s/" LTT_INDEX_DIR, dir);
		return ret;
	}
	capture->declarations = openat(capture->dir, ONDISK_METADATA,
				       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (capture->declarations < 0) {
		ret = -errno;
		warn(ONDISK_METADATA);
		return ret;
	}
	return 0;
}

/*
 * All at once: what a kill may cut short is rarely more than nothing. A disk that is full
 * cuts it short; then the file is as it was.
 */
static int write_metadata(struct capture *capture, const char *text, size_t size)
{
	int ret = ondisk_write(capture->declarations, text, size);
	off_t end = capture->metadata.size;

	if (!ret)
		return 0;
	error(0, -ret, ONDISK_METADATA);
	if (ftruncate(capture->declarations, end) ||
	    lseek(capture->declarations, end, SEEK_SET) < 0)
		warn(ONDISK_METADATA);
	return ret;
}

static char *index_name(const struct capture_stream *stream)
{
	char *name;

	return asprintf(&name, "%s" LTT_INDEX_SUFFIX, stream->name) < 0 ? NULL : name;
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
		stream_count(stream, capture, &packet);
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
		if (metadata_update(&worker->capture->metadata))
			return -ECANCELED;
		ret = from_pipe(stream, worker, n);
		return ret ?: n;
	}
	ret = need_buf(worker);
	if (ret)
		return ret;
	n = read(stream->in, worker->buf, size < worker->pipe_size ? size : worker->pipe_size);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (metadata_update(&worker->capture->metadata))
		return -ECANCELED;
	ret = ondisk_write(stream->out, worker->buf, n);
	return ret ?: n;
}

static int take(struct capture_stream *stream, struct worker *worker, uint64_t size)
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

/* Cut off an incomplete packet: later ones would not be readable. */
static void cut(struct capture_stream *stream)
{
	if (stream->out < 0)
		return;
	if (ftruncate(stream->out, stream->whole))
		warn("%s", stream->name);
	stream->end = stream->whole;
}

static void close_directory(struct capture *capture)
{
	stream_close_file(capture, capture->declarations, "", ONDISK_METADATA);
	if (capture->index >= 0)
		close(capture->index);
	if (capture->dir >= 0)
		close(capture->dir);
}

const struct sink sink_directory = {
	.open = open_directory,
	.metadata = write_metadata,
	.take = take,
	.end_stream = cut,
	.close = close_directory,
};
