// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: expressions, from text to a tree whose types have been checked.
 *
 * Operators bind as in C. The names of an enumeration or a bit mask are known only when the
 * other operand of an operator is: until then they stay LTT_EXPR_NAME. A subtree with such
 * names, and one that comes from a field with a table, meet in resolve().
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#include "expr.h"

/**
 * struct parser - state of the parser
 * @tree:	being built
 * @text:	the expression
 * @pos:	position in it
 * @depth:	calls of unary() and binary() that have not returned
 * @err:	a negative errno after the first error
 * @error:	receives its message
 */
struct parser {
	struct ltt_expr_tree *tree;
	const char *text;
	unsigned int pos;
	unsigned int depth;
	int err;
	char *error;
};

/* Binary operators by how tightly they bind, loosest first; longer ones before their starts. */
static const struct operator {
	char text[4];
	u8 op;
	u8 level;
} operators[] = {
	{ "||", LTT_OP_OROR, 1 },
	{ "&&", LTT_OP_ANDAND, 2 },
	{ "|", LTT_OP_OR, 3 },
	{ "^", LTT_OP_XOR, 4 },
	{ "&", LTT_OP_AND, 5 },
	{ "==", LTT_OP_EQ, 6 },
	{ "!=", LTT_OP_NE, 6 },
	{ "~", LTT_OP_MATCH, 6 },
	{ "<<", LTT_OP_SHL, 8 },
	{ ">>", LTT_OP_SHR, 8 },
	{ "<=", LTT_OP_LE, 7 },
	{ ">=", LTT_OP_GE, 7 },
	{ "<", LTT_OP_LT, 7 },
	{ ">", LTT_OP_GT, 7 },
	{ "+", LTT_OP_ADD, 9 },
	{ "-", LTT_OP_SUB, 9 },
	{ "*", LTT_OP_MUL, 10 },
};

/* The time that a match takes may grow with the pattern's length times that of the text. */
#define PATTERN_MAX	128

/* So deep do binary() and unary() recurse. */
#define PARSER_DEPTH	48

/* "in" binds like "==". */
#define LEVEL_IN	6

static __printf(3, 4) void fail(struct parser *ps, unsigned int column, const char *why, ...)
{
	va_list args;
	int len;

	if (ps->err)
		return;
	ps->err = -EINVAL;
	len = snprintf(ps->error, LTT_EXPR_ERROR, "column %u: ", column);
	va_start(args, why);
	vsnprintf(ps->error + len, LTT_EXPR_ERROR - len, why, args);
	va_end(args);
}

static struct ltt_expr_node *node(struct parser *ps, unsigned int nr)
{
	return &ps->tree->node[nr];
}

/* A new node; after an error any one. */
static unsigned int add(struct parser *ps, u8 kind, unsigned int column)
{
	struct ltt_expr_node *new;

	if (ps->tree->nr == LTT_EXPR_NODES) {
		fail(ps, column, "the expression is too long");
		ps->tree->nr--;
	}
	new = node(ps, ps->tree->nr);
	memset(new, 0, sizeof(*new));
	new->kind = kind;
	new->column = column;
	new->depth = 1;
	return ps->tree->nr++;
}

static unsigned int add_const(struct parser *ps, u64 value, bool is_unsigned, unsigned int column)
{
	unsigned int nr = add(ps, LTT_EXPR_CONST, column);

	node(ps, nr)->value = value;
	node(ps, nr)->is_unsigned = is_unsigned;
	return nr;
}

/* ---- characters ------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static char skip(struct parser *ps)
{
	while (ps->text[ps->pos] == ' ' || ps->text[ps->pos] == '\t')
		ps->pos++;
	return ps->text[ps->pos];
}

/* Skip blanks; take @c if it is next. */
static bool take(struct parser *ps, char c)
{
	if (skip(ps) != c)
		return false;
	ps->pos++;
	return true;
}

static void want(struct parser *ps, char c)
{
	if (!take(ps, c))
		fail(ps, ps->pos + 1, "expected '%c'", c);
}

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static u64 take_number(struct parser *ps)
{
	unsigned int column = ps->pos + 1, digit;
	const char *p = ps->text + ps->pos;
	unsigned int base = 10;
	u64 value = 0;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit_of(p[2]) < 16) {
		base = 16;
		p += 2;
	} else if (p[0] == '0') {
		base = 8;
	}
	for (; (digit = digit_of(*p)) < base; p++) {
		if (value > (~0ull - digit) / base)
			fail(ps, column, "the number does not fit into 64 bits");
		value = value * base + digit;
	}
	if (is_word(*p))
		fail(ps, column, "invalid number");
	ps->pos = p - ps->text;
	return value;
}

