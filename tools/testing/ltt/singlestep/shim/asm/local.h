/* SPDX-License-Identifier: GPL-2.0 */
/* As on x86: one instruction, without LOCK prefix. */
#ifndef _SS_ASM_LOCAL_H
#define _SS_ASM_LOCAL_H

#include <linux/compiler.h>

struct ss_local {
	long counter;
};

#define local_t struct ss_local

#define local_read(l)	READ_ONCE((l)->counter)

static __always_inline void local_inc(local_t *l)
{
	asm volatile("incq %0" : "+m" (l->counter) : : "memory", "cc");
}

static __always_inline long local_inc_return(local_t *l)
{
	long n = 1;

	asm volatile("xaddq %0, %1" : "+r" (n), "+m" (l->counter) : : "memory", "cc");
	return n + 1;
}

static __always_inline void local_add(long n, local_t *l)
{
	asm volatile("addq %1, %0" : "+m" (l->counter) : "er" (n) : "memory", "cc");
}

/* A test may have one, to do what an NMI could do there. */
void __attribute__((weak)) ss_before_local_sub(void);

static __always_inline void local_sub(long n, local_t *l)
{
	if (ss_before_local_sub)
		ss_before_local_sub();
	asm volatile("subq %1, %0" : "+m" (l->counter) : "er" (n) : "memory", "cc");
}

#endif /* _SS_ASM_LOCAL_H */
