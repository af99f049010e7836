/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: read traces that `ltt record` wrote, and those of other tracers in the Common Trace
 * Format 1.8.
 *
 * A program opens one or more trace directories and takes events out of them, all
 * in one order, as values or as the lines that the kernel's text files would have
 * shown:
 *
 *	struct libltt *ltt = libltt_open(dirs, nr, NULL, &error);
 *
 *	while ((status = libltt_next(ltt, &event)) > 0)
 *		...
 *	libltt_close(ltt);
 *
 * Nothing in a trace is trusted. What can't be read is reported, with the name of the
 * file and the offset in it, and left out; whatever else can be read, is.
 *
 * A struct libltt belongs to one thread at a time; different ones are independent.
 */
#ifndef _LIBLTT_H
#define _LIBLTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct libltt;

/* Offset of a problem that is not at any place in a file. */
#define LIBLTT_NO_OFFSET	UINT64_MAX

/**
 * enum libltt_severity - how bad it is
 * @LIBLTT_NOTE:	nothing that should be there is missing: the last packet of
 *			a recording that was cut short, an index that is of no use
 * @LIBLTT_ERROR:	the trace is damaged, or can't be read
 */
enum libltt_severity {
	LIBLTT_NOTE,
	LIBLTT_ERROR,
};

/**
 * struct libltt_problem - what is wrong, and where
 * @severity:	how bad it is
 * @code:	positive errno; EBADMSG: the contents are wrong
 * @file:	name of the file, as opened
 * @offset:	bytes from its beginning, or LIBLTT_NO_OFFSET
 * @text:	what is wrong: one line, without a newline
 */
struct libltt_problem {
	enum libltt_severity severity;
	int code;
	char file[512];
	uint64_t offset;
	char text[256];
};

/**
 * typedef libltt_report - called for a problem; reading continues
 * @problem:	the problem; valid during the call
 * @data:	libltt_options.data
 */
typedef void (*libltt_report)(const struct libltt_problem *problem, void *data);

/* Flags of struct libltt_options. */
#define LIBLTT_WALL	1u	/* times are ns since 1970, not of the trace's clock */

/**
 * struct libltt_options - how to read
 * @flags:	LIBLTT_*
 * @report:	called for problems, may be NULL
 * @data:	for @report
 * @style:	name of the text style for libltt_text(), libltt_line() and libltt_header(),
 *		see libltt_style(); NULL: the default
 */
struct libltt_options {
	unsigned int flags;
	libltt_report report;
	void *data;
	const char *style;
};

/**
 * struct libltt_class - a kind of event
 * @trace:	number of its directory, from 0
 * @stream:	number in the trace of the channel that has its buffers: its own, or the one
 *		named "shared"
 * @id:		number of the event in that
 * @nr_fields:	fields of each event, with those of the channel's context
 * @channel:	name of the channel
 * @marker:	name of the marker
 * @format:	format of the marker
 * @nr_context:	how many of @nr_fields are of the context: the last ones
 */
struct libltt_class {
	unsigned int trace;
	uint32_t stream;
	uint32_t id;
	unsigned int nr_fields;
	const char *channel;
	const char *marker;
	const char *format;
	unsigned int nr_context;
};

/**
 * struct libltt_stream - the events of a channel, or of all that share buffers, on a CPU
 * @trace:	number of its directory, from 0
 * @stream:	number of the channel in the trace
 * @cpu:	the CPU
 * @channel:	name of the channel, or "shared"
 * @file:	name of the file
 * @size:	bytes in it
 */
struct libltt_stream {
	unsigned int trace;
	uint32_t stream;
	uint32_t cpu;
	const char *channel;
	const char *file;
	uint64_t size;
};

/**
 * struct libltt_trace - what is known of a trace
 * @name:	of the trace
 * @clock:	of the timestamps: "tsc", "mono", "counter"
 * @hostname:	of the machine that it was recorded on
 * @release:	of that machine's kernel
 * @uuid:	of the trace
 * @boot_id:	of that kernel's start, as in /proc/sys/kernel/random/boot_id; zeros if unknown
 * @real_offset: ns, what to add to a timestamp to get the time since 1970, modulo 2^64
 * @big_endian:	byte order of that machine
 */
struct libltt_trace {
	const char *name;
	const char *clock;
	const char *hostname;
	const char *release;
	uint8_t uuid[16];
	uint8_t boot_id[16];
	uint64_t real_offset;
	bool big_endian;
};

/**
 * struct libltt_event - an event, or the notice that events were lost or cannot be read
 * @time:	ns
 * @lost:	0, or how many events this CPU lost in this channel before @time; then
 *		there is no event here
 * @cpu:	the CPU
 * @channel:	name of the channel; "shared" for a notice about shared buffers
 * @kind:	its kind; NULL if @lost or @corrupt
 * @payload:	its context and fields as recorded; valid until the next call for the struct libltt
 * @size:	bytes at @payload
 * @origin:	internal; the same for all that is of one stream
 * @corrupt:	an unknown number of events of this CPU and channel before @time cannot be read;
 *		then there is no event here. What is wrong was reported
 * @packet:	if @corrupt, number of the first packet where something is wrong
 * @offset:	and bytes of it that could be read
 */
