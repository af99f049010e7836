// SPDX-License-Identifier: GPL-2.0
/*
 * The runner: an outer operation is stepped; before each of its instructions an
 * inner operation is stepped; before each of the inner one's instructions a third
 * operation runs as a whole. Then inner and outer go on to their ends, everything is
 * read and checked, and the state goes back to where the third began.
 *
 * Writers and flushes are nested on one CPU: the later one ends first. A reader is
 * on another CPU: its end may come before or after that of the writer it was
 * started in, or that was started in it, and both are tried. So is a second reader, of
 * packets. What would wait for the lock of a reader that stands still is not begun.
 *
 * The inner operation's steps depend on the memory alone. They are recorded, and used
 * again as long as the outer operation's instructions do not change memory.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "runner.h"

#define MAX_STEPS	4000
#define MAX_INNER	16

enum phase { RUN, TAKE, RELEASE };

struct frame {
	const struct ss_op *op;
	enum phase phase;
	u32 left;
	struct ss_ghost *ghost;
	struct ss_fiber fiber;
};

struct snapshot {
	struct frame frame;
	struct ss_world world;
};

struct trace {
	struct snapshot *step[MAX_STEPS];
	u32 nr;
};

struct ss_world ss_world;
struct ss_count ss_count;
u64 ss_clock;
unsigned long ss_jiffies;

const struct ltt_tap ss_tap[SS_FORMS] = {
	[SS_COMPACT] = {
		.reserve = ltt_reserve_counter,
		.buf = &ss_world.buf,
		.id = 7,
		.publish = ltt_buf_publish,
	},
	[SS_WIDE] = {
		.reserve = ltt_reserve_wide_counter,
		.buf = &ss_world.buf,
		.id = 40,
		.publish = ltt_buf_publish,
	},
	[SS_EXTENDED] = {
		.reserve = ltt_reserve_slow_counter,
		.buf = &ss_world.buf,
		.id = 0x12345,
		.publish = ltt_buf_publish,
	},
};

static struct frame frames[2];
bool ss_is_stuck;

/* --- going back in time --- */

/* Without the second reader, and windows. */
static size_t world_len(const struct ss_world *world)
{
	return offsetof(struct ss_world, log) + world->nr_log * sizeof(world->log[0]);
}

void ss_copy_world(struct ss_world *to, const struct ss_world *from)
{
	memcpy(to, from, world_len(from));
	if (from->second.open)
		to->second = from->second;
	else
		to->second.open = false;
	if (from->kept.open)
		to->kept = from->kept;
	else
		to->kept.open = false;
}

static void copy_frame(struct frame *to, const struct frame *from,
		       const struct frame *home)
{
	size_t used = from->fiber.reg[SS_RSP] - (u64)home->fiber.stack;

	if (used > SS_STACK_SIZE)
		used = SS_STACK_SIZE;
	memcpy(to, from, offsetof(struct frame, fiber.stack));
	memcpy(to->fiber.stack + used, from->fiber.stack + used, SS_STACK_SIZE - used);
}

static void save(struct snapshot *snapshot, const struct frame *frame)
{
	ss_world.clock = ss_clock;
	if (ss_is_stuck)
		ss_stuck_save(&ss_world.stuck);
	ss_copy_world(&snapshot->world, &ss_world);
	copy_frame(&snapshot->frame, frame, frame);
}

static void restore(const struct snapshot *snapshot, struct frame *frame)
{
	ss_copy_world(&ss_world, &snapshot->world);
	ss_clock = ss_world.clock;
	if (ss_is_stuck)
		ss_stuck_restore(&ss_world.stuck);
	copy_frame(frame, &snapshot->frame, frame);
}

static bool same_world(const struct snapshot *a, const struct snapshot *b)
{
	return a->world.nr_log == b->world.nr_log &&
	       !memcmp(&a->world, &b->world, world_len(&a->world)) &&
	       (!a->world.second.open ||
		!memcmp(&a->world.second, &b->world.second, sizeof(a->world.second))) &&
	       (!a->world.kept.open ||
		!memcmp(&a->world.kept, &b->world.kept, sizeof(a->world.kept)));
}

/* --- operations --- */

/* Who does it: all writers share a CPU, all others have one of their own. */
enum who { WRITERS, FIRST, SECOND, TAKER, COLLECTOR };

