// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the clocks, and which of them is in use.
 *
 * How the tsc clock keeps near to CLOCK_MONOTONIC is told in clock_steer.c.
 *
 * DOC: guarantees
 *
 * G1 and G2 are defined in <linux/ltt/clock.h>.
 *
 * tsc: one function of the counter, non-decreasing, and the same on all CPUs at
 *	all times (clock_tsc.c). G1 and G2 are thus those of the counter. G1: a
 *	CPU's counter does not go backwards, and rdtsc_ordered() is not executed
 *	ahead of what precedes it. Between two stamps of a CPU at least one event
 *	is reserved, stored and committed, and the counter is read once more: some
 *	60 instructions and a fence, which no processor does in less than
 *	TSC_EVENT_NS. A counter that ticks at least so often differs between the
 *	two, and so do their nanoseconds. ltt_tsc_available() refuses slower ones.
 *	The exception is a time that stands still: after steer_suspend() the last
 *	CPU that is online gives the same stamp to all its events.
 *	G2: where the kernel finds counters out of
 *	step it marks them unstable, and this clock is not offered. What can
 *	remain is less than its warp test can see: each CPU is compared with one
 *	other by passing a cache line to and fro. So two CPUs may differ by up
 *	to two such passages, some 100 ns on the largest machines: the margin is
 *	1 us.
 *
 * mono: ktime_get_mono_fast_ns(). When the kernel lowers the rate, a reader that
 *	is using the old base while the new one is being written is ahead of
 *	those after it, by the difference of the rates times the duration of
 *	that write. And its clocksource may be coarse: acpi_pm ticks every 280 ns,
 *	jiffies every few ms. G1: per CPU, the last stamp is kept, and the next is
 *	at least 1 ns later. How far can that lead to? Let the clock be right but
 *	for being rounded down to its ticks. If the last stamp was not after the
 *	true time, then neither is the next one, as no two stamps are made within
 *	a nanosecond. So a stamp is ahead of what the clock says by less than a tick,
 *	however many events there are, and never ahead of the time that the clock
 *	would say if it were finer.
 *	G2 is about what the clock says, from which ltt_clock_now() takes its
 *	time: a stamp that is ahead is only later than it has to be. Rates
 *	differ by at most 1000 ppm when NTP steers by its limits, and by 22 % at
 *	the most the timekeeping core allows. The write takes less than a
 *	microsecond, unless the CPU is stopped in it by its hypervisor: the
 *	margin of 1 ms allows for 1 s of that at 1000 ppm, and 4.5 ms at 22 %.
 *	It needs no synchronised TSCs: where they aren't, the kernel reads a
 *	global device instead, at a higher cost.
 *
 * counter: one atomic word, so later readings are larger. The margin is 0. With the
 *	parameter counter_skew, CPU n is ahead by n times so much, for tests of what
 *	margins are for: the promises then hold with a counter_margin of the largest
 *	difference between two CPUs, and can be seen broken with a smaller one.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/compat.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "clock_steer.h"

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

/* --- mono and counter ------------------------------------------------ */

static DEFINE_PER_CPU(u64, mono_last);

/**
 * ltt_clock_mono() - stamp an event with the kernel's fast CLOCK_MONOTONIC
 *
 * Context: any, NMI included. Preemption disabled.
 *
 * Return: nanoseconds of CLOCK_MONOTONIC, later than all stamps of this CPU before.
 */
notrace u64 ltt_clock_mono(void)
{
	u64 last, now;

	/*
	 * A stamp that is made in an interrupt between the two instructions changes
	 * mono_last, and makes the exchange fail.
	 */
	do {
		last = this_cpu_read(mono_last);
		now = ktime_get_mono_fast_ns();
		if (unlikely(now <= last))
			now = last + 1;
	} while (this_cpu_cmpxchg(mono_last, last, now) != last);
	return now;
}
EXPORT_SYMBOL_GPL(ltt_clock_mono);

static unsigned int counter_skew;
module_param(counter_skew, uint, 0444);
MODULE_PARM_DESC(counter_skew, "For tests: how far the counter clock of each CPU is ahead of the previous CPU's (default: 0)");

static unsigned int counter_margin;
module_param(counter_margin, uint, 0444);
MODULE_PARM_DESC(counter_margin, "For tests: margin of the counter clock (default: 0)");

static atomic64_t counter = ATOMIC64_INIT(0);

static DEFINE_PER_CPU(u64, counter_ahead);

/**
 * ltt_clock_counter() - count
 *
 * Context: any, NMI included. Preemption disabled.
 *
 * Return: how often it has been called, and what this CPU is ahead (counter_skew).
 */
notrace u64 ltt_clock_counter(void)
{
	return ltt_raw_atomic64_inc_return(&counter) + this_cpu_read(counter_ahead);
}

/* --- public interface ------------------------------------------------ */

