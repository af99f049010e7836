// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: events as lines of text.
 *
 * DOC: rendering
 *
 * What a line looks like depends on the event's kind alone, so that is decided once:
 * ltt_event_text_create() turns a format into a program of steps, one per field, with
 * those of the context behind them. A step copies the literal text before the field,
 * which for the first includes the event's name, and shows the field. Plain integers
 * and strings, which most fields are, have steps of their own; everything else goes
 * through ltt_render_field().
 *
 * Short texts are copied in words, which is faster than a call of memcpy() but
 * writes, and reads, up to two words more than wanted: texts to copy from have a
 * margin, and a line needs some room to spare behind it. Room is not checked at
 * every step. It is there at the start for everything that has a known limit, and
 * whatever hasn't must leave enough for the steps that follow it.
 *
 * Nothing is finished before all is: out->pos moves when the line is complete.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ltt/escape.h>
#include <linux/ltt/load.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "render_private.h"

/* What the steps of a program show behind their literal text. */
enum ltt_op_code {
	/* integers in the byte order of the machine that wrote them */
	OP_UNSIGNED,	/* decimal */
	OP_SIGNED,
	OP_HEX,
	OP_LAST_INT = OP_HEX,

	OP_STRING,
	OP_FIELD,	/* anything */
	OP_CONTEXT,	/* nothing; go on with the context */
	OP_END,		/* nothing */
};

#define WORD		sizeof(u64)
#define NSEC		1000000000u

/* Most bytes of an integer. */
#define NUMBER_ROOM	20

/* Most bytes of "seconds.nanoseconds [cpu] ". */
#define START_ROOM	40

/* What may be written behind any text. */
#define SPARE_ROOM	(2 * WORD)

/* ---- pieces of a line -------------------------------------------------------- */

/* Copy @len bytes, and up to two words more. */
static __always_inline char *copy_words(char *pos, const char *text, u32 len)
{
	char *end = pos + len;

	do {
		memcpy(pos, text, 2 * WORD);
		pos += 2 * WORD;
		text += 2 * WORD;
	} while (pos < end);
	return end;
}

/* The same for a @len of two words at most. */
static __always_inline char *copy_short(char *pos, const char *text, u32 len)
{
	memcpy(pos, text, 2 * WORD);
	return pos + len;
}

static noinline void set_second(struct ltt_out *out, u64 ts)
{
	u64 sec = ts / NSEC;
	char *end = ltt_put_dec(out->sec_text, sec);

	*end++ = '.';
	out->sec_len = end - out->sec_text;
	out->sec_begin = sec * NSEC;
}

/* "1234.567890123" */
static __always_inline char *put_time(struct ltt_out *out, char *pos, u64 ts)
{
	u32 ns, high, top;

	if (unlikely(ts - out->sec_begin >= NSEC))
		set_second(out, ts);
	pos = copy_short(pos, out->sec_text, out->sec_len);

	ns = ts - out->sec_begin;
	high = ns / 10000;
	top = high / 10000;
	*pos = '0' + top;
	ltt_put_dec4(pos + 1, high - top * 10000);
	return ltt_put_dec4(pos + 5, ns - high * 10000);
}

/**
 * ltt_out_init() - prepare to put text into a buffer
 * @out:	the output
 * @buf:	the buffer
 * @size:	its bytes
 *
 * Context: any.
 */
void ltt_out_init(struct ltt_out *out, char *buf, size_t size)
{
	memset(out, 0, sizeof(*out));
	out->pos = buf;
	out->end = buf + size;
	set_second(out, 0);
}
EXPORT_SYMBOL_GPL(ltt_out_init);

/**
 * ltt_cpu_text_init() - make the text that shows a stream's CPU
 * @text:	the text
 * @cpu:	number of the CPU, shown with three digits or more
 *
 * Context: any.
 */
void ltt_cpu_text_init(struct ltt_cpu_text *text, u32 cpu)
{
	char *pos = text->text, *end = text->text + sizeof(text->text);

	memset(text, 0, sizeof(*text));
	*pos++ = ' ';
	*pos++ = '[';
	pos = ltt_put_number(pos, end, cpu, 10, LTT_FIELD_ZERO, 3, 0);
	*pos++ = ']';
	*pos++ = ' ';
	text->len = pos - text->text;
}
EXPORT_SYMBOL_GPL(ltt_cpu_text_init);

/* ---- programs ---------------------------------------------------------------- */

