/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: the words of a metadata text.
 */
#ifndef _LTT_LIB_LEXER_H
#define _LTT_LIB_LEXER_H

#include <linux/types.h>

/* What a word is. Every other one is a character by itself. */
enum lib_token {
	TOKEN_END = 256,	/* of the text */
	TOKEN_BAD,		/* no word begins like this; lib_lexer.why says more */
	TOKEN_CUT,		/* the text ends within a word */
	TOKEN_NAME,		/* letters, digits, _ */
	TOKEN_NUMBER,		/* lib_lexer.number */
	TOKEN_STRING,		/* lib_lexer.string */
	TOKEN_TYPE,		/* := */
	TOKEN_NOTE,		/* "// ltt-", up to the end of the line */
};

/**
 * struct lib_lexer - a place in a text
 * @begin:	of the text
 * @p:		after the word
 * @end:	of the text
 * @word:	the word's first byte
 * @len:	its bytes, without what encloses a string
 * @token:	its kind
 * @number:	value of a number, without the sign, which is a character by itself
 * @string:	contents of a string, terminated
 * @string_len:	its bytes
 * @string_room: bytes allocated
 * @why:	what is wrong with a TOKEN_BAD
 */
struct lib_lexer {
	const char *begin;
	const char *p;
	const char *end;
	const char *word;
	size_t len;
	int token;
	u64 number;
	char *string;
	size_t string_len;
	size_t string_room;
	const char *why;
};

int lib_lexer_init(struct lib_lexer *lexer, const char *text, size_t size);
void lib_lexer_destroy(struct lib_lexer *lexer);
int lib_lexer_next(struct lib_lexer *lexer);
bool lib_lexer_is(const struct lib_lexer *lexer, const char *word);

#endif /* _LTT_LIB_LEXER_H */
