// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: from fields of events of other tracers to steps that read them.
 *
 * What has always the same place in an event is copied at once: that depends on its offset from
 * the last thing that is not, modulo its alignment. See struct ctf_program.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <stdlib.h>
#include <string.h>

#include "../symbols.h"
#include "ctf.h"

/* Bytes that a step copies, at most. */
#define COPY_MAX	0x40000000u

/**
 * ctf_size() - bytes of a number as LTT has it
 * @type:	the number's
 */
unsigned int ctf_size(const struct ctf_type *type)
{
	return type->bits <= 8 ? 1 : type->bits <= 16 ? 2 : type->bits <= 32 ? 4 : 8;
}

/**
 * ctf_is_signed() - does a number as LTT has it have a sign?
 * @type:	the number's
 *
 * Digits of other bases are those of the bits.
 */
bool ctf_is_signed(const struct ctf_type *type)
{
	return type->is_signed && type->base == 10;
}

/**
 * ctf_store() - how LTT stores a field
 * @type:	its type, not a structure
 */
enum ltt_store ctf_store(const struct ctf_type *type)
{
	const struct ctf_type *element = type->element;
	bool is_text;

	if (ctf_is_number(type))
		return LTT_STORE_INT;
	if ((type->kind != CTF_ARRAY && type->kind != CTF_SEQUENCE) || !ctf_is_number(element))
		return LTT_STORE_STR;
	is_text = element->is_text && element->bits == 8;
	if (type->kind == CTF_ARRAY && type->count && type->count <= U16_MAX)
		return LTT_STORE_ARRAY;
	return is_text ? LTT_STORE_STR : LTT_STORE_SEQ;
}

/* ---- steps ------------------------------------------------------------------------ */

static struct ctf_op *add(struct ctf_program *p, enum ctf_code code)
{
	struct ctf_op *op;

	if (lib_grow((void **)&p->ops, p->nr, &p->room, sizeof(*p->ops)))
		return NULL;
	op = &p->ops[p->nr++];
	memset(op, 0, sizeof(*op));
	op->code = code;
	return op;
}

/* The place is unknown but for its alignment. */
static void know(struct ctf_program *p, u64 align)
{
	p->known = align;
	p->at = 0;
}

static void advance(struct ctf_program *p, u64 bits)
{
	p->at = (p->at + bits) & (p->known - 1);
}

static bool at_byte(const struct ctf_program *p)
{
	return p->known >= 8 && !(p->at % 8);
}

/* A step of which several in a row are one. */
static int add_many(struct ctf_program *p, enum ctf_code code, u64 n)
{
	struct ctf_op *last = p->nr ? &p->ops[p->nr - 1] : NULL, *op;

	advance(p, code == CTF_OP_COPY ? 8 * n : n);
	if (last && last->code == code && last->n + n <= COPY_MAX) {
		last->n += n;
		return 0;
	}
	op = add(p, code);
	if (!op)
		return -ENOMEM;
	op->n = n;
	return 0;
}

static int align_to(struct ctf_program *p, u32 align)
{
	u64 gap = -p->at & (align - 1);
	struct ctf_op *op;

	if (align <= p->known)
		return gap ? add_many(p, CTF_OP_SKIP, gap) : 0;
	op = add(p, CTF_OP_ALIGN);
	if (!op)
		return -ENOMEM;
	op->n = align;
	know(p, align);
	return 0;
}

/* A step about a number, or about elements that are. */
static struct ctf_op *add_number(struct ctf_program *p, enum ctf_code code,
				 const struct ctf_node *node)
{
	const struct ctf_type *type = node->type;
	struct ctf_op *op = add(p, code);

	if (!op)
		return NULL;
	op->bits = type->bits;
	op->size = ctf_size(type);
	op->is_signed = ctf_is_signed(type);
	op->be = node->be;
	op->align = type->align;
	op->node = node;
	return op;
}

/* Is it a number that is copied, if it is at a byte? */
static bool is_whole(const struct ctf_type *type)
{
	return type->bits == 8 * ctf_size(type);
}

static bool is_reversed(const struct ctf_node *node)
{
	return node->type->bits > 8 && node->be != LTT_HOST_BE;
}

