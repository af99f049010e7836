// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt pair: the time between two events.
 */
#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../capture/control.h"
#include "../pair/pair.h"
#include "../common/directory.h"
#include "duration.h"
#include "../capture/live.h"
#include "ltt.h"
#include "../common/printable.h"
#include "text_style.h"

/* Pairs that can be open, unless the user says otherwise. */
#define PAIRS_OPEN	100000

/* In it each value of a line can be found. */
#define LIVE_STYLE	"kv"

enum {
	KEY_OVER = 0x200,
	KEY_BY,
	KEY_EVERY,
	KEY_AGAIN,
	KEY_OPEN,
	KEY_STYLE,
};

/**
 * struct arguments - what the user asked for
 * @pair:	the pairs
 * @session:	what a trace of our own is like
 * @in:		the directories, if there are any
 * @trace:	name of an existing trace, or NULL
 * @command:	runs while a trace of our own records, or NULL
 * @operands:	BEGIN, END and directories
 * @nr:		how many
 */
struct arguments {
	struct pair_options pair;
	struct session_options session;
	struct directory_options in;
	const char *trace;
	char **command;
	char **operands;
	unsigned int nr;
};

static const struct argp_option options[] = {
	{ "key", 'k', "FIELDS", 0,
	  "What both events have in common: fields, `cpu', contexts with a $; BEGIN=END if the names differ",
	  0 },
	{ "over", KEY_OVER, "TIME", 0,
	  "Show the events of pairs that take longer: 20us, 5ms, 1.5s", 0 },
	{ "by", KEY_BY, "FIELDS", 0,
	  "Show the times for each value of these fields of BEGIN", 0 },
	{ "every", KEY_EVERY, "TIME", 0,
	  "Show the times of the last interval, again and again", 0 },
	{ "count", 'c', "N", 0, "End after N pairs; with --over, N that are shown", 0 },
	{ "again", KEY_AGAIN, "RULE", 0,
	  "If BEGIN comes twice with the same key, the `last' one counts (default), the `first', or they `nest'",
	  0 },
	{ "open", KEY_OPEN, "N", 0,
	  "Most pairs that can be open; the oldest one is dropped (default: 100000)", 0 },
	{ "trace", 't', "NAME", 0, "Watch an existing trace", 0 },
	{ "begin", 'b', "TIME", 0, "DIR: read events from TIME on", 3 },
	{ "end", 'e', "TIME", 0, "DIR: read events up to TIME", 3 },
	{ "style", KEY_STYLE, "STYLE", 0, "DIR: style of the events that are shown", 3 },
	{ "wall", 'w', NULL, 0, "DIR: times are seconds since 1970", 3 },
	{ }
};

static const char doc[] =
	"Show the time between two events, as a histogram of powers of two.\vBEGIN and END are CHANNEL.MARKER with the wildcards * and ?. An event that\n"
	"matches END ends the pair which the last event that matches BEGIN with the\n"
	"same key has begun. With directories, recorded traces are read. Without, a\n"
	"trace is created, and destroyed when COMMAND exits, or at Ctrl-C.";

static uint64_t parse_count(const char *text, const char *what, const struct argp_state *state)
{
	uint64_t n;

	if (session_number(text, "", &n) || !n)
		argp_error(state, "invalid %s: '%s'", what, text);
	return n;
}

static void parse_names(struct pair_names *names, const char *text, bool both,
			const struct argp_state *state)
{
	int err;

	pair_names_free(names);
	err = pair_names_parse(names, text, both);
	if (err == -EINVAL)
		argp_error(state, "invalid fields: '%s', expected names with commas between", text);
	if (err)
		argp_failure(state, EXIT_FAILURE, -err, "%s", text);
}

static enum pair_again parse_again(const char *text, const struct argp_state *state)
{
	static const char *const rules[] = {
		[PAIR_AGAIN_LAST] = "last", [PAIR_AGAIN_FIRST] = "first", [PAIR_AGAIN_NEST] = "nest",
	};
	unsigned int i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (!strcmp(text, rules[i]))
			return i;
	}
	argp_error(state, "invalid rule: '%s', expected last, first or nest", text);
	return PAIR_AGAIN_LAST;
}