/* A character in quotes, with C's escapes. Return: -1 at the closing quote. */
static int character(struct parser *ps, char quote)
{
	static const char names[] = "ntr0abfv\\\"'", values[] = "\n\t\r\0\a\b\f\v\\\"'";
	char c = ps->text[ps->pos];
	const char *name;
	int value;

	if (c == quote) {
		ps->pos++;
		return -1;
	}
	if (!c) {
		fail(ps, ps->pos + 1, "missing %c", quote);
		return -1;
	}
	ps->pos++;
	if (c != '\\')
		return (u8)c;
	c = ps->text[ps->pos];
	if (c == 'x' && digit_of(ps->text[ps->pos + 1]) < 16 &&
	    digit_of(ps->text[ps->pos + 2]) < 16) {
		value = digit_of(ps->text[ps->pos + 1]) * 16 + digit_of(ps->text[ps->pos + 2]);
		ps->pos += 3;
		return value;
	}
	name = c ? strchr(names, c) : NULL;
	if (!name) {
		fail(ps, ps->pos, "unknown escape");
		return -1;
	}
	ps->pos++;
	return (u8)values[name - names];
}

static unsigned int take_string(struct parser *ps)
{
	unsigned int column = ps->pos + 1, nr = add(ps, LTT_EXPR_TEXT, column);
	struct ltt_expr_tree *tree = ps->tree;
	char *begin = tree->strings + tree->strings_used;
	unsigned int len = 0;
	int c;

	ps->pos++;
	while ((c = character(ps, '"')) >= 0) {
		if (!c)
			fail(ps, ps->pos, "a string of an event has no NUL");
		begin[len++] = c;
	}
	tree->strings_used += len;
	node(ps, nr)->is_string = true;
	node(ps, nr)->text = begin;
	node(ps, nr)->len = len;
	return nr;
}

static unsigned int char_const(struct parser *ps)
{
	unsigned int column = ps->pos + 1;
	int c;

	ps->pos++;
	c = character(ps, '\'');
	if (c < 0)
		fail(ps, column, "empty character constant");
	else
		want(ps, '\'');
	return add_const(ps, c, false, column);
}

/* ---- fields ------------------------------------------------------------------ */

