/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: integers at any address, in either byte order.
 *
 * Shared by the kernel, the user-space tools and the tests. "swap" always means
 * that the data were written on a machine of the other byte order.
 */
#ifndef _LINUX_LTT_UNALIGNED_H
#define _LINUX_LTT_UNALIGNED_H

#include <linux/string.h>
#include <linux/types.h>

#define LTT_HOST_BE	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline u16 ltt_load16(const void *p, bool swap)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline u32 ltt_load32(const void *p, bool swap)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline u64 ltt_load64(const void *p, bool swap)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/**
 * ltt_load_int() - load a stored integer
 * @p:		its first byte, at any alignment
 * @size:	bytes: 1, 2, 4 or 8
 * @is_signed:	extend the sign, else zeros
 * @swap:	bytes are in the other order than this machine's
 *
 * Context: any.
 * Return: the value, extended to 64 bits.
 */
static inline u64 ltt_load_int(const void *p, unsigned int size, bool is_signed,
			       bool swap)
{
	switch (size) {
	case 1:
		return is_signed ? (u64)(s64)*(const s8 *)p : *(const u8 *)p;
	case 2:
		return is_signed ? (u64)(s64)(s16)ltt_load16(p, swap) :
				   ltt_load16(p, swap);
	case 4:
		return is_signed ? (u64)(s64)(s32)ltt_load32(p, swap) :
				   ltt_load32(p, swap);
	default:
		return ltt_load64(p, swap);
	}
}

#endif /* _LINUX_LTT_UNALIGNED_H */
