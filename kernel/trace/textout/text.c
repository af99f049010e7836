// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the events of a trace, merged, as lines in a buffer.
 *
 * Each stream (buffer of a CPU) presents its next event to the merge. Events up to the
 * reader's watermark are rendered, earliest first; later ones stay where they are
 * until the watermark passes them. A stream that runs empty must be checked again only
 * when the watermark has moved: by then, all events before the watermark are visible. Those
 * of the reader's streams that are at rest take no part in the merge.
 *
 * Losses are reported before the event that follows them. If no event follows, a notice
 * must not state a time before the losses, which may be later than the watermark. So the
 * time at which they were found is recorded, and they are reported when the watermark
 * has passed it.
 *
 * Between two calls of the functions below, user space runs, and may stop. So the reader
 * is released at the end of each call, and at the beginning of the next one the streams
 * check whether their events still exist.
 */

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/context.h>
#include <linux/ltt/reader.h>
#include <linux/ltt/symbol.h>

#include "merge_stream.h"
#include "textout.h"

/* Minimum number of lines between two checks of the grace period; see emit(). */
#define LINES_MIN	256u

/**
 * struct ltt_text - text of a trace, or of a channel of it
 * @out:	receives the lines
 * @symbols:	for @out
 * @reader:	the source of the events
 * @streams:	its streams, and the merge
 * @ts:		ns, the latest time that was shown
 * @told:	silent CPUs of which a notice has told
 * @late:	the last line was a late one, of the CPU before this one; else 0
 * @ended:	a stream that is at its end, of which a loss is to be told next; or NULL
 * @frozen:	nothing is recorded any more, see ltt_trace_now()
 * @header:	the header lines have been shown
 * @stale:	the watermark has moved, but @streams were not refreshed
 */
struct ltt_text {
	struct ltt_textbuf out;
	struct ltt_symbol_cache symbols;
	struct ltt_reader *reader;
	struct merge_streams streams;
	u64 ts;
	cpumask_var_t told;
	unsigned int late;
	struct merge_stream *ended;
	bool frozen;
	bool header;
	bool stale;
};

static int put_header(struct ltt_text *text)
{
	const struct ltt_trace *trace = text->reader->trace;
	const struct ltt_text_trace header = {
		.name = trace->name,
		.uuid = trace->uuid,
		.host = trace->hostname,
		.boot_id = ltt_trace_boot_id(trace),
		.clock = ltt_clock_name(trace->clock),
		.real_offset = trace->real_offset,
	};
	int err;

	err = ltt_style_header(&text->out, &header, 1);
	text->header = !err;
	return err;
}

static struct ltt_text_place place_of(const struct merge_stream *stream, u64 ts)
{
	return (struct ltt_text_place){
		.cpu = stream->reader->cpu,
		.channel = stream->channel->tchan->channel->name,
		.ts = ts,
	};
}

/* Some of the losses reported next are due to a writer that died. */
static int put_unfinished(struct ltt_text *text, struct merge_stream *stream,
			  const struct ltt_text_place *place)
{
	unsigned long unfinished = READ_ONCE(stream->cursor->buf->unfinished);
	int err;

	err = ltt_style_unfinished(&text->out, place);
	if (!err)
		stream->unfinished = unfinished;
	return err;
}

static int put_lost(struct ltt_text *text, struct merge_stream *stream, u64 ts)
{
	const struct ltt_text_place place = place_of(stream, ts);
	int err;

	if (unlikely(stream->unfinished != READ_ONCE(stream->cursor->buf->unfinished))) {
		err = put_unfinished(text, stream, &place);
		if (err)
			return err;
	}
	err = ltt_style_lost(&text->out, &place, stream->cursor->lost);
	if (err)
		return err;
	text->ts = max(text->ts, ts);
	text->ended = NULL;
	stream->cursor->lost = 0;
	stream->lost_at = 0;
	return 0;
}

/*
 * The stream's next event cannot be decoded. That must not happen; but it is no reason to
 * stop showing other buffers.
 */
static int put_corrupt(struct ltt_text *text, struct merge_stream *stream)
{
	const struct ltt_text_place place = place_of(stream, stream->ts);
	const struct ltt_cursor *cursor = stream->cursor;
	int err;

	err = ltt_style_corrupt(&text->out, &place,
				cursor->mark.pos >> cursor->buf->sb_order,
				cursor->mark.pos & cursor->buf->off_mask);
	if (err)
		return err;
	ltt_text_stream_skip(stream);
	return 0;
}

