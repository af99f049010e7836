// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt flight: a flight recorder.
 */

#include <argp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../capture/control.h"
#include "../capture/session.h"
#include "../flight/flight.h"
#include "duration.h"
#include "ltt.h"

#define DEFAULT_NAME	"flight"

/* Room in the kernel: for the next window while one is written. */
#define DEFAULT_WINDOWS	"2"
#define WINDOWS_MAX	1000

#define DEFAULT_KEEP	20

/* ns of "before" and "after", as of the kernel. */
#define LONGEST		UINT64_C(86400000000000)

enum {
	KEY_ON = 0x200,
	KEY_BEFORE,
	KEY_AFTER,
	KEY_WINDOWS,
	KEY_KEEP,
	KEY_MAX_SIZE,
	KEY_STAY,
	KEY_CONFIG,
};

/**
 * struct arguments - the command line
 * @flight:	what it says
 * @config:	file with more of it
 * @has_config:	that has been read: this is all
 */
struct arguments {
	struct flight_options flight;
	const char *config;
	bool has_config;
};

static const struct argp_option options[] = {
	{ "on", KEY_ON, "TRIGGER", 0,
	  "Take a window when this happens: `PATTERN [if EXPR] [count N] [every N]', `lost', `oops' and other conditions of the file `triggers'. May be given more than once; without it, windows are taken by hand",
	  0 },
	{ "before", KEY_BEFORE, "TIME", 0,
	  "What a window shows of the time before, such as 10s or 500ms; by default all that the buffers hold",
	  0 },
	{ "after", KEY_AFTER, "TIME", 0, "And of the time after; by default nothing", 0 },
	{ "output", 'o', "DIRECTORY", 0,
	  "Directory for windows (default: /var/lib/ltt/NAME)", 0 },
	{ "keep", KEY_KEEP, "N", 0,
	  "Windows to keep there; older ones are removed (default: 20)", 0 },
	{ "max-size", KEY_MAX_SIZE, "BYTES", 0,
	  "What these may have on disk; older ones are removed", 0 },
	{ "windows", KEY_WINDOWS, "N", 0,
	  "Windows that the kernel has memory for, until they are on disk (default: 2)", 2 },
	{ "stay", KEY_STAY, NULL, 0,
	  "At the end, leave the trace to the next ltt flight, instead of destroying it", 3 },
	{ "config", KEY_CONFIG, "FILE", 0,
	  "Read more options from FILE, a line `OPTION = VALUE' for each", 3 },
	{ "quiet", 'q', NULL, 0, "Say only what is wrong", 3 },
	{ }
};

static uint64_t number(const char *text, const char *suffixes, uint64_t max, const char *what,
		       const struct argp_state *state)
{
	uint64_t n;

	if (session_number(text, suffixes, &n) || !n || n > max)
		argp_error(state, "invalid %s: '%s'", what, text);
	return n;
}

/* As the kernel takes it: without a decimal point. */
static uint64_t duration(const char *text, const char *what, const struct argp_state *state)
{
	uint64_t ns;

	if (strchr(text, '.') || !duration_parse(text, &ns) || !ns || ns > LONGEST)
		argp_error(state, "invalid %s: '%s' is not a time from 1ns to 86400s, such as 10s or 500ms",
			   what, text);
	return ns;
}

static void add_trigger(struct flight_options *f, char *on, struct argp_state *state)
{
	if (!on[strspn(on, " \t")] || strchr(on, '\n'))
		argp_error(state, "invalid trigger: '%s'", on);
	f->on = reallocarray(f->on, f->nr_on + 1, sizeof(*f->on));
	if (!f->on)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", on);
	f->on[f->nr_on++] = on;
}

