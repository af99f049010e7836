/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: events in a reader's buffers; for reader*.c only.
 */
#ifndef _LTT_READER_EVENT_H
#define _LTT_READER_EVENT_H

#include <linux/types.h>

struct ltt_reader_event;
struct ltt_reader_stream;

long ltt_reader_decode(const struct ltt_reader_stream *stream, const u8 *p, size_t avail, u64 until,
		       struct ltt_reader_event *event);

#endif /* _LTT_READER_EVENT_H */
