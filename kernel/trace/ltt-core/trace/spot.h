/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: requests of several lines, and where they are wrong.
 */
#ifndef _LTT_SPOT_H
#define _LTT_SPOT_H

#include <linux/ltt/error.h>

/**
 * struct ltt_spot - where a request is wrong
 * @begin:	of the line
 * @number:	of the line, from 1
 * @error:	receives the message; may be NULL
 */
struct ltt_spot {
	const char *begin;
	unsigned int number;
	struct ltt_error *error;
};

/* As ltt_fail(), with the line, and the column that the pointer @_at is at. */
#define ltt_fail_at(_place, _at, _err, _fmt, ...)					\
	ltt_fail((_place)->error, _err, "line %u, column %td: " _fmt, (_place)->number,	\
		 (_at) - (_place)->begin + 1, ##__VA_ARGS__)

char *ltt_spot_next_line(struct ltt_spot *place, char **text);
int ltt_spot_check_text(const struct ltt_spot *place, const char *text);

#endif /* _LTT_SPOT_H */
