// SPDX-License-Identifier: GPL-2.0
/*
 * Which operations, in which states of the buffer.
 *
 * usage: singlestep [--packets | --rest | --stuck | --keep] [--full | --first]
 *
 * --packets: with a second reader, which takes packets. --rest: the reader lets the buffer rest,
 * and so does another one. --stuck: the reader asks the CPU, as it does when a grace period
 * takes too long. --keep: windows are taken, and collected. --full is for a run of hours: more
 * states and operations. --first stops at the first failure. In the environment, LTT_LONG
 * makes it look at four sub-buffers, too, where there are two otherwise, at emptier and fuller
 * buffers, at two interruptions of one operation in all of them, and at more that the second
 * reader may do: `make check-long`.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/bug.h>
#include <linux/kernel.h>

#include "runner.h"

#define LATE	(LTT_TIME_MASK + 1)	/* too much for a compact header */

static const struct ss_op write_8 = {
	.name = "write 8", .kind = SS_WRITE, .payload = 8,
};

static const struct ss_op write_20 = {
	.name = "write 20", .kind = SS_WRITE, .payload = 20,
};

/* Just as much as an empty sub-buffer has room for, and a little more. */
static const struct ss_op write_full = {
	.name = "write 44", .kind = SS_WRITE, .payload = 44,
};

static const struct ss_op write_big = {
	.name = "write 48", .kind = SS_WRITE, .payload = 48,
};

static const struct ss_op write_wide = {
	.name = "write wide", .kind = SS_WRITE, .payload = 8, .form = SS_WIDE,
};

static const struct ss_op write_huge = {
	.name = "write huge id", .kind = SS_WRITE, .payload = 8, .form = SS_EXTENDED,
};

static const struct ss_op write_late = {
	.name = "write late", .kind = SS_WRITE, .payload = 8, .jump = LATE,
};

static const struct ss_op write_two = {
	.name = "write two", .kind = SS_WRITE, .payload = 8, .count = 2,
};

static const struct ss_op write_round = {
	.name = "write round", .kind = SS_WRITE, .payload = 8, .count = SS_ROUND,
};

static const struct ss_op close = { .name = "close", .kind = SS_CLOSE };
static const struct ss_op read = { .name = "read", .kind = SS_READ };
static const struct ss_op peek = { .name = "peek", .kind = SS_PEEK };
static const struct ss_op look = { .name = "look", .kind = SS_LOOK };
static const struct ss_op doze = { .name = "doze", .kind = SS_DOZE };
static const struct ss_op read_doze = {
	.name = "read and doze", .kind = SS_READ, .then = &doze,
};

static const struct ss_op other = { .name = "another one's doze", .kind = SS_OTHER };
static const struct ss_op packets = { .name = "packets", .kind = SS_PACKETS };
static const struct ss_op keep = { .name = "keep a packet", .kind = SS_KEEP };

/* Finds no room, and then there is; but the reader has not come to what was lost. */
static const struct ss_op read_subbuf = {
	.name = "read a sub-buffer", .kind = SS_READ, .count = 1,
};

static const struct ss_op write_read = {
	.name = "write 8 and read a sub-buffer", .kind = SS_WRITE, .payload = 8,
	.then = &read_subbuf,
};

static const struct ss_op *const outers[] = {
	&write_8, &read, &close, &write_late, &write_full, &write_20, &write_wide,
	&write_big, &peek,
};

static const struct ss_op *const inners[] = {
	&write_8, &write_late, &close, &read, NULL
};

static const struct ss_op *const thirds[] = {
	&write_8, &write_round, &close, &read, NULL
};

static const struct ss_op *const just_write[] = { &write_8, NULL };

static const struct ss_op *const inners_full[] = {
	&write_8, &write_20, &write_full, &write_big, &write_wide, &write_huge, &write_late,
	&write_two, &close, &read, &peek, NULL
};

static const struct ss_op *const thirds_full[] = {
	&write_8, &write_20, &write_full, &write_big, &write_late,
	&write_round, &close, &read, &peek, NULL
};

/* With a second reader, which takes packets. */
static const struct ss_op *const outers_packets[] = {
	&packets, &write_8, &keep, &read, &close,
};

static const struct ss_op *const inners_packets[] = {
	&write_8, &close, &packets, &read, NULL
};

static const struct ss_op *const thirds_packets[] = {
	&write_8, &write_round, &close, &packets, &read, &look, &keep, NULL
};

/* The reader, and another one, let the buffer rest. */
static const struct ss_op *const outers_rest[] = {
	&write_8, &doze, &write_big, &close, &read,
};

static const struct ss_op *const inners_rest[] = {
	&doze, &write_8, &write_big, &other, &close, NULL
};

static const struct ss_op *const thirds_rest[] = {
	&doze, &read_doze, &other, &write_8, &write_big, &write_round, &close, NULL
};

