// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: addresses and UUIDs as text, the way printk() shows them.
 *
 * Documentation/core-api/printk-formats.rst of the kernel describes the forms. In
 * all functions, @variant holds the letters after %p.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <linux/string.h>

#include "render_private.h"

/* %pI4, %pi4: the latter with three digits for each byte. */
char *ltt_put_ip4(char *pos, const u8 *addr, const char *variant, bool swap)
{
	bool reversed = variant[2] == 'l';
	unsigned int i, byte;

	/* h: in the order of the machine that wrote it */
	if (variant[2] == 'h')
		reversed = swap == LTT_HOST_BE;

	for (i = 0; i < 4; i++) {
		if (i)
			*pos++ = '.';
		byte = addr[reversed ? 3 - i : i];
		if (variant[0] == 'i') {
			*pos++ = '0' + byte / 100;
			pos = ltt_put_dec2(pos, byte % 100);
		} else {
			pos = ltt_put_dec(pos, byte);
		}
	}
	return pos;
}

static unsigned int ip6_word(const u8 *addr, unsigned int i)
{
	return addr[2 * i] << 8 | addr[2 * i + 1];
}

/* Do the last four bytes hold an IPv4 address? */
static bool ip6_ends_in_ip4(const u8 *addr)
{
	static const u8 mapped[12] = { [10] = 0xff, 0xff };
	static const u8 isatap[4] = { 0x00, 0x00, 0x5e, 0xfe };

	if (!memcmp(addr, mapped, sizeof(mapped)))
		return true;
	return (addr[8] & ~2) == isatap[0] && !memcmp(addr + 9, isatap + 1, 3);
}

/*
 * RFC 5952: no leading zeros, the first of the longest runs of two or more zero
 * words replaced by "::", IPv4 in dotted form where it is known to be.
 */
static char *put_ip6_compressed(char *pos, const u8 *addr)
{
	bool ip4 = ip6_ends_in_ip4(addr);
	unsigned int words = ip4 ? 6 : 8, best = words, best_len = 1, i, j;

	for (i = 0; i < words; i = j + 1) {
		for (j = i; j < words && !ip6_word(addr, j); j++)
			;
		if (j - i > best_len) {
			best = i;
			best_len = j - i;
		}
	}

	for (i = 0; i < words; i++) {
		if (i == best) {
			/* The second colon comes before the next word. */
			*pos++ = ':';
			i += best_len - 1;
			if (i + 1 == words && !ip4)
				*pos++ = ':';
			continue;
		}
		if (i)
			*pos++ = ':';
		pos = ltt_put_hex(pos, ip6_word(addr, i));
	}
	if (ip4) {
		*pos++ = ':';
		pos = ltt_put_ip4(pos, addr + 12, "I4", false);
	}
	return pos;
}

/* %pI6, %pi6 (without colons), %pI6c (compressed) */
char *ltt_put_ip6(char *pos, const u8 *addr, const char *variant)
{
	unsigned int i;

	if (variant[2] == 'c')
		return put_ip6_compressed(pos, addr);
	for (i = 0; i < 16; i++) {
		if (i && i % 2 == 0 && variant[0] == 'I')
			*pos++ = ':';
		pos = ltt_put_hex2(pos, addr[i]);
	}
	return pos;
}

/* %pM, %pm (without colons), R: last byte first, F: with dashes */
char *ltt_put_mac(char *pos, const u8 *addr, const char *variant)
{
	unsigned int i;

	for (i = 0; i < 6; i++) {
		if (i && variant[0] == 'M')
			*pos++ = variant[1] == 'F' ? '-' : ':';
		pos = ltt_put_hex2(pos, addr[variant[1] == 'R' ? 5 - i : i]);
	}
	return pos;
}

/* %pU[bBlL]: l and L have the first three groups least significant byte first. */
char *ltt_put_uuid(char *pos, const u8 *addr, const char *variant)
{
	static const u8 big[16] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	};
	static const u8 little[16] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15
	};
	const u8 *order = (variant[1] | 0x20) == 'l' ? little : big;
	bool upper = variant[1] == 'B' || variant[1] == 'L';
	unsigned int i;
	char *digit;

	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*pos++ = '-';
		digit = pos;
		pos = ltt_put_hex2(pos, addr[order[i]]);
		for (; upper && digit < pos; digit++)
			if (*digit >= 'a')
				*digit -= 'a' - 'A';
	}
	return pos;
}
