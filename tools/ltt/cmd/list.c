// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt list: the markers of this kernel, and the events that lack one.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../capture/control.h"
#include "ltt.h"

struct arguments {
	char **patterns;	/* argv's, NULL at the end */
	bool missing;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	(void)arg;
	switch (key) {
	case 'm':
		a->missing = true;
		return 0;
	case ARGP_KEY_ARGS:
		a->patterns = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Names have neither brackets nor backslashes, so fnmatch() matches as the kernel does. */
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
		next = control_cut_line(line);
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

static int list_markers(char **patterns)
{
	char *text = control_read("markers");
	size_t n;

	if (!text) {
		warn("markers");
		return EXIT_FAILURE;
	}
	n = print(text, patterns);
	free(text);
	if (!n && patterns) {
		warnx("no marker matches");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

/* Does "HEADER: CLASS: REASON", or "HEADER: text of CLASS: REASON", have a wanted name? */
static bool wanted_missing(const char *line, char **patterns)
{
	static const char text_of[] = "text of ";
	const char *class = strstr(line, ": "), *end;
	char *name;
	bool any;

	if (!patterns || !class)
		return true;
	name = strndup(line, class - line);
	if (!name)
		err(EXIT_FAILURE, "missing");
	any = wanted(name, patterns);
	free(name);
	class += strlen(": ");
	if (!strncmp(class, text_of, strlen(text_of)))
		class += strlen(text_of);
	end = strstr(class, ": ");
	name = strndup(class, end ? (size_t)(end - class) : strlen(class));
	if (!name)
		err(EXIT_FAILURE, "missing");
	any |= wanted(name, patterns);
	free(name);
	return any;
}

static int list_missing(char **patterns)
{
	char *text = control_read("missing"), *line, *next;
	bool no_file = errno == ENOENT;
	size_t n = 0;

	if (!text) {
		warn("missing");
		if (no_file)
			warnx("is ltt-tracepoints loaded? Try: modprobe ltt-tracepoints");
		return EXIT_FAILURE;
	}
	for (line = text; *line; line = next) {
		next = control_cut_line(line);
		if (wanted_missing(line, patterns)) {
			puts(line);
			n++;
		}
	}
	free(text);
	if (!n && patterns) {
		warnx("no missing event matches");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
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
	static const struct argp_option options[] = {
		{ "missing", 'm', NULL, 0,
		  "Show which of the kernel's own events have no marker, and why", 0 },
		{ }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[PATTERN...]",
		.doc = "Show the markers that match a PATTERN, CHANNEL.MARKER with * and ?.\vOne line for each marker: its name, module, state and format, separated by\n"
		       "tabs. The state is `on' if a trace records the marker, `off' if none does,\n"
		       "`gone' if its module has been unloaded, and `refused' if it cannot be\n"
		       "recorded; the reason then takes the place of the format.\n\n"
		       "With --missing, a PATTERN matches headers that define events, or classes of\n"
		       "events that could not be compiled.",
	};
	struct arguments a = { };

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (control_open())
		return EXIT_FAILURE;
	return a.missing ? list_missing(a.patterns) : list_markers(a.patterns);
}
