// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: metadata with other names.
 *
 * The layouts of names are those of perf's CTF and of LTTng 2.9 and later, as Trace Compass
 * (eclipse-tracecompass 14360af, 2026-08-18) tells them apart: PerfEventLayout and
 * Lttng29EventLayout, by tracer_name in LttngKernelTrace.java.
 *
 * What is changed keeps what it was, in a note for libltt or in a comment behind it:
 *
 *	env {
 *		ltt_names = "lttng";
 *		ltt_major = 0;
 *		ltt_minor = 3;
 *		tracer_name = "lttng-modules";
 *		...
 *	event {
 *		// ltt-name "sched.sched_process_free"
 *		name = "sched_process_free";
 *		...
 *		fields := struct {
 *			char8 _comm[16];
 *			int32 _tid <comment: _pid>;
 *
 * So the names of each scheme can be made of those of any other.
 */

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "../lib/lexer.h"
#include "names.h"

/* Deeper than any structure of ours. */
#define DEPTH_MAX	16

enum block { BLOCK_OTHER, BLOCK_ENV, BLOCK_EVENT };

/**
 * struct word - a word of the text
 * @text:	the word, not terminated
 * @len:	its bytes
 */
struct word {
	const char *text;
	size_t len;
};

/**
 * struct rewriter - a place in the text
 * @lexer:	the words
 * @scheme:	names that are wanted
 * @to:		the text that is made
 * @copied:	everything before is there, or is to be left out
 * @block:	what the declaration is
 * @depth:	of the braces
 * @name:	of the event, as LTT has it; NULL until it is known
 * @told:	the tracer has been told
 * @event:	where the event begins
 * @fields:	names in the event that stay, sorted, and whatever else is called something there;
 *		NULL until they are needed
 * @nr_fields:	how many
 */
struct rewriter {
	struct lib_lexer lexer;
	const struct names_scheme *scheme;
	FILE *to;
	const char *copied;
	enum block block;
	unsigned int depth;
	char *name;
	bool told;
	const char *event;
	struct word *fields;
	size_t nr_fields;
};

/* ---- the schemes ---------------------------------------------------------------- */

static char *join(const char *channel, char separator, const char *marker)
{
	char *name;

	return asprintf(&name, "%s%c%s", channel, separator, marker) < 0 ? NULL : name;
}

static char *ltt_event(const char *channel, const char *marker)
{
	return join(channel, '.', marker);
}

static char *perf_event(const char *channel, const char *marker)
{
	return join(channel, ':', marker);
}

/* Each name says what it is about, but not twice. */
static char *lttng_event(const char *channel, const char *marker)
{
	size_t len = strlen(channel);

	if (!strcmp(channel, "raw_syscalls")) {
		/* LTTng's own, of system calls that it does not know. */
		if (!strcmp(marker, "sys_enter"))
			return strdup("syscall_entry_unknown");
		if (!strcmp(marker, "sys_exit"))
			return strdup("syscall_exit_unknown");
	}
	if (!strncmp(channel, marker, len) && marker[len] == '_')
		return strdup(marker);
	return join(channel, '_', marker);
}

/* What the kernel calls a pid there is a thread. */
static char *lttng_field(const char *channel, const char *field)
{
	size_t len = strlen(field);
	char *name;

	if (strcmp(channel, "sched") || len < 4 || strcmp(field + len - 4, "_pid"))
		return NULL;
	name = strdup(field);
	if (name)
		name[len - 3] = 't';
	return name;
}

static const struct names_scheme schemes[] = {
	{ .name = "ltt", .rename_event = ltt_event },
	{ .name = "perf", .tracer = "perf", .rename_event = perf_event },
	{ .name = "lttng", .tracer = "lttng-modules", .major = 2, .minor = 13,
	  .rename_event = lttng_event, .rename_field = lttng_field },
};

/**
 * names_find() - look for a scheme
 * @name:	its name
 *
 * Return: the scheme, or NULL.
 */
const struct names_scheme *names_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(schemes); i++) {
		if (!strcmp(schemes[i].name, name))
			return &schemes[i];
	}
	return NULL;
}

/* ---- copying -------------------------------------------------------------------- */

/* Everything up to @end, but for what has been left out. */
static void copy(struct rewriter *r, const char *end)
{
	fwrite(r->copied, 1, end - r->copied, r->to);
	r->copied = end;
}

/* Everything before the word; it and what follows, up to where the lexer is, is left out. */
static void replace(struct rewriter *r, const char *word)
{
	copy(r, word);
	r->copied = r->lexer.p;
}

static int next(struct rewriter *r)
{
	return lib_lexer_next(&r->lexer);
}

/* Where the line begins that a word is on. */
static const char *line_of(const struct rewriter *r, const char *word)
{
	while (word > r->copied && word[-1] != '\n')
		word--;
	return word;
}

/* The line of @word, which ends where the lexer is, is left out. */
static void leave_out(struct rewriter *r, const char *word)
{
	copy(r, line_of(r, word));
	r->copied = r->lexer.p;
	if (r->copied < r->lexer.end && *r->copied == '\n')
		r->copied++;
}

/* ---- what is renamed ------------------------------------------------------------- */

/**
 * struct version - the version of LTT that recorded a trace
 * @major:	its first number
 * @minor:	its second number
 * @known:	it was called that of LTT, not that of the tracer
 */
struct version {
	u64 major;
	u64 minor;
	bool known;
};

/* The word may begin "ltt_major = NUMBER;" or the like. */
static void take_version(struct lib_lexer *lexer, struct version *version)
{
	bool ours = lib_lexer_is(lexer, "ltt_major") || lib_lexer_is(lexer, "ltt_minor");
	bool major = lib_lexer_is(lexer, "ltt_major") || lib_lexer_is(lexer, "tracer_major");

	if (!major && !lib_lexer_is(lexer, "ltt_minor") && !lib_lexer_is(lexer, "tracer_minor"))
		return;
	if (lib_lexer_next(lexer) != '=' || lib_lexer_next(lexer) != TOKEN_NUMBER)
		return;
	if (!ours && version->known)
		return;
	version->known |= ours;
	if (major)
		version->major = lexer->number;
	else
		version->minor = lexer->number;
}

/* The version of LTT, from here on. */
static struct version find_version(const struct rewriter *r)
{
	struct lib_lexer lexer = r->lexer;
	struct version version = { };

	for (; lexer.token != '}' && lexer.token != TOKEN_END && lexer.token != TOKEN_BAD &&
	     lexer.token != TOKEN_CUT; lib_lexer_next(&lexer))
		take_version(&lexer, &version);
	return version;
}

static void put_version(struct rewriter *r, const char *of, unsigned long long major,
			unsigned long long minor)
{
	fprintf(r->to, "\t%s_major = %llu;\n\t%s_minor = %llu;\n", of, major, of, minor);
}

static void put_tracer(struct rewriter *r)
{
	const struct names_scheme *scheme = r->scheme;
	struct version version = find_version(r);

	copy(r, line_of(r, r->lexer.word));
	if (!scheme->tracer) {
		fputs("\ttracer_name = \"ltt\";\n", r->to);
		put_version(r, "tracer", version.major, version.minor);
		return;
	}
	fprintf(r->to, "\tltt_names = \"%s\";\n", scheme->name);
	put_version(r, "ltt", version.major, version.minor);
	fprintf(r->to, "\ttracer_name = \"%s\";\n", scheme->tracer);
	if (scheme->major)
		put_version(r, "tracer", scheme->major, scheme->minor);
}

/* KEY = VALUE; those of the tracer are left out, where the first one was all are told. */
static int env_entry(struct rewriter *r)
{
	static const char *const keys[] = {
		"tracer_name", "tracer_major", "tracer_minor", "ltt_names", "ltt_major",
		"ltt_minor",
	};
	const char *word = r->lexer.word;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys) && !lib_lexer_is(&r->lexer, keys[i]); i++)
		;
	if (i == ARRAY_SIZE(keys))
		return 0;
	if (!r->told)
		put_tracer(r);
	r->told = true;
	if (next(r) != '=' || next(r) == ';' || next(r) != ';')
		return -EBADMSG;
	leave_out(r, word);
	return 0;
}

