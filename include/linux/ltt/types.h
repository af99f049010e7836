/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: argument type codes of markers.
 *
 * The compiler turns the arguments of a trace_mark() into an array of these
 * codes (see marker.h), the registry compares them with the format string.
 * Shared by the kernel, the user-space tools and the tests.
 */
#ifndef _LINUX_LTT_TYPES_H
#define _LINUX_LTT_TYPES_H

#include <linux/types.h>

/*
 * One argument, packed into 32 bits:
 *
 *	31            16 15     12 11      8 7        0
 *	+---------------+---------+---------+---------+
 *	| 0             | flags   | kind    | size    |
 *	+---------------+---------+---------+---------+
 *
 * size is in bytes; of one element for sequences. An array of a fixed number of
 * elements is passed as a sequence, and it is the format that says how many.
 */
#define LTT_KIND_INT	0u	/* integer, stored as it is */
#define LTT_KIND_PTR	1u	/* pointer to anything but characters */
#define LTT_KIND_CPTR	2u	/* pointer to (signed, unsigned) characters */
#define LTT_KIND_SEQ	3u	/* pointer to elements, and their number */

#define LTT_TYPE_SIGNED	1u	/* flags: two's complement */
#define LTT_TYPE_BE	2u	/* flags: stored most significant byte first */

#define LTT_TYPE(kind, size, flags) \
	((__u32)(size) | (__u32)(kind) << 8 | (__u32)(flags) << 12)

#define LTT_TYPE_SIZE(type)	((type) & 0xffu)
#define LTT_TYPE_KIND(type)	((type) >> 8 & 0xfu)
#define LTT_TYPE_FLAGS(type)	((type) >> 12 & 0xfu)

/*
 * Maximum number of arguments; trace_mark() takes 16, markers made at run time may have
 * more.
 */
#define LTT_MAX_ARGS		64

/* Maximum bytes of a string, with its NUL; longer ones are cut. */
#define LTT_MAX_STR		4096

#endif /* _LINUX_LTT_TYPES_H */
