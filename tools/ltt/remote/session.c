// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a session that is elsewhere.
 *
 * In each step, each stream all packets of which have been read is asked for the next one. So
 * there is one packet of a stream here, however much the other side has.
 *
 * When the connection breaks, nothing is shown until there is another one, unless that takes too
 * long: events would be out of order. After that the session is the same one if its metadata begin
 * with those that are known: the packets that have been shown are stepped over, and the numbers of
 * those that come tell which are missing.
 */

#include <endian.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/metadata.h>
#include <linux/ltt/packet.h>

#include "../lib/libltt.h"
#include "../lib/live.h"
#include "dialogue.h"
#include "remote.h"

#define NSEC	1000000000ull

/* Bytes of metadata, and of a packet: no kernel has more. */
#define METADATA_MAX	(256u << 20)
#define PACKET_MAX	(4u << 20)

/* ms until the next attempt to connect: twice as long each time. The first comes at once. */
#define BACKOFF_MIN	100
#define BACKOFF_MAX	5000

/* ms after which a connection is taken for a good one. */
#define PROOF		1000

/* Steps in which a packet is asked for that the other side has not got ready. */
#define TRIES_MAX	200

/**
 * struct remote_name - which stream has a name
 * @nr:		its number
 * @name:	CHANNEL_CPU
 */
struct remote_name {
	unsigned int nr;
	const char *name;
};

/**
 * struct remote_stream - a stream
 * @name:	in a tree of all of them
 * @live:	where its packets go
 * @id:		its number there
 * @ended:	nothing will come, as far as is known
 * @pending:	@packet is to be got
 * @tries:	how often it was not there
 * @packet:	the last one, or the next
 * @until:	its end, ns
 * @end:	of the last one that libltt has, ns
 * @quiet:	it was said that no event before that will come, ns
 * @gone:	packets since @end that could not be got
 */
struct remote_stream {
	struct remote_name *name;
	struct lib_live_stream *live;
	uint64_t id;
	bool ended;
	bool pending;
	unsigned int tries;
	struct dialogue_packet packet;
	uint64_t until;
	uint64_t end;
	uint64_t quiet;
	unsigned int gone;
};

/**
 * remote_parse() - read the address of a session
 * @s:		all zeros; gets it
 * @text:	net://HOST[:PORT]/host/HOSTNAME/NAME, or without what follows the port; must stay
 *
 * Return: NULL; or what is wrong.
 */
const char *remote_parse(struct remote_session *s, const char *text)
{
	const char *why = relay_parse_viewer(&s->address, text), *path = s->address.path, *slash;

	if (why || !*path)
		return why;
	slash = strncmp(path, "host/", 5) ? NULL : strchr(path + 5, '/');
	if (!slash || strchr(slash + 1, '/') ||
	    (size_t)(slash - path - 5) >= sizeof(s->hostname))
		return "expected net://HOST[:PORT]/host/HOSTNAME/NAME";
	memcpy(s->hostname, path + 5, slash - path - 5);
	s->name = slash + 1;
	return NULL;
}

static int no_memory(struct remote_session *s)
{
	return relay_fail(&s->relay, -ENOMEM, "%s", strerror(ENOMEM));
}

/* ---- what there is --------------------------------------------------------------- */

/* The newest, if there are several: what is left of a sender's old one may still be there. */
static int find_session(const struct live_session *session, void *data)
{
	struct remote_session *s = data;
	uint64_t id = be64toh(session->id);

	if (strcmp(session->host, s->hostname) || strcmp(session->name, s->name))
		return 0;
	if (!s->found || id > s->id)
		s->id = id;
	s->found = true;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct remote_name *)a)->name, ((const struct remote_name *)b)->name);
}

static struct remote_stream *find_stream(const struct remote_session *s, const char *name)
{
	const struct remote_name key = { .name = name };
	struct remote_name *const *found = tfind(&key, &s->names, compare_names);

	return found ? &s->streams[(*found)->nr] : NULL;
}

/* Return: NULL: no memory. */
static struct remote_name *add_name(struct remote_session *s, const char *text)
{
	struct remote_name *name = malloc(sizeof(*name) + strlen(text) + 1);

