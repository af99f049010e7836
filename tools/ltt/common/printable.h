/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: names of files, and whatever else was written by others, in messages.
 */
#ifndef _LTT_TOOL_PRINTABLE_H
#define _LTT_TOOL_PRINTABLE_H

#include <stdarg.h>

char *printable(const char *text);
char *printable_message(const char *format, va_list args)
	__attribute__((__format__(printf, 1, 0)));
void printable_say(const char *who, const char *format, ...)
	__attribute__((__format__(printf, 2, 3)));

#endif /* _LTT_TOOL_PRINTABLE_H */
