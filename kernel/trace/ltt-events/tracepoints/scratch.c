// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: memory for records of events with dynamic parts, and their strings.
 *
 * A probe runs with preemption disabled and may be interrupted by others on its CPU,
 * softirq, interrupt, NMI, or a fault in what the event itself looks at. What nests
 * ends before what it interrupted, so a counter of the CPU tells which record is
 * free.
 *
 * TP_fast_assign() may oops. That kills the task, and what it counted stays: the kernel
 * panics if that happens in an interrupt, a softirq or the idle task. The next task finds
 * this out. owner is the task in which the count began. Preemption is disabled as long as
 * any record is used, so all that are used belong to the task that runs or to what has
 * interrupted it. Where none of the latter is seen, and owner is another task, none of the
 * records is used any more.
 *
 * An interrupt may be met before it counts as one. It is taken for the task, and that does
 * no harm: owner is stored before the count begins, so if the task uses a record, owner is
 * this task, and nothing is reset. Nor is anything in what nests into that which counts as
 * an interrupt. (Operations on this CPU's variables stay in order.) If a new task has the
 * memory of one that died, the count stays until another task comes.
 */

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "bridge.h"

/* Task, softirq, interrupt, NMI, and a fault in one of them. */
#define LEVELS	5

/* Longer than any event can be: reserving it counts a lost event. */
#define LEN_NEVER	BIT(32)

struct scratch {
	u8 record[LTT_BRIDGE_SCRATCH] __aligned(8);
};

static struct scratch __percpu *scratch[LEVELS];
static DEFINE_PER_CPU(int, depth);
static DEFINE_PER_CPU(struct task_struct *, owner);	/* see above; not looked into */

/* Some records are used - or were, by a task that died. */
static notrace void bury_owner(void)
{
	if (interrupt_context_level() || this_cpu_read(owner) == current)
		return;
	this_cpu_write(owner, current);
	this_cpu_write(depth, 0);
}

/**
 * ltt_bridge_get() - memory for a record
 * @size:	bytes
 *
 * Context: any, NMI included; preemption disabled until ltt_bridge_put().
 * Return: the memory, with zeros where TP_fast_assign() might leave a hole;
 * NULL if there is none: the event is lost.
 */
notrace void *ltt_bridge_get(size_t size)
{
	void *record;
	int level;

	if (unlikely(this_cpu_read(depth)))
		bury_owner();
	else
		this_cpu_write(owner, current);
	level = this_cpu_inc_return(depth) - 1;
	if (unlikely(level >= LEVELS || size > LTT_BRIDGE_SCRATCH)) {
		this_cpu_dec(depth);
		return NULL;
	}
	record = this_cpu_ptr(scratch[level])->record;
	memset(record, 0, size);
	return record;
}

/**
 * ltt_bridge_put() - give back the memory that ltt_bridge_get() returned last
 *
 * Context: as for ltt_bridge_get().
 */
notrace void ltt_bridge_put(void)
{
	this_cpu_dec(depth);
}

/**
 * ltt_bridge_lost() - count an event as lost for which there is no memory
 * @tap:	ways into the traces that want it
 *
 * Context: any, NMI included; preemption disabled.
 */
notrace void ltt_bridge_lost(const struct ltt_tap *tap)
{
	struct ltt_slot slot;

	for (; tap->reserve; tap++) {
		slot = ltt_reserve(tap, LEN_NEVER);
		/* Cannot be, and must not stay open. */
		if (WARN_ON_ONCE(slot.p))
			ltt_commit(tap, slot);
	}
}

/**
 * ltt_bridge_assign_str() - copy a string into a record
 * @dst:	where to
 * @size:	room there, with the NUL; measured a moment ago
 * @src:	the string, NULL is "(null)"
 *
 * Context: any.
 */
notrace void ltt_bridge_assign_str(char *dst, u32 size, const char *src)
{
	if (size)
		strscpy(dst, src ?: "(null)", size);
}

/**
 * ltt_bridge_assign_len() - copy characters into a record, and a NUL
 * @dst:	where to
 * @size:	room there, with the NUL
 * @src:	the characters
 * @len:	how many
 *
 * Context: any.
 */
notrace void ltt_bridge_assign_len(char *dst, u32 size, const char *src, size_t len)
{
	if (!size)
		return;
	len = min_t(size_t, len, size - 1);
	memcpy(dst, src, len);
	dst[len] = '\0';
}

/**
 * ltt_bridge_vstr_size() - room for a string that is yet to be formatted
 * @format:	its format
 * @va:		the values; not consumed
 *
 * Context: any.
 * Return: bytes, with the NUL; longer strings are cut there, as ftrace does.
 */
notrace u32 __printf(1, 0)
ltt_bridge_vstr_size(const char *format, va_list *va)
{
	va_list copy;
	int len;

	va_copy(copy, *va);
	len = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	return min(len + 1, TRACE_EVENT_STR_MAX);
}

/**
 * ltt_bridge_assign_vstr() - format a string into a record
 * @dst:	where to
 * @size:	room there, with the NUL
 * @format:	its format
 * @va:		the values; not consumed
 *
 * Context: any.
 */
notrace void __printf(3, 0)
ltt_bridge_assign_vstr(char *dst, u32 size, const char *format, va_list *va)
{
	va_list copy;

	va_copy(copy, *va);
	vsnprintf(dst, size, format, copy);
	va_end(copy);
}

/**
 * ltt_bridge_dyn_size() - bytes of a string in a record
 * @str:	the string
 * @size:	room it has there
 *
 * Context: any.
 * Return: bytes it takes in an event, with its NUL.
 */
notrace u32 ltt_bridge_dyn_size(const char *str, u32 size)
{
	return size ? strnlen(str, size - 1) + 1 : 1;
}

/**
 * ltt_bridge_put_dyn() - store a string of a record in an event
 * @p:		where to
 * @str:	the string
 * @size:	what ltt_bridge_dyn_size() returned
 *
 * Context: any.
 * Return: the place behind it.
 */
notrace u8 *ltt_bridge_put_dyn(u8 *p, const char *str, u32 size)
{
	memcpy(p, str, size - 1);
	p[size - 1] = '\0';
	return p + size;
}

/**
 * ltt_bridge_scratch_init() - allocate the memory
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init ltt_bridge_scratch_init(void)
{
	unsigned int level;

	for (level = 0; level < LEVELS; level++) {
		scratch[level] = alloc_percpu(struct scratch);
		if (!scratch[level]) {
			ltt_bridge_scratch_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * ltt_bridge_scratch_exit() - free it; no probe runs any more
 *
 * Context: task.
 */
void ltt_bridge_scratch_exit(void)
{
	unsigned int level;

	for (level = 0; level < LEVELS; level++) {
		free_percpu(scratch[level]);
		scratch[level] = NULL;
	}
}
