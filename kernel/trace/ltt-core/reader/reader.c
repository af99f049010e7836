// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: cursors in all buffers of a trace, and the time up to which these are complete.
 */

/**
 * DOC: the watermark
 *
 * A merge may emit an event only when no buffer can still receive an earlier one.
 * The reader knows such a time without asking any CPU:
 *
 *	T = clock;  wait for an RCU grace period;  W = T - margin - 1
 *
 * after which every event with a timestamp of at most W is committed, and visible
 * to the reader.
 *
 * Proof. A writer reads the clock, reserves, stores and commits in one section with
 * preemption disabled, in which RCU watches; such a section is an RCU reader. Take
 * one that stamps an event e. Either it is over when the grace period ends: then
 * e is committed, or left to the writer that was interrupted by it, which stays
 * in its own, enclosing section. Or it is not; then it began after the grace period
 * began, since a grace period waits for all sections that are older. All that
 * happened before the grace period, the reading of T too, then happened before the
 * section, so that e >= T - margin > W: the clocks of two CPUs differ by no more
 * than the margin (G2 in <linux/ltt/clock.h>).
 *
 * The enclosing section deserves a second look: can the interrupted writer's
 * section be younger than the grace period, and its nested event older than T? No,
 * what encloses a section is at least as old as it.
 *
 * The "- 1" keeps events of one time together: with W = T - margin, an event
 * that carries exactly W could come later, and go into a buffer that ranks before
 * one whose event of the same time has been emitted already.
 *
 * Events after W are visible at the same time, and must wait: nothing is known about
 * what an interrupted, or merely slow, writer on another CPU holds in its hands.
 *
 * New buffers
 * -----------
 * Channels are first used, and CPUs come, while a trace is being read. Let e be an
 * event with a timestamp of at most W in a buffer that the reader did not know
 * when it took T. Its writer saw the buffer. The buffer was announced (layout)
 * before writers could see it, so that the announcement happened before the
 * writer's section, which is over when the grace period ends. If layout is read
 * after the grace period has ended and before anything up to W is emitted, the
 * buffer is found in time.
 *
 * The end
 * -------
 * Recording is switched off before a trace is marked dead. A grace period that
 * begins after the reader has seen the mark ends when all writers have gone; the
 * watermark then becomes LTT_WATERMARK_END, which is after all events whatever the
 * clock did.
 *
 * A CPU that is stuck
 * -------------------
 * It holds up grace periods. See reader_pass.c for what happens then.
 *
 * Streams at rest
 * ---------------
 * Only buffers in which something may have happened are looked at, see reader_streams.c.
 *
 * What it costs
 * -------------
 * Writers: nothing. Idle CPUs are not woken: RCU knows that they are idle. Grace
 * periods run only while something waits to be read that the reader has not caused by
 * reading (reader_own.c), one after the other. Where there is much to read, each is started
 * as soon as the one before has ended, so that the next is on its way while the merge emits;
 * for little, the reader looks first at what it is. Busy CPUs are not
 * interrupted, unless half of a buffer is unread: then an expedited grace period, which does
 * interrupt them, hurries the normal one; or unless one of them is stuck. The reader looks
 * at the clock, and for its grace period, by a timer of its own; writers never wake it. A fast
 * reader has all grace periods expedited, but starts no more than one each PAUSE_FAST.
 *
 * Where /sys/kernel/rcu_normal is 1, as on PREEMPT_RT, an expedited grace period is a
 * normal one in disguise. Nobody is hurried then, and a fast reader polls like the others,
 * since what it waits for may take seconds and it can be killed meanwhile.
 *
 * Memory barriers
 * ---------------
 *   start_grace_period:A / poll_grace_period:A
 *	RCU orders all that came before start_poll_synchronize_rcu_full()
 *	before all sections that begin after the grace period has begun, and all
 *	sections that end before it ends before what follows a successful poll.
 *	If a section ended before the grace period did, the reader's load of
 *	frontier (ltt_cursor_window:A), of layout (ltt_reader_rescan:A) and of what
 *	they lead to see what the section saw and stored.
 *
 *   start_grace_period:C
 *	If the reader sees dead, it (and the grace period that it starts) comes
 *	after recording was switched off. ACQUIRE pairs with the RELEASE of
 *	finish_destroy:A (trace.c).
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/reader.h>

#include "reader_own.h"
#include "reader_pass.h"
#include "reader_streams.h"
#include "../trace/unfinished.h"

/*
 * Pauses between two checks, ns. A grace period takes some ticks: checking every four
 * milliseconds adds little to it. Where much is to be read it may have to be hurried, which must be
 * seen in time. A reader with nothing to do checks less and less often. Slack lets the timer share
 * another interrupt.
 */
