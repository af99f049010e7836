// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: recorded traces, for the subcommands that read them.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "directory.h"
#include "printable.h"

#define NSEC		UINT64_C(1000000000)

/**
 * directory_time() - read a time
 * @text:	"12", "12.5", "12.000000345"
 * @time:	returns it in ns
 *
 * Return: whether it is one.
 */
bool directory_time(const char *text, uint64_t *time)
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

/**
 * directory_problem() - say what is wrong with a trace
 * @command:	"ltt NAME"
 * @problem:	what is wrong, and where
 */
void directory_problem(const char *command, const struct libltt_problem *problem)
{
	char *file = printable(problem->file), *text = printable(problem->text);

	if (!file || !text)
		fprintf(stderr, "%s: out of memory\n", command);
	else if (problem->offset == LIBLTT_NO_OFFSET)
		fprintf(stderr, "%s: %s: %s\n", command, file, text);
	else
		fprintf(stderr, "%s: %s: offset %" PRIu64 ": %s%s\n", command, file,
			problem->offset, problem->severity == LIBLTT_NOTE ? "note: " : "",
			text);
	free(file);
	free(text);
}

/**
 * directory_report() - a libltt_report that shows the first problems
 * @problem:	the problem
 * @options:	a struct directory_options, which counts them
 */
void directory_report(const struct libltt_problem *problem, void *options)
{
	struct directory_options *o = options;

	if (o->problems++ < PROBLEMS_MAX)
		directory_problem(o->command, problem);
}

/**
 * directory_grow() - make room for a longer line
 * @buf:	the room, allocated
 * @size:	bytes there
 *
 * Return: false if that is impossible.
 */
bool directory_grow(char **buf, size_t *size)
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

/**
 * directory_line() - show an event as a line, however long that is
 * @ltt:	the traces
 * @event:	the event
 * @buf:	where to, allocated; may become larger
 * @size:	bytes there
 *
 * Return: as libltt_line(); -ENOSPC: there cannot be more room.
 */
long directory_line(struct libltt *ltt, const struct libltt_event *event, char **buf, size_t *size)
{
	long len;

	do {
		len = libltt_line(ltt, event, *buf, *size);
	} while (len == -ENOSPC && directory_grow(buf, size));
	return len;
}

/**
 * directory_left_out() - say that an event is shown without its line
 * @o:		what is read, which counts them
 * @event:	the event
 * @size:	bytes that are not enough for the line
 */
void directory_left_out(struct directory_options *o, const struct libltt_event *event, size_t size)
{
	char *channel, *marker;

	o->left_out++;
	if (o->problems++ >= PROBLEMS_MAX)
		return;
	channel = printable(event->channel);
	marker = printable(event->kind ? event->kind->marker :
			   event->lost ? "(lost)" : "(corrupt)");
	fprintf(stderr, "%s: %" PRIu64 ".%09" PRIu64 " [%03u] %s.%s: more than %zu bytes of text, skipped\n",
		o->command, event->time / NSEC, event->time % NSEC, event->cpu, channel ?: "?",
		marker ?: "?", size);
	free(channel);
	free(marker);
}

/* ---- what is to be read --------------------------------------------------------- */

enum {
	KEY_FILTER = 0x100,	/* commands have theirs from 0x200 on */
};

static const struct argp_option options[] = {
	{ "begin", 'b', "TIME", 0, "From TIME on", 0 },
	{ "end", 'e', "TIME", 0, "Up to TIME", 0 },
	{ "markers", 'm', "PATTERN", 0,
	  "Only events that match; may be repeated, or be given several patterns", 0 },
	{ "filter", KEY_FILTER, "PATTERN: EXPR", 0,
	  "Of the events that match, only those for which EXPR is true; may be repeated", 0 },
	{ }
};

/**
 * directory_pattern() - check the pattern of an option that takes one, and no ! before it
 * @pattern:	what the user wrote; it is a usage error if it is none
 * @state:	argp's
 */
void directory_pattern(const char *pattern, const struct argp_state *state)
{
	struct libltt_problem error;

	if (*pattern == '!')
		argp_error(state, "%s: expected a pattern without !",
			   printable(pattern) ?: "pattern");
	if (libltt_pattern(pattern, &error))
		argp_error(state, "%s: %s", printable(pattern) ?: "pattern", error.text);
}

static void add_pattern(struct directory_options *o, char *pattern, struct argp_state *state)
{
	struct libltt_problem error;
	char **patterns;

	if (libltt_pattern(pattern, &error))
		argp_error(state, "%s: %s", printable(pattern) ?: "pattern", error.text);
	patterns = reallocarray(o->patterns, o->nr_patterns + 1, sizeof(*patterns));
	if (!patterns)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", pattern);
	o->patterns = patterns;
	patterns[o->nr_patterns++] = pattern;
}

