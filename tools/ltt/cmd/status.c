// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt status: the traces of this kernel.
 */

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../capture/control.h"
#include "ltt.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **name = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*name)
		argp_error(state, "extra argument '%s': only one trace at a time", arg);
	*name = arg;
	return 0;
}

/* A file of one line: the line, to be freed; "-" if there is none. */
static char *value(const char *trace, const char *channel, const char *file)
{
	char *text;

	if (channel)
		text = control_read("traces/%s/channels/%s/%s", trace, channel, file);
	else
		text = control_read("traces/%s/%s", trace, file);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text ?: strdup("-");
}

/*
 * Says what cannot be read, a file of a trace.
 * Return: 0: it has gone, or is going, with its trace; or a negative errno.
 */
__attribute__((format(printf, 2, 3)))
static int unreadable(int error_number, const char *format, ...)
{
	char path[256];
	va_list args;

	if (error_number == ENOENT || error_number == EIO || error_number == ENODEV)
		return 0;
	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	error(0, error_number, "traces/%s", path);
	return -error_number;
}

/* "-" if it is not known. @ret: as of unreadable(), if it is not. */
static const char *state_of(const char *trace, int *ret)
{
	char *enabled = control_read("traces/%s/enabled", trace);
	const char *state = "-";
	int error_number = errno;

	if (enabled)
		state = *enabled == '1' ? "started" : "stopped";
	else
		*ret = unreadable(error_number, "%s/enabled", trace) ?: *ret;
	free(enabled);
	return state;
}

/**
 * struct trace_sum - what is known of a trace
 * @name:	the trace
 * @stats:	of all its channels
 * @channels:	that have buffers
 * @buffers:	bytes of buffers
 * @ret:	0, or a negative errno: something is missing, which has been said
 */
struct trace_sum {
	const char *name;
	struct control_stats stats;
	unsigned int channels;
	uint64_t buffers;
	int ret;
};

/* Size of a channel's buffers, of all CPUs. */
static uint64_t buffer_bytes(const char *trace, const char *channel, unsigned int buffers)
{
	char *size = value(trace, channel, "subbuf_size");
	char *num = value(trace, channel, "subbuf_num");
	uint64_t bytes = 0;

	if (size && num)
		bytes = strtoull(size, NULL, 10) * strtoull(num, NULL, 10) * buffers;
	free(size);
	free(num);
	return bytes;
}

static int add_channel(const char *channel, void *data)
{
	struct trace_sum *sum = data;
	struct control_stats stats;
	int ret = control_stats(sum->name, channel, &stats);

	if (ret)
		sum->ret = unreadable(-ret, "%s/channels/%s/stats", sum->name, channel) ?: sum->ret;
	/* That of the shared buffers only stands for others. */
	sum->channels += stats.shared || (stats.buffers && strcmp(channel, "shared"));
	if (!stats.buffers)
		return 0;
	sum->buffers += buffer_bytes(sum->name, channel, stats.buffers);
	sum->stats.events += stats.events;
	sum->stats.lost += stats.lost;
	sum->stats.overwritten += stats.overwritten;
	sum->stats.bytes += stats.bytes;
	return 0;
}

static int show_trace(const char *name, void *failed)
{
	struct trace_sum sum = { .name = name };
	char path[128], *budget;
	const char *state;
	int ret;

	snprintf(path, sizeof(path), "traces/%s/channels", name);
	ret = control_each(path, add_channel, &sum);
	/* It may be destroyed while we look. */
	if (ret == -ENOENT)
		return 0;
	if (ret)
		sum.ret = unreadable(-ret, "%s/channels", name) ?: sum.ret;
	state = state_of(name, &sum.ret);
	if (sum.ret)
		*(int *)failed = sum.ret;
	budget = value(name, NULL, "budget");
	printf("%s\t%s\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
	       name, state, sum.channels, sum.stats.events,
	       sum.stats.lost, sum.stats.overwritten, sum.stats.bytes, sum.buffers,
	       budget ?: "-");
	free(budget);
	return 0;
}

static int show_channel(const char *channel, void *data)
{
	static const char *const files[] = {
		"mode", "subbuf_size", "subbuf_num", "switch_timer",
	};
	struct trace_sum *sum = data;
	const char *trace = sum->name;
	struct control_stats stats;
	char *enable, *text;
	size_t i;
	int ret;

	ret = control_stats(trace, channel, &stats);
	if (ret)
		sum->ret = unreadable(-ret, "%s/channels/%s/stats", trace, channel) ?: sum->ret;
	if (!stats.buffers && !stats.shared)
		return 0;
	enable = value(trace, channel, "enable");
	printf("%s\t%s", channel, enable && !strcmp(enable, "0") ? "off" : "on");
	free(enable);
	if (stats.shared) {
		printf("\tshared\t-\t-\t-\t-\t%" PRIu64 "\t%" PRIu64 "\t-\t-\n", stats.events,
		       stats.lost);
		return 0;
	}
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		text = value(trace, channel, files[i]);
		printf("\t%s", text ?: "-");
		free(text);
	}
	printf("\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", stats.buffers,
	       stats.events, stats.lost, stats.overwritten, stats.bytes);
	return 0;
}

/* Patterns, and how many markers they select at present. */
static void show_markers(const char *trace)
{
	char *text = control_read("traces/%s/markers", trace);
	char *line, *next;
	unsigned int on = 0;

	for (line = text; line && *line; line = next) {
		next = control_cut_line(line);
		if (!strncmp(line, "# pattern ", 10))
			printf("pattern\t%s\n", line + 10);
		on += *line == '+';
	}
	free(text);
	printf("markers\t%u\n", on);
}

/* "BYTES" and, below it, "# BYTES taken". */
static void show_budget(const char *trace)
{
	char *text = control_read("traces/%s/budget", trace);
	uint64_t budget, taken;

	if (text && sscanf(text, "%" SCNu64 " # %" SCNu64 " taken", &budget, &taken) == 2)
		printf("budget\t%" PRIu64 "\ntaken\t%" PRIu64 "\n", budget, taken);
	free(text);
}

static int show_details(char *name)
{
	struct trace_sum sum = { .name = name };
	char path[128];
	int ret;

	printf("trace\t%s\n", name);
	printf("state\t%s\n", state_of(name, &sum.ret));
	show_budget(name);
	show_markers(name);
	puts("# channel\tstate\tmode\tsubbuf_size\tsubbuf_num\tswitch_timer\tcpus\tevents\tlost\toverwritten\tbytes");
	snprintf(path, sizeof(path), "traces/%s/channels", name);
	ret = control_each(path, show_channel, &sum);
	if (ret)
		error(0, -ret, "%s", path);
	return ret ?: sum.ret;
}

/**
 * ltt_cmd_status() - ltt status
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_status(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[NAME]",
		.doc = "Show all traces, one per line, or one of them in detail.\vFields are separated by tabs. Sizes are in bytes. Events and losses are\n"
		       "counted from the creation of the trace.",
	};
	char *name = NULL;
	int failed = 0;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &name);
	ret = control_open();
	if (!ret && name) {
		ret = control_check_trace(name) ?: show_details(name);
	} else if (!ret) {
		puts("# trace\tstate\tchannels\tevents\tlost\toverwritten\tbytes\tbuffers\tbudget");
		ret = control_each("traces", show_trace, &failed);
		if (ret)
			error(0, -ret, "traces");
		ret = ret ?: failed;
	}
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