#define PAUSE_GP	(4 * NSEC_PER_MSEC)
#define PAUSE_FLOW	(2 * NSEC_PER_MSEC)
#define PAUSE_IDLE_MAX	(19 * NSEC_PER_MSEC)
#define PAUSE_FAST	(500 * NSEC_PER_USEC)

/* An expedited grace period usually takes less than ten of these. */
#define PAUSE_HURRY	(50 * NSEC_PER_USEC)
#define HURRY_MAX	(NSEC_PER_MSEC)

/* How long there is nothing to read before all streams are to rest, ns. */
#define QUIET		(32 * NSEC_PER_MSEC)

/* How long the reader's own events wait for those of others, ns. */
#define OWN_MAX		(500 * NSEC_PER_MSEC)

/* How much can be read: of no buffer more than LITTLE_MAX bytes, or of one more than half. */
enum backlog { NOTHING, LITTLE, SOMETHING, TOO_MUCH };
#define LITTLE_MAX	16384

static enum backlog backlog(const struct ltt_reader *reader)
{
	enum backlog backlog = NOTHING;
	const struct ltt_cursor *cursor;
	const struct ltt_buf *buf;
	unsigned long unread;
	unsigned int i;

	for (i = 0; i < reader->nr_active; i++) {
		cursor = &reader->active[i]->cursor;
		if (!ltt_cursor_expecting(cursor))
			continue;
		buf = cursor->buf;
		unread = READ_ONCE(buf->frontier) - cursor->mark.pos;
		if (unread >> buf->sb_order > buf->sb_mask / 2)
			return TOO_MUCH;
		if (unread > LITTLE_MAX)
			backlog = SOMETHING;
		else if (backlog == NOTHING)
			backlog = LITTLE;
	}
	return backlog;
}

static void start_grace_period(struct ltt_reader *reader)
{
	struct ltt_trace *trace = reader->trace;

	if (smp_load_acquire(&trace->dead))			/* LMM(start_grace_period:C) */
		reader->next_watermark = LTT_WATERMARK_END;
	else
		reader->next_watermark = ltt_clock_settled(trace->clock);
	start_poll_synchronize_rcu_full(&reader->gp);		/* LMM(start_grace_period:A) */
	reader->gp_began = ktime_get_ns();
	reader->gp_running = true;
	reader->own_since = 0;
	reader->gp_hurried = false;
}

/*
 * A fast reader's grace periods take microseconds, and show up in a trace of the scheduler:
 * it would keep reading events caused by its own reading.
 */
static bool too_soon(const struct ltt_reader *reader)
{
	return reader->fast && ktime_get_ns() - reader->gp_began < PAUSE_FAST;
}

/**
 * ltt_reader_can_hurry() - are there grace periods that are faster than normal ones?
 *
 * Context: any.
 * Return: false where /sys/kernel/rcu_normal is 1; fast readers then are as slow as others.
 */
bool ltt_reader_can_hurry(void)
{
	return !rcu_gp_is_normal();
}
EXPORT_SYMBOL_GPL(ltt_reader_can_hurry);

static void hurry(struct ltt_reader *reader)
{
	if (reader->gp_hurried || !ltt_reader_can_hurry())
		return;
	/* Whichever grace period ends first will do for reader->gp. */
	start_poll_synchronize_rcu_expedited();
	reader->gp_hurried = true;
}

/*
 * A writer that had reserved by the last grace period's end has not committed by the end of
 * this one: it is dead, as grace periods wait for writers.
 */
static void find_unfinished(struct ltt_reader *reader)
{
	struct ltt_reader_stream *stream;
	unsigned int i;

	for (i = 0; i < reader->nr_active; i++) {
		stream = reader->active[i];
		ltt_unfinished_look(&reader->unfinished, stream->tchan, stream->cpu,
				    &stream->unfinished);
	}
}

