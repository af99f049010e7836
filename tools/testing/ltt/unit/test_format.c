// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the format parser: names, types, tables, refusals, hostile input.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/format.h>
#include <linux/ltt/unaligned.h>

#include "ktap.h"
#include "type_codes.h"

static char error[LTT_FORMAT_ERROR];

static struct ltt_format *parse(const char *format, struct types types)
{
	struct ltt_format *f;

	memset(error, 'E', sizeof(error));
	f = ltt_format_parse(format, types.type, types.nr, error);
	EXPECT(memchr(error, '\0', sizeof(error)), "error not terminated");
	EXPECT(IS_ERR(f) == !!error[0], "'%s': message '%s'", format, error);
	return f;
}

/* Names of the fields of @format with ints, joined by blanks. */
static void names(const char *format, unsigned int nr, const char *want)
{
	struct types types = { .nr = nr };
	struct ltt_format *f;
	char got[256] = "";
	unsigned int i;

	for (i = 0; i < nr; i++)
		types.type[i] = SINT(4);
	f = parse(format, types);
	if (!EXPECT(!IS_ERR(f), "'%s': %s", format, error))
		return;
	for (i = 0; i < f->nr_fields; i++) {
		if (i)
			strcat(got, " ");
		strcat(got, f->fields[i].name);
	}
	EXPECT_STR(got, want);
	ltt_format_free(f);
}

static void test_names(void)
{
	names("prev_pid %d next_pid %d", 2, "prev_pid next_pid");
	names("pid=%d cpu:%d (prio: %d)", 3, "pid cpu prio");
	names("%d %d", 2, "arg1 arg2");
	names("a %d/%d", 2, "a arg2");
	names("a %d a %d a %d", 3, "a a_2 a_3");
	names("a %d a_2 %d a %d a_2 %d", 4, "a a_2 a_3 a_2_2");
	names("arg2 %d %d", 2, "arg2 arg2_2");
	names("addr 0x%x", 1, "addr");
	names("addr=0X%x 0x%x", 2, "addr arg2");
	names("a0x%x", 1, "a0x");
	names("x %x", 1, "x");
	names("9lives %d", 1, "arg1");
	names("_x1 %d", 1, "_x1");
	names("load 100%% of %d", 1, "of");
	names("load%%%d", 1, "load");
	names("h\xc3\xb6he %d", 1, "he");
	names("x %d{{y %d", 2, "x y");
	names("x %d{0=a}y %d", 2, "x y");
}

static void test_literals(void)
{
	struct ltt_format *f = parse("a%%b\tc\\ %d{{x} %% %d end%%\n", TYPES(SINT(4), SINT(4)));

	if (!EXPECT(!IS_ERR(f), "%s", error))
		return;
	EXPECT(f->fields[0].lit_len == 9 && !memcmp(f->fields[0].lit, "a%b\\tc\\\\ ", 9),
	       "'%.*s'", f->fields[0].lit_len, f->fields[0].lit);
	EXPECT(f->fields[1].lit_len == 6 && !memcmp(f->fields[1].lit, "{x} % ", 6),
	       "'%.*s'", f->fields[1].lit_len, f->fields[1].lit);
	EXPECT(f->tail_len == 5 && !memcmp(f->tail, " end%", 5), "'%.*s'",
	       f->tail_len, f->tail);
	ltt_format_free(f);

	f = parse("", TYPES());
	EXPECT(!IS_ERR(f) && !f->nr_fields && !f->tail_len && f->fixed_size == 0, "empty");
	ltt_format_free(f);
	f = parse("\x1b[2J\n\n", TYPES());
	EXPECT(!IS_ERR(f) && f->tail_len == 9 && !memcmp(f->tail, "\\x1b[2J\\n", 9), "escaped");
	ltt_format_free(f);
}

