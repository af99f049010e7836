/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: traces of libltt as text, for the subcommands that show it.
 */
#ifndef _LTT_TOOL_VIEW_H
#define _LTT_TOOL_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "../common/directory.h"

/**
 * struct view - what the user asked for
 * @in:		what is read
 * @jobs:	threads that make lines; 0: see default_jobs()
 * @remote:	@in has addresses, not directories
 * @signals:	of @remote: a signalfd, by which its text ends
 */
struct view {
	struct directory_options in;
	unsigned int jobs;
	bool remote;
	int signals;
};

/* view.c */
int view_header(struct libltt *ltt, struct view *view, char **buf, size_t *size);
int view_lines(struct libltt *ltt, struct view *view, char **buf, size_t *size);

/* view_remote.c */
bool view_is_remote(char *const *addresses, unsigned int nr, const struct argp_state *state);
int view_remote(struct view *view, bool beginning);

#endif /* _LTT_TOOL_VIEW_H */
