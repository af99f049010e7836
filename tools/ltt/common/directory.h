/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: recorded traces, for the subcommands that read them.
 */
#ifndef _LTT_TOOL_DIRECTORY_H
#define _LTT_TOOL_DIRECTORY_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../lib/libltt.h"

/* Problems of a file that are shown. */
#define PROBLEMS_MAX	20

/*
 * The longest line that is shown: of a sub-buffer full of text, each byte of which is
 * escaped. A format with wide fields can make longer ones of an array.
 */
#define TEXT_MAX	(64u << 20)

/**
 * struct directory_options - what is to be read
 * @command:	"ltt NAME", for messages
 * @dirs:	trace directories
 * @nr_dirs:	how many
 * @flags:	for libltt
 * @style:	name of the text style, NULL: the default
 * @begin:	ns
 * @end:	ns
 * @patterns:	of wanted events, none: all
 * @nr_patterns: how many
 * @filters:	"PATTERN: EXPR"
 * @nr_filters:	how many
 * @problems:	reported so far
 * @left_out:	lines for which there was no room
 */
struct directory_options {
	const char *command;
	char **dirs;
	unsigned int nr_dirs;
	unsigned int flags;
	const char *style;
	uint64_t begin;
	uint64_t end;
	char **patterns;
	unsigned int nr_patterns;
	char **filters;
	unsigned int nr_filters;
	unsigned long problems;
	unsigned long left_out;
};

extern const struct argp directory_argp;

bool directory_time(const char *text, uint64_t *time);
bool directory_grow(char **buf, size_t *size);
struct libltt *directory_open(struct directory_options *options);
void directory_many_files(void);
int directory_choose(struct libltt *ltt, const struct directory_options *o,
		     struct libltt_problem *error);
bool directory_close(struct libltt *ltt, const struct directory_options *options);
long directory_line(struct libltt *ltt, const struct libltt_event *event, char **buf,
		    size_t *size);
void directory_left_out(struct directory_options *options, const struct libltt_event *event,
			size_t size);
void directory_pattern(const char *pattern, const struct argp_state *state);
void directory_free(struct directory_options *options);
void directory_report(const struct libltt_problem *problem, void *options);
void directory_problem(const char *command, const struct libltt_problem *problem);

#endif /* _LTT_TOOL_DIRECTORY_H */
