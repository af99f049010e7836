// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: what the metadata of a trace declares.
 *
 * How packets and events are laid out is known (<linux/ltt/packet.h>), and what is in
 * an event is told by the comments "ltt-types" and "ltt-format", from which the fields
 * were declared (<linux/ltt/metadata.h>). So types are stepped over, and only values
 * are read. Metadata of other tracers lack those comments and are refused.
 *
 * Source: Common Trace Format 1.8.3, section 7 and appendix C.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/metadata.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"

/* ---- words ------------------------------------------------------------------- */

/**
 * lib_parse_fail() - say that the metadata are wrong
 * @ps:		where: at the word that was read last
 * @why:	what is wrong
 *
 * Return: -EBADMSG.
 */
int lib_parse_fail(struct lib_parser *ps, const char *why)
{
	const struct lib_lexer *lexer = &ps->lexer;

	return lib_fail(ps->error, EBADMSG, ps->trace->metadata, lexer->word - lexer->begin,
			"%s", why);
}

/**
 * lib_parse_no_memory() - say that there is no memory
 * @ps:		where
 *
 * Return: -ENOMEM.
 */
int lib_parse_no_memory(struct lib_parser *ps)
{
	return lib_fail(ps->error, ENOMEM, ps->trace->metadata, LIBLTT_NO_OFFSET,
			"out of memory");
}

/* The word is none that may stand here. */
static int unexpected(struct lib_parser *ps, const char *wanted)
{
	struct lib_lexer *lexer = &ps->lexer;

	if (lexer->token == TOKEN_BAD)
		return lib_parse_fail(ps, lexer->why);
	/* Distinguished from other errors, see parse(). */
	if (lexer->token == TOKEN_END || lexer->token == TOKEN_CUT) {
		lib_parse_fail(ps, "the file ends in a declaration");
		return -ENODATA;
	}
	return lib_fail(ps->error, EBADMSG, ps->trace->metadata, lexer->word - lexer->begin,
			"expected %s", wanted);
}

static int next(struct lib_parser *ps)
{
	return lib_lexer_next(&ps->lexer);
}

static int expect(struct lib_parser *ps, int token, const char *wanted)
{
	return next(ps) == token ? 0 : unexpected(ps, wanted);
}

/* The word must be a string: take it. */
static int take_string(struct lib_parser *ps, char **string)
{
	if (ps->lexer.token != TOKEN_STRING)
		return unexpected(ps, "a string");
	free(*string);
	*string = strdup(ps->lexer.string);
	return *string ? 0 : lib_parse_no_memory(ps);
}

static int take_number(struct lib_parser *ps, u64 *number)
{
	if (ps->lexer.token != TOKEN_NUMBER || ps->negative)
		return unexpected(ps, "a non-negative number");
	*number = ps->lexer.number;
	return 0;
}

/* Step over everything up to the ';' that ends what the word belongs to. */
static int skip(struct lib_parser *ps)
{
	unsigned int depth = 0;

	for (;; next(ps)) {
		switch (ps->lexer.token) {
		case '{':
			depth++;
			break;
		case '}':
			if (!depth)
				return unexpected(ps, "';'");
			depth--;
			break;
		case ';':
			if (!depth)
				return 0;
			break;
		case TOKEN_END:
		case TOKEN_CUT:
		case TOKEN_BAD:
			return unexpected(ps, "';'");
		}
	}
}

/* ---- values of the blocks ---------------------------------------------------- */

static bool is_key(const struct lib_parser *ps, const char *key)
{
	return !strcmp(ps->key, key);
}

static int read_uuid(struct lib_parser *ps, uint8_t uuid[LTT_UUID_SIZE], bool *known)
{
	static const char digits[] = "0123456789abcdef";
	const char *text = ps->lexer.string, *digit;
	unsigned int i, v = 0;

	if (ps->lexer.token != TOKEN_STRING)
		return unexpected(ps, "a string");
	for (i = 0; i < 2 * LTT_UUID_SIZE; i++, text++) {
		if (*text == '-' && (i == 8 || i == 12 || i == 16 || i == 20))
			text++;
		digit = *text ? strchr(digits, *text | 0x20) : NULL;
		if (!digit)
			return lib_parse_fail(ps, "invalid UUID");
		v = v << 4 | (digit - digits);
		uuid[i / 2] = v;
	}
	if (*text)
		return lib_parse_fail(ps, "invalid UUID");
	*known = true;
	return 0;
}

