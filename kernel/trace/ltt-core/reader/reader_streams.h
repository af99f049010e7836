/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the buffers that a reader reads; for reader.c only.
 */
#ifndef _LTT_READER_STREAMS_H
#define _LTT_READER_STREAMS_H

#include <linux/types.h>

struct ltt_reader;

int ltt_reader_rescan(struct ltt_reader *reader);
int ltt_reader_init_cpus(struct ltt_reader *reader);
void ltt_reader_stirred(struct ltt_reader *reader);
void ltt_reader_wake_all(struct ltt_reader *reader);
int ltt_reader_shadows(struct ltt_reader *reader);
bool ltt_reader_doze(struct ltt_reader *reader);
void ltt_reader_settle(struct ltt_reader *reader);
void ltt_reader_close_streams(struct ltt_reader *reader);

#endif /* _LTT_READER_STREAMS_H */
