/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_BUILD_BUG_H
#define _LTT_SHIM_BUILD_BUG_H

#define static_assert(expr)	_Static_assert(expr, #expr)

#endif
