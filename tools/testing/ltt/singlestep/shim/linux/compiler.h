/* SPDX-License-Identifier: GPL-2.0 */
/* What the ring buffer needs more than the other shared code. */
#ifndef _SS_LINUX_COMPILER_H
#define _SS_LINUX_COMPILER_H

#include_next <linux/compiler.h>
#include <linux/types.h>

#define data_race(x)	({ x; })	/* nothing looks for them here */
#define notrace
#define __percpu

#endif /* _SS_LINUX_COMPILER_H */
