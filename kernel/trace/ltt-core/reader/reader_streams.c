// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the buffers that a reader reads.
 *
 * Memory barriers
 * ---------------
 *   ltt_reader_rescan:A
 *	If the reader sees a value of layout, it sees the buffers announced by it.
 *	ACQUIRE pairs with the full barrier of announce:A (buffer.c). reader.c
 *	needs this for the order of events.
 *
 *   for_new_buffers:A, for_new_buffers:B
 *	A buffer may be met before it is announced. If the reader sees the pointer
 *	to the buffers of a channel, their locks and lists are initialised; if it
 *	sees that to the sub-buffers of one, all of it is. ACQUIRE pairs with the
 *	RELEASE of the stores to tchan->buf (ltt_buffer_publish:A) and buf->sb
 *	(alloc_cpu:A).
 */

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/ltt/reader.h>

#include "reader_streams.h"

static bool wants(const struct ltt_reader *reader, const struct ltt_trace_channel *tchan)
{
	if (reader->only)
		return tchan == reader->only;
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
	struct ltt_reader_stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL);
	u8 *shadow = NULL;

	if (!stream)
		return NULL;
	if (buf->overwrite) {
		shadow = kvmalloc(buf->off_mask + 1, GFP_KERNEL | __GFP_NOWARN);
		if (!shadow) {
			kfree(stream);
			return NULL;
		}
	}
	stream->tchan = tchan;
	stream->cpu = cpu;
	stream->unfinished = LTT_START_NONE;
	ltt_cursor_open(&stream->cursor, buf, shadow);
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

/* Open cursors in all new buffers, or in none. */
static int grow(struct ltt_reader *reader)
{
	struct growth growth = {
		.nr = reader->nr,
		.max = reader->nr,
		.late = reader->opened,
	};
	int err;

	for_new_buffers(reader, count_stream, &growth);
	if (growth.max == reader->nr)
		return 0;

	growth.streams = kvmalloc_array(growth.max, sizeof(*growth.streams), GFP_KERNEL);
	if (!growth.streams)
		return -ENOMEM;
	if (reader->nr)
		memcpy(growth.streams, reader->streams,
		       reader->nr * sizeof(*growth.streams));

	err = for_new_buffers(reader, add_stream, &growth);
	if (err) {
		while (growth.nr > reader->nr)
			close_stream(growth.streams[--growth.nr]);
		kvfree(growth.streams);
		return err;
	}

	sort(growth.streams, growth.nr, sizeof(*growth.streams), compare_streams, NULL);
	kvfree(reader->streams);
	reader->streams = growth.streams;
	reader->nr = growth.nr;
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
	reader->streams = NULL;
	reader->nr = 0;
}
