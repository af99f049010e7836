/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a definition of a marker on a kprobe, or on a tracepoint, as written to
 * dynamic_markers and compiled.
 *
 * parse.c, parse_arg.c and describe.c are also built in user space, for the tests.
 */
#ifndef _LTT_KPROBES_PARSE_H
#define _LTT_KPROBES_PARSE_H

#include <linux/compiler.h>
#include <linux/ltt/types.h>

#define LTT_KPROBE_CHANNEL	"kprobes"	/* if the definition names none */
#define LTT_TRACEPOINT_CHANNEL	"tracepoints"	/* the same on tracepoints */
#define LTT_KPROBE_NAME_MAX	63		/* characters; LTT_NAME_MAX */
#define LTT_KPROBE_SYMBOL_MAX	511		/* characters of [MODULE:]SYMBOL */
#define LTT_KPROBE_MAXACTIVE	4096u		/* returns waited for at the same time */

#define LTT_FETCH_STEPS		12u		/* memory accesses of an argument */
#define LTT_FETCH_ELEMENTS	64u		/* of an array */
#define LTT_FETCH_ARG_MAX	64u		/* $arg64 */
#define LTT_FETCH_STACK_MAX	2048u		/* $stack2048 */

/* Where an argument's fetching starts. */
enum ltt_fetch_from {
	LTT_FROM_REG,		/* @where: offset in struct pt_regs */
	LTT_FROM_STACK,		/* @where: entry */
	LTT_FROM_SP,
	LTT_FROM_RETVAL,
	LTT_FROM_ARG,		/* @where: number, from 0 */
	LTT_FROM_COMM,		/* a string */
	LTT_FROM_VALUE,		/* @where */
	LTT_FROM_SYMBOL,	/* address of @symbol, in @where once it is known */
};

/* What is recorded of what was fetched. */
enum ltt_fetch_as {
	LTT_AS_INT,
	LTT_AS_CHAR,
	LTT_AS_STRING,		/* in memory, where the last step leads */
	LTT_AS_SYMBOL,		/* an address, shown as symbol */
	LTT_AS_SYMSTR,		/* the symbol, found when the event happens */
	LTT_AS_PTR,		/* an address, shown as printk() does */
};

/**
 * struct ltt_fetch_step - a memory access
 * @offset:	added to the value fetched so far, which gives the address
 * @user:	the address is in user space
 */
struct ltt_fetch_step {
	long offset;
	bool user;
};

/**
 * struct ltt_fetch - the program of an argument
 * @name:	of the field
 * @from:	enum ltt_fetch_from
 * @as:		enum ltt_fetch_as
 * @size:	bytes of the integer
 * @is_signed:	as two's complement
 * @hex:	shown in hexadecimal
 * @left:	bits to shift left, then
 * @right:	bits to shift right: a bit-field
 * @count:	elements of an array, 0 if it is none
 * @most:	bytes that a string has at most, 0 if that is not known
 * @at:		where in the scratch memory a copy is made
 * @room:	bytes there, 0 if it needs no copy
 * @column:	where it was in the line, from 1
 * @nr_steps:	entries of @step; all but the last read an address, the last one
 *		reads what is recorded
 * @where:	see @from
 * @symbol:	see @from; NULL if it is not LTT_FROM_SYMBOL
 * @step:	memory accesses
 */
struct ltt_fetch {
	char name[LTT_KPROBE_NAME_MAX + 1];
	u8 from;
	u8 as;
	u8 size;
	bool is_signed;
	bool hex;
	u8 left;
	u8 right;
	u8 count;
	u16 most;
	u16 at;
	u16 room;
	unsigned int column;
	unsigned int nr_steps;
	unsigned long where;
	char *symbol;
	struct ltt_fetch_step step[LTT_FETCH_STEPS];
};

/* Most values of a marker here, the fixed ones included: all strings are held at once. */
#define LTT_KPROBE_ARGS		16

/* Fields that every event of a kprobe has: the address; of a return probe, two. */
#define LTT_KPROBE_FIXED	1u
#define LTT_KRETPROBE_FIXED	2u

