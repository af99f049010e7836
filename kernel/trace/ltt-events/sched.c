// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: markers of the scheduler.
 */

#include <linux/binfmts.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>

#include "tracepoint.h"

/*
 * One bit a state as in the kernel's own sched_switch event, and one more for a
 * task that was preempted.
 */
static unsigned int switch_state(bool preempt, unsigned int prev_state,
				 struct task_struct *prev)
{
	unsigned int index;

	if (preempt)
		return TASK_REPORT_MAX;
	index = __task_state_index(prev_state, prev->exit_state);
	return index ? 1u << (index - 1) : 0;
}

static void probe_sched_switch(void *data, bool preempt,
			       struct task_struct *prev, struct task_struct *next,
			       unsigned int prev_state)
{
	LTT_TRACEPOINT(sched, sched_switch,
		       "prev_comm %s prev_pid %d prev_prio %d prev_state %u{0=R,1=S,2=D,4=T,8=t,16=X,32=Z,64=P,128=I,256=R+} next_comm %s next_pid %d next_prio %d",
		       prev->comm, prev->pid, prev->prio,
		       switch_state(preempt, prev_state, prev),
		       next->comm, next->pid, next->prio);
}

LTT_PROBE_CHECK(sched_switch)

static void probe_sched_wakeup(void *data, struct task_struct *task)
{
	LTT_TRACEPOINT(sched, sched_wakeup,
		       "comm %s pid %d prio %d target_cpu %03u",
		       task->comm, task->pid, task->prio, task_cpu(task));
}

LTT_PROBE_CHECK(sched_wakeup)

static void probe_sched_process_fork(void *data, struct task_struct *parent,
				     struct task_struct *child)
{
	LTT_TRACEPOINT(sched, sched_process_fork,
		       "parent_comm %s parent_pid %d child_comm %s child_pid %d",
		       parent->comm, parent->pid, child->comm, child->pid);
}

LTT_PROBE_CHECK(sched_process_fork)

static void probe_sched_process_exec(void *data, struct task_struct *task,
				     pid_t old_pid, struct linux_binprm *bprm)
{
	LTT_TRACEPOINT(sched, sched_process_exec,
		       "filename %s pid %d old_pid %d",
		       bprm->filename, task->pid, old_pid);
}

LTT_PROBE_CHECK(sched_process_exec)

static void probe_sched_process_exit(void *data, struct task_struct *task)
{
	LTT_TRACEPOINT(sched, sched_process_exit, "comm %s pid %d prio %d",
		       task->comm, task->pid, task->prio);
}

LTT_PROBE_CHECK(sched_process_exit)

struct ltt_probe ltt_sched_probes[] = {
	LTT_PROBE(sched_switch),
	LTT_PROBE(sched_wakeup),
	LTT_PROBE(sched_process_fork),
	LTT_PROBE(sched_process_exec),
	LTT_PROBE(sched_process_exit),
	{}
};
