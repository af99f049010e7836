/* SPDX-License-Identifier: GPL-2.0 */
/* As on x86: only the compiler has to be kept in order. */
#ifndef _SS_ASM_BARRIER_H
#define _SS_ASM_BARRIER_H

#include <linux/compiler.h>

#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_wmb()	barrier()	/* stores are seen in order */
#define smp_rmb()	barrier()	/* loads are made in order */

/* Pairs with smp_load_acquire(). */
#define smp_store_release(ptr, val)	\
	({ barrier(); WRITE_ONCE(*(ptr), val); })
/* Pairs with smp_store_release(). */
#define smp_load_acquire(ptr)		\
	({ typeof(*(ptr)) _v = READ_ONCE(*(ptr)); barrier(); _v; })

#endif /* _SS_ASM_BARRIER_H */
