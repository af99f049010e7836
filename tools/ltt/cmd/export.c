// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt export: recorded traces in the formats of other programs.
 */
#include <argp.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../export/export.h"
#include "../common/directory.h"
#include "ltt.h"
#include "../common/operands.h"
#include "../common/output.h"

enum {
	KEY_PERFETTO = 0x200,
	KEY_SLICE,
	KEY_COUNTER,
	KEY_MACHINE,
};

/**
 * struct arguments - what the user asked for
 * @export:	what, and how
 * @perfetto:	for Perfetto
 */
struct arguments {
	struct export_options export;
	bool perfetto;
};

static const struct argp_option options[] = {
	{ "perfetto", KEY_PERFETTO, NULL, 0, "For Perfetto (https://ui.perfetto.dev)", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE, which must not exist; by default to standard output",
	  0 },
	{ "slice", KEY_SLICE, "BEGIN=END[:FIELD]", 0,
	  "Show what is between two markers as slices, on a track for each value of FIELD or each thread; may be repeated",
	  0 },
	{ "counter", KEY_COUNTER, "MARKER:VALUE[,FIELD]", 0,
	  "Show the field VALUE of a marker as a counter, one for each value of FIELD; may be repeated",
	  0 },
	{ "machine", KEY_MACHINE, "NAME", 0,
	  "Architecture of the machine that recorded the trace, as `uname -m' says it; by default this one's",
	  0 },
	{ }
};

static const char doc[] =
	"Write recorded traces in the format of another program.\vPATTERN, BEGIN, END and MARKER are CHANNEL.MARKER with the wildcards * and\n"
	"?. FIELD is an integer, or cpu.";

/* Up to the character @end, which is overwritten. */
static char *cut(char *text, char end)
{
	char *p = strchr(text, end);

	if (!p)
		return NULL;
	*p = '\0';
	return p + 1;
}

static void add_slice(struct export_options *export, char *arg, const struct argp_state *state)
{
	struct export_slice slice = { .begin = arg };

	slice.key = cut(arg, ':');
	slice.end = cut(arg, '=');
	if (!slice.end || (slice.key && !*slice.key))
		argp_error(state, "--slice: expected BEGIN=END or BEGIN=END:FIELD");
	directory_pattern(slice.begin, state);
	directory_pattern(slice.end, state);
	export->slices = operands_more(export->slices, export->nr_slices, sizeof(slice), state);
	export->slices[export->nr_slices++] = slice;
}

static void add_counter(struct export_options *export, char *arg, const struct argp_state *state)
{
	struct export_counter counter = { .pattern = arg };
	char *field = cut(arg, ':');

	if (field)
		counter.key = cut(field, ',');
	if (!field || !*field || (counter.key && !*counter.key))
		argp_error(state, "--counter: expected MARKER:VALUE or MARKER:VALUE,FIELD");
	counter.field = field;
	directory_pattern(counter.pattern, state);
	export->counters = operands_more(export->counters, export->nr_counters, sizeof(counter),
					 state);
	export->counters[export->nr_counters++] = counter;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->export.in;
		return 0;
	case KEY_PERFETTO:
		a->perfetto = true;
		return 0;
	case 'o':
		a->export.output = arg;
		return 0;
	case KEY_SLICE:
		add_slice(&a->export, arg, state);
		return 0;
	case KEY_COUNTER:
		add_counter(&a->export, arg, state);
		return 0;
	case KEY_MACHINE:
		a->export.machine = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!a->perfetto)
			argp_error(state, "for which program? There is --perfetto");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int write_file(struct export_options *export)
{
	struct output output;
	enum export_result result;
	int err = output_open(&output, export->output);

	if (err)
		error(EXIT_FAILURE, -err, "%s", export->output);
	result = export_perfetto(export, output.fd);
	if (result == EXPORT_FAILED) {
		output_drop(&output);
		return EXIT_FAILURE;
	}
	err = output_keep(&output);
	if (err)
		error(0, -err, "%s", export->output);
	return err || result != EXPORT_ALL ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int write_output(struct export_options *export)
{
	if (export->output)
		return write_file(export);
	if (isatty(STDOUT_FILENO))
		error(EXIT_FAILURE, 0, "standard output is a terminal: use -o FILE");
	return export_perfetto(export, STDOUT_FILENO) == EXPORT_ALL ? EXIT_SUCCESS : EXIT_FAILURE;
}

/**
 * ltt_cmd_export() - the command
 * @argc:	number of words, its name included
 * @argv:	the words
 *
 * Return: the exit status: 1 if something could not be read or written.
 */
int ltt_cmd_export(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &directory_argp }, { } };
	static const struct argp argp = {
		.options = options, .parser = parse_option, .args_doc = "--perfetto DIR...",
		.doc = doc, .children = children,
	};
	struct arguments a = { .export.in = { .command = argv[0], .end = UINT64_MAX } };
	struct utsname machine;
	int status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return EXIT_FAILURE;
	if (!a.export.machine)
		a.export.machine = uname(&machine) ? "x86_64" : machine.machine;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	status = write_output(&a.export);
	directory_free(&a.export.in);
	free(a.export.slices);
	free(a.export.counters);
	return status;
}
