// SPDX-License-Identifier: GPL-2.0
/*
 * ltt view: a recorded trace as text.
 */
#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/jobs.h"
#include "../lib/libltt.h"
#include "../common/directory.h"
#include "ltt.h"
#include "../common/ondisk.h"
#include "../common/printable.h"
#include "text_style.h"
#include "view.h"

/* Bytes of text written at once: they should still be in the cache. */
#define TEXT_SIZE	(256u << 10)

/*
 * Threads at most, and by default: a CPU makes more than 1 GB of text a second, and one thread
 * writes it. All that they make ahead of a slow reader is kept.
 */
#define JOBS_MAX	1024u
#define JOBS_DEFAULT	8u

enum {
	KEY_STYLE = 0x200,
};

static const struct argp_option options[] = {
	{ "style", KEY_STYLE, "STYLE", 0, "Style of the lines; `help' lists the styles", 0 },
	{ "jobs", 'j', "NUMBER", 0,
	  "Threads for large traces; default: one for each CPU, up to 8", 0 },
	{ "wall", 'w', NULL, 0, "Show times as seconds since 1970", 0 },
	{ 0 }
};

static const char doc[] =
	"Show recorded traces as text, in the format of the kernel's text files; also those of other tracers, in the Common Trace Format 1.8.\vTIME is SECONDS[.NANOSECONDS], as in the first column of the text.\n"
	"PATTERN is [!]CHANNEL.MARKER with the wildcards * and ?; the last one that matches an event decides.\n"
	"Events of several traces are merged; traces of different clocks or machines need --wall.\n"
	"What cannot be read is reported and skipped; the exit status is 1 then.\n"
	"net:// is a running trace that ltt serve or lttng-relayd has, from the beginning of what it has.\n"
	"Without a NAME, they are listed.";

static unsigned int parse_jobs(const char *arg, struct argp_state *state)
{
	unsigned long jobs;
	char *end;

	errno = 0;
	jobs = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !jobs || jobs > JOBS_MAX)
		argp_error(state, "%s: expected a number of threads, 1 to %u",
			   printable(arg) ?: "jobs", JOBS_MAX);
	return jobs;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct view *view = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &view->in;
		return 0;
	case KEY_STYLE:
		text_style_help(arg, false);
		text_style_check(arg, state);
		view->in.style = arg;
		return 0;
	case 'j':
		view->jobs = parse_jobs(arg, state);
		return 0;
	case 'w':
		view->in.flags |= LIBLTT_WALL;
		return 0;
	case ARGP_KEY_SUCCESS:
		view->remote = view_is_remote(view->in.dirs, view->in.nr_dirs, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* The next event has a line that we have no room for. */
static void leave_out(struct libltt *ltt, struct view *view, size_t size)
{
	struct libltt_event event;

	if (libltt_next(ltt, &event) > 0)
		directory_left_out(&view->in, &event, size);
}

/* One for each CPU that there is for us, if they are not too many. */
static unsigned int default_jobs(void)
{
	cpu_set_t cpus;

	/* With more CPUs than the set has room for, it fails. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) > (int)JOBS_DEFAULT)
		return JOBS_DEFAULT;
	return CPU_COUNT(&cpus);
}

/* Lines that threads make, if there are enough of them. Return: 0 or a negative errno. */
static int write_parallel(struct libltt *ltt, const struct view *view)
{
	const char *text;
	long len;
	int err = 0;

	lib_jobs_start(ltt, view->jobs ?: default_jobs());
	while (!err && (len = lib_jobs_text(ltt, &text)) > 0)
		err = ondisk_write(STDOUT_FILENO, text, len);
	return err;
}

/* Return: 0; -ECANCELED: a signal has come, and nobody reads; or another negative errno. */
static int write_watching(const struct view *view, const char *text, size_t len)
{
	ssize_t n;

	if (!view->remote)
		return ondisk_write(STDOUT_FILENO, text, len);
	for (; len; len -= n, text += n) {
		n = ondisk_write_some(STDOUT_FILENO, view->signals, -1, text, len);
		if (n <= 0)
			return n ?: -ECANCELED;
	}
	return 0;
}

/**
 * view_lines() - write lines, up to the end of the range
 * @ltt:	the traces
 * @view:	what is wanted
 * @buf:	where they are made, allocated; may become larger
 * @size:	bytes there
 *
 * Return: 0 or a negative errno.
 */
int view_lines(struct libltt *ltt, struct view *view, char **buf, size_t *size)
{
	long len;
	int err;

	for (;;) {
		len = libltt_text(ltt, *buf, *size);
		if (len == -ENOSPC) {
			if (!directory_grow(buf, size))
				leave_out(ltt, view, *size);
			continue;
		}
		if (len <= 0)
			return len;
		err = write_watching(view, *buf, len);
		if (err)
			return err;
	}
}

/**
 * view_header() - write the header
 * @ltt:	the traces
 * @view:	what is wanted
 * @buf:	where it is made, allocated; may become larger
 * @size:	bytes there
 *
 * Return: 0 or a negative errno.
 */
int view_header(struct libltt *ltt, struct view *view, char **buf, size_t *size)
{
	long len;

	do {
		len = libltt_header(ltt, *buf, *size);
	} while (len == -ENOSPC && directory_grow(buf, size));
	if (len == -ENOSPC) {
		view->in.left_out++;
		fprintf(stderr, "%s: header: more than %zu bytes of text, skipped\n",
			view->in.command, *size);
		return 0;
	}
	return len < 0 ? len : write_watching(view, *buf, len);
}

static int write_text(struct libltt *ltt, struct view *view)
{
	size_t size = TEXT_SIZE;
	char *buf = malloc(size);
	int err;

	if (!buf)
		return -ENOMEM;
	err = view_header(ltt, view, &buf, &size) ?: write_parallel(ltt, view);
	if (!err)
		err = view_lines(ltt, view, &buf, &size);
	free(buf);
	return err;
}

static int view_traces(struct view *view)
{
	struct libltt *ltt = directory_open(&view->in);
	int err;

	if (!ltt)
		return EXIT_FAILURE;
	err = write_text(ltt, view);
	/* The reader has closed the pipe: not an error. */
	if (err == -EPIPE)
		err = 0;
	if (err)
		fprintf(stderr, "ltt view: standard output: %s\n", strerror(-err));
	return directory_close(ltt, &view->in) && !err ? EXIT_SUCCESS : EXIT_FAILURE;
}

/**
 * ltt_cmd_view() - the command
 * @argc:	number of words, its name included
 * @argv:	the words
 *
 * Return: the exit status: 1 if something could not be read or written.
 */
int ltt_cmd_view(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &directory_argp }, { } };
	static const struct argp argp = {
		.options = options, .parser = parse_option, .args_doc = "DIR...\nnet://HOST[:PORT]/host/HOSTNAME/NAME...\nnet://HOST[:PORT]",
		.doc = doc,
		.children = children,
	};
	struct view view = { .in = { .command = argv[0], .end = UINT64_MAX } };
	int status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &view))
		return EXIT_FAILURE;
	/* A closed pipe, or output that gets too large, must not look like a crash. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	status = view.remote ? view_remote(&view, true) : view_traces(&view);
	directory_free(&view.in);
	return status;
}
