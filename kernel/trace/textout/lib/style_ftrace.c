// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: text style "ftrace", which shows events as ftrace does.
 *
 * Time, CPU and name are as in style "format". The rest is the output of the event printer,
 * if there is one that knows the event, followed by the context. Everything else is as
 * in style "format".
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ltt/event_printer.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "style.h"

/**
 * struct words - the printer of an output
 * @printer:	the printer
 * @state:	state of the printer
 */
struct words {
	const struct ltt_event_printer *printer;
	void *state;
};

static int ftrace_open(struct ltt_textbuf *out)
{
	const struct ltt_event_printer *printer = ltt_event_printer_get();
	struct words *words;
	int err = -ENOMEM;

	if (!printer)
		return 0;
	words = kzalloc(sizeof(*words), GFP_KERNEL);
	if (!words)
		goto put;
	words->printer = printer;
	words->state = printer->open();
	if (IS_ERR(words->state)) {
		err = PTR_ERR(words->state);
		goto free;
	}
	out->state = words;
	return 0;

free:
	kfree(words);
put:
	ltt_event_printer_put(printer);
	return err;
}

static void ftrace_close(struct ltt_textbuf *out)
{
	struct words *words = out->state;

	if (!words)
		return;
	words->printer->close(words->state);
	ltt_event_printer_put(words->printer);
	kfree(words);
	out->state = NULL;
}

/* " pid 17 comm cat", of a context that is known to be complete. */
static int put_context(struct ltt_textbuf *out, const struct ltt_format *context, const u8 *p,
		       size_t avail)
{
	const struct ltt_field *field = context->fields;
	const struct ltt_field *end = field + context->nr_fields;
	long len;

	if (ltt_render_text(out, " "))
		return -ENOSPC;
	for (; field < end; field++, p += len, avail -= len) {
		if (ltt_render_plain(out, field->lit, field->lit_len))
			return -ENOSPC;
		len = ltt_render_field(out, field, p, avail, false);
		if (len < 0)
			return len;
	}
	return ltt_render_plain(out, context->tail, context->tail_len);
}

static int put_line(struct ltt_textbuf *out, const struct ltt_event_text *text,
		    const struct ltt_cpu_text *cpu, u64 ts, const u8 *payload, size_t skip,
		    const char *words, size_t nr)
{
	return ltt_render_time(out, ts) ?:
	       ltt_render_plain(out, cpu->text, cpu->len) ?:
	       ltt_render_plain(out, text->name, text->name_len) ?:
	       ltt_render_text(out, ": ") ?:
	       ltt_render_escaped(out, (const u8 *)words, nr) ?:
	       (text->context ? put_context(out, text->context, payload, skip) : 0) ?:
	       ltt_render_text(out, "\n");
}

/*
 * Printers need complete events in this machine's byte order, and of this boot: they look at what
 * pointers lead to, and for the names of functions.
 */
static long ftrace_event(struct ltt_textbuf *out, const struct ltt_event_text *text,
			 const struct ltt_cpu_text *cpu, u64 ts,
			 const u8 *payload, size_t avail, bool swap)
{
	const struct words *words = out->state;
	long skip = 0, size, nr;
	char *start = out->pos;
	const char *said;
	int err;

	if (!words || swap || out->boot)
		return ltt_render_event(out, text, cpu, ts, payload, avail, swap);
	if (text->context)
		skip = ltt_payload_size(text->context, payload, avail, false);
	if (skip < 0)
		return skip;
	size = ltt_payload_size(text->format, payload + skip, avail - skip, false);
	if (size < 0)
		return size;
	nr = words->printer->print(words->state, text->event, ts, payload + skip, size,
				   &said);
	if (nr == -ENOENT)
		return ltt_render_event(out, text, cpu, ts, payload, avail, false);
	if (nr < 0)
		return nr;
	err = put_line(out, text, cpu, ts, payload, skip, said, nr);
	if (!err)
		return skip + size;
	out->pos = start;
	return err;
}

const struct ltt_text_style ltt_style_ftrace = {
	.name = "ftrace",
	.live = true,
	.open = ftrace_open,
	.close = ftrace_close,
	.program = ltt_format_program,
	.notices = &ltt_format_notices,
	.event = ftrace_event,
};