static int trace_value(struct lib_parser *ps)
{
	u64 number = 0;
	int err;

	if (is_key(ps, "uuid"))
		return read_uuid(ps, ps->trace->pub.uuid, &ps->trace->uuid_known);
	if (is_key(ps, "byte_order")) {
		if (lib_lexer_is(&ps->lexer, "be"))
			ps->trace->pub.big_endian = true;
		else if (!lib_lexer_is(&ps->lexer, "le"))
			return unexpected(ps, "le or be");
		ps->trace->order_known = true;
	}
	if (is_key(ps, "major") || is_key(ps, "minor")) {
		err = take_number(ps, &number);
		if (err)
			return err;
		if (number != (is_key(ps, "major") ? 1 : 8))
			return lib_parse_fail(ps, "not version 1.8 of the Common Trace Format");
	}
	return 0;
}

static int env_value(struct lib_parser *ps)
{
	struct libltt_trace *pub = &ps->trace->pub;

	if (is_key(ps, "trace_name"))
		return take_string(ps, (char **)&pub->name);
	if (is_key(ps, "hostname"))
		return take_string(ps, (char **)&pub->hostname);
	if (is_key(ps, "boot_id"))
		return read_uuid(ps, pub->boot_id, &ps->trace->boot_known);
	if (is_key(ps, "kernel_release"))
		return take_string(ps, (char **)&pub->release);
	/* The names are another tracer's, and what follows of that tracer says it. */
	if (is_key(ps, "ltt_names")) {
		ps->renamed = true;
		ps->trace->by_ltt = true;
	}
	if (is_key(ps, "tracer_name") && !ps->renamed) {
		if (ps->lexer.token != TOKEN_STRING || strcmp(ps->lexer.string, "ltt"))
			return lib_parse_fail(ps, "not recorded by LTT");
		ps->trace->by_ltt = true;
	}
	if (is_key(ps, ps->renamed ? "ltt_major" : "tracer_major"))
		return take_number(ps, &ps->trace->tracer_major);
	if (is_key(ps, ps->renamed ? "ltt_minor" : "tracer_minor"))
		return take_number(ps, &ps->trace->tracer_minor);
	return 0;
}

static int clock_value(struct lib_parser *ps)
{
	if (is_key(ps, "name")) {
		/* A name in version 1.8.2 and before, a string since. */
		if (ps->lexer.token == TOKEN_STRING)
			return take_string(ps, (char **)&ps->trace->pub.clock);
	} else if (is_key(ps, "freq")) {
		return take_number(ps, &ps->freq);
	} else if (is_key(ps, "offset_s")) {
		return take_number(ps, &ps->offset_s);
	} else if (is_key(ps, "offset")) {
		return take_number(ps, &ps->offset);
	}
	return 0;
}

static int stream_value(struct lib_parser *ps)
{
	if (!is_key(ps, "id"))
		return 0;
	ps->has_id = true;
	return take_number(ps, &ps->id);
}

static int event_value(struct lib_parser *ps)
{
	if (is_key(ps, "name"))
		return ps->named ? 0 : take_string(ps, &ps->name);
	if (is_key(ps, "id")) {
		ps->has_id = true;
		return take_number(ps, &ps->id);
	}
	if (is_key(ps, "stream_id")) {
		ps->has_stream_id = true;
		return take_number(ps, &ps->stream_id);
	}
	return 0;
}

/* ---- our comments; the lexer is left at the word after them ------------------- */

/* The event has fields of its own. */
static void drop_used(struct lib_parser *ps)
{
	lib_fields_put(ps->used);
	ps->used = NULL;
}

static int read_types(struct lib_parser *ps)
{
	drop_used(ps);
	ps->nr_types = 0;
	while (next(ps) == TOKEN_NUMBER) {
		if (ps->nr_types == LTT_MAX_ARGS)
			return lib_parse_fail(ps, "too many arguments");
		if (ps->lexer.number > U32_MAX)
			return lib_parse_fail(ps, "invalid type");
		ps->types[ps->nr_types++] = ps->lexer.number;
	}
	return 0;
}

static int read_note(struct lib_parser *ps)
{
	char **string;
	int err;

	if (lib_lexer_is(&ps->lexer, "// ltt-types"))
		return read_types(ps);
	if (lib_lexer_is(&ps->lexer, "// ltt-format")) {
		drop_used(ps);
		string = &ps->format;
	} else if (lib_lexer_is(&ps->lexer, "// ltt-channel")) {
		string = &ps->name;
	} else if (lib_lexer_is(&ps->lexer, "// ltt-name")) {
		string = &ps->name;
		ps->named = true;
	} else {
		return lib_parse_fail(ps, "comment for a newer version of ltt");
	}
	next(ps);
	err = take_string(ps, string);
	next(ps);
	return err;
}

