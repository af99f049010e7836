// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a trace's metadata, brought up to date where the capture goes.
 *
 * In the kernel an event is declared before it can be recorded. So if a packet has
 * been taken first, then the metadata read to its end, the declarations of all
 * events in the packet are there.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "control.h"
#include "../common/ondisk.h"

#define ROOM	(64 << 10)

/* Before a format's text in the metadata, see <linux/ltt/metadata.h>. */
static const char format_mark[] = "// ltt-format \"";

/**
 * metadata_open() - begin to copy the metadata
 * @metadata:	the metadata
 * @capture:	whose it is
 *
 * Copies what there is. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int metadata_open(struct metadata *metadata, struct capture *capture)
{
	int error;

	memset(metadata, 0, sizeof(*metadata));
	pthread_mutex_init(&metadata->lock, NULL);
	metadata->capture = capture;
	metadata->in = openat(capture->binary, ONDISK_METADATA,
			      O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (metadata->in < 0) {
		error = errno;
		warn("binary/" ONDISK_METADATA);
		control_explain(error);
		return -error;
	}
	return metadata_update(metadata);
}

/* Is a conversion like %-20pS in the format? */
static bool format_has_symbol(const char *p, const char *end)
{
	while (p < end) {
		if (*p++ != '%')
			continue;
		while (p < end && strchr("-+ #0123456789.*", *p))
			p++;
		if (end - p >= 2 && *p == 'p' && strchr("sSB", p[1]))
			return true;
		/* The second one of %% begins nothing. */
		p++;
	}
	return false;
}

static bool has_symbol(const char *text, size_t size)
{
	const char *end = text + size, *p = text, *line;

	while ((p = memmem(p, end - p, format_mark, strlen(format_mark)))) {
		p += strlen(format_mark);
		line = memchr(p, '\n', end - p) ?: end;
		if (format_has_symbol(p, line))
			return true;
		p = line;
	}
	return false;
}

/**
 * metadata_read() - read what is new
 * @in:		the kernel's file
 * @buf:	where to read it to, allocated; may become larger
 * @room:	bytes at @buf
 * @len:	bytes there that stay
 *
 * Return: bytes at @buf now, up to the present end of the file, or a negative errno; what has
 * been read is lost then.
 */
ssize_t metadata_read(int in, char **buf, size_t *room, size_t len)
{
	ssize_t n;
	char *more;

	do {
		if (*room - len < ROOM / 2) {
			more = realloc(*buf, *room + ROOM);
			if (!more)
				return -ENOMEM;
			*buf = more;
			*room += ROOM;
		}
		n = read(in, *buf + len, *room - len);
		if (n > 0)
			len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0 && errno != EAGAIN)
		return -errno;
	return len;
}

/* All that is new, whole declarations, is passed on at once. */
static int update(struct metadata *metadata)
{
	ssize_t n = metadata_read(metadata->in, &metadata->buf, &metadata->room, 0);
	int ret;

	if (n < 0) {
		error(0, -n, "binary/" ONDISK_METADATA);
		return n;
	}
	if (!n)
		return 0;
	ret = metadata->capture->sink->metadata(metadata->capture, metadata->buf, n);
	if (ret)
		return ret;
	metadata->size += n;
	if (!atomic_load(&metadata->symbols) && has_symbol(metadata->buf, n))
		atomic_store(&metadata->symbols, true);
	atomic_fetch_add(&metadata->grown, 1);
	return 0;
}

/**
 * metadata_update() - copy what is new
 * @metadata:	the metadata
 *
 * When it returns 0, the sink has all that was in the kernel's file when it was called,
 * whoever passed it on. An error is said once, and returned by all later calls: what has been
 * read does not come again, and packets that need it must not follow. Any thread may call
 * it.
 *
 * Return: 0, or a negative errno.
 */
int metadata_update(struct metadata *metadata)
{
	int ret;

	pthread_mutex_lock(&metadata->lock);
	if (!metadata->error)
		metadata->error = update(metadata);
	ret = metadata->error;
	pthread_mutex_unlock(&metadata->lock);
	return ret;
}

/**
 * metadata_close() - end copying
 * @metadata:	the metadata
 */
void metadata_close(struct metadata *metadata)
{
	if (metadata->in >= 0)
		close(metadata->in);
	free(metadata->buf);
	pthread_mutex_destroy(&metadata->lock);
}
