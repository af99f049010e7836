// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the clocks, which of them is in use, and their care.
 *
 * DOC: guarantees
 *
 * G1 and G2 are defined in <linux/ltt/clock.h>.
 *
 * tsc: one function of the counter, non-decreasing, and the same on all CPUs at
 *	all times (clock_tsc.c). G1 and G2 are thus those of the counter. G1: a
 *	CPU's counter does not go backwards, and rdtsc_ordered() is not executed
 *	ahead of what precedes it. G2: where the kernel finds counters out of
 *	step it marks them unstable, and this clock is not offered. What can
 *	remain is less than its warp test can see: each CPU is compared with one
 *	other by passing a cache line to and fro. So two CPUs may differ by up
 *	to two such passages, some 100 ns on the largest machines: the margin is
 *	1 us.
 *
 * mono: ktime_get_mono_fast_ns(). When the kernel lowers the rate, a reader that
 *	is using the old base while the new one is being written is ahead of
 *	those after it, by the difference of the rates times the duration of
 *	that write. G1: per CPU, the largest value so far is kept and returned
 *	instead. G2: rates differ by at most 1000 ppm when NTP steers by its
 *	limits, and by 22 % at the most the timekeeping core allows. The write
 *	takes less than a microsecond, unless the CPU is stopped in it by its
 *	hypervisor: the margin of 1 ms allows for 1 s of that at 1000 ppm, and
 *	4.5 ms at 22 %.
 *	It needs no synchronised TSCs: where they aren't, the kernel reads a
 *	global device instead, at a higher cost.
 *
 * counter: one atomic word, so later readings are larger. The margin is 0.
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
#define pr_fmt(fmt) "ltt: " fmt

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ltt/clock.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/syscore_ops.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "clock_tsc.h"

/* See "guarantees". */
#define TSC_MARGIN_NS	1000
#define MONO_MARGIN_NS	1000000

static const char * const names[LTT_CLOCK_NR] = {
	[LTT_CLOCK_TSC]		= "tsc",
	[LTT_CLOCK_MONO]	= "mono",
	[LTT_CLOCK_COUNTER]	= "counter",
};

/* Protects current_clock and users; steering is started and ended under it. */
static DEFINE_MUTEX(clock_lock);

/* Clock of new traces. Invariant: does not change while users is not 0. */
static enum ltt_clock_id current_clock = LTT_CLOCK_MONO;
static unsigned int users;

/* The TSC was in use, and became unstable. */
static bool distrusted;

/* --- tsc ------------------------------------------------------------- */

#ifdef LTT_HAVE_TSC

/* A new piece of the function begins this long after it is published ... */
#define TSC_LEAD_NS	20000000
/* ... and must be visible this long before it begins. */
#define TSC_GUARD_NS	1000000
/* Time stops this long after the suspend callback begins. */
#define TSC_FREEZE_NS	100000

#define TSC_TRIES	8

static void steer(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(steer_work, steer);

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
	struct system_time_snapshot snap;
	int i;

	for (i = 0; i < 4; i++) {
		u64 before = rdtsc_ordered();

		ktime_get_snapshot(&snap);
		if (snap.cycles < before || snap.cycles > rdtsc_ordered())
			return false;
	}
	return true;
}

/*
 * A counter that neither stops nor changes its rate, and that the kernel has
 * not found fault with; or which the kernel uses itself.
 */
