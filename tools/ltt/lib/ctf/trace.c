// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: traces of other tracers: what libltt knows of them.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/ltt/escape.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../metadata.h"
#include "ctf.h"

#define SIGNATURE	"/* CTF 1.8"

/* ---- memory ------------------------------------------------------------------------ */

/**
 * struct piece - memory of a trace
 * @next:	another one
 * @used:	bytes of @bytes
 * @size:	that there are
 * @bytes:	zeros at first
 */
struct piece {
	struct piece *next;
	size_t used;
	size_t size;
	char bytes[] __aligned(16);
};

/* Bytes of a piece, if no more are wanted. */
#define PIECE		(64u << 10)

/**
 * ctf_alloc() - allocate memory for as long as there is the trace
 * @trace:	the trace
 * @size:	bytes
 *
 * Return: zeros, or NULL.
 */
void *ctf_alloc(struct ctf_trace *trace, size_t size)
{
	struct piece *piece = trace->memory;
	size_t want = (size + 15) & ~(size_t)15;
	void *p;

	if (!piece || piece->size - piece->used < want) {
		size = max_t(size_t, want, PIECE);
		piece = calloc(1, sizeof(*piece) + size);
		if (!piece)
			return NULL;
		piece->size = size;
		piece->next = trace->memory;
		trace->memory = piece;
	}
	p = piece->bytes + piece->used;
	piece->used += want;
	return p;
}

/**
 * ctf_no_memory() - say so
 * @trace:	the trace
 *
 * Return: -ENOMEM.
 */
int ctf_no_memory(struct ctf_trace *trace)
{
	return lib_fail(trace->error, ENOMEM, trace->lib->metadata, LIBLTT_NO_OFFSET,
			"out of memory");
}

/**
 * ctf_trace_free() - free what the metadata declared
 * @trace:	the trace, or NULL
 */
