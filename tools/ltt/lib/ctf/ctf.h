/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: traces of other tracers, in the Common Trace Format 1.8.
 *
 *	text.c		the metadata as one text, and places in it
 *	parse.c		its blocks
 *	parse_type.c	its types
 *	scope.c		names of types
 *	resolve.c	fields, from types; where their lengths and tags are
 *	program.c	steps that read fields, from fields
 *	fields.c	fields as LTT has them
 *	decode.c	runs the steps
 *	show.c		as text, what LTT has no fields for
 *	trace.c		kinds of streams and events
 *	packet.c	packets of a stream
 *	index.c		where packets are
 *	chain.c		streams in several files
 *	stream.c	events of a packet
 *
 * DOC: other traces
 *
 * A trace is made into one of LTT's while it is read. For each kind of event, the types in the
 * metadata become two things: a format as that of a marker (fields.c), and a program that makes of
 * the bytes of such an event those that LTT would have recorded (program.c, decode.c). Of a packet
 * as many events are made as fit into the window of the stream (stream.c), with LTT's own headers,
 * in nanoseconds and in this machine's byte order. Everything else, from the order of the events to
 * filters and text, is what it is for LTT's traces, and does not know of others.
 *
 * Integers of all sizes and alignments become such of 1, 2, 4 or 8 bytes. Fields of structures
 * become fields of the event, "outer.inner". A variant, an array of structures and whatever else
 * LTT has no field for becomes a string that shows it.
 *
 * What is declared elsewhere and read before, the length of a sequence or the tag of a variant, is
 * kept in a slot, of which the steps know the number.
 *
 * Nothing in the metadata is trusted. Types can refer to types many times, so that few bytes
 * declare many fields: what they come to is limited, and so is depth.
 */
#ifndef _LTT_CTF_H
#define _LTT_CTF_H

#include "../stream.h"

#define CTF_NSEC	1000000000u

/* Begins each packet of metadata, in the byte order of the trace. */
#define CTF_METADATA_MAGIC	0x75d11d57u

static inline bool ctf_is_packed(u32 magic)
{
	return magic == CTF_METADATA_MAGIC || magic == __builtin_bswap32(CTF_METADATA_MAGIC);
}

/* Fields of a packet of that many bits that are looked at one by one, at most. */
#define CTF_CREDIT(bits)	(65536 + 64 * (bits))

/* Types within types in the text, at most; those that a name stands for are not counted. */
#define CTF_DEPTH_MAX	32u

/* Fields of a scope, and of all events, with those in fields that are shown as text. */
#define CTF_FIELDS_MAX	1024u
#define CTF_NODES_MAX	(4u << 20)

/* Lengths and tags of all events. */
#define CTF_SLOTS_MAX	65535u

/* ---- what is declared ------------------------------------------------------------ */

enum ctf_kind {
	CTF_INT,
	CTF_FLOAT,
	CTF_ENUM,
	CTF_STRING,
	CTF_STRUCT,
	CTF_VARIANT,
	CTF_ARRAY,
	CTF_SEQUENCE,
};

enum ctf_order {
	CTF_NATIVE,	/* that of the trace */
	CTF_LE,
	CTF_BE,
};

struct ctf_index;
struct ctf_type;
struct lib_samples;

/**
 * struct ctf_member - of a structure or a variant
 * @name:	as declared
 * @type:	its type
 * @next:	the one after it
 */
struct ctf_member {
	const char *name;
	const struct ctf_type *type;
	struct ctf_member *next;
};

/**
 * struct ctf_label - of an enumeration
 * @name:	as declared
 * @low:	the first value that it stands for, as the container has it
 * @high:	the last one
 * @next:	the one after it
 */
struct ctf_label {
	const char *name;
	u64 low;
	u64 high;
	struct ctf_label *next;
};

/**
 * struct ctf_type - a type
 * @kind:	what it is
 * @place:	where in the metadata
 * @align:	bits; of an array it is that of its elements, of a variant always 1
 * @bits:	of an integer, also an enumeration's, or a floating-point number
 * @is_signed:	the integer is
 * @is_text:	the integer is a character
 * @order:	its byte order
 * @base:	in which it is shown: 2, 8, 10, 16
 * @clock:	name of the clock that it is a time of, or NULL
 * @members:	of a structure, or options of a variant
 * @labels:	of an enumeration
 * @element:	of an array or sequence
 * @count:	elements of an array
 * @path:	where the length of a sequence or the tag of a variant is; NULL: not said yet
 */
