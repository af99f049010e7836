/* SPDX-License-Identifier: GPL-2.0 */
/* See <linux/ltt/trace.h> beside it. */
#define this_cpu_ptr(ptr)	(ptr)
#define this_cpu_dec(var)	((var)--)
