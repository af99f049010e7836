/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SS_LINUX_PREEMPT_H
#define _SS_LINUX_PREEMPT_H
#endif /* _SS_LINUX_PREEMPT_H */
