// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: option --style of the commands that show text.
 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/libltt.h"
#include "text_style.h"

/* The next style, @live or not. Return: its name, NULL at the end. */
static const char *next(unsigned int *nr, bool live)
{
	const char *name;
	bool needs_kernel;

	do {
		name = libltt_style((*nr)++, &needs_kernel);
	} while (name && needs_kernel && !live);
	return name;
}

/**
 * text_style_help() - list the styles, if that is what the user wants
 * @name:	what the user gave as a style; "help" ends the process
 * @live:	the kernel makes the text: also list styles that need it
 */
void text_style_help(const char *name, bool live)
{
	unsigned int nr = 0;

	if (strcmp(name, "help"))
		return;
	while ((name = next(&nr, live)))
		puts(name);
	exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/**
 * text_style_check() - check that recorded traces can be shown in a style
 * @name:	its name
 * @state:	of the command, which ends with a list of the styles if they can't
 */
void text_style_check(const char *name, const struct argp_state *state)
{
	char *list = NULL;
	const char *other;
	unsigned int nr;
	size_t size;
	FILE *file;

	for (nr = 0; (other = next(&nr, false));) {
		if (!strcmp(name, other))
			return;
	}
	file = open_memstream(&list, &size);
	for (nr = 0; file && (other = next(&nr, false));)
		fprintf(file, " %s", other);
	if (file)
		fclose(file);
	for (nr = 0; (other = next(&nr, true));) {
		if (!strcmp(name, other))
			argp_error(state, "style '%s' needs the running kernel; styles of recorded traces:%s",
				   name, list ?: "");
	}
	argp_error(state, "no such style: %s; styles of recorded traces:%s", name, list ?: "");
}
