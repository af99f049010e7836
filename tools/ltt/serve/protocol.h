/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the protocol that viewers speak with lttng-relayd, "LTTng live", version 2.4.
 *
 * A viewer sends a command: struct live_command and what belongs to it. It gets one reply, which
 * has no header. Numbers are big endian, and nothing is aligned. The names are ours; in brackets
 * those of lttng-viewer-abi.h, which LTTng-tools and Babeltrace share.
 *
 * Sources: doc/live-reading-protocol.md and src/bin/lttng-relayd/lttng-viewer-abi.hpp of
 * LTTng-tools; src/plugins/ctf/lttng-live/viewer-connection.c of Babeltrace 2 for what a viewer
 * makes of the replies.
 */
#ifndef _LTT_TOOL_SERVE_PROTOCOL_H
#define _LTT_TOOL_SERVE_PROTOCOL_H

#include <stdint.h>

#define LIVE_PORT	5344

/* Viewers of a higher minor version speak this one with us. */
#define LIVE_MAJOR	2
#define LIVE_MINOR	4

#define LIVE_HOST_MAX	64
#define LIVE_NAME_MAX	255
#define LIVE_PATH_MAX	4096

enum live_type {
	LIVE_CONNECT = 1,
	LIVE_LIST_SESSIONS = 2,
	LIVE_ATTACH_SESSION = 3,
	LIVE_GET_NEXT_INDEX = 4,
	LIVE_GET_PACKET = 5,
	LIVE_GET_METADATA = 6,
	LIVE_GET_NEW_STREAMS = 7,
	LIVE_CREATE_SESSION = 8,
	LIVE_DETACH_SESSION = 9,
};

/**
 * struct live_command - before each command (lttng_viewer_cmd)
 * @size:	bytes that follow
 * @type:	enum live_type
 * @version:	0
 */
struct live_command {
	uint64_t size;
	uint32_t type;
	uint32_t version;
} __attribute__((__packed__));

/**
 * struct live_connect - the first command, and the reply (lttng_viewer_connect)
 * @viewer:	number of the viewer, chosen by the server
 * @major:	version
 * @minor:	version
 * @type:	LIVE_CLIENT_COMMAND
 */
struct live_connect {
	uint64_t viewer;
	uint32_t major;
	uint32_t minor;
	uint32_t type;
} __attribute__((__packed__));

#define LIVE_CLIENT_COMMAND	1

/**
 * struct live_session - after a __u32, how many there are (lttng_viewer_session)
 * @id:		for the commands
 * @live_timer:	after how many us a viewer may expect news; 0: it is not live
 * @clients:	viewers
 * @streams:	streams
 * @host:	name of the machine
 * @name:	of the trace
 */
struct live_session {
	uint64_t id;
	uint32_t live_timer;
	uint32_t clients;
	uint32_t streams;
	char host[LIVE_HOST_MAX];
	char name[LIVE_NAME_MAX];
} __attribute__((__packed__));

/**
 * struct live_attach - LIVE_ATTACH_SESSION (lttng_viewer_attach_session_request)
 * @session:	live_session.id
 * @offset:	0
 * @seek:	LIVE_SEEK_*
 */
struct live_attach {
	uint64_t session;
	uint64_t offset;
	uint32_t seek;
} __attribute__((__packed__));

#define LIVE_SEEK_BEGINNING	1
#define LIVE_SEEK_LAST		2

/**
 * struct live_streams - reply to ATTACH_SESSION and GET_NEW_STREAMS (lttng_viewer_*_response)
 * @status:	LIVE_ATTACH_* or LIVE_STREAMS_*
 * @count:	how many struct live_stream follow
 */
struct live_streams {
	uint32_t status;
	uint32_t count;
} __attribute__((__packed__));

#define LIVE_ATTACH_OK		1
#define LIVE_ATTACH_ALREADY	2
#define LIVE_ATTACH_UNKNOWN	3
#define LIVE_ATTACH_SEEK	5
#define LIVE_ATTACH_NO_VIEWER	6

#define LIVE_STREAMS_OK		1
#define LIVE_STREAMS_NO_NEW	2
#define LIVE_STREAMS_ERROR	3
#define LIVE_STREAMS_HUP	4

/**
 * struct live_stream - a stream (lttng_viewer_stream)
 * @id:		for the commands
 * @trace:	number of the trace
 * @metadata:	1: that of the metadata
 * @path:	a name for the trace
 * @name:	of the stream
 */
struct live_stream {
	uint64_t id;
	uint64_t trace;
	uint32_t metadata;
	char path[LIVE_PATH_MAX];
	char name[LIVE_NAME_MAX];
} __attribute__((__packed__));

/**
 * struct live_index - reply to GET_NEXT_INDEX, whose request is a stream's id (lttng_viewer_index)
 * @offset:		of the packet, for GET_PACKET
 * @packet_size:	bits
 * @content_size:	bits
 * @timestamp_begin:	ns
 * @timestamp_end:	ns; INACTIVE: nothing will come before
 * @events_discarded:	as in the packet
 * @stream_id:		as in the packet: never another one for a stream, INACTIVE or not
 * @status:		LIVE_INDEX_*
 * @flags:		LIVE_NEW_*; viewers heed them if the status is OK
 */
struct live_index {
	uint64_t offset;
	uint64_t packet_size;
	uint64_t content_size;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t events_discarded;
	uint64_t stream_id;
	uint32_t status;
	uint32_t flags;
} __attribute__((__packed__));

#define LIVE_INDEX_OK		1
#define LIVE_INDEX_RETRY	2
#define LIVE_INDEX_HUP		3
#define LIVE_INDEX_ERROR	4
#define LIVE_INDEX_INACTIVE	5

#define LIVE_NEW_METADATA	0x1
#define LIVE_NEW_STREAMS	0x2

/**
 * struct live_get_packet - LIVE_GET_PACKET (lttng_viewer_get_packet)
 * @stream:	live_stream.id
 * @offset:	live_index.offset, and what has been got of the packet already
 * @len:	bytes at most
 */
struct live_get_packet {
	uint64_t stream;
	uint64_t offset;
	uint32_t len;
} __attribute__((__packed__));

/**
 * struct live_packet - reply, and @len bytes (lttng_viewer_trace_packet)
 * @status:	LIVE_PACKET_*
 * @len:	may be less than was asked for
 * @flags:	as in the index
 */
struct live_packet {
	uint32_t status;
	uint32_t len;
	uint32_t flags;
} __attribute__((__packed__));

#define LIVE_PACKET_OK		1
#define LIVE_PACKET_ERROR	3

/**
 * struct live_metadata - reply to GET_METADATA, and @len bytes (lttng_viewer_metadata_packet)
 * @len:	bytes
 * @status:	LIVE_METADATA_*
 */
struct live_metadata {
	uint64_t len;
	uint32_t status;
} __attribute__((__packed__));

#define LIVE_METADATA_OK	1
#define LIVE_METADATA_NO_NEW	2
#define LIVE_METADATA_ERROR	3

/* The reply to CREATE_SESSION and DETACH_SESSION is one of these, a __u32. */
#define LIVE_CREATE_OK		1
#define LIVE_DETACH_OK		1
#define LIVE_DETACH_UNKNOWN	2

#endif /* _LTT_TOOL_SERVE_PROTOCOL_H */
