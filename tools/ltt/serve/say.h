/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: messages of ltt serve.
 */
#ifndef _LTT_TOOL_SERVE_SAY_H
#define _LTT_TOOL_SERVE_SAY_H

/**
 * enum say_about - what a message is about; there may be so many about each
 * @SAY_TRACE:	what is served, and what is lost of it
 * @SAY_VIEWER:	who asks for it, which may be anybody
 */
enum say_about {
	SAY_TRACE,
	SAY_VIEWER,
};

__attribute__((format(printf, 2, 3))) void say(enum say_about about, const char *format, ...);
void say_left_out(void);

#endif /* _LTT_TOOL_SERVE_SAY_H */