static bool tsc_available(void)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz || check_tsc_unstable())
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

		synchronize_rcu();

		raw_spin_lock_irqsave(&tsc_lock, flags);
		if (epoch == tsc.epoch) {
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

/* No one reads the clock, and the caller holds clock_lock. */
static void steer_start(void)
{
	struct ltt_tsc_pair pair;
	unsigned long flags;

	/* Whoever read it before has finished. */
	synchronize_rcu();

	raw_spin_lock_irqsave(&tsc_lock, flags);
	tsc.ahead = 0;
	look(&pair);
	tsc.rate = ltt_tsc_rate(&tsc.last, &pair, tsc.nominal, tsc.nominal);
	tsc.last = pair;
	ltt_tsc_restart(pair.tsc, pair.mono, tsc.rate);
	tsc.active = true;
	raw_spin_unlock_irqrestore(&tsc_lock, flags);

	schedule_delayed_work(&steer_work, HZ / 5);
}

static void steer_stop(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	tsc.active = false;
	raw_spin_unlock_irqrestore(&tsc_lock, flags);

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
static int steer_suspend(void)
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

static void steer_resume(void)
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

static struct syscore_ops steer_syscore_ops = {
	.suspend	= steer_suspend,
	.resume		= steer_resume,
};

static void steer_init(void)
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

	register_syscore_ops(&steer_syscore_ops);
}

static void steer_exit(void)
{
	if (tsc_khz)
		unregister_syscore_ops(&steer_syscore_ops);
}

static u64 steer_ahead(void)
{
	return READ_ONCE(tsc.ahead);
}

#else /* !LTT_HAVE_TSC */

static bool tsc_available(void)
{
	return false;
}

static void steer_start(void) { }
static void steer_stop(void) { }
static void steer_init(void) { }
static void steer_exit(void) { }

static u64 steer_ahead(void)
{
	return 0;
}

#endif /* LTT_HAVE_TSC */

/* --- mono and counter ------------------------------------------------ */

static DEFINE_PER_CPU(u64, mono_last);

/**
 * ltt_clock_mono() - read the kernel's fast CLOCK_MONOTONIC, non-decreasing per CPU
 *
 * Context: any, NMI included. Preemption disabled.
 *
 * Return: nanoseconds of CLOCK_MONOTONIC.
 */
notrace u64 ltt_clock_mono(void)
{
	u64 last, now;

	/*
	 * Whoever interrupts this between the two instructions either leaves
	 * mono_last alone, and then has not returned more than it, or makes the
	 * exchange fail.
	 */
	do {
		last = this_cpu_read(mono_last);
		now = ktime_get_mono_fast_ns();
		if (now <= last)
			return last;
	} while (this_cpu_cmpxchg(mono_last, last, now) != last);
	return now;
}
EXPORT_SYMBOL_GPL(ltt_clock_mono);

static atomic64_t counter = ATOMIC64_INIT(0);

/**
 * ltt_clock_counter() - count
 *
 * Context: any, NMI included.
 *
 * Return: how often it has been called.
 */
notrace u64 ltt_clock_counter(void)
{
	return arch_atomic64_inc_return(&counter);
}
EXPORT_SYMBOL_GPL(ltt_clock_counter);

/* --- public interface ------------------------------------------------ */

/**
 * ltt_clock_name() - a clock's name
 * @id:	which one
 *
 * Return: "tsc", "mono" or "counter".
 */
const char *ltt_clock_name(enum ltt_clock_id id)
{
	return names[id];
}
EXPORT_SYMBOL_GPL(ltt_clock_name);

/**
 * ltt_clock_available() - whether this machine, now, has a clock
 * @id:	which one
 *
 * Return: true if ltt_clock_select() accepts it.
 */
bool ltt_clock_available(enum ltt_clock_id id)
{
	return id < LTT_CLOCK_NR && (id != LTT_CLOCK_TSC || tsc_available());
}
EXPORT_SYMBOL_GPL(ltt_clock_available);

/**
 * ltt_clock_default() - the best clock of this machine
 *
 * Return: tsc if the kernel trusts it, or else mono.
 */
enum ltt_clock_id ltt_clock_default(void)
{
	return tsc_available() ? LTT_CLOCK_TSC : LTT_CLOCK_MONO;
}
EXPORT_SYMBOL_GPL(ltt_clock_default);

/**
 * ltt_clock_current() - the clock of new traces
 *
 * Return: its id, which does not change while ltt_clock_get() is in effect.
 */
enum ltt_clock_id ltt_clock_current(void)
{
	return READ_ONCE(current_clock);
}
EXPORT_SYMBOL_GPL(ltt_clock_current);

/**
 * ltt_clock_select() - choose the clock of new traces
 * @name:	its name
 *
 * Context: task, may sleep.
 *
 * Return: 0; -EINVAL if there is no such clock, -ENODEV if it does not work here,
 * -EBUSY while traces use another one.
 */
int ltt_clock_select(const char *name)
{
	int id = match_string(names, LTT_CLOCK_NR, name);
	int ret = 0;

	if (id < 0)
		return -EINVAL;
	if (!ltt_clock_available(id))
		return -ENODEV;

	mutex_lock(&clock_lock);
	if (!users)
		WRITE_ONCE(current_clock, id);
	else if (id != current_clock)
		ret = -EBUSY;
	mutex_unlock(&clock_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(ltt_clock_select);

/**
 * ltt_clock_get() - begin to use the current clock
 *
 * If the current clock is no longer available, mono becomes it.
 *
 * Context: task, may sleep.
 *
 * Return: 0, and then ltt_clock_current() may be read until ltt_clock_put().
 */
int ltt_clock_get(void)
{
	mutex_lock(&clock_lock);
	if (!users) {
		if (!ltt_clock_available(current_clock))
			WRITE_ONCE(current_clock, LTT_CLOCK_MONO);
		if (current_clock == LTT_CLOCK_TSC)
			steer_start();
	}
	users++;
	mutex_unlock(&clock_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_clock_get);

/**
 * ltt_clock_put() - end what ltt_clock_get() began
 *
 * Context: task, may sleep. The caller's readings are all over.
 */
void ltt_clock_put(void)
{
	mutex_lock(&clock_lock);
	if (!WARN_ON_ONCE(!users) && !--users && current_clock == LTT_CLOCK_TSC)
		steer_stop();
	mutex_unlock(&clock_lock);
}
EXPORT_SYMBOL_GPL(ltt_clock_put);

/**
 * ltt_clock_margin() - by how much clocks of different CPUs may disagree
 * @id:	which clock
 *
 * A reader that has waited for all writers which may have stamped an event at or
 * before T has them all up to T less this margin.
 *
 * Return: nanoseconds; for the counter, 0.
 */
u64 ltt_clock_margin(enum ltt_clock_id id)
{
	switch (id) {
	case LTT_CLOCK_TSC:
		return TSC_MARGIN_NS;
	case LTT_CLOCK_COUNTER:
		return 0;
	default:
		return MONO_MARGIN_NS;
	}
}
EXPORT_SYMBOL_GPL(ltt_clock_margin);

/**
 * ltt_clock_realtime_offset() - where timestamps are in calendar time
 *
 * Context: any but NMI.
 *
 * Return: nanoseconds to add to a timestamp of the current clock to get
 * CLOCK_REALTIME, at this moment; for the counter, 0.
 */
s64 ltt_clock_realtime_offset(void)
{
	s64 offset = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_REAL));

	switch (ltt_clock_current()) {
	case LTT_CLOCK_TSC:
		return offset - steer_ahead();
	case LTT_CLOCK_COUNTER:
		return 0;
	default:
		return offset;
	}
}
EXPORT_SYMBOL_GPL(ltt_clock_realtime_offset);

/**
 * ltt_clock_distrusted() - whether the clock has lost its guarantees in use
 *
 * Return: true if running traces use the TSC, or did, when it became unstable.
 */
bool ltt_clock_distrusted(void)
{
	return READ_ONCE(distrusted);
}
EXPORT_SYMBOL_GPL(ltt_clock_distrusted);

/**
 * ltt_clock_show() - list the clocks
 * @m:	gets one line, the current clock in brackets: "tsc [mono] counter"
 */
void ltt_clock_show(struct seq_file *m)
{
	enum ltt_clock_id now = ltt_clock_current();
	const char *gap = "";
	int id;

	for (id = 0; id < LTT_CLOCK_NR; id++) {
		if (id != now && !ltt_clock_available(id))
			continue;
		seq_printf(m, id == now ? "%s[%s]" : "%s%s", gap, names[id]);
		gap = " ";
	}
	seq_putc(m, '\n');
}
EXPORT_SYMBOL_GPL(ltt_clock_show);

/**
 * ltt_clock_init() - find the machine's clocks
 *
 * Context: task, when the module is loaded.
 *
 * Return: 0.
 */
int ltt_clock_init(void)
{
	steer_init();
	WRITE_ONCE(current_clock, ltt_clock_default());
	return 0;
}

/**
 * ltt_clock_exit() - undo ltt_clock_init()
 *
 * Context: task, when nobody uses a clock any more.
 */
void ltt_clock_exit(void)
{
	steer_exit();
}
