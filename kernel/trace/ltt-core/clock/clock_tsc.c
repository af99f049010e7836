// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: from TSC ticks to nanoseconds of CLOCK_MONOTONIC.
 *
 * This file is built in user space too: tools/testing/ltt/unit/test_clock.c.
 *
 * DOC: the function
 *
 * CLOCK_MONOTONIC's rate follows NTP, so a fixed factor would drift away from
 * it. The clock is therefore a chain of straight pieces, struct ltt_tsc_seg:
 *
 *	ns(tsc) = ns0 + ((tsc - start) * mult >> 32)	   from start on,
 *
 * and each piece begins where the one before it would have been:
 * ns0 = prev(start). So ns() is one function, it never decreases (mult > 0 and
 * rounding down keep the order), and if all CPUs evaluate that same function,
 * their timestamps are ordered exactly as their counters are. That is all this
 * file has to ensure; the hardware, and the kernel's judgement of it
 * (check_tsc_unstable()), has to keep the counters in step.
 *
 * The product has 128 bits: a piece stays exact for 2^64 ns (584 years) at any
 * frequency. In 24 hours without a correction, the resolution of mult costs
 * 50 us at 5 GHz.
 *
 * DOC: changing it while it is read
 *
 * A reader takes the counter, then the newest piece; when its reading lies
 * before that piece, it walks back. A new piece is published some ms before it
 * begins. If publishing were always in time, every reader with a reading at or
 * beyond start would find the piece, and every other one would walk past it.
 *
 * It is not always in time: a hypervisor may stop a CPU between any two
 * instructions, for hours. Readers would go on with the old piece beyond
 * start; if the new one is slower, time would step back when it appears. So a
 * piece is published OPEN, and later one compare-and-exchange on its tsc0
 * decides its fate, for everybody and for ever:
 *
 *	OPEN -> start	by the publisher, after it has seen that the counter,
 *			read when the piece was visible to all, was still short
 *			of start by a guard time;
 *	OPEN -> VOID	by the publisher, when it came too late, or by the first
 *			reader that needs to know, because its reading is not
 *			before start, and cannot wait for the publisher.
 *
 * A void piece is walked past; the publisher tries again. Both values are
 * larger than any counter, so the reader's fast path is the one comparison that
 * it needs anyway: tsc < tsc0 leads to ltt_tsc_early().
 *
 * Claim: any two readers with the same reading use the same piece.
 * Let the piece P be published over Q, and a reading t be given.
 *
 * - t < P.start: who finds P walks back to Q, whatever P.tsc0 is.
 * - t >= P.start, P becomes void: who finds P walks back to Q.
 * - t >= P.start, P comes into force: who finds P uses it; finding it OPEN would
 *   have made it void. Nobody can have missed P: its reader loaded the pointer
 *   before P was visible, (X) below, at counter value V at the latest. The
 *   publisher read the counter after V, and found it below P.start - guard. A
 *   reader's load runs no more than its CPU's speculation window (well below
 *   guard, 1 ms) ahead of its reading, as an interrupt or exit of the CPU throws
 *   speculation away. So t < V + guard < P.start, which was excluded.
 *
 * By induction over the pieces ns() is one function.
 *
 * Usually two pieces are published at once: a correction, which removes the
 * offset within 0.1 s to 0.8 s, and a line of the measured rate after it. The second
 * can only come into force when the first has, as the publisher decides them in
 * order. So when no steering happens for hours, because the CPU that would do
 * it is idle, what extrapolates is a measured rate and not a correction.
 *
 * DOC: reuse of pieces
 *
 * Pieces live in an array. A publisher may write to any piece which no reader
 * can reach. Readers are RCU readers (preemption is disabled). Before it picks
 * one, the publisher has seen that the counter is past the start of the piece
 * in force, F, and has waited for a grace period after that. Every reader still
 * at work began after that, so it finds the newest piece and its reading is not
 * before F.start: it touches what lies between the newest piece and F and
 * nothing older. That, at most three pieces, is what find_free() leaves alone.
 * (F is not begun when time is stopped for a suspend in the middle of a
 * correction; then there are up to four, and no readers but NMIs.)
 *
 * DOC: barriers
 *
 * LMM(ltt_tsc_publish:A), store-release of the newest pointer
 *	pairs with LMM(ltt_clock_tsc_try:A), address dependency.
 *	Whoever finds a piece finds its ns0, mult, prev and start set.
 *
 * (X) LMM(ltt_tsc_publish:B), full barrier between the store of the pointer and the
 *	reading of the counter. The store is visible to all CPUs before the
 *	counter is read: a load that is executed after that sees the piece.
 *
 * LMM(ltt_tsc_publish:C) and LMM(ltt_tsc_early:B), fully ordered cmpxchg() of
 *	one word, OPEN to something: there is one winner, and coherence shows all
 *	later readers (LMM(ltt_clock_tsc_try:B), LMM(ltt_tsc_early:A)) the same.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <asm/barrier.h>

