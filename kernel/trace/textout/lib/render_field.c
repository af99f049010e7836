// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: one field as text, of any type and with all that a conversion can ask for.
 *
 * The general way; render.c has short cuts for what is common.
 *
 * Conventions in this file: functions put text at out->pos and move it; they return
 * 0 or -ENOSPC, and out->pos means nothing after an error.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ltt/escape.h>
#include <linux/ltt/unaligned.h>
#include <linux/string.h>

#include "render_private.h"

static int put_char(struct ltt_textbuf *out, char c)
{
	if (out->pos == out->end)
		return -ENOSPC;
	*out->pos++ = c;
	return 0;
}

/**
 * ltt_render_escaped() - show untrusted text
 * @out:	where to put it
 * @text:	the text, not necessarily terminated
 * @len:	its bytes, all of which are shown
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then out->pos means nothing.
 */
int ltt_render_escaped(struct ltt_textbuf *out, const u8 *text, size_t len)
{
	const u8 *end = text + len;
	unsigned int used;

	while (text < end) {
		if (ltt_is_plain(*text)) {
			if (put_char(out, *text++))
				return -ENOSPC;
			continue;
		}
		if (ltt_textbuf_room(out) < LTT_ESCAPE_MAX)
			return -ENOSPC;
		out->pos += ltt_escape_char(out->pos, text, end - text, &used);
		text += used;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_render_escaped);

/**
 * ltt_render_quoted() - put the text that was put last into quotes
 * @out:	where it ends
 * @start:	one byte before it, for the first quote
 *
 * Quotes in the text get a backslash before them.
 *
 * Context: any.
 * Return: 0, or -ENOSPC; then out->pos means nothing.
 */
int ltt_render_quoted(struct ltt_textbuf *out, char *start)
{
	char *from, *to;
	size_t more = 1;

	for (from = start + 1; from < out->pos; from++)
		more += *from == '"';
	if (ltt_textbuf_room(out) < more)
		return -ENOSPC;
	to = out->pos + more;
	*--to = '"';
	for (from = out->pos; from > start + 1;) {
		*--to = *--from;
		if (*to == '"')
			*--to = '\\';
	}
	*start = '"';
	out->pos += more;
	return 0;
}

/* Bring what was put from @start on to the field's width. */
static int pad(struct ltt_textbuf *out, const struct ltt_field *field, char *start)
{
	size_t len = out->pos - start, blanks;

	if (field->width <= len)
		return 0;
	blanks = field->width - len;
	if (ltt_textbuf_room(out) < blanks)
		return -ENOSPC;
	if (field->flags & LTT_FIELD_LEFT) {
		memset(out->pos, ' ', blanks);
	} else {
		memmove(start + blanks, start, len);
		memset(start, ' ', blanks);
	}
	out->pos += blanks;
	return 0;
}

/* As C does when an integer becomes an argument of the conversion's type. */
static u64 convert(const struct ltt_field *field, u64 value)
{
	unsigned int shift = 64 - 8 * field->show_size;

	if (field->flags & LTT_FIELD_SHOW_SIGNED)
		return (s64)(value << shift) >> shift;
	return value << shift >> shift;
}

static int put_number(struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	static const u8 bases[] = {
		[LTT_SHOW_DEC] = 10, [LTT_SHOW_HEX] = 16, [LTT_SHOW_OCT] = 8,
	};
	char *pos = ltt_put_number(out->pos, out->end, value, bases[field->show],
				   field->flags, field->width, field->prec);

	if (!pos)
		return -ENOSPC;
	out->pos = pos;
	return 0;
}

/* Where @value is in a table that is sorted; its number of entries if it is not. */
static unsigned int find_sorted(const struct ltt_field *field, s64 value)
{
	unsigned int low = 0, high = field->nr_syms, i;

	while (low < high) {
		i = (low + high) / 2;
		if (field->syms[i].value == value)
			return i;
		if (field->syms[i].value < value)
			low = i + 1;
		else
			high = i;
	}
	return field->nr_syms;
}

static int put_enum(struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	unsigned int shift = 64 - 8 * field->show_size, i;
	const struct ltt_sym *syms = field->syms;
	u64 guess = value - (u64)syms[0].value;
	char *start = out->pos;

	/* Many enumerations have no holes. */
	if (guess < field->nr_dense) {
		i = guess;
	} else if (field->flags & LTT_FIELD_SORTED) {
		i = find_sorted(field, value);
	} else {
		for (i = 0; i < field->nr_syms; i++)
			if (!((value ^ (u64)syms[i].value) << shift))
				break;
	}
	if (i == field->nr_syms)
		return put_number(out, field, value);
	if (ltt_render_text(out, syms[i].name))
		return -ENOSPC;
	return pad(out, field, start);
}

/* The first name with the value in its range, which may go on from the largest value at 0. */
static int put_range(struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	const struct ltt_sym *low = field->syms, *end = low + field->nr_syms;

	for (; low < end; low += 2) {
		if (value - low[0].value <= (u64)low[1].value - low[0].value)
			return ltt_render_text(out, low->name);
	}
	return put_number(out, field, value);
}

static int put_flags(struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	u64 mask = ~0ull >> (64 - 8 * field->show_size), rest = value & mask;
	char *start = out->pos;
	unsigned int i;

	for (i = 0; i < field->nr_syms; i++) {
		u64 bits = (u64)field->syms[i].value & mask;

		/* The name of 0 stands for the whole value only. */
		if (bits ? (rest & bits) != bits : value & mask || out->pos > start)
			continue;
		if ((out->pos > start && put_char(out, '|')) ||
		    ltt_render_text(out, field->syms[i].name))
			return -ENOSPC;
		rest &= ~bits;
	}
	if (rest) {
		if (ltt_textbuf_room(out) < 3 + 16)
			return -ENOSPC;
		if (out->pos > start)
			*out->pos++ = '|';
		*out->pos++ = '0';
		*out->pos++ = 'x';
		out->pos = ltt_put_hex(out->pos, rest);
	} else if (out->pos == start && put_char(out, '0')) {
		return -ENOSPC;
	}
	return pad(out, field, start);
}

static int put_address(struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	size_t room = ltt_textbuf_room(out), i;
	int len = ltt_render_address(out, field, value);

	if (len < 0 || (size_t)len >= room)
		return -ENOSPC;
	/* Names of symbols come from files that nobody checked for such things. */
	for (i = 0; i < (size_t)len; i++)
		if (!ltt_is_plain(out->pos[i]))
			out->pos[i] = '?';
	out->pos += len;
	return 0;
}

static int put_int(struct ltt_textbuf *out, const struct ltt_field *field, u64 value)
{
	char *start = out->pos;
	u8 c = value;

	switch (field->show) {
	case LTT_SHOW_DEC:
	case LTT_SHOW_HEX:
	case LTT_SHOW_OCT:
		value = convert(field, value);
		if (field->flags & LTT_FIELD_SYMS)
			return put_enum(out, field, value);
		if (field->flags & LTT_FIELD_FLAGS)
			return put_flags(out, field, value);
		if (field->flags & LTT_FIELD_RANGES)
			return put_range(out, field, value);
		return put_number(out, field, value);
	case LTT_SHOW_CHAR:
		if (ltt_render_escaped(out, &c, 1))
			return -ENOSPC;
		return pad(out, field, start);
	default:
		return put_address(out, field, value);
	}
}

/* Is an integer shown by its digits and nothing else? */
static bool is_bare(const struct ltt_field *field)
{
	const unsigned int elaborate = LTT_FIELD_UPPER | LTT_FIELD_PLUS | LTT_FIELD_SPACE |
		LTT_FIELD_ALT | LTT_FIELD_SYMS | LTT_FIELD_FLAGS | LTT_FIELD_RANGES |
		LTT_FIELD_PREC;

	return (field->show == LTT_SHOW_DEC || field->show == LTT_SHOW_HEX) && !field->width &&
	       !(field->flags & elaborate);
}

/* As put_elements(), of one that is_bare() at least, with room for all numbers and commas. */
static void put_bare_elements(struct ltt_textbuf *out, const struct ltt_field *field,
			      const u8 *p, size_t count, bool swap)
{
	char *pos = out->pos;
	u64 value;

	*pos++ = '[';
	for (; count; count--, p += field->size) {
		value = convert(field, ltt_load_int(p, field->size,
						    field->flags & LTT_FIELD_SIGNED, swap));
		if (field->flags & LTT_FIELD_SHOW_SIGNED && (s64)value < 0) {
			*pos++ = '-';
			value = -value;
		}
		pos = field->show == LTT_SHOW_HEX ? ltt_put_hex(pos, value) :
						    ltt_put_dec(pos, value);
		*pos++ = ',';
	}
	pos[-1] = ']';
	out->pos = pos;
}

static int put_elements(struct ltt_textbuf *out, const struct ltt_field *field,
			const u8 *p, size_t count, bool swap)
{
	size_t i;

	if (is_bare(field) && count && ltt_textbuf_room(out) / (LTT_NUMBER_ROOM + 2) >= count) {
		put_bare_elements(out, field, p, count, swap);
		return 0;
	}
	if (put_char(out, '['))
		return -ENOSPC;
	for (i = 0; i < count; i++, p += field->size)
		if ((i && put_char(out, ',')) ||
		    put_int(out, field,
			    ltt_load_int(p, field->size,
					 field->flags & LTT_FIELD_SIGNED, swap)))
			return -ENOSPC;
	return put_char(out, ']');
}

/**
 * ltt_render_hex() - show bytes as hexadecimal digits
 * @out:	where to put it
 * @p:		the bytes
 * @count:	how many
 *
 * Context: any.
 * Return: 0 or -ENOSPC.
 */
int ltt_render_hex(struct ltt_textbuf *out, const u8 *p, size_t count)
{
	if (ltt_textbuf_room(out) / 2 < count)
		return -ENOSPC;
	while (count--)
		out->pos = ltt_put_hex2(out->pos, *p++);
	return 0;
}

/* @count elements of field->size bytes; @swap says how integers are stored. */
static int put_bytes(struct ltt_textbuf *out, const struct ltt_field *field,
		     const u8 *p, size_t count, bool swap)
{
	char *start = out->pos;

	switch (field->show) {
	case LTT_SHOW_CHAR:
	case LTT_SHOW_STR:
		if (ltt_render_escaped(out, p, ltt_text_length(field, p, count)))
			return -ENOSPC;
		return pad(out, field, start);
	case LTT_SHOW_BLOB:
		if (ltt_render_hex(out, p, count))
			return -ENOSPC;
		return pad(out, field, start);
	case LTT_SHOW_IP4:
	case LTT_SHOW_IP6:
	case LTT_SHOW_MAC:
	case LTT_SHOW_UUID:
		break;
	default:
		return put_elements(out, field, p, count, swap);
	}

	if (ltt_textbuf_room(out) < LTT_NET_TEXT)
		return -ENOSPC;
	switch (field->show) {
	case LTT_SHOW_IP4:
		out->pos = ltt_put_ip4(out->pos, p, field->variant, swap);
		break;
	case LTT_SHOW_IP6:
		out->pos = ltt_put_ip6(out->pos, p, field->variant);
		break;
	case LTT_SHOW_MAC:
		out->pos = ltt_put_mac(out->pos, p, field->variant);
		break;
	default:
		out->pos = ltt_put_uuid(out->pos, p, field->variant);
		break;
	}
	return pad(out, field, start);
}

/* In place of a blob that could not be read. */
static int put_no_blob(struct ltt_textbuf *out, const struct ltt_field *field, u8 state)
{
	const char *text = ltt_blob_text(state);
	char *start = out->pos;

	if (ltt_render_escaped(out, (const u8 *)text, strlen(text)))
		return -ENOSPC;
	return pad(out, field, start);
}

static long render_string(struct ltt_textbuf *out, const struct ltt_field *field,
			  const u8 *p, size_t avail)
{
	const u8 *nul = memchr(p, '\0', avail);
	char *start = out->pos;

	if (!nul)
		return -EBADMSG;
	if (ltt_render_escaped(out, p, ltt_text_length(field, p, nul - p)) ||
	    pad(out, field, start))
		return -ENOSPC;
	return nul + 1 - p;
}

/**
 * ltt_render_field() - show one field
 * @out:	where to put it
 * @field:	the field
 * @p:		its first byte in the payload
 * @avail:	bytes that may be read there
 * @swap:	the event was written in the other byte order
 *
 * All fields of an event have to be shown, in their order: the one before a blob
 * tells the blob's length.
 *
 * Context: any; for pointers, that of ltt_render_address().
 * Return: bytes of the payload, -EBADMSG if the field does not fit into @avail,
 * or -ENOSPC if the text does not fit; after an error, out->pos means nothing.
 */
long ltt_render_field(struct ltt_textbuf *out, const struct ltt_field *field,
		      const u8 *p, size_t avail, bool swap)
{
	bool reversed = field->flags & LTT_FIELD_BE ? !LTT_HOST_BE : swap;
	u64 count = field->count, header = 0, size;
	int err;

	switch (field->store) {
	case LTT_STORE_STR:
		return render_string(out, field, p, avail);
	case LTT_STORE_INT:
		if (field->size > avail)
			return -EBADMSG;
		out->value = ltt_load_int(p, field->size,
					  field->flags & LTT_FIELD_SIGNED, reversed);
		err = put_int(out, field, out->value);
		return err ?: field->size;
	case LTT_STORE_SEQ:
		header = sizeof(u32);
		if (header > avail)
			return -EBADMSG;
		count = ltt_load32(p, swap);
		break;
	case LTT_STORE_BLOB:
		header = !(field->flags & LTT_FIELD_STATELESS);
		if (header > avail)
			return -EBADMSG;
		count = out->value;
		break;
	}

	/* A blob's length can be any number; its elements are bytes. */
	size = header + count * field->size;
	if (count > avail || size > avail)
		return -EBADMSG;
	if (field->store == LTT_STORE_BLOB && header && *p != LTT_BLOB_READ)
		err = put_no_blob(out, field, *p);
	else
		err = put_bytes(out, field, p + header, count, reversed);
	return err ?: (long)size;
}
EXPORT_SYMBOL_GPL(ltt_render_field);

/**
 * ltt_render_unpadded() - show one field as short as it can be
 * @out:	where to put it
 * @field:	the field; widths, blanks, zeros and plus signs that it asks for are left out
 * @p:		as for ltt_render_field()
 * @avail:	as for ltt_render_field()
 * @swap:	as for ltt_render_field()
 *
 * Context: as for ltt_render_field().
 * Return: as ltt_render_field().
 */
long ltt_render_unpadded(struct ltt_textbuf *out, const struct ltt_field *field,
			 const u8 *p, size_t avail, bool swap)
{
	struct ltt_field bare = *field;

	bare.width = 0;
	bare.flags &= ~LTT_FIELD_PADDING;
	return ltt_render_field(out, &bare, p, avail, swap);
}

/**
 * ltt_render_field_quoted() - show one field in quotes, without padding
 * @out:	where to put it
 * @field:	the field
 * @p:		as for ltt_render_field()
 * @avail:	as for ltt_render_field()
 * @swap:	as for ltt_render_field()
 *
 * Context: as for ltt_render_field().
 * Return: as ltt_render_field().
 */
long ltt_render_field_quoted(struct ltt_textbuf *out, const struct ltt_field *field,
			     const u8 *p, size_t avail, bool swap)
{
	char *start = out->pos;
	long size;

	if (ltt_render_text(out, "\""))
		return -ENOSPC;
	size = ltt_render_unpadded(out, field, p, avail, swap);
	if (size < 0)
		return size;
	return ltt_render_quoted(out, start) ?: size;
}
