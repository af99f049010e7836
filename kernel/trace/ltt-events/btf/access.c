// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: an argument of a definition on a tracepoint, compiled into a fetch program with
 * the help of BTF.
 *
 *	[NAME=]ARGUMENT[->MEMBER|.MEMBER|[INDEX]]...[:TYPE]
 *
 *	TYPE	string, symbol, or u, s, x and the value's number of bits
 *
 * Without a type, what the kernel's own type says: an integer, an address, an array of
 * integers, a string where it is an array of char.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "access.h"

#define FARTHEST	0x7fffffffu	/* bytes from an address */

/*
 * How far an access has come: @type is that of what has been reached: the value of the
 * tracepoint's argument, or what is in memory, at the address fetched so far and @offset.
 */
struct access {
	struct ltt_kprobe_parser *ps;
	struct ltt_fetch *arg;
	const struct ltt_btf *btf;
	u32 type;
	u32 bits;	/* of a bit-field, else 0 */
	bool memory;
	u64 offset;	/* in bits */
};

static int bad_types(struct access *a, const char *at)
{
	return ltt_kprobe_refuse(a->ps, at, -EBADMSG, "invalid BTF");
}

static int add_step(struct access *a, const char *at, long offset)
{
	struct ltt_fetch *arg = a->arg;

	if (arg->nr_steps == LTT_FETCH_STEPS)
		return ltt_kprobe_refuse(a->ps, at, -E2BIG, "more than %u memory accesses",
					 LTT_FETCH_STEPS);
	arg->step[arg->nr_steps++] = (struct ltt_fetch_step) { .offset = offset };
	return 0;
}

static int add_offset(struct access *a, const char *at, u64 bits)
{
	if (bits > FARTHEST * 8ull || a->offset + bits > FARTHEST * 8ull)
		return ltt_kprobe_refuse(a->ps, at, -ERANGE, "offset too large");
	a->offset += bits;
	return 0;
}

/* What has been reached is a pointer: go to where it points. */
static int follow(struct access *a, const char *at)
{
	int err = a->memory ? add_step(a, at, a->offset / 8) : 0;

	a->memory = true;
	a->offset = 0;
	return err;
}

/* ---- the way to a value --------------------------------------------------------- */

static int parse_param(struct access *a, const struct ltt_btf_event *event)
{
	const char *begin = a->ps->pos, *end = begin, *name;
	char buf[LTT_BTF_ARG_NAME];
	unsigned int i;

	if (!ltt_kprobe_is_letter(*begin))
		return ltt_kprobe_refuse(a->ps, begin, -EINVAL,
					 "expected an argument of the tracepoint");
	while (ltt_kprobe_is_word(*end))
		end++;
	for (i = 0; i < event->nr; i++) {
		name = ltt_btf_param_name(event, i, buf);
		if (strlen(name) != (size_t)(end - begin) || memcmp(name, begin, end - begin))
			continue;
		a->type = event->param[i].type;
		a->arg->from = LTT_FROM_ARG;
		a->arg->where = i;
		a->ps->pos = end;
		return 0;
	}
	return ltt_kprobe_refuse(a->ps, begin, -ENOENT, "the tracepoint has no such argument");
}

/* After -> or the dot. */
static int parse_member(struct access *a, bool arrow)
{
	struct ltt_kprobe_parser *ps = a->ps;
	const char *begin = ps->pos, *end;
	struct ltt_btf_member member;
	struct ltt_btf_value value;
	int err;

	ps->pos += arrow ? 2 : 1;
	if (ltt_btf_value(a->btf, a->type, &value))
		return bad_types(a, begin);
	if (arrow && value.kind != LTT_BTF_PTR)
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "not a pointer");
	if (!arrow && value.kind == LTT_BTF_PTR)
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "this is a pointer: use ->");
	if (!arrow && value.kind == LTT_BTF_STRUCT && !a->memory)
		return ltt_kprobe_refuse(ps, begin, -EINVAL,
					 "passed by value: members cannot be accessed");
	if (arrow) {
		err = follow(a, begin);
		if (err)
			return err;
		a->type = value.target;
	}
	for (end = ps->pos; ltt_kprobe_is_word(*end);)
		end++;
	if (!ltt_kprobe_is_letter(*ps->pos))
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected the name of a member");
	err = ltt_btf_member(a->btf, a->type, ps->pos, end - ps->pos, &member);
	if (err == -ENOENT)
		return ltt_kprobe_refuse(ps, ps->pos, err, "no such member");
	if (err == -EINVAL)
		return ltt_kprobe_refuse(ps, begin, err, "this has no members%s", arrow ?
					 " according to BTF" : "");
	if (err)
		return bad_types(a, ps->pos);
	err = add_offset(a, ps->pos, member.offset);
	a->type = member.type;
	a->bits = member.bits;
	ps->pos = end;
	return err;
}

