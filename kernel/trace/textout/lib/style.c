// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the table of text styles.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "style.h"

const struct ltt_text_style *const ltt_text_styles[] = {
	&ltt_style_format,
	&ltt_style_ftrace,
	&ltt_style_kv,
	&ltt_style_json,
	&ltt_style_lttv,
	NULL
};

/**
 * ltt_style_find() - look up a style
 * @name:	its name
 *
 * Context: any.
 * Return: the style, or NULL.
 */
const struct ltt_text_style *ltt_style_find(const char *name)
{
	const struct ltt_text_style *const *style;

	for (style = ltt_text_styles; *style; style++) {
		if (!strcmp((*style)->name, name))
			break;
	}
	return *style;
}

/**
 * ltt_style_open() - choose the style of an output
 * @out:	the output, after ltt_textbuf_init()
 * @style:	the style
 *
 * Context: task; may sleep.
 * Return: 0, to be undone by ltt_style_close(), or a negative errno.
 */
int ltt_style_open(struct ltt_textbuf *out, const struct ltt_text_style *style)
{
	int err = style->open ? style->open(out) : 0;

	out->style = err ? NULL : style;
	return err;
}

/**
 * ltt_style_close() - undo ltt_style_open()
 * @out:	the output
 *
 * Context: task; may sleep.
 */
void ltt_style_close(struct ltt_textbuf *out)
{
	if (out->style->close)
		out->style->close(out);
}

/* All lines of a notice, or nothing. */
static int finish(struct ltt_textbuf *out, char *start, int err)
{
	if (err)
		out->pos = start;
	return err;
}

/**
 * ltt_style_header() - put the header
 * @out:	where to put it, in its style
 * @traces:	the traces whose events follow
 * @nr:		how many
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then nothing counts as written.
 */
int ltt_style_header(struct ltt_textbuf *out, const struct ltt_text_trace *traces,
		     unsigned int nr)
{
	char *start = out->pos;

	return finish(out, start, out->style->notices->header(out, traces, nr));
}

/**
 * ltt_style_lost() - put a notice that events are missing
 * @out:	where to put the line
 * @place:	what they are missing before
 * @lost:	number of events
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then nothing counts as written.
 */
int ltt_style_lost(struct ltt_textbuf *out, const struct ltt_text_place *place, u64 lost)
{
	char *start = out->pos;

	return finish(out, start, out->style->notices->lost(out, place, lost));
}

/**
 * ltt_style_unfinished() - put a notice that a writer died in the middle of an event
 * @out:	where to put the line
 * @place:	that of the ltt_style_lost() that follows
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then nothing counts as written.
 */
int ltt_style_unfinished(struct ltt_textbuf *out, const struct ltt_text_place *place)
{
	char *start = out->pos;

	return finish(out, start, out->style->notices->unfinished(out, place));
}

/**
 * ltt_style_corrupt() - put a notice that the rest of a packet cannot be decoded
 * @out:	where to put the line
 * @place:	where it is
 * @packet:	number of the packet in the buffer
 * @offset:	bytes from the beginning of the packet
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then nothing counts as written.
 */
int ltt_style_corrupt(struct ltt_textbuf *out, const struct ltt_text_place *place,
		      unsigned long packet, unsigned long offset)
{
	char *start = out->pos;

	return finish(out, start, out->style->notices->corrupt(out, place, packet, offset));
}

/**
 * ltt_style_silent() - put a notice that a CPU does not answer
 * @out:	where to put the line
 * @cpu:	the CPU
 * @since:	ns, since when
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then nothing counts as written.
 */
int ltt_style_silent(struct ltt_textbuf *out, u32 cpu, u64 since)
{
	char *start = out->pos;

	return finish(out, start, out->style->notices->silent(out, cpu, since));
}

/**
 * ltt_style_late() - put a notice that events are earlier than those before
 * @out:	where to put the line
 * @cpu:	whose events they are
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then nothing counts as written.
 */
int ltt_style_late(struct ltt_textbuf *out, u32 cpu)
{
	char *start = out->pos;

	return finish(out, start, out->style->notices->late(out, cpu));
}
