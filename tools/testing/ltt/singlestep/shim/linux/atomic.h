/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SS_LINUX_ATOMIC_H
#define _SS_LINUX_ATOMIC_H

#include <linux/types.h>

#define try_cmpxchg(ptr, old, new) \
	__atomic_compare_exchange_n(ptr, old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#endif /* _SS_LINUX_ATOMIC_H */
