// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a file that is there as a whole, or not at all.
 *
 * It gets its name when all has been written. Up to then it has none, and is gone when we are,
 * however we end. Not all file systems can do that: there it has a temporary name beside its own,
 * which is removed by signals that end us.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "signals.h"

/* What a signal removes. */
static const char *leftover;

static void remove_leftover(int number)
{
	if (leftover)
		unlink(leftover);
	signal(number, SIG_DFL);
	raise(number);
}

/* @name: NULL: none. */
static void remove_at_signals(const char *name)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = name ? remove_leftover : SIG_DFL };
	sigset_t ends;
	size_t i;

	/* Those that are ignored stay so. */
	signals_that_end(&ends);
	leftover = name;
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (sigismember(&ends, numbers[i]))
			sigaction(numbers[i], &action, NULL);
	}
}

/* The name by which a file without one can be given one. */
static void name_of_fd(char name[32], int fd)
{
	snprintf(name, 32, "/proc/self/fd/%d", fd);
}

static int open_nameless(const char *path)
{
	char *copy = strdup(path), name[32];
	int fd;

	if (!copy)
		return -1;
	fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(copy);
	if (fd < 0)
		return -1;
	name_of_fd(name, fd);
	if (!access(name, F_OK))
		return fd;
	close(fd);
	return -1;
}

static int open_temporary(struct output *output)
{
	const char *slash = strrchr(output->path, '/');
	int dir = slash ? slash + 1 - output->path : 0;

	if (asprintf(&output->temporary, "%.*s.%s.%d", dir, output->path, output->path + dir,
		     getpid()) < 0) {
		output->temporary = NULL;
		return -ENOMEM;
	}
	remove_at_signals(output->temporary);
	output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (output->fd >= 0)
		return 0;
	dir = -errno;
	remove_at_signals(NULL);
	free(output->temporary);
	return dir;
}

/**
 * output_open() - open a file for writing, which must not exist
 * @output:	the file
 * @path:	its name
 *
 * Return: 0 or a negative errno.
 */
int output_open(struct output *output, const char *path)
{
	memset(output, 0, sizeof(*output));
	output->path = path;
	if (!faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	output->fd = open_nameless(path);
	return output->fd < 0 ? open_temporary(output) : 0;
}

/* Not over a file that is there by now. */
static int give_name(const struct output *output)
{
	char name[32];

	if (!output->temporary) {
		name_of_fd(name, output->fd);
		return linkat(AT_FDCWD, name, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW);
	}
	if (!renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path, RENAME_NOREPLACE))
		return 0;
	return errno == EINVAL ? link(output->temporary, output->path) : -1;
}

/* @keep: give it its name. Return: 0 or a negative errno. */
static int finish(struct output *output, bool keep)
{
	int err = keep && give_name(output) ? -errno : 0;

	if (close(output->fd) && keep && !err) {
		err = -errno;
		unlink(output->path);
	}
	if (output->temporary) {
		unlink(output->temporary);
		remove_at_signals(NULL);
	}
	free(output->temporary);
	return err;
}

/**
 * output_keep() - all has been written: give the file its name
 * @output:	the file, which is closed
 *
 * Return: 0, or a negative errno: there is no file.
 */
int output_keep(struct output *output)
{
	return finish(output, true);
}

/**
 * output_drop() - leave no file
 * @output:	the file, which is closed
 */
void output_drop(struct output *output)
{
	finish(output, false);
}
