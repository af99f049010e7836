/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces for tests and benchmarks of readers: packets of any size, events at any time,
 * and whatever else a test wants to be in a file. (Traces as the ring buffer makes
 * them are the matter of make_trace.)
 *
 * What can't be written ends the program: it has nothing to test.
 */
#ifndef _LTT_TRACE_WRITER_H
#define _LTT_TRACE_WRITER_H

#include <endian.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/metadata.h>
#include <linux/ltt/version.h>
#include <linux/ltt/textbuf.h>

#include "../../../ltt/lib/ctf_index.h"

#define TW_S		LTT_TYPE_SIGNED
#define TW_INT(size, flags)	LTT_TYPE(LTT_KIND_INT, size, flags)
#define TW_SEQ(size, flags)	LTT_TYPE(LTT_KIND_SEQ, size, flags)
#define TW_PTR		LTT_TYPE(LTT_KIND_PTR, 8, 0)
#define TW_STR		LTT_TYPE(LTT_KIND_CPTR, 8, 0)

#define TW_PACKET_MAX	(4u << 20)

static const u8 tw_uuid[LTT_UUID_SIZE] = "writer of traces";

/* A kind of event; its id is its place in the array. */
struct tw_kind {
	const char *name;
	const char *format;
	__u32 types[LTT_MAX_ARGS];
	unsigned int nr;
};

/**
 * struct tw_stream - a file of packets
 * @file:	the packets
 * @index:	their index
 * @packet:	the packet being put together
 * @len:	its bytes; 0: there is none
 * @header:	of that packet, and constants of all
 * @last:	ns, time of the last event
 * @offset:	bytes in @file
 * @old:	as before LTT 0.3, without the wide form of event headers
 */
struct tw_stream {
	FILE *file;
	FILE *index;
	u8 *packet;
	size_t len;
	struct ltt_packet header;
	u64 last;
	u64 offset;
	bool old;
};

static inline FILE *tw_create(const char *dir, const char *format, ...)
{
	char name[4096];
	va_list args;
	int len = snprintf(name, sizeof(name), "%s/", dir);
	FILE *file;

	va_start(args, format);
	vsnprintf(name + len, sizeof(name) - len, format, args);
	va_end(args);
	file = fopen(name, "wb");
	if (!file)
		err(1, "%s", name);
	return file;
}

static inline void tw_put(FILE *file, const void *data, size_t size)
{
	if (fwrite(data, 1, size, file) != size)
		err(1, "write");
}

static inline void tw_mkdir(const char *dir)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s/" LTT_INDEX_DIR, dir);
	if (mkdir(dir, 0777) || mkdir(name, 0777))
		err(1, "%s", name);
}

/**
 * tw_metadata() - begin the metadata of a trace
 * @out:	where
 * @name:	of the trace
 * @clock:	of the trace
 * @real_offset: ns
 */
static inline void tw_metadata(struct ltt_textbuf *out, const char *name, const char *clock,
			       u64 real_offset)
{
	const struct ltt_metadata metadata = {
		.name = name, .uuid = tw_uuid, .big_endian = LTT_HOST_BE, .clock = clock,
		.real_offset = real_offset, .hostname = "here",
		.boot_id = tw_uuid, .release = "6.1.0",
		.version = LTT_VERSION,
	};

	if (ltt_metadata_preamble(out, &metadata))
		errx(1, "the metadata are too long");
}

/* The first of the kinds with the fields of number @nr, which may be itself. */
static inline unsigned int tw_like(const struct tw_kind *kinds, unsigned int nr)
{
	unsigned int i = 0;

	while (strcmp(kinds[i].format, kinds[nr].format) || kinds[i].nr != kinds[nr].nr ||
	       memcmp(kinds[i].types, kinds[nr].types, sizeof(kinds[i].types)))
		i++;
	return i;
}

static inline int tw_kind(struct ltt_textbuf *out, u32 stream_id, const char *channel,
			  const struct tw_kind *kinds, unsigned int id, bool alone,
			  const struct ltt_format *format)
{
	const struct tw_kind *kind = &kinds[id];
	unsigned int like = tw_like(kinds, id);
	int err = 0;

	if (alone)
		return ltt_metadata_event(out, stream_id, id, channel, kind->name,
					  kind->format, kind->types, format);
	if (like == id)
		err = ltt_metadata_fields(out, stream_id, id, kind->format, kind->types,
					  format);
	return err ?: ltt_metadata_event_like(out, stream_id, id, channel, kind->name, like);
}

/* Of two kinds and more, those with the same fields have these declared once. */
static inline void tw_channel(struct ltt_textbuf *out, u32 stream_id, const char *name,
			      const struct tw_kind *kinds, unsigned int nr)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *format;
	unsigned int i, j;
	bool alone;

	if (ltt_metadata_stream(out, stream_id, name, NULL))
		errx(1, "the metadata are too long");
	for (i = 0; i < nr; i++) {
		format = ltt_format_parse(kinds[i].format, kinds[i].types, kinds[i].nr, error);
		if (IS_ERR(format))
			errx(1, "%s.%s: %s", name, kinds[i].name, error);
		for (j = 0, alone = true; j < nr; j++)
			alone = alone && (j == i || tw_like(kinds, j) != tw_like(kinds, i));
		if (tw_kind(out, stream_id, name, kinds, i, alone, format))
			errx(1, "the metadata are too long");
		ltt_format_free(format);
	}
}

