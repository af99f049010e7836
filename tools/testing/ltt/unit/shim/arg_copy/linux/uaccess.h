/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_UACCESS_H
#define _LTT_SHIM_LINUX_UACCESS_H

#include <stddef.h>
#include <stdbool.h>
#include <string.h>

/* May the kernel read these bytes? */
bool readable(const void *p, size_t size);

static inline long copy_from_kernel_nofault(void *to, const void *from, size_t size)
{
	if (!readable(from, size))
		return -1;
	memcpy(to, from, size);
	return 0;
}

#define __get_kernel_nofault(to, from, type, label)			\
do {									\
	if (copy_from_kernel_nofault(to, from, sizeof(type)))		\
		goto label;						\
} while (0)

#endif