/* The reader asks the CPU. */
static const struct ss_op ask = { .name = "begin to ask", .kind = SS_BEGIN };
static const struct ss_op answer = { .name = "answer", .kind = SS_ANSWER };

static const struct ss_op write_asked = {
	.name = "answer, and write 8", .kind = SS_WRITE, .payload = 8, .asked = true,
};

static const struct ss_op *const outers_stuck[] = {
	&write_8, &ask, &answer, &write_big,
};

static const struct ss_op *const inners_stuck[] = {
	&ask, &answer, &write_8, &write_big, &write_asked, NULL
};

static const struct ss_op *const thirds_stuck[] = {
	&ask, &answer, &write_8, &close, NULL
};

/* Windows: taken at any instruction of writers, and collected at any. */
static const struct ss_op take = { .name = "take", .kind = SS_TAKE };
static const struct ss_op collect = { .name = "collect", .kind = SS_COLLECT };

static const struct ss_op take_round = {
	.name = "take and write round", .kind = SS_TAKE, .then = &write_round,
};

static const struct ss_op *const outers_keep[] = {
	&collect, &write_8, &write_full, &write_big, &close,
};

static const struct ss_op *const inners_keep[] = { &write_8, NULL };
static const struct ss_op *const inners_keep_more[] = { &write_8, &collect, NULL };
static const struct ss_op *const takes[] = { &take, &take_round, NULL };

static const struct ss_op *const rounds[] = { &write_round, NULL };

static const struct ss_op *const thirds_keep[] = {
	&write_8, &write_round, &take_round, &collect, &close, NULL
};

/* Nobody is left behind. */
static const struct ss_op *const thirds_overwrite[] = {
	&write_8, &write_round, &close, &packets, &read, NULL
};

static bool full, more, first, rest, stuck, keeps;

/*
 * Is this number of events one of those that put the next one at a boundary? Four
 * fit into a sub-buffer.
 */
static bool interesting(const struct ss_start *start)
{
	u32 ring = 4u << start->order, n = start->events;

	if (full)
		return true;
	if (start->order > 1)		/* only the wrap differs from two */
		return n == ring - 1 && !start->closed;
	if ((rest || stuck) && !more)
		return n == ring || (n == 2 && !start->closed);
	if (start->closed)
		return n == ring + 2;
	if (keeps)	/* packets are reused; the last one is full, or has room for one */
		return n == 2 * ring || (more && (n == 2 * ring - 1 || n == ring + 2));
	if (!more)
		return n == ring - 1 || (n == ring && !start->packets);
	return n == 0 || n == 2 || n == ring - 1 || n == ring || n == ring + 3;
}

/* And is this how much has been read of it? */
static bool interesting_read(const struct ss_start *start)
{
	u32 ring = 4u << start->order;

	/* All has been read, or never is. */
	if (rest)
		return start->read == start->events;
	if (keeps)
		return !start->read;
	if (more)
		return true;
	/* All of a full ring, else nothing. */
	return start->read == (start->events == ring ? ring : 0);
}

/* Is an operation interrupted twice in this state? That takes most of the steps. */
static bool twice(const struct ss_start *start)
{
	u32 ring = 4u << start->order;

	if (full)
		return true;
	if (start->order > 1 || start->read)
		return false;
	return more || (start->events == ring - 1 && !start->closed);
}

static void run_state(const struct ss_start *start, const struct ss_op *outer)
{
	const struct ss_op *const *third = full ? thirds_full : thirds;
	const struct ss_op *const *inner = full ? inners_full : inners;

	if (twice(start)) {
		ss_run_twice(start, outer, inner[0], third);
		if (!ss_failed && more)
			ss_run_twice(start, outer, &write_big, just_write);
		if (!ss_failed && more && !start->overwrite)
			ss_run_twice(start, outer, &write_read, just_write);
	}
	while (full && *++inner && !ss_failed)
		ss_run_twice(start, outer, *inner, third);
	if (!ss_failed)
		ss_run(start, outer, full ? inners_full : inners, third);
}

static void run_state_packets(const struct ss_start *start, const struct ss_op *outer)
{
	ss_run(start, outer, inners_packets,
	       start->overwrite ? thirds_overwrite : thirds_packets);
}

/* It is asked, and answers at any later instruction of the same operation. */
static void run_state_stuck(const struct ss_start *start, const struct ss_op *outer)
{
	ss_run_twice(start, outer, &ask, thirds_stuck);
	if (!ss_failed)
		ss_run(start, outer, inners_stuck, thirds_stuck);
}

/*
 * A window is taken at any instruction of a writer, or of one nested into it, or at one and at
 * any later one others nest into it. Or it was taken before, and is collected at any.
 */
