/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BTF of a few types and a tracepoint, made by hand; the C compiler's own layout of the
 * same types says what is right.
 */
#ifndef _LTT_BTF_FIXTURE_H
#define _LTT_BTF_FIXTURE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <linux/btf.h>
#include <linux/types.h>

struct child {
	short number;
	const char *name;
	struct child *next;
};

enum sign { MINUS = -1, ZERO, PLUS };

struct thing {
	char comm[16];
	unsigned int tid;
	struct {
		int inner;
		union {
			long wide;
			unsigned char narrow;
		};
	};
	unsigned int low : 3, middle : 13;
	int negative : 5;
	struct child child;
	struct child *first;
	struct child **table;
	unsigned short list[4];
	struct child several[3];
	unsigned long many[100];
	enum sign sign;
	void *blob;
	unsigned char bytes[6];
	double real;
	char tail[];
};

struct btf_data {
	__u32 types[2048];
	char names[4096];
	size_t words, nr_names;
	__u32 first_id, first_name, next_id;
};

static inline __u32 btf_name(struct btf_data *d, const char *name)
{
	size_t at = d->nr_names;

	if (!*name)
		return 0;
	strcpy(d->names + at, name);
	d->nr_names += strlen(name) + 1;
	return d->first_name + at;
}

static inline void btf_word(struct btf_data *d, __u32 word)
{
	d->types[d->words++] = word;
}

/* A type without its list. Return: its number. */
static inline __u32 btf_add(struct btf_data *d, const char *name, unsigned int kind,
			    unsigned int nr, bool flag, __u32 size_or_type)
{
	btf_word(d, btf_name(d, name));
	btf_word(d, (__u32)flag << 31 | kind << 24 | nr);
	btf_word(d, size_or_type);
	return d->next_id++;
}

static inline __u32 btf_int(struct btf_data *d, const char *name, unsigned int size,
			    unsigned int encoding)
{
	__u32 id = btf_add(d, name, BTF_KIND_INT, 0, false, size);

	btf_word(d, encoding << 24 | size * 8);
	return id;
}

static inline __u32 btf_ref(struct btf_data *d, const char *name, unsigned int kind, __u32 type)
{
	return btf_add(d, name, kind, 0, false, type);
}

static inline __u32 btf_arr(struct btf_data *d, __u32 type, __u32 index, __u32 nr)
{
	__u32 id = btf_add(d, "", BTF_KIND_ARRAY, 0, false, 0);

	btf_word(d, type);
	btf_word(d, index);
	btf_word(d, nr);
	return id;
}

/* A member, a parameter (without its last word) or a value. */
static inline void btf_item(struct btf_data *d, const char *name, __u32 type)
{
	btf_word(d, btf_name(d, name));
	btf_word(d, type);
}

static inline void btf_put_member(struct btf_data *d, const char *name, __u32 type,
				  __u32 offset)
{
	btf_item(d, name, type);
	btf_word(d, offset);
}

static inline void btf_start(struct btf_data *d, __u32 first_id, __u32 first_name)
{
	memset(d, 0, sizeof(*d));
	d->first_id = first_id;
	d->next_id = first_id;
	d->first_name = first_name;
	d->nr_names = first_name ? 0 : 1;
}

/* All of it, in memory of just that size. */
static inline void *btf_finish(const struct btf_data *d, size_t *size)
{
	struct btf_header header = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(header),
		.type_len = d->words * 4, .str_off = d->words * 4, .str_len = d->nr_names,
	};
	char *data;

	*size = sizeof(header) + header.type_len + header.str_len;
	data = malloc(*size);
	memcpy(data, &header, sizeof(header));
	memcpy(data + sizeof(header), d->types, header.type_len);
	memcpy(data + sizeof(header) + header.type_len, d->names, header.str_len);
	return data;
}

/* Where the compiler has put a bit-field: the first bit of those that are set. */
#define BIT_OFFSET(type, member) ({					\
	type _value;							\
	const unsigned char *_p = (const unsigned char *)&_value;	\
	unsigned int _bit = 0;						\
									\
	memset(&_value, 0, sizeof(_value));				\
	_value.member = -1;						\
	while (!(_p[_bit / 8] >> _bit % 8 & 1))				\
		_bit++;							\
	_bit;								\
})

