// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: where packets are, from the index of a stream.
 *
 * An index may be missing, short or wrong. It is only asked where to begin to read,
 * and what it says is compared with the packet: so it can cost time, but no event.
 */
#include <endian.h>
#include <errno.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf/ctf.h"
#include "ctf_index.h"
#include "slices.h"
#include "stream.h"
#include "symbols.h"

/* Bytes of an entry: of version 1.0 at least, and no nonsense. */
#define ENTRY_MIN	offsetof(struct ltt_index_entry, stream_instance_id)
#define ENTRY_MAX	4096u

/**
 * struct lib_index - the index of a stream
 * @fd:		the file, -1 if there is none or it is unusable
 * @nr:		entries
 * @entry_size:	bytes of each
 * @file:	its name
 * @shared:	@fd belongs to another reader
 */
struct lib_index {
	int fd;
	u64 nr;
	u32 entry_size;
	bool shared;
	char *file;
};

static void useless(struct libltt *ltt, struct lib_index *index, u64 offset, const char *why)
{
	lib_report(ltt, LIBLTT_NOTE, EBADMSG, index->file, offset, "%s", why);
	if (index->fd >= 0 && !index->shared)
		close(index->fd);
	index->fd = -1;
	index->nr = 0;
}

/* DIR/CHANNEL_CPU has DIR/index/CHANNEL_CPU.idx. */
static char *index_name(const struct lib_stream *s)
{
	const char *base = strrchr(s->pub.file, '/');
	char *name;

	base = base ? base + 1 : s->pub.file;
	if (asprintf(&name, "%s/" LTT_INDEX_DIR "/%s" LTT_INDEX_SUFFIX, s->trace->dir, base) < 0)
		return NULL;
	return name;
}

static void open_index(struct libltt *ltt, struct lib_index *index)
{
	struct ltt_index_header header;
	struct libltt_problem problem;
	u64 size;
	long len;

	index->fd = lib_file_open(index->file, &size, &problem);
	if (index->fd < 0) {
		if (problem.code != ENOENT && problem.code != ENOTDIR)
			useless(ltt, index, problem.offset, problem.text);
		return;
	}
	len = lib_file_read(index->fd, &header, sizeof(header), 0);
	/* Just made, by a recorder. */
	if (!len)
		return;
	if (len < (long)sizeof(header)) {
		useless(ltt, index, 0, len < 0 ? strerror(-len) : "index without a header");
		return;
	}
	index->entry_size = be32toh(header.entry_size);
	if (be32toh(header.magic) != LTT_INDEX_MAGIC ||
	    be32toh(header.major) != LTT_INDEX_MAJOR || index->entry_size < ENTRY_MIN ||
	    index->entry_size > ENTRY_MAX) {
		useless(ltt, index, 0, "not an index, or of an unsupported version");
		return;
	}
	/* The last entry may be cut short. The header may have come after we knew the size. */
	if (size > sizeof(header))
		index->nr = (size - sizeof(header)) / index->entry_size;
}

/* Return: the stream's index, or NULL if there is none that is of any use. */
static struct lib_index *get_index(struct libltt *ltt, struct lib_stream *s)
{
	if (!s->index) {
		s->index = calloc(1, sizeof(*s->index));
		if (!s->index)
			return NULL;
		s->index->fd = -1;
		s->index->file = index_name(s);
		if (s->index->file)
			open_index(ltt, s->index);
	}
	return s->index->nr ? s->index : NULL;
}

/**
 * lib_index_close() - forget the index of a stream
 * @s:		the stream
 */
void lib_index_close(struct lib_stream *s)
{
	if (!s->index)
		return;
	if (s->index->fd >= 0 && !s->index->shared)
		close(s->index->fd);
	free(s->index->file);
	free(s->index);
	s->index = NULL;
}

static u64 entry_at(const struct lib_index *index, u64 nr)
{
	return sizeof(struct ltt_index_header) + nr * index->entry_size;
}

static bool read_entry(struct libltt *ltt, struct lib_index *index, u64 nr,
		       struct ltt_index_entry *entry)
{
	long len = lib_file_read(index->fd, entry, ENTRY_MIN, entry_at(index, nr));

	if (len == (long)ENTRY_MIN)
		return true;
	useless(ltt, index, entry_at(index, nr),
		len < 0 ? strerror(-len) : "the index was truncated");
	return false;
}

/*
 * The first entry that ends at @ts or later; index->nr if there is none.
 * Return: false if the index can't be read.
 */
static bool search(struct libltt *ltt, struct lib_index *index, u64 ts, u64 *nr)
{
	u64 low = 0, high = index->nr, mid;
	struct ltt_index_entry entry;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (!read_entry(ltt, index, mid, &entry))
			return false;
		if (be64toh(entry.timestamp_end) < ts)
			low = mid + 1;
		else
			high = mid;
	}
	*nr = low;
	return true;
}

/* Does the entry say the same as the packet's header? */
static bool confirmed(const struct lib_stream *s, const struct ltt_index_entry *entry,
		      const struct ltt_packet *packet)
{
	return !lib_packet_bad_frame(s, packet) &&
	       packet->stream_id == s->pub.stream && packet->cpu_id == s->pub.cpu &&
	       be64toh(entry->packet_size) == packet->packet_size &&
	       be64toh(entry->timestamp_begin) == packet->timestamp_begin &&
	       be64toh(entry->timestamp_end) == packet->timestamp_end &&
	       packet->timestamp_begin <= packet->timestamp_end;
}

