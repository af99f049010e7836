/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the kernel's description of its own types (BTF), read.
 *
 * The kernel verifies BTF when it is loaded, but has no reader for modules. This one
 * trusts nobody: ltt_btf_open() looks at every type once, and after that no name, no
 * type number and no list in it leads out of the data. What types say of each other
 * can still be nonsense, and is looked at where it is used.
 *
 * btf.c and members.c are also built in user space, for the tests.
 */
#ifndef _LTT_BTF_BTF_H
#define _LTT_BTF_BTF_H

#include <linux/btf.h>
#include <linux/types.h>

#define LTT_BTF_DEPTH	32u	/* typedefs and qualifiers of a type */
#define LTT_BTF_NESTED	8u	/* structures without a name in each other */
#define LTT_BTF_SEARCH	65536u	/* members to look at for one of them */

/**
 * struct ltt_btf - types and their names
 * @base:	the kernel's if these are a module's, whose numbers and names go on where
 *		those end; else NULL
 * @types:	the section of types
 * @strings:	the section of names
 * @nr_strings:	bytes there
 * @first_string: of the names of @base
 * @first_id:	number of the first type
 * @nr_types:	how many there are
 * @offset:	where each is in @types
 * @tells_signs: who wrote it marks enumerations with negative numbers
 */
struct ltt_btf {
	const struct ltt_btf *base;
	const u8 *types;
	const char *strings;
	u32 nr_strings;
	u32 first_string;
	u32 first_id;
	u32 nr_types;
	u32 *offset;
	bool tells_signs;
};

/**
 * struct ltt_btf_member - a member of a structure or a union
 * @type:	its type's number
 * @offset:	bits, from the beginning of what was searched
 * @bits:	of a bit-field, else 0
 */
struct ltt_btf_member {
	u32 type;
	u64 offset;
	u32 bits;
};

/* What values of a type are, when typedefs and qualifiers are left out. */
enum ltt_btf_kind {
	LTT_BTF_VOID,
	LTT_BTF_INT,		/* a bool, an enumeration too */
	LTT_BTF_PTR,
	LTT_BTF_ARRAY,
	LTT_BTF_STRUCT,		/* a union too */
	LTT_BTF_OTHER,		/* functions, floating point, what is only declared */
};

/**
 * struct ltt_btf_value - what is known of the values of a type
 * @kind:	enum ltt_btf_kind
 * @is_signed:	an integer as two's complement
 * @is_char:	an integer called char
 * @size:	bytes
 * @bits:	of an integer of a bit-field's type, as old compilers wrote it; else 0
 * @shift:	where these begin
 * @id:		the type's number
 * @target:	what a pointer points to, what an array is made of
 * @count:	elements of an array
 */
struct ltt_btf_value {
	enum ltt_btf_kind kind;
	bool is_signed;
	bool is_char;
	u32 size;
	u32 bits;
	u32 shift;
	u32 id;
	u32 target;
	u32 count;
};

/* btf.c */
int ltt_btf_open(struct ltt_btf *btf, const void *data, size_t size,
		 const struct ltt_btf *base);
void ltt_btf_close(struct ltt_btf *btf);
u32 ltt_btf_end(const struct ltt_btf *btf);
const struct btf_type *ltt_btf_type(const struct ltt_btf *btf, u32 id);
const char *ltt_btf_name(const struct ltt_btf *btf, u32 name);

/* members.c */
int ltt_btf_value(const struct ltt_btf *btf, u32 id, struct ltt_btf_value *value);
bool ltt_btf_is_word(const struct ltt_btf_value *value);
int ltt_btf_member(const struct ltt_btf *btf, u32 id, const char *name, size_t len,
		   struct ltt_btf_member *member);
const struct btf_param *ltt_btf_params(const struct ltt_btf *btf, u32 id, unsigned int *nr);

/* What follows a type: members, parameters, ... */
static inline const void *ltt_btf_list(const struct btf_type *type)
{
	return type + 1;
}

#endif /* _LTT_BTF_BTF_H */