static bool is_called(const char *name, const char *text, unsigned int len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

/* Return: the number of the field; -1 if there is none. */
static int find(const struct ltt_format *format, const char *text, unsigned int len)
{
	unsigned int i;

	for (i = 0; format && i < format->nr_fields; i++) {
		if (is_called(format->fields[i].name, text, len))
			return i;
	}
	return -1;
}

static const struct ltt_field *field_of(struct parser *ps, const struct ltt_expr_node *n)
{
	return ltt_expr_field(ps->tree->fields, ps->tree->context, n->context, n->field);
}

/* Characters that text shows as such: %s of any kind. */
static bool is_text(const struct ltt_field *field)
{
	return field->store == LTT_STORE_STR ||
	       (field->store == LTT_STORE_ARRAY && field->show == LTT_SHOW_STR);
}

static bool has_elements(const struct ltt_field *field)
{
	return field->store == LTT_STORE_ARRAY || field->store == LTT_STORE_SEQ;
}

static unsigned int add_field(struct parser *ps, unsigned int field, bool context,
			      unsigned int column)
{
	unsigned int nr = add(ps, LTT_EXPR_FIELD, column);
	struct ltt_expr_node *n = node(ps, nr);
	const struct ltt_field *f;

	n->field = field;
	n->context = context;
	f = field_of(ps, n);
	if (is_text(f)) {
		n->kind = LTT_EXPR_STRING;
		n->is_string = true;
		return nr;
	}
	if (f->show == LTT_SHOW_FLOAT) {
		fail(ps, column, "%s is a floating-point number, which cannot be used", f->name);
		return nr;
	}
	n->is_unsigned = !(f->flags & LTT_FIELD_SIGNED) && f->size == 8;
	if (f->nr_syms)
		n->table = (context ? ps->tree->fields->nr_fields : 0) + field + 1;
	if (has_elements(f)) {
		u64 index;

		if (!take(ps, '[')) {
			fail(ps, column, "%s has elements: use %s[N] or len(%s)", f->name, f->name,
			     f->name);
			return nr;
		}
		column = ps->pos + 1;
		if (!is_digit(skip(ps)))
			fail(ps, ps->pos + 1, "expected the number of an element");
		index = take_number(ps);
		want(ps, ']');
		if (f->store == LTT_STORE_ARRAY ? index >= f->count : index > LTT_EXPR_INDEX)
			fail(ps, column, "%s has no element %llu", f->name,
			     (unsigned long long)index);
		n->index = index;
	} else if (f->store != LTT_STORE_INT) {
		fail(ps, column, "%s is a blob: only len(%s) can be used", f->name, f->name);
	}
	return nr;
}

static unsigned int length(struct parser *ps, unsigned int column)
{
	unsigned int begin, nr = add(ps, LTT_EXPR_LEN, column);
	bool context;
	int field;

	want(ps, '(');
	context = take(ps, '$');
	skip(ps);
	begin = ps->pos;
	while (is_word(ps->text[ps->pos]) || ps->text[ps->pos] == '.')
		ps->pos++;
	field = find(context ? ps->tree->context : ps->tree->fields, ps->text + begin,
		     ps->pos - begin);
	if (field < 0) {
		fail(ps, begin + 1, "len() needs a field, and there is no '%.*s'",
		     (int)min(ps->pos - begin, 64u), ps->text + begin);
		return nr;
	}
	node(ps, nr)->field = field;
	node(ps, nr)->context = context;
	if (field_of(ps, node(ps, nr))->store == LTT_STORE_INT)
		fail(ps, begin + 1, "%s is an integer", field_of(ps, node(ps, nr))->name);
	want(ps, ')');
	return nr;
}

/* A field, len(), or a name of a table. */
static unsigned int word(struct parser *ps)
{
	unsigned int begin = ps->pos, column = begin + 1, len, nr;
	bool context = take(ps, '$');
	const char *text = ps->text + ps->pos;
	int field;

	/* Names of tables may have these in them, and fields not. */
	while (is_word(ps->text[ps->pos]) || ps->text[ps->pos] == '.')
		ps->pos++;
	len = ps->text + ps->pos - text;
	if (!context && is_called("len", text, len) && skip(ps) == '(')
		return length(ps, column);
	field = find(context ? ps->tree->context : ps->tree->fields, text, len);
	if (field >= 0)
		return add_field(ps, field, context, column);
	if (context)
		fail(ps, column, "no such context: %.*s", (int)min(len, 64u), text);
	nr = add(ps, LTT_EXPR_NAME, column);
	node(ps, nr)->text = text;
	node(ps, nr)->len = len;
	node(ps, nr)->name = nr + 1;
	return nr;
}

/* ---- names of values ---------------------------------------------------------- */

static const struct ltt_field *table_field(struct parser *ps, unsigned int table)
{
	unsigned int nr_fields = ps->tree->fields->nr_fields;

	if (table > nr_fields)
		return &ps->tree->context->fields[table - 1 - nr_fields];
	return &ps->tree->fields->fields[table - 1];
}

static bool is_comparison(u8 op)
{
	return op >= LTT_OP_LT && op <= LTT_OP_MATCH;
}

static bool is_logical(u8 op)
{
	return op == LTT_OP_ANDAND || op == LTT_OP_OROR;
}

/* Whether the value of an operator is unsigned, from its operands. */
static void set_type(struct parser *ps, struct ltt_expr_node *n)
{
	const struct ltt_expr_node *a = node(ps, n->a), *b = node(ps, n->b);

	if (n->kind == LTT_EXPR_UNARY)
		n->is_unsigned = n->op != LTT_OP_NOT && a->is_unsigned;
	else if (n->kind == LTT_EXPR_BINARY && !is_comparison(n->op) && !is_logical(n->op))
		n->is_unsigned = a->is_unsigned || (b->is_unsigned && n->op != LTT_OP_SHL &&
						    n->op != LTT_OP_SHR);
}

/*
 * The value of the field for which text has this name: an unsigned int that %d{-1=dead} shows
 * is 4294967295. If there is none, @value, which the field can't have.
 */
static u64 stored_value(const struct ltt_field *field, u64 value)
{
	unsigned int unused = 64 - 8 * field->size, unseen = 64 - 8 * field->show_size;
	u64 stored = value << unused;

	stored = field->flags & LTT_FIELD_SIGNED ? (u64)((s64)stored >> unused) : stored >> unused;
	return (stored ^ value) << unseen ? value : stored;
}

/* Make a name, or a string, the value that it stands for. */
static void look_up(struct parser *ps, struct ltt_expr_node *n, const struct ltt_field *field)
{
	unsigned int i;

	for (i = 0; i < field->nr_syms; i++) {
		if (!is_called(field->syms[i].name, n->text, n->len))
			continue;
		if (field->flags & LTT_FIELD_RANGES &&
		    field->syms[i].value != field->syms[i + 1].value) {
			fail(ps, n->column, "%s: '%s' is the name of several values",
			     field->name, field->syms[i].name);
			return;
		}
		n->kind = LTT_EXPR_CONST;
		n->value = stored_value(field, field->syms[i].value);
		n->is_unsigned = !(field->flags & LTT_FIELD_SIGNED) && field->size == 8;
		n->is_string = false;
		n->name = 0;
		return;
	}
	/* What is in quotes may be anything. */
	if (n->kind == LTT_EXPR_TEXT)
		fail(ps, n->column, "%s has no value with this name", field->name);
	else
		fail(ps, n->column, "%s has no value named '%.*s'", field->name,
		     (int)min_t(unsigned int, n->len, 64), n->text);
}

static void resolve(struct parser *ps, unsigned int nr, const struct ltt_field *field);

/* Where the operators are not binary ones. */
static void resolve_end(struct parser *ps, struct ltt_expr_node *n, const struct ltt_field *field)
{
	unsigned int item;

	switch (n->kind) {
	case LTT_EXPR_NAME:
		look_up(ps, n, field);
		return;
	case LTT_EXPR_IN:
		for (item = n->b; item; item = node(ps, item)->value) {
			resolve(ps, node(ps, item)->a, field);
			resolve(ps, node(ps, item)->b, field);
		}
		break;
	}
	resolve(ps, n->a, field);
	set_type(ps, n);
	n->name = 0;
}

/* All names in the tree @nr are of the table of @field. */
static void resolve(struct parser *ps, unsigned int nr, const struct ltt_field *field)
{
	unsigned int at = nr;

	if (ps->err)
		return;
	/* Down the first operands, and up again. */
	while (node(ps, at)->name && node(ps, at)->kind == LTT_EXPR_BINARY)
		at = node(ps, at)->a;
	if (node(ps, at)->name)
		resolve_end(ps, node(ps, at), field);
	while (at != nr && !ps->err) {
		at = node(ps, at)->up;
		resolve(ps, node(ps, at)->b, field);
		set_type(ps, node(ps, at));
		node(ps, at)->name = 0;
	}
}

/* @nr is beside @other: names in it are of the table of that. */
static void meet(struct parser *ps, unsigned int nr, unsigned int other)
{
	struct ltt_expr_node *n = node(ps, nr);
	unsigned int table = node(ps, other)->table;

	if (!table)
		return;
	if (n->kind == LTT_EXPR_TEXT)
		look_up(ps, n, table_field(ps, table));
	else
		resolve(ps, nr, table_field(ps, table));
}

/* ---- operators ---------------------------------------------------------------- */

static bool want_int(struct parser *ps, unsigned int nr)
{
	if (node(ps, nr)->is_string)
		fail(ps, node(ps, nr)->column, "expected an integer, not a string");
	return !ps->err;
}

static void set_depth(struct parser *ps, struct ltt_expr_node *n, unsigned int below)
{
	n->depth = max_t(unsigned int, n->depth, node(ps, below)->depth + 1);
	if (n->depth > LTT_EXPR_DEPTH)
		fail(ps, n->column, "the expression is too deep");
	if (!n->name)
		n->name = node(ps, below)->name;
}

static unsigned int unary(struct parser *ps);
static unsigned int binary(struct parser *ps, unsigned int level);

/* Strings can be compared only, and only with strings. */
static void check_strings(struct parser *ps, u8 op, unsigned int a, unsigned int b)
{
	const struct ltt_expr_node *na = node(ps, a), *nb = node(ps, b);

	if (op == LTT_OP_MATCH) {
		if (!na->is_string || na->kind == LTT_EXPR_TEXT)
			fail(ps, na->column, "~ needs a field with text at its left");
		else if (nb->kind != LTT_EXPR_TEXT)
			fail(ps, nb->column, "~ needs a pattern in quotes");
		else if (nb->len > PATTERN_MAX)
			fail(ps, nb->column, "the pattern is longer than %u bytes", PATTERN_MAX);
	} else if (!na->is_string && !nb->is_string) {
		return;
	} else if (op != LTT_OP_EQ && op != LTT_OP_NE) {
		want_int(ps, na->is_string ? a : b);
	} else if (!na->is_string || !nb->is_string) {
		fail(ps, (na->is_string ? nb : na)->column,
		     "expected a string: the other operand is one");
	}
}

static unsigned int add_binary(struct parser *ps, u8 op, unsigned int a, unsigned int b,
			       unsigned int column)
{
	unsigned int nr = add(ps, LTT_EXPR_BINARY, column);
	struct ltt_expr_node *n = node(ps, nr);

	if (!is_logical(op) && op != LTT_OP_MATCH) {
		meet(ps, a, b);
		meet(ps, b, a);
	}
	check_strings(ps, op, a, b);
	n->op = op;
	n->a = a;
	n->b = b;
	node(ps, a)->up = nr;
	n->depth = node(ps, a)->depth;
	n->name = node(ps, a)->name;
	set_depth(ps, n, b);
	if (is_comparison(op) || is_logical(op))
		return nr;
	set_type(ps, n);
	/* "flags & A == B" has no table, "(flags & (A | B)) == A" has. */
	if (op == LTT_OP_AND || op == LTT_OP_OR || op == LTT_OP_XOR)
		n->table = node(ps, a)->table ?: node(ps, b)->table;
	return nr;
}

/* "1", "5-9", NAME, "text" */
static unsigned int item(struct parser *ps, bool strings)
{
	unsigned int nr = add(ps, LTT_EXPR_ITEM, ps->pos + 1);
	unsigned int from, to;

	from = unary(ps);
	to = from;
	if (!strings && take(ps, '-'))
		to = unary(ps);
	node(ps, nr)->a = from;
	node(ps, nr)->b = to;
	return nr;
}

/* It is one, or will be when its name is known. */
static bool is_constant(struct parser *ps, unsigned int nr)
{
	return node(ps, nr)->kind == LTT_EXPR_CONST || node(ps, nr)->kind == LTT_EXPR_NAME;
}

static void check_item(struct parser *ps, unsigned int nr, unsigned int operand)
{
	const struct ltt_expr_node *n = node(ps, nr);

	meet(ps, n->a, operand);
	meet(ps, n->b, operand);
	if (ps->err)
		return;
	if (node(ps, operand)->is_string) {
		if (node(ps, n->a)->kind != LTT_EXPR_TEXT)
			fail(ps, n->column, "expected a string in quotes");
		return;
	}
	if (!is_constant(ps, n->a) || !is_constant(ps, n->b))
		fail(ps, n->column, "expected a constant");
}

static unsigned int in_set(struct parser *ps, unsigned int operand, unsigned int column)
{
	unsigned int nr = add(ps, LTT_EXPR_IN, column), new, last = 0;

	node(ps, nr)->op = LTT_OP_EQ;
	node(ps, nr)->a = operand;
	set_depth(ps, node(ps, nr), operand);
	want(ps, '{');
	do {
		skip(ps);
		new = item(ps, node(ps, operand)->is_string);
		check_item(ps, new, operand);
		if (last)
			node(ps, last)->value = new;
		else
			node(ps, nr)->b = new;
		last = new;
		set_depth(ps, node(ps, nr), node(ps, new)->a);
		set_depth(ps, node(ps, nr), node(ps, new)->b);
	} while (!ps->err && take(ps, ','));
	want(ps, '}');
	return nr;
}

static unsigned int primary(struct parser *ps)
{
	unsigned int column, nr;
	u64 value;
	char c = skip(ps);

	column = ps->pos + 1;
	if (is_digit(c)) {
		value = take_number(ps);
		return add_const(ps, value, (s64)value < 0, column);
	}
	if (c == '"')
		return take_string(ps);
	if (c == '\'')
		return char_const(ps);
	if (is_word(c) || c == '$')
		return word(ps);
	if (take(ps, '(')) {
		nr = binary(ps, 1);
		want(ps, ')');
		return nr;
	}
	if (c)
		fail(ps, column, "expected a value");
	else
		fail(ps, column, "the expression ends too early");
	return add_const(ps, 0, false, column);
}

static u8 unary_op(char c)
{
	switch (c) {
	case '!':
		return LTT_OP_NOT;
	case '~':
		return LTT_OP_COMPLEMENT;
	default:
		return LTT_OP_MINUS;
	}
}

static unsigned int unary(struct parser *ps)
{
	unsigned int column, nr, a;
	char c = skip(ps);

	if (++ps->depth > PARSER_DEPTH)
		fail(ps, ps->pos + 1, "the expression is too deep");
	if (ps->err || !c || !strchr("!~-", c)) {
		nr = ps->err ? add_const(ps, 0, false, 1) : primary(ps);
		ps->depth--;
		return nr;
	}
	column = ++ps->pos;
	a = unary(ps);
	want_int(ps, a);
	if (node(ps, a)->kind == LTT_EXPR_CONST && c != '!') {
		/* -5 is a constant. */
		struct ltt_expr_node *n = node(ps, a);

		n->value = c == '-' ? -n->value : ~n->value;
		if (c == '-' && n->value == 1ull << 63)
			n->is_unsigned = false;
		n->column = column;
		ps->depth--;
		return a;
	}
	nr = add(ps, LTT_EXPR_UNARY, column);
	node(ps, nr)->op = unary_op(c);
	node(ps, nr)->a = a;
	set_type(ps, node(ps, nr));
	node(ps, nr)->table = c == '~' ? node(ps, a)->table : 0;
	set_depth(ps, node(ps, nr), a);
	ps->depth--;
	return nr;
}

static bool next_is_in(struct parser *ps)
{
	const char *p;

	skip(ps);
	p = ps->text + ps->pos;
	return p[0] == 'i' && p[1] == 'n' && !is_word(p[2]);
}

/* The binary operator at the position, which stays; NULL if there is none. */
static const struct operator *next_operator(struct parser *ps)
{
	unsigned int i;

	skip(ps);
	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		if (!strncmp(ps->text + ps->pos, operators[i].text, strlen(operators[i].text)))
			return &operators[i];
	}
	return NULL;
}

