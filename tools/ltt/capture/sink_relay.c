// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a capture that goes to lttng-relayd.
 *
 * There is one connection, in which the threads take turns. While it is broken, the thread
 * that has noticed connects again, and the others wait for it: packets stay in the kernel,
 * whose buffers overflow in the end, and count what they lose.
 *
 * relayd cannot resume a session. So a new connection is a new session, a trace of its own
 * with all of the metadata. What was on the way is not sent again: it may have arrived.
 *
 * Memory: a packet for each thread, and the metadata.
 *
 * Of a live session, viewers show events in order, so they must know of each stream up to when
 * they have all of it: beacons say that. lttng-relayd takes them only of streams that have a
 * packet. So each stream begins with one that is empty, and the numbers of the others are larger by
 * one than in the kernel. And a packet is sent when all streams are known that were there when it
 * was complete: the first event of another one may be older than those in it.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/ltt/metadata.h>
#include <linux/ltt/packet.h>

#include "capture.h"
#include "../relay/address.h"
#include "../relay/relay.h"
#include "../relay/wire.h"
#include "session.h"

/*
 * us, how often there are beacons in a live session that is quiet; so viewers know how often to
 * ask. There are more when packets come now and then, and none while they come all the time:
 * those say it themselves.
 */
#define LIVE_TIMER	200000

/* ms, for which a live session stays when all has been sent: viewers get no packet after that. */
#define LIVE_END	1000

/* relayd is asked what has arrived after so many bytes, or ms. */
#define WINDOW		(8u << 20)
#define CONFIRM_EVERY	1000

/* ms until the next attempt to connect: twice as long each time. The first comes at once. */
#define BACKOFF_MIN	100
#define BACKOFF_MAX	5000

/* ms for which connecting is tried once the capture is to end. */
#ifndef PATIENCE
#define PATIENCE	10000
#endif

/* ms after which relayd is asked once more, at most; streams that it is asked for at once. */
#define PENDING_MAX	100
#define ASK_MAX		256

/* Bytes of metadata that are sent at once. */
#define PIECE		(1024 * 1024)

/**
 * struct relay_sink - the connection, and what became of it
 * @lock:	protects all but @text_lock and what that does
 * @address:	whom to connect to
 * @relay:	the connection
 * @name:	of the session
 * @hostname:	ours
 * @dir:	directory of the first session
 * @live:	viewers look at the sessions
 * @uuid:	of the trace, if @live
 * @beacon:	ns, the last time in any beacon, or at which a packet with events ended
 * @session:	number of the present session, or the last one, from 1
 * @connected:	there is a present one
 * @given_up:	there will be no other
 * @metadata:	its stream of metadata
 * @declared:	bytes of @text that have been sent in it
 * @streams:	its other streams
 * @nr:		how many
 * @room:	entries at @streams
 * @open:	bytes that it has not confirmed
 * @good:	ms, when it last had confirmed everything
 * @arrived:	ms, when it last had confirmed packets
 * @lost:	ms, when the last connection was lost
 * @due:	ms, when the next attempt to connect is due
 * @backoff:	ms, how long to wait before the next attempt; 0: none since then
 * @said:	why the last attempt failed, as it was told
 * @breaks:	connections that were lost
 * @missing:	packets that may not have arrived
 * @missing_bytes: of these
 * @unsent:	packets that were not sent
 * @unsent_bytes: of these
 * @kick:	an eventfd: the capture is to end
 * @stop:	an eventfd: at once
 * @ended:	ms, when that was said first; 0: not yet
 * @text_lock:	protects @text, @size and @text_room
 * @text:	the metadata
 * @size:	bytes of it
 * @text_room:	bytes at @text
 */
struct relay_sink {
	pthread_mutex_t lock;
	struct relay_address address;
	struct relay relay;
	char name[RELAY_SESSION_NAME];
	char hostname[RELAY_HOST_NAME];
	char dir[RELAY_PATH - 64];
	bool live;
	uint8_t uuid[LTT_UUID_SIZE];
	uint64_t beacon;
	unsigned int session;
	bool connected;
	bool given_up;
	uint64_t metadata;
	size_t declared;
	struct capture_stream **streams;
	unsigned int nr;
	unsigned int room;
	uint64_t open;
	int64_t good;
	int64_t arrived;
	int64_t lost;
	int64_t due;
	int backoff;
	char said[256];
	unsigned int breaks;
	uint64_t missing;
	uint64_t missing_bytes;
	uint64_t unsent;
	uint64_t unsent_bytes;
	int kick;
	int stop;
	atomic_llong ended;
	pthread_mutex_t text_lock;
	char *text;
	size_t size;
	size_t text_room;
};

