/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: traces that come packet by packet, from elsewhere.
 *
 * Who gets them says what has come, and up to when nothing else will; then all events before
 * that are there, in order, as those of directories are:
 *
 *	ltt = lib_live_open(names, nr, NULL, &error);
 *	...
 *	lib_live_declare(ltt, 0, text, size, &error);
 *	stream = lib_live_stream(ltt, 0, "sched_0");
 *	for (;;) {
 *		if (lib_live_wants(stream))
 *			lib_live_packet(stream, data, size);
 *		lib_live_known(other_stream, time);
 *		if (lib_live_go(ltt))
 *			while (libltt_text(ltt, buf, sizeof(buf)) > 0)
 *				...
 *	}
 *	libltt_close(ltt);
 *
 * A stream takes a packet when all events of the one before have been read. So what is in memory
 * is a packet of each stream at most, and the metadata.
 *
 * Times are raw, ns, unless they are those of events.
 */
#ifndef _LTT_LIB_LIVE_H
#define _LTT_LIB_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libltt.h"

struct lib_live_stream;

struct libltt *lib_live_open(const char *const names[], unsigned int nr,
			     const struct libltt_options *options, struct libltt_problem *error);
void lib_live_close(struct libltt *ltt);
int lib_live_range(struct libltt *ltt, uint64_t begin, uint64_t end);
long lib_live_declare(struct libltt *ltt, unsigned int trace, const char *text, size_t size,
		      struct libltt_problem *error);
int lib_live_ready(struct libltt *ltt, struct libltt_problem *error);
bool lib_live_declared(const struct libltt *ltt, unsigned int trace);
struct lib_live_stream *lib_live_stream(struct libltt *ltt, unsigned int trace, const char *name);
bool lib_live_wants(const struct lib_live_stream *stream);
int lib_live_packet(struct lib_live_stream *stream, const void *data, size_t size);
void lib_live_known(struct lib_live_stream *stream, uint64_t time);
void lib_live_pause(struct lib_live_stream *stream, bool pause);
void lib_live_over(struct libltt *ltt);
bool lib_live_go(struct libltt *ltt);
bool lib_live_ended(const struct libltt *ltt);
uint64_t lib_live_missing(const struct libltt *ltt);
uint64_t lib_live_late(const struct libltt *ltt);
uint64_t lib_live_lost(const struct libltt *ltt);
uint64_t lib_live_time(const struct libltt *ltt);

#endif /* _LTT_LIB_LIVE_H */
