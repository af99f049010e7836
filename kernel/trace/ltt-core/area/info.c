// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is left of a trace in an area, as text: lines of a word and what it tells.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../format/tsdl.h"
#include "private.h"

#define NSEC	1000000000u

/**
 * struct sums - of all buffers
 * @packets:	that there are
 * @open:	that were not complete
 * @damaged:	of which some events, or all, are not shown
 * @events:	that are shown
 * @lost:	that are not
 * @begin:	ns, of the first event
 * @end:	ns, of the last one
 */
struct sums {
	u64 packets;
	u64 open;
	u64 damaged;
	u64 events;
	u64 lost;
	u64 begin;
	u64 end;
};

static void add(struct sums *sums, const struct ltt_found_buffer *buffer)
{
	u32 i;

	sums->packets += buffer->nr_packets;
	sums->damaged += buffer->nr_damaged;
	sums->events += buffer->events;
	sums->lost += buffer->lost;
	for (i = 0; i < buffer->nr_packets; i++) {
		sums->open += buffer->packets[i].open;
		sums->begin = min(sums->begin, buffer->packets[i].begin);
		sums->end = max(sums->end, buffer->packets[i].end);
	}
}

static int put_text(struct ltt_textbuf *out, const char *what, const char *text)
{
	return ltt_md_put(out, "%s ", what) ?: ltt_md_escaped(out, text) ?: ltt_md_char(out, '\n');
}

static int put_number(struct ltt_textbuf *out, const char *what, u64 number)
{
	return ltt_md_put(out, "%s %llu\n", what, (unsigned long long)number);
}

static int put_time(struct ltt_textbuf *out, const char *what, u64 time)
{
	return ltt_md_put(out, "%s %llu.%09llu\n", what, (unsigned long long)time / NSEC,
			  (unsigned long long)time % NSEC);
}

static int put_uuid(struct ltt_textbuf *out, const char *what, const u8 *uuid)
{
	return ltt_md_put(out, "%s ", what) ?: ltt_md_uuid(out, uuid) ?: ltt_md_char(out, '\n');
}

static int put_window(struct ltt_textbuf *out, const struct ltt_found *found)
{
	return put_number(out, "snapshot", found->window->number) ?:
	       put_text(out, "why", found->why) ?: put_time(out, "taken", found->window->taken) ?:
	       put_time(out, "until", found->window->until);
}

static int put_trace(struct ltt_textbuf *out, const struct ltt_found *found)
{
	const u8 *boot_id = ltt_area_boot_id(found);
	int err;

	err = put_text(out, "trace", found->name) ?: put_text(out, "hostname", found->hostname) ?:
	      put_text(out, "kernel", found->release) ?: put_text(out, "build", found->build);
	if (!err && boot_id)
		err = put_uuid(out, "boot_id", boot_id);
	err = err ?: put_text(out, "ltt", found->version) ?: put_text(out, "clock", found->clock);
	if (!err && found->trace.real_offset)
		err = put_time(out, "created", found->trace.created + found->trace.real_offset);
	if (!err && found->window)
		err = put_window(out, found);
	return err;
}

static int put_sums(struct ltt_textbuf *out, const struct ltt_found *found)
{
	struct sums sums = { .begin = U64_MAX };
	int err = 0;
	u32 i;

	for (i = 0; i < found->nr_buffers; i++)
		add(&sums, &found->buffers[i]);
	if (sums.packets)
		err = put_time(out, "begin", sums.begin) ?: put_time(out, "end", sums.end);
	if (!err && sums.packets && found->trace.real_offset)
		err = put_time(out, "ended", sums.end + found->trace.real_offset);
	return err ?: put_number(out, "packets", sums.packets) ?:
	       put_number(out, "open", sums.open) ?: put_number(out, "damaged", sums.damaged) ?:
	       put_number(out, "events", sums.events) ?: put_number(out, "lost", sums.lost);
}

static int put_buffer(struct ltt_textbuf *out, const struct ltt_found *found,
		      const struct ltt_found_buffer *buffer)
{
	return ltt_md_put(out, "buffer channel %s cpu %u packets %u damaged %u events %llu lost %llu\n",
			  found->streams[buffer->stream].channel, buffer->cpu, buffer->nr_packets,
			  buffer->nr_damaged, (unsigned long long)buffer->events,
			  (unsigned long long)buffer->lost);
}

/* The notes, which are lines, each for itself: what is wrong with a format may be in there. */
static int put_notes(struct ltt_textbuf *out, const struct ltt_found *found)
{
	const char *note = found->notes ?: "", *end = note + found->notes_len, *next;
	unsigned long told = 0;
	int err = 0;

	for (; note < end && !err; note = next) {
		next = (const char *)memchr(note, '\n', end - note) + 1;
		err = ltt_md_put(out, "# %.*s", (int)(next - note), note);
		told++;
	}
	if (!err && found->nr_notes != told)
		err = ltt_md_put(out, "# %lu more\n", found->nr_notes - told);
	return err;
}

/**
 * ltt_area_info() - tell what is left of a trace
 * @found:	the trace
 * @out:	where to put it; at least one byte stays unused
 *
 * Context: any.
 * Return: 0; -ENOSPC if it does not fit.
 */
int ltt_area_info(const struct ltt_found *found, struct ltt_textbuf *out)
{
	int err = put_trace(out, found) ?: put_sums(out, found);
	u32 i;

	for (i = 0; i < found->nr_buffers && !err; i++)
		err = put_buffer(out, found, &found->buffers[i]);
	return err ?: put_notes(out, found);
}
