// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: expressions, from a tree to a program.
 *
 * Tests are made from the end of the expression to its start: their successors are there
 * before them.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/unaligned.h>

#include "expr.h"

/**
 * struct compiler - state of the compiler
 * @tree:	the tree
 * @layout:	where the values are
 * @expr:	being made
 * @nr_tests:	tests made
 * @nr_steps:	steps made
 */
struct compiler {
	const struct ltt_expr_tree *tree;
	const struct ltt_expr_layout *layout;
	struct ltt_expr *expr;
	unsigned int nr_tests;
	unsigned int nr_steps;
};

static const struct ltt_expr_node *node(const struct compiler *c, unsigned int nr)
{
	return &c->tree->node[nr];
}

static const struct ltt_field *field_of(const struct compiler *c, const struct ltt_expr_node *n)
{
	return ltt_expr_field(c->expr->fields, c->expr->context, n->context, n->field);
}

/* ---- steps -------------------------------------------------------------------- */

static struct ltt_expr_step *step(struct compiler *c, u8 op)
{
	struct ltt_expr_step *new = &c->expr->step[c->nr_steps++];

	memset(new, 0, sizeof(*new));
	new->op = op;
	return new;
}

/* The same text in the program. */
static const char *text_of(const struct compiler *c, const struct ltt_expr_node *n)
{
	return c->expr->text + (n->text - c->tree->strings);
}

static void compute(struct compiler *c, unsigned int nr);

static void load(struct compiler *c, const struct ltt_expr_node *n)
{
	const struct ltt_field *field = field_of(c, n);
	struct ltt_expr_step *s = step(c, LTT_OP_LOAD);

	s->field = n->field;
	s->index = n->index;
	if (field->flags & LTT_FIELD_SIGNED)
		s->flags |= LTT_STEP_SIGNED;
	if (field->flags & LTT_FIELD_BE ? !LTT_HOST_BE : c->expr->swap)
		s->flags |= LTT_STEP_SWAP;
	if (n->context)
		s->flags |= LTT_STEP_CONTEXT;
}

static struct ltt_expr_step *string_step(struct compiler *c, u8 op,
					 const struct ltt_expr_node *field)
{
	struct ltt_expr_step *s = step(c, op);

	s->field = field->field;
	if (field->context)
		s->flags |= LTT_STEP_CONTEXT;
	return s;
}

static void compare_strings(struct compiler *c, u8 op, const struct ltt_expr_node *a,
			    const struct ltt_expr_node *b)
{
	struct ltt_expr_step *s;

	if (a->kind == LTT_EXPR_TEXT && b->kind == LTT_EXPR_TEXT) {
		step(c, LTT_OP_CONST)->value = a->len == b->len &&
					       !memcmp(a->text, b->text, a->len);
	} else if (a->kind == LTT_EXPR_STRING && b->kind == LTT_EXPR_STRING) {
		s = string_step(c, LTT_OP_FIELDS_EQ, a);
		s->field_b = b->field;
		if (b->context)
			s->flags |= LTT_STEP_CONTEXT_B;
	} else {
		if (a->kind == LTT_EXPR_TEXT)
			swap(a, b);
		s = string_step(c, op == LTT_OP_MATCH ? LTT_OP_STR_MATCH : LTT_OP_STR_EQ, a);
		s->text = text_of(c, b);
		s->len = b->len;
	}
	if (op == LTT_OP_NE)
		step(c, LTT_OP_NOT);
}

/* A binary operator whose operands are on the stack. */
static void combine(struct compiler *c, const struct ltt_expr_node *n)
{
	struct ltt_expr_step *s = step(c, n->op);

	if (!node(c, n->a)->is_unsigned)
		s->flags |= LTT_STEP_SIGNED;
	if (!node(c, n->b)->is_unsigned)
		s->flags |= LTT_STEP_SIGNED_B;
}

