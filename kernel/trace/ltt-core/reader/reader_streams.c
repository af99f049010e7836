// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the buffers that a reader reads.
 *
 * Memory barriers
 * ---------------
 *   ltt_reader_rescan:A
 *	If the reader sees a value of layout, it sees the buffers announced by it.
 *	ACQUIRE pairs with the full barrier of ltt_buffer_announce:A (buffer.c). reader.c
 *	needs this for the order of events.
 *
 *   for_new_buffers:A, for_new_buffers:B
 *	A buffer may be met before it is announced. If the reader sees the pointer
 *	to the buffers of a channel, their locks and lists are initialised; if it
 *	sees that to the sub-buffers of one, all of it is. ACQUIRE pairs with the
 *	RELEASE of the stores to tchan->buf (ltt_buffer_publish:A) and buf->sb
 *	(install:A).
 *
 *	That a channel uses shared buffers is announced when its home is set.
 *
 *   ltt_reader_stirred:A, ltt_reader_stirred:B, wake_cpu:A
 *	See use:A, use:D and use:C in ring_buffer.c.
 */

/**
 * DOC: streams at rest
 *
 * A reader may have a hundred thousand streams, in most of which nothing happens. It looks at
 * those that are active only. The protocol by which a buffer comes to rest, and by which a
 * writer tells of the next event, is described under "Rest" at the top of ring_buffer.c. Here
 * is what a reader does, all of it when it moves the watermark:
 *
 *	ltt_reader_doze()	before a grace period begins: streams that have been at their
 *				end since the last one began
 *	ltt_reader_stirred()	after it, and each time that the reader looks for events: wakes
 *				up those that were stirred
 *	ltt_reader_settle()	after that: those that dozed are at rest, or are not
 *
 * In this order each event up to the watermark is in an active stream before it is asked for:
 * its section is over, and either the count of its CPU had changed before
 * ltt_reader_stirred() looked, or the stream was active.
 *
 * A stream that gets an event now and then never dozes, and is looked at each time; if there
 * is a pause, the next event in it costs its writer a slow path, and the reader a look at all
 * of this CPU's streams that are at rest and in its group.
 *
 * Streams at rest are released, and look as if their owner was in ltt_reader_wait(), until a
 * writer opens a new sub-buffer. By then it has told the reader, whose next look makes them
 * active.
 *
 * In overwrite mode, a stream has a shadow only while it is active and has something to read.
 */

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/ltt/reader.h>

#include "reader_streams.h"

/* Streams that a loop looks at before it lets others run. */
#define BATCH	1024

/* So few are put into their places one by one. */
#define FEW	32

static bool wants(const struct ltt_reader *reader, const struct ltt_trace_channel *tchan)
{
	if (reader->only)
		return tchan == READ_ONCE(reader->only->home);
	return !(tchan->channel->flags & LTT_CHANNEL_PRIVATE);
}

static int compare(const struct ltt_reader_stream *a, u32 stream_id, unsigned int cpu)
{
	if (a->tchan->stream_id != stream_id)
		return a->tchan->stream_id < stream_id ? -1 : 1;
	if (a->cpu != cpu)
		return a->cpu < cpu ? -1 : 1;
	return 0;
}

static int compare_streams(const void *a, const void *b)
{
	const struct ltt_reader_stream *const *x = a, *const *y = b;

	return compare(*x, (*y)->tchan->stream_id, (*y)->cpu);
}

