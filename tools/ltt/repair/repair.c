// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: make a trace directory whole whose writer was killed.
 *
 * Such a directory may end, in each file, in the middle of a packet, a declaration or
 * an entry of an index. Our own viewer does not mind, other programs do. What is
 * not whole is moved out of the way, and indexes are made anew where they do not agree
 * with the packets. Nothing else is touched, and nothing at all unless the metadata say
 * that LTT has recorded the trace.
 *
 * The capture writes a packet after the metadata that it needs, so what is cut off of
 * the metadata is needed by no packet.
 */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/ctf_index.h"
#include "../common/ondisk.h"
#include "../common/printable.h"
#include "repair.h"

/* What every declaration of ours ends with. */
static const char declaration_end[] = "\n};\n";

/**
 * repair_say() - report what is done to a file, or is wrong with it
 * @repair:	the directory
 * @name:	of the file
 * @format:	the message, as for printf()
 */
void repair_say(const struct repair *repair, const char *name, const char *format, ...)
{
	char *path = printable(repair->path), *file = printable(name), *shown;
	va_list args;

	va_start(args, format);
	shown = printable_message(format, args);
	va_end(args);
	warnx("%s/%s: %s", path ?: "?", file ?: "?", shown ?: "out of memory");
	free(path);
	free(file);
	free(shown);
}

/* The same of the directory; errno is @code, or 0: @why says it all. */
static void say_directory(const char *path, int code, const char *why)
{
	char *shown = printable(path);

	warnx("%s: %s", shown ?: "?", code ? strerror(code) : why);
	free(shown);
}

/* Open a regular file to read it; a symbolic link is none. Return: as open(). */
static int open_file(struct repair *repair, const char *name, uint64_t *size)
{
	struct stat st, behind;
	bool is_dir = false;
	int fd, ret;

	/* Opening anything else may have side effects. */
	if (fstatat(repair->dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	/* Readers leave out what is a directory behind a link, too. */
	if (S_ISLNK(st.st_mode) && !fstatat(repair->dir, name, &behind, 0))
		is_dir = S_ISDIR(behind.st_mode);
	if (!S_ISREG(st.st_mode))
		return is_dir || S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	fd = openat(repair->dir, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (ret) {
		close(fd);
		return ret;
	}
	*size = st.st_size;
	return fd;
}

/* ---- metadata ---------------------------------------------------------------- */

/* Only what follows the last declaration is cut off. */
static void repair_metadata(struct repair *repair, int fd, const char *text, size_t size,
			    const struct libltt_problem *problem)
{
	size_t whole = repair->trace.declared;

	whole += whole < size && text[whole] == '\n';
	if (memmem(text + whole, size - whole, declaration_end, strlen(declaration_end))) {
		repair_say(repair, ONDISK_METADATA, "damaged at offset %llu, left as it is: %s",
			   (unsigned long long)problem->offset, problem->text);
		repair->left++;
		return;
	}
	repair_cut(repair, fd, ONDISK_METADATA, size, whole);
}

/* Are they ours? Then what they declare is known, and they are repaired. */
static int read_metadata(struct repair *repair)
{
	struct libltt_problem problem = { };
	uint64_t bytes;
	char *text;
	size_t size;
	int fd, ret;

	fd = open_file(repair, ONDISK_METADATA, &bytes);
	if (fd < 0) {
		repair_say(repair, ONDISK_METADATA, "%s",
			   fd == -EINVAL || fd == -EISDIR ? "not a regular file" : strerror(-fd));
		return fd;
	}
	ret = lib_file_load_fd(fd, ONDISK_METADATA, LIB_METADATA_MAX, &text, &size, &problem);
	if (!ret) {
		repair->trace.metadata = strdup(ONDISK_METADATA);
		ret = lib_metadata_parse(&repair->trace, text, size, &problem);
		if (ret == -EBADMSG && repair->trace.ours) {
			repair_metadata(repair, fd, text, size, &problem);
			ret = 0;
		}
		free(text);
	}
	if (!ret && !repair->trace.ours) {
		snprintf(problem.text, sizeof(problem.text), "not known to be recorded by LTT");
		ret = -EBADMSG;
	}
	close(fd);
	if (ret)
		repair_say(repair, ONDISK_METADATA, "%s; nothing was changed", problem.text);
	return ret;
}

/* ---- the directory ----------------------------------------------------------- */

static void repair_file(struct repair *repair, const char *name)
{
	uint64_t size;
	int fd, ret;

	fd = open_file(repair, name, &size);
	if (fd == -EISDIR)
		return;
	if (fd == -EINVAL) {
		/* Readers may find a stream there, or can't read it. */
		repair_say(repair, name, "not a regular file; skipped");
		repair->left++;
		return;
	}
	ret = fd < 0 ? fd : repair_stream(repair, fd, name, size);
	if (fd >= 0)
		close(fd);
	if (ret) {
		repair_say(repair, name, "%s; skipped", strerror(-ret));
		repair->left++;
	}
}

/* What is hidden is not a trace's. */
static int is_candidate(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, ONDISK_METADATA);
}

/* There may be none; one that can't be opened is another matter. */
static void open_indexes(struct repair *repair)
{
	repair->index = openat(repair->dir, LTT_INDEX_DIR,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (repair->index < 0 && errno != ENOENT) {
		repair_say(repair, LTT_INDEX_DIR, "%s; not repairing indexes", strerror(errno));
		repair->left++;
	}
}

static int repair_all(struct repair *repair)
{
	struct dirent **entries;
	int i, n, ret;

	ret = read_metadata(repair);
	if (ret)
		return ret;
	if (!repair->trace.clock_known) {
		repair_say(repair, ONDISK_METADATA,
			   "no clock declared, the trace cannot be read");
		repair->left++;
	}
	open_indexes(repair);
	n = scandirat(repair->dir, ".", &entries, is_candidate, alphasort);
	if (n < 0) {
		ret = -errno;
		say_directory(repair->path, -ret, NULL);
		return ret;
	}
	for (i = 0; i < n; i++) {
		repair_file(repair, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return repair->left ? -EIO : 0;
}

/**
 * repair_directory() - make a trace directory whole
 * @path:	the directory
 * @wait:	if something writes to it, wait until it has ended
 *
 * Says what it does and what is wrong.
 *
 * Return: 0, or a negative errno: something is wrong, and stays so.
 */
int repair_directory(const char *path, bool wait)
{
	struct repair repair = { .path = path, .index = -1, .side = -1 };
	int ret;

	repair.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (repair.dir < 0) {
		ret = -errno;
		say_directory(path, -ret, NULL);
		return ret;
	}
	if (faccessat(repair.dir, ONDISK_METADATA, F_OK, AT_SYMLINK_NOFOLLOW)) {
		say_directory(path, 0, "not a trace directory");
		close(repair.dir);
		return -ENOENT;
	}
	ret = ondisk_lock(repair.dir, wait);
	if (ret)
		say_directory(path, 0, ONDISK_BUSY);
	else
		ret = repair_all(&repair);
	lib_trace_free(&repair.trace);
	if (repair.side >= 0)
		close(repair.side);
	if (repair.index >= 0)
		close(repair.index);
	close(repair.dir);
	return ret;
}
