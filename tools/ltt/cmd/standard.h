/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: standard input, output and error.
 */
#ifndef _LTT_TOOL_STANDARD_H
#define _LTT_TOOL_STANDARD_H

int standard_open(void);	/* and closes stdout at exit */

#endif /* _LTT_TOOL_STANDARD_H */
