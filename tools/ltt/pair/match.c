// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: events find each other.
 *
 * An event that ends a pair and begins another one, such as each sched_switch between two that
 * are about the same task, does so in this order.
 *
 * Where events were lost, the end of a pair may be missing, and also the begin of the next
 * one with the same key: its end would make a pair with the first begin. So pairs that are open
 * at such a place are dropped: those of the CPU that has lost events if the CPU is in the key,
 * else all. The loss is reported at the first event after it. Pairs that other CPUs have ended
 * since the one before it may be wrong; they are counted. So may those that the same CPU has
 * ended, with events of a channel whose buffers are others.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/printable.h"
#include "pair.h"

/* Far more CPUs than there are. */
#define CPUS_MAX	65536u

/* Of all channels: far more than machines have, but a trace can invent as many as it likes. */
#define ENDED_MAX	1000000u

/* ---- kinds of events --------------------------------------------------------- */

/**
 * pair_init() - begin to look for pairs
 * @pair:	the pairs
 * @options:	which; must stay
 */
void pair_init(struct pair *pair, const struct pair_options *options)
{
	memset(pair, 0, sizeof(*pair));
	pair->options = options;
	pair->own_cpu = pair_names_cpu(&options->key);
	pair_table_init(&pair->table);
}

static void free_channel(void *node)
{
	struct pair_channel *channel = node;

	free(channel->name);
	free(channel->ended);
	free(channel);
}

/**
 * pair_free() - forget all
 * @pair:	the pairs
 */
void pair_free(struct pair *pair)
{
	pair_table_clear(&pair->table);
	tdestroy(pair->groups, free);
	free(pair->others);
	free(pair->strings);
	free(pair->key.data);
	free(pair->values.data);
	tdestroy(pair->channels, free_channel);
	free(pair->shared.ended);
}

/**
 * pair_wants() - can events with this name be part of a pair?
 * @pair:	the pairs
 * @channel:	name of the channel
 * @marker:	name of the marker; NULL: any of the channel
 */
bool pair_wants(const struct pair *pair, const char *channel, const char *marker)
{
	return libltt_matches(pair->options->begin, channel, marker) ||
	       libltt_matches(pair->options->end, channel, marker);
}

static int compare_channels(const void *a, const void *b)
{
	const struct pair_channel *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct pair_channel *find_channel(const struct pair *pair, const char *name)
{
	const struct pair_channel key = { .name = (char *)name };
	struct pair_channel **found = tfind(&key, &pair->channels, compare_channels);

	return found ? *found : NULL;
}

/* Return: NULL: no memory. */
static struct pair_channel *add_channel(struct pair *pair, const char *name)
{
	struct pair_channel *channel = find_channel(pair, name);

	if (channel)
		return channel;
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return NULL;
	channel->name = strdup(name);
	if (!channel->name || !tsearch(channel, &pair->channels, compare_channels)) {
		free_channel(channel);
		return NULL;
	}
	pair->nr_channels++;
	return channel;
}

/* Does a field have the name that stands for the CPU elsewhere? */
static bool hides_cpu(const struct pair_names *names, const int *fields, char *const *which)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		if (!strcmp(which[i], "cpu") && fields[i] != PAIR_CPU)
			return true;
	}
	return false;
}

/* Is the value a string? */
static bool is_string(const struct libltt_class *class, int field)
{
	struct libltt_value value;

	return field != PAIR_CPU && !libltt_class_field(class, field, &value) &&
	       (value.type == LIBLTT_STRING || value.type == LIBLTT_BYTES);
}

/* The values of keys can be equal. Return: 0 or a negative errno, which has been explained. */
static int check_types(struct pair *pair, const struct libltt_class *class, const int *fields,
		       char *const *names)
{
	unsigned int nr = pair->options->key.nr, i;
	bool string;

	if (!pair->strings)
		pair->strings = calloc(nr ?: 1, sizeof(*pair->strings));
	if (!pair->strings) {
		warnx("out of memory");
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		string = is_string(class, fields[i]);
		if (pair->typed && string != pair->strings[i]) {
			printable_say(program_invocation_short_name,
				      "%s.%s: '%s' is a %s, but a %s in other events",
				      class->channel, class->marker, names[i],
				      string ? "string" : "number", string ? "number" : "string");
			return -EINVAL;
		}
		pair->strings[i] = string;
	}
	pair->typed = nr;
	return 0;
}

