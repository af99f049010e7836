// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: messages about viewers, who must not fill anybody's log.
 */

#include <err.h>
#include <stdarg.h>
#include <time.h>

#include "say.h"

/* Lines in a second. */
#define LINES_MAX	20

/**
 * say() - say something about a viewer
 * @format:	as for warnx()
 *
 * On standard error. If there is much to be said, only how much is.
 */
void say(const char *format, ...)
{
	static unsigned long lines, left_out;
	static time_t second;
	struct timespec now;
	va_list args;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec != second) {
		second = now.tv_sec;
		lines = 0;
	}
	if (lines++ >= LINES_MAX) {
		left_out++;
		return;
	}
	if (left_out)
		warnx("%lu messages left out", left_out);
	left_out = 0;
	va_start(args, format);
	vwarnx(format, args);
	va_end(args);
}
