// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: making a trace.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/ltt/packet.h>

#include "control.h"
#include "session.h"

/* Bytes of the metadata that the UUID is in. */
#define PREAMBLE_MAX	(32 << 10)

enum {
	KEY_SIZE = 0x100,
	KEY_NUMBER,
	KEY_MODE,
	KEY_TIMER,
	KEY_CONTEXT,
	KEY_BUDGET,
	KEY_PER_CHANNEL,
	KEY_FILTER,
};

static const struct argp_option options[] = {
	/* The first, see session_parameters_argp. */
	{ "event", 'e', "PATTERN", 0,
	  "Record markers that match PATTERN, CHANNEL.MARKER with * and ?; !PATTERN excludes them. The last match decides. May be given more than once",
	  1 },
	{ "filter", KEY_FILTER, "PATTERN: EXPR", 0,
	  "Record only events of these markers for which EXPR is true. May be given more than once",
	  1 },
	{ "size", KEY_SIZE, "BYTES", 0,
	  "Size of sub-buffers, a power of two from 4K to 4M", 2 },
	{ "number", KEY_NUMBER, "N", 0,
	  "Number of sub-buffers per CPU, a power of two from 2 to 65536", 2 },
	{ "mode", KEY_MODE, "MODE", 0,
	  "`discard' new events when a buffer is full, or `overwrite' old ones", 2 },
	{ "switch-timer", KEY_TIMER, "MS", 0,
	  "Complete sub-buffers after this many milliseconds, an hour at most; 0: only when full",
	  2 },
	{ "context", KEY_CONTEXT, "NAMES", 0,
	  "Record these with every event, separated by commas: tid, comm, kstack, ...; the file `contexts' lists them",
	  2 },
	{ "per-channel", KEY_PER_CHANNEL, NULL, 0,
	  "Give each channel buffers of its own; by default channels share them", 2 },
	{ "budget", KEY_BUDGET, "BYTES", 0,
	  "Memory that its buffers may take; by default an eighth of the machine's", 2 },
	{ }
};

/**
 * session_number() - read a number as the kernel does
 * @text:	decimal digits, then perhaps one of the suffixes
 * @suffixes:	the beginning of KMGT, for 2^10 to 2^40
 * @value:	returns it
 *
 * Return: 0; -EINVAL: that is no number, or it does not fit.
 */
int session_number(const char *text, const char *suffixes, uint64_t *value)
{
	const char *suffix;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno)
		return -EINVAL;
	if (!*end)
		return 0;
	suffix = strchr(suffixes, *end);
	if (!suffix || end[1] ||
	    __builtin_mul_overflow(*value, 1ull << (10 * (suffix - suffixes + 1)), value))
		return -EINVAL;
	return 0;
}

static bool is_power(const char *text, uint64_t min, uint64_t max)
{
	uint64_t n;

	return !session_number(text, "KM", &n) && n >= min && n <= max && !(n & (n - 1));
}

/* What the kernel would refuse, once a trace is there. ltt plan makes none. */
static void check(int key, const char *arg, const struct argp_state *state)
{
	uint64_t n;

	switch (key) {
	case KEY_SIZE:
		if (!is_power(arg, 1u << LTT_SUBBUF_ORDER_MIN, 1u << LTT_SUBBUF_ORDER_MAX))
			argp_error(state, "invalid size: '%s' is not a power of two from %uK to %uM",
				   arg, 1u << (LTT_SUBBUF_ORDER_MIN - 10),
				   1u << (LTT_SUBBUF_ORDER_MAX - 20));
		return;
	case KEY_NUMBER:
		if (!is_power(arg, LTT_SUBBUF_NUM_MIN, LTT_SUBBUF_NUM_MAX))
			argp_error(state, "invalid number: '%s' is not a power of two from %u to %u",
				   arg, LTT_SUBBUF_NUM_MIN, LTT_SUBBUF_NUM_MAX);
		return;
	case KEY_MODE:
		if (strcmp(arg, "discard") && strcmp(arg, "overwrite"))
			argp_error(state, "invalid mode: '%s', expected discard or overwrite", arg);
		return;
	case KEY_TIMER:
		if (session_number(arg, "KM", &n) || n > SESSION_TIMER_MAX)
			argp_error(state, "invalid switch timer: '%s' is not from 0 to %u ms", arg,
				   SESSION_TIMER_MAX);
		return;
	case KEY_BUDGET:
		if (strcmp(arg, "default") && session_number(arg, "KMGT", &n))
			argp_error(state, "invalid budget: '%s'", arg);
		return;
	}
}

