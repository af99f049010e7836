/* SPDX-License-Identifier: GPL-2.0 */
/* Runs operations inside operations, at every instruction. */
#ifndef _SS_RUNNER_H
#define _SS_RUNNER_H

#include "fiber.h"
#include "world.h"

enum ss_kind {
	SS_WRITE,
	SS_CLOSE,
	SS_READ,		/* all there is, then release */
	SS_PEEK,		/* one event, then release */
	SS_LOOK,		/* look for a second reader that has stopped */
	SS_DOZE,		/* begin to let the buffer rest */
	SS_OTHER,		/* a third reader does */
	SS_PACKETS,		/* the second reader: all packets, then release */
	SS_KEEP,		/* it copies one packet, releases, and takes that */
	SS_BEGIN,		/* the first reader begins to ask the CPU */
	SS_ANSWER,		/* the interrupt that it takes then */
	SS_TAKE,		/* another CPU takes a window; only as a whole */
	SS_COLLECT,		/* another CPU collects the next one, if it may */
};

/**
 * struct ss_op - an operation
 * @name:	for messages
 * @kind:	what it does
 * @payload:	SS_WRITE: bytes per event
 * @form:	SS_WRITE: the header that the event id needs
 * @jump:	what the clock advances by before it
 * @count:	SS_WRITE: number of events; 0: one, SS_ROUND: more than the ring has
 *		room for. SS_READ, where it runs as a whole: number of windows; 0: all
 * @asked:	the CPU takes the interrupt that asks it before it
 * @then:	what another CPU does before anything else happens; only where @op runs as
 *		a whole
 */
#define SS_ROUND	255
struct ss_op {
	const char *name;
	enum ss_kind kind;
	u8 payload;
	enum ss_form form;
	u8 count;
	u64 jump;
	bool asked;
	const struct ss_op *then;
};

/**
 * struct ss_start - the state of the buffer before the outer operation
 * @overwrite:	mode
 * @order:	log2 of the number of sub-buffers
 * @events:	events of 12 bytes written before
 * @read:	how many of them were written when the reader read all there was; 0 if
 *		it did not
 * @closed:	the sub-buffer was closed in the end
 * @packets:	there is a second reader, which has not read anything
 * @stuck:	the first reader asks the CPU, which counts how deep preemption is disabled
 * @windows:	how many windows there is memory for
 * @taken:	one has been taken
 */
struct ss_start {
	bool overwrite;
	bool closed;
	bool packets;
	bool stuck;
	u8 windows;
	bool taken;
	u8 order;
	u8 events;
	u8 read;
};

/* What was covered. */
struct ss_count {
	unsigned long outer;	/* instructions of outer operations interrupted */
	unsigned long inner;	/* of operations nested into them, at each of those */
	unsigned long twice;	/* pairs of instructions of outer operations */
	unsigned long runs;
	unsigned long rests;	/* runs in which the buffer was at rest in the end */
	unsigned long answers;	/* of the CPU, while something was under way */
	unsigned long windows;	/* collected and checked */
	unsigned long spares;	/* most that were in use when one was checked */
};

extern struct ss_count ss_count;
extern bool ss_is_stuck;	/* ss_start.stuck */

/* one_run.c */
extern bool ss_all_scripts;	/* of what follows a window, not only some in turn */

void ss_setup(const struct ss_start *start);
void ss_conclude(const struct ss_start *start);

/* runner.c */
void ss_copy_world(struct ss_world *to, const struct ss_world *from);
void ss_take_window(void);
void ss_run_whole(const struct ss_op *op);
void ss_run(const struct ss_start *start, const struct ss_op *outer,
	    const struct ss_op *const *inner, const struct ss_op *const *third);
void ss_run_once(const struct ss_start *start, const struct ss_op *outer,
		 const struct ss_op *const *inner);
void ss_run_twice(const struct ss_start *start, const struct ss_op *outer,
		  const struct ss_op *inner, const struct ss_op *const *third);

#endif /* _SS_RUNNER_H */
