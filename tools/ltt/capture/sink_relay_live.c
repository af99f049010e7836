// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what viewers of a live session at lttng-relayd need besides packets.
 *
 * They show events in order, so they must know of each stream up to when they have all of it:
 * beacons say that. lttng-relayd takes them only of streams that have a packet. So each stream
 * begins with one that is empty, and the numbers of the others are larger by one than in the
 * kernel. And a packet is sent when all streams are known that were there when it was complete:
 * the first event of another one may be older than those in it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/ltt/packet.h>

#include "sink_relay.h"

/* ms, for which a live session stays when all has been sent: viewers get no packet after that. */
#define LIVE_END	1000

/* Return: 0; -EAGAIN: not known now; or another negative errno. */
static int watermark_of(const struct capture_stream *stream, __u64 *time)
{
	return ioctl(stream->in, LTT_IOC_WATERMARK, time) ? -errno : 0;
}

/**
 * relay_sink_send_empty() - send the first packet of a live session's stream
 * @s:		the sink, connected
 * @stream:	the stream, new in this session
 * @next:	its packet that is to be sent next, if not NULL
 *
 * It has no events, up to now. But if @next is not NULL, that has been taken out of the kernel,
 * and follows. In a later session, the empty one has the number and the losses of the last one
 * before, so that the next one follows.
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_send_empty(struct relay_sink *s, struct capture_stream *stream,
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
	/* The first ones: see relay_sink_beacons(). */
	if (!time)
		time = s->nr;
	if (next && time > next->timestamp_begin)
		time = next->timestamp_begin;
	packet.timestamp_begin = time;
	packet.timestamp_end = time;
	memcpy(packet.uuid, s->uuid, sizeof(packet.uuid));
	stream->relayed.known = time;
	ret = relay_sink_send(s, stream, &packet, &packet);
	if (ret)
		return ret;
	stream->relayed.empty = true;
	return relay_send_index(&s->relay, stream->relayed.handle, stream->relayed.next++,
				&packet) ?:
	       relay_settle(&s->relay, RELAY_DUE_MAX);
}

/**
 * relay_sink_add_all() - make all streams that are known part of a live session
 * @s:		the sink, connected
 * @worker:	whose streams
 * @taken:	the one of which a packet is to be sent next, if not NULL
 * @packet:	that packet
 *
 * Comes before anything of them or of others is sent.
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_add_all(struct relay_sink *s, struct worker *worker,
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
		ret = relay_sink_add_stream(s, stream, stream == taken ? packet : NULL);
	}
	return ret;
}

/**
 * relay_sink_beacons() - tell viewers of a live session how far each stream is
 * @s:		the sink, connected
 * @capture:	its capture
 * @worker:	the thread
 *
 * Up to when all is known of each stream that there was when that was so. If metadata are missing,
 * which has been said, nothing more is: the next packet ends the capture.
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_beacons(struct relay_sink *s, struct capture *capture, struct worker *worker)
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
	ret = relay_sink_declare(s) ?:
	      relay_sink_add_all(s, worker, NULL, NULL) ?:
	      relay_sink_confirm(s);
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

/**
 * relay_sink_end_live() - let viewers get all that there is
 * @s:		the sink, connected
 *
 * They have some time for it.
 *
 * Return: 0, or a negative errno, with @s->relay.why.
 */
int relay_sink_end_live(struct relay_sink *s)
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
