/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: what its files share.
 *
 *	lexer.c		words of the metadata
 *	metadata.c	declarations as they are written
 *	declare.c	what they declare: clock, channels, events
 *	fields.c	fields that several events have
 *	class.c		tables of channels and events
 *	index.c		where packets are, from the index of a stream
 *	identify.c	which channel and CPU a stream is of
 *	packet.c	the next packet of a stream, checked
 *	stream.c	the next event of a stream
 *	symbols.c	names of kernel addresses
 *	modules.c	the same, in modules
 *	select.c	patterns
 *	filter.c	expressions
 *	file.c		files
 *	open.c		directories
 *	merge.c		all streams as one sequence of events
 *	text.c		events as lines
 *	value.c		events as values
 *	scan.c		values in lines of text
 *	slices.c	where to divide traces that are read in parts
 *	copy.c		several readers of the same traces
 *	jobs.c		parts as lines, by several threads
 *	live.c		traces that come packet by packet
 *
 * Functions return 0 or a negative errno unless they say otherwise. Those that take a
 * struct libltt_problem fill it in when they fail.
 */
#ifndef _LTT_LIB_PRIVATE_H
#define _LTT_LIB_PRIVATE_H

#include <linux/ltt/context.h>
#include <linux/ltt/expr.h>
#include <linux/ltt/packet.h>

#include "../../../kernel/trace/textout/lib/merge.h"
#include "../../../kernel/trace/textout/lib/style.h"
#include "libltt.h"

/* Far more metadata than a kernel has to declare, in bytes. */
#define LIB_METADATA_MAX	(256u << 20)

/*
 * And far more text to render events with: few bytes of metadata declare an event with fields
 * that are declared elsewhere, once for many.
 */
#define LIB_EXPANDED_MAX	(64u << 20)

/* Most channels of a trace. */
#define LIB_CHANNELS_MAX	65536u

/* The largest sub-buffer that there is. */
#define LIB_PACKET_MAX		(4u << 20)

/* Bits of a packet header. */
#define LIB_HEADER_BITS		(8 * sizeof(struct ltt_packet))

struct ctf_stream;
struct ctf_trace;
struct lib_index;
struct lib_jobs;
struct lib_live;
struct lib_live_stream;
struct lib_symbols;

/**
 * struct lib_fields - fields of one kind of event or of several
 * @users:	how many have them
 * @text:	the format
 * @format:	what it means, NULL until it was parsed
 * @symbols:	a field is shown as a symbol
 */
struct lib_fields {
	unsigned int users;
	char *text;
	struct ltt_format *format;
	bool symbols;
};

/**
 * struct lib_class - a kind of event
 * @pub:	what users see
 * @fields:	its fields
 * @format:	their parsed format
 * @context:	that of what was recorded before its fields, NULL if nothing was
 * @text:	what renders it
 * @selected:	to be shown
 * @filter:	what is true for those to be shown, NULL: all are
 * @reach:	bytes at the beginning of the payload that @filter looks at; SIZE_MAX if that
 *		depends on the event, or on its context
 * @made:	its successor, while a request is carried out
 * @symbols:	a field is shown as a symbol
 * @name:	"channel.marker"
 */
struct lib_class {
	struct libltt_class pub;
	struct lib_fields *fields;
	const struct ltt_format *format;
	const struct ltt_format *context;
	struct ltt_event_text *text;
	bool selected;
	struct ltt_expr *filter;
	size_t reach;
	struct ltt_expr *made;
	bool symbols;
	char *name;
};

/**
 * struct lib_channel - the events of a channel in a trace
 * @name:	its name, NULL until something tells it
 * @context:	format of what is recorded with each event, NULL if nothing is
 * @context_len: bytes of its text
 * @with_cpu:	the context and the CPU, for filters; NULL until there is one
 * @nr:		entries of @classes
 * @declared:	those that are not NULL
 * @classes:	by id
 * @selected:	some of its events are to be shown
 */
struct lib_channel {
	char *name;
	struct ltt_format *context;
	size_t context_len;
	struct ltt_format *with_cpu;
	u32 nr;
	u32 declared;
	struct lib_class **classes;
	bool selected;
};