static void set_name(struct flight_options *f, const char *name, struct argp_state *state)
{
	if (f->name)
		argp_error(state, "extra argument '%s'", name);
	if (!*name || *name == '.' || strlen(name) >= FLIGHT_NAME_SIZE ||
	    name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")])
		argp_error(state, "invalid trace name: '%s'", name);
	f->name = name;
}

static void check(struct arguments *a, const struct argp_state *state)
{
	struct session_options *s = &a->flight.session;

	if (a->config && !a->has_config)
		return;
	if (!s->nr_patterns)
		argp_error(state, "nothing to record: use -e PATTERN");
	if (s->mode && strcmp(s->mode, "overwrite"))
		argp_error(state, "a flight recorder overwrites old events: --mode=%s is impossible",
			   s->mode);
	s->mode = "overwrite";
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct flight_options *f = &a->flight;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &f->session;
		return 0;
	case KEY_ON:
		add_trigger(f, arg, state);
		return 0;
	case KEY_BEFORE:
		f->before_ns = duration(arg, "--before", state);
		f->before = arg;
		return 0;
	case KEY_AFTER:
		f->after_ns = duration(arg, "--after", state);
		f->after = arg;
		return 0;
	case 'o':
		if (!*arg)
			argp_error(state, "empty output directory");
		f->dir = arg;
		return 0;
	case KEY_WINDOWS:
		number(arg, "", WINDOWS_MAX, "number of windows", state);
		f->windows = arg;
		return 0;
	case KEY_KEEP:
		f->keep = number(arg, "", UINT64_MAX, "number of windows to keep", state);
		return 0;
	case KEY_MAX_SIZE:
		f->max_size = number(arg, "KMGT", UINT64_MAX, "size", state);
		return 0;
	case KEY_STAY:
		f->stay = true;
		return 0;
	case KEY_CONFIG:
		/* The command line is parsed twice, a FILE may not name another one. */
		if (a->config && arg != a->config)
			argp_error(state, "only one --config");
		a->config = arg;
		return 0;
	case 'q':
		f->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		set_name(f, arg, state);
		return 0;
	case ARGP_KEY_END:
		check(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { .argp = &session_argp }, { } };
static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "-e PATTERN... [--on TRIGGER...] [NAME]\n--config FILE [NAME]",
	.doc = "Record into memory, and write what was recorded about some time to disk\n"
	       "whenever something happens.\vA trace NAME (by default `" DEFAULT_NAME "') is created. Each window of it, also one\n"
	       "that you take with `echo 1 > traces/NAME/snapshot', becomes a directory, for\n"
	       "`ltt view'. It ends at Ctrl-C or SIGTERM: windows that have been triggered\n"
	       "are waited for, and the trace is destroyed. If it is killed, or with --stay,\n"
	       "the trace goes on, and the next `ltt flight' of that name and directory\n"
	       "continues.",
	.children = children,
};

static void clear(struct flight_options *f)
{
	free(f->session.patterns);
	free(f->session.filters);
	free(f->on);
	*f = (struct flight_options) {
		.windows = DEFAULT_WINDOWS,
		.keep = DEFAULT_KEEP,
		.max_size = UINT64_MAX,
	};
}

/* The file's options come first, so those of the command line override them. */
static void parse_all(struct arguments *a, int argc, char **argv)
{
	const struct argp_option *const tables[] = { options, session_argp.options, NULL };
	char **args;
	int nr = 0;

	clear(&a->flight);
	argp_parse(&argp, argc, argv, 0, NULL, a);
	if (!a->config)
		return;
	a->has_config = true;
	args = malloc(sizeof(*args));
	if (!args)
		exit(EXIT_FAILURE);
	args[nr++] = argv[0];
	if (flight_config_load(a->config, tables, &args, &nr))
		exit(LTT_EXIT_USAGE);
	args = reallocarray(args, nr + argc, sizeof(*args));
	if (!args)
		exit(EXIT_FAILURE);
	memcpy(args + nr, argv + 1, argc * sizeof(*args));
	clear(&a->flight);
	argp_parse(&argp, nr + argc - 1, args, 0, NULL, a);
}

/**
 * ltt_cmd_flight() - ltt flight
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_flight(int argc, char **argv)
{
	struct arguments a = { };
	int ret;

	parse_all(&a, argc, argv);
	if (!a.flight.name)
		a.flight.name = DEFAULT_NAME;
	ret = control_open() ? EXIT_FAILURE : flight_record(&a.flight);
	clear(&a.flight);
	return ret;
}
