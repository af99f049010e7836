// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: other names in a trace directory.
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

#include "../common/ondisk.h"
#include "../common/printable.h"
#include "../lib/private.h"
#include "names.h"

/**
 * struct renamed - a trace directory
 * @path:	it, to be shown
 * @fd:		the same, open
 * @st:		of its metadata
 * @text:	the metadata
 * @size:	their bytes
 */
struct renamed {
	const char *path;
	int fd;
	struct stat st;
	char *text;
	size_t size;
};

/* Say what is wrong: @code, or if that is 0, @why. Return: -1. */
static int fail(const struct renamed *dir, int code, const char *why)
{
	warnx("%s/" ONDISK_METADATA ": %s", dir->path, code ? strerror(code) : why);
	return -1;
}

/* Are they whole, and ours? */
static int check(const struct renamed *dir)
{
	struct lib_trace trace = { .metadata = strdup(ONDISK_METADATA) };
	struct libltt_problem problem = { };
	int ret;

	ret = trace.metadata ? lib_metadata_parse(&trace, dir->text, dir->size, &problem) : -ENOMEM;
	if (!ret && !trace.ours) {
		snprintf(problem.text, sizeof(problem.text), "not known to be recorded by LTT");
		ret = -EBADMSG;
	}
	lib_trace_free(&trace);
	if (ret == -ENOMEM)
		return fail(dir, ENOMEM, NULL);
	return ret ? fail(dir, 0, problem.text) : 0;
}

static int load(struct renamed *dir)
{
	struct libltt_problem problem = { };
	int fd, ret;

	fd = openat(dir->fd, ONDISK_METADATA, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return fail(dir, errno, NULL);
	if (fstat(fd, &dir->st))
		ret = fail(dir, errno, NULL);
	else if (!S_ISREG(dir->st.st_mode))
		ret = fail(dir, 0, "not a regular file");
	else if (lib_file_load_fd(fd, ONDISK_METADATA, LIB_METADATA_MAX, &dir->text, &dir->size,
				  &problem))
		ret = fail(dir, 0, problem.text);
	else
		ret = 0;
	close(fd);
	return ret ?: check(dir);
}

/* All of it, or nothing. */
static int replace(const struct renamed *dir, const char *text, size_t size)
{
	char name[] = "." ONDISK_METADATA ".names-XXXXXXXXXX";
	int fd, ret;

	snprintf(strchr(name, 'X'), sizeof("XXXXXXXXXX"), "%d", getpid());
	fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(dir, errno, NULL);
	ret = ondisk_write(fd, text, size);
	/* Whoever could read them can do so. */
	if (!ret && (fchown(fd, dir->st.st_uid, dir->st.st_gid) ||
		     fchmod(fd, dir->st.st_mode & 07777) || fsync(fd)))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(dir->fd, name, dir->fd, ONDISK_METADATA))
		ret = -errno;
	if (!ret)
		return 0;
	unlinkat(dir->fd, name, 0);
	return fail(dir, -ret, NULL);
}

static int rename_all(struct renamed *dir, const struct names_scheme *scheme)
{
	char *text;
	size_t size;
	int ret;

	if (ondisk_lock(dir->fd, false))
		return fail(dir, 0, ONDISK_BUSY);
	if (load(dir))
		return -1;
	ret = names_rewrite(dir->text, dir->size, scheme, &text, &size);
	if (ret)
		return fail(dir, ret == -ENOMEM ? ENOMEM : 0, "not as LTT writes them");
	if (size != dir->size || memcmp(text, dir->text, size))
		ret = replace(dir, text, size);
	free(text);
	return ret;
}

/**
 * names_directory() - give a trace other names
 * @path:	its directory
 * @scheme:	the names
 *
 * If anything is wrong it stays as it is. Says what is wrong.
 *
 * Return: 0 or -1.
 */
int names_directory(const char *path, const struct names_scheme *scheme)
{
	struct renamed dir = { };
	char *shown = printable(path);
	int ret = -1;

	dir.path = shown ?: "?";
	dir.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir.fd < 0) {
		error(0, errno, "%s", dir.path);
	} else {
		ret = rename_all(&dir, scheme);
		close(dir.fd);
	}
	free(dir.text);
	free(shown);
	return ret;
}
