/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a marker's format, parsed once into typed, named fields.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#ifndef _LINUX_LTT_FORMAT_H
#define _LINUX_LTT_FORMAT_H

#include <linux/ltt/types.h>

/* How a field is stored in the event, in the order of the arguments. */
enum ltt_store {
	LTT_STORE_INT,		/* size bytes */
	LTT_STORE_STR,		/* bytes and a NUL */
	LTT_STORE_ARRAY,	/* count elements of size bytes */
	LTT_STORE_SEQ,		/* __u32 count, then count elements */
	LTT_STORE_BLOB,		/* enum ltt_blob, one byte, then bytes; the INT field
				 * before it says how many
				 */
};

/* How a field is shown in text. */
enum ltt_show {
	LTT_SHOW_DEC,		/* %d %i %u */
	LTT_SHOW_HEX,		/* %x %X */
	LTT_SHOW_OCT,		/* %o */
	LTT_SHOW_CHAR,		/* %c */
	LTT_SHOW_STR,		/* %s; %s[N] of an array: up to the first NUL */
	LTT_SHOW_PTR,		/* %p %pK: as printk shows it */
	LTT_SHOW_PTR_RAW,	/* %px: raw where kptr_restrict allows, else as %p */
	LTT_SHOW_SYM,		/* %pS %ps %pB %pSR: symbol of an address */
	LTT_SHOW_IP4,		/* %pI4 %pi4, stored as 4 bytes */
	LTT_SHOW_IP6,		/* %pI6 %pI6c %pi6, stored as 16 bytes */
	LTT_SHOW_MAC,		/* %pM %pMF %pm, stored as 6 bytes */
	LTT_SHOW_UUID,		/* %pU[bBlL], stored as 16 bytes */
	LTT_SHOW_BLOB,		/* %pW: two hexadecimal digits a byte */
	LTT_SHOW_FLOAT,		/* of no marker, only in traces of others: IEEE 754 */
};

/* Flags of struct ltt_field. */
#define LTT_FIELD_SIGNED	0x0001u	/* stored as two's complement */
#define LTT_FIELD_BE		0x0002u	/* stored most significant byte first */
#define LTT_FIELD_SHOW_SIGNED	0x0004u	/* %d: show as signed */
#define LTT_FIELD_UPPER		0x0008u	/* %X */
#define LTT_FIELD_LEFT		0x0010u	/* - */
#define LTT_FIELD_ZERO		0x0020u	/* 0 */
#define LTT_FIELD_PLUS		0x0040u	/* + */
#define LTT_FIELD_SPACE		0x0080u	/* blank */
#define LTT_FIELD_ALT		0x0100u	/* # */
#define LTT_FIELD_SYMS		0x0200u	/* enumeration: one name a value */
#define LTT_FIELD_FLAGS		0x0400u	/* bit mask: names joined by | */
#define LTT_FIELD_PREC		0x0800u	/* precision given */
#define LTT_FIELD_SORTED	0x1000u	/* enumeration of 8 bytes, values ascend */
#define LTT_FIELD_STATELESS	0x2000u	/* a blob without its enum ltt_blob, by LTT 0.1 */
#define LTT_FIELD_RANGES	0x4000u	/* an enumeration, of others: each name is there twice,
					 * of its first and of its last value
					 */

/* What only changes the length of the text. */
#define LTT_FIELD_PADDING \
	(LTT_FIELD_LEFT | LTT_FIELD_ZERO | LTT_FIELD_PLUS | LTT_FIELD_SPACE)

/* A name of an enumeration value or of a bit mask. */
struct ltt_sym {
	__s64 value;
	const char *name;
};

/**
 * enum ltt_blob - how a blob was recorded
 * @LTT_BLOB_READ:	its bytes follow
 * @LTT_BLOB_NULL:	there was no memory to be read; zeros follow
 * @LTT_BLOB_FAULT:	the memory could not be read; zeros follow
 */
enum ltt_blob {
	LTT_BLOB_READ,
	LTT_BLOB_NULL,
	LTT_BLOB_FAULT,
};

/* The text for a blob that is not LTT_BLOB_READ; the same as for strings. */
static inline const char *ltt_blob_text(__u8 state)
{
	return state == LTT_BLOB_NULL ? "(null)" : "(fault)";
}

