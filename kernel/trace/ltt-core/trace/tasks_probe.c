// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what tasks do, for traces that record some of them only: probes of the kernel's
 * tracepoints, which are attached while there is such a trace.
 *
 * task_newtask is hit by all that is created, also by io_uring's threads, for which there is
 * no sched_process_fork; and before the new task runs.
 *
 * The events of scheduling are about another task. Before the probes that record them, one of
 * ours notes its number; after them, another one clears it, so that an interrupt between them
 * leaves no number behind. Where the interrupted probes then find none, a task wakes itself
 * up, and is the current one: in all other cases interrupts are disabled.
 */

#include <linux/cgroup.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/ltt/compat.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "../error.h"
#include "tasks.h"

/* The task that the event of scheduling under way is about, or 0. */
DEFINE_PER_CPU(pid_t, ltt_tasks_about);

static notrace void created(void *data, struct task_struct *task, LTT_CLONE_FLAGS flags)
{
	ltt_tasks_created(task);
}

static notrace void renamed(void *data, struct task_struct *task, const char *comm)
{
	ltt_tasks_renamed(task, comm);
}

static notrace void executed(void *data, struct task_struct *task, pid_t before,
			     struct linux_binprm *bprm)
{
	ltt_tasks_executed(task, before);
}

#ifdef CONFIG_CGROUPS
static notrace void moved(void *data, struct cgroup *cgroup, const char *path,
			  struct task_struct *task, bool threadgroup)
{
	ltt_tasks_moved(task, threadgroup);
}
#endif

static notrace void before_switch(void *data, bool preempt, struct task_struct *prev,
				  struct task_struct *next, unsigned int prev_state)
{
	__this_cpu_write(ltt_tasks_about, next->pid);
}

static notrace void after_switch(void *data, bool preempt, struct task_struct *prev,
				 struct task_struct *next, unsigned int prev_state)
{
	__this_cpu_write(ltt_tasks_about, 0);
}

static notrace void before_wakeup(void *data, struct task_struct *task)
{
	__this_cpu_write(ltt_tasks_about, task->pid);
}

static notrace void after_wakeup(void *data, struct task_struct *task)
{
	__this_cpu_write(ltt_tasks_about, 0);
}

/* Lets the compiler compare the probes with the tracepoints' prototypes. */
static inline void __maybe_unused check_probes(void)
{
	check_trace_callback_type_task_newtask(created);
	check_trace_callback_type_task_rename(renamed);
	check_trace_callback_type_sched_process_exec(executed);
#ifdef CONFIG_CGROUPS
	check_trace_callback_type_cgroup_attach_task(moved);
#endif
	check_trace_callback_type_sched_switch(before_switch);
	check_trace_callback_type_sched_switch(after_switch);
	check_trace_callback_type_sched_waking(before_wakeup);
	check_trace_callback_type_sched_waking(after_wakeup);
}

#define FIRST	INT_MAX
#define LAST	INT_MIN

/**
 * struct hook - a probe and its tracepoint
 * @name:	of the tracepoint
 * @probe:	the probe
 * @prio:	its place among the tracepoint's probes
 * @tracepoint:	set once
 */
struct hook {
	const char *name;
	void *probe;
	int prio;
	struct tracepoint *tracepoint;
};

static struct hook hooks[] = {
	{ "task_newtask", created, FIRST },
	{ "task_rename", renamed, FIRST },
	{ "sched_process_exec", executed, FIRST },
#ifdef CONFIG_CGROUPS
	{ "cgroup_attach_task", moved, FIRST },
#endif
	/* What clears the number is attached before what notes it, and longer. */
	{ "sched_switch", after_switch, LAST },
	{ "sched_switch", before_switch, FIRST },
	{ "sched_waking", after_wakeup, LAST },
	{ "sched_waking", before_wakeup, FIRST },
	{ "sched_wakeup", after_wakeup, LAST },
	{ "sched_wakeup", before_wakeup, FIRST },
	{ "sched_wakeup_new", after_wakeup, LAST },
	{ "sched_wakeup_new", before_wakeup, FIRST },
};

static DEFINE_MUTEX(hooks_mutex);
static unsigned int users;		/* protected by hooks_mutex */

static void note_tracepoint(struct tracepoint *tracepoint, void *none)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!strcmp(tracepoint->name, hooks[i].name))
			hooks[i].tracepoint = tracepoint;
	}
}

/* The first @nr of them. */
static void detach(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(hooks[nr].tracepoint, hooks[nr].probe, NULL);
}

static int attach(struct ltt_error *error)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = -EOPNOTSUPP;
		if (hooks[i].tracepoint)
			err = tracepoint_probe_register_prio(hooks[i].tracepoint, hooks[i].probe,
							     NULL, hooks[i].prio);
		if (err) {
			detach(i);
			return ltt_fail(error, err, "cannot use tracepoint %s", hooks[i].name);
		}
	}
	/* Hits that began without them are over, before anything relies on them. */
	ltt_synchronize_probes();
	return 0;
}

/**
 * ltt_tasks_probes_get() - learn what tasks do from now on
 * @error:	why it failed; may be NULL
 *
 * Context: task, ltt_mutex not held; sleeps.
 * Return: 0, -EOPNOTSUPP (the kernel lacks a tracepoint), -ENOMEM.
 */
int ltt_tasks_probes_get(struct ltt_error *error)
{
	int err = 0;

	mutex_lock(&hooks_mutex);
	if (!users)
		err = attach(error);
	if (!err)
		users++;
	mutex_unlock(&hooks_mutex);
	return err;
}

/**
 * ltt_tasks_probes_put() - undo ltt_tasks_probes_get()
 *
 * Probes may still be under way when it returns.
 *
 * Context: task, ltt_mutex not held; sleeps.
 */
void ltt_tasks_probes_put(void)
{
	mutex_lock(&hooks_mutex);
	if (!--users)
		detach(ARRAY_SIZE(hooks));
	mutex_unlock(&hooks_mutex);
}