static void compute_in(struct compiler *c, const struct ltt_expr_node *n)
{
	const struct ltt_expr_node *operand = node(c, n->a), *item, *from, *to;
	struct ltt_expr_step *s;
	unsigned int nr;

	if (operand->is_string)
		step(c, LTT_OP_CONST);
	else
		compute(c, n->a);
	if (!operand->is_string)
		step(c, LTT_OP_IN_BEGIN);
	for (nr = n->b; nr; nr = item->value) {
		item = node(c, nr);
		from = node(c, item->a);
		to = node(c, item->b);
		if (operand->is_string) {
			compare_strings(c, LTT_OP_EQ, operand, from);
			step(c, LTT_OP_OR);
			continue;
		}
		s = step(c, LTT_OP_IN_ITEM);
		s->value = from->value;
		s->to = to->value;
		s->flags = (from->is_unsigned ? 0 : LTT_STEP_SIGNED) |
			   (to->is_unsigned ? 0 : LTT_STEP_SIGNED_B);
		/* How the operand is to be taken: see eval.c. */
		s->index = operand->is_unsigned;
	}
	if (!operand->is_string)
		step(c, LTT_OP_IN_END);
}

/* Is it an operator that combines values of the stack? */
static bool combines(const struct compiler *c, const struct ltt_expr_node *n)
{
	return n->kind == LTT_EXPR_BINARY && !node(c, n->a)->is_string;
}

/* Where the operators do not combine(). */
static void compute_end(struct compiler *c, unsigned int nr)
{
	const struct ltt_expr_node *n = node(c, nr);
	struct ltt_expr_step *s;

	switch (n->kind) {
	case LTT_EXPR_CONST:
		step(c, LTT_OP_CONST)->value = n->value;
		break;
	case LTT_EXPR_FIELD:
		load(c, n);
		break;
	case LTT_EXPR_LEN:
		s = step(c, LTT_OP_LEN);
		s->field = n->field;
		if (n->context)
			s->flags |= LTT_STEP_CONTEXT;
		break;
	case LTT_EXPR_UNARY:
		compute(c, n->a);
		step(c, n->op);
		break;
	case LTT_EXPR_IN:
		compute_in(c, n);
		break;
	case LTT_EXPR_BINARY:
		compare_strings(c, n->op, node(c, n->a), node(c, n->b));
		break;
	}
}

/* Steps that leave the value of a tree on the stack. */
static void compute(struct compiler *c, unsigned int nr)
{
	unsigned int at = nr;

	/* Down the first operands, and up again. */
	while (combines(c, node(c, at)))
		at = node(c, at)->a;
	compute_end(c, at);
	while (at != nr) {
		at = node(c, at)->up;
		compute(c, node(c, at)->b);
		combine(c, node(c, at));
	}
}

/* ---- tests -------------------------------------------------------------------- */

/* Offset of a field in every event or its arguments, or of a context in the task; or -1. */
static long offset_of(const struct compiler *c, const struct ltt_expr_node *n)
{
	const struct ltt_format *fields = c->expr->fields;
	const struct ltt_field *field;
	long at = 0;
	unsigned int i;

	if (n->context)
		return c->layout->task_at ? c->layout->task_at[n->field] : -1;
	if (c->layout->args)
		return n->field * sizeof(u64);
	for (i = 0; i < n->field; i++) {
		field = &fields->fields[i];
		if (field->store == LTT_STORE_INT)
			at += field->size;
		else if (field->store == LTT_STORE_ARRAY)
			at += field->size * field->count;
		else
			return -1;
	}
	return at;
}

/* Is it an argument? */
static bool is_arg(const struct compiler *c, const struct ltt_expr_node *n)
{
	return c->layout->args && !n->context;
}

/* Where a string is that tests can look at; -1 if none can. */
static long string_place_of(const struct compiler *c, const struct ltt_expr_node *n)
{
	return n->kind == LTT_EXPR_STRING ? offset_of(c, n) : -1;
}

