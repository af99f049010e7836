/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SS_LINUX_CACHE_H
#define _SS_LINUX_CACHE_H

#include <linux/compiler.h>

#define ____cacheline_aligned	__aligned(64)

#endif /* _SS_LINUX_CACHE_H */