struct ctf_type {
	enum ctf_kind kind;
	u32 place;
	u32 align;
	u16 bits;
	bool is_signed;
	bool is_text;
	u8 order;
	u8 base;
	const char *clock;
	struct ctf_member *members;
	struct ctf_label *labels;
	const struct ctf_type *element;
	u64 count;
	const char *path;
};

/**
 * struct ctf_clock - a clock
 * @name:	its name
 * @freq:	ticks per second
 * @offset_s:	seconds from 1970 to its zero
 * @offset:	and ticks
 * @next:	the one after it
 */
struct ctf_clock {
	const char *name;
	u64 freq;
	s64 offset_s;
	s64 offset;
	struct ctf_clock *next;
};

/* Values that mean something to the reader; each has the slot of its number. */
enum ctf_role {
	CTF_NO_ROLE,
	CTF_MAGIC,
	CTF_STREAM_ID,
	CTF_BEGIN,
	CTF_END,
	CTF_CONTENT_SIZE,
	CTF_PACKET_SIZE,
	CTF_DISCARDED,
	CTF_NUMBER,
	CTF_CPU,
	CTF_ID,
	CTF_UUID,
	CTF_LENGTH,	/* of what follows */
	CTF_TIME,	/* of an event; has no slot, the clock is set at once */
	CTF_FIRST_SLOT,
};

/**
 * struct ctf_choice - values of a tag, and the option that they choose
 * @low:	the first value
 * @high:	the last one
 * @option:	the option
 */
struct ctf_choice {
	u64 low;
	u64 high;
	struct ctf_node *option;
};

/**
 * struct ctf_node - a field, element, or option in its place
 * @type:	its type
 * @name:	as declared; NULL: it has none
 * @up:		what it is in
 * @child:	the first that is in it; of an array, what each element is
 * @last:	the last one
 * @next:	the one after it
 * @role:	enum ctf_role
 * @slot:	where its value is kept, 0: nobody needs it
 * @shared:	more than one field needs it
 * @from:	the slot that tells its length or option
 * @be:		the most significant byte of the number is first
 * @tag_signed:	the tag is
 * @nr_choices:	entries of @choices; of a structure, how many fields it has
 * @choices:	of a variant
 */
struct ctf_node {
	const struct ctf_type *type;
	const char *name;
	struct ctf_node *up;
	struct ctf_node *child;
	struct ctf_node *last;
	struct ctf_node *next;
	u8 role;
	bool be;
	bool tag_signed;
	bool shared;
	u16 slot;
	u16 from;
	unsigned int nr_choices;
	struct ctf_choice *choices;
};

/* Tracers write a "_" before names, which is not shown unless it is all. */
static inline const char *ctf_shown_name(const struct ctf_node *node)
{
	return node->name + (*node->name == '_' && node->name[1]);
}

/* ---- what reads it --------------------------------------------------------------- */

enum ctf_code {
	CTF_OP_END,
	CTF_OP_ALIGN,	/* to @n bits */
	CTF_OP_SKIP,	/* @n bits */
	CTF_OP_COPY,	/* @n bytes, from a byte on */
	CTF_OP_NUMBER,	/* an integer */
	CTF_OP_SAVE,	/* an integer to @slot, then @n bits on */
	CTF_OP_TIME,	/* an integer to the clock, as above */
	CTF_OP_CHOOSE,	/* on at the steps of the option of @node that the tag chooses */
	CTF_OP_JUMP,	/* on at the @n-th step after this one */
	CTF_OP_PLACE,	/* where it is to @slot, in bits */
	CTF_OP_STRING,
	CTF_OP_CHARS,	/* the elements of an array, as a string */
	CTF_OP_COUNT,	/* the number of elements, before them */
	CTF_OP_BYTES,	/* the elements, of @size bytes, from a byte on */
	CTF_OP_ARRAY,	/* the elements */
	CTF_OP_TEXT,	/* @node as text */
	CTF_OP_VISIT,	/* @node as nothing */
};

/**
 * struct ctf_op - a step
 * @code:	enum ctf_code
 * @bits:	of the integer
 * @size:	bytes that it becomes
 * @is_signed:	it is
 * @be:		its most significant byte is first
 * @whole:	it has @size bytes, from a byte on
 * @slot:	where it goes
 * @from:	the slot with the number of elements; 0: it is @n
 * @n:		see enum ctf_code
 * @align:	bits, of elements
 * @node:	the field
 * @targets:	for each of the choices of @node, steps that are before those of the option
 */