/* Does the reader have a cursor in this buffer? */
static bool known(const struct ltt_reader *reader, const struct ltt_trace_channel *tchan,
		  unsigned int cpu)
{
	unsigned int low = 0, high = reader->nr, mid;
	int cmp;

	while (low < high) {
		mid = low + (high - low) / 2;
		cmp = compare(reader->streams[mid], tchan->stream_id, cpu);
		if (!cmp)
			return true;
		if (cmp < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

static void close_stream(struct ltt_reader_stream *stream)
{
	ltt_cursor_close(&stream->cursor);
	kvfree(stream->cursor.shadow);
	kfree(stream);
}

static struct ltt_reader_stream *open_stream(struct ltt_trace_channel *tchan, unsigned int cpu,
					     struct ltt_buf *buf)
{
	struct ltt_reader_stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL_ACCOUNT);

	if (!stream)
		return NULL;
	stream->tchan = tchan;
	stream->cpu = cpu;
	stream->unfinished = LTT_START_NONE;
	stream->seen = LTT_START_NONE;
	/* If it has a shadow, see ltt_reader_shadows(). */
	ltt_cursor_open(&stream->cursor, buf, NULL);
	if (stream->cursor.mark.lost >= local_read(&buf->lost))
		stream->given_up = READ_ONCE(buf->unfinished);
	return stream;
}

/*
 * Call @visit for the buffers that the reader should have but does not have yet.
 *
 * The list of channels only grows, and its entries live as long as the trace, to which the
 * reader holds a reference. No lock: the holder of ltt_mutex may be waiting for an open()
 * of the file to end.
 */
static int for_new_buffers(struct ltt_reader *reader,
			   int (*visit)(struct ltt_trace_channel *tchan, unsigned int cpu,
					struct ltt_buf *buf, void *arg),
			   void *arg)
{
	struct ltt_buf __percpu *bufs;
	struct ltt_trace_channel *tchan;
	struct ltt_buf *buf;
	unsigned int cpu;
	int err;

	list_for_each_entry_rcu(tchan, &reader->trace->tchans, node, true) {
		bufs = smp_load_acquire(&tchan->buf);		/* LMM(for_new_buffers:A) */
		if (!bufs || !wants(reader, tchan))
			continue;
		for_each_possible_cpu(cpu) {
			buf = per_cpu_ptr(bufs, cpu);
			/* Even without memory for sub-buffers, it counts losses. */
			if (!smp_load_acquire(&buf->sb) &&	/* LMM(for_new_buffers:B) */
			    !cpu_present(cpu))
				continue;
			if (known(reader, tchan, cpu))
				continue;
			err = visit(tchan, cpu, buf, arg);
			if (err)
				return err;
		}
	}
	return 0;
}

/* The array while it is being enlarged; buffers may appear between two walks. */
struct growth {
	struct ltt_reader_stream **streams;
	unsigned int nr;
	unsigned int max;
	bool late;
};

static int count_stream(struct ltt_trace_channel *tchan, unsigned int cpu, struct ltt_buf *buf,
			void *arg)
{
	struct growth *growth = arg;

	growth->max++;
	return 0;
}

static int add_stream(struct ltt_trace_channel *tchan, unsigned int cpu, struct ltt_buf *buf,
		      void *arg)
{
	struct growth *growth = arg;
	struct ltt_reader_stream *stream;

	if (growth->nr == growth->max)
		return -EAGAIN;
	stream = open_stream(tchan, cpu, buf);
	if (!stream)
		return -ENOMEM;
	/* The reader is older than the buffer: other readers may have started before it. */
	if (growth->late)
		ltt_cursor_rewind(&stream->cursor);
	growth->streams[growth->nr++] = stream;
	return 0;
}

/* Find those that are active anew. */
static void list_active(struct ltt_reader *reader)
{
	unsigned int i;

	reader->nr_active = 0;
	for (i = 0; i < reader->nr; i++) {
		if (!reader->streams[i]->resting)
			reader->active[reader->nr_active++] = reader->streams[i];
		if (!((i + 1) % BATCH))
			cond_resched();
	}
	reader->generation++;
}

/* Open cursors in all new buffers, or in none. */
static int grow(struct ltt_reader *reader)
{
	struct ltt_reader_stream **active;
	struct growth growth = {
		.nr = reader->nr,
		.max = reader->nr,
		.late = reader->opened,
	};
	int err;

	for_new_buffers(reader, count_stream, &growth);
	if (growth.max == reader->nr)
		return 0;

	growth.streams = kvmalloc_array(growth.max, sizeof(*growth.streams),
					GFP_KERNEL_ACCOUNT);
	active = kvmalloc_array(growth.max, sizeof(*active), GFP_KERNEL_ACCOUNT);
	if (!growth.streams || !active) {
		kvfree(growth.streams);
		kvfree(active);
		return -ENOMEM;
	}
	if (reader->nr)
		memcpy(growth.streams, reader->streams,
		       reader->nr * sizeof(*growth.streams));

	err = for_new_buffers(reader, add_stream, &growth);
	if (err) {
		while (growth.nr > reader->nr)
			close_stream(growth.streams[--growth.nr]);
		kvfree(growth.streams);
		kvfree(active);
		return err;
	}

	sort(growth.streams, growth.nr, sizeof(*growth.streams), compare_streams, NULL);
	kvfree(reader->streams);
	kvfree(reader->active);
	reader->streams = growth.streams;
	reader->active = active;
	reader->nr = growth.nr;
	list_active(reader);
	return 0;
}

/**
 * ltt_reader_rescan() - look for new buffers, if any were announced
 * @reader:	the reader
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOMEM: nothing changed, and the next call tries again.
 */
int ltt_reader_rescan(struct ltt_reader *reader)
{
	int layout, err;

	for (;;) {
		/* LMM(ltt_reader_rescan:A) */
		layout = atomic_read_acquire(&reader->trace->layout);
		if (layout == reader->layout)
			return 0;
		err = grow(reader);
		if (!err)
			reader->layout = layout;
		else if (err != -EAGAIN)
			return err;
	}
}

/**
 * ltt_reader_close_streams() - close all cursors
 * @reader:	the reader
 *
 * Context: task; may sleep.
 */
void ltt_reader_close_streams(struct ltt_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr; i++)
		close_stream(reader->streams[i]);
	kvfree(reader->streams);
	kvfree(reader->active);
	kvfree(reader->cpus);
	reader->streams = NULL;
	reader->active = NULL;
	reader->cpus = NULL;
	reader->nr = 0;
	reader->nr_active = 0;
}

/**
 * ltt_reader_init_cpus() - prepare for streams at rest
 * @reader:	the reader, new
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_reader_init_cpus(struct ltt_reader *reader)
{
	unsigned int cpu, group;

	reader->cpus = kvcalloc(nr_cpu_ids, sizeof(*reader->cpus), GFP_KERNEL_ACCOUNT);
	if (!reader->cpus)
		return -ENOMEM;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		for (group = 0; group < LTT_STIR_GROUPS; group++)
			INIT_LIST_HEAD(&reader->cpus[cpu].resting[group]);
	}
	return 0;
}

/* The last one in active, at @at, has just come there: put it into its place. */
static void sort_in(struct ltt_reader *reader, unsigned int at)
{
	struct ltt_reader_stream *stream = reader->active[at];
	unsigned int low = 0, high = at, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare(reader->active[mid], stream->tchan->stream_id, stream->cpu) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	memmove(&reader->active[low + 1], &reader->active[low],
		(at - low) * sizeof(*reader->active));
	reader->active[low] = stream;
}

static void wake(struct ltt_reader *reader, struct ltt_reader_stream *stream)
{
	list_del(&stream->node);
	stream->resting = false;
	reader->active[reader->nr_active++] = stream;
}

static void wake_stirred(struct ltt_reader *reader, struct list_head *resting)
{
	struct ltt_reader_stream *stream, *next;
	unsigned int n = 0;

	list_for_each_entry_safe(stream, next, resting, node) {
		if (ltt_cursor_stirred(&stream->cursor))
			wake(reader, stream);
		if (!(++n % BATCH))
			cond_resched();
	}
}

/* Wake up the streams of a CPU that were stirred. @all: groups whose count is as it was, too. */
static void wake_cpu(struct ltt_reader *reader, unsigned int cpu, bool all)
{
	const struct ltt_stir *stir = per_cpu_ptr(reader->trace->stir, cpu);
	struct ltt_reader_cpu *seen = &reader->cpus[cpu];
	unsigned long count;
	unsigned int group;

	for (group = 0; group < LTT_STIR_GROUPS; group++) {
		count = local_read(&stir->group[group]);
		if (count == seen->group[group] && !all)
			continue;
		smp_rmb();					/* LMM(wake_cpu:A) */
		seen->group[group] = count;
		wake_stirred(reader, &seen->resting[group]);
	}
}

/* Those from @at on have been woken up. */
static void sort_active(struct ltt_reader *reader, unsigned int at)
{
	if (at == reader->nr_active)
		return;
	if (reader->nr_active - at > FEW) {
		list_active(reader);
		return;
	}
	for (; at < reader->nr_active; at++)
		sort_in(reader, at);
	reader->generation++;
}

/**
 * ltt_reader_stirred() - wake up streams in which something has happened
 * @reader:	the reader
 *
 * If nothing has happened in any stream at rest this takes a few instructions, else some for
 * each CPU, for each group of those CPUs where it did, and for each stream at rest in those
 * groups where it did.
 *
 * Context: task; may sleep.
 */
void ltt_reader_stirred(struct ltt_reader *reader)
{
	const struct ltt_trace *trace = reader->trace;
	unsigned long last = READ_ONCE(trace->stirred), count;
	unsigned int old = reader->nr_active, cpu;
	const struct ltt_stir *stir;
	bool broken;

	if (last == reader->stirred)
		return;
	smp_mb();						/* LMM(ltt_reader_stirred:A) */
	for_each_possible_cpu(cpu) {
		stir = per_cpu_ptr(trace->stir, cpu);
		count = local_read(&stir->count);
		broken = READ_ONCE(stir->broken);
		if (count == reader->cpus[cpu].count && !broken)
			continue;
		smp_rmb();					/* LMM(ltt_reader_stirred:B) */
		reader->cpus[cpu].count = count;
		wake_cpu(reader, cpu, broken);
	}
	reader->stirred = last;
	sort_active(reader, old);
}

/**
 * ltt_reader_wake_all() - have no streams at rest
 * @reader:	the reader
 *
 * Context: task; may sleep.
 */
void ltt_reader_wake_all(struct ltt_reader *reader)
{
	struct ltt_reader_stream *stream, *next;
	unsigned int old = reader->nr_active, cpu, group;
	struct list_head *resting;

	for_each_possible_cpu(cpu) {
		for (group = 0; group < LTT_STIR_GROUPS; group++) {
			resting = &reader->cpus[cpu].resting[group];
			list_for_each_entry_safe(stream, next, resting, node)
				wake(reader, stream);
		}
		cond_resched();
	}
	sort_active(reader, old);
}

/**
 * ltt_reader_shadows() - give shadows to streams that have something to read
 * @reader:	the reader
 *
 * To be called when a grace period has ended: what the watermark may pass is there. Whoever
 * looks at what is unread before that calls it, too.
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOMEM: call it again before the watermark moves.
 */
int ltt_reader_shadows(struct ltt_reader *reader)
{
	struct ltt_cursor *cursor;
	unsigned int i;

	for (i = 0; i < reader->nr_active; i++) {
		cursor = &reader->active[i]->cursor;
		if (!ltt_cursor_wants_shadow(cursor))
			continue;
		cursor->shadow = kvmalloc(cursor->buf->off_mask + 1,
					  GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!cursor->shadow)
			return -ENOMEM;
	}
	return 0;
}

/**
 * ltt_reader_doze() - begin to let streams rest that have been read
 * @reader:	the reader; a grace period is about to begin
 *
 * What has been empty for one grace period dozes during the next.
 *
 * Context: task; may sleep.
 * Return: true if there are such streams.
 */
bool ltt_reader_doze(struct ltt_reader *reader)
{
	struct ltt_reader_stream *stream;
	bool any = false;
	unsigned int i;

	for (i = 0; i < reader->nr_active; i++) {
		stream = reader->active[i];
		if (stream->cursor.mark.pos == stream->seen)
			any |= ltt_cursor_doze(&stream->cursor);
		else
			stream->cursor.doze_pos = LTT_START_NONE;
		stream->seen = stream->cursor.mark.pos;
		if (!((i + 1) % BATCH))
			cond_resched();
	}
	return any;
}

static void put_to_rest(struct ltt_reader *reader, struct ltt_reader_stream *stream)
{
	unsigned int group = ltt_stir_group(stream->tchan->stream_id);
	struct ltt_cursor *cursor = &stream->cursor;

	ltt_cursor_idle(cursor);
	ltt_cursor_release(cursor);
	kvfree(cursor->shadow);
	cursor->shadow = NULL;
	stream->unfinished = LTT_START_NONE;
	stream->resting = true;
	list_add(&stream->node, &reader->cpus[stream->cpu].resting[group]);
}

/**
 * ltt_reader_settle() - let those streams rest that dozed through a grace period
 * @reader:	the reader; the grace period has ended, and ltt_reader_stirred() was called
 *		after that
 *
 * Context: task; may sleep.
 */
void ltt_reader_settle(struct ltt_reader *reader)
{
	struct ltt_reader_stream *stream;
	unsigned int i, nr = 0;

	for (i = 0; i < reader->nr_active; i++) {
		stream = reader->active[i];
		if (ltt_cursor_rests(&stream->cursor))
			put_to_rest(reader, stream);
		else
			reader->active[nr++] = stream;
		if (!((i + 1) % BATCH))
			cond_resched();
	}
	if (nr != reader->nr_active)
		reader->generation++;
	reader->nr_active = nr;
}
