// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what a capture tells its user, on standard error.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/now.h"
#include "capture.h"
#include "control.h"
#include "progress.h"

#define NSEC_PER_SEC	UINT64_C(1000000000)

/**
 * struct totals - a sum over channels
 * @packets:	taken
 * @bytes:	taken
 * @lost:	events lost
 */
struct totals {
	uint64_t packets;
	uint64_t bytes;
	uint64_t lost;
};

static struct totals sum_of(const struct capture *capture)
{
	struct totals totals = { };
	unsigned int i;

	for (i = 0; i < capture->nr_channels; i++) {
		totals.packets += atomic_load(&capture->channels[i]->packets);
		totals.bytes += atomic_load(&capture->channels[i]->bytes);
		totals.lost += atomic_load(&capture->channels[i]->lost);
	}
	return totals;
}

/**
 * progress_events() - how many events has the trace recorded?
 * @capture:	the capture
 *
 * Return: events since the trace was made, in the channels that are captured.
 */
uint64_t progress_events(const struct capture *capture)
{
	struct control_stats stats;
	uint64_t events = 0;
	unsigned int i;

	for (i = 0; i < capture->nr_channels; i++) {
		if (!control_stats(capture->trace, capture->channels[i]->name, &stats))
			events += stats.events;
	}
	return events;
}

/**
 * progress_begin() - the capture begins
 * @progress:	the line
 */
void progress_begin(struct progress *progress)
{
	*progress = (struct progress) { .start = now_ns() };
	progress->last = progress->start;
}

/* A size with a unit, in a static buffer. */
static const char *human(double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	static char buf[2][32];
	static unsigned int turn;
	size_t i = 0;

	while (bytes >= 1000 && i + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		i++;
	}
	turn ^= 1;
	snprintf(buf[turn], sizeof(buf[turn]), i ? "%.1f %s" : "%.0f %s", bytes, units[i]);
	return buf[turn];
}

/**
 * progress_show() - show how it goes, in place of what was shown before
 * @progress:	the line
 * @capture:	the capture
 */
void progress_show(struct progress *progress, const struct capture *capture)
{
	struct totals totals = sum_of(capture);
	uint64_t now = now_ns(), events = progress_events(capture);
	double seconds = (now - progress->last) / (double)NSEC_PER_SEC;

	if (seconds <= 0)
		return;
	fprintf(stderr, "\r%" PRIu64 " s: %s, %s/s, %.0f events/s, %" PRIu64 " lost\033[K",
		(now - progress->start) / NSEC_PER_SEC, human(totals.bytes),
		human((totals.bytes - progress->bytes) / seconds),
		events > progress->events ? (events - progress->events) / seconds : 0.0,
		totals.lost);
	progress->shown = 1;
	progress->last = now;
	progress->bytes = totals.bytes;
	progress->events = events;
}

/**
 * progress_clear() - make room for other messages
 * @progress:	the line
 */
void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = 0;
}

/**
 * progress_summary() - what has been captured
 * @capture:	the capture; its threads have ended
 * @dir:	the directory
 * @events:	events, or PROGRESS_UNKNOWN
 */
void progress_summary(const struct capture *capture, const char *dir, uint64_t events)
{
	struct totals totals = sum_of(capture);
	unsigned int i;
	uint64_t lost;

	fprintf(stderr, "%s: %" PRIu64 " bytes in %" PRIu64 " packets, ", dir, totals.bytes,
		totals.packets);
	if (events != PROGRESS_UNKNOWN)
		fprintf(stderr, "%" PRIu64 " events, ", events);
	fprintf(stderr, "%" PRIu64 " lost\n", totals.lost);
	for (i = 0; i < capture->nr_channels; i++) {
		lost = atomic_load(&capture->channels[i]->lost);
		if (lost)
			fprintf(stderr, "%s: channel %s: %" PRIu64 " events lost\n", dir,
				capture->channels[i]->name, lost);
	}
}
