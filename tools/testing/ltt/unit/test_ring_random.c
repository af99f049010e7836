// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on the ring buffer, and a naive model of it that says what
 * becomes of every single one.
 */

#include <linux/kernel.h>

#include "test_ring.h"

#define MAX_CURSORS	3

/**
 * struct user - a reader and what its owner is up to
 * @reader:	the reader
 * @open:	it has been opened
 * @held:	a window that it has got, and neither used nor released; NULL: none
 * @len:	bytes at @held
 * @until:	it does nothing before this operation
 * @back:	jiffies, when it last read all there was
 * @left:	times it was left behind
 */
struct user {
	struct reader reader;
	bool open;
	const u8 *held;
	size_t len;
	u32 until;
	unsigned long back;
	unsigned int left;
};

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

static bool model_put(struct model *model, size_t payload, size_t header)
{
	unsigned long size = buf.off_mask + 1, subbufs = buf.sb_mask + 1;
	unsigned long room = -model->write % size, seq;
	bool late = ss_clock - model->last_ts >= 1 << 27;
	size_t len = payload + (late ? 16 : header);

	model->position[attempts] = model->write;
	if (room < len) {
		len = HEADER + payload + header;
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
	const struct ltt_tap *tap = dice & 3 ? &narrow : dice & 4 ? &wide : &huge;
	size_t payload = 8 + (dice >> 8) % 16;
	bool expected;

	if ((dice >> 16) % 32 == 0)
		payload = 8 + (dice >> 24) % (buf.off_mask - 60);
	ss_clock += (dice >> 40) % 64 ? (dice >> 48) % 1000 : (1 << 27) - 2 + (dice >> 48) % 4;
	expected = model_put(model, payload, tap == &narrow ? 4 : tap == &wide ? 6 : 16);
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

/*
 * Where a new cursor begins: where one of those that count is, or, if none does, where
 * the last one was, in discard mode.
 */
static u32 next_of_new(const struct user *user)
{
	unsigned long least = ~0ul;
	const struct ltt_cursor *cursor;
	u32 i;

	if (buf.overwrite)
		return 0;
	for (i = 0; i < MAX_CURSORS; i++) {
		cursor = &user[i].reader.cursor;
		if (user[i].open && !cursor->left && cursor->released.pos < least)
			least = cursor->released.pos;
	}
	EXPECT(least == ~0ul || least == buf.tail.pos,
	       "a cursor is opened at %lu, the last one is at %lu", buf.tail.pos, least);
	return buf.tail.events + buf.tail.lost;
}

static void open_user(struct user *user, u32 next)
{
	memset(user, 0, sizeof(*user));
	open_reader(&user->reader);
	user->open = true;
	user->reader.next = next;
	user->back = ss_jiffies;
}

static void close_user(struct user *user)
{
	close_reader(&user->reader);
	user->open = false;
	user->held = NULL;
}

/* What was pinned is still there, whatever others have done meanwhile. */
static void use_held(struct user *user)
{
	size_t done = 0;

	EXPECT(!user->reader.cursor.left, "left behind while pinned");
	while (done < user->len && !ktap_failures)
		done += take_event(&user->reader, user->held + done, user->len - done);
	user->held = NULL;
}

static void random_use(const struct model *model, struct user *user, u32 i,
		       unsigned long long dice)
{
	struct ltt_cursor *cursor = &user->reader.cursor;

	if (user->held)
		use_held(user);
	user->left += cursor->left;
	switch (dice % 16) {
	case 0:
		/* Off for long, with or without a window. */
		user->until = i + (dice >> 8) % 4096;
		if (buf.overwrite || dice & 16)
			break;
		user->len = ltt_cursor_window(cursor, &user->held);
		if (!user->len)
			user->held = NULL;
		take_losses(&user->reader);
		return;
	case 1 ... 4:
		random_take(model, &user->reader, false);
		user->back = ss_jiffies;
		break;
	default:
		random_take(model, &user->reader, true);
		break;
	}
	ltt_cursor_release(cursor);
}

/* Nobody who has read everything less than LTT_STALL ago is left behind. */
static void check_left(const struct user *user)
{
	u32 i;

	for (i = 0; i < MAX_CURSORS; i++)
		EXPECT(!user[i].open || !user[i].reader.cursor.left ||
		       ss_jiffies - user[i].back >= LTT_STALL,
		       "left behind after %lu jiffies", ss_jiffies - user[i].back);
}

static void random_ops(unsigned int seed, unsigned int order, unsigned int subbufs,
		       bool overwrite)
{
	const u32 nr = 300000;
	unsigned long long state = 0x9e3779b97f4a7c15ull + seed, dice;
	struct user user[MAX_CURSORS] = { };
	struct model model = { .last_ts = 0 };
	unsigned int left = 0;
	u32 i, which;

	setup(order, subbufs, overwrite);
	model.position = calloc(nr + 1, sizeof(*model.position));
	/* The first stays open, so that nothing is lost track of. */
	open_user(&user[0], 0);
	for (i = 0; i < nr && !ktap_failures; i++) {
		dice = ktap_random(&state);
		which = (dice >> 32) % MAX_CURSORS;
		ss_jiffies += !(dice >> 62);
		switch (dice % 32) {
		case 0:
			ltt_buf_close(&buf, LTT_CLOCK_MONO);
			model.write = (model.write + buf.off_mask) & ~buf.off_mask;
			break;
		case 1:
			if (which && user[which].open) {
				left += user[which].left;
				close_user(&user[which]);
			} else if (which) {
				open_user(&user[which], next_of_new(user));
			}
			break;
		case 2 ... 6:
			if (user[which].open && i >= user[which].until)
				random_use(&model, &user[which], i, dice >> 36);
			break;
		default:
			random_put(&model, &state);
			break;
		}
		check_left(user);
	}
	for (i = 0; i < MAX_CURSORS; i++) {
		if (!user[i].open)
			continue;
		if (user[i].held && !ktap_failures)
			use_held(&user[i]);
		if (!ktap_failures)
			drain(&user[i].reader);
		left += user[i].left;
		close_user(&user[i]);
	}
	EXPECT(overwrite ? !left : left > 20, "left behind %u times", left);
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
