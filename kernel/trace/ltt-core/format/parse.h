/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of the format's parser.
 *
 * Shared by the kernel, the user-space tools and the tests.
 *
 * The parser runs twice over the format. The first pass checks everything and
 * measures, the second stores; both are the same code, except for the few lines that
 * check @out of struct ltt_parser.
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
 * struct ltt_parser - state of a pass over a format
 * @format:	the format
 * @len:	its bytes
 * @pos:	position of the pass in it
 * @types:	type codes of the arguments
 * @nr_types:	number of arguments
 * @error:	receives the message of a refusal
 * @out:	what is being built, NULL in the first pass
 * @text:	room for names and literals, NULL in the first pass
 * @text_used:	bytes of it used, or the maximum needed
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

/* The character @ahead of the pass's position; NUL after the end. */
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
 * parse_error.c: write the message of a refusal into @error, truncated if necessary; it
 * names the argument and the column. All return -EINVAL.
 *
 * ltt_refuse()		the reason, as for printf()
 * ltt_refuse_char()	the reason, and the character @ahead of the pass's position that was
 *			found instead, whose column is named
 * ltt_refuse_type()	what the conversion requires, and what the argument is
 */
__printf(2, 3) int ltt_refuse(struct ltt_parser *ps, const char *why, ...);
int ltt_refuse_char(struct ltt_parser *ps, size_t ahead, const char *why);
int ltt_refuse_type(struct ltt_parser *ps, const char *wants);

/*
 * parse_text.c: the parts of the format that are text in its parsed form.
 *
 * ltt_parse_literal()	takes the literal at the pass's position, up to the next
 *			conversion or the end, and the name it holds for the
 *			argument of that conversion. *text (NULL in the first
 *			pass) and *len are set to the text to show. If @after_conv,
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
 * parse_conv.c: take the conversion at the pass's position, which is at its '%',
 * with the count or table after it. @field is all zeros except for its literal,
 * @before is the field before it or NULL. Returns 0 or -EINVAL.
 */
int ltt_parse_conversion(struct ltt_parser *ps, struct ltt_field *field,
			 const struct ltt_field *before);

#endif /* _LTT_FORMAT_PRIVATE_H */
