// SPDX-License-Identifier: GPL-2.0
/* From a ring buffer to a file of packets, and its index. */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/ltt/decode.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "../../../ltt/lib/ctf_index.h"
#include "make_trace.h"

/* Nobody waits here, and so no reader stops. */
unsigned long ss_jiffies;

static void write_all(FILE *file, const void *data, size_t size, const char *name)
{
	if (fwrite(data, 1, size, file) != size)
		die("%s: %s", name, strerror(errno));
}

static FILE *create(const char *name)
{
	FILE *file = fopen(name, "wb");

	if (!file)
		die("%s: %s", name, strerror(errno));
	return file;
}

static void open_files(struct stream *stream, const char *dir)
{
	const struct ltt_index_header header = {
		.magic = htobe32(LTT_INDEX_MAGIC),
		.major = htobe32(LTT_INDEX_MAJOR),
		.minor = htobe32(LTT_INDEX_MINOR),
		.entry_size = htobe32(sizeof(struct ltt_index_entry)),
	};
	char path[4096];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, stream->name) >= sizeof(path))
		die("%s: the name is too long", dir);
	stream->file = create(path);
	if ((size_t)snprintf(path, sizeof(path), "%s/" LTT_INDEX_DIR "/%s" LTT_INDEX_SUFFIX,
			     dir, stream->name) >= sizeof(path))
		die("%s: the name is too long", dir);
	stream->index = create(path);
	write_all(stream->index, &header, sizeof(header), stream->name);
}

void stream_open(struct stream *stream, const char *dir, const char *channel,
		 const struct ltt_packet *packet, bool overwrite)
{
	struct ltt_buf *buf = &stream->buf;
	unsigned int i;

	snprintf(stream->name, sizeof(stream->name), "%s_%u", channel,
		 (unsigned int)packet->cpu_id);
	open_files(stream, dir);

	/* As buffer.c does it in the kernel. */
	buf->sb = aligned_alloc(64, SUBBUF_NUM * sizeof(*buf->sb));
	if (!buf->sb)
		die("out of memory");
	memset(buf->sb, 0, SUBBUF_NUM * sizeof(*buf->sb));
	for (i = 0; i < SUBBUF_NUM; i++) {
		buf->sb[i].base = calloc(1, 1 << SUBBUF_ORDER);
		if (!buf->sb[i].base)
			die("out of memory");
	}
	buf->sb_order = SUBBUF_ORDER;
	buf->off_mask = (1ul << SUBBUF_ORDER) - 1;
	buf->sb_mask = SUBBUF_NUM - 1;
	buf->overwrite = overwrite;
	buf->packet = *packet;
	spin_lock_init(&buf->read_lock);
	INIT_LIST_HEAD(&buf->cursors);
	buf->recording = true;
	buf->cur = &ltt_subbuf_none;

	if (overwrite) {
		stream->shadow = malloc(1 << SUBBUF_ORDER);
		if (!stream->shadow)
			die("out of memory");
	}
	ltt_cursor_open(&stream->cursor, buf, stream->shadow);
}

/* The packet is complete: now its header can be, too. */
static void finish_packet(struct stream *stream)
{
	struct ltt_index_entry entry;
	struct ltt_packet packet;

	memcpy(&packet, stream->packet, sizeof(packet));
	packet.timestamp_end = stream->end;
	packet.content_size = 8 * stream->len;
	packet.packet_size = packet.content_size;
	memcpy(stream->packet, &packet, sizeof(packet));
	write_all(stream->file, stream->packet, stream->len, stream->name);

	entry.offset = htobe64(stream->offset);
	entry.packet_size = htobe64(packet.packet_size);
	entry.content_size = htobe64(packet.content_size);
	entry.timestamp_begin = htobe64(packet.timestamp_begin);
	entry.timestamp_end = htobe64(packet.timestamp_end);
	entry.events_discarded = htobe64(packet.events_discarded);
	entry.stream_id = htobe64(packet.stream_id);
	entry.stream_instance_id = htobe64(packet.cpu_id);
	entry.packet_seq_num = htobe64(packet.packet_seq_num);
	write_all(stream->index, &entry, sizeof(entry), stream->name);

	stream->offset += stream->len;
	stream->len = 0;
}

/* Is the packet in hand another than that in which the cursor is? */
static bool left_packet(const struct stream *stream)
{
	const struct ltt_packet *packet = (const struct ltt_packet *)stream->packet;
	u64 seq;

	memcpy(&seq, &packet->packet_seq_num, sizeof(seq));
	return stream->len && seq != stream->cursor.packet.packet_seq_num;
}

/* Move the cursor over the event at @p, with @room bytes behind it. */
static size_t step(struct stream *stream, const u8 *p, size_t room)
{
	struct ltt_mark *mark = &stream->cursor.mark;
	long header, payload;
	u32 id;

	header = ltt_decode_header(p, room, &mark->ts, &id, false);
	if (header < 0)
		die("%s: bad header of an event", stream->name);
	payload = ltt_event_size(stream->context, stream->kinds[id].parsed, p + header,
				 room - header, false);
	if (payload < 0)
		die("%s: bad event", stream->name);
	mark->pos += header + payload;
	mark->events++;
	stream->end = mark->ts;
	stream->events++;
	return header + payload;
}

/**
 * stream_drain() - take all that there is in the buffer, and let it be reused
 * @stream:	the stream
 *
 * What is taken of a packet that is not full stays in @stream until the rest comes.
 */
void stream_drain(struct stream *stream)
{
	struct ltt_cursor *cursor = &stream->cursor;
	size_t len, done;
	const u8 *events;

	for (;;) {
		len = ltt_cursor_window(cursor, &events);
		stream->lost += cursor->lost;
		cursor->lost = 0;
		if (!len)
			break;
		if (left_packet(stream))
			finish_packet(stream);
		if (!stream->len) {
			memcpy(stream->packet, &cursor->packet, sizeof(cursor->packet));
			stream->len = sizeof(cursor->packet);
		}
		memcpy(stream->packet + stream->len, events, len);
		stream->len += len;
		for (done = 0; done < len;)
			done += step(stream, events + done, len - done);
	}
	ltt_cursor_release(cursor);
}

/**
 * stream_close() - write what is left, and free everything
 * @stream:	the stream
 */
void stream_close(struct stream *stream)
{
	unsigned int i;

	stream_drain(stream);
	if (stream->len)
		finish_packet(stream);
	ltt_cursor_close(&stream->cursor);
	if (fclose(stream->file) || fclose(stream->index))
		die("%s: %s", stream->name, strerror(errno));
	for (i = 0; i < SUBBUF_NUM; i++)
		free(stream->buf.sb[i].base);
	free(stream->buf.sb);
	free(stream->shadow);
}