/* Bytes of a value; 0 if that is not known. */
static u64 size_of(const struct ltt_btf *btf, u32 type)
{
	struct ltt_btf_value value;
	unsigned int depth;
	u64 elements = 1;

	for (depth = 0; depth < LTT_BTF_DEPTH; depth++) {
		if (ltt_btf_value(btf, type, &value))
			return 0;
		if (value.kind != LTT_BTF_ARRAY)
			return value.size * elements;
		elements *= value.count;
		if (elements > FARTHEST)
			return 0;
		type = value.target;
	}
	return 0;
}

/* At the bracket. */
static int parse_index(struct access *a)
{
	struct ltt_kprobe_parser *ps = a->ps;
	const char *begin = ps->pos++;
	struct ltt_btf_value value;
	unsigned long index;
	u64 size;
	int err;

	if (ltt_btf_value(a->btf, a->type, &value))
		return bad_types(a, begin);
	if (value.kind != LTT_BTF_PTR && value.kind != LTT_BTF_ARRAY)
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "not an array or a pointer");
	if (value.kind == LTT_BTF_PTR) {
		err = follow(a, begin);
		if (err)
			return err;
	}
	err = ltt_kprobe_number(ps, FARTHEST, &index);
	if (err)
		return err;
	if (*ps->pos != ']')
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected ]");
	ps->pos++;
	/* An array of no elements ends a structure, and extends beyond it. */
	if (value.kind == LTT_BTF_ARRAY && value.count && index >= value.count)
		return ltt_kprobe_refuse(ps, begin + 1, -ERANGE, "the array has only %u elements",
					 value.count);
	a->type = value.target;
	size = size_of(a->btf, a->type);
	if (!size)
		return ltt_kprobe_refuse(ps, begin, -EINVAL,
					 "the size of an element is unknown");
	if (size > FARTHEST)
		return ltt_kprobe_refuse(ps, begin, -ERANGE, "offset too large");
	return add_offset(a, begin, index * size * 8);
}

static int parse_way(struct access *a, const struct ltt_btf_event *event, const char **last)
{
	const char *pos;
	int err;

	*last = a->ps->pos;
	err = parse_param(a, event);
	while (!err) {
		pos = a->ps->pos;
		if (*pos != '.' && *pos != '[' && (pos[0] != '-' || pos[1] != '>'))
			return 0;
		if (a->bits)
			return ltt_kprobe_refuse(a->ps, pos, -EINVAL,
						 "a bit-field has no members");
		if (*pos == '[') {
			err = parse_index(a);
		} else {
			err = parse_member(a, *pos == '-');
			*last = pos + (*pos == '-' ? 2 : 1);
		}
	}
	return err;
}

/* ---- what is recorded of it ------------------------------------------------------ */

static bool is_byte(const struct ltt_btf *btf, u32 type)
{
	struct ltt_btf_value value;

	return !ltt_btf_value(btf, type, &value) &&
	       (value.kind == LTT_BTF_VOID ||
		(value.kind == LTT_BTF_INT && value.size == 1 && !value.bits));
}

static int record_string(struct access *a, const struct ltt_btf_value *value,
			 const char *at)
{
	int err;

	if ((value->kind != LTT_BTF_PTR && value->kind != LTT_BTF_ARRAY) ||
	    !is_byte(a->btf, value->target))
		return ltt_kprobe_refuse(a->ps, at, -EINVAL,
					 "not a pointer to characters or an array of them");
	a->arg->as = LTT_AS_STRING;
	if (value->kind == LTT_BTF_PTR) {
		err = follow(a, at);
		if (err)
			return err;
	} else {
		a->arg->most = min(value->count, (u32)LTT_MAX_STR - 1);
	}
	return add_step(a, at, a->offset / 8);
}