/* Where an integer is that a test can look at; -1 if none can. */
static long place_of(const struct compiler *c, const struct ltt_expr_node *n)
{
	const struct ltt_field *field;
	long at;

	if (n->kind != LTT_EXPR_FIELD)
		return -1;
	field = field_of(c, n);
	at = offset_of(c, n);
	if (at < 0 || field->store == LTT_STORE_SEQ || field->size > sizeof(u64))
		return -1;
	if (field->size > 1 && (field->flags & LTT_FIELD_BE ? !LTT_HOST_BE : c->expr->swap))
		return -1;
	if (is_arg(c, n))
		return field->store == LTT_STORE_INT ? at : -1;
	return at + n->index * field->size;
}

static u64 ones(unsigned int bytes)
{
	return bytes < sizeof(u64) ? (1ull << 8 * bytes) - 1 : ~0ull;
}

static unsigned int test(struct compiler *c, unsigned int yes, unsigned int no)
{
	struct ltt_expr_test *new = &c->expr->test[c->nr_tests];

	memset(new, 0, sizeof(*new));
	new->yes = yes;
	new->no = no;
	return c->nr_tests++;
}

/*
 * Are those of the @bytes at @at, the place of @n, that are in @mask from @lo to @hi? If @lo is
 * greater: are they from @lo on, or up to @hi?
 */
static unsigned int test_bytes(struct compiler *c, const struct ltt_expr_node *n, long at,
			       unsigned int bytes, u64 mask, u64 lo, u64 hi, unsigned int yes,
			       unsigned int no)
{
	/* Of 8 bytes, big-endian machines have the first ones at the top. Arguments are values. */
	bool is_value = is_arg(c, n) && n->kind == LTT_EXPR_FIELD;
	unsigned int shift = LTT_HOST_BE && !is_value ? 64 - 8 * bytes : 0;
	unsigned int nr = test(c, yes, no);
	struct ltt_expr_test *t = &c->expr->test[nr];

	t->at = at;
	t->place = n->context ? LTT_PLACE_TASK : LTT_PLACE_EVENT;
	t->mask = mask << shift;
	t->lo = lo << shift;
	t->span = (hi - lo) << shift;
	/* What is outside of an interval is one, too: all tests that are alone are alike. */
	if (yes == LTT_TEST_NO && no == LTT_TEST_YES && ~t->span) {
		t->lo += t->span + 1;
		t->span = ~t->span - 1;
		t->yes = LTT_TEST_YES;
		t->no = LTT_TEST_NO;
	}
	return nr;
}

static unsigned int test_code(struct compiler *c, unsigned int nr, unsigned int yes,
			      unsigned int no)
{
	unsigned int begin = c->nr_steps, made;
	struct ltt_expr_test *t;

	compute(c, nr);
	made = test(c, yes, no);
	t = &c->expr->test[made];
	t->at = begin;
	t->place = LTT_PLACE_STEPS;
	t->skip = c->nr_steps - begin;
	return made;
}

/* An interval of values of 64 bits; both ends are in it. Empty if @lo is greater. */
struct interval {
	s64 lo;
	s64 hi;
};

/* The signed values v with "v op value"; @op is not NE. */
static struct interval signed_interval(u8 op, u64 value, bool is_unsigned)
{
	static const struct interval all = { S64_MIN, S64_MAX }, none = { 1, 0 };
	s64 v = value;

	if (is_unsigned && v < 0)	/* greater than any */
		return op == LTT_OP_LT || op == LTT_OP_LE ? all : none;
	switch (op) {
	case LTT_OP_LT:
		return v == S64_MIN ? none : (struct interval){ S64_MIN, v - 1 };
	case LTT_OP_LE:
		return (struct interval){ S64_MIN, v };
	case LTT_OP_GT:
		return v == S64_MAX ? none : (struct interval){ v + 1, S64_MAX };
	case LTT_OP_GE:
		return (struct interval){ v, S64_MAX };
	default:
		return (struct interval){ v, v };
	}
}

