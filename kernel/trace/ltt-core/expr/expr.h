/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of expressions.
 *
 * parse.c turns the text into a tree and checks its types, compile.c the tree into a
 * program, eval.c runs that.
 *
 * A program is a decision graph. Its nodes are tests, each with one successor if it passes and
 * another one if not; a successor has a smaller number, so that any program ends. && || and !
 * are in the edges and cost nothing. Nearly all tests are of one form: some bytes at a fixed place,
 * taken as an integer, are in an interval. All comparisons of a field with a constant come to
 * that, those of short strings, too. What is left is computed on a stack.
 *
 * Values are integers of 64 bits; the type says whether they are signed. Fields are signed
 * unless they are unsigned ones of 8 bytes. An operator whose operands differ works on
 * unsigned ones, as in C; but comparisons are those of the values.
 */
#ifndef _LTT_EXPR_PRIVATE_H
#define _LTT_EXPR_PRIVATE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/ltt/expr.h>
#include <linux/ltt/unaligned.h>

/*
 * So deep are a tree and the stack of a program at most: C functions recurse as deep. The first
 * operand of a binary operator is at the depth of the operator. It is computed first, and what
 * follows it from there up: chains such as a || b || c can have any length.
 */
#define LTT_EXPR_DEPTH	32
#define LTT_EXPR_NODES	1024

/* The last element of a sequence that there can be: no event has more bytes. */
#define LTT_EXPR_INDEX	((64u << 20) - 1)

enum ltt_expr_kind {
	LTT_EXPR_CONST,		/* value */
	LTT_EXPR_TEXT,		/* a string in the expression: text, len */
	LTT_EXPR_NAME,		/* one of a table that is not known yet: text, len */
	LTT_EXPR_FIELD,		/* field, index: an integer */
	LTT_EXPR_STRING,	/* field: text of the event */
	LTT_EXPR_LEN,		/* field: its characters, elements or bytes */
	LTT_EXPR_UNARY,		/* op, a */
	LTT_EXPR_BINARY,	/* op, a, b */
	LTT_EXPR_IN,		/* a; value of its items, which begin at b */
	LTT_EXPR_ITEM,		/* a, b: from and to; the next one is at value */
};

/* Operators; the unary minus and complement are told from others by the kind of node. */
enum ltt_expr_op {
	LTT_OP_NOT,
	LTT_OP_MINUS,
	LTT_OP_COMPLEMENT,
	LTT_OP_MUL,
	LTT_OP_ADD,
	LTT_OP_SUB,
	LTT_OP_SHL,
	LTT_OP_SHR,
	LTT_OP_LT,
	LTT_OP_LE,
	LTT_OP_GT,
	LTT_OP_GE,
	LTT_OP_EQ,
	LTT_OP_NE,
	LTT_OP_MATCH,
	LTT_OP_AND,
	LTT_OP_XOR,
	LTT_OP_OR,
	LTT_OP_ANDAND,
	LTT_OP_OROR,
	/* Only in programs. */
	LTT_OP_CONST,
	LTT_OP_LOAD,
	LTT_OP_LEN,
	LTT_OP_STR_EQ,
	LTT_OP_STR_MATCH,
	LTT_OP_FIELDS_EQ,
	LTT_OP_IN_BEGIN,
	LTT_OP_IN_ITEM,
	LTT_OP_IN_END,
};

/**
 * struct ltt_expr_node - a node of the tree
 * @kind:	enum ltt_expr_kind
 * @op:		enum ltt_expr_op
 * @is_unsigned: its value is
 * @is_string:	it is a string, not an integer
 * @context:	@field is of the context
 * @depth:	of the tree from here, see LTT_EXPR_DEPTH
 * @field:	number of the field
 * @index:	of the element
 * @table:	number of a field from which names of values come, and 1; 0 if there is none
 * @a:		first operand
 * @b:		second operand
 * @up:		the binary operator whose first operand it is; 0 if there is none
 * @column:	where it is in the text, from 1
 * @name:	the first node of its tree that is an LTT_EXPR_NAME, and 1; 0 if there is none
 * @len:	bytes of @text
 * @text:	text of a constant string, without escapes; of a name
 * @value:	of a constant
 */
struct ltt_expr_node {
	u8 kind;
	u8 op;
	bool is_unsigned;
	bool is_string;
	bool context;
	u8 depth;
	u16 field;
	u32 index;
	u16 table;
	u16 a;
	u16 b;
	u16 up;
	u16 column;
	u16 name;
	u16 len;
	const char *text;
	u64 value;
};

/**
 * struct ltt_expr_tree - a parsed expression
 * @fields:	of the event
 * @context:	of its context, or NULL
 * @nr:		nodes in use
 * @strings:	room for constant strings
 * @strings_used: bytes of it in use
 * @node:	nodes; operands before operators
 */
struct ltt_expr_tree {
	const struct ltt_format *fields;
	const struct ltt_format *context;
	unsigned int nr;
	unsigned int strings_used;
	char strings[LTT_EXPR_MAX + 1];
	struct ltt_expr_node node[LTT_EXPR_NODES];
};