/* ---- a session ------------------------------------------------------------------- */

static void path_of(const struct relay_sink *s, char path[RELAY_PATH])
{
	if (s->session > 1)
		snprintf(path, RELAY_PATH, "%s-%u/kernel", s->dir, s->session);
	else
		snprintf(path, RELAY_PATH, "%s/kernel", s->dir);
}

/*
 * A copy of what comes next: it may be long until it is sent, and the text grows meanwhile.
 * Babeltrace 2.0 wants what it gets to begin as the whole does, and to be whole declarations.
 */
static int undeclared(struct relay_sink *s, char **copy, size_t *size, size_t *len)
{
	const size_t first = s->live && s->declared ? strlen(LTT_METADATA_SIGNATURE) : 0;
	int ret = 0;

	*copy = NULL;
	pthread_mutex_lock(&s->text_lock);
	*size = s->size - s->declared;
	if (*size > PIECE && !s->live)
		*size = PIECE;
	*len = *size + first;
	if (*size) {
		*copy = malloc(*len);
		if (*copy) {
			memcpy(*copy, LTT_METADATA_SIGNATURE, first);
			memcpy(*copy + first, s->text + s->declared, *size);
		} else {
			ret = relay_fail(&s->relay, -ENOMEM, "%s", strerror(ENOMEM));
		}
	}
	pthread_mutex_unlock(&s->text_lock);
	return ret;
}

/* When it returns 0, relayd has it: a packet on the other connection cannot be faster. */
static int declare(struct relay_sink *s)
{
	bool sent = false;
	size_t size, len;
	char *text;
	int ret;

	while (!(ret = undeclared(s, &text, &size, &len)) && size) {
		ret = relay_send_metadata(&s->relay, s->metadata, text, len);
		free(text);
		if (ret)
			return ret;
		s->declared += size;
		sent = true;
	}
	return ret || !sent ? ret : relay_streams_sent(&s->relay);
}

static int open_session(struct relay_sink *s)
{
	char path[RELAY_PATH];
	int ret;

	s->nr = 0;
	s->open = 0;
	s->declared = 0;
	ret = relay_connect(&s->relay);
	if (ret)
		return ret;
	s->session++;
	path_of(s, path);
	ret = relay_create_session(&s->relay, s->name, s->hostname, s->live ? LIVE_TIMER : 0) ?:
	      relay_add_stream(&s->relay, RELAY_METADATA, path, &s->metadata) ?:
	      declare(s);
	if (!ret) {
		s->connected = true;
		s->good = relay_now();
	}
	return ret;
}

/* relayd has it, in the end, or the connection is broken. */
static int send_packet_of(struct relay_sink *s, struct capture_stream *stream, const void *data,
			  const struct ltt_packet *packet)
{
	struct relayed *relayed = &stream->relayed;
	const size_t size = packet->packet_size / 8;
	int ret;

	ret = relay_send_packet(&s->relay, relayed->handle, relayed->next, data, size);
	if (ret)
		return ret;
	relayed->packets++;
	relayed->bytes += size;
	s->open += size;
	return 0;
}

/* Return: 0; -EAGAIN: not known now; or another negative errno. */
static int watermark_of(const struct capture_stream *stream, __u64 *time)
{
	return ioctl(stream->in, LTT_IOC_WATERMARK, time) ? -errno : 0;
}

/*
 * The first packet of a live session's stream: no events, up to now. But if @next is not NULL, it
 * has been taken out of the kernel, and follows. In a later session, it has the number and the
 * losses of the last one before, so that the next one follows.
 */
