// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: blocks in the metadata of other tracers.
 *
 * parse.h says how functions here are called. The language is TSDL, of the Common Trace Format
 * 1.8.3, appendix C.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* ---- words ------------------------------------------------------------------------ */

/**
 * ctf_place() - where the word is
 * @ps:		the parser
 */
u32 ctf_place(const struct ctf_parser *ps)
{
	return ps->lexer.word - ps->lexer.begin;
}

/**
 * ctf_unexpected() - say that the word should be another one
 * @ps:		where
 * @wanted:	what it should be
 *
 * Return: -EBADMSG.
 */
int ctf_unexpected(struct ctf_parser *ps, const char *wanted)
{
	const struct lib_lexer *lexer = &ps->lexer;

	switch (lexer->token) {
	case TOKEN_BAD:
		return ctf_fail(ps->trace, ctf_place(ps), "%s", lexer->why);
	case TOKEN_CUT:
	case TOKEN_END:
		return ctf_fail(ps->trace, ctf_place(ps), "the text ends, expected %s", wanted);
	}
	return ctf_fail(ps->trace, ctf_place(ps), "expected %s, not '%.*s'", wanted,
			(int)min_t(size_t, lexer->len, 40), lexer->word);
}

/**
 * ctf_want() - step over a word
 * @ps:		where
 * @token:	the only one that it may be
 * @wanted:	its name
 */
int ctf_want(struct ctf_parser *ps, int token, const char *wanted)
{
	if (ps->lexer.token != token)
		return ctf_unexpected(ps, wanted);
	lib_lexer_next(&ps->lexer);
	return 0;
}

/**
 * ctf_skip_word() - step over a word if it is this one
 * @ps:		where
 * @word:	this one
 *
 * Return: whether it is.
 */
bool ctf_skip_word(struct ctf_parser *ps, const char *word)
{
	if (!lib_lexer_is(&ps->lexer, word))
		return false;
	lib_lexer_next(&ps->lexer);
	return true;
}

/**
 * ctf_append() - append the word to ps->text
 * @ps:		where
 * @between:	goes before it unless it is the first one
 */
int ctf_append(struct ctf_parser *ps, char between)
{
	const struct lib_lexer *lexer = &ps->lexer;

	if (ps->len + 1 + lexer->len > CTF_NAME_MAX)
		return ctf_fail(ps->trace, ctf_place(ps), "name too long");
	if (ps->len)
		ps->text[ps->len++] = between;
	memcpy(ps->text + ps->len, lexer->word, lexer->len);
	ps->len += lexer->len;
	ps->text[ps->len] = '\0';
	return 0;
}

/**
 * ctf_parse_path() - parse names with dots between, to ps->text
 * @ps:		where
 */
int ctf_parse_path(struct ctf_parser *ps)
{
	int err;

	ps->len = 0;
	for (;;) {
		if (ps->lexer.token != TOKEN_NAME)
			return ctf_unexpected(ps, "a name");
		err = ctf_append(ps, '.');
		if (err)
			return err;
		lib_lexer_next(&ps->lexer);
		if (ps->lexer.token != '.')
			return 0;
		lib_lexer_next(&ps->lexer);
	}
}

/**
 * ctf_keep() - copy a text, for as long as there is the trace
 * @ps:		where
 * @text:	the text
 *
 * Return: NULL if there is no memory.
 */