/**
 * ltt_clock_now() - what time is it?
 * @id:	clock to read
 *
 * For readers. What is stamped after this, on whatever CPU, is not earlier by more than
 * the margin. Not for stamps: two readings may be equal. And a stamp is not for this:
 * it may be ahead of the clock, and those of other CPUs are not (see "guarantees").
 *
 * Context: any; someone holds ltt_clock_get().
 *
 * Return: nanoseconds of CLOCK_MONOTONIC; of the counter, its next value.
 */
u64 ltt_clock_now(enum ltt_clock_id id)
{
	u64 now;

	if (id == LTT_CLOCK_MONO)
		return ktime_get_mono_fast_ns();
	preempt_disable_notrace();
	now = id == LTT_CLOCK_TSC ? ltt_clock_tsc() : ltt_clock_counter();
	preempt_enable_notrace();
	return now;
}
EXPORT_SYMBOL_GPL(ltt_clock_now);

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
	return id < LTT_CLOCK_NR && (id != LTT_CLOCK_TSC || ltt_tsc_available());
}

/**
 * ltt_clock_default() - the best clock of this machine
 *
 * Return: tsc if the kernel trusts it, or else mono.
 */
enum ltt_clock_id ltt_clock_default(void)
{
	return ltt_tsc_available() ? LTT_CLOCK_TSC : LTT_CLOCK_MONO;
}

/**
 * ltt_clock_current() - the clock of new traces
 *
 * Return: its id, which does not change while ltt_clock_get() is in effect.
 */
enum ltt_clock_id ltt_clock_current(void)
{
	return READ_ONCE(current_clock);
}

/**
 * ltt_clock_select() - choose the clock of new traces
 * @name:	its name
 *
 * Context: task, may sleep; can be killed.
 *
 * Return: 0; -EINVAL if there is no such clock, -ENODEV if it does not work here,
 * -EBUSY while traces use another one, -EINTR.
 */
int ltt_clock_select(const char *name)
{
	int id = match_string(names, LTT_CLOCK_NR, name);
	int ret = 0;

	if (id < 0)
		return -EINVAL;
	if (!ltt_clock_available(id))
		return -ENODEV;

	if (mutex_lock_killable(&clock_lock))
		return -EINTR;
	if (!users)
		WRITE_ONCE(current_clock, id);
	else if (id != current_clock)
		ret = -EBUSY;
	mutex_unlock(&clock_lock);
	return ret;
}

/**
 * ltt_clock_get() - begin to use the current clock
 *
 * If the current clock is no longer available, mono becomes it.
 *
 * Context: task, ltt_mutex not held; the first waits for a grace period of RCU.
 *
 * Return: 0, and then ltt_clock_current() may be read until ltt_clock_put(); -EINTR if the
 * caller is being killed.
 */
int ltt_clock_get(void)
{
	int err = mutex_lock_killable(&clock_lock);

	if (err)
		return err;
	if (!users) {
		if (!ltt_clock_available(current_clock))
			WRITE_ONCE(current_clock, LTT_CLOCK_MONO);
		if (current_clock == LTT_CLOCK_TSC)
			err = ltt_steer_start();
	}
	if (!err)
		users++;
	mutex_unlock(&clock_lock);
	return err;
}

/**
 * ltt_clock_put() - end what ltt_clock_get() began
 *
 * Context: task, may sleep. The caller's readings are all over.
 */
void ltt_clock_put(void)
{
	mutex_lock(&clock_lock);
	if (!WARN_ON_ONCE(!users) && !--users && current_clock == LTT_CLOCK_TSC)
		ltt_steer_stop();
	mutex_unlock(&clock_lock);
}

/**
 * ltt_clock_margin() - by how much clocks of different CPUs may disagree
 * @id:	which clock
 *
 * A reader that has waited for all writers which may have stamped an event at or
 * before T has them all up to T less this margin.
 *
 * Return: nanoseconds; for the counter, readings (counter_margin).
 */
u64 ltt_clock_margin(enum ltt_clock_id id)
{
	switch (id) {
	case LTT_CLOCK_TSC:
		return TSC_MARGIN_NS;
	case LTT_CLOCK_COUNTER:
		return counter_margin;
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
		return offset - ltt_steer_ahead();
	case LTT_CLOCK_COUNTER:
		return 0;
	default:
		return offset;
	}
}

/**
 * ltt_clock_distrusted() - whether the clock has lost its guarantees in use
 *
 * Return: true if running traces use the TSC, or did, when it became unstable.
 */
bool ltt_clock_distrusted(void)
{
	return ltt_tsc_distrusted();
}

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

/**
 * ltt_clock_init() - find the machine's clocks
 *
 * Context: task, when the module is loaded.
 *
 * Return: 0.
 */
int ltt_clock_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(counter_ahead, cpu) = (u64)counter_skew * cpu;
	ltt_steer_init();
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
	ltt_steer_exit();
}
