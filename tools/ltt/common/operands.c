// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: subcommands that take operands and no options of their own.
 */

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "operands.h"

struct operands {
	const char *what;
	int first;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct operands *operands = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_ARGS:
		operands->first = state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing %s", operands->what);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/**
 * operands_more() - make room for another element of an array
 * @array:	the array, allocated
 * @nr:		elements that it has
 * @size:	bytes of one
 * @state:	of argp
 *
 * Ends the process if there is no memory.
 *
 * Return: the array.
 */
void *operands_more(void *array, unsigned int nr, size_t size, const struct argp_state *state)
{
	void *more = reallocarray(array, nr + 1, size);

	if (!more)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "arguments");
	return more;
}

/**
 * operands_parse() - parse a command line of one or more operands
 * @argc:	number of arguments
 * @argv:	the arguments; options are moved before the operands
 * @what:	what an operand is, for the message if there is none
 * @args_doc:	the operands in the usage line
 * @doc:	for --help
 *
 * Ends the process if the command line is wrong.
 *
 * Return: index of the first operand; the last is argv[argc - 1].
 */
int operands_parse(int argc, char **argv, const char *what, const char *args_doc,
		   const char *doc)
{
	const struct argp argp = { .parser = parse, .args_doc = args_doc, .doc = doc };
	struct operands operands = { .what = what, .first = argc };

	argp_parse(&argp, argc, argv, 0, NULL, &operands);
	return operands.first;
}
