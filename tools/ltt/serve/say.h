/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: messages of ltt serve.
 */
#ifndef _LTT_TOOL_SERVE_SAY_H
#define _LTT_TOOL_SERVE_SAY_H

/**
 * enum say_about - what a message is about; each is limited by itself
 * @SAY_TRACE:		what is served, and what is lost of it
 * @SAY_VIEWER:		who has seen it
 * @SAY_STRANGER:	who is refused, or does not speak the protocol
 */
enum say_about {
	SAY_TRACE,
	SAY_VIEWER,
	SAY_STRANGER,
};

__attribute__((format(printf, 2, 3))) void say(enum say_about about, const char *format, ...);
void say_left_out(void);

#endif /* _LTT_TOOL_SERVE_SAY_H */