static int send_empty_packet(struct relay_sink *s, struct capture_stream *stream,
			     const struct ltt_packet *next)
{
	/* An older session's stream may have packets from before what was known of others. */
	const uint64_t known = stream->relayed.known ?: s->beacon;
	struct ltt_packet packet = {
		.magic = LTT_PACKET_MAGIC,
		.stream_id = stream->info.stream_id,
		.content_size = 8 * sizeof(packet),
		.packet_size = 8 * sizeof(packet),
		.cpu_id = stream->info.cpu,
		.packet_seq_num = stream->relayed.number,
		.events_discarded = stream->lost,
	};
	__u64 time;
	int ret;

	if (watermark_of(stream, &time) || time < known)
		time = known;
	/* The first ones: see send_beacons(). */
	if (!time)
		time = s->nr;
	if (next && time > next->timestamp_begin)
		time = next->timestamp_begin;
	packet.timestamp_begin = time;
	packet.timestamp_end = time;
	memcpy(packet.uuid, s->uuid, sizeof(packet.uuid));
	stream->relayed.known = time;
	ret = send_packet_of(s, stream, &packet, &packet);
	if (ret)
		return ret;
	stream->relayed.empty = true;
	return relay_send_index(&s->relay, stream->relayed.handle, stream->relayed.next++,
				&packet) ?:
	       relay_settle(&s->relay, RELAY_DUE_MAX);
}

/* Our stream in the present session; @next, if not NULL: its packet that is to be sent. */
static int add_stream(struct relay_sink *s, struct capture_stream *stream,
		      const struct ltt_packet *next)
{
	struct relayed *relayed = &stream->relayed;
	struct capture_stream **streams;
	char path[RELAY_PATH];
	int ret;

	if (relayed->session == s->session)
		return 0;
	if (s->nr == s->room) {
		streams = reallocarray(s->streams, s->room + 64, sizeof(*streams));
		if (!streams)
			return relay_fail(&s->relay, -ENOMEM, "%s", strerror(ENOMEM));
		s->streams = streams;
		s->room += 64;
	}
	path_of(s, path);
	*relayed = (struct relayed) {
		.session = s->session, .known = relayed->known, .number = relayed->number,
	};
	ret = relay_add_stream(&s->relay, stream->name, path, &relayed->handle) ?:
	      relay_streams_sent(&s->relay);
	if (ret) {
		relayed->session = 0;
		return ret;
	}
	s->streams[s->nr++] = stream;
	return s->live ? send_empty_packet(s, stream, next) : 0;
}

/*
 * Of a live session: all that are known, before anything of them or of others is sent. @packet,
 * if not NULL: of @taken, is to be sent next.
 */
static int add_all_streams(struct relay_sink *s, struct worker *worker,
			   const struct capture_stream *taken, const struct ltt_packet *packet)
{
	struct capture_stream *stream;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret; i++) {
		pthread_mutex_lock(&worker->lock);
		stream = i < worker->nr ? worker->streams[i] : NULL;
		pthread_mutex_unlock(&worker->lock);
		if (!stream)
			break;
		ret = add_stream(s, stream, stream == taken ? packet : NULL);
	}
	return ret;
}

/* Ask for some streams, all at once, and see which packets have arrived. */
static int confirm_some(struct relay_sink *s, struct capture_stream **streams, unsigned int nr)
{
	struct relayed *relayed;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < nr; i++) {
		relayed = &streams[i]->relayed;
		if (relayed->packets)
			ret = relay_ask_pending(&s->relay, relayed->handle, relayed->next - 1);
	}
	for (i = 0; ret >= 0 && i < nr; i++) {
		relayed = &streams[i]->relayed;
		if (!relayed->packets)
			continue;
		ret = relay_pending(&s->relay);
		if (ret)
			continue;
		s->open -= relayed->bytes;
		relayed->packets = 0;
		relayed->bytes = 0;
		relayed->empty = false;
	}
	return ret < 0 ? ret : 0;
}

