// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's interrupts and their handlers.
 *
 * Only device interrupts: the processors' own vectors (timers, inter-processor calls) are
 * not in the table of interrupts.
 */

#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/ltt/compat.h>

#include "statedump.h"

/**
 * struct handler - what is recorded of an interrupt's handler
 * @hwirq:	number of the interrupt at its controller
 * @chip:	name of the controller
 * @action:	name of the handler; several may share an interrupt
 */
struct handler {
	unsigned long hwirq;
	char chip[32];
	char action[64];
};

/* The owners of the names may free them once the lock is released. */
static bool copy_handler(struct irq_desc *desc, unsigned int index, struct handler *handler)
{
	const struct irqaction *action;
	const struct irq_chip *chip;
	unsigned long flags;

	raw_spin_lock_irqsave(&desc->lock, flags);
	for (action = desc->action; action && index; action = action->next)
		index--;
	if (action) {
		chip = desc->irq_data.chip;
		handler->hwirq = desc->irq_data.hwirq;
		strscpy(handler->chip, chip && chip->name ? chip->name : "",
			sizeof(handler->chip));
		strscpy(handler->action, action->name ?: "", sizeof(handler->action));
	}
	raw_spin_unlock_irqrestore(&desc->lock, flags);
	return action;
}

/* Return: true if interrupt @irq has a handler number @index. */
static bool get_handler(unsigned int irq, unsigned int index, struct handler *handler)
{
	struct irq_data *data;
	bool found = false;

	rcu_read_lock();		/* descriptors are freed by RCU */
	data = irq_get_irq_data(irq);
	if (data)
		found = copy_handler(irq_data_to_desc(data), index, handler);
	rcu_read_unlock();
	return found;
}

/**
 * ltt_state_irqs() - record all handlers of interrupts
 * @dump:	the dump
 *
 * Context: task, sleeps.
 */
void ltt_state_irqs(struct state_dump *dump)
{
	struct handler handler;
	unsigned int irq, i;

	if (!ltt_state_wants(dump, STATE_IRQ))
		return;
	for (irq = 0; irq < ltt_nr_irqs() && !ltt_state_cancelled(dump); irq++) {
		for (i = 0; get_handler(irq, i, &handler); i++)
			state_mark(dump, STATE_IRQ, interrupt,
				   "irq %u hwirq %lu name %s action %s", irq,
				   handler.hwirq, handler.chip, handler.action);
		cond_resched();
	}
}
