// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: addresses in text, and words of events, in user space.
 *
 * There is no kernel here that could hide a pointer: what the trace holds is shown, in
 * the forms of printk() without hashing. Symbols are shown as the kernel would if
 * somebody has its table; else as a kernel without one does.
 */
#include <linux/kernel.h>
#include <linux/ltt/event_printer.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "render_private.h"
#include "render_user.h"

/* Longest text of a symbol; the kernel's own are shorter. */
#define SYMBOL_ROOM	1024

__thread const struct ltt_symbolizer *ltt_symbolizer;
__thread u64 ltt_symbol_time;
const struct ltt_event_printer *ltt_user_printer;

/* Words of the kernel's events are in the kernel only. */
const struct ltt_event_printer *ltt_event_printer_get(void)
{
	return ltt_user_printer;
}

void ltt_event_printer_put(const struct ltt_event_printer *printer)
{
	(void)printer;
}

/* name+0xOFFSET/0xSIZE [module], or [module]+0xOFFSET */
static int put_symbol(char *text, size_t size, const struct ltt_field *field, u64 address)
{
	/* %pB: a return address may lie behind the function that it returns to. */
	bool before = field->variant[0] == 'B';
	char place[48] = "", module[SYMBOL_ROOM / 4] = "";
	struct ltt_symbol symbol;

	if (!ltt_symbolizer->find(ltt_symbolizer, address - before, ltt_symbol_time, &symbol))
		return snprintf(text, size, "0x%llx", (unsigned long long)address);
	if (!symbol.name && field->variant[0] == 's')
		return snprintf(text, size, "[%s]", symbol.module);
	if (!symbol.name)
		return snprintf(text, size, "[%s]+0x%llx", symbol.module,
				(unsigned long long)symbol.offset + before);
	if (field->variant[0] != 's')
		snprintf(place, sizeof(place), "+0x%llx/0x%llx",
			 (unsigned long long)symbol.offset + before,
			 (unsigned long long)symbol.size);
	if (symbol.module)
		snprintf(module, sizeof(module), " [%s]", symbol.module);
	return snprintf(text, size, "%.*s%s%s", SYMBOL_ROOM / 2, symbol.name, place, module);
}

static int render_symbol(char *buf, size_t size, const struct ltt_field *field, u64 value)
{
	char text[SYMBOL_ROOM];
	int width = field->flags & LTT_FIELD_LEFT ? -(int)field->width : field->width;

	put_symbol(text, sizeof(text), field, value);
	return snprintf(buf, size, "%*s", width, text);
}

/*
 * With few digits after the point, as most numbers are that somebody has written. A quotient of two
 * integers that are exact is what strtod() makes of the same digits. Return: NULL if it has more.
 */
static char *put_short(char *pos, double value)
{
	static const double powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	unsigned int digits;
	double scaled;
	u64 whole;

	if (signbit(value)) {
		*pos++ = '-';
		value = -value;
	}
	if (!(value < 1e9))
		return NULL;
	for (digits = 0; digits < sizeof(powers) / sizeof(*powers); digits++) {
		scaled = value * powers[digits];
		whole = scaled;
		if ((double)whole == scaled && scaled / powers[digits] == value)
			break;
	}
	if (digits == sizeof(powers) / sizeof(*powers))
		return NULL;
	pos = ltt_put_dec(pos, whole / (u64)powers[digits]);
	if (!digits)
		return pos;
	*pos++ = '.';
	for (whole %= (u64)powers[digits]; digits--; whole %= (u64)powers[digits])
		*pos++ = '0' + whole / (u64)powers[digits];
	return pos;
}

static locale_t c_locale;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", NULL);
}

/* Any number, whatever the point is where the user lives. */
static unsigned int put_long(char text[LTT_FLOAT_TEXT], double value, bool single)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int digits = single ? 6 : 15, len;
	locale_t old;

	pthread_once(&once, make_c_locale);
	old = uselocale(c_locale);
	do {
		len = snprintf(text, LTT_FLOAT_TEXT, "%.*g", digits, value);
	} while (value == value && digits++ < 17 &&
		 (single ? strtof(text, NULL) != (float)value : strtod(text, NULL) != value));
	uselocale(old);
	return len;
}

/**
 * ltt_put_float() - show a floating-point number, with no more digits than tell it from others
 * @text:	where to put it; not terminated
 * @bits:	the number, in IEEE 754
 * @size:	its bytes, 4 or 8
 *
 * Return: bytes of the text.
 */
unsigned int ltt_put_float(char text[LTT_FLOAT_TEXT], u64 bits, unsigned int size)
{
	bool is_single = size == sizeof(float);
	u32 low = bits;
	double value;
	float single;
	char *end;

	if (is_single) {
		memcpy(&single, &low, sizeof(single));
		value = single;
	} else {
		memcpy(&value, &bits, sizeof(value));
	}
	end = put_short(text, value);
	return end ? end - text : put_long(text, value, is_single);
}

static int render_float(const struct ltt_textbuf *out, u64 bits, unsigned int size)
{
	char text[LTT_FLOAT_TEXT];
	unsigned int len = ltt_put_float(text, bits, size);

	if (len < (size_t)(out->end - out->pos))
		memcpy(out->pos, text, len);
	return len;
}

int ltt_render_address(const struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	unsigned int flags = field->flags, width = field->width;
	char *end;

	if (field->show == LTT_SHOW_FLOAT)
		return render_float(out, value, field->size);
	if (field->show == LTT_SHOW_SYM) {
		if (ltt_symbolizer)
			return render_symbol(out->pos, out->end - out->pos, field, value);
		flags |= LTT_FIELD_ALT | LTT_FIELD_ZERO;
		width = 2 + 2 * sizeof(value);
	} else if (!width) {
		flags |= LTT_FIELD_ZERO;
		width = 2 * sizeof(value);
	}
	end = ltt_put_number(out->pos, out->end, value, 16, flags, width, 0);
	return end ? end - out->pos : INT_MAX;
}
