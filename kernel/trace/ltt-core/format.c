// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a marker's format, parsed once into typed, named fields.
 *
 * Shared by the kernel, the user-space tools and the tests. Formats come from
 * modules and, in the tools, from files that anyone may have written: nothing
 * here trusts them.
 *
 * The parser runs twice over the format. The first pass checks everything and
 * measures, the second stores; both are the same code, and only the few helpers
 * that store (put_char(), put_text(), put_name(), put_sym()) know which pass it is.
 *
 * Conventions in this file: a "column" is a position in the format counted from
 * one, as messages show it; "arg" counts arguments from zero.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ltt/format.h>
#include <linux/ltt/load.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "escape.h"

/**
 * struct parser - state of one pass
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
struct parser {
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
static char peek(const struct parser *ps, size_t ahead)
{
	return ps->pos + ahead < ps->len ? ps->format[ps->pos + ahead] : '\0';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
	       c == '_';
}

static bool is_sym_char(char c)
{
	return is_name_char(c) || c == '.' || c == '+' || c == '-';
}

/* ---- messages ---------------------------------------------------------------- */

static __printf(2, 3) int refuse(struct parser *ps, const char *why, ...)
{
	va_list args;
	int len;

	if (ps->name)
		len = snprintf(ps->error, LTT_FORMAT_ERROR,
			       "argument %u (%.*s), column %zu: ", ps->arg + 1,
			       min(ps->name_len, 32), ps->name, ps->column);
	else
		len = snprintf(ps->error, LTT_FORMAT_ERROR,
			       "argument %u (arg%u), column %zu: ", ps->arg + 1,
			       ps->arg + 1, ps->column);
	va_start(args, why);
	vsnprintf(ps->error + len, LTT_FORMAT_ERROR - len, why, args);
	va_end(args);
	return -EINVAL;
}

/* The same about one character inside of a conversion or table. */
static int refuse_char(struct parser *ps, size_t ahead, const char *why)
{
	char shown[LTT_ESCAPE_MAX];
	unsigned int used;
	char c = peek(ps, ahead);
	int len;

	ps->column = ps->pos + ahead + 1;
	if (ps->pos + ahead >= ps->len)
		return refuse(ps, "%s, found the end", why);
	/* One byte only: half a UTF-8 sequence shows as \xNN. */
	len = ltt_escape_char(shown, (const u8 *)&c, 1, &used);
	return refuse(ps, "%s, found '%.*s'", why, len, shown);
}

#define TYPE_TEXT	48

static const char *type_text(char text[TYPE_TEXT], __u32 type)
{
	unsigned int size = LTT_TYPE_SIZE(type);

	switch (LTT_TYPE_KIND(type)) {
	case LTT_KIND_INT:
		snprintf(text, TYPE_TEXT, "an integer of %u bytes", size);
		break;
	case LTT_KIND_PTR:
		snprintf(text, TYPE_TEXT, "a pointer");
		break;
	case LTT_KIND_CPTR:
		snprintf(text, TYPE_TEXT, "a string pointer");
		break;
	default:
		snprintf(text, TYPE_TEXT, "a sequence of %u-byte integers", size);
		break;
	}
	return text;
}

static int refuse_type(struct parser *ps, const char *wants)
{
	char text[TYPE_TEXT];

	return refuse(ps, "%.*s wants %s, the argument is %s", min(ps->spec_len, 20),
		      ps->spec, wants, type_text(text, ps->types[ps->arg]));
}

/* ---- storing ----------------------------------------------------------------- */

/* Where the next name or literal goes, NULL in the first pass. */
static char *text_end(const struct parser *ps)
{
	return ps->out ? ps->text + ps->text_used : NULL;
}

static void put_char(struct parser *ps, char c)
{
	if (ps->out)
		ps->text[ps->text_used] = c;
	ps->text_used++;
}

