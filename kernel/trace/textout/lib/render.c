// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: events as lines of text.
 *
 * DOC: rendering
 *
 * What a line looks like depends on the event's kind alone, so that is decided once: the
 * text style turns a format into a program of steps, one per field, followed by those of
 * the context. A step copies the literal text before the field, which for the first
 * includes the event's name, and shows the field. Plain integers and strings, which most
 * fields are, have steps of their own; everything else goes through ltt_render_field(),
 * or through the style's own function if the style asks for that.
 *
 * A style's program() is run twice: to count steps and bytes, then to write them.
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
#include <linux/ltt/unaligned.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "render_private.h"
#include "style.h"

/* What the steps of a program show behind their literal text. */
enum ltt_op_code {
	/* integers in the byte order of the machine that wrote them */
	OP_UNSIGNED,	/* decimal */
	OP_SIGNED,
	OP_HEX,
	OP_LAST_INT = OP_HEX,

	OP_STRING,
	OP_FIELD,	/* anything */
	OP_END,		/* nothing */
	OP_CONTEXT,	/* nothing; go on with the context */
	OP_STYLE,	/* anything, by the style's own function */
	OP_NOTHING,	/* nothing, in place of a field */
	OP_EVENT,	/* nothing; go on with the fields of the event */

	/* only for ltt_render_line() */
	OP_NANOSECONDS,
	OP_FIRST_OF_LINE = OP_NANOSECONDS,
	OP_CPU,
	OP_TIME,	/* seconds.nanoseconds */
};

/* How OP_FIELD may be shown without ltt_render_field(). */
enum how {
	IN_ANY_WAY,	/* it may not */
	PADDED,		/* an integer with a width */
	NAMED,		/* an integer that has a name */
};

#define WORD		LTT_WORD
#define NSEC		1000000000u

/* Most bytes of an integer, and greatest width of a PADDED one. */
#define NUMBER_ROOM	LTT_NUMBER_ROOM
#define WIDTH_MAX	(2 * WORD)

/* Most bytes of "seconds.nanoseconds". */
#define TIME_ROOM	21

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

static noinline void set_second(struct ltt_textbuf *out, u64 ts)
{
	u64 sec = ts / NSEC;
	char *end = ltt_put_dec(out->sec_text, sec);

	*end++ = '.';
	out->sec_len = end - out->sec_text;
	out->sec_begin = sec * NSEC;
}

/* "1234.567890123", without the point if @point is 0 */
static __always_inline char *put_time(struct ltt_textbuf *out, char *pos, u64 ts, u32 point)
{
	u32 ns, high, top;

	if (unlikely(ts - out->sec_begin >= NSEC))
		set_second(out, ts);
	pos = copy_short(pos, out->sec_text, out->sec_len - 1 + point);

	ns = ts - out->sec_begin;
	high = ns / 10000;
	top = high / 10000;
	*pos = '0' + top;
	ltt_put_dec4(pos + 1, high - top * 10000);
	return ltt_put_dec4(pos + 5, ns - high * 10000);
}

/**
 * ltt_render_time() - show a time as lines do
 * @out:	where to put it
 * @ts:		ns
 *
 * For notices; events go through ltt_render_event().
 *
 * Context: any.
 * Return: 0, or -ENOSPC: less than 56 bytes are free.
 */
int ltt_render_time(struct ltt_textbuf *out, u64 ts)
{
	if (ltt_textbuf_room(out) < START_ROOM + SPARE_ROOM)
		return -ENOSPC;
	out->pos = put_time(out, out->pos, ts, 1);
	return 0;
}

/**
 * ltt_render_number() - show a number, decimal
 * @out:	where to put it
 * @value:	the number
 *
 * Context: any.
 * Return: 0, or -ENOSPC: less than 20 bytes are free.
 */
int ltt_render_number(struct ltt_textbuf *out, u64 value)
{
	if (ltt_textbuf_room(out) < NUMBER_ROOM)
		return -ENOSPC;
	out->pos = ltt_put_dec(out->pos, value);
	return 0;
}

/**
 * ltt_textbuf_init() - prepare to put text into a buffer
 * @out:	the output
 * @buf:	the buffer
 * @size:	its bytes
 *
 * Context: any.
 */
