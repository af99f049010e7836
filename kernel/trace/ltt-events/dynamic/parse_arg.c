// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: an argument of a definition, compiled into a fetch program.
 *
 *	[NAME=]FETCH[:TYPE]
 *
 *	FETCH	%REG  $retval  $stack  $stackN  $argN  $comm  \NUMBER
 *		@ADDRESS  @SYMBOL[+|-OFFSET]		memory there
 *		+|-[u]OFFSET(FETCH)			memory there; u: user space
 *	TYPE	u8 to u64, s8 to s64, x8 to x64, char, bWIDTH@OFFSET/SIZE; all of
 *		these also as arrays, TYPE[N]; string, ustring, symbol, symstr
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse.h"

/**
 * ltt_kprobe_skip_word() - skip a word if it is next in the line
 * @ps:		the parser; its position moves past the word, if it is there
 * @word:	the word
 *
 * Return: whether it was there.
 */
bool ltt_kprobe_skip_word(struct ltt_kprobe_parser *ps, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(ps->pos, word, len) || ltt_kprobe_is_word(ps->pos[len]))
		return false;
	ps->pos += len;
	return true;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_skip_word);

/* The same for @word directly followed by a number. */
static bool skip_numbered(struct ltt_kprobe_parser *ps, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(ps->pos, word, len) || !ltt_kprobe_is_digit(ps->pos[len]))
		return false;
	ps->pos += len;
	return true;
}

/* A number with a sign. */
static int parse_offset(struct ltt_kprobe_parser *ps, bool negative, long *offset)
{
	unsigned long value;
	int err;

	err = ltt_kprobe_number(ps, ~0ul >> 1, &value);
	*offset = err ? 0 : negative ? -(long)value : (long)value;
	return err;
}

/* ---- where fetching starts ---------------------------------------------------- */

static int parse_register(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	const char *name = ++ps->pos;
	int offset;

	while (ltt_kprobe_is_word(*ps->pos))
		ps->pos++;
	offset = ltt_kprobe_register(name, ps->pos - name);
	if (offset < 0)
		return ltt_kprobe_refuse(ps, name - 1, -ENOENT, "no such register");
	arg->from = LTT_FROM_REG;
	arg->where = offset;
	return 0;
}

static int parse_variable(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	const struct ltt_kprobe_def *def = ps->def;
	const char *begin = ps->pos++;
	int err;

	if (ltt_kprobe_skip_word(ps, "retval")) {
		arg->from = LTT_FROM_RETVAL;
		if (def->kind != 'r')
			return ltt_kprobe_refuse(ps, begin, -EINVAL,
						 "$retval is only available in a return probe");
	} else if (ltt_kprobe_skip_word(ps, "comm")) {
		arg->from = LTT_FROM_COMM;
	} else if (ltt_kprobe_skip_word(ps, "stack")) {
		arg->from = LTT_FROM_SP;
	} else if (skip_numbered(ps, "stack")) {
		arg->from = LTT_FROM_STACK;
		return ltt_kprobe_number(ps, LTT_FETCH_STACK_MAX, &arg->where);
	} else if (skip_numbered(ps, "arg")) {
		arg->from = LTT_FROM_ARG;
		if (def->kind != 'p' || def->offset)
			return ltt_kprobe_refuse(ps, begin, -EINVAL,
						 "$argN is only available on a function's entry");
		err = ltt_kprobe_number(ps, LTT_FETCH_ARG_MAX, &arg->where);
		if (err)
			return err;
		if (!arg->where--)
			return ltt_kprobe_refuse(ps, begin, -ERANGE,
						 "the first argument is $arg1");
	} else {
		return ltt_kprobe_refuse(ps, begin, -EINVAL,
					 "expected $retval, $comm, $stack, $stackN or $argN");
	}
	return 0;
}

/* The address that is fetched from, and the offset of the access. */
static int parse_memory(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg, long *offset)
{
	bool negative;
	int err;

	ps->pos++;
	*offset = 0;
	if (ltt_kprobe_is_digit(*ps->pos)) {
		arg->from = LTT_FROM_VALUE;
		return ltt_kprobe_number(ps, ~0ul, &arg->where);
	}
	arg->from = LTT_FROM_SYMBOL;
	err = ltt_kprobe_symbol(ps, false, &arg->symbol);
	if (err || (*ps->pos != '+' && *ps->pos != '-'))
		return err;
	negative = *ps->pos++ == '-';
	return parse_offset(ps, negative, offset);
}

