// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: values out of lines of text style "kv", which the kernel shows live.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

static const char *value_end(const char *p, const char *end)
{
	if (p < end && *p == '"') {
		for (p++; p < end && *p != '"'; p++) {
			if (*p == '\\')
				p++;
		}
		p++;
	} else {
		while (p < end && *p != ' ')
			p++;
	}
	return p < end ? p : end;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What stands after a backslash, see ltt_escape_char(). Return: where the text goes on. */
static const char *unescape(const char *p, const char *end, char *to)
{
	if (*p == 'x' && end - p >= 3 && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
		*to = hex_digit(p[1]) << 4 | hex_digit(p[2]);
		return p + 3;
	}
	*to = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
	return p + 1;
}

/* Without quotes and escapes, to @buf. Return: bytes there. */
static size_t unquote(const char *p, const char *end, char *buf)
{
	char *to = buf;

	if (end - p >= 2 && *p == '"') {
		p++;
		end--;
	}
	while (p < end) {
		if (*p == '\\' && p + 1 < end)
			p = unescape(p + 1, end, to++);
		else
			*to++ = *p++;
	}
	*to = '\0';
	return to - buf;
}

/* A value of a table, as the conversion shows values. */
static u64 converted(const struct ltt_field *field, u64 value)
{
	unsigned int shift = 64 - 8 * field->show_size;

	if (field->flags & LTT_FIELD_SHOW_SIGNED)
		return (s64)(value << shift) >> shift;
	return value << shift >> shift;
}

static bool find_name(const struct ltt_field *field, const char *text, size_t len, u64 *value)
{
	unsigned int i;

	for (i = 0; i < field->nr_syms; i++) {
		if (strlen(field->syms[i].name) == len && !memcmp(field->syms[i].name, text, len)) {
			/* The name of several values does not tell which. */
			if (field->flags & LTT_FIELD_RANGES &&
			    field->syms[i].value != field->syms[i + 1].value)
				return false;
			*value = converted(field, field->syms[i].value);
			return true;
		}
	}
	return false;
}

static int scan_number(const char *text, size_t len, int base, u64 *value)
{
	char *end;

	/* strtoull() would skip blanks. */
	if (!len || *text == ' ')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, base);
	return errno || end != text + len ? -EINVAL : 0;
}

/* "read|write|0x8" */
static int scan_flags(const struct ltt_field *field, char *text, size_t len, u64 *value)
{
	char *end = text + len, *bar;
	u64 bits;

	*value = 0;
	for (; text < end; text = bar + 1) {
		bar = memchr(text, '|', end - text) ?: end;
		*bar = '\0';
		if (!find_name(field, text, bar - text, &bits) &&
		    scan_number(text, bar - text, 16, &bits))
			return -EINVAL;
		*value |= bits;
	}
	return len ? 0 : -EINVAL;
}

static int scan_int(const struct ltt_field *field, char *text, size_t len, u64 *value)
{
	static const int bases[] = {
		[LTT_SHOW_DEC] = 10, [LTT_SHOW_HEX] = 16, [LTT_SHOW_OCT] = 8,
	};

	if (field->show == LTT_SHOW_CHAR) {
		*value = (u8)*text;
		return len == 1 ? 0 : -EINVAL;
	}
	if (field->flags & LTT_FIELD_FLAGS)
		return scan_flags(field, text, len, value);
	if (find_name(field, text, len, value))
		return 0;
	return scan_number(text, len, bases[field->show], value);
}

/**
 * libltt_split() - take the next field off a line of style "kv"
 * @line:	what follows "CHANNEL.MARKER:" in the line, without the newline; becomes what
 *		follows the field
 * @end:	where it ends
 * @word:	returns the field
 *
 * Return: false if there is none.
 */
bool libltt_split(const char **line, const char *end, struct libltt_word *word)
{
	const char *p = *line;

	if (p == end || *p++ != ' ')
		return false;
	word->name = p;
	p = memchr(p, '=', end - p);
	if (!p)
		return false;
	word->name_len = p++ - word->name;
	word->value = p;
	*line = value_end(p, end);
	word->len = *line - p;
	return true;
}

/**
 * libltt_scan() - take a field out of a line of style "kv"
 * @kind:	the kind of event
 * @nr:		number of the field, from 0, as for libltt_field()
 * @line:	what follows "CHANNEL.MARKER:" in the line, without the newline
 * @len:	bytes of it
 * @buf:	room for @len bytes and one more, for a string
 * @value:	returns its name and value. It is valid as long as @buf
 *
 * Integers get the value that libltt_field() would return, also those that are shown with the
 * names of their values; if several have the same name, the first of these. What is shown
 * otherwise, such as a pointer, is a LIBLTT_STRING.
 *
 * Return: 0, or -EINVAL: the line has no such field, or no such value.
 */
int libltt_scan(const struct libltt_class *kind, unsigned int nr, const char *line, size_t len,
		char *buf, struct libltt_value *value)
{
	const struct ltt_field *field = lib_class_field(kind, nr);
	const char *end = line + len;
	struct libltt_word word;
	u64 number = 0;
	size_t size;
	int err;

	if (!field || libltt_class_field(kind, nr, value))
		return -EINVAL;
	do {
		if (!libltt_split(&line, end, &word))
			return -EINVAL;
	} while (nr--);
	if (word.name_len && *word.name == '$') {
		word.name++;
		word.name_len--;
	}
	if (strlen(field->name) != word.name_len ||
	    memcmp(field->name, word.name, word.name_len))
		return -EINVAL;
	size = unquote(word.value, word.value + word.len, buf);
	value->count = 1;
	if (field->store == LTT_STORE_INT && field->show <= LTT_SHOW_CHAR) {
		err = scan_int(field, buf, size, &number);
		value->u = number;
		return err;
	}
	value->type = LIBLTT_STRING;
	value->text = buf;
	value->count = size;
	return 0;
}