/* The same for unsigned values v; less than 1 << 63 each, they are signed intervals. */
static bool unsigned_interval(u8 op, u64 value, bool is_unsigned, u64 *lo, u64 *hi)
{
	*lo = 0;
	*hi = ~0ull;
	if (!is_unsigned && (s64)value < 0)	/* less than any */
		return op == LTT_OP_GT || op == LTT_OP_GE;
	switch (op) {
	case LTT_OP_LT:
		*hi = value - 1;
		return value;
	case LTT_OP_LE:
		*hi = value;
		return true;
	case LTT_OP_GT:
		*lo = value + 1;
		return ~value;
	case LTT_OP_GE:
		*lo = value;
		return true;
	default:
		*lo = value;
		*hi = value;
		return true;
	}
}

/* What a field can be, without that of 8 bytes which is unsigned. */
static struct interval range_of(const struct ltt_field *field)
{
	u64 mask = ones(field->size);

	if (field->flags & LTT_FIELD_SIGNED)
		return (struct interval){ -(s64)(mask / 2) - 1, mask / 2 };
	return (struct interval){ 0, mask };
}

/* An integer at @at is in an interval. */
static unsigned int test_interval(struct compiler *c, long at, const struct ltt_expr_node *n,
				  struct interval in, unsigned int yes, unsigned int no)
{
	const struct ltt_field *field = field_of(c, n);
	struct interval range = range_of(field);
	u64 mask = ones(field->size);

	in.lo = max(in.lo, range.lo);
	in.hi = min(in.hi, range.hi);
	if (in.lo > in.hi)
		return no;
	if (in.lo == range.lo && in.hi == range.hi)
		return yes;
	return test_bytes(c, n, at, field->size, mask, in.lo & mask, in.hi & mask, yes, no);
}

/* "field op value" */
static unsigned int test_int(struct compiler *c, long at, const struct ltt_expr_node *n, u8 op,
			     u64 value, bool is_unsigned, unsigned int yes, unsigned int no)
{
	u64 lo, hi;

	if (op == LTT_OP_NE) {
		op = LTT_OP_EQ;
		swap(yes, no);
	}
	if (!n->is_unsigned)
		return test_interval(c, at, n, signed_interval(op, value, is_unsigned), yes, no);
	if (!unsigned_interval(op, value, is_unsigned, &lo, &hi))
		return no;
	return lo || ~hi ? test_bytes(c, n, at, sizeof(u64), ~0ull, lo, hi, yes, no) : yes;
}

/* "a < b" is "b > a". */
static u8 mirrored(u8 op)
{
	switch (op) {
	case LTT_OP_LT:
		return LTT_OP_GT;
	case LTT_OP_LE:
		return LTT_OP_GE;
	case LTT_OP_GT:
		return LTT_OP_LT;
	case LTT_OP_GE:
		return LTT_OP_LE;
	default:
		return op;
	}
}

/* "(field & bits) == value", or the reverse; -1 if it is no such test. */
static int test_bits(struct compiler *c, const struct ltt_expr_node *n, u64 value,
		     bool is_unsigned, unsigned int yes, unsigned int no)
{
	const struct ltt_expr_node *a, *b;
	u64 mask;
	long at;

	if (n->kind != LTT_EXPR_BINARY || n->op != LTT_OP_AND)
		return -1;
	a = node(c, n->a);
	b = node(c, n->b);
	if (a->kind == LTT_EXPR_CONST)
		swap(a, b);
	at = place_of(c, a);
	if (b->kind != LTT_EXPR_CONST || at < 0)
		return -1;
	mask = ones(field_of(c, a)->size);
	/* Bits of the sign are where no byte is. */
	if (b->value & ~mask)
		return -1;
	if (value & ~b->value)
		return no;
	/* The same bits are another value. */
	if ((s64)value < 0 && is_unsigned != n->is_unsigned)
		return no;
	return test_bytes(c, a, at, field_of(c, a)->size, b->value, value, value, yes, no);
}

/* @bytes of a string from @at on, NULs after its end. */
static u64 text_word(const struct ltt_expr_node *n, unsigned int at, unsigned int bytes)
{
	u64 word = 0;

	if (at < n->len)
		memcpy(&word, n->text + at, min(n->len - at, bytes));
	return LTT_HOST_BE ? word >> (64 - 8 * bytes) : word;
}

