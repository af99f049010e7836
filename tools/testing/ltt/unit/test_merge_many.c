// SPDX-License-Identifier: GPL-2.0
/*
 * The merge over as many streams as a thousand CPUs with a hundred channels have: its order
 * against that of a sort, and its comparisons, which the compiler counts: the source of the
 * merge is part of this file, built with -finstrument-functions.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../../../kernel/trace/textout/lib/merge.c"
#include "ktap.h"

#define STREAMS		102400u
#define CHANNELS	100u
#define LEVELS		17u		/* of a tree with as many leaves */
#define EVENTS		400000u

#define uncounted	__attribute__((__no_instrument_function__))

/* A match is played by one ltt_merge_before(), or by two wide() that are compared. */
static unsigned long befores, wides;

void __cyg_profile_func_enter(void *function, void *site) uncounted;
void __cyg_profile_func_exit(void *function, void *site) uncounted;

void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	befores += function == (void *)ltt_merge_before;
	wides += function == (void *)wide;
}

void __cyg_profile_func_exit(void *function, void *site)
{
	(void)function;
	(void)site;
}

static unsigned long matches(void)
{
	return befores + wides / 2;
}

struct event {
	u64 ts;
	u32 stream;
	u32 nr;			/* of all events: those of a stream are in order */
};

static u32 cpu_of(u32 stream)
{
	return stream / CHANNELS;
}

/* The order that is promised: time, CPU, stream, and as recorded. */
static int by_order(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->stream != y->stream)	/* streams are numbered by CPU */
		return x->stream < y->stream ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static int by_stream(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/**
 * struct cost - comparisons
 * @all:	of all steps
 * @most:	of one step
 * @build:	of ltt_merge_build()
 */
struct cost {
	unsigned long all;
	unsigned long most;
	unsigned long build;
};

/* A step of the merge: the top stream's event is done. Return: false if it is another one. */
static bool step(struct ltt_merge *m, const struct event *events, unsigned int *next,
		 const unsigned int *end, const struct event *want)
{
	int top = ltt_merge_top(m);
	const struct event *e;

	if (!EXPECT(top >= 0 && next[top] < end[top], "no event"))
		return false;
	e = &events[next[top]++];
	if (!EXPECT(!by_order(e, want) && m->top.ts == e->ts, "event %u comes before %u",
		    e->nr, want->nr))
		return false;
	if (next[top] < end[top])
		ltt_merge_update(m, e[1].ts);
	else
		ltt_merge_exhaust(m);
	return true;
}

/* Merge events of @busy of @nr streams, of which the others have none. */
static void merge(unsigned int nr, unsigned int busy, unsigned int burst, struct cost *cost)
{
	struct event *events = calloc(EVENTS + 1, sizeof(*events));
	struct event *sorted = calloc(EVENTS, sizeof(*sorted));
	unsigned int *next = calloc(nr, sizeof(*next));
	unsigned int *end = calloc(nr, sizeof(*end));
	unsigned long long state = nr + busy + burst;
	unsigned long before;
	u32 stream = 0, i;
	struct ltt_merge m;
	u64 now = 1;

	memset(cost, 0, sizeof(*cost));
	for (i = 0; i < EVENTS; i++) {
		if (!(i % burst))
			stream = (u64)(ktap_random(&state) % busy) * nr / busy;
		now += ktap_random(&state) % 3;		/* ties, too */
		events[i] = (struct event){ now, stream, i };
	}
	memcpy(sorted, events, EVENTS * sizeof(*events));
	qsort(sorted, EVENTS, sizeof(*sorted), by_order);
	qsort(events, EVENTS, sizeof(*events), by_stream);
	for (i = EVENTS; i--;) {
		next[events[i].stream] = i;
		end[events[i].stream] = max(end[events[i].stream], i + 1);
	}

	EXPECT(!ltt_merge_init(&m, nr), "init");
	for (i = 0; i < nr; i++) {
		if (end[i])
			ltt_merge_set(&m, i, cpu_of(i), events[next[i]].ts);
	}
	before = matches();
	ltt_merge_build(&m);
	cost->build = matches() - before;
	for (i = 0; i < EVENTS; i++) {
		before = matches();
		if (!step(&m, events, next, end, &sorted[i]))
			break;
		before = matches() - before;
		cost->all += before;
		cost->most = max(cost->most, before);
	}
	EXPECT(i < EVENTS || ltt_merge_top(&m) == -1, "more events than there were");
	printf("# %u of %u streams, bursts of %u: %lu.%02lu comparisons an event, at most %lu\n",
	       busy, nr, burst, cost->all / EVENTS, cost->all * 100 / EVENTS % 100, cost->most);
	ltt_merge_destroy(&m);
	free(events);
	free(sorted);
	free(next);
	free(end);
}

/*
 * A match for each level of the tree; who wins twice finds the second one, with another for each
 * level, and is then compared with that one only.
 */
static void all_busy(void)
{
	struct cost cost;

	merge(STREAMS, STREAMS, 1, &cost);
	EXPECT(cost.build < STREAMS, "%lu matches to build", cost.build);
	EXPECT(cost.most <= 2 * LEVELS + 1, "%lu matches for an event", cost.most);
	EXPECT(cost.all >= EVENTS * 10ul && cost.all <= EVENTS * (LEVELS + 1ul),
	       "%lu matches", cost.all);
}

static void bursts(void)
{
	struct cost cost;

	merge(STREAMS, STREAMS, 100, &cost);
	EXPECT(cost.most <= 2 * LEVELS + 1, "%lu matches for an event", cost.most);
	EXPECT(cost.all <= EVENTS * 2ul, "%lu matches", cost.all);
}

/* Those at rest are not in the tree: what is left is that of those that are active. */
static void few_busy(void)
{
	struct cost among_all, alone;

	merge(STREAMS, 8, 1, &among_all);
	EXPECT(among_all.most <= 2 * LEVELS + 1, "%lu matches for an event", among_all.most);
	merge(8, 8, 1, &alone);
	EXPECT(alone.most <= 2 * 3 + 1, "%lu matches for an event", alone.most);
	EXPECT(alone.all <= EVENTS * (3 + 2ul), "%lu matches", alone.all);
}

static const struct ktap_case cases[] = {
	{ "merge.102,400 streams", all_busy },
	{ "merge.102,400 streams, bursts", bursts },
	{ "merge.eight of them", few_busy },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