void ctf_trace_free(struct ctf_trace *trace)
{
	struct piece *piece, *next;

	if (!trace)
		return;
	for (piece = trace->memory; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
	free(trace);
}

/* ---- whose is it? -------------------------------------------------------------------- */

static bool has(const char *text, size_t size, const char *what)
{
	return memmem(text, size, what, strlen(what));
}

/* With a stream that is declared as a whole? */
static bool has_stream(const char *text, size_t size)
{
	const char *stream = memmem(text, size, "\nstream {", strlen("\nstream {"));

	return stream && has(stream, size - (stream - text), "\n};");
}

/**
 * ctf_is_other() - are these the metadata of another tracer?
 * @text:	the metadata
 * @size:	their bytes
 *
 * Those of LTT have notes for its reader, in which it knows its own: in each stream, so that what
 * is before the first one may have none. A trace of LTT that another program has written anew
 * still says who recorded it, but has no notes.
 */
bool ctf_is_other(const char *text, size_t size)
{
	const size_t len = sizeof(SIGNATURE) - 1;
	u32 magic;

	if (size < len)
		return false;
	memcpy(&magic, text, sizeof(magic));
	if (ctf_is_packed(magic))
		return true;
	if (memcmp(text, SIGNATURE, len) || has(text, size, "// ltt-"))
		return false;
	return has_stream(text, size) || !(has(text, size, "tracer_name = \"ltt\"") ||
					   has(text, size, "ltt_names"));
}

/* ---- clocks -------------------------------------------------------------------------- */

/**
 * ctf_clock_ns() - nanoseconds that a number of ticks takes
 * @clock:	the clock
 * @ticks:	how many; those that make less than a nanosecond are left out
 *
 * Return: ns, U64_MAX if they are more.
 */
u64 ctf_clock_ns(const struct ctf_clock *clock, u64 ticks)
{
	u64 seconds, ns;

	if (likely(clock->freq == CTF_NSEC))
		return ticks;
	seconds = ticks / clock->freq;
	ticks %= clock->freq;
	if (likely(clock->freq <= U64_MAX / CTF_NSEC))
		ns = ticks * CTF_NSEC / clock->freq;
	else
		ns = (__uint128_t)ticks * CTF_NSEC / clock->freq;
	if (__builtin_mul_overflow(seconds, (u64)CTF_NSEC, &seconds) ||
	    __builtin_add_overflow(seconds, ns, &ns))
		return U64_MAX;
	return ns;
}

/**
 * ctf_clock_base() - when a clock was zero
 * @clock:	the clock
 * @base:	returns it, ns since 1970
 *
 * Return: 0 or -ERANGE.
 */
int ctf_clock_base(const struct ctf_clock *clock, s64 *base)
{
	u64 ns = ctf_clock_ns(clock, clock->offset < 0 ? -clock->offset : clock->offset);
	s64 whole;

	if (ns > S64_MAX ||
	    __builtin_mul_overflow(clock->offset_s, (s64)CTF_NSEC, &whole) ||
	    __builtin_add_overflow(whole, clock->offset < 0 ? -(s64)ns : (s64)ns, base))
		return -ERANGE;
	return 0;
}

static int find_clock(struct ctf_trace *trace, const struct ctf_type *type,
		      const struct ctf_clock **clock)
{
	const struct ctf_clock *found = trace->clocks;

	if (type->clock) {
		while (found && strcmp(found->name, type->clock))
			found = found->next;
		if (!found)
			return ctf_fail(trace, type->place, "unknown clock '%s'", type->clock);
	} else if (!found || found->next) {
		return ctf_fail(trace, type->place, "a time, and not of which clock");
	}
	if (*clock && *clock != found)
		return ctf_fail(trace, type->place, "times of two clocks in a stream");
	*clock = found;
	return 0;
}

static int find_clocks(struct ctf_trace *trace, const struct ctf_node *node,
		       struct ctf_stream_class *stream)
{
	int err = 0;

	if (node->role == CTF_BEGIN)
		stream->begin_bits = node->type->bits;
	if (node->role == CTF_END)
		stream->end_bits = node->type->bits;
	if (node->role == CTF_TIME || node->role == CTF_BEGIN || node->role == CTF_END)
		err = find_clock(trace, node->type, &stream->clock);
	for (node = node->child; node && !err; node = node->next)
		err = find_clocks(trace, node, stream);
	return err;
}

/* ---- kinds of streams ------------------------------------------------------------------ */

static bool is_int(const struct ctf_node *node, const char *name, unsigned int bits,
		   unsigned int align, enum ctf_role role)
{
	return node && !strcmp(node->name, name) && ctf_is_number(node->type) &&
	       node->type->bits == bits && node->type->align == align && node->role == role &&
	       !node->type->is_signed;
}

/*
 * LTTng's two headers are by far the most common: enum : uint5_t { compact = 0 ... 30,
 * extended = 31 } id, and a variant of times; or 16 and 32 bits.
 */
static enum ctf_header header_kind(const struct ctf_node *root)
{
	const struct ctf_node *id = root->child, *v = id ? id->next : NULL, *compact, *extended;
	const struct ctf_choice *choice;
	enum ctf_header kind;
	unsigned int bits;

	if (!v || v->next || root->type->align != 8 || v->type->kind != CTF_VARIANT ||
	    v->nr_choices != 2)
		return CTF_ANY_HEADER;
	bits = id->type->bits;
	kind = bits == 5 ? CTF_COMPACT_HEADER : CTF_LARGE_HEADER;
	if (!is_int(id, "id", bits, bits == 5 ? 1 : 8, CTF_ID) || (bits != 5 && bits != 16) ||
	    v->from != id->slot)
		return CTF_ANY_HEADER;
	/* The short ways do not keep the id. */
	if (id->shared)
		return CTF_ANY_HEADER;
	choice = v->choices;
	if (choice[0].low || choice[0].high != (1u << bits) - 2 ||
	    choice[1].low != (1u << bits) - 1 || choice[1].high != choice[1].low ||
	    choice[0].option->type->kind != CTF_STRUCT ||
	    choice[1].option->type->kind != CTF_STRUCT || choice[0].option->type->align > 8 ||
	    choice[1].option->type->align != 8)
		return CTF_ANY_HEADER;
	compact = choice[0].option->child;
	extended = choice[1].option->child;
	if (!compact || compact->next || !extended || !extended->next || extended->next->next ||
	    !is_int(compact, "timestamp", bits == 5 ? 27 : 32, bits == 5 ? 1 : 8, CTF_TIME) ||
	    !is_int(extended, "id", 32, 8, CTF_ID) ||
	    !is_int(extended->next, "timestamp", 64, 8, CTF_TIME))
		return CTF_ANY_HEADER;
	if (compact->be != id->be || extended->be != id->be || extended->next->be != id->be ||
	    (bits == 5 && choice[0].option->type->align != 1))
		return CTF_ANY_HEADER;
	return kind;
}

/* Steps that read one scope. */
static int make_program(struct ctf_trace *trace, const struct ctf_node *root, bool shown,
			const struct ctf_op **ops)
{
	struct ctf_program program;
	int err;

	ctf_program_begin(&program);
	err = ctf_program_add(&program, trace, root, shown);
	*ops = ctf_program_end(&program, trace);
	return err ?: *ops ? 0 : -ENOMEM;
}

static int resolve_stream(struct ctf_scopes *scopes, struct ctf_stream_class *stream)
{
	struct ctf_node **root = scopes->root;
	int err = ctf_resolve(scopes, CTF_PACKET_CONTEXT, stream->packet_context) ?:
		  ctf_resolve(scopes, CTF_EVENT_HEADER, stream->event_header) ?:
		  ctf_resolve(scopes, CTF_STREAM_EVENT_CONTEXT, stream->event_context);

	if (err)
		return err;
	stream->roles = ctf_roles(root[CTF_PACKET_CONTEXT]) | ctf_roles(root[CTF_EVENT_HEADER]);
	if (root[CTF_PACKET_CONTEXT])
		err = find_clocks(scopes->trace, root[CTF_PACKET_CONTEXT], stream);
	if (!err && root[CTF_EVENT_HEADER])
		err = find_clocks(scopes->trace, root[CTF_EVENT_HEADER], stream);
	if (!err && !ctf_has(stream->roles, CTF_TIME))
		return ctf_fail(scopes->trace, stream->place,
				"the event.header of the stream has no time of a clock");
	return err;
}

static int make_stream_programs(struct ctf_scopes *scopes, struct ctf_stream_class *stream)
{
	struct ctf_node *const *root = scopes->root;

	stream->kind = header_kind(root[CTF_EVENT_HEADER]);
	stream->swap = root[CTF_EVENT_HEADER]->child->be != LTT_HOST_BE;
	return make_program(scopes->trace, root[CTF_PACKET_CONTEXT], true, &stream->packet) ?:
	       make_program(scopes->trace, root[CTF_EVENT_HEADER], false, &stream->header);
}

/* ---- kinds of events ------------------------------------------------------------------- */

/*
 * "provider:event" is of the channel "provider", and so is "provider.event" if it was LTT's; others
 * are of the channel that has the stream's name.
 */
static int name_class(struct ctf_trace *trace, struct lib_class *class, const char *name,
		      const struct lib_channel *channel)
{
	const char *colon = strchr(name, trace->lib->by_ltt ? '.' : ':');
	char *marker;

	if (colon && colon != name && colon[1]) {
		class->name = strdup(name);
		if (!class->name)
			return ctf_no_memory(trace);
		marker = class->name + (colon - name);
	} else {
		if (asprintf(&class->name, "%s.%s", channel->name, name) < 0) {
			class->name = NULL;
			return ctf_no_memory(trace);
		}
		marker = class->name + strlen(channel->name);
	}
	*marker = '\0';
	class->pub.channel = class->name;
	class->pub.marker = marker + 1;
	/* And in the text of each line. */
	trace->expanded += (1 + LTT_ESCAPE_MAX) *
			   (strlen(class->pub.channel) + strlen(class->pub.marker));
	return 0;
}

static int set_fields(struct ctf_trace *trace, const struct ctf_scopes *scopes,
		      const struct ctf_event *event, const struct lib_channel *channel,
		      struct lib_class *class)
{
	const struct ctf_node *const roots[] = {
		scopes->root[CTF_EVENT_CONTEXT], scopes->root[CTF_EVENT_FIELDS],
	};
	struct ltt_format *format;
	char *text;
	int err = ctf_fields(trace, roots, ARRAY_SIZE(roots), &format);

	if (err)
		return err;
	text = ctf_fields_text(format);
	class->fields = text ? lib_fields_create(text) : NULL;
	if (!class->fields) {
		ltt_format_free(format);
		return ctf_no_memory(trace);
	}
	class->fields->format = format;
	class->format = format;
	class->pub.format = class->fields->text;
	trace->expanded += strlen(text) + channel->context_len;
	if (trace->expanded > LIB_EXPANDED_MAX)
		return ctf_fail(trace, event->place, "too many names and fields of all events");
	return 0;
}

static int fill_class(struct ctf_trace *trace, const struct ctf_scopes *scopes,
		      const struct ctf_event *event, const struct lib_channel *channel,
		      struct lib_class *class)
{
	const struct lib_trace *lib = trace->lib;
	int err = name_class(trace, class, event->name, channel) ?:
		  set_fields(trace, scopes, event, channel, class);

	if (err)
		return err;
	class->pub.trace = lib->number;
	class->pub.id = event->number;
	class->selected = true;
	return lib_class_complete(lib, channel, class) ? ctf_no_memory(trace) : 0;
}

static int make_class(struct ctf_trace *trace, const struct ctf_scopes *scopes,
		      const struct ctf_stream_class *stream, struct ctf_event *event)
{
	struct lib_class *class = calloc(1, sizeof(*class));
	int err;

	if (!class)
		return ctf_no_memory(trace);
	class->pub.stream = stream->id;
	err = fill_class(trace, scopes, event, stream->channel, class);
	if (!err && lib_class_add(stream->channel, class))
		err = ctf_no_memory(trace);
	if (err)
		lib_class_free(class);
	return err;
}

static int make_event(struct ctf_scopes *scopes, struct ctf_stream_class *stream,
		      struct ctf_event *event)
{
	struct ctf_trace *trace = scopes->trace;
	struct ctf_program program;
	int err = ctf_resolve(scopes, CTF_EVENT_CONTEXT, event->context) ?:
		  ctf_resolve(scopes, CTF_EVENT_FIELDS, event->fields);

	if (err)
		return err;
	ctf_program_begin(&program);
	err = ctf_program_add(&program, trace, scopes->root[CTF_STREAM_EVENT_CONTEXT], true) ?:
	      ctf_program_add(&program, trace, scopes->root[CTF_EVENT_CONTEXT], true) ?:
	      ctf_program_add(&program, trace, scopes->root[CTF_EVENT_FIELDS], true);
	event->program = ctf_program_end(&program, trace);
	if (err || !event->program)
		return -ENOMEM;
	return make_class(trace, scopes, stream, event);
}

/* ---- all ---------------------------------------------------------------------------------- */

/* Entries of the table by id, at most. */
#define IDS_PER_EVENT	8u

static int compare_ids(const void *a, const void *b)
{
	const struct ctf_event *x = *(const struct ctf_event *const *)a;
	const struct ctf_event *y = *(const struct ctf_event *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/**
 * ctf_event_find() - look up an event that is not in the table by id
 * @stream:	its kind of stream
 * @id:		its id
 *
 * Return: the event, or NULL.
 */
const struct ctf_event *ctf_event_find(const struct ctf_stream_class *stream, u64 id)
{
	const struct ctf_event key = { .id = id }, *pointer = &key;
	struct ctf_event **found;

	if (!stream->nr_events)
		return NULL;
	found = bsearch(&pointer, stream->events, stream->nr_events, sizeof(*stream->events),
			compare_ids);
	return found ? *found : NULL;
}

static int make_table(struct ctf_trace *trace, struct ctf_stream_class *stream)
{
	unsigned int i, nr = stream->nr_events;
	struct ctf_event *event;

	qsort(stream->events, nr, sizeof(*stream->events), compare_ids);
	for (i = 0; i < nr; i++) {
		event = stream->events[i];
		event->number = i;
		if (i && stream->events[i - 1]->id == event->id)
			return ctf_fail(trace, event->place, "duplicate event id");
	}
	if (nr > 1 && !ctf_has(stream->roles, CTF_ID))
		return ctf_fail(trace, stream->place,
				"several events, and no id in the event.header of the stream");
	return 0;
}

/* Most ids are few and small; others are found in the table of all events. */
static int make_ids(struct ctf_trace *trace, struct ctf_stream_class *stream)
{
	const u64 most = (u64)IDS_PER_EVENT * stream->nr_events;
	unsigned int i, nr = stream->nr_events;

	while (nr && stream->events[nr - 1]->id >= most)
		nr--;
	stream->ids = nr ? stream->events[nr - 1]->id + 1 : 0;
	stream->by_id = ctf_alloc(trace, stream->ids * sizeof(*stream->by_id));
	if (!stream->by_id)
		return ctf_no_memory(trace);
	for (i = 0; i < nr; i++)
		stream->by_id[stream->events[i]->id] = stream->events[i];
	return 0;
}

static int make_channel(struct ctf_trace *trace, struct ctf_scopes *scopes,
			struct ctf_stream_class *stream)
{
	const struct ctf_node *const roots[] = {
		scopes->root[CTF_PACKET_CONTEXT], scopes->root[CTF_STREAM_EVENT_CONTEXT],
	};
	struct lib_channel *channel;
	struct ltt_format *context;
	unsigned int nr = 0;
	int err = lib_channel_declare(trace->lib, stream->id, &channel);

	if (err)
		return ctf_no_memory(trace);
	stream->channel = channel;
	channel->selected = true;
	channel->name = ctf_stream_name(trace, stream);
	if (!channel->name)
		return ctf_no_memory(trace);
	err = ctf_fields(trace, roots, ARRAY_SIZE(roots), &context);
	if (err)
		return err;
	if (!context->nr_fields) {
		ltt_format_free(context);
		return 0;
	}
	channel->context = context;
	while (context->nr_fields > nr)
		channel->context_len += context->fields[nr++].lit_len;
	return 0;
}

static int make_stream(struct ctf_trace *trace, struct ctf_scopes *scopes,
		       struct ctf_stream_class *stream)
{
	unsigned int i;
	int err = resolve_stream(scopes, stream) ?: make_channel(trace, scopes, stream) ?:
		  make_table(trace, stream) ?: make_ids(trace, stream);

	for (i = 0; i < stream->nr_events && !err; i++)
		err = make_event(scopes, stream, stream->events[i]);
	/* Events have lengths in it. */
	return err ?: make_stream_programs(scopes, stream);
}

/* From the last one to the first: the other way round. */
#define REVERSE(list) do {							\
	__typeof__(list) _done = NULL, _next;					\
	for (; list; list = _next) {						\
		_next = (list)->next;						\
		(list)->next = _done;						\
		_done = list;							\
	}									\
	list = _done;								\
} while (0)

/**
 * ctf_class_find() - look up a kind of streams
 * @trace:	the trace
 * @id:		its id
 *
 * Return: the kind, or NULL.
 */
struct ctf_stream_class *ctf_class_find(const struct ctf_trace *trace, u64 id)
{
	return id < trace->ids ? trace->by_id[id] : NULL;
}

static int sort_streams(struct ctf_trace *trace)
{
	struct ctf_stream_class *stream;

	for (stream = trace->streams; stream; stream = stream->next) {
		if (stream->id >= LIB_CHANNELS_MAX)
			return ctf_fail(trace, stream->place, "stream id out of range");
		trace->ids = max_t(unsigned int, trace->ids, stream->id + 1);
	}
	trace->by_id = ctf_alloc(trace, trace->ids * sizeof(*trace->by_id));
	if (!trace->by_id)
		return ctf_no_memory(trace);
	for (stream = trace->streams; stream; stream = stream->next) {
		if (trace->by_id[stream->id])
			return ctf_fail(trace, stream->place, "duplicate stream id");
		trace->by_id[stream->id] = stream;
	}
	return 0;
}

/* Events come to their streams. */
static int attach_events(struct ctf_trace *trace)
{
	struct ctf_stream_class *stream;
	struct ctf_event *event;

	for (event = trace->events; event; event = event->next) {
		if (!event->has_stream_id && !trace->streams->next)
			event->stream_id = trace->streams->id;
		stream = ctf_class_find(trace, event->stream_id);
		if (!stream)
			return ctf_fail(trace, event->place, "event of an undeclared stream");
		stream->nr_events++;
	}
	for (stream = trace->streams; stream; stream = stream->next) {
		stream->events = ctf_alloc(trace, stream->nr_events * sizeof(*stream->events));
		if (!stream->events)
			return ctf_no_memory(trace);
		stream->nr_events = 0;
	}
	for (event = trace->events; event; event = event->next) {
		stream = ctf_class_find(trace, event->stream_id);
		stream->events[stream->nr_events++] = event;
	}
	return 0;
}

static int make_all(struct ctf_trace *trace, const char *text, size_t size)
{
	struct ctf_scopes scopes = { .trace = trace };
	struct ctf_stream_class *stream;
	struct ctf_node *header;
	int err = ctf_parse(trace, text, size);

	if (err)
		return err;
	REVERSE(trace->streams);
	REVERSE(trace->events);
	if (!trace->streams)
		return ctf_fail(trace, size, "no stream is declared");
	err = sort_streams(trace) ?: attach_events(trace) ?:
	      ctf_resolve(&scopes, CTF_PACKET_HEADER, trace->packet_header);
	if (err)
		return err;
	header = scopes.root[CTF_PACKET_HEADER];
	trace->roles = ctf_roles(header);
	if (trace->streams->next && !ctf_has(trace->roles, CTF_STREAM_ID))
		return ctf_fail(trace, trace->streams->next->place,
				"several streams, and no stream_id in the packet.header");
	/* To see whose files these are. */
	err = make_program(trace, header, false, &trace->header) ?: ctf_stream_owners(trace);
	for (stream = trace->streams; stream && !err; stream = stream->next)
		err = make_stream(trace, &scopes, stream);
	/* All have lengths in it. */
	return err ?: make_program(trace, header, false, &trace->header);
}

/* Is there one time for all streams? */
static int check_clocks(const struct libltt *ltt, struct ctf_trace *trace)
{
	const struct ctf_stream_class *stream;
	s64 first, base;

	if (ctf_clock_base(trace->streams->clock, &first))
		first = 0;
	for (stream = trace->streams; stream; stream = stream->next) {
		if (ctf_clock_base(stream->clock, &base))
			return lib_fail(trace->error, EBADMSG, trace->lib->metadata,
					LIBLTT_NO_OFFSET, "clock %s: offset out of range",
					stream->clock->name);
		/* As lib_clocks_check(): a clock of no time can't be shown as one. */
		if (ltt->options.flags & LIBLTT_WALL ? !base != !first : base != first)
			return lib_fail(trace->error, EINVAL, trace->lib->dir, LIBLTT_NO_OFFSET,
					"timestamps of clock %s cannot be compared with those of clock %s",
					stream->clock->name, trace->streams->clock->name);
	}
	trace->lib->pub.real_offset = first;
	return 0;
}

/**
 * ctf_trace_open() - read the metadata of another tracer
 * @ltt:	the traces
 * @lib:	what libltt knows of this one; gets all that the metadata declare
 * @text:	the metadata, terminated; changed
 * @size:	their bytes
 * @first:	number of the first of the streams of @ltt that is of this trace, all others are
 *		after it
 * @error:	what is wrong
 *
 * Return: 0; -EBADMSG, -EINVAL: times cannot be compared; -ENOMEM.
 */
int ctf_trace_open(struct libltt *ltt, struct lib_trace *lib, char *text, size_t size,
		   unsigned int first, struct libltt_problem *error)
{
	struct ctf_trace *trace = calloc(1, sizeof(*trace));
	int err;

	lib->ctf = trace;
	if (!trace)
		return lib_fail(error, ENOMEM, lib->metadata, LIBLTT_NO_OFFSET, "out of memory");
	trace->lib = lib;
	trace->error = error;
	trace->text = text;
	trace->nr_slots = CTF_FIRST_SLOT;
	trace->files = ltt->streams + first;
	trace->nr_files = ltt->nr_streams - first;
	err = ctf_text_unpack(lib->metadata, text, &size, error) ?: make_all(trace, text, size) ?:
	      check_clocks(ltt, trace);
	if (err)
		return err;
	trace->error = NULL;
	trace->text = NULL;
	trace->files = NULL;
	trace->nr_files = 0;
	memcpy(lib->pub.uuid, trace->uuid, sizeof(trace->uuid));
	lib->pub.big_endian = trace->be;
	lib->pub.clock = strdup(trace->streams->clock->name);
	lib->order_known = true;
	lib->clock_known = true;
	return lib->pub.clock ? 0 :
	       lib_fail(error, ENOMEM, lib->metadata, LIBLTT_NO_OFFSET, "out of memory");
}