/**
 * struct ltt_kprobe_def - a line of dynamic_markers
 * @kind:	'p', 'r', 't' for a tracepoint, or '-' to remove, then only @channel and
 *		@name count
 * @maxactive:	of a return probe, 0 for the kernel's default
 * @channel:	channel's name
 * @name:	marker's name
 * @column:	where the place is in the line, from 1
 * @symbol:	[MODULE:]SYMBOL, a tracepoint's name, or NULL if it is an address
 * @module:	MODULE, NULL if none is given
 * @offset:	added to @symbol
 * @addr:	the address if @symbol is NULL
 * @nr_args:	entries of @arg
 * @arg:	the arguments
 */
struct ltt_kprobe_def {
	char kind;
	unsigned int maxactive;
	char channel[LTT_KPROBE_NAME_MAX + 1];
	char name[LTT_KPROBE_NAME_MAX + 1];
	unsigned int column;
	char *symbol;
	char *module;
	unsigned int offset;
	unsigned long addr;
	unsigned int nr_args;
	struct ltt_fetch arg[LTT_KPROBE_ARGS - LTT_KPROBE_FIXED];
};

/**
 * struct ltt_kprobe_error - what is wrong with a line
 * @column:	where, from 1
 * @text:	what
 */
struct ltt_kprobe_error {
	unsigned int column;
	char text[160];
};

struct ltt_kprobe_parser;

/**
 * struct ltt_tracepoint_parser - parses definitions on tracepoints
 * @open:	finds the tracepoint of ps->def; sets ps->priv, for the others
 * @arg:	as ltt_kprobe_parse_arg()
 * @rest:	after the last argument
 * @close:	undoes @open, if that returned 0
 *
 * All but @close return 0 or a negative errno, with the column in the error.
 */
struct ltt_tracepoint_parser {
	int (*open)(struct ltt_kprobe_parser *ps);
	int (*arg)(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg);
	int (*rest)(struct ltt_kprobe_parser *ps);
	void (*close)(struct ltt_kprobe_parser *ps);
};

/* What a parser knows of the line. */
struct ltt_kprobe_parser {
	const char *line;
	const char *pos;
	struct ltt_kprobe_def *def;
	struct ltt_kprobe_error *error;
	void *priv;
};

/* NULL while there are no markers on tracepoints; changed under the list's mutex. */
extern const struct ltt_tracepoint_parser *ltt_tracepoint_parser;

/* parse.c */
int ltt_kprobe_parse(const char *line, struct ltt_kprobe_def **result,
		     struct ltt_kprobe_error *error);
void ltt_kprobe_def_free(struct ltt_kprobe_def *def);

__printf(4, 5)
int ltt_kprobe_refuse(struct ltt_kprobe_parser *ps, const char *at, int err,
		      const char *fmt, ...);
int ltt_kprobe_number(struct ltt_kprobe_parser *ps, unsigned long max,
		      unsigned long *value);
int ltt_kprobe_name(struct ltt_kprobe_parser *ps, const char *what,
		    char name[LTT_KPROBE_NAME_MAX + 1]);
int ltt_kprobe_symbol(struct ltt_kprobe_parser *ps, bool module, char **symbol);
bool ltt_kprobe_is_blank(char c);
bool ltt_kprobe_is_digit(char c);
bool ltt_kprobe_is_letter(char c);
bool ltt_kprobe_is_word(char c);

/* parse_arg.c */
bool ltt_kprobe_skip_word(struct ltt_kprobe_parser *ps, const char *word);
int ltt_kprobe_arg_name(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg);
int ltt_kprobe_parse_arg(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg);

/* describe.c */
unsigned int ltt_kprobe_types(const struct ltt_kprobe_def *def, u32 types[LTT_KPROBE_ARGS]);
int ltt_kprobe_format(const struct ltt_kprobe_def *def, char *buf, size_t size);
int ltt_kprobe_print(const struct ltt_kprobe_def *def, const char *line, char *buf,
		     size_t size);

/* regs.c: offset in struct pt_regs, -ENOENT if there is no such register */
int ltt_kprobe_register(const char *name, size_t len);

#endif /* _LTT_KPROBES_PARSE_H */
