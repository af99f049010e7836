// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: how late are those who have to be in time?
 *
 *	wakeups FILE
 *
 * On each CPU a thread of the highest priority sleeps for a millisecond, over and over.
 * Says "ready" when all of them have begun. Until FILE exists; then prints the longest delay
 * of all in microseconds, and how often they slept.
 */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS	1000000L
#define SECOND_NS	1000000000L

static atomic_bool ended;
static atomic_long worst_ns;
static atomic_long sleeps;

static long ns_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * SECOND_NS + now.tv_nsec - then->tv_nsec;
}

static void note(long late)
{
	long worst = worst_ns;

	while (late > worst && !atomic_compare_exchange_weak(&worst_ns, &worst, late))
		;
	sleeps++;
}

static void *sleeper(void *arg)
{
	struct timespec next;

	while (!ended) {
		clock_gettime(CLOCK_MONOTONIC, &next);
		next.tv_nsec += PERIOD_NS;
		if (next.tv_nsec >= SECOND_NS) {
			next.tv_nsec -= SECOND_NS;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		note(ns_since(&next));
	}
	return arg;
}

static void start(long cpu, pthread_t *thread)
{
	const struct sched_param param = { .sched_priority = 99 };
	pthread_attr_t attr;
	cpu_set_t cpus;
	int err;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	err = pthread_create(thread, &attr, sleeper, NULL);
	if (err) {
		fprintf(stderr, "wakeups: CPU %ld: %s\n", cpu, strerror(err));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), i;
	pthread_t *threads = calloc(cpus, sizeof(*threads));

	if (argc != 2 || !threads) {
		fprintf(stderr, "usage: wakeups FILE\n");
		return 2;
	}
	for (i = 0; i < cpus; i++)
		start(i, &threads[i]);
	while (sleeps < cpus)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	while (access(argv[1], F_OK))
		usleep(20000);
	ended = 1;
	for (i = 0; i < cpus; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", worst_ns / 1000, (long)sleeps);
	return 0;
}