static void run_state_keep(struct ss_start *start, const struct ss_op *outer)
{
	start->taken = outer == &collect;
	if (!start->taken) {
		ss_run_twice(start, outer, &take, thirds_keep);
		if (!ss_failed && (more || outer == &write_8))
			ss_run(start, outer, inners_keep, takes);
		start->taken = true;
		if (!ss_failed)
			ss_run_twice(start, outer, &collect, rounds);
	}
	if (!ss_failed)
		ss_run_once(start, outer, thirds_keep);
	if (!ss_failed && more)
		ss_run(start, outer, inners_keep_more, thirds_keep);
	if (!ss_failed && more)
		ss_run_twice(start, outer, &write_round, rounds);
	start->taken = false;
}

static void run_group(struct ss_start *start, const struct ss_op *outer)
{
	u32 events = (4u << start->order) + 5 + (keeps ? 4u << start->order : 0);
	u32 closed, n, i;

	for (closed = 0; closed < 2; closed++) {
		start->closed = closed;
		for (n = 0; n <= events; n++) {
			const u32 reads[] = { 0, n, n > 5 ? n - 5 : 0 };

			start->events = n;
			if (!interesting(start))
				continue;
			for (i = 0; i < 3 && !ss_failed; i++) {
				if (i && (!reads[i] || (i == 2 && !full)))
					continue;
				start->read = reads[i];
				if (!interesting_read(start))
					continue;
				if (keeps)
					run_state_keep(start, outer);
				else if (rest)
					ss_run(start, outer, inners_rest, thirds_rest);
				else if (stuck)
					run_state_stuck(start, outer);
				else if (start->packets)
					run_state_packets(start, outer);
				else
					run_state(start, outer);
			}
			if (ss_failed)
				return;
		}
	}
}

/* On a small stack, maybe between two single steps: conclude() says it. */
static void warned(const char *what)
{
	ss_warning = what;
}

int main(int argc, char **argv)
{
	const struct ss_op *const *outer;
	u32 modes, mode, i, nr, test = 0, bad = 0;
	bool second = false;

	while (--argc) {
		second |= !strcmp(argv[argc], "--packets");
		rest |= !strcmp(argv[argc], "--rest");
		stuck |= !strcmp(argv[argc], "--stuck");
		keeps |= !strcmp(argv[argc], "--keep");
		full |= !strcmp(argv[argc], "--full");
		first |= !strcmp(argv[argc], "--first");
	}
	more = full || getenv("LTT_LONG");
	modes = more ? 4 : 2;
	ss_all_scripts = more;
	outer = keeps ? outers_keep : rest ? outers_rest : stuck ? outers_stuck :
		second ? outers_packets : outers;
	nr = keeps ? ARRAY_SIZE(outers_keep) : rest ? ARRAY_SIZE(outers_rest) :
	     stuck ? ARRAY_SIZE(outers_stuck) : second ? ARRAY_SIZE(outers_packets) :
	     ARRAY_SIZE(outers);
	setvbuf(stdout, NULL, _IOLBF, 0);
	ss_fiber_setup();
	ss_warned = warned;
	printf("KTAP version 1\n1..%u\n", modes * nr);
	for (i = 0; i < nr; i++) {
		for (mode = 0; mode < modes; mode++) {
			struct ss_start start = {
				.overwrite = keeps || mode & 1,
				.order = mode & 2 ? 2 : 1,
				.packets = second,
				.stuck = stuck,
				.windows = keeps ? 1 + (mode & 1) : 0,
			};

			ss_failed = false;
			ss_warning = NULL;
			run_group(&start, outer[i]);
			bad += ss_failed;
			printf("%sok %u nested in %s, %s, %u sub-buffers%s\n",
			       ss_failed ? "not " : "", ++test, outer[i]->name,
			       start.overwrite ? "overwrite" : "discard",
			       1u << start.order,
			       start.windows == 1 ? ", a window" :
			       start.windows ? ", two windows" :
			       rest ? ", at rest" : stuck ? ", the CPU is asked" :
			       second ? ", with a reader of packets" : "");
			if (bad && first)
				return 1;
		}
	}
	printf("# interruption points: %lu of outer operations, %lu of nested ones,\n",
	       ss_count.outer, ss_count.inner);
	printf("# %lu pairs of one outer operation\n", ss_count.twice);
	if (rest)
		printf("# %lu times at rest in the end\n", ss_count.rests);
	if (rest && !ss_count.rests) {
		printf("not ok: never at rest\n");
		bad++;
	}
	if (keeps)
		printf("# %lu windows, of at most %lu spares\n", ss_count.windows, ss_count.spares);
	if (stuck)
		printf("# %lu answers\n", ss_count.answers);
	if (stuck && !ss_count.answers) {
		printf("not ok: no answer\n");
		bad++;
	}
	printf("# %lu runs, %lu instructions stepped, %lu s of CPU time\n",
	       ss_count.runs, ss_nr_traps, (unsigned long)clock() / CLOCKS_PER_SEC);
	return bad != 0;
}