#include "clock_tsc.h"

#ifdef LTT_HAVE_TSC

/* Offsets smaller than this are left alone. */
#define LTT_TSC_DEAD_NS		100

/* A correction takes this long if its slope allows ... */
#define LTT_TSC_SHORT_NS	100000000ULL

/* ... and never longer than this, so that it ends before the next one. */
#define LTT_TSC_LONG_NS		800000000ULL

/* Steepest correction: the rate / 1024, 977 ppm. */
#define LTT_TSC_SLOPE_SHIFT	10

/* Farther behind: jump forward. Farther ahead: stay ahead. */
#define LTT_TSC_GROSS_NS	1000000000ULL

/* A measured rate this far off the nominal one (1/8) is no rate. */
#define LTT_TSC_SANE_SHIFT	3

/* Shortest base line for a rate. */
#define LTT_TSC_BASE_NS		50000000ULL

/* A difference of the rate below 2^-24 (0.06 ppm) is left alone. */
#define LTT_TSC_SAME_SHIFT	24

static struct ltt_tsc_seg segs[LTT_TSC_SEGS] = {
	{ .prev = &segs[0] },
};

/* Read with each event; written about once a second. */
struct ltt_tsc_seg *ltt_tsc_newest ____cacheline_aligned = &segs[0];
EXPORT_SYMBOL_GPL(ltt_tsc_newest);

/**
 * ltt_tsc_at() - evaluate one piece
 * @seg:	the piece
 * @tsc:	where, in ticks
 *
 * Return: time, nanoseconds; before the piece begins, the time when it does.
 */
notrace u64 ltt_tsc_at(const struct ltt_tsc_seg *seg, u64 tsc)
{
	if (unlikely(tsc < seg->start))
		return seg->ns0;
	return mul_u64_u64_shr(tsc - seg->start, seg->mult, 32) + seg->ns0;
}

/**
 * ltt_tsc_early() - evaluate the function behind the newest piece
 * @tsc:	a reading that is less than the newest piece's tsc0
 *
 * Context: as for ltt_clock_tsc(), whose slow path it is.
 *
 * Return: time, nanoseconds.
 */
notrace u64 ltt_tsc_early(u64 tsc)
{
	struct ltt_tsc_seg *seg = READ_ONCE(ltt_tsc_newest);
	int hops;

	/*
	 * The newest, the one before it, the one in force; and one more when
	 * the clock stops for a suspend in the middle of a correction. The
	 * limit only matters if the counter goes backwards.
	 */
	for (hops = 0; hops < 4; hops++) {
		u64 tsc0 = READ_ONCE(seg->tsc0);	/* LMM(ltt_tsc_early:A) */

		if (unlikely(tsc0 == LTT_TSC_OPEN && tsc >= seg->start)) {
			/* LMM(ltt_tsc_early:B) */
			tsc0 = cmpxchg(&seg->tsc0, LTT_TSC_OPEN, LTT_TSC_VOID);
			if (tsc0 == LTT_TSC_OPEN)
				tsc0 = LTT_TSC_VOID;
		}
		if (tsc >= tsc0)
			break;
		seg = (struct ltt_tsc_seg *)seg->prev;
	}
	return ltt_tsc_at(seg, tsc);
}
EXPORT_SYMBOL_GPL(ltt_tsc_early);

