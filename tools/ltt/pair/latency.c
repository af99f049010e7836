// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: times between events, counted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "pair.h"

#define BAR	40

/* The total of long times stays the largest number. */
static void add_total(struct pair_latency *latency, uint64_t time)
{
	if (__builtin_add_overflow(latency->total, time, &latency->total))
		latency->total = UINT64_MAX;
}

/**
 * pair_latency_add() - count a time
 * @latency:	the others
 * @time:	ns
 */
void pair_latency_add(struct pair_latency *latency, uint64_t time)
{
	if (!latency->nr || time < latency->min)
		latency->min = time;
	if (time > latency->max)
		latency->max = time;
	latency->nr++;
	add_total(latency, time);
	latency->count[time ? 64 - __builtin_clzll(time) : 0]++;
}

/**
 * pair_latency_merge() - count many times
 * @latency:	the others
 * @more:	these
 */
void pair_latency_merge(struct pair_latency *latency, const struct pair_latency *more)
{
	unsigned int i;

	if (!more->nr)
		return;
	if (!latency->nr || more->min < latency->min)
		latency->min = more->min;
	if (more->max > latency->max)
		latency->max = more->max;
	latency->nr += more->nr;
	add_total(latency, more->total);
	for (i = 0; i < sizeof(latency->count) / sizeof(*latency->count); i++)
		latency->count[i] += more->count[i];
}

/**
 * pair_latency_numbers() - show how many times there are, and of what size
 * @latency:	the times, one at least
 */
void pair_latency_numbers(const struct pair_latency *latency)
{
	printf("pairs %" PRIu64 " min %" PRIu64 " avg %" PRIu64 " max %" PRIu64 " total %" PRIu64 " ns",
	       latency->nr, latency->min, latency->total / latency->nr, latency->max,
	       latency->total);
}

static void show_row(unsigned int power, uint64_t count, uint64_t most)
{
	uint64_t from = power ? UINT64_C(1) << (power - 1) : 0;
	uint64_t to = power ? 2 * from - 1 : 0;
	/* Rounded up: what there is can be seen. Nobody waits for 2^58 pairs. */
	int bar = (BAR * count + most - 1) / most;

	printf("%12" PRIu64 " %12" PRIu64 " %10" PRIu64 " |%.*s%*s|\n", from, to, count, bar,
	       "########################################", BAR - bar, "");
}

/**
 * pair_latency_histogram() - show how often a time of each size is there
 * @latency:	the times, one at least
 *
 * A row for each power of two, from the shortest time to the longest.
 */
void pair_latency_histogram(const struct pair_latency *latency)
{
	unsigned int first = 0, last = 0, i;
	uint64_t most = 0;

	for (i = 0; i < sizeof(latency->count) / sizeof(*latency->count); i++) {
		if (!latency->count[i])
			continue;
		if (!most)
			first = i;
		last = i;
		if (latency->count[i] > most)
			most = latency->count[i];
	}
	for (i = first; i <= last; i++)
		show_row(i, latency->count[i], most);
}