/* The step that shows a field; OP_FIELD unless a short cut is the same. */
static u8 choose_op(const struct ltt_field *field)
{
	const unsigned int elaborate = LTT_FIELD_UPPER | LTT_FIELD_PLUS |
		LTT_FIELD_SPACE | LTT_FIELD_SYMS | LTT_FIELD_FLAGS | LTT_FIELD_PREC;
	bool shown_signed = field->flags & LTT_FIELD_SHOW_SIGNED;

	if (field->width || field->flags & elaborate)
		return OP_FIELD;
	if (field->store == LTT_STORE_STR)
		return OP_STRING;
	if (field->store != LTT_STORE_INT || field->flags & LTT_FIELD_BE ||
	    field->size > field->show_size)
		return OP_FIELD;
	/* A negative value that is widened and then shown as unsigned. */
	if (field->size < field->show_size && field->flags & LTT_FIELD_SIGNED &&
	    !shown_signed)
		return OP_FIELD;

	switch (field->show) {
	case LTT_SHOW_HEX:
		return OP_HEX;
	case LTT_SHOW_DEC:
		if (!shown_signed || (field->size < field->show_size &&
				      !(field->flags & LTT_FIELD_SIGNED)))
			return OP_UNSIGNED;
		return OP_SIGNED;
	}
	return OP_FIELD;
}

static void make_op(struct ltt_op *op, const struct ltt_field *field)
{
	op->field = field;
	op->code = choose_op(field);
	op->size = field->size;
	op->shift = 64 - 8 * field->size;
}

/* Copy a literal; returns where the next one goes. */
static char *add_literal(struct ltt_op *op, char *pos, const char *text, size_t len)
{
	memcpy(pos, text, len);
	op->lit_len += len;
	return pos + len;
}

/* What each step has to leave for those after it, and what all need. */
static void make_needs(struct ltt_event_text *text, unsigned int nr)
{
	u32 need = SPARE_ROOM;

	while (nr--) {
		text->ops[nr].need = need;
		need += text->ops[nr].lit_len;
		if (text->ops[nr].code <= OP_LAST_INT)
			need += NUMBER_ROOM;
	}
	text->need = START_ROOM + need;
}

/* All of @name as it is shown, at most LTT_ESCAPE_MAX times as long. */
static char *add_name(char *pos, const char *name)
{
	size_t len = strlen(name);
	unsigned int used;

	for (; len; len -= used, name += used)
		pos += ltt_escape_char(pos, (const u8 *)name, len, &used);
	return pos;
}

static size_t literals_size(const struct ltt_format *format)
{
	size_t size = format->tail_len + sizeof(" ") + sizeof("\n");
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++)
		size += format->fields[i].lit_len + sizeof("0x");
	return size;
}

/*
 * The steps from @op on that show @format, @end behind it. The literal of the first has
 * begun already. Returns where the next literal goes.
 */
static char *add_ops(struct ltt_op *op, const struct ltt_format *format, char *pos, u8 end)
{
	const struct ltt_field *field = format->fields;
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++, field++, op++) {
		if (i)
			op->lit = pos;
		make_op(op, field);
		/* The length of a blob has to go through ltt_render_field(). */
		if (i + 1 < format->nr_fields && field[1].store == LTT_STORE_BLOB)
			op->code = OP_FIELD;
		pos = add_literal(op, pos, field->lit, field->lit_len);
		if (op->code == OP_HEX && field->flags & LTT_FIELD_ALT)
			pos = add_literal(op, pos, "0x", 2);
	}
	if (i)
		op->lit = pos;
	op->code = end;
	return add_literal(op, pos, format->tail, format->tail_len);
}

/**
 * ltt_event_text_create() - compile the program that renders one kind of event
 * @channel:	name of the channel
 * @marker:	name of the marker
 * @format:	the marker's format; must stay as long as the program
 * @context:	the context's, NULL if there is none; must stay, too
 *
 * Context: task context; may sleep.
 * Return: the program, to be freed by ltt_event_text_free(), or ERR_PTR(-ENOMEM).
 */
