// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: requests of several lines, and where they are wrong.
 */

#include <linux/errno.h>
#include <linux/string.h>
#include <linux/ltt/escape.h>

#include "spot.h"

/**
 * ltt_spot_next_line() - go through the lines of a request
 * @place:	where the line is; zeroed before the first one, but for @place->error
 * @text:	what is left of the request, which is cut up
 *
 * Empty lines and those that begin with # are left out, and counted.
 *
 * Context: any.
 * Return: the line without the blanks around it; NULL if there are no more.
 */
char *ltt_spot_next_line(struct ltt_spot *place, char **text)
{
	char *begin, *line;

	while ((begin = strsep(text, "\n"))) {
		place->begin = begin;
		place->number++;
		line = strim(begin);
		if (*line && *line != '#')
			return line;
	}
	return NULL;
}

/**
 * ltt_spot_check_text() - is a text shown as it is, so that it can be written back?
 * @place:	where it is
 * @text:	the text, a part of the line
 *
 * Context: task.
 * Return: 0, -EINVAL.
 */
int ltt_spot_check_text(const struct ltt_spot *place, const char *text)
{
	char shown[LTT_ESCAPE_MAX];
	unsigned int used;

	for (; *text; text += used) {
		ltt_escape_char(shown, (const u8 *)text, strlen(text), &used);
		if (*shown == '\\' && *text != '\\')
			return ltt_fail_at(place, text, -EINVAL, "not a printable character");
	}
	return 0;
}