static enum who who(const struct ss_op *op)
{
	switch (op->kind) {
	case SS_WRITE:
	case SS_CLOSE:
	case SS_ANSWER:
		return WRITERS;
	case SS_READ:
	case SS_PEEK:
	case SS_LOOK:
	case SS_DOZE:
	case SS_BEGIN:
		return FIRST;
	case SS_TAKE:
		return TAKER;
	case SS_COLLECT:
		return COLLECTOR;
	default:
		return SECOND;
	}
}

static bool is_reader(const struct ss_op *op)
{
	return who(op) == FIRST || who(op) == SECOND;
}

static bool same_reader(const struct ss_op *a, const struct ss_op *b)
{
	return who(a) != WRITERS && who(a) == who(b);
}

/* Would it wait for somebody who stands still? */
static bool would_wait(const struct ss_op *op, const struct snapshot *at)
{
	return is_reader(op) && at->world.buf.read_lock.held;
}

static unsigned long ring_size(void)
{
	return (ss_world.buf.sb_mask + 1ul) << SS_ORDER;
}

static struct ss_ghost *new_ghost(const struct ss_op *op)
{
	const struct ltt_buf *buf = &ss_world.buf;
	struct ss_ghost *ghost = &ss_world.log[ss_world.nr_log];

	if (ss_world.nr_log == SS_LOG) {
		fprintf(stderr, "SS_LOG is too small\n");
		abort();
	}
	*ghost = (struct ss_ghost) {
		.id = ss_world.nr_log++,
		.payload = op->payload,
		.form = op->form,
		.begin = ss_clock++,
		.room = buf->frontier + ring_size(),
	};
	if (!buf->overwrite && buf->consumed < buf->frontier)
		ghost->room = buf->consumed + ring_size();
	if (!ss_world.nr_running++)
		ss_world.nr_nests++;
	ghost->nest = ss_world.nr_nests;
	return ghost;
}

static void end_ghost(struct ss_ghost *ghost)
{
	ghost->end = ss_clock++;
	ss_world.nr_running--;
	ss_check_attempt(ghost);
}

static u32 nr_events(const struct ss_op *op)
{
	return op->count == SS_ROUND ? ring_size() / SS_SIZE * 4 + 3 : op->count ?: 1;
}

static void write_begin(struct frame *frame)
{
	frame->ghost = new_ghost(frame->op);
	ss_fiber_start(&frame->fiber, ss_is_stuck ? ss_op_mark : ss_op_write, (u64)frame->ghost);
}

/* Has the CPU answered since the round began? Its proof is of that moment. */
static void note_answer(void)
{
	u64 watermark;

	if (ss_world.noted || !ss_stuck_answered(&watermark))
		return;
	ss_world.noted = true;
	ss_count.answers++;
	ss_answered(watermark);
}

/* Its end is the latest stamp so far. */
void ss_take_window(void)
{
	struct ss_kept *kept = &ss_world.kept;
	struct ss_window *window = kept->window;

	while (window < kept->window + kept->nr && window->taken)
		window++;
	if (window == kept->window + kept->nr)
		return;
	ss_op_take();
	*window = (struct ss_window){
		.until = ss_clock - 1,
		.write = ss_world.buf.write,
		.nest = ss_world.nr_nests,
		.running = ss_world.nr_running,
		.taken = true,
	};
}

/*
 * The first that is not collected, if there has been a grace period since it was taken:
 * writers that were under way then are done.
 */
static void choose_window(void)
{
	struct ss_kept *kept = &ss_world.kept;
	struct ss_window *window;

	kept->collecting = NULL;
	for (window = kept->window; window < kept->window + SS_WINDOWS; window++) {
		if (!window->taken || window->done)
			continue;
		if (!window->running || !ss_world.nr_running ||
		    ss_world.nr_nests != window->nest)
			kept->collecting = window;
		return;
	}
}

static void begin_op(const struct ss_op *op)
{
	if (op->kind == SS_COLLECT)
		choose_window();
	ss_clock += op->jump;
	if (op->asked) {
		ss_op_answer();
		note_answer();
	}
}

