// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: whose events a trace records.
 *
 * A trace that does not record all tasks has a bit for each thread number. A writer tests that of
 * the current task, before anything else: the tap's reserve function is one of ours, which
 * calls the one that the tap would have otherwise.
 *
 * The bits say what the user's lines mean for the tasks that there are. They change where tasks
 * do: when one is created, gets another name, executes a program, or is moved to another
 * cgroup (tasks_probe.c), and when lines are written, which looks at all tasks. All
 * that is decided under tasks_lock, with the lines that hold then, and for one task at a time.
 *
 * A bit is not cleared when its task ends, as that still has events then, and it does not
 * matter when its number is free again: the bit of a new task is decided when it is created,
 * whatever it was before.
 *
 * What lines are is in tasks_lines.c.
 */

#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/ring_buffer.h>

#include "../error.h"
#include "core.h"
#include "tasks.h"
#include "tasks_lines.h"

/* Protects the list, the lines of those in it, and changes of their bits. */
static DEFINE_RAW_SPINLOCK(tasks_lock);
static LIST_HEAD(all_tasks);

/* ---- writers --------------------------------------------------------------- */

static __always_inline struct ltt_slot reserve(const struct ltt_tap *tap, size_t len, bool accept)
{
	if (!accept)
		return (struct ltt_slot){ .p = NULL, .start = LTT_START_NONE };
	return INDIRECT_CALL_2(tap->everybody, ltt_reserve_tsc, ltt_reserve_shared_tsc, tap, len);
}

static notrace struct ltt_slot reserve_own(const struct ltt_tap *tap, size_t len)
{
	return reserve(tap, len, ltt_tasks_accept(tap->tasks));
}

/* An event that is about another task, too. No task in @recorded has the number 0. */
static notrace struct ltt_slot reserve_about(const struct ltt_tap *tap, size_t len)
{
	return reserve(tap, len, ltt_tasks_accept(tap->tasks) ||
				 test_bit(__this_cpu_read(ltt_tasks_about), tap->tasks->recorded));
}

/* One of the kernel's; another channel may have a marker of that name. */
static bool is_about_another(const struct ltt_event *event)
{
	static const char *const names[] = {
		"sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new"
	};

	return !strcmp(event->channel->name, "sched") &&
	       match_string(names, ARRAY_SIZE(names), event->name) >= 0;
}

/**
 * ltt_tasks_setup() - make a tap record the events of the trace's tasks only
 * @tap:	the tap, otherwise complete
 * @tevent:	the event in its trace
 *
 * Context: task, ltt_mutex held.
 */
void ltt_tasks_setup(struct ltt_tap *tap, const struct ltt_trace_event *tevent)
{
	const struct ltt_trace_channel *tchan = tevent->tchan;

	if (!tchan->trace->tasks || tchan->channel->flags & LTT_CHANNEL_PRIVATE)
		return;
	tap->tasks = tchan->trace->tasks;
	tap->everybody = tap->reserve;
	tap->reserve = is_about_another(tevent->event) ? reserve_about : reserve_own;
}

/* ---- decisions --------------------------------------------------------------- */

static bool is_recorded(const struct ltt_tasks *tasks, const struct task_struct *task)
{
	return test_bit(READ_ONCE(task->pid), tasks->recorded);
}

/* @followed: if there is such a line, it is recorded whatever its name and cgroup are. */
static void decide(struct ltt_tasks *tasks, struct task_struct *task, const char *comm,
		   bool followed)
{
	const struct ltt_task_lines *lines = tasks->lines;

	lockdep_assert_held(&tasks_lock);
	/* The idle tasks. */
	if (task->pid)
		assign_bit(task->pid, tasks->recorded,
			   (lines->follow && followed) || ltt_task_lines_name(lines, task, comm));
}

/* @comm: a copy, which ends even while the name changes. */
static void get_name(char *comm, const struct task_struct *task)
{
	memcpy(comm, task->comm, TASK_COMM_LEN);
	comm[TASK_COMM_LEN - 1] = '\0';
}

