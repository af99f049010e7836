// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: events as lines, made by the kernel's own code.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>

#include "merge.h"

/* The notices at the top. Return: 0, or -ENOSPC. */
static noinline int put_notices(struct libltt *ltt, struct lib_stream *s)
{
	const struct ltt_text_place place = {
		.cpu = s->pub.cpu, .channel = s->pub.channel, .ts = ltt->merge.top.ts,
		.nr_traces = ltt->nr_traces, .trace = s->trace->number,
	};
	int err = 0;

	if (s->corrupt && s->channel->selected)
		err = ltt_style_corrupt(&ltt->out, &place, s->corrupt_packet, s->corrupt_offset);
	if (err)
		return err;
	s->corrupt = false;
	if (s->lost && s->channel->selected)
		err = ltt_style_lost(&ltt->out, &place, s->lost);
	if (!err)
		s->lost = 0;
	return err;
}

/* Bytes of the event's fields, -ENOSPC or -EBADMSG. */
static __always_inline long put_event(struct libltt *ltt, struct lib_stream *s)
{
	const struct lib_class *class = s->class;
	long len;
	int pass;

	if (!class->selected)
		return lib_stream_size(ltt, s);
	if (class->filter) {
		pass = lib_filter_early(s);
		if (pass <= 0) {
			len = lib_stream_size(ltt, s);
			if (len < 0 || !pass || !lib_filter_accepts(s, len))
				return len;
		}
	}
	if (unlikely(class->symbols))
		lib_symbols_use(ltt, s->trace, s->ts);
	do {
		len = ltt->out.style->event(&ltt->out, class->text, &s->cpu,
					    s->ts + s->shift, s->p + s->header,
					    s->end - s->p - s->header, s->swap);
	} while (unlikely(len == -EBADMSG) && lib_stream_more(ltt, s));
	return len;
}

/**
 * libltt_text() - take events as lines, as many as fit
 * @ltt:	the traces
 * @buf:	where to
 * @size:	bytes there
 *
 * The lines are those that the kernel's text files show, without the header. This
 * is the fastest way to text: a buffer of some 100 KB is best.
 *
 * Return: bytes in @buf; 0 at the end of the range; -ENOSPC: the next line does not
 * fit, nothing was taken. It will fit into a larger buffer; or else libltt_next() takes
 * the event, and this function goes on with the one after it. What could not be read was
 * reported, see libltt_errors().
 */
long libltt_text(struct libltt *ltt, char *buf, size_t size)
{
	struct lib_stream *s;
	long len = 0;

	ltt->out.pos = buf;
	ltt->out.end = buf + size;
	while ((s = lib_merge_top(ltt))) {
		if (unlikely(lib_stream_notice(s)) && put_notices(ltt, s)) {
			len = -ENOSPC;
			break;
		}
		if (unlikely(!s->header)) {
			ltt_merge_exhaust(&ltt->merge);
			continue;
		}
		len = put_event(ltt, s);
		if (unlikely(len == -ENOSPC))
			break;
		if (likely(len >= 0))
			s->p += s->header + len;
		else
			lib_stream_skip(ltt, s, "incomplete event");
		lib_merge_step(ltt, s);
	}
	if (len == -ENOSPC && ltt->out.pos == buf)
		return len;
	return ltt->out.pos - buf;
}

/**
 * libltt_line() - show an event as a line
 * @ltt:	the traces
 * @event:	what libltt_next() returned last
 * @buf:	where to; not terminated, the line ends with a newline
 * @size:	bytes there
 *
 * Return: bytes of the line, or -ENOSPC: it does not fit. Some more room is needed than
 * the line has: LTT_RENDER_SPARE bytes.
 */
long libltt_line(struct libltt *ltt, const struct libltt_event *event, char *buf,
		 size_t size)
{
	const struct lib_stream *s = event->origin;
	const struct ltt_text_place place = {
		.cpu = event->cpu, .channel = event->channel, .ts = event->time,
		.nr_traces = ltt->nr_traces, .trace = s->trace->number,
	};
	const struct lib_class *class;
	long len;

	ltt->out.pos = buf;
	ltt->out.end = buf + size;
	if (event->corrupt) {
		len = ltt_style_corrupt(&ltt->out, &place, event->packet, event->offset);
	} else if (event->lost) {
		len = ltt_style_lost(&ltt->out, &place, event->lost);
	} else {
		class = container_of(event->kind, struct lib_class, pub);
		if (class->symbols)
			lib_symbols_use(ltt, s->trace, event->time - s->shift);
		len = ltt->out.style->event(&ltt->out, class->text, &s->cpu, event->time,
					    event->payload, event->size, s->swap);
	}
	return len < 0 ? len : ltt->out.pos - buf;
}

/**
 * libltt_header() - the header, in most styles lines
 * @ltt:	the traces
 * @buf:	where to; terminated
 * @size:	bytes there
 *
 * Return: bytes of the text, -ENOSPC or -ENOMEM.
 */
long libltt_header(const struct libltt *ltt, char *buf, size_t size)
{
	const struct libltt_trace *pub;
	struct ltt_text_trace *traces;
	struct ltt_textbuf out;
	unsigned int i;
	int err;

	if (!size)
		return -ENOSPC;
	traces = calloc(ltt->nr_traces, sizeof(*traces));
	if (!traces)
		return -ENOMEM;
	/* This is untrusted. */
	for (i = 0; i < ltt->nr_traces; i++) {
		pub = &ltt->traces[i].pub;
		traces[i].name = pub->name;
		traces[i].uuid = pub->uuid;
		traces[i].host = pub->hostname;
		traces[i].boot_id = ltt->traces[i].boot_known ? pub->boot_id : NULL;
		traces[i].clock = pub->clock;
		traces[i].real_offset = pub->real_offset;
		traces[i].wall = ltt->options.flags & LIBLTT_WALL;
	}
	ltt_textbuf_init(&out, buf, size - 1);
	out.style = ltt->out.style;
	out.state = ltt->out.state;
	err = ltt_style_header(&out, traces, ltt->nr_traces);
	*out.pos = '\0';
	free(traces);
	return err ?: out.pos - buf;
}

/**
 * libltt_style() - a text style
 * @nr:		its number, from 0; that is the default
 * @live:	receives whether it needs the running kernel: libltt_open() refuses it; may
 *		be NULL
 *
 * Return: its name, or NULL if there are no more styles.
 */
const char *libltt_style(unsigned int nr, bool *live)
{
	const struct ltt_text_style *const *style = ltt_text_styles;

	while (nr && *style) {
		nr--;
		style++;
	}
	if (!*style)
		return NULL;
	if (live)
		*live = (*style)->live;
	return (*style)->name;
}