/**
 * pair_kind_init() - see what a kind of event is for
 * @pair:	the pairs
 * @kind:	receives it, to be freed by pair_kind_free(), also on failure
 * @class:	the kind of event; must stay
 *
 * Says what is wrong.
 *
 * Return: 0 or a negative errno.
 */
int pair_kind_init(struct pair *pair, struct pair_kind *kind, const struct libltt_class *class)
{
	const struct pair_options *o = pair->options;
	int err = 0;

	memset(kind, 0, sizeof(*kind));
	kind->channel = add_channel(pair, class->channel);
	if (!kind->channel) {
		warnx("out of memory");
		return -ENOMEM;
	}
	kind->class = class;
	kind->begins = libltt_matches(o->begin, class->channel, class->marker);
	kind->ends = libltt_matches(o->end, class->channel, class->marker);
	if (kind->begins)
		err = pair_names_find(o->key.begin, o->key.nr, class, &kind->begin) ?:
		      check_types(pair, class, kind->begin, o->key.begin) ?:
		      pair_names_find(o->by.begin, o->by.nr, class, &kind->by);
	if (!err && kind->ends)
		err = pair_names_find(o->key.end, o->key.nr, class, &kind->end) ?:
		      check_types(pair, class, kind->end, o->key.end);
	if (!err && ((kind->begins && hides_cpu(&o->key, kind->begin, o->key.begin)) ||
		     (kind->ends && hides_cpu(&o->key, kind->end, o->key.end))))
		pair->own_cpu = false;
	return err;
}

/**
 * pair_kind_free() - forget a kind of event
 * @kind:	the kind
 */
void pair_kind_free(struct pair_kind *kind)
{
	free(kind->begin);
	free(kind->end);
	free(kind->by);
}

/* ---- groups ------------------------------------------------------------------ */

static int compare_values(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	size_t len = a_len < b_len ? a_len : b_len;
	int order = len ? memcmp(a, b, len) : 0;

	return order ?: (a_len > b_len) - (a_len < b_len);
}

static int compare_groups(const void *a, const void *b)
{
	const struct pair_group *x = a, *y = b;

	return compare_values(x->data, x->len, y->data, y->len);
}

/* tfind() has its key first. */
static int compare_wanted(const void *a, const void *b)
{
	const struct pair_bytes *wanted = a;
	const struct pair_group *group = b;

	return compare_values(wanted->data, wanted->len, group->data, group->len);
}

static struct pair_group *add_group(struct pair *pair)
{
	const struct pair_bytes *values = &pair->values;
	size_t size = sizeof(struct pair_group) + values->len;
	struct pair_group *group = calloc(1, size);

	if (!group)
		return NULL;
	group->len = values->len;
	if (values->len)
		memcpy(group->data, values->data, values->len);
	if (!tsearch(group, &pair->groups, compare_groups)) {
		free(group);
		return NULL;
	}
	pair->nr_groups++;
	pair->group_bytes += size;
	return group;
}

/* Of the values in @pair->values. Return: NULL: no memory. */
static struct pair_group *find_group(struct pair *pair)
{
	struct pair_group **found = tfind(&pair->values, &pair->groups, compare_wanted);

	if (found)
		return *found;
	if (pair->nr_groups < PAIR_GROUPS_MAX &&
	    pair->group_bytes + sizeof(**found) + pair->values.len <= PAIR_GROUP_BYTES_MAX)
		return add_group(pair);
	if (!pair->others)
		pair->others = calloc(1, sizeof(*pair->others));
	return pair->others;
}

/* ---- events ------------------------------------------------------------------ */

static void drop(struct pair *pair, struct pair_open *open, uint64_t *count)
{
	++*count;
	pair_table_remove(&pair->table, open);
}

static int begin(struct pair *pair, const struct pair_event *event)
{
	const struct pair_options *o = pair->options;
	struct pair_open *open;
	const char *line = "";
	size_t len = 0;
	int err;

	err = pair_encode(&pair->key, event, event->kind->begin, o->key.nr) ?:
	      pair_encode(&pair->values, event, event->kind->by, o->by.nr);
	if (err)
		return err;
	pair->counts.begins++;
	open = o->again == PAIR_AGAIN_NEST ? NULL : pair_table_find(&pair->table, &pair->key);
	if (open && o->again == PAIR_AGAIN_FIRST) {
		pair->counts.again++;
		return 0;
	}
	if (open)
		drop(pair, open, &pair->counts.again);
	if (o->show)
		line = event->line(event, &len);
	open = line ? pair_table_add(&pair->table, &pair->key, line, len) : NULL;
	if (!open)
		return -ENOMEM;
	open->time = event->time;
	open->cpu = event->cpu;
	open->group = find_group(pair);
	if (!open->group)
		return -ENOMEM;
	while (pair->table.nr > o->open_max ||
	       (pair->table.nr > 1 && pair->table.bytes > PAIR_BYTES_MAX))
		drop(pair, TAILQ_FIRST(&pair->table.ages), &pair->counts.evicted);
	return 0;
}

