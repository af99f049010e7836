// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what probes jump to at their end, which they seldom do. If it were inline, they would need a
 * stack frame.
 */

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ltt/ring_buffer.h>

#include "bridge.h"

/**
 * ltt_bridge_publish() - publish what nested writers have left, and enable preemption
 * @tap:	the only way into a trace
 *
 * Context: any, NMI included; preemption disabled, and enabled again.
 */
notrace void ltt_bridge_publish(const struct ltt_tap *tap)
{
	tap->publish(this_cpu_ptr(tap->buf));
	preempt_enable_notrace();
}

/**
 * ltt_bridge_preempt() - somebody else is to run
 *
 * Context: any, NMI included.
 */
notrace void ltt_bridge_preempt(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}
