/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: refusing a request, and saying why. The bottom of LTT: uses nothing else of it.
 */
#ifndef _LINUX_LTT_ERROR_H
#define _LINUX_LTT_ERROR_H

#include <linux/compiler.h>
#include <linux/types.h>

struct ltt_error_log;

/*
 * Where a request failed and why, for error_log. Functions that take one may get
 * NULL. Filled in only on failure.
 */
struct ltt_error {
	char text[240];
};

__printf(3, 4)
int ltt_fail(struct ltt_error *error, int err, const char *fmt, ...);

__printf(2, 3)
void ltt_log_error(struct ltt_error_log *log, const char *fmt, ...);

#endif /* _LINUX_LTT_ERROR_H */
