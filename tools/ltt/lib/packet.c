// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: the next packet of a stream, checked.
 *
 * A stream's file is read through a window, which is as large as what is read at
 * once and grows only for an event that doesn't fit: files may be larger than
 * memory, and there may be many of them.
 *
 * A packet's header says where the next one begins. Once that can't be believed, the next
 * header is searched for: with the UUID it begins with 20 bytes that nothing else has. So
 * no damage costs more than the packets it is in.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define HEADER		sizeof(struct ltt_packet)

/* Bytes that are searched at once. */
#define SEARCH		(64u << 10)

static void complain(struct libltt *ltt, const struct lib_stream *s, u64 offset,
		     const char *why)
{
	lib_report(ltt, LIBLTT_ERROR, EBADMSG, s->pub.file, offset, "%s", why);
}

/* A packet header in the byte order of this machine. */
static void load_header(struct ltt_packet *packet, const u8 *p, bool swap)
{
	memcpy(packet, p, HEADER);
	if (!swap)
		return;
	packet->magic = __builtin_bswap32(packet->magic);
	packet->stream_id = __builtin_bswap32(packet->stream_id);
	packet->timestamp_begin = __builtin_bswap64(packet->timestamp_begin);
	packet->timestamp_end = __builtin_bswap64(packet->timestamp_end);
	packet->content_size = __builtin_bswap64(packet->content_size);
	packet->packet_size = __builtin_bswap64(packet->packet_size);
	packet->packet_seq_num = __builtin_bswap64(packet->packet_seq_num);
	packet->events_discarded = __builtin_bswap64(packet->events_discarded);
	packet->cpu_id = __builtin_bswap64(packet->cpu_id);
}

/**
 * lib_packet_header() - read the header of a packet
 * @s:		the stream
 * @offset:	of the packet in the file
 * @packet:	returns the header, in this machine's byte order
 *
 * Return: 0; -ENODATA: the file ends before; or another negative errno.
 */
int lib_packet_header(struct lib_stream *s, u64 offset, struct ltt_packet *packet)
{
	u8 buf[HEADER];
	long len;

	if (offset >= s->window_at && offset - s->window_at <= s->window_len &&
	    s->window_len - (offset - s->window_at) >= HEADER) {
		load_header(packet, s->window + (offset - s->window_at), s->swap);
		return 0;
	}
	len = lib_file_read(s->fd, buf, HEADER, offset);
	if (len < 0)
		return len;
	if (len < (long)HEADER)
		return -ENODATA;
	load_header(packet, buf, s->swap);
	return 0;
}

/**
 * lib_packet_bad_frame() - can a header be believed about where the packet ends?
 * @s:		the stream
 * @packet:	the header
 *
 * Return: NULL if so, else why not.
 */
const char *lib_packet_bad_frame(const struct lib_stream *s, const struct ltt_packet *packet)
{
	if (packet->magic != LTT_PACKET_MAGIC)
		return "no packet begins here";
	if (memcmp(packet->uuid, s->trace->pub.uuid, LTT_UUID_SIZE))
		return "packet of another trace";
	if (packet->packet_size % 8 || packet->packet_size < LIB_HEADER_BITS ||
	    packet->packet_size > 8ull * LIB_PACKET_MAX)
		return "invalid packet size";
	if (packet->content_size != packet->packet_size)
		return "packet and content sizes differ";
	return NULL;
}

/**
 * lib_packet_bad_contents() - would its events be wrong, or their order?
 * @s:		the stream
 * @packet:	the header
 *
 * Return: NULL if not, else why.
 */
const char *lib_packet_bad_contents(const struct lib_stream *s, const struct ltt_packet *packet)
{
	if (packet->stream_id != s->pub.stream)
		return "packet of another channel";
	if (packet->cpu_id != s->pub.cpu)
		return "packet of another CPU";
	if (packet->timestamp_begin > packet->timestamp_end)
		return "packet ends before it begins";
	if (packet->timestamp_end > U64_MAX - s->shift)
		return "packet time out of range";
	if (s->packets && packet->timestamp_begin < s->ts_end)
		return "packet begins before the previous one ends";
	if (s->packets && packet->packet_seq_num <= s->packet.packet_seq_num)
		return "packet out of order";
	return NULL;
}

/**
 * lib_packet_pass() - a packet was checked
 * @s:		the stream
 * @packet:	its header
 * @offset:	where it begins
 *
 * The next packet is compared with it.
 */
