// SPDX-License-Identifier: GPL-2.0
/*
 * One run: the buffer before it, and what must be so when all its operations have ended.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "runner.h"

bool ss_all_scripts;

static void init_buf(const struct ss_start *start)
{
	struct ltt_buf *buf = &ss_world.buf;
	u32 i;

	buf->sb = ss_world.sb;
	buf->off_mask = SS_SIZE - 1;
	buf->cur = &ltt_subbuf_none;
	buf->sb_mask = (1u << start->order) - 1;
	buf->sb_order = SS_ORDER;
	buf->recording = true;
	buf->overwrite = start->overwrite;
	buf->stir = &ss_world.stir;
	ss_world.stir.cpu = SS_CPU;
	ss_world.stir.last = &ss_world.stirred;
	buf->packet.magic = LTT_PACKET_MAGIC;
	for (i = 0; i < LTT_UUID_SIZE; i++)
		buf->packet.uuid[i] = 0x60 + i;
	buf->packet.stream_id = SS_STREAM;
	buf->packet.cpu_id = SS_CPU;
	spin_lock_init(&buf->read_lock);
	INIT_LIST_HEAD(&buf->cursors);
	for (i = 0; i <= buf->sb_mask; i++)
		ss_world.sb[i].base = ss_world.mem + i * SS_SIZE;
}

static void init_spares(const struct ss_start *start)
{
	struct ss_kept *kept = &ss_world.kept;
	u32 i;

	kept->open = true;
	kept->nr = start->windows;
	kept->spares.nr = ltt_keep_spares(1u << start->order, start->windows, true);
	if (kept->spares.nr > SS_SPARES) {
		fprintf(stderr, "SS_SPARES is too small\n");
		abort();
	}
	for (i = 0; i < kept->spares.nr; i++) {
		kept->spares.spare[i].seq = LTT_SPARE_FREE;
		kept->spares.spare[i].base = kept->mem + i * SS_SIZE;
	}
	ss_world.buf.keep = &kept->keep;
	ss_world.buf.spares = &kept->spares;
}

static void open_second(bool overwrite)
{
	struct ss_second *second = &ss_world.second;
	const struct ltt_packet_formats formats = { .format = ss_format, .arg = second };

	second->open = true;
	ltt_packet_reader_open(&second->packets, &ss_world.buf, overwrite ? second->shadow : NULL,
			       &formats);
}

void ss_setup(const struct ss_start *start)
{
	static const struct ss_op write = { .kind = SS_WRITE, .payload = 8 };
	static const struct ss_op close = { .kind = SS_CLOSE };
	static const struct ss_op read = { .kind = SS_READ };
	u32 i;

	memset(&ss_world, 0, sizeof(ss_world));
	ss_clock = 1;
	ss_is_stuck = start->stuck;
	if (ss_is_stuck)
		ss_stuck_init();
	init_buf(start);
	if (start->windows)
		init_spares(start);
	ltt_cursor_open(&ss_world.cursor, &ss_world.buf,
			start->overwrite ? ss_world.shadow : NULL);
	if (start->packets)
		open_second(start->overwrite);
	for (i = 1; i <= start->events; i++) {
		ss_run_whole(&write);
		if (i == start->read)
			ss_run_whole(&read);
	}
	if (start->closed)
		ss_run_whole(&close);
	if (start->taken)
		ss_take_window();
	ss_world.nr_before = ss_world.nr_log;
}

static void read_late(void)
{
	static u8 shadow[SS_SIZE];
	static struct ss_stream stream;
	struct ltt_cursor cursor;
	const u8 *events;
	size_t len;

	memset(&stream, 0, offsetof(struct ss_stream, item));
	ltt_cursor_open(&cursor, &ss_world.buf, shadow);
	do {
		len = ltt_cursor_window(&cursor, &events);
		ss_take(&cursor, &stream, events, len, false);
	} while (len && !ss_failed);
	if (!ss_failed)
		ss_check_stream(&stream, true);
	ltt_cursor_close(&cursor);
}

/* Nothing is recorded any more. Has the second reader seen all there was? */
static void conclude_second(void)
{
	static const struct ss_op close = { .kind = SS_CLOSE };
	static const struct ss_op packets = { .kind = SS_PACKETS };
	struct ss_second *second = &ss_world.second;

	ss_run_whole(&close);
	ss_run_whole(&packets);
	if (!ss_failed && ltt_packet_reader_last(&second->packets, ss_clock))
		ss_take_packet();
	if (!ss_failed)
		ss_check_stream(&second->stream, second->packets.missed);
}

/*
 * What was under way when the reader dozed is over, as if a grace period had ended. If the
 * buffer is at rest now, the reader must be told of the next event, or loss, and then find it.
 */
static void conclude_rest(void)
{
	static const struct ss_op write = { .kind = SS_WRITE, .payload = 8 };
	static const struct ss_op drop = { .kind = SS_WRITE, .payload = SS_SIZE };
	unsigned long last = ss_world.stirred;
	long count = local_read(&ss_world.stir.count);

	if (!ss_world.dozed || !ltt_cursor_rests(&ss_world.cursor))
		return;
	ss_count.rests++;
	if (ltt_cursor_expecting(&ss_world.cursor))
		ss_fail("at rest, and there is something to read");
	ss_run_whole(ss_count.rests & 1 ? &write : &drop);
	if (local_read(&ss_world.stir.count) == count || ss_world.stirred == last)
		ss_fail("at rest, and not told of an event");
	if (!ltt_cursor_expecting(&ss_world.cursor))
		ss_fail("told of nothing");
}