void ltt_textbuf_init(struct ltt_textbuf *out, char *buf, size_t size)
{
	memset(out, 0, sizeof(*out));
	out->pos = buf;
	out->end = buf + size;
	set_second(out, 0);
}
EXPORT_SYMBOL_GPL(ltt_textbuf_init);

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
	text->cpu = cpu;
	*pos++ = ' ';
	*pos++ = '[';
	pos = ltt_put_number(pos, end, cpu, 10, LTT_FIELD_ZERO, 3, 0);
	*pos++ = ']';
	*pos++ = ' ';
	text->len = pos - text->text;
}
EXPORT_SYMBOL_GPL(ltt_cpu_text_init);

/* ---- programs ---------------------------------------------------------------- */

/* The step that shows an integer without a width and without names. */
static u8 choose_bare(const struct ltt_field *field)
{
	const unsigned int elaborate = LTT_FIELD_UPPER | LTT_FIELD_PLUS |
		LTT_FIELD_SPACE | LTT_FIELD_FLAGS | LTT_FIELD_RANGES | LTT_FIELD_PREC;
	bool shown_signed = field->flags & LTT_FIELD_SHOW_SIGNED;

	if (field->flags & elaborate)
		return OP_FIELD;
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

/* The step that shows a field; OP_FIELD unless a short cut is the same. */
static u8 choose_op(const struct ltt_field *field)
{
	if (field->width || field->flags & LTT_FIELD_SYMS)
		return OP_FIELD;
	if (field->store == LTT_STORE_STR)
		return field->flags & LTT_FIELD_PREC ? OP_FIELD : OP_STRING;
	return choose_bare(field);
}

/* The same in OP_FIELD. */
static u8 choose_how(const struct ltt_field *field)
{
	if (choose_bare(field) == OP_FIELD)
		return IN_ANY_WAY;
	if (field->flags & LTT_FIELD_SYMS)
		return field->width ? IN_ANY_WAY : NAMED;
	if (!field->width || field->width > WIDTH_MAX ||
	    field->flags & (LTT_FIELD_LEFT | LTT_FIELD_ALT))
		return IN_ANY_WAY;
	return PADDED;
}

/* Literal text goes on at @b->pos, if it is not only counted. */
static struct ltt_op *this_op(struct ltt_text_builder *b)
{
	return b->text ? &b->text->ops[b->nr] : NULL;
}

/* The step is complete: what comes next belongs to another one. */
static void end_op(struct ltt_text_builder *b, u8 code)
{
	struct ltt_op *op = this_op(b);

	b->nr++;
	if (!op)
		return;
	op->code = code;
	if (code != OP_END)
		op[1].lit = b->pos;
}

/**
 * ltt_build_literal() - add text that is in every line of a kind
 * @b:		the program
 * @text:	the text, not necessarily terminated; nothing in it is escaped
 * @len:	its bytes
 *
 * Context: any.
 */
void ltt_build_literal(struct ltt_text_builder *b, const char *text, size_t len)
{
	b->size += len;
	if (!b->text)
		return;
	memcpy(b->pos, text, len);
	b->pos += len;
	this_op(b)->lit_len += len;
}

/**
 * ltt_build_escaped() - add a name that is in every line of a kind
 * @b:		the program
 * @name:	the name; shown it is at most LTT_ESCAPE_MAX times as long
 *
 * Context: any.
 */
void ltt_build_escaped(struct ltt_text_builder *b, const char *name)
{
	size_t len = strlen(name);
	char shown[LTT_ESCAPE_MAX];
	unsigned int used;

	for (; len; len -= used, name += used)
		ltt_build_literal(b, shown,
				  ltt_escape_char(shown, (const u8 *)name, len, &used));
}

/**
 * ltt_build_name() - add "channel.marker", escaped
 * @b:		the program
 * @kind:	whose name
 *
 * Context: any.
 */
void ltt_build_name(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	const char *start = b->pos;

	ltt_build_escaped(b, kind->channel);
	ltt_build_literal(b, ".", 1);
	ltt_build_escaped(b, kind->marker);
	if (b->text) {
		b->text->name = start;
		b->text->name_len = b->pos - start;
	}
}

static void add_field(struct ltt_text_builder *b, const struct ltt_field *field, u8 code)
{
	struct ltt_op *op = this_op(b);

	if (op) {
		op->field = field;
		op->size = field->size;
		op->shift = 64 - 8 * field->size;
		op->is_signed = choose_bare(field) == OP_SIGNED;
	}
	end_op(b, code);
}

/**
 * ltt_build_field() - add a field as the format shows it, without the text around it
 * @b:		the program
 * @format:	of the event, or of its context
 * @nr:		number of the field
 *
 * All fields of a format have to be added, in their order.
 *
 * Context: any.
 */
void ltt_build_field(struct ltt_text_builder *b, const struct ltt_format *format,
		     unsigned int nr)
{
	const struct ltt_field *field = &format->fields[nr];
	u8 code = choose_op(field);

	/* The length of a blob has to go through ltt_render_field(). */
	if (ltt_field_is_length(format, nr))
		code = OP_FIELD;
	else if (code == OP_FIELD && b->text)
		this_op(b)->how = choose_how(field);
	if (code == OP_HEX && field->flags & LTT_FIELD_ALT)
		ltt_build_literal(b, "0x", 2);
	add_field(b, field, code);
}

/**
 * ltt_build_integer() - add an integer as it is stored, decimal
 * @b:		the program
 * @format:	of the event, or of its context
 * @nr:		number of the field: an LTT_STORE_INT that is not LTT_FIELD_BE, nor the length
 *		of a blob
 *
 * Context: any.
 */
void ltt_build_integer(struct ltt_text_builder *b, const struct ltt_format *format,
		       unsigned int nr)
{
	const struct ltt_field *field = &format->fields[nr];

	add_field(b, field, ltt_field_is_signed(field) ? OP_SIGNED : OP_UNSIGNED);
}

/**
 * ltt_build_own_field() - add a field that the style shows in its own way
 * @b:		the program
 * @format:	of the event, or of its context
 * @nr:		number of the field
 * @show:	shows it; returns the same as ltt_render_field(), and sets out->value if the field
 *		is the length of a blob
 *
 * Context: any.
 */
void ltt_build_own_field(struct ltt_text_builder *b, const struct ltt_format *format,
			 unsigned int nr, ltt_render_fn *show)
{
	struct ltt_op *op = this_op(b);

	if (op)
		op->show = show;
	add_field(b, &format->fields[nr], OP_STYLE);
}

/**
 * ltt_build_no_field() - leave out a field
 * @b:		the program
 * @format:	of the event, or of its context
 * @nr:		number of the field
 *
 * Context: any.
 */
void ltt_build_no_field(struct ltt_text_builder *b, const struct ltt_format *format,
			unsigned int nr)
{
	add_field(b, &format->fields[nr], OP_NOTHING);
}

/**
 * ltt_build_context() - fields that follow are those of the context
 * @b:		the program
 *
 * They are stored before those of the event. To be called after the last of these, if and
 * only if there is a context; before the first of them as well, and then ltt_build_event(),
 * if something of the context comes first.
 *
 * Context: any.
 */
void ltt_build_context(struct ltt_text_builder *b)
{
	end_op(b, OP_CONTEXT);
}

/**
 * ltt_build_event() - fields that follow are those of the event
 * @b:		the program
 *
 * As they are at the beginning. To be called once if ltt_build_context() was called before
 * the first of them, which may leave out the fields at its end.
 *
 * Context: any.
 */
void ltt_build_event(struct ltt_text_builder *b)
{
	end_op(b, OP_EVENT);
}

/**
 * ltt_build_time() - add the time, "seconds.nanoseconds"
 * @b:		the program
 *
 * Context: any.
 */
void ltt_build_time(struct ltt_text_builder *b)
{
	end_op(b, OP_TIME);
}

/**
 * ltt_build_nanoseconds() - add the time as a number of nanoseconds
 * @b:		the program
 *
 * Context: any.
 */
void ltt_build_nanoseconds(struct ltt_text_builder *b)
{
	end_op(b, OP_NANOSECONDS);
}

/**
 * ltt_build_cpu() - add the number of the CPU
 * @b:		the program
 *
 * Context: any.
 */
void ltt_build_cpu(struct ltt_text_builder *b)
{
	end_op(b, OP_CPU);
}

/* Most bytes of what has a known limit. */
static u32 room_of(u8 code)
{
	switch (code) {
	case OP_UNSIGNED ... OP_LAST_INT:
	case OP_NANOSECONDS:
	case OP_CPU:
		return NUMBER_ROOM;
	case OP_TIME:
		return TIME_ROOM;
	}
	return 0;
}

/* What each step has to leave for those after it, and what all need. */
static void make_needs(struct ltt_event_text *text, unsigned int nr)
{
	u32 need = SPARE_ROOM;

	while (nr--) {
		text->ops[nr].need = need;
		need += text->ops[nr].lit_len + room_of(text->ops[nr].code);
	}
	text->need = START_ROOM + need;
}

static void build(struct ltt_text_builder *b, const struct ltt_text_style *style,
		  const struct ltt_text_kind *kind)
{
	style->program(b, kind);
	end_op(b, OP_END);
}

/* Bytes of a program without its literals. */
static size_t size_of_ops(unsigned int nr)
{
	return sizeof(struct ltt_event_text) + nr * sizeof(struct ltt_op);
}

/**
 * ltt_event_text_prepare() - count what a program needs
 * @plan:	receives the numbers of steps and bytes, for ltt_event_text_init()
 * @style:	what lines are to look like
 * @kind:	the kind of event that it renders
 *
 * Context: any, unless the style says otherwise.
 * Return: bytes of the program.
 */
size_t ltt_event_text_prepare(struct ltt_text_builder *plan, const struct ltt_text_style *style,
			      const struct ltt_text_kind *kind)
{
	*plan = (struct ltt_text_builder){};
	build(plan, style, kind);
	return size_of_ops(plan->nr) + plan->size + SPARE_ROOM;
}

/**
 * ltt_event_text_init() - compile the program that renders one kind of event
 * @text:	as many bytes as ltt_event_text_prepare() returned, all 0
 * @plan:	what it counted
 * @style:	as there
 * @kind:	as there; its formats and event must stay as long as the program
 *
 * Context: as there.
 */
void ltt_event_text_init(struct ltt_event_text *text, const struct ltt_text_builder *plan,
			 const struct ltt_text_style *style, const struct ltt_text_kind *kind)
{
	struct ltt_text_builder b = { .text = text, .pos = (char *)text + size_of_ops(plan->nr) };

	text->format = kind->format;
	text->context = kind->context;
	text->event = kind->event;
	text->ops[0].lit = b.pos;
	build(&b, style, kind);
	make_needs(text, b.nr);
}

/**
 * ltt_event_text_create() - allocate and compile the program that renders one kind of event
 * @style:	what lines are to look like
 * @kind:	the kind; its formats and event must stay as long as the program
 *
 * Context: task context; may sleep.
 * Return: the program, to be freed by ltt_event_text_free(), or ERR_PTR(-ENOMEM).
 */
struct ltt_event_text *ltt_event_text_create(const struct ltt_text_style *style,
					     const struct ltt_text_kind *kind)
{
	struct ltt_text_builder plan;
	struct ltt_event_text *text;

	text = kvcalloc(1, ltt_event_text_prepare(&plan, style, kind), GFP_KERNEL);
	if (!text)
		return ERR_PTR(-ENOMEM);
	ltt_event_text_init(text, &plan, style, kind);
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

/* PADDED. */
static char *put_padded(char *pos, const struct ltt_op *op, u64 v)
{
	unsigned int len, width = op->field->width;
	bool zeros = op->field->flags & LTT_FIELD_ZERO, hex = op->field->show == LTT_SHOW_HEX;
	bool minus = op->is_signed && (s64)v < 0;

	if (minus)
		v = -v;
	len = minus + (hex ? ltt_hex_length(v) : ltt_dec_length(v));
	if (minus && zeros)
		*pos++ = '-';
	memset(pos, zeros ? '0' : ' ', WIDTH_MAX);
	if (len < width)
		pos += width - len;
	if (minus && !zeros)
		*pos++ = '-';
	return hex ? ltt_put_hex(pos, v) : ltt_put_dec(pos, v);
}

/* NAMED, where the values are numbered as the names are. Return: NULL if they are not. */
static char *put_name(char *pos, const char *end, const struct ltt_op *op, u64 v)
{
	const struct ltt_sym *syms = op->field->syms;
	u64 nr = v - (u64)syms[0].value;
	size_t len;

	if (unlikely(nr >= op->field->nr_dense))
		return NULL;
	/* There is a word to be read after each name. */
	len = ltt_copy_plain(pos, end, (const u8 *)syms[nr].name, SIZE_MAX, '\\');
	return likely(!syms[nr].name[len]) ? pos + len : NULL;
}

/* OP_FIELD that is not IN_ANY_WAY. Apart from the other steps, so that these have the registers. */
static noinline long render_short(struct ltt_textbuf *out, const struct ltt_op *op, const u8 *p,
				  size_t avail, bool swap)
{
	char *pos;
	u64 v;

	if (avail < WORD || ltt_textbuf_room(out) < WIDTH_MAX + NUMBER_ROOM)
		return ltt_render_field(out, op->field, p, avail, swap);
	v = load_upper(op, p, swap);
	v = op->is_signed ? (u64)((s64)v >> op->shift) : v >> op->shift;
	pos = op->how == PADDED ? put_padded(out->pos, op, v) :
				  put_name(out->pos, out->end, op, v);
	if (unlikely(!pos))
		return ltt_render_field(out, op->field, p, avail, swap);
	out->pos = pos;
	return op->size;
}

/* What OP_STRING can't do in words. */
static noinline long finish_string(struct ltt_textbuf *out, const u8 *p, size_t avail)
{
	const u8 *nul = memchr(p, '\0', avail);

	if (!nul)
		return -EBADMSG;
	if (ltt_render_escaped(out, p, nul - p))
		return -ENOSPC;
	return nul + 1 - p;
}

static __always_inline char *put_nanoseconds(struct ltt_textbuf *out, char *pos, u64 ts)
{
	if (unlikely(ts < NSEC))
		return ltt_put_dec(pos, ts);
	return put_time(out, pos, ts, 0);
}

/* ltt_render_event(), or ltt_render_line() if the program shows time and CPU. */
static __always_inline
long render(struct ltt_textbuf *out, const struct ltt_event_text *text,
	    const struct ltt_cpu_text *cpu, u64 ts,
	    const u8 *payload, size_t avail, bool swap, bool all)
{
	const u8 *p = payload, *p_end = payload + avail;
	/* The last place from which a whole word may be loaded; before the payload: none. */
	const u8 *last_word = p_end - WORD, *fields = payload;
	char *start = out->pos, *pos = start;
	const struct ltt_op *op;
	long len, whole = 0;
	u8 code;
	u64 v;

	if (unlikely(ltt_textbuf_room(out) < text->need))
		return -ENOSPC;
	if (unlikely(text->context)) {
		len = ltt_payload_size(text->context, p, avail, swap);
		if (len < 0)
			return len;
		p += len;
		fields = p;
	}
	if (!all) {
		pos = put_time(out, pos, ts, 1);
		pos = copy_short(pos, cpu->text, cpu->len);
	}

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

		if (all && code >= OP_FIRST_OF_LINE) {
			if (code == OP_NANOSECONDS)
				pos = put_nanoseconds(out, pos, ts);
			else if (code == OP_CPU)
				pos = ltt_put_dec(pos, cpu->cpu);
			else
				pos = put_time(out, pos, ts, 1);
			continue;
		}

		if (code == OP_STRING) {
			len = ltt_copy_plain(pos, out->end - op->need, p, p_end - p, '\\');
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
			len = op->how == IN_ANY_WAY ?
			      ltt_render_field(out, op->field, p, p_end - p, swap) :
			      render_short(out, op, p, p_end - p, swap);
		} else if (likely(code == OP_END)) {
			out->pos = pos;
			return whole ?: p - payload;
		} else if (code == OP_CONTEXT) {
			whole = p - payload;
			p = payload;
			continue;
		} else if (code == OP_STYLE) {
			out->pos = pos;
			len = op->show(out, op->field, p, p_end - p, swap);
		} else if (code == OP_EVENT) {
			p = fields;
			whole = 0;
			continue;
		} else {
			out->pos = pos;
			len = ltt_field_size(op->field, p, p_end - p, swap, &out->value);
		}

		if (len >= 0 && ltt_textbuf_room(out) < op->need)
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

/**
 * ltt_render_event() - show an event as a line that begins with time and CPU
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
long ltt_render_event(struct ltt_textbuf *out, const struct ltt_event_text *text,
		      const struct ltt_cpu_text *cpu, u64 ts,
		      const u8 *payload, size_t avail, bool swap)
{
	return render(out, text, cpu, ts, payload, avail, swap, false);
}
EXPORT_SYMBOL_GPL(ltt_render_event);

/**
 * ltt_render_line() - show an event as a line of which all is in the program
 * @out:	where to put the line
 * @text:	program of the event's kind
 * @cpu:	text of its CPU
 * @ts:		ns, its timestamp
 * @payload:	as for ltt_render_event()
 * @avail:	as for ltt_render_event()
 * @swap:	as for ltt_render_event()
 *
 * Context: as for ltt_render_event().
 * Return: as ltt_render_event().
 */
long ltt_render_line(struct ltt_textbuf *out, const struct ltt_event_text *text,
		     const struct ltt_cpu_text *cpu, u64 ts,
		     const u8 *payload, size_t avail, bool swap)
{
	return render(out, text, cpu, ts, payload, avail, swap, true);
}