/* Bytes of a string that are recorded at most, of an array without a NUL if it is full. */
static unsigned int string_room(const struct compiler *c, const struct ltt_expr_node *n)
{
	const struct ltt_field *field = field_of(c, n);

	if (field->store == LTT_STORE_ARRAY)
		return field->count;
	/* What is behind these is cut, and the NUL is not in the argument. */
	if (is_arg(c, n))
		return field->flags & LTT_FIELD_PREC ?
		       min_t(unsigned int, field->prec, LTT_MAX_STR - 1) : LTT_MAX_STR - 1;
	return UINT_MAX;
}

/*
 * Is it more than what an argument points to that decides? "(null)" and "(fault)" are
 * recorded in place of what is not there, whole; and see where the pointer leads if no byte of
 * it matters.
 */
static bool is_odd(const struct compiler *c, const struct ltt_expr_node *a,
		   const struct ltt_expr_node *text)
{
	static const char *const instead[] = { "(null)", "(fault)" };
	unsigned int i;

	if (!is_arg(c, a))
		return false;
	for (i = 0; i < ARRAY_SIZE(instead); i++) {
		if (text->len == strlen(instead[i]) && !memcmp(text->text, instead[i], text->len))
			return true;
	}
	return !string_room(c, a);
}

/*
 * "field == text", eight bytes at a time, and the NUL if there is room for one. If the ones
 * before are equal, the string is long enough for the next ones.
 */
static int test_string(struct compiler *c, const struct ltt_expr_node *a,
		       const struct ltt_expr_node *b, unsigned int yes, unsigned int no)
{
	unsigned int len, room, at, bytes;
	long offset;
	u64 word;

	if (a->kind == LTT_EXPR_TEXT)
		swap(a, b);
	offset = string_place_of(c, a);
	if (offset < 0 || b->kind != LTT_EXPR_TEXT || is_odd(c, a, b))
		return -1;
	room = string_room(c, a);
	len = b->len;
	if (len > room)
		return no;
	if (len < room)
		len++;
	/* From the end to the start. */
	for (at = (len - 1) / 8 * 8; ; at -= 8) {
		bytes = min(len - at, 8u);
		word = text_word(b, at, bytes);
		yes = test_bytes(c, a, offset + (is_arg(c, a) ? 0 : at), bytes, ones(bytes),
				 word, word, yes, no);
		if (is_arg(c, a)) {
			c->expr->test[yes].place = LTT_PLACE_TEXT;
			c->expr->test[yes].skip = at;
		}
		if (!at)
			return yes;
	}
}

static unsigned int test_tree(struct compiler *c, unsigned int nr, unsigned int yes,
			      unsigned int no);

static unsigned int test_comparison(struct compiler *c, unsigned int nr, unsigned int yes,
				    unsigned int no)
{
	const struct ltt_expr_node *n = node(c, nr), *a = node(c, n->a), *b = node(c, n->b);
	bool equal = n->op == LTT_OP_EQ;
	u8 op = n->op;
	int made = -1;
	long at;

	if (a->is_string) {
		if (op == LTT_OP_EQ || op == LTT_OP_NE)
			made = test_string(c, a, b, equal ? yes : no, equal ? no : yes);
		return made >= 0 ? (unsigned int)made : test_code(c, nr, yes, no);
	}
	if (a->kind == LTT_EXPR_CONST) {
		swap(a, b);
		op = mirrored(op);
	}
	if (b->kind != LTT_EXPR_CONST)
		return test_code(c, nr, yes, no);
	at = place_of(c, a);
	if (at >= 0)
		return test_int(c, at, a, op, b->value, b->is_unsigned, yes, no);
	if (op == LTT_OP_EQ || op == LTT_OP_NE)
		made = test_bits(c, a, b->value, b->is_unsigned, equal ? yes : no,
				 equal ? no : yes);
	return made >= 0 ? (unsigned int)made : test_code(c, nr, yes, no);
}

