// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: the traces in an image of memory that survived a reset, or in a dump.
 *
 * Of memory that survived, the kernel does the same when it starts, see kernel/trace/ltt-core/area.
 * This is for images of machines that do not come up again, or whose kernel has no LTT; and for
 * dumps, in which all traces are that there were.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/err.h>
#include <linux/kernel.h>

#include "../common/signals.h"
#include "../crash/crash.h"
#include "ltt.h"

/**
 * struct arguments - what the user asked for
 * @file:	the image or dump
 * @output:	directory to write, NULL: show text
 * @style:	of the text
 * @name:	which trace, NULL: see @number
 * @number:	which trace, 1: the newest; 0: all of a dump, the newest of an image
 * @info:	only say what is there
 */
struct arguments {
	const char *file;
	const char *output;
	char *style;
	const char *name;
	unsigned int number;
	bool info;
};

static const struct argp_option options[] = {
	{ "output", 'o', "DIRECTORY", 0, "Write a trace directory instead of text", 0 },
	{ "trace", 't', "NAME", 0, "Which trace, if there are several", 0 },
	{ "number", 'n', "NUMBER", 0,
	  "Which one by number: 1 is the newest", 0 },
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
	case 't':
		a->name = arg;
		return 0;
	case 'i':
		a->info = true;
		return 0;
	case 's':
		a->style = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			argp_error(state, "extra argument '%s': only one file at a time", arg);
		a->file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing image or dump");
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

/* Of a process of ours; signals of @mask that come meanwhile are for it. Return: its status. */
static int wait_for(pid_t pid, const sigset_t *mask, int *came)
{
	int status, sig;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (sigwait(mask, &sig) || sig == SIGCHLD)
			continue;
		*came = sig;
		kill(pid, sig);
	}
	return status;
}

/*
 * As ltt view does, in a process of its own: whatever becomes of that, the directory is
 * removed. Says what is wrong. Return: 0 or a negative errno.
 */
static int show_in(char *path, const struct crash *crash, const struct ltt_found *found,
		   char *style)
{
	char **argv = (char *[]){ (char *)"ltt view", path, (char *)"--style", style, NULL };
	int ret = -EIO, came = 0;
	sigset_t mask, before;
	pid_t pid;

	signal(SIGCHLD, SIG_DFL);
	signals_that_end(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &before);
	if (!mkdtemp(path)) {
		ret = -errno;
		crash_say(crash, "%s: %s", path, strerror(-ret));
		goto unblock;
	}
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		exit(crash_write(crash, found, path) || ltt_cmd_view(style ? 4 : 2, argv));
	}
	if (pid < 0)
		crash_say(crash, "%s", strerror(errno));
	else if (!wait_for(pid, &mask, &came))
		ret = 0;
	crash_remove(found, path);
unblock:
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (came)
		raise(came);
	return ret;
}