struct ctf_op {
	u8 code;
	u8 bits;
	u8 size;
	bool is_signed;
	bool be;
	bool whole;
	u16 slot;
	u16 from;
	u32 n;
	u32 align;
	const struct ctf_node *node;
	const u32 *targets;
};

/**
 * struct ctf_program - steps that are being made
 * @trace:	they are kept as long as that
 * @ops:	the steps
 * @nr:		how many
 * @room:	entries of @ops
 * @known:	bits, a power of 2: where we are is known modulo this
 * @at:		where
 */
struct ctf_program {
	struct ctf_trace *trace;
	struct ctf_op *ops;
	size_t nr;
	size_t room;
	u64 known;
	u64 at;
};

/* Where an event's header is, in short. */
enum ctf_header {
	CTF_ANY_HEADER,
	CTF_COMPACT_HEADER,	/* LTTng's: 5 bits and 27, or 32 and 64 */
	CTF_LARGE_HEADER,	/* LTTng's: 16 bits and 32, or 32 and 64 */
};

/**
 * struct ctf_event - a kind of event
 * @name:	its name
 * @place:	where in the metadata
 * @id:		as declared
 * @stream_id:	as declared
 * @has_stream_id: it was
 * @context:	type of its context, or NULL
 * @fields:	type of its fields, or NULL
 * @number:	of its struct lib_class in the channel
 * @program:	reads all of it after the header
 * @next:	the one after it in the metadata
 */
struct ctf_event {
	const char *name;
	u32 place;
	u64 id;
	u64 stream_id;
	bool has_stream_id;
	const struct ctf_type *context;
	const struct ctf_type *fields;
	u32 number;
	const struct ctf_op *program;
	struct ctf_event *next;
};

/**
 * struct ctf_stream_class - what is common to streams
 * @place:	where in the metadata
 * @id:		as declared
 * @packet_context: type of the packets' context, or NULL
 * @event_header: type of the events' headers, or NULL
 * @event_context: type of what all events have before their own, or NULL
 * @clock:	of the events' times
 * @packet:	reads the packets' context; what is shown of it is a part of each event
 * @header:	reads an event's header
 * @kind:	which header that is
 * @swap:	it is one of the other byte order
 * @roles:	a bit for each enum ctf_role that packets and headers have
 * @begin_bits:	of the time when a packet begins
 * @end_bits:	of the time when it ends
 * @channel:	what libltt knows
 * @events:	sorted by id
 * @nr_events:	entries of @events
 * @by_id:	those with an id below @ids, by it; NULL where there is none
 * @ids:	entries of @by_id
 * @next:	the one after it in the metadata
 */
struct ctf_stream_class {
	u32 place;
	u64 id;
	const struct ctf_type *packet_context;
	const struct ctf_type *event_header;
	const struct ctf_type *event_context;
	const struct ctf_clock *clock;
	const struct ctf_op *packet;
	const struct ctf_op *header;
	enum ctf_header kind;
	bool swap;
	u32 roles;
	u8 begin_bits;
	u8 end_bits;
	struct lib_channel *channel;
	struct ctf_event **events;
	unsigned int nr_events;
	const struct ctf_event **by_id;
	unsigned int ids;
	struct ctf_stream_class *next;
};

/**
 * struct ctf_trace - what the metadata declare
 * @lib:	what libltt knows
 * @error:	where to say what is wrong with the metadata
 * @text:	the metadata, while they are read
 * @memory:	all that was allocated
 * @be:		the trace is big-endian
 * @has_order:	its byte order was declared
 * @declared:	it was
 * @has_uuid:	it has a UUID
 * @uuid:	that
 * @packet_header: type of the packets' headers, or NULL
 * @header:	reads them
 * @roles:	a bit for each enum ctf_role that they have
 * @clocks:	the clocks
 * @streams:	the kinds of streams
 * @by_id:	those, by their ids; NULL where there is none
 * @ids:	entries of @by_id
 * @events:	the kinds of events
 * @nr_nodes:	made so far
 * @nr_slots:	how many there are
 * @expanded:	bytes of the formats of all events, and of choices
 * @files:	the streams, to see how they are called
 * @owners:	their kinds, NULL if that is not known
 * @nr_files:	entries of @files and @owners
 */
