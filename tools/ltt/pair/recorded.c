// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: pairs in recorded traces.
 */
#include <err.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "../common/directory.h"
#include "pair.h"

#define LINE_SIZE	4096

/**
 * struct recorded - traces that are read
 * @pair:	what is looked for
 * @ltt:	the traces
 * @event:	the event
 * @line:	room for its line
 * @size:	bytes there
 * @kinds:	kinds of events, by class: a tree, see tsearch()
 * @begins:	some begin pairs
 * @ends:	some end pairs
 * @next:	ns, when the next summary is due
 */
struct recorded {
	struct pair *pair;
	struct libltt *ltt;
	struct libltt_event event;
	char *line;
	size_t size;
	void *kinds;
	bool begins;
	bool ends;
	uint64_t next;
};

static int compare(const void *a, const void *b)
{
	const struct pair_kind *x = a, *y = b;

	return x->class < y->class ? -1 : x->class > y->class;
}

static void free_kind(void *kind)
{
	pair_kind_free(kind);
	free(kind);
}

static int add_kind(struct recorded *r, const struct libltt_class *class)
{
	struct pair_kind *kind = malloc(sizeof(*kind));
	int err;

	if (!kind)
		return -ENOMEM;
	err = pair_kind_init(r->pair, kind, class);
	if (!err && !tsearch(kind, &r->kinds, compare))
		err = -ENOMEM;
	if (err) {
		free_kind(kind);
		return err;
	}
	r->begins |= kind->begins;
	r->ends |= kind->ends;
	return 0;
}

static int add_kinds(struct recorded *r)
{
	const struct pair_options *o = r->pair->options;
	const struct libltt_class *class = NULL;
	int err = 0;

	while (!err && (class = libltt_class(r->ltt, class))) {
		if (pair_wants(r->pair, class->channel, class->marker))
			err = add_kind(r, class);
	}
	if (!err && !(r->begins && r->ends)) {
		warnx("no event of the trace matches '%s'", r->begins ? o->end : o->begin);
		err = -ENOENT;
	}
	return err;
}

static int field(const struct pair_event *event, unsigned int nr, struct libltt_value *value)
{
	const struct recorded *r = event->data;

	return libltt_field(&r->event, nr, value);
}

static const char *line(const struct pair_event *event, size_t *len)
{
	struct recorded *r = event->data;
	long size = directory_line(r->ltt, &r->event, &r->line, &r->size);

	*len = size;
	return size < 0 ? NULL : r->line;
}

/* A time that is no time of an event is at the end of all times. */
static uint64_t after(uint64_t time, uint64_t every)
{
	return time < UINT64_MAX - every ? time + every : UINT64_MAX;
}

/* Summaries that are due before the event. */
static void pass_time(struct recorded *r)
{
	uint64_t every = r->pair->options->every;

	if (!every)
		return;
	if (!r->next)
		r->next = after(r->event.time, every);
	if (r->next > r->event.time)
		return;
	pair_interval(r->pair, r->next);
	/* Where nothing happens for long, one is enough. */
	r->next = after(r->next + (r->event.time - r->next) / every * every, every);
}

/*
 * A loss is told of streams only that have events which are wanted. If none of these is of the
 * stream's channel, it has several, as those of other tracers, which are named after providers.
 */
static void take_loss(struct recorded *r)
{
	const char *channel = r->event.channel;

	pair_lost(r->pair, r->event.cpu, pair_wants(r->pair, channel, NULL) ? channel : "shared");
}

/* Return: 1; 0: enough; -1: something is wrong, which has been said. */
static int take(struct recorded *r)
{
	const struct pair_kind key = { .class = r->event.kind };
	struct pair_event event = {
		.time = r->event.time, .cpu = r->event.cpu, .field = field, .line = line, .data = r,
	};
	struct pair_kind **found;

	if (r->event.lost || r->event.corrupt) {
		take_loss(r);
		return 1;
	}
	pass_time(r);
	found = tfind(&key, &r->kinds, compare);
	event.kind = *found;
	return pair_event(r->pair, &event);
}

/**
 * pair_recorded() - look for pairs in recorded traces
 * @pair:	the pairs
 * @in:		the traces
 *
 * Return: exit status.
 */
int pair_recorded(struct pair *pair, struct directory_options *in)
{
	struct recorded r = { .pair = pair, .size = LINE_SIZE };
	int ret = -1;

	r.ltt = directory_open(in);
	if (!r.ltt)
		return EXIT_FAILURE;
	r.line = malloc(r.size);
	if (!r.line)
		warnx("out of memory");
	else if (!add_kinds(&r))
		ret = 1;
	while (ret > 0 && libltt_next(r.ltt, &r.event) > 0)
		ret = take(&r);
	if (ret >= 0)
		pair_summary(pair);
	tdestroy(r.kinds, free_kind);
	free(r.line);
	return directory_close(r.ltt, in) && ret >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
