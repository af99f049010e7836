/* SPDX-License-Identifier: GPL-2.0 */
/* On machines other than x86-64 the ring buffer needs this, too. */
#ifndef _MAKER_LINUX_ATOMIC_H
#define _MAKER_LINUX_ATOMIC_H

static inline unsigned long maker_cmpxchg(unsigned long *ptr, unsigned long old,
					  unsigned long new)
{
	unsigned long seen = *ptr;

	if (seen == old)
		*ptr = new;
	return seen;
}

#define try_cmpxchg(ptr, old, new) \
	__atomic_compare_exchange_n(ptr, old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define cmpxchg_local(ptr, old, new)	maker_cmpxchg(ptr, old, new)

#endif /* _MAKER_LINUX_ATOMIC_H */