struct ctf_trace {
	struct lib_trace *lib;
	struct libltt_problem *error;
	const char *text;
	void *memory;
	bool be;
	bool has_order;
	bool declared;
	bool has_uuid;
	u8 uuid[LTT_UUID_SIZE];
	const struct ctf_type *packet_header;
	const struct ctf_op *header;
	u32 roles;
	struct ctf_clock *clocks;
	struct ctf_stream_class *streams;
	struct ctf_stream_class **by_id;
	unsigned int ids;
	struct ctf_event *events;
	unsigned int nr_nodes;
	unsigned int nr_slots;
	u64 expanded;
	const struct lib_stream *files;
	const struct ctf_stream_class **owners;
	unsigned int nr_files;
};

/**
 * struct ctf_reader - a place in a packet
 * @data:	bytes of the packet
 * @at:		bits before the place
 * @end:	bits that are there
 * @slots:	values that steps need
 * @time:	ticks of the clock
 * @out:	where bytes go
 * @out_end:	end of the room there
 * @credit:	fields that may still be looked at one by one: those that have no bits could be
 *		any number
 * @why:	what is wrong with them
 */
struct ctf_reader {
	const u8 *data;
	u64 at;
	u64 end;
	u64 *slots;
	u64 time;
	u8 *out;
	u8 *out_end;
	u64 credit;
	const char *why;
};

/**
 * struct ctf_stream - a stream
 * @r:		in the packet
 * @class:	its kind, NULL before it is known
 * @buf:	a part of the file; @r.data is in it
 * @room:	bytes allocated there
 * @len:	bytes that are there
 * @at:		offset in the file of the first one
 * @base:	offset in the packet of @r.data
 * @begin:	offset of the packet in the file
 * @next:	of the packet after it
 * @content:	bits of the packet that mean something
 * @inside:	there may be further events in the packet
 * @prefix:	what the packet's context adds to each event
 * @prefix_room: bytes allocated there
 * @prefix_len:	bytes that are there
 * @last:	ns, of the event before
 * @least:	ns, no time is before
 * @most:	ns, no time is after
 * @end:	ns, end of the packet; 0: unknown
 * @latest:	ns, no event of the packet is after, or it is told
 * @late:	one was, at @late_at in the file
 * @late_at:	see @late
 * @before:	events lost before the file begins
 * @discarded:	events lost so far
 * @made:	bytes made of the packet that are not in the window any more
 * @fresh:	nothing was made of the packet
 * @index:	where packets are, NULL before it was looked for
 * @shared:	@index belongs to another reader
 */
struct ctf_stream {
	struct ctf_reader r;
	struct ctf_stream_class *class;
	u8 *buf;
	size_t room;
	size_t len;
	u64 at;
	u64 base;
	u64 begin;
	u64 next;
	u64 content;
	bool inside;
	u8 *prefix;
	size_t prefix_room;
	size_t prefix_len;
	u64 last;
	u64 least;
	u64 most;
	u64 end;
	u64 latest;
	bool late;
	u64 late_at;
	u64 before;
	u64 discarded;
	u64 made;
	bool fresh;
	struct ctf_index *index;
	bool shared;
};

/* Is there a value of that meaning, by such a set of bits? */
static inline bool ctf_has(u32 roles, enum ctf_role role)
{
	return roles & 1u << role;
}

/* ---- functions; 0 or a negative errno unless they say otherwise -------------------- */

/* trace.c */
void *ctf_alloc(struct ctf_trace *trace, size_t size);
int ctf_no_memory(struct ctf_trace *trace);
bool ctf_is_other(const char *text, size_t size);
int ctf_trace_open(struct libltt *ltt, struct lib_trace *lib, char *text, size_t size,
		   unsigned int first, struct libltt_problem *error);
void ctf_trace_free(struct ctf_trace *trace);
struct ctf_stream_class *ctf_class_find(const struct ctf_trace *trace, u64 id);
const struct ctf_event *ctf_event_find(const struct ctf_stream_class *stream, u64 id);
int ctf_clock_base(const struct ctf_clock *clock, s64 *base);
u64 ctf_clock_ns(const struct ctf_clock *clock, u64 ticks);