/* What a stream has lost behind its last event was lost there if nothing can follow. */
static noinline void find_last_loss(struct ltt_text *text, struct merge_stream *stream)
{
	ltt_cursor_last_losses(stream->cursor);
	if (stream->cursor->lost)
		text->ended = stream;
}

/* The stream's event is done: present the next one to the merge. */
static __always_inline void step(struct ltt_text *text, struct merge_stream *stream)
{
	if (likely(ltt_text_stream_peek(stream))) {
		ltt_merge_update(&text->streams.merge, stream->ts);
		return;
	}
	ltt_merge_exhaust(&text->streams.merge);
	if (unlikely(text->frozen))
		find_last_loss(text, stream);
}

/* An event in shared buffers that is not to be shown. Return: as put_event(). */
static noinline long skip_event(const struct merge_stream *stream)
{
	const struct ltt_trace_channel *tchan = stream->channel->tchan;
	const struct ltt_trace_event *tevent = ltt_trace_channel_event(tchan, stream->id);
	const u8 *p = stream->p + stream->header;
	long len;

	len = ltt_event_size(tchan->context ? tchan->context->format : NULL,
			     tevent->event->format, p, stream->end - p, false);
	return len < 0 ? len : stream->header + len;
}

/* Return: bytes of the event, -ENOSPC, -ENOMEM, or -EBADMSG: it can't be decoded. */
static __always_inline long put_event(struct ltt_text *text, struct merge_stream *stream)
{
	const struct ltt_event_text *event;
	long header = stream->header, len;

	if (unlikely(header < 0))
		return header;
	event = ltt_text_event(stream->channel, stream->id);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? skip_event(stream) : PTR_ERR(event);
	len = INDIRECT_CALL_2(text->out.style->event, ltt_render_event, ltt_render_line,
			      &text->out, event, &stream->cpu, stream->ts, stream->p + header,
			      stream->end - stream->p - header, false);
	return likely(len >= 0) ? header + len : len;
}

/* The stream's next event, of @len bytes, is done with. */
static __always_inline void consume(struct merge_stream *stream, long len)
{
	struct ltt_mark *mark = &stream->cursor->mark;

	stream->p += len;
	mark->pos += len;
	mark->ts = stream->ts;
	mark->events++;
}

/* Up to when lines may be made: "no event" is not before the end of time. */
static u64 due(const struct ltt_text *text)
{
	return min(text->reader->watermark, LTT_MERGE_NONE - 1);
}

static bool events_due(const struct ltt_text *text)
{
	return text->streams.merge.top.ts <= due(text);
}

/* CPUs that have not answered in the end. */
static int put_silent(struct ltt_text *text)
{
	const struct cpumask *silent;
	unsigned int cpu;
	u64 since;
	int err;

	silent = ltt_reader_silent(text->reader, &since);
	if (likely(cpumask_empty(silent) && cpumask_empty(text->told)))
		return 0;
	cpumask_and(text->told, text->told, silent);
	for_each_cpu(cpu, silent) {
		if (cpumask_test_cpu(cpu, text->told))
			continue;
		err = ltt_style_silent(&text->out, cpu, since);
		if (err)
			return err;
		cpumask_set_cpu(cpu, text->told);
	}
	return 0;
}

/* The stream's event is earlier than what was shown, or the one before was. */
static noinline int put_late(struct ltt_text *text, const struct merge_stream *stream)
{
	unsigned int cpu = stream->reader->cpu;
	int err;

	if (stream->ts >= text->ts) {
		text->late = 0;
		return 0;
	}
	if (text->late == cpu + 1)
		return 0;
	err = ltt_style_late(&text->out, cpu);
	if (!err)
		text->late = cpu + 1;
	return err;
}

/* Are there events that are not to be shown? */
static bool is_selective(const struct ltt_text *text)
{
	const struct ltt_trace_channel *only = text->reader->only;

	return only && only->home != only;
}

/*
 * A reader of one channel in shared buffers: leave out events of others that come next, so that
 * what is due then is a line.
 */
