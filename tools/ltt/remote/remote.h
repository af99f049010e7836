/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: traces that are elsewhere, at ltt serve or lttng-relayd, as events of libltt.
 *
 *	dialogue.c	what is said and got
 *	session.c	a session: its metadata and packets, and what becomes of its connection
 *	remote.c	several sessions, and the list of all
 */
#ifndef _LTT_TOOL_REMOTE_H
#define _LTT_TOOL_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../relay/address.h"
#include "../relay/relay.h"

struct libltt;
struct live_session;
struct remote_stream;

/* ms between questions when there was nothing new. */
#define REMOTE_PERIOD	50

/* Bytes of a session's packets at once. */
#ifndef REMOTE_MEMORY
#define REMOTE_MEMORY	(1024u << 20)
#endif

/*
 * ms for which a session is looked for that a server does not have any more, after a connection
 * was lost, and for which others wait for it. A server that cannot be reached is waited for as long
 * as the user wants: it may be started again.
 */
#ifndef REMOTE_PATIENCE
#define REMOTE_PATIENCE	10000
#endif

/**
 * enum remote_state - of a session
 * @REMOTE_GOOD:	there is a connection
 * @REMOTE_BROKEN:	there will be one, perhaps
 * @REMOTE_ENDED:	nothing will come
 */
enum remote_state { REMOTE_GOOD, REMOTE_BROKEN, REMOTE_ENDED };

/**
 * struct remote_session - a session
 * @ltt:	where its events go
 * @trace:	number of the trace there
 * @address:	where it is
 * @hostname:	of the machine that is traced
 * @name:	of the session
 * @seek:	LIVE_SEEK_*
 * @relay:	the connection
 * @state:	of the session
 * @found:	@id is known
 * @id:		its number there
 * @has_trace:	@trace_id is known
 * @trace_id:	the trace's number there
 * @has_metadata: @metadata is known
 * @metadata:	number of that stream there
 * @text:	the metadata
 * @size:	bytes of it
 * @got:	those that have come through this connection
 * @declared:	those that have been read
 * @changed:	there is more of these than the user of the events knows
 * @streams:	all others
 * @nr:		how many
 * @room:	at @streams
 * @names:	their names, see tsearch()
 * @packet:	room for one
 * @packet_room: bytes of it
 * @came:	new streams have come
 * @gone:	packets that could not be got, and that libltt does not miss
 * @over:	the other side says that nothing will come
 * @connected:	ms, since when there is this connection
 * @breaks:	connections that were lost
 * @broken:	ms, when the last one was
 * @next:	ms, when the next attempt to connect will be
 * @backoff:	ms from that one to another
 * @absent:	ms, since when the session is not there, 0: it is
 * @refused:	the other side has refused something, and no packet has come since
 * @said:	why the last attempt failed, as it was told
 */
struct remote_session {
	struct libltt *ltt;
	unsigned int trace;
	struct relay_address address;
	char hostname[64];
	const char *name;
	uint32_t seek;
	struct relay relay;
	enum remote_state state;
	bool found;
	uint64_t id;
	bool has_trace;
	uint64_t trace_id;
	bool has_metadata;
	uint64_t metadata;
	char *text;
	size_t size;
	size_t got;
	size_t declared;
	bool changed;
	struct remote_stream *streams;
	unsigned int nr;
	unsigned int room;
	void *names;
	void *packet;
	size_t packet_room;
	bool came;
	uint64_t gone;
	bool over;
	int64_t connected;
	unsigned int breaks;
	int64_t broken;
	int64_t next;
	int backoff;
	int64_t absent;
	bool refused;
	char said[256];
};

/* session.c */
const char *remote_parse(struct remote_session *s, const char *text);
int remote_attach(struct remote_session *s, int stop);
int remote_step(struct remote_session *s);
void remote_free(struct remote_session *s);

/**
 * struct remote_options - what is wanted
 * @ltt:	from lib_live_open(), a trace for each address
 * @addresses:	of the sessions, which remote_check() has found to be good
 * @nr:		how many
 * @beginning:	all that the other side has; else what comes from now on
 * @signals:	a descriptor that becomes readable when it is to end
 * @declared:	called when kinds of events have come
 * @show:	called to read all events that there are now
 * @data:	for them
 *
 * They return 0, or a negative errno, which ends it.
 */
struct remote_options {
	struct libltt *ltt;
	char *const *addresses;
	unsigned int nr;
	bool beginning;
	int signals;
	int (*declared)(void *data);
	int (*show)(void *data);
	void *data;
};

/* remote.c */
const char *remote_check(const char *address, bool *names_session);
typedef void (*remote_session_seen)(const struct live_session *session, void *data);
int remote_list(const char *address, remote_session_seen seen, void *data);
int remote_run(const struct remote_options *options);

#endif /* _LTT_TOOL_REMOTE_H */
