// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: many threads that do nothing.
 *
 *	crowd NUMBER [alone]
 *
 * Makes NUMBER threads, says "ready" and ends when it is killed. With "alone" its first
 * thread ends and leaves the others behind.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK	(32 * 1024)

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[1]) : 0, i;
	pthread_attr_t attr;
	pthread_t thread;
	char *stacks;
	int err;

	if (number < 1) {
		fprintf(stderr, "usage: crowd NUMBER [alone]\n");
		return 2;
	}
	/* One mapping for all: there may not be many. */
	stacks = mmap(NULL, number * STACK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED) {
		perror("crowd: mmap");
		return 1;
	}
	pthread_attr_init(&attr);
	for (i = 0; i < number; i++) {
		pthread_attr_setstack(&attr, stacks + i * STACK, STACK);
		err = pthread_create(&thread, &attr, idle, NULL);
		if (err) {
			fprintf(stderr, "crowd: thread %ld: %s\n", i, strerror(err));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	if (argc > 2)
		pthread_exit(NULL);
	idle(NULL);
	return 0;
}
