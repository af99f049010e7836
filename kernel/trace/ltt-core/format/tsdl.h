/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of the metadata's generator.
 *
 * Shared by the kernel, the user-space tools and the tests.
 *
 * Conventions in these files: functions put text at out->pos and move it; they return
 * 0 or -ENOSPC, and out->pos is undefined after an error. The public ones reset it. One
 * byte of room stays unused, as vsnprintf() terminates its output with a NUL.
 *
 * Context of all functions: any.
 */
#ifndef _LTT_METADATA_PRIVATE_H
#define _LTT_METADATA_PRIVATE_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ltt/metadata.h>
#include <linux/ltt/textbuf.h>

/* The names of integer types: "uint32", "int64", "uint16_x_be", ... */
struct ltt_md_base {
	const char *suffix;
	unsigned int base;
};

extern const struct ltt_md_base ltt_md_bases[LTT_SHOW_OCT + 1];

/*
 * ltt_md_put()	as printf()
 * ltt_md_char()	one character
 * ltt_md_uuid()	the 16 bytes of a UUID
 * ltt_md_escaped()	untrusted text, as the contents of a string literal
 * ltt_md_quoted()	the same, with quotes
 * ltt_md_fields() the fields of @format as the structure @name, and the comments for the
 *		viewer
 * ltt_md_end()	ends a public function: returns @err; if that is not 0, nothing
 *			has been put since @start
 */
__printf(2, 3) int ltt_md_put(struct ltt_textbuf *out, const char *format, ...);
int ltt_md_uuid(struct ltt_textbuf *out, const __u8 *uuid);
int ltt_md_escaped(struct ltt_textbuf *out, const char *text);
int ltt_md_quoted(struct ltt_textbuf *out, const char *text);
int ltt_md_fields(struct ltt_textbuf *out, const char *name, const char *format_text,
		  const __u32 *types, const struct ltt_format *format);

static inline int ltt_md_char(struct ltt_textbuf *out, char c)
{
	if (out->end - out->pos <= 1)
		return -ENOSPC;
	*out->pos++ = c;
	return 0;
}

static inline int ltt_md_end(struct ltt_textbuf *out, char *start, int err)
{
	if (err)
		out->pos = start;
	return err;
}

#endif /* _LTT_METADATA_PRIVATE_H */
