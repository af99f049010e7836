/* SPDX-License-Identifier: GPL-2.0 */
/* There is one CPU: the pointer is the address. */
#ifndef _SS_LINUX_PERCPU_H
#define _SS_LINUX_PERCPU_H

#define this_cpu_ptr(ptr)	(ptr)

#endif /* _SS_LINUX_PERCPU_H */
