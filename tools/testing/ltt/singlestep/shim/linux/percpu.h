/* SPDX-License-Identifier: GPL-2.0 */
/* There is one CPU: the pointer is the address. */
#ifndef _SS_LINUX_PERCPU_H
#define _SS_LINUX_PERCPU_H

#define this_cpu_ptr(ptr)	(ptr)
#define this_cpu_dec(var)	((var)--)

#endif /* _SS_LINUX_PERCPU_H */
