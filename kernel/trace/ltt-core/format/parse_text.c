// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the text of a marker's format: literals, names of fields and of values.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/ltt/escape.h>

#include "parse.h"

/* ---- storing ----------------------------------------------------------------- */

/* Where the next name or literal goes, NULL in the first pass. */
static char *text_end(const struct ltt_parser *ps)
{
	return ps->out ? ps->text + ps->text_used : NULL;
}

static void put_char(struct ltt_parser *ps, char c)
{
	if (ps->out)
		ps->text[ps->text_used] = c;
	ps->text_used++;
}

static void put_text(struct ltt_parser *ps, const char *text, size_t len)
{
	while (len--)
		put_char(ps, *text++);
}

/* Literal text as it will be shown. */
static void put_literal(struct ltt_parser *ps, size_t from, size_t to)
{
	const u8 *text = (const u8 *)ps->format;
	char shown[LTT_ESCAPE_MAX];
	unsigned int used;

	while (from < to) {
		put_text(ps, shown, ltt_escape_char(shown, text + from, to - from,
						    &used));
		from += used;
	}
}

/* ---- literals and names ------------------------------------------------------ */

/*
 * Find the name of the argument whose conversion stands at the pass's position,
 * in the literal that begins at @start: the last identifier before it. The
 * prefix 0x right before a conversion belongs to the number.
 */
static void find_name(struct ltt_parser *ps, size_t start)
{
	const char *format = ps->format;
	size_t end = ps->pos, begin;

	if (end - start >= 2 && (format[end - 1] == 'x' || format[end - 1] == 'X') &&
	    format[end - 2] == '0' &&
	    (end - start == 2 || !ltt_is_name_char(format[end - 3])))
		end -= 2;
	while (end > start && !ltt_is_name_char(format[end - 1]))
		end--;
	begin = end;
	while (begin > start && ltt_is_name_char(format[begin - 1]))
		begin--;

	ps->name = NULL;
	ps->name_len = 0;
	if (begin < end && !ltt_is_digit(format[begin])) {
		ps->name = format + begin;
		ps->name_len = end - begin;
	}
}

void ltt_parse_literal(struct ltt_parser *ps, bool after_conv, const char **text,
		       size_t *len)
{
	size_t start = ps->pos, from, used = ps->text_used;

	*text = text_end(ps);
	if (after_conv && ltt_peek(ps, 0) == '{' && ltt_peek(ps, 1) == '{')
		ps->pos++;
	from = ps->pos;
	for (; ps->pos < ps->len; ps->pos++) {
		if (ltt_peek(ps, 0) != '%')
			continue;
		if (ltt_peek(ps, 1) != '%')
			break;
		/* Show the first of the two, go on behind the second. */
		ps->pos++;
		put_literal(ps, from, ps->pos);
		from = ps->pos + 1;
	}
	put_literal(ps, from, ps->pos);
	*len = ps->text_used - used;
	if (ps->pos < ps->len)
		find_name(ps, start);
}

static bool name_taken(const struct ltt_format *out, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(out->fields[i].name, name))
			return true;
	return false;
}

/*
 * The first pass knows no names, it makes room
 * for the longest: among LTT_MAX_ARGS names a suffix has two digits at most.
 */
void ltt_put_name(struct ltt_parser *ps, struct ltt_field *field)
{
	char suffix[8], *name = text_end(ps);
	unsigned int nr = 1;
	size_t end;

	if (ps->name) {
		put_text(ps, ps->name, ps->name_len);
	} else {
		snprintf(suffix, sizeof(suffix), "arg%u", ps->arg + 1);
		put_text(ps, suffix, strlen(suffix));
	}
	if (!ps->out) {
		ps->text_used += sizeof("_99");
		return;
	}

	end = ps->text_used;
	put_char(ps, '\0');
	while (name_taken(ps->out, ps->arg, name)) {
		ps->text_used = end;
		snprintf(suffix, sizeof(suffix), "_%u", ++nr);
		put_text(ps, suffix, strlen(suffix) + 1);
	}
	field->name = name;
}

/* ---- tables of names --------------------------------------------------------- */

static bool is_sym_char(char c)
{
	return ltt_is_name_char(c) || c == '.' || c == '+' || c == '-';
}

/* A decimal or hexadecimal number that fits the field, as int or unsigned. */
static int parse_value(struct ltt_parser *ps, const struct ltt_field *field, __s64 *value)
{
	unsigned int bits = 8 * field->show_size, base = 10, digit;
	__u64 max = ~0ull >> (64 - bits), v = 0;
	bool negative = false;
	size_t start;

	if (ltt_peek(ps, 0) == '-') {
		negative = true;
		max = 1ull << (bits - 1);
		ps->pos++;
	}
	if (ltt_peek(ps, 0) == '0' && (ltt_peek(ps, 1) | 0x20) == 'x') {
		base = 16;
		ps->pos += 2;
	}
	for (start = ps->pos;; ps->pos++) {
		char c = ltt_peek(ps, 0);

		if (ltt_is_digit(c))
			digit = c - '0';
		else if (base == 16 && (c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (c | 0x20) - 'a' + 10;
		else
			break;
		if (digit > max || v > (max - digit) / base) {
			ps->column = ps->pos + 1;
			return ltt_refuse(ps, "value does not fit in a %u-byte integer",
					  field->show_size);
		}
		v = v * base + digit;
	}
	if (ps->pos == start)
		return ltt_refuse_char(ps, 0, "expected a value in the table of names");
	*value = negative ? -v : v;
	return 0;
}

static void put_sym(struct ltt_parser *ps, __s64 value, size_t from, size_t to)
{
	if (ps->out) {
		ps->syms[ps->syms_used].value = value;
		ps->syms[ps->syms_used].name = text_end(ps);
	}
	ps->syms_used++;
	put_text(ps, ps->format + from, to - from);
	put_char(ps, '\0');
}

/*
 * "{0=A,1=B}" or "{|1=A|2=B}". In the second form the separator comes first, which
 * tells the two apart.
 */
int ltt_parse_table(struct ltt_parser *ps, struct ltt_field *field)
{
	size_t first = ps->syms_used, start;
	bool sorted = field->show_size == sizeof(__s64);
	__s64 value = 0, before;
	char separator = ',';
	int err;

	ps->pos++;
	if (ltt_peek(ps, 0) == '|') {
		separator = '|';
		ps->pos++;
	}
	field->flags |= separator == '|' ? LTT_FIELD_FLAGS : LTT_FIELD_SYMS;

	for (;; ps->pos++) {
		before = value;
		err = parse_value(ps, field, &value);
		if (err)
			return err;
		if (ps->syms_used > first && value <= before)
			sorted = false;
		if (ltt_peek(ps, 0) != '=')
			return ltt_refuse_char(ps, 0, "expected '=' in the table of names");
		start = ++ps->pos;
		while (is_sym_char(ltt_peek(ps, 0)))
			ps->pos++;
		if (ps->pos == start)
			return ltt_refuse_char(ps, 0, "expected a name in the table of names");
		put_sym(ps, value, start, ps->pos);
		if (ltt_peek(ps, 0) == '}')
			break;
		if (ltt_peek(ps, 0) != separator)
			return ltt_refuse_char(ps, 0, separator == '|' ?
					       "expected '|' or '}' in the table of flags" :
					       "expected ',' or '}' in the table of names");
	}
	ps->pos++;
	if (sorted && separator == ',')
		field->flags |= LTT_FIELD_SORTED;
	field->nr_syms = ps->syms_used - first;
	if (ps->out) {
		field->syms = ps->syms + first;
		ltt_field_count_dense(field);
	}
	return 0;
}