struct libltt_event {
	uint64_t time;
	uint64_t lost;
	uint32_t cpu;
	const char *channel;
	const struct libltt_class *kind;
	const void *payload;
	size_t size;
	const void *origin;
	bool corrupt;
	uint64_t packet;
	uint64_t offset;
};

/**
 * enum libltt_type - what a value is
 * @LIBLTT_UNSIGNED:	libltt_value.u
 * @LIBLTT_SIGNED:	libltt_value.i
 * @LIBLTT_STRING:	libltt_value.text, terminated, and libltt_value.count
 *			bytes before that
 * @LIBLTT_BYTES:	libltt_value.bytes, libltt_value.count of them. A blob that could not
 *			be read is a LIBLTT_STRING, "(null)" or "(fault)". An array of characters
 *			("%c[16]") is LIBLTT_BYTES, and so is a string with no NUL after what is
 *			shown of it: it fills its array ("%s[16]"), or the precision cuts it.
 *			What is not shown, such as NULs at the end of "%c[16]", is not counted
 * @LIBLTT_ARRAY:	libltt_value.count integers, see libltt_element()
 * @LIBLTT_DOUBLE:	libltt_value.d; only in traces of other tracers, like the next one
 * @LIBLTT_DOUBLES:	libltt_value.count numbers, see libltt_double()
 */
enum libltt_type {
	LIBLTT_UNSIGNED,
	LIBLTT_SIGNED,
	LIBLTT_STRING,
	LIBLTT_BYTES,
	LIBLTT_ARRAY,
	LIBLTT_DOUBLE,
	LIBLTT_DOUBLES,
};

/**
 * struct libltt_value - a field of an event
 * @name:	of the field
 * @type:	which of the following are valid
 * @u:		the value
 * @i:		the value
 * @d:		the value
 * @text:	the string
 * @bytes:	the bytes; of an array, as recorded
 * @count:	bytes or elements
 * @element:	internal: bytes of an element, its sign and byte order
 */
struct libltt_value {
	const char *name;
	enum libltt_type type;
	union {
		uint64_t u;
		int64_t i;
		double d;
		const char *text;
		const uint8_t *bytes;
	};
	size_t count;
	uint32_t element;
};

/**
 * struct libltt_word - a field in a line of style "kv"
 * @name:	its name; "$" stands before those of a context
 * @name_len:	bytes of it
 * @value:	its value, as shown; in quotes, if it is a string that needs them
 * @len:	bytes of it
 */
struct libltt_word {
	const char *name;
	size_t name_len;
	const char *value;
	size_t len;
};

struct libltt *libltt_open(const char *const dirs[], unsigned int nr,
			   const struct libltt_options *options,
			   struct libltt_problem *error);
void libltt_close(struct libltt *ltt);

unsigned int libltt_nr_traces(const struct libltt *ltt);
const struct libltt_trace *libltt_trace(const struct libltt *ltt, unsigned int nr);
unsigned int libltt_nr_streams(const struct libltt *ltt);
const struct libltt_stream *libltt_stream(const struct libltt *ltt, unsigned int nr);
const struct libltt_class *libltt_class(const struct libltt *ltt,
					const struct libltt_class *last);
int libltt_class_field(const struct libltt_class *kind, unsigned int nr,
		       struct libltt_value *value);

int libltt_pattern(const char *pattern, struct libltt_problem *error);
bool libltt_matches(const char *pattern, const char *channel, const char *marker);
int libltt_select(struct libltt *ltt, const char *pattern, struct libltt_problem *error);
int libltt_filter(struct libltt *ltt, const char *pattern, const char *expression,
		  struct libltt_problem *error);
int libltt_range(struct libltt *ltt, uint64_t begin, uint64_t end);

int libltt_next(struct libltt *ltt, struct libltt_event *event);
int libltt_field(const struct libltt_event *event, unsigned int nr,
		 struct libltt_value *value);
int libltt_fields(const struct libltt_event *event, struct libltt_value *values);
uint64_t libltt_element(const struct libltt_value *value, size_t nr);
double libltt_double(const struct libltt_value *value, size_t nr);
bool libltt_split(const char **line, const char *end, struct libltt_word *word);
int libltt_scan(const struct libltt_class *kind, unsigned int nr, const char *line, size_t len,
		char *buf, struct libltt_value *value);
long libltt_line(struct libltt *ltt, const struct libltt_event *event, char *buf,
		 size_t size);

long libltt_text(struct libltt *ltt, char *buf, size_t size);
long libltt_header(const struct libltt *ltt, char *buf, size_t size);
const char *libltt_style(unsigned int nr, bool *live);
unsigned long libltt_errors(const struct libltt *ltt);

#ifdef __cplusplus
}
#endif

#endif /* _LIBLTT_H */
