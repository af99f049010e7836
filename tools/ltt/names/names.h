/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: names of events and fields that other programs look for.
 *
 * CTF has names in the metadata only, so other names are another text, and streams stay as they
 * are. What was there before is kept in comments, by which libltt goes.
 *
 *	rewrite.c	the text
 *	directory.c	the file of a trace directory
 */
#ifndef _LTT_TOOL_NAMES_H
#define _LTT_TOOL_NAMES_H

#include <stddef.h>

/**
 * struct names_scheme - whose names
 * @name:	of the scheme
 * @tracer:	tracer_name, by which readers tell whose names they are; NULL: LTT's
 * @major:	version of that tracer
 * @minor:	the same
 * @rename_event: the name of an event of @channel, called @marker; to be freed. NULL: no memory
 * @rename_field: the name of a field of an event of @channel; NULL: as it is. To be freed
 */
struct names_scheme {
	const char *name;
	const char *tracer;
	unsigned int major;
	unsigned int minor;
	char *(*rename_event)(const char *channel, const char *marker);
	char *(*rename_field)(const char *channel, const char *field);
};

/* rewrite.c */
const struct names_scheme *names_find(const char *name);
int names_rewrite(const char *text, size_t size, const struct names_scheme *scheme, char **to,
		  size_t *to_size);

/* directory.c */
int names_directory(const char *path, const struct names_scheme *scheme);

#endif /* _LTT_TOOL_NAMES_H */
