/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clocks that the test sets. A reading is one instruction, so that the order of
 * readings is the order of the instructions; each reading is unlike all others,
 * so that a timestamp tells when it was taken.
 */
#ifndef _LINUX_LTT_CLOCK_H
#define _LINUX_LTT_CLOCK_H

#include <linux/compiler.h>

enum ltt_clock_id {
	LTT_CLOCK_TSC,
	LTT_CLOCK_MONO,
	LTT_CLOCK_COUNTER,
};

extern u64 ss_clock;

static __always_inline u64 ltt_clock_counter(void)
{
	u64 now = 1;

	asm volatile("xaddq %0, %1" : "+r" (now), "+m" (ss_clock) : : "memory", "cc");
	return now;
}

static __always_inline u64 ltt_clock_tsc(void)
{
	return ltt_clock_counter();
}

static __always_inline bool ltt_clock_tsc_try(u64 *t)
{
	*t = ltt_clock_counter();
	return true;
}

static __always_inline u64 ltt_clock_mono(void)
{
	return ltt_clock_counter();
}

#endif /* _LINUX_LTT_CLOCK_H */
