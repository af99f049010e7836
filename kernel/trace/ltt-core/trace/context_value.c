// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the values that can be recorded with every event: task, CPU state, call stack.
 *
 * They are those of the current task, even if the marker is in an interrupt. It may be any
 * task at any moment of its life, including those without namespaces or user memory;
 * whatever it lacks is recorded as 0, or as empty.
 *
 * Writers have preemption disabled, which is an RCU read-side section; the dereferences
 * are raw because lockdep's checks do not belong in NMI context.
 */

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/ipc_namespace.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mnt_namespace.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/time_namespace.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>
#include <linux/utsname.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/types.h>
#include <net/net_namespace.h>

#include "context.h"

#define S32	LTT_TYPE(LTT_KIND_INT, 4, LTT_TYPE_SIGNED)
#define U32	LTT_TYPE(LTT_KIND_INT, 4, 0)
#define U64	LTT_TYPE(LTT_KIND_INT, 8, 0)
#define STACK	LTT_TYPE(LTT_KIND_SEQ, sizeof(long), 0)

#define STACK_VALUE_MAX	(sizeof(u32) + LTT_STACK_MAX * sizeof(long))
/*
 * From put_kernel_stack() to the probe, with some to spare: eight by way of a trigger, if
 * nothing is inlined.
 */
#define OWN_FRAMES_MAX	10

const struct ltt_context_value ltt_context_values[] = {
	[LTT_CONTEXT_PID] = { "pid", "pid %d", S32, 4 },
	[LTT_CONTEXT_TID] = { "tid", "tid %d", S32, 4 },
	[LTT_CONTEXT_COMM] = { "comm", "comm %s",
		LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0), TASK_COMM_LEN },
	[LTT_CONTEXT_PRIO] = { "prio", "prio %d", S32, 4 },
	[LTT_CONTEXT_NICE] = { "nice", "nice %d", S32, 4 },
	[LTT_CONTEXT_PPID] = { "ppid", "ppid %d", S32, 4 },
	[LTT_CONTEXT_CGROUP_ID] = { "cgroup_id", "cgroup_id %llu", U64, 8,
		!IS_ENABLED(CONFIG_CGROUPS) },
	[LTT_CONTEXT_CGROUP_NS] = { "cgroup_ns", "cgroup_ns %u", U32, 4,
		!IS_ENABLED(CONFIG_CGROUPS) },
	[LTT_CONTEXT_IPC_NS] = { "ipc_ns", "ipc_ns %u", U32, 4 },
	[LTT_CONTEXT_MNT_NS] = { "mnt_ns", "mnt_ns %u", U32, 4 },
	[LTT_CONTEXT_NET_NS] = { "net_ns", "net_ns %u", U32, 4, !IS_ENABLED(CONFIG_NET) },
	[LTT_CONTEXT_PID_NS] = { "pid_ns", "pid_ns %u", U32, 4 },
	[LTT_CONTEXT_TIME_NS] = { "time_ns", "time_ns %u", U32, 4,
		!IS_ENABLED(CONFIG_TIME_NS) },
	[LTT_CONTEXT_USER_NS] = { "user_ns", "user_ns %u", U32, 4 },
	[LTT_CONTEXT_UTS_NS] = { "uts_ns", "uts_ns %u", U32, 4 },
	[LTT_CONTEXT_IRQ_STATE] = { "irq_state",
		"irq_state %u{0=task,1=softirq,2=irq,3=nmi}",
		LTT_TYPE(LTT_KIND_INT, 1, 0), 1 },
	[LTT_CONTEXT_PREEMPT_COUNT] = { "preempt_count", "preempt_count %u",
		LTT_TYPE(LTT_KIND_INT, 1, 0), 1 },
	[LTT_CONTEXT_KSTACK] = { "kstack", "kstack %pS", STACK, STACK_VALUE_MAX,
		!IS_ENABLED(CONFIG_STACKTRACE) },
	[LTT_CONTEXT_USTACK] = { "ustack", "ustack %#lx", STACK, STACK_VALUE_MAX,
		!IS_ENABLED(CONFIG_X86) },
};

static __always_inline u8 *put_8(u8 *p, u8 value)
{
	*p = value;
	return p + sizeof(value);
}