/* Until relayd has all packets. */
static int confirm(struct relay_sink *s)
{
	int64_t deadline = relay_now() + s->relay.timeout + s->open / RELAY_BYTES_PER_MS;
	const bool any = s->open;
	unsigned int i, left;
	int ret = 0, ms = 1;

	for (;;) {
		for (i = 0; !ret && i < s->nr; i += ASK_MAX) {
			left = s->nr - i;
			ret = confirm_some(s, s->streams + i, left < ASK_MAX ? left : ASK_MAX);
		}
		if (ret)
			return ret;
		if (!s->open)
			break;
		if (relay_now() >= deadline)
			return relay_fail(&s->relay, -ETIMEDOUT,
					  "no confirmation from lttng-relayd");
		ret = relay_sleep(&s->relay, ms);
		ms = ms < PENDING_MAX / 2 ? 2 * ms : PENDING_MAX;
	}
	s->good = relay_now();
	if (any) {
		s->arrived = s->good;
		s->backoff = 0;
	}
	return 0;
}

static int confirm_now_and_then(struct relay_sink *s)
{
	if (s->open < WINDOW && relay_now() - s->good < CONFIRM_EVERY)
		return 0;
	return confirm(s);
}

/* ---- when it breaks -------------------------------------------------------------- */

static bool stopped(const struct relay_sink *s)
{
	struct pollfd pollfd = { .fd = s->stop, .events = POLLIN };

	return poll(&pollfd, 1, 0) > 0;
}

/* On a terminal, over the line that shows how it goes. */
static void clear_line(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/*
 * The session has ended: by itself, or since we shall stop. Nothing is lost with a packet that
 * has no events.
 */
static void lose(struct relay_sink *s)
{
	uint64_t packets = 0, bytes = 0;
	struct relayed *relayed;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		relayed = &s->streams[i]->relayed;
		packets += relayed->packets - relayed->empty;
		bytes += relayed->bytes - (relayed->empty ? sizeof(struct ltt_packet) : 0);
	}
	s->missing += packets;
	s->missing_bytes += bytes;
	s->connected = false;
	relay_disconnect(&s->relay);
	if (stopped(s))
		return;
	s->lost = relay_now();
	s->due = s->lost + s->backoff;
	s->breaks++;
	s->said[0] = '\0';
	clear_line();
	warnx("%s: connection lost: %s; packets that may be missing: %" PRIu64 " (%" PRIu64 " bytes)",
	      s->address.text, s->relay.why, packets, bytes);
}

/*
 * When we give up; in ms, INT64_MAX: not now. A session in which nothing arrives is no reason to
 * go on.
 */
static int64_t last_chance(struct relay_sink *s)
{
	int64_t ended = atomic_load(&s->ended);

	if (!ended)
		return INT64_MAX;
	return (ended > s->arrived ? ended : s->arrived) + PATIENCE;
}

/* There is at least one attempt after packets have arrived. Return: whether it was the last one. */
static bool give_up(struct relay_sink *s)
{
	s->given_up = s->backoff && relay_now() >= last_chance(s);
	if (s->given_up) {
		clear_line();
		warnx("%s: gave up: %s", s->address.text, s->relay.why);
	}
	return s->given_up;
}

/* Wait before the next attempt, unless it is the first. */
static void back_off(struct relay_sink *s)
{
	struct pollfd fds[] = {
		{ .fd = s->stop, .events = POLLIN },
		{ .fd = s->kick, .events = POLLIN },
	};
	int64_t chance = last_chance(s), left;
	eventfd_t count;

	left = (s->due < chance ? s->due : chance) - relay_now();
	poll(fds, 2, left > 0 ? left : 0);
	/* What it says is known from now on. */
	if (fds[1].revents)
		eventfd_read(s->kick, &count);
	s->backoff = s->backoff ? 2 * s->backoff : BACKOFF_MIN;
	if (s->backoff > BACKOFF_MAX)
		s->backoff = BACKOFF_MAX;
}

/* An attempt, when it is due. Return: whether there is a session. */
static bool try_to_connect(struct relay_sink *s)
{
	char path[RELAY_PATH];

	back_off(s);
	if (stopped(s))
		return false;
	if (!open_session(s)) {
		path_of(s, path);
		clear_line();
		warnx("%s: connected again after %.1f s; what follows is in %s", s->address.text,
		      (relay_now() - s->lost) / 1000.0, path);
		return true;
	}
	relay_disconnect(&s->relay);
	s->due = relay_now() + s->backoff;
	if (relay_now() < last_chance(s) && !stopped(s) && strcmp(s->said, s->relay.why)) {
		clear_line();
		warnx("%s: trying again: %s", s->address.text, s->relay.why);
	}
	snprintf(s->said, sizeof(s->said), "%s", s->relay.why);
	return false;
}

