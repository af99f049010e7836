// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a line of dynamic_markers: the probe, its name and its place.
 *
 *	p[:[CHANNEL/]NAME] [MODULE:]SYMBOL[+OFFSET]|ADDRESS [ARGUMENT...]
 *	r[MAXACTIVE][:[CHANNEL/]NAME] [MODULE:]SYMBOL|ADDRESS [ARGUMENT...]
 *	t[:[CHANNEL/]NAME] TRACEPOINT [ARGUMENT...]
 *	-:[CHANNEL/]NAME
 *
 * All functions return 0 or a negative errno, then with the column in the error.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "parse.h"

const struct ltt_tracepoint_parser *ltt_tracepoint_parser;

/* ---- letters, numbers, names -------------------------------------------------- */

bool ltt_kprobe_is_blank(char c)
{
	return c == ' ' || c == '\t';
}
EXPORT_SYMBOL_GPL(ltt_kprobe_is_blank);

bool ltt_kprobe_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool ltt_kprobe_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
EXPORT_SYMBOL_GPL(ltt_kprobe_is_letter);

/* What names of markers and fields are made of. */
bool ltt_kprobe_is_word(char c)
{
	return ltt_kprobe_is_letter(c) || ltt_kprobe_is_digit(c);
}
EXPORT_SYMBOL_GPL(ltt_kprobe_is_word);

/* The compiler puts dots in names of functions that it makes: f.isra.0. */
static bool is_symbol(char c)
{
	return ltt_kprobe_is_word(c) || c == '.' || c == '$';
}

/**
 * ltt_kprobe_refuse() - say what is wrong, and where
 * @ps:		the parser
 * @at:		the place in its line
 * @err:	a negative errno
 * @fmt:	the message
 * @...:	its arguments
 *
 * Return: @err.
 */
int ltt_kprobe_refuse(struct ltt_kprobe_parser *ps, const char *at, int err,
		      const char *fmt, ...)
{
	va_list args;

	ps->error->column = at - ps->line + 1;
	va_start(args, fmt);
	vsnprintf(ps->error->text, sizeof(ps->error->text), fmt, args);
	va_end(args);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_refuse);

static int digit_value(char c)
{
	if (ltt_kprobe_is_digit(c))
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return 16;
}

/**
 * ltt_kprobe_number() - read a number without a sign
 * @ps:		the parser; its position moves past the number
 * @max:	largest allowed
 * @value:	receives it
 *
 * Decimal, octal after 0, hexadecimal after 0x.
 *
 * Return: 0, -EINVAL, -ERANGE.
 */
int ltt_kprobe_number(struct ltt_kprobe_parser *ps, unsigned long max,
		      unsigned long *value)
{
	const char *begin = ps->pos;
	unsigned long v = 0;
	int base = 10, digit;

	if (!ltt_kprobe_is_digit(*begin))
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "expected a number");
	if (begin[0] == '0' && (begin[1] | 0x20) == 'x' && digit_value(begin[2]) < 16) {
		base = 16;
		ps->pos += 2;
	} else if (begin[0] == '0') {
		base = 8;
	}
	for (; (digit = digit_value(*ps->pos)) < base; ps->pos++) {
		if ((unsigned long)digit > max || v > (max - digit) / base)
			return ltt_kprobe_refuse(ps, begin, -ERANGE,
						 "greater than %lu", max);
		v = v * base + digit;
	}
	*value = v;
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_number);

/**
 * ltt_kprobe_name() - read a name, which may be empty
 * @ps:		the parser; its position moves past the name
 * @what:	what it names
 * @name:	receives it
 *
 * Return: 0, -ENAMETOOLONG.
 */
int ltt_kprobe_name(struct ltt_kprobe_parser *ps, const char *what,
		    char name[LTT_KPROBE_NAME_MAX + 1])
{
	const char *begin = ps->pos;
	size_t len;

	while (ltt_kprobe_is_word(*ps->pos))
		ps->pos++;
	len = ps->pos - begin;
	if (len > LTT_KPROBE_NAME_MAX)
		return ltt_kprobe_refuse(ps, begin, -ENAMETOOLONG,
					 "%s name longer than %d characters", what,
					 LTT_KPROBE_NAME_MAX);
	memcpy(name, begin, len);
	name[len] = '\0';
	return 0;
}

