// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: plot: the page around the data.
 */
#include <stdio.h>
#include <string.h>

#include <linux/kernel.h>

#include "plot.h"

#ifndef LTT_PLOT_PAGE
#error "LTT_PLOT_PAGE is not defined: the name of page.html"
#endif

asm(".pushsection .rodata\n"
	"plot_page: .incbin \"" LTT_PLOT_PAGE "\"\n"
	".byte 0\n"
	".popsection\n");

/* Where what is not in page.html goes. */
static const char *const marks[] = { "<!-- data -->\n", "<!-- lines -->\n" };

/**
 * page_put() - write a piece of the page
 * @nr:		which one: before the data, between these and the lines, or behind the lines
 * @to:		the file
 */
void page_put(unsigned int nr, FILE *to)
{
	const char *begin = plot_page, *end = begin + strlen(begin);

	if (nr)
		begin = strstr(begin, marks[nr - 1]) + strlen(marks[nr - 1]);
	if (nr < ARRAY_SIZE(marks))
		end = strstr(begin, marks[nr]);
	fwrite(begin, 1, end - begin, to);
}
