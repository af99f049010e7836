// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt repair: make a trace directory whole whose writer was killed.
 *
 * Such a directory may end, in each file, in the middle of a packet, a declaration or
 * an entry of an index. Our own viewer does not mind, other programs do. What is
 * not whole is cut off, and indexes are made anew where they do not agree with the
 * packets. Nothing else is touched.
 *
 * The capture writes a packet after the metadata that it needs, so what is cut off of
 * the metadata is needed by no packet.
 */

#include <argp.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf_index.h"
#include "ltt.h"
#include "ondisk.h"
#include "repair.h"

/* Longest tail of the metadata that is looked at for the end of a declaration. */
#define TAIL_MAX	1048576u

/* What every declaration ends with. */
static const char declaration_end[] = "\n};\n";

/* Return: 0, or a negative errno, which has been reported. */
static int truncate_file(int fd, const char *name, uint64_t size, uint64_t whole)
{
	if (size == whole)
		return 0;
	if (ftruncate(fd, whole)) {
		int error = errno;

		warn("%s", name);
		return -error;
	}
	warnx("%s: cut off %" PRIu64 " bytes behind %" PRIu64, name, size - whole, whole);
	return 0;
}

static ssize_t index_size(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, 0) ? -1 : st.st_size;
}

/* An index of the packets of @fd up to @size, in place of the one that there is. */
static int make_index(int dir, const char *name, int fd, uint64_t size)
{
	struct ltt_packet packet;
	char *temporary = NULL;
	uint64_t offset;
	int idx, ret;

	if (asprintf(&temporary, "%s.new", name) < 0)
		return -ENOMEM;
	idx = ondisk_index_create(dir, temporary);
	if (idx < 0) {
		free(temporary);
		return idx;
	}
	for (ret = 0, offset = 0; !ret && offset < size; offset += packet.packet_size / 8) {
		ret = ondisk_packet(fd, offset, size, &packet) ?:
		      ondisk_index_add(idx, offset, &packet);
		if (ret)
			break;
	}
	if (close(idx) && !ret)
		ret = -errno;
	if (!ret && renameat(dir, temporary, dir, name))
		ret = -errno;
	if (ret)
		unlinkat(dir, temporary, 0);
	free(temporary);
	return ret;
}

static int repair_index(int index, const char *stream, int fd, uint64_t size,
			uint64_t packets)
{
	ssize_t wanted = sizeof(struct ltt_index_header) +
			 packets * sizeof(struct ltt_index_entry);
	char *name = NULL;
	int ret = 0;

	if (index < 0)
		return 0;
	if (asprintf(&name, "%s" LTT_INDEX_SUFFIX, stream) < 0) {
		error(0, ENOMEM, "%s", stream);
		return -ENOMEM;
	}
	if (index_size(index, name) != wanted) {
		ret = make_index(index, name, fd, size);
		if (ret)
			error(0, -ret, LTT_INDEX_DIR "/%s", name);
		else
			warnx(LTT_INDEX_DIR "/%s: made anew", name);
	}
	free(name);
	return ret;
}

static int repair_stream(int fd, const char *name, int index, uint64_t size)
{
	struct ltt_packet packet;
	uint64_t offset = 0, packets = 0;
	int ret;

	while (offset < size) {
		ret = ondisk_packet(fd, offset, size, &packet);
		if (ret == -ENODATA)
			break;
		if (ret) {
			error(0, -ret, "%s: offset %" PRIu64, name, offset);
			return ret;
		}
		offset += packet.packet_size / 8;
		packets++;
	}
	ret = truncate_file(fd, name, size, offset);
	return ret ?: repair_index(index, name, fd, offset, packets);
}

static int repair_metadata(int fd, const char *name, uint64_t size)
{
	const size_t end = strlen(declaration_end);
	size_t len = size < TAIL_MAX ? size : TAIL_MAX, i;
	int ret = -EBADMSG;
	char *tail;

	tail = malloc(len + 1);
	if (!tail || pread(fd, tail, len, size - len) != (ssize_t)len) {
		free(tail);
		warnx("%s: can't read it", name);
		return -EIO;
	}
	for (i = len; i >= end && ret; i--) {
		if (!memcmp(tail + i - end, declaration_end, end))
			ret = truncate_file(fd, name, size, size - len + i);
	}
	free(tail);
	if (ret == -EBADMSG)
		warnx("%s: this is no trace's metadata", name);
	return ret;
}

/* A file in the directory; others than regular ones are left alone. */
static int repair_file(int dir, const char *name, int index)
{
	struct stat st;
	int fd, ret = 0;

	fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && (errno == EISDIR || errno == ELOOP))
		return 0;
	if (fd < 0 || fstat(fd, &st)) {
		ret = -errno;
		warn("%s", name);
	} else if (S_ISREG(st.st_mode)) {
		if (!strcmp(name, ONDISK_METADATA))
			ret = repair_metadata(fd, name, st.st_size);
		else
			ret = repair_stream(fd, name, index, st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/**
 * repair_directory() - make a trace directory whole
 * @path:	the directory
 *
 * Nobody else may be writing to it. Says what it does and what is wrong.
 *
 * Return: 0, or a negative errno: a file could not be repaired; the others were.
 */
int repair_directory(const char *path)
{
	struct dirent *entry;
	int dir, index, ret = 0, err;
	DIR *list;

	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	list = dir < 0 ? NULL : fdopendir(dir);
	if (!list) {
		ret = -errno;
		warn("%s", path);
		if (dir >= 0)
			close(dir);
		return ret;
	}
	if (faccessat(dir, ONDISK_METADATA, F_OK, 0)) {
		warnx("%s: there is no trace here", path);
		closedir(list);
		return -ENOENT;
	}
	index = openat(dir, LTT_INDEX_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while ((entry = readdir(list))) {
		if (*entry->d_name == '.')
			continue;
		err = repair_file(dir, entry->d_name, index);
		if (err)
			ret = err;
	}
	if (index >= 0)
		close(index);
	closedir(list);
	return ret;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	int *first = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_ARGS:
		*first = state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which directory?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/**
 * ltt_cmd_repair() - ltt repair
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_repair(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "DIRECTORY...",
		.doc = "Cut off what is not whole at the ends of the files of a trace directory, and\n"
		       "complete its index.\v`ltt record' leaves nothing to repair, unless it is killed together with the\n"
		       "process that does this for it, or the machine goes down. `ltt view' reads\n"
		       "such a directory as it is; other programs may not.",
	};
	int i, first = argc, ret = EXIT_SUCCESS;

	argp_parse(&argp, argc, argv, 0, NULL, &first);
	for (i = first; i < argc; i++) {
		if (repair_directory(argv[i]))
			ret = EXIT_FAILURE;
	}
	return ret;
}
