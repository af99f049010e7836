// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: many sorted streams, one order.
 *
 * DOC: tournament of losers
 *
 * Streams play a knock-out tournament for the earliest event. Stream s starts at
 * leaf nr + s of a binary tree whose inner nodes are 1 to nr - 1, the parent of
 * node i being i / 2; this works for any nr, not only for powers of two. Each inner
 * node keeps the key that lost there, and the winner of all stands above the tree.
 * When the winner is replaced by its stream's next event, only the matches on the
 * way from its leaf to the root have to be played again, each against the
 * loser found in the node: one comparison a level, against two in a heap.
 *
 * Keys are kept in the nodes, not behind indices. The nodes of a replay are thus
 * known from the leaf alone and can be loaded before the comparisons are decided.
 *
 * Events often come in bursts from one stream. A stream that wins twice running has
 * just played everybody who could be second: the earliest loser on its way. As
 * long as its events come before that one, no match is needed.
 *
 * Source: D. E. Knuth, The Art of Computer Programming, volume 3, 2nd edition,
 * section 5.4.1, "Multiway merging and replacement selection".
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "merge.h"

static bool before(const struct ltt_merge_key *a, const struct ltt_merge_key *b)
{
	return ltt_merge_before(a->ts, a->tie, b);
}

/* The node above the leaf of the key's stream; none for a cleared key. */
static size_t parent_of_leaf(const struct ltt_merge *m, u64 tie)
{
	return ((size_t)m->nr + (u32)tie) / 2;
}

/* The winner won twice: find who is second. */
static noinline void find_runner_up(struct ltt_merge *m)
{
	size_t i = parent_of_leaf(m, m->top.tie);

	m->runner_up.ts = LTT_MERGE_NONE;
	m->runner_up.tie = LTT_MERGE_NONE;
	for (; i; i /= 2)
		if (before(&m->nodes[i], &m->runner_up))
			m->runner_up = m->nodes[i];
}

/* A key as one number: compared without a branch, in two instructions on x86. */
static unsigned __int128 wide(u64 ts, u64 tie)
{
	return (unsigned __int128)ts << 64 | tie;
}

/* Internal: put a new key in the place of the winner. */
void __ltt_merge_replay(struct ltt_merge *m, u64 ts, u64 tie)
{
	u64 winner = m->top.tie;
	size_t i;

	for (i = parent_of_leaf(m, winner); i; i /= 2) {
		struct ltt_merge_key *node = &m->nodes[i];
		u64 node_ts = node->ts, node_tie = node->tie;
		u64 lost = -(u64)(wide(node_ts, node_tie) < wide(ts, tie));
		u64 ts_differ = (ts ^ node_ts) & lost;
		u64 tie_differ = (tie ^ node_tie) & lost;

		/* Who wins is anybody's guess: compute, don't branch. */
		node->ts = node_ts ^ ts_differ;
		node->tie = node_tie ^ tie_differ;
		ts ^= ts_differ;
		tie ^= tie_differ;
	}
	m->top.ts = ts;
	m->top.tie = tie;

	if (tie == winner && tie != LTT_MERGE_NONE) {
		find_runner_up(m);
	} else {
		/* Nobody knows: every event is to be played. */
		m->runner_up.ts = 0;
		m->runner_up.tie = 0;
	}
}
EXPORT_SYMBOL_GPL(__ltt_merge_replay);

/**
 * ltt_merge_build() - play all matches
 * @m:	the merge
 *
 * To be called when streams were set or cleared. O(streams).
 *
 * Context: as ltt_merge_set().
 */
void ltt_merge_build(struct ltt_merge *m)
{
	struct ltt_merge_key *nodes = m->nodes;
	size_t i;

	m->runner_up.ts = 0;
	m->runner_up.tie = 0;
	if (!m->nr) {
		m->top.ts = LTT_MERGE_NONE;
		m->top.tie = LTT_MERGE_NONE;
		return;
	}

	/* Winners first, from the leaves to the root ... */
	for (i = m->nr - 1; i; i--)
		nodes[i] = nodes[2 * i + before(&nodes[2 * i + 1], &nodes[2 * i])];
	m->top = nodes[1];

	/* ... then, from the root to the leaves, each winner makes room for its loser. */
	for (i = 1; i < m->nr; i++)
		nodes[i] = nodes[2 * i + (nodes[2 * i].tie == nodes[i].tie)];
}
EXPORT_SYMBOL_GPL(ltt_merge_build);

/**
 * ltt_merge_init() - prepare to merge streams
 * @m:	the merge; all streams are clear, and nobody is at the top
 * @nr:	number of streams, at least 1 and at most 2^31 - 1
 *
 * Context: task context; may sleep.
 * Return: 0, or -EINVAL (@nr), -ENOMEM.
 */
int ltt_merge_init(struct ltt_merge *m, unsigned int nr)
{
	if (!nr)
		return -EINVAL;
	m->nodes = NULL;
	m->room = 0;
	return ltt_merge_reset(m, nr);
}
EXPORT_SYMBOL_GPL(ltt_merge_init);

/**
 * ltt_merge_reset() - begin anew, with another number of streams
 * @m:		the merge, initialised, or all zeroes; afterwards all streams are clear, and nobody
 *		is at the top
 * @nr:		number of streams, at most 2^31 - 1; may be 0
 *
 * Context: task context; may sleep.
 * Return: 0, or -EINVAL (@nr), -ENOMEM: nothing has changed.
 */
int ltt_merge_reset(struct ltt_merge *m, unsigned int nr)
{
	struct ltt_merge_key *nodes;
	unsigned int i;

	if (nr > INT_MAX)
		return -EINVAL;
	if (nr > m->room) {
		nodes = kvmalloc_array(nr, 2 * sizeof(*nodes), GFP_KERNEL);
		if (!nodes)
			return -ENOMEM;
		kvfree(m->nodes);
		m->nodes = nodes;
		m->room = nr;
	}
	m->nr = nr;
	for (i = 0; i < nr; i++)
		ltt_merge_clear(m, i);
	ltt_merge_build(m);
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_merge_reset);

/**
 * ltt_merge_destroy() - free what ltt_merge_init() allocated
 * @m:	the merge
 *
 * Context: task context.
 */
void ltt_merge_destroy(struct ltt_merge *m)
{
	kvfree(m->nodes);
	m->nodes = NULL;
	m->room = 0;
}
EXPORT_SYMBOL_GPL(ltt_merge_destroy);