const char *ctf_keep(struct ctf_parser *ps, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = ctf_alloc(ps->trace, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

/**
 * ctf_parse_value() - parse what stands after a "="
 * @ps:		where
 * @value:	returns it
 */
int ctf_parse_value(struct ctf_parser *ps, struct ctf_value *value)
{
	int err = 0;

	memset(value, 0, sizeof(*value));
	value->place = ctf_place(ps);
	value->negative = ps->lexer.token == '-';
	if (value->negative || ps->lexer.token == '+')
		lib_lexer_next(&ps->lexer);
	value->token = ps->lexer.token;
	switch (value->token) {
	case TOKEN_NUMBER:
		value->number = ps->lexer.number;
		lib_lexer_next(&ps->lexer);
		return 0;
	case TOKEN_STRING:
		value->text = ctf_keep(ps, ps->lexer.string);
		lib_lexer_next(&ps->lexer);
		break;
	case TOKEN_NAME:
		err = ctf_parse_path(ps);
		value->text = err ? NULL : ctf_keep(ps, ps->text);
		break;
	default:
		return ctf_unexpected(ps, "a value");
	}
	if (err)
		return err;
	return value->text ? 0 : ctf_no_memory(ps->trace);
}

/**
 * ctf_bad() - say what is wrong with a value
 * @ps:		where
 * @value:	the value
 * @why:	what is wrong with it
 *
 * Return: -EBADMSG.
 */
int ctf_bad(struct ctf_parser *ps, const struct ctf_value *value, const char *why)
{
	return ctf_fail(ps->trace, value->place, "%s", why);
}

/* ---- values of the blocks ---------------------------------------------------------- */

static int take_number(struct ctf_parser *ps, const struct ctf_value *value, u64 *number)
{
	if (value->token != TOKEN_NUMBER || value->negative)
		return ctf_bad(ps, value, "expected a non-negative number");
	*number = value->number;
	return 0;
}

static int take_signed(struct ctf_parser *ps, const struct ctf_value *value, s64 *number)
{
	if (value->token != TOKEN_NUMBER || value->number > S64_MAX)
		return ctf_bad(ps, value, "expected a number of 63 bits");
	*number = value->negative ? -value->number : value->number;
	return 0;
}

static int take_uuid(struct ctf_parser *ps, const struct ctf_value *value, u8 uuid[LTT_UUID_SIZE])
{
	const char *text = value->token == TOKEN_STRING ? value->text : "";
	unsigned int i, digit = 0;

	for (i = 0; i < 2 * LTT_UUID_SIZE; i++, text++) {
		if (*text == '-' && (i == 8 || i == 12 || i == 16 || i == 20))
			text++;
		if (!isxdigit((unsigned char)*text))
			return ctf_bad(ps, value, "invalid UUID");
		digit = digit << 4 | (isdigit((unsigned char)*text) ? *text - '0' :
				      (*text | 0x20) - 'a' + 10);
		uuid[i / 2] = digit;
	}
	return *text ? ctf_bad(ps, value, "invalid UUID") : 0;
}

/**
 * struct block - a kind of block
 * @value:	takes a value
 * @type:	takes a type; NULL: it has none
 */
struct block {
	int (*value)(struct ctf_parser *ps, void *what, const char *key,
		     const struct ctf_value *value);
	int (*type)(struct ctf_parser *ps, void *what, const char *key, u32 place,
		    const struct ctf_type *type);
};

static int unknown_type(struct ctf_parser *ps, u32 place, const char *key)
{
	return ctf_fail(ps->trace, place, "unknown type '%s' of the block", key);
}

/* Once, and all of them are structures. */
static int take_struct(struct ctf_parser *ps, const struct ctf_type **to, const char *key,
		       u32 place, const struct ctf_type *type)
{
	if (*to)
		return ctf_fail(ps->trace, place, "duplicate %s", key);
	if (type->kind != CTF_STRUCT)
		return ctf_fail(ps->trace, place, "%s is no structure", key);
	*to = type;
	return 0;
}

static int trace_value(struct ctf_parser *ps, void *what, const char *key,
		       const struct ctf_value *value)
{
	struct ctf_trace *trace = what;
	u64 number = 0;
	u8 order;
	int err;

	if (!strcmp(key, "major") || !strcmp(key, "minor")) {
		err = take_number(ps, value, &number);
		if (!err && number != (*key == 'm' && key[1] == 'a' ? 1 : 8))
			err = ctf_bad(ps, value, "not version 1.8 of the Common Trace Format");
		return err;
	}
	if (!strcmp(key, "uuid")) {
		trace->has_uuid = true;
		return take_uuid(ps, value, trace->uuid);
	}
	if (!strcmp(key, "byte_order")) {
		err = ctf_parse_order(ps, value, &order);
		if (!err && order == CTF_NATIVE)
			err = ctf_bad(ps, value, "expected le or be");
		trace->be = order == CTF_BE;
		trace->has_order = true;
		return err;
	}
	return ctf_bad(ps, value, "unknown value of the trace");
}

static int trace_type(struct ctf_parser *ps, void *what, const char *key, u32 place,
		      const struct ctf_type *type)
{
	struct ctf_trace *trace = what;

	if (strcmp(key, "packet.header"))
		return unknown_type(ps, place, key);
	return take_struct(ps, &trace->packet_header, key, place, type);
}

/* What libltt has a place for. */
static int env_value(struct ctf_parser *ps, void *what, const char *key,
		     const struct ctf_value *value)
{
	struct libltt_trace *pub = &ps->trace->lib->pub;
	const char **to = NULL;

	(void)what;
	if (!strcmp(key, "tracer_name") && value->token == TOKEN_STRING)
		ps->trace->lib->by_ltt = !strcmp(value->text, "ltt");
	if (!strcmp(key, "trace_name"))
		to = &pub->name;
	else if (!strcmp(key, "hostname"))
		to = &pub->hostname;
	else if (!strcmp(key, "kernel_release"))
		to = &pub->release;
	if (!to || *to || value->token != TOKEN_STRING)
		return 0;
	*to = strdup(value->text);
	return *to ? 0 : ctf_no_memory(ps->trace);
}

static int clock_value(struct ctf_parser *ps, void *what, const char *key,
		       const struct ctf_value *value)
{
	struct ctf_clock *clock = what;
	int err;

	if (!strcmp(key, "name")) {
		/* A name in version 1.8.2 and before, a string since. */
		if (value->token == TOKEN_NUMBER)
			return ctf_bad(ps, value, "expected a name");
		clock->name = value->text;
		return 0;
	}
	if (!strcmp(key, "freq")) {
		err = take_number(ps, value, &clock->freq);
		return !err && !clock->freq ? ctf_bad(ps, value, "a clock that stands still") :
					      err;
	}
	if (!strcmp(key, "offset_s"))
		return take_signed(ps, value, &clock->offset_s);
	if (!strcmp(key, "offset"))
		return take_signed(ps, value, &clock->offset);
	if (!strcmp(key, "uuid") || !strcmp(key, "description") || !strcmp(key, "precision") ||
	    !strcmp(key, "absolute"))
		return 0;
	return ctf_bad(ps, value, "unknown value of the clock");
}

static int stream_value(struct ctf_parser *ps, void *what, const char *key,
			const struct ctf_value *value)
{
	struct ctf_stream_class *stream = what;

	if (strcmp(key, "id"))
		return ctf_bad(ps, value, "unknown value of the stream");
	return take_number(ps, value, &stream->id);
}

static int stream_type(struct ctf_parser *ps, void *what, const char *key, u32 place,
		       const struct ctf_type *type)
{
	struct ctf_stream_class *stream = what;

	if (!strcmp(key, "packet.context"))
		return take_struct(ps, &stream->packet_context, key, place, type);
	if (!strcmp(key, "event.header"))
		return take_struct(ps, &stream->event_header, key, place, type);
	if (!strcmp(key, "event.context"))
		return take_struct(ps, &stream->event_context, key, place, type);
	return unknown_type(ps, place, key);
}

static int event_value(struct ctf_parser *ps, void *what, const char *key,
		       const struct ctf_value *value)
{
	struct ctf_event *event = what;

	if (!strcmp(key, "name")) {
		if (value->token == TOKEN_NUMBER)
			return ctf_bad(ps, value, "expected a name");
		event->name = value->text;
		return 0;
	}
	if (!strcmp(key, "id"))
		return take_number(ps, value, &event->id);
	if (!strcmp(key, "stream_id")) {
		event->has_stream_id = true;
		return take_number(ps, value, &event->stream_id);
	}
	/* loglevel, model.emf.uri: they say nothing about how to read it. */
	return 0;
}

static int event_type(struct ctf_parser *ps, void *what, const char *key, u32 place,
		      const struct ctf_type *type)
{
	struct ctf_event *event = what;

	if (!strcmp(key, "context"))
		return take_struct(ps, &event->context, key, place, type);
	if (!strcmp(key, "fields"))
		return take_struct(ps, &event->fields, key, place, type);
	return unknown_type(ps, place, key);
}

static int any_value(struct ctf_parser *ps, void *what, const char *key,
		     const struct ctf_value *value)
{
	(void)ps;
	(void)what;
	(void)key;
	(void)value;
	return 0;
}

/* ---- blocks ------------------------------------------------------------------------ */

static int parse_entry(struct ctf_parser *ps, const struct block *block, void *what)
{
	u32 place = ctf_place(ps);
	const struct ctf_type *type;
	struct ctf_value value;
	const char *key;
	int err;

	if (ctf_at_declaration(ps))
		return ctf_parse_declaration(ps);
	err = ctf_parse_path(ps);
	if (err)
		return err;
	key = ctf_keep(ps, ps->text);
	if (!key)
		return ctf_no_memory(ps->trace);
	if (block->type && ps->lexer.token == TOKEN_TYPE) {
		lib_lexer_next(&ps->lexer);
		err = ctf_parse_type(ps, &type) ?: block->type(ps, what, key, place, type);
	} else {
		err = ctf_want(ps, '=', "'='") ?: ctf_parse_value(ps, &value) ?:
		      block->value(ps, what, key, &value);
	}
	return err ?: ctf_want(ps, ';', "';'");
}

/* "{ ... };" */
static int parse_block(struct ctf_parser *ps, const struct block *block, void *what)
{
	struct ctf_scope_names names;
	int err = ctf_want(ps, '{', "'{'");

	ctf_enter(ps, &names);
	while (!err && ps->lexer.token != '}')
		err = parse_entry(ps, block, what);
	ctf_leave(ps);
	return err ?: ctf_want(ps, '}', "'}'") ?: ctf_want(ps, ';', "';'");
}

static int parse_trace(struct ctf_parser *ps, u32 place)
{
	static const struct block block = { .value = trace_value, .type = trace_type };
	struct ctf_trace *trace = ps->trace;
	int err;

	if (trace->declared)
		return ctf_fail(trace, place, "second trace block");
	trace->declared = true;
	err = parse_block(ps, &block, trace);
	if (!err && !trace->has_order)
		return ctf_fail(trace, place, "trace without byte_order");
	return err;
}

/* babeltrace2 declares a clock again for each stream that has it. */
static bool same_clock(const struct ctf_clock *a, const struct ctf_clock *b)
{
	return a->freq == b->freq && a->offset_s == b->offset_s && a->offset == b->offset;
}

/* More than any trace has: each is compared with all others. */
#define CLOCKS_MAX	256u

static int parse_clock(struct ctf_parser *ps, u32 place)
{
	static const struct block block = { .value = clock_value };
	struct ctf_clock *clock = ctf_alloc(ps->trace, sizeof(*clock)), *other;
	unsigned int nr = 0;
	int err;

	if (!clock)
		return ctf_no_memory(ps->trace);
	clock->freq = CTF_NSEC;
	err = parse_block(ps, &block, clock);
	if (err)
		return err;
	if (!clock->name)
		return ctf_fail(ps->trace, place, "clock without a name");
	for (other = ps->trace->clocks; other; other = other->next, nr++) {
		if (strcmp(other->name, clock->name))
			continue;
		return same_clock(other, clock) ? 0 :
		       ctf_fail(ps->trace, place, "second clock %s", clock->name);
	}
	if (nr == CLOCKS_MAX)
		return ctf_fail(ps->trace, place, "more than %u clocks", CLOCKS_MAX);
	clock->next = ps->trace->clocks;
	ps->trace->clocks = clock;
	return 0;
}

static int parse_stream(struct ctf_parser *ps, u32 place)
{
	static const struct block block = { .value = stream_value, .type = stream_type };
	struct ctf_stream_class *stream = ctf_alloc(ps->trace, sizeof(*stream));
	int err;

	if (!stream)
		return ctf_no_memory(ps->trace);
	stream->place = place;
	err = parse_block(ps, &block, stream);
	if (err)
		return err;
	stream->next = ps->trace->streams;
	ps->trace->streams = stream;
	return 0;
}

static int parse_event(struct ctf_parser *ps, u32 place)
{
	static const struct block block = { .value = event_value, .type = event_type };
	struct ctf_event *event = ctf_alloc(ps->trace, sizeof(*event));
	int err;

	if (!event)
		return ctf_no_memory(ps->trace);
	event->place = place;
	err = parse_block(ps, &block, event);
	if (err)
		return err;
	if (!event->name)
		return ctf_fail(ps->trace, place, "event without a name");
	event->next = ps->trace->events;
	ps->trace->events = event;
	return 0;
}

static int parse_top(struct ctf_parser *ps)
{
	static const struct block env = { .value = env_value }, any = { .value = any_value };
	u32 place = ctf_place(ps);

	if (ctf_at_declaration(ps))
		return ctf_parse_declaration(ps);
	if (ctf_skip_word(ps, "trace"))
		return parse_trace(ps, place);
	if (ctf_skip_word(ps, "env"))
		return parse_block(ps, &env, NULL);
	if (ctf_skip_word(ps, "clock"))
		return parse_clock(ps, place);
	if (ctf_skip_word(ps, "stream"))
		return parse_stream(ps, place);
	if (ctf_skip_word(ps, "event"))
		return parse_event(ps, place);
	if (ctf_skip_word(ps, "callsite"))
		return parse_block(ps, &any, NULL);
	return ctf_unexpected(ps, "a declaration");
}

/**
 * ctf_parse() - read the metadata
 * @trace:	gets what they declare: streams and events from the last one to the first
 * @text:	the metadata
 * @size:	their bytes
 *
 * Return: 0, -EBADMSG or -ENOMEM; @trace->error says what is wrong.
 */
int ctf_parse(struct ctf_trace *trace, const char *text, size_t size)
{
	struct ctf_parser ps = { .trace = trace };
	struct ctf_scope_names names;
	int err = 0;

	if (lib_lexer_init(&ps.lexer, text, size))
		return ctf_no_memory(trace);
	ctf_enter(&ps, &names);
	lib_lexer_next(&ps.lexer);
	while (!err && ps.lexer.token != TOKEN_END)
		err = parse_top(&ps);
	ctf_leave(&ps);
	lib_lexer_destroy(&ps.lexer);
	if (!err && !trace->declared)
		return ctf_fail(trace, size, "no trace block");
	return err;
}
