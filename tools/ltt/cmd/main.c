// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the ltt command: finds the subcommand.
 */

#include <argp.h>
#include <err.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/version.h>

#include "ltt.h"
#include "standard.h"

/* For --version, of each command. */
const char *argp_program_version = "ltt " LTT_VERSION;

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
};

static const struct command commands[] = {
	{ "record",  ltt_cmd_record,  "capture a trace into a directory" },
	{ "view",    ltt_cmd_view,    "show a captured trace as text" },
	{ "plot",    ltt_cmd_plot,    "show a captured trace over time, in a browser" },
	{ "export",  ltt_cmd_export,  "write a captured trace for another program" },
	{ "text",    ltt_cmd_text,    "show a running trace as text" },
	{ "serve",   ltt_cmd_serve,   "let viewers elsewhere see running traces" },
	{ "pair",    ltt_cmd_pair,    "show the time between two events" },
	{ "flight",  ltt_cmd_flight,  "write what led to an event to disk" },
	{ "list",    ltt_cmd_list,    "show the markers of this kernel" },
	{ "status",  ltt_cmd_status,  "show the traces of this kernel" },
	{ "plan",    ltt_cmd_plan,    "show the memory that a trace would take" },
	{ "create",  ltt_cmd_create,  "create a trace" },
	{ "start",   ltt_cmd_start,   "start traces" },
	{ "stop",    ltt_cmd_stop,    "stop traces" },
	{ "destroy", ltt_cmd_destroy, "destroy traces" },
	{ "crash",   ltt_cmd_crash,   "show the traces of a kernel that has crashed" },
	{ "names",   ltt_cmd_names,   "give a captured trace the names of another tracer" },
	{ "repair",  ltt_cmd_repair,  "repair a trace directory" },
};

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

/* argp frees what we return if it is not @text. */
static char *list_commands(int key, const char *text, void *unused)
{
	char *list = NULL;
	size_t i, size;
	FILE *f;

	(void)unused;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	f = open_memstream(&list, &size);
	if (!f)
		return (char *)text;
	fputs("Commands:\n", f);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(f, "  %-9s %s\n", commands[i].name, commands[i].what);
	fputs("\nSee `ltt COMMAND --help' for more about a command.", f);
	if (fclose(f)) {
		free(list);
		return (char *)text;
	}
	return list;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	int *first = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (!find_command(arg))
			argp_error(state, "unknown command '%s'", arg);
		/* All the rest is the command's. */
		*first = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "COMMAND [ARGUMENT...]",
		.doc = "Trace the kernel with LTT.\v ",
		.help_filter = list_commands,
	};
	const struct command *command;
	char *name;
	int first = 0, ret;

	/* There is nowhere to say it. */
	if (standard_open())
		return EXIT_FAILURE;
	/* As err.h has it, whatever path we were called by. */
	program_invocation_name = program_invocation_short_name;
	argp_err_exit_status = LTT_EXIT_USAGE;
	ret = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &first);
	if (ret)
		error(EXIT_FAILURE, ret, "arguments");
	command = find_command(argv[first]);
	if (asprintf(&name, "ltt %s", command->name) < 0)
		err(EXIT_FAILURE, "arguments");
	argv[first] = name;
	ret = command->run(argc - first, argv + first);
	free(name);
	return ret;
}
