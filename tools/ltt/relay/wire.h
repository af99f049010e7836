/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the streaming protocol of lttng-relayd, as its peers of versions 2.8 to 2.10 speak it.
 *
 * Integers are big-endian, structs have no holes. Behind each is where lttng-tools has it:
 *	S	src/common/sessiond-comm/sessiond-comm.hpp
 *	R	src/common/sessiond-comm/relayd.hpp
 *	M	src/bin/lttng-relayd/main.cpp
 *
 * On the control connection a command is a header and its payload. A reply has no header. On
 * the data connection nothing is replied.
 */
#ifndef _LTT_TOOL_RELAY_WIRE_H
#define _LTT_TOOL_RELAY_WIRE_H

#include <linux/types.h>

#include "../lib/ctf_index.h"

/*
 * What we announce. Both sides use the smaller minor of the two. From 2.11 on there are trace
 * chunks; relayd still understands what came before (M: minor < 11). 2.8 has the index entries
 * that are below.
 */
#define RELAY_MAJOR		2u
#define RELAY_MINOR		10u
#define RELAY_MINOR_MIN		8u

#define RELAY_CONTROL_PORT	"5342"	/* configure.ac: default_network_control_port */
#define RELAY_DATA_PORT		"5343"	/* the same: default_network_data_port */
#define RELAY_VIEWER_PORT	"5344"	/* the same: default_network_viewer_port */

/* Bytes of a command's payload; a larger one ends the connection. configure.ac. */
#define RELAY_PAYLOAD_MAX	(128u << 20)

#define RELAY_OK		10u	/* LTTNG_OK, include/lttng/lttng-error.h */

#define RELAY_SESSION_NAME	255	/* LTTNG_NAME_MAX, S */
#define RELAY_HOST_NAME		64	/* LTTNG_HOST_NAME_MAX of 2.4 to 2.10, S */
#define RELAY_CHANNEL_NAME	264	/* DEFAULT_STREAM_NAME_LEN of 2.2 to 2.10, R */
#define RELAY_PATH		4096	/* LTTNG_PATH_MAX, S */

/* The stream of this name holds the metadata. src/common/defaults.hpp */
#define RELAY_METADATA		"metadata"

/* No packet: what lttng-relayd takes for one if a stream has none. M: relay_close_stream() */
#define RELAY_NO_SEQ		(~(__u64)0)

/* enum lttcomm_relayd_command, S */
enum relay_command {
	RELAY_ADD_STREAM = 1,
	RELAY_CREATE_SESSION = 2,
	RELAY_VERSION = 5,
	RELAY_SEND_METADATA = 6,
	RELAY_CLOSE_STREAM = 7,
	RELAY_DATA_PENDING = 8,
	RELAY_SEND_INDEX = 13,
	RELAY_STREAMS_SENT = 16,
};

/* struct lttcomm_relayd_hdr, R */
struct relay_header {
	__be64 circuit_id;		/* 0 */
	__be64 data_size;		/* bytes of the payload */
	__be32 cmd;
	__be32 cmd_version;		/* 0 */
} __attribute__((packed));

/* struct lttcomm_relayd_data_hdr, R; a packet follows */
struct relay_data_header {
	__be64 circuit_id;		/* 0 */
	__be64 stream_id;
	__be64 net_seq_num;		/* per stream, from 0 */
	__be32 data_size;		/* bytes of the packet */
	__be32 padding_size;		/* bytes that relayd is to append */
} __attribute__((packed));

/* struct lttcomm_relayd_version, R; also the reply */
struct relay_version {
	__be32 major;
	__be32 minor;
} __attribute__((packed));

/* struct lttcomm_relayd_create_session_2_4, R */
struct relay_create_session {
	char session_name[RELAY_SESSION_NAME];
	char hostname[RELAY_HOST_NAME];
	__be32 live_timer;		/* us; 0: no live viewers */
	__be32 snapshot;
} __attribute__((packed));

/* struct lttcomm_relayd_status_session, R */
struct relay_session_reply {
	__be64 session_id;
	__be32 ret_code;
} __attribute__((packed));

/* struct lttcomm_relayd_add_stream_2_2, R */
struct relay_add_stream {
	char channel_name[RELAY_CHANNEL_NAME];
	char pathname[RELAY_PATH];
	__be64 tracefile_size;		/* 0: as large as it gets */
	__be64 tracefile_count;
} __attribute__((packed));

/* struct lttcomm_relayd_status_stream, R */
struct relay_stream_reply {
	__be64 handle;
	__be32 ret_code;
} __attribute__((packed));

/* struct lttcomm_relayd_metadata_payload, R; the text follows. There is no reply. */
struct relay_metadata {
	__be64 stream_id;
	__be32 padding_size;
} __attribute__((packed));

/* struct lttcomm_relayd_close_stream and ..._data_pending, R */
struct relay_stream_seq {
	__be64 stream_id;
	__be64 last_net_seq_num;
} __attribute__((packed));

/*
 * struct lttcomm_relayd_index of 2.8 and later, R. From the third member on it is the entry of
 * an index file; there is net_seq_num in the place of the offset, which relayd knows.
 */
struct relay_index {
	__be64 relay_stream_id;
	struct ltt_index_entry entry;
} __attribute__((packed));

/* struct lttcomm_relayd_generic_reply, R. Of RELAY_DATA_PENDING: 0 if nothing is. */
struct relay_reply {
	__be32 ret_code;
} __attribute__((packed));

#endif /* _LTT_TOOL_RELAY_WIRE_H */
