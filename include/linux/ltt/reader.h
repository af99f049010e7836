/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: reading a trace inside the kernel.
 *
 * A reader has one cursor in each buffer of a trace, or of one channel of it, and
 * a watermark: the time up to which every event is known to be committed. The
 * text pipe is one client; private channels are read by others.
 *
 *	reader = ltt_reader_open(trace, NULL);
 *	while (!err && !ltt_reader_finished(reader)) {
 *		err = ltt_reader_wait(reader, false);
 *		if (!err)
 *			err = ltt_reader_for_each(reader, take, arg, &lost);
 *	}
 *	ltt_reader_close(reader);
 *
 * ltt_reader_for_each() takes the events of one buffer after the other. To get them in the
 * order of time, merge the next events of all reader->active, up to reader->watermark, with
 * ltt_reader_next_event() or from the windows of ltt_cursor_window(), check cursor.lost, then
 * call ltt_reader_release(), as the text output does.
 *
 * From the first window to ltt_reader_release() writers wait for the reader, however
 * long that takes (discard mode). Outside of this, and of ltt_reader_wait(), a reader
 * that makes no progress for LTT_STALL while another one does is left behind: pointers into
 * earlier windows are then invalid, and with the next window cursor.lost says how many
 * events it missed.
 */
#ifndef _LINUX_LTT_READER_H
#define _LINUX_LTT_READER_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/ltt/cursor.h>
#include <linux/ltt/ring_buffer.h>
#include <linux/ltt/trace.h>

/* Value of ltt_reader.watermark once the trace is destroyed: no more events will follow. */
#define LTT_WATERMARK_END	(~0ull)

struct cpumask;
struct ltt_pass;

/**
 * struct ltt_reader_stream - one buffer as a reader sees it
 * @cursor:	place in the buffer
 * @tchan:	channel in the trace that has the buffer; see ltt_trace_event.tchan
 * @cpu:	whose buffer it is
 * @given_up:	value of ltt_buf.unfinished that others had been told of when it was opened
 * @client:	the owner's
 * @unfinished:	position of a writer that had not committed when the watermark last moved
 * @seen:	@cursor.mark.pos when the last grace period began
 * @own:	up to there all that is unread was caused by the reader
 * @resting:	the buffer is at rest, so that the stream is not in ltt_reader.active
 * @node:	then in ltt_reader_cpu.resting
 *
 * From @unfinished on private to the reader.
 */
struct ltt_reader_stream {
	struct ltt_cursor cursor;
	struct ltt_trace_channel *tchan;
	unsigned int cpu;
	unsigned long given_up;
	void *client;

	unsigned long unfinished;
	unsigned long seen;
	struct {
		unsigned long pos;
		u64 ts;
	} own;
	bool resting;
	struct list_head node;
};

/**
 * struct ltt_reader_cpu - buffers of a CPU that are at rest
 * @count:	value of ltt_stir.count for which they have been looked at
 * @group:	those of ltt_stir.group
 * @resting:	their streams, by group
 */
struct ltt_reader_cpu {
	unsigned long count;
	unsigned long group[LTT_STIR_GROUPS];
	struct list_head resting[LTT_STIR_GROUPS];
};

/**
 * struct ltt_unfinished - gives up an event whose writer never commits
 * @work:	runs on the buffer's CPU
 * @tchan:	channel in the trace
 * @cpu:	whose buffer it is
 * @from:	position of the writer's event
 * @before:	events before it in its sub-buffer
 * @busy:	bit 0: @work has not run yet and owns the fields above
 *
 * Private to unfinished.c.
 */
struct ltt_unfinished {
	struct work_struct work;
	struct ltt_trace_channel *tchan;
	unsigned int cpu;
	unsigned long from;
	unsigned long before;
	unsigned long busy;
};