static int parse_immediate(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	long value;
	int err;

	ps->pos++;
	arg->from = LTT_FROM_VALUE;
	if (*ps->pos != '-' && *ps->pos != '+')
		return ltt_kprobe_number(ps, ~0ul, &arg->where);
	ps->pos++;
	err = parse_offset(ps, ps->pos[-1] == '-', &value);
	arg->where = value;
	return err;
}

/* ---- memory accesses ---------------------------------------------------------- */

/*
 * +1(-u2(%di)): the outermost access comes first in the line and last in the
 * program.
 */
static int parse_fetch(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	struct ltt_fetch_step outer[LTT_FETCH_STEPS];
	const char *begin = ps->pos;
	unsigned int nr = 0, i;
	bool negative;
	long offset;
	int err;

	for (; *ps->pos == '+' || *ps->pos == '-'; nr++) {
		/* One more is needed for @, so that it never overflows. */
		if (nr == LTT_FETCH_STEPS - 1)
			return ltt_kprobe_refuse(ps, ps->pos, -E2BIG,
						 "more than %u memory accesses",
						 LTT_FETCH_STEPS - 1);
		negative = *ps->pos++ == '-';
		outer[nr].user = *ps->pos == 'u';
		if (outer[nr].user)
			ps->pos++;
		err = parse_offset(ps, negative, &outer[nr].offset);
		if (err)
			return err;
		if (*ps->pos != '(')
			return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected (");
		ps->pos++;
	}

	switch (*ps->pos) {
	case '%':
		err = parse_register(ps, arg);
		break;
	case '$':
		err = parse_variable(ps, arg);
		break;
	case '@':
		err = parse_memory(ps, arg, &offset);
		arg->step[arg->nr_steps++] = (struct ltt_fetch_step){ .offset = offset };
		break;
	case '\\':
		err = parse_immediate(ps, arg);
		break;
	default:
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL,
					 "expected one of %%$@\\+-");
	}
	if (err)
		return err;
	if (nr && arg->from == LTT_FROM_COMM)
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "$comm is a string, not an address");

	for (i = 0; i < nr; i++) {
		if (*ps->pos != ')')
			return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected )");
		ps->pos++;
		arg->step[arg->nr_steps++] = outer[nr - 1 - i];
	}
	return 0;
}

/* ---- types -------------------------------------------------------------------- */

/* u8, s16, x32: @letter has been seen. */
static int parse_int(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg, char letter)
{
	static const char *const sizes[] = { "8", "16", "32", "64" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (ltt_kprobe_skip_word(ps, sizes[i])) {
			arg->size = 1 << i;
			arg->is_signed = letter == 's';
			arg->hex = letter == 'x';
			return 0;
		}
	}
	return ltt_kprobe_refuse(ps, ps->pos - 1, -EINVAL, "no such type");
}

/* bWIDTH@OFFSET/SIZE */
static int parse_bits(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	unsigned long width, offset, size;
	const char *begin = ps->pos++;
	int err;

	err = ltt_kprobe_number(ps, 64, &width);
	if (err)
		return err;
	if (*ps->pos != '@')
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected @");
	ps->pos++;
	err = ltt_kprobe_number(ps, 64, &offset);
	if (err)
		return err;
	if (*ps->pos != '/')
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected /");
	ps->pos++;
	err = ltt_kprobe_number(ps, 64, &size);
	if (err)
		return err;
	if (size != 8 && size != 16 && size != 32 && size != 64)
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "integers of %lu bits are not supported",
					 size);
	if (!width || width + offset > size)
		return ltt_kprobe_refuse(ps, begin, -ERANGE,
					 "%lu bits at bit %lu do not fit in %lu bits", width,
					 offset, size);
	arg->size = size / 8;
	arg->left = size - width - offset;
	arg->right = size - width;
	return 0;
}

static int parse_count(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg,
		       const char *type)
{
	const char *begin = ++ps->pos;
	unsigned long count;
	int err;

	err = ltt_kprobe_number(ps, LTT_FETCH_ELEMENTS, &count);
	if (err)
		return err;
	if (!count)
		return ltt_kprobe_refuse(ps, begin, -ERANGE, "an array must have at least 1 element");
	if (*ps->pos != ']')
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected ]");
	ps->pos++;
	if (arg->as != LTT_AS_INT && arg->as != LTT_AS_CHAR)
		return ltt_kprobe_refuse(ps, type, -EINVAL,
					 "an array must be of integers or char");
	if (!arg->nr_steps)
		return ltt_kprobe_refuse(ps, type, -EINVAL, "an array must be in memory");
	arg->count = count;
	return 0;
}

