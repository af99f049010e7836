/* SPDX-License-Identifier: GPL-2.0 */
/* User space is preempted anyway. */
#ifndef _LTT_SHIM_LINUX_SCHED_H
#define _LTT_SHIM_LINUX_SCHED_H

static inline void cond_resched(void) { }

#endif /* _LTT_SHIM_LINUX_SCHED_H */
