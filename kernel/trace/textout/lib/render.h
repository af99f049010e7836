/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: events as lines of text; what text styles are made of.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#ifndef _LTT_RENDER_H
#define _LTT_RENDER_H

#include <linux/errno.h>
#include <linux/ltt/format.h>
#include <linux/ltt/textbuf.h>
#include <linux/string.h>
#include <linux/types.h>

struct ltt_event;
struct ltt_text_style;

/*
 * More room than a line has bytes, at most, that is needed to render it: 20 bytes for each field,
 * of which a context has some, too.
 */
#define LTT_RENDER_SPARE	(64 + 20 * 2 * LTT_MAX_ARGS)

/**
 * struct ltt_cpu_text - " [003] ", made once per stream
 * @len:	bytes of @text
 * @cpu:	the number
 * @text:	the text, not terminated
 */
struct ltt_cpu_text {
	u32 len;
	u32 cpu;
	char text[16];
};

/* Shows one field, see ltt_render_field(). */
typedef long ltt_render_fn(struct ltt_textbuf *out, const struct ltt_field *field,
			   const u8 *p, size_t avail, bool swap);

/**
 * struct ltt_op - a step in the program that renders an event
 * @code:	enum ltt_op_code of render.c
 * @size:	bytes of the stored integer
 * @shift:	64 less the bits of the stored integer
 * @is_signed:	it is shown with its sign
 * @how:	enum how of render.c
 * @lit_len:	bytes of @lit
 * @need:	bytes of room that the steps after this one need
 * @lit:	literal text that comes first
 * @field:	what the step shows
 * @show:	the style's function that shows it
 */
struct ltt_op {
	u8 code;
	u8 size;
	u8 shift;
	bool is_signed;
	u8 how;
	u32 lit_len;
	u32 need;
	const char *lit;
	const struct ltt_field *field;
	ltt_render_fn *show;
};

/**
 * struct ltt_text_kind - a kind of event
 * @channel:	name of its channel
 * @marker:	name of its marker
 * @format:	of its fields
 * @context:	format of what is recorded with it, NULL if nothing is
 * @event:	the marker's, for printers; NULL in user space
 * @nr_traces:	traces that are shown together, if there are several
 * @trace:	then the number of its own in the header, from 0
 */
struct ltt_text_kind {
	const char *channel;
	const char *marker;
	const struct ltt_format *format;
	const struct ltt_format *context;
	const struct ltt_event *event;
	unsigned int nr_traces;
	unsigned int trace;
};

/**
 * struct ltt_event_text - a program that renders one kind of event
 * @format:	of struct ltt_text_kind
 * @context:	of struct ltt_text_kind
 * @event:	of struct ltt_text_kind
 * @name:	what ltt_build_name() made; not terminated
 * @name_len:	bytes of @name
 * @need:	bytes of room without which no line is tried
 * @ops:	one step per field of event and context, and one that ends each of them; more in
 *		styles that have other things in their lines
 */
struct ltt_event_text {
	const struct ltt_format *format;
	const struct ltt_format *context;
	const struct ltt_event *event;
	const char *name;
	u32 name_len;
	u32 need;
	struct ltt_op ops[];
};

/**
 * struct ltt_text_builder - a program that is being made
 * @text:	the program; NULL while its size is counted
 * @pos:	where the next literal goes
 * @nr:		steps so far
 * @size:	bytes of literals so far
 */
struct ltt_text_builder {
	struct ltt_event_text *text;
	char *pos;
	unsigned int nr;
	size_t size;
};

void ltt_textbuf_init(struct ltt_textbuf *out, char *buf, size_t size);
void ltt_cpu_text_init(struct ltt_cpu_text *text, u32 cpu);

size_t ltt_event_text_prepare(struct ltt_text_builder *plan, const struct ltt_text_style *style,
			      const struct ltt_text_kind *kind);
void ltt_event_text_init(struct ltt_event_text *text, const struct ltt_text_builder *plan,
			 const struct ltt_text_style *style, const struct ltt_text_kind *kind);
struct ltt_event_text *ltt_event_text_create(const struct ltt_text_style *style,
					     const struct ltt_text_kind *kind);
void ltt_event_text_free(struct ltt_event_text *text);

/* For the program() of a style. */
void ltt_build_literal(struct ltt_text_builder *b, const char *text, size_t len);
void ltt_build_escaped(struct ltt_text_builder *b, const char *name);
void ltt_build_name(struct ltt_text_builder *b, const struct ltt_text_kind *kind);
void ltt_build_field(struct ltt_text_builder *b, const struct ltt_format *format,
		     unsigned int nr);
void ltt_build_integer(struct ltt_text_builder *b, const struct ltt_format *format,
		       unsigned int nr);
void ltt_build_own_field(struct ltt_text_builder *b, const struct ltt_format *format,
			 unsigned int nr, ltt_render_fn *show);
void ltt_build_no_field(struct ltt_text_builder *b, const struct ltt_format *format,
			unsigned int nr);
void ltt_build_context(struct ltt_text_builder *b);
void ltt_build_event(struct ltt_text_builder *b);

/* The same, for styles whose event() is ltt_render_line(). */
void ltt_build_time(struct ltt_text_builder *b);
void ltt_build_nanoseconds(struct ltt_text_builder *b);
void ltt_build_cpu(struct ltt_text_builder *b);

/* A literal that is a string. */
static inline void ltt_build_text(struct ltt_text_builder *b, const char *text)
{
	ltt_build_literal(b, text, strlen(text));
}

/* The event() of styles whose lines begin with time and CPU, and of others. */
long ltt_render_event(struct ltt_textbuf *out, const struct ltt_event_text *text,
		      const struct ltt_cpu_text *cpu, u64 ts,
		      const u8 *payload, size_t avail, bool swap);

long ltt_render_line(struct ltt_textbuf *out, const struct ltt_event_text *text,
		     const struct ltt_cpu_text *cpu, u64 ts,
		     const u8 *payload, size_t avail, bool swap);

/* For the rest: they return 0 or -ENOSPC, and out->pos means nothing after an error. */
int ltt_render_number(struct ltt_textbuf *out, u64 value);
int ltt_render_time(struct ltt_textbuf *out, u64 ts);
int ltt_render_escaped(struct ltt_textbuf *out, const u8 *text, size_t len);
int ltt_render_hex(struct ltt_textbuf *out, const u8 *p, size_t count);
int ltt_render_quoted(struct ltt_textbuf *out, char *start);

/* render_field.c: a field without the text around it, for any style. */
long ltt_render_field(struct ltt_textbuf *out, const struct ltt_field *field,
		      const u8 *p, size_t avail, bool swap);
long ltt_render_unpadded(struct ltt_textbuf *out, const struct ltt_field *field,
			 const u8 *p, size_t avail, bool swap);
long ltt_render_field_quoted(struct ltt_textbuf *out, const struct ltt_field *field,
			     const u8 *p, size_t avail, bool swap);

/**
 * ltt_render_plain() - show text as it is
 * @out:	where to put it
 * @text:	the text, which nobody else has chosen, or which is escaped
 * @len:	its bytes
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then nothing was put.
 */
static inline int ltt_render_plain(struct ltt_textbuf *out, const char *text, size_t len)
{
	if ((size_t)(out->end - out->pos) < len)
		return -ENOSPC;
	memcpy(out->pos, text, len);
	out->pos += len;
	return 0;
}

/* The same of a string. */
static inline int ltt_render_text(struct ltt_textbuf *out, const char *text)
{
	return ltt_render_plain(out, text, strlen(text));
}

#endif /* _LTT_RENDER_H */
