// SPDX-License-Identifier: GPL-2.0
/*
 * A reader that passes by a stuck CPU: kernel/trace/ltt-core/reader/reader_pass.c itself, and
 * what the runner does with it. Compiled like the code under test and stepped with it.
 */

/* It needs no more of trace/core.h than is in pass.h. */
#define _LTT_CORE_H
#include "reader_pass.c"

#include "world.h"

/* All that it changes, the reader's part with room for the idle time of each CPU. */
static union {
	struct ltt_pass pass;
	u8 room[sizeof(struct ltt_pass) + nr_cpu_ids * sizeof(u64)];
} stuck;

/* The reader, on another CPU, begins a round. */
void ss_op_begin(void)
{
	if (stuck.pass.running)
		ltt_pass_take(&stuck.pass);
	ltt_pass_poll(&stuck.pass, LTT_CLOCK_COUNTER, 0);
}

/* The interrupt comes. Whichever reader sent it, it answers all. */
void ss_op_answer(void)
{
	ask_cpu(SS_CPU);
}

/**
 * ss_stuck_answered() - has the CPU answered in the reader's round?
 * @watermark:	receives that of the round
 */
bool ss_stuck_answered(u64 *watermark)
{
	*watermark = stuck.pass.watermark;
	return stuck.pass.running && has_answered(&stuck.pass, SS_CPU);
}

void ss_stuck_init(void)
{
	memset(&stuck, 0, sizeof(stuck));
	memset(&asks, 0, sizeof(asks));
	rounds.counter = 0;
	ltt_pass_init();
}

void ss_stuck_save(struct ss_stuck *to)
{
	_Static_assert(sizeof(stuck) <= sizeof(to->reader), "room");

	memcpy(to->reader, &stuck, sizeof(stuck));
	to->busy = asks.busy;
	to->answered = asks.answered;
	to->rounds = rounds.counter;
}

void ss_stuck_restore(const struct ss_stuck *from)
{
	memcpy(&stuck, from->reader, sizeof(stuck));
	asks.busy = from->busy;
	asks.answered = from->answered;
	rounds.counter = from->rounds;
}
