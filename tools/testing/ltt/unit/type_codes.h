/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Type codes of arguments, in short, and lists of them.
 */
#ifndef _LTT_TYPE_CODES_H
#define _LTT_TYPE_CODES_H

#include <linux/types.h>
#include <linux/ltt/format.h>
#include <linux/ltt/types.h>

#define INT(size)	LTT_TYPE(LTT_KIND_INT, size, 0)
#define SINT(size)	LTT_TYPE(LTT_KIND_INT, size, LTT_TYPE_SIGNED)
#define BE(size)	LTT_TYPE(LTT_KIND_INT, size, LTT_TYPE_BE)
#define PTR		LTT_TYPE(LTT_KIND_PTR, 8, 0)
#define CPTR		LTT_TYPE(LTT_KIND_CPTR, 8, 0)
#define SEQ(size)	LTT_TYPE(LTT_KIND_SEQ, size, 0)
#define SSEQ(size)	LTT_TYPE(LTT_KIND_SEQ, size, LTT_TYPE_SIGNED)

struct types {
	unsigned int nr;
	__u32 type[LTT_MAX_ARGS + 1];
};

#define TYPES(...) \
	((struct types){ sizeof((__u32[]){ __VA_ARGS__ }) / sizeof(__u32), { __VA_ARGS__ } })

#endif /* _LTT_TYPE_CODES_H */
