// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: text style "lttv", which shows events as the viewer of LTTng 0.x did.
 *
 *	irq.softirq_entry: 1234.567890123 (/irq_3), 17, 17, cat, , 1, 0x0, IRQ { vec = 1 }
 *
 * These are lines of LTTV 0.12's "lttv -m textDump": channel.event: time (trace/channel_cpu),
 * thread, process, name, brand, parent, function, mode { fields }. LTTV found out from other
 * events what the thread was; here the contexts tid, pid, comm, ppid and irq_state tell, and a
 * value without a context is left empty. Text.rst has all differences.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "style.h"

/* LTTV's word for a value of context irq_state. */
static long show_mode(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
		      size_t avail, bool swap)
{
	static const char *const modes[] = { NULL, "SOFT_IRQ", "IRQ" };
	long size = ltt_field_size(field, p, avail, swap, &out->value);
	const char *mode = NULL;

	if (size < 0)
		return size;
	if (field->store == LTT_STORE_INT && out->value < ARRAY_SIZE(modes))
		mode = modes[out->value];
	return ltt_render_text(out, mode ?: "MODE_UNKNOWN") ?: size;
}

/* Contexts that have a place of their own. */
enum { TID, PID, COMM, PPID, IRQ_STATE, NR_PLACES };

static const char *const places[NR_PLACES] = {
	[TID] = "tid", [PID] = "pid", [COMM] = "comm", [PPID] = "ppid",
	[IRQ_STATE] = "irq_state",
};

static bool has_place(const struct ltt_field *field)
{
	unsigned int i;

	for (i = 0; i < NR_PLACES; i++) {
		if (!strcmp(field->name, places[i]))
			return true;
	}
	return false;
}

/* The value of a context, if there is one. Return: whether there is. */
static bool build_place(struct ltt_text_builder *b, const struct ltt_format *context,
			unsigned int place)
{
	unsigned int nr, i;

	if (!context)
		return false;
	for (nr = 0; nr < context->nr_fields; nr++) {
		if (!strcmp(context->fields[nr].name, places[place]))
			break;
	}
	if (nr == context->nr_fields)
		return false;
	ltt_build_context(b);
	for (i = 0; i < nr; i++)
		ltt_build_no_field(b, context, i);
	if (place == IRQ_STATE)
		ltt_build_own_field(b, context, nr, show_mode);
	else
		ltt_build_field(b, context, nr);
	return true;
}

static void build_process(struct ltt_text_builder *b, const struct ltt_format *context)
{
	ltt_build_text(b, ", ");
	build_place(b, context, TID);
	ltt_build_text(b, ", ");
	build_place(b, context, PID);
	ltt_build_text(b, ", ");
	build_place(b, context, COMM);
	/* The brand, which nobody has; no function is known. */
	ltt_build_text(b, ", , ");
	build_place(b, context, PPID);
	ltt_build_text(b, ", 0x0, ");
	if (!build_place(b, context, IRQ_STATE))
		ltt_build_text(b, "MODE_UNKNOWN");
}

static void build_field(struct ltt_text_builder *b, const struct ltt_format *format,
			unsigned int nr)
{
	const struct ltt_field *field = &format->fields[nr];

	ltt_build_text(b, field->name);
	ltt_build_text(b, " = ");
	if (field->show == LTT_SHOW_STR || field->show == LTT_SHOW_CHAR)
		ltt_build_own_field(b, format, nr, ltt_render_field_quoted);
	else if (field->width || field->flags & LTT_FIELD_PADDING)
		ltt_build_own_field(b, format, nr, ltt_render_unpadded);
	else
		ltt_build_field(b, format, nr);
}

/* No event looks like a notice, whatever the channel's name is in a recorded trace. */
static void build_name(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	struct ltt_text_kind rest = *kind;

	if (*rest.channel == '#') {
		ltt_build_text(b, "\\x23");
		rest.channel++;
	}
	ltt_build_name(b, &rest);
}

static void lttv_program(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	const struct ltt_format *context = kind->context;
	const char *before = " { ";
	unsigned int i;

	build_name(b, kind);
	ltt_build_text(b, ": ");
	ltt_build_time(b);
	ltt_build_text(b, " (/");
	ltt_build_escaped(b, kind->channel);
	ltt_build_text(b, "_");
	ltt_build_cpu(b);
	ltt_build_text(b, ")");
	build_process(b, context);
	if (context)
		ltt_build_event(b);
	for (i = 0; i < kind->format->nr_fields; i++, before = ", ") {
		ltt_build_text(b, before);
		build_field(b, kind->format, i);
	}
	if (context)
		ltt_build_context(b);
	for (i = 0; context && i < context->nr_fields; i++) {
		if (has_place(&context->fields[i])) {
			ltt_build_no_field(b, context, i);
			continue;
		}
		ltt_build_text(b, before);
		ltt_build_text(b, "$");
		build_field(b, context, i);
		before = ", ";
	}
	/* Without fields there are no braces. */
	ltt_build_text(b, *before == ',' ? " }\n" : "\n");
}

const struct ltt_text_style ltt_style_lttv = {
	.name = "lttv",
	.program = lttv_program,
	.notices = &ltt_format_notices,
	.columns = "# channel.event: seconds.nanoseconds (/channel_cpu), thread, process, name, brand, parent, function, mode { fields }\n",
	.event = ltt_render_line,
};