/*
 * Before the watermark moves, and any event is emitted: find the events of new buffers, of
 * streams at rest, and those that cannot be looked at yet, which may all be earlier.
 */
static int look_everywhere(struct ltt_reader *reader, u64 watermark)
{
	int err = ltt_reader_rescan(reader);

	if (err)
		return err;
	if (watermark == LTT_WATERMARK_END)
		ltt_reader_wake_all(reader);
	else
		ltt_reader_stirred(reader);
	return ltt_reader_shadows(reader);
}

/* Return: 1 if a grace period has ended and the watermark moved, 0 if not, < 0 error. */
static int poll_grace_period(struct ltt_reader *reader)
{
	u64 watermark = reader->next_watermark;
	int err;

	if (!reader->gp_running ||
	    !poll_state_synchronize_rcu_full(&reader->gp))	/* LMM(poll_grace_period:A) */
		return 0;
	err = look_everywhere(reader, watermark);
	if (err)
		return err;
	reader->gp_running = false;
	if (reader->pass)
		ltt_pass_forget(reader->pass, watermark);
	find_unfinished(reader);
	if (watermark != LTT_WATERMARK_END)
		ltt_reader_settle(reader);
	/* The margin of a clock that has just been started. */
	if (watermark <= reader->watermark)
		return 0;
	reader->watermark = watermark;
	return 1;
}

/*
 * The grace period takes too long: move the watermark without those CPUs that hold it up.
 * Return: as poll_grace_period().
 */
static int pass_by(struct ltt_reader *reader, enum backlog todo)
{
	u64 watermark;
	int err;

	if (!reader->pass || !reader->gp_running || todo == NOTHING ||
	    reader->next_watermark == LTT_WATERMARK_END || !ltt_pass_is_due(reader->gp_began) ||
	    !ltt_pass_poll(reader->pass, reader->trace->clock, reader->next_watermark))
		return 0;
	err = look_everywhere(reader, reader->next_watermark);
	if (err)
		return err;
	watermark = ltt_pass_take(reader->pass);
	if (watermark <= reader->watermark)
		return 0;
	reader->watermark = watermark;
	return 1;
}

/* Has there been nothing to read for a while? Called when there is nothing now. */
static bool is_quiet(struct ltt_reader *reader)
{
	u64 now = ktime_get_ns();

	if (!reader->quiet_since)
		reader->quiet_since = now;
	if (now - reader->quiet_since < QUIET)
		return false;
	reader->quiet_since = now;
	return true;
}

/* Is there nothing to read but what the reader has caused, and is there time for that? */
static bool may_ignore(struct ltt_reader *reader, enum backlog todo)
{
	u64 now;

	if (todo != LITTLE || reader->fast || READ_ONCE(reader->trace->dead) ||
	    ltt_reader_shadows(reader) || !ltt_reader_only_own(reader))
		return false;
	now = ktime_get_ns();
	if (!reader->own_since)
		reader->own_since = now;
	return now - reader->own_since < OWN_MAX;
}

/*
 * Let streams doze before the next grace period. Return: whether there is to be one, for events
 * to read, or because there are such streams.
 */
static bool prepare_grace_period(struct ltt_reader *reader, enum backlog todo)
{
	bool needed = todo != NOTHING || READ_ONCE(reader->trace->dead);

	if (needed)
		reader->quiet_since = 0;
	else if (!reader->nr_active || !is_quiet(reader))
		return false;
	return ltt_reader_doze(reader) || needed;
}

/* As ltt_reader_advance(). @waits: in ltt_reader_wait(), after which windows are taken anew. */
static int advance(struct ltt_reader *reader, bool waits)
{
	enum backlog todo;
	bool ignored;
	int moved;

	moved = poll_grace_period(reader);
	if (moved < 0 || reader->watermark == LTT_WATERMARK_END)
		return moved;

	/* There may be events in a new buffer. */
	if (!reader->gp_running && ltt_reader_rescan(reader))
		return moved ?: -ENOMEM;
	ltt_reader_stirred(reader);
	todo = backlog(reader);
	if (!reader->gp_running && !too_soon(reader)) {
		/* Little is soon done, and who waits then looks at what it is. */
		ignored = waits ? may_ignore(reader, todo) : todo == LITTLE && !reader->fast;
		if (!ignored && prepare_grace_period(reader, todo))
			start_grace_period(reader);
	}
	if (reader->gp_running && todo == TOO_MUCH)
		hurry(reader);
	return moved ?: pass_by(reader, todo);
}

