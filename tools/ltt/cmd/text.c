// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt text: a running trace as text.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../capture/control.h"
#include "../capture/live.h"
#include "ltt.h"
#include "../common/ondisk.h"
#include "../capture/session.h"
#include "text_style.h"

#define BUFFER_SIZE	(256 << 10)

struct arguments {
	struct session_options session;
	const char *name;	/* of an existing trace */
	const char *channel;
	const char *style;
	bool follow;
	char **command;
};

enum { KEY_STYLE = 0x200, KEY_FOLLOW };

static const struct argp_option options[] = {
	{ "channel", 'c', "CHANNEL", 0,
	  "Show only this channel (existing traces only)", 0 },
	{ "style", KEY_STYLE, "STYLE", 0,
	  "Style of the lines; `help' lists the styles (new traces only)", 0 },
	{ "follow", KEY_FOLLOW, NULL, 0, "Record only COMMAND and what it starts", 0 },
	{ }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->session;
		return 0;
	case 'c':
		a->channel = arg;
		return 0;
	case KEY_STYLE:
		text_style_help(arg, true);
		a->style = arg;
		return 0;
	case KEY_FOLLOW:
		a->follow = true;
		return 0;
	case ARGP_KEY_ARG:
		/* With patterns, all arguments are the command. */
		if (a->session.nr_patterns)
			return ARGP_ERR_UNKNOWN;
		if (a->name)
			argp_error(state, "extra argument '%s': only one trace at a time", arg);
		a->name = arg;
		return 0;
	case ARGP_KEY_ARGS:
		a->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		if (!a->name == !a->session.nr_patterns)
			argp_error(state, "expected either the NAME of a trace or a pattern (-e)");
		if (a->channel && !a->name)
			argp_error(state, "--channel is only for existing traces");
		if (a->name && (a->style || session_has_parameters(&a->session)))
			argp_error(state, "cannot change the parameters of the existing trace '%s'",
				   a->name);
		if (a->follow && a->name)
			argp_error(state, "cannot change whom the existing trace '%s' records",
				   a->name);
		if (a->follow && !a->command)
			argp_error(state, "nobody to follow: --follow needs a COMMAND");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * Pass on what can be read.
 * Return: 1, 0 at the end, or -1: something is wrong, which has been said.
 */
static int pass_on(int fd, struct live *live)
{
	static char buf[BUFFER_SIZE];
	ssize_t n = read(fd, buf, sizeof(buf));
	int ret;

	(void)live;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n < 0) {
		warn("text");
		return -1;
	}
	ret = ondisk_write(STDOUT_FILENO, buf, n);
	/* The reader of our output has closed it. */
	if (ret == -EPIPE)
		return 0;
	if (ret) {
		error(0, -ret, "standard output");
		return -1;
	}
	return !!n;
}

static int show_existing(const struct arguments *a)
{
	int fd, ret;

	if (control_check_trace(a->name))
		return EXIT_FAILURE;
	fd = live_open(a->name, a->channel);
	if (fd < 0)
		return EXIT_FAILURE;
	do {
		ret = pass_on(fd, NULL);
	} while (ret > 0);
	close(fd);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int show_own(const struct arguments *a)
{
	struct live live = {
		.prefix = "text",
		.session = &a->session,
		.style = a->style,
		.follow = a->follow,
		.command = a->command,
		.read = pass_on,
	};

	return live_run(&live);
}

/**
 * ltt_cmd_text() - ltt text
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_text(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &session_argp }, { } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "NAME\n-e PATTERN... [[--follow] -- COMMAND [ARGUMENT...]]",
		.doc = "Show the events of a trace as text, while they happen.\vWith NAME, an existing trace is shown until it is destroyed. With patterns, a\n"
		       "trace is created, and destroyed when COMMAND exits or at Ctrl-C. With COMMAND,\n"
		       "the exit status is that of COMMAND.",
		.children = children,
	};
	struct arguments a = { };
	int ret;

	/* In order: options of the command are its own. */
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a);
	ret = control_open() ? EXIT_FAILURE : a.name ? show_existing(&a) : show_own(&a);
	free(a.session.patterns);
	free(a.session.filters);
	return ret;
}
