// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on the ring buffer, and a naive model of it that says what
 * becomes of every single one.
 */

#include <linux/kernel.h>

#include "test_ring.h"

#define MAX_CURSORS	3

/**
 * struct model - a buffer, naively
 * @write:	position
 * @last_ts:	timestamp of the last event
 * @opened:	packets opened so far; the last of them has number @last
 * @position:	of each event, by number of the attempt; 0 if dropped
 */
struct model {
	unsigned long write;
	u64 last_ts;
	unsigned long last;
	unsigned long *position;
};

static bool model_put(struct model *model, size_t payload, bool is_wide)
{
	unsigned long size = buf.off_mask + 1, subbufs = buf.sb_mask + 1;
	unsigned long room = -model->write % size, seq;
	bool late = ss_clock - model->last_ts >= 1 << 27;
	size_t len = payload + (is_wide || late ? 16 : 4);

	model->position[attempts] = model->write;
	if (room < len) {
		len = HEADER + payload + (is_wide ? 16 : 4);
		seq = (model->write + size - 1) / size;
		model->write = seq * size;
		model->position[attempts] = 0;
		if (len > size || (!buf.overwrite && seq >= subbufs &&
				   buf.consumed / size + subbufs <= seq))
			return false;
		model->last = seq;
		model->position[attempts] = model->write + HEADER;
	}
	model->write += len;
	return true;
}

static void random_put(struct model *model, unsigned long long *state)
{
	unsigned long long dice = ktap_random(state);
	const struct ltt_tap *tap = dice & 3 ? &narrow : &wide;
	size_t payload = 8 + (dice >> 8) % 16;
	bool expected;

	if ((dice >> 16) % 32 == 0)
		payload = 8 + (dice >> 24) % (buf.off_mask - 60);
	ss_clock += (dice >> 40) % 64 ? (dice >> 48) % 1000 : (1 << 27) - 2 + (dice >> 48) % 4;
	expected = model_put(model, payload, tap == &wide);
	EXPECT(put(tap, payload) == expected, "event %u: should be %s", attempts - 1,
	       expected ? "recorded" : "dropped");
	if (expected)
		model->last_ts = ss_clock - 1;	/* the last reading */
	EXPECT(buf.write == model->write, "write %lu, should be %lu", buf.write, model->write);
}

/*
 * Once in a while one event only, then all. What a reader in overwrite mode has
 * missed must be gone.
 */
static void random_take(const struct model *model, struct reader *reader, bool one)
{
	unsigned long seq, subbufs = buf.sb_mask + 1;
	u32 i = reader->next, lost = reader->lost;

	if (!one) {
		drain(reader);
		return;
	}
	take(reader, 1);
	for (lost = i + reader->lost - lost; buf.overwrite && i < lost; i++) {
		seq = model->position[i] >> buf.sb_order;
		EXPECT(!model->position[i] || seq + subbufs <= model->last,
		       "event %u of packet %lu is not gone", i, seq);
	}
}

/* Where a new cursor begins: where one of the others is, in discard mode. */
static u32 next_of_new(const struct reader *reader, const bool *open, u32 which)
{
	u32 i, next = buf.tail.events + buf.tail.lost;

	if (buf.overwrite)
		return 0;
	for (i = 0; i < MAX_CURSORS; i++) {
		if (i != which && open[i] && reader[i].next == next)
			return next;
	}
	ktap_fail(__FILE__, __LINE__, "a cursor is opened at event %u", next);
	return next;
}

static void random_ops(unsigned int seed, unsigned int order, unsigned int subbufs,
		       bool overwrite)
{
	const u32 nr = 300000;
	unsigned long long state = 0x9e3779b97f4a7c15ull + seed, dice;
	struct reader reader[MAX_CURSORS];
	bool open[MAX_CURSORS] = { false };
	struct model model = { .last_ts = 0 };
	u32 i, which;

	setup(order, subbufs, overwrite);
	model.position = calloc(nr + 1, sizeof(*model.position));
	/* The first stays open, so that nothing is lost track of. */
	open_reader(&reader[0]);
	open[0] = true;
	for (i = 0; i < nr && !ktap_failures; i++) {
		dice = ktap_random(&state);
		which = (dice >> 32) % MAX_CURSORS;
		switch (dice % 32) {
		case 0:
			ltt_buf_close(&buf, LTT_CLOCK_MONO);
			model.write = (model.write + buf.off_mask) & ~buf.off_mask;
			break;
		case 1:
			if (which && open[which]) {
				close_reader(&reader[which]);
				open[which] = false;
			} else if (which) {
				open_reader(&reader[which]);
				open[which] = true;
				reader[which].next = next_of_new(reader, open, which);
			}
			break;
		case 2 ... 6:
			if (open[which])
				random_take(&model, &reader[which], dice >> 40 & 3);
			break;
		default:
			random_put(&model, &state);
			break;
		}
	}
	for (i = 0; i < MAX_CURSORS; i++) {
		if (!open[i])
			continue;
		if (!ktap_failures)
			drain(&reader[i]);
		close_reader(&reader[i]);
	}
	free(model.position);
	teardown();
}

static void test_random_discard(void)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		random_ops(i, 7 + i / 2, 2u << i % 3, false);
}

static void test_random_overwrite(void)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		random_ops(100 + i, 7 + i / 2, 2u << i % 3, true);
}

static const struct ktap_case cases[] = {
	{ "discard", test_random_discard },
	{ "overwrite", test_random_overwrite },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
