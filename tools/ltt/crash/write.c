// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: what was found as a trace directory, CTF 1.8.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/ltt/metadata.h>
#include <linux/ltt/textbuf.h>
#include <linux/ltt/unaligned.h>

#include "../common/ondisk.h"
#include "../lib/ctf_index.h"
#include "crash.h"

/* Room for a text at first. */
#define ROOM	(256u << 10)

/* ---- metadata ------------------------------------------------------------------ */

static int put_preamble(const struct ltt_found *found, struct ltt_textbuf *out)
{
	const struct ltt_metadata metadata = {
		.name = found->name,
		.uuid = found->trace.uuid,
		.big_endian = LTT_HOST_BE,
		.clock = found->clock,
		.real_offset = found->trace.real_offset,
		.hostname = found->hostname,
		.boot_id = ltt_area_boot_id(found),
		.release = found->release,
		.version = found->version,
	};

	return ltt_metadata_preamble(out, &metadata);
}

/* An event of a format that others have, too, has it declared before. */
static int put_event(struct ltt_textbuf *out, const struct ltt_found *found,
		     const struct ltt_found_event *event)
{
	u32 stream_id = found->streams[event->stream].stream_id;
	u32 like = event->like == LTT_AREA_UNLIKE ? event->id : event->like;
	int err = 0;

	if (!event->format)
		return 0;
	if (!event->shared)
		return ltt_metadata_event(out, stream_id, event->id, event->channel, event->marker,
					  event->text, event->types, event->format);
	if (like == event->id)
		err = ltt_metadata_fields(out, stream_id, event->id, event->text, event->types,
					  event->format);
	return err ?: ltt_metadata_event_like(out, stream_id, event->id, event->channel,
					      event->marker, like);
}

/* Those of the streams first, and formats before what refers to them. */
static int put_metadata(const struct ltt_found *found, struct ltt_textbuf *out)
{
	const struct ltt_found_stream *stream;
	const struct ltt_found_event *event;
	int err = put_preamble(found, out);
	unsigned int i;

	for (i = 0; i < found->nr_streams && !err; i++) {
		stream = &found->streams[i];
		err = ltt_metadata_stream(out, stream->stream_id, stream->channel,
					  stream->context.format ? &stream->context : NULL);
	}
	for (i = 0; i < found->nr_events && !err; i++) {
		event = &found->events[i];
		if (event->like == LTT_AREA_UNLIKE)
			err = put_event(out, found, event);
	}
	for (i = 0; i < found->nr_events && !err; i++) {
		event = &found->events[i];
		if (event->like != LTT_AREA_UNLIKE)
			err = put_event(out, found, event);
	}
	return err;
}

