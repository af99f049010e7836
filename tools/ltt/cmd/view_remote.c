// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: traces that are elsewhere, as text.
 */

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../common/ondisk.h"
#include "../lib/live.h"
#include "../relay/address.h"
#include "../remote/remote.h"
#include "../serve/protocol.h"
#include "../common/printable.h"
#include "../common/signals.h"
#include "view.h"

#define TEXT_SIZE	(256u << 10)

/**
 * struct shown - traces, as they are shown
 * @view:	what is wanted
 * @ltt:	the traces
 * @buf:	where lines are made
 * @size:	bytes there
 * @begun:	the header has been written
 * @unread:	nobody reads what is written
 */
struct shown {
	struct view *view;
	struct libltt *ltt;
	char *buf;
	size_t size;
	bool begun;
	bool unread;
};

/**
 * view_is_remote() - are these addresses, and good ones?
 * @addresses:	what the user has given
 * @nr:		how many
 * @state:	of argp; it is a usage error if only some are, or one is wrong
 *
 * Return: false: they are directories.
 */
bool view_is_remote(char *const *addresses, unsigned int nr, const struct argp_state *state)
{
	unsigned int i, remote = 0;
	bool names_session;
	const char *why;

	for (i = 0; i < nr; i++)
		remote += relay_is_address(addresses[i]);
	if (remote && remote < nr)
		argp_error(state, "directories and addresses cannot be shown together");
	for (i = 0; i < remote; i++) {
		why = remote_check(addresses[i], &names_session);
		if (!why && !names_session && nr > 1)
			why = "expected net://HOST[:PORT]/host/HOSTNAME/NAME";
		if (why)
			argp_error(state, "invalid address '%s': %s",
				   printable(addresses[i]) ?: "", why);
	}
	return remote;
}

/* So that it can be given to us. */
static void list_session(const struct live_session *session, void *data)
{
	char *host = printable(session->host), *name = printable(session->name);
	const struct relay_address *address = data;
	const char *at = strstr(address->text, "://");
	int len = at + 3 - address->text + strcspn(at + 3, "/");

	printf("%.*s/host/%s/%s streams %" PRIu32 " viewers %" PRIu32 "\n", len, address->text,
	       host ?: "", name ?: "", be32toh(session->streams), be32toh(session->clients));
	free(host);
	free(name);
}

static int list(const char *text)
{
	struct relay_address address;

	relay_parse_viewer(&address, text);
	if (remote_list(text, list_session, &address))
		return EXIT_FAILURE;
	if (!fflush(stdout))
		return EXIT_SUCCESS;
	perror("standard output");
	return EXIT_FAILURE;
}

/* The reader has closed the pipe, or does not read when we are to end: not an error. */
static bool is_unread(int err)
{
	return err == -EPIPE || err == -ECANCELED;
}

static int declared(void *data)
{
	struct shown *shown = data;
	struct libltt_problem error;
	int err = directory_choose(shown->ltt, &shown->view->in, &error);

	if (err)
		directory_problem(shown->view->in.command, &error);
	else if (!shown->begun)
		err = view_header(shown->ltt, shown->view, &shown->buf, &shown->size);
	shown->unread |= is_unread(err);
	shown->begun = true;
	return err;
}

static int show(void *data)
{
	struct shown *shown = data;
	int err = view_lines(shown->ltt, shown->view, &shown->buf, &shown->size);

	shown->unread = is_unread(err);
	if (err && !shown->unread)
		fprintf(stderr, "%s: standard output: %s\n", shown->view->in.command,
			strerror(-err));
	return err;
}

static int show_all(struct shown *shown, bool beginning, int signals)
{
	const struct directory_options *in = &shown->view->in;
	const struct remote_options options = {
		.ltt = shown->ltt,
		.addresses = in->dirs,
		.nr = in->nr_dirs,
		.beginning = beginning,
		.signals = signals,
		.declared = declared,
		.show = show,
		.data = shown,
	};
	int err = remote_run(&options);

	return shown->unread ? 0 : err;
}

/*
 * Those that ask us to end come through a descriptor from now on, and no others: whoever has become
 * this command may have left it a child. A closed pipe is an error. Return: the descriptor, or -1.
 */
static int receive_signals(void)
{
	sigset_t mask;
	int fd;

	signals_that_end(&mask);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		perror("signalfd");
	return fd;
}

/**
 * view_remote() - show traces that are elsewhere, or list them
 * @view:	which, and how; view_is_remote()
 * @beginning:	from the beginning of what the other side has
 *
 * Return: exit status.
 */
int view_remote(struct view *view, bool beginning)
{
	struct directory_options *in = &view->in;
	const struct libltt_options options = {
		.flags = in->flags, .report = directory_report, .data = in, .style = in->style,
	};
	struct shown shown = { .view = view, .size = TEXT_SIZE };
	struct libltt_problem error;
	bool names_session, good;
	int signals, err;

	remote_check(in->dirs[0], &names_session);
	if (!names_session)
		return list(in->dirs[0]);
	directory_many_files();
	signals = receive_signals();
	if (signals < 0)
		return EXIT_FAILURE;
	view->signals = signals;
	shown.buf = malloc(shown.size);
	shown.ltt = lib_live_open((const char *const *)in->dirs, in->nr_dirs, &options, &error);
	if (!shown.buf || !shown.ltt) {
		directory_problem(in->command, &error);
		free(shown.buf);
		libltt_close(shown.ltt);
		close(signals);
		return EXIT_FAILURE;
	}
	lib_live_range(shown.ltt, in->begin, in->end);
	err = show_all(&shown, beginning, signals);
	good = directory_close(shown.ltt, in) && !err;
	free(shown.buf);
	close(signals);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
