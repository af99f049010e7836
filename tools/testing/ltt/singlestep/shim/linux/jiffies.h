/* SPDX-License-Identifier: GPL-2.0 */
/* Time passes when the test says so. */
#ifndef _SS_LINUX_JIFFIES_H
#define _SS_LINUX_JIFFIES_H

#define HZ 250

extern unsigned long ss_jiffies;

#define jiffies			ss_jiffies
#define time_after_eq(a, b)	((long)((a) - (b)) >= 0)

#endif /* _SS_LINUX_JIFFIES_H */