struct ltt_event_text *ltt_event_text_create(const char *channel, const char *marker,
					     const struct ltt_format *format,
					     const struct ltt_format *context)
{
	unsigned int nr = format->nr_fields + 1 + (context ? context->nr_fields + 1 : 0);
	size_t size = sizeof(struct ltt_event_text) + nr * sizeof(struct ltt_op);
	size_t text_size = LTT_ESCAPE_MAX * (strlen(channel) + strlen(marker)) +
			   sizeof(".: ") + literals_size(format) + SPARE_ROOM;
	struct ltt_event_text *text;
	struct ltt_op *op;
	char *pos;

	if (context)
		text_size += literals_size(context);
	text = kvcalloc(1, size + text_size, GFP_KERNEL);
	if (!text)
		return ERR_PTR(-ENOMEM);

	pos = (char *)text + size;
	text->format = format;
	text->context = context;
	text->name = pos;
	pos = add_name(pos, channel);
	*pos++ = '.';
	pos = add_name(pos, marker);
	text->name_len = pos - text->name;
	*pos++ = ':';
	*pos++ = ' ';

	/* The first literal comes right behind the name. */
	op = text->ops;
	op->lit = text->name;
	op->lit_len = pos - text->name;
	pos = add_ops(op, format, pos, context ? OP_CONTEXT : OP_END);
	if (context) {
		op += format->nr_fields + 1;
		op->lit = pos;
		/* A line without fields has a blank behind the colon already. */
		if (format->nr_fields || format->tail_len)
			pos = add_literal(op, pos, " ", 1);
		pos = add_ops(op, context, pos, OP_END);
	}
	add_literal(&text->ops[nr - 1], pos, "\n", 1);
	make_needs(text, nr);
	return text;
}
EXPORT_SYMBOL_GPL(ltt_event_text_create);

/**
 * ltt_event_text_free() - free a program
 * @text:	what ltt_event_text_create() returned, an error or NULL included
 *
 * Context: task context.
 */
void ltt_event_text_free(struct ltt_event_text *text)
{
	if (!IS_ERR_OR_NULL(text))
		kvfree(text);
}
EXPORT_SYMBOL_GPL(ltt_event_text_free);

/* ---- events ------------------------------------------------------------------ */

/*
 * A word with the field at its upper end. The word is loaded whole, whatever else is
 * in it; the caller has seen that it may be.
 */
static __always_inline u64 load_upper(const struct ltt_op *op, const u8 *p, bool swap)
{
	/* Least significant byte first: the field is at the lower end. */
	if (likely(swap == LTT_HOST_BE))
		return ltt_load64(p, LTT_HOST_BE) << op->shift;
	return ltt_load64(p, !LTT_HOST_BE);
}

/* The same at the end of the payload, where less than a word may be loaded. */
static noinline u64 load_last(const struct ltt_op *op, const u8 *p, size_t avail,
			      bool swap)
{
	u8 word[WORD] = {};

	memcpy(word, p, avail);
	return load_upper(op, word, swap);
}

/*
 * Copy plain characters up to what is none, in words. Returns how many; stops early
 * where less than a word is left to read or room for less than two words.
 */
static __always_inline size_t copy_plain(char *pos, const char *end, const u8 *p,
					 size_t avail)
{
	const u64 ones = ~0ull / 255, high = ones << 7;
	size_t done = 0;
	u64 v, odd;

	if (LTT_HOST_BE)
		return 0;
	for (; avail - done >= WORD && (size_t)(end - pos) >= 2 * WORD;
	     done += WORD, pos += WORD) {
		memcpy(&v, p + done, WORD);
		memcpy(pos, &v, WORD);
		/*
		 * In the highest bit of a byte: it is 128 or more; it is less than
		 * blank; it is DEL; it is a backslash. Borrows and carries make wrong
		 * only what comes after a byte that is rightly found.
		 */
		odd = v | (v - ones * ' ') | (v + ones) | ((v ^ ones * '\\') - ones);
		odd &= high;
		if (odd)
			return done + __builtin_ctzll(odd) / 8;
	}
	return done;
}

/* What OP_STRING can't do in words. */
static noinline long finish_string(struct ltt_out *out, const u8 *p, size_t avail)
{
	const u8 *nul = memchr(p, '\0', avail);

	if (!nul)
		return -EBADMSG;
	if (ltt_render_escaped(out, p, nul - p))
		return -ENOSPC;
	return nul + 1 - p;
}

/**
 * ltt_render_event() - show an event as a line
 * @out:	where to put the line
 * @text:	program of the event's kind
 * @cpu:	text of its CPU
 * @ts:		ns, its timestamp
 * @payload:	the first byte after its header: of its context, if there is one
 * @avail:	bytes that may be read there; what is behind the event may be read
 *		but has no influence
 * @swap:	the event was written in the other byte order
 *
 * -ENOSPC may come although the line would fit: up to LTT_RENDER_SPARE bytes have
 * to be free behind it. After an error nothing counts as written, but bytes from
 * @out->pos on may have changed.
 *
 * Context: any; for pointers, that of ltt_render_address().
 * Return: bytes of context and fields, -EBADMSG if they do not fit into @avail, or
 * -ENOSPC if the line does not fit.
 */
