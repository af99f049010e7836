// SPDX-License-Identifier: GPL-2.0
/*
 * LTT benchmark: read a text pipe, LTT's or ftrace's, as fast as it goes.
 *
 *	read-text drain FILE	time reading until nothing more has come for
 *				half a second: "LINES BYTES NANOSECONDS"
 *	read-text delay FILE N	for N events, nanoseconds from the event's time
 *				to the moment its line was read, one a line; SIGTERM
 *				ends it sooner
 *
 * Where the machine's clock counts instructions (QEMU with -icount shift=0),
 * nanoseconds are instructions, of kernel and reader together; the reader does
 * next to nothing in drain.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char buf[128 * 1024];

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static bool readable(int fd, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, ms) == 1;
}

static int drain(const char *path)
{
	uint64_t lines = 0, bytes = 0, spent = 0, start;
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	ssize_t n;

	if (fd < 0) {
		perror(path);
		return 1;
	}
	while (readable(fd, 500)) {
		start = now();
		n = read(fd, buf, sizeof(buf));
		spent += now() - start;
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n <= 0)
			break;
		bytes += n;
		for (char *p = buf; (p = memchr(p, '\n', buf + n - p)); p++)
			lines++;
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", lines, bytes, spent);
	return 0;
}

/* LTT's line begins with the time; ftrace's comes after the flags, in microseconds. */
static bool event_time(const char *line, uint64_t *ns)
{
	const char *cpu = strchr(line, ']');
	uint64_t sec, fraction;

	if (sscanf(line, "%" SCNu64 ".%9" SCNu64, &sec, &fraction) == 2)
		*ns = sec * 1000000000 + fraction;
	else if (cpu && sscanf(cpu, "] %*s %" SCNu64 ".%6" SCNu64, &sec, &fraction) == 2)
		*ns = sec * 1000000000 + fraction * 1000;
	else
		return false;
	return true;
}

/* SIGTERM ends reading: what has been found is printed. */
static void stop(int sig)
{
	(void)sig;
}

static int delay(const char *path, unsigned long events)
{
	int fd = open(path, O_RDONLY);
	struct sigaction action = { .sa_handler = stop };
	uint64_t opened = now();
	size_t have = 0;
	ssize_t n;

	if (fd < 0) {
		perror(path);
		return 1;
	}
	sigaction(SIGTERM, &action, NULL);
	while (events && (n = read(fd, buf + have, sizeof(buf) - 1 - have)) > 0) {
		uint64_t at = now();
		char *p = buf, *end;

		have += n;
		buf[have] = '\0';
		for (; events && (end = strchr(p, '\n')); p = end + 1) {
			uint64_t time;

			/* What was there before us is late for no fault of its own. */
			if (!event_time(p, &time) || time < opened)
				continue;
			printf("%" PRId64 "\n", (int64_t)(at - time));
			events--;
		}
		/* The kernel's reads return whole lines, those of other pipes may not. */
		have = strlen(p);
		memmove(buf, p, have);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "drain"))
		return drain(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "delay"))
		return delay(argv[2], strtoul(argv[3], NULL, 0));
	fprintf(stderr, "usage: read-text drain FILE | delay FILE EVENTS\n");
	return 2;
}
