// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the lines that say whose events a trace records: what they are, and whom they name.
 *
 * They refer to processes, threads and cgroups, not to their numbers and paths, so they mean
 * no other ones that get these later.
 */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/expr.h>

#include "../error.h"
#include "spot.h"
#include "tasks_lines.h"

static const char *const words[] = {
	[LTT_TASK_PID] = "pid",
	[LTT_TASK_TID] = "tid",
	[LTT_TASK_COMM] = "comm",
	[LTT_TASK_CGROUP] = "cgroup",
	[LTT_TASK_FOLLOW] = "follow",
};

/* ---- whom they name ------------------------------------------------------------- */

static bool in_cgroup(const struct task_struct *task, struct cgroup *cgroup)
{
#ifdef CONFIG_CGROUPS
	return cgroup_is_descendant(rcu_dereference_raw(task->cgroups)->dfl_cgrp, cgroup);
#else
	return false;
#endif
}

/**
 * ltt_task_lines_name() - is a task one of those that a line names?
 * @lines:	the lines
 * @task:	the task
 * @comm:	its name
 *
 * Context: any but NMI; RCU read-side section.
 */
bool ltt_task_lines_name(const struct ltt_task_lines *lines, struct task_struct *task,
			 const char *comm)
{
	const struct ltt_task_line *line;

	for (line = lines->line; line < lines->line + lines->nr; line++) {
		if ((line->kind == LTT_TASK_PID && task_tgid(task) == line->pid) ||
		    (line->kind == LTT_TASK_TID && task_pid(task) == line->pid) ||
		    (line->kind == LTT_TASK_COMM &&
		     ltt_glob_matches((const u8 *)comm, strlen(comm), line->arg,
				      strlen(line->arg))) ||
		    (line->kind == LTT_TASK_CGROUP && in_cgroup(task, line->cgroup)))
			return true;
	}
	return false;
}

/* ---- lines -------------------------------------------------------------------- */

static void line_free(struct ltt_task_line *line)
{
	kfree(line->text);
	put_pid(line->pid);
#ifdef CONFIG_CGROUPS
	if (line->cgroup)
		cgroup_put(line->cgroup);
#endif
}

static void lines_clear(struct ltt_task_lines *lines)
{
	while (lines->nr)
		line_free(&lines->line[--lines->nr]);
}

/**
 * ltt_task_lines_free() - free lines
 * @lines:	the lines, which nobody uses any more, or NULL
 *
 * Context: task; may sleep.
 */
void ltt_task_lines_free(struct ltt_task_lines *lines)
{
	if (lines)
		lines_clear(lines);
	kvfree(lines);
}

/**
 * ltt_task_line_ended() - is what a line names no longer there?
 * @line:	the line
 *
 * Context: task.
 */
bool ltt_task_line_ended(const struct ltt_task_line *line)
{
	bool ended = false;

	rcu_read_lock();
	if (line->kind == LTT_TASK_PID)
		ended = !pid_task(line->pid, PIDTYPE_TGID);
	else if (line->kind == LTT_TASK_TID)
		ended = !pid_task(line->pid, PIDTYPE_PID);
#ifdef CONFIG_CGROUPS
	else if (line->kind == LTT_TASK_CGROUP)
		ended = !(READ_ONCE(line->cgroup->self.flags) & CSS_ONLINE);
#endif
	rcu_read_unlock();
	return ended;
}

/**
 * ltt_task_lines_copy() - copy those lines that mean anything now
 * @old:	the lines, or NULL
 *
 * Context: task; may sleep.
 * Return: the copy, to be freed by ltt_task_lines_free(); NULL if there is no memory.
 */
struct ltt_task_lines *ltt_task_lines_copy(const struct ltt_task_lines *old)
{
	struct ltt_task_lines *lines = kvzalloc(sizeof(*lines), GFP_KERNEL);
	const struct ltt_task_line *from;
	struct ltt_task_line *line;

