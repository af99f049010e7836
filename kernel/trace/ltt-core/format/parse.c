// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a marker's format, parsed once into typed, named fields.
 *
 * Shared by the kernel, the user-space tools and the tests. Formats come from
 * modules and, in the tools, from files that anyone may have written: nothing
 * here trusts them.
 *
 * format_private.h says how the parser works; its parts are format_conv.c,
 * format_text.c and format_error.c.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "parse.h"

/* ---- the two passes ---------------------------------------------------------- */

/* The whole format, once. Without @out, fields last until the next but one. */
static int parse_pass(struct ltt_parser *ps)
{
	struct ltt_field scratch[2], *field, *before = NULL;
	const char *text;
	bool after_conv;
	size_t len;
	int err;

	ps->pos = 0;
	ps->text_used = 0;
	ps->syms_used = 0;
	for (ps->arg = 0;; ps->arg++) {
		/* Behind a table, "{" has no other meaning. */
		after_conv = before && !(before->flags & (LTT_FIELD_SYMS | LTT_FIELD_FLAGS));
		ltt_parse_literal(ps, after_conv, &text, &len);
		if (ps->pos == ps->len)
			break;

		if (ps->out && ps->arg < ps->nr_types)
			field = &ps->out->fields[ps->arg];
		else
			field = &scratch[ps->arg & 1];
		memset(field, 0, sizeof(*field));
		field->lit = text;
		field->lit_len = len;
		err = ltt_parse_conversion(ps, field, before);
		if (err)
			return err;
		before = field;
	}

	if (ps->arg < ps->nr_types) {
		ps->name = NULL;
		ps->column = ps->len + 1;
		return ltt_refuse(ps, "no conversion for this argument, the format has %u",
				  ps->arg);
	}
	if (ps->out) {
		ps->out->tail = text;
		ps->out->tail_len = len;
	}
	return 0;
}

/* Bytes of the payload if every event has the same, else -1. */
static int fixed_size(const struct ltt_format *format)
{
	const struct ltt_field *field;
	unsigned int i;
	int size = 0;

	for (i = 0; i < format->nr_fields; i++) {
		field = &format->fields[i];
		if (field->store == LTT_STORE_INT)
			size += field->size;
		else if (field->store == LTT_STORE_ARRAY)
			size += field->size * field->count;
		else
			return -1;
	}
	return size;
}

/* ---- public interface -------------------------------------------------------- */

/**
 * ltt_format_parse() - parse a marker's format against its argument types
 * @format:	the format, NUL-terminated
 * @types:	type code of each argument, see LTT_TYPE()
 * @nr_types:	number of arguments
 * @error:	receives the reason of a refusal, a line without newline that names
 *		argument and column; empty on success
 *
 * Conversions are those of printk(): d i u x X o c s p %, the flags "-+ #0", width,
 * precision, and the lengths hh h l ll z t j q. A precision of %s bounds what is
 * read from the string. Width and precision from an argument (*), %n and floating
 * point are refused. Of the extensions of %p, those that need no more than the
 * pointer (%pK %px %pS %pSR %ps %pB) record the pointer, and those of a
 * known size (%pI4 %pi4 %pI6 %pI6c %pi6 %pM %pMF %pMR %pm %pmR %pU[bBlL], the IPv4
 * ones with [hnbl]) record the bytes it points to. %pW is a blob: the bytes at
 * the pointer, as many as the integer argument before it says.
 *
 * An integer conversion may show a sequence, element by element, and %c one of
 * bytes as characters. "[N]" right behind the conversion of a sequence makes it an
 * array of N elements. "%s[N]" is a sequence of bytes that is recorded as an array of N, and
 * shown up to the first NUL, if there is one.
 *
 * An integer conversion may be followed by names for its values:
 *
 *	%d{0=idle,1=running,-1=dead}	an enumeration
 *	%x{|1=read|2=write|0x10=sync}	a bit mask
 *
 * Values are decimal or hexadecimal, names are made of letters, digits and "_.+-".
 * An enumeration's value without a name is shown by the conversion alone; the bits
 * of a mask without a name are shown in hexadecimal. A "{" meant as text right
 * behind a conversion is written "{{".
 *
 * A field's name is the last word before its conversion when only other
 * characters than letters, digits and "_" stand between the two ("pid %d", "pid=%d",
 * "addr: 0x%lx"), else "arg" and its number from 1. A name used before gets
 * "_2", "_3" and so on behind it. A newline at the end of the format is dropped.
 *
 * Context: task context; may sleep.
 * Return: the parsed format, to be freed by ltt_format_free(), or ERR_PTR() of
 * -EINVAL (the format is wrong) or -ENOMEM.
 */
