// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt repair: what is cut off, and where it goes.
 *
 * Nothing is destroyed: before a file is cut at OFFSET, the rest of it is on disk as
 * REPAIR_DIR/NAME.OFFSET. Readers take no directory for a stream. If we are killed in
 * between, the next run finds that copy and continues from there.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/ondisk.h"
#include "repair.h"

#define CHUNK	(64u << 10)

/* Files of one name in REPAIR_DIR, at most. */
#define NAMES	1000

static int open_side(struct repair *repair)
{
	if (repair->side >= 0)
		return 0;
	if (mkdirat(repair->dir, REPAIR_DIR, 0700)) {
		if (errno != EEXIST)
			return -errno;
	} else if (fsync(repair->dir) && errno != EINVAL) {
		return -errno;
	}
	repair->side = openat(repair->dir, REPAIR_DIR,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return repair->side < 0 ? -errno : 0;
}

/* The file from @offset on, as a new file, with its holes. */
static int copy_rest(int fd, uint64_t offset, uint64_t end, int out)
{
	const uint64_t begin = offset;
	char *buf = malloc(CHUNK);
	long n;
	int ret = buf ? 0 : -ENOMEM;

	while (!ret && offset < end) {
		offset = lib_file_data(fd, offset, end);
		if (offset == end)
			break;
		if (lseek(out, offset - begin, SEEK_SET) < 0) {
			ret = -errno;
			break;
		}
		n = lib_file_read(fd, buf, end - offset < CHUNK ? end - offset : CHUNK, offset);
		if (n <= 0)
			ret = n ?: -EIO;
		else
			ret = ondisk_write(out, buf, n);
		offset += n;
	}
	free(buf);
	if (!ret && ftruncate(out, end - begin))
		ret = -errno;
	return ret ?: fsync(out) ? -errno : 0;
}

/* Where is the first byte from @at on that is in either file? */
static uint64_t skip_holes(int fd, uint64_t offset, int other, uint64_t at, uint64_t size)
{
	const uint64_t ours = lib_file_data(fd, offset + at, offset + size) - offset;
	const uint64_t theirs = lib_file_data(other, at, size);

	return ours < theirs ? ours : theirs;
}

/* Is the file of this name what we would write? Return: 1, 0 or a negative errno. */
static int is_copy(struct repair *repair, const char *name, int fd, uint64_t offset,
		   uint64_t end)
{
	char *ours = malloc(2 * CHUNK), *theirs = ours + CHUNK;
	uint64_t at = 0, size = end - offset;
	struct stat st;
	int other, ret = 1;
	long n = 0;

	other = openat(repair->side, name,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (!ours || other < 0 || fstat(other, &st)) {
		ret = ours ? 0 : -ENOMEM;
	} else {
		ret = S_ISREG(st.st_mode) && (uint64_t)st.st_size == size;
		for (; ret > 0; at += n) {
			at = skip_holes(fd, offset, other, at, size);
			if (at == size)
				break;
			n = lib_file_read(fd, ours, size - at < CHUNK ? size - at : CHUNK,
					  offset + at);
			if (n <= 0)
				ret = n ?: -EIO;
			else
				ret = lib_file_read(other, theirs, n, at) == n &&
				      !memcmp(ours, theirs, n);
		}
		/* It may be ours, not yet on disk. */
		if (ret > 0 && fsync(other))
			ret = -errno;
	}
	if (other >= 0)
		close(other);
	free(ours);
	return ret;
}

/* Number @nr of the names that something of this name may have. */
static char *side_name(const char *name, unsigned int nr)
{
	char *text;

	if (nr == 1)
		return strdup(name);
	return asprintf(&text, "%s-%u", name, nr) < 0 ? NULL : text;
}

static int save_as(struct repair *repair, const char *side, int fd, uint64_t offset,
		   uint64_t end)
{
	int out, ret;

	out = openat(repair->side, side, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0 && errno == EEXIST)
		return is_copy(repair, side, fd, offset, end) ?: -EEXIST;
	if (out < 0)
		return -errno;
	ret = copy_rest(fd, offset, end, out);
	if (close(out) && !ret)
		ret = -errno;
	if (!ret && fsync(repair->side))
		ret = -errno;
	if (ret)
		unlinkat(repair->side, side, 0);
	return ret ?: 1;
}

/* Return: the name of the file that has the rest now, to be freed; NULL with errno set. */
static char *save(struct repair *repair, int fd, const char *name, uint64_t offset,
		  uint64_t end)
{
	char *base = NULL, *side = NULL;
	unsigned int nr;
	int ret;

	if (asprintf(&base, "%s.%" PRIu64, name, offset) < 0)
		return NULL;
	ret = open_side(repair) ?: -EEXIST;
	for (nr = 1; ret == -EEXIST && nr <= NAMES; nr++) {
		free(side);
		side = side_name(base, nr);
		ret = side ? save_as(repair, side, fd, offset, end) : -ENOMEM;
	}
	free(base);
	if (ret < 0) {
		free(side);
		side = NULL;
		errno = -ret;
	}
	return side;
}

/*
 * Open the file for writing; it must still be what we have looked at. Cutting it would also
 * cut what another name stands for.
 */
static int open_again(struct repair *repair, int fd, const char *name, uint64_t size,
		      const char **why)
{
	struct stat then, now;
	int out;

	*why = NULL;
	out = openat(repair->dir, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (out < 0 || fstat(fd, &then) || fstat(out, &now))
		*why = strerror(errno);
	else if (then.st_dev != now.st_dev || then.st_ino != now.st_ino ||
		 (uint64_t)now.st_size != size)
		*why = "it is being written to";
	else if (now.st_nlink != 1)
		*why = "it has other hard links";
	if (*why && out >= 0) {
		close(out);
		out = -1;
	}
	return out;
}

/**
 * repair_cut() - cut a file
 * @repair:	the directory
 * @fd:		the file, open for reading
 * @name:	its name
 * @size:	bytes in it
 * @whole:	bytes to keep
 *
 * What is cut off goes into a file of its own first; if that is not possible, or anything
 * else is wrong, nothing is cut. Says what it does, and what is wrong.
 *
 * Return: 0, or -EIO.
 */
int repair_cut(struct repair *repair, int fd, const char *name, uint64_t size,
	       uint64_t whole)
{
	struct stat st;
	const char *why;
	char *side = NULL;
	int out;

	if (size == whole)
		return 0;
	out = open_again(repair, fd, name, size, &why);
	if (!why) {
		side = save(repair, fd, name, whole, size);
		if (!side)
			why = strerror(errno);
		else if (fstat(out, &st))
			why = strerror(errno);
		else if ((uint64_t)st.st_size != size)
			why = "it is being written to";
		else if (ftruncate(out, whole))
			why = strerror(errno);
	}
	if (out >= 0)
		close(out);
	if (why) {
		repair_say(repair, name, "cannot cut off %" PRIu64 " bytes at offset %" PRIu64 ": %s",
			   size - whole, whole, why);
		repair->left++;
	} else {
		repair_say(repair, name,
			   "moved %" PRIu64 " bytes at offset %" PRIu64 ", an incomplete %s, to "
			   REPAIR_DIR "/%s", size - whole, whole,
			   strcmp(name, ONDISK_METADATA) ? "packet" : "declaration", side);
	}
	free(side);
	return why ? -EIO : 0;
}

/**
 * repair_set_aside() - move a file to where it is no longer read
 * @repair:	the directory
 * @dir:	where the file is
 * @name:	its name there
 *
 * Return: 0, or a negative errno.
 */
int repair_set_aside(struct repair *repair, int dir, const char *name)
{
	unsigned int nr;
	char *side;
	int ret = open_side(repair) ?: -EEXIST;

	for (nr = 1; ret == -EEXIST && nr <= NAMES; nr++) {
		side = side_name(name, nr);
		ret = side ? 0 : -ENOMEM;
		/* Takes no name that there is, and leaves no moment without the file. */
		if (!ret && (linkat(dir, name, repair->side, side, 0) ||
			     unlinkat(dir, name, 0)))
			ret = -errno;
		free(side);
	}
	return ret;
}