	if (!lines || !old)
		return lines;
	for (from = old->line; from < old->line + old->nr; from++) {
		if (ltt_task_line_ended(from))
			continue;
		line = &lines->line[lines->nr];
		*line = *from;
		line->text = kstrdup(from->text, GFP_KERNEL);
		if (!line->text) {
			ltt_task_lines_free(lines);
			return NULL;
		}
		line->arg = line->text + (from->arg - from->text);
		get_pid(line->pid);
#ifdef CONFIG_CGROUPS
		if (line->cgroup)
			cgroup_get(line->cgroup);
#endif
		lines->nr++;
	}
	lines->follow = old->follow;
	return lines;
}

/* The process or thread @nr, which a line needs if it is @wanted. */
static int find_pid_of(struct ltt_task_line *line, pid_t nr, bool wanted,
		       const struct ltt_spot *place, const char *at)
{
	enum pid_type type = line->kind == LTT_TASK_PID ? PIDTYPE_TGID : PIDTYPE_PID;

	rcu_read_lock();
	line->pid = find_pid_ns(nr, &init_pid_ns);
	if (line->pid && !pid_task(line->pid, type))
		line->pid = NULL;
	get_pid(line->pid);
	rcu_read_unlock();
	if (line->pid || !wanted)
		return 0;
	return ltt_fail_at(place, at, -ESRCH, "no %s %d",
			   line->kind == LTT_TASK_PID ? "process" : "thread", nr);
}

/* @wanted: it is to be there, not to be removed. */
static int parse_pid(struct ltt_task_line *line, const char *arg, bool wanted,
		     const struct ltt_spot *place)
{
	pid_t nr = line->kind == LTT_TASK_PID ? current->tgid : current->pid;

	if (strcmp(arg, "self") && (kstrtoint(arg, 10, &nr) || nr <= 0))
		return ltt_fail_at(place, arg, -EINVAL, "expected a number from 1, or self");
	line->text = kasprintf(GFP_KERNEL, "%s %d", words[line->kind], nr);
	if (!line->text)
		return ltt_fail(place->error, -ENOMEM, "out of memory");
	return find_pid_of(line, nr, wanted, place, arg);
}

static int parse_comm(const char *arg, const struct ltt_spot *place)
{
	if (!strpbrk(arg, "*?") && strlen(arg) >= TASK_COMM_LEN)
		return ltt_fail_at(place, arg, -ENAMETOOLONG,
				   "no task's name has more than %d characters", TASK_COMM_LEN - 1);
	return 0;
}

static int parse_cgroup(struct ltt_task_line *line, const char *arg, bool wanted,
			const struct ltt_spot *place)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup;

	if (*arg != '/')
		return ltt_fail_at(place, arg, -EINVAL, "expected a path that begins with /");
	cgroup = cgroup_get_from_path(arg);
	if (!IS_ERR(cgroup))
		line->cgroup = cgroup;
	else if (wanted)
		return ltt_fail_at(place, arg, PTR_ERR(cgroup), "no such cgroup");
	return 0;
#else
	return ltt_fail_at(place, arg, -EOPNOTSUPP, "this kernel has no cgroups");
#endif
}

/* @text: one line without its "!". Whatever is returned, the caller calls line_free(). */
static int parse_line(struct ltt_task_line *line, const char *text, bool wanted,
		      const struct ltt_spot *place)
{
	size_t len = strcspn(text, " \t");
	const char *arg = skip_spaces(text + len);
	unsigned int kind;
	int err = 0;

	for (kind = 0; kind < ARRAY_SIZE(words); kind++) {
		if (strlen(words[kind]) == len && !strncmp(words[kind], text, len))
			break;
	}
	if (kind == ARRAY_SIZE(words))
		return ltt_fail_at(place, text, -EINVAL,
				   "expected pid, tid, comm, cgroup, follow or none");
	if (kind == LTT_TASK_FOLLOW && *arg)
		return ltt_fail_at(place, arg, -EINVAL, "expected the end of the line");
	if (kind != LTT_TASK_FOLLOW && !*arg)
		return ltt_fail_at(place, arg, -EINVAL, "expected more than %s", words[kind]);
	line->kind = kind;
	err = ltt_spot_check_text(place, arg);
	if (err)
		return err;
	if (kind == LTT_TASK_PID || kind == LTT_TASK_TID)
		err = parse_pid(line, arg, wanted, place);
	else if (kind == LTT_TASK_COMM)
		err = parse_comm(arg, place);
	else if (kind == LTT_TASK_CGROUP)
		err = parse_cgroup(line, arg, wanted, place);
	if (err)
		return err;
	if (!line->text)
		line->text = kasprintf(GFP_KERNEL, *arg ? "%s %s" : "%s", words[kind], arg);
	if (!line->text)
		return ltt_fail(place->error, -ENOMEM, "out of memory");
	line->arg = skip_spaces(line->text + len);
	return 0;
}