/* Are there odd strings in the braces? */
static bool has_odd(const struct compiler *c, const struct ltt_expr_node *n)
{
	const struct ltt_expr_node *a = node(c, n->a), *item;
	unsigned int nr;

	for (nr = a->is_string ? n->b : 0; nr; nr = item->value) {
		item = node(c, nr);
		if (is_odd(c, a, node(c, item->a)))
			return true;
	}
	return false;
}

static unsigned int test_in(struct compiler *c, unsigned int nr, unsigned int yes,
			    unsigned int no)
{
	const struct ltt_expr_node *n = node(c, nr), *a = node(c, n->a), *item, *from, *to;
	long at = a->is_string ? string_place_of(c, a) : place_of(c, a);
	unsigned int upper;

	if (at < 0 || has_odd(c, n))
		return test_code(c, nr, yes, no);
	for (nr = n->b; nr; nr = item->value) {
		item = node(c, nr);
		from = node(c, item->a);
		to = node(c, item->b);
		if (a->is_string) {
			no = test_string(c, a, from, yes, no);
		} else if (from == to) {
			no = test_int(c, at, a, LTT_OP_EQ, from->value, from->is_unsigned, yes, no);
		} else {
			upper = test_int(c, at, a, LTT_OP_LE, to->value, to->is_unsigned, yes, no);
			no = test_int(c, at, a, LTT_OP_GE, from->value, from->is_unsigned, upper,
				      no);
		}
	}
	return no;
}

/* Return: where to begin, so that it ends with @yes if the tree is not 0, and else with @no. */
static unsigned int test_tree(struct compiler *c, unsigned int nr, unsigned int yes,
			      unsigned int no)
{
	const struct ltt_expr_node *n;
	long at;
	int made;

	/* Chains of these are as long as an expression can be. */
	for (n = node(c, nr); n->kind == LTT_EXPR_BINARY; nr = n->a, n = node(c, nr)) {
		if (n->op == LTT_OP_OROR)
			no = test_tree(c, n->b, yes, no);
		else if (n->op == LTT_OP_ANDAND)
			yes = test_tree(c, n->b, yes, no);
		else
			break;
	}
	switch (n->kind) {
	case LTT_EXPR_CONST:
		return n->value ? yes : no;
	case LTT_EXPR_FIELD:
		at = place_of(c, n);
		if (at >= 0)
			return test_int(c, at, n, LTT_OP_NE, 0, false, yes, no);
		break;
	case LTT_EXPR_UNARY:
		if (n->op == LTT_OP_NOT)
			return test_tree(c, n->a, no, yes);
		break;
	case LTT_EXPR_IN:
		return test_in(c, nr, yes, no);
	case LTT_EXPR_BINARY:
		switch (n->op) {
		case LTT_OP_AND:
			made = test_bits(c, n, 0, false, no, yes);
			if (made >= 0)
				return made;
			break;
		case LTT_OP_LT:
		case LTT_OP_LE:
		case LTT_OP_GT:
		case LTT_OP_GE:
		case LTT_OP_EQ:
		case LTT_OP_NE:
		case LTT_OP_MATCH:
			return test_comparison(c, nr, yes, no);
		}
		break;
	}
	return test_code(c, nr, yes, no);
}

/* ---- programs ------------------------------------------------------------------ */

/*
 * Room for a program. No node is compiled twice. A comparison makes one test, that with a
 * string another one for every 8 bytes of it; "5-9" makes two and is three nodes. No node
 * makes more than two steps itself: "!=" of strings, "in", and each string in its braces.
 */
static struct ltt_expr *alloc(const struct ltt_expr_tree *tree)
{
	size_t tests = tree->nr + LTT_EXPR_MAX / 8, steps = 2 * tree->nr, size;
	struct ltt_expr *expr;

	size = sizeof(*expr) + tests * sizeof(*expr->test) + steps * sizeof(*expr->step) +
	       tree->strings_used;
	expr = kvmalloc(size, GFP_KERNEL);
	if (!expr)
		return NULL;
	expr->test = (void *)(expr + 1);
	expr->step = (void *)(expr->test + tests);
	expr->text = (void *)(expr->step + steps);
	return expr;
}

