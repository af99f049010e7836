// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt list: the markers of this kernel.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "ltt.h"

struct arguments {
	char **patterns;	/* argv's, NULL at the end */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	(void)arg;
	if (key != ARGP_KEY_ARGS)
		return ARGP_ERR_UNKNOWN;
	a->patterns = state->argv + state->next;
	return 0;
}

/* Names have neither brackets nor backslashes, so fnmatch() means what the kernel means. */
static bool wanted(const char *name, char **patterns)
{
	bool any = !patterns;

	for (; patterns && *patterns; patterns++)
		any |= !fnmatch(*patterns, name, 0);
	return any;
}

/* Print the lines of the file that are wanted; how many. */
static size_t print(char *text, char **patterns)
{
	char *line, *next;
	size_t n = 0, len;

	for (line = text; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (*line == '#') {
			puts(line);
			continue;
		}
		len = strcspn(line, "\t");
		if (line[len]) {
			line[len] = '\0';
			if (wanted(line, patterns)) {
				printf("%s\t%s\n", line, line + len + 1);
				n++;
			}
		}
	}
	return n;
}

/**
 * ltt_cmd_list() - ltt list
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_list(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[PATTERN...]",
		.doc = "Show the markers that match a PATTERN, CHANNEL.MARKER with * and ?.\vA line for each, with tabs between the marker, its module, its state and its\n"
		       "format. The state is `on' if some trace records it, `off' if none does,\n"
		       "`gone' if its module was unloaded, `refused' if it can not be recorded, with\n"
		       "the reason in place of the format.",
	};
	struct arguments a = { };
	char *text;
	size_t n;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (control_open())
		return EXIT_FAILURE;
	text = control_read("markers");
	if (!text) {
		warn("markers");
		return EXIT_FAILURE;
	}
	n = print(text, a.patterns);
	free(text);
	if (!n && a.patterns) {
		warnx("no marker matches");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