static void put_text(struct parser *ps, const char *text, size_t len)
{
	while (len--)
		put_char(ps, *text++);
}

/* Literal text as it will be shown. */
static void put_literal(struct parser *ps, size_t from, size_t to)
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

static bool name_taken(const struct ltt_format *out, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(out->fields[i].name, name))
			return true;
	return false;
}

/*
 * The argument's name, made unique. The first pass knows no names, it makes room
 * for the longest: among LTT_MAX_ARGS names a suffix has two digits at most.
 */
static void put_name(struct parser *ps, struct ltt_field *field)
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

static void put_sym(struct parser *ps, __s64 value, size_t from, size_t to)
{
	if (ps->out) {
		ps->syms[ps->syms_used].value = value;
		ps->syms[ps->syms_used].name = text_end(ps);
	}
	ps->syms_used++;
	put_text(ps, ps->format + from, to - from);
	put_char(ps, '\0');
}

/* ---- literals and names ------------------------------------------------------ */

/*
 * Find the name of the argument whose conversion stands at the pass's position,
 * in the literal that begins at @start: the last identifier before it. The
 * prefix 0x right before a conversion belongs to the number.
 */
static void find_name(struct parser *ps, size_t start)
{
	const char *format = ps->format;
	size_t end = ps->pos, begin;

	if (end - start >= 2 && (format[end - 1] == 'x' || format[end - 1] == 'X') &&
	    format[end - 2] == '0' &&
	    (end - start == 2 || !is_name_char(format[end - 3])))
		end -= 2;
	while (end > start && !is_name_char(format[end - 1]))
		end--;
	begin = end;
	while (begin > start && is_name_char(format[begin - 1]))
		begin--;

	ps->name = NULL;
	ps->name_len = 0;
	if (begin < end && !is_digit(format[begin])) {
		ps->name = format + begin;
		ps->name_len = end - begin;
	}
}

/*
 * Take the literal text up to the next conversion or the end. In @after_conv, "{{"
 * at its start stands for "{".
 */