static int show_text(const struct crash *crash, const struct ltt_found *found, char *style)
{
	const char *tmp = getenv("TMPDIR");
	char *path;
	int ret;

	if (asprintf(&path, "%s/ltt-crash.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0) {
		crash_say(crash, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	ret = show_in(path, crash, found, style);
	free(path);
	return ret;
}

/* Show or write what was found; @output: a directory. Return: 0 or a negative errno. */
static int show_found(const struct crash *crash, const struct ltt_found *found,
		      const struct arguments *a, const char *output)
{
	int ret;

	if (output)
		ret = crash_write(crash, found, output) ?: show_info(found);
	else
		ret = a->info ? show_info(found) : show_text(crash, found, a->style);
	if (ret || !found->nr_notes)
		return ret;
	if (!a->info)
		crash_say(crash, "some of it is damaged, see --info");
	return -EIO;
}

/* Says what is wrong. Return: 0 or a negative errno. */
static int show(const struct crash *crash, const struct crash_trace *trace,
		const struct arguments *a, const char *output)
{
	char why[LTT_AREA_ERROR] = "it claims to have more memory than there is";
	struct ltt_found *found = NULL;
	struct crash_half half;
	int ret;

	ret = crash_compose(crash, trace, false, &half);
	if (!ret) {
		found = ltt_area_scan_holes(half.base, &half.head, half.holes, half.nr_holes, why);
		ret = IS_ERR(found) ? PTR_ERR(found) : 0;
	}
	if (ret) {
		crash_say_at(crash, trace->at, ret == -ENOMEM ? "out of memory" : why);
	} else {
		ret = show_found(crash, found, a, output);
		ltt_area_found_free(found);
	}
	crash_decompose(&half);
	return ret;
}

/* Show all of a dump, or write each into a directory of its name. */
static int show_all(const struct crash *crash, const struct arguments *a)
{
	const struct crash_trace *trace;
	unsigned int i;
	char *path;
	int ret = 0, err;

	if (a->output && mkdir(a->output, 0700) && errno != EEXIST) {
		crash_say(crash, "%s: %s", a->output, strerror(errno));
		return -EIO;
	}
	for (i = 0; i < crash->nr; i++) {
		trace = &crash->traces[i];
		if (i && printf("\n") < 0)
			return -EIO;
		fflush(stdout);
		path = NULL;
		/* A name that is none makes no directory either: what is wrong is said. */
		if (a->output && asprintf(&path, "%s/%s", a->output, trace->name ?: "-") < 0)
			return -ENOMEM;
		err = show(crash, trace, a, path);
		free(path);
		ret = ret ?: err;
	}
	return ret;
}

/* There are several, and none was chosen. */
static int say_names(const struct crash *crash)
{
	unsigned int i;

	crash_say(crash, "%u traces found; choose one with --trace, or write all with --output:",
		  crash->nr);
	for (i = 0; i < crash->nr; i++)
		crash_say(crash, "%s", crash->traces[i].name ?: "-");
	return -EINVAL;
}

static int show_named(const struct crash *crash, const struct arguments *a)
{
	unsigned int i;

	for (i = 0; i < crash->nr; i++) {
		if (crash->traces[i].name && !strcmp(crash->traces[i].name, a->name))
			return show(crash, &crash->traces[i], a, a->output);
	}
	crash_say(crash, "there is no trace %s", a->name);
	return -ENOENT;
}

/* The only one that is no window of another; 0: there are others. */
static unsigned int only_trace(const struct crash *crash)
{
	unsigned int i, number = 0;

	for (i = 0; i < crash->nr; i++) {
		if (crash->traces[i].is_window)
			continue;
		if (number)
			return 0;
		number = i + 1;
	}
	return number;
}

static int show_chosen(const struct crash *crash, const struct arguments *a)
{
	unsigned int number = a->number;

	if (a->name)
		return show_named(crash, a);
	if (!number && crash->is_dump && (a->output || a->info))
		return show_all(crash, a);
	if (!number && crash->is_dump)
		number = only_trace(crash);
	if (!number && crash->is_dump && crash->nr > 1)
		return say_names(crash);
	number = number ?: 1;
	if (number <= crash->nr)
		return show(crash, &crash->traces[number - 1], a, a->output);
	crash_say(crash, "%u traces found, there is no number %u", crash->nr, number);
	return -ENOENT;
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
		.args_doc = "FILE",
		.doc = "Show the traces of a kernel that has crashed.\vFILE is a dump of its memory, as kdump, makedumpfile and hypervisors write them: it has all traces, which --output writes into directories of their names, in DIRECTORY. Or it is an image of the memory that ltt-core's parameter `persist' names, or of more than that: the newest trace there is shown.",
	};
	struct arguments a = { };
	struct crash crash = { };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	crash.path = a.file;
	ret = crash_load(&crash) ?: show_chosen(&crash, &a);
	if (crash.damaged)
		ret = ret ?: -EIO;
	crash_free(&crash);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