/* Return: whether there is a session. */
static bool connect_again(struct relay_sink *s)
{
	while (!s->given_up && !stopped(s) && !give_up(s)) {
		if (try_to_connect(s))
			return true;
	}
	return false;
}

/* ---- packets --------------------------------------------------------------------- */

/* Return: 0: it has been sent, though perhaps to nobody; or a negative errno: it has not. */
static int send_once(struct relay_sink *s, struct worker *worker, struct capture_stream *stream,
		     const void *data, const struct ltt_packet *packet)
{
	struct relayed *relayed = &stream->relayed;
	int ret;

	ret = relay_check(&s->relay) ?:
	      confirm_now_and_then(s) ?:
	      declare(s) ?:
	      (s->live ? add_all_streams(s, worker, stream, packet) :
			 add_stream(s, stream, NULL)) ?:
	      send_packet_of(s, stream, data, packet);
	if (ret)
		return ret;
	if (packet->timestamp_end > s->beacon)
		s->beacon = packet->timestamp_end;
	relayed->known = packet->timestamp_end;
	relayed->number = packet->packet_seq_num;
	if (relay_send_index(&s->relay, relayed->handle, relayed->next++, packet) ||
	    relay_settle(&s->relay, RELAY_DUE_MAX))
		lose(s);
	return 0;
}

static void send_packet(struct worker *worker, struct capture_stream *stream, const void *data,
			const struct ltt_packet *packet)
{
	struct capture *capture = worker->capture;
	struct relay_sink *s = capture->relay;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		if (stopped(s) || (!s->connected && !connect_again(s))) {
			s->unsent++;
			s->unsent_bytes += packet->packet_size / 8;
			break;
		}
		if (!send_once(s, worker, stream, data, packet))
			break;
		lose(s);
	}
	pthread_mutex_unlock(&s->lock);
	stream_count(stream, capture, packet);
}

/*
 * Up to when all is known of each stream that there was when that was so. If metadata are missing,
 * which has been said, nothing more is: the next packet ends the capture.
 */
static int send_beacons(struct relay_sink *s, struct capture *capture, struct worker *worker)
{
	unsigned int i, nr = s->nr;
	uint64_t *times;
	__u64 time;
	int ret;

	times = calloc(nr + 1, sizeof(*times));
	if (!times)
		return relay_fail(&s->relay, -ENOMEM, "%s", strerror(ENOMEM));
	for (i = 0; i < nr; i++) {
		/* Babeltrace warns each time when two streams say the same: no two do. */
		if (!s->streams[i]->ended && !watermark_of(s->streams[i], &time))
			times[i] = time - (time < i ? time : i);
	}
	capture_want_scan(capture);
	if (metadata_update(&capture->metadata)) {
		free(times);
		return 0;
	}
	ret = declare(s) ?: add_all_streams(s, worker, NULL, NULL) ?: confirm(s);
	for (i = 0; !ret && i < nr; i++) {
		struct relayed *relayed = &s->streams[i]->relayed;

		if (times[i] <= relayed->known)
			continue;
		relayed->known = times[i];
		if (times[i] > s->beacon)
			s->beacon = times[i];
		ret = relay_send_beacon(&s->relay, relayed->handle, s->streams[i]->info.stream_id,
					times[i]) ?:
		      relay_settle(&s->relay, RELAY_DUE_MAX);
	}
	free(times);
	return ret ?: relay_settle(&s->relay, 0);
}

/*
 * What has arrived is known before the connection breaks, and that it breaks soon after. Viewers
 * of a live session wait for the next one: that does not wait for a packet.
 */
static void idle(struct capture *capture, struct worker *worker)
{
	struct relay_sink *s = capture->relay;
	int ret;

	/* Whoever holds the lock is doing this, or is about to. */
	if (pthread_mutex_trylock(&s->lock))
		return;
	if (s->live && !s->connected && !s->given_up && !stopped(s) && relay_now() >= s->due)
		try_to_connect(s);
	if (s->connected) {
		ret = relay_check(&s->relay);
		if (!ret)
			ret = s->live ? send_beacons(s, capture, worker) : confirm(s);
		if (ret)
			lose(s);
	}
	pthread_mutex_unlock(&s->lock);
}

