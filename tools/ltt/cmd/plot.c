// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt plot: recorded traces as a page for a browser.
 */
#include <argp.h>
#include <signal.h>
#include <stdlib.h>

#include "../plot/plot.h"
#include "ltt.h"

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "The page, which must not exist", 0 },
	{ "wall", 'w', NULL, 0, "Show times as seconds since 1970", 0 },
	{ }
};

static const char doc[] =
	"Write a page for a browser that shows recorded traces over time.\vPATTERN is [!]CHANNEL.MARKER with the wildcards * and ?. The page needs no\n"
	"network. CPUs and threads are shown from sched.sched_switch, interrupts from\n"
	"irq.*.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct plot_options *plot = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &plot->in;
		return 0;
	case 'o':
		plot->output = arg;
		return 0;
	case 'w':
		plot->in.flags |= LIBLTT_WALL;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!plot->output)
			argp_error(state, "missing output file (-o FILE)");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/**
 * ltt_cmd_plot() - the command
 * @argc:	number of words, its name included
 * @argv:	the words
 *
 * Return: the exit status: 1 if something could not be read or written.
 */
int ltt_cmd_plot(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &directory_argp }, { } };
	static const struct argp argp = {
		.options = options, .parser = parse_option, .args_doc = "-o FILE DIR...",
		.doc = doc, .children = children,
	};
	struct plot_options plot = { .in = { .command = argv[0], .end = UINT64_MAX } };
	int status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &plot))
		return EXIT_FAILURE;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	status = plot_write(&plot);
	directory_free(&plot.in);
	return status;
}
