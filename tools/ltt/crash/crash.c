// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: the trace in an image of memory that survived a reset.
 *
 * The kernel does the same when it starts, see kernel/trace/ltt-core/area. This is for
 * images of machines that do not come up again, or whose kernel has no LTT.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/err.h>

#include "../cmd/ltt.h"
#include "crash.h"

/**
 * struct arguments - what the user asked for
 * @file:	the image
 * @output:	directory to write, NULL: show text
 * @style:	of the text
 * @number:	which trace, 1: the newest
 * @info:	only say what is there
 */
struct arguments {
	const char *file;
	const char *output;
	char *style;
	unsigned int number;
	bool info;
};

static const struct argp_option options[] = {
	{ "output", 'o', "DIRECTORY", 0, "Write a trace directory instead of text", 0 },
	{ "number", 'n', "NUMBER", 0,
	  "Which trace, if there are several; 1, the default, is the newest", 0 },
	{ "info", 'i', NULL, 0, "Only say what is there", 0 },
	{ "style", 's', "STYLE", 0, "Style of the text, see ltt view", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	char *end;

	switch (key) {
	case 'o':
		a->output = arg;
		return 0;
	case 'n':
		a->number = strtoul(arg, &end, 10);
		if (end == arg || *end || *arg == '-' || !a->number)
			argp_error(state, "invalid number: '%s'", arg);
		return 0;
	case 'i':
		a->info = true;
		return 0;
	case 's':
		a->style = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			argp_error(state, "extra argument '%s': only one image at a time", arg);
		a->file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing image");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Says what is wrong. Return: 0 or a negative errno. */
static int show_info(const struct ltt_found *found)
{
	int ret = crash_put(STDOUT_FILENO, ltt_area_info, found);

	if (ret)
		error(0, -ret, "standard output");
	return ret;
}

/* As ltt view does. Says what is wrong. Return: 0 or a negative errno. */
static int show_text(const struct crash *crash, const struct ltt_found *found, char *style)
{
	char path[32] = "/tmp/ltt-crash.XXXXXX";
	char **argv = (char *[]){ (char *)"ltt view", path, (char *)"--style", style, NULL };
	int ret;

	if (!mkdtemp(path)) {
		ret = -errno;
		crash_say(crash, "%s: %s", path, strerror(-ret));
		return ret;
	}
	ret = crash_write(crash, found, path);
	if (!ret && ltt_cmd_view(style ? 4 : 2, argv))
		ret = -EIO;
	crash_remove(found, path);
	return ret;
}

static int show(const struct crash *crash, const struct arguments *a)
{
	unsigned int nr = a->number - 1;
	char why[LTT_AREA_ERROR];
	struct ltt_found *found;
	int ret;

	if (nr >= crash->nr) {
		crash_say(crash, "%u traces found, there is no number %u", crash->nr, a->number);
		return -ENOENT;
	}
	found = ltt_area_scan(crash->bytes + crash->at[nr], &crash->heads[nr], why);
	if (IS_ERR(found)) {
		crash_say(crash, "offset %zu: %s", crash->at[nr], why);
		return PTR_ERR(found);
	}
	if (a->output)
		ret = crash_write(crash, found, a->output) ?: show_info(found);
	else
		ret = a->info ? show_info(found) : show_text(crash, found, a->style);
	if (!ret && !a->info && found->nr_notes) {
		crash_say(crash, "some of it is damaged, see --info");
		ret = -EIO;
	}
	ltt_area_found_free(found);
	return ret;
}

/**
 * ltt_cmd_crash() - ltt crash
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status: 1 if there is no trace, or some of it is damaged.
 */
int ltt_cmd_crash(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "IMAGE",
		.doc = "Show the trace in an image of memory that has survived a crash.\vIMAGE holds the memory that ltt-core's parameter `persist' names, or more than that.",
	};
	struct arguments a = { .number = 1 };
	struct crash crash = { };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	crash.path = a.file;
	ret = crash_load(&crash) ?: show(&crash, &a);
	crash_free(&crash);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
