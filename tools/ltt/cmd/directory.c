// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: recorded traces, for the subcommands that read them.
 */
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

/* "PATTERN: EXPR" */
static int set_filter(struct libltt *ltt, char *filter, struct libltt_problem *error)
{
	char *expression = filter;
	char *pattern = strsep(&expression, ":");

	pattern[strcspn(pattern, " \t")] = '\0';
	expression += strspn(expression, " \t");
	return libltt_filter(ltt, pattern, strcmp(expression, "none") ? expression : NULL, error);
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

static int choose(struct libltt *ltt, const struct directory_options *o,
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

	allow_many_files();
	ltt = libltt_open((const char *const *)o->dirs, o->nr_dirs, &opts, &error);
	if (ltt && !choose(ltt, o, &error)) {
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
 * Return: whether all could be read.
 */
bool directory_close(struct libltt *ltt, const struct directory_options *o)
{
	bool complete = !libltt_errors(ltt);

	if (o->problems > PROBLEMS_MAX)
		fprintf(stderr, "%s: %lu more problems\n", o->command, o->problems - PROBLEMS_MAX);
	libltt_close(ltt);
	return complete;
}
