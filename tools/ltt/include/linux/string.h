/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_SHIM_LINUX_STRING_H
#define _LTT_SHIM_LINUX_STRING_H

#include <string.h>
#include <strings.h>

#define kstrndup(s, max, flags)	((void)(flags), strndup(s, max))

#endif
