/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What reader_pass.c needs of the kernel: one CPU, on which an interrupt comes as soon as it
 * is sent. Each header of the kernel that only that file includes is this one.
 */
#ifndef _SS_PASS_H
#define _SS_PASS_H

#include <errno.h>
#include <stddef.h>
#include <linux/compiler.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/clock.h>
#include <asm/barrier.h>
#include "../../world.h"

#define CONFIG_PREEMPT_COUNT	1
#define IS_ENABLED(option)	(option)
#define GFP_KERNEL_ACCOUNT	GFP_KERNEL
#define NSEC_PER_MSEC		1000000ull
#define module_param(name, type, perm)
#define MODULE_PARM_DESC(name, text)
#define per_cpu_ptr(ptr, cpu)	((void)(cpu), ptr)
#define DEFINE_PER_CPU(type, name) __typeof__(type) name

/* Atomic, as is one instruction. */
typedef struct {
	long counter;
} atomic_long_t;

#define atomic_long_read_acquire(v)	((long)READ_ONCE((v)->counter))

static __always_inline long atomic_long_inc_return(atomic_long_t *v)
{
	long n = 1;

	asm volatile("xaddq %0, %1" : "+r" (n), "+m" (v->counter) : : "memory", "cc");
	return n + 1;
}

static __always_inline bool test_and_set_bit_lock(long nr, unsigned long *word)
{
	bool was;

	asm volatile("btsq %2, %1" : "=@ccc" (was), "+m" (*word) : "Ir" (nr) : "memory");
	return was;
}

static __always_inline void clear_bit_unlock(long nr, unsigned long *word)
{
	asm volatile("btrq %1, %0" : "+m" (*word) : "Ir" (nr) : "memory", "cc");
}

#define test_bit_acquire(nr, word)	(READ_ONCE(*(word)) >> (nr) & 1)

struct cpumask {
	unsigned long bits;
};

typedef struct cpumask cpumask_var_t[1];

#define nr_cpu_ids			(SS_CPU + 1)
#define cpu_online_mask			(&(const struct cpumask){ 1ul << SS_CPU })
#define cpu_online(cpu)			((cpu) == SS_CPU)
#define raw_smp_processor_id()		(SS_CPU + 1)
#define cpumask_copy(to, from)		((to)->bits = (from)->bits)
#define cpumask_empty(mask)		(!(mask)->bits)
#define cpumask_clear(mask)		((mask)->bits = 0)
#define cpumask_clear_cpu(cpu, mask)	((mask)->bits &= ~(1ul << (cpu)))
#define cpumask_test_cpu(cpu, mask)	((mask)->bits >> (cpu) & 1)
#define zalloc_cpumask_var(mask, gfp)	((*(mask))->bits = 0, true)
#define free_cpumask_var(mask)		((void)(mask))
#define for_each_cpu(cpu, mask)	\
	for ((cpu) = SS_CPU; (cpu) == SS_CPU && cpumask_test_cpu(cpu, mask); (cpu)++)
#define for_each_possible_cpu(cpu) \
	for ((cpu) = SS_CPU; (cpu) == SS_CPU; (cpu)++)

/* The interrupt is one of those that this CPU counts. */
#define HARDIRQ_MASK		0xf0000u
#define PREEMPT_OFFSET		1u
#define preempt_count()		(READ_ONCE(ss_world.preempt) | 0x10000u)
#define in_hardirq()		true
#define is_idle_task(task)	false
#define current			NULL
#define get_irq_regs()		NULL
#define user_mode(regs)		((void)(regs), false)

#define ktime_get_ns()			0ull
#define get_cpu_idle_time_us(cpu, at)	((void)(cpu), (u64)-1)
#define get_cpu_iowait_time_us(cpu, at)	get_cpu_idle_time_us(cpu, at)
#define LTT_IDLE_IS_ORDERED		1
#define msleep(ms)
#define synchronize_rcu()

typedef struct {
	void (*func)(void *info);
	void *info;
} call_single_data_t;

#define INIT_CSD(csd, f, i)	(*(csd) = (call_single_data_t){ .func = (f), .info = (i) })

static __always_inline int smp_call_function_single_async(unsigned int cpu,
							  call_single_data_t *csd)
{
	(void)cpu;
	csd->func(csd->info);
	return 0;
}

#define ltt_clock_settled(clock)	((void)(clock), ltt_clock_counter() - 1)

#endif /* _SS_PASS_H */
