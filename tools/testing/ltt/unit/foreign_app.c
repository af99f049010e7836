// SPDX-License-Identifier: GPL-2.0
/*
 * An application with tracepoints of LTTng-UST: of all types that these have, or such as a kernel
 * has.
 *
 * usage: foreign_app NUMBER [kernel]
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "foreign_app.tp"

#include <stdlib.h>

static void like_kernel(int nr)
{
	static const char names[4][16] = { "swapper/0", "bash", "kworker/0:1-eve", "cc1" };
	int i;

	for (i = 0; i < nr; i += 4) {
		lttng_ust_tracepoint(foreign, sched_switch, names[i / 4 % 4], names[i / 4 % 3], i);
		lttng_ust_tracepoint(foreign, irq_handler_entry, i % 64, "virtio0-input.0");
		lttng_ust_tracepoint(foreign, syscall_entry_read, i % 16, &nr, i % 65536);
		lttng_ust_tracepoint(foreign, syscall_exit_read, i % 65536 - 5);
	}
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 100, i;

	if (argc > 2) {
		like_kernel(nr);
		return 0;
	}
	for (i = 0; i < nr; i++) {
		const int array[] = { i, -i, i + 2 };

		lttng_ust_tracepoint(foreign, all, i, i & 1 ? "hello world" : "x\ty", array);
		lttng_ust_tracepoint(foreign, small, i);
		if (!(i & 7))
			lttng_ust_tracepoint(foreign, none);
	}
	return 0;
}