/*
 * For all traces. @comm: the task's name. It is followed if one of these numbers is recorded: of
 * itself, or of whom it comes from.
 */
static notrace void decide_for_all(struct task_struct *task, const char *comm, pid_t own,
				   pid_t before)
{
	struct ltt_tasks *tasks;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(tasks, &all_tasks, node)
		decide(tasks, task, comm,
		       test_bit(own, tasks->recorded) || test_bit(before, tasks->recorded));
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

/**
 * ltt_tasks_created() - the current task has created one
 * @task:	the new task, which does not run yet
 *
 * Context: task, preemption disabled.
 */
notrace void ltt_tasks_created(struct task_struct *task)
{
	char comm[TASK_COMM_LEN];

	get_name(comm, task);
	/* Its own bit may be left over from a task that had the same number. */
	decide_for_all(task, comm, current->pid, current->pid);
}

/**
 * ltt_tasks_renamed() - a task gets another name
 * @task:	the task
 * @comm:	the name, which is that of a program and not yet cut when it executes one
 *
 * Context: task, preemption disabled.
 */
notrace void ltt_tasks_renamed(struct task_struct *task, const char *comm)
{
	char cut[TASK_COMM_LEN];

	strscpy(cut, comm, sizeof(cut));
	decide_for_all(task, cut, task->pid, task->pid);
}

/**
 * ltt_tasks_executed() - a task executes a program
 * @task:	the task
 * @before:	its number before, another one if it was not its process's first thread
 *
 * Context: task, preemption disabled.
 */
notrace void ltt_tasks_executed(struct task_struct *task, pid_t before)
{
	char comm[TASK_COMM_LEN];

	get_name(comm, task);
	decide_for_all(task, comm, task->pid, before);
}

/* What a move does not matter for stays as it is. */
static notrace void decide_moved(struct task_struct *task)
{
	struct ltt_tasks *tasks;
	char comm[TASK_COMM_LEN];
	unsigned long flags;

	get_name(comm, task);
	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(tasks, &all_tasks, node) {
		if (tasks->lines->cgroups)
			decide(tasks, task, comm, is_recorded(tasks, task));
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

static notrace bool any_cgroups(void)
{
	struct ltt_tasks *tasks;
	unsigned long flags;
	bool any = false;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(tasks, &all_tasks, node)
		any |= tasks->lines->cgroups;
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return any;
}

/**
 * ltt_tasks_moved() - a task was moved to another cgroup
 * @task:	the task
 * @all_threads: with the others of its process
 *
 * Context: any but NMI; preemption disabled.
 */
notrace void ltt_tasks_moved(struct task_struct *task, bool all_threads)
{
	struct task_struct *thread;

	/* Interrupts are disabled, and there may be many threads. */
	if (!any_cgroups())
		return;
	if (!all_threads) {
		decide_moved(task);
		return;
	}
	rcu_read_lock();
	for_each_thread(task, thread)
		decide_moved(thread);
	rcu_read_unlock();
}

/*
 * Call a function for each task, in an RCU read-side section of its own. Those that are created
 * meanwhile may be missed.
 */
static void visit_tasks(void (*call)(struct task_struct *task, void *data), void *data)
{
	struct task_struct *task;
	struct pid *pid;
	pid_t nr = 1;

	for (;;) {
		rcu_read_lock();
		pid = find_ge_pid(nr, &init_pid_ns);
		/* The number may be one of a group or a session only. */
		task = pid_task(pid, PIDTYPE_PID);
		if (pid)
			nr = pid_nr(pid) + 1;
		if (task)
			call(task, data);
		rcu_read_unlock();
		if (!pid)
			return;
		cond_resched();
	}
}

/* @old: the lines before, NULL if all bits are by the new ones. */
struct change {
	struct ltt_tasks *tasks;
	const struct ltt_task_lines *old;
};

static void decide_anew(struct task_struct *task, void *data)
{
	const struct change *change = data;
	const struct ltt_task_lines *old = change->old;
	char comm[TASK_COMM_LEN];
	unsigned long flags;
	bool followed;

	/* In older kernels, no name changes meanwhile, nor is about to. */
	task_lock(task);
	get_name(comm, task);
	raw_spin_lock_irqsave(&tasks_lock, flags);
	/* Whom only a line that was removed names is not. */
	followed = is_recorded(change->tasks, task) &&
		   !(old && ltt_task_lines_name(old, task, comm));
	decide(change->tasks, task, comm, followed);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	task_unlock(task);
}

/* ---- requests ----------------------------------------------------------------- */

static void tasks_free(struct ltt_tasks *tasks)
{
	ltt_task_lines_free(tasks->lines);
	kvfree(tasks);
}

static void free_work(struct work_struct *work)
{
	tasks_free(container_of(to_rcu_work(work), struct ltt_tasks, work));
}

static struct ltt_tasks *tasks_alloc(void)
{
	struct ltt_tasks *tasks;

	tasks = kvzalloc(struct_size(tasks, recorded, BITS_TO_LONGS(PID_MAX_LIMIT)), GFP_KERNEL);
	if (tasks)
		INIT_RCU_WORK(&tasks->work, free_work);
	return tasks;
}

/* Nothing decides any more whom it records. */
static void leave(struct ltt_tasks *tasks)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_del(&tasks->node);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

/*
 * Decide whom a new one records. Tasks change while they are visited: if a bit is already set,
 * its task was renamed, or created by a task that is followed, in the meantime. It stays set.
 */
static void enter(struct ltt_tasks *tasks)
{
	struct change change = { .tasks = tasks };
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_add(&tasks->node, &all_tasks);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	visit_tasks(decide_anew, &change);
}

/*
 * Give @tasks other lines. Not at once: what a task does meanwhile is judged by the lines that
 * there are, and the bits it has, then. Return: the lines before.
 */
static struct ltt_task_lines *give_lines(struct ltt_tasks *tasks, struct ltt_task_lines *lines)
{
	struct change change = { .tasks = tasks };
	struct ltt_task_lines *old;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	old = tasks->lines;
	tasks->lines = lines;
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	change.old = old;
	visit_tasks(decide_anew, &change);
	return old;
}

/*
 * Let the trace have these lines. After "none", it gets new bits: the old ones may be set for
 * tasks that were followed by the old lines, and are not followed by the new ones.
 * Return: 0; *@lines is what is no longer needed then.
 */
static int carry_out(struct ltt_trace *trace, struct ltt_task_lines **lines,
		     struct ltt_error *error)
{
	struct ltt_tasks *old = trace->tasks, *tasks = NULL;

	if (old && !(*lines)->forget) {
		*lines = give_lines(old, *lines);
		return 0;
	}
	if (!old && (*lines)->none)
		return 0;
	if (ltt_trace_prepare_taps(trace))
		return ltt_fail(error, -ENOMEM, "out of memory");
	if (!(*lines)->none) {
		tasks = tasks_alloc();
		if (!tasks)
			return ltt_fail(error, -ENOMEM, "out of memory");
		tasks->lines = *lines;
		*lines = NULL;
		enter(tasks);
	}
	trace->tasks = tasks;
	ltt_trace_update_taps(trace);
	if (old) {
		leave(old);
		queue_rcu_work(ltt_wq, &old->work);
	}
	return 0;
}

/* Return: 0; *@more: by how many the number of traces that do not record everybody grows. */
static int request(struct ltt_trace *trace, char *text, int *more, struct ltt_error *error)
{
	struct ltt_task_lines *lines;
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	*more -= !!trace->tasks;
	lines = ltt_task_lines_copy(trace->tasks ? trace->tasks->lines : NULL);
	if (lines) {
		lines->none = !trace->tasks;
		err = ltt_task_lines_apply(lines, text, error) ?: carry_out(trace, &lines, error);
	} else {
		err = ltt_fail(error, -ENOMEM, "out of memory");
	}
	*more += !!trace->tasks;
	ltt_trace_request_end(trace);
	ltt_task_lines_free(lines);
	return err;
}

/**
 * ltt_trace_set_tasks() - say whose events a trace records
 * @trace:	the trace; the caller has a reference
 * @text:	lines as Documentation/trace/ltt/filters.rst has them, carried out in their
 *		order, all or none
 * @error:	what is wrong, and where; may be NULL
 *
 * While tasks are decided about anew, each event is recorded by the lines before or after.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, sleeps.
 * Return: 0; -EINVAL (no such line), -ESRCH (no such process or thread), -ENOENT (no such
 * cgroup, or no line to remove), -ENOTDIR, -ENAMETOOLONG, -E2BIG (too many lines), -EOPNOTSUPP
 * (not on this kernel), -ENOMEM, -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_tasks(struct ltt_trace *trace, const char *text, struct ltt_error *error)
{
	char *copy = kstrdup(text, GFP_KERNEL);
	int err, more = 0;

	if (!copy)
		return ltt_fail(error, -ENOMEM, "out of memory");
	/* Before anybody is decided about. */
	err = ltt_tasks_probes_get(error);
	if (!err) {
		err = request(trace, copy, &more, error);
		/* One for each trace, and ours until now. */
		for (; more < 1; more++)
			ltt_tasks_probes_put();
	}
	kfree(copy);
	return err;
}

/**
 * ltt_trace_tasks_end() - decide no more whose events a trace records
 * @trace:	the trace, which has no writers any more
 *
 * Context: task, ltt_mutex not held; takes it, sleeps.
 */
void ltt_trace_tasks_end(struct ltt_trace *trace)
{
	struct ltt_tasks *tasks;

	mutex_lock(&ltt_mutex);
	tasks = trace->tasks;
	trace->tasks = NULL;
	mutex_unlock(&ltt_mutex);
	if (!tasks)
		return;
	leave(tasks);
	tasks_free(tasks);
	ltt_tasks_probes_put();
}

/**
 * ltt_tasks_exit() - wait for probes that are under way
 *
 * Context: task; sleeps. There are no traces any more.
 */
void ltt_tasks_exit(void)
{
	ltt_synchronize_probes();
}

/* ---- reading ------------------------------------------------------------------- */

/**
 * ltt_trace_tasks_line() - go through the lines that say whose events a trace records
 * @trace:	the trace, which does not record everybody
 * @nr:		number of the line, from 0
 * @text:	receives it, valid until ltt_mutex is released
 * @ended:	receives whether what it names is no longer there
 *
 * Context: task, ltt_mutex held.
 * Return: false if there is no such line.
 */
bool ltt_trace_tasks_line(const struct ltt_trace *trace, unsigned int nr, const char **text,
			  bool *ended)
{
	const struct ltt_task_lines *lines = trace->tasks->lines;

	lockdep_assert_held(&ltt_mutex);
	if (nr >= lines->nr)
		return false;
	*text = lines->line[nr].text;
	*ended = ltt_task_line_ended(&lines->line[nr]);
	return true;
}

struct count {
	const struct ltt_tasks *tasks;
	unsigned int nr;
};

static void count_task(struct task_struct *task, void *data)
{
	struct count *count = data;

	count->nr += !READ_ONCE(task->exit_state) && is_recorded(count->tasks, task);
}

/**
 * ltt_trace_tasks_count() - how many tasks does a trace record now?
 * @trace:	the trace, which does not record everybody
 *
 * Context: task, ltt_mutex held.
 */
unsigned int ltt_trace_tasks_count(const struct ltt_trace *trace)
{
	struct count count = { .tasks = trace->tasks };

	lockdep_assert_held(&ltt_mutex);
	visit_tasks(count_task, &count);
	return count.nr;
}
