/* SPDX-License-Identifier: GPL-2.0 */
/* The tests begin nothing that would have to wait; a lock held twice is a bug in them. */
#ifndef _SS_LINUX_SPINLOCK_H
#define _SS_LINUX_SPINLOCK_H

#include <linux/compiler.h>

struct ss_spinlock {
	int held;
};

#define spinlock_t struct ss_spinlock

static inline void spin_lock_init(spinlock_t *lock)
{
	lock->held = 0;
}

static inline void spin_lock(spinlock_t *lock)
{
	if (READ_ONCE(lock->held))
		__builtin_trap();
	WRITE_ONCE(lock->held, 1);
	barrier();
}

static inline void spin_unlock(spinlock_t *lock)
{
	barrier();
	WRITE_ONCE(lock->held, 0);
}

#endif /* _SS_LINUX_SPINLOCK_H */
