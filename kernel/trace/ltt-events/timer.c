// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: markers of expiring timers.
 */

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <trace/events/timer.h>

#include "tracepoint.h"

static void probe_timer_expire_entry(void *data, struct timer_list *timer,
				     unsigned long baseclk)
{
	LTT_TRACEPOINT(timer, timer_expire_entry,
		       "timer %p function %ps now %lu baseclk %lu",
		       timer, timer->function, jiffies, baseclk);
}

LTT_PROBE_CHECK(timer_expire_entry)

static void probe_hrtimer_expire_entry(void *data, struct hrtimer *hrtimer,
				       ktime_t *now)
{
	LTT_TRACEPOINT(timer, hrtimer_expire_entry,
		       "hrtimer %p function %ps now %lld",
		       hrtimer, hrtimer->function, ktime_to_ns(*now));
}

LTT_PROBE_CHECK(hrtimer_expire_entry)

struct ltt_probe ltt_timer_probes[] = {
	LTT_PROBE(timer_expire_entry),
	LTT_PROBE(hrtimer_expire_entry),
	{}
};