	if (!name)
		return NULL;
	name->nr = s->nr;
	name->name = strcpy((char *)(name + 1), text);
	if (tsearch(name, &s->names, compare_names))
		return name;
	free(name);
	return NULL;
}

static struct remote_stream *add_stream(struct remote_session *s, const char *name)
{
	unsigned int room = s->room ? 2 * s->room : 64;
	struct remote_stream *streams, *stream;

	if (s->nr == s->room) {
		streams = reallocarray(s->streams, room, sizeof(*streams));
		if (!streams)
			return NULL;
		s->streams = streams;
		s->room = room;
	}
	stream = &s->streams[s->nr];
	memset(stream, 0, sizeof(*stream));
	stream->live = lib_live_stream(s->ltt, s->trace, name);
	stream->name = stream->live ? add_name(s, name) : NULL;
	if (!stream->name)
		return NULL;
	s->nr++;
	return stream;
}

static int see_stream(const struct live_stream *seen, void *data)
{
	struct remote_session *s = data;
	struct remote_stream *stream;

	if (s->has_trace && seen->trace != s->trace_id)
		return relay_fail(&s->relay, -EPROTO, "there is more than one trace in the session");
	s->has_trace = true;
	s->trace_id = seen->trace;
	s->came = true;
	if (seen->metadata) {
		s->has_metadata = true;
		s->metadata = be64toh(seen->id);
		return 0;
	}
	stream = find_stream(s, seen->name);
	if (!stream) {
		if (s->nr >= DIALOGUE_STREAMS_MAX || strchr(seen->name, '/'))
			return relay_fail(&s->relay, -EPROTO, "too many streams, or a bad name of one");
		stream = add_stream(s, seen->name);
		if (!stream)
			return no_memory(s);
	}
	stream->id = be64toh(seen->id);
	stream->ended = false;
	stream->pending = false;
	lib_live_pause(stream->live, false);
	return 0;
}

/* Return: whether there are some; or a negative errno. */
static int new_streams(struct remote_session *s)
{
	int ret;

	s->came = false;
	ret = dialogue_new_streams(&s->relay, s->id, see_stream, s);
	s->over |= !ret;
	return ret < 0 ? ret : s->came;
}

/* ---- metadata -------------------------------------------------------------------- */

/*
 * Senders may begin each piece as the whole begins. What follows in one connection need not in
 * another, so it is left out. Return: bytes that are left.
 */
static size_t without_signatures(char *text, size_t size, bool first)
{
	static const char signature[] = LTT_METADATA_SIGNATURE;
	const size_t len = sizeof(signature) - 1;
	const char *p = text, *end = text + size, *line;
	char *to = text;

	for (; p < end; p = line, first = false) {
		line = memchr(p, '\n', end - p);
		line = line ? line + 1 : end;
		if (!first && (size_t)(line - p) == len && !memcmp(p, signature, len))
			continue;
		memmove(to, p, line - p);
		to += line - p;
	}
	return to - text;
}

/* What is known already must be the same; the rest is new. */
static int take_metadata(struct remote_session *s, char *piece, size_t size)
{
	size_t known = s->size - s->got;
	char *more;

	size = without_signatures(piece, size, !s->got);
	if (known > size)
		known = size;
	if (known && memcmp(s->text + s->got, piece, known))
		return relay_fail(&s->relay, -ESTALE, "the trace has gone; there is another one of its name");
	more = realloc(s->text, s->size + size - known + 1);
	if (!more)
		return no_memory(s);
	s->text = more;
	memcpy(s->text + s->size, piece + known, size - known);
	s->size += size - known;
	s->got += size;
	return 0;
}

static int declare(struct remote_session *s)
{
	struct libltt_problem error = { };
	long len;

	len = lib_live_declare(s->ltt, s->trace, s->text + s->declared, s->size - s->declared,
			       &error);
	if (len < 0)
		return relay_fail(&s->relay, len == -ENOMEM ? len : -EPROTO,
				  "metadata, offset %" PRIu64 ": %s", error.offset, error.text);
	s->declared += len;
	s->changed |= len > 0;
	return 0;
}

