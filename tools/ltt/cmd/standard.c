// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: standard input, output and error, whatever state we get them in.
 *
 * A descriptor that is closed would be that of the next file which is opened: a warning
 * would then be written into a trace. One that does not block (O_NONBLOCK belongs to
 * all who share the file, so a program at the other end of a terminal may have set it)
 * would lose output whenever its reader is slower than we are.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/ondisk.h"
#include "standard.h"

/* Reading or writing it must fail as it would have: in the wrong direction, it does. */
static int open_closed(int fd)
{
	int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

	if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
		return 0;
	/* The lowest that is free; those below are open by now. */
	return open("/dev/null", flags) == fd ? 0 : -EBADF;
}

/* Return: bytes written, 0 after an error. */
static ssize_t write_out(void *fd, const char *text, size_t size)
{
	int ret = ondisk_write(*(const int *)fd, text, size);

	if (!ret)
		return size;
	errno = -ret;
	return 0;
}

/* What stdio writes with, in place of write(). */
static FILE *open_waiting(const int *fd, int mode)
{
	static const cookie_io_functions_t functions = { .write = write_out };
	FILE *file = fopencookie((void *)fd, "w", functions);

	if (file)
		setvbuf(file, NULL, mode, BUFSIZ);
	return file;
}

/*
 * What a full disk or a closed pipe did to our output shows here at last, also to that of
 * --help and --version, after which argp ends the process.
 */
static void close_out(int status, void *unused)
{
	(void)unused;
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout) && !close(STDOUT_FILENO))
		return;
	/* An error of long ago has left no errno. */
	if (errno)
		warn("standard output");
	else
		warnx("standard output: write error");
	_exit(status ?: EXIT_FAILURE);
}

/**
 * standard_open() - make the standard descriptors fit to be used
 *
 * All three are open afterwards. What is written to stdout and stderr waits until there
 * is room. If not all of stdout has been written when the process ends, it says so, and
 * its status is not 0.
 *
 * Return: 0, or a negative errno: then nothing must be opened or written.
 */
int standard_open(void)
{
	static const int out = STDOUT_FILENO, err = STDERR_FILENO;
	FILE *file;
	int fd, ret;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		ret = open_closed(fd);
		if (ret)
			return ret;
	}
	file = open_waiting(&out, isatty(out) ? _IOLBF : _IOFBF);
	if (file)
		stdout = file;
	file = open_waiting(&err, _IONBF);
	if (file)
		stderr = file;
	return on_exit(close_out, NULL) ? -ENOMEM : 0;
}