static void check_directories(struct arguments *a, const struct argp_state *state)
{
	unsigned int i;

	if (a->session.size || a->session.number || a->session.mode || a->session.timer ||
	    a->session.contexts || a->session.budget || a->session.per_channel)
		argp_error(state, "recorded traces cannot be recorded in another way");
	for (i = 0; i < a->session.nr_filters; i++) {
		if (!strchr(a->session.filters[i], ':'))
			argp_error(state, "%s: expected PATTERN: EXPR",
				   printable(a->session.filters[i]) ?: "filter");
	}
	if (a->in.begin > a->in.end)
		argp_error(state, "--begin is after --end");
	if (a->command)
		argp_error(state, "a command and recorded traces cannot be used together");
	if (a->trace)
		argp_error(state, "-t (an existing trace) and directories cannot be used together");
}

static void check(struct arguments *a, const struct argp_state *state)
{
	if (a->nr < 2)
		argp_error(state, "expected the patterns BEGIN and END");
	directory_pattern(a->operands[0], state);
	directory_pattern(a->operands[1], state);
	a->pair.begin = a->operands[0];
	a->pair.end = a->operands[1];
	a->in.dirs = a->operands + 2;
	a->in.nr_dirs = a->nr - 2;
	if (a->in.nr_dirs) {
		check_directories(a, state);
		return;
	}
	if (a->in.style || a->in.flags || a->in.begin || a->in.end != UINT64_MAX)
		argp_error(state, "--begin, --end, --style and --wall are for recorded traces");
	if (a->trace && session_has_parameters(&a->session))
		argp_error(state, "cannot change the parameters of the existing trace '%s'",
			   a->trace);
	if (a->trace && a->command)
		argp_error(state, "a command and -t cannot be used together");
}

static error_t parse_directory(int key, char *arg, struct directory_options *in,
			       struct argp_state *state)
{
	switch (key) {
	case 'b':
		if (!directory_time(arg, &in->begin))
			argp_error(state, "invalid time: '%s'", arg);
		return 0;
	case 'e':
		if (!directory_time(arg, &in->end))
			argp_error(state, "invalid time: '%s'", arg);
		return 0;
	case KEY_STYLE:
		text_style_help(arg, false);
		text_style_check(arg, state);
		/* Our own lines among them are none. */
		if (!strcmp(arg, "json"))
			argp_error(state, "pairs cannot be shown in style json");
		in->style = arg;
		return 0;
	case 'w':
		in->flags |= LIBLTT_WALL;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->session;
		return 0;
	case 'k':
		parse_names(&a->pair.key, arg, true, state);
		return 0;
	case KEY_OVER:
		a->pair.show = true;
		if (!duration_parse(arg, &a->pair.over))
			argp_error(state, "invalid time: '%s', expected a number with ns, us, ms or s",
				   arg);
		return 0;
	case KEY_BY:
		parse_names(&a->pair.by, arg, false, state);
		return 0;
	case KEY_EVERY:
		if (!duration_parse(arg, &a->pair.every) || a->pair.every < 1000000)
			argp_error(state, "invalid interval: '%s', expected a number with ms or s, 1ms at least",
				   arg);
		return 0;
	case 'c':
		a->pair.count = parse_count(arg, "number of pairs", state);
		return 0;
	case KEY_AGAIN:
		a->pair.again = parse_again(arg, state);
		return 0;
	case KEY_OPEN:
		a->pair.open_max = parse_count(arg, "number of open pairs", state);
		return 0;
	case 't':
		if (!*arg)
			argp_error(state, "empty trace name");
		a->trace = arg;
		return 0;
	case ARGP_KEY_ARGS:
		a->operands = state->argv + state->next;
		a->nr = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		check(a, state);
		return 0;
	default:
		return parse_directory(key, arg, &a->in, state);
	}
}

static int pair_directories(struct arguments *a, struct pair *pair)
{
	a->in.patterns = a->operands;
	a->in.nr_patterns = 2;
	a->in.filters = a->session.filters;
	a->in.nr_filters = a->session.nr_filters;
	return pair_recorded(pair, &a->in);
}