static int show(struct pair *pair, const struct pair_open *open, const struct pair_event *event)
{
	size_t len;
	const char *line = event->line(event, &len);

	if (!line)
		return -ENOMEM;
	pair->shown++;
	printf("# pair %" PRIu64 " ns", event->time - open->time);
	pair_show_values(&pair->options->key, open->data, open->key_len);
	putchar('\n');
	fwrite(open->data + open->key_len, 1, open->line_len, stdout);
	fwrite(line, 1, len, stdout);
	return 0;
}

static int end(struct pair *pair, const struct pair_event *event)
{
	const struct pair_options *o = pair->options;
	struct pair_open *open;
	int err;

	err = pair_encode(&pair->key, event, event->kind->end, o->key.nr);
	if (err)
		return err;
	pair->counts.ends++;
	open = pair_table_find(&pair->table, &pair->key);
	/* Times decrease after a notice only. */
	if (open && open->time > event->time) {
		drop(pair, open, &pair->counts.lost);
		open = NULL;
	}
	if (!open) {
		pair->counts.unmatched++;
		return 0;
	}
	pair_latency_add(&open->group->now, event->time - open->time);
	if (o->show && event->time - open->time > o->over)
		err = show(pair, open, event);
	drop(pair, open, &pair->counts.pairs);
	return err;
}

/* Pairs that end from here on are after an event of this CPU. Return: 0 or -ENOMEM. */
static int note_in(struct pair *pair, struct pair_channel *channel, uint32_t cpu)
{
	uint32_t more = cpu < channel->nr_cpus ? 0 : cpu + 1 - channel->nr_cpus;
	uint64_t *ended;

	/* Where nothing is known, all pairs are doubtful after a loss. */
	if (more > ENDED_MAX - pair->nr_ended)
		return 0;
	if (more) {
		ended = reallocarray(channel->ended, cpu + 1, sizeof(*ended));
		if (!ended)
			return -ENOMEM;
		memset(ended + channel->nr_cpus, 0, more * sizeof(*ended));
		channel->ended = ended;
		channel->nr_cpus = cpu + 1;
		pair->nr_ended += more;
	}
	channel->ended[cpu] = pair->counts.pairs;
	return 0;
}

static int note(struct pair *pair, const struct pair_event *event)
{
	if (event->cpu >= CPUS_MAX)
		return 0;
	return note_in(pair, &pair->shared, event->cpu) ?:
	       note_in(pair, event->kind->channel, event->cpu);
}

/**
 * pair_event() - take the next event
 * @pair:	the pairs
 * @event:	the event, of a kind that pair_wants()
 *
 * Says what is wrong.
 *
 * Return: 1; 0: there are as many pairs as the user wants; -1: something is wrong.
 */
int pair_event(struct pair *pair, const struct pair_event *event)
{
	const struct pair_options *o = pair->options;
	const struct libltt_class *class = event->kind->class;
	int err = 0;

	if (event->kind->ends)
		err = end(pair, event);
	/* That was the last one. */
	if (!err && o->count && (o->show ? pair->shown : pair->counts.pairs) == o->count)
		return 0;
	if (!err && event->kind->begins)
		err = begin(pair, event);
	if (!err)
		err = note(pair, event);
	if (!err)
		return 1;
	if (err == -ENOMEM)
		warnx("out of memory");
	else
		printable_say(program_invocation_short_name,
			      "%s.%s: an event that cannot be understood", class->channel,
			      class->marker);
	return -1;
}

/* ---- losses ------------------------------------------------------------------ */

/* How many pairs there were when the last event before a loss was seen. */
static uint64_t ended_before(const struct pair *pair, uint32_t cpu, const char *channel)
{
	const struct pair_channel *of = strcmp(channel, "shared") ? find_channel(pair, channel) :
					&pair->shared;

	return of && cpu < of->nr_cpus ? of->ended[cpu] : 0;
}

