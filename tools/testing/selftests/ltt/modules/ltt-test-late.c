// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: a module that comes and goes while traces record.
 *
 * Its marker fires in its init function, all the time it is there (from delayed
 * work), and in its exit function. Parameter "events": in init.
 */

#include <linux/module.h>
#include <linux/workqueue.h>
#include <linux/ltt/marker.h>

static unsigned int events = 100;
module_param(events, uint, 0444);

static void tick(struct work_struct *work);
static DECLARE_DELAYED_WORK(tick_work, tick);
static unsigned long seq;

static void tick(struct work_struct *work)
{
	trace_mark(ltt_late, tick, "seq %lu", seq++);
	schedule_delayed_work(&tick_work, 1);
}

static int __init ltt_test_late_init(void)
{
	unsigned int i;

	for (i = 0; i < events; i++)
		trace_mark(ltt_late, init, "number %u of %u", i, events);
	schedule_delayed_work(&tick_work, 1);
	return 0;
}

/* ftrace can trace this one, unlike the exit function. */
static noinline void ltt_test_late_end(void)
{
	cancel_delayed_work_sync(&tick_work);
	trace_mark(ltt_late, exit, "ticks %lu", seq);
}

static void __exit ltt_test_late_exit(void)
{
	ltt_test_late_end();
}

module_init(ltt_test_late_init);
module_exit(ltt_test_late_exit);

MODULE_DESCRIPTION("LTT test: comes and goes while traces record");
MODULE_LICENSE("GPL");
