// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a capture's connection to lttng-relayd that breaks, and the next one.
 */

#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <linux/ltt/packet.h>

#include "sink_relay.h"

/* ms until the next attempt to connect: twice as long each time. The first comes at once. */
#define BACKOFF_MIN	100
#define BACKOFF_MAX	5000

/* ms for which connecting is tried once the capture is to end. */
#ifndef PATIENCE
#define PATIENCE	10000
#endif

/**
 * relay_sink_stopped() - has the capture been told to end at once?
 * @s:		the sink
 */
bool relay_sink_stopped(const struct relay_sink *s)
{
	struct pollfd pollfd = { .fd = s->stop, .events = POLLIN };

	return poll(&pollfd, 1, 0) > 0;
}

/* On a terminal, over the line that shows how it goes. */
static void clear_line(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/**
 * relay_sink_lose() - the session has ended: by itself, or since we shall stop
 * @s:		the sink, connected
 *
 * Counts what may be missing, and says it. Nothing is lost with a packet that has no events.
 */
void relay_sink_lose(struct relay_sink *s)
{
	uint64_t packets = 0, bytes = 0;
	struct relayed *relayed;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		relayed = &s->streams[i]->relayed;
		packets += relayed->packets - relayed->empty;
		bytes += relayed->bytes - (relayed->empty ? sizeof(struct ltt_packet) : 0);
	}
	s->missing += packets;
	s->missing_bytes += bytes;
	s->connected = false;
	relay_disconnect(&s->relay);
	if (relay_sink_stopped(s))
		return;
	s->lost = relay_now();
	s->due = s->lost + s->backoff;
	s->breaks++;
	s->said[0] = '\0';
	clear_line();
	warnx("%s: connection lost: %s; packets that may be missing: %" PRIu64 " (%" PRIu64 " bytes)",
	      s->address.text, s->relay.why, packets, bytes);
}

/*
 * When we give up; in ms, INT64_MAX: not now. A session in which nothing arrives is no reason to
 * go on.
 */
static int64_t last_chance(struct relay_sink *s)
{
	int64_t ended = atomic_load(&s->ended);

	if (!ended)
		return INT64_MAX;
	return (ended > s->arrived ? ended : s->arrived) + PATIENCE;
}

/* There is at least one attempt after packets have arrived. Return: whether it was the last one. */
static bool give_up(struct relay_sink *s)
{
	s->given_up = s->backoff && relay_now() >= last_chance(s);
	if (s->given_up) {
		clear_line();
		warnx("%s: gave up: %s", s->address.text, s->relay.why);
	}
	return s->given_up;
}

/* Wait before the next attempt, unless it is the first. */
static void back_off(struct relay_sink *s)
{
	struct pollfd fds[] = {
		{ .fd = s->stop, .events = POLLIN },
		{ .fd = s->kick, .events = POLLIN },
	};
	int64_t chance = last_chance(s), left;
	eventfd_t count;

	left = (s->due < chance ? s->due : chance) - relay_now();
	poll(fds, 2, left > 0 ? left : 0);
	/* What it says is known from now on. */
	if (fds[1].revents)
		eventfd_read(s->kick, &count);
	s->backoff = s->backoff ? 2 * s->backoff : BACKOFF_MIN;
	if (s->backoff > BACKOFF_MAX)
		s->backoff = BACKOFF_MAX;
}

/**
 * relay_sink_try() - connect when that is due
 * @s:		the sink, not connected
 *
 * Return: whether there is a session.
 */
bool relay_sink_try(struct relay_sink *s)
{
	char path[RELAY_PATH];

	back_off(s);
	if (relay_sink_stopped(s))
		return false;
	if (!relay_sink_open_session(s)) {
		relay_sink_path(s, path);
		clear_line();
		warnx("%s: connected again after %.1f s; what follows is in %s", s->address.text,
		      (relay_now() - s->lost) / 1000.0, path);
		return true;
	}
	relay_disconnect(&s->relay);
	s->due = relay_now() + s->backoff;
	if (relay_now() < last_chance(s) && !relay_sink_stopped(s) &&
	    strcmp(s->said, s->relay.why)) {
		clear_line();
		warnx("%s: trying again: %s", s->address.text, s->relay.why);
	}
	snprintf(s->said, sizeof(s->said), "%s", s->relay.why);
	return false;
}

/**
 * relay_sink_reconnect() - connect until that succeeds, or there is no hope
 * @s:		the sink, not connected
 *
 * Return: whether there is a session.
 */
bool relay_sink_reconnect(struct relay_sink *s)
{
	while (!s->given_up && !relay_sink_stopped(s) && !give_up(s)) {
		if (relay_sink_try(s))
			return true;
	}
	return false;
}
