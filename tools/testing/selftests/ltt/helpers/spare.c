// SPDX-License-Identifier: GPL-2.0
/*
 * LTT benchmark: how much of a CPU do others use?
 *
 *	spare MS [PERIOD FILE N]	spend MS milliseconds in a loop, and print
 *					"ROUNDS NANOSECONDS". Each PERIOD microseconds write a
 *					number below N to FILE, another one each time
 *
 * With the lowest priority, so that whoever can run does. Where the machine's clock counts
 * instructions, rounds are instructions of a fixed number, and those that are missing were
 * others'.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Far from the one before, so that it is the turn of none soon again. */
static void ping(int fd, unsigned int n)
{
	static unsigned int i;
	char text[16];
	int len;

	i = (i + 617) % n;
	len = snprintf(text, sizeof(text), "%u", i);
	if (write(fd, text, len) != len) {
		perror("ping");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct sched_param param = { 0 };
	uint64_t rounds = 0, start, end, t, period = 0, next = 0;
	unsigned int n = 0;
	int fd = -1, i;

	if (argc != 2 && argc != 5) {
		fprintf(stderr, "usage: spare MS [PERIOD FILE N]\n");
		return 1;
	}
	if (sched_setscheduler(0, SCHED_IDLE, &param)) {
		perror("sched_setscheduler");
		return 1;
	}
	if (argc == 5) {
		period = strtoull(argv[2], NULL, 0) * 1000;
		n = atoi(argv[4]);
		fd = open(argv[3], O_WRONLY);
		if (fd < 0) {
			perror(argv[3]);
			return 1;
		}
	}
	start = now();
	end = start + strtoull(argv[1], NULL, 0) * 1000000;
	next = start + period;
	while ((t = now()) < end) {
		if (fd >= 0 && t >= next) {
			ping(fd, n);
			next += period;
		}
		for (i = 0; i < 100; i++)
			asm volatile("");
		rounds++;
	}
	printf("%" PRIu64 " %" PRIu64 "\n", rounds, t - start);
	return 0;
}