/* A step about a number at the place where it is. */
static struct ctf_op *add_number_here(struct ctf_program *p, enum ctf_code code,
				      const struct ctf_node *node)
{
	struct ctf_op *op = add_number(p, code, node);

	if (op)
		op->whole = at_byte(p) && is_whole(node->type);
	return op;
}

/* The last of several that read it steps over it. */
static int add_save(struct ctf_program *p, const struct ctf_node *node, u16 slot, bool last)
{
	struct ctf_op *op = add_number_here(p, slot ? CTF_OP_SAVE : CTF_OP_TIME, node);

	if (!op)
		return -ENOMEM;
	/* Lengths are what they are, however they are shown. */
	op->is_signed = node->type->is_signed;
	op->slot = slot;
	if (last) {
		op->n = op->bits;
		advance(p, op->bits);
	}
	return 0;
}

static int program_number(struct ctf_program *p, const struct ctf_node *node, bool shown)
{
	const struct ctf_type *type = node->type;
	int err = align_to(p, type->align);

	shown = shown && !node->role;
	if (!err && node->role)
		err = add_save(p, node, node->role == CTF_TIME ? 0 : node->role,
			       !shown && !node->slot);
	if (!err && node->slot)
		err = add_save(p, node, node->slot, !shown);
	if (err)
		return err;
	if (!shown)
		return node->role || node->slot ? 0 : add_many(p, CTF_OP_SKIP, type->bits);
	if (at_byte(p) && is_whole(type) && !is_reversed(node))
		return add_many(p, CTF_OP_COPY, type->bits / 8);
	if (!add_number_here(p, CTF_OP_NUMBER, node))
		return -ENOMEM;
	advance(p, type->bits);
	return 0;
}

/* Whatever it is, byte by byte or bit by bit. */
static int add_walk(struct ctf_program *p, const struct ctf_node *node, bool shown)
{
	struct ctf_op *op = add(p, shown ? CTF_OP_TEXT : CTF_OP_VISIT);

	if (!op)
		return -ENOMEM;
	op->node = node;
	know(p, 1);
	return 0;
}

static struct ctf_op *add_elements(struct ctf_program *p, enum ctf_code code,
				   const struct ctf_node *node)
{
	struct ctf_op *op = add_number(p, code, node->child);

	if (op && node->type->kind == CTF_SEQUENCE)
		op->from = node->from;
	else if (op)
		op->n = node->type->count;
	return op;
}

/* Elements that are numbers, with nothing between them. */
static int program_elements(struct ctf_program *p, const struct ctf_node *node)
{
	const struct ctf_type *type = node->type, *element = type->element;
	enum ltt_store store = ctf_store(type);
	bool close = element->bits % element->align == 0;
	bool copied = at_byte(p) && is_whole(element) && close && !is_reversed(node->child);
	u64 bits = element->bits * type->count;

	if (store == LTT_STORE_STR) {
		if (!add_elements(p, CTF_OP_CHARS, node))
			return -ENOMEM;
		know(p, 1);
		return 0;
	}
	if (store == LTT_STORE_ARRAY && copied)
		return add_many(p, CTF_OP_COPY, bits / 8);
	if (store == LTT_STORE_SEQ && !add_elements(p, CTF_OP_COUNT, node))
		return -ENOMEM;
	if (!add_elements(p, copied ? CTF_OP_BYTES : CTF_OP_ARRAY, node))
		return -ENOMEM;
	if (type->kind == CTF_ARRAY && close)
		advance(p, bits);
	else
		know(p, copied ? 8 : 1);
	return 0;
}

static int program_array(struct ctf_program *p, const struct ctf_node *node, bool shown)
{
	const struct ctf_type *type = node->type;
	struct ctf_op *op;

	if (node->role == CTF_UUID) {
		if (align_to(p, type->align))
			return -ENOMEM;
		op = add(p, CTF_OP_PLACE);
		if (!op)
			return -ENOMEM;
		op->slot = CTF_UUID;
		return add_many(p, CTF_OP_SKIP, 8 * LTT_UUID_SIZE);
	}
	if (!shown || !ctf_is_number(type->element))
		return add_walk(p, node, shown);
	return align_to(p, type->align) ?: program_elements(p, node);
}

static int program_node(struct ctf_program *p, const struct ctf_node *node, bool shown);

