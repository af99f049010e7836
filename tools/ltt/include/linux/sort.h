/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_SORT_H
#define _LTT_SHIM_LINUX_SORT_H

#include <stdlib.h>

static inline void sort(void *base, size_t nr, size_t size,
			int (*compare)(const void *a, const void *b), void *no_swap)
{
	(void)no_swap;
	qsort(base, nr, size, compare);
}

#endif
