// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the TSC clock's care, while it is in use.
 *
 * DOC: steering
 *
 * About once a second, while the tsc clock is held, a deferrable work compares
 * it with CLOCK_MONOTONIC, and lets the function continue with the measured rate
 * and a correction. A deferrable timer does not wake an idle CPU: the work may
 * then be hours late, and meanwhile the last measured rate is extrapolated.
 * Nothing is published while the two agree within 100 ns, as they usually do.
 *
 * An offset of more than a second does not come from rates. If the clock is
 * behind, it jumps forward. If it is ahead - as after suspend-to-idle, when
 * CLOCK_MONOTONIC stands still but the counter doesn't - it must not go back,
 * so it stays ahead of CLOCK_MONOTONIC by a constant until the last user has
 * gone, and ltt_clock_realtime_offset() takes that into account.
 *
 * Across a suspend in which the counter may be lost, time is stopped (the
 * function is constant) and goes on from where it was, or from CLOCK_MONOTONIC
 * if that is later.
 *
 * If the kernel loses its trust in the TSC after all (its watchdog did), the
 * next steering notices: one warning, ltt_clock_distrusted() so that traces can
 * say so in their output, and mono for traces that start after the running ones
 * have ended.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/ltt/compat.h>

#include "clock_steer.h"
#include "clock_tsc.h"
#include "../wait.h"

#ifdef LTT_HAVE_TSC

/* A new piece of the function begins this long after it is published ... */
#define TSC_LEAD_NS	20000000
/* ... and must be visible this long before it begins. */
#define TSC_GUARD_NS	1000000
/* Time stops this long after the suspend callback begins. */
#define TSC_FREEZE_NS	100000

#define TSC_TRIES	8

/*
 * Ticks must be shorter than the time between two stamps of a CPU, TSC_EVENT_NS, less the
 * nanosecond by which the stamps are to differ; see "guarantees" in clock.c.
 */
#define TSC_EVENT_NS	8
#define TSC_KHZ_MIN	(USEC_PER_SEC / (TSC_EVENT_NS - 1))

static void steer(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(steer_work, steer);

/* The TSC was in use, and became unstable. */
static bool distrusted;

/*
 * State of steering. The lock excludes the work and the suspend callbacks, which
 * are the publishers of clock_tsc.c.
 */
static DEFINE_RAW_SPINLOCK(tsc_lock);
static struct {
	bool			active;		/* the clock is held */
	unsigned int		epoch;		/* suspends and resumes so far */
	u64			nominal;	/* rate of tsc_khz */
	u64			rate;		/* rate measured last */
	u64			ahead;		/* of CLOCK_MONOTONIC for good, ns */
	struct ltt_tsc_pair	last;		/* where the next measurement begins */
} tsc;

/* Look at both clocks; interrupts are disabled. */
static void look(struct ltt_tsc_pair *pair)
{
	u64 best = U64_MAX;
	int i;

	for (i = 0; i < TSC_TRIES; i++) {
		u64 before = rdtsc_ordered();
		u64 mono = ktime_get_mono_fast_ns();
		u64 ticks = rdtsc_ordered() - before;

		if (ticks >= best)
			continue;
		best = ticks;
		pair->tsc = before + ticks / 2;
		pair->mono = mono + tsc.ahead;
	}
	pair->width = mul_u64_u64_shr(best, tsc.nominal, 32);
}

/* Whether CLOCK_MONOTONIC itself is made from the TSC. */
static bool timekeeping_uses_tsc(void)
{
	struct system_time_snapshot snap = {};	/* newer kernels may refuse */
	int i;

	for (i = 0; i < 4; i++) {
		u64 before = rdtsc_ordered();

		ltt_get_snapshot(&snap);
		if (snap.cycles < before || snap.cycles > rdtsc_ordered())
			return false;
	}
	return true;
}

bool ltt_tsc_available(void)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || tsc_khz < TSC_KHZ_MIN || check_tsc_unstable())
		return false;
	return (boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
		boot_cpu_has(X86_FEATURE_NONSTOP_TSC)) || timekeeping_uses_tsc();
}

/* What comes next, beginning at @pair plus TSC_LEAD_NS; tsc_lock is held. */
static void make_plan(const struct ltt_tsc_pair *pair, struct ltt_tsc_plan *plan)
{
	u64 rate = ltt_tsc_rate(&tsc.last, pair, tsc.nominal, tsc.rate);

	ltt_tsc_steer(ltt_tsc_in_force(), pair, rate,
		      pair->tsc + ltt_tsc_ticks(TSC_LEAD_NS, rate), plan);
}

/* Nobody uses the clock any more. */
static bool stopping;

