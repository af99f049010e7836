/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: pairs of events, and the time between them.
 *
 *	key.c		which values two events must have in common
 *	latency.c	times, counted
 *	open.c		events that have begun a pair
 *	match.c		events find each other
 *	recorded.c	events out of directories
 *	text.c		events out of lines of the kernel's text
 *
 * The last two turn what they read into struct pair_event, in order. What match.c keeps of
 * an event are bytes: the values of its key, each as encoded by key.c so that equal values
 * have equal bytes, whatever their types are.
 */
#ifndef _LTT_PAIR_H
#define _LTT_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../lib/libltt.h"

#define NSEC	UINT64_C(1000000000)

/* Most groups of --by; all others are one group. */
#define PAIR_GROUPS_MAX	10000u

/* Most bytes of groups, strings included; those beyond are in the same one. */
#define PAIR_GROUP_BYTES_MAX	(32u << 20)

/* Most bytes of open pairs, keys and lines included. */
#define PAIR_BYTES_MAX	(256u << 20)

/* ---- key.c ------------------------------------------------------------------- */

/**
 * struct pair_names - fields of events, as the user wrote them
 * @nr:		how many
 * @begin:	their names in events that begin a pair; "$" stands before those of a context
 * @end:	and in those that end one
 */
struct pair_names {
	unsigned int nr;
	char **begin;
	char **end;
};

/* Number of the "field" that is the CPU of an event. */
#define PAIR_CPU	(-1)

/**
 * struct pair_bytes - encoded values
 * @data:	the bytes
 * @len:	how many
 * @room:	bytes allocated
 */
struct pair_bytes {
	uint8_t *data;
	size_t len;
	size_t room;
};

struct pair_event;

int pair_names_parse(struct pair_names *names, const char *text, bool both);
void pair_names_free(struct pair_names *names);
bool pair_names_cpu(const struct pair_names *names);
int pair_names_find(char *const *names, unsigned int nr, const struct libltt_class *class,
		    int **found);
int pair_encode(struct pair_bytes *bytes, const struct pair_event *event, const int *fields,
		unsigned int nr);
void pair_show_values(const struct pair_names *names, const uint8_t *data, size_t len);

/* ---- latency.c --------------------------------------------------------------- */

/**
 * struct pair_latency - times
 * @nr:		how many
 * @min:	ns, the shortest
 * @max:	ns, the longest
 * @total:	ns
 * @count:	how many of 0 ns, 1 ns, 2 to 3 ns, 4 to 7 ns and so on
 */
struct pair_latency {
	uint64_t nr;
	uint64_t min;
	uint64_t max;
	uint64_t total;
	uint64_t count[65];
};

void pair_latency_add(struct pair_latency *latency, uint64_t time);
void pair_latency_merge(struct pair_latency *latency, const struct pair_latency *more);
void pair_latency_numbers(const struct pair_latency *latency);
void pair_latency_histogram(const struct pair_latency *latency);

/* ---- open.c ------------------------------------------------------------------ */

/**
 * struct pair_open - a pair that has begun
 * @age:	in pair_table.ages
 * @outer:	the one of the same key that it is nested in, NULL: none
 * @inner:	the one that is nested in it, NULL: none
 * @group:	to which it belongs, see match.c
 * @time:	ns, of its first event
 * @cpu:	on which that was
 * @key_len:	bytes of its key
 * @line_len:	bytes of the event's line
 * @data:	key and line
 */
struct pair_open {
	TAILQ_ENTRY(pair_open) age;
	struct pair_open *outer;
	struct pair_open *inner;
	struct pair_group *group;
	uint64_t time;
	uint32_t cpu;
	size_t key_len;
	size_t line_len;
	uint8_t data[];
};

TAILQ_HEAD(pair_ages, pair_open);

/**
 * struct pair_table - pairs that have begun
 * @keys:	the innermost ones by key: a tree, see tsearch()
 * @ages:	all, the oldest first
 * @nr:		how many
 * @bytes:	that they take
 */
struct pair_table {
	void *keys;
	struct pair_ages ages;
	unsigned long nr;
	size_t bytes;
};

void pair_table_init(struct pair_table *table);
struct pair_open *pair_table_find(const struct pair_table *table, const struct pair_bytes *key);
struct pair_open *pair_table_add(struct pair_table *table, const struct pair_bytes *key,
				 const char *line, size_t line_len);
void pair_table_remove(struct pair_table *table, struct pair_open *open);
void pair_table_clear(struct pair_table *table);

/* ---- match.c ----------------------------------------------------------------- */

/**
 * enum pair_again - what a begin means whose key has one already
 * @PAIR_AGAIN_LAST:	the last one counts: the end of the other was not seen
 * @PAIR_AGAIN_FIRST:	the first one counts
 * @PAIR_AGAIN_NEST:	both do, the last one ends first
 */
enum pair_again {
	PAIR_AGAIN_LAST,
	PAIR_AGAIN_FIRST,
	PAIR_AGAIN_NEST,
};

/**
 * struct pair_options - what the user wants
 * @begin:	pattern of events that begin a pair
 * @end:	of those that end one
 * @key:	what both have in common
 * @by:		fields of the begin, whose values have times of their own
 * @again:	see there
 * @over:	ns; pairs that take longer are shown, if @show
 * @show:	pairs are shown
 * @every:	ns, after which there is a summary; 0: at the end only
 * @count:	so many pairs are wanted, those that are shown if any are; 0: all
 * @open_max:	most pairs that can be open
 */