/* Nobody writes: the CPU answers, in the round that is under way, and in a new one. */
static void conclude_stuck(void)
{
	static const struct ss_op ask = { .kind = SS_BEGIN };
	static const struct ss_op answer = { .kind = SS_ANSWER };
	unsigned long answers = ss_count.answers;
	u64 watermark;

	if (ss_world.preempt)
		ss_fail("preemption is disabled %u times", ss_world.preempt);
	ss_run_whole(&answer);
	ss_run_whole(&ask);
	if (ss_stuck_answered(&watermark))
		ss_fail("the CPU has answered before it was asked");
	ss_run_whole(&answer);
	if (!ss_stuck_answered(&watermark))
		ss_fail("the CPU does not answer");
	ss_count.answers = answers;
}

/* Nobody writes or collects. Is the spare in nobody's hands? */
static bool leaked(const struct ltt_spare *spare)
{
	const struct ss_window *window;
	u32 i;

	if (spare->seq != LTT_SPARE_BUSY)
		return false;
	for (window = ss_world.kept.window; window < ss_world.kept.window + SS_WINDOWS; window++) {
		for (i = 0; i < window->nr; i++) {
			if (window->packet[i] == spare)
				return false;
		}
	}
	return true;
}

static void check_windows(void)
{
	struct ss_kept *kept = &ss_world.kept;
	unsigned long used = 0;
	u32 i;

	for (i = 0; i < SS_WINDOWS && !ss_failed; i++) {
		if (!kept->window[i].done)
			continue;
		ss_count.windows++;
		ss_check_window(&kept->window[i]);
	}
	for (i = 0; i < kept->spares.nr; i++) {
		used += kept->spares.spare[i].seq != LTT_SPARE_FREE;
		if (leaked(&kept->spares.spare[i]))
			ss_fail("a spare is busy, and no window has it");
	}
	if (used > ss_count.spares)
		ss_count.spares = used;
	if (ss_world.buf.unkept)
		ss_fail("there was no spare for a packet that is to be kept");
}

/* As if the windows had been removed, and until cleared, and a grace period were over. */
static void remove_windows(void)
{
	struct ss_kept *kept = &ss_world.kept;
	u32 i;

	memset(kept->window, 0, sizeof(kept->window));
	kept->keep.until = 0;
	for (i = 0; i < kept->spares.nr; i++) {
		kept->spares.spare[i].users = 0;
		if (kept->spares.spare[i].seq != LTT_SPARE_FREE)
			ltt_spare_free(&kept->spares.spare[i]);
	}
}

/* What happens then: (w)rite, go (r)ound, (t)ake, (c)ollect, remove all (-). */
static void follow(const char *script)
{
	static const struct ss_op write = { .kind = SS_WRITE, .payload = 8 };
	static const struct ss_op round = { .kind = SS_WRITE, .payload = 8, .count = SS_ROUND };
	static const struct ss_op collect = { .kind = SS_COLLECT };

	for (; *script && !ss_failed; script++) {
		switch (*script) {
		case 'w':
			ss_run_whole(&write);
			break;
		case 'r':
			ss_run_whole(&round);
			break;
		case 't':
			ss_take_window();
			break;
		case '-':
			remove_windows();
			break;
		default:
			ss_run_whole(&collect);
			if (ss_world.kept.collecting && !ss_world.kept.collecting->done)
				ss_fail("the collector waits, and nobody writes");
			check_windows();
			break;
		}
	}
}

/* All writers have ended, which is a grace period. The last script is for what follows. */
static void conclude_kept(const struct ss_start *start)
{
	static const char *const one[] = { "c", "wc", "rc", "rrc", "cr-wtrc" };
	static const char *const two[] = { "trcc", "wtrcrc", "ctrc", "rtwcrc", "ctrrc-rtrtc" };
	const char *const *script = start->windows == 1 ? one : two;
	u32 nr = start->windows == 1 ? ARRAY_SIZE(one) : ARRAY_SIZE(two), i;
	static struct ss_world before;

	if (!ss_world.kept.window[0].taken)
		ss_take_window();
	ss_world.clock = ss_clock;
	ss_copy_world(&before, &ss_world);
	for (i = 0; i < nr; i++) {
		if (!ss_all_scripts && i != ss_count.runs % nr)
			continue;
		ss_copy_world(&ss_world, &before);
		ss_clock = ss_world.clock;
		follow(script[i]);
		check_windows();
		if (ss_failed) {
			printf("#   and then: %s\n", script[i]);
			return;
		}
	}
}

/* All operations are complete. Is everything there, and does it still work? */
void ss_conclude(const struct ss_start *start)
{
	static const struct ss_op write = { .kind = SS_WRITE, .payload = 20 };
	static const struct ss_op read = { .kind = SS_READ };

	if (ss_warning)
		ss_fail("internal error: %s", ss_warning);
	if (ss_failed)
		return;
	ss_check_memory();
	if (start->windows)
		conclude_kept(start);
	conclude_rest();
	if (ss_is_stuck)
		conclude_stuck();
	ss_run_whole(&read);
	ss_run_whole(&write);
	ss_run_whole(&read);
	ss_check_memory();
	if (ss_world.buf.overwrite)
		read_late();
	if (!ss_failed)
		ss_check_stream(&ss_world.stream, ss_world.cursor.missed);
	if (!ss_failed && ss_world.second.open)
		conclude_second();
	if (ss_warning)
		ss_fail("internal error: %s", ss_warning);
	ss_count.runs++;
}
