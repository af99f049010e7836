/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SS_LINUX_TYPES_H
#define _SS_LINUX_TYPES_H

#include_next <linux/types.h>

struct list_head {
	struct list_head *next, *prev;
};

#endif /* _SS_LINUX_TYPES_H */
