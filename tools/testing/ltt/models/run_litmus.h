/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the C form of a litmus test consists of, see litmus_c.py: the kernel's names for
 * ordered accesses, in terms of C11's as the kernel's memory model has them.
 */
#ifndef _RUN_LITMUS_H
#define _RUN_LITMUS_H

#include <pthread.h>

#define MAX_THREADS	3
#define MAX_REGISTERS	4

/**
 * struct variant - a litmus test, or one with a barrier less
 * @thread:	what each thread does, once
 * @init:	the state before
 * @exists:	has what is forbidden happened?
 * @name:	test and barrier
 * @weak:	a barrier is missing
 * @plain:	has accesses that are not marked, which ThreadSanitizer watches
 * @nr:		number of threads
 */
struct variant {
	void (*thread[MAX_THREADS])(void);
	void (*init)(void);
	int (*exists)(void);
	const char *name;
	int weak;
	int plain;
	int nr;
};

extern const struct variant variants[];
extern long litmus_saved[MAX_THREADS][MAX_REGISTERS];
extern pthread_rwlock_t litmus_rcu;

#define SAVE(t, r, value)	(litmus_saved[t][r] = (long)(value))
#define SAVED(t, r)		(litmus_saved[t][r])

typedef int atomic_t;

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
/* Barriers are paired in the tests. */
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE) /* see there */
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE) /* see there */
#define rcu_dereference(p)	__atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define rcu_assign_pointer(p, v) __atomic_store_n(&(p), v, __ATOMIC_RELEASE)

#define atomic_read(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define atomic_read_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define atomic_inc_return(p)	__atomic_add_fetch(p, 1, __ATOMIC_SEQ_CST)
#define atomic_dec_return(p)	__atomic_sub_fetch(p, 1, __ATOMIC_SEQ_CST)
#define atomic_inc_return_relaxed(p) __atomic_add_fetch(p, 1, __ATOMIC_RELAXED)

#define cmpxchg(p, old, new)						\
({									\
	int __seen = (old);						\
									\
	__atomic_compare_exchange_n(p, &__seen, new, 0, __ATOMIC_SEQ_CST, \
				    __ATOMIC_SEQ_CST);			\
	__seen;								\
})

/* What a cmpxchg is not. */
#define load_then_store(p, old, new)					\
({									\
	int __seen = READ_ONCE(*(p));					\
									\
	if (__seen == (old))						\
		WRITE_ONCE(*(p), new);					\
	__seen;								\
})

#ifdef __SANITIZE_THREAD__
/* Called by the sanitizer. */
const char *__tsan_default_options(void);
void __tsan_on_report(void *report);

#define READ_ONCE_RMB(x)	__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define WMB_WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELEASE)
#define smp_mb()		((void)0)	/* no test of plain accesses has one */
#else
#define READ_ONCE_RMB(x)						\
({									\
	__auto_type __value = READ_ONCE(x);				\
									\
	__atomic_thread_fence(__ATOMIC_ACQUIRE);			\
	__value;							\
})
#define WMB_WRITE_ONCE(x, v)						\
do {									\
	__atomic_thread_fence(__ATOMIC_RELEASE);			\
	WRITE_ONCE(x, v);						\
} while (0)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST) /* see there */
#endif

/* A grace period is to have the lock that all sections share. */
#define rcu_read_lock()		((void)pthread_rwlock_rdlock(&litmus_rcu))
#define rcu_read_unlock()	((void)pthread_rwlock_unlock(&litmus_rcu))
#define synchronize_rcu()						\
do {									\
	pthread_rwlock_wrlock(&litmus_rcu);				\
	pthread_rwlock_unlock(&litmus_rcu);				\
} while (0)

#endif /* _RUN_LITMUS_H */
