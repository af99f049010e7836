// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: a trigger that stops a trace is held between the buffers of its own CPU and those of
 * the others, with preemption disabled at least, until "0" is written to the parameter "held".
 */

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/processor.h>

/* It is called for a trigger's own CPU first. */
static atomic_t calls;
static bool held;

module_param(held, bool, 0600);
MODULE_PARM_DESC(held, "A trigger is being held");

static int hold(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_inc_return(&calls) != 2)
		return 0;
	WRITE_ONCE(held, true);
	while (READ_ONCE(held))
		cpu_relax();
	return 0;
}

static struct kprobe probe = {
	.symbol_name	= "ltt_buffers_halt",
	.pre_handler	= hold,
};

static int __init ltt_test_halt_init(void)
{
	return register_kprobe(&probe);
}

static void __exit ltt_test_halt_exit(void)
{
	WRITE_ONCE(held, false);
	unregister_kprobe(&probe);
}

module_init(ltt_test_halt_init);
module_exit(ltt_test_halt_exit);

MODULE_DESCRIPTION("LTT test: a stop that takes its time");
MODULE_LICENSE("GPL");
