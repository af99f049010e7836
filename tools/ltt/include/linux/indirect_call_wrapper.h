/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_INDIRECT_CALL_WRAPPER_H
#define _LTT_SHIM_LINUX_INDIRECT_CALL_WRAPPER_H

#define INDIRECT_CALL_1(f, f1, ...)	f(__VA_ARGS__)
#define INDIRECT_CALL_2(f, f2, f1, ...)	f(__VA_ARGS__)

#endif
