// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: sessions that are elsewhere.
 */

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/live.h"
#include "../serve/protocol.h"
#include "dialogue.h"
#include "remote.h"

/**
 * struct remote - several sessions
 * @options:	what is wanted
 * @sessions:	one for each address
 * @incomplete:	one has ended before its end
 */
struct remote {
	const struct remote_options *options;
	struct remote_session *sessions;
	bool incomplete;
};

/**
 * remote_check() - is that a good address?
 * @address:	the address
 * @names_session: returns whether it is that of a session, and not of all there are
 *
 * Return: NULL; or what is wrong.
 */
const char *remote_check(const char *address, bool *names_session)
{
	struct remote_session s = { };
	const char *why = remote_parse(&s, address);

	*names_session = s.name;
	return why;
}

struct list {
	remote_session_seen seen;
	void *data;
};

static int list_session(const struct live_session *session, void *data)
{
	const struct list *list = data;

	list->seen(session, list->data);
	return 0;
}

/**
 * remote_list() - which sessions are there?
 * @address:	where, which is good
 * @seen:	called for each
 * @data:	for @seen
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int remote_list(const char *address, remote_session_seen seen, void *data)
{
	struct list list = { .seen = seen, .data = data };
	struct relay_address where;
	struct relay relay;
	int ret;

	relay_parse_viewer(&where, address);
	ret = dialogue_init(&relay, &where, -1) ?:
	      dialogue_connect(&relay) ?:
	      dialogue_sessions(&relay, list_session, &list);
	if (ret)
		warnx("%s: %s", address, relay.why);
	relay_free(&relay);
	return ret;
}

static int attach_all(struct remote *remote)
{
	const struct remote_options *o = remote->options;
	struct remote_session *s;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < o->nr; i++) {
		s = &remote->sessions[i];
		remote_parse(s, o->addresses[i]);
		s->ltt = o->ltt;
		s->trace = i;
		s->seek = o->beginning ? LIVE_SEEK_BEGINNING : LIVE_SEEK_LAST;
		s->relay.control = -1;
		s->relay.data = -1;
	}
	for (i = 0; !ret && i < o->nr; i++)
		ret = remote_attach(&remote->sessions[i], o->signals);
	return ret;
}

/* Return: 1; 0: there was nothing new; -ENODATA: all have ended; -ECANCELED: we shall end. */
static int step_all(struct remote *remote)
{
	unsigned int i, ended = 0;
	int ret, news = 0;

	for (i = 0; i < remote->options->nr; i++) {
		ret = remote_step(&remote->sessions[i]);
		if (ret == -ECANCELED)
			return ret;
		remote->incomplete |= ret < 0;
		news |= ret > 0;
		ended += remote->sessions[i].state == REMOTE_ENDED;
	}
	return ended < remote->options->nr ? news : -ENODATA;
}

/* All would wait for them for ever. Return: 0: there are none; or a negative errno. */
static int ended_undeclared(const struct remote *remote)
{
	const struct remote_options *o = remote->options;
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		if (remote->sessions[i].state != REMOTE_ENDED || lib_live_declared(o->ltt, i))
			continue;
		warnx("%s: it ended before its metadata were there", o->addresses[i]);
		return -ENODATA;
	}
	return 0;
}

static int show(struct remote *remote)
{
	const struct remote_options *o = remote->options;
	struct libltt_problem error;
	bool changed = false;
	unsigned int i;
	int ret;

	ret = lib_live_ready(o->ltt, &error);
	if (ret < 0)
		warnx("%s: %s", error.file, error.text);
	if (ret <= 0)
		return ret ?: ended_undeclared(remote);
	for (i = 0; i < o->nr; i++) {
		changed |= remote->sessions[i].changed;
		remote->sessions[i].changed = false;
	}
	ret = changed ? o->declared(o->data) : 0;
	if (!ret && lib_live_go(o->ltt))
		ret = o->show(o->data);
	return ret;
}

/* Return: whether we shall go on. */
static bool sleep_a_little(const struct remote *remote, int ms)
{
	struct pollfd fds[] = {
		{ .fd = remote->options->signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};

	/* Nobody takes what we say, so nobody wants to know. */
	return poll(fds, 2, ms) <= 0;
}

static int run(struct remote *remote)
{
	int news, ret;

	do {
		news = step_all(remote);
		if (news == -ECANCELED)
			return 0;
		if (news == -ENODATA)
			lib_live_over(remote->options->ltt);
		ret = show(remote);
		if (ret || news == -ENODATA || lib_live_ended(remote->options->ltt))
			return ret;
	} while (sleep_a_little(remote, news ? 0 : REMOTE_PERIOD));
	return 0;
}

static uint64_t missing(const struct remote *remote)
{
	uint64_t nr = lib_live_missing(remote->options->ltt);
	unsigned int i;

	for (i = 0; i < remote->options->nr; i++)
		nr += remote->sessions[i].gone;
	return nr;
}

static void summary(const struct remote *remote)
{
	const struct libltt *ltt = remote->options->ltt;
	unsigned int i, breaks = 0;

	for (i = 0; i < remote->options->nr; i++)
		breaks += remote->sessions[i].breaks;
	if (!breaks && !missing(remote) && !lib_live_late(ltt))
		return;
	warnx("connections lost: %u, packets missing: %llu, too late: %llu, events lost in the kernel: %llu",
	      breaks, (unsigned long long)missing(remote),
	      (unsigned long long)lib_live_late(ltt), (unsigned long long)lib_live_lost(ltt));
}

/**
 * remote_run() - get sessions, until all have ended, or a signal comes
 * @options:	which, and what to do with them
 *
 * Says what is wrong.
 *
 * Return: 0; -ENODATA: something is missing; or another negative errno.
 */
int remote_run(const struct remote_options *options)
{
	struct remote remote = { .options = options };
	unsigned int i;
	int ret;

	remote.sessions = calloc(options->nr, sizeof(*remote.sessions));
	if (!remote.sessions) {
		warn("sessions");
		return -ENOMEM;
	}
	ret = attach_all(&remote);
	if (!ret)
		ret = run(&remote);
	/* That is how it is to end, however far it is. */
	if (ret == -ECANCELED)
		ret = 0;
	summary(&remote);
	if (!ret && (remote.incomplete || missing(&remote) || lib_live_late(options->ltt)))
		ret = -ENODATA;
	for (i = 0; i < options->nr; i++)
		remote_free(&remote.sessions[i]);
	free(remote.sessions);
	return ret;
}
