// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: files.
 *
 * They are read, not mapped: a file that another program cuts short is an error
 * then, and not a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private.h"

/**
 * lib_file_open() - open a regular file to read it
 * @name:	its name
 * @size:	returns its bytes
 * @error:	what went wrong
 *
 * Return: a file descriptor, or a negative errno; -EINVAL: not a regular file.
 */
int lib_file_open(const char *name, u64 *size, struct libltt_problem *error)
{
	struct stat st;
	int fd, err;

	/*
	 * Whatever file it is, opening it must neither block nor have side effects. Opening a
	 * device, to which a link may lead, can have some. Whoever only packed the directory can't
	 * swap the file after this check.
	 */
	if (stat(name, &st))
		goto fail;
	if (!S_ISREG(st.st_mode))
		return lib_fail(error, EINVAL, name, LIBLTT_NO_OFFSET, "not a regular file");
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		goto fail;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return lib_fail(error, EINVAL, name, LIBLTT_NO_OFFSET, "not a regular file");
	}
	*size = st.st_size;
	return fd;

fail:
	err = errno;
	return lib_fail(error, err, name, LIBLTT_NO_OFFSET, "%s", strerror(err));
}

/**
 * lib_file_data() - where does a file go on that may have a hole?
 * @fd:		the file
 * @offset:	the place
 * @size:	bytes of the file
 *
 * A hole may be larger than there is time to read it.
 *
 * Return: the first byte from @offset on that may be something else than 0; @size: there is none.
 */
u64 lib_file_data(int fd, u64 offset, u64 size)
{
	off_t data = lseek(fd, offset, SEEK_DATA);

	/* Not all file systems know. */
	if (data < 0)
		return errno == ENXIO ? size : offset;
	return (u64)data < size ? (u64)data : size;
}

/**
 * lib_file_read() - read from a place in a file
 * @fd:		the file
 * @buf:	where to
 * @size:	bytes wanted
 * @offset:	the place
 *
 * Return: bytes read, less than @size only at the end of the file; or a negative
 * errno.
 */
long lib_file_read(int fd, void *buf, size_t size, u64 offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = pread(fd, (char *)buf + done, size - done, offset + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done;
}

/**
 * lib_file_load_fd() - read a whole open file
 * @fd:		the file
 * @name:	its name, for @error
 * @most:	bytes that it may have
 * @text:	returns its contents, as they are now, to be freed by free()
 * @size:	returns its bytes
 * @error:	what went wrong
 *
 * Return: 0 or a negative errno; -EFBIG: more than @most bytes.
 */
int lib_file_load_fd(int fd, const char *name, size_t most, char **text, size_t *size,
		     struct libltt_problem *error)
{
	struct stat st;
	long len;
	int err;

	if (fstat(fd, &st)) {
		err = errno;
		return lib_fail(error, err, name, LIBLTT_NO_OFFSET, "%s", strerror(err));
	}
	if ((u64)st.st_size > most)
		return lib_fail(error, EFBIG, name, most, "more than %zu bytes", most);
	*text = malloc(st.st_size + 1);
	if (!*text)
		return lib_fail(error, ENOMEM, name, LIBLTT_NO_OFFSET, "out of memory");
	len = lib_file_read(fd, *text, st.st_size, 0);
	if (len < 0) {
		free(*text);
		return lib_fail(error, -len, name, LIBLTT_NO_OFFSET, "%s", strerror(-len));
	}
	(*text)[len] = '\0';
	*size = len;
	return 0;
}

/**
 * lib_file_load() - read a whole file
 * @name:	its name
 * @most:	bytes that it may have
 * @text:	returns its contents, to be freed by free()
 * @size:	returns its bytes
 * @error:	what went wrong
 *
 * Return: 0 or a negative errno; -EFBIG: more than @most bytes.
 */
int lib_file_load(const char *name, size_t most, char **text, size_t *size,
		  struct libltt_problem *error)
{
	u64 bytes;
	int fd = lib_file_open(name, &bytes, error), err;

	if (fd < 0)
		return fd;
	err = lib_file_load_fd(fd, name, most, text, size, error);
	close(fd);
	return err;
}