static int need_room(struct worker *worker, size_t size)
{
	char *more;

	if (size <= worker->packet_room)
		return 0;
	more = realloc(worker->packet, size);
	if (!more)
		return -ENOMEM;
	worker->packet = more;
	worker->packet_room = size;
	return 0;
}

/* One that was overwritten since we were told of it is -ESTALE: no other one comes in its place. */
static int take(struct capture_stream *stream, struct worker *worker, uint64_t size)
{
	const bool live = worker->capture->live;
	struct ltt_packet packet;
	ssize_t n;
	int ret;

	if (size < sizeof(packet))
		return -EBADMSG;
	ret = need_room(worker, size);
	if (ret)
		return ret;
	n = read(stream->in, worker->packet, size);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if ((size_t)n != size)
		return -EIO;
	if (live)
		capture_want_scan(worker->capture);
	/* The packet is there, so what it needs has been declared. */
	if (metadata_update(&worker->capture->metadata))
		return -ECANCELED;
	memcpy(&packet, worker->packet, sizeof(packet));
	if (packet.magic != LTT_PACKET_MAGIC || packet.packet_size != 8 * size)
		return -EBADMSG;
	/* After the empty one. */
	if (live) {
		packet.packet_seq_num++;
		memcpy(worker->packet, &packet, sizeof(packet));
	}
	send_packet(worker, stream, worker->packet, &packet);
	return 0;
}

static void end_stream(struct capture_stream *stream)
{
	(void)stream;
}

/* ---- the sink -------------------------------------------------------------------- */

/* What relayd makes a directory of. It takes a little less than Linux allows: cut. */
static void get_hostname(char *name, size_t size)
{
	char whole[HOST_NAME_MAX + 1];

	if (gethostname(whole, sizeof(whole)) || !*whole || *whole == '.')
		strcpy(whole, "unknown");
	snprintf(name, size, "%.*s", (int)size - 1, whole);
	for (; *name; name++) {
		if (*name == '/')
			*name = '_';
	}
}

/* Of one of our own traces, only ours has that name; others may be captured more than once. */
static void set_names(struct relay_sink *s, const struct capture *capture)
{
	const char *path = s->address.path;
	time_t now = time(NULL);
	char when[32];
	struct tm tm;

	if (capture->whole)
		snprintf(s->name, sizeof(s->name), "%s", capture->trace);
	else
		snprintf(s->name, sizeof(s->name), "%.200s-%d", capture->trace, getpid());
	get_hostname(s->hostname, sizeof(s->hostname));
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(s->dir, sizeof(s->dir), "%s/%s%s%s-%s", s->hostname, path, *path ? "/" : "",
		 s->name, when);
}

static int get_uuid(const char *trace, uint8_t uuid[LTT_UUID_SIZE])
{
	char text[SESSION_UUID_SIZE];
	const char *digits = text;
	unsigned int i, byte;
	int ret;

	ret = session_uuid(trace, text);
	for (i = 0; !ret && i < LTT_UUID_SIZE; i++) {
		digits += *digits == '-';
		if (sscanf(digits, "%2x", &byte) != 1)
			ret = -EBADMSG;
		uuid[i] = byte;
		digits += 2;
	}
	return ret;
}

static int open_relay(struct capture *capture, const char *where)
{
	struct relay_sink *s = calloc(1, sizeof(*s));
	const char *wrong;
	int ret;

	if (!s) {
		warn("%s", where);
		return -ENOMEM;
	}
	capture->relay = s;
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->text_lock, NULL);
	s->kick = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->stop = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->relay.control = -1;
	s->relay.data = -1;
	if (s->kick < 0 || s->stop < 0) {
		ret = -errno;
		warn("%s", where);
		return ret;
	}
	wrong = relay_parse_address(&s->address, where);
	if (wrong) {
		warnx("%s: %s", where, wrong);
		return -EINVAL;
	}
	set_names(s, capture);
	s->live = capture->live;
	ret = s->live ? get_uuid(capture->trace, s->uuid) : 0;
	if (ret) {
		error(0, -ret, "%s: UUID", capture->trace);
		return ret;
	}
	ret = relay_init(&s->relay, &s->address, capture->stop) ?: open_session(s);
	s->relay.stop = s->stop;
	if (ret)
		warnx("%s: %s", where, s->relay.why);
	return ret;
}

