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
 * Of a live session see sink_relay_live.c.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <linux/ltt/packet.h>

#include "session.h"
#include "sink_relay.h"

/* relayd is asked what has arrived after so many bytes, or ms. */
#define WINDOW		(8u << 20)
#define CONFIRM_EVERY	1000

static int confirm_now_and_then(struct relay_sink *s)
{
	if (s->open < WINDOW && relay_now() - s->good < CONFIRM_EVERY)
		return 0;
	return relay_sink_confirm(s);
}

/* Return: 0: it has been sent, though perhaps to nobody; or a negative errno: it has not. */
static int send_once(struct relay_sink *s, struct worker *worker, struct capture_stream *stream,
		     const void *data, const struct ltt_packet *packet)
{
	struct relayed *relayed = &stream->relayed;
	int ret;

	ret = relay_check(&s->relay) ?:
	      confirm_now_and_then(s) ?:
	      relay_sink_declare(s) ?:
	      (s->live ? relay_sink_add_all(s, worker, stream, packet) :
			 relay_sink_add_stream(s, stream, NULL)) ?:
	      relay_sink_send(s, stream, data, packet);
	if (ret)
		return ret;
	if (packet->timestamp_end > s->beacon)
		s->beacon = packet->timestamp_end;
	relayed->known = packet->timestamp_end;
	relayed->number = packet->packet_seq_num;
	if (relay_send_index(&s->relay, relayed->handle, relayed->next++, packet) ||
	    relay_settle(&s->relay, RELAY_DUE_MAX))
		relay_sink_lose(s);
	return 0;
}

static void send_packet(struct worker *worker, struct capture_stream *stream, const void *data,
			const struct ltt_packet *packet)
{
	struct capture *capture = worker->capture;
	struct relay_sink *s = capture->relay;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		if (relay_sink_stopped(s) || (!s->connected && !relay_sink_reconnect(s))) {
			s->unsent++;
			s->unsent_bytes += packet->packet_size / 8;
			break;
		}
		if (!send_once(s, worker, stream, data, packet))
			break;
		relay_sink_lose(s);
	}
	pthread_mutex_unlock(&s->lock);
	stream_count(stream, capture, packet);
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
	if (s->live && !s->connected && !s->given_up && !relay_sink_stopped(s) &&
	    relay_now() >= s->due)
		relay_sink_try(s);
	if (s->connected) {
		ret = relay_check(&s->relay);
		if (!ret)
			ret = s->live ? relay_sink_beacons(s, capture, worker) :
					relay_sink_confirm(s);
		if (ret)
			relay_sink_lose(s);
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
	ret = relay_init(&s->relay, &s->address, capture->stop) ?: relay_sink_open_session(s);
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

static int finish(struct capture *capture)
{
	struct relay_sink *s = capture->relay;
	bool all;

	pthread_mutex_lock(&s->lock);
	if (s->connected && (relay_sink_stopped(s) || relay_sink_close_session(s)))
		relay_sink_lose(s);
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