static void begin(struct frame *frame, const struct ss_op *op)
{
	memset(frame, 0, offsetof(struct frame, fiber.stack));
	frame->op = op;
	begin_op(op);
	switch (op->kind) {
	case SS_WRITE:
		frame->left = nr_events(op);
		write_begin(frame);
		break;
	case SS_CLOSE:
		ss_fiber_start(&frame->fiber, ss_op_close, 0);
		break;
	case SS_LOOK:
		ss_fiber_start(&frame->fiber, ss_op_look, 0);
		break;
	case SS_DOZE:
		ss_fiber_start(&frame->fiber, ss_op_doze, 0);
		break;
	case SS_OTHER:
		ss_fiber_start(&frame->fiber, ss_op_other, 0);
		break;
	case SS_BEGIN:
		ss_fiber_start(&frame->fiber, ss_op_begin, 0);
		break;
	case SS_ANSWER:
		ss_fiber_start(&frame->fiber, ss_op_answer, 0);
		break;
	case SS_COLLECT:
		ss_fiber_start(&frame->fiber, ss_op_collect, 0);
		break;
	case SS_PACKETS:
		ss_fiber_start(&frame->fiber, ss_op_next, 0);
		break;
	case SS_KEEP:
		ss_fiber_start(&frame->fiber, ss_op_keep, 0);
		break;
	default:
		ss_fiber_start(&frame->fiber, ss_op_window, 0);
		break;
	}
}

/* The function that ran has returned. Return: true if that was all. */
static bool advance(struct frame *frame)
{
	switch (frame->op->kind) {
	case SS_WRITE:
		end_ghost(frame->ghost);
		if (!--frame->left)
			return true;
		write_begin(frame);
		return false;
	case SS_BEGIN:
		ss_world.noted = false;
		note_answer();
		return true;
	case SS_ANSWER:
		note_answer();
		return true;
	case SS_CLOSE:
	case SS_LOOK:
	case SS_DOZE:
	case SS_OTHER:
	case SS_COLLECT:
		return true;
	default:
		if (frame->phase == RELEASE)
			return true;
		frame->phase = TAKE;
		return false;
	}
}

/* Return: true if there may be more. */
static bool take_packet(void)
{
	if (ss_world.second.got)
		ss_take_packet();
	return ss_world.second.got && !ss_failed;
}

/*
 * What the window holds is looked at in a step of its own: before it, others may
 * run, and it must stay what it was.
 */
static void take(struct frame *frame)
{
	bool more;

	if (who(frame->op) == SECOND) {
		more = take_packet() && frame->op->kind == SS_PACKETS;
		frame->phase = more ? RUN : RELEASE;
		ss_fiber_start(&frame->fiber, more ? ss_op_next : ss_op_packets_release, 0);
		return;
	}
	ss_take(&ss_world.cursor, &ss_world.stream, ss_world.window,
		ss_world.window_len, frame->op->kind == SS_PEEK);
	more = ss_world.window_len && frame->op->kind == SS_READ && !ss_failed;
	frame->phase = more ? RUN : RELEASE;
	ss_fiber_start(&frame->fiber, more ? ss_op_window : ss_op_release, 0);
}

/* One instruction. Return: true if the operation is complete. */
static bool step(struct frame *frame)
{
	if (frame->phase == TAKE) {
		take(frame);
		return false;
	}
	return ss_fiber_step(&frame->fiber) && advance(frame);
}

static void finish(struct frame *frame)
{
	for (;;) {
		if (frame->phase == TAKE) {
			take(frame);
			continue;
		}
		ss_fiber_finish(&frame->fiber);
		ss_observe();
		if (advance(frame))
			return;
	}
}