struct pair_options {
	const char *begin;
	const char *end;
	struct pair_names key;
	struct pair_names by;
	enum pair_again again;
	uint64_t over;
	bool show;
	uint64_t every;
	uint64_t count;
	unsigned long open_max;
};

/**
 * struct pair_kind - a kind of event
 * @class:	the kind
 * @channel:	its channel, one of pair.channels
 * @begins:	it begins pairs
 * @ends:	it ends pairs
 * @begin:	numbers of its fields for pair_options.key, if it begins pairs
 * @end:	the same, if it ends pairs
 * @by:		for pair_options.by, if it begins pairs
 */
struct pair_kind {
	const struct libltt_class *class;
	struct pair_channel *channel;
	bool begins;
	bool ends;
	int *begin;
	int *end;
	int *by;
};

/**
 * struct pair_event - an event
 * @kind:	its kind
 * @time:	ns
 * @cpu:	the CPU
 * @field:	takes a field out of it, as libltt_field()
 * @line:	returns its line and sets its length, newline included; NULL: there is no memory
 * @data:	for both
 */
struct pair_event {
	const struct pair_kind *kind;
	uint64_t time;
	uint32_t cpu;
	int (*field)(const struct pair_event *event, unsigned int nr, struct libltt_value *value);
	const char *(*line)(const struct pair_event *event, size_t *len);
	void *data;
};

/**
 * struct pair_counts - what became of events
 * @begins:	that could begin a pair
 * @ends:	that could end one
 * @pairs:	that were found
 * @again:	begins that did not count, see enum pair_again
 * @unmatched:	ends without a begin
 * @lost:	begins that were dropped since events were lost
 * @evicted:	begins that were dropped since there were too many
 * @doubtful:	of @pairs, those that may be wrong since events were lost
 */
struct pair_counts {
	uint64_t begins;
	uint64_t ends;
	uint64_t pairs;
	uint64_t again;
	uint64_t unmatched;
	uint64_t lost;
	uint64_t evicted;
	uint64_t doubtful;
};

/**
 * struct pair_group - pairs with the same values of pair_options.by
 * @now:	their times since the last summary
 * @all:	before that
 * @len:	bytes of @data
 * @data:	the values
 */
struct pair_group {
	struct pair_latency now;
	struct pair_latency all;
	size_t len;
	uint8_t data[];
};

/**
 * struct pair_channel - a channel that has events which begin or end pairs
 * @name:	of the channel
 * @ended:	how many pairs there were when the last of its events was seen, by CPU; 0: not known
 * @nr_cpus:	entries of @ended
 */
struct pair_channel {
	char *name;
	uint64_t *ended;
	uint32_t nr_cpus;
};

/**
 * struct pair - pairs that are looked for
 * @options:	which, and what becomes of them
 * @table:	those that have begun
 * @counts:	of events
 * @groups:	a tree, see tsearch()
 * @nr_groups:	how many
 * @group_bytes: that they take
 * @others:	the one for what would be too many; NULL before that
 * @strings:	of each field of the key, whether it is a string
 * @typed:	for how many that is known: all, or none
 * @key:	of the event
 * @values:	of the event
 * @shown:	pairs that were shown
 * @own_cpu:	begin and end are on the same CPU, since that is in the key
 * @channels:	those of the events, by name: a tree, see tsearch()
 * @nr_channels: how many
 * @shared:	stands for all of them
 * @nr_ended:	entries of pair_channel.ended, of all
 * @doubt_from:	pairs before the latest doubtful ones
 * @doubt_to:	pairs up to the end of these
 */
struct pair {
	const struct pair_options *options;
	struct pair_table table;
	struct pair_counts counts;
	void *groups;
	unsigned int nr_groups;
	size_t group_bytes;
	struct pair_group *others;
	bool *strings;
	unsigned int typed;
	struct pair_bytes key;
	struct pair_bytes values;
	uint64_t shown;
	bool own_cpu;
	void *channels;
	unsigned int nr_channels;
	struct pair_channel shared;
	size_t nr_ended;
	uint64_t doubt_from;
	uint64_t doubt_to;
};

void pair_init(struct pair *pair, const struct pair_options *options);
void pair_free(struct pair *pair);
bool pair_wants(const struct pair *pair, const char *channel, const char *marker);
int pair_kind_init(struct pair *pair, struct pair_kind *kind, const struct libltt_class *class);
void pair_kind_free(struct pair_kind *kind);
int pair_event(struct pair *pair, const struct pair_event *event);
void pair_lost(struct pair *pair, uint32_t cpu, const char *channel);
void pair_late(struct pair *pair);
void pair_interval(struct pair *pair, uint64_t until);
void pair_summary(struct pair *pair);

/* ---- recorded.c, text.c ------------------------------------------------------ */

struct directory_options;
struct live;
struct pair_text;

int pair_recorded(struct pair *pair, struct directory_options *in);
struct pair_text *pair_text_create(struct pair *pair);
void pair_text_free(struct pair_text *text);
int pair_text_prepare(struct live *live);
int pair_text_read(int fd, struct live *live);
int pair_text_wait(struct live *live);

#endif /* _LTT_PAIR_H */