/* ---- blocks ------------------------------------------------------------------ */

/* "name" or "name.name", up to the word after it. */
static int read_key(struct lib_parser *ps)
{
	size_t len = 0;

	for (;;) {
		if (ps->lexer.token != TOKEN_NAME)
			return unexpected(ps, "a name");
		if (len + ps->lexer.len >= KEY_MAX)
			return lib_parse_fail(ps, "name too long");
		memcpy(ps->key + len, ps->lexer.word, ps->lexer.len);
		len += ps->lexer.len;
		ps->key[len] = '\0';
		if (next(ps) != '.')
			return 0;
		ps->key[len++] = '.';
		next(ps);
	}
}

/* The word is a name: take it. NULL: no memory. */
static char *take_name(struct lib_parser *ps)
{
	return strndup(ps->lexer.word, ps->lexer.len);
}

/* "struct NAME;" after the "fields :=" of an event, or a structure declared in place. */
static int read_fields(struct lib_parser *ps)
{
	char *name;
	int err;

	next(ps);
	if (!lib_lexer_is(&ps->lexer, "struct") || next(ps) != TOKEN_NAME)
		return skip(ps);
	name = take_name(ps);
	err = name ? lib_fields_use(ps, name) : lib_parse_no_memory(ps);
	return err ?: skip(ps);
}

/* "key = value;", or "key := type;", or the declaration of a type. */
static int read_entry(struct lib_parser *ps, int (*value)(struct lib_parser *ps))
{
	int err = read_key(ps);

	if (err)
		return err;
	if (ps->lexer.token == TOKEN_TYPE && value == event_value && is_key(ps, "fields"))
		return read_fields(ps);
	if (ps->lexer.token != '=')
		return skip(ps);
	ps->negative = next(ps) == '-';
	if (ps->negative)
		next(ps);
	if (ps->lexer.token != TOKEN_NUMBER && ps->lexer.token != TOKEN_STRING &&
	    ps->lexer.token != TOKEN_NAME)
		return unexpected(ps, "a value");
	err = value(ps);
	if (err)
		return err;
	next(ps);
	return ps->lexer.token == ';' ? 0 : skip(ps);
}

/* All of a block, from the '{' to the ';' after it. */
static int read_block(struct lib_parser *ps, int (*value)(struct lib_parser *ps))
{
	int err = expect(ps, '{', "'{'");

	if (err)
		return err;
	next(ps);
	while (ps->lexer.token != '}') {
		if (ps->lexer.token == TOKEN_NOTE) {
			err = read_note(ps);
		} else {
			err = read_entry(ps, value);
			next(ps);
		}
		if (err)
			return err;
	}
	return expect(ps, ';', "';'");
}

static int declare(struct lib_parser *ps, int (*value)(struct lib_parser *ps),
		   int (*finish)(struct lib_parser *ps))
{
	return read_block(ps, value) ?: finish(ps);
}

/* A member of a structure is known by the structure's notes. */
static int member_value(struct lib_parser *ps)
{
	return unexpected(ps, "a member of a structure");
}

/* "struct NAME { ... };"; others declare nothing. */
static int read_struct(struct lib_parser *ps)
{
	char *name;
	int err;

	if (next(ps) != TOKEN_NAME)
		return skip(ps);
	name = take_name(ps);
	if (!name)
		return lib_parse_no_memory(ps);
	err = read_block(ps, member_value);
	if (!err)
		return lib_fields_declare(ps, name);
	free(name);
	return err;
}

/* One declaration, the first word of which is in the lexer. */
static int read_declaration(struct lib_parser *ps)
{
	ps->has_id = false;
	ps->has_stream_id = false;
	ps->named = false;
	ps->nr_types = -1;
	ps->freq = LIB_NSEC;
	ps->offset_s = 0;
	ps->offset = 0;
	free(ps->name);
	ps->name = NULL;
	free(ps->format);
	ps->format = NULL;
	drop_used(ps);

	if (lib_lexer_is(&ps->lexer, "trace"))
		return read_block(ps, trace_value);
	if (lib_lexer_is(&ps->lexer, "env"))
		return read_block(ps, env_value);
	if (lib_lexer_is(&ps->lexer, "clock"))
		return declare(ps, clock_value, lib_declare_clock);
	if (lib_lexer_is(&ps->lexer, "stream"))
		return declare(ps, stream_value, lib_declare_stream);
	if (lib_lexer_is(&ps->lexer, "event"))
		return declare(ps, event_value, lib_declare_event);
	if (lib_lexer_is(&ps->lexer, "struct"))
		return read_struct(ps);
	if (ps->lexer.token == TOKEN_NAME)
		return skip(ps);
	return unexpected(ps, "a declaration");
}

