// SPDX-License-Identifier: GPL-2.0
/*
 * What a step of the merge costs with few and with many streams.
 *
 * An argument is the number of streams; without one, several are tried.
 */
#include <stdlib.h>

#include <linux/kernel.h>

#include "../../../../kernel/trace/textout/lib/merge.h"
#include "bench.h"
#include "../unit/ktap.h"

#define STEPS	4000000

/* All streams are alike; an event is followed by @burst - 1 of its own stream. */
static void run(unsigned int streams, unsigned int burst)
{
	unsigned long long state = 42;
	struct ltt_merge m;
	struct bench b;
	char name[64];
	unsigned int i;
	u64 sum = 0;

	if (ltt_merge_init(&m, streams))
		exit(1);
	for (i = 0; i < streams; i++)
		ltt_merge_set(&m, i, i, ktap_random(&state) % (streams * 64ull));
	ltt_merge_build(&m);

	bench_start(&b);
	for (i = 0; i < STEPS; i++) {
		u64 step = i % burst ? 1 : ktap_random(&state) & (streams * 128ull - 1);

		sum += ltt_merge_top(&m);
		ltt_merge_update(&m, m.top.ts + step);
	}
	bench_stop(&b);
	snprintf(name, sizeof(name), "merge_step_%u%s", streams, burst > 1 ? "_bursts" : "");
	bench_print(name, &b, STEPS);
	if (!sum && streams > 1)
		printf("# impossible\n");
	ltt_merge_destroy(&m);
}

int main(int argc, char **argv)
{
	static const unsigned int many[] = { 1, 4, 16, 256, 4096 };
	unsigned int i;

	if (argc > 1) {
		run(atoi(argv[1]), 1);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(many); i++)
		run(many[i], 1);
	for (i = 0; i < ARRAY_SIZE(many); i++)
		run(many[i], 10);
	return 0;
}
