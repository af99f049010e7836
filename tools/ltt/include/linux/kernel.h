/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_KERNEL_H
#define _LTT_SHIM_LINUX_KERNEL_H

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define U64_MAX		((u64)~0ull)
#define U16_MAX		((u16)~0u)
#define U32_MAX		((u32)~0u)
#define S64_MAX		((s64)(U64_MAX >> 1))
#define S64_MIN		(-S64_MAX - 1)

#define swap(a, b) \
	do { __typeof__(a) _a = (a); (a) = (b); (b) = _a; } while (0)

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); \
		     (void)(&_a == &_b); _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); \
		     (void)(&_a == &_b); _a > _b ? _a : _b; })
#define min_t(t, a, b) ({ t _a = (a); t _b = (b); _a < _b ? _a : _b; })
#define max_t(t, a, b) ({ t _a = (a); t _b = (b); _a > _b ? _a : _b; })

#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))

#endif