/* Is it one of the words? */
static bool has_word(const char *words, const char *word)
{
	size_t len;

	for (; *words; words += len) {
		words += strspn(words, ", \t\n");
		len = strcspn(words, ", \t\n");
		if (len == strlen(word) && !strncmp(words, word, len))
			return true;
	}
	return false;
}

/* Add contexts that are needed to those that the user asked for, which are allocated. */
static char *add_contexts(char *contexts, char *const *names, unsigned int nr)
{
	unsigned int i;
	char *more;

	for (i = 0; i < nr; i++) {
		if (*names[i] != '$' || !strcmp(names[i], "$cpu") ||
		    has_word(contexts, names[i] + 1))
			continue;
		if (asprintf(&more, "%s%s%s", contexts, *contexts ? "," : "", names[i] + 1) < 0)
			error(EXIT_FAILURE, ENOMEM, "contexts");
		free(contexts);
		contexts = more;
	}
	return contexts;
}

static int follow(struct arguments *a, struct live *live)
{
	int fd;

	if (control_check_trace(a->trace))
		return EXIT_FAILURE;
	snprintf(live->name, sizeof(live->name), "%s", a->trace);
	fd = live_open_style(live->name, LIVE_STYLE);
	if (fd < 0)
		return EXIT_FAILURE;
	return live_follow(live, fd);
}

static int run(struct arguments *a, struct live *live)
{
	char *wanted = strdup(a->session.contexts ?: "");
	int status;

	if (!wanted)
		error(EXIT_FAILURE, ENOMEM, "contexts");
	wanted = add_contexts(wanted, a->pair.key.begin, a->pair.key.nr);
	wanted = add_contexts(wanted, a->pair.key.end, a->pair.key.nr);
	wanted = add_contexts(wanted, a->pair.by.begin, a->pair.by.nr);
	a->session.patterns = a->operands;
	a->session.nr_patterns = 2;
	if (*wanted)
		a->session.contexts = wanted;
	live->prefix = "pair";
	live->session = &a->session;
	live->style = LIVE_STYLE;
	live->command = a->command;
	status = live_run(live);
	free(wanted);
	return status;
}

static int pair_live(struct arguments *a, struct pair *pair)
{
	struct live live = {
		.prepare = pair_text_prepare,
		.read = pair_text_read,
		.wait = pair_text_wait,
	};
	int status;

	if (control_open())
		return EXIT_FAILURE;
	live.data = pair_text_create(pair);
	if (!live.data)
		return EXIT_FAILURE;
	status = a->trace ? follow(a, &live) : run(a, &live);
	/* The trace is gone: if nobody reads the summary, nothing is left behind. */
	signal(SIGPIPE, SIG_DFL);
	if (pair->counts.begins || pair->counts.ends || status == EXIT_SUCCESS)
		pair_summary(pair);
	pair_text_free(live.data);
	return status;
}

/* What stands after "--" is a command; NULL: there is none. */
static char **split_command(int *argc, char **argv)
{
	int i;

	for (i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		*argc = i;
		argv[i] = NULL;
		return argv + i + 1;
	}
	return NULL;
}

/**
 * ltt_cmd_pair() - ltt pair
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_pair(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &session_parameters_argp }, { } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "BEGIN END [-- COMMAND [ARGUMENT...]]\nBEGIN END -t NAME\nBEGIN END DIR...",
		.doc = doc,
		.children = children,
	};
	struct arguments a = {
		.pair.open_max = PAIRS_OPEN,
		.in = { .command = argv[0], .end = UINT64_MAX },
	};
	struct pair pair;
	int status;

	a.command = split_command(&argc, argv);
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (a.command && !*a.command)
		errx(LTT_EXIT_USAGE, "missing command after --");
	pair_init(&pair, &a.pair);
	status = a.in.nr_dirs ? pair_directories(&a, &pair) : pair_live(&a, &pair);
	pair_free(&pair);
	pair_names_free(&a.pair.key);
	pair_names_free(&a.pair.by);
	free(a.session.filters);
	return status;
}
