// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the event printer, if a module has registered one.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ltt/event_printer.h>

/* Protects the registration; nothing is taken inside of it. */
static DEFINE_MUTEX(printer_mutex);
static const struct ltt_event_printer *registered;

/**
 * ltt_event_printer_register() - register the event printer
 * @printer:	the printer
 *
 * Context: task, may sleep.
 * Return: 0, or -EBUSY if there is one already.
 */
int ltt_event_printer_register(const struct ltt_event_printer *printer)
{
	int err = 0;

	mutex_lock(&printer_mutex);
	if (registered)
		err = -EBUSY;
	else
		registered = printer;
	mutex_unlock(&printer_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_event_printer_register);

/**
 * ltt_event_printer_unregister() - undo ltt_event_printer_register()
 * @printer:	the printer; not in use, as its module is being removed
 *
 * Context: task, may sleep.
 */
void ltt_event_printer_unregister(const struct ltt_event_printer *printer)
{
	mutex_lock(&printer_mutex);
	if (registered == printer)
		registered = NULL;
	mutex_unlock(&printer_mutex);
}
EXPORT_SYMBOL_GPL(ltt_event_printer_unregister);

/**
 * ltt_event_printer_get() - get the printer
 *
 * Context: task, may sleep.
 * Return: the printer, to be given back by ltt_event_printer_put(); NULL if there is none.
 */
const struct ltt_event_printer *ltt_event_printer_get(void)
{
	const struct ltt_event_printer *printer;

	mutex_lock(&printer_mutex);
	printer = registered;
	if (printer && !try_module_get(printer->owner))
		printer = NULL;
	mutex_unlock(&printer_mutex);
	return printer;
}
EXPORT_SYMBOL_GPL(ltt_event_printer_get);

/**
 * ltt_event_printer_put() - put the printer
 * @printer:	what ltt_event_printer_get() returned
 *
 * Context: task.
 */
void ltt_event_printer_put(const struct ltt_event_printer *printer)
{
	if (printer)
		module_put(printer->owner);
}
EXPORT_SYMBOL_GPL(ltt_event_printer_put);
