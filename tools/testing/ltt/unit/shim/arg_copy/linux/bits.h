/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_BITS_H
#define _LTT_SHIM_LINUX_BITS_H

#define BIT(n)		(1ul << (n))

#endif
