// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: how bytes that could forge a line or control a terminal are shown.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/export.h>
#include <linux/string.h>
#include <linux/ltt/escape.h>

/**
 * ltt_utf8_length() - length of a character
 * @in:		the text, not necessarily terminated
 * @avail:	bytes at @in, at least one
 *
 * Well-formed: Unicode 15, table 3-7 (no overlong forms, no surrogates, nothing above
 * U+10FFFF).
 *
 * Context: any.
 * Return: bytes of the well-formed UTF-8 sequence at @in, 0 if there is none.
 */
unsigned int ltt_utf8_length(const u8 *in, size_t avail)
{
	u8 low = 0x80, high = 0xbf;
	unsigned int len, i;

	switch (in[0]) {
	case 0x00 ... 0x7f:
		return 1;
	case 0xc2 ... 0xdf:
		len = 2;
		break;
	case 0xe0 ... 0xef:
		len = 3;
		break;
	case 0xf0 ... 0xf4:
		len = 4;
		break;
	default:
		return 0;
	}
	if (avail < len)
		return 0;

	/* The first byte may narrow what the second can be. */
	switch (in[0]) {
	case 0xe0:
		low = 0xa0;
		break;
	case 0xed:
		high = 0x9f;
		break;
	case 0xf0:
		low = 0x90;
		break;
	case 0xf4:
		high = 0x8f;
		break;
	}
	if (in[1] < low || in[1] > high)
		return 0;
	for (i = 2; i < len; i++)
		if ((in[i] & 0xc0) != 0x80)
			return 0;
	return len;
}
EXPORT_SYMBOL_GPL(ltt_utf8_length);

/**
 * ltt_escape_char() - show one character of untrusted text
 * @out:	receives what is to be shown, not terminated
 * @in:		the text, not necessarily terminated
 * @avail:	bytes at @in, at least one
 * @used:	receives the number of bytes of @in that were shown
 *
 * Printable ASCII and well-formed UTF-8 sequences pass unchanged. A backslash is
 * doubled, newline and tab become \n and \t, and any other byte (C0 and C1
 * controls, DEL, malformed UTF-8) becomes \x and two digits.
 *
 * Context: any.
 * Return: bytes written to @out, 1 to LTT_ESCAPE_MAX.
 */
unsigned int ltt_escape_char(char out[LTT_ESCAPE_MAX], const u8 *in, size_t avail,
			     unsigned int *used)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int len;

	*used = 1;
	if (ltt_is_plain(in[0])) {
		out[0] = in[0];
		return 1;
	}

	out[0] = '\\';
	switch (in[0]) {
	case '\\':
		out[1] = '\\';
		return 2;
	case '\n':
		out[1] = 'n';
		return 2;
	case '\t':
		out[1] = 't';
		return 2;
	}

	len = ltt_utf8_length(in, avail);
	if (len > 1 && !ltt_is_c1(in)) {
		memcpy(out, in, len);
		*used = len;
		return len;
	}

	out[1] = 'x';
	out[2] = digits[in[0] >> 4];
	out[3] = digits[in[0] & 15];
	return 4;
}
EXPORT_SYMBOL_GPL(ltt_escape_char);
