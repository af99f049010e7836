// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: events of other tracers, from their bytes to those that LTT would have recorded.
 *
 * Functions return 0 or one of these: -ENODATA, the bytes that are there end before; -ENOSPC, there
 * is no room for what is made of them; -EBADMSG, r->why says what is wrong.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <string.h>

#include "ctf.h"

/* ---- numbers ----------------------------------------------------------------------- */

/* Up to 9 bytes from @p on, of which @left are there, the first one at the bottom. */
static __always_inline __uint128_t load_le(const u8 *p, u64 left)
{
	__uint128_t v = 0;
	unsigned int i;

	if (likely(left >= sizeof(v)) && !LTT_HOST_BE) {
		memcpy(&v, p, sizeof(v));
		return v;
	}
	for (i = 0; i < 9 && i < left; i++)
		v |= (__uint128_t)p[i] << 8 * i;
	return v;
}

/* The same, the first one at the top of 9. */
static __always_inline __uint128_t load_be(const u8 *p, u64 left)
{
	__uint128_t v = 0;
	unsigned int i;

	for (i = 0; i < 9; i++)
		v = v << 8 | (i < left ? p[i] : 0);
	return v;
}

/* The integer at @r->at, all of which is there. */
static __always_inline u64 get_int(const struct ctf_reader *r, unsigned int bits, bool is_signed,
				   bool be)
{
	const u8 *p = r->data + r->at / 8;
	unsigned int shift = r->at % 8, unused = 64 - bits;
	u64 left = (r->end + 7) / 8 - r->at / 8, v;

	/* Bits are counted from the one that the byte order makes the first. */
	if (be)
		v = load_be(p, left) >> (72 - shift - bits);
	else
		v = load_le(p, left) >> shift;
	v <<= unused;
	return is_signed ? (u64)((s64)v >> unused) : v >> unused;
}

/**
 * ctf_read_int() - read an integer
 * @r:		at the integer
 * @bits:	of it, 1 to 64
 * @is_signed:	it is
 * @be:		its most significant byte, or bit, is first
 * @value:	returns it, extended to 64 bits
 */
int ctf_read_int(struct ctf_reader *r, unsigned int bits, bool is_signed, bool be, u64 *value)
{
	if (r->end - r->at < bits)
		return -ENODATA;
	*value = get_int(r, bits, is_signed, be);
	r->at += bits;
	return 0;
}

/**
 * ctf_set_time() - set the clock to a time of which only the low bits are known
 * @r:		with the clock
 * @value:	the bits
 * @bits:	how many
 *
 * It is the next such time.
 */
void ctf_set_time(struct ctf_reader *r, u64 value, unsigned int bits)
{
	u64 mask = ~0ull >> (64 - bits);

	if (bits == 64)
		r->time = value;
	else
		r->time += (value - r->time) & mask;
}

/**
 * ctf_align() - step over padding
 * @r:		where
 * @bits:	the alignment, a power of 2
 */
int ctf_align(struct ctf_reader *r, u32 bits)
{
	u64 at = (r->at + bits - 1) & -(u64)bits;

	if (at > r->end)
		return -ENODATA;
	r->at = at;
	return 0;
}

/* ---- labels ----------------------------------------------------------------------- */

/* Labels that cost as much as a field. */
#define LABEL_CREDIT	8

/**
 * ctf_charge() - labels were looked at: are they too many for the packet?
 * @r:		where
 * @labels:	how many
 *
 * An enumeration may have any number of them, and its values few bits.
 */
int ctf_charge(struct ctf_reader *r, unsigned int labels)
{
	if (r->credit < labels / LABEL_CREDIT) {
		r->why = "more labels than the packet has room for";
		return -EBADMSG;
	}
	r->credit -= labels / LABEL_CREDIT;
	return 0;
}

/**
 * ctf_choose() - which option does a tag choose?
 * @r:		where
 * @variant:	the variant
 * @nr:		returns the number of the choice
 */
int ctf_choose(struct ctf_reader *r, const struct ctf_node *variant, unsigned int *nr)
{
	const struct ctf_choice *choice = variant->choices;
	u64 tag = r->slots[variant->from];
	unsigned int i;

	for (i = 0; i < variant->nr_choices; i++, choice++) {
		if (ctf_is_in(variant->tag_signed, tag, choice->low, choice->high)) {
			*nr = i;
			return ctf_charge(r, i);
		}
	}
	r->why = "the tag of a variant chooses no option";
	return -EBADMSG;
}

/* ---- bytes ------------------------------------------------------------------------- */

static __always_inline size_t room(const struct ctf_reader *r)
{
	return r->out_end - r->out;
}

static int put(struct ctf_reader *r, const void *bytes, size_t size)
{
	if (room(r) < size)
		return -ENOSPC;
	memcpy(r->out, bytes, size);
	r->out += size;
	return 0;
}

static int put_int(struct ctf_reader *r, u64 value, unsigned int size)
{
	if (LTT_HOST_BE)
		value <<= 64 - 8 * size;
	return put(r, &value, size);
}

/* @size bytes, from a byte on. */
static __always_inline int copy(struct ctf_reader *r, u64 size)
{
	if (unlikely((r->end - r->at) / 8 < size))
		return -ENODATA;
	if (unlikely(room(r) < size))
		return -ENOSPC;
	memcpy(r->out, r->data + r->at / 8, size);
	r->at += 8 * size;
	r->out += size;
	return 0;
}