/**
 * struct ltt_field - one argument of a marker
 * @name:	name, unique among the fields of the event
 * @lit:	literal text before the field as text output shows it: %% and {{
 *		reduced, control characters escaped; not terminated
 * @lit_len:	bytes of @lit
 * @store:	enum ltt_store
 * @show:	enum ltt_show
 * @size:	stored size in bytes, of one element for ARRAY and SEQ;
 *		0 for STR, 1 for BLOB
 * @show_size:	size in bytes of the conversion's C type: the value is converted
 *		to it, as C does, before it is shown
 * @flags:	LTT_FIELD_*
 * @count:	elements of ARRAY
 * @width:	minimum width, 0 if none
 * @prec:	precision; for %s the most bytes ever read from the string
 * @variant:	the letters after %p ("", "K", "SR", "I4h", "i6", "I6c", "mR",
 *		"Ub", ...), terminated
 * @nr_syms:	entries of @syms
 * @nr_dense:	the first of these, with values that go up by one: no other before them has the
 *		same one
 * @syms:	names, in the order in which they were written
 */
struct ltt_field {
	const char *name;
	const char *lit;
	__u16 lit_len;
	__u8 store;
	__u8 show;
	__u8 size;
	__u8 show_size;
	__u16 flags;
	__u16 count;
	__u16 width;
	__u16 prec;
	char variant[4];
	__u16 nr_syms;
	__u16 nr_dense;
	const struct ltt_sym *syms;
};

/**
 * struct ltt_format - a parsed format
 * @nr_fields:	entries of @fields
 * @fixed_size:	bytes of the whole payload if every event has the same, else -1
 * @tail:	literal text after the last field as text output shows it, without
 *		the newline that may end the format; not terminated
 * @tail_len:	bytes of @tail
 * @fields:	the fields, in the order of the arguments
 *
 * One allocation holds all of it, names and literals included; nothing points
 * into the strings it was made from.
 */
struct ltt_format {
	unsigned int nr_fields;
	int fixed_size;
	const char *tail;
	unsigned int tail_len;
	struct ltt_field fields[];
};

static inline bool ltt_field_is_number(const struct ltt_field *field)
{
	return field->show <= LTT_SHOW_OCT;
}

/*
 * Is the field a signed integer, or its elements, for those who are told the type of what is in
 * the buffer? As it is shown, if that only changes the meaning of the bits; not if it is
 * converted to another size.
 */
static inline bool ltt_field_is_signed(const struct ltt_field *field)
{
	if (ltt_field_is_number(field) && field->size == field->show_size)
		return field->flags & LTT_FIELD_SHOW_SIGNED;
	return field->flags & LTT_FIELD_SIGNED;
}

/* Is the field the length of the blob after it? */
static inline bool ltt_field_is_length(const struct ltt_format *format, unsigned int nr)
{
	return nr + 1 < format->nr_fields && format->fields[nr + 1].store == LTT_STORE_BLOB;
}

/* Set @nr_dense when all names of an enumeration are known. */
static inline void ltt_field_count_dense(struct ltt_field *field)
{
	/* After 256 values, those of a byte come again. */
	unsigned int nr = 0, most = field->show_size == 1 && field->nr_syms > 256 ?
				    256 : field->nr_syms;

	while (nr < most && (__u64)field->syms[nr].value == (__u64)field->syms[0].value + nr)
		nr++;
	field->nr_dense = nr;
}

/* Longest format, in bytes without its NUL. */
#define LTT_MAX_FORMAT		4096

/* Largest width and precision. */
#define LTT_MAX_WIDTH		4096

/* Most elements of an array (%u[N]). */
#define LTT_MAX_COUNT		4096

/* Room for any message of ltt_format_parse(), NUL included. */
#define LTT_FORMAT_ERROR	160

struct ltt_format *ltt_format_parse(const char *format, const __u32 *types,
				    unsigned int nr_types,
				    char error[LTT_FORMAT_ERROR]);
void ltt_format_free(struct ltt_format *format);
long ltt_field_size(const struct ltt_field *field, const void *payload, size_t avail,
		    bool swap, __u64 *value);
long ltt_payload_size(const struct ltt_format *format,
		      const void *payload, size_t avail, bool swap);

#endif /* _LINUX_LTT_FORMAT_H */