/**
 * struct lib_trace - a directory
 * @pub:	what users see
 * @number:	of the directory, from 0
 * @of:		how many there are
 * @dir:	its name
 * @metadata:	name of its metadata file
 * @style:	style of the lines, NULL if none are made
 * @swap:	it was recorded on a machine of the other byte order
 * @shift:	ns, what is added to timestamps to get the times that are shown
 * @nr_channels: entries of @channels
 * @channels:	by stream id, NULL if not declared
 * @symbols:	its symbols, if @symbols_known; NULL if there are none
 * @symbols_known: they have been looked for
 * @clock_known: the metadata has a clock
 * @order_known: the metadata tells the byte order
 * @uuid_known:	the metadata has a UUID
 * @boot_known:	the metadata has a UUID of the boot
 * @by_ltt:	the metadata says that LTT has recorded it
 * @tracer_major: of the version of LTT that recorded it
 * @tracer_minor: of that version
 * @declared:	bytes of the metadata up to the end of the last declaration that was read
 * @ours:	these say that LTT has recorded it, its UUID and the byte order
 * @ctf:	what the metadata of another tracer declare; NULL: it is LTT's
 */
struct lib_trace {
	struct libltt_trace pub;
	unsigned int number;
	unsigned int of;
	char *dir;
	char *metadata;
	const struct ltt_text_style *style;
	bool swap;
	u64 shift;
	u32 nr_channels;
	struct lib_channel **channels;
	struct lib_symbols *symbols;
	bool symbols_known;
	bool clock_known;
	bool order_known;
	bool uuid_known;
	bool boot_known;
	bool by_ltt;
	u64 tracer_major;
	u64 tracer_minor;
	size_t declared;
	bool ours;
	struct ctf_trace *ctf;
};

/**
 * struct lib_stream - a file of packets
 * @p:		header of the next event
 * @end:	end of the part of the packet that is in the window
 * @ts:		ns, raw, of the next event; before the first, of the packet
 * @id:		of the next event
 * @header:	bytes of its header; 0: there is no event
 * @class:	its kind
 * @channel:	whose events these are
 * @shift:	ns, see struct lib_trace
 * @ts_end:	ns, raw, end of the packet
 * @lost:	events lost before the next event
 * @corrupt:	something before the next event cannot be read, @lost is not all
 * @cpu:	for lines
 * @compact:	ids below it have a compact header
 * @swap:	see struct lib_trace
 * @trace:	which it belongs to
 * @window:	bytes of the packet, from @window_at on
 * @room:	bytes allocated there
 * @window_at:	offset of @window in the file
 * @window_len:	valid bytes there
 * @content_end: offset in the file after the packet's last event
 * @packet_end:	offset of the next packet
 * @packet:	header of the packet, in this machine's byte order; its events_discarded are
 *		those accounted for
 * @packets:	how many were entered
 * @corrupt_packet: if @corrupt, number of the first packet there
 * @corrupt_offset: bytes of it that could be read
 * @ahead:	another header, if @ahead_known
 * @ahead_at:	its offset in the file
 * @ahead_known: it has been read
 * @gap_begin:	no packet of the stream begins from there on
 * @gap_end:	up to here, where one does, or the file ends
 * @fd:		the file, or a negative errno: why it could not be opened
 * @index:	where packets are, NULL before it was looked for
 * @pub:	what users see
 * @finished:	nothing more can be read
 * @ctf:	how to read it if it is of another tracer, else NULL: then events are made into
 *		@window, and those who read them do not see what the file has
 * @live:	where its packets come from, NULL: there are no others
 */
struct lib_stream {
	/* What each event needs lies in two lines of the cache: there may be many streams. */
	const u8 *p;
	const u8 *end;
	u64 ts;
	u32 id;
	int header;
	struct lib_class *class;
	struct lib_channel *channel;
	u64 shift;
	u64 ts_end;
	u64 lost;
	struct ltt_cpu_text cpu;
	bool swap;
	u8 compact;
	bool corrupt;
	struct lib_trace *trace;
	u8 *window;
	size_t room;
	u64 window_at;
	size_t window_len;
	u64 content_end;
	u64 packet_end;
	struct ltt_packet packet;
	u64 packets;
	u64 corrupt_packet;
	u64 corrupt_offset;
	struct ltt_packet ahead;
	u64 ahead_at;
	bool ahead_known;
	u64 gap_begin;
	u64 gap_end;
	int fd;
	struct lib_index *index;
	struct libltt_stream pub;
	bool finished;
	struct ctf_stream *ctf;
	struct lib_live_stream *live;
} __aligned(64);

