/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: the place in the metadata of another tracer that is being read.
 *
 * Functions that parse something are called with its first word in the lexer, and leave there the
 * word after it.
 */
#ifndef _LTT_CTF_PARSE_H
#define _LTT_CTF_PARSE_H

#include "../lexer.h"
#include "ctf.h"

/* Bytes of the longest name, or several with dots or blanks between. */
#define CTF_NAME_MAX	511u

/**
 * struct ctf_scope_names - names of types that are known in a pair of braces
 * @tree:	of struct name, see tsearch()
 * @up:		those around it
 */
struct ctf_scope_names {
	void *tree;
	struct ctf_scope_names *up;
};

/**
 * struct ctf_value - what stands after a "="
 * @token:	TOKEN_NUMBER, TOKEN_STRING or TOKEN_NAME
 * @place:	where
 * @number:	the number, its sign aside
 * @negative:	it is
 * @text:	the string, or the names with dots between
 */
struct ctf_value {
	int token;
	u32 place;
	u64 number;
	bool negative;
	const char *text;
};

/**
 * struct ctf_parser - a place in the metadata
 * @lexer:	the words
 * @trace:	what is being declared
 * @names:	the innermost
 * @depth:	types around the place
 * @text:	names that were read last
 * @len:	bytes there
 */
struct ctf_parser {
	struct lib_lexer lexer;
	struct ctf_trace *trace;
	struct ctf_scope_names *names;
	unsigned int depth;
	char text[CTF_NAME_MAX + 1];
	size_t len;
};

/* parse.c */
u32 ctf_place(const struct ctf_parser *ps);
int ctf_unexpected(struct ctf_parser *ps, const char *wanted);
int ctf_want(struct ctf_parser *ps, int token, const char *wanted);
bool ctf_skip_word(struct ctf_parser *ps, const char *word);
int ctf_append(struct ctf_parser *ps, char between);
int ctf_parse_path(struct ctf_parser *ps);
int ctf_parse_value(struct ctf_parser *ps, struct ctf_value *value);
const char *ctf_keep(struct ctf_parser *ps, const char *text);
int ctf_bad(struct ctf_parser *ps, const struct ctf_value *value, const char *why);

/* scope.c */
int ctf_declare(struct ctf_parser *ps, const char *name, const struct ctf_type *type, u32 place);
const struct ctf_type *ctf_find(const struct ctf_parser *ps, const char *name);
void ctf_enter(struct ctf_parser *ps, struct ctf_scope_names *names);
void ctf_leave(struct ctf_parser *ps);

/* parse_type.c */
int ctf_parse_type(struct ctf_parser *ps, const struct ctf_type **type);
bool ctf_at_declaration(const struct ctf_parser *ps);
int ctf_parse_declaration(struct ctf_parser *ps);
int ctf_parse_order(struct ctf_parser *ps, const struct ctf_value *value, u8 *order);

#endif /* _LTT_CTF_PARSE_H */