/* Operators that bind as tightly as @level, or tighter. */
static unsigned int binary(struct parser *ps, unsigned int level)
{
	const struct operator *operator;
	unsigned int a, b, column;

	if (++ps->depth > PARSER_DEPTH)
		fail(ps, ps->pos + 1, "the expression is too deep");
	a = unary(ps);
	while (!ps->err) {
		if (next_is_in(ps)) {
			if (LEVEL_IN < level)
				break;
			column = ps->pos + 1;
			ps->pos += 2;
			a = in_set(ps, a, column);
			continue;
		}
		operator = next_operator(ps);
		if (!operator || operator->level < level)
			break;
		column = ps->pos + 1;
		ps->pos += strlen(operator->text);
		b = binary(ps, operator->level + 1);
		a = add_binary(ps, operator->op, a, b, column);
	}
	ps->depth--;
	return a;
}

/**
 * ltt_expr_parse_tree() - parse an expression
 * @tree:	receives the tree; its @fields and @context are set
 * @text:	the expression, at most LTT_EXPR_MAX bytes
 * @error:	receives what is wrong with it, and where
 *
 * Context: task.
 * Return: the number of the root; -EINVAL.
 */
int ltt_expr_parse_tree(struct ltt_expr_tree *tree, const char *text,
			char error[LTT_EXPR_ERROR])
{
	struct parser ps = { .tree = tree, .text = text, .error = error };
	unsigned int root;
	const struct ltt_expr_node *name;

	tree->nr = 0;
	tree->strings_used = 0;
	/* Number 0 is no operand: it stands for none. */
	add(&ps, LTT_EXPR_CONST, 1);
	if (!skip(&ps))
		fail(&ps, 1, "empty expression");
	root = binary(&ps, 1);
	if (skip(&ps))
		fail(&ps, ps.pos + 1, "expected an operator");
	if (ps.err)
		return ps.err;
	if (node(&ps, root)->name) {
		name = node(&ps, node(&ps, root)->name - 1);
		fail(&ps, name->column, "no such field: %.*s",
		     (int)min_t(unsigned int, name->len, 64), name->text);
	} else {
		want_int(&ps, root);
	}
	return ps.err ?: (int)root;
}