static int add_metadata(struct capture *capture, const char *text, size_t size)
{
	struct relay_sink *s = capture->relay;
	int ret = 0;
	char *more;

	pthread_mutex_lock(&s->text_lock);
	if (s->text_room - s->size < size) {
		more = realloc(s->text, s->size + 2 * size);
		if (more) {
			s->text = more;
			s->text_room = s->size + 2 * size;
		} else {
			ret = -ENOMEM;
		}
	}
	if (!ret) {
		memcpy(s->text + s->size, text, size);
		s->size += size;
	}
	pthread_mutex_unlock(&s->text_lock);
	if (ret)
		error(0, ENOMEM, "metadata");
	return ret;
}

static void ending(struct capture *capture, enum capture_mode mode)
{
	struct relay_sink *s = capture->relay;

	if (!s)
		return;
	if (mode == CAPTURE_ABORT) {
		eventfd_write(s->stop, 1);
		return;
	}
	atomic_store(&s->ended, relay_now());
	eventfd_write(s->kick, 1);
}

/* Viewers can get all that there is, and have some time for it. */
static int end_live(struct relay_sink *s)
{
	uint64_t last = s->beacon;
	unsigned int i;
	int ret = 0;

	/* That of a packet without events may be later. */
	for (i = 0; i < s->nr; i++) {
		if (s->streams[i]->relayed.known > last)
			last = s->streams[i]->relayed.known;
	}
	for (i = 0; !ret && i < s->nr; i++)
		ret = relay_send_beacon(&s->relay, s->streams[i]->relayed.handle,
					s->streams[i]->info.stream_id, last + 1 + i) ?:
		      relay_settle(&s->relay, RELAY_DUE_MAX);
	return ret ?: relay_settle(&s->relay, 0) ?: relay_sleep(&s->relay, LIVE_END);
}

static int close_session(struct relay_sink *s)
{
	unsigned int i;
	int ret;

	ret = declare(s) ?: confirm(s);
	if (!ret && s->live)
		ret = end_live(s);
	for (i = 0; !ret && i < s->nr; i++)
		ret = relay_close_stream(&s->relay, s->streams[i]->relayed.handle,
					 s->streams[i]->relayed.next - 1);
	return ret ?: relay_close_stream(&s->relay, s->metadata, RELAY_NO_SEQ);
}

static int finish(struct capture *capture)
{
	struct relay_sink *s = capture->relay;
	bool all;

	pthread_mutex_lock(&s->lock);
	if (s->connected && (stopped(s) || close_session(s)))
		lose(s);
	s->connected = false;
	relay_disconnect(&s->relay);
	all = !s->missing && !s->unsent;
	pthread_mutex_unlock(&s->lock);
	return all ? 0 : -EIO;
}

static void summary(const struct capture *capture)
{
	const struct relay_sink *s = capture->relay;

	if (!s->breaks && !s->missing && !s->unsent)
		return;
	fprintf(stderr, "%s: connections lost: %u, packets that may be missing: ",
		s->address.text, s->breaks);
	fprintf(stderr, "%" PRIu64 " (%" PRIu64 " bytes), packets not sent: ", s->missing,
		s->missing_bytes);
	fprintf(stderr, "%" PRIu64 " (%" PRIu64 " bytes)\n", s->unsent, s->unsent_bytes);
}

static void close_relay(struct capture *capture)
{
	struct relay_sink *s = capture->relay;

	if (!s)
		return;
	relay_free(&s->relay);
	if (s->kick >= 0)
		close(s->kick);
	if (s->stop >= 0)
		close(s->stop);
	free(s->streams);
	free(s->text);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->text_lock);
	free(s);
	capture->relay = NULL;
}

const struct sink sink_relay = {
	.open = open_relay,
	.metadata = add_metadata,
	.take = take,
	.end_stream = end_stream,
	.idle = idle,
	.ending = ending,
	.finish = finish,
	.summary = summary,
	.close = close_relay,
};