static void add_word(char ***words, unsigned int *nr, char *word, struct argp_state *state)
{
	*words = reallocarray(*words, *nr + 1, sizeof(**words));
	if (!*words)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", word);
	(*words)[(*nr)++] = word;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct session_options *o = state->input;

	/* The kernel would not even see it, nor blanks before something. */
	if (key != ARGP_KEY_ARG && arg) {
		arg += strspn(arg, " \t\n");
		if (!*arg)
			argp_error(state, "empty argument");
		check(key, arg, state);
	}
	switch (key) {
	case 'e':
		add_word(&o->patterns, &o->nr_patterns, arg, state);
		return 0;
	case KEY_FILTER:
		add_word(&o->filters, &o->nr_filters, arg, state);
		return 0;
	case KEY_SIZE:
		o->size = arg;
		return 0;
	case KEY_NUMBER:
		o->number = arg;
		return 0;
	case KEY_MODE:
		o->mode = arg;
		return 0;
	case KEY_TIMER:
		o->timer = arg;
		return 0;
	case KEY_CONTEXT:
		o->contexts = arg;
		return 0;
	case KEY_BUDGET:
		o->budget = arg;
		return 0;
	case KEY_PER_CHANNEL:
		o->per_channel = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp session_argp = {
	.options = options,
	.parser = parse,
};

const struct argp session_parameters_argp = {
	.options = options + 1,
	.parser = parse,
};

/**
 * session_has_parameters() - do the options say how to record?
 * @o:		the options
 *
 * That is for new traces only.
 *
 * Return: whether any of them but a pattern was given.
 */
bool session_has_parameters(const struct session_options *o)
{
	return o->size || o->number || o->mode || o->timer || o->contexts || o->budget ||
	       o->per_channel || o->nr_filters;
}

/**
 * session_own_name() - a name for a trace of our own
 * @name:	the name
 * @size:	bytes at @name
 * @prefix:	how it begins
 *
 * Two processes never get the same one; what a killed one of our number left behind
 * is avoided.
 */
void session_own_name(char *name, size_t size, const char *prefix)
{
	char path[128];
	unsigned int i;

	snprintf(name, size, "%s-%d", prefix, getpid());
	for (i = 2; ; i++) {
		snprintf(path, sizeof(path), "traces/%s", name);
		if (faccessat(control_fd(), path, F_OK, 0))
			return;
		snprintf(name, size, "%s-%d-%u", prefix, getpid(), i);
	}
}

/* Does the pattern, a word without its !, match markers of the channel? */
static bool word_wants(const char *word, const char *channel)
{
	size_t len = strcspn(word, ".");
	char glob[LTT_REQUEST_MAX];

	snprintf(glob, sizeof(glob), "%.*s", (int)len, word);
	return !fnmatch(glob, channel, 0);
}

static bool pattern_wants(const char *pattern, const char *channel)
{
	char words[LTT_REQUEST_MAX], *word, *rest;

	snprintf(words, sizeof(words), "%s", pattern);
	for (word = strtok_r(words, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest)) {
		if (*word != '!' && word_wants(word, channel))
			return true;
	}
	return false;
}

/**
 * session_wants() - do the patterns select a marker?
 * @o:		the options
 * @marker:	CHANNEL.MARKER
 *
 * As in the kernel, the last pattern that matches decides. Names have neither brackets nor
 * backslashes, so fnmatch() matches as the kernel does.
 */
bool session_wants(const struct session_options *o, const char *marker)
{
	char words[LTT_REQUEST_MAX], *word, *rest;
	bool wanted = false;
	unsigned int i;

	for (i = 0; i < o->nr_patterns; i++) {
		snprintf(words, sizeof(words), "%s", o->patterns[i]);
		for (word = strtok_r(words, " \t\n", &rest); word;
		     word = strtok_r(NULL, " \t\n", &rest)) {
			if (!fnmatch(word + (*word == '!'), marker, 0))
				wanted = *word != '!';
		}
	}
	return wanted;
}

struct create {
	const char *name;
	const struct session_options *options;
};

static int set(const char *value, const char *name, const char *channel, const char *file)
{
	return value ? control_write(value, "traces/%s/channels/%s/%s", name, channel, file) : 0;
}

/* Is it recorded in the buffers of all channels? */
static bool is_shared(const char *name, const char *channel)
{
	char *buffers = control_read("traces/%s/channels/%s/buffers", name, channel);
	bool shared = buffers && !strcmp(buffers, "shared\n");

	free(buffers);
	return shared;
}

/* Do the options say anything about buffers of its own? */
static bool is_meant(const char *channel, const struct create *create)
{
	const struct session_options *o = create->options;
	unsigned int i;

	if (!strcmp(channel, "shared"))
		return !o->per_channel;
	for (i = 0; i < o->nr_patterns; i++) {
		if (pattern_wants(o->patterns[i], channel))
			return o->per_channel || !is_shared(create->name, channel);
	}
	return false;
}

static int describe(const char *channel, void *data)
{
	const struct create *create = data;
	const struct session_options *o = create->options;
	int ret;

	if (!is_meant(channel, create))
		return 0;
	ret = set(o->size, create->name, channel, "subbuf_size") ?:
	      set(o->number, create->name, channel, "subbuf_num") ?:
	      set(o->mode, create->name, channel, "mode") ?:
	      set(o->timer, create->name, channel, "switch_timer") ?:
	      set(o->contexts, create->name, channel, "contexts");
	return ret;
}

static int check_lengths(const struct session_options *o)
{
	unsigned int i;

	for (i = 0; i < o->nr_patterns; i++) {
		if (strlen(o->patterns[i]) >= LTT_REQUEST_MAX) {
			warnx("pattern too long");
			return -E2BIG;
		}
	}
	return 0;
}

/**
 * session_configure() - say what a new trace is to record, and how
 * @name:	its name
 * @o:		the options
 *
 * Sizes and contexts are for the shared buffers, and for channels that are known now and have
 * their own; such a channel that comes later, with a module, has its own sizes. Says what is
 * wrong; then the trace is destroyed.
 *
 * Return: 0, or a negative errno.
 */
int session_configure(const char *name, const struct session_options *o)
{
	struct create create = { .name = name, .options = o };
	char channels[128];
	unsigned int i;
	int ret = check_lengths(o);

	if (!ret && !o->per_channel)
		ret = control_write("shared", "traces/%s/buffers", name);
	if (!ret && (o->size || o->number || o->mode || o->timer || o->contexts)) {
		snprintf(channels, sizeof(channels), "traces/%s/channels", name);
		ret = control_each(channels, describe, &create);
	}
	if (!ret && o->budget)
		ret = control_write(o->budget, "traces/%s/budget", name);
	/* First of all: nothing is to be recorded that they reject. */
	for (i = 0; !ret && i < o->nr_filters; i++)
		ret = control_write(o->filters[i], "traces/%s/filters", name);
	for (i = 0; !ret && i < o->nr_patterns; i++)
		ret = control_write(o->patterns[i], "traces/%s/markers", name);
	if (ret)
		session_destroy(name);
	return ret;
}

/**
 * session_create() - make a trace
 * @name:	its name
 * @o:		what it is to record, and how, see session_configure()
 *
 * It is not started. Says what is wrong; then there is no trace.
 *
 * Return: 0, or a negative errno.
 */
int session_create(const char *name, const struct session_options *o)
{
	return check_lengths(o) ?: control_write(name, "setup_trace") ?: session_configure(name, o);
}

/**
 * session_uuid() - what tells a trace from all others, of the same name or not
 * @name:	its name
 * @uuid:	returns it
 *
 * Return: 0, or a negative errno; -ENOENT: there is no such trace.
 */
int session_uuid(const char *name, char uuid[SESSION_UUID_SIZE])
{
	char path[128], text[PREAMBLE_MAX], *at = NULL;
	size_t len = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "traces/%s/binary/metadata", name);
	/* Its end would be waited for. */
	fd = openat(control_fd(), path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = read(fd, text + len, sizeof(text) - len - 1);
		if (n > 0)
			len += n;
		text[len] = '\0';
		at = strstr(text, "\tuuid = \"");
	} while (n > 0 && !at);
	close(fd);
	return at && sscanf(at, " uuid = \"%36[-0-9a-f]", uuid) == 1 &&
	       strlen(uuid) == SESSION_UUID_SIZE - 1 ? 0 : -EBADMSG;
}

/**
 * session_set_timer() - set a channel's switch timer, unless it has one
 * @name:	name of the trace
 * @channel:	the channel
 * @timer:	as the file takes it
 *
 * Return: 0, or a negative errno.
 */
int session_set_timer(const char *name, const char *channel, const char *timer)
{
	char *now = control_read("traces/%s/channels/%s/switch_timer", name, channel);
	bool set_already = now && strcmp(now, "0\n");

	free(now);
	return set_already ? 0 : set(timer, name, channel, "switch_timer");
}

/**
 * session_start() - start a trace
 * @name:	its name
 *
 * Return: 0, or a negative errno.
 */
int session_start(const char *name)
{
	return control_write("1", "traces/%s/enabled", name);
}

/**
 * session_stop() - stop a trace
 * @name:	its name
 *
 * Return: 0, or a negative errno.
 */
int session_stop(const char *name)
{
	return control_write("0", "traces/%s/enabled", name);
}

/**
 * session_destroy() - end a trace
 * @name:	its name
 *
 * Return: 0, or a negative errno.
 */
int session_destroy(const char *name)
{
	return control_write(name, "destroy_trace");
}

/**
 * session_is_left() - is the trace still there, though it was to end?
 * @ret:	what session_destroy() has returned
 *
 * Return: false if somebody else has destroyed it, or does that.
 */
bool session_is_left(int ret)
{
	return ret && ret != -ENOENT && ret != -ENODEV;
}
