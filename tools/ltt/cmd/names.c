// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt names: recorded traces with the names that other programs look for.
 */
#include <argp.h>
#include <signal.h>
#include <stdlib.h>

#include "../names/names.h"
#include "ltt.h"
#include "names.h"

enum { KEY_NAMES = 0x200 };

/**
 * struct arguments - what the user asked for
 * @scheme:	the names
 * @first:	index of the first directory
 */
struct arguments {
	const struct names_scheme *scheme;
	int first;
};

static const struct argp_option options[] = {
	{ "names", KEY_NAMES, "SCHEME", 0, "Whose names: perf, lttng or ltt", 0 },
	{ }
};

static const char doc[] =
	"Give recorded traces the names of another tracer, by which other programs\n"
	"know kernel traces.\vOnly the metadata are changed, and keep LTT's own names: `ltt view' and all\n"
	"other subcommands go by those, and `--names=ltt' brings them back.";

/**
 * names_option() - an option that chooses a scheme
 * @arg:	its argument
 * @state:	argp's, which ends the process if there is no such scheme
 *
 * Return: the scheme.
 */
const struct names_scheme *names_option(const char *arg, const struct argp_state *state)
{
	const struct names_scheme *scheme = names_find(arg);

	if (!scheme)
		argp_error(state, "--names=%s: expected perf, lttng or ltt", arg);
	return scheme;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case KEY_NAMES:
		a->scheme = names_option(arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		a->first = state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing trace directory");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!a->scheme)
			argp_error(state, "whose names? There are --names=perf, lttng and ltt");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/**
 * ltt_cmd_names() - ltt names
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_names(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "--names=SCHEME DIRECTORY...",
		.doc = doc,
	};
	struct arguments a = { };
	int i, ret = EXIT_SUCCESS;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	/* A file that gets too large is an error, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	for (i = a.first; i < argc; i++) {
		if (names_directory(argv[i], a.scheme))
			ret = EXIT_FAILURE;
	}
	return ret;
}
