/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: text of events in words of their own, for text style "ftrace".
 *
 * Whoever makes markers of events that know how to print themselves can register a
 * printer. It is asked for each event; what it does not know is shown through the
 * marker's format.
 */
#ifndef _LINUX_LTT_EVENT_PRINTER_H
#define _LINUX_LTT_EVENT_PRINTER_H

#include <linux/types.h>

struct ltt_event;
struct module;

/**
 * struct ltt_event_printer - prints events
 * @owner:	module of the functions; stays while somebody uses them
 * @open:	makes what @print needs for one user; an ERR_PTR() if it cannot. Context:
 *		task, may sleep
 * @close:	frees it. Context: task, may sleep
 * @print:	stores in @text where the text of an event is, any bytes, valid until
 *		the next call; @ts is its time, @payload are its fields, @size bytes.
 *		Addresses are to be shown by ltt_symbol_print(). Returns the bytes
 *		of the text, or -ENOENT: not an event of this printer; -EBADMSG: the
 *		fields do not fit the event. Context: task, may sleep
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