/**
 * ltt_kprobe_symbol() - read a symbol
 * @ps:		the parser; its position moves past the symbol
 * @module:	there may be a module's name and a colon before it
 * @symbol:	receives it, to be freed by kfree()
 *
 * Return: 0, -EINVAL, -ENAMETOOLONG, -ENOMEM.
 */
int ltt_kprobe_symbol(struct ltt_kprobe_parser *ps, bool module, char **symbol)
{
	const char *begin = ps->pos, *word = begin;

	for (;; ps->pos++) {
		if (*ps->pos == ':' && module && word == begin && ps->pos > begin)
			word = ps->pos + 1;
		else if (!is_symbol(*ps->pos))
			break;
	}
	if (ps->pos == word || ltt_kprobe_is_digit(*word))
		return ltt_kprobe_refuse(ps, word, -EINVAL, "expected a symbol");
	if (ps->pos - begin > LTT_KPROBE_SYMBOL_MAX)
		return ltt_kprobe_refuse(ps, begin, -ENAMETOOLONG,
					 "symbol longer than %d characters",
					 LTT_KPROBE_SYMBOL_MAX);
	*symbol = kstrndup(begin, ps->pos - begin, GFP_KERNEL);
	if (!*symbol)
		return ltt_kprobe_refuse(ps, begin, -ENOMEM, "out of memory");
	return 0;
}

/* ---- the parts of a line ------------------------------------------------------ */

static void skip_blanks(struct ltt_kprobe_parser *ps)
{
	while (ltt_kprobe_is_blank(*ps->pos))
		ps->pos++;
}

static bool at_end(const struct ltt_kprobe_parser *ps)
{
	return !*ps->pos || ltt_kprobe_is_blank(*ps->pos);
}

/* p, r, - and what follows directly, up to the colon. */
static int parse_kind(struct ltt_kprobe_parser *ps)
{
	struct ltt_kprobe_def *def = ps->def;
	const char *begin = ps->pos;
	unsigned long value;
	int err;

	def->kind = *begin;
	if (def->kind != 'p' && def->kind != 'r' && def->kind != 't' && def->kind != '-')
		return ltt_kprobe_refuse(ps, begin, -EINVAL,
					 "a definition must begin with p, r, t or -");
	if (def->kind == 't' && !ltt_tracepoint_parser)
		return ltt_kprobe_refuse(ps, begin, -EOPNOTSUPP,
					 "tracepoints need the module ltt-btf, which is not loaded");
	ps->pos++;
	if (def->kind == 'r' && ltt_kprobe_is_digit(*ps->pos)) {
		err = ltt_kprobe_number(ps, LTT_KPROBE_MAXACTIVE, &value);
		if (err)
			return err;
		if (!value)
			return ltt_kprobe_refuse(ps, begin + 1, -ERANGE,
						 "MAXACTIVE must be at least 1");
		def->maxactive = value;
	}
	if (*ps->pos != ':' && (def->kind == '-' || !at_end(ps)))
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, def->kind == '-' ?
					 "expected a colon and a name" :
					 "expected a colon or a blank");
	return 0;
}

/* :NAME, :CHANNEL/NAME, :CHANNEL/ or nothing. */
static int parse_names(struct ltt_kprobe_parser *ps)
{
	struct ltt_kprobe_def *def = ps->def;
	const char *begin;
	int err;

	snprintf(def->channel, sizeof(def->channel), "%s", def->kind == 't' ?
		 LTT_TRACEPOINT_CHANNEL : LTT_KPROBE_CHANNEL);
	if (*ps->pos != ':')
		return 0;
	begin = ++ps->pos;
	err = ltt_kprobe_name(ps, "marker", def->name);
	if (err)
		return err;
	if (*ps->pos == '/') {
		if (ps->pos == begin)
			return ltt_kprobe_refuse(ps, begin, -EINVAL,
						 "expected the name of a channel");
		memcpy(def->channel, def->name, sizeof(def->channel));
		begin = ++ps->pos;
		err = ltt_kprobe_name(ps, "marker", def->name);
		if (err)
			return err;
	}
	if (!at_end(ps))
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL,
					 "names consist of letters, digits and _");
	if (!def->name[0] && (def->kind == '-' || begin[-1] == ':'))
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "expected the name of a marker");
	return 0;
}

