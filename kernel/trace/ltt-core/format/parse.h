/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what the parts of the format's parser share.
 *
 * Shared by the kernel, the user-space tools and the tests.
 *
 * The parser runs twice over the format. The first pass checks everything and
 * measures, the second stores; both are the same code, and what differs is in
 * the few lines that look at @out of struct ltt_parser.
 *
 * Conventions in these files: a "column" is a position in the format counted
 * from one, as messages show it; "arg" counts arguments from zero.
 *
 * Context of all functions: task context.
 */
#ifndef _LTT_FORMAT_PRIVATE_H
#define _LTT_FORMAT_PRIVATE_H

#include <linux/compiler.h>
#include <linux/ltt/format.h>

/**
 * struct ltt_parser - where a pass over a format stands
 * @format:	the format
 * @len:	its bytes
 * @pos:	where the pass stands in it
 * @types:	type codes of the arguments
 * @nr_types:	number of arguments
 * @error:	where the message of a refusal goes
 * @out:	what is being built, NULL in the first pass
 * @text:	room for names and literals, NULL in the first pass
 * @text_used:	bytes of it used, or needed at most
 * @syms:	room for symbolic names, NULL in the first pass
 * @syms_used:	entries of it used or needed
 * @arg:	the argument being parsed
 * @name:	name of that argument as found in the format, NULL if none
 * @name_len:	its bytes
 * @column:	column of the conversion being parsed
 * @spec:	that conversion, for messages
 * @spec_len:	its bytes
 */
struct ltt_parser {
	const char *format;
	size_t len;
	size_t pos;
	const __u32 *types;
	unsigned int nr_types;
	char *error;

	struct ltt_format *out;
	char *text;
	size_t text_used;
	struct ltt_sym *syms;
	size_t syms_used;

	unsigned int arg;
	const char *name;
	int name_len;
	size_t column;
	const char *spec;
	int spec_len;
};

/* The character @ahead of the pass's position; NUL behind the end. */
static inline char ltt_peek(const struct ltt_parser *ps, size_t ahead)
{
	return ps->pos + ahead < ps->len ? ps->format[ps->pos + ahead] : '\0';
}

static inline bool ltt_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ltt_is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ltt_is_digit(c) ||
	       c == '_';
}

/*
 * format_error.c: write the message of a refusal into @error, cut if need be; it
 * names the argument and the column. All return -EINVAL.
 *
 * ltt_refuse()		why, as printf() takes it
 * ltt_refuse_char()	why, and which character @ahead of the pass's position was
 *			found instead; that is the column named
 * ltt_refuse_type()	what the conversion wants, and what the argument is
 */
__printf(2, 3) int ltt_refuse(struct ltt_parser *ps, const char *why, ...);
int ltt_refuse_char(struct ltt_parser *ps, size_t ahead, const char *why);
int ltt_refuse_type(struct ltt_parser *ps, const char *wants);

/*
 * format_text.c: what goes from the format into its parsed form as text.
 *
 * ltt_parse_literal()	takes the literal at the pass's position, up to the next
 *			conversion or the end, and the name it holds for the
 *			argument of that conversion. *text (NULL in the first
 *			pass) and *len say how it will be shown. If @after_conv,
 *			a "{{" that it begins with stands for "{".
 * ltt_put_name()	stores the name of the argument, made unique, in the field
 * ltt_parse_table()	takes the table of names at the pass's position, which is
 *			at its '{'; returns 0 or -EINVAL
 */
void ltt_parse_literal(struct ltt_parser *ps, bool after_conv, const char **text,
		       size_t *len);
void ltt_put_name(struct ltt_parser *ps, struct ltt_field *field);
int ltt_parse_table(struct ltt_parser *ps, struct ltt_field *field);

/*
 * format_conv.c: take the conversion at the pass's position, which is at its '%',
 * with the count or table behind it. @field is all zeros but for its literal,
 * @before is the field before it or NULL. Returns 0 or -EINVAL.
 */
int ltt_parse_conversion(struct ltt_parser *ps, struct ltt_field *field,
			 const struct ltt_field *before);

#endif /* _LTT_FORMAT_PRIVATE_H */
