// SPDX-License-Identifier: GPL-2.0
/*
 * The litmus tests as threads.
 *
 * Built with ThreadSanitizer: no test as it is has a data race, and each has one when a
 * barrier is missing. The threads run one after the other, in all orders, and pass the
 * turn by relaxed accesses, which order nothing for the sanitizer: what it finds does
 * not depend on luck. Tests without plain accesses are left to the model (lkmm.py).
 *
 * Built without it: all at the same time, many times; what is forbidden must not be seen.
 * x86 reorders no stores, and no loads; all that can be seen there without its barrier
 * is clock-visible, a store before a load. How often that was so is told.
 */
#include <argp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_litmus.h"

#ifdef __SANITIZE_THREAD__
#define SANITIZED	1
#define ROUNDS		12		/* all orders of three, twice */

static unsigned long reports;

const char *__tsan_default_options(void)
{
	return "suppress_equal_addresses=0:suppress_equal_stacks=0:exitcode=0:symbolize=0";
}

void __tsan_on_report(void *report)
{
	(void)report;
	__atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED);
}
#else
#define SANITIZED	0
#define ROUNDS		100

static const unsigned long reports;
#endif

long litmus_saved[MAX_THREADS][MAX_REGISTERS];
pthread_rwlock_t litmus_rcu = PTHREAD_RWLOCK_INITIALIZER;

static const struct variant *variant;
/*
 * Two barriers: what a thread did before it enters one is, for the sanitizer, ordered before
 * all that is done by those who leave it later. With only one, a thread that is late to
 * leave it would know what the first has done since then, and no race would be left.
 */
static pthread_barrier_t start, finish;
static int turn, place[MAX_THREADS];
static unsigned int rounds = ROUNDS;

/* Orders of three threads; of two, with the third left out. */
static const int orders[][MAX_THREADS] = {
	{ 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
};

static void *thread(void *arg)
{
	const long me = (long)arg;

	for (;;) {
		pthread_barrier_wait(&start);
		if (!variant)
			return NULL;
		if (me < variant->nr) {
			while (SANITIZED && READ_ONCE(turn) < place[me])
				sched_yield();
			variant->thread[me]();
		}
		if (SANITIZED)
			__atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED);
		pthread_barrier_wait(&finish);
	}
}

/* Threads that are left out take their turn at once. */
static void choose_order(unsigned int round)
{
	const int *order = orders[round % 6];
	int i, nr = 0, out = MAX_THREADS - variant->nr;

	WRITE_ONCE(turn, 0);
	for (i = 0; i < MAX_THREADS; i++) {
		if (order[i] < variant->nr)
			place[order[i]] = out + nr++;
	}
}

/* Return: how often what is forbidden was seen. */
static unsigned long run(void)
{
	unsigned long seen = 0;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		choose_order(i);
		memset(litmus_saved, 0, sizeof(litmus_saved));
		variant->init();
		pthread_barrier_wait(&start);
		pthread_barrier_wait(&finish);
		seen += variant->exists();
	}
	return seen;
}

static int wanted(const struct variant *v)
{
	return SANITIZED ? v->plain : 1;
}

static int good(const struct variant *v, unsigned long seen, unsigned long races)
{
	if (!v->weak)
		return !seen && !races;
	return !SANITIZED || races;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char *end;

	switch (key) {
	case 'r':
		rounds = strtoul(arg, &end, 10);
		if (*end || !rounds)
			argp_error(state, "invalid number of rounds: %s", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "rounds", 'r', "N", 0, "Run each test N times", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Run the litmus tests as threads.",
	};
	unsigned long seen, before;
	int number = 0, bad = 0, ok;
	pthread_t threads[MAX_THREADS];
	const struct variant *v;
	long i;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_barrier_init(&start, NULL, MAX_THREADS + 1);
	pthread_barrier_init(&finish, NULL, MAX_THREADS + 1);
	for (i = 0; i < MAX_THREADS; i++) {
		if (pthread_create(&threads[i], NULL, thread, (void *)i)) {
			fprintf(stderr, "cannot create a thread\n");
			return 1;
		}
	}
	printf("KTAP version 1\n");
	for (v = variants; v->name; v++) {
		if (!wanted(v))
			continue;
		variant = v;
		before = reports;
		seen = run();
		ok = good(v, seen, reports - before);
		printf("%s %d %s\n", ok ? "ok" : "not ok", ++number, v->name);
		if (seen || SANITIZED)
			printf("# seen %lu times, %lu data races\n", seen, reports - before);
		bad += !ok;
	}
	printf("1..%d\n", number);
	variant = NULL;
	pthread_barrier_wait(&start);
	for (i = 0; i < MAX_THREADS; i++)
		pthread_join(threads[i], NULL);
	return !!bad;
}
