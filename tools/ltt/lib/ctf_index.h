/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the index of a stream file, as it lies on disk.
 *
 * DIR/index/CHANNEL_CPU.idx describes the packets of DIR/CHANNEL_CPU: a header, then
 * an entry for each packet, in their order. All integers are big-endian. It is the
 * index of LTTng, version 1.1, which babeltrace2 reads as well. An entry is written
 * after its packet, so that the index never promises more than there is; it may
 * have less.
 */
#ifndef _LTT_CTF_INDEX_H
#define _LTT_CTF_INDEX_H

#include <linux/types.h>

#define LTT_INDEX_MAGIC		0xC1F1DCC1u
#define LTT_INDEX_MAJOR		1u
#define LTT_INDEX_MINOR		1u

/* Name of the directory of indexes, end of their names. */
#define LTT_INDEX_DIR		"index"
#define LTT_INDEX_SUFFIX	".idx"

/**
 * struct ltt_index_header - at the beginning of the file
 * @magic:	LTT_INDEX_MAGIC
 * @major:	LTT_INDEX_MAJOR
 * @minor:	LTT_INDEX_MINOR
 * @entry_size:	bytes of an entry
 */
struct ltt_index_header {
	__be32 magic;
	__be32 major;
	__be32 minor;
	__be32 entry_size;
};

/**
 * struct ltt_index_entry - what is known of a packet
 * @offset:		bytes, where it begins in the stream file
 * @packet_size:	bits
 * @content_size:	bits
 * @timestamp_begin:	ns
 * @timestamp_end:	ns
 * @events_discarded:	events lost so far in this stream
 * @stream_id:		number of the channel in the trace
 * @stream_instance_id:	number of the CPU
 * @packet_seq_num:	number of the packet in its stream, from 0
 */
struct ltt_index_entry {
	__be64 offset;
	__be64 packet_size;
	__be64 content_size;
	__be64 timestamp_begin;
	__be64 timestamp_end;
	__be64 events_discarded;
	__be64 stream_id;
	__be64 stream_instance_id;
	__be64 packet_seq_num;
};

#endif /* _LTT_CTF_INDEX_H */
