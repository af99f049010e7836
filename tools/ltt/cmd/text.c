// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt text: a running trace as text.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "../capture/control.h"
#include "../capture/guard.h"
#include "ltt.h"
#include "../capture/ondisk.h"
#include "../capture/session.h"
#include "text_style.h"

#define BUFFER_SIZE	(256 << 10)

struct arguments {
	struct session_options session;
	const char *name;	/* of an existing trace */
	const char *channel;
	const char *style;
	char **command;
};

/* A trace of our own while it is shown. */
struct show {
	char name[64];
	struct child child;
	struct guard guard;
	int signals;
	bool running;		/* records; afterwards it is destroyed */
	bool aborted;
};

enum { KEY_STYLE = 0x200 };

static const struct argp_option options[] = {
	{ "channel", 'c', "CHANNEL", 0,
	  "Show only this channel (existing traces only)", 0 },
	{ "style", KEY_STYLE, "STYLE", 0,
	  "Style of the lines; `help' lists the styles (new traces only)", 0 },
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
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int open_text(const char *name, const char *channel)
{
	char *path;
	int fd;

	if (asprintf(&path, "traces/%s/text/%s", name, channel ?: "ALL") < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", name);
	fd = openat(control_fd(), path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		warn("%s", path);
		control_explain(errno);
		if (errno == ENOENT && channel)
			warnx("trace %s has not used channel %s", name, channel);
		else if (errno == ENOENT)
			warnx("is the text output loaded? Try: modprobe ltt-textout");
	}
	free(path);
	return fd;
}

/*
 * Pass on what can be read.
 * Return: 1, 0 at the end, or -1: something is wrong, which has been said.
 */
static int pass_on(int fd)
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
	fd = open_text(a->name, a->channel);
	if (fd < 0)
		return EXIT_FAILURE;
	do {
		ret = pass_on(fd);
	} while (ret > 0);
	close(fd);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The remaining events follow, up to the end of the file. */
static void end_trace(struct show *show)
{
	if (!show->running)
		return;
	show->running = false;
	session_destroy(show->name);
}

static int copy_own(struct show *show, int fd)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = show->signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};
	enum child_event event;
	int ret = 1;

	while (ret > 0) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR) {
			warn("poll");
			return -1;
		}
		/* A pipe whose reader has gone. */
		if (fds[2].revents & POLLERR)
			return 0;
		event = child_signal(&show->child, show->signals);
		if (event == CHILD_INTERRUPT && !show->running) {
			show->aborted = true;
			return 0;
		}
		if (event != CHILD_NOTHING)
			end_trace(show);
		if (fds[0].revents)
			ret = pass_on(fd);
	}
	return ret;
}

/* The kernel knows which styles there are. */
static int set_style(const char *name, const char *style)
{
	int err = control_write(style, "traces/%s/text_style", name);
	char *styles;

	if (err != -EINVAL)
		return err;
	styles = control_read("traces/%s/text_style", name);
	if (styles)
		warnx("styles: %s", strtok(styles, "\n") ?: "");
	free(styles);
	return err;
}

static int run_own(struct show *show, const struct arguments *a)
{
	int fd, ret;

	if (a->style && set_style(show->name, a->style))
		return EXIT_FAILURE;
	fd = open_text(show->name, NULL);
	if (fd < 0)
		return EXIT_FAILURE;
	ret = session_start(show->name);
	if (!ret && a->command)
		ret = child_start(&show->child, a->command, show->signals);
	if (!ret)
		ret = copy_own(show, fd);
	close(fd);
	if (show->aborted)
		return 128 + SIGINT;
	return show->child.status ?: ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int show_own(const struct arguments *a)
{
	struct show show = { .running = true };
	int ret;

	session_own_name(show.name, sizeof(show.name), "text");
	show.signals = child_signals();
	if (show.signals < 0)
		return EXIT_FAILURE;
	if (guard_start(&show.guard, show.name, NULL))
		return EXIT_FAILURE;
	ret = EXIT_FAILURE;
	if (!session_create(show.name, &a->session)) {
		ret = run_own(&show, a);
		end_trace(&show);
	}
	guard_end(&show.guard);
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
		.args_doc = "NAME\n-e PATTERN... [-- COMMAND [ARGUMENT...]]",
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