/**
 * ltt_reader_advance() - move the watermark, if that is possible now
 * @reader:	the reader
 *
 * Ends a grace period that is over, and starts the next if there is much to read; for little,
 * ltt_reader_wait() does. Does not wait. Call it now and then while emitting events, so that the
 * next watermark is ready when this one is reached. New streams may appear.
 *
 * Context: task; may sleep.
 * Return: 1 if @reader->watermark moved, 0 if not, -ENOMEM if there is no memory
 * for new streams; then nothing has changed.
 */
int ltt_reader_advance(struct ltt_reader *reader)
{
	return advance(reader, false);
}
EXPORT_SYMBOL_GPL(ltt_reader_advance);

/**
 * ltt_reader_pass_stuck() - let the watermark pass by CPUs that are stuck in the kernel
 * @reader:	the reader, new
 *
 * When a grace period takes longer than ltt-core's parameter patience, @reader->watermark
 * moves without the CPUs that hold it up. From then on it says nothing of these, see
 * ltt_reader_silent(): an event of theirs may be earlier than those that the owner has
 * taken already. See reader_pass.c.
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_reader_pass_stuck(struct ltt_reader *reader)
{
	reader->pass = ltt_pass_alloc();
	return reader->pass ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_GPL(ltt_reader_pass_stuck);

/**
 * ltt_reader_silent() - the CPUs that the watermark has passed by
 * @reader:	the reader, after ltt_reader_pass_stuck()
 * @since:	receives the time in the trace since when they are not known to have answered, ns
 *
 * Context: task.
 * Return: the CPUs; valid until ltt_reader_close(), may change in ltt_reader_advance().
 */
const struct cpumask *ltt_reader_silent(const struct ltt_reader *reader, u64 *since)
{
	return ltt_pass_silent(reader->pass, since);
}
EXPORT_SYMBOL_GPL(ltt_reader_silent);

/**
 * ltt_reader_finished() - has the trace been destroyed and everything been read?
 * @reader:	the reader
 *
 * Losses that nothing follows are found here: the return value is false until the
 * owner has reported, and cleared, cursor.lost of every stream.
 *
 * Context: task; does not sleep.
 */
bool ltt_reader_finished(struct ltt_reader *reader)
{
	struct ltt_cursor *cursor;
	bool finished = true;
	unsigned int i;

	if (reader->watermark != LTT_WATERMARK_END)
		return false;
	for (i = 0; i < reader->nr_active; i++) {
		cursor = &reader->active[i]->cursor;
		ltt_cursor_last_losses(cursor);
		if (ltt_cursor_pending(cursor))
			finished = false;
	}
	return finished;
}
EXPORT_SYMBOL_GPL(ltt_reader_finished);

/* The owner has taken all it may take: it must not look stopped. */
static void idle(struct ltt_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_active; i++)
		ltt_cursor_idle(&reader->active[i]->cursor);
}

/* Is a fast reader's grace period going to end any moment? Not if a CPU is stuck. */
static bool is_hurrying(const struct ltt_reader *reader)
{
	return reader->gp_running && reader->gp_hurried &&
	       ktime_get_ns() - reader->gp_began < HURRY_MAX;
}

/*
 * Sleep until it is time for another check, or the state of the trace changes.
 * @pause: that of the last time, 0 at first. Return: that of this time.
 */
