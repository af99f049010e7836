// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt create, start, stop, destroy.
 */

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "../capture/control.h"
#include "ltt.h"
#include "../common/operands.h"
#include "../capture/session.h"

struct create_arguments {
	struct session_options session;
	const char *name;
};

static error_t parse_create(int key, char *arg, struct argp_state *state)
{
	struct create_arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->session;
		return 0;
	case ARGP_KEY_ARG:
		/* The kernel would not even see it. */
		if (!arg[strspn(arg, " \t\n\v\f\r")])
			argp_error(state, "empty trace name: '%s'", arg);
		if (a->name)
			argp_error(state, "extra argument '%s': only one trace at a time", arg);
		a->name = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing trace name");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/**
 * ltt_cmd_create() - ltt create
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_create(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &session_argp }, { } };
	static const struct argp argp = {
		.parser = parse_create,
		.args_doc = "NAME",
		.doc = "Create a trace that records what the patterns select, once it is started.\vSizes and contexts apply to the channels that are known now.",
		.children = children,
	};
	struct create_arguments a = { };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	ret = control_open() ?: session_create(a.name, &a.session);
	free(a.session.patterns);
	free(a.session.filters);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Do it for all of them, even if one fails. */
static int for_names(int argc, char **argv, const char *doc, int (*act)(const char *name))
{
	int i, first, ret = EXIT_SUCCESS;

	first = operands_parse(argc, argv, "trace name", "NAME...", doc);
	if (control_open())
		return EXIT_FAILURE;
	for (i = first; i < argc; i++) {
		if (control_check_trace(argv[i]) || act(argv[i]))
			ret = EXIT_FAILURE;
	}
	return ret;
}

/**
 * ltt_cmd_start() - ltt start
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_start(int argc, char **argv)
{
	return for_names(argc, argv, "Start traces.", session_start);
}

/**
 * ltt_cmd_stop() - ltt stop
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_stop(int argc, char **argv)
{
	return for_names(argc, argv, "Stop traces. They can be started again.",
			 session_stop);
}

/**
 * ltt_cmd_destroy() - ltt destroy
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_destroy(int argc, char **argv)
{
	return for_names(argc, argv,
			 "Destroy traces. Readers still get what has been recorded.",
			 session_destroy);
}