static void test_fields(void)
{
	const struct ltt_field *f;
	struct ltt_format *format;

	format = parse("a %-+ #012.5hhd b %llX c %.16s d %pI4h e %u f %pW g %c h %d",
		       TYPES(SINT(4), INT(8), CPTR, PTR, BE(4), PTR, INT(1), SEQ(2)));
	if (!EXPECT(!IS_ERR(format), "%s", error))
		return;
	f = format->fields;
	EXPECT(f->flags == (LTT_FIELD_SIGNED | LTT_FIELD_SHOW_SIGNED | LTT_FIELD_LEFT |
			    LTT_FIELD_ZERO | LTT_FIELD_PLUS | LTT_FIELD_SPACE |
			    LTT_FIELD_ALT | LTT_FIELD_PREC), "flags %#x", f->flags);
	EXPECT(f->width == 12 && f->prec == 5 && f->size == 4 && f->show_size == 1, "a");
	f++;
	EXPECT(f->show == LTT_SHOW_HEX && f->flags == LTT_FIELD_UPPER && f->show_size == 8, "b");
	f++;
	EXPECT(f->store == LTT_STORE_STR && f->size == 0 && f->prec == 16, "c");
	f++;
	EXPECT(f->store == LTT_STORE_ARRAY && f->count == 4 && f->size == 1 &&
	       !strcmp(f->variant, "I4h"), "d");
	f++;
	EXPECT(f->flags == LTT_FIELD_BE && f->store == LTT_STORE_INT, "e");
	f++;
	EXPECT(f->store == LTT_STORE_BLOB && f->size == 1, "f");
	f++;
	EXPECT(f->show == LTT_SHOW_CHAR && f->size == 1, "g");
	f++;
	EXPECT(f->store == LTT_STORE_SEQ && f->size == 2, "h");
	EXPECT(format->fixed_size == -1, "fixed_size %d", format->fixed_size);
	ltt_format_free(format);

	format = parse("%d %pM %lx %pK", TYPES(SINT(2), PTR, INT(8), CPTR));
	EXPECT(!IS_ERR(format) && format->fixed_size == 2 + 6 + 8 + 8, "fixed");
	ltt_format_free(format);

	/* A count makes an array of a sequence; behind an integer it is text. */
	format = parse("%d[3] %d[3] %x[16]{1=A}[", TYPES(SEQ(2), SINT(4), SEQ(1)));
	if (!EXPECT(!IS_ERR(format), "%s", error))
		return;
	f = format->fields;
	EXPECT(f[0].store == LTT_STORE_ARRAY && f[0].count == 3 && f[0].size == 2, "array");
	EXPECT(f[1].store == LTT_STORE_INT, "integer");
	EXPECT(f[2].count == 16 && f[2].nr_syms == 1 && format->tail_len == 1, "both");
	EXPECT(format->fixed_size == 3 * 2 + 4 + 16, "fixed_size %d", format->fixed_size);
	ltt_format_free(format);

	/* A string in an array; behind a pointer it is text. */
	format = parse("%.3s[16]%s[4]", TYPES(SEQ(1), CPTR));
	if (!EXPECT(!IS_ERR(format), "%s", error))
		return;
	f = format->fields;
	EXPECT(f[0].store == LTT_STORE_ARRAY && f[0].show == LTT_SHOW_STR && f[0].size == 1 &&
	       f[0].count == 16 && f[0].prec == 3, "string in an array");
	EXPECT(f[1].store == LTT_STORE_STR && format->tail_len == 3, "string");
	ltt_format_free(format);
	format = parse("%s[16]", TYPES(SEQ(1)));
	EXPECT(!IS_ERR(format) && format->fixed_size == 16, "fixed");
	ltt_format_free(format);
}

static void test_tables(void)
{
	struct ltt_format *f;

	f = parse("s %d{0=R,-1=S.x,0x10=D+e} m %x{|1=READ|0x80000000=W-X}.",
		  TYPES(SINT(4), INT(4)));
	if (!EXPECT(!IS_ERR(f), "%s", error))
		return;
	EXPECT(f->fields[0].nr_syms == 3 && f->fields[0].flags & LTT_FIELD_SYMS, "syms");
	EXPECT(f->fields[0].syms[1].value == -1, "value %lld", f->fields[0].syms[1].value);
	EXPECT_STR(f->fields[0].syms[1].name, "S.x");
	EXPECT(f->fields[0].syms[2].value == 16, "value %lld", f->fields[0].syms[2].value);
	EXPECT_STR(f->fields[0].syms[2].name, "D+e");
	EXPECT(f->fields[1].nr_syms == 2 && f->fields[1].flags & LTT_FIELD_FLAGS, "flags");
	EXPECT(f->fields[1].syms[1].value == 0x80000000ll, "bit 31");
	EXPECT_STR(f->fields[1].syms[1].name, "W-X");
	EXPECT(f->tail_len == 1 && f->tail[0] == '.', "tail");
	ltt_format_free(f);

	f = parse("%llx{0xffffffffffffffff=all,-9223372036854775808=min}", TYPES(INT(8)));
	EXPECT(!IS_ERR(f) && f->fields[0].syms[0].value == -1, "%s", error);
	ltt_format_free(f);
}

