/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: the clocks that stamp events.
 *
 * A timestamp counts nanoseconds of CLOCK_MONOTONIC from the moment it is
 * taken; nothing converts it later. What every clock guarantees, because the
 * merge of the per-CPU buffers rests on it:
 *
 * G1	On one CPU a later stamp is larger, whatever contexts, NMI included, the two
 *	are made in, and whatever channels and traces they are for. So the order of
 *	a CPU's events is that of their stamps.
 *
 * G2	If a reading on CPU A happens before (through memory) a reading or a stamp
 *	on CPU B, then B's is at least A's less ltt_clock_margin().
 *
 * A stamp is what ltt_clock_tsc(), ltt_clock_mono() or ltt_clock_counter() returns, a
 * reading what ltt_clock_now() returns. A stamp is never earlier than a reading taken
 * in its place, but may be later.
 *
 * clock.c, clock_tsc.c and clock_steer.c of kernel/trace/ltt-core/clock/ explain how each
 * clock guarantees that, and how close it is to CLOCK_MONOTONIC.
 */
#ifndef _LINUX_LTT_CLOCK_H
#define _LINUX_LTT_CLOCK_H

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/types.h>

#if defined(CONFIG_X86) && defined(CONFIG_X86_TSC)
#define LTT_HAVE_TSC
#include <asm/tsc.h>
#endif

struct seq_file;

/**
 * enum ltt_clock_id - what stamps the events of a trace
 * @LTT_CLOCK_TSC:	the CPU's time stamp counter, converted when it is read and
 *			steered to CLOCK_MONOTONIC
 * @LTT_CLOCK_MONO:	the kernel's fast CLOCK_MONOTONIC, on every machine
 * @LTT_CLOCK_COUNTER:	counts its own readings, for tests; not a time
 * @LTT_CLOCK_NR:	how many there are
 */
enum ltt_clock_id {
	LTT_CLOCK_TSC,
	LTT_CLOCK_MONO,
	LTT_CLOCK_COUNTER,
	LTT_CLOCK_NR,
};

#ifdef LTT_HAVE_TSC

/**
 * struct ltt_tsc_seg - one straight piece of the function from TSC to time
 * @tsc0:	where the piece begins, in ticks; LTT_TSC_OPEN or LTT_TSC_VOID
 *		for a piece that is not, or never will be, in force
 * @ns0:	time at @start, nanoseconds
 * @mult:	nanoseconds per tick, 32 fractional bits
 * @prev:	the piece before
 * @start:	the future value of @tsc0
 */
struct ltt_tsc_seg {
	u64				tsc0;
	u64				ns0;
	u64				mult;
	const struct ltt_tsc_seg	*prev;
	u64				start;
};

extern struct ltt_tsc_seg *ltt_tsc_newest;

u64 ltt_tsc_early(u64 tsc);

/**
 * ltt_clock_tsc_try() - read the TSC clock, if nothing has to be looked up for it
 * @t:	set to nanoseconds of CLOCK_MONOTONIC; to the counter, if false is returned
 *
 * For writers, whose fast path must not contain a call.
 *
 * Context: as for ltt_clock_tsc().
 *
 * Return: false if the newest piece has yet to begin: ask ltt_tsc_early().
 */
static __always_inline notrace bool ltt_clock_tsc_try(u64 *t)
{
	u64 tsc = rdtsc_ordered();
	const struct ltt_tsc_seg *seg;
	u64 tsc0;

	/* For the compiler, the load below depends on the counter. */
	asm volatile("" : "+m" (ltt_tsc_newest) : "r" (tsc));
	seg = READ_ONCE(ltt_tsc_newest);	/* LMM(ltt_clock_tsc_try:A) */
	tsc0 = READ_ONCE(seg->tsc0);		/* LMM(ltt_clock_tsc_try:B) */
	if (unlikely(tsc < tsc0)) {
		*t = tsc;
		return false;
	}
	/* In C, a 128-bit variable makes gcc align the stack. */
	tsc -= tsc0;
	asm("mulq %[mult]\n\t"
	    "shrdq $32, %%rdx, %%rax"
	    : "+a" (tsc), "=&d" (tsc0) : [mult] "rm" (seg->mult) : "cc");
	*t = tsc + seg->ns0;
	return true;
}

/**
 * ltt_clock_tsc() - read the TSC clock
 *
 * Context: any, NMI included. Preemption disabled, RCU watching (a piece is
 * reused one grace period after its last use), ltt_clock_get() held by someone.
 *
 * Return: nanoseconds of CLOCK_MONOTONIC.
 */
static __always_inline notrace u64 ltt_clock_tsc(void)
{
	u64 t;

	return likely(ltt_clock_tsc_try(&t)) ? t : ltt_tsc_early(t);
}

#endif /* LTT_HAVE_TSC */

u64 ltt_clock_mono(void);
u64 ltt_clock_counter(void);

#ifndef LTT_HAVE_TSC
static __always_inline notrace u64 ltt_clock_tsc(void)
{
	return ltt_clock_mono();	/* never selected */
}

static __always_inline notrace bool ltt_clock_tsc_try(u64 *t)
{
	*t = ltt_clock_mono();
	return true;
}
#endif

u64 ltt_clock_now(enum ltt_clock_id id);
const char *ltt_clock_name(enum ltt_clock_id id);
bool ltt_clock_available(enum ltt_clock_id id);
enum ltt_clock_id ltt_clock_default(void);
enum ltt_clock_id ltt_clock_current(void);
int ltt_clock_select(const char *name);
int ltt_clock_get(void);
void ltt_clock_put(void);
u64 ltt_clock_margin(enum ltt_clock_id id);

/**
 * ltt_clock_settled() - until when is all known after a grace period of RCU?
 * @id:		which clock
 *
 * Context: any, before the grace period begins.
 * Return: a timestamp, at or after which all events are whose writers have not been waited for;
 *	   0: the clock has just been started.
 */
static inline u64 ltt_clock_settled(enum ltt_clock_id id)
{
	u64 margin = ltt_clock_margin(id) + 1, now = ltt_clock_now(id);

	return now > margin ? now - margin : 0;
}

s64 ltt_clock_realtime_offset(void);
bool ltt_clock_distrusted(void);
void ltt_clock_show(struct seq_file *m);

int ltt_clock_init(void);
void ltt_clock_exit(void);

#endif /* _LINUX_LTT_CLOCK_H */
