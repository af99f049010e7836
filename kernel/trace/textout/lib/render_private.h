/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what the parts of the renderer share.
 *
 * Shared by the kernel, the user-space tools and the tests.
 *
 * Functions that put text at @pos and return where it ends write at most what
 * their comment says; the caller has made sure of the room.
 */
#ifndef _LTT_RENDER_PRIVATE_H
#define _LTT_RENDER_PRIVATE_H

#include <linux/ltt/unaligned.h>
#include <linux/string.h>

#include "render.h"

#define LTT_WORD	sizeof(u64)

/* render_int.c */
extern const char ltt_dec_pairs[100][4];	/* "00" to "99" */
extern const char ltt_hex_digits[16 + 1];

char *__ltt_put_dec(char *pos, u64 v);
char *ltt_put_hex(char *pos, u64 v);
char *ltt_put_number(char *pos, char *end, u64 v, unsigned int base,
		     unsigned int flags, unsigned int width, unsigned int prec);

/* render_net.c: at most LTT_NET_TEXT bytes each */
#define LTT_NET_TEXT	48
char *ltt_put_ip4(char *pos, const u8 *addr, const char *variant, bool swap);
char *ltt_put_ip6(char *pos, const u8 *addr, const char *variant);
char *ltt_put_mac(char *pos, const u8 *addr, const char *variant);
char *ltt_put_uuid(char *pos, const u8 *addr, const char *variant);

/*
 * render_kernel.c, render_user.c: show what only the platform can, at @out->pos, which
 * is not moved. Like snprintf(): returns the length of the whole text, which is cut (and of
 * no use) if that is not less than the room.
 */
int ltt_render_address(const struct ltt_textbuf *out, const struct ltt_field *field, u64 value);

static inline size_t ltt_textbuf_room(const struct ltt_textbuf *out)
{
	return out->end - out->pos;
}

/* Two digits, @v below 100. */
static inline char *ltt_put_dec2(char *pos, u32 v)
{
	memcpy(pos, ltt_dec_pairs[v], 2);
	return pos + 2;
}

/* Four digits, @v below 10000. */
static inline char *ltt_put_dec4(char *pos, u32 v)
{
	u32 high = v / 100;

	ltt_put_dec2(pos, high);
	return ltt_put_dec2(pos + 2, v - high * 100);
}

/* How many digits a number has, decimal. */
static inline unsigned int ltt_dec_length(u64 v)
{
	unsigned int len = 1;

	for (; unlikely(v >= 10000); v /= 10000)
		len += 4;
	return len + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* The same, hexadecimal. */
static inline unsigned int ltt_hex_length(u64 v)
{
	return (67 - __builtin_clzll(v | 1)) / 4;
}

/* Most bytes of an integer without padding. */
#define LTT_NUMBER_ROOM	20

/* Decimal, without sign: at most 20 bytes. */
static inline char *ltt_put_dec(char *pos, u64 v)
{
	u32 high, low;

	if (unlikely(v >= 10000))
		return __ltt_put_dec(pos, v);
	low = v;
	if (low < 100) {
		if (low >= 10)
			return ltt_put_dec2(pos, low);
		*pos = '0' + low;
		return pos + 1;
	}
	high = low / 100;
	low -= high * 100;
	if (high >= 10) {
		pos = ltt_put_dec2(pos, high);
	} else {
		*pos = '0' + high;
		pos++;
	}
	return ltt_put_dec2(pos, low);
}

/*
 * Copy plain characters, and not @also, up to what is none, in words. Returns how many; stops early
 * where less than a word is left to read or room for less than two words.
 */
static __always_inline size_t ltt_copy_plain(char *pos, const char *end, const u8 *p,
					     size_t avail, u8 also)
{
	const u64 ones = ~0ull / 255, high = ones << 7;
	size_t done = 0;
	u64 v, odd;

	if (LTT_HOST_BE)
		return 0;
	for (; avail - done >= LTT_WORD && (size_t)(end - pos) >= 2 * LTT_WORD;
	     done += LTT_WORD, pos += LTT_WORD) {
		memcpy(&v, p + done, LTT_WORD);
		memcpy(pos, &v, LTT_WORD);
		/*
		 * In the highest bit of a byte: it is 128 or more; it is less than
		 * blank; it is DEL; it is a backslash, or @also. Borrows and carries make wrong
		 * only what comes after a byte that is rightly found.
		 */
		odd = v | (v - ones * ' ') | (v + ones) | ((v ^ ones * '\\') - ones) |
		      ((v ^ ones * also) - ones);
		odd &= high;
		if (odd)
			return done + __builtin_ctzll(odd) / 8;
	}
	return done;
}

/* How much is to be shown of a string, or array of characters, of which @count bytes are stored. */
static inline size_t ltt_text_length(const struct ltt_field *field, const u8 *p, size_t count)
{
	if (field->show == LTT_SHOW_CHAR) {
		/* An array of characters is most often a string with a margin. */
		while (field->store == LTT_STORE_ARRAY && count && !p[count - 1])
			count--;
		return count;
	}
	if (field->store != LTT_STORE_STR)
		count = strnlen((const char *)p, count);
	return field->flags & LTT_FIELD_PREC ? min_t(size_t, count, field->prec) : count;
}

/* Two hexadecimal digits. */
static inline char *ltt_put_hex2(char *pos, u8 v)
{
	pos[0] = ltt_hex_digits[v >> 4];
	pos[1] = ltt_hex_digits[v & 15];
	return pos + 2;
}

#endif /* _LTT_RENDER_PRIVATE_H */
