// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: types of BTF: what their values are, their members and their parameters.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "btf.h"

/* Without typedefs and qualifiers; NULL if they form a cycle. */
static const struct btf_type *resolve(const struct ltt_btf *btf, u32 *id)
{
	const struct btf_type *type;
	unsigned int depth;

	for (depth = 0; depth < LTT_BTF_DEPTH; depth++) {
		type = ltt_btf_type(btf, *id);
		if (!type)
			return NULL;
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			*id = type->type;
			break;
		default:
			return type;
		}
	}
	return NULL;
}

static bool int_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void int_value(const struct ltt_btf *btf, const struct btf_type *type,
		      struct ltt_btf_value *value)
{
	u32 info = *(const u32 *)ltt_btf_list(type), bits = BTF_INT_BITS(info);

	value->size = type->size;
	/* Integers of 16 bytes are none of ours. */
	value->kind = int_size(type->size) && bits ? LTT_BTF_INT : LTT_BTF_OTHER;
	value->is_signed = BTF_INT_ENCODING(info) & BTF_INT_SIGNED;
	value->is_char = type->size == 1 && !strcmp(ltt_btf_name(btf, type->name_off), "char");
	if (bits == type->size * 8)
		return;
	value->bits = bits;
	value->shift = BTF_INT_OFFSET(info);
	if (value->bits + value->shift > type->size * 8)
		value->kind = LTT_BTF_OTHER;
}

/*
 * Not everybody who writes BTF says so of an enumeration; and of one without negative
 * numbers, 0xffff0000 looks like one, too.
 */
static bool has_negative(const struct ltt_btf *btf, const struct btf_type *type)
{
	const struct btf_enum *value = ltt_btf_list(type);
	u32 i;

	if (btf->tells_signs || BTF_INFO_KIND(type->info) != BTF_KIND_ENUM)
		return false;
	for (i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		if (value[i].val < 0)
			return true;
	}
	return false;
}

/**
 * ltt_btf_value() - what are the values of a type?
 * @btf:	the types
 * @id:		the type's number
 * @value:	receives the answer
 *
 * Context: any.
 * Return: 0; -EBADMSG: there is no such type, or it has no end.
 */
int ltt_btf_value(const struct ltt_btf *btf, u32 id, struct ltt_btf_value *value)
{
	const struct btf_type *type = resolve(btf, &id);
	const struct btf_array *array;

	if (!type)
		return -EBADMSG;
	*value = (struct ltt_btf_value) { .kind = LTT_BTF_OTHER, .id = id };
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_UNKN:
		value->kind = LTT_BTF_VOID;
		break;
	case BTF_KIND_INT:
		int_value(btf, type, value);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		value->size = type->size;
		value->is_signed = BTF_INFO_KFLAG(type->info) || has_negative(btf, type);
		if (int_size(type->size))
			value->kind = LTT_BTF_INT;
		break;
	case BTF_KIND_PTR:
		value->kind = LTT_BTF_PTR;
		value->size = sizeof(void *);
		value->target = type->type;
		break;
	case BTF_KIND_ARRAY:
		array = ltt_btf_list(type);
		value->kind = LTT_BTF_ARRAY;
		value->target = array->type;
		value->count = array->nelems;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		value->kind = LTT_BTF_STRUCT;
		value->size = type->size;
		break;
	}
	return 0;
}

/**
 * ltt_btf_is_word() - could a structure be an integer?
 * @value:	what is known of it
 *
 * Such a one is passed to functions as the integer is, where LTT runs.
 *
 * Context: any.
 */
bool ltt_btf_is_word(const struct ltt_btf_value *value)
{
	return value->kind == LTT_BTF_STRUCT && int_size(value->size);
}

/* Is that the name? Names of members are unique where C is. */
static bool is_called(const struct ltt_btf *btf, u32 name_off, const char *name, size_t len)
{
	const char *found = ltt_btf_name(btf, name_off);

	return !strncmp(found, name, len) && !found[len];
}

static void found_member(const struct ltt_btf *btf, const struct btf_member *member,
			 u32 offset, u32 bits, struct ltt_btf_member *found)
{
	struct ltt_btf_value value;

	*found = (struct ltt_btf_member) {
		.type = member->type, .offset = offset, .bits = bits,
	};
	/* Bit-fields as they were once written. */
	if (!bits && !ltt_btf_value(btf, member->type, &value) && value.bits) {
		found->offset += value.shift;
		found->bits = value.bits;
	}
}

static int find_member(const struct ltt_btf *btf, u32 id, const char *name, size_t len,
		       struct ltt_btf_member *found, unsigned int depth, u32 *left)
{
	const struct btf_type *type = resolve(btf, &id);
	const struct btf_member *member;
	u32 i, kind, offset, bits;
	int err;

	if (!type || depth == LTT_BTF_NESTED)
		return -EBADMSG;
	kind = BTF_INFO_KIND(type->info);
	if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION)
		return depth ? -ENOENT : -EINVAL;
	member = ltt_btf_list(type);
	for (i = 0; i < BTF_INFO_VLEN(type->info); i++, member++) {
		if (!(*left)--)
			return -EBADMSG;
		offset = member->offset;
		bits = 0;
		if (BTF_INFO_KFLAG(type->info)) {
			bits = BTF_MEMBER_BITFIELD_SIZE(offset);
			offset = BTF_MEMBER_BIT_OFFSET(offset);
		}
		if (is_called(btf, member->name_off, name, len)) {
			found_member(btf, member, offset, bits, found);
			return 0;
		}
		if (*ltt_btf_name(btf, member->name_off))
			continue;
		/* Members of a member without a name are ours. */
		err = find_member(btf, member->type, name, len, found, depth + 1, left);
		if (!err)
			found->offset += offset;
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

/**
 * ltt_btf_member() - find a member by name
 * @btf:	the types
 * @id:		number of a type, behind typedefs and qualifiers a structure or a union
 * @name:	the name, not terminated
 * @len:	characters of @name, at least one
 * @member:	receives the member
 *
 * Members of unnamed members are found, too.
 *
 * Context: any.
 * Return: 0; -ENOENT: there is none; -EINVAL: the type has no members; -EBADMSG:
 * nonsense in the types.
 */
int ltt_btf_member(const struct ltt_btf *btf, u32 id, const char *name, size_t len,
		   struct ltt_btf_member *member)
{
	u32 left = LTT_BTF_SEARCH;

	return find_member(btf, id, name, len, member, 0, &left);
}

/**
 * ltt_btf_params() - the parameters of a function
 * @btf:	the types
 * @id:		number of a function, of its prototype, or of a pointer to that
 * @nr:		receives how many there are
 *
 * Context: any.
 * Return: the parameters; NULL if it is not a function.
 */
const struct btf_param *ltt_btf_params(const struct ltt_btf *btf, u32 id, unsigned int *nr)
{
	const struct btf_type *type = resolve(btf, &id);

	if (type && (BTF_INFO_KIND(type->info) == BTF_KIND_PTR ||
		     BTF_INFO_KIND(type->info) == BTF_KIND_FUNC)) {
		id = type->type;
		type = resolve(btf, &id);
	}
	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_FUNC_PROTO)
		return NULL;
	*nr = BTF_INFO_VLEN(type->info);
	return ltt_btf_list(type);
}