/* text.c */
int ctf_text_unpack(const char *file, char *text, size_t *size, struct libltt_problem *error);
__printf(3, 4) int ctf_fail(struct ctf_trace *trace, u32 place, const char *format, ...);

/* parse.c */
int ctf_parse(struct ctf_trace *trace, const char *text, size_t size);

/* resolve.c */
enum ctf_scope {
	CTF_PACKET_HEADER,
	CTF_PACKET_CONTEXT,
	CTF_EVENT_HEADER,
	CTF_STREAM_EVENT_CONTEXT,
	CTF_EVENT_CONTEXT,
	CTF_EVENT_FIELDS,
	CTF_NR_SCOPES,
};

/**
 * struct ctf_scopes - the fields that are known at an event, in the order in which they are read
 * @trace:	the trace
 * @root:	all fields of a scope; NULL: it has none
 * @nr:		fields of the scope that is being resolved
 */
struct ctf_scopes {
	struct ctf_trace *trace;
	struct ctf_node *root[CTF_NR_SCOPES];
	unsigned int nr;
};

int ctf_resolve(struct ctf_scopes *scopes, enum ctf_scope scope, const struct ctf_type *type);
u32 ctf_roles(const struct ctf_node *root);
bool ctf_is_number(const struct ctf_type *type);
bool ctf_is_in(bool is_signed, u64 value, u64 low, u64 high);

/* program.c */
void ctf_program_begin(struct ctf_program *program);
int ctf_program_add(struct ctf_program *program, struct ctf_trace *trace,
		    const struct ctf_node *root, bool shown);
const struct ctf_op *ctf_program_end(struct ctf_program *program, struct ctf_trace *trace);
unsigned int ctf_size(const struct ctf_type *type);
bool ctf_is_signed(const struct ctf_type *type);
enum ltt_store ctf_store(const struct ctf_type *type);

/* fields.c */
int ctf_fields(struct ctf_trace *trace, const struct ctf_node *const roots[], unsigned int nr,
	       struct ltt_format **format);
char *ctf_fields_text(const struct ltt_format *format);

/* decode.c */
int ctf_run(struct ctf_reader *r, const struct ctf_op *op);
int ctf_read_int(struct ctf_reader *r, unsigned int bits, bool is_signed, bool be, u64 *value);
int ctf_read_string(struct ctf_reader *r, const u8 **text, size_t *len);
int ctf_charge(struct ctf_reader *r, unsigned int labels);
int ctf_choose(struct ctf_reader *r, const struct ctf_node *variant, unsigned int *nr);
void ctf_set_time(struct ctf_reader *r, u64 value, unsigned int bits);
int ctf_align(struct ctf_reader *r, u32 bits);

/* show.c */
int ctf_visit(struct ctf_reader *r, const struct ctf_node *node, bool shown);

/* packet.c */
int ctf_stream_owners(struct ctf_trace *trace);
char *ctf_stream_name(const struct ctf_trace *trace, const struct ctf_stream_class *stream);
bool ctf_stream_identify(struct libltt *ltt, struct lib_stream *s);
bool ctf_packet_enter(struct libltt *ltt, struct lib_stream *s);
int ctf_packet_more(struct lib_stream *s);
const char *ctf_packet_read(struct lib_stream *s, struct ctf_stream *c, int *err);
u64 ctf_packet_number(const struct ctf_stream *c, u64 before);
struct ctf_stream *ctf_stream_create(const struct lib_stream *s);
void ctf_stream_free(struct ctf_stream *c);
int ctf_stream_share(struct lib_stream *s, const struct lib_stream *of);
void ctf_stream_swap_index(struct lib_stream *a, struct lib_stream *b);
void ctf_stream_close(struct lib_stream *s);
void ctf_stream_rewind(struct lib_stream *s);

/* chain.c */
void ctf_chain(struct libltt *ltt);

/* index.c */
void ctf_index_free(struct ctf_index *index);
void ctf_index_seek(struct lib_stream *s, u64 ts);
bool ctf_index_last(struct lib_stream *s, u64 *number, u64 *discarded);
u64 ctf_index_packet_size(struct lib_stream *s);
bool ctf_index_sample(const struct libltt *ltt, struct lib_stream *s, u64 step,
		      struct lib_samples *samples);

/* stream.c */
u64 ctf_stream_place(const struct lib_stream *s);
bool ctf_stream_next(struct libltt *ltt, struct lib_stream *s);

#endif /* _LTT_CTF_H */