static int record_bits(struct access *a, const char *at, bool is_signed)
{
	u32 shift = a->offset % 8, size = 1;

	while (size < 8 && shift + a->bits > size * 8)
		size *= 2;
	if (shift + a->bits > size * 8)
		return ltt_kprobe_refuse(a->ps, at, -EOPNOTSUPP,
					 "a bit-field of %u bits that spans 9 bytes is not supported",
					 a->bits);
	a->arg->size = size;
	a->arg->is_signed = is_signed;
	a->arg->right = size * 8 - a->bits;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	a->arg->left = shift;
#else
	a->arg->left = size * 8 - a->bits - shift;
#endif
	return add_step(a, at, a->offset / 8);
}

static int record_array(struct access *a, const struct ltt_btf_value *value, const char *at)
{
	struct ltt_btf_value element;

	if (ltt_btf_value(a->btf, value->target, &element))
		return bad_types(a, at);
	if (element.is_char)
		return record_string(a, value, at);
	if (element.kind != LTT_BTF_INT || element.bits)
		return ltt_kprobe_refuse(a->ps, at, -EINVAL,
					 "the elements are not integers: choose one with [N]");
	if (!value->count || value->count > LTT_FETCH_ELEMENTS)
		return ltt_kprobe_refuse(a->ps, at, -EINVAL,
					 "an array of %u elements: choose one with [N]",
					 value->count);
	a->arg->count = value->count;
	a->arg->size = element.size;
	a->arg->is_signed = element.is_signed;
	return add_step(a, at, a->offset / 8);
}

static int record_value(struct access *a, const struct ltt_btf_value *value, const char *at)
{
	switch (value->kind) {
	case LTT_BTF_INT:
		if (a->bits)
			return record_bits(a, at, value->is_signed);
		a->arg->size = value->size;
		a->arg->is_signed = value->is_signed;
		break;
	case LTT_BTF_PTR:
		a->arg->as = LTT_AS_PTR;
		a->arg->size = value->size;
		break;
	case LTT_BTF_ARRAY:
		return record_array(a, value, at);
	case LTT_BTF_STRUCT:
		if (!a->memory && ltt_btf_is_word(value)) {
			a->arg->size = value->size;
			a->arg->hex = true;
			return 0;
		}
		return ltt_kprobe_refuse(a->ps, at, -EINVAL,
					 "a structure or union: choose a member");
	default:
		return ltt_kprobe_refuse(a->ps, at, -EOPNOTSUPP,
					 "not an integer or an address");
	}
	return a->memory ? add_step(a, at, a->offset / 8) : 0;
}

/* u, s or x and a number of bits, which must be the value's. */
static int parse_int_type(struct access *a, const char *type)
{
	struct ltt_kprobe_parser *ps = a->ps;
	struct ltt_fetch *arg = a->arg;
	unsigned long bits;
	int err;

	if (*type != 'u' && *type != 's' && *type != 'x')
		return ltt_kprobe_refuse(ps, type, -EINVAL, "no such type");
	ps->pos++;
	err = ltt_kprobe_number(ps, 64, &bits);
	if (err)
		return err;
	if (arg->as != LTT_AS_INT && arg->as != LTT_AS_PTR)
		return ltt_kprobe_refuse(ps, type, -EINVAL, "a string cannot have an integer type");
	if (bits != arg->size * 8u)
		return ltt_kprobe_refuse(ps, type, -EINVAL, "the value has %u bits",
					 arg->size * 8u);
	/* The text of an address is for printk() to decide. */
	if (arg->as == LTT_AS_PTR)
		return ltt_kprobe_refuse(ps, type, -EINVAL, "an address cannot have an integer type");
	arg->is_signed = *type == 's';
	arg->hex = *type == 'x';
	return 0;
}

