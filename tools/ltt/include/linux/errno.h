/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_ERRNO_H
#define _LTT_SHIM_LINUX_ERRNO_H

#include_next <linux/errno.h>
#include <errno.h>

#endif