/* One, or several with blanks between. Without any, all events would be shown. */
static void add_patterns(struct directory_options *o, char *patterns, struct argp_state *state)
{
	char *pattern = strtok(patterns, " \t\n");

	if (!pattern)
		argp_error(state, "empty pattern");
	for (; pattern; pattern = strtok(NULL, " \t\n"))
		add_pattern(o, pattern, state);
}

/* The length of the pattern of "PATTERN: EXPR"; 0 if it is something else. */
static size_t pattern_length(const char *filter)
{
	size_t len = strcspn(filter, ": \t");

	return filter[len + strspn(filter + len, " \t")] == ':' ? len : 0;
}

static void add_filter(struct directory_options *o, char *filter, struct argp_state *state)
{
	char **filters;

	filter += strspn(filter, " \t");
	if (!pattern_length(filter))
		argp_error(state, "%s: expected PATTERN: EXPR", printable(filter) ?: "filter");
	filters = reallocarray(o->filters, o->nr_filters + 1, sizeof(*filters));
	if (!filters)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", filter);
	o->filters = filters;
	filters[o->nr_filters++] = filter;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct directory_options *o = state->input;

	switch (key) {
	case 'b':
		if (!directory_time(arg, &o->begin))
			argp_error(state, "invalid time: '%s'", arg);
		return 0;
	case 'e':
		if (!directory_time(arg, &o->end))
			argp_error(state, "invalid time: '%s'", arg);
		return 0;
	case 'm':
		add_patterns(o, arg, state);
		return 0;
	case KEY_FILTER:
		add_filter(o, arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		o->dirs = state->argv + state->next;
		o->nr_dirs = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing trace directory");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (o->begin > o->end)
			argp_error(state, "--begin is after --end");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Directories, and what is wanted of them; the input is a struct directory_options. */
const struct argp directory_argp = { .options = options, .parser = parse_option };

/**
 * directory_free() - free what the options have allocated
 * @o:		what directory_argp has filled in
 */
void directory_free(struct directory_options *o)
{
	free(o->patterns);
	free(o->filters);
}

/* ---- traces ---------------------------------------------------------------------- */

/* "PATTERN: EXPR" */
static int set_filter(struct libltt *ltt, const char *filter, struct libltt_problem *error)
{
	const char *expression = strchr(filter, ':') + 1;
	char *pattern = strndup(filter, pattern_length(filter));
	int err;

	if (!pattern) {
		*error = (struct libltt_problem){
			.severity = LIBLTT_ERROR, .code = ENOMEM, .offset = LIBLTT_NO_OFFSET,
			.file = "filter", .text = "out of memory",
		};
		return -ENOMEM;
	}
	expression += strspn(expression, " \t");
	err = libltt_filter(ltt, pattern, strcmp(expression, "none") ? expression : NULL, error);
	free(pattern);
	return err;
}

/**
 * directory_many_files() - allow a file for each channel and CPU
 */
void directory_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	/* If that fails, it will be said which file could not be opened. */
	setrlimit(RLIMIT_NOFILE, &limit);
}

/**
 * directory_choose() - have those events only that the user wants
 * @ltt:	the traces; once more when they have got other kinds of events
 * @o:		what that is
 * @error:	what is wrong with it
 *
 * Return: 0 or a negative errno.
 */
int directory_choose(struct libltt *ltt, const struct directory_options *o,
		     struct libltt_problem *error)
{
	unsigned int i;
	int err = 0;

	if (o->nr_patterns)
		libltt_select(ltt, NULL, NULL);
	for (i = 0; i < o->nr_patterns && !err; i++)
		err = libltt_select(ltt, o->patterns[i], error);
	for (i = 0; i < o->nr_filters && !err; i++)
		err = set_filter(ltt, o->filters[i], error);
	return err;
}

/**
 * directory_open() - open traces, to read what the user wants of them
 * @o:		what that is
 *
 * Says what is wrong, now and later.
 *
 * Return: the traces, to be closed by directory_close(), or NULL.
 */
struct libltt *directory_open(struct directory_options *o)
{
	const struct libltt_options opts = {
		.flags = o->flags, .report = directory_report, .data = o, .style = o->style,
	};
	struct libltt_problem error;
	struct libltt *ltt;

	directory_many_files();
	ltt = libltt_open((const char *const *)o->dirs, o->nr_dirs, &opts, &error);
	if (ltt && !directory_choose(ltt, o, &error)) {
		libltt_range(ltt, o->begin, o->end);
		return ltt;
	}
	directory_problem(o->command, &error);
	libltt_close(ltt);
	return NULL;
}

/**
 * directory_close() - close traces
 * @ltt:	what directory_open() returned
 * @o:		as there
 *
 * Says how many problems were not shown.
 *
 * Return: whether all could be read, and shown.
 */
bool directory_close(struct libltt *ltt, const struct directory_options *o)
{
	bool complete = !libltt_errors(ltt) && !o->left_out;

	if (o->problems > PROBLEMS_MAX)
		fprintf(stderr, "%s: %lu more problems\n", o->command, o->problems - PROBLEMS_MAX);
	libltt_close(ltt);
	return complete;
}