static int get_metadata(struct remote_session *s)
{
	int ret = 1;

	while (ret > 0 && s->has_metadata) {
		char *piece = NULL;
		size_t size = 0;

		ret = dialogue_metadata(&s->relay, s->metadata, &piece, &size,
					METADATA_MAX - s->got);
		if (ret > 0)
			ret = take_metadata(s, piece, size) ?: 1;
		free(piece);
	}
	if (ret >= 0 && s->declared < s->size)
		ret = declare(s);
	return ret < 0 ? ret : 0;
}

/* ---- packets --------------------------------------------------------------------- */

static int check_index(struct remote_session *s, const struct live_index *index)
{
	if (index->packet_size % 8 || index->packet_size > 8 * (uint64_t)PACKET_MAX)
		return relay_fail(&s->relay, -EPROTO, "a packet of %" PRIu64 " bits",
				  index->packet_size);
	return 0;
}

/*
 * Was it shown before the connection was lost, or was it there before we came? Then its events, the
 * first of which is where it begins, are before what was said to come.
 */
static bool was_before(const struct remote_stream *stream, const struct live_index *index)
{
	return (stream->end && index->timestamp_end <= stream->end) ||
	       (index->timestamp_begin < stream->quiet && index->timestamp_end <= stream->quiet);
}

/* Return: 1; 0: nothing is known but what was; or a negative errno. */
static int take_index(struct remote_session *s, struct remote_stream *stream,
		      const struct live_index *index)
{
	int ret;

	switch (index->status) {
	case LIVE_INDEX_OK:
		/* Only to say that there is something else. */
		if (!index->packet_size)
			return 1;
		ret = check_index(s, index);
		if (ret)
			return ret;
		if (s->breaks && was_before(stream, index))
			return 1;
		stream->pending = true;
		stream->tries = 0;
		stream->packet.stream = stream->id;
		stream->packet.offset = index->offset;
		stream->packet.size = index->packet_size / 8;
		stream->until = index->timestamp_end;
		return 1;
	case LIVE_INDEX_INACTIVE:
		lib_live_known(stream->live, index->timestamp_end);
		if (index->timestamp_end > stream->quiet)
			stream->quiet = index->timestamp_end;
		return 0;
	case LIVE_INDEX_RETRY:
		return 0;
	case LIVE_INDEX_HUP:
		stream->ended = true;
		lib_live_pause(stream->live, true);
		return 1;
	default:
		return relay_fail(&s->relay, -EREMOTEIO, "it refuses GET_NEXT_INDEX, status %u",
				  (unsigned int)index->status);
	}
}

/* Ask for some streams from *@next on, all at once. Return: as above. */
static int ask_some(struct remote_session *s, unsigned int *next, uint32_t *flags)
{
	struct remote_stream *asked[DIALOGUE_ASK_MAX];
	unsigned int i, nr = 0;
	struct live_index index;
	int ret, news = 0;

	for (; *next < s->nr && nr < DIALOGUE_ASK_MAX; (*next)++) {
		struct remote_stream *stream = &s->streams[*next];

		if (stream->ended || stream->pending || !lib_live_wants(stream->live))
			continue;
		ret = dialogue_ask_index(&s->relay, stream->id);
		if (ret)
			return ret;
		asked[nr++] = stream;
	}
	for (i = 0; i < nr; i++) {
		ret = dialogue_index(&s->relay, &index) ?: take_index(s, asked[i], &index);
		if (ret < 0)
			return ret;
		*flags |= index.flags;
		news |= ret;
	}
	return news;
}

static int heed(struct remote_session *s, uint32_t flags)
{
	int ret = 0;

	if (flags & LIVE_NEW_STREAMS)
		ret = new_streams(s);
	if (ret > 0 || (!ret && flags & LIVE_NEW_METADATA))
		ret = get_metadata(s);
	return ret;
}

static int make_room(struct remote_session *s, size_t size)
{
	void *more;

	if (size <= s->packet_room)
		return 0;
	more = realloc(s->packet, size);
	if (!more)
		return no_memory(s);
	s->packet = more;
	s->packet_room = size;
	return 0;
}