/*
 * Can the rest of the stream be compared with this packet, as if it had been read from the
 * beginning? The headers of both neighbours must agree with it.
 */
static bool beyond_doubt(struct libltt *ltt, struct lib_stream *s, u64 nr, u64 offset,
			 const struct ltt_packet *packet)
{
	struct ltt_index_entry entry;
	struct ltt_packet before;
	u64 at;

	if (!offset)
		return lib_packet_between(s, packet, offset, NULL);
	if (!nr || !read_entry(ltt, s->index, nr - 1, &entry))
		return false;
	at = be64toh(entry.offset);
	return at < offset && !lib_packet_header(s, at, &before) &&
	       confirmed(s, &entry, &before) && before.packet_size / 8 == offset - at &&
	       lib_packet_between(s, packet, offset, &before);
}

/**
 * lib_index_seek() - find where to begin to read, for events from a time on
 * @ltt:	for reports
 * @s:		the stream, at its beginning
 * @ts:		ns, raw
 *
 * The stream is moved behind a packet all events of which come before @ts, the last
 * one of these unless the index is short or wrong, or a packet there is damaged.
 */
void lib_index_seek(struct libltt *ltt, struct lib_stream *s, u64 ts)
{
	struct lib_index *index;
	struct ltt_index_entry entry;
	struct ltt_packet packet;
	u64 nr, offset;

	if (s->ctf) {
		ctf_index_seek(s, ts);
		return;
	}
	index = get_index(ltt, s);
	if (!index || !search(ltt, index, ts, &nr))
		return;
	while (nr--) {
		if (!read_entry(ltt, index, nr, &entry))
			return;
		offset = be64toh(entry.offset);
		/* Written since we looked how much there is in the stream. */
		if (offset >= s->pub.size ||
		    be64toh(entry.packet_size) / 8 > s->pub.size - offset)
			continue;
		if (lib_packet_header(s, offset, &packet) || !confirmed(s, &entry, &packet)) {
			useless(ltt, index, entry_at(index, nr),
				"the index does not match the stream");
			return;
		}
		/*
		 * Losses before an event are told by the headers since the last event: begin
		 * behind a packet that has one.
		 */
		if (packet.timestamp_end >= ts || packet.content_size == LIB_HEADER_BITS)
			continue;
		if (!beyond_doubt(ltt, s, nr, offset, &packet))
			continue;
		lib_packet_pass(s, &packet, offset);
		lib_packet_leave(s);
		s->lost = 0;
		return;
	}
}

/**
 * lib_index_packet_size() - how large are a stream's packets?
 * @ltt:	for reports
 * @s:		the stream
 *
 * Return: their bytes on average; 0 if there is no index of any use, it is not kept then.
 */
u64 lib_index_packet_size(struct libltt *ltt, struct lib_stream *s)
{
	struct lib_index *index;

	if (s->ctf)
		return ctf_index_packet_size(s);
	index = get_index(ltt, s);
	if (index)
		return max_t(u64, s->pub.size / index->nr, 1);
	lib_index_close(s);
	return 0;
}

/**
 * lib_index_sample() - see where in the range the bytes of a stream are
 * @ltt:	for the range, and for reports
 * @s:		the stream, for which lib_index_packet_size() is not 0
 * @bytes:	that are not told apart, if the packets are not larger
 * @samples:	get about one for each @bytes
 *
 * Return: false if there is no memory, or the index can't be read; it is not kept then.
 */
bool lib_index_sample(struct libltt *ltt, struct lib_stream *s, u64 bytes,
		      struct lib_samples *samples)
{
	u64 size = lib_index_packet_size(ltt, s), step = max_t(u64, bytes / size, 1), nr = 0;
	struct ltt_index_entry entry;
	struct lib_sample *sample;
	bool found = true;

	if (s->ctf)
		return ctf_index_sample(ltt, s, step, samples);
	if (ltt->begin > s->shift)
		found = search(ltt, s->index, ltt->begin - s->shift, &nr);
	for (; found && nr < s->index->nr; nr += step) {
		step = min(step, s->index->nr - nr);
		if (lib_grow((void **)&samples->table, samples->nr, &samples->room,
			     sizeof(*sample)))
			return false;
		found = read_entry(ltt, s->index, nr + step - 1, &entry);
		sample = &samples->table[samples->nr++];
		sample->ts = be64toh(entry.timestamp_end) + s->shift;
		sample->bytes = step * size;
		if (sample->ts > ltt->end)
			break;
	}
	if (!found)
		lib_index_close(s);
	return found;
}

/**
 * lib_index_share() - let another reader use the index of a stream
 * @s:		the stream of that reader, which has none
 * @of:		the stream, which stays open for as long
 *
 * Return: 0 or -ENOMEM.
 */
int lib_index_share(struct lib_stream *s, const struct lib_stream *of)
{
	struct lib_index *index;

	if (!of->index)
		return 0;
	index = malloc(sizeof(*index));
	if (!index)
		return -ENOMEM;
	*index = *of->index;
	index->shared = true;
	index->file = strdup(of->index->file);
	s->index = index;
	return index->file ? 0 : -ENOMEM;
}