/**
 * ctf_read_string() - read a string
 * @r:		at the string, which is at a byte
 * @text:	returns it, terminated
 * @len:	returns its bytes
 */
int ctf_read_string(struct ctf_reader *r, const u8 **text, size_t *len)
{
	const u8 *p = r->data + r->at / 8;
	const u8 *nul = memchr(p, '\0', (r->end - r->at) / 8);

	if (!nul)
		return -ENODATA;
	*text = p;
	*len = nul - p;
	r->at += 8 * (*len + 1);
	return 0;
}

/* Up to the first NUL, and with one. */
static int copy_chars(struct ctf_reader *r, const struct ctf_op *op, u64 count)
{
	bool ended = false;
	u64 c = 0;
	int err = 0;

	for (; count && !err; count--) {
		err = ctf_align(r, op->align) ?: ctf_read_int(r, 8, false, op->be, &c);
		ended |= !c;
		if (!err && !ended)
			err = put_int(r, c, 1);
	}
	return err ?: put_int(r, 0, 1);
}

static int copy_elements(struct ctf_reader *r, const struct ctf_op *op, u64 count)
{
	u64 value;
	int err = 0;

	for (; count && !err; count--)
		err = ctf_align(r, op->align) ?:
		      ctf_read_int(r, op->bits, op->is_signed, op->be, &value) ?:
		      put_int(r, value, op->size);
	return err;
}

/* How many elements there are; no event has more than bits. */
static int get_count(const struct ctf_reader *r, const struct ctf_op *op, u64 *count)
{
	*count = op->from ? r->slots[op->from] : op->n;
	return *count > r->end - r->at || *count > U32_MAX ? -ENODATA : 0;
}

static noinline int run_elements(struct ctf_reader *r, const struct ctf_op *op)
{
	u64 count;

	if (get_count(r, op, &count))
		return -ENODATA;
	switch (op->code) {
	case CTF_OP_COUNT:
		return put_int(r, count, sizeof(u32));
	case CTF_OP_BYTES:
		return copy(r, count * op->size);
	case CTF_OP_CHARS:
		return copy_chars(r, op, count);
	default:
		return copy_elements(r, op, count);
	}
}

static noinline int run_text(struct ctf_reader *r, const struct ctf_op *op)
{
	return ctf_visit(r, op->node, true) ?: put_int(r, 0, 1);
}

static noinline int run_string(struct ctf_reader *r)
{
	const u8 *text;
	size_t len;

	return ctf_read_string(r, &text, &len) ?: put(r, text, len + 1);
}

/* The integer that the step is about. Return: whether all of it is there. */
static __always_inline bool get(const struct ctf_reader *r, const struct ctf_op *op, u64 *value)
{
	if (unlikely(r->end - r->at < op->bits))
		return false;
	if (likely(op->whole))
		*value = ltt_load_int(r->data + r->at / 8, op->size, op->is_signed,
				      op->be != LTT_HOST_BE);
	else
		*value = get_int(r, op->bits, op->is_signed, op->be);
	return true;
}

static __always_inline int run_save(struct ctf_reader *r, const struct ctf_op *op)
{
	u64 value;

	if (!get(r, op, &value))
		return -ENODATA;
	if (op->code == CTF_OP_TIME)
		ctf_set_time(r, value, op->bits);
	else
		r->slots[op->slot] = value;
	r->at += op->n;
	return 0;
}

static __always_inline int run_number(struct ctf_reader *r, const struct ctf_op *op)
{
	u64 value;

	if (!get(r, op, &value))
		return -ENODATA;
	r->at += op->bits;
	return put_int(r, value, op->size);
}

/* Return: the steps of the option, which are after @op, or NULL: there is none. */
static const struct ctf_op *choose(struct ctf_reader *r, const struct ctf_op *op)
{
	unsigned int choice;

	return ctf_choose(r, op->node, &choice) ? NULL : op + op->targets[choice];
}

/**
 * ctf_run() - run steps
 * @r:		where, and where to
 * @op:		the first step
 */
int ctf_run(struct ctf_reader *r, const struct ctf_op *op)
{
	int err = 0;

	for (; !err; op++) {
		switch (op->code) {
		case CTF_OP_END:
			return 0;
		case CTF_OP_ALIGN:
			err = ctf_align(r, op->n);
			break;
		case CTF_OP_SKIP:
			if (r->end - r->at < op->n)
				return -ENODATA;
			r->at += op->n;
			break;
		case CTF_OP_COPY:
			err = copy(r, op->n);
			break;
		case CTF_OP_NUMBER:
			err = run_number(r, op);
			break;
		case CTF_OP_SAVE:
		case CTF_OP_TIME:
			err = run_save(r, op);
			break;
		case CTF_OP_CHOOSE:
			op = choose(r, op);
			if (!op)
				return -EBADMSG;
			break;
		case CTF_OP_JUMP:
			op += op->n;
			break;
		case CTF_OP_PLACE:
			r->slots[op->slot] = r->at;
			break;
		case CTF_OP_STRING:
			err = run_string(r);
			break;
		case CTF_OP_TEXT:
			err = run_text(r, op);
			break;
		case CTF_OP_VISIT:
			err = ctf_visit(r, op->node, false);
			break;
		default:
			err = run_elements(r, op);
			break;
		}
	}
	return err;
}
