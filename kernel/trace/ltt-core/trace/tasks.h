/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: whose events a trace records, for the other files of the traces.
 */
#ifndef _LTT_TASKS_H
#define _LTT_TASKS_H

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

struct ltt_error;
struct ltt_tap;
struct ltt_task_lines;
struct ltt_trace;
struct ltt_trace_event;

/**
 * struct ltt_tasks - whose events a trace records
 * @node:	in the list of those that follow what tasks do
 * @lines:	what the user wrote
 * @work:	frees it when no writer uses it any more
 * @recorded:	a bit for each thread number of the initial PID namespace
 */
struct ltt_tasks {
	struct list_head node;
	struct ltt_task_lines *lines;
	struct rcu_work work;
	unsigned long recorded[];
};

/**
 * ltt_tasks_accept() - may an event of the current task be recorded?
 * @tasks:	whose events are
 *
 * Context: that of the marker, NMI included; preemption disabled.
 */
static __always_inline bool ltt_tasks_accept(const struct ltt_tasks *tasks)
{
	return test_bit(current->pid, tasks->recorded);
}

/* tasks.c */
void ltt_tasks_setup(struct ltt_tap *tap, const struct ltt_trace_event *tevent);
bool ltt_trace_tasks_line(const struct ltt_trace *trace, unsigned int nr, const char **text,
			  bool *ended);
unsigned int ltt_trace_tasks_count(const struct ltt_trace *trace);
void ltt_trace_tasks_end(struct ltt_trace *trace);
void ltt_tasks_exit(void);

/* tasks.c, for the probes */
void ltt_tasks_created(struct task_struct *task);
void ltt_tasks_renamed(struct task_struct *task, const char *comm);
void ltt_tasks_executed(struct task_struct *task, pid_t before);
void ltt_tasks_moved(struct task_struct *task, bool all_threads);

/* tasks_probe.c */
DECLARE_PER_CPU(pid_t, ltt_tasks_about);
int ltt_tasks_probes_get(struct ltt_error *error);
void ltt_tasks_probes_put(void);

#endif /* _LTT_TASKS_H */