/* Of letters that need no escape in the metadata. */
static bool is_plain(const char *name)
{
	for (; *name; name++) {
		if (*name < 0x21 || *name > 0x7e || *name == '"' || *name == '\\')
			return false;
	}
	return true;
}

static int keep_name(struct rewriter *r)
{
	if (r->lexer.token != TOKEN_STRING || !is_plain(r->lexer.string))
		return -EBADMSG;
	free(r->name);
	r->name = strdup(r->lexer.string);
	return r->name ? 0 : -ENOMEM;
}

/* name = "CHANNEL.MARKER"; a note before it may tell that. */
static int event_name(struct rewriter *r)
{
	const char *word = r->lexer.word;
	char *dot, *name;
	int ret = 0;

	if (next(r) != '=' || next(r) != TOKEN_STRING)
		return -EBADMSG;
	if (!r->name)
		ret = keep_name(r);
	if (ret)
		return ret;
	dot = strchr(r->name, '.');
	if (!dot)
		return -EBADMSG;
	*dot = '\0';
	name = r->scheme->rename_event(r->name, dot + 1);
	if (!name)
		return -ENOMEM;
	replace(r, word);
	if (r->scheme->tracer)
		fprintf(r->to, "// ltt-name \"%s.%s\"\n\t", r->name, dot + 1);
	fprintf(r->to, "name = \"%s\"", name);
	free(name);
	return 0;
}