/* Without a fiber: nobody will interrupt it. */
void ss_run_whole(const struct ss_op *op)
{
	struct ss_ghost *ghost;
	u32 left = op->count;

	begin_op(op);
	switch (op->kind) {
	case SS_WRITE:
		for (left = nr_events(op); left; left--) {
			ghost = new_ghost(op);
			if (ss_is_stuck)
				ss_op_mark(ghost);
			else
				ss_op_write(ghost);
			end_ghost(ghost);
		}
		break;
	case SS_CLOSE:
		ss_op_close();
		break;
	case SS_LOOK:
		ss_op_look();
		break;
	case SS_DOZE:
		ss_op_doze();
		break;
	case SS_OTHER:
		ss_op_other();
		break;
	case SS_BEGIN:
		ss_op_begin();
		ss_world.noted = false;
		note_answer();
		break;
	case SS_ANSWER:
		ss_op_answer();
		note_answer();
		break;
	case SS_TAKE:
		ss_take_window();
		break;
	case SS_COLLECT:
		ss_op_collect();
		break;
	case SS_PACKETS:
		do {
			ss_op_next();
		} while (take_packet());
		ss_op_packets_release();
		break;
	case SS_KEEP:
		ss_op_keep();
		take_packet();
		ss_op_packets_release();
		break;
	default:
		do {
			ss_op_window();
			ss_take(&ss_world.cursor, &ss_world.stream, ss_world.window,
				ss_world.window_len, op->kind == SS_PEEK);
		} while (ss_world.window_len && op->kind == SS_READ && --left && !ss_failed);
		ss_op_release();
		break;
	}
	ss_observe();
	if (op->then)
		ss_run_whole(op->then);
}

static void report(const struct ss_start *start, const struct ss_op *outer,
		   u32 k1, const struct ss_op *inner, u32 k2,
		   const struct ss_op *third, bool swap)
{
	printf("#   %s, %u sub-buffers, %u events, read after %u%s%s\n",
	       start->overwrite ? "overwrite" : "discard", 1u << start->order,
	       start->events, start->read, start->closed ? ", closed" : "",
	       start->packets ? ", a reader of packets" :
	       start->taken ? ", a window taken" :
	       start->windows ? ", windows" :
	       start->stuck ? ", the CPU is asked" : "");
	printf("#   %s interrupted before instruction %u by %s", outer->name, k1,
	       inner ? inner->name : "nothing");
	if (third)
		printf(", before its instruction %u by %s", k2, third->name);
	printf("%s\n", swap ? "; the first ends first" : "");
}

/* --- all runs --- */

static void record(struct trace *trace, const struct ss_op *op)
{
	bool done = false;

	begin(&frames[1], op);
	for (trace->nr = 0; !done; trace->nr++) {
		if (trace->nr == MAX_STEPS) {
			fprintf(stderr, "MAX_STEPS is too small\n");
			abort();
		}
		if (!trace->step[trace->nr])
			trace->step[trace->nr] = aligned_alloc(64, sizeof(struct snapshot));
		save(trace->step[trace->nr], &frames[1]);
		done = step(&frames[1]);
		ss_observe();
	}
}

/* Where we are. */
struct nest {
	const struct ss_start *start;
	const struct ss_op *outer;
	const struct ss_op *inner;
	const struct snapshot *outer_at;
	const struct snapshot *inner_at;
	u32 k1, k2;
};

/* The third operation, if there is one, then the rest of the others. */
static void run_third(const struct nest *nest, const struct ss_op *third)
{
	/* Of two readers, it is the inner one that has the lock, if one does. */
	bool locked = is_reader(nest->inner) && would_wait(nest->outer, nest->inner_at);
	bool free = who(nest->outer) != who(nest->inner) && !locked;
	int swap;

	if (third && (same_reader(third, nest->outer) || same_reader(third, nest->inner) ||
		      would_wait(third, nest->inner_at)))
		return;
	for (swap = 0; swap <= free && !ss_failed; swap++) {
		restore(nest->inner_at, &frames[1]);
		copy_frame(&frames[0], &nest->outer_at->frame, &frames[0]);
		if (third)
			ss_run_whole(third);
		finish(&frames[!swap]);
		finish(&frames[swap]);
		ss_conclude(nest->start);
		if (ss_failed)
			report(nest->start, nest->outer, nest->k1, nest->inner,
			       nest->k2, third, swap);
	}
}

static void run_inner(struct nest *nest, const struct trace *trace,
		      const struct ss_op *const *third)
{
	const struct ss_op *const *op;

	ss_count.inner += trace->nr;
	for (nest->k2 = 0; nest->k2 < trace->nr; nest->k2++) {
		nest->inner_at = trace->step[nest->k2];
		if (!nest->k2)
			run_third(nest, NULL);
		for (op = third; *op && !ss_failed; op++)
			run_third(nest, *op);
		if (ss_failed)
			return;
	}
}

