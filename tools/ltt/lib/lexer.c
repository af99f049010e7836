// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: the words of a metadata text.
 *
 * TSDL has the words of C: names, integers, strings, comments. A comment that begins
 * with "// ltt-" means something to us: it is a word, and what follows it on its line
 * are words as well. Other comments are blanks.
 */
#include <linux/errno.h>
#include <stdlib.h>
#include <string.h>

#include "lexer.h"

#define NOTE	"// ltt-"

/* The longest string a declaration may hold: a format with all bytes escaped, twice. */
#define STRING_MAX	32768u

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static size_t rest(const struct lib_lexer *lexer)
{
	return lexer->end - lexer->p;
}

static bool follows(const struct lib_lexer *lexer, const char *text)
{
	size_t len = strlen(text);

	return rest(lexer) >= len && !memcmp(lexer->p, text, len);
}

/**
 * lib_lexer_init() - begin to read a text
 * @lexer:	the lexer
 * @text:	the text; must stay as long as the lexer
 * @size:	its bytes
 *
 * Return: 0, or -ENOMEM.
 */
int lib_lexer_init(struct lib_lexer *lexer, const char *text, size_t size)
{
	memset(lexer, 0, sizeof(*lexer));
	lexer->string_room = size < STRING_MAX ? size + 1 : STRING_MAX;
	lexer->string = malloc(lexer->string_room);
	if (!lexer->string)
		return -ENOMEM;
	lexer->begin = text;
	lexer->word = text;
	lexer->p = text;
	lexer->end = text + size;
	return 0;
}

/**
 * lib_lexer_destroy() - free what lib_lexer_init() allocated
 * @lexer:	the lexer
 */
void lib_lexer_destroy(struct lib_lexer *lexer)
{
	free(lexer->string);
	lexer->string = NULL;
}

/* Step over blanks and comments. Return: false if a comment has no end. */
static bool skip_blanks(struct lib_lexer *lexer)
{
	const char *end;

	for (;;) {
		while (rest(lexer) && (*lexer->p == ' ' || *lexer->p == '\t' ||
				       *lexer->p == '\n' || *lexer->p == '\r'))
			lexer->p++;
		if (follows(lexer, "/*")) {
			end = memmem(lexer->p + 2, rest(lexer) - 2, "*/", 2);
			if (!end)
				return false;
			lexer->p = end + 2;
		} else if (follows(lexer, "//") && !follows(lexer, NOTE)) {
			end = memchr(lexer->p, '\n', rest(lexer));
			lexer->p = end ? end + 1 : lexer->end;
		} else {
			return true;
		}
	}
}

static int bad(struct lib_lexer *lexer, const char *why)
{
	lexer->why = why;
	return TOKEN_BAD;
}

static int read_number(struct lib_lexer *lexer)
{
	unsigned int base = 10, digit;
	const char *digits;
	u64 v = 0;
	char c;

	if (follows(lexer, "0x") || follows(lexer, "0X")) {
		base = 16;
		lexer->p += 2;
	} else if (*lexer->p == '0') {
		base = 8;
	}
	for (digits = lexer->p; rest(lexer); lexer->p++) {
		c = *lexer->p;
		if (is_digit(c))
			digit = c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (c | 0x20) - 'a' + 10;
		else
			break;
		if (digit >= base)
			return bad(lexer, "invalid digit");
		if (__builtin_mul_overflow(v, (u64)base, &v) ||
		    __builtin_add_overflow(v, (u64)digit, &v))
			return bad(lexer, "number of more than 64 bits");
	}
	if (lexer->p == digits)
		return bad(lexer, "number without digits");
	/* As in C, where they say what type the constant has. */
	while (rest(lexer) && (*lexer->p == 'u' || *lexer->p == 'U' || *lexer->p == 'l' ||
			       *lexer->p == 'L'))
		lexer->p++;
	if (rest(lexer) && is_name_char(*lexer->p))
		return bad(lexer, "letters after a number");
	lexer->number = v;
	return TOKEN_NUMBER;
}

/* The escape sequence after a backslash. Return: a byte, or -1. */
static int read_escape(struct lib_lexer *lexer)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	unsigned int v = 0, i;
	const char *letter;
	char c = *lexer->p;

	if (c >= '0' && c <= '7') {
		for (i = 0; i < 3 && rest(lexer) && *lexer->p >= '0' && *lexer->p <= '7'; i++)
			v = 8 * v + (*lexer->p++ - '0');
		return v > 255 ? -1 : (int)v;
	}
	lexer->p++;
	if (c == '"' || c == '\\' || c == '\'' || c == '?')
		return c;
	letter = c ? strchr(letters, c) : NULL;
	return letter ? values[letter - letters] : -1;
}

static int read_string(struct lib_lexer *lexer)
{
	int c;

	lexer->string_len = 0;
	lexer->p++;
	for (;;) {
		if (!rest(lexer))
			return TOKEN_CUT;
		c = (u8)*lexer->p++;
		if (c == '"')
			break;
		if (c == '\n')
			return bad(lexer, "unterminated string");
		if (c == '\\') {
			if (!rest(lexer))
				return TOKEN_CUT;
			c = read_escape(lexer);
			if (c < 0)
				return bad(lexer, "invalid escape sequence");
		}
		if (!c)
			return bad(lexer, "NUL in a string");
		if (lexer->string_len + 1 >= lexer->string_room)
			return bad(lexer, "string too long");
		lexer->string[lexer->string_len++] = c;
	}
	lexer->string[lexer->string_len] = '\0';
	return TOKEN_STRING;
}

static int read_word(struct lib_lexer *lexer)
{
	bool whole = skip_blanks(lexer);
	char c;

	lexer->word = lexer->p;
	if (!whole)
		return TOKEN_CUT;
	if (!rest(lexer))
		return TOKEN_END;

	c = *lexer->p;
	if (c == '"')
		return read_string(lexer);
	if (is_digit(c))
		return read_number(lexer);
	if (is_name_char(c) || follows(lexer, NOTE)) {
		if (c == '/')
			lexer->p += strlen(NOTE);
		while (rest(lexer) && (is_name_char(*lexer->p) || (c == '/' && *lexer->p == '-')))
			lexer->p++;
		return c == '/' ? TOKEN_NOTE : TOKEN_NAME;
	}
	if (follows(lexer, ":=")) {
		lexer->p += 2;
		return TOKEN_TYPE;
	}
	if (!memchr("{}[]()<>;:,.=-+*|&", c, 18))
		return bad(lexer, "invalid character");
	lexer->p++;
	return (u8)c;
}

/**
 * lib_lexer_next() - advance to the next word
 * @lexer:	the lexer
 *
 * Return: the word's token, which is also in @lexer->token.
 */
int lib_lexer_next(struct lib_lexer *lexer)
{
	lexer->token = read_word(lexer);
	lexer->len = lexer->p - lexer->word;
	return lexer->token;
}

/**
 * lib_lexer_is() - is it this name, or this note?
 * @lexer:	the lexer
 * @word:	the name
 */
bool lib_lexer_is(const struct lib_lexer *lexer, const char *word)
{
	return (lexer->token == TOKEN_NAME || lexer->token == TOKEN_NOTE) &&
	       lexer->len == strlen(word) && !memcmp(lexer->word, word, lexer->len);
}