long ltt_render_event(struct ltt_out *out, const struct ltt_event_text *text,
		      const struct ltt_cpu_text *cpu, u64 ts,
		      const u8 *payload, size_t avail, bool swap)
{
	const u8 *p = payload, *p_end = payload + avail;
	/* The last place from which a whole word may be loaded. */
	const u8 *last_word = avail >= WORD ? p_end - WORD : payload - 1;
	char *start = out->pos, *pos = start;
	const struct ltt_op *op;
	long len, whole = 0;
	u8 code;
	u64 v;

	if (unlikely(ltt_out_room(out) < text->need))
		return -ENOSPC;
	if (unlikely(text->context)) {
		len = ltt_payload_size(text->context, p, avail, swap);
		if (len < 0)
			return len;
		p += len;
	}
	pos = put_time(out, pos, ts);
	pos = copy_short(pos, cpu->text, cpu->len);

	for (op = text->ops;; op++) {
		pos = copy_words(pos, op->lit, op->lit_len);

		code = op->code;
		if (code <= OP_LAST_INT) {
			if (likely(p <= last_word)) {
				v = load_upper(op, p, swap);
			} else if (p_end - p >= op->size) {
				v = load_last(op, p, p_end - p, swap);
			} else {
				len = -EBADMSG;
				goto fail;
			}
			p += op->size;
			if (code == OP_SIGNED) {
				v = (s64)v >> op->shift;
				if ((s64)v < 0) {
					*pos++ = '-';
					v = -v;
				}
				pos = ltt_put_dec(pos, v);
				continue;
			}
			v >>= op->shift;
			pos = code == OP_HEX ? ltt_put_hex(pos, v) :
						   ltt_put_dec(pos, v);
			continue;
		}

		if (code == OP_STRING) {
			len = copy_plain(pos, out->end - op->need, p, p_end - p);
			p += len;
			pos += len;
			if (likely(p < p_end && !*p)) {
				p++;
				continue;
			}
			out->pos = pos;
			len = finish_string(out, p, p_end - p);
		} else if (code == OP_FIELD) {
			out->pos = pos;
			len = ltt_render_field(out, op->field, p, p_end - p, swap);
		} else if (code == OP_CONTEXT) {
			whole = p - payload;
			p = payload;
			continue;
		} else {
			out->pos = pos;
			return whole ?: p - payload;
		}

		if (len >= 0 && ltt_out_room(out) < op->need)
			len = -ENOSPC;
		if (len < 0)
			goto fail;
		p += len;
		pos = out->pos;
	}

fail:
	out->pos = start;
	return len;
}
EXPORT_SYMBOL_GPL(ltt_render_event);

/* ---- notices ----------------------------------------------------------------- */

static int put_word(struct ltt_out *out, const char *text)
{
	size_t len = strlen(text);

	if (ltt_out_room(out) < len + START_ROOM + SPARE_ROOM)
		return -ENOSPC;
	memcpy(out->pos, text, len);
	out->pos += len;
	return 0;
}

/**
 * ltt_render_lost() - say that events are missing
 * @out:	where to put the line
 * @lost:	number of events
 * @cpu:	the CPU that lost them
 * @channel:	name of their channel
 * @ts:		ns, timestamp of the first event after them
 *
 * The line is "# lost 12 events cpu 3 channel sched before 1234.567890123".
 *
 * Context: any.
 * Return: 0, or -ENOSPC if the line does not fit; then nothing counts as written.
 */
int ltt_render_lost(struct ltt_out *out, u64 lost, u32 cpu, const char *channel,
		    u64 ts)
{
	char *start = out->pos;

	if (put_word(out, "# lost "))
		goto fail;
	out->pos = ltt_put_dec(out->pos, lost);
	if (put_word(out, " events cpu "))
		goto fail;
	out->pos = ltt_put_dec(out->pos, cpu);
	if (put_word(out, " channel ") ||
	    ltt_render_escaped(out, (const u8 *)channel, strlen(channel)) ||
	    put_word(out, " before "))
		goto fail;
	out->pos = put_time(out, out->pos, ts);
	*out->pos++ = '\n';
	return 0;

fail:
	out->pos = start;
	return -ENOSPC;
}
EXPORT_SYMBOL_GPL(ltt_render_lost);
