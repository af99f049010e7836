/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the lines that say whose events a trace records, for tasks.c only.
 */
#ifndef _LTT_TASKS_LINES_H
#define _LTT_TASKS_LINES_H

#include <linux/sched.h>
#include <linux/types.h>

struct cgroup;
struct ltt_error;
struct pid;

/* Maximum lines of a trace. */
#define LTT_TASK_LINES_MAX	256u

enum ltt_task_kind {
	LTT_TASK_PID,
	LTT_TASK_TID,
	LTT_TASK_COMM,
	LTT_TASK_CGROUP,
	LTT_TASK_FOLLOW,
};

/**
 * struct ltt_task_line - a line
 * @kind:	its word
 * @text:	all of it, with single blanks
 * @arg:	what follows the word in @text
 * @pid:	the process or thread, with a reference, else NULL
 * @cgroup:	the cgroup, with a reference, else NULL
 */
struct ltt_task_line {
	enum ltt_task_kind kind;
	char *text;
	const char *arg;
	struct pid *pid;
	struct cgroup *cgroup;
};

/**
 * struct ltt_task_lines - all lines of a trace
 * @follow:	there is such a line
 * @forget:	being made: who was followed until now is no longer
 * @none:	being made: everybody's events are recorded
 * @cgroups:	there is a line with one
 * @nr:		entries of @line
 * @line:	in the order in which they were written
 */
struct ltt_task_lines {
	bool follow;
	bool forget;
	bool none;
	bool cgroups;
	unsigned int nr;
	struct ltt_task_line line[LTT_TASK_LINES_MAX];
};

bool ltt_task_lines_name(const struct ltt_task_lines *lines, struct task_struct *task,
			 const char *comm);
struct ltt_task_lines *ltt_task_lines_copy(const struct ltt_task_lines *old);
void ltt_task_lines_free(struct ltt_task_lines *lines);
int ltt_task_lines_apply(struct ltt_task_lines *lines, char *text, struct ltt_error *error);
bool ltt_task_line_ended(const struct ltt_task_line *line);

#endif /* _LTT_TASKS_LINES_H */
