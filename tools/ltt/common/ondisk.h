/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: packets and indexes in the files of a trace directory, for those who write
 * them.
 */
#ifndef _LTT_TOOL_ONDISK_H
#define _LTT_TOOL_ONDISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/ltt/packet.h>

struct ltt_index_entry;
struct ltt_index_header;

/* Names of what is in a trace directory besides the streams and the index. */
#define ONDISK_METADATA		"metadata"
#define ONDISK_SYMBOLS_DIR	"symbols"
#define ONDISK_SYMBOLS		"kallsyms"	/* in that directory */
#define ONDISK_MODULES		"modules"

/* What ondisk_lock() returns -EBUSY for. */
#define ONDISK_BUSY		"busy, being recorded or repaired"

int ondisk_make(const char *path);
int ondisk_lock(int dir, bool wait);
int ondisk_write(int fd, const void *data, size_t size);
ssize_t ondisk_write_some(int fd, int signals, int timeout, const void *data, size_t size);
int ondisk_packet(int fd, uint64_t offset, uint64_t end, struct ltt_packet *packet);
void ondisk_index_header(struct ltt_index_header *header);
void ondisk_index_entry(struct ltt_index_entry *entry, uint64_t offset,
			const struct ltt_packet *packet);
int ondisk_index_create(int dir, const char *name);
int ondisk_index_add(int fd, uint64_t offset, const struct ltt_packet *packet);

#endif /* _LTT_TOOL_ONDISK_H */
