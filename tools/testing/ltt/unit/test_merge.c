// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the merge, against sorting everything.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/kernel.h>

#include "../../../../kernel/trace/textout/lib/merge.h"
#include "ktap.h"

struct event {
	u64 ts;
	u32 cpu;
	u32 stream;
	u32 nr;		/* in its stream */
};

/* The order that is promised. */
static int by_order(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->stream != y->stream)
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

static u32 cpu_of(u32 stream, unsigned int seed)
{
	return (stream * 7 + seed) % 5;
}

/* Events of random streams; times close together so that there are many ties. */
static struct event *make_events(unsigned int nr, unsigned int streams, unsigned int seed,
				 unsigned int spread)
{
	struct event *events = calloc(nr + 1, sizeof(*events));
	u64 *now = calloc(streams, sizeof(*now));
	u32 *count = calloc(streams, sizeof(*count));
	unsigned long long state = seed + 1;
	unsigned int i, burst = 0;
	u32 s = 0;

	for (i = 0; i < nr; i++) {
		if (!burst) {
			s = ktap_random(&state) % streams;
			burst = seed % 2 ? 1 : ktap_random(&state) % 9 + 1;
		}
		burst--;
		now[s] += ktap_random(&state) % spread;
		events[i] = (struct event){ now[s], cpu_of(s, seed), s, count[s]++ };
	}
	free(now);
	free(count);
	return events;
}

/*
 * Merge in @rounds: each round sees events before a growing limit only, as with a
 * watermark, so that streams run dry and come back.
 */
static void check_merge(unsigned int nr, unsigned int streams, unsigned int seed,
			unsigned int spread, unsigned int rounds)
{
	struct event *events = make_events(nr, streams, seed, spread);
	struct event *sorted = malloc((nr + 1) * sizeof(*sorted));
	unsigned int *next = calloc(streams + 1, sizeof(*next));
	unsigned int *end = calloc(streams + 1, sizeof(*end));
	unsigned int i, s, round, done = 0;
	struct ltt_merge m;
	u64 limit;
	int top;

	memcpy(sorted, events, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_order);
	qsort(events, nr, sizeof(*events), by_stream);
	for (i = 0; i < nr; i++)
		end[events[i].stream] = i + 1;
	for (s = 0, i = 0; s < streams; s++) {
		next[s] = i;
		end[s] = max(end[s], i);
		i = end[s];
	}

	if (!EXPECT(!ltt_merge_init(&m, streams), "init"))
		return;
	EXPECT(ltt_merge_top(&m) == -1, "top of nothing");
	for (round = 1; round <= rounds; round++) {
		limit = round < rounds && nr ?
			sorted[(u64)nr * round / rounds].ts : ~0ull;
		for (s = 0; s < streams; s++) {
			if (next[s] < end[s] && events[next[s]].ts < limit)
				ltt_merge_set(&m, s, cpu_of(s, seed), events[next[s]].ts);
			else if (round == 1)
				ltt_merge_clear(&m, s);
		}
		ltt_merge_build(&m);
		while ((top = ltt_merge_top(&m)) >= 0) {
			struct event *e = &events[next[top]++];

			if (!EXPECT(done < nr && !by_order(e, &sorted[done]),
				    "%u streams, seed %u: event %u", streams, seed, done))
				goto out;
			EXPECT(m.top.ts == e->ts, "time");
			done++;
			if (next[top] < end[top] && events[next[top]].ts < limit)
				ltt_merge_update(&m, events[next[top]].ts);
			else
				ltt_merge_exhaust(&m);
		}
	}
	EXPECT(done == nr, "%u of %u events", done, nr);
out:
	ltt_merge_destroy(&m);
	free(events);
	free(sorted);
	free(next);
	free(end);
}

static void test_small(void)
{
	unsigned int streams, seed;

	for (streams = 1; streams <= 40; streams++)
		for (seed = 0; seed < 20; seed++)
			check_merge(seed * 13 % 300, streams, seed, 1 + seed % 4 * 5, 1);
}

static void test_rounds(void)
{
	unsigned int streams, seed;

	for (streams = 1; streams <= 20; streams++)
		for (seed = 0; seed < 20; seed++)
			check_merge(500, streams, seed, 1 + seed % 5 * 3, 1 + seed % 7);
}

static void test_large(void)
{
	check_merge(300000, 1, 1, 100, 3);
	check_merge(300000, 256, 2, 1000, 3);
	check_merge(300000, 4095, 3, 10, 10);
	check_merge(300000, 4096, 4, 100000, 10);
	check_merge(300000, 4097, 5, 2, 1);
}

/* The last nanosecond is an event like any other. */
static void test_extremes(void)
{
	struct ltt_merge m;

	EXPECT(ltt_merge_init(&m, 0) == -EINVAL, "no streams");
	EXPECT(!ltt_merge_init(&m, 3), "init");
	ltt_merge_set(&m, 0, ~0u, ~0ull);
	ltt_merge_set(&m, 1, 1, ~0ull);
	ltt_merge_set(&m, 2, 2, 0);
	ltt_merge_build(&m);
	EXPECT(ltt_merge_top(&m) == 2, "0");
	ltt_merge_update(&m, ~0ull);
	EXPECT(ltt_merge_top(&m) == 1, "lower CPU");
	ltt_merge_update(&m, ~0ull);
	EXPECT(ltt_merge_top(&m) == 1, "same time again");
	ltt_merge_update(&m, ~0ull);
	EXPECT(ltt_merge_top(&m) == 1, "and again");
	ltt_merge_exhaust(&m);
	EXPECT(ltt_merge_top(&m) == 2, "next CPU");
	ltt_merge_exhaust(&m);
	EXPECT(ltt_merge_top(&m) == 0, "last CPU");
	ltt_merge_exhaust(&m);
	EXPECT(ltt_merge_top(&m) == -1, "end");
	ltt_merge_build(&m);
	EXPECT(ltt_merge_top(&m) == -1, "nothing came back");
	ltt_merge_destroy(&m);
}

static const struct ktap_case cases[] = {
	{ "merge.small", test_small },
	{ "merge.rounds", test_rounds },
	{ "merge.large", test_large },
	{ "merge.extremes", test_extremes },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