void lib_packet_pass(struct lib_stream *s, const struct ltt_packet *packet, u64 offset)
{
	s64 lost = packet->events_discarded - s->discarded;

	if (lost > 0) {
		s->lost += lost;
		s->discarded = packet->events_discarded;
	}
	s->packet = *packet;
	s->packets++;
	s->ts = packet->timestamp_begin;
	s->ts_end = packet->timestamp_end;
	s->packet_end = offset + packet->packet_size / 8;
	s->content_end = offset + packet->content_size / 8;
}

/* Make room for @size bytes in the window. */
static bool grow(struct lib_stream *s, size_t size)
{
	size_t room = max_t(size_t, size, min_t(size_t, 2 * s->room, LIB_PACKET_MAX));
	u8 *window = realloc(s->window, room);

	if (!window)
		return false;
	s->window = window;
	s->room = room;
	return true;
}

/**
 * lib_packet_leave() - stop reading the packet
 * @s:		the stream
 */
void lib_packet_leave(struct lib_stream *s)
{
	s->p = s->window;
	s->end = s->window;
	s->content_end = s->window_at;
}

/**
 * lib_packet_fill() - have a part of a packet in the window
 * @ltt:	for reports
 * @s:		the stream
 * @offset:	of the first byte, in the file
 * @want:	bytes, all of which are in the packet
 *
 * Return: true, and s->p and s->end are set; false: the stream can't be read any more.
 */
bool lib_packet_fill(struct libltt *ltt, struct lib_stream *s, u64 offset, size_t want)
{
	size_t keep = 0, size;
	long len;

	if (offset >= s->window_at && offset < s->window_at + s->window_len)
		keep = s->window_len - (offset - s->window_at);
	if (want > s->room && !grow(s, want)) {
		lib_report(ltt, LIBLTT_ERROR, ENOMEM, s->pub.file, offset, "out of memory");
		goto fail;
	}
	if (want > keep) {
		if (keep)
			memmove(s->window, s->window + (offset - s->window_at), keep);
		s->window_at = offset;
		s->window_len = keep;
		size = min_t(u64, s->room - keep, s->pub.size - (offset + keep));
		len = lib_file_read(s->fd, s->window + keep, size, offset + keep);
		if (len < 0 || keep + len < want) {
			lib_report(ltt, LIBLTT_ERROR, len < 0 ? -len : EBADMSG, s->pub.file,
				   offset + keep, "%s",
				   len < 0 ? strerror(-len) : "the file was truncated");
			goto fail;
		}
		s->window_len = keep + len;
	}
	s->p = s->window + (offset - s->window_at);
	s->end = s->window + (min(s->content_end, s->window_at + s->window_len) -
			      s->window_at);
	return true;

fail:
	lib_packet_leave(s);
	s->finished = true;
	return false;
}

/* What all headers of the trace begin with, as they are in the file. */
static void make_key(const struct lib_stream *s, u8 key[LIB_KEY_SIZE])
{
	u32 magic = s->swap ? __builtin_bswap32(LTT_PACKET_MAGIC) : LTT_PACKET_MAGIC;

	memcpy(key, &magic, sizeof(magic));
	memcpy(key + sizeof(magic), s->trace->pub.uuid, LTT_UUID_SIZE);
}

/**
 * lib_packet_may_begin() - could these be the first bytes of a packet of the trace?
 * @s:		the stream, of which @trace and @swap are known
 * @p:		the bytes
 * @size:	how many
 */
bool lib_packet_may_begin(const struct lib_stream *s, const void *p, size_t size)
{
	u8 key[LIB_KEY_SIZE];

	make_key(s, key);
	return !memcmp(p, key, min_t(size_t, size, sizeof(key)));
}

/* Is there a packet of the stream, whole? If @s->channel is not known, of any. */
static int is_packet(struct lib_stream *s, u64 offset)
{
	struct ltt_packet packet;
	int err = lib_packet_header(s, offset, &packet);

	if (err)
		return err == -ENODATA ? 0 : err;
	return !lib_packet_bad_frame(s, &packet) &&
	       packet.packet_size / 8 <= s->pub.size - offset &&
	       (!s->channel ||
		(packet.stream_id == s->pub.stream && packet.cpu_id == s->pub.cpu));
}

