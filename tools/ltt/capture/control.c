// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: reading and writing the tracer's files.
 *
 * When the kernel refuses a request, it says why in an error_log. What is new there is
 * shown together with the error.
 */

#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "control.h"

/* Its modes, the one that is in force in brackets. */
#define LOCKDOWN	"/sys/kernel/security/lockdown"

/* How far the trace clock may be from clock_gettime(), in seconds. */
#define CLOCK_SLACK	0.001

static int root = -1;

static const char *root_path(void)
{
	return getenv(LTT_ROOT_ENV) ?: LTT_DEBUGFS;
}

/**
 * control_explain() - say once what an error cannot tell by itself
 * @code:	errno of an attempt to open one of the tracer's files; errno is left alone
 */
void control_explain(int code)
{
	static bool said;
	char text[64] = "", *mode;
	int error = errno;
	ssize_t n;
	int fd;

	if (code != EPERM || said)
		return;
	fd = open(LOCKDOWN, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		if (n > 0)
			text[n] = '\0';
		close(fd);
	}
	mode = strchr(text, '[');
	if (mode && strncmp(mode, "[none]", 6)) {
		mode++;
		mode[strcspn(mode, "]")] = '\0';
		warnx("the kernel is locked down (%s): %s; to trace, boot without lockdown= or with Secure Boot disabled",
		      mode, strcmp(mode, "integrity") ?
		      "the tracer can be neither controlled nor read" :
		      "the tracer cannot be controlled, only the text of existing traces can be read");
		said = true;
	}
	errno = error;
}

/* Where it is not, there may be an empty directory. */
static bool debugfs_is_mounted(void)
{
	struct statfs fs;

	return !statfs("/sys/kernel/debug", &fs) && fs.f_type == DEBUGFS_MAGIC;
}

/* Why is there no such directory? */
static void explain(const char *path, int code)
{
	error(0, code, "%s", path);
	if (code == EACCES || geteuid())
		warnx("only root can use the tracer");
	else if (code == ENOENT && !debugfs_is_mounted())
		warnx("debugfs is not mounted. Try: mount -t debugfs none /sys/kernel/debug");
	else if (code == ENOENT)
		warnx("is the tracer loaded? Try: modprobe -a ltt-core ltt-textout ltt-tracepoints");
}

/**
 * control_open() - get at the tracer's directory
 *
 * To be called first. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int control_open(void)
{
	const char *path = root_path();

	if (root >= 0)
		return 0;
	root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Without debugfs mounted there may be an empty directory. */
	if (root < 0 || faccessat(root, "setup_trace", F_OK, 0)) {
		int error = errno;

		explain(path, error);
		control_forget();
		return -error;
	}
	return 0;
}

/**
 * control_forget() - undo control_open()
 */
void control_forget(void)
{
	if (root >= 0)
		close(root);
	root = -1;
}

/**
 * control_fd() - the tracer's directory, for openat()
 *
 * Return: a descriptor that stays open until control_forget(), -1 before
 * control_open().
 */
int control_fd(void)
{
	return root;
}

static char *read_all(const char *path)
{
	char *text = NULL, *more;
	size_t len = 0, room = 0;
	ssize_t n;
	int fd, error;

	fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		control_explain(errno);
		return NULL;
	}
	do {
		if (room - len < 2) {
			room = room ? 2 * room : LTT_REQUEST_MAX;
			more = realloc(text, room);
			if (!more) {
				n = -1;
				break;
			}
			text = more;
		}
		n = read(fd, text + len, room - len - 1);
		if (n > 0)
			len += n;
	} while (n > 0);
	error = errno;
	close(fd);
	if (n < 0) {
		free(text);
		errno = error;
		return NULL;
	}
	text[len] = '\0';
	return text;
}

/**
 * control_read() - the contents of a file
 * @format:	its path, as for printf()
 *
 * Return: the text, to be freed; NULL with errno set.
 */
char *control_read(const char *format, ...)
{
	char *path, *text;
	va_list args;
	int len, error;

	va_start(args, format);
	len = vasprintf(&path, format, args);
	va_end(args);
	if (len < 0) {
		errno = ENOMEM;
		return NULL;
	}
	text = read_all(path);
	error = errno;
	free(path);
	errno = error;
	return text;
}

/**
 * control_cut_line() - cut a line off the text that follows
 * @line:	where it begins; loses its newline
 *
 * Return: the text that follows, which is empty after the last line.
 */
char *control_cut_line(char *line)
{
	char *next = strchrnul(line, '\n');

	if (*next)
		*next++ = '\0';
	return next;
}

