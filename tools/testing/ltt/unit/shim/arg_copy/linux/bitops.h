/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_BITOPS_H
#define _LTT_SHIM_LINUX_BITOPS_H

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

#endif
