/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: the declaration in the metadata that is being read.
 */
#ifndef _LTT_LIB_METADATA_H
#define _LTT_LIB_METADATA_H

#include "lexer.h"
#include "private.h"

#define LIB_NSEC	1000000000u

/* Bytes of the longest "name" or "name.name" on the left of a value. */
#define KEY_MAX		63

/**
 * struct lib_parser - a place in the metadata, and the declaration there
 * @lexer:	the words
 * @begun:	of those that come one by one, the first have been read
 * @trace:	what is being filled in
 * @error:	what went wrong
 * @key:	left side of the value
 * @negative:	the value had a minus sign
 * @id:		of the stream or event being declared
 * @stream_id:	of the event's stream
 * @has_id:	@id was declared
 * @has_stream_id: @stream_id was declared
 * @renamed:	names are those of another tracer
 * @named:	a note has told @name, and a name that is declared is another tracer's
 * @name:	of the event or channel, NULL until it was declared
 * @format:	of the event, or of the stream's context, NULL until it was declared
 * @types:	of what is in @format, or in the format of @used
 * @nr_types:	how many; negative until they were declared
 * @used:	fields that the event has in common with others, NULL if none
 * @fields:	fields that events may refer to; a tree, see tsearch()
 * @expanded:	bytes that events have of formats that are declared elsewhere
 * @freq:	of the clock
 * @offset_s:	of the clock
 * @offset:	of the clock
 */
struct lib_parser {
	struct lib_lexer lexer;
	bool begun;
	struct lib_trace *trace;
	struct libltt_problem *error;
	char key[KEY_MAX + 1];
	bool negative;
	u64 id;
	u64 stream_id;
	bool has_id;
	bool has_stream_id;
	bool renamed;
	bool named;
	char *name;
	char *format;
	u32 types[LTT_MAX_ARGS];
	int nr_types;
	struct lib_fields *used;
	void *fields;
	u64 expanded;
	u64 freq;
	u64 offset_s;
	u64 offset;
};

/* metadata.c: what is wrong, at the word that was read last */
int lib_parse_fail(struct lib_parser *ps, const char *why);
int lib_parse_no_memory(struct lib_parser *ps);

/* declare.c: all of the block was read */
int lib_declare_clock(struct lib_parser *ps);
int lib_declare_stream(struct lib_parser *ps);
int lib_declare_event(struct lib_parser *ps);

/* fields.c */
int lib_fields_declare(struct lib_parser *ps, char *name);
int lib_fields_use(struct lib_parser *ps, char *name);
int lib_fields_expand(struct lib_parser *ps, size_t len);
struct lib_fields *lib_fields_create(char *text);
void lib_fields_free(struct lib_parser *ps);

#endif /* _LTT_LIB_METADATA_H */