/* Not by the text, if there is more: another cgroup namespace has other paths. */
static bool is_same(const struct ltt_task_line *a, const struct ltt_task_line *b)
{
	if (a->kind != b->kind)
		return false;
	if (b->pid)
		return a->pid == b->pid;
	if (b->cgroup)
		return a->cgroup == b->cgroup;
	return !strcmp(a->text, b->text);
}

static struct ltt_task_line *find_line(struct ltt_task_lines *lines,
				       const struct ltt_task_line *wanted)
{
	struct ltt_task_line *line;

	for (line = lines->line; line < lines->line + lines->nr; line++) {
		if (is_same(line, wanted))
			return line;
	}
	return NULL;
}

/* Takes @line over if it succeeds. */
static int add_line(struct ltt_task_lines *lines, struct ltt_task_line *line,
		    const struct ltt_spot *place)
{
	if (find_line(lines, line)) {
		line_free(line);
		return 0;
	}
	if (lines->nr == LTT_TASK_LINES_MAX)
		return ltt_fail_at(place, place->begin, -E2BIG, "more than %u lines",
				   LTT_TASK_LINES_MAX);
	lines->line[lines->nr++] = *line;
	return 0;
}

static int remove_line(struct ltt_task_lines *lines, const struct ltt_task_line *wanted,
		       const struct ltt_spot *place)
{
	struct ltt_task_line *line = find_line(lines, wanted);

	if (!line)
		return ltt_fail_at(place, place->begin + 1, -ENOENT, "there is no such line");
	line_free(line);
	lines->nr--;
	memmove(line, line + 1, (lines->line + lines->nr - line) * sizeof(*line));
	return 0;
}

static int apply_line(struct ltt_task_lines *lines, const char *text,
		      const struct ltt_spot *place)
{
	bool remove = *text == '!';
	struct ltt_task_line line = {};
	int err;

	if (!strcmp(text, "none")) {
		lines_clear(lines);
		lines->follow = false;
		lines->forget = true;
		lines->none = true;
		return 0;
	}
	err = parse_line(&line, skip_spaces(text + remove), !remove, place);
	if (!err)
		err = remove ? remove_line(lines, &line, place) : add_line(lines, &line, place);
	if (err || remove)
		line_free(&line);
	if (err)
		return err;
	if (line.kind == LTT_TASK_FOLLOW)
		lines->follow = !remove;
	lines->none = false;
	return 0;
}

static bool has_cgroups(const struct ltt_task_lines *lines)
{
	const struct ltt_task_line *line;

	for (line = lines->line; line < lines->line + lines->nr; line++) {
		if (line->kind == LTT_TASK_CGROUP)
			return true;
	}
	return false;
}

/**
 * ltt_task_lines_apply() - change lines as a request says
 * @lines:	the lines; after an error only to be freed
 * @text:	the request, which is cut up
 * @error:	what is wrong, and where; may be NULL
 *
 * Context: task; may sleep.
 * Return: 0, or as ltt_trace_set_tasks().
 */
int ltt_task_lines_apply(struct ltt_task_lines *lines, char *text, struct ltt_error *error)
{
	struct ltt_spot place = { .error = error };
	char *line;
	int err;

	while ((line = ltt_spot_next_line(&place, &text))) {
		err = apply_line(lines, line, &place);
		if (err)
			return err;
	}
	lines->cgroups = has_cgroups(lines);
	return 0;
}
