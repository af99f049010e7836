/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a piece of code costs: nanoseconds of processor time, and instructions where the kernel lets
 * us count them.
 */
#ifndef _LTT_BENCH_H
#define _LTT_BENCH_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct bench {
	int fd;
	u64 ns;
	u64 instructions;
};

static inline u64 bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline void bench_start(struct bench *b)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	b->fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	b->ns = bench_now();
}

static inline void bench_stop(struct bench *b)
{
	b->ns = bench_now() - b->ns;
	b->instructions = 0;
	if (b->fd >= 0) {
		if (read(b->fd, &b->instructions, sizeof(b->instructions)) < 0)
			b->instructions = 0;
		close(b->fd);
	}
}

/* One line per figure. */
static inline void bench_print(const char *name, const struct bench *b, u64 nr)
{
	printf("bench %s_ns %.1f ns\n", name, (double)b->ns / nr);
	if (b->instructions)
		printf("bench %s %.1f instructions\n", name, (double)b->instructions / nr);
}

#endif /* _LTT_BENCH_H */
