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
#include "../relay/address.h"
#include "ltt.h"
#include "../common/ondisk.h"
#include "../capture/session.h"
#include "../common/operands.h"
#include "../common/printable.h"
#include "text_style.h"
#include "view.h"

#define BUFFER_SIZE	(256 << 10)

struct arguments {
	struct session_options session;
	const char *name;	/* of an existing trace */
	const char *channel;
	const char *style;
	bool follow;
	char **addresses;	/* of traces that are elsewhere */
	unsigned int nr_addresses;
	char **command;
};

enum { KEY_STYLE = 0x200, KEY_FOLLOW };

static const struct argp_option options[] = {
	{ "channel", 'c', "CHANNEL", 0,
	  "Show only this channel (existing traces only)", 0 },
	{ "style", KEY_STYLE, "STYLE", 0,
	  "Style of the lines; `help' lists the styles (not of existing traces here)", 0 },
	{ "follow", KEY_FOLLOW, NULL, 0, "Record only COMMAND and what it starts", 0 },
	{ }
};

/* The next of several patterns with blanks between. Return: it, allocated; NULL: no more. */
static char *next_pattern(const char **patterns)
{
	const char *begin = *patterns + strspn(*patterns, " \t\n");
	size_t len = strcspn(begin, " \t\n");
	char *pattern;

	*patterns = begin + len;
	if (!len)
		return NULL;
	pattern = strndup(begin, len);
	if (!pattern)
		error(EXIT_FAILURE, ENOMEM, "%s", begin);
	return pattern;
}

static void check_patterns(const char *patterns, const struct argp_state *state)
{
	struct libltt_problem problem;
	char *pattern;

	while ((pattern = next_pattern(&patterns))) {
		if (libltt_pattern(pattern, &problem))
			argp_error(state, "%s: %s", printable(pattern) ?: "pattern", problem.text);
		free(pattern);
	}
}

/* What is recorded there is not up to us, but what is shown. */
static void check_remote(const struct arguments *a, const struct argp_state *state)
{
	struct session_options parameters = a->session;
	unsigned int i;

	for (i = 0; i < parameters.nr_filters; i++) {
		if (!strchr(parameters.filters[i], ':'))
			argp_error(state, "%s: expected PATTERN: EXPR", parameters.filters[i]);
	}
	for (i = 0; i < parameters.nr_patterns; i++)
		check_patterns(parameters.patterns[i], state);
	parameters.nr_patterns = 0;
	parameters.nr_filters = 0;
	if (a->name || a->command)
		argp_error(state, "extra argument '%s': only addresses can follow '%s'",
			   a->name ?: a->command[0], a->addresses[0]);
	if (a->follow || session_has_parameters(&parameters))
		argp_error(state, "cannot change the parameters of traces that are elsewhere");
	if (a->channel && a->session.nr_patterns)
		argp_error(state, "--channel and -e cannot be used together here");
	if (a->channel && strpbrk(a->channel, "!. \t\n"))
		argp_error(state, "invalid channel: '%s'", a->channel);
	view_is_remote(a->addresses, a->nr_addresses, state);
	if (a->style)
		text_style_check(a->style, state);
}

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
		if (relay_is_address(arg) && !a->name) {
			a->addresses = operands_more(a->addresses, a->nr_addresses,
						     sizeof(*a->addresses), state);
			a->addresses[a->nr_addresses++] = arg;
			return 0;
		}
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
		if (a->nr_addresses) {
			check_remote(a, state);
			return 0;
		}
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

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n < 0) {
		warn("text");
		return -1;
	}
	ret = live ? live_write(live, buf, n) : ondisk_write(STDOUT_FILENO, buf, n);
	/* The reader of our output has closed it; or nobody waits for him. */
	if (ret == -EPIPE || ret == -ECANCELED)
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

static char *all_of(const char *channel)
{
	char *pattern;

	if (asprintf(&pattern, "%s.*", channel) < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", channel);
	return pattern;
}

static void add_pattern(struct directory_options *in, char *pattern)
{
	in->patterns = reallocarray(in->patterns, in->nr_patterns + 1, sizeof(*in->patterns));
	if (!in->patterns)
		error(EXIT_FAILURE, ENOMEM, "%s", pattern);
	in->patterns[in->nr_patterns++] = pattern;
}

static int show_remote(const struct arguments *a)
{
	struct view view = {
		.remote = true,
		.in.command = "ltt text",
		.in.dirs = a->addresses,
		.in.nr_dirs = a->nr_addresses,
		.in.style = a->style,
		.in.end = UINT64_MAX,
		.in.filters = a->session.filters,
		.in.nr_filters = a->session.nr_filters,
	};
	unsigned int i;
	int ret;

	if (a->channel)
		add_pattern(&view.in, all_of(a->channel));
	for (i = 0; i < a->session.nr_patterns; i++) {
		const char *patterns = a->session.patterns[i];
		char *pattern;

		while ((pattern = next_pattern(&patterns)))
			add_pattern(&view.in, pattern);
	}
	ret = view_remote(&view, false);
	for (i = 0; i < view.in.nr_patterns; i++)
		free(view.in.patterns[i]);
	free(view.in.patterns);
	return ret;
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
		.args_doc = "NAME\n-e PATTERN... [[--follow] -- COMMAND [ARGUMENT...]]\nnet://HOST[:PORT]/host/HOSTNAME/NAME...\nnet://HOST[:PORT]",
		.doc = "Show the events of a trace as text, while they happen.\vWith NAME, an existing trace is shown until it is destroyed. With patterns,\n"
		       "a trace is created, and destroyed when COMMAND exits or at Ctrl-C. With\n"
		       "COMMAND, the exit status is that of COMMAND. With net://, traces are shown\n"
		       "that ltt serve or lttng-relayd has, from now on: -e, --filter and --style\n"
		       "say which events, and how. Without a NAME there, they are listed.",
		.children = children,
	};
	struct arguments a = { };
	int ret;

	/* In order: options of the command are its own. */
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a);
	if (a.nr_addresses)
		ret = show_remote(&a);
	else if (control_open())
		ret = EXIT_FAILURE;
	else
		ret = a.name ? show_existing(&a) : show_own(&a);
	free(a.addresses);
	free(a.session.patterns);
	free(a.session.filters);
	return ret;
}
