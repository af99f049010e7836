// SPDX-License-Identifier: GPL-2.0
/*
 * What writers and readers do, in the same way as the kernel's callers do it.
 * Compiled like the code under test and stepped with it.
 */

#include "world.h"

/* The stores to @ghost tell the checker how far the writer has come. */
void ss_op_write(struct ss_ghost *ghost)
{
	const struct ltt_tap *tap = &ss_tap[ghost->wide];
	u32 payload = ghost->payload;
	struct ltt_slot slot;
	u32 *word, i;

	slot = tap->reserve(tap, payload + LTT_HEADER_COMPACT);
	if (!slot.p) {
		WRITE_ONCE(ghost->state, SS_DROPPED);
		return;
	}
	WRITE_ONCE(ghost->start, slot.start);
	WRITE_ONCE(ghost->state, SS_RESERVED);
	word = (u32 *)slot.p;
	for (i = 0; i < payload / 4; i++)
		WRITE_ONCE(word[i], ss_word(ghost->id, payload, i));
	WRITE_ONCE(ghost->state, SS_COMMITTING);
	ltt_commit(tap, slot);
	WRITE_ONCE(ghost->state, SS_COMMITTED);
}

void ss_op_close(void)
{
	ltt_buf_close(&ss_world.buf, LTT_CLOCK_COUNTER);
}

void ss_op_window(void)
{
	ss_world.window_len = ltt_cursor_window(&ss_world.cursor, &ss_world.window);
}

void ss_op_release(void)
{
	ltt_cursor_release(&ss_world.cursor);
}