/* What was the name, if a comment follows that says so. */
static char *former_name(struct lib_lexer *lexer)
{
	const char *begin = lexer->p, *end;

	if (lexer->end - begin < 4 || memcmp(begin, " /* ", 4))
		return NULL;
	begin += 4;
	end = begin;
	while (end < lexer->end && (isalnum((unsigned char)*end) || *end == '_'))
		end++;
	if (end == begin || lexer->end - end < 3 || memcmp(end, " */", 3))
		return NULL;
	lexer->p = end + 3;
	return strndup(begin, end - begin);
}

static int compare_words(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->text, y->text, x->len);
}

static int add_field(struct rewriter *r, size_t *room, const struct lib_lexer *lexer)
{
	struct word *more;

	if (r->nr_fields == *room) {
		*room *= 2;
		more = reallocarray(r->fields, *room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->fields = more;
	}
	r->fields[r->nr_fields++] = (struct word){ lexer->word, lexer->len };
	return 0;
}

static void forget_fields(struct rewriter *r)
{
	free(r->fields);
	r->fields = NULL;
	r->nr_fields = 0;
}

/* Once for each event: there may be many that ask for them. */
static int read_fields(struct rewriter *r)
{
	struct lib_lexer lexer = r->lexer;
	unsigned int depth = 0;
	size_t room = 64;
	int ret = 0;
	char *was;

	r->fields = calloc(room, sizeof(*r->fields));
	if (!r->fields)
		return -ENOMEM;
	/* It has been parsed before: it has an end. */
	lexer.p = r->event;
	do {
		lib_lexer_next(&lexer);
		depth += lexer.token == '{';
		depth -= lexer.token == '}';
		if (depth < 2 || lexer.token != TOKEN_NAME)
			continue;
		was = former_name(&lexer);
		if (!was)
			ret = add_field(r, &room, &lexer);
		free(was);
	} while (!ret && (lexer.token != ';' || depth));
	qsort(r->fields, r->nr_fields, sizeof(*r->fields), compare_words);
	return ret;
}

/* Does the event have a field that is called so? Return: 1, 0 or -ENOMEM. */
static int has_field(struct rewriter *r, const char *name)
{
	const struct word wanted = { name, strlen(name) };
	int ret = r->fields ? 0 : read_fields(r);

	if (ret)
		return ret;
	return bsearch(&wanted, r->fields, r->nr_fields, sizeof(wanted), compare_words) ? 1 : 0;
}

/* A name in the structure of an event's fields. */
static int field_name(struct rewriter *r)
{
	const char *word = r->lexer.word;
	size_t len = r->lexer.len;
	char *was, *name = NULL;
	int has = 0;

	was = former_name(&r->lexer) ?: strndup(word, len);
	if (!was)
		return -ENOMEM;
	if (r->scheme->rename_field)
		name = r->scheme->rename_field(r->name, was);
	/* It stays as it is if another one is called so. */
	if (name)
		has = has_field(r, name);
	if (has) {
		free(name);
		name = NULL;
	}
	if (name || strlen(was) != len || memcmp(was, word, len)) {
		replace(r, word);
		if (name)
			fprintf(r->to, "%s /* %s */", name, was);
		else
			fputs(was, r->to);
	}
	free(name);
	free(was);
	return has < 0 ? has : 0;
}

/* A note of ours, before the name that it is about. */
static int event_note(struct rewriter *r)
{
	const char *word = r->lexer.word;
	int ret;

	if (!lib_lexer_is(&r->lexer, "// ltt-name"))
		return 0;
	next(r);
	ret = keep_name(r);
	if (!ret)
		leave_out(r, word);
	return ret;
}

/* ---- the text -------------------------------------------------------------------- */

static int open_brace(struct rewriter *r)
{
	return ++r->depth > DEPTH_MAX ? -EBADMSG : 0;
}

static int close_brace(struct rewriter *r)
{
	return r->depth-- ? 0 : -EBADMSG;
}

/* The first word of a declaration. */
static void begin(struct rewriter *r)
{
	r->block = lib_lexer_is(&r->lexer, "env") ? BLOCK_ENV :
		   lib_lexer_is(&r->lexer, "event") ? BLOCK_EVENT : BLOCK_OTHER;
	free(r->name);
	r->name = NULL;
	r->event = r->lexer.p;
	forget_fields(r);
}

static int word(struct rewriter *r)
{
	switch (r->lexer.token) {
	case '{':
		return open_brace(r);
	case '}':
		return close_brace(r);
	case TOKEN_NOTE:
		return r->block == BLOCK_EVENT ? event_note(r) : 0;
	case TOKEN_NAME:
		if (r->block == BLOCK_ENV && r->depth == 1)
			return env_entry(r);
		if (r->block == BLOCK_EVENT && r->depth == 1 && lib_lexer_is(&r->lexer, "name"))
			return event_name(r);
		if (r->block == BLOCK_EVENT && r->depth > 1)
			return r->name ? field_name(r) : -EBADMSG;
		return 0;
	case TOKEN_BAD:
	case TOKEN_CUT:
		return -EBADMSG;
	}
	return 0;
}

static int rewrite(struct rewriter *r)
{
	bool fresh = true;
	int ret = 0;

	while (!ret && next(r) != TOKEN_END) {
		if (!r->depth && fresh)
			begin(r);
		fresh = !r->depth && r->lexer.token == ';';
		ret = word(r);
	}
	if (!ret && (r->depth || !fresh))
		ret = -EBADMSG;
	copy(r, r->lexer.end);
	return ret;
}

/**
 * names_rewrite() - make metadata with other names
 * @text:	metadata, with the names of any scheme
 * @size:	its bytes
 * @scheme:	names that are wanted
 * @to:		receives the new text, to be freed
 * @to_size:	its bytes
 *
 * Return: 0; -ENOMEM; -EBADMSG: the text is not whole, or not as LTT writes it.
 */
int names_rewrite(const char *text, size_t size, const struct names_scheme *scheme, char **to,
		  size_t *to_size)
{
	struct rewriter r = { .scheme = scheme, .copied = text };
	int bad, ret = lib_lexer_init(&r.lexer, text, size);

	*to = NULL;
	if (ret)
		return ret;
	r.to = open_memstream(to, to_size);
	if (r.to) {
		ret = rewrite(&r);
		bad = ferror(r.to);
		bad |= fclose(r.to) != 0;
		if (bad)
			ret = -ENOMEM;
	} else {
		ret = -ENOMEM;
	}
	free(r.name);
	forget_fields(&r);
	lib_lexer_destroy(&r.lexer);
	if (ret) {
		free(*to);
		*to = NULL;
	}
	return ret;
}
