// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: the image of an area, or of memory in which there is one.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cmd/printable.h"
#include "crash.h"

/* More at once than is usual for a pipe, less than matters. */
#define CHUNK	(1024u * 1024)

/**
 * crash_say() - say what is wrong with an image
 * @crash:	the image
 * @format:	the message, as for printf()
 */
void crash_say(const struct crash *crash, const char *format, ...)
{
	char *path = printable(crash->path), *shown;
	va_list args;

	va_start(args, format);
	shown = printable_message(format, args);
	va_end(args);
	warnx("%s: %s", path ?: "?", shown ?: "out of memory");
	free(path);
	free(shown);
}

/* All of a file, which may be a pipe or a device. Return: 0 or a negative errno. */
static int read_all(struct crash *crash, int fd)
{
	size_t room = 0;
	void *more;
	ssize_t n;

	for (;;) {
		if (room - crash->size < CHUNK) {
			room = 2 * room + CHUNK;
			more = realloc(crash->bytes, room);
			if (!more)
				return -ENOMEM;
			crash->bytes = more;
		}
		n = read(fd, crash->bytes + crash->size, room - crash->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		crash->size += n;
	}
}

/* A trace begins at @at. The newest one becomes the first. Return: 0 or -ENOMEM. */
static int add(struct crash *crash, size_t at, const struct ltt_area_head *head)
{
	unsigned int nr = crash->nr, i;
	struct ltt_area_head *heads;
	size_t *places;

	places = reallocarray(crash->at, nr + 1, sizeof(*places));
	if (places)
		crash->at = places;
	heads = reallocarray(crash->heads, nr + 1, sizeof(*heads));
	if (heads)
		crash->heads = heads;
	if (!places || !heads)
		return -ENOMEM;
	for (i = nr; i && heads[i - 1].generation < head->generation; i--) {
		heads[i] = heads[i - 1];
		places[i] = places[i - 1];
	}
	heads[i] = *head;
	places[i] = at;
	crash->nr++;
	return 0;
}

/*
 * A half begins with a page, wherever that is in the image. Says why one that was found cannot be
 * read. Return: 0, -ENOMEM.
 */
static int find_halves(struct crash *crash)
{
	char why[LTT_AREA_ERROR];
	struct ltt_area_head head;
	size_t at, step;
	int ret;

	for (at = 0; crash->size - at >= LTT_AREA_HALF_MIN; at += step) {
		step = LTT_AREA_PAGE;
		ret = ltt_area_check(crash->bytes + at, crash->size - at, &head, why);
		if (ret == -EINVAL)
			crash_say(crash, "offset %zu: %s", at, why);
		if (ret)
			continue;
		ret = add(crash, at, &head);
		if (ret)
			return ret;
		step = head.size;
	}
	return 0;
}

/**
 * crash_load() - read an image and find the traces in it
 * @crash:	the image; its path is set, and the rest zero
 *
 * Says what is wrong.
 *
 * Return: 0 if there are any, else a negative errno.
 */
int crash_load(struct crash *crash)
{
	int fd = open(crash->path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0) {
		ret = -errno;
	} else {
		ret = read_all(crash, fd);
		close(fd);
	}
	ret = ret ?: find_halves(crash);
	if (ret) {
		crash_say(crash, "%s", strerror(-ret));
	} else if (!crash->nr) {
		crash_say(crash, "no trace found");
		ret = -ENODATA;
	}
	return ret;
}

/**
 * crash_free() - forget an image
 * @crash:	the image
 */
void crash_free(struct crash *crash)
{
	free(crash->bytes);
	free(crash->at);
	free(crash->heads);
}
