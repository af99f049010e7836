/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the text of a running trace, for the subcommands that read it.
 */
#ifndef _LTT_TOOL_LIVE_H
#define _LTT_TOOL_LIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "session.h"

struct show;

/**
 * struct live - a trace whose text is read
 * @name:	of the trace; of one of our own it is made up
 * @prefix:	with which that begins
 * @session:	what a trace of our own records
 * @style:	in which its text is, NULL: the default
 * @follow:	only @command and what it starts is recorded
 * @command:	is run meanwhile, and its end is that of the trace; NULL: none
 * @prepare:	called when the trace is there, one of our own before it starts; returns 0, or
 *		another number after an error, which it has said. May be NULL
 * @read:	called when the file @fd can be read; returns whether there can be more, or -1
 *		after an error, which it has said
 * @wait:	called before we wait; returns for how many ms at most, -1: for ever. May be NULL
 * @data:	for them
 * @show:	live.c's own
 */
struct live {
	char name[64];
	const char *prefix;
	const struct session_options *session;
	const char *style;
	bool follow;
	char **command;
	int (*prepare)(struct live *live);
	int (*read)(int fd, struct live *live);
	int (*wait)(struct live *live);
	void *data;
	struct show *show;
};

int live_open(const char *name, const char *channel);
int live_open_style(const char *name, const char *style);
int live_follow(struct live *live, int fd);
int live_run(struct live *live);
int live_write(struct live *live, const char *data, size_t size);

#endif /* _LTT_TOOL_LIVE_H */
