/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what a capture tells its user.
 */
#ifndef _LTT_TOOL_PROGRESS_H
#define _LTT_TOOL_PROGRESS_H

#include <stdint.h>

struct capture;

/**
 * struct progress - the line that shows how it goes
 * @shown:	there is one
 * @start:	ns of CLOCK_MONOTONIC, of the capture
 * @last:	the same, of the last line
 * @bytes:	written until then
 * @events:	recorded until then
 */
struct progress {
	int shown;
	uint64_t start;
	uint64_t last;
	uint64_t bytes;
	uint64_t events;
};

/* So many events: nobody has counted them. */
#define PROGRESS_UNKNOWN UINT64_MAX

void progress_begin(struct progress *progress);
void progress_show(struct progress *progress, const struct capture *capture);
void progress_clear(struct progress *progress);
uint64_t progress_events(const struct capture *capture);
void progress_summary(const struct capture *capture, const char *dir, uint64_t events);

#endif /* _LTT_TOOL_PROGRESS_H */