/* What is wrong where: argument, its name, column. */
static const struct {
	const char *format;
	unsigned int arg;
	const char *name;
	unsigned int column;
	const char *why;
	struct types types;
} refused[] = {
	{ "pid %d comm %s", 2, "comm", 13,
	  "%s expects a string pointer, but the argument is an integer of 4 bytes",
	  { 2, { SINT(4), SINT(4) } } },
	{ "comm %s", 1, "comm", 6,
	  "%s expects a string pointer, but the argument is a pointer",
	  { 1, { PTR } } },
	{ "comm %s", 1, "comm", 6,
	  "%s expects a string pointer, but the argument is a sequence of 1-byte integers",
	  { 1, { SEQ(1) } } },
	{ "comm %s[8]", 1, "comm", 6,
	  "%s expects a string pointer, but the argument is a sequence of 2-byte integers",
	  { 1, { SEQ(2) } } },
	{ "comm %s[0]", 1, "comm", 10,
	  "expected the number of elements and ']', found ']'",
	  { 1, { SEQ(1) } } },
	{ "n %d", 1, "n", 3,
	  "%d expects integers of at most 4 bytes, but the argument is an integer of 8 bytes",
	  { 1, { SINT(8) } } },
	{ "n %hhd", 1, "n", 3,
	  "%hhd expects integers of at most 4 bytes, but the argument is an integer of 8 bytes",
	  { 1, { SINT(8) } } },
	{ "n %d", 1, "n", 3,
	  "%d expects an integer, but the argument is a string pointer",
	  { 1, { CPTR } } },
	{ "n %c", 1, "n", 3,
	  "%c expects integers of at most 1 byte, but the argument is a sequence of 2-byte integers",
	  { 1, { SEQ(2) } } },
	{ "n %p", 1, "n", 3,
	  "%p expects a pointer, but the argument is an integer of 8 bytes",
	  { 1, { INT(8) } } },
	{ "n %pI6c", 1, "n", 3,
	  "%pI6c expects a pointer, but the argument is a sequence of 1-byte integers",
	  { 1, { SEQ(1) } } },
	{ "n %pS", 1, "n", 3,
	  "%pS expects addresses, but the argument is a sequence of 4-byte integers",
	  { 1, { SEQ(4) } } },
	{ "n %pM", 1, "n", 3,
	  "%pM expects a pointer, but the argument is an integer of 8 bytes",
	  { 1, { INT(8) } } },
	{ "n %u[0]", 1, "n", 7,
	  "expected the number of elements and ']', found ']'",
	  { 1, { SEQ(4) } } },
	{ "n %u[3", 1, "n", 7,
	  "expected the number of elements and ']', found the end of the format",
	  { 1, { SEQ(4) } } },
	{ "n %u[4097]", 1, "n", 3,
	  "an array can have at most 4096 elements",
	  { 1, { SEQ(4) } } },
	{ "n %pIS", 1, "n", 3,
	  "the extension %pIS is not supported",
	  { 1, { PTR } } },
	{ "n %pd4 x", 1, "n", 3,
	  "the extension %pd4 is not supported",
	  { 1, { PTR } } },
	{ "n %pI6h", 1, "n", 3,
	  "the extension %pI6h is not supported",
	  { 1, { PTR } } },
	{ "n %pW", 1, "n", 3,
	  "%pW must follow an integer argument, its length",
	  { 1, { PTR } } },
	{ "n %s b %pW", 2, "b", 8,
	  "%pW must follow an integer argument, its length",
	  { 2, { CPTR, PTR } } },
	{ "n %lu b %pW", 2, "b", 9,
	  "%pW expects a pointer, but the argument is an integer of 4 bytes",
	  { 2, { INT(8), INT(4) } } },
	{ "n %d m %d", 2, "m", 8,
	  "no argument for this conversion, the marker has 1",
	  { 1, { SINT(4) } } },
	{ "n %d", 2, "arg2", 5,
	  "no conversion for this argument, the format has 1",
	  { 2, { SINT(4), SINT(4) } } },
	{ "n %n", 1, "n", 3,
	  "%n is not supported",
	  { 1, { PTR } } },
	{ "n %f", 1, "n", 3,
	  "%f: floating point is not supported",
	  { 1, { INT(8) } } },
	{ "n %*d", 1, "n", 3,
	  "a width from an argument (*) is not supported",
	  { 1, { INT(4) } } },
	{ "n %*ph", 1, "n", 3,
	  "a width from an argument (*) is not supported",
	  { 1, { PTR } } },
	{ "n %.*s", 1, "n", 3,
	  "a precision from an argument (*) is not supported",
	  { 1, { CPTR } } },
	{ "n %5000d", 1, "n", 3,
	  "the width is greater than 4096",
	  { 1, { INT(4) } } },
	{ "n %.99999999999d", 1, "n", 3,
	  "the precision is greater than 4096",
	  { 1, { INT(4) } } },
	{ "n %L", 1, "n", 4,
	  "expected one of d i u x X o c s p, found 'L'",
	  { 1, { INT(8) } } },
	{ "n %l", 1, "n", 5,
	  "expected one of d i u x X o c s p, found the end of the format",
	  { 1, { INT(8) } } },
	{ "n %\n.", 1, "n", 4,
	  "expected one of d i u x X o c s p, found '\\n'",
	  { 1, { INT(8) } } },
	{ "n %ls", 1, "n", 3,
	  "a length modifier before s is not supported",
	  { 1, { CPTR } } },
	{ "n %.3p", 1, "n", 3,
	  "a precision before p is not supported",
	  { 1, { PTR } } },
	{ "n %d{", 1, "n", 6,
	  "expected a value in the table of names, found the end of the format",
	  { 1, { INT(4) } } },
	{ "n %d{}", 1, "n", 6,
	  "expected a value in the table of names, found '}'",
	  { 1, { INT(4) } } },
	{ "n %d{1}", 1, "n", 7,
	  "expected '=' in the table of names, found '}'",
	  { 1, { INT(4) } } },
	{ "n %d{1=}", 1, "n", 8,
	  "expected a name in the table of names, found '}'",
	  { 1, { INT(4) } } },
	{ "n %d{1=A 2=B}", 1, "n", 9,
	  "expected ',' or '}' in the table of names, found ' '",
	  { 1, { INT(4) } } },
	{ "n %d{1=A|2=B}", 1, "n", 9,
	  "expected ',' or '}' in the table of names, found '|'",
	  { 1, { INT(4) } } },
	{ "n %x{|1=A,2=B}", 1, "n", 10,
	  "expected '|' or '}' in the table of flags, found ','",
	  { 1, { INT(4) } } },
	{ "n %d{4294967296=A}", 1, "n", 15,
	  "value does not fit in a 4-byte integer",
	  { 1, { INT(4) } } },
	{ "n %hhd{-129=A}", 1, "n", 11,
	  "value does not fit in a 1-byte integer",
	  { 1, { INT(1) } } },
	{ "n %s{x}", 1, "n", 5,
	  "%s cannot have a table of names; for a literal { write {{",
	  { 1, { CPTR } } },
	{ "n %d", 1, "n", 3,
	  "integers of 3 bytes are not supported",
	  { 1, { INT(3) } } },
	{ "n %d", 1, "n", 3,
	  "unknown type code 0xf04",
	  { 1, { LTT_TYPE(15, 4, 0) } } },
};