/**
 * struct libltt - traces being read
 * @out:	where lines go, in which style
 * @merge:	of the streams' next events
 * @streams:	sorted by stream id, then directory
 * @nr_streams:	entries of @streams
 * @end:	ns, the last time that is wanted
 * @begin:	ns, the first
 * @taken:	the event at the top of @merge was given to the user: bytes of it, header
 *		included; 0: it was not
 * @started:	streams have been positioned
 * @traces:	the directories
 * @nr_traces:	entries of @traces
 * @options:	as given
 * @errors:	how many were reported
 * @jobs:	threads that read for it, NULL if there are none
 * @live:	how the traces come, NULL if they are directories
 */
struct libltt {
	struct ltt_textbuf out;
	struct ltt_merge merge;
	struct lib_stream *streams;
	unsigned int nr_streams;
	u64 end;
	u64 begin;
	size_t taken;
	bool started;
	struct lib_trace *traces;
	unsigned int nr_traces;
	struct libltt_options options;
	unsigned long errors;
	struct lib_jobs *jobs;
	struct lib_live *live;
};

struct lib_stream;

/* value.c */
const struct ltt_field *lib_class_field(const struct libltt_class *kind, unsigned int nr);

/* select.c */
bool lib_class_matches(const struct lib_class *class, const char *glob);

/* filter.c */
int lib_filter_early(const struct lib_stream *s);
bool lib_filter_accepts(const struct lib_stream *s, size_t size);

/* open.c */
__printf(5, 6) int lib_fail(struct libltt_problem *error, int code, const char *file,
			    u64 offset, const char *format, ...);
__printf(6, 7) void lib_report(struct libltt *ltt, enum libltt_severity severity, int code,
			       const char *file, u64 offset, const char *format, ...);

int lib_style_open(struct libltt *ltt, const char *name, struct libltt_problem *error);
int lib_trace_complete(struct lib_trace *trace, struct libltt_problem *error);
void lib_trace_free(struct lib_trace *trace);
bool lib_is_same_boot(const struct libltt_trace *a, const struct libltt_trace *b);
int lib_clocks_check(const struct libltt *ltt, struct libltt_problem *error);
int lib_streams_grow(struct libltt *ltt, unsigned int *room);
int lib_streams_compare(const void *a, const void *b);

/* file.c: regular files only, no waiting for the other end of a pipe */
int lib_file_open(const char *name, u64 *size, struct libltt_problem *error);
u64 lib_file_data(int fd, u64 offset, u64 size);
long lib_file_read(int fd, void *buf, size_t size, u64 offset);
int lib_file_load_fd(int fd, const char *name, size_t most, char **text, size_t *size,
		     struct libltt_problem *error);
int lib_file_load(const char *name, size_t most, char **text, size_t *size,
		  struct libltt_problem *error);

/* metadata.c */
int lib_metadata_parse(struct lib_trace *trace, const char *text, size_t size,
		       struct libltt_problem *error);

struct lib_parser *lib_metadata_begin(struct lib_trace *trace);
long lib_metadata_more(struct lib_parser *ps, const char *text, size_t size,
		       struct libltt_problem *error);
void lib_metadata_end(struct lib_parser *ps);

/* live.c */
void lib_live_exhausted(struct libltt *ltt, const struct lib_live_stream *stream);

/* fields.c */
void lib_fields_put(struct lib_fields *fields);

/* symbols.c */
void lib_symbols_use(struct libltt *ltt, struct lib_trace *trace, u64 time);
bool lib_symbols_prepare(struct libltt *ltt);

/* class.c */
int lib_channel_declare(struct lib_trace *trace, u64 id, struct lib_channel **channel);
struct lib_channel *lib_channel_find(const struct lib_trace *trace, u64 id);
int lib_class_add(struct lib_channel *channel, struct lib_class *class);
int lib_class_complete(const struct lib_trace *trace, const struct lib_channel *channel,
		       struct lib_class *class);
void lib_class_free(struct lib_class *class);
void lib_channels_free(struct lib_trace *trace);

/* Was the trace recorded by a version before 0.@minor? */
static inline bool lib_trace_is_older(const struct lib_trace *trace, u64 minor)
{
	return !trace->tracer_major && trace->tracer_minor < minor;
}

static inline struct lib_class *lib_class_find(const struct lib_channel *channel, u32 id)
{
	return likely(id < channel->nr) ? channel->classes[id] : NULL;
}

#endif /* _LTT_LIB_PRIVATE_H */
