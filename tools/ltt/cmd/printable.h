/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: names of files, and whatever else was written by others, in messages.
 */
#ifndef _LTT_TOOL_PRINTABLE_H
#define _LTT_TOOL_PRINTABLE_H

char *printable(const char *text);

#endif /* _LTT_TOOL_PRINTABLE_H */
