// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt plan: the memory that a trace would take.
 *
 * The kernel counts the same: see kernel/trace/ltt-core/trace/budget.c.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../capture/control.h"
#include "../capture/session.h"
#include "ltt.h"

enum {
	KEY_CPUS = 0x200,
};

/* More than any kernel has. */
#define CPUS_MAX	1000000

struct arguments {
	struct session_options session;
	unsigned long cpus;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->session;
		return 0;
	case KEY_CPUS:
		a->cpus = strtoul(arg, &end, 10);
		if (*arg < '0' || *arg > '9' || *end || !a->cpus || a->cpus > CPUS_MAX)
			argp_error(state, "invalid number of CPUs: '%s'", arg);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "extra argument '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->session.nr_patterns)
			argp_error(state, "missing pattern (-e)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Bytes in a line "NAME: N kB" of /proc/meminfo; 0 if there is none. */
static uint64_t memory(const char *name)
{
	size_t len = strlen(name);
	uint64_t kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, len) && line[len] == ':') {
			kib = strtoull(line + len + 1, NULL, 10);
			break;
		}
	}
	if (f)
		fclose(f);
	return kib << 10;
}

/* Names of channels that the patterns select a marker of, each behind a blank. */
static char *wanted_channels(const struct session_options *o)
{
	char *text = control_read("markers"), *line, *next, *list = NULL;
	char last[256] = "", state[16];
	size_t size, len;
	FILE *f;

	if (!text) {
		warn("markers");
		return NULL;
	}
	f = open_memstream(&list, &size);
	if (!f)
		err(EXIT_FAILURE, "markers");
	for (line = text; *line; line = next) {
		next = control_cut_line(line);
		/* CHANNEL.MARKER, module, state */
		if (*line == '#' || sscanf(line, "%*s\t%*[^\t]\t%15s", state) != 1 ||
		    !strcmp(state, "gone") || !strcmp(state, "refused"))
			continue;
		line[strcspn(line, "\t")] = '\0';
		len = strcspn(line, ".");
		if (len >= sizeof(last) || !session_wants(o, line))
			continue;
		/* The markers of a channel are adjacent. */
		if (strncmp(last, line, len) || last[len]) {
			snprintf(last, sizeof(last), "%.*s", (int)len, line);
			fprintf(f, " %s", last);
		}
	}
	free(text);
	fputc(' ', f);
	if (fclose(f))
		err(EXIT_FAILURE, "markers");
	return list;
}

/**
 * struct plan - what a trace would take
 * @channels:	that it records
 * @bytes:	on each CPU
 */
struct plan {
	unsigned int channels;
	uint64_t bytes;
};

#define SHARED	"shared"

/* Does a line of the file channels say that the channel shares its buffers? */
static bool shares(const char *line, const struct session_options *o)
{
	const char *last = strrchr(line, '\t');

	return !o->per_channel && last && !strcmp(last + 1, SHARED);
}

/* Does it have the buffers that channels share? */
static bool is_shared(const char *line)
{
	return !strncmp(line, SHARED "\t", strlen(SHARED "\t"));
}

static int too_much(void)
{
	warnx("the buffers would take more than %" PRIu64 " bytes", UINT64_MAX);
	return -EOVERFLOW;
}

/* Print a line of the file channels that is wanted, with the options' parameters, and add it. */
static int add_channel(struct plan *plan, const char *line, const struct session_options *o)
{
	char name[128], mode[16], timer[16];
	uint64_t size, number, page = sysconf(_SC_PAGESIZE), bytes;

	if (sscanf(line, "%127[^\t]\t%15[^\t]\t%" SCNu64 "\t%" SCNu64 "\t%15s", name, mode,
		   &size, &number, timer) != 5) {
		warnx("channels: unexpected line '%s'", line);
		return -EINVAL;
	}
	if ((o->size && session_number(o->size, "KM", &size)) ||
	    (o->number && session_number(o->number, "KM", &number)))
		return -EINVAL;
	if (__builtin_mul_overflow(size > page ? size : page, number, &bytes) ||
	    __builtin_add_overflow(plan->bytes, bytes, &plan->bytes))
		return too_much();
	printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%" PRIu64 "\n", name, o->mode ?: mode, size,
	       number, o->timer ?: timer, bytes);
	return 0;
}

/* Is it the first word of the line, and one of the list? */
static bool is_listed(const char *list, const char *line)
{
	char word[130];

	snprintf(word, sizeof(word), " %.*s ", (int)strcspn(line, "\t"), line);
	return strstr(list, word);
}

static int add_channels(struct plan *plan, const struct session_options *o)
{
	char *list = wanted_channels(o), *text, *line, *next, *shared = NULL;
	bool listed, any_shares = false;
	int ret = 0;

	if (!list)
		return -errno;
	text = control_read("channels");
	if (!text) {
		ret = -errno;
		warn("channels");
		goto out;
	}
	puts("# channel\tmode\tsubbuf_size\tsubbuf_num\tswitch_timer\tbytes");
	for (line = text; !ret && *line; line = next) {
		next = control_cut_line(line);
		listed = *line != '#' && is_listed(list, line);
		if (is_shared(line) && !o->per_channel) {
			shared = line;
			any_shares |= listed;
		} else if (listed && shares(line, o)) {
			any_shares = true;
			plan->channels++;
		} else if (listed) {
			ret = add_channel(plan, line, o);
			plan->channels++;
		}
	}
	if (!ret && any_shares && shared)
		ret = add_channel(plan, shared, o);
	free(text);
	if (!ret && !plan->channels) {
		warnx("no marker matches");
		ret = -ENOENT;
	}
out:
	free(list);
	return ret;
}

/* Return: 0 if there is room for it. */
static int conclude(const struct plan *plan, const struct arguments *a)
{
	uint64_t bytes, budget = memory("MemTotal") / 8;
	const char *wish = a->session.budget;

	if (wish && strcmp(wish, "default") && session_number(wish, "KMGT", &budget))
		return -EINVAL;
	if (__builtin_mul_overflow(plan->bytes, a->cpus, &bytes))
		return too_much();
	printf("channels\t%u\ncpus\t%lu\nbytes\t%" PRIu64 "\n", plan->channels, a->cpus, bytes);
	printf("budget\t%" PRIu64 "\navailable\t%" PRIu64 "\n", budget, memory("MemAvailable"));
	if (bytes <= budget)
		return 0;
	warnx("%" PRIu64 " KiB are more than the budget of %" PRIu64 " KiB: select fewer channels, or see --number and --budget",
	      bytes / 1024 + !!(bytes % 1024), budget >> 10);
	return -EDQUOT;
}

/**
 * ltt_cmd_plan() - ltt plan
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_plan(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "cpus", KEY_CPUS, "N", 0,
		  "For a machine with N CPUs; by default those that are online", 0 },
		{ }
	};
	static const struct argp_child children[] = { { .argp = &session_argp }, { } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "-e PATTERN...",
		.doc = "Show the memory that the buffers of a trace would take, without creating it.\vThe options are those of `ltt create'. Sizes are in bytes, those of channels\n"
		       "on one CPU. The exit status is 1 if it is more than the budget.",
		.children = children,
	};
	struct arguments a = { .cpus = sysconf(_SC_NPROCESSORS_ONLN) };
	struct plan plan = { };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	ret = control_open() ?: add_channels(&plan, &a.session) ?: conclude(&plan, &a);
	free(a.session.patterns);
	free(a.session.filters);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
