/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: which events a reader causes by reading; for reader*.c only.
 */
#ifndef _LTT_READER_OWN_H
#define _LTT_READER_OWN_H

#include <linux/types.h>

struct ltt_reader;
struct ltt_reader_event;
struct ltt_reader_stream;

long ltt_reader_decode(const struct ltt_reader_stream *stream, const u8 *p, size_t avail, u64 until,
		       struct ltt_reader_event *event);
bool ltt_reader_only_own(struct ltt_reader *reader);

#endif /* _LTT_READER_OWN_H */