static int program_struct(struct ctf_program *p, const struct ctf_node *node, bool shown)
{
	int err = align_to(p, node->type->align);

	for (node = node->child; node && !err; node = node->next)
		err = program_node(p, node, shown);
	return err;
}

/* An option, after which is a jump to the end of the variant. Up to then, they are a list. */
static int program_option(struct ctf_program *p, const struct ctf_node *option, size_t *jumps)
{
	int err = program_node(p, option, false);
	struct ctf_op *jump;

	if (err)
		return err;
	jump = add(p, CTF_OP_JUMP);
	if (!jump)
		return -ENOMEM;
	jump->n = *jumps;
	*jumps = p->nr - 1;
	return 0;
}

/* That is here. */
static void land(struct ctf_program *p, size_t jump, size_t first)
{
	size_t before;

	for (; jump != first; jump = before) {
		before = p->ops[jump].n;
		p->ops[jump].n = p->nr - 1 - jump;
	}
}

/* What is known where options meet: what is known after all of them. */
static void meet(struct ctf_program *p, u64 known, u64 at)
{
	p->known = min(p->known, known);
	while ((p->at ^ at) & (p->known - 1))
		p->known /= 2;
	p->at &= p->known - 1;
}

/* One of which nothing is shown. */
static int program_variant(struct ctf_program *p, const struct ctf_node *node)
{
	u32 *targets = ctf_alloc(p->trace, node->nr_choices * sizeof(*targets));
	u64 known = p->known, at = p->at, after = 0, after_at = 0;
	size_t first = p->nr, jumps = first;
	struct ctf_op *op = add(p, CTF_OP_CHOOSE);
	const struct ctf_node *option;
	unsigned int i;

	if (!targets || !op)
		return -ENOMEM;
	op->node = node;
	op->targets = targets;
	for (option = node->child; option; option = option->next) {
		for (i = 0; i < node->nr_choices; i++) {
			if (node->choices[i].option == option)
				targets[i] = p->nr - first - 1;
		}
		p->known = known;
		p->at = at;
		if (program_option(p, option, &jumps))
			return -ENOMEM;
		if (after)
			meet(p, after, after_at);
		after = p->known;
		after_at = p->at;
	}
	land(p, jumps, first);
	return 0;
}

static int program_node(struct ctf_program *p, const struct ctf_node *node, bool shown)
{
	switch (node->type->kind) {
	case CTF_STRUCT:
		return program_struct(p, node, shown);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return program_array(p, node, shown);
	case CTF_VARIANT:
		return shown ? add_walk(p, node, true) : program_variant(p, node);
	case CTF_STRING:
		if (!shown)
			return add_walk(p, node, false);
		if (align_to(p, 8) || !add(p, CTF_OP_STRING))
			return -ENOMEM;
		know(p, 8);
		return 0;
	default:
		return program_number(p, node, shown);
	}
}

/**
 * ctf_program_begin() - begin to make steps
 * @program:	the steps
 */
void ctf_program_begin(struct ctf_program *program)
{
	memset(program, 0, sizeof(*program));
	know(program, 1);
}

/**
 * ctf_program_add() - add steps that read a scope
 * @program:	the steps
 * @trace:	the trace
 * @root:	the scope, NULL: there is none
 * @shown:	what means nothing to us becomes a part of the event
 *
 * Return: 0 or -ENOMEM.
 */
int ctf_program_add(struct ctf_program *program, struct ctf_trace *trace,
		    const struct ctf_node *root, bool shown)
{
	program->trace = trace;
	if (root && program_node(program, root, shown))
		return ctf_no_memory(trace);
	return 0;
}

/**
 * ctf_program_end() - have the steps
 * @program:	the steps; cannot be used any more
 * @trace:	they are kept as long as that
 *
 * Return: the steps, or NULL: no memory.
 */
const struct ctf_op *ctf_program_end(struct ctf_program *program, struct ctf_trace *trace)
{
	struct ctf_op *ops = ctf_alloc(trace, (program->nr + 1) * sizeof(*ops));

	/* What follows them is CTF_OP_END. */
	if (ops && program->nr)
		memcpy(ops, program->ops, program->nr * sizeof(*ops));
	free(program->ops);
	if (!ops)
		ctf_no_memory(trace);
	return ops;
}