static int take_packet(struct remote_session *s, struct remote_stream *stream)
{
	int ret = lib_live_packet(stream->live, s->packet, stream->packet.size);

	stream->pending = false;
	/* It has been said what is wrong. */
	if (ret == -EBADMSG) {
		stream->ended = true;
		return 0;
	}
	/* Another connection would not help. */
	if (ret)
		return relay_fail(&s->relay, ret == -ENOMEM ? ret : -EPROTO, "a packet: %s",
				  strerror(-ret));
	/* Its number tells of those that are missing since the one before, if there was one. */
	if (!stream->end)
		s->gone += stream->gone;
	stream->gone = 0;
	stream->end = stream->until;
	s->refused = false;
	return 0;
}

/* Return: 1; 0: it is not there yet; or a negative errno. */
static int get_packet(struct remote_session *s, struct remote_stream *stream)
{
	const size_t nr = stream - s->streams;
	uint32_t flags;
	int ret;

	ret = make_room(s, stream->packet.size) ?:
	      dialogue_get_packet(&s->relay, &stream->packet, s->packet, &flags);
	if (ret < 0)
		return ret;
	if (ret == DIALOGUE_LATER && ++stream->tries < TRIES_MAX)
		return heed(s, flags);
	if (ret != DIALOGUE_GOT) {
		stream->pending = false;
		stream->gone++;
		return 1;
	}
	/* Other streams may have come, for which there was no room here. */
	return heed(s, flags) ?: take_packet(s, &s->streams[nr]) ?: 1;
}

/* Return: as above. */
static int get_packets(struct remote_session *s)
{
	uint64_t held = 0;
	int ret, news = 0;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (!s->streams[i].ended && !lib_live_wants(s->streams[i].live))
			held += s->streams[i].packet.size;
	}
	/* There may be more streams on the way. */
	for (i = 0; i < s->nr; i++) {
		struct remote_stream *stream = &s->streams[i];

		if (!stream->pending)
			continue;
		held += stream->packet.size;
		if (held > REMOTE_MEMORY)
			return relay_fail(&s->relay, -EPROTO, "packets of more than %u MB at once",
					  REMOTE_MEMORY >> 20);
		ret = get_packet(s, stream);
		if (ret < 0)
			return ret;
		news |= ret;
	}
	return news;
}

/*
 * What is known of the streams is known of those also that were there then, so these come next:
 * lttng-relayd does not say that there are some when it says that nothing has come.
 *
 * Return: as above.
 */
static int ask_all(struct remote_session *s)
{
	uint32_t flags = LIVE_NEW_STREAMS;
	unsigned int next = 0;
	int ret, news = 0;

	while (next < s->nr) {
		ret = ask_some(s, &next, &flags);
		if (ret < 0)
			return ret;
		news |= ret;
	}
	ret = heed(s, flags) ?: get_packets(s);
	return ret < 0 ? ret : news | ret;
}

/* ---- the connection -------------------------------------------------------------- */

/* Nothing will come of these streams, or not through this connection. */
static void end_streams(struct remote_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		s->streams[i].ended = true;
		s->streams[i].pending = false;
	}
}

/* Those that have ended hold up nobody. */
static void let_go(struct remote_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (s->streams[i].ended)
			lib_live_pause(s->streams[i].live, true);
	}
}

/* No packet will come that tells of them. */
static void count_gone(struct remote_session *s)
{
	struct remote_stream *stream;

	for (stream = s->streams; stream < s->streams + s->nr; stream++) {
		s->gone += stream->gone + stream->pending;
		stream->gone = 0;
	}
}

static void end(struct remote_session *s)
{
	relay_disconnect(&s->relay);
	count_gone(s);
	end_streams(s);
	let_go(s);
	s->state = REMOTE_ENDED;
}

static int connect_session(struct remote_session *s)
{
	int ret;

	s->found = false;
	s->has_trace = false;
	s->has_metadata = false;
	s->got = 0;
	s->over = false;
	ret = dialogue_connect(&s->relay) ?:
	      dialogue_sessions(&s->relay, find_session, s);
	if (!ret && !s->found)
		ret = relay_fail(&s->relay, -ENOENT, "it has no such session");
	if (!ret)
		ret = dialogue_attach(&s->relay, s->id, s->seek, see_stream, s);
	if (!ret)
		ret = get_metadata(s);
	if (ret) {
		relay_disconnect(&s->relay);
		end_streams(s);
		return ret;
	}
	let_go(s);
	s->connected = relay_now();
	s->state = REMOTE_GOOD;
	return 0;
}