static void skip_unwanted(struct ltt_text *text)
{
	struct merge_stream *stream;
	unsigned int n = 0;
	long len;

	while (events_due(text)) {
		stream = text->streams.stream[ltt_merge_top(&text->streams.merge)];
		if (stream->header < 0 || stream->cursor->lost ||
		    ltt_text_event(stream->channel, stream->id) != ERR_PTR(-ENOENT))
			break;
		len = skip_event(stream);
		if (len < 0)
			break;
		consume(stream, len);
		step(text, stream);
		if (!(++n % LINES_MIN))
			cond_resched();
	}
}

/*
 * Put the events up to @last, but no more than @lines.
 * Return: 0, -ENOSPC if the next line does not fit, -ENOMEM.
 */
static int emit(struct ltt_text *text, u64 last, unsigned int lines)
{
	struct ltt_merge *merge = &text->streams.merge;
	struct merge_stream *stream;
	long len;
	int err;

	while (merge->top.ts <= last && lines--) {
		if (unlikely(is_selective(text))) {
			skip_unwanted(text);
			if (merge->top.ts > last)
				break;
		}
		if (unlikely(text->ended)) {
			err = put_lost(text, text->ended, text->ended->ts);
			if (err)
				return err;
		}
		stream = text->streams.stream[ltt_merge_top(merge)];
		if (unlikely(stream->cursor->lost)) {
			err = put_lost(text, stream, stream->ts);
			if (err)
				return err;
		}
		if (unlikely(stream->ts < text->ts || text->late)) {
			err = put_late(text, stream);
			if (err)
				return err;
		}

		len = put_event(text, stream);
		if (unlikely(len < 0)) {
			err = len == -EBADMSG ? put_corrupt(text, stream) : len;
			if (err)
				return err;
		} else {
			consume(stream, len);
			text->ts = max(text->ts, stream->ts);
		}
		step(text, stream);
	}
	return 0;
}

/*
 * Can losses that no event follows be reported now?
 *
 * At the end of the trace they can. Otherwise the first check records the time.
 */
static bool loss_due(struct ltt_text *text, struct merge_stream *stream)
{
	if (!stream || !stream->cursor->lost || stream->header)
		return false;
	/* In a frozen trace that is the end. */
	if (!stream->lost_at)
		stream->lost_at = ltt_trace_now(text->reader->trace) ?: LTT_WATERMARK_END;
	return stream->lost_at <= text->reader->watermark;
}

static bool losses_due(struct ltt_text *text)
{
	unsigned int i;

	for (i = 0; i < text->streams.nr; i++) {
		if (loss_due(text, text->streams.stream[i]))
			return true;
	}
	return false;
}

/* All events up to the watermark are out. */
static int put_last_losses(struct ltt_text *text)
{
	struct merge_stream *stream;
	unsigned int i;
	u64 ts;
	int err;

	/* At the end, this finds events that were not seen before. */
	ltt_reader_finished(text->reader);
	for (i = 0; i < text->streams.nr; i++) {
		stream = text->streams.stream[i];
		if (!loss_due(text, stream))
			continue;
		ts = text->reader->watermark;
		if (ts == LTT_WATERMARK_END)
			ts = text->frozen ? text->ts : max(text->ts, stream->lost_at);
		err = put_lost(text, stream, ts);
		if (err)
			return err;
	}
	return 0;
}

static int refresh(struct ltt_text *text)
{
	int err = 0;

	if (text->stale || text->streams.generation != text->reader->generation) {
		err = ltt_text_streams_refresh(&text->streams, text->reader);
		text->stale = err;
	}
	return err;
}

/* Move the watermark if possible. Return: 0, or -ENOMEM. */
static int advance(struct ltt_text *text)
{
	int ret = ltt_reader_advance(text->reader);

	if (ret < 0)
		return ret;
	if (ret)
		text->stale = true;
	return refresh(text);
}

/* Check the events that streams had when the reader was released. */
static void begin(struct ltt_text *text)
{
	if (!ltt_text_streams_pin(&text->streams))
		text->stale = true;
}