static int parse_type(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	const char *type = ps->pos;
	bool user = false;
	int err = 0;

	arg->as = LTT_AS_INT;
	arg->hex = false;
	if (ltt_kprobe_skip_word(ps, "string")) {
		arg->as = LTT_AS_STRING;
	} else if (ltt_kprobe_skip_word(ps, "ustring")) {
		arg->as = LTT_AS_STRING;
		user = true;
	} else if (ltt_kprobe_skip_word(ps, "symbol")) {
		arg->as = LTT_AS_SYMBOL;
	} else if (ltt_kprobe_skip_word(ps, "symstr")) {
		arg->as = LTT_AS_SYMSTR;
	} else if (ltt_kprobe_skip_word(ps, "char")) {
		arg->as = LTT_AS_CHAR;
		arg->size = 1;
	} else if (*type == 'u' || *type == 's' || *type == 'x') {
		ps->pos++;
		err = parse_int(ps, arg, *type);
	} else if (*type == 'b' && ltt_kprobe_is_digit(type[1])) {
		err = parse_bits(ps, arg);
	} else {
		return ltt_kprobe_refuse(ps, type, -EINVAL, "no such type");
	}
	if (err)
		return err;

	if (arg->from == LTT_FROM_COMM && (arg->as != LTT_AS_STRING || user))
		return ltt_kprobe_refuse(ps, type, -EINVAL, "$comm is a string");
	if (arg->as == LTT_AS_STRING && !arg->nr_steps && arg->from != LTT_FROM_COMM)
		return ltt_kprobe_refuse(ps, type, -EINVAL,
					 "a string must be in memory: use +0(...)");
	if (user)
		arg->step[arg->nr_steps - 1].user = true;
	return *ps->pos == '[' ? parse_count(ps, arg, type) : 0;
}

/* ---- the argument as a whole -------------------------------------------------- */

/**
 * ltt_kprobe_arg_name() - read the name of an argument
 * @ps:		the parser, at the argument's first character; moves behind the =
 * @arg:	receives the name, its number if it has none
 *
 * Return: 0, -EINVAL, -ENAMETOOLONG.
 */
int ltt_kprobe_arg_name(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	const char *begin = ps->pos, *end = begin;

	while (ltt_kprobe_is_word(*end))
		end++;
	if (*end != '=') {
		snprintf(arg->name, sizeof(arg->name), "arg%u", ps->def->nr_args);
		return 0;
	}
	if (begin == end || ltt_kprobe_is_digit(*begin))
		return ltt_kprobe_refuse(ps, begin, -EINVAL,
					 "a field name must begin with a letter or _");
	ps->pos = end + 1;
	if (end - begin > LTT_KPROBE_NAME_MAX)
		return ltt_kprobe_refuse(ps, begin, -ENAMETOOLONG,
					 "field name longer than %d characters",
					 LTT_KPROBE_NAME_MAX);
	memcpy(arg->name, begin, end - begin);
	arg->name[end - begin] = '\0';
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_arg_name);

/**
 * ltt_kprobe_parse_arg() - compile an argument
 * @ps:		the parser, at its first character; moves past it
 * @arg:	filled with zeros; receives the program. The caller frees arg->symbol
 *		whatever is returned
 *
 * Context: task, may sleep.
 * Return: as for ltt_kprobe_parse().
 */
int ltt_kprobe_parse_arg(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	int err;

	arg->column = ps->pos - ps->line + 1;
	err = ltt_kprobe_arg_name(ps, arg);
	if (!err)
		err = parse_fetch(ps, arg);
	if (err)
		return err;

	arg->size = sizeof(long);
	arg->hex = true;
	if (arg->from == LTT_FROM_COMM)
		arg->as = LTT_AS_STRING;
	if (*ps->pos == ':') {
		ps->pos++;
		err = parse_type(ps, arg);
		if (err)
			return err;
	}
	if (*ps->pos && !ltt_kprobe_is_blank(*ps->pos))
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL,
					 "unexpected text after the argument");
	return 0;
}
