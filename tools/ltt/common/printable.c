// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: names of files, and whatever else was written by others, in messages.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include <linux/ltt/escape.h>
#include "printable.h"

/**
 * printable() - escape what could forge a line or control a terminal
 * @text:	a string
 *
 * As in the kernel's text files, see ltt_escape_char().
 *
 * Return: the string to print, which the caller frees; NULL if there is no memory.
 */
char *printable(const char *text)
{
	size_t left = strlen(text);
	char *out = malloc(LTT_ESCAPE_MAX * left + 1), *pos = out;
	unsigned int used;

	if (!out)
		return NULL;
	for (; left; left -= used, text += used)
		pos += ltt_escape_char(pos, (const u8 *)text, left, &used);
	*pos = '\0';
	return out;
}

/**
 * printable_message() - a message, of which printable() has escaped all
 * @format:	as for vprintf()
 * @args:	likewise
 *
 * Return: as printable().
 */
char *printable_message(const char *format, va_list args)
{
	char *text, *shown;

	if (vasprintf(&text, format, args) < 0)
		return NULL;
	shown = printable(text);
	free(text);
	return shown;
}

/**
 * printable_say() - a message on standard error, of which printable() has escaped all
 * @who:	says it, "ltt NAME"; program_invocation_short_name: as warnx()
 * @format:	as for printf(), without a newline at its end
 */
void printable_say(const char *who, const char *format, ...)
{
	va_list args;
	char *shown;

	va_start(args, format);
	shown = printable_message(format, args);
	va_end(args);
	fprintf(stderr, "%s: %s\n", who, shown ?: "out of memory");
	free(shown);
}
