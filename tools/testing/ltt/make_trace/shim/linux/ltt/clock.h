/* SPDX-License-Identifier: GPL-2.0 */
/* A clock that stands until it is set. */
#ifndef _LINUX_LTT_CLOCK_H
#define _LINUX_LTT_CLOCK_H

#include <linux/types.h>

enum ltt_clock_id {
	LTT_CLOCK_TSC,
	LTT_CLOCK_MONO,
	LTT_CLOCK_COUNTER,
};

extern u64 maker_clock;

static inline u64 ltt_clock_mono(void)
{
	return maker_clock;
}

static inline bool ltt_clock_tsc_try(u64 *t)
{
	*t = maker_clock;
	return true;
}

#define ltt_clock_tsc		ltt_clock_mono
#define ltt_clock_counter	ltt_clock_mono

#endif /* _LINUX_LTT_CLOCK_H */