/**
 * ss_run_once() - all ways to interrupt an operation at one place
 * @start:	state of the buffer
 * @outer:	the operation that is interrupted
 * @inner:	what it is interrupted by, as a whole; ends with NULL
 */
void ss_run_once(const struct ss_start *start, const struct ss_op *outer,
		 const struct ss_op *const *inner)
{
	static struct snapshot at;
	const struct ss_op *const *op;
	bool done = false;
	u32 k;

	ss_setup(start);
	begin(&frames[0], outer);
	for (k = 0; !done; k++) {
		ss_count.outer++;
		save(&at, &frames[0]);
		for (op = inner; *op; op++) {
			if (same_reader(outer, *op))
				continue;
			restore(&at, &frames[0]);
			ss_run_whole(*op);
			finish(&frames[0]);
			ss_conclude(start);
			if (ss_failed) {
				report(start, outer, k, *op, 0, NULL, false);
				return;
			}
		}
		restore(&at, &frames[0]);
		done = step(&frames[0]);
		ss_observe();
	}
}

/**
 * ss_run_twice() - all ways to interrupt an operation at two places, with one reader
 * @start:	state of the buffer
 * @outer:	the operation that is interrupted
 * @inner:	what it is interrupted by first, as a whole
 * @third:	what it is interrupted by later; ends with NULL
 */
void ss_run_twice(const struct ss_start *start, const struct ss_op *outer,
		  const struct ss_op *inner, const struct ss_op *const *third)
{
	static struct snapshot at, later;
	const struct ss_op *const *op;
	bool done = false;
	u32 k1, k2;

	if (is_reader(outer) && (is_reader(inner) || inner->then))
		return;
	ss_setup(start);
	begin(&frames[0], outer);
	for (k1 = 0; !done; k1++) {
		bool done_later = false;

		save(&at, &frames[0]);
		ss_run_whole(inner);
		for (k2 = k1; !done_later; k2++) {
			ss_count.twice++;
			save(&later, &frames[0]);
			for (op = third; *op; op++) {
				if ((is_reader(outer) && is_reader(*op)) ||
				    same_reader(outer, *op))
					continue;
				restore(&later, &frames[0]);
				ss_run_whole(*op);
				finish(&frames[0]);
				ss_conclude(start);
				if (ss_failed) {
					report(start, outer, k1, inner, k2, *op, false);
					printf("#   (both of them instructions of the first)\n");
					return;
				}
			}
			restore(&later, &frames[0]);
			done_later = step(&frames[0]);
			ss_observe();
		}
		restore(&at, &frames[0]);
		done = step(&frames[0]);
		ss_observe();
	}
}

/**
 * ss_run() - all ways to nest two operations into one
 * @start:	state of the buffer
 * @outer:	the operation that is interrupted
 * @inner:	what it is interrupted by; ends with NULL
 * @third:	what that is interrupted by; ends with NULL
 */
void ss_run(const struct ss_start *start, const struct ss_op *outer,
	    const struct ss_op *const *inner, const struct ss_op *const *third)
{
	static struct trace traces[MAX_INNER];
	static struct snapshot at[2];
	struct nest nest = { .start = start, .outer = outer };
	u32 k1, i;

	ss_setup(start);
	if (ss_failed) {
		report(start, outer, 0, NULL, 0, NULL, false);
		return;
	}
	begin(&frames[0], outer);
	for (k1 = 0; ; k1++) {
		struct snapshot *now = &at[k1 & 1];
		bool known;

		ss_count.outer++;
		save(now, &frames[0]);
		known = k1 && same_world(now, &at[~k1 & 1]);
		for (i = 0; inner[i]; i++) {
			if (same_reader(outer, inner[i]) || would_wait(inner[i], now))
				continue;
			if (!known) {
				restore(now, &frames[0]);
				record(&traces[i], inner[i]);
			}
			if (ss_failed) {
				report(start, outer, k1, inner[i], 0, NULL, false);
				return;
			}
			nest.k1 = k1;
			nest.inner = inner[i];
			nest.outer_at = now;
			run_inner(&nest, &traces[i], third);
			if (ss_failed)
				return;
		}
		restore(now, &frames[0]);
		if (step(&frames[0]))
			return;
		ss_observe();
		if (ss_failed) {
			report(start, outer, k1, NULL, 0, NULL, false);
			return;
		}
	}
}
