// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: BTF is opened: is it what it says it is, and where is each type?
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "btf.h"

/* Id 0, which is nowhere in the data. */
static const struct btf_type void_type;

/* What every header has; newer ones have more fields, which we do not need. */
#define HEADER_SIZE	(offsetof(struct btf_header, str_len) + sizeof(u32))

static int check_header(const struct btf_header *header, size_t size, bool base)
{
	size_t rest;

	if (size < HEADER_SIZE || header->magic != BTF_MAGIC ||
	    header->version != BTF_VERSION || header->hdr_len < HEADER_SIZE ||
	    header->hdr_len > size || header->hdr_len % sizeof(u32))
		return -EBADMSG;
	rest = size - header->hdr_len;
	if (header->type_off % sizeof(u32) || header->type_off > rest ||
	    header->type_len > rest - header->type_off || header->str_off > rest ||
	    header->str_len > rest - header->str_off)
		return -EBADMSG;
	/* Only a module can do without names of its own. */
	if (!header->str_len && !base)
		return -EBADMSG;
	return 0;
}

/* Bytes of the list after a type of this kind; negative if there is none. */
static long list_size(const struct btf_type *type)
{
	u32 nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return nr * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return nr * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return nr * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return nr * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

/*
 * Where the types are, into @offset if that is not NULL.
 * Return: how many there are, or -EBADMSG if one of them is not wholly there.
 */
static long find_types(const u8 *types, size_t size, u32 *offset)
{
	size_t at = 0, rest;
	long nr = 0, list;

	while (at < size) {
		rest = size - at;
		if (rest < sizeof(struct btf_type) || nr == BTF_MAX_TYPE)
			return -EBADMSG;
		rest -= sizeof(struct btf_type);
		list = list_size((const struct btf_type *)(types + at));
		if (list < 0 || (size_t)list > rest)
			return -EBADMSG;
		if (offset)
			offset[nr] = at;
		nr++;
		at += sizeof(struct btf_type) + list;
	}
	return nr;
}

/**
 * ltt_btf_end() - the first number that no type has
 * @btf:	the types
 *
 * Context: any.
 */
u32 ltt_btf_end(const struct ltt_btf *btf)
{
	return btf->first_id + btf->nr_types;
}

/**
 * ltt_btf_type() - a type by its number
 * @btf:	the types
 * @id:		the number
 *
 * Context: any.
 * Return: the type, followed by its list; NULL if there is none of this number.
 * 0 is void.
 */
const struct btf_type *ltt_btf_type(const struct ltt_btf *btf, u32 id)
{
	if (!id)
		return &void_type;
	if (id < btf->first_id)
		return btf->base ? ltt_btf_type(btf->base, id) : NULL;
	if (id >= ltt_btf_end(btf))
		return NULL;
	return (const struct btf_type *)(btf->types + btf->offset[id - btf->first_id]);
}

/**
 * ltt_btf_name() - a name by its place
 * @btf:	the types
 * @name:	the place
 *
 * Context: any.
 * Return: the name, empty if there is none; NULL if it is outside of the names.
 */
const char *ltt_btf_name(const struct ltt_btf *btf, u32 name)
{
	if (name < btf->first_string)
		return ltt_btf_name(btf->base, name);
	name -= btf->first_string;
	return name < btf->nr_strings ? btf->strings + name : NULL;
}

static bool good_refs(const struct ltt_btf *btf, u32 name, u32 id)
{
	return ltt_btf_name(btf, name) && ltt_btf_type(btf, id);
}

/* Does @type say nothing about what is not there? */
static bool check_type(const struct ltt_btf *btf, const struct btf_type *type)
{
	const void *list = ltt_btf_list(type);
	const struct btf_var_secinfo *var = list;
	const struct btf_enum64 *value64 = list;
	const struct btf_member *member = list;
	const struct btf_array *array = list;
	const struct btf_param *param = list;
	const struct btf_enum *value = list;
	u32 i, nr = BTF_INFO_VLEN(type->info), id = 0;
	bool good = true;

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_ARRAY:
		good = good_refs(btf, 0, array->type) && good_refs(btf, 0, array->index_type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (i = 0; i < nr && good; i++)
			good = good_refs(btf, member[i].name_off, member[i].type);
		break;
	case BTF_KIND_ENUM:
		for (i = 0; i < nr && good; i++)
			good = good_refs(btf, value[i].name_off, 0);
		break;
	case BTF_KIND_ENUM64:
		for (i = 0; i < nr && good; i++)
			good = good_refs(btf, value64[i].name_off, 0);
		break;
	case BTF_KIND_FUNC_PROTO:
		id = type->type;
		for (i = 0; i < nr && good; i++)
			good = good_refs(btf, param[i].name_off, param[i].type);
		break;
	case BTF_KIND_DATASEC:
		for (i = 0; i < nr && good; i++)
			good = good_refs(btf, 0, var[i].type);
		break;
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
	case BTF_KIND_TYPE_TAG:
		id = type->type;
		break;
	}
	return good && good_refs(btf, type->name_off, id);
}

/**
 * ltt_btf_open() - read BTF
 * @btf:	receives what is in it
 * @data:	the data, aligned to 4 bytes; must stay until ltt_btf_close()
 * @size:	bytes there
 * @base:	the kernel's types if these are a module's, else NULL; must stay, too
 *
 * Context: task, may sleep.
 * Return: 0; -EBADMSG: it is no BTF of this machine's byte order, or damaged, or has
 * types of a kind that is not known; -ENOMEM.
 */
int ltt_btf_open(struct ltt_btf *btf, const void *data, size_t size,
		 const struct ltt_btf *base)
{
	const struct btf_header *header = data;
	const struct btf_type *type;
	const u8 *sections;
	long nr;
	u32 id;

	if (check_header(header, size, base))
		return -EBADMSG;
	sections = (const u8 *)data + header->hdr_len;
	*btf = (struct ltt_btf) {
		.base = base,
		.tells_signs = base && base->tells_signs,
		.types = sections + header->type_off,
		.strings = (const char *)sections + header->str_off,
		.nr_strings = header->str_len,
		.first_string = base ? base->first_string + base->nr_strings : 0,
		.first_id = base ? ltt_btf_end(base) : 1,
	};
	/* The first name is the empty one, and each one ends. */
	if (btf->nr_strings && btf->strings[btf->nr_strings - 1])
		return -EBADMSG;
	if (!base && btf->strings[0])
		return -EBADMSG;
	nr = find_types(btf->types, header->type_len, NULL);
	if (nr < 0 || nr > (long)(BTF_MAX_TYPE - (btf->first_id - 1)))
		return -EBADMSG;
	btf->nr_types = nr;
	btf->offset = kvmalloc_array(nr ?: 1, sizeof(*btf->offset), GFP_KERNEL);
	if (!btf->offset)
		return -ENOMEM;
	find_types(btf->types, header->type_len, btf->offset);
	for (id = btf->first_id; id < ltt_btf_end(btf); id++) {
		type = ltt_btf_type(btf, id);
		if (!check_type(btf, type)) {
			ltt_btf_close(btf);
			return -EBADMSG;
		}
		if (BTF_INFO_KIND(type->info) == BTF_KIND_ENUM && BTF_INFO_KFLAG(type->info))
			btf->tells_signs = true;
	}
	return 0;
}

/**
 * ltt_btf_close() - undo ltt_btf_open()
 * @btf:	the types
 *
 * Context: task, may sleep.
 */
void ltt_btf_close(struct ltt_btf *btf)
{
	kvfree(btf->offset);
	btf->offset = NULL;
}
