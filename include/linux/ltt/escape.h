/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: how bytes that could forge a line or control a terminal are shown.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#ifndef _LINUX_LTT_ESCAPE_H
#define _LINUX_LTT_ESCAPE_H

#include <linux/types.h>

/* Most bytes that ltt_escape_char() writes. */
#define LTT_ESCAPE_MAX	4

/* Is this byte shown as it is, whatever stands next to it? */
static inline bool ltt_is_plain(u8 c)
{
	return c >= 0x20 && c < 0x7f && c != '\\';
}

/* Is this well-formed sequence of two bytes or more a C1 control? */
static inline bool ltt_is_c1(const u8 *in)
{
	return in[0] == 0xc2 && in[1] < 0xa0;
}

unsigned int ltt_utf8_length(const u8 *in, size_t avail);
unsigned int ltt_escape_char(char out[LTT_ESCAPE_MAX], const u8 *in, size_t avail,
			     unsigned int *used);

#endif /* _LINUX_LTT_ESCAPE_H */