/* Successors that are no tests. */
#define LTT_TEST_NO	0xfffe
#define LTT_TEST_YES	0xffff

/* Where the 8 bytes are that a test looks at. */
enum ltt_expr_place {
	LTT_PLACE_EVENT,	/* at @at in the payload, or in the arguments */
	LTT_PLACE_TASK,		/* at @at in the task */
	LTT_PLACE_TEXT,		/* at @skip in the text to which the argument at @at points */
	LTT_PLACE_STEPS,	/* nowhere: steps, the first of which is @at, leave the result */
};

/**
 * struct ltt_expr_test - a test of a program
 * @mask:	of the 8 bytes
 * @lo:		the smallest value that passes
 * @span:	by how much others may be greater, modulo 2^64: signed ones go from negative
 *		values, which are the greatest as bits, to positive ones
 * @at:		see @place
 * @yes:	the successor if it passes, a smaller number
 * @no:		the successor if not
 * @place:	enum ltt_expr_place
 * @skip:	LTT_PLACE_TEXT: bytes; all before them have passed and are no NUL.
 *		LTT_PLACE_STEPS: the number of steps
 */
struct ltt_expr_test {
	u64 mask;
	u64 lo;
	u64 span;
	u32 at;
	u16 yes;
	u16 no;
	u16 place;
	u16 skip;
};

/* Flags of struct ltt_expr_step. */
#define LTT_STEP_SIGNED		0x01	/* LOAD: sign-extend; comparisons: the first is signed */
#define LTT_STEP_SIGNED_B	0x02	/* comparisons: the second is signed */
#define LTT_STEP_SWAP		0x04	/* LOAD: bytes are reversed */
#define LTT_STEP_CONTEXT	0x08	/* the field is of the context */
#define LTT_STEP_CONTEXT_B	0x10	/* the second field is of the context */

/**
 * struct ltt_expr_step - a step of a computation
 * @op:		enum ltt_expr_op
 * @flags:	LTT_STEP_*
 * @field:	number of a field
 * @field_b:	of another one
 * @len:	bytes of @text
 * @index:	element of an array or sequence
 * @value:	a constant
 * @text:	a string
 * @to:		IN_ITEM: the end of what begins with @value
 */
struct ltt_expr_step {
	u8 op;
	u8 flags;
	u16 field;
	u16 field_b;
	u16 len;
	u32 index;
	union {
		u64 value;
		const char *text;
	};
	u64 to;
};

/**
 * struct ltt_expr - a program
 * @fields:	of the event
 * @context:	of its context, or NULL
 * @swap:	the event was written in the other byte order
 * @start:	the first test, or LTT_TEST_*
 * @test:	tests
 * @step:	steps
 * @text:	strings
 */
struct ltt_expr {
	const struct ltt_format *fields;
	const struct ltt_format *context;
	bool swap;
	u16 start;
	struct ltt_expr_test *test;
	struct ltt_expr_step *step;
	char *text;
};

/* Do these 8 bytes pass? */
static __always_inline bool ltt_expr_passes(const struct ltt_expr_test *test, u64 bytes)
{
	return (bytes & test->mask) - test->lo <= test->span;
}

/**
 * ltt_expr_try() - evaluate an expression as far as it is tests of bytes
 * @expr:	the expression
 * @event:	the event's fields, behind which LTT_EXPR_SLACK bytes can be read, too; or its
 *		arguments
 * @task:	the task
 * @text:	for arguments, else NULL: loads 8 bytes of a text; returns false if it had better
 *		not
 *
 * Context: any, NMI included.
 * Return: LTT_TEST_YES or LTT_TEST_NO; else the test that needs more.
 */
static __always_inline unsigned int ltt_expr_try(const struct ltt_expr *expr, const u8 *event,
						 const u8 *task,
						 bool (*text)(u64 *bytes, const u8 *from))
{
	const struct ltt_expr_test *test;
	unsigned int nr = expr->start;
	const u8 *from;
	u64 bytes;

	while (nr < LTT_TEST_NO) {
		test = &expr->test[nr];
		from = event + test->at;
		if (unlikely(test->place)) {
			if (test->place == LTT_PLACE_TASK) {
				from = task + test->at;
			} else if (text && test->place != LTT_PLACE_STEPS) {
				from = (const u8 *)(unsigned long)ltt_load64(from, false);
				if (unlikely(!text(&bytes, from + test->skip)))
					break;
				from = (const u8 *)&bytes;
			} else {
				break;
			}
		}
		nr = ltt_expr_passes(test, ltt_load64(from, false)) ? test->yes : test->no;
	}
	return nr;
}

static inline const struct ltt_field *ltt_expr_field(const struct ltt_format *fields,
						     const struct ltt_format *context,
						     bool in_context, unsigned int field)
{
	return &(in_context ? context : fields)->fields[field];
}

int ltt_expr_parse_tree(struct ltt_expr_tree *tree, const char *text,
			char error[LTT_EXPR_ERROR]);
struct ltt_expr *ltt_expr_compile(const struct ltt_expr_tree *tree, unsigned int root,
				  const struct ltt_expr_layout *layout);

#endif /* _LTT_EXPR_PRIVATE_H */
