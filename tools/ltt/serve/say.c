// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: messages of ltt serve, which must not fill anybody's log, whatever viewers do.
 */

#include <err.h>
#include <stdarg.h>
#include <time.h>

#include "say.h"

/* Lines in a second, about each. */
#define LINES_MAX	20

/**
 * struct budget - what may be said
 * @what:	it is about
 * @second:	of the last line
 * @lines:	that there were in it
 * @left_out:	lines, since the last one that was not
 */
struct budget {
	const char *what;
	time_t second;
	unsigned int lines;
	unsigned long left_out;
};

static struct budget budgets[] = {
	[SAY_TRACE] = { .what = "traces" },
	[SAY_VIEWER] = { .what = "viewers" },
	[SAY_STRANGER] = { .what = "strangers" },
};

static void tell_left_out(enum say_about about)
{
	struct budget *budget = &budgets[about];

	if (budget->left_out)
		warnx("%lu messages about %s left out", budget->left_out, budget->what);
	budget->left_out = 0;
}

/**
 * say() - say something
 * @about:	what it is about
 * @format:	as for warnx()
 *
 * On standard error. If there is much to be said, only how much is.
 */
void say(enum say_about about, const char *format, ...)
{
	struct budget *budget = &budgets[about];
	struct timespec now;
	va_list args;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec != budget->second) {
		budget->second = now.tv_sec;
		budget->lines = 0;
	}
	if (budget->lines++ >= LINES_MAX) {
		budget->left_out++;
		return;
	}
	tell_left_out(about);
	va_start(args, format);
	vwarnx(format, args);
	va_end(args);
}

/**
 * say_left_out() - say how much was not said, at the end
 */
void say_left_out(void)
{
	enum say_about about;

	for (about = SAY_TRACE; about <= SAY_STRANGER; about++)
		tell_left_out(about);
}
