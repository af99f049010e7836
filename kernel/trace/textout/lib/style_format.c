// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: text style "format", which shows events in their markers' formats.
 *
 *	1234.567890123 [003] sched.switch: prev_pid 17 next_pid 0 prev_state 1
 *
 * seconds.nanoseconds, CPU, channel.marker, the marker's format with its values, and
 * after a blank that of the context, if the channel has one. Lines that begin with # are
 * not events.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "style.h"

static void build_format(struct ltt_text_builder *b, const struct ltt_format *format)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		ltt_build_literal(b, format->fields[i].lit, format->fields[i].lit_len);
		ltt_build_field(b, format, i);
	}
	ltt_build_literal(b, format->tail, format->tail_len);
}

/**
 * ltt_format_program() - struct ltt_text_style.program
 * @b:		the program
 * @kind:	the kind of event
 */
void ltt_format_program(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	ltt_build_name(b, kind);
	ltt_build_literal(b, ": ", 2);
	build_format(b, kind->format);
	if (kind->context) {
		ltt_build_context(b);
		/* A line without fields has a blank after the colon already. */
		if (kind->format->nr_fields || kind->format->tail_len)
			ltt_build_literal(b, " ", 1);
		build_format(b, kind->context);
	}
	ltt_build_literal(b, "\n", 1);
}

static int put_escaped(struct ltt_textbuf *out, const char *text)
{
	return ltt_render_escaped(out, (const u8 *)text, strlen(text));
}

static int put_header(struct ltt_textbuf *out, const struct ltt_text_trace *traces,
		      unsigned int nr)
{
	int err = 0;

	for (; nr && !err; nr--, traces++)
		err = ltt_render_text(out, "# LTT trace ") ?:
		      put_escaped(out, traces->name) ?:
		      ltt_render_text(out, ", clock ") ?:
		      put_escaped(out, traces->clock) ?:
		      ltt_render_text(out, traces->wall ? ", since 1970\n" : "\n");
	return err ?: ltt_render_text(out, out->style->columns ?:
				      "# seconds [cpu] channel.marker: values\n");
}

/* "# what cpu 3 channel sched" */
static int put_place(struct ltt_textbuf *out, const char *what,
		     const struct ltt_text_place *place)
{
	return ltt_render_text(out, what) ?:
	       ltt_render_text(out, " cpu ") ?:
	       ltt_render_number(out, place->cpu) ?:
	       ltt_render_text(out, " channel ") ?:
	       put_escaped(out, place->channel);
}

/* "# lost 12 events cpu 3 channel sched before 1234.567890123" */
static int put_lost(struct ltt_textbuf *out, const struct ltt_text_place *place, u64 lost)
{
	return ltt_render_text(out, "# lost ") ?:
	       ltt_render_number(out, lost) ?:
	       put_place(out, " events", place) ?:
	       ltt_render_text(out, " before ") ?:
	       ltt_render_time(out, place->ts) ?:
	       ltt_render_text(out, "\n");
}

static int put_unfinished(struct ltt_textbuf *out, const struct ltt_text_place *place)
{
	return put_place(out, "# unfinished", place) ?:
	       ltt_render_text(out, ": a writer died in the middle of an event, which is lost, with all that followed until this was found\n");
}

static int put_corrupt(struct ltt_textbuf *out, const struct ltt_text_place *place,
		       unsigned long packet, unsigned long offset)
{
	return put_place(out, "# corrupt", place) ?:
	       ltt_render_text(out, " packet ") ?:
	       ltt_render_number(out, packet) ?:
	       ltt_render_text(out, " offset ") ?:
	       ltt_render_number(out, offset) ?:
	       ltt_render_text(out, " at ") ?:
	       ltt_render_time(out, place->ts) ?:
	       ltt_render_text(out, "\n");
}

static int put_silent(struct ltt_textbuf *out, u32 cpu, u64 since)
{
	return ltt_render_text(out, "# cpu ") ?:
	       ltt_render_number(out, cpu) ?:
	       ltt_render_text(out, " does not answer since ") ?:
	       ltt_render_time(out, since) ?:
	       ltt_render_text(out, ", its events may come late\n");
}

static int put_late(struct ltt_textbuf *out, u32 cpu)
{
	return ltt_render_text(out, "# late events cpu ") ?:
	       ltt_render_number(out, cpu) ?:
	       ltt_render_text(out, "\n");
}

const struct ltt_text_notices ltt_format_notices = {
	.header = put_header,
	.lost = put_lost,
	.unfinished = put_unfinished,
	.corrupt = put_corrupt,
	.silent = put_silent,
	.late = put_late,
};

const struct ltt_text_style ltt_style_format = {
	.name = "format",
	.program = ltt_format_program,
	.notices = &ltt_format_notices,
	.event = ltt_render_event,
};
