// SPDX-License-Identifier: GPL-2.0
/*
 * ltt view: a recorded trace as text.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../lib/libltt.h"
#include "ltt.h"
#include "../capture/ondisk.h"
#include "printable.h"
#include "text_style.h"

#define NSEC		UINT64_C(1000000000)

/* Bytes of text written at once: they should still be in the cache. */
#define TEXT_SIZE	(256u << 10)

/*
 * The longest line that is shown: of a sub-buffer full of text, each byte of which is
 * escaped. A format with wide fields can make longer ones of an array.
 */
#define TEXT_MAX	(64u << 20)

/* Problems of a file that are shown. */
#define PROBLEMS_MAX	20

/**
 * struct view - what the user asked for
 * @begin:	ns
 * @end:	ns
 * @flags:	for libltt
 * @style:	name of the text style, NULL: the default
 * @patterns:	of wanted events
 * @nr_patterns: how many
 * @filters:	"PATTERN: EXPR"
 * @nr_filters:	how many
 * @dirs:	trace directories
 * @nr_dirs:	how many
 * @problems:	reported so far
 * @left_out:	events whose lines were too long, and the header if it was
 */
struct view {
	uint64_t begin;
	uint64_t end;
	unsigned int flags;
	const char *style;
	char **patterns;
	unsigned int nr_patterns;
	char **filters;
	unsigned int nr_filters;
	char **dirs;
	unsigned int nr_dirs;
	unsigned long problems;
	unsigned long left_out;
};

enum {
	KEY_STYLE = 0x200,
	KEY_FILTER,
};

static const struct argp_option options[] = {
	{ "begin", 'b', "TIME", 0, "Show events from TIME on", 0 },
	{ "end", 'e', "TIME", 0, "Show events up to TIME", 0 },
	{ "markers", 'm', "PATTERN", 0,
	  "Show only events that match; may be repeated, or be given several patterns", 0 },
	{ "filter", KEY_FILTER, "PATTERN: EXPR", 0,
	  "Of the events that match, show only those for which EXPR is true; may be repeated", 0 },
	{ "style", KEY_STYLE, "STYLE", 0, "Style of the lines; `help' lists the styles", 0 },
	{ "wall", 'w', NULL, 0, "Show times as seconds since 1970", 0 },
	{ 0 }
};

static const char doc[] =
	"Show recorded traces as text, in the format of the kernel's text files.\vTIME is SECONDS[.NANOSECONDS], as in the first column of the text.\n"
	"PATTERN is [!]CHANNEL.MARKER with the wildcards * and ?; the last one that matches an event decides.\n"
	"Events of several traces are merged; traces of different clocks or machines need --wall.\n"
	"What cannot be read is reported and skipped; the exit status is 1 then.";

/* "12", "12.5", "12.000000345" in nanoseconds. Return: is it one of these? */
static bool parse_time(const char *text, uint64_t *time)
{
	uint64_t ns = 0, scale = NSEC;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(ns, 10, &ns) ||
		    __builtin_add_overflow(ns, (uint64_t)(*p - '0'), &ns))
			return false;
	}
	if (p == text || __builtin_mul_overflow(ns, (uint64_t)NSEC, &ns))
		return false;
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9' && scale > 1; p++) {
			scale /= 10;
			if (__builtin_add_overflow(ns, scale * (*p - '0'), &ns))
				return false;
		}
	}
	*time = ns;
	return !*p;
}

static void add_pattern(struct view *view, char *pattern, struct argp_state *state)
{
	struct libltt_problem error;
	char **patterns;

	if (libltt_pattern(pattern, &error))
		argp_error(state, "%s: %s", printable(pattern) ?: "pattern", error.text);
	patterns = reallocarray(view->patterns, view->nr_patterns + 1, sizeof(*patterns));
	if (!patterns)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", pattern);
	view->patterns = patterns;
	patterns[view->nr_patterns++] = pattern;
}

/* One, or several with blanks between. Without any, all events would be shown. */
static void add_patterns(struct view *view, char *patterns, struct argp_state *state)
{
	char *pattern = strtok(patterns, " \t\n");

	if (!pattern)
		argp_error(state, "empty pattern");
	for (; pattern; pattern = strtok(NULL, " \t\n"))
		add_pattern(view, pattern, state);
}

