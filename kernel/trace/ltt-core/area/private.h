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

/**
 * struct ltt_area_payload - of a record's payload, what was not taken yet
 * @pos:	the next byte
 * @end:	where it ends
 */
struct ltt_area_payload {
	const u8 *pos;
	const u8 *end;
};

struct ltt_area_payload ltt_area_payload_of(const struct ltt_area_record *record);

/* The next @size bytes, NULL if there are fewer. */
const void *ltt_area_take(struct ltt_area_payload *payload, u64 size);

/* The next string, NULL if there is none that ends. */
const char *ltt_area_take_string(struct ltt_area_payload *payload);

/* Of a name: as LTT_NAME_MAX. */
#define LTT_AREA_NAME_MAX	63

/* Is it a name of letters, digits, and what is in @others? NULL is none. */
bool ltt_area_is_name(const char *name, const char *others);

/* scan_declared.c: reads streams, events and buffers, for which @found has room */
void ltt_area_read_declared(struct ltt_found *found);

/* How many of @size bytes at @offset are there, before the first one that is not. */
u64 ltt_area_present(const struct ltt_found *found, u64 offset, u64 size);

/* scan_packet.c: fills in what is in a buffer; returns 0 or -ENOMEM */
int ltt_area_scan_buffer(struct ltt_found *found, struct ltt_found_buffer *buffer);

#endif /* _LTT_AREA_PRIVATE_H */