/**
 * remote_attach() - begin to look at a session
 * @s:		the session, with an address
 * @stop:	descriptor that becomes readable when we shall stop
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int remote_attach(struct remote_session *s, int stop)
{
	int ret = dialogue_init(&s->relay, &s->address, stop) ?: connect_session(s);

	if (ret && ret != -ECANCELED)
		warnx("%s: %s", s->address.text, s->relay.why);
	return ret;
}

/* Is that what may be another way soon? A refusal is not if nothing has come since the last one. */
static bool may_pass(struct remote_session *s, int error)
{
	bool again = s->refused;

	if (error == -EREMOTEIO) {
		s->refused = true;
		return !again;
	}
	return error != -ECANCELED && error != -ENOMEM && error != -EPROTO && error != -ESTALE;
}

static int lose(struct remote_session *s, int error)
{
	relay_disconnect(&s->relay);
	end_streams(s);
	if (!may_pass(s, error)) {
		end(s);
		if (error != -ECANCELED)
			warnx("%s: %s", s->address.text, s->relay.why);
		return error;
	}
	s->state = REMOTE_BROKEN;
	s->breaks++;
	s->broken = relay_now();
	s->next = s->broken + s->backoff;
	s->absent = 0;
	s->said[0] = '\0';
	warnx("%s: connection lost: %s", s->address.text, s->relay.why);
	return 1;
}

static void say_connected(const struct remote_session *s)
{
	double seconds = (relay_now() - s->broken) / 1000.0;
	uint64_t time = lib_live_time(s->ltt);

	time -= time > 0;
	if (time)
		warnx("%s: connected again after %.1f s; until then, events up to %llu.%09llu were shown",
		      s->address.text, seconds, time / NSEC, time % NSEC);
	else
		warnx("%s: connected again after %.1f s", s->address.text, seconds);
}

/* All that was not shown before the connection broke, and that is still there, will be. */
static int connect_again(struct remote_session *s)
{
	int ret;

	/* Others have waited for long enough. */
	if (relay_now() - s->broken >= REMOTE_PATIENCE)
		let_go(s);
	if (relay_now() < s->next)
		return 0;
	s->backoff = s->backoff ? 2 * s->backoff : BACKOFF_MIN;
	if (s->backoff > BACKOFF_MAX)
		s->backoff = BACKOFF_MAX;
	s->seek = LIVE_SEEK_BEGINNING;
	ret = connect_session(s);
	if (!ret) {
		say_connected(s);
		return 1;
	}
	if (ret != -ENOENT)
		s->absent = 0;
	else if (!s->absent)
		s->absent = relay_now();
	if (!may_pass(s, ret) || (s->absent && relay_now() - s->absent >= REMOTE_PATIENCE)) {
		end(s);
		if (ret != -ECANCELED)
			warnx("%s: gave up: %s", s->address.text, s->relay.why);
		return ret;
	}
	if (strcmp(s->said, s->relay.why))
		warnx("%s: trying again: %s", s->address.text, s->relay.why);
	snprintf(s->said, sizeof(s->said), "%s", s->relay.why);
	s->next = relay_now() + s->backoff;
	return 0;
}

/**
 * remote_step() - get what is new, and connect again if that is necessary
 * @s:		the session
 *
 * Says what is wrong.
 *
 * Return: 1; 0: there was nothing new; or a negative errno: the session has ended, and something
 * of it is missing.
 */
int remote_step(struct remote_session *s)
{
	int ret;

	if (s->state == REMOTE_BROKEN)
		return connect_again(s);
	if (s->state == REMOTE_ENDED)
		return 0;
	ret = ask_all(s);
	if (ret < 0)
		return lose(s, ret);
	if (relay_now() - s->connected >= PROOF)
		s->backoff = 0;
	if (s->over) {
		end(s);
		return 1;
	}
	return ret;
}

/**
 * remote_free() - end with a session
 * @s:		the session
 */
void remote_free(struct remote_session *s)
{
	relay_free(&s->relay);
	tdestroy(s->names, free);
	free(s->streams);
	free(s->packet);
	free(s->text);
}