static void add_filter(struct view *view, char *filter, struct argp_state *state)
{
	char **filters;

	if (!strchr(filter, ':'))
		argp_error(state, "%s: expected PATTERN: EXPR", printable(filter) ?: "filter");
	filters = reallocarray(view->filters, view->nr_filters + 1, sizeof(*filters));
	if (!filters)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", filter);
	view->filters = filters;
	filters[view->nr_filters++] = filter;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct view *view = state->input;

	switch (key) {
	case 'b':
		if (!parse_time(arg, &view->begin))
			argp_error(state, "invalid time: '%s'", arg);
		return 0;
	case 'e':
		if (!parse_time(arg, &view->end))
			argp_error(state, "invalid time: '%s'", arg);
		return 0;
	case 'm':
		add_patterns(view, arg, state);
		return 0;
	case KEY_FILTER:
		add_filter(view, arg, state);
		return 0;
	case KEY_STYLE:
		text_style_help(arg, false);
		text_style_check(arg, state);
		view->style = arg;
		return 0;
	case 'w':
		view->flags |= LIBLTT_WALL;
		return 0;
	case ARGP_KEY_ARGS:
		view->dirs = state->argv + state->next;
		view->nr_dirs = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing trace directory");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (view->begin > view->end)
			argp_error(state, "--begin is after --end");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void show_problem(const struct libltt_problem *problem)
{
	char *file = printable(problem->file), *text = printable(problem->text);

	if (!file || !text)
		fprintf(stderr, "ltt view: out of memory\n");
	else if (problem->offset == LIBLTT_NO_OFFSET)
		fprintf(stderr, "ltt view: %s: %s\n", file, text);
	else
		fprintf(stderr, "ltt view: %s: offset %" PRIu64 ": %s%s\n", file,
			problem->offset, problem->severity == LIBLTT_NOTE ? "note: " : "",
			text);
	free(file);
	free(text);
}

static void report(const struct libltt_problem *problem, void *data)
{
	struct view *view = data;

	if (view->problems++ < PROBLEMS_MAX)
		show_problem(problem);
}

/* Make room for a longer line. Return: false if that is impossible. */
static bool grow(char **buf, size_t *size)
{
	char *larger;

	if (*size >= TEXT_MAX)
		return false;
	larger = realloc(*buf, 2 * *size);
	if (!larger)
		return false;
	*buf = larger;
	*size *= 2;
	return true;
}

/* The next event has a line that we have no room for. */
static void leave_out(struct libltt *ltt, struct view *view, size_t size)
{
	struct libltt_event event;
	char *channel, *marker;

	if (libltt_next(ltt, &event) <= 0)
		return;
	view->left_out++;
	if (view->problems++ >= PROBLEMS_MAX)
		return;
	channel = printable(event.channel);
	marker = printable(event.kind ? event.kind->marker : "(lost)");
	fprintf(stderr, "ltt view: %" PRIu64 ".%09" PRIu64 " [%03u] %s.%s: more than %zu bytes of text, skipped\n",
		event.time / NSEC, event.time % NSEC, event.cpu, channel ?: "?",
		marker ?: "?", size);
	free(channel);
	free(marker);
}

/* Lines up to the end of the range. Return: 0 or a negative errno. */
static int write_lines(struct libltt *ltt, struct view *view, char **buf, size_t *size)
{
	long len;
	int err;

	for (;;) {
		len = libltt_text(ltt, *buf, *size);
		if (len == -ENOSPC) {
			if (!grow(buf, size))
				leave_out(ltt, view, *size);
			continue;
		}
		if (len <= 0)
			return len;
		err = ondisk_write(STDOUT_FILENO, *buf, len);
		if (err)
			return err;
	}
}

static int write_header(struct libltt *ltt, struct view *view, char **buf, size_t *size)
{
	long len;

	do {
		len = libltt_header(ltt, *buf, *size);
	} while (len == -ENOSPC && grow(buf, size));
	if (len == -ENOSPC) {
		view->left_out++;
		fprintf(stderr, "ltt view: header: more than %zu bytes of text, skipped\n", *size);
		return 0;
	}
	return len < 0 ? len : ondisk_write(STDOUT_FILENO, *buf, len);
}

static int write_text(struct libltt *ltt, struct view *view)
{
	size_t size = TEXT_SIZE;
	char *buf = malloc(size);
	int err;

	if (!buf)
		return -ENOMEM;
	err = write_header(ltt, view, &buf, &size);
	if (!err)
		err = write_lines(ltt, view, &buf, &size);
	free(buf);
	return err;
}

/* "PATTERN: EXPR" */
static int set_filter(struct libltt *ltt, char *filter, struct libltt_problem *error)
{
	char *expression = filter;
	char *pattern = strsep(&expression, ":");

	pattern[strcspn(pattern, " \t")] = '\0';
	expression += strspn(expression, " \t");
	return libltt_filter(ltt, pattern, strcmp(expression, "none") ? expression : NULL, error);
}

static int view_traces(struct view *view)
{
	const struct libltt_options opts = {
		.flags = view->flags, .report = report, .data = view,
		.style = view->style,
	};
	struct libltt_problem error;
	struct libltt *ltt;
	unsigned int i;
	int err, status;

	ltt = libltt_open((const char *const *)view->dirs, view->nr_dirs, &opts, &error);
	if (!ltt) {
		show_problem(&error);
		return EXIT_FAILURE;
	}
	if (view->nr_patterns)
		libltt_select(ltt, NULL, NULL);
	for (i = 0; i < view->nr_patterns; i++)
		libltt_select(ltt, view->patterns[i], NULL);
	for (i = 0; i < view->nr_filters; i++) {
		if (set_filter(ltt, view->filters[i], &error)) {
			show_problem(&error);
			libltt_close(ltt);
			return EXIT_FAILURE;
		}
	}
	libltt_range(ltt, view->begin, view->end);

	err = write_text(ltt, view);
	if (view->problems > PROBLEMS_MAX)
		fprintf(stderr, "ltt view: %lu more problems\n", view->problems - PROBLEMS_MAX);
	/* The reader has closed the pipe: not an error. */
	if (err && err != -EPIPE)
		fprintf(stderr, "ltt view: standard output: %s\n", strerror(-err));
	status = (err && err != -EPIPE) || libltt_errors(ltt) || view->left_out ? EXIT_FAILURE :
										EXIT_SUCCESS;
	libltt_close(ltt);
	return status;
}

/* A file for each channel and CPU. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	/* If that fails, it will be said which file could not be opened. */
	setrlimit(RLIMIT_NOFILE, &limit);
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
	const struct argp argp = {
		.options = options, .parser = parse_option, .args_doc = "DIR...", .doc = doc,
	};
	struct view view = { .end = UINT64_MAX };
	int status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &view))
		return EXIT_FAILURE;
	/* A closed pipe, or output that gets too large, must not look like a crash. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	allow_many_files();
	status = view_traces(&view);
	free(view.patterns);
	free(view.filters);
	return status;
}