static void test_refusals(void)
{
	char want[2 * LTT_FORMAT_ERROR];
	struct ltt_format *f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		f = parse(refused[i].format, refused[i].types);
		snprintf(want, sizeof(want), "argument %u (%s), column %u: %s", refused[i].arg,
			 refused[i].name, refused[i].column, refused[i].why);
		if (EXPECT(IS_ERR(f) && PTR_ERR(f) == -EINVAL, "'%s' passed", refused[i].format))
			EXPECT_STR(error, want);
		ltt_format_free(f);
	}
}

static void test_limits(void)
{
	static char format[LTT_MAX_FORMAT + 2];
	struct types types = {};
	struct ltt_format *f;
	unsigned int i;

	memset(format, 'x', LTT_MAX_FORMAT);
	f = parse(format, TYPES());
	EXPECT(!IS_ERR(f) && f->tail_len == LTT_MAX_FORMAT, "longest");
	ltt_format_free(f);

	memset(format, '\x01', LTT_MAX_FORMAT);
	f = parse(format, TYPES());
	EXPECT(!IS_ERR(f) && f->tail_len == 4 * LTT_MAX_FORMAT, "longest, escaped");
	ltt_format_free(f);

	memset(format, 'x', LTT_MAX_FORMAT + 1);
	EXPECT(IS_ERR(parse(format, TYPES())), "too long");
	EXPECT_STR(error, "the format is longer than 4096 bytes");

	for (i = 0; i <= LTT_MAX_ARGS; i++)
		types.type[i] = INT(4);
	memset(format, 0, sizeof(format));
	for (i = 0; i < LTT_MAX_ARGS; i++)
		strcat(format, "name %d");
	types.nr = LTT_MAX_ARGS;
	f = parse(format, types);
	EXPECT(!IS_ERR(f), "most: %s", error);
	EXPECT_STR(f->fields[63].name, "name_64");
	ltt_format_free(f);

	types.nr = LTT_MAX_ARGS + 1;
	EXPECT(IS_ERR(parse(format, types)), "too many arguments");
	EXPECT_STR(error, "65 arguments, at most 64 are supported");
	strcat(format, "%d");
	types.nr = LTT_MAX_ARGS;
	EXPECT(IS_ERR(parse(format, types)), "too many conversions");
	EXPECT_STR(error, "argument 65 (arg65), column 449: more than 64 conversions");

	/* A message never overflows. */
	memset(format, 'n', 4000);
	strcpy(format + 4000, "%pzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
	types.nr = 1;
	EXPECT(IS_ERR(parse(format, types)), "long names");
	EXPECT(strlen(error) < LTT_FORMAT_ERROR - 1, "cut: %s", error);
}

/* Sizes of payloads, also cut short at every byte. */
static void payload(const char *format, struct types types, const void *data, size_t size,
		    bool swap)
{
	struct ltt_format *f = parse(format, types);
	size_t cut;
	long got;

	if (!EXPECT(!IS_ERR(f), "%s", error))
		return;
	for (cut = 0; cut <= size + 3; cut++) {
		/* Exactly as large as said, so that a read beyond it is found. */
		u8 *copy = malloc(cut ?: 1);

		memset(copy, 0x55, cut);
		memcpy(copy, data, min(cut, size));
		got = ltt_payload_size(f, copy, cut, swap);
		EXPECT(got == (cut < size ? -EBADMSG : (long)size), "'%s' cut to %zu: %ld",
		       format, cut, got);
		free(copy);
	}
	ltt_format_free(f);
}

static void test_payload_size(void)
{
	payload("%d %lx", TYPES(INT(4), INT(8)), "123456789012", 12, false);
	payload("%s %d", TYPES(CPTR, INT(1)), "hello\0x", 7, false);
	payload("%d %s", TYPES(SEQ(2), CPTR), "\2\0\0\0abcdxyz", 12, LTT_HOST_BE);
	payload("%d %s", TYPES(SEQ(2), CPTR), "\0\0\0\2abcdxyz", 12, !LTT_HOST_BE);
	payload("%u %pW %d", TYPES(INT(2), PTR, INT(1)), "\3\0\0abc!", 7, LTT_HOST_BE);
	payload("%u %pW %d", TYPES(BE(2), PTR, INT(1)), "\0\3\1abc!", 7, false);
	payload("%u %pW %d", TYPES(BE(2), PTR, INT(1)), "\0\3\2abc!", 7, true);
	payload("%ld %pW", TYPES(SINT(8), PTR), "\0\0\0\0\0\0\0\0\0", 9, false);
	payload("%d[2] %d", TYPES(SEQ(4), SEQ(1)), "12345678\0\0\0\0", 12, false);
}

static void test_payload_hostile(void)
{
	struct ltt_format *f = parse("%lld %pW", TYPES(SINT(8), PTR));

	EXPECT(ltt_payload_size(f, "\xff\xff\xff\xff\xff\xff\xff\xff!", 9, false) == -EBADMSG,
	       "a length of -1");
	ltt_format_free(f);
	f = parse("%lld", TYPES(SEQ(8)));
	EXPECT(ltt_payload_size(f, "\xff\xff\xff\xff!", 5, false) == -EBADMSG, "2^32 - 1 elements");
	ltt_format_free(f);
}

/* Formats put together from pieces that mean something, then damaged. */
static void test_fuzz(void)
{
	static const char * const pieces[] = {
		"%", "%d", "%s", "%x{|1=A|2=B}", "%d{0=R,1=S}", "{", "{{", "}", "%%", "%pI4",
		"%pI6c", "%p", "%pW", "%lu", "%-08.3llx", "*", "name ", "0x", "\n", "\xc3\xb6",
		"\xff", "=", "|", ",", "-1", "0x10", "99999999999999999999", "%c", "%pU", "L",
		"h", "A", " ", "%.16s", "[", "[4]", "%u[3]",
	};
	static const __u32 some[] = {
		INT(1), SINT(2), INT(4), SINT(4), INT(8), SINT(8), BE(4), PTR, CPTR, SEQ(1),
		SEQ(2), SEQ(4), SEQ(8), SINT(3), 0xffffffff,
	};
	unsigned long long state = 12345;
	unsigned int i, good = 0;

	for (i = 0; i < 200000; i++) {
		unsigned int nr = ktap_random(&state) % 8, j;
		struct types types;
		struct ltt_format *f;
		u8 data[64], *copy;
		size_t len = 0, size;
		char text[256] = "", *format;

		for (j = 0; j < nr; j++)
			strcat(text, pieces[ktap_random(&state) % ARRAY_SIZE(pieces)]);
		if (nr && ktap_random(&state) % 4 == 0)
			text[ktap_random(&state) % strlen(text)] = ktap_random(&state);
		/* Half of the time as many arguments as there should be. */
		types.nr = ktap_random(&state) % 6;
		if (ktap_random(&state) % 2)
			for (types.nr = 0, j = 0; text[j]; j++)
				types.nr += text[j] == '%' && types.nr < 6;
		for (j = 0; j < types.nr; j++)
			types.type[j] = some[ktap_random(&state) % ARRAY_SIZE(some)];

		format = strdup(text);
		f = parse(format, types);
		free(format);
		if (IS_ERR(f))
			continue;
		good++;
		for (j = 0; j < f->nr_fields; j++)
			len += strlen(f->fields[j].name) + f->fields[j].lit_len;
		EXPECT(len < 1024, "names and literals of %zu bytes", len);

		size = ktap_random(&state) % sizeof(data);
		for (j = 0; j < size; j++)
			data[j] = ktap_random(&state) % 3 ? 0 : ktap_random(&state);
		copy = malloc(size ?: 1);
		memcpy(copy, data, size);
		EXPECT(ltt_payload_size(f, copy, size, i & 1) <= (long)size, "size");
		free(copy);
		ltt_format_free(f);
	}
	EXPECT(good > 5000, "only %u formats were good", good);
	printf("# %u of %u formats accepted\n", good, i);
}

static const struct ktap_case cases[] = {
	{ "format.names", test_names },
	{ "format.literals", test_literals },
	{ "format.fields", test_fields },
	{ "format.tables", test_tables },
	{ "format.refusals", test_refusals },
	{ "format.limits", test_limits },
	{ "format.payload_size", test_payload_size },
	{ "format.payload_hostile", test_payload_hostile },
	{ "format.fuzz", test_fuzz },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
