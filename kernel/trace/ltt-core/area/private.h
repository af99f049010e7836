/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private to the files that look at areas.
 */
#ifndef _LTT_AREA_PRIVATE_H
#define _LTT_AREA_PRIVATE_H

#include <linux/compiler.h>

#include "scan.h"

/* Something is wrong: a line for the notes, without newline. */
__printf(2, 3) void ltt_area_note(struct ltt_found *found, const char *format, ...);

/* How many of @size bytes at @offset are there, before the first one that is not. */
u64 ltt_area_present(const struct ltt_found *found, u64 offset, u64 size);

/* scan_packet.c: fills in what is in a buffer; returns 0 or -ENOMEM */
int ltt_area_scan_buffer(struct ltt_found *found, struct ltt_found_buffer *buffer);

#endif /* _LTT_AREA_PRIVATE_H */
