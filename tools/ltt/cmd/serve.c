// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt serve: running traces, for viewers that are elsewhere.
 */

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../capture/control.h"
#include "../capture/session.h"
#include "../serve/serve.h"
#include "../capture/child.h"
#include "ltt.h"
#include "../common/operands.h"

/* For the packets of a trace. The least is two of the largest packets. */
#define MEMORY		(64u << 20)
#define MEMORY_MIN	(8u << 20)

/* ms, as of a trace that ltt record makes. */
#define TIMER		"200"

enum {
	KEY_MEMORY = 0x200,
	KEY_TIMER,
};

static const struct argp_option options[] = {
	{ "listen", 'l', "ADDRESS", 0,
	  "Let viewers connect to ADDRESS: ADDR, ADDR:PORT, [ADDR]:PORT, of numbers, or the path of a socket to make; by default to 127.0.0.1 and ::1, port 5344. May be given more than once",
	  0 },
	{ "memory", KEY_MEMORY, "BYTES", 0,
	  "Keep so many bytes of packets for the viewers of a trace, 8M at least; by default 64M",
	  0 },
	{ "switch-timer", KEY_TIMER, "MS", 0,
	  "Give channels without a switch timer one of so many milliseconds; by default 200, 0: none",
	  0 },
	{ }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct serve_options *o = state->input;
	uint64_t n;

	switch (key) {
	case 'l':
		if (!listen_check(arg))
			argp_error(state, "invalid address: '%s'", arg);
		o->listen = operands_more(o->listen, o->nr_listen, sizeof(*o->listen), state);
		o->listen[o->nr_listen++] = arg;
		return 0;
	case KEY_MEMORY:
		if (session_number(arg, "KMGT", &o->memory) || o->memory < MEMORY_MIN ||
		    o->memory > SIZE_MAX / 2)
			argp_error(state, "invalid memory: '%s', at least 8M are needed", arg);
		return 0;
	case KEY_TIMER:
		if (session_number(arg, "", &n) || n > SESSION_TIMER_MAX)
			argp_error(state, "invalid switch timer: '%s' is not from 0 to %u ms", arg,
				   SESSION_TIMER_MAX);
		o->timer = n ? arg : NULL;
		return 0;
	case ARGP_KEY_ARG:
		if (!*arg)
			argp_error(state, "empty trace name");
		o->names = operands_more(o->names, o->nr_names, sizeof(*o->names), state);
		o->names[o->nr_names++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing trace name");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Names without wildcards are of traces that are there. */
static int check_names(const struct serve_options *o)
{
	unsigned int i;

	for (i = 0; i < o->nr_names; i++) {
		if (!strpbrk(o->names[i], "*?[\\") && control_check_trace(o->names[i]))
			return -ENOENT;
	}
	return 0;
}

/**
 * ltt_cmd_serve() - ltt serve
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_serve(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "NAME...",
		.doc = "Let viewers elsewhere see traces while they run.\vViewers speak the protocol of LTTng live, as babeltrace2 does:\n"
		       "`babeltrace2 net://localhost/host/HOST/NAME'. NAME may have wildcards. It\n"
		       "serves until Ctrl-C.",
	};
	struct serve_options o = { .memory = MEMORY, .timer = TIMER };
	int signals, ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = control_open() ?: check_names(&o);
	if (!ret) {
		signals = child_signals();
		ret = signals < 0 ? signals : server_run(&o, signals);
		if (signals >= 0)
			close(signals);
	}
	free(o.names);
	free(o.listen);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