/* Search @len bytes at @p, which are at @offset in the file. Return: as below. */
static int search_in(struct lib_stream *s, const u8 *p, size_t len, u64 offset, u64 *found)
{
	const u8 *end = p + len, *hit = p;
	u8 key[LIB_KEY_SIZE];
	int ret;

	make_key(s, key);
	while ((hit = memmem(hit, end - hit, key, sizeof(key)))) {
		*found = offset + (hit - p);
		ret = is_packet(s, *found);
		if (ret)
			return ret;
		hit++;
	}
	return 0;
}

/**
 * lib_packet_search() - where is the next whole packet?
 * @s:		the stream; if @s->channel is NULL, packets of all channels and CPUs will do
 * @offset:	where to begin to look for it
 * @found:	returns where it is
 *
 * Takes time that is linear in the bytes up to there.
 *
 * Return: 1; 0: there is none up to the end of the file; or a negative errno.
 */
int lib_packet_search(struct lib_stream *s, u64 offset, u64 *found)
{
	u8 *buf = malloc(SEARCH);
	long len = 0;
	int ret = buf ? 0 : -ENOMEM;

	while (!ret && offset < s->pub.size && s->pub.size - offset >= HEADER) {
		len = lib_file_read(s->fd, buf, min_t(u64, SEARCH, s->pub.size - offset), offset);
		ret = len < 0 ? len : search_in(s, buf, len, offset, found);
		if (len < (long)LIB_KEY_SIZE)
			break;
		/* One may have been cut in two. */
		offset += len - (LIB_KEY_SIZE - 1);
	}
	free(buf);
	return ret;
}

/* After damage, or what looks like it: is there anything else? Then that is next. */
static bool resume(struct libltt *ltt, struct lib_stream *s, u64 offset)
{
	u64 next;
	int ret = lib_packet_search(s, offset + 1, &next);

	if (ret < 0)
		lib_report(ltt, LIBLTT_ERROR, -ret, s->pub.file, offset, "%s", strerror(-ret));
	if (ret <= 0)
		return false;
	s->packet_end = next;
	return true;
}

/*
 * The header of the next packet, which begins at s->packet_end.
 * Return: false if there is none.
 */
static bool next_header(struct libltt *ltt, struct lib_stream *s, struct ltt_packet *packet)
{
	const char *why;
	u64 at, rest;
	int err;

	for (;;) {
		at = s->packet_end;
		rest = s->pub.size - at;
		if (!rest)
			return false;
		err = rest < HEADER ? -ENODATA : lib_packet_header(s, at, packet);
		if (err && err != -ENODATA) {
			lib_report(ltt, LIBLTT_ERROR, -err, s->pub.file, at, "%s",
				   strerror(-err));
			return false;
		}
		why = err ? NULL : lib_packet_bad_frame(s, packet);
		if (!why && !err && packet->packet_size / 8 <= rest)
			return true;
		if (why)
			complain(ltt, s, at, why);
		if (!resume(ltt, s, at)) {
			if (!why)
				lib_report(ltt, LIBLTT_NOTE, EBADMSG, s->pub.file, at,
					   "the last packet is truncated");
			return false;
		}
		if (!why)
			complain(ltt, s, at, "packet does not end where its size says");
	}
}

/**
 * lib_packet_next() - advance to the next packet that may hold wanted events
 * @ltt:	for the range that is wanted, and for reports
 * @s:		the stream
 *
 * The packet's events begin at s->p. There may be none.
 *
 * Return: false if there are no more packets.
 */
bool lib_packet_next(struct libltt *ltt, struct lib_stream *s)
{
	struct ltt_packet packet;
	const char *why;
	u64 at;

	while (!s->finished && next_header(ltt, s, &packet)) {
		at = s->packet_end;
		why = lib_packet_bad_contents(s, &packet);
		if (why) {
			complain(ltt, s, at, why);
			s->packet_end = at + packet.packet_size / 8;
			continue;
		}
		lib_packet_pass(s, &packet, at);
		if (packet.content_size == LIB_HEADER_BITS) {
			lib_packet_leave(s);
			return true;
		}
		if (packet.timestamp_end + s->shift < ltt->begin) {
			/* The notice of losses here is out of the range, too. */
			s->lost = 0;
			continue;
		}
		return lib_packet_fill(ltt, s, at + HEADER, 1);
	}
	s->finished = true;
	return false;
}
