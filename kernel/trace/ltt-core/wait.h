/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: waiting for writers on behalf of a user.
 */
#ifndef _LTT_WAIT_H
#define _LTT_WAIT_H

#include <linux/types.h>

int ltt_wait_writers(const bool *give_up);

#endif /* _LTT_WAIT_H */
