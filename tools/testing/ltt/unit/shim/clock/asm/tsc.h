/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What clock_tsc.c needs and the shim next door does not have. The other
 * headers in this directory include this one.
 */
#ifndef _LTT_CLOCK_SHIM_H
#define _LTT_CLOCK_SHIM_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <x86intrin.h>

#define notrace
#define ____cacheline_aligned	__aligned(64)

#define preempt_disable_notrace()	barrier()
#define preempt_enable_notrace()	barrier()

#define smp_mb()			__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_store_release(p, v)		__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cmpxchg(p, old, new) ({						\
	__typeof__(*(p)) _old = (old);					\
	__atomic_compare_exchange_n(p, &_old, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	_old; })

#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)

/* Trap where the kernel's division would. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	unsigned __int128 quotient = (unsigned __int128)a * b / c;

	if (quotient >> 64)
		__builtin_trap();
	return quotient;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

/* A test may set the counter. */
extern u64 fake_tsc;

static __always_inline u64 rdtsc_ordered(void)
{
	unsigned int aux;

	return fake_tsc ? fake_tsc : __rdtscp(&aux);
}

#endif