static int parse_place(struct ltt_kprobe_parser *ps)
{
	struct ltt_kprobe_def *def = ps->def;
	const char *begin = ps->pos;
	unsigned long value;
	char *colon;
	int err;

	def->column = begin - ps->line + 1;
	if (!*begin)
		return ltt_kprobe_refuse(ps, begin, -EINVAL,
					 "expected a symbol or an address");
	if (ltt_kprobe_is_digit(*begin)) {
		err = ltt_kprobe_number(ps, ~0ul, &def->addr);
		if (!err && !def->addr)
			err = ltt_kprobe_refuse(ps, begin, -ERANGE, "invalid address");
	} else {
		err = ltt_kprobe_symbol(ps, true, &def->symbol);
	}
	if (err)
		return err;

	colon = def->symbol ? strchr(def->symbol, ':') : NULL;
	if (colon) {
		def->module = kstrndup(def->symbol, colon - def->symbol, GFP_KERNEL);
		if (!def->module)
			return ltt_kprobe_refuse(ps, begin, -ENOMEM, "out of memory");
	}
	if (*ps->pos == '+' && def->symbol) {
		begin = ++ps->pos;
		err = ltt_kprobe_number(ps, ~0u, &value);
		if (err)
			return err;
		if (value && def->kind == 'r')
			return ltt_kprobe_refuse(ps, begin, -EINVAL,
						 "a return probe must be on a function's entry");
		def->offset = value;
	}
	if (!at_end(ps))
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, def->symbol ?
					 "expected an offset or a blank" :
					 "expected a blank");
	return 0;
}

/* A tracepoint's name has no address, no module and no offset. */
static int parse_tracepoint(struct ltt_kprobe_parser *ps)
{
	struct ltt_kprobe_def *def = ps->def;
	const char *begin = ps->pos;
	int err;

	def->column = begin - ps->line + 1;
	if (!ltt_kprobe_is_letter(*begin))
		return ltt_kprobe_refuse(ps, begin, -EINVAL, "expected a tracepoint");
	err = ltt_kprobe_symbol(ps, false, &def->symbol);
	if (!err && !at_end(ps))
		return ltt_kprobe_refuse(ps, ps->pos, -EINVAL, "expected a blank");
	return err;
}

/* As tracefs names them. */
static int default_name(struct ltt_kprobe_parser *ps)
{
	struct ltt_kprobe_def *def = ps->def;
	int len;
	char *p;

	if (def->kind == 't')
		len = snprintf(def->name, sizeof(def->name), "%s", def->symbol);
	else if (def->symbol)
		len = snprintf(def->name, sizeof(def->name), "%c_%s_%u", def->kind,
			       def->symbol, def->offset);
	else
		len = snprintf(def->name, sizeof(def->name), "%c_0x%lx", def->kind,
			       def->addr);
	if (len > LTT_KPROBE_NAME_MAX)
		return ltt_kprobe_refuse(ps, ps->line + def->column - 1, -ENAMETOOLONG,
					 "the symbol is too long to name the marker after, give a name");
	for (p = def->name; *p; p++) {
		if (!ltt_kprobe_is_word(*p))
			*p = '_';
	}
	return 0;
}

static bool name_taken(const struct ltt_kprobe_def *def, unsigned int nr)
{
	const char *name = def->arg[nr].name;
	unsigned int i;

	if (def->kind == 'p' && !strcmp(name, "ip"))
		return true;
	if (def->kind == 'r' && (!strcmp(name, "func") || !strcmp(name, "from")))
		return true;
	for (i = 0; i < nr; i++) {
		if (!strcmp(name, def->arg[i].name))
			return true;
	}
	return false;
}

