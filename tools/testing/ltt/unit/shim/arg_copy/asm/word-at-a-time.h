/* SPDX-License-Identifier: GPL-2.0 */
/* What <asm/word-at-a-time.h> says of a little-endian machine, a byte at a time. */
#ifndef _LTT_SHIM_ASM_WORD_AT_A_TIME_H
#define _LTT_SHIM_ASM_WORD_AT_A_TIME_H

#define REPEAT_BYTE(x)			((~0ul / 0xff) * (x))
#define WORD_AT_A_TIME_CONSTANTS	{ 0 }
#define aligned_byte_mask(n)		((1ul << 8 * (n)) - 1)

struct word_at_a_time {
	int none;
};

static inline unsigned long has_zero(unsigned long word, unsigned long *zeros,
				     const struct word_at_a_time *c)
{
	unsigned int i;

	(void)c;
	*zeros = 0;
	for (i = 0; i < sizeof(word); i++)
		if (!(word >> 8 * i & 0xff))
			*zeros |= 0x80ul << 8 * i;
	return *zeros;
}

static inline unsigned long prep_zero_mask(unsigned long word, unsigned long zeros,
					   const struct word_at_a_time *c)
{
	(void)word;
	(void)c;
	return zeros;
}

static inline unsigned long create_zero_mask(unsigned long zeros)
{
	return zeros;
}

static inline unsigned long find_zero(unsigned long zeros)
{
	return __builtin_ctzl(zeros) / 8;
}

#endif