/* At the colon, or the end of the argument. */
static int parse_type(struct access *a, const char *begin)
{
	struct ltt_kprobe_parser *ps = a->ps;
	struct ltt_btf_value value;
	const char *type;
	int err;

	if (ltt_btf_value(a->btf, a->type, &value))
		return bad_types(a, begin);
	if (*ps->pos != ':')
		return record_value(a, &value, begin);
	type = ++ps->pos;
	if (ltt_kprobe_skip_word(ps, "string"))
		return record_string(a, &value, type);
	err = record_value(a, &value, begin);
	if (err)
		return err;
	if (!ltt_kprobe_skip_word(ps, "symbol"))
		return parse_int_type(a, type);
	if ((a->arg->as != LTT_AS_INT && a->arg->as != LTT_AS_PTR) || a->arg->count ||
	    a->bits || a->arg->size != sizeof(void *))
		return ltt_kprobe_refuse(ps, type, -EINVAL, "not an address");
	a->arg->as = LTT_AS_SYMBOL;
	return 0;
}

/**
 * ltt_btf_parse_arg() - compile an argument of a definition on a tracepoint
 * @ps:		the parser, at its first character; moves behind it
 * @event:	the tracepoint
 * @arg:	filled with zeros; receives the program
 *
 * Without a name, it is called like the last member that it names.
 *
 * Context: task.
 * Return: 0 or a negative errno, with the column in the error: -EINVAL: syntax, or what
 * the type does not allow; -ENOENT: no such argument or member; -ERANGE; -ENAMETOOLONG;
 * -E2BIG: too many memory accesses; -EOPNOTSUPP: a type that is not for recording;
 * -EBADMSG: nonsense in the types.
 */
int ltt_btf_parse_arg(struct ltt_kprobe_parser *ps, const struct ltt_btf_event *event,
		      struct ltt_fetch *arg)
{
	struct access a = { .ps = ps, .arg = arg, .btf = event->btf };
	const char *begin = ps->pos, *last;
	size_t len = 0;
	int err;

	arg->column = begin - ps->line + 1;
	err = ltt_kprobe_arg_name(ps, arg);
	if (err)
		return err;
	if (ps->pos != begin)
		len = LTT_KPROBE_NAME_MAX;	/* it has one */
	begin = ps->pos;
	err = parse_way(&a, event, &last);
	if (!err && !len) {
		while (ltt_kprobe_is_word(last[len]))
			len++;
		if (len > LTT_KPROBE_NAME_MAX)
			return ltt_kprobe_refuse(ps, last, -ENAMETOOLONG,
						 "too long for a field name, give one with NAME=");
		memcpy(arg->name, last, len);
		arg->name[len] = '\0';
	}
	if (!err)
		err = parse_type(&a, begin);
	if (!err && *ps->pos && !ltt_kprobe_is_blank(*ps->pos))
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "unexpected text after the argument");
	return err;
}

/**
 * ltt_btf_parse_rest() - the end of a definition on a tracepoint
 * @ps:		the parser, behind the last argument
 * @event:	the tracepoint
 *
 * Who asked for nothing gets all arguments of the tracepoint as they are.
 *
 * Context: task.
 * Return: 0; -E2BIG: arrays of too many bytes together; what ltt_btf_param() returns.
 */
int ltt_btf_parse_rest(struct ltt_kprobe_parser *ps, const struct ltt_btf_event *event)
{
	struct ltt_kprobe_def *def = ps->def;
	const struct ltt_fetch *arg;
	unsigned int i, room = 0;
	int err;

	if (!def->nr_args) {
		for (i = 0; i < event->nr; i++) {
			err = ltt_btf_param(event, i, &def->arg[def->nr_args++]);
			if (err)
				return ltt_kprobe_refuse(ps, ps->line + def->column - 1, err,
							 "argument %u of the tracepoint cannot be recorded",
							 i + 1);
		}
		return 0;
	}
	for (arg = def->arg; arg < def->arg + def->nr_args; arg++) {
		room += (arg->count * arg->size + 7u) & ~7u;
		if (room > LTT_BTF_ROOM)
			return ltt_kprobe_refuse(ps, ps->line + arg->column - 1, -E2BIG,
						 "arrays of more than %u bytes in total",
						 LTT_BTF_ROOM);
	}
	return 0;
}