/* Pairs after the first @from may be wrong. Count those that have not been counted. */
static void doubt(struct pair *pair, uint64_t from)
{
	uint64_t to = pair->counts.pairs;

	if (from >= pair->doubt_to) {
		pair->counts.doubtful += to - from;
		pair->doubt_from = from;
	} else {
		pair->counts.doubtful += to - pair->doubt_to;
		if (from < pair->doubt_from) {
			pair->counts.doubtful += pair->doubt_from - from;
			pair->doubt_from = from;
		}
	}
	pair->doubt_to = to;
	/* Twice if there are doubts before @doubt_from. */
	if (pair->counts.doubtful > to)
		pair->counts.doubtful = to;
}

/**
 * pair_lost() - events have been lost here
 * @pair:	the pairs
 * @cpu:	of this CPU
 * @channel:	and this channel, or "shared"
 */
void pair_lost(struct pair *pair, uint32_t cpu, const char *channel)
{
	struct pair_open *open, *next;

	if (strcmp(channel, "shared") && !pair_wants(pair, channel, NULL))
		return;
	/*
	 * Buffers of the same CPU are in order, but what one of them has lost is reported with its
	 * own next event; the other may have ended pairs before that.
	 */
	if (!pair->own_cpu || (pair->nr_channels > 1 && strcmp(channel, "shared")))
		doubt(pair, ended_before(pair, cpu, channel));
	for (open = TAILQ_FIRST(&pair->table.ages); open; open = next) {
		next = TAILQ_NEXT(open, age);
		if (!pair->own_cpu || open->cpu == cpu)
			drop(pair, open, &pair->counts.lost);
	}
}

/**
 * pair_late() - the events that follow are not in order
 * @pair:	the pairs
 */
void pair_late(struct pair *pair)
{
	while (!TAILQ_EMPTY(&pair->table.ages))
		drop(pair, TAILQ_FIRST(&pair->table.ages), &pair->counts.lost);
}

/* ---- summaries --------------------------------------------------------------- */

static void show_group(const struct pair *pair, const struct pair_group *group,
		       const struct pair_latency *latency)
{
	if (!latency->nr)
		return;
	pair_latency_numbers(latency);
	if (group == pair->others)
		printf(" others");
	else
		pair_show_values(&pair->options->by, group->data, group->len);
	putchar('\n');
	pair_latency_histogram(latency);
}

/* What is new is not, from now on. */
static void settle(struct pair_group *group)
{
	pair_latency_merge(&group->all, &group->now);
	memset(&group->now, 0, sizeof(group->now));
}

static void interval_group(struct pair *pair, struct pair_group *group)
{
	show_group(pair, group, &group->now);
	settle(group);
}

static void summary_group(struct pair *pair, struct pair_group *group)
{
	settle(group);
	show_group(pair, group, &group->all);
}

static void visit_interval(const void *node, VISIT which, void *pair)
{
	if (which == postorder || which == leaf)
		interval_group(pair, *(struct pair_group **)node);
}

static void visit_summary(const void *node, VISIT which, void *pair)
{
	if (which == postorder || which == leaf)
		summary_group(pair, *(struct pair_group **)node);
}

/**
 * pair_interval() - show the pairs since the last time
 * @pair:	the pairs
 * @until:	ns, the time
 */
void pair_interval(struct pair *pair, uint64_t until)
{
	printf("# until %" PRIu64 ".%09" PRIu64 "\n", until / NSEC, until % NSEC);
	twalk_r(pair->groups, visit_interval, pair);
	if (pair->others)
		interval_group(pair, pair->others);
}

/**
 * pair_summary() - show all pairs, and what became of the other events
 * @pair:	the pairs
 */
void pair_summary(struct pair *pair)
{
	const struct pair_counts *c = &pair->counts;

	if (pair->options->every)
		puts("# all");
	twalk_r(pair->groups, visit_summary, pair);
	if (pair->others)
		summary_group(pair, pair->others);
	printf("# begins %" PRIu64 " ends %" PRIu64 " pairs %" PRIu64 " again %" PRIu64
	       " unmatched %" PRIu64 " open %lu lost %" PRIu64 " evicted %" PRIu64
	       " doubtful %" PRIu64 "\n",
	       c->begins, c->ends, c->pairs, c->again, c->unmatched, pair->table.nr, c->lost,
	       c->evicted, c->doubtful);
}