/* Take a pair and act on it; returns jiffies until the next time. */
static unsigned long steer_once(void)
{
	struct ltt_tsc_plan plan;
	struct ltt_tsc_pair pair;
	unsigned long flags;
	unsigned int epoch;
	bool begun;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	look(&pair);
	epoch = tsc.epoch;
	/* Until the latest piece is in force there is nothing to correct. */
	begun = pair.tsc > ltt_tsc_in_force()->start;
	if (begun)
		make_plan(&pair, &plan);
	raw_spin_unlock_irqrestore(&tsc_lock, flags);

	if (!begun)
		return HZ / 10;
	if (plan.nr) {
		bool good = true;

		/* Who stops us does not wait for a CPU that is stuck. */
		ltt_wait_writers(&stopping);

		raw_spin_lock_irqsave(&tsc_lock, flags);
		if (epoch == tsc.epoch && tsc.active) {
			look(&pair);
			make_plan(&pair, &plan);
			if (plan.nr)
				good = ltt_tsc_publish(&plan, ltt_tsc_ticks(TSC_GUARD_NS,
									    tsc.nominal));
			if (good)
				tsc.ahead += plan.lead;
		}
		raw_spin_unlock_irqrestore(&tsc_lock, flags);
		if (!good)
			return HZ / 10;
	}

	raw_spin_lock_irqsave(&tsc_lock, flags);
	if (epoch == tsc.epoch) {
		tsc.rate = ltt_tsc_rate(&tsc.last, &pair, tsc.nominal, tsc.rate);
		tsc.last = pair;
		/* The lead applies to the next pair; so it must to this one. */
		tsc.last.mono += plan.lead;
	}
	raw_spin_unlock_irqrestore(&tsc_lock, flags);
	return HZ;
}

static void steer(struct work_struct *work)
{
	if (check_tsc_unstable() && !READ_ONCE(distrusted)) {
		WRITE_ONCE(distrusted, true);
		pr_warn("TSC has become unstable: events of running traces may be out of order; new traces will use mono\n");
	}
	schedule_delayed_work(&steer_work, steer_once());
}

int ltt_steer_start(void)
{
	struct ltt_tsc_pair pair;
	unsigned long flags;
	int err;

	/* Whoever read it before has finished. */
	err = ltt_wait_writers(NULL);
	if (err)
		return err;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	tsc.ahead = 0;
	look(&pair);
	tsc.rate = ltt_tsc_rate(&tsc.last, &pair, tsc.nominal, tsc.nominal);
	tsc.last = pair;
	ltt_tsc_restart(pair.tsc, pair.mono, tsc.rate);
	tsc.active = true;
	raw_spin_unlock_irqrestore(&tsc_lock, flags);

	WRITE_ONCE(stopping, false);
	schedule_delayed_work(&steer_work, HZ / 5);
	return 0;
}

void ltt_steer_stop(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	tsc.active = false;
	raw_spin_unlock_irqrestore(&tsc_lock, flags);

	WRITE_ONCE(stopping, true);
	cancel_delayed_work_sync(&steer_work);
}

/*
 * Last of all, on the only CPU that is online, with interrupts disabled. But an
 * NMI may read the clock at any point. First the function becomes level at a
 * point ahead, like any other change; when that has passed, the level is all
 * there is, whatever happens to the counter.
 *
 * Registered after timekeeping's operations these run before them here, and
 * after them in steer_resume(): CLOCK_MONOTONIC can be read.
 */
static int steer_suspend(LTT_SYSCORE_ARGS)
{
	struct ltt_tsc_plan plan = { .nr = 1 };
	unsigned long flags;

	if (!tsc.active)
		return 0;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	do {
		plan.line[0].start = rdtsc_ordered() +
				     ltt_tsc_ticks(TSC_FREEZE_NS, tsc.nominal);
		plan.line[0].ns0 = ltt_tsc_early(plan.line[0].start);
	} while (!ltt_tsc_publish(&plan, 0));
	while (rdtsc_ordered() < plan.line[0].start)
		cpu_relax();
	ltt_tsc_restart(0, plan.line[0].ns0, 0);
	tsc.epoch++;
	raw_spin_unlock_irqrestore(&tsc_lock, flags);
	return 0;
}

static void steer_resume(LTT_SYSCORE_ARGS)
{
	struct ltt_tsc_pair pair;
	unsigned long flags;

	if (!tsc.active)
		return;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	look(&pair);
	/* No reading was later than the level at which time has stopped. */
	ltt_tsc_restart(pair.tsc, max(pair.mono, ltt_tsc_in_force()->ns0), tsc.rate);
	tsc.last = pair;
	tsc.epoch++;
	raw_spin_unlock_irqrestore(&tsc_lock, flags);
}

LTT_DEFINE_SYSCORE(steer_syscore, steer_suspend, steer_resume);

void ltt_steer_init(void)
{
	unsigned long flags;

	if (!tsc_khz)
		return;
	tsc.nominal = div64_u64(1000000ULL << 32, tsc_khz);
	tsc.rate = tsc.nominal;

	/* The first trace comes later, and finds a base line for its rate. */
	raw_spin_lock_irqsave(&tsc_lock, flags);
	look(&tsc.last);
	raw_spin_unlock_irqrestore(&tsc_lock, flags);

	ltt_register_syscore(&steer_syscore);
}

void ltt_steer_exit(void)
{
	if (tsc_khz)
		ltt_unregister_syscore(&steer_syscore);
}

u64 ltt_steer_ahead(void)
{
	return READ_ONCE(tsc.ahead);
}

bool ltt_tsc_distrusted(void)
{
	return READ_ONCE(distrusted);
}

#endif /* LTT_HAVE_TSC */
