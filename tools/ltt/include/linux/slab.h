/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_SLAB_H
#define _LTT_SHIM_LINUX_SLAB_H

#include <stdlib.h>
#include <linux/types.h>

#define GFP_KERNEL	0

static inline void *kvmalloc(size_t size, int flags)
{
	(void)flags;
	return malloc(size);
}

static inline void *kvmalloc_array(size_t n, size_t size, int flags)
{
	size_t bytes;

	(void)flags;
	return __builtin_mul_overflow(n, size, &bytes) ? NULL : malloc(bytes);
}

static inline void *kvcalloc(size_t n, size_t size, int flags)
{
	(void)flags;
	return calloc(n, size);
}

static inline void kvfree(const void *p)
{
	free((void *)p);
}

#define kmalloc(size, flags)		kvmalloc(size, flags)
#define kzalloc(size, flags)		kvcalloc(1, size, flags)
#define kvzalloc(size, flags)		kvcalloc(1, size, flags)
#define kfree(p)			kvfree(p)

#endif