/**
 * struct ltt_reader - a reader
 * @trace:	what it reads; the reader holds a reference
 * @only:	the one channel to read, NULL for all that are not private. If it uses
 *		shared buffers, the reader goes through all of these
 * @watermark:	ns; every event at or before it is committed and visible.
 *		Never decreases. LTT_WATERMARK_END at the end. Not true of silent CPUs, see
 *		ltt_reader_pass_stuck()
 * @nr:		entries of @streams
 * @streams:	all, sorted by (stream_id, cpu); grows in ltt_reader_advance(), where
 *		both the array and the order in it may change; the entries stay valid
 * @nr_active:	entries of @active
 * @active:	those of @streams where something may be read, in the same order. The others
 *		have been read to the end and reported, are not pinned, and nothing has
 *		happened there since. Changes in ltt_reader_advance(): the latter come back
 *		before the watermark passes an event of theirs
 * @generation:	changes with @active
 * @fast:	low latency: use expedited grace periods, which interrupt all busy CPUs;
 *		see ltt_reader_can_hurry()
 * @pass:	the watermark may pass by CPUs that are stuck, see ltt_reader_pass_stuck(); else
 *		NULL
 *
 * The remaining fields are private to reader.c. Only one task at a time may use a reader.
 */
struct ltt_reader {
	struct ltt_trace *trace;
	struct ltt_trace_channel *only;
	u64 watermark;
	unsigned int nr;
	struct ltt_reader_stream **streams;
	unsigned int nr_active;
	struct ltt_reader_stream **active;
	unsigned int generation;
	bool fast;
	struct ltt_pass *pass;

	/* private: */
	int layout;
	bool opened;
	struct ltt_reader_cpu *cpus;
	unsigned long stirred;
	u64 quiet_since;
	u64 next_watermark;
	struct rcu_gp_oldstate gp;
	u64 gp_began;
	pid_t gp_task;
	u64 own_since;
	bool gp_running;
	bool gp_hurried;
	struct ltt_unfinished unfinished;
};

/**
 * struct ltt_reader_event - an event in a buffer
 * @ts:		ns, its timestamp
 * @tevent:	its kind
 * @context:	values of the channel's context, as <linux/ltt/context.h> says
 * @context_size: bytes of it, 0 if the channel has none
 * @fields:	its fields, in the order of the format, without padding
 * @size:	bytes of @fields
 *
 * Nothing is aligned: see <linux/ltt/unaligned.h>.
 */
struct ltt_reader_event {
	u64 ts;
	const struct ltt_trace_event *tevent;
	const u8 *context;
	size_t context_size;
	const u8 *fields;
	size_t size;
};

/**
 * ltt_reader_wants() - is an event of those that the reader is to read?
 * @reader:	the reader
 * @tevent:	a kind of event in its streams
 *
 * In shared buffers, a reader of one channel finds the events of others as well.
 *
 * Context: any.
 */
static inline bool ltt_reader_wants(const struct ltt_reader *reader,
				    const struct ltt_trace_event *tevent)
{
	const struct ltt_trace_channel *only = reader->only;

	return !only || tevent->tchan == only || only->home == only;
}

int ltt_reader_pass_stuck(struct ltt_reader *reader);
const struct cpumask *ltt_reader_silent(const struct ltt_reader *reader, u64 *since);
struct ltt_reader *ltt_reader_open(struct ltt_trace *trace, const char *channel);
void ltt_reader_close(struct ltt_reader *reader);
int ltt_reader_advance(struct ltt_reader *reader);
bool ltt_reader_can_hurry(void);
int ltt_reader_wait(struct ltt_reader *reader, bool nonblock);
bool ltt_reader_finished(struct ltt_reader *reader);
int ltt_reader_next_event(struct ltt_reader *reader, struct ltt_reader_stream *stream,
			  struct ltt_reader_event *event);
int ltt_reader_for_each(struct ltt_reader *reader,
			int (*take)(const struct ltt_reader_event *event, void *arg),
			void *arg, unsigned long *lost);
void ltt_reader_release(struct ltt_reader *reader);

#endif /* _LINUX_LTT_READER_H */
