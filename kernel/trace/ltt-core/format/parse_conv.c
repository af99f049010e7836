// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the conversions of a marker's format, and whether they suit the arguments.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse.h"

/* ---- flags, width, precision, length ----------------------------------------- */

static int parse_number(struct ltt_parser *ps, const char *what, __u16 *number)
{
	unsigned int n = 0;

	for (; ltt_is_digit(ltt_peek(ps, 0)); ps->pos++) {
		n = n * 10 + (ltt_peek(ps, 0) - '0');
		if (n > LTT_MAX_WIDTH)
			return ltt_refuse(ps, "the %s is greater than %u", what, LTT_MAX_WIDTH);
	}
	if (ltt_peek(ps, 0) == '*')
		return ltt_refuse(ps, "a %s from an argument (*) is not supported", what);
	*number = n;
	return 0;
}

static int parse_width(struct ltt_parser *ps, struct ltt_field *field)
{
	int err;

	for (;; ps->pos++) {
		switch (ltt_peek(ps, 0)) {
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
	if (err || ltt_peek(ps, 0) != '.')
		return err;
	ps->pos++;
	field->flags |= LTT_FIELD_PREC;
	return parse_number(ps, "precision", &field->prec);
}

/* Length modifiers; returns the size of the conversion's integer type. */
static unsigned int parse_length(struct ltt_parser *ps)
{
	switch (ltt_peek(ps, 0)) {
	case 'h':
		if (ltt_peek(ps, 1) == 'h') {
			ps->pos += 2;
			return sizeof(char);
		}
		ps->pos++;
		return sizeof(short);
	case 'l':
		if (ltt_peek(ps, 1) == 'l') {
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

/* ---- what a conversion makes of its argument --------------------------------- */

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

static int check_int(struct ltt_parser *ps, struct ltt_field *field)
{
	__u32 type = ps->types[ps->arg];
	/* C promotes what is smaller than int before printf() sees it. */
	unsigned int most = max_t(unsigned int, field->show_size, sizeof(int));

	if (LTT_TYPE_KIND(type) != LTT_KIND_INT && LTT_TYPE_KIND(type) != LTT_KIND_SEQ)
		return ltt_refuse_type(ps, "an integer");
	if (field->show == LTT_SHOW_CHAR && LTT_TYPE_KIND(type) == LTT_KIND_SEQ)
		most = 1;
	if (LTT_TYPE_SIZE(type) > most) {
		char wants[40];

		snprintf(wants, sizeof(wants), "integers of at most %u byte%s", most,
			 most > 1 ? "s" : "");
		return ltt_refuse_type(ps, wants);
	}
	store_int(field, type);
	return 0;
}

/* A string, or one in an array of characters, as many as "[N]" says. */
static int check_string(struct ltt_parser *ps, struct ltt_field *field)
{
	__u32 type = ps->types[ps->arg];

	if (LTT_TYPE_KIND(type) == LTT_KIND_SEQ && LTT_TYPE_SIZE(type) == 1 &&
	    ltt_peek(ps, 0) == '[') {
		store_int(field, type);
		return 0;
	}
	if (LTT_TYPE_KIND(type) != LTT_KIND_CPTR)
		return ltt_refuse_type(ps, "a string pointer");
	field->store = LTT_STORE_STR;
	return 0;
}

/* The pointer itself is what is shown. */
static void store_pointer(struct ltt_field *field)
{
	field->store = LTT_STORE_INT;
	field->size = sizeof(void *);
	field->show_size = sizeof(void *);
}

/* @count bytes captured from where the pointer points: addresses, UUIDs. */
static void store_bytes(struct ltt_field *field, unsigned int count)
{
	field->store = LTT_STORE_ARRAY;
	field->size = 1;
	field->count = count;
}

static int check_blob(struct ltt_parser *ps, struct ltt_field *field,
		      const struct ltt_field *before)
{
	if (!before || LTT_TYPE_KIND(ps->types[ps->arg - 1]) != LTT_KIND_INT)
		return ltt_refuse(ps,
				  "%%pW must follow an integer argument, its length");
	field->store = LTT_STORE_BLOB;
	field->size = 1;
	return 0;
}

/* ---- letters ----------------------------------------------------------------- */

/* Everything that may follow %p. */
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
static int parse_extension(struct ltt_parser *ps, struct ltt_field *field,
			   const struct ltt_field *before)
{
	const char *letters = ps->format + ps->pos;
	const struct extension *ext;
	__u32 kind = LTT_TYPE_KIND(ps->types[ps->arg]);
	size_t len = 0, i;

	while (ltt_is_name_char(ltt_peek(ps, len)) && ltt_peek(ps, len) != '_')
		len++;
	ps->pos += len;
	ps->spec_len = ps->format + ps->pos - ps->spec;

	for (i = 0; i < ARRAY_SIZE(extensions); i++) {
		ext = &extensions[i];
		if (strlen(ext->letters) == len && !memcmp(ext->letters, letters, len))
			break;
	}
	if (i == ARRAY_SIZE(extensions))
		return ltt_refuse(ps, "the extension %%p%.*s is not supported",
				  (int)min_t(size_t, len, 16), letters);

	field->show = ext->show;
	memcpy(field->variant, ext->letters, sizeof(field->variant));
	if (kind == LTT_KIND_SEQ && ext->show == LTT_SHOW_SYM) {
		/* A call stack: as many addresses. */
		if (LTT_TYPE_SIZE(ps->types[ps->arg]) != sizeof(void *))
			return ltt_refuse_type(ps, "addresses");
		store_int(field, ps->types[ps->arg]);
		field->show_size = sizeof(void *);
		return 0;
	}
	if (kind != LTT_KIND_PTR && kind != LTT_KIND_CPTR)
		return ltt_refuse_type(ps, "a pointer");

	if (ext->show == LTT_SHOW_BLOB)
		return check_blob(ps, field, before);
	if (ext->bytes)
		store_bytes(field, ext->bytes);
	else
		store_pointer(field);
	return 0;
}

/* The letter that ends the conversion. */
static int parse_letter(struct ltt_parser *ps, struct ltt_field *field,
			const struct ltt_field *before)
{
	unsigned int length = parse_length(ps);
	char letter = ltt_peek(ps, 0);

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
		return ltt_refuse(ps, "%%n is not supported");
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return ltt_refuse(ps, "%%%c: floating point is not supported", letter);
	default:
		return ltt_refuse_char(ps, 0, "expected one of d i u x X o c s p");
	}
	ps->pos++;
	ps->spec_len = ps->format + ps->pos - ps->spec;

	if (letter == 'c' || letter == 's' || letter == 'p') {
		if (length)
			return ltt_refuse(ps, "a length modifier before %c is not supported",
					  letter);
		if (field->flags & LTT_FIELD_PREC && letter != 's')
			return ltt_refuse(ps, "a precision before %c is not supported",
					  letter);
	}
	if (letter == 's')
		return check_string(ps, field);
	if (letter == 'p')
		return parse_extension(ps, field, before);
	return check_int(ps, field);
}

/* ---- the conversion as a whole ----------------------------------------------- */

/* Is this a code that the marker's macros can make? */
static int check_type(struct ltt_parser *ps)
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
		return ltt_refuse(ps, "integers of %u bytes are not supported", size);
	default:
		return ltt_refuse(ps, "unknown type code %#x", type);
	}
}

/*
 * "[N]" directly behind the conversion of a sequence: it is recorded as an array
 * of exactly N elements.
 */
static int parse_count(struct ltt_parser *ps, struct ltt_field *field)
{
	unsigned int n = 0;

	ps->pos++;
	for (; ltt_is_digit(ltt_peek(ps, 0)); ps->pos++) {
		n = n * 10 + (ltt_peek(ps, 0) - '0');
		if (n > LTT_MAX_COUNT)
			return ltt_refuse(ps, "an array can have at most %u elements",
					  LTT_MAX_COUNT);
	}
	if (!n || ltt_peek(ps, 0) != ']')
		return ltt_refuse_char(ps, 0, "expected the number of elements and ']'");
	ps->pos++;
	field->store = LTT_STORE_ARRAY;
	field->count = n;
	return 0;
}

int ltt_parse_conversion(struct ltt_parser *ps, struct ltt_field *field,
			 const struct ltt_field *before)
{
	int err;

	ps->column = ps->pos + 1;
	ps->spec = ps->format + ps->pos;
	ps->spec_len = 1;
	ps->pos++;

	if (ps->arg >= LTT_MAX_ARGS)
		return ltt_refuse(ps, "more than %u conversions", LTT_MAX_ARGS);
	if (ps->arg >= ps->nr_types)
		return ltt_refuse(ps, "no argument for this conversion, the marker has %u",
				  ps->nr_types);
	err = check_type(ps);
	if (!err)
		err = parse_width(ps, field);
	if (!err)
		err = parse_letter(ps, field, before);
	if (err)
		return err;

	ltt_put_name(ps, field);
	if (field->store == LTT_STORE_SEQ && ltt_peek(ps, 0) == '[') {
		err = parse_count(ps, field);
		if (err)
			return err;
	}
	if (ltt_peek(ps, 0) != '{' || ltt_peek(ps, 1) == '{')
		return 0;
	switch (field->show) {
	case LTT_SHOW_DEC:
	case LTT_SHOW_HEX:
	case LTT_SHOW_OCT:
		return ltt_parse_table(ps, field);
	}
	ps->column = ps->pos + 1;
	return ltt_refuse(ps, "%.*s cannot have a table of names; for a literal { write {{",
			  min(ps->spec_len, 20), ps->spec);
}