static u64 pause_reader(struct ltt_reader *reader, u64 pause)
{
	DEFINE_WAIT(wait);
	ktime_t timeout;

	if (reader->fast && ltt_reader_can_hurry())
		pause = is_hurrying(reader) ? PAUSE_HURRY : PAUSE_FAST;
	else if (reader->gp_running)
		pause = backlog(reader) > LITTLE ? PAUSE_FLOW : PAUSE_GP;
	else if (!pause)
		pause = PAUSE_GP;
	else
		pause = min_t(u64, 4 * pause, PAUSE_IDLE_MAX);

	prepare_to_wait(&reader->trace->wait, &wait, TASK_INTERRUPTIBLE);
	timeout = ns_to_ktime(pause);
	schedule_hrtimeout_range(&timeout, pause / 4, HRTIMER_MODE_REL);
	finish_wait(&reader->trace->wait, &wait);
	return pause;
}

/**
 * ltt_reader_wait() - wait until there is something new to read
 * @reader:	the reader
 * @nonblock:	do not wait
 *
 * Returns when the watermark has moved and something lies in the buffers, or, at
 * once, when it has reached LTT_WATERMARK_END. That something may turn out to be
 * later than the watermark; the caller then waits again. Call it only when everything up to the
 * watermark has been read: it does not return for unread events before it.
 *
 * Context: task; may sleep.
 * Return: 0, -EAGAIN (@nonblock), -ERESTARTSYS (a signal), -ENOMEM.
 */
int ltt_reader_wait(struct ltt_reader *reader, bool nonblock)
{
	u64 pause = 0;
	int ret;

	for (;;) {
		ret = advance(reader, true);
		if (ret < 0)
			return ret;
		if (ret && backlog(reader) != NOTHING)
			return 0;
		if (reader->watermark == LTT_WATERMARK_END)
			return 0;
		idle(reader);
		if (reader->fast && reader->gp_running)
			hurry(reader);
		if (nonblock)
			return -EAGAIN;
		if (signal_pending(current))
			return -ERESTARTSYS;
		pause = pause_reader(reader, pause);
	}
}
EXPORT_SYMBOL_GPL(ltt_reader_wait);

/**
 * ltt_reader_release() - let writers have all that has been read
 * @reader:	the reader
 *
 * Events after the marks of the cursors stay, unless the reader stops: writers do not wait
 * for ever for a reader that has released its cursors and is not in ltt_reader_wait(). So
 * windows are invalid from here on; see ltt_cursor_pin().
 *
 * Context: task; does not sleep.
 */
void ltt_reader_release(struct ltt_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_active; i++)
		ltt_cursor_release(&reader->active[i]->cursor);
}
EXPORT_SYMBOL_GPL(ltt_reader_release);

/**
 * ltt_reader_open() - start to read a trace
 * @trace:	the trace; the caller has a reference
 * @channel:	read only this channel, which may be a private one; NULL: read all
 *		that are not private
 *
 * Reading starts with the oldest events that no other reader has read, or, in
 * overwrite mode, with the oldest in the buffers. Takes no lock that is held while
 * files are removed.
 *
 * Context: task; may sleep.
 * Return: the reader, or ERR_PTR: -ENOENT (the trace does not use @channel), -ENOMEM.
 */
struct ltt_reader *ltt_reader_open(struct ltt_trace *trace, const char *channel)
{
	struct ltt_reader *reader;
	int err;

	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return ERR_PTR(-ENOMEM);
	ltt_trace_get(trace);
	reader->trace = trace;
	ltt_unfinished_init(&reader->unfinished);
	err = -ENOENT;
	if (channel) {
		reader->only = ltt_trace_channel_named(trace, channel);
		if (!reader->only)
			goto fail;
	}
	err = ltt_reader_init_cpus(reader);
	if (err)
		goto fail;
	/* A trace may have buffers whatever its first layout is. */
	reader->layout = atomic_read(&trace->layout) - 1;
	err = ltt_reader_rescan(reader);
	if (err)
		goto fail;
	reader->opened = true;
	return reader;

fail:
	ltt_reader_close(reader);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(ltt_reader_open);

/**
 * ltt_reader_close() - stop reading
 * @reader:	the reader
 *
 * In discard mode what it did not read is left to the next reader.
 *
 * Context: task; may sleep.
 */
void ltt_reader_close(struct ltt_reader *reader)
{
	ltt_unfinished_cancel(&reader->unfinished);
	ltt_reader_close_streams(reader);
	ltt_pass_free(reader->pass);
	ltt_trace_put(reader->trace);
	kfree(reader);
}
EXPORT_SYMBOL_GPL(ltt_reader_close);
