/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a trace directory whose writer was killed.
 */
#ifndef _LTT_TOOL_REPAIR_H
#define _LTT_TOOL_REPAIR_H

int repair_directory(const char *path);

#endif /* _LTT_TOOL_REPAIR_H */
