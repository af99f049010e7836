/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_EXPORT_H
#define _LTT_SHIM_LINUX_EXPORT_H

#define EXPORT_SYMBOL_GPL(symbol)	extern int ltt_shim_exported_##symbol

#endif
