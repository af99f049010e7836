// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: markers of interrupts and softirqs.
 */

#include <linux/interrupt.h>
#include <trace/events/irq.h>

#include "tracepoint.h"

static void probe_irq_handler_entry(void *data, int irq, struct irqaction *action)
{
	LTT_TRACEPOINT(irq, irq_handler_entry, "irq %d name %s", irq, action->name);
}

LTT_PROBE_CHECK(irq_handler_entry)

static void probe_irq_handler_exit(void *data, int irq, struct irqaction *action,
				   int ret)
{
	LTT_TRACEPOINT(irq, irq_handler_exit,
		       "irq %d ret %d{0=unhandled,1=handled,2=wake_thread}",
		       irq, ret);
}

LTT_PROBE_CHECK(irq_handler_exit)

#define LTT_SOFTIRQ_FORMAT						\
	"vec %u{0=HI,1=TIMER,2=NET_TX,3=NET_RX,4=BLOCK,5=IRQ_POLL,6=TASKLET,7=SCHED,8=HRTIMER,9=RCU}"

static void probe_softirq_entry(void *data, unsigned int vec)
{
	LTT_TRACEPOINT(irq, softirq_entry, LTT_SOFTIRQ_FORMAT, vec);
}

LTT_PROBE_CHECK(softirq_entry)

static void probe_softirq_exit(void *data, unsigned int vec)
{
	LTT_TRACEPOINT(irq, softirq_exit, LTT_SOFTIRQ_FORMAT, vec);
}

LTT_PROBE_CHECK(softirq_exit)

struct ltt_probe ltt_irq_probes[] = {
	LTT_PROBE(irq_handler_entry),
	LTT_PROBE(irq_handler_exit),
	LTT_PROBE(softirq_entry),
	LTT_PROBE(softirq_exit),
	{}
};
