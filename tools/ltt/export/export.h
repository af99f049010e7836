/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: recorded traces in the formats of other programs.
 *
 *	proto.c		encoding of messages
 *	kind.c		kinds of events: which message they are
 *	threads.c	who runs, and to which process it belongs
 *	perfetto.c	the packets of a trace
 *
 * Perfetto's names and numbers are those of its .proto files, protos/perfetto/trace in
 * https://github.com/google/perfetto, version 58.
 */
#ifndef _LTT_EXPORT_H
#define _LTT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/directory.h"
#include "../lib/libltt.h"
#include "proto.h"

/**
 * struct export_slice - two markers are the begin and the end of something
 * @begin:	pattern of the one that begins it
 * @end:	pattern of the one that ends it
 * @key:	field that both have: what has the same value is on a track; NULL: the thread
 */
struct export_slice {
	const char *begin;
	const char *end;
	const char *key;
};

/**
 * struct export_counter - a field of a marker is a value that changes
 * @pattern:	of the marker
 * @field:	the field
 * @key:	as in struct export_slice; NULL: there is one counter
 */
struct export_counter {
	const char *pattern;
	const char *field;
	const char *key;
};

/**
 * struct export_options - what the user asked for
 * @in:		what is to be read
 * @machine:	as in uname(2), of the machine that recorded the trace
 * @output:	name of a file, NULL: standard output
 * @nr_slices:	entries of @slices
 * @slices:	pairs of markers
 * @nr_counters: entries of @counters
 * @counters:	fields
 */
struct export_options {
	struct directory_options in;
	const char *machine;
	const char *output;
	unsigned int nr_slices;
	struct export_slice *slices;
	unsigned int nr_counters;
	struct export_counter *counters;
};

/* ---- kind.c ------------------------------------------------------------------ */

/**
 * enum kind_of - what becomes of an event
 * @KIND_KNOWN:		a message that Perfetto knows
 * @KIND_DESCRIBED:	one that the trace describes
 * @KIND_CALL:		the entry of a system call, with decoded arguments
 * @KIND_RETURN:	and its return
 * @KIND_PROCESS:	the state dump's line about a thread
 */
enum kind_of {
	KIND_KNOWN,
	KIND_DESCRIBED,
	KIND_CALL,
	KIND_RETURN,
	KIND_PROCESS,
};

/* What is added to events that are slices or counters. */
enum kind_track {
	TRACK_NONE,
	TRACK_BEGIN = 'B',
	TRACK_END = 'E',
	TRACK_COUNTER = 'C',
};

#define KIND_NO_FIELD	(-1)
#define KIND_CPU	(-2)	/* not a field, but the CPU of the event */

/**
 * struct kind - a kind of event
 * @class:	the kind
 * @of:		what becomes of it
 * @number:	of the message
 * @fields:	number in the message of each field of @class; 0: left out
 * @as_text:	of each field of @class: it is neither an integer nor a string; its text is written
 * @has_text:	there is such a field
 * @described:	its description has been written
 * @is_switch:	it is sched.sched_switch
 * @hidden:	it is read for us, not for the user
 * @track:	it begins or ends a slice, or is a counter
 * @track_name:	name of that track
 * @track_key:	field that chooses a track, KIND_CPU, or KIND_NO_FIELD
 * @track_value: field that is the counter
 * @tid:	field of the context that tells which thread it was, or KIND_NO_FIELD
 * @next:	field next_pid of @is_switch
 * @prev:	field prev_pid of @is_switch
 * @next_comm:	field next_comm of @is_switch
 * @prev_comm:	field prev_comm of @is_switch
 */
struct kind {
	const struct libltt_class *class;
	enum kind_of of;
	unsigned int number;
	unsigned int *fields;
	bool *as_text;
	bool has_text;
	bool described;
	bool is_switch;
	bool hidden;
	enum kind_track track;
	char *track_name;
	int track_key;
	int track_value;
	int tid;
	int next;
	int prev;
	int next_comm;
	int prev_comm;
};

/**
 * struct kind_line - the fields of an event, in the style kv
 * @text:	as for libltt_split()
 * @end:	where they end
 */
struct kind_line {
	const char *text;
	const char *end;
};

struct kinds;

struct kinds *kinds_create(struct libltt *ltt, const struct export_options *options);
void kinds_free(struct kinds *kinds);
struct kind *kinds_find(const struct kinds *kinds, const struct libltt_class *class);
int kind_field(const struct libltt_class *class, const char *name, bool context);
unsigned int kinds_most_fields(const struct kinds *kinds);
void kind_put(struct proto *out, const struct kind *kind, const struct libltt_event *event,
	      const struct libltt_value *values, struct kind_line line);
void kind_put_text(struct proto *out, unsigned int number, const uint8_t *text, size_t count);
bool kind_next(struct kind_line *line, struct libltt_word *word);
void kind_describe(struct proto *out, const struct kind *kind);
uint64_t kind_integer(const struct libltt_value *values, int field);

/* ---- threads.c --------------------------------------------------------------- */

/**
 * struct thread - what is known of a thread
 * @tid:	its number
 * @tgid:	that of its process; its own if it is not known
 * @described:	its track has been written
 * @nr:		its number on a page of ltt plot, from 1 on; 0: none yet
 */
struct thread {
	int32_t tid;
	int32_t tgid;
	bool described;
	size_t nr;
};

/**
 * struct threads - all threads, and who runs
 * @table:	a hash table
 * @size:	its entries, a power of two
 * @used:	how many are used
 * @running:	which thread runs on each CPU
 * @nr_cpus:	entries of @running
 * @left_out:	there are streams or events of others, which has been said
 */
struct threads {
	struct thread *table;
	size_t size;
	size_t used;
	int32_t *running;
	uint32_t nr_cpus;
	bool left_out;
};

int threads_init(struct threads *threads, const struct libltt *ltt,
		 const struct export_options *options);
bool threads_know_cpu(struct threads *threads, const struct libltt_event *event);
void threads_free(struct threads *threads);
struct thread *threads_find(struct threads *threads, int32_t tid);

/* ---- perfetto.c -------------------------------------------------------------- */

/**
 * enum export_result - how much was written
 * @EXPORT_ALL:		all of the traces
 * @EXPORT_PART:	what could be read
 * @EXPORT_FAILED:	no file that is of any use
 */
enum export_result {
	EXPORT_ALL,
	EXPORT_PART,
	EXPORT_FAILED,
};

enum export_result export_perfetto(struct export_options *options, int fd);

#endif /* _LTT_EXPORT_H */