/**
 * ltt_expr_compile() - make a program of a tree
 * @tree:	the tree
 * @root:	its root
 * @layout:	where the values are
 *
 * Context: task; may sleep.
 * Return: the program; NULL if there is no memory.
 */
struct ltt_expr *ltt_expr_compile(const struct ltt_expr_tree *tree, unsigned int root,
				  const struct ltt_expr_layout *layout)
{
	struct ltt_expr *expr = alloc(tree);
	struct compiler c = { .tree = tree, .layout = layout, .expr = expr };

	if (!expr)
		return NULL;
	expr->fields = tree->fields;
	expr->context = tree->context;
	expr->swap = layout->swap;
	memcpy(expr->text, tree->strings, tree->strings_used);
	expr->start = test_tree(&c, root, LTT_TEST_YES, LTT_TEST_NO);
	return expr;
}

/**
 * ltt_expr_parse_for() - parse an expression for values at some places
 * @text:	the expression
 * @layout:	what it may be about
 * @error:	receives what is wrong with it, and where; empty on success
 *
 * Names and types are checked: what is accepted can be evaluated for any event with these
 * fields.
 *
 * Context: task; may sleep.
 * Return: the expression, to be freed by ltt_expr_free(); ERR_PTR: -E2BIG (longer than
 * LTT_EXPR_MAX), -EINVAL, -ENOMEM.
 */
struct ltt_expr *ltt_expr_parse_for(const char *text, const struct ltt_expr_layout *layout,
				    char error[LTT_EXPR_ERROR])
{
	struct ltt_expr_tree *tree;
	struct ltt_expr *expr;
	int root;

	error[0] = '\0';
	if (strnlen(text, LTT_EXPR_MAX + 1) > LTT_EXPR_MAX) {
		snprintf(error, LTT_EXPR_ERROR, "the expression is longer than %u bytes",
			 LTT_EXPR_MAX);
		return ERR_PTR(-E2BIG);
	}
	tree = kvmalloc(sizeof(*tree), GFP_KERNEL);
	if (!tree) {
		snprintf(error, LTT_EXPR_ERROR, "out of memory");
		return ERR_PTR(-ENOMEM);
	}
	tree->fields = layout->fields;
	tree->context = layout->context;
	root = ltt_expr_parse_tree(tree, text, error);
	if (root < 0) {
		expr = ERR_PTR(root);
	} else {
		expr = ltt_expr_compile(tree, root, layout);
		if (!expr) {
			snprintf(error, LTT_EXPR_ERROR, "out of memory");
			expr = ERR_PTR(-ENOMEM);
		}
	}
	kvfree(tree);
	return expr;
}

/**
 * ltt_expr_parse() - parse an expression
 * @text:	the expression
 * @fields:	what it may be about; must stay as long as the result
 * @context:	the same for names with $ before them; may be NULL
 * @swap:	events are written in the other byte order
 * @error:	as ltt_expr_parse_for()
 *
 * Context: task; may sleep.
 * Return: as ltt_expr_parse_for().
 */
struct ltt_expr *ltt_expr_parse(const char *text, const struct ltt_format *fields,
				const struct ltt_format *context, bool swap,
				char error[LTT_EXPR_ERROR])
{
	const struct ltt_expr_layout layout = {
		.fields = fields,
		.context = context,
		.swap = swap,
	};

	return ltt_expr_parse_for(text, &layout, error);
}
EXPORT_SYMBOL_GPL(ltt_expr_parse);

/**
 * ltt_expr_free() - free an expression
 * @expr:	what ltt_expr_parse() returned, an error or NULL included
 *
 * Context: task.
 */
void ltt_expr_free(struct ltt_expr *expr)
{
	if (!IS_ERR_OR_NULL(expr))
		kvfree(expr);
}
EXPORT_SYMBOL_GPL(ltt_expr_free);