static int check_signature(struct lib_parser *ps, size_t size)
{
	const size_t len = strlen(LTT_METADATA_SIGNATURE);

	if (size < len || memcmp(ps->lexer.begin, LTT_METADATA_SIGNATURE, len))
		return lib_parse_fail(ps, "not the metadata of an LTT trace");
	return 0;
}

/* Return: 0; -ENODATA: the last one has no end; -EBADMSG, -ENOMEM. */
static int read_declarations(struct lib_parser *ps)
{
	struct lib_trace *trace = ps->trace;
	int err = 0;

	while (next(ps) != TOKEN_END) {
		err = read_declaration(ps);
		if (err)
			break;
		trace->declared = ps->lexer.p - ps->lexer.begin;
		trace->ours = trace->by_ltt && trace->uuid_known && trace->order_known;
	}
	return err;
}

static int parse(struct lib_parser *ps, size_t size)
{
	int err = check_signature(ps, size) ?: read_declarations(ps);

	/* The end may be missing: a recorder was killed. */
	if (err == -ENODATA && ps->error->offset != LIBLTT_NO_OFFSET)
		ps->error->severity = LIBLTT_NOTE;
	return err == -ENODATA ? -EBADMSG : err;
}

/* What is known of the declarations before. */
static void forget(struct lib_parser *ps)
{
	free(ps->name);
	free(ps->format);
	drop_used(ps);
	lib_fields_free(ps);
}

/**
 * lib_metadata_parse() - read the declarations of a trace
 * @trace:	the trace, of which @dir, @metadata and @number are known; gets what was
 *		declared before an error, too
 * @text:	the metadata
 * @size:	its bytes
 * @error:	what is wrong; a note if all that is missing is the end of the last
 *		declaration
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int lib_metadata_parse(struct lib_trace *trace, const char *text, size_t size,
		       struct libltt_problem *error)
{
	struct lib_parser ps = { .trace = trace, .error = error };
	int err = lib_lexer_init(&ps.lexer, text, size);

	if (err)
		return lib_parse_no_memory(&ps);
	err = parse(&ps, size);
	lib_lexer_destroy(&ps.lexer);
	forget(&ps);
	trace->swap = trace->pub.big_endian != LTT_HOST_BE;
	return err;
}

/**
 * lib_metadata_begin() - begin to read the declarations of a trace that come one by one
 * @trace:	the trace, as for lib_metadata_parse(); must stay
 *
 * Return: for lib_metadata_end(), or NULL: no memory.
 */
struct lib_parser *lib_metadata_begin(struct lib_trace *trace)
{
	struct lib_parser *ps = calloc(1, sizeof(*ps));

	if (ps)
		ps->trace = trace;
	return ps;
}

/**
 * lib_metadata_more() - read declarations that have come
 * @ps:		what lib_metadata_begin() returned
 * @text:	what follows those that were read
 * @size:	its bytes; the last declaration may have no end yet
 * @error:	what is wrong, at an offset from @text
 *
 * Return: bytes of those that were read, or a negative errno.
 */
long lib_metadata_more(struct lib_parser *ps, const char *text, size_t size,
		       struct libltt_problem *error)
{
	struct lib_trace *trace = ps->trace;
	int err = lib_lexer_init(&ps->lexer, text, size);

	ps->error = error;
	if (err)
		return lib_parse_no_memory(ps);
	trace->declared = 0;
	err = ps->begun ? 0 : check_signature(ps, size);
	if (!err)
		err = read_declarations(ps);
	ps->begun |= trace->declared > 0;
	lib_lexer_destroy(&ps->lexer);
	trace->swap = trace->pub.big_endian != LTT_HOST_BE;
	return err && err != -ENODATA ? err : (long)trace->declared;
}

/**
 * lib_metadata_end() - nothing more will come
 * @ps:		what lib_metadata_begin() returned, NULL included
 */
void lib_metadata_end(struct lib_parser *ps)
{
	if (ps)
		forget(ps);
	free(ps);
}