static __always_inline u8 *put_32(u8 *p, u32 value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

static __always_inline u8 *put_64(u8 *p, u64 value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

/* The name may be changing: read at most its room, and always store one NUL. */
static u8 *put_comm(u8 *p)
{
	unsigned int i;
	char c;

	for (i = 0; i < TASK_COMM_LEN - 1; i++) {
		c = READ_ONCE(current->comm[i]);
		if (!c)
			break;
		*p++ = c;
	}
	*p++ = '\0';
	return p;
}

/* ---- namespaces -------------------------------------------------------------- */

static u32 namespace(enum ltt_context_id id)
{
	/* NULL while the task exits. Only the task itself changes it. */
	const struct nsproxy *proxy = READ_ONCE(current->nsproxy);
	const struct pid_namespace *pid_ns;

	if (id == LTT_CONTEXT_USER_NS)
		return current_user_ns()->ns.inum;
	if (id == LTT_CONTEXT_PID_NS) {
		pid_ns = task_active_pid_ns(current);
		return pid_ns ? pid_ns->ns.inum : 0;
	}
	if (!proxy)
		return 0;

	switch (id) {
#ifdef CONFIG_CGROUPS
	case LTT_CONTEXT_CGROUP_NS:
		return proxy->cgroup_ns->ns.inum;
#endif
	case LTT_CONTEXT_IPC_NS:
		/* Kernel threads may have none. */
		return proxy->ipc_ns ? proxy->ipc_ns->ns.inum : 0;
	case LTT_CONTEXT_MNT_NS:
		return proxy->mnt_ns ? ltt_mnt_ns_number(proxy->mnt_ns) : 0;
#ifdef CONFIG_NET
	case LTT_CONTEXT_NET_NS:
		return proxy->net_ns->ns.inum;
#endif
#ifdef CONFIG_TIME_NS
	case LTT_CONTEXT_TIME_NS:
		return proxy->time_ns->ns.inum;
#endif
	case LTT_CONTEXT_UTS_NS:
		return proxy->uts_ns->ns.inum;
	default:
		return 0;
	}
}

static u64 control_group(void)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(rcu_dereference_raw(current->cgroups)->dfl_cgrp);
#else
	return 0;
#endif
}

/* ---- state ------------------------------------------------------------------- */

static u8 irq_state(void)
{
	if (in_nmi())
		return 3;
	if (in_hardirq())
		return 2;
	return in_serving_softirq() ? 1 : 0;
}

/* The preemption count before the marker disabled preemption. */
static u8 preempt_depth(void)
{
	return (preempt_count() & PREEMPT_MASK) - PREEMPT_DISABLE_OFFSET;
}

/* ---- call stacks ------------------------------------------------------------- */

static u8 *put_stack(u8 *p, const unsigned long *stack, u32 nr)
{
	p = put_32(p, nr);
	memcpy(p, stack, nr * sizeof(*stack));
	return p + nr * sizeof(*stack);
}

/*
 * The number of frames that belong to the tracer: ours, and those of the calling probe. The
 * number of ours depends on the compiler, and on filters.
 */
static u32 own_frames(const unsigned long *stack, u32 nr)
{
	u32 own = 0;

#ifdef MODULE
	while (own < nr && within_module(stack[own], THIS_MODULE))
		own++;
#else
	own = 2;
#endif
	return min(own + 1, nr);
}

static noinline u8 *put_kernel_stack(u8 *p)
{
	unsigned long stack[LTT_STACK_MAX + OWN_FRAMES_MAX];
	u32 nr = 0, own;

#ifdef CONFIG_STACKTRACE
	nr = stack_trace_save(stack, ARRAY_SIZE(stack), 0);
#endif
	own = own_frames(stack, min_t(u32, nr, OWN_FRAMES_MAX));
	return put_stack(p, stack + own, min_t(u32, nr - own, LTT_STACK_MAX));
}

/*
 * Complete for programs with frame pointers, shorter for others. The chain is under user
 * control: each frame must lie above the previous one.
 */
static noinline u8 *put_user_stack(u8 *p)
{
	unsigned long stack[LTT_STACK_MAX];
	u32 nr = 0;

#ifdef CONFIG_X86
	struct { unsigned long next, ret; } frame;
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long at, above;

	if (!current->mm || current->flags & PF_KTHREAD || !user_mode(regs))
		return put_stack(p, stack, 0);
	at = regs->bp;
	above = regs->sp;
	for (stack[nr++] = regs->ip; nr < ARRAY_SIZE(stack); stack[nr++] = frame.ret) {
		if (at < above || !IS_ALIGNED(at, sizeof(at)) ||
		    /* Another copy may interrupt it, see ltt_copy_nofault(). */
		    data_race(copy_from_user_nofault(&frame, (const void __user *)at,
						     sizeof(frame))) ||
		    !frame.ret)
			break;
		above = at + sizeof(frame);
		at = frame.next;
	}
#endif
	return put_stack(p, stack, nr);
}

/**
 * ltt_context_put() - store a value of the current context
 * @p:		where to; has room for struct ltt_context_value.room bytes
 * @id:		which value
 *
 * Context: any, NMI included; preemption disabled, RCU is watching.
 * Return: the position after it.
 */
u8 *ltt_context_put(u8 *p, enum ltt_context_id id)
{
	switch (id) {
	case LTT_CONTEXT_PID:
		return put_32(p, current->tgid);
	case LTT_CONTEXT_TID:
		return put_32(p, current->pid);
	case LTT_CONTEXT_COMM:
		return put_comm(p);
	case LTT_CONTEXT_PRIO:
		return put_32(p, current->prio);
	case LTT_CONTEXT_NICE:
		return put_32(p, task_nice(current));
	case LTT_CONTEXT_PPID:
		return put_32(p, rcu_dereference_raw(current->real_parent)->tgid);
	case LTT_CONTEXT_CGROUP_ID:
		return put_64(p, control_group());
	case LTT_CONTEXT_IRQ_STATE:
		return put_8(p, irq_state());
	case LTT_CONTEXT_PREEMPT_COUNT:
		return put_8(p, preempt_depth());
	case LTT_CONTEXT_KSTACK:
		return put_kernel_stack(p);
	case LTT_CONTEXT_USTACK:
		return put_user_stack(p);
	default:
		return put_32(p, namespace(id));
	}
}