static int parse_args(struct ltt_kprobe_parser *ps)
{
	struct ltt_kprobe_def *def = ps->def;
	unsigned int max = LTT_KPROBE_ARGS -
		(def->kind == 'r' ? LTT_KRETPROBE_FIXED : LTT_KPROBE_FIXED);
	struct ltt_fetch *arg;
	const char *begin;
	int err;

	for (skip_blanks(ps); *ps->pos; skip_blanks(ps)) {
		begin = ps->pos;
		if (def->nr_args == max)
			return ltt_kprobe_refuse(ps, begin, -E2BIG,
						 "more than %u arguments", max);
		/* From here on, what the argument allocates is freed with @def. */
		arg = &def->arg[def->nr_args++];
		err = def->kind == 't' ? ltt_tracepoint_parser->arg(ps, arg) :
					 ltt_kprobe_parse_arg(ps, arg);
		if (err)
			return err;
		if (name_taken(def, def->nr_args - 1))
			return ltt_kprobe_refuse(ps, begin, -EEXIST,
						 "duplicate field %s",
						 def->arg[def->nr_args - 1].name);
	}
	return 0;
}

static int parse_tracepoint_args(struct ltt_kprobe_parser *ps)
{
	int err = ltt_tracepoint_parser->open(ps);

	if (err)
		return err;
	err = parse_args(ps) ?: ltt_tracepoint_parser->rest(ps);
	ltt_tracepoint_parser->close(ps);
	return err;
}

static int parse_line(struct ltt_kprobe_parser *ps)
{
	int err;

	skip_blanks(ps);
	err = parse_kind(ps);
	if (!err)
		err = parse_names(ps);
	if (err)
		return err;

	skip_blanks(ps);
	if (ps->def->kind == '-')
		return *ps->pos ? ltt_kprobe_refuse(ps, ps->pos, -EINVAL,
						    "unexpected text after the name") : 0;
	err = ps->def->kind == 't' ? parse_tracepoint(ps) : parse_place(ps);
	if (!err && !ps->def->name[0])
		err = default_name(ps);
	if (err)
		return err;
	return ps->def->kind == 't' ? parse_tracepoint_args(ps) : parse_args(ps);
}

/**
 * ltt_kprobe_parse() - understand a line of dynamic_markers
 * @line:	the line, without a newline, not blank
 * @result:	receives the definition, to be freed by ltt_kprobe_def_free()
 * @error:	says what is wrong, and where
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL: syntax; -ERANGE: a number out of its range; -ENAMETOOLONG;
 * -E2BIG: too many arguments or memory accesses; -EEXIST: two fields of one name;
 * -ENOENT: no such register; -EOPNOTSUPP: a tracepoint, and nobody who knows them;
 * -ENOMEM; of a tracepoint, also what its parser returns.
 */
int ltt_kprobe_parse(const char *line, struct ltt_kprobe_def **result,
		     struct ltt_kprobe_error *error)
{
	struct ltt_kprobe_parser ps = { .line = line, .pos = line, .error = error };
	int err;

	ps.def = kzalloc(sizeof(*ps.def), GFP_KERNEL);
	if (!ps.def)
		return ltt_kprobe_refuse(&ps, line, -ENOMEM, "out of memory");
	err = parse_line(&ps);
	if (err) {
		ltt_kprobe_def_free(ps.def);
		return err;
	}
	*result = ps.def;
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_parse);

/**
 * ltt_kprobe_def_free() - free a definition
 * @def:	the definition or NULL
 *
 * Context: task.
 */
void ltt_kprobe_def_free(struct ltt_kprobe_def *def)
{
	unsigned int i;

	if (!def)
		return;
	for (i = 0; i < def->nr_args; i++)
		kfree(def->arg[i].symbol);
	kfree(def->symbol);
	kfree(def->module);
	kfree(def);
}
EXPORT_SYMBOL_GPL(ltt_kprobe_def_free);
