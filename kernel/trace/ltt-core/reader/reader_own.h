/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: which events a reader causes by reading; for reader.c only.
 */
#ifndef _LTT_READER_OWN_H
#define _LTT_READER_OWN_H

#include <linux/types.h>

struct ltt_reader;

bool ltt_reader_only_own(struct ltt_reader *reader);

#endif /* _LTT_READER_OWN_H */
