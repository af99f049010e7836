// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: the next packet of a stream, checked.
 *
 * A stream's file is read through a window, which is as large as what is read at
 * once and grows only for an event that doesn't fit: files may be larger than
 * memory, and there may be many of them.
 *
 * A packet's header says where the next one begins. Once that can't be believed, the next
 * header is searched for: with the UUID it begins with 20 bytes that nothing else has.
 *
 * The rest of a header is compared with those around it, as one alone can't tell which of two
 * is wrong: a packet is left out if it contradicts the one before it, or if two behind it
 * agree with each other and not with it. So no damage costs more than the packets it is in,
 * and one beside them.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/ctf.h"
#include "stream.h"

#define HEADER		sizeof(struct ltt_packet)

/* Bytes that are searched at once. */
#define SEARCH		(64u << 10)

/* Headers behind a packet that are looked at, to find some that are good by themselves. */
#define AHEAD_MAX	4u
#define AHEAD		3u

/* More events than can be lost between two packets: one each nanosecond, for days. */
#define LOST_MAX	(65536ull * U32_MAX)

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
 * The last one that was not in the window is kept: a packet is looked at before its turn.
 *
 * Return: 0; -ENODATA: the file ends before; or another negative errno.
 */
int lib_packet_header(struct lib_stream *s, u64 offset, struct ltt_packet *packet)
{
	u8 buf[HEADER];
	long len;

	if (s->ahead_known && s->ahead_at == offset) {
		*packet = s->ahead;
		return 0;
	}

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
	s->ahead = *packet;
	s->ahead_at = offset;
	s->ahead_known = true;
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
 * lib_packet_whole() - is there a packet that ends where its size says, in the file?
 * @s:		the stream
 * @offset:	where it begins
 * @packet:	returns its header
 *
 * Return: false if not, or if it can't be read.
 */
bool lib_packet_whole(struct lib_stream *s, u64 offset, struct ltt_packet *packet)
{
	return offset < s->pub.size && s->pub.size - offset >= HEADER &&
	       !lib_packet_header(s, offset, packet) && !lib_packet_bad_frame(s, packet) &&
	       packet->packet_size / 8 <= s->pub.size - offset;
}

/* As lib_packet_search(); what is between two packets is searched once. */
static int find_next(struct lib_stream *s, u64 offset, u64 *found)
{
	int ret;

	if (offset < s->gap_begin || offset > s->gap_end) {
		ret = lib_packet_search(s, offset, found);
		if (ret < 0)
			return ret;
		s->gap_begin = offset;
		s->gap_end = ret ? *found : s->pub.size;
	}
	*found = s->gap_end;
	return s->gap_end < s->pub.size;
}

/* What is wrong with a header, whatever is around it? NULL if nothing is. */
static const char *bad_alone(const struct lib_stream *s, const struct ltt_packet *packet)
{
	if (packet->stream_id != s->pub.stream)
		return "packet of another channel";
	if (packet->cpu_id != s->pub.cpu)
		return "packet of another CPU";
	if (packet->timestamp_begin > packet->timestamp_end)
		return "packet ends before it begins";
	if (packet->timestamp_end > U64_MAX - s->shift)
		return "packet time out of range";
	return NULL;
}

/* In which way two headers can contradict each other. */
enum conflict { NONE, TIME, NUMBER, LOSSES };

/* Why can't packet @b follow @a? */
static enum conflict bad_order(const struct ltt_packet *a, const struct ltt_packet *b)
{
	if (b->timestamp_begin < a->timestamp_end)
		return TIME;
	return b->packet_seq_num <= a->packet_seq_num ? NUMBER : NONE;
}

/* The number of lost events never decreases. */
static enum conflict bad_losses(const struct ltt_packet *a, const struct ltt_packet *b)
{
	return b->events_discarded - a->events_discarded < LOST_MAX ? NONE : LOSSES;
}

/**
 * struct around - what there is around a packet
 * @s:		the stream
 * @packet:	the packet
 * @before:	the one before it, NULL if there is none
 * @next:	where to look for the next one behind it
 * @looked:	headers that were looked at
 * @nr:		entries of @behind
 * @behind:	the next ones that are good by themselves
 */
struct around {
	struct lib_stream *s;
	const struct ltt_packet *packet;
	const struct ltt_packet *before;
	u64 next;
	unsigned int looked;
	unsigned int nr;
	struct ltt_packet behind[AHEAD];
};

/* Have that many packets behind it, if they are there. */
static bool look_behind(struct around *around, unsigned int nr)
{
	struct ltt_packet *packet;

	while (around->nr < nr && around->looked < AHEAD_MAX) {
		around->looked++;
		packet = &around->behind[around->nr];
		if (!lib_packet_whole(around->s, around->next, packet)) {
			if (find_next(around->s, around->next + 1, &around->next) <= 0)
				around->looked = AHEAD_MAX;
			continue;
		}
		around->next += packet->packet_size / 8;
		if (!bad_alone(around->s, packet))
			around->nr++;
	}
	return around->nr >= nr;
}

/* Which of the headers that contradict each other is wrong: this one, those before it, none? */
enum fault { NOBODY, THIS, BEFORE };

typedef enum conflict (*contradict_fn)(const struct ltt_packet *a, const struct ltt_packet *b);

/* Is this one behind the packet good without the packet, and not with it? */
static bool refutes(const struct around *around, contradict_fn contradict,
		    const struct ltt_packet *behind)
{
	return contradict(around->packet, behind) &&
	       !(around->before && contradict(around->before, behind));
}

/* Are there two behind the packet that refute it, and agree with each other? */
static bool is_refuted(struct around *around, contradict_fn contradict)
{
	const struct ltt_packet *behind = around->behind;
	unsigned int i, j;

	look_behind(around, AHEAD);
	for (j = 1; j < around->nr; j++) {
		for (i = 0; i < j; i++) {
			if (refutes(around, contradict, &behind[i]) &&
			    refutes(around, contradict, &behind[j]) &&
			    !contradict(&behind[i], &behind[j]))
				return true;
		}
	}
	/* Of only one behind it: most bits make a packet end too late, few one begin too early. */
	return around->nr == 1 && refutes(around, contradict, &behind[0]) &&
	       behind[0].timestamp_begin >= around->packet->timestamp_begin;
}

static enum fault find_fault(struct around *around, contradict_fn contradict,
			     enum conflict *conflict, bool *behind)
{
	const struct ltt_packet *before = around->before, *packet = around->packet;
	const struct ltt_packet *next = &around->behind[0];

	*behind = false;
	*conflict = before ? contradict(before, packet) : NONE;
	if (!look_behind(around, 1))
		return *conflict ? THIS : NOBODY;
	if (*conflict)
		return contradict(before, next) && !contradict(packet, next) ? BEFORE : THIS;
	*conflict = contradict(packet, next);
	*behind = true;
	return *conflict && is_refuted(around, contradict) ? THIS : NOBODY;
}

/**
 * lib_packet_judge() - can a packet be read, and what its header says be believed?
 * @s:		the stream
 * @packet:	the header, which can be believed about where the packet ends
 * @at:		where it begins
 * @odd:	returns what is wrong, if it can be read all the same; else NULL
 *
 * If the number of lost events can't be believed, that of the packet before it takes its place
 * in @packet; if that of the packet before it was wrong, nothing counts as lost in between.
 *
 * Looks at a constant number of headers. What is not a packet is searched once.
 *
 * Return: NULL if it can be read, else why not.
 */
const char *lib_packet_judge(struct lib_stream *s, struct ltt_packet *packet, u64 at,
			     const char **odd)
{
	struct around around = {
		.s = s, .packet = packet, .before = s->packets ? &s->packet : NULL,
		.next = at + packet->packet_size / 8,
	};
	const char *why = bad_alone(s, packet);
	enum conflict conflict;
	enum fault fault;
	bool behind;

	*odd = NULL;
	if (why)
		return why;
	fault = find_fault(&around, bad_order, &conflict, &behind);
	if (fault == THIS && conflict == NUMBER)
		return "packet out of order";
	if (fault == THIS)
		return behind ? "packet ends after the next one begins" :
				"packet begins before the previous one ends";
	/* Times must not decrease, even if it is the last one that was wrong. */
	if (fault == BEFORE && packet->timestamp_begin < s->ts)
		return "packet begins before the last event";
	if (fault == BEFORE)
		*odd = "the previous packet has the time or number of a later one";

	/* Before the first packet, none was lost. */
	around.before = &s->packet;
	fault = find_fault(&around, bad_losses, &conflict, &behind);
	if (fault == THIS) {
		packet->events_discarded = s->packet.events_discarded;
		*odd = "invalid number of lost events, ignored";
	} else if (fault == BEFORE) {
		s->packet.events_discarded = packet->events_discarded;
		*odd = "the previous packet has an invalid number of lost events";
	}
	return NULL;
}

/**
 * lib_packet_between() - is a packet beyond doubt?
 * @s:		the stream
 * @packet:	the header, which can be believed about where the packet ends
 * @at:		where it begins
 * @before:	the header of the packet that ends there, NULL if @at is 0
 *
 * Then whoever comes to it from the beginning of the stream reads it, too.
 *
 * Return: true if it agrees with the packet before and the one behind it.
 */
bool lib_packet_between(struct lib_stream *s, const struct ltt_packet *packet, u64 at,
			const struct ltt_packet *before)
{
	u64 next = at + packet->packet_size / 8;
	struct ltt_packet behind;

	if (bad_alone(s, packet) ||
	    (before && (bad_alone(s, before) || bad_order(before, packet) ||
			bad_losses(before, packet))))
		return false;
	if (next == s->pub.size)
		return true;
	return lib_packet_whole(s, next, &behind) && !bad_alone(s, &behind) &&
	       !bad_order(packet, &behind) && !bad_losses(packet, &behind);
}

/**
 * lib_packet_pass() - a packet was checked
 * @s:		the stream
 * @packet:	its header, as lib_packet_judge() left it
 * @offset:	where it begins
 *
 * The next packet is compared with it.
 */
void lib_packet_pass(struct lib_stream *s, const struct ltt_packet *packet, u64 offset)
{
	s->lost += packet->events_discarded - s->packet.events_discarded;
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
 * lib_packet_damaged() - there will be a notice that the rest of the packet cannot be read
 * @s:		the stream
 * @at:		where the rest begins, in the file
 *
 * If there is to be one of something before it, that will do.
 */
void lib_packet_damaged(struct lib_stream *s, u64 at)
{
	if (s->corrupt)
		return;
	s->corrupt = true;
	s->corrupt_packet = s->packet.packet_seq_num;
	s->corrupt_offset = at - (s->packet_end - s->packet.packet_size / 8);
}

/**
 * lib_packet_no_header() - the same, of what is no packet, or cannot be one
 * @s:		the stream
 *
 * It stands where the next one should be.
 */
void lib_packet_no_header(struct lib_stream *s)
{
	if (s->corrupt)
		return;
	s->corrupt = true;
	s->corrupt_packet = s->packets ? s->packet.packet_seq_num + 1 : 0;
	s->corrupt_offset = 0;
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
	lib_packet_damaged(s, offset);
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
		offset = lib_file_data(s->fd, offset, s->pub.size);
		if (s->pub.size - offset < HEADER)
			break;
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
	int ret = find_next(s, offset + 1, &next);

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
			lib_packet_no_header(s);
			return false;
		}
		why = err ? NULL : lib_packet_bad_frame(s, packet);
		if (!why && !err && packet->packet_size / 8 <= rest)
			return true;
		if (why) {
			complain(ltt, s, at, why);
			lib_packet_no_header(s);
		}
		if (!resume(ltt, s, at)) {
			if (!why)
				lib_report(ltt, LIBLTT_NOTE, EBADMSG, s->pub.file, at,
					   "the last packet is truncated");
			return false;
		}
		if (!why) {
			complain(ltt, s, at, "packet does not end where its size says");
			lib_packet_no_header(s);
		}
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
	const char *why, *odd;
	struct ltt_packet packet;
	u64 at;

	if (s->ctf)
		return ctf_stream_next(ltt, s);
	while (!s->finished && next_header(ltt, s, &packet)) {
		at = s->packet_end;
		why = lib_packet_judge(s, &packet, at, &odd);
		if (why || odd)
			complain(ltt, s, at, why ?: odd);
		if (why) {
			lib_packet_no_header(s);
			s->packet_end = at + packet.packet_size / 8;
			continue;
		}
		lib_packet_pass(s, &packet, at);
		if (packet.content_size == LIB_HEADER_BITS) {
			lib_packet_leave(s);
			return true;
		}
		if (packet.timestamp_end + s->shift < ltt->begin) {
			/* Notices here are out of the range, too. */
			s->lost = 0;
			s->corrupt = false;
			continue;
		}
		return lib_packet_fill(ltt, s, at + HEADER, 1);
	}
	s->finished = true;
	return false;
}