static void parse_literal(struct parser *ps, bool after_conv, const char **text,
			  size_t *len)
{
	size_t start = ps->pos, from, used = ps->text_used;

	*text = text_end(ps);
	if (after_conv && peek(ps, 0) == '{' && peek(ps, 1) == '{')
		ps->pos++;
	from = ps->pos;
	for (; ps->pos < ps->len; ps->pos++) {
		if (peek(ps, 0) != '%')
			continue;
		if (peek(ps, 1) != '%')
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

/* ---- symbolic names ---------------------------------------------------------- */

/* A decimal or hexadecimal number that fits the field, as int or unsigned. */
static int parse_value(struct parser *ps, const struct ltt_field *field, __s64 *value)
{
	unsigned int bits = 8 * field->show_size, base = 10, digit;
	__u64 max = ~0ull >> (64 - bits), v = 0;
	bool negative = false;
	size_t start;

	if (peek(ps, 0) == '-') {
		negative = true;
		max = 1ull << (bits - 1);
		ps->pos++;
	}
	if (peek(ps, 0) == '0' && (peek(ps, 1) | 0x20) == 'x') {
		base = 16;
		ps->pos += 2;
	}
	for (start = ps->pos;; ps->pos++) {
		char c = peek(ps, 0);

		if (is_digit(c))
			digit = c - '0';
		else if (base == 16 && (c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (c | 0x20) - 'a' + 10;
		else
			break;
		if (digit > max || v > (max - digit) / base) {
			ps->column = ps->pos + 1;
			return refuse(ps, "this value does not fit %u bytes",
				      field->show_size);
		}
		v = v * base + digit;
	}
	if (ps->pos == start)
		return refuse_char(ps, 0, "a table of names wants a value");
	*value = negative ? -v : v;
	return 0;
}

/*
 * "{0=A,1=B}" or "{|1=A|2=B}". In the second form the separator comes first, which
 * tells the two apart.
 */
static int parse_table(struct parser *ps, struct ltt_field *field)
{
	size_t first = ps->syms_used, start;
	char separator = ',';
	__s64 value = 0;
	int err;

	ps->pos++;
	if (peek(ps, 0) == '|') {
		separator = '|';
		ps->pos++;
	}
	field->flags |= separator == '|' ? LTT_FIELD_FLAGS : LTT_FIELD_SYMS;

	for (;; ps->pos++) {
		err = parse_value(ps, field, &value);
		if (err)
			return err;
		if (peek(ps, 0) != '=')
			return refuse_char(ps, 0, "a table of names wants '='");
		start = ++ps->pos;
		while (is_sym_char(peek(ps, 0)))
			ps->pos++;
		if (ps->pos == start)
			return refuse_char(ps, 0, "a table of names wants a name");
		put_sym(ps, value, start, ps->pos);
		if (peek(ps, 0) == '}')
			break;
		if (peek(ps, 0) != separator)
			return refuse_char(ps, 0, separator == '|' ?
					   "a table of flags wants '|' or '}'" :
					   "a table of names wants ',' or '}'");
	}
	ps->pos++;
	field->nr_syms = ps->syms_used - first;
	if (ps->out)
		field->syms = ps->syms + first;
	return 0;
}

/*
 * "[N]" directly behind the conversion of a sequence: it is recorded as an array
 * of exactly N elements.
 */
static int parse_count(struct parser *ps, struct ltt_field *field)
{
	unsigned int n = 0;

	ps->pos++;
	for (; is_digit(peek(ps, 0)); ps->pos++) {
		n = n * 10 + (peek(ps, 0) - '0');
		if (n > LTT_MAX_COUNT)
			return refuse(ps, "an array has at most %u elements",
				      LTT_MAX_COUNT);
	}
	if (!n || peek(ps, 0) != ']')
		return refuse_char(ps, 0, "an array wants its number of elements and ']'");
	ps->pos++;
	field->store = LTT_STORE_ARRAY;
	field->count = n;
	return 0;
}

/* ---- conversions ------------------------------------------------------------- */

static int parse_number(struct parser *ps, const char *what, __u16 *number)
{
	unsigned int n = 0;

	for (; is_digit(peek(ps, 0)); ps->pos++) {
		n = n * 10 + (peek(ps, 0) - '0');
		if (n > LTT_MAX_WIDTH)
			return refuse(ps, "the %s is above %u", what, LTT_MAX_WIDTH);
	}
	if (peek(ps, 0) == '*')
		return refuse(ps, "a %s from an argument (*) is not supported", what);
	*number = n;
	return 0;
}

static int parse_width(struct parser *ps, struct ltt_field *field)
{
	int err;

	for (;; ps->pos++) {
		switch (peek(ps, 0)) {
		case '-':
			field->flags |= LTT_FIELD_LEFT;
			continue;
		case '+':
			field->flags |= LTT_FIELD_PLUS;
			continue;
		case ' ':
			field->flags |= LTT_FIELD_SPACE;
			continue;
		case '#':
			field->flags |= LTT_FIELD_ALT;
			continue;
		case '0':
			field->flags |= LTT_FIELD_ZERO;
			continue;
		}
		break;
	}

	err = parse_number(ps, "width", &field->width);
	if (err || peek(ps, 0) != '.')
		return err;
	ps->pos++;
	field->flags |= LTT_FIELD_PREC;
	return parse_number(ps, "precision", &field->prec);
}

/* Length modifiers; returns the size of the conversion's integer type. */
static unsigned int parse_length(struct parser *ps)
{
	switch (peek(ps, 0)) {
	case 'h':
		if (peek(ps, 1) == 'h') {
			ps->pos += 2;
			return sizeof(char);
		}
		ps->pos++;
		return sizeof(short);
	case 'l':
		if (peek(ps, 1) == 'l') {
			ps->pos += 2;
			return sizeof(long long);
		}
		ps->pos++;
		return sizeof(long);
	case 'j':
	case 'q':
		ps->pos++;
		return sizeof(long long);
	case 'z':
	case 't':
		ps->pos++;
		return sizeof(size_t);
	}
	return 0;
}

/* How integers, alone or in sequences, are stored. */
static void store_int(struct ltt_field *field, __u32 type)
{
	field->store = LTT_TYPE_KIND(type) == LTT_KIND_SEQ ? LTT_STORE_SEQ :
							     LTT_STORE_INT;
	field->size = LTT_TYPE_SIZE(type);
	if (LTT_TYPE_FLAGS(type) & LTT_TYPE_SIGNED)
		field->flags |= LTT_FIELD_SIGNED;
	if (LTT_TYPE_FLAGS(type) & LTT_TYPE_BE && field->size > 1)
		field->flags |= LTT_FIELD_BE;
}

static int check_int(struct parser *ps, struct ltt_field *field)
{
	__u32 type = ps->types[ps->arg];
	/* C promotes what is smaller than int before printf() sees it. */
	unsigned int most = max_t(unsigned int, field->show_size, sizeof(int));

	if (LTT_TYPE_KIND(type) != LTT_KIND_INT && LTT_TYPE_KIND(type) != LTT_KIND_SEQ)
		return refuse_type(ps, "an integer");
	if (field->show == LTT_SHOW_CHAR && LTT_TYPE_KIND(type) == LTT_KIND_SEQ)
		most = 1;
	if (LTT_TYPE_SIZE(type) > most) {
		char wants[40];

		snprintf(wants, sizeof(wants), "integers of at most %u byte%s", most,
			 most > 1 ? "s" : "");
		return refuse_type(ps, wants);
	}
	store_int(field, type);
	return 0;
}

static int check_string(struct parser *ps, struct ltt_field *field)
{
	if (LTT_TYPE_KIND(ps->types[ps->arg]) != LTT_KIND_CPTR)
		return refuse_type(ps, "a string pointer");
	field->store = LTT_STORE_STR;
	return 0;
}

static int check_pointer(struct parser *ps, struct ltt_field *field)
{
	__u32 kind = LTT_TYPE_KIND(ps->types[ps->arg]);

	if (kind != LTT_KIND_PTR && kind != LTT_KIND_CPTR)
		return refuse_type(ps, "a pointer");
	field->store = LTT_STORE_INT;
	field->size = sizeof(void *);
	field->show_size = sizeof(void *);
	return 0;
}

/* @count bytes captured from where the pointer points: addresses, UUIDs. */
static int check_bytes(struct parser *ps, struct ltt_field *field, unsigned int count)
{
	__u32 kind = LTT_TYPE_KIND(ps->types[ps->arg]);

	if (kind != LTT_KIND_PTR && kind != LTT_KIND_CPTR)
		return refuse_type(ps, "a pointer");
	field->store = LTT_STORE_ARRAY;
	field->size = 1;
	field->count = count;
	return 0;
}

static int check_blob(struct parser *ps, struct ltt_field *field,
		      const struct ltt_field *before)
{
	__u32 kind = LTT_TYPE_KIND(ps->types[ps->arg]);

	if (kind != LTT_KIND_PTR && kind != LTT_KIND_CPTR)
		return refuse_type(ps, "a pointer");
	if (!before || LTT_TYPE_KIND(ps->types[ps->arg - 1]) != LTT_KIND_INT)
		return refuse(ps, "%%pW wants the argument before to be its length, an integer");
	field->store = LTT_STORE_BLOB;
	field->size = 1;
	return 0;
}

/* Everything that may follow %p. Of entries that match, the longest counts. */
static const struct extension {
	char letters[4];
	__u8 show;
	__u8 bytes;	/* captured by value; 0: the pointer itself or a blob */
} extensions[] = {
	{ "",	 LTT_SHOW_PTR, 0 },
	{ "K",	 LTT_SHOW_PTR, 0 },
	{ "x",	 LTT_SHOW_PTR_RAW, 0 },
	{ "S",	 LTT_SHOW_SYM, 0 },
	{ "SR",	 LTT_SHOW_SYM, 0 },
	{ "s",	 LTT_SHOW_SYM, 0 },
	{ "B",	 LTT_SHOW_SYM, 0 },
	{ "I4",	 LTT_SHOW_IP4, 4 },
	{ "I4h", LTT_SHOW_IP4, 4 },
	{ "I4n", LTT_SHOW_IP4, 4 },
	{ "I4b", LTT_SHOW_IP4, 4 },
	{ "I4l", LTT_SHOW_IP4, 4 },
	{ "i4",	 LTT_SHOW_IP4, 4 },
	{ "i4h", LTT_SHOW_IP4, 4 },
	{ "i4n", LTT_SHOW_IP4, 4 },
	{ "i4b", LTT_SHOW_IP4, 4 },
	{ "i4l", LTT_SHOW_IP4, 4 },
	{ "I6",	 LTT_SHOW_IP6, 16 },
	{ "I6c", LTT_SHOW_IP6, 16 },
	{ "i6",	 LTT_SHOW_IP6, 16 },
	{ "M",	 LTT_SHOW_MAC, 6 },
	{ "MF",	 LTT_SHOW_MAC, 6 },
	{ "MR",	 LTT_SHOW_MAC, 6 },
	{ "m",	 LTT_SHOW_MAC, 6 },
	{ "mR",	 LTT_SHOW_MAC, 6 },
	{ "U",	 LTT_SHOW_UUID, 16 },
	{ "Ub",	 LTT_SHOW_UUID, 16 },
	{ "UB",	 LTT_SHOW_UUID, 16 },
	{ "Ul",	 LTT_SHOW_UUID, 16 },
	{ "UL",	 LTT_SHOW_UUID, 16 },
	{ "W",	 LTT_SHOW_BLOB, 0 },
};

/*
 * What follows %p, up to the next character that is no letter or digit, must be
 * known as a whole: as with printk(), text right behind %p would be taken for
 * an extension, by today's kernel or by the next.
 */
static int parse_extension(struct parser *ps, struct ltt_field *field,
			   const struct ltt_field *before)
{
	const char *letters = ps->format + ps->pos;
	const struct extension *ext;
	size_t len = 0, i;

	while (is_name_char(peek(ps, len)) && peek(ps, len) != '_')
		len++;
	ps->pos += len;
	ps->spec_len = ps->format + ps->pos - ps->spec;

	for (i = 0; i < ARRAY_SIZE(extensions); i++) {
		ext = &extensions[i];
		if (strlen(ext->letters) == len && !memcmp(ext->letters, letters, len))
			break;
	}
	if (i == ARRAY_SIZE(extensions))
		return refuse(ps, "the extension %%p%.*s is not supported",
			      (int)min_t(size_t, len, 16), letters);

	field->show = ext->show;
	memcpy(field->variant, ext->letters, sizeof(field->variant));
	if (ext->bytes)
		return check_bytes(ps, field, ext->bytes);
	if (ext->show == LTT_SHOW_BLOB)
		return check_blob(ps, field, before);
	return check_pointer(ps, field);
}

/* The letter that ends the conversion. */
static int parse_letter(struct parser *ps, struct ltt_field *field,
			const struct ltt_field *before)
{
	unsigned int length = parse_length(ps);
	char letter = peek(ps, 0);

	field->show_size = length ?: sizeof(int);
	switch (letter) {
	case 'd':
	case 'i':
		field->show = LTT_SHOW_DEC;
		field->flags |= LTT_FIELD_SHOW_SIGNED;
		break;
	case 'u':
		field->show = LTT_SHOW_DEC;
		break;
	case 'X':
		field->flags |= LTT_FIELD_UPPER;
		fallthrough;
	case 'x':
		field->show = LTT_SHOW_HEX;
		break;
	case 'o':
		field->show = LTT_SHOW_OCT;
		break;
	case 'c':
		field->show = LTT_SHOW_CHAR;
		break;
	case 's':
		field->show = LTT_SHOW_STR;
		break;
	case 'p':
		field->show = LTT_SHOW_PTR;
		break;
	case 'n':
		return refuse(ps, "%%n is not supported");
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return refuse(ps, "%%%c: floating point is not supported", letter);
	default:
		return refuse_char(ps, 0, "a conversion wants one of d i u x X o c s p");
	}
	ps->pos++;
	ps->spec_len = ps->format + ps->pos - ps->spec;

	if (letter == 'c' || letter == 's' || letter == 'p') {
		if (length)
			return refuse(ps, "a length before %c is not supported", letter);
		if (field->flags & LTT_FIELD_PREC && letter != 's')
			return refuse(ps, "a precision before %c is not supported",
				      letter);
	}
	if (letter == 's')
		return check_string(ps, field);
	if (letter == 'p')
		return parse_extension(ps, field, before);
	return check_int(ps, field);
}

/* Is this a code that the marker's macros can make? */
static int check_type(struct parser *ps)
{
	__u32 type = ps->types[ps->arg];
	unsigned int size = LTT_TYPE_SIZE(type);

	switch (LTT_TYPE_KIND(type)) {
	case LTT_KIND_PTR:
	case LTT_KIND_CPTR:
		return 0;
	case LTT_KIND_INT:
	case LTT_KIND_SEQ:
		if (size == 1 || size == 2 || size == 4 || size == 8)
			return 0;
		return refuse(ps, "integers of %u bytes are not supported", size);
	default:
		return refuse(ps, "the type code %#x is not known", type);
	}
}

/* One conversion; the pass's position is at its '%'. */
static int parse_conversion(struct parser *ps, struct ltt_field *field,
			    const struct ltt_field *before)
{
	int err;

	ps->column = ps->pos + 1;
	ps->spec = ps->format + ps->pos;
	ps->spec_len = 1;
	ps->pos++;

	if (ps->arg >= LTT_MAX_ARGS)
		return refuse(ps, "more than %u conversions", LTT_MAX_ARGS);
	if (ps->arg >= ps->nr_types)
		return refuse(ps, "no argument for this conversion, the marker has %u",
			      ps->nr_types);
	err = check_type(ps);
	if (!err)
		err = parse_width(ps, field);
	if (!err)
		err = parse_letter(ps, field, before);
	if (err)
		return err;

	put_name(ps, field);
	if (field->store == LTT_STORE_SEQ && peek(ps, 0) == '[') {
		err = parse_count(ps, field);
		if (err)
			return err;
	}
	if (peek(ps, 0) != '{' || peek(ps, 1) == '{')
		return 0;
	switch (field->show) {
	case LTT_SHOW_DEC:
	case LTT_SHOW_HEX:
	case LTT_SHOW_OCT:
		return parse_table(ps, field);
	}
	ps->column = ps->pos + 1;
	return refuse(ps, "%.*s can't have a table of names; for the text { write {{",
		      min(ps->spec_len, 20), ps->spec);
}

static int parse_pass(struct parser *ps)
{
	struct ltt_field scratch[2], *field, *before = NULL;
	const char *text;
	size_t len;
	int err;

	ps->pos = 0;
	ps->text_used = 0;
	ps->syms_used = 0;
	for (ps->arg = 0;; ps->arg++) {
		parse_literal(ps, ps->arg > 0 && !(before->flags & (LTT_FIELD_SYMS |
							     LTT_FIELD_FLAGS)),
			      &text, &len);
		if (ps->pos == ps->len)
			break;

		if (ps->out && ps->arg < ps->nr_types)
			field = &ps->out->fields[ps->arg];
		else
			field = &scratch[ps->arg & 1];
		memset(field, 0, sizeof(*field));
		field->lit = text;
		field->lit_len = len;
		err = parse_conversion(ps, field, before);
		if (err)
			return err;
		before = field;
	}

	if (ps->arg < ps->nr_types) {
		ps->name = NULL;
		ps->column = ps->len + 1;
		return refuse(ps, "no conversion for this argument, the format has %u",
			      ps->arg);
	}
	if (ps->out) {
		ps->out->tail = text;
		ps->out->tail_len = len;
	}
	return 0;
}

static int fixed_size(const struct ltt_format *format)
{
	const struct ltt_field *field;
	unsigned int i;
	int size = 0;

	for (i = 0; i < format->nr_fields; i++) {
		field = &format->fields[i];
		if (field->store == LTT_STORE_INT)
			size += field->size;
		else if (field->store == LTT_STORE_ARRAY)
			size += field->size * field->count;
		else
			return -1;
	}
	return size;
}

/* ---- public interface -------------------------------------------------------- */

/**
 * ltt_format_parse() - parse a marker's format against its argument types
 * @format:	the format, NUL-terminated
 * @types:	type code of each argument, see LTT_TYPE()
 * @nr_types:	number of arguments
 * @error:	receives the reason of a refusal, a line without newline that names
 *		argument and column; empty on success
 *
 * Conversions are those of printk(): d i u x X o c s p %, the flags "-+ #0", width,
 * precision, and the lengths hh h l ll z t j q. A precision of %s bounds what is
 * read from the string. Width and precision from an argument (*), %n and floating
 * point are refused. Of the extensions of %p, those that need no more than the
 * pointer (%pK %px %pS %pSR %ps %pB) record the pointer, and those of a
 * known size (%pI4 %pi4 %pI6 %pI6c %pi6 %pM %pMF %pMR %pm %pmR %pU[bBlL], the IPv4
 * ones with [hnbl]) record the bytes it points to. %pW is a blob: the bytes at
 * the pointer, as many as the integer argument before it says.
 *
 * An integer conversion may show a sequence, element by element, and %c one of
 * bytes as characters. "[N]" right behind the conversion of a sequence
 * makes it an array of N elements.
 *
 * An integer conversion may be followed by names for its values:
 *
 *	%d{0=idle,1=running,-1=dead}	an enumeration
 *	%x{|1=read|2=write|0x10=sync}	a bit mask
 *
 * Values are decimal or hexadecimal, names are made of letters, digits and "_.+-".
 * An enumeration's value without a name is shown by the conversion alone; the bits
 * of a mask without a name are shown in hexadecimal. A "{" meant as text right
 * behind a conversion is written "{{".
 *
 * A field's name is the last word before its conversion when only other
 * characters than letters, digits and "_" stand between the two ("pid %d", "pid=%d",
 * "addr: 0x%lx"), else "arg" and its number from 1. A name used before gets
 * "_2", "_3" and so on behind it. A newline at the end of the format is dropped.
 *
 * Context: task context; may sleep.
 * Return: the parsed format, to be freed by ltt_format_free(), or ERR_PTR() of
 * -EINVAL (the format is wrong) or -ENOMEM.
 */
struct ltt_format *ltt_format_parse(const char *format, const __u32 *types,
				    unsigned int nr_types,
				    char error[LTT_FORMAT_ERROR])
{
	struct parser ps = {
		.format = format,
		.len = strnlen(format, LTT_MAX_FORMAT + 1),
		.types = types,
		.nr_types = nr_types,
		.error = error,
	};
	struct ltt_format *out;
	size_t size;
	int err;

	error[0] = '\0';
	if (ps.len > LTT_MAX_FORMAT) {
		snprintf(error, LTT_FORMAT_ERROR, "the format is longer than %u bytes",
			 LTT_MAX_FORMAT);
		return ERR_PTR(-EINVAL);
	}
	if (nr_types > LTT_MAX_ARGS) {
		snprintf(error, LTT_FORMAT_ERROR, "%u arguments, at most %u are supported",
			 nr_types, LTT_MAX_ARGS);
		return ERR_PTR(-EINVAL);
	}
	if (ps.len && format[ps.len - 1] == '\n')
		ps.len--;

	err = parse_pass(&ps);
	if (err)
		return ERR_PTR(err);

	size = struct_size(out, fields, nr_types);
	out = kvmalloc(size + ps.syms_used * sizeof(*ps.syms) + ps.text_used, GFP_KERNEL);
	if (!out) {
		snprintf(error, LTT_FORMAT_ERROR, "out of memory");
		return ERR_PTR(-ENOMEM);
	}
	out->nr_fields = nr_types;
	ps.out = out;
	ps.syms = (void *)out + size;
	ps.text = (char *)(ps.syms + ps.syms_used);

	/*
	 * The format may be memory that somebody writes to at this moment; whoever
	 * calls must not allow that. The same input passes again.
	 */
	err = parse_pass(&ps);
	if (err) {
		kvfree(out);
		return ERR_PTR(err);
	}
	out->fixed_size = fixed_size(out);
	return out;
}
EXPORT_SYMBOL_GPL(ltt_format_parse);

/**
 * ltt_format_free() - free a parsed format
 * @format:	what ltt_format_parse() returned, an error or NULL included
 *
 * Context: task context.
 */
void ltt_format_free(struct ltt_format *format)
{
	if (!IS_ERR_OR_NULL(format))
		kvfree(format);
}
EXPORT_SYMBOL_GPL(ltt_format_free);

/* Bytes of one field at @p; *value is that of the last integer. */
static long field_size(const struct ltt_field *field, const u8 *p, size_t avail,
		       bool swap, u64 *value)
{
	bool reversed = field->flags & LTT_FIELD_BE ? !LTT_HOST_BE : swap;
	u64 size = field->size;
	const u8 *end;

	switch (field->store) {
	case LTT_STORE_INT:
		if (size <= avail)
			*value = ltt_load_int(p, size, field->flags & LTT_FIELD_SIGNED,
					      reversed);
		break;
	case LTT_STORE_STR:
		end = memchr(p, '\0', avail);
		if (!end)
			return -EBADMSG;
		size = end + 1 - p;
		break;
	case LTT_STORE_ARRAY:
		size *= field->count;
		break;
	case LTT_STORE_SEQ:
		if (avail < sizeof(u32))
			return -EBADMSG;
		size = size * ltt_load32(p, swap) + sizeof(u32);
		break;
	case LTT_STORE_BLOB:
		/* A negative length is a very long one. */
		size = *value;
		break;
	default:
		return -EBADMSG;
	}
	return size <= avail ? (long)size : -EBADMSG;
}

/**
 * ltt_payload_size() - how many bytes an event's fields occupy
 * @format:	the event's format
 * @payload:	the first byte after the event's header
 * @avail:	bytes that may be read there
 * @swap:	the event was written in the other byte order
 *
 * Context: any.
 * Return: bytes, or -EBADMSG if the fields do not fit into @avail.
 */
long ltt_payload_size(const struct ltt_format *format, const void *payload,
		      size_t avail, bool swap)
{
	const u8 *p = payload;
	unsigned int i;
	u64 value = 0;
	long size;

	if (likely(format->fixed_size >= 0))
		return (size_t)format->fixed_size <= avail ? format->fixed_size :
							     -EBADMSG;

	for (i = 0; i < format->nr_fields; i++) {
		size = field_size(&format->fields[i], p, avail, swap, &value);
		if (size < 0)
			return size;
		p += size;
		avail -= size;
	}
	return p - (const u8 *)payload;
}
EXPORT_SYMBOL_GPL(ltt_payload_size);