/**
 * ltt_tsc_ticks() - ticks in a span of time
 * @ns:		nanoseconds, less than an hour
 * @mult:	ns per tick, 32 fractional bits
 *
 * Return: ticks, rounded down.
 */
u64 ltt_tsc_ticks(u64 ns, u64 mult)
{
	return mul_u64_u64_div_u64(ns, 1ULL << 32, mult);
}

/**
 * ltt_tsc_rate() - rate of the reference clock between two looks at it
 * @from:	earlier look
 * @to:		later look
 * @nominal:	what the rate is near to
 * @other:	what to return if they don't tell one: too near to each other,
 *		or absurd, as when CLOCK_MONOTONIC stood still in between
 *
 * Return: ns per tick, 32 fractional bits.
 */
u64 ltt_tsc_rate(const struct ltt_tsc_pair *from, const struct ltt_tsc_pair *to,
		 u64 nominal, u64 other)
{
	u64 ticks = to->tsc - from->tsc;
	u64 ns = to->mono - from->mono;
	u64 rate;

	if (to->tsc <= from->tsc || to->mono <= from->mono)
		return other;
	if (ns < LTT_TSC_BASE_NS || ns < 100000 * (from->width + to->width))
		return other;
	if (ns >> 31 >= ticks)	/* the quotient would not fit */
		return other;
	rate = mul_u64_u64_div_u64(ns, 1ULL << 32, ticks);
	if (rate > nominal + (nominal >> LTT_TSC_SANE_SHIFT) ||
	    rate < nominal - (nominal >> LTT_TSC_SANE_SHIFT))
		return other;
	return rate;
}

/**
 * ltt_tsc_steer() - find out how to go on
 * @now:	piece in force
 * @pair:	what the time is, according to both clocks; not before @now
 * @rate:	ns per tick that the reference is going at, 32 fractional bits
 * @start:	from when on a new piece may apply, ticks; after @pair
 * @plan:	the result: how many pieces (possibly none), and which
 */
void ltt_tsc_steer(const struct ltt_tsc_seg *now, const struct ltt_tsc_pair *pair,
		   u64 rate, u64 start, struct ltt_tsc_plan *plan)
{
	u64 mine = ltt_tsc_at(now, start);
	u64 want = pair->mono + mul_u64_u64_shr(start - pair->tsc, rate, 32);
	u64 off = want > mine ? want - mine : mine - want;
	u64 slip = rate > now->mult ? rate - now->mult : now->mult - rate;
	u64 span, ticks, tilt;
	int i = 0;

	plan->nr = 0;
	plan->lead = 0;

	if (off > LTT_TSC_GROSS_NS) {
		/* Not the work of a rate. So don't believe the measured one. */
		rate = now->mult;
		if (want < mine)
			plan->lead = mine - want;
		else
			mine = want;
		off = 0;
		slip = now->mult;
	}

	if (off > max_t(u64, LTT_TSC_DEAD_NS, pair->width)) {
		span = clamp_t(u64, off << LTT_TSC_SLOPE_SHIFT,
			       LTT_TSC_SHORT_NS, LTT_TSC_LONG_NS);
		off = min_t(u64, off, span >> LTT_TSC_SLOPE_SHIFT);
		ticks = ltt_tsc_ticks(span, rate);
		tilt = mul_u64_u64_div_u64(off, 1ULL << 32, ticks);

		plan->line[i].start = start;
		plan->line[i].ns0 = mine;
		plan->line[i].mult = want > mine ? rate + tilt : rate - tilt;
		mine += mul_u64_u64_shr(ticks, plan->line[i].mult, 32);
		start += ticks;
		i++;
	} else if (slip < now->mult >> LTT_TSC_SAME_SHIFT) {
		return;
	}

	plan->line[i].start = start;
	plan->line[i].ns0 = mine;
	plan->line[i].mult = rate;
	plan->nr = i + 1;
}

