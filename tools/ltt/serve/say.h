/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: messages about viewers.
 */
#ifndef _LTT_TOOL_SERVE_SAY_H
#define _LTT_TOOL_SERVE_SAY_H

__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif /* _LTT_TOOL_SERVE_SAY_H */