static int create(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/**
 * crash_put() - write a text of what was found
 * @fd:		where to
 * @put:	makes the text; -ENOSPC: it needs more room
 * @found:	what was found
 *
 * Return: 0 or a negative errno.
 */
int crash_put(int fd, int (*put)(const struct ltt_found *found, struct ltt_textbuf *out),
	      const struct ltt_found *found)
{
	struct ltt_textbuf out = {};
	char *text = NULL, *more;
	size_t room = ROOM;
	int ret;

	do {
		more = realloc(text, room);
		if (!more) {
			ret = -ENOMEM;
			break;
		}
		text = more;
		out.pos = text;
		out.end = text + room;
		ret = put(found, &out);
		room *= 2;
	} while (ret == -ENOSPC);
	if (!ret)
		ret = ondisk_write(fd, text, out.pos - text);
	free(text);
	return ret;
}

static int write_metadata(int dir, const struct ltt_found *found)
{
	int fd = create(dir, ONDISK_METADATA), ret;

	if (fd < 0)
		return fd;
	ret = crash_put(fd, put_metadata, found);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* ---- streams ------------------------------------------------------------------- */

/* Names of the stream's file, and of its index; false: no memory. */
static bool name_files(const struct ltt_found *found, const struct ltt_found_buffer *buffer,
		       char **stream, char **index)
{
	const char *channel = found->streams[buffer->stream].channel;

	*index = NULL;
	if (asprintf(stream, "%s_%u", channel, buffer->cpu) < 0)
		*stream = NULL;
	else if (asprintf(index, LTT_INDEX_DIR "/%s" LTT_INDEX_SUFFIX, *stream) < 0)
		*index = NULL;
	return *stream && *index;
}

/*
 * What was lost after the last packet, because that is damaged, is told by one without events,
 * as the kernel does at the end of a trace.
 */
static int write_losses(const struct ltt_found *found, const struct ltt_found_buffer *buffer,
			int fd, int index, u64 offset)
{
	const struct ltt_found_packet *last = &buffer->packets[buffer->nr_packets - 1];
	struct ltt_packet packet = {
		.magic = LTT_PACKET_MAGIC,
		.stream_id = found->streams[buffer->stream].stream_id,
		.timestamp_begin = last->end,
		.timestamp_end = last->end,
		.content_size = sizeof(packet) * 8,
		.packet_size = sizeof(packet) * 8,
		.packet_seq_num = last->seq + 1,
		.events_discarded = buffer->lost,
		.cpu_id = buffer->cpu,
	};

	if (((const struct ltt_packet *)last->data)->events_discarded >= buffer->lost)
		return 0;
	memcpy(packet.uuid, found->trace.uuid, sizeof(packet.uuid));
	return ondisk_write(fd, &packet, sizeof(packet)) ?:
	       ondisk_index_add(index, offset, &packet);
}

static int write_packets(const struct ltt_found *found, const struct ltt_found_buffer *buffer,
			 int fd, int index)
{
	const struct ltt_found_packet *packet;
	u64 offset = 0;
	u32 i;
	int ret = 0;

	for (i = 0; i < buffer->nr_packets && !ret; i++) {
		packet = &buffer->packets[i];
		ret = ondisk_write(fd, packet->data, packet->size) ?:
		      ondisk_index_add(index, offset, (const struct ltt_packet *)packet->data);
		offset += packet->size;
	}
	return ret || !i ? ret : write_losses(found, buffer, fd, index, offset);
}

static int write_stream(int dir, const struct ltt_found *found,
			const struct ltt_found_buffer *buffer)
{
	char *name, *index_name;
	int fd, index = -1, ret = -ENOMEM;

	if (name_files(found, buffer, &name, &index_name)) {
		fd = create(dir, name);
		if (fd >= 0)
			index = ondisk_index_create(dir, index_name);
		ret = fd < 0 ? fd : index < 0 ? index : write_packets(found, buffer, fd, index);
		if (fd >= 0 && close(fd) && !ret)
			ret = -errno;
		if (index >= 0 && close(index) && !ret)
			ret = -errno;
	}
	free(name);
	free(index_name);
	return ret;
}

/**
 * crash_write() - write a trace directory
 * @crash:	the image
 * @found:	what was found in it
 * @path:	the directory, which there must not be, or be empty
 *
 * Says what is wrong.
 *
 * Return: 0 or a negative errno; then some of it may have been written.
 */
int crash_write(const struct crash *crash, const struct ltt_found *found, const char *path)
{
	unsigned int i;
	int dir, ret = ondisk_make(path);

	if (ret < 0) {
		crash_say(crash, "%s: %s", path, strerror(-ret));
		return ret;
	}
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret = dir < 0 || mkdirat(dir, LTT_INDEX_DIR, 0700) ? -errno : 0;
	ret = ret ?: write_metadata(dir, found);
	for (i = 0; i < found->nr_buffers && !ret; i++)
		ret = write_stream(dir, found, &found->buffers[i]);
	if (ret)
		crash_say(crash, "%s: %s", path, strerror(-ret));
	if (dir >= 0)
		close(dir);
	return ret;
}

/**
 * crash_remove() - remove what crash_write() has written
 * @found:	what was found
 * @path:	the directory
 */
void crash_remove(const struct ltt_found *found, const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *name, *index;
	unsigned int i;

	for (i = 0; dir >= 0 && i < found->nr_buffers; i++) {
		if (name_files(found, &found->buffers[i], &name, &index)) {
			unlinkat(dir, name, 0);
			unlinkat(dir, index, 0);
		}
		free(name);
		free(index);
	}
	if (dir >= 0) {
		unlinkat(dir, ONDISK_METADATA, 0);
		unlinkat(dir, LTT_INDEX_DIR, AT_REMOVEDIR);
		close(dir);
	}
	rmdir(path);
}
