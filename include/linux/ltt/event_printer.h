/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: events that print themselves, for text style "ftrace".
 *
 * A module that makes markers of events with a print function of their own can register a
 * printer. The printer is tried for each event; events it does not know are shown in their
 * marker's format.
 */
#ifndef _LINUX_LTT_EVENT_PRINTER_H
#define _LINUX_LTT_EVENT_PRINTER_H

#include <linux/types.h>

struct ltt_event;
struct module;

/**
 * struct ltt_event_printer - prints events
 * @owner:	module of the functions; pinned while they are in use
 * @open:	allocates what @print needs for one user, or returns an ERR_PTR(). Context:
 *		task, may sleep
 * @close:	frees it. Context: task, may sleep
 * @print:	sets @text to the text of an event, any bytes, valid until the next call;
 *		@ts is its time, @payload its fields, @size bytes. Addresses must be shown
 *		with ltt_symbol_print_cached(). Returns the length of the text; -ENOENT: not
 *		an event of this printer; -EBADMSG: the fields do not fit the event. Context:
 *		task, may sleep
 */
struct ltt_event_printer {
	struct module *owner;
	void *(*open)(void);
	void (*close)(void *state);
	long (*print)(void *state, const struct ltt_event *event, u64 ts,
		      const void *payload, size_t size, const char **text);
};

int ltt_event_printer_register(const struct ltt_event_printer *printer);
void ltt_event_printer_unregister(const struct ltt_event_printer *printer);
const struct ltt_event_printer *ltt_event_printer_get(void);
void ltt_event_printer_put(const struct ltt_event_printer *printer);

#endif /* _LINUX_LTT_EVENT_PRINTER_H */