struct ltt_format *ltt_format_parse(const char *format, const __u32 *types,
				    unsigned int nr_types,
				    char error[LTT_FORMAT_ERROR])
{
	struct ltt_parser ps = {
		.format = format,
		.len = strnlen(format, LTT_MAX_FORMAT + 1),
		.types = types,
		.nr_types = nr_types,
		.error = error,
	};
	struct ltt_format *out;
	size_t size;
	int err;

	error[0] = '\0';
	if (ps.len > LTT_MAX_FORMAT) {
		snprintf(error, LTT_FORMAT_ERROR, "the format is longer than %u bytes",
			 LTT_MAX_FORMAT);
		return ERR_PTR(-EINVAL);
	}
	if (nr_types > LTT_MAX_ARGS) {
		snprintf(error, LTT_FORMAT_ERROR, "%u arguments, at most %u are supported",
			 nr_types, LTT_MAX_ARGS);
		return ERR_PTR(-EINVAL);
	}
	if (ps.len && format[ps.len - 1] == '\n')
		ps.len--;

	err = parse_pass(&ps);
	if (err)
		return ERR_PTR(err);

	size = struct_size(out, fields, nr_types);
	/* Names are read in words, up to one more than there is. */
	out = kvmalloc(size + ps.syms_used * sizeof(*ps.syms) + ps.text_used + sizeof(u64),
		       GFP_KERNEL);
	if (!out) {
		snprintf(error, LTT_FORMAT_ERROR, "out of memory");
		return ERR_PTR(-ENOMEM);
	}
	out->nr_fields = nr_types;
	ps.out = out;
	ps.syms = (void *)out + size;
	ps.text = (char *)(ps.syms + ps.syms_used);
	memset(ps.text + ps.text_used, 0, sizeof(u64));

	/*
	 * The format may be memory that somebody writes to at this moment; whoever
	 * calls must not allow that. The same input passes again.
	 */
	err = parse_pass(&ps);
	if (err) {
		kvfree(out);
		return ERR_PTR(err);
	}
	out->fixed_size = fixed_size(out);
	return out;
}

/**
 * ltt_format_free() - free a parsed format
 * @format:	what ltt_format_parse() returned, an error or NULL included
 *
 * Context: task context.
 */
void ltt_format_free(struct ltt_format *format)
{
	if (!IS_ERR_OR_NULL(format))
		kvfree(format);
}

/**
 * ltt_field_size() - how many bytes a field of an event occupies
 * @field:	the field
 * @payload:	its first byte
 * @avail:	bytes that may be read there
 * @swap:	the event was written in the other byte order
 * @value:	value of the last integer before the field; receives that of an integer
 *
 * Context: any.
 * Return: bytes, or -EBADMSG if they are more than @avail.
 */
long ltt_field_size(const struct ltt_field *field, const void *payload, size_t avail,
		    bool swap, u64 *value)
{
	const u8 *p = payload;
	bool reversed = field->flags & LTT_FIELD_BE ? !LTT_HOST_BE : swap;
	u64 size = field->size;
	const u8 *end;

	switch (field->store) {
	case LTT_STORE_INT:
		if (size <= avail)
			*value = ltt_load_int(p, size, field->flags & LTT_FIELD_SIGNED,
					      reversed);
		break;
	case LTT_STORE_STR:
		end = memchr(p, '\0', avail);
		if (!end)
			return -EBADMSG;
		size = end + 1 - p;
		break;
	case LTT_STORE_ARRAY:
		size *= field->count;
		break;
	case LTT_STORE_SEQ:
		if (avail < sizeof(u32))
			return -EBADMSG;
		size = size * ltt_load32(p, swap) + sizeof(u32);
		break;
	case LTT_STORE_BLOB:
		/* A negative length is a very long one. */
		if (*value > avail)
			return -EBADMSG;
		size = *value + !(field->flags & LTT_FIELD_STATELESS);
		break;
	default:
		return -EBADMSG;
	}
	return size <= avail ? (long)size : -EBADMSG;
}
EXPORT_SYMBOL_GPL(ltt_field_size);

/**
 * ltt_payload_size() - how many bytes an event's fields occupy
 * @format:	the event's format
 * @payload:	the first byte after the event's header
 * @avail:	bytes that may be read there
 * @swap:	the event was written in the other byte order
 *
 * Context: any.
 * Return: bytes, or -EBADMSG if the fields do not fit into @avail.
 */
long ltt_payload_size(const struct ltt_format *format, const void *payload,
		      size_t avail, bool swap)
{
	const u8 *p = payload;
	unsigned int i;
	u64 value = 0;
	long size;

	if (likely(format->fixed_size >= 0))
		return (size_t)format->fixed_size <= avail ? format->fixed_size :
							     -EBADMSG;

	for (i = 0; i < format->nr_fields; i++) {
		size = ltt_field_size(&format->fields[i], p, avail, swap, &value);
		if (size < 0)
			return size;
		p += size;
		avail -= size;
	}
	return p - (const u8 *)payload;
}
EXPORT_SYMBOL_GPL(ltt_payload_size);
