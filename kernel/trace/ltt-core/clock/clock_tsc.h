/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the TSC clock's inside, shared by clock_tsc.c, clock_steer.c and the
 * user-space test.
 */
#ifndef _LTT_CLOCK_TSC_H
#define _LTT_CLOCK_TSC_H

#include <linux/ltt/clock.h>

struct ltt_tsc_seg;

/* Values of ltt_tsc_seg.tsc0 no counter reaches: undecided, and never. */
#define LTT_TSC_OPEN		(~0ULL)
#define LTT_TSC_VOID		(~0ULL - 1)

/* Newest three and a pair being built. One to spare. */
#define LTT_TSC_SEGS		6

/* One look at both clocks: at @tsc ticks it was @mono ns, give or take @width. */
struct ltt_tsc_pair {
	u64	tsc;
	u64	mono;
	u64	width;
};

/* The lines to follow from now on: one or two, in order of @start. */
struct ltt_tsc_plan {
	struct {
		u64	start;		/* ticks */
		u64	ns0;		/* at start */
		u64	mult;
	}	line[2];
	int	nr;
	u64	lead;		/* ns by which the reference was passed for good */
};

u64 ltt_tsc_at(const struct ltt_tsc_seg *seg, u64 tsc);
u64 ltt_tsc_ticks(u64 ns, u64 mult);
u64 ltt_tsc_rate(const struct ltt_tsc_pair *from, const struct ltt_tsc_pair *to,
		 u64 nominal, u64 other);
void ltt_tsc_steer(const struct ltt_tsc_seg *now, const struct ltt_tsc_pair *pair,
		   u64 rate, u64 start, struct ltt_tsc_plan *plan);

const struct ltt_tsc_seg *ltt_tsc_in_force(void);
bool ltt_tsc_publish(const struct ltt_tsc_plan *plan, u64 guard);
void ltt_tsc_restart(u64 tsc0, u64 ns0, u64 mult);

#endif /* _LTT_CLOCK_TSC_H */
