/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the buffers that a reader reads; for reader.c only.
 */
#ifndef _LTT_READER_STREAMS_H
#define _LTT_READER_STREAMS_H

struct ltt_reader;

int ltt_reader_rescan(struct ltt_reader *reader);
void ltt_reader_close_streams(struct ltt_reader *reader);

#endif /* _LTT_READER_STREAMS_H */
