// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: export: who runs, and to which process it belongs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/printable.h"
#include "export.h"

/* What a damaged packet says must not be believed. */
#define CPU_MAX	65535u

static size_t slot_of(const struct threads *threads, int32_t tid)
{
	size_t slot = (uint32_t)tid * 2654435761u & (threads->size - 1);

	/* Nobody has the number 0 but the idle threads, which are not in the table. */
	while (threads->table[slot].tid && threads->table[slot].tid != tid)
		slot = (slot + 1) & (threads->size - 1);
	return slot;
}

/* Half of the table stays free. */
static int grow(struct threads *threads)
{
	struct threads larger = { .size = threads->size ? 2 * threads->size : 256 };
	size_t i;

	larger.table = calloc(larger.size, sizeof(*larger.table));
	if (!larger.table)
		return -1;
	for (i = 0; i < threads->size; i++) {
		if (threads->table[i].tid)
			larger.table[slot_of(&larger, threads->table[i].tid)] = threads->table[i];
	}
	free(threads->table);
	threads->table = larger.table;
	threads->size = larger.size;
	return 0;
}

/**
 * threads_find() - what is known of a thread
 * @threads:	all of them
 * @tid:	its number, not 0
 *
 * Return: valid until the next call; NULL: no memory.
 */
struct thread *threads_find(struct threads *threads, int32_t tid)
{
	struct thread *thread;

	if (2 * threads->used >= threads->size && grow(threads))
		return NULL;
	thread = &threads->table[slot_of(threads, tid)];
	if (!thread->tid) {
		thread->tid = tid;
		thread->tgid = tid;
		threads->used++;
	}
	return thread;
}

/* Who ran first is told by the first switch of each CPU. Return: 0; -1: no memory. */
static int look_ahead(struct threads *threads, struct libltt *ltt)
{
	bool *known = calloc(threads->nr_cpus + 1, sizeof(*known));
	uint32_t left = threads->nr_cpus;
	struct libltt_event event;
	struct libltt_value pid;
	int field;

	if (!known)
		return -1;
	while (left && libltt_next(ltt, &event) > 0) {
		if (event.cpu >= threads->nr_cpus || known[event.cpu])
			continue;
		/* After a loss it may be another one. */
		field = event.kind ? kind_field(event.kind, "prev_pid", false) : KIND_NO_FIELD;
		if (field >= 0 && !libltt_field(&event, field, &pid))
			threads->running[event.cpu] = kind_integer(&pid, 0);
		known[event.cpu] = true;
		left--;
	}
	free(known);
	return 0;
}

/**
 * threads_know_cpu() - is an event of a CPU that there is?
 * @threads:	the threads
 * @event:	the event
 *
 * Streams of other tracers may go on with another CPU than they begin with. Says so once.
 *
 * Return: false if it is left out.
 */
bool threads_know_cpu(struct threads *threads, const struct libltt_event *event)
{
	if (event->cpu < threads->nr_cpus)
		return true;
	if (!threads->left_out)
		fprintf(stderr, "ltt: no stream begins with CPU %" PRIu32 ", whose events are left out\n",
			event->cpu);
	threads->left_out = true;
	return false;
}

/**
 * threads_init() - find out who runs at the beginning
 * @threads:	returns it
 * @ltt:	the traces, of which the events of each CPU are counted
 * @options:	which traces, and from when on
 *
 * Says which streams are of a CPU that no machine has, and left out.
 *
 * Return: 0; -1: no memory, or the traces cannot be read, which was said.
 */
int threads_init(struct threads *threads, const struct libltt *ltt,
		 const struct export_options *options)
{
	char pattern[] = "sched.sched_switch", *only = pattern;
	struct directory_options in = options->in;
	const struct libltt_stream *stream;
	struct libltt *again;
	unsigned int i;
	int err;

	memset(threads, 0, sizeof(*threads));
	for (i = 0; (stream = libltt_stream(ltt, i)); i++) {
		if (stream->cpu > CPU_MAX) {
			printable_say(in.command, "%s: no machine has a CPU %" PRIu32 ", left out",
				      stream->file, stream->cpu);
			threads->left_out = true;
			continue;
		}
		if (stream->cpu >= threads->nr_cpus)
			threads->nr_cpus = stream->cpu + 1;
	}
	threads->running = calloc(threads->nr_cpus + 1, sizeof(*threads->running));
	if (!threads->running)
		return -1;
	in.patterns = &only;
	in.nr_patterns = 1;
	in.nr_filters = 0;
	/* The first switch after the range tells, too. */
	in.end = UINT64_MAX;
	/* What is wrong is said when all of it is read. */
	in.problems = PROBLEMS_MAX;
	again = directory_open(&in);
	if (!again)
		return -1;
	err = look_ahead(threads, again);
	libltt_close(again);
	return err;
}

/**
 * threads_free() - forget all threads
 * @threads:	the threads
 */
void threads_free(struct threads *threads)
{
	free(threads->table);
	free(threads->running);
}