static inline void tw_open(struct tw_stream *s, const char *dir, const char *channel,
			   u32 stream_id, u32 cpu)
{
	const struct ltt_index_header header = {
		.magic = htobe32(LTT_INDEX_MAGIC), .major = htobe32(LTT_INDEX_MAJOR),
		.minor = htobe32(LTT_INDEX_MINOR),
		.entry_size = htobe32(sizeof(struct ltt_index_entry)),
	};

	memset(s, 0, sizeof(*s));
	s->file = tw_create(dir, "%s_%u", channel, cpu);
	s->index = tw_create(dir, LTT_INDEX_DIR "/%s_%u" LTT_INDEX_SUFFIX, channel, cpu);
	tw_put(s->index, &header, sizeof(header));
	s->packet = malloc(TW_PACKET_MAX);
	if (!s->packet)
		err(1, "packet");
	s->header.magic = LTT_PACKET_MAGIC;
	memcpy(s->header.uuid, tw_uuid, sizeof(s->header.uuid));
	s->header.stream_id = stream_id;
	s->header.cpu_id = cpu;
}

static inline void tw_begin(struct tw_stream *s, u64 ts)
{
	s->header.timestamp_begin = ts;
	s->last = ts;
	s->len = sizeof(s->header);
}

/* Write the packet. It ends with its last event, or at @ts if that is later. */
static inline void tw_end(struct tw_stream *s, u64 ts)
{
	struct ltt_index_entry entry;

	s->header.timestamp_end = max(ts, s->last);
	s->header.content_size = 8 * s->len;
	s->header.packet_size = 8 * s->len;
	memcpy(s->packet, &s->header, sizeof(s->header));
	tw_put(s->file, s->packet, s->len);

	entry.offset = htobe64(s->offset);
	entry.packet_size = htobe64(s->header.packet_size);
	entry.content_size = htobe64(s->header.content_size);
	entry.timestamp_begin = htobe64(s->header.timestamp_begin);
	entry.timestamp_end = htobe64(s->header.timestamp_end);
	entry.events_discarded = htobe64(s->header.events_discarded);
	entry.stream_id = htobe64(s->header.stream_id);
	entry.stream_instance_id = htobe64(s->header.cpu_id);
	entry.packet_seq_num = htobe64(s->header.packet_seq_num);
	tw_put(s->index, &entry, sizeof(entry));

	s->offset += s->len;
	s->header.packet_seq_num++;
	s->len = 0;
}

/* An event; the header is what the kernel would choose. */
static inline void tw_event(struct tw_stream *s, u32 id, u64 ts, const void *payload,
			    size_t size)
{
	u8 *p = s->packet + s->len;
	u32 word, form = id;
	u16 wide = id;

	if (s->len + LTT_HEADER_EXTENDED + size > TW_PACKET_MAX)
		errx(1, "the packet is too large");
	if (!s->old && id >= LTT_ID_WIDE && id <= LTT_ID_WIDE_MAX)
		form = LTT_ID_WIDE;
	if (form >= LTT_ID_EXTENDED || ts - s->last > LTT_TIME_MASK) {
		word = LTT_HOST_BE ? LTT_ID_EXTENDED << LTT_TIME_BITS : LTT_ID_EXTENDED;
		memcpy(p, &word, 4);
		memcpy(p + 4, &id, 4);
		memcpy(p + 8, &ts, 8);
		s->len += LTT_HEADER_EXTENDED;
	} else {
		word = LTT_HOST_BE ? form << LTT_TIME_BITS | (u32)(ts & LTT_TIME_MASK) :
				     form | (u32)ts << LTT_ID_BITS;
		memcpy(p, &word, 4);
		s->len += LTT_HEADER_COMPACT;
		if (!s->old && form == LTT_ID_WIDE) {
			memcpy(p + LTT_HEADER_COMPACT, &wide, 2);
			s->len += 2;
		}
	}
	memcpy(s->packet + s->len, payload, size);
	s->len += size;
	s->last = ts;
}

static inline void tw_close(struct tw_stream *s)
{
	if (fclose(s->file) || fclose(s->index))
		err(1, "close");
	free(s->packet);
}

/* Fields of a payload, one behind the other. */
static inline u8 *tw_bytes(u8 *p, const void *data, size_t size)
{
	memcpy(p, data, size);
	return p + size;
}

static inline u8 *tw_u32(u8 *p, u32 v)
{
	return tw_bytes(p, &v, sizeof(v));
}

static inline u8 *tw_u64(u8 *p, u64 v)
{
	return tw_bytes(p, &v, sizeof(v));
}

static inline u8 *tw_str(u8 *p, const char *text)
{
	return tw_bytes(p, text, strlen(text) + 1);
}

#endif /* _LTT_TRACE_WRITER_H */