#define MEMBER(name, type)	\
	btf_put_member(d, #name, type, offsetof(struct thing, name) * 8)

static inline __u32 fixture_child(struct btf_data *d, __u32 number, __u32 name, __u32 *self)
{
	__u32 id = d->next_id;

	/* A structure that points to itself: the pointer comes behind it. */
	btf_add(d, "child", BTF_KIND_STRUCT, 3, false, sizeof(struct child));
	btf_put_member(d, "number", number, offsetof(struct child, number) * 8);
	btf_put_member(d, "name", name, offsetof(struct child, name) * 8);
	btf_put_member(d, "next", id + 1, offsetof(struct child, next) * 8);
	*self = btf_ref(d, "", BTF_KIND_PTR, id);
	return id;
}

/* struct thing, and the tracepoint thing_done(thing, code, flag, text, mode, where). */
static inline void fixture(struct btf_data *d)
{
	__u32 c, u8, s16, u16, s32, u32, s64, u64, f64, name, child, child_ptr, table, sign;
	__u32 anon, anon_union, thing, thing_ptr, proto, comm, list, several, many, bytes, tail;
	__u32 blob, boolean;

	btf_start(d, 1, 0);
	c = btf_int(d, "char", 1, BTF_INT_SIGNED);
	u8 = btf_ref(d, "u8", BTF_KIND_TYPEDEF, btf_int(d, "unsigned char", 1, 0));
	s16 = btf_int(d, "short int", 2, BTF_INT_SIGNED);
	u16 = btf_ref(d, "", BTF_KIND_VOLATILE, btf_int(d, "short unsigned int", 2, 0));
	s32 = btf_int(d, "int", 4, BTF_INT_SIGNED);
	u32 = btf_int(d, "unsigned int", 4, 0);
	s64 = btf_int(d, "long int", 8, BTF_INT_SIGNED);
	u64 = btf_int(d, "long unsigned int", 8, 0);
	boolean = btf_int(d, "_Bool", 1, BTF_INT_BOOL);
	f64 = btf_add(d, "double", BTF_KIND_FLOAT, 0, false, 8);
	name = btf_ref(d, "", BTF_KIND_PTR, btf_ref(d, "", BTF_KIND_CONST, c));
	blob = btf_ref(d, "", BTF_KIND_PTR, 0);
	child = fixture_child(d, s16, name, &child_ptr);
	table = btf_ref(d, "", BTF_KIND_PTR, child_ptr);
	sign = btf_add(d, "sign", BTF_KIND_ENUM, 3, false, 4);
	btf_item(d, "MINUS", -1);
	btf_item(d, "ZERO", 0);
	btf_item(d, "PLUS", 1);
	comm = btf_arr(d, c, u32, 16);
	list = btf_arr(d, u16, u32, 4);
	several = btf_arr(d, child, u32, 3);
	many = btf_arr(d, u64, u32, 100);
	bytes = btf_arr(d, u8, u32, 6);
	tail = btf_arr(d, c, u32, 0);
	anon_union = btf_add(d, "", BTF_KIND_UNION, 2, false, 8);
	btf_put_member(d, "wide", s64, 0);
	btf_put_member(d, "narrow", u8, 0);
	anon = btf_add(d, "", BTF_KIND_STRUCT, 2, false, 16);
	btf_put_member(d, "inner", s32, 0);
	btf_put_member(d, "", anon_union,
		       (offsetof(struct thing, wide) - offsetof(struct thing, inner)) * 8);
	thing = btf_add(d, "thing", BTF_KIND_STRUCT, 17, true, sizeof(struct thing));
	MEMBER(comm, comm);
	MEMBER(tid, u32);
	btf_put_member(d, "", anon, offsetof(struct thing, inner) * 8);
	btf_put_member(d, "low", u32, 3 << 24 | BIT_OFFSET(struct thing, low));
	btf_put_member(d, "middle", u32, 13 << 24 | BIT_OFFSET(struct thing, middle));
	btf_put_member(d, "negative", s32, 5 << 24 | BIT_OFFSET(struct thing, negative));
	MEMBER(child, child);
	MEMBER(first, child_ptr);
	MEMBER(table, table);
	MEMBER(list, list);
	MEMBER(several, several);
	MEMBER(many, many);
	MEMBER(sign, sign);
	MEMBER(blob, blob);
	MEMBER(bytes, bytes);
	MEMBER(real, f64);
	MEMBER(tail, tail);
	thing_ptr = btf_ref(d, "", BTF_KIND_PTR, thing);
	/* The type first, whose parameters have no names. */
	proto = btf_add(d, "", BTF_KIND_FUNC_PROTO, 3, false, 0);
	btf_item(d, "", blob);
	btf_item(d, "", thing_ptr);
	btf_item(d, "", u16);
	btf_ref(d, "btf_trace_thing_bare", BTF_KIND_TYPEDEF,
		btf_ref(d, "", BTF_KIND_PTR, proto));
	proto = btf_add(d, "", BTF_KIND_FUNC_PROTO, 7, false, s32);
	btf_item(d, "__data", blob);
	btf_item(d, "thing", thing_ptr);
	btf_item(d, "code", s16);
	btf_item(d, "flag", boolean);
	btf_item(d, "text", name);
	btf_item(d, "mode", sign);
	btf_item(d, "where", u64);
	btf_add(d, "__traceiter_thing_done", BTF_KIND_FUNC, 0, false, proto);
	proto = btf_add(d, "", BTF_KIND_FUNC_PROTO, 2, false, s32);
	btf_item(d, "__data", blob);
	btf_item(d, "child", child);
	btf_add(d, "__traceiter_thing_by_value", BTF_KIND_FUNC, 0, false, proto);
	proto = btf_add(d, "", BTF_KIND_FUNC_PROTO, 3, false, s32);
	btf_item(d, "__data", blob);
	btf_item(d, "word", anon_union);
	btf_item(d, "tid", u32);
	btf_add(d, "__traceiter_thing_word", BTF_KIND_FUNC, 0, false, proto);
	proto = btf_add(d, "", BTF_KIND_FUNC_PROTO, 1, false, s32);
	btf_item(d, "__data", blob);
	btf_add(d, "__traceiter_thing_none", BTF_KIND_FUNC, 0, false, proto);
}

#endif /* _LTT_BTF_FIXTURE_H */
