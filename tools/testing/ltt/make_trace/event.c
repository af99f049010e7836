// SPDX-License-Identifier: GPL-2.0
/* Values for the fields of events, of all that a field can be. */

#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <linux/string.h>

#include "make_trace.h"

/* What a line of text must not be forged with, and what it must show. */
static const char *const texts[] = {
	"", "x", "swapper/0", "two words", "tab\there", "line\nforged 1.0 [000] a.b: c",
	"back\\slash \"quoted\"", "\303\274mlaut \342\202\254", "bad \303 utf", "\033[1mbold",
	"a text that is rather long, so that packets fill up and events differ in size: 0123456789abcdefghijklmnopqrstuvwxyz",
};

/* Corners and small numbers as well as anything. */
static u64 any_number(void)
{
	switch (random_below(6)) {
	case 0:
		return 0;
	case 1:
		return ~0ull;
	case 2:
		return 1ull << random_below(64);
	case 3:
		return (1ull << random_below(64)) - 1;
	case 4:
		return random_below(100);
	default:
		return random_word();
	}
}

/* Where a kernel's code is. */
static u64 any_address(void)
{
	return 0xffffffff81000000ull + random_below(0x1000000);
}

static u64 choose(const struct ltt_field *field)
{
	const bool flags = field->flags & LTT_FIELD_FLAGS;
	u64 value = 0;
	unsigned int i;

	if (field->show == LTT_SHOW_SYM)
		return any_address();
	if (field->show == LTT_SHOW_CHAR || field->show == LTT_SHOW_STR)
		return random_below(4) ? ' ' + random_below(95) : random_below(256);
	/* Most values of an enumeration have a name. */
	if (!field->nr_syms || !random_below(5))
		return any_number();
	if (!flags)
		return field->syms[random_below(field->nr_syms)].value;
	for (i = 0; i < field->nr_syms; i++)
		value |= random_below(2) ? field->syms[i].value : 0;
	return value;
}

/* As a writer stores it: in this machine's byte order, or in that of networks. */
static u8 *put_int(u8 *p, u64 value, const struct ltt_field *field)
{
	const bool big = field->flags & LTT_FIELD_BE ? true : LTT_HOST_BE;
	unsigned int i;

	for (i = 0; i < field->size; i++)
		p[i] = value >> 8 * (big ? field->size - 1 - i : i);
	return p + field->size;
}

static u8 *put_string(u8 *p, const struct ltt_field *field)
{
	const char *text = texts[random_below(ARRAY_SIZE(texts))];
	size_t len = strlen(text);

	if (field->flags & LTT_FIELD_PREC && len > field->prec)
		len = field->prec;
	memcpy(p, text, len);
	p[len] = '\0';
	return p + len + 1;
}

/* A string in an array, with something after it, or one that fills the array. */
static u8 *put_chars(u8 *p, const struct ltt_field *field)
{
	unsigned int len = random_below(field->count + 1), i;

	for (i = 0; i < field->count; i++)
		p[i] = i == len ? 0 : choose(field) ?: 'x';
	return p + field->count;
}

static u8 *put_elements(u8 *p, const struct ltt_field *field, unsigned int count)
{
	while (count--)
		p = put_int(p, choose(field), field);
	return p;
}

static u8 *put_sequence(u8 *p, const struct ltt_field *field)
{
	u32 count = random_below(6);

	memcpy(p, &count, sizeof(count));
	return put_elements(p + sizeof(count), field, count);
}

size_t make_payload(const struct ltt_format *format, u8 *payload)
{
	const struct ltt_field *field;
	unsigned int i;
	u64 value = 0;
	u8 *p = payload;

	for (i = 0; i < format->nr_fields; i++) {
		field = &format->fields[i];
		switch (field->store) {
		case LTT_STORE_STR:
			p = put_string(p, field);
			break;
		case LTT_STORE_ARRAY:
			p = field->show == LTT_SHOW_STR ?
				put_chars(p, field) :
				put_elements(p, field, field->count);
			break;
		case LTT_STORE_SEQ:
			p = put_sequence(p, field);
			break;
		case LTT_STORE_BLOB:
			/* Read, most often. */
			*p++ = random_below(8) / 6 * (1 + random_below(2));
			p = put_elements(p, field, value);
			break;
		default:
			value = choose(field);
			if (i + 1 < format->nr_fields && field[1].store == LTT_STORE_BLOB)
				value = random_below(20);
			p = put_int(p, value, field);
			break;
		}
	}
	return p - payload;
}
