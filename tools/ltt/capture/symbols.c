// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the copy of the kernel's symbols.
 *
 * Addresses in a trace mean something only to the kernel that it was made on, and those in
 * modules only while these are there. /proc/kallsyms is copied once. Which modules were
 * there when, and their symbols, is what LTT's module_symbols tells: it remembers those that
 * have gone until the trace has. It is looked at when there are other modules than before,
 * so that most is on disk if we are killed, and at the end.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "control.h"
#include "../common/ondisk.h"

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Names and addresses of all modules; NULL with errno set. */
static char *list_modules(void)
{
	char *text = NULL, *line = NULL, name[64], address[32];
	size_t size, room = 0;
	FILE *in, *out;

	in = fopen("/proc/modules", "re");
	if (!in)
		return errno == ENOENT ? strdup("") : NULL;
	out = open_memstream(&text, &size);
	if (out) {
		while (getline(&line, &room, in) > 0) {
			if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name, address) == 2)
				fprintf(out, "%s %s\n", name, address);
		}
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	free(line);
	fclose(in);
	return text;
}

/* Is the module, as the line tells of it, a new one? Then it is remembered. */
static int remember(struct symbols *symbols, const char *line)
{
	char **found, *copy = strdup(line);

	if (!copy)
		return -ENOMEM;
	found = tsearch(copy, &symbols->lines, compare);
	if (!found || *found != copy)
		free(copy);
	if (!found)
		return -ENOMEM;
	return *found == copy;
}

/* All of kallsyms, unless it hides addresses. */
static int copy_all(struct symbols *symbols, FILE *in, FILE *out)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	while (!ret && getline(&line, &room, in) > 0) {
		if (strstr(line, " _stext\n") && !strtoull(line, NULL, 16)) {
			symbols->hidden = true;
			break;
		}
		if (fputs(line, out) < 0)
			ret = -errno;
	}
	if (!ret && ferror(in))
		ret = -errno;
	free(line);
	return ret;
}

/* A module is a line with its name, and the lines up to the next one: copy the new ones. */
static int copy_new(struct symbols *symbols, FILE *in, FILE *out)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	while (ret >= 0 && getline(&line, &room, in) > 0) {
		if (!strncmp(line, "module ", 7))
			ret = remember(symbols, line);
		if (ret > 0 && fputs(line, out) < 0)
			ret = -errno;
	}
	if (ret >= 0 && ferror(in))
		ret = -errno;
	free(line);
	return ret < 0 ? ret : 0;
}

/*
 * A new file in our directory, NULL with errno set. The trace directory need not be ours
 * alone: what is there already is somebody else's, a link perhaps.
 */
static FILE *create(const struct symbols *symbols, const char *name)
{
	FILE *out = NULL;
	int error, fd;

	fd = openat(symbols->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (fd >= 0 && !out) {
		error = errno;
		close(fd);
		errno = error;
	}
	return out;
}

/* Add what @copy chooses of the file @fd, which is closed, to @out. */
static int add_to(struct symbols *symbols, FILE *out, int fd,
		  int (*copy)(struct symbols *symbols, FILE *in, FILE *out))
{
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	int ret;

	if (!in)
		return -errno;
	ret = copy(symbols, in, out);
	fclose(in);
	return ret ?: fflush(out) ? -errno : 0;
}

static int copy_kernel(struct symbols *symbols)
{
	FILE *out = create(symbols, ONDISK_SYMBOLS);
	int ret;

	if (!out)
		return -errno;
	ret = add_to(symbols, out, open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), copy_all);
	if (fclose(out) && !ret)
		ret = -errno;
	return ret;
}

static int copy_modules(struct symbols *symbols)
{
	if (!symbols->out)
		symbols->out = create(symbols, ONDISK_MODULES);
	if (!symbols->out)
		return -errno;
	return add_to(symbols, symbols->out,
		      openat(control_fd(), "module_symbols", O_RDONLY | O_CLOEXEC), copy_new);
}

/* It and the file of modules stay open: what takes their place later is not ours. */
static int make_dir(struct symbols *symbols, int dir)
{
	if (symbols->dir >= 0)
		return 0;
	if (mkdirat(dir, ONDISK_SYMBOLS_DIR, 0700))
		return -errno;
	symbols->dir = openat(dir, ONDISK_SYMBOLS_DIR,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return symbols->dir < 0 ? -errno : 0;
}

static int copy(struct symbols *symbols, int dir)
{
	int ret = make_dir(symbols, dir);

	if (!ret && !symbols->written)
		ret = copy_kernel(symbols);
	if (!ret && !symbols->hidden)
		ret = copy_modules(symbols);
	return ret;
}

static int close_modules(struct symbols *symbols)
{
	int ret = symbols->out && fclose(symbols->out) ? -errno : 0;

	symbols->out = NULL;
	return ret;
}

static void close_all(struct symbols *symbols)
{
	close_modules(symbols);
	if (symbols->dir >= 0)
		close(symbols->dir);
	symbols->dir = -1;
}

/* None are better than some of them. */
static void drop(struct symbols *symbols, int dir)
{
	if (symbols->dir < 0)
		return;
	unlinkat(symbols->dir, ONDISK_SYMBOLS, 0);
	unlinkat(symbols->dir, ONDISK_MODULES, 0);
	unlinkat(dir, ONDISK_SYMBOLS_DIR, AT_REMOVEDIR);
	close_all(symbols);
}

/**
 * symbols_update() - copy the symbols that we do not have
 * @symbols:	what we have
 * @dir:	the trace directory
 * @last:	no more is recorded; all readers of the trace are still open
 *
 * Does nothing while the modules are the same, unless it is @last: some may have come and
 * gone since. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int symbols_update(struct symbols *symbols, int dir, bool last)
{
	char *modules;
	int ret;

	if (symbols->hidden)
		return 0;
	modules = list_modules();
	if (!modules) {
		ret = -errno;
		warn("/proc/modules");
		return ret;
	}
	if (!last && symbols->modules && !strcmp(symbols->modules, modules)) {
		free(modules);
		return 0;
	}
	free(symbols->modules);
	symbols->modules = modules;
	ret = copy(symbols, dir);
	if (!ret && last)
		ret = close_modules(symbols);
	if (ret)
		error(0, -ret, ONDISK_SYMBOLS_DIR);
	if (!ret && symbols->hidden)
		warnx("the kernel hides addresses, symbols will be shown as numbers");
	if (ret || symbols->hidden)
		drop(symbols, dir);
	symbols->written = !ret;
	return ret;
}

/**
 * symbols_free() - forget what we have
 * @symbols:	the symbols
 */
void symbols_free(struct symbols *symbols)
{
	close_all(symbols);
	tdestroy(symbols->lines, free);
	free(symbols->modules);
}