/* Show the lines of the log that @path's errors go to which are younger than @since. */
static void show_log(const char *path, double since)
{
	char *text, *line, *next, *log = NULL;
	int name = 0;

	if (sscanf(path, "traces/%*[^/]%n", &name) == 0 && name &&
	    asprintf(&log, "%.*s/error_log", name, path) < 0)
		return;
	text = read_all(log ?: "error_log");
	free(log);
	if (!text)
		return;
	for (line = text; *line; line = next) {
		next = control_cut_line(line);
		if (isdigit((unsigned char)*line) && strtod(line, NULL) >= since)
			warnx("kernel: %s", line + strcspn(line, " ") + 1);
	}
	free(text);
}

static int write_path(const char *path, const char *text)
{
	size_t len = strlen(text);
	struct timespec now;
	int fd, code = 0;

	/* A write of no bytes does nothing, and succeeds. */
	if (!len) {
		error(0, EINVAL, "%s: empty request", path);
		return -EINVAL;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	fd = openat(root, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		code = errno;
	if (fd >= 0)
		close(fd);
	if (!code)
		return 0;
	error(0, code, "%s: '%s'", path, text);
	if (fd < 0)
		control_explain(code);
	else
		show_log(path, now.tv_sec + now.tv_nsec / 1e9 - CLOCK_SLACK);
	return -code;
}

/**
 * control_write() - write a request into a file
 * @text:	the request, less than LTT_REQUEST_MAX bytes; an empty one is refused
 * @format:	path of the file, as for printf()
 *
 * Says what is wrong, and what the kernel says about it.
 *
 * Return: 0, or a negative errno.
 */
int control_write(const char *text, const char *format, ...)
{
	va_list args;
	char *path;
	int ret;

	va_start(args, format);
	ret = vasprintf(&path, format, args);
	va_end(args);
	if (ret < 0) {
		error(0, ENOMEM, "%s", text);
		return -ENOMEM;
	}
	ret = write_path(path, text);
	free(path);
	return ret;
}

/**
 * control_check_trace() - is there a trace of this name?
 * @name:	as the user gave it
 *
 * Says so if there is not. What passes can be part of a path.
 *
 * Return: 0, or -ENOENT.
 */
int control_check_trace(const char *name)
{
	char *path = NULL;
	bool there;

	there = *name && strcmp(name, ".") && strcmp(name, "..") && !strchr(name, '/') &&
		asprintf(&path, "traces/%s/enabled", name) > 0 &&
		!faccessat(root, path, F_OK, 0);
	free(path);
	if (!there)
		warnx("no such trace: '%s'", name);
	return there ? 0 : -ENOENT;
}

/**
 * control_each() - call a function for each entry of a directory
 * @path:	the directory
 * @call:	the function; what it returns, other than 0, ends the loop
 * @data:	for @call
 *
 * In alphabetical order.
 *
 * Return: 0, what @call returned, or a negative errno.
 */
int control_each(const char *path, int (*call)(const char *name, void *data), void *data)
{
	struct dirent **entries;
	int i, n, ret = 0;

	n = scandirat(root, path, &entries, NULL, alphasort);
	if (n < 0)
		return -errno;
	for (i = 0; i < n; i++) {
		if (!ret && strcmp(entries[i]->d_name, ".") && strcmp(entries[i]->d_name, ".."))
			ret = call(entries[i]->d_name, data);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/**
 * control_stats() - sum of a channel's statistics over all CPUs
 * @trace:	name of the trace
 * @channel:	name of the channel
 * @sum:	the sum
 *
 * Return: 0, or a negative errno; @sum is all zero then.
 */
int control_stats(const char *trace, const char *channel, struct control_stats *sum)
{
	uint64_t events, lost, overwritten, bytes;
	char *text, *line, state[16];

	memset(sum, 0, sizeof(*sum));
	text = control_read("traces/%s/channels/%s/stats", trace, channel);
	if (!text)
		return -errno;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		overwritten = 0;
		bytes = 0;
		if (sscanf(line, "%*u\t%" SCNu64 "\t%" SCNu64 "\t-\t-\t%15[a-z]", &events, &lost,
			   state) == 3)
			sum->shared = true;
		else if (sscanf(line, "%*u\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%15[a-z ]",
				&events, &lost, &overwritten, &bytes, state) == 5)
			sum->buffers += !!strcmp(state, "no memory");
		else
			continue;
		sum->events += events;
		sum->lost += lost;
		sum->overwritten += overwritten;
		sum->bytes += bytes;
	}
	free(text);
	return 0;
}
