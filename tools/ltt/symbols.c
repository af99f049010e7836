// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the copy of the kernel's symbols.
 *
 * Addresses in a trace mean something only to the kernel that it was made on, and only
 * until a module is unloaded. So modules are looked at again and again while the
 * trace runs, and their symbols added.
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
#include "ondisk.h"

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

/* Is the line, about a module, a new one? Then it is remembered. */
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

static int copy_lines(struct symbols *symbols, FILE *in, FILE *out)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	while (ret >= 0 && getline(&line, &room, in) > 0) {
		if (strstr(line, " _stext\n") && !strtoull(line, NULL, 16)) {
			symbols->hidden = true;
			break;
		}
		if (strstr(line, "\t["))
			ret = remember(symbols, line);
		else
			ret = !symbols->written;
		if (ret > 0 && fputs(line, out) < 0)
			ret = -errno;
	}
	free(line);
	return ret < 0 ? ret : 0;
}

static int copy(struct symbols *symbols, int dir)
{
	FILE *in, *out;
	int fd, ret;

	if (mkdirat(dir, ONDISK_SYMBOLS_DIR, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(dir, ONDISK_SYMBOLS, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "a");
	in = fopen("/proc/kallsyms", "re");
	if (!in || !out) {
		ret = -errno;
		if (in)
			fclose(in);
		if (out)
			fclose(out);
		else
			close(fd);
		return ret;
	}
	ret = copy_lines(symbols, in, out);
	fclose(in);
	if (fclose(out) && !ret)
		ret = -errno;
	return ret;
}

/**
 * symbols_update() - copy the symbols that we do not have
 * @symbols:	what we have
 * @dir:	the trace directory
 *
 * Does nothing while the modules are the same. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int symbols_update(struct symbols *symbols, int dir)
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
	if (symbols->modules && !strcmp(symbols->modules, modules)) {
		free(modules);
		return 0;
	}
	free(symbols->modules);
	symbols->modules = modules;
	ret = copy(symbols, dir);
	if (ret)
		error(0, -ret, ONDISK_SYMBOLS);
	if (!ret && symbols->hidden)
		warnx("the kernel hides addresses: symbols will be shown as numbers");
	if (ret || symbols->hidden) {
		unlinkat(dir, ONDISK_SYMBOLS, 0);
		unlinkat(dir, ONDISK_SYMBOLS_DIR, AT_REMOVEDIR);
	}
	symbols->written = !ret;
	return ret;
}

/**
 * symbols_free() - forget what we have
 * @symbols:	the symbols
 */
void symbols_free(struct symbols *symbols)
{
	tdestroy(symbols->lines, free);
	free(symbols->modules);
}