/**
 * ltt_tsc_in_force() - the latest piece that came or will come into force
 *
 * Context: the only publisher, or what excludes it.
 *
 * Return: the piece.
 */
const struct ltt_tsc_seg *ltt_tsc_in_force(void)
{
	const struct ltt_tsc_seg *seg = ltt_tsc_newest;

	while (READ_ONCE(seg->tsc0) >= LTT_TSC_VOID)
		seg = seg->prev;
	return seg;
}

/*
 * A piece that no reader can reach, see "reuse of pieces"; not @taken. That is
 * none between the newest and the first that has begun.
 */
static struct ltt_tsc_seg *find_free(const struct ltt_tsc_seg *taken)
{
	u64 tsc = rdtsc_ordered();
	bool used[LTT_TSC_SEGS] = {};
	const struct ltt_tsc_seg *seg = ltt_tsc_newest;
	int i;

	for (i = 0; i < LTT_TSC_SEGS; i++) {
		used[seg - segs] = true;
		if (READ_ONCE(seg->tsc0) <= tsc)
			break;
		seg = seg->prev;
	}
	for (i = 0; i < LTT_TSC_SEGS - 1; i++) {
		if (!used[i] && &segs[i] != taken)
			break;
	}
	return &segs[i];
}

/**
 * ltt_tsc_publish() - let the function go on as planned
 * @plan:	one or two pieces
 * @guard:	ticks by which the pieces must be early
 *
 * Context: one at a time, interrupts disabled. The piece in force has begun, and
 * a grace period has passed since.
 *
 * Return: true if all of the plan will be in force; false if it was too late
 * for some of it, which then never happens.
 */
bool ltt_tsc_publish(const struct ltt_tsc_plan *plan, u64 guard)
{
	const struct ltt_tsc_seg *prev = ltt_tsc_in_force();
	struct ltt_tsc_seg *seg[2] = {};
	bool good = true;
	int i;

	for (i = 0; i < plan->nr; i++) {
		seg[i] = find_free(seg[0]);
		seg[i]->ns0 = plan->line[i].ns0;
		seg[i]->mult = plan->line[i].mult;
		seg[i]->start = plan->line[i].start;
		seg[i]->prev = prev;
		WRITE_ONCE(seg[i]->tsc0, LTT_TSC_OPEN);
		prev = seg[i];
	}

	/* LMM(ltt_tsc_publish:A) */
	smp_store_release(&ltt_tsc_newest, seg[plan->nr - 1]);
	smp_mb();	/* LMM(ltt_tsc_publish:B) */

	for (i = 0; i < plan->nr; i++) {
		u64 fate = LTT_TSC_VOID;

		if (good && rdtsc_ordered() + guard < seg[i]->start)
			fate = seg[i]->start;
		/* LMM(ltt_tsc_publish:C) */
		if (cmpxchg(&seg[i]->tsc0, LTT_TSC_OPEN, fate) != LTT_TSC_OPEN ||
		    fate == LTT_TSC_VOID)
			good = false;
	}
	return good;
}

/**
 * ltt_tsc_restart() - replace the function
 * @tsc0:	where it begins, ticks; it is constant before
 * @ns0:	time there, nanoseconds
 * @mult:	ns per tick, 32 fractional bits; 0 to stop time
 *
 * Context: one at a time, interrupts disabled. Either no readers but from NMIs of this
 * CPU, and no reading so far was later than @ns0; or no readers at all.
 */
void ltt_tsc_restart(u64 tsc0, u64 ns0, u64 mult)
{
	struct ltt_tsc_seg *seg = find_free(NULL);

	seg->ns0 = ns0;
	seg->mult = mult;
	seg->start = tsc0;
	seg->prev = seg;
	WRITE_ONCE(seg->tsc0, tsc0);
	smp_store_release(&ltt_tsc_newest, seg);	/* as LMM(ltt_tsc_publish:A) */
}

#endif /* LTT_HAVE_TSC */
