/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the last events of traces in the kernel's log, at a panic, an oops, or on request.
 *
 * ltt-core knows when, of which traces and how many; who shows events as text registers itself
 * as the dumper.
 */
#ifndef _LINUX_LTT_DUMP_H
#define _LINUX_LTT_DUMP_H

#include <linux/types.h>

struct ltt_trace;

/* Most events of a dump, and most traces. */
#define LTT_DUMP_EVENTS_MAX	65536u
#define LTT_DUMP_TRACES_MAX	32u

/**
 * struct ltt_dump - what is to be dumped
 * @why:	for the first line: "panic"
 * @traces:	the traces; they stay until the dump is over
 * @nr:		how many, at least 1
 * @left_out:	traces that are not dumped because there are too many
 * @events:	how many events, all traces together, at least 1
 * @until:	ns; later events do not count. U64_MAX: all do
 * @ms:		milliseconds that the dump may take, 0: any number
 * @may_sleep:	the caller is a task that may sleep; else the context is any, NMI included
 */
struct ltt_dump {
	const char *why;
	struct ltt_trace *const *traces;
	unsigned int nr;
	unsigned int left_out;
	unsigned int events;
	u64 until;
	unsigned int ms;
	bool may_sleep;
};

/**
 * struct ltt_dumper - puts dumps into the kernel's log
 * @alloc:	allocates all that a dump of at most so many events needs, or returns NULL.
 *		Context: task, may sleep
 * @free:	frees it. Context: as @alloc
 * @dump:	dumps, with @memory of @alloc for @dump->events or more, which nobody else uses
 *		meanwhile. Neither sleeps nor waits, unless @dump->may_sleep: other CPUs may have
 *		stopped anywhere
 */
struct ltt_dumper {
	void *(*alloc)(unsigned int events);
	void (*free)(void *memory);
	void (*dump)(const struct ltt_dump *dump, void *memory);
};

int ltt_dumper_register(const struct ltt_dumper *dumper);
void ltt_dumper_unregister(const struct ltt_dumper *dumper);
void ltt_dump(struct ltt_trace *trace, unsigned int events);

#endif /* _LINUX_LTT_DUMP_H */
