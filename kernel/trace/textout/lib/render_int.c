// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: integers as text, the way printk() shows them.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/kernel.h>
#include <linux/ltt/format.h>
#include <linux/string.h>

#include "render_private.h"

/* Four bytes apart, which is a cheap index. */
const char ltt_dec_pairs[100][4] = {
	"00", "01", "02", "03", "04", "05", "06", "07", "08", "09",
	"10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
	"20", "21", "22", "23", "24", "25", "26", "27", "28", "29",
	"30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
	"40", "41", "42", "43", "44", "45", "46", "47", "48", "49",
	"50", "51", "52", "53", "54", "55", "56", "57", "58", "59",
	"60", "61", "62", "63", "64", "65", "66", "67", "68", "69",
	"70", "71", "72", "73", "74", "75", "76", "77", "78", "79",
	"80", "81", "82", "83", "84", "85", "86", "87", "88", "89",
	"90", "91", "92", "93", "94", "95", "96", "97", "98", "99",
};

const char ltt_hex_digits[16 + 1] = "0123456789abcdef";

/* Eight digits, @v below 10^8. */
static char *put_dec8(char *pos, u32 v)
{
	u32 high = v / 10000;

	ltt_put_dec4(pos, high);
	return ltt_put_dec4(pos + 4, v - high * 10000);
}

/* Internal: what is left of ltt_put_dec(), numbers of five digits and more. */
char *__ltt_put_dec(char *pos, u64 v)
{
	u64 high;

	if (v < 100000000) {
		u32 upper = (u32)v / 10000;

		pos = ltt_put_dec(pos, upper);
		return ltt_put_dec4(pos, (u32)v - upper * 10000);
	}
	high = v / 100000000;
	pos = ltt_put_dec(pos, high);
	return put_dec8(pos, v - high * 100000000);
}

/* The lowest @digits hexadecimal digits, 1 to 8; writes a word. */
static char *put_hex8(char *pos, u32 v, unsigned int digits)
{
	const u64 ones = ~0ull / 255;
	u64 x = v << 4 * (8 - digits);

	/* A digit to each byte, the lowest to the lowest ... */
	x = (x | x << 16) & 0x0000ffff0000ffffull;
	x = (x | x << 8) & 0x00ff00ff00ff00ffull;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
	/* ... from 10 on, what lies between '9' and 'a' is added. */
	x += ones * '0' + ((x + ones * 6) >> 4 & ones) * ('a' - '0' - 10);
	if (!LTT_HOST_BE)
		x = __builtin_bswap64(x);
	memcpy(pos, &x, LTT_WORD);
	return pos + digits;
}

/* Hexadecimal in small letters, without a prefix: 16 bytes, all of which may be written. */
char *ltt_put_hex(char *pos, u64 v)
{
	unsigned int digits = ltt_hex_length(v);

	if (digits > 8) {
		pos = put_hex8(pos, v >> 32, digits - 8);
		digits = 8;
	}
	return put_hex8(pos, v, digits);
}

/* Digits of @v in tmp[64], right-aligned; returns the first. */
static char *put_digits(char *tmp, u64 v, unsigned int base, bool upper)
{
	char *pos = tmp + 64, letter = (upper ? 'A' : 'a') - 10;
	unsigned int digit;

	if (base == 10) {
		char *end = ltt_put_dec(tmp, v);
		size_t len = end - tmp;

		memmove(pos - len, tmp, len);
		return pos - len;
	}
	do {
		digit = v & (base - 1);
		*--pos = digit < 10 ? '0' + digit : letter + digit;
		v >>= base == 16 ? 4 : 3;
	} while (v);
	return pos;
}

/**
 * ltt_put_number() - show an integer with all that printk() knows
 * @pos:	where to put it
 * @end:	end of the room
 * @v:		the value, converted to the type that the conversion names
 * @base:	8, 10 or 16
 * @flags:	LTT_FIELD_SHOW_SIGNED, _UPPER, _LEFT, _ZERO, _PLUS, _SPACE, _ALT
 * @width:	least number of characters
 * @prec:	least number of digits
 *
 * Where the kernel's vsnprintf() and the C standard differ, this follows the
 * kernel: 0 with precision 0 is "0", %#x of 0 is "0x0", the prefix of %#o does not
 * count as a digit, and the flag 0 is obeyed also when there is a precision.
 *
 * Context: any.
 * Return: the end of the text, or NULL if it does not fit.
 */
char *ltt_put_number(char *pos, char *end, u64 v, unsigned int base,
		     unsigned int flags, unsigned int width, unsigned int prec)
{
	char tmp[64], prefix[3], *digits;
	size_t nr_prefix = 0, nr_digits, zeros, pad;

	if (flags & LTT_FIELD_SHOW_SIGNED) {
		if ((s64)v < 0) {
			prefix[nr_prefix++] = '-';
			v = -v;
		} else if (flags & LTT_FIELD_PLUS) {
			prefix[nr_prefix++] = '+';
		} else if (flags & LTT_FIELD_SPACE) {
			prefix[nr_prefix++] = ' ';
		}
	}
	if (flags & LTT_FIELD_ALT && base != 10 && (v || base == 16)) {
		prefix[nr_prefix++] = '0';
		if (base == 16)
			prefix[nr_prefix++] = flags & LTT_FIELD_UPPER ? 'X' : 'x';
	}

	digits = put_digits(tmp, v, base, flags & LTT_FIELD_UPPER);
	nr_digits = tmp + sizeof(tmp) - digits;
	zeros = prec > nr_digits ? prec - nr_digits : 0;
	pad = nr_prefix + zeros + nr_digits;
	pad = width > pad ? width - pad : 0;
	if ((size_t)(end - pos) < pad + nr_prefix + zeros + nr_digits)
		return NULL;

	if (flags & LTT_FIELD_ZERO && !(flags & LTT_FIELD_LEFT)) {
		zeros += pad;
		pad = 0;
	}
	if (!(flags & LTT_FIELD_LEFT)) {
		memset(pos, ' ', pad);
		pos += pad;
		pad = 0;
	}
	memcpy(pos, prefix, nr_prefix);
	pos += nr_prefix;
	memset(pos, '0', zeros);
	pos += zeros;
	memcpy(pos, digits, nr_digits);
	pos += nr_digits;
	memset(pos, ' ', pad);
	return pos + pad;
}
