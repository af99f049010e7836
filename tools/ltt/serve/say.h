/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: messages of ltt serve.
 */
#ifndef _LTT_TOOL_SERVE_SAY_H
#define _LTT_TOOL_SERVE_SAY_H

/**
 * enum say_about - subject of a message; each has a limit of its own
 * @SAY_TRACE:		traces, and packets that they lose
 * @SAY_VIEWER:		viewers, and packets that they miss
 * @SAY_STRANGER:	refused connections, and those that break the protocol
 */
enum say_about {
	SAY_TRACE,
	SAY_VIEWER,
	SAY_STRANGER,
};

__attribute__((format(printf, 2, 3))) void say(enum say_about about, const char *format, ...);
void say_left_out(void);

#endif /* _LTT_TOOL_SERVE_SAY_H */
