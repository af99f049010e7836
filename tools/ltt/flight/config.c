// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a file of options: a line "NAME = VALUE", or "NAME", for each.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdlib.h>
#include <string.h>

#include "flight.h"

#define BLANKS	" \t\r\n"

static const struct argp_option *find(const struct argp_option *const tables[], const char *name)
{
	const struct argp_option *option;

	for (; *tables; tables++) {
		for (option = *tables; option->name || option->key || option->doc; option++) {
			if (option->name && !strcmp(option->name, name))
				return option;
		}
	}
	return NULL;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, BLANKS);
	for (end = text + strlen(text); end > text && strchr(BLANKS, end[-1]); end--)
		end[-1] = '\0';
	return text;
}

/* The argument that a line stands for. Says what is wrong. */
static int make_arg(const char *where, char *line, const struct argp_option *const tables[],
		    char **arg)
{
	char *value = strchr(line, '='), *name = line;
	const struct argp_option *option;

	if (value) {
		*value++ = '\0';
		value = trim(value);
	}
	name = trim(name);
	option = find(tables, name);
	if (!option) {
		warnx("%s: unknown option '%s'", where, name);
		return -EINVAL;
	}
	if (option->arg && !(value && *value)) {
		warnx("%s: missing value: %s = %s", where, name, option->arg);
		return -EINVAL;
	}
	if (!option->arg && value) {
		warnx("%s: option '%s' takes no value", where, name);
		return -EINVAL;
	}
	if (asprintf(arg, value ? "--%s=%s" : "--%s", name, value) < 0)
		return -ENOMEM;
	return 0;
}

static int add_line(const char *path, unsigned int number, char *line,
		    const struct argp_option *const tables[], char ***args, int *nr_args)
{
	char **more, *where;
	int ret;

	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	more = reallocarray(*args, *nr_args + 1, sizeof(**args));
	if (!more)
		return -ENOMEM;
	*args = more;
	if (asprintf(&where, "%s:%u", path, number) < 0)
		return -ENOMEM;
	ret = make_arg(where, line, tables, &more[*nr_args]);
	*nr_args += !ret;
	free(where);
	return ret;
}

/**
 * flight_config_load() - read a file of options
 * @path:	its name
 * @tables:	options that there are, NULL at the end
 * @args:	allocated array of arguments, to which the file's are added
 * @nr_args:	how many
 *
 * Empty lines, and those that begin with a #, are skipped. Says what is wrong.
 *
 * Return: 0, or a negative errno; -EINVAL: the file is wrong.
 */
int flight_config_load(const char *path, const struct argp_option *const tables[], char ***args,
		       int *nr_args)
{
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	int ret = 0;
	FILE *f;

	f = fopen(path, "re");
	if (!f) {
		ret = -errno;
		warn("%s", path);
		return ret;
	}
	errno = 0;
	while (!ret && getline(&line, &room, f) > 0)
		ret = add_line(path, ++number, line, tables, args, nr_args);
	if (!ret && ferror(f))
		ret = -errno ?: -EIO;
	if (ret && ret != -EINVAL)
		error(0, -ret, "%s", path);
	free(line);
	fclose(f);
	return ret;
}
