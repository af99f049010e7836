/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the TSC clock's care, while it is in use.
 *
 * ltt_tsc_available()	 whether it is a clock: a counter that neither stops nor
 *			 changes its rate, and that the kernel has not found fault
 *			 with; or one which the kernel uses itself. Fine enough to
 *			 tell two events of a CPU apart
 * ltt_tsc_distrusted()	 whether it became unstable while it was held
 * ltt_steer_init()	 before all else, once: take a base line for the rate
 * ltt_steer_exit()	 undo that
 * ltt_steer_start()	 begin to steer. Nobody reads the clock now. Waits for a grace period;
 *			 returns 0, or -EINTR if the caller is being killed.
 * ltt_steer_stop()	 end it; when this returns nothing is published any more
 * ltt_steer_ahead()	 ns by which the clock is ahead of CLOCK_MONOTONIC for good
 *
 * Context: task; all but ltt_tsc_*() and ltt_steer_ahead() may sleep, and the
 * caller sees to it that start and stop alternate.
 */
#ifndef _LTT_CLOCK_STEER_H
#define _LTT_CLOCK_STEER_H

#include <linux/ltt/clock.h>

#ifdef LTT_HAVE_TSC

bool ltt_tsc_available(void);
bool ltt_tsc_distrusted(void);
void ltt_steer_init(void);
void ltt_steer_exit(void);
int ltt_steer_start(void);
void ltt_steer_stop(void);
u64 ltt_steer_ahead(void);

#else

static inline bool ltt_tsc_available(void)
{
	return false;
}

static inline bool ltt_tsc_distrusted(void)
{
	return false;
}

static inline void ltt_steer_init(void) { }
static inline void ltt_steer_exit(void) { }
static inline int ltt_steer_start(void) { return 0; }
static inline void ltt_steer_stop(void) { }

static inline u64 ltt_steer_ahead(void)
{
	return 0;
}

#endif /* LTT_HAVE_TSC */

#endif /* _LTT_CLOCK_STEER_H */