/**
 * ltt_text_fill() - put as many lines into a buffer as are due and fit
 * @text:	the text
 * @buf:	the buffer
 * @size:	its bytes
 *
 * Exactly those events are consumed whose lines are in the buffer on return. Does not
 * wait for events.
 *
 * Context: task; may sleep.
 * Return: bytes in the buffer; 0: nothing is due; -ENOSPC: the first line does not
 * fit, try a larger buffer; -ENOMEM.
 */
ssize_t ltt_text_fill(struct ltt_text *text, char *buf, size_t size)
{
	/* advance() checks all active streams: keep that a small part of a line's cost. */
	const unsigned int lines = max(LINES_MIN, text->streams.nr);
	ssize_t len;
	u64 last;
	int err = 0;

	text->out.pos = buf;
	text->out.end = buf + size;
	begin(text);
	if (!text->header)
		err = put_header(text);
	if (!err)
		err = advance(text);
	/* No further: later events must not delay those that are due now. */
	last = due(text);
	while (!err && text->streams.merge.top.ts <= last) {
		err = put_silent(text) ?: emit(text, last, lines);
		cond_resched();
		/* Where they are many, the next grace period overlaps with making lines. */
		if (!err)
			err = advance(text);
	}
	if (!err && !events_due(text))
		err = put_last_losses(text);
	ltt_reader_release(text->reader);

	len = text->out.pos - buf;
	return len ?: err;
}

static int wait(struct ltt_text *text, bool nonblock)
{
	int err;

	for (;;) {
		err = refresh(text);
		if (err)
			return err;
		if (is_selective(text))
			skip_unwanted(text);
		ltt_reader_finished(text->reader);
		if (!text->header || events_due(text) || losses_due(text))
			return 0;
		if (text->reader->watermark == LTT_WATERMARK_END)
			return 1;
		err = ltt_reader_wait(text->reader, nonblock);
		if (err)
			return err;
		text->stale = true;
	}
}

/**
 * ltt_text_wait() - wait until ltt_text_fill() has something to return
 * @text:	the text
 * @nonblock:	don't wait
 *
 * Context: task; may sleep.
 * Return: 0; 1: it never will; -EAGAIN (@nonblock), -ERESTARTSYS (a signal), -ENOMEM.
 */
int ltt_text_wait(struct ltt_text *text, bool nonblock)
{
	int err;

	begin(text);
	err = wait(text, nonblock);
	ltt_reader_release(text->reader);
	return err;
}

/**
 * ltt_text_open() - start reading a trace as text
 * @file:	the file to read, which the caller prevents from being removed
 * @fast:	low latency
 *
 * Context: task; may sleep.
 * Return: the text, or ERR_PTR: those of ltt_reader_open().
 */
struct ltt_text *ltt_text_open(const struct ltt_text_file *file, bool fast)
{
	struct ltt_text *text = kzalloc(sizeof(*text), GFP_KERNEL);
	const struct ltt_text_style *style;
	struct ltt_reader *reader;
	int err;

	if (!text)
		return ERR_PTR(-ENOMEM);
	reader = ltt_reader_open(file->trace, file->channel);
	if (IS_ERR(reader)) {
		kfree(text);
		return ERR_CAST(reader);
	}
	reader->fast = fast;
	text->reader = reader;
	text->frozen = !ltt_trace_now(file->trace);
	err = ltt_reader_pass_stuck(reader);
	if (!err && !zalloc_cpumask_var(&text->told, GFP_KERNEL))
		err = -ENOMEM;
	if (err)
		goto close;
	style = ltt_text_style_of(file);
	ltt_text_streams_init(&text->streams, reader, style);
	ltt_textbuf_init(&text->out, NULL, 0);
	text->out.ts = &text->streams.merge.top.ts;
	text->out.boot = file->trace->boot;
	text->out.symbols = &text->symbols;
	err = ltt_style_open(&text->out, style);
	if (err)
		goto close;
	return text;

close:
	free_cpumask_var(text->told);
	ltt_reader_close(reader);
	kfree(text);
	return ERR_PTR(err);
}

/**
 * ltt_text_close() - end it
 * @text:	the text
 *
 * Context: task; may sleep.
 */
void ltt_text_close(struct ltt_text *text)
{
	ltt_style_close(&text->out);
	ltt_symbol_cache_free(&text->symbols);
	ltt_text_streams_destroy(&text->streams);
	ltt_reader_close(text->reader);
	free_cpumask_var(text->told);
	kfree(text);
}
