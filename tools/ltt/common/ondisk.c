// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: packets and indexes in the files of a trace directory.
 */

#include <byteswap.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/ctf_index.h"
#include "ondisk.h"

/* How long a slow reader may pause once we are to end, ms. */
#define SLOW_READER	1000

/**
 * ondisk_make() - make a trace directory
 * @path:	its name
 *
 * Return: 0; > 0: it is there, and empty; or a negative errno, -ENOTEMPTY if it is not empty.
 */
int ondisk_make(const char *path)
{
	struct dirent *entry;
	DIR *list;
	int n = 0;

	if (!mkdir(path, 0700))
		return 0;
	if (errno != EEXIST)
		return -errno;
	list = opendir(path);
	if (!list)
		return -errno;
	while ((entry = readdir(list)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(list);
	return n ? -ENOTEMPTY : 1;
}

/**
 * ondisk_lock() - keep others from changing a trace directory
 * @dir:	the directory, which is locked until it is closed
 * @wait:	if somebody writes to it, wait until he has ended
 *
 * Not all file systems have locks; without them, this does nothing.
 *
 * Return: 0; -EBUSY: somebody writes to it.
 */
int ondisk_lock(int dir, bool wait)
{
	int ret;

	do {
		ret = flock(dir, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
	} while (ret && errno == EINTR);
	return ret && errno == EWOULDBLOCK ? -EBUSY : 0;
}

/* Until there is room, or an error for write() to find. */
static int wait_for_room(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };

	return poll(&pollfd, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

/**
 * ondisk_write() - write all of it
 * @fd:		the file; may also be a pipe or a terminal, blocking or not
 * @data:	what to write
 * @size:	bytes
 *
 * Return: 0, or a negative errno; then part of it may have been written.
 */
int ondisk_write(int fd, const void *data, size_t size)
{
	ssize_t n;
	int ret;

	while (size) {
		n = write(fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			ret = wait_for_room(fd);
			if (ret)
				return ret;
			continue;
		}
		if (n < 0)
			return -errno;
		data = (const char *)data + n;
		size -= n;
	}
	return 0;
}

/**
 * ondisk_write_some() - write part of it when there is room, unless a signal comes
 * @fd:		the file; may also be a pipe, which somebody reads or not, or a terminal
 * @signals:	a signalfd
 * @timeout:	how long to wait for room, or a signal, in ms; -1: for ever
 * @data:	what to write
 * @size:	bytes, not 0
 *
 * Return: bytes that were written; 0: there is a signal, or no time left, and nobody reads; or a
 * negative errno.
 */
ssize_t ondisk_write_some(int fd, int signals, int timeout, const void *data, size_t size)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLOUT },
		{ .fd = signals, .events = POLLIN },
	};
	struct stat st;
	int ret;

	while (poll(fds, 2, timeout) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	/* Whoever reads has some time. */
	if (!fds[0].revents && poll(fds, 1, SLOW_READER) <= 0)
		return 0;
	/* A pipe has room for that, if it has any. A terminal need not, but it is read. */
	if (size > PIPE_BUF && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		size = PIPE_BUF;
	ret = ondisk_write(fd, data, size);
	return ret ?: (ssize_t)size;
}

/* From the byte order of another machine into ours. */
static void swap_packet(struct ltt_packet *p)
{
	p->magic = bswap_32(p->magic);
	p->stream_id = bswap_32(p->stream_id);
	p->timestamp_begin = bswap_64(p->timestamp_begin);
	p->timestamp_end = bswap_64(p->timestamp_end);
	p->content_size = bswap_64(p->content_size);
	p->packet_size = bswap_64(p->packet_size);
	p->packet_seq_num = bswap_64(p->packet_seq_num);
	p->events_discarded = bswap_64(p->events_discarded);
	p->cpu_id = bswap_64(p->cpu_id);
}

/**
 * ondisk_packet() - look at a packet in a stream file
 * @fd:		the file
 * @offset:	bytes, where the packet begins
 * @end:	bytes, where the file ends
 * @packet:	its header, in our byte order
 *
 * Return: 0; -ENODATA: the packet is not whole; -EBADMSG: that is no packet; or
 * another negative errno.
 */
int ondisk_packet(int fd, uint64_t offset, uint64_t end, struct ltt_packet *packet)
{
	ssize_t n;

	if (end - offset < sizeof(*packet))
		return -ENODATA;
	n = pread(fd, packet, sizeof(*packet), offset);
	if (n < 0)
		return -errno;
	if (n != sizeof(*packet))
		return -ENODATA;
	if (packet->magic == bswap_32(LTT_PACKET_MAGIC))
		swap_packet(packet);
	if (packet->magic != LTT_PACKET_MAGIC ||
	    packet->packet_size < 8 * sizeof(*packet) || packet->packet_size % 8 ||
	    packet->content_size > packet->packet_size)
		return -EBADMSG;
	return packet->packet_size / 8 <= end - offset ? 0 : -ENODATA;
}

/**
 * ondisk_index_header() - what an index begins with
 * @header:	returns it
 */
void ondisk_index_header(struct ltt_index_header *header)
{
	*header = (struct ltt_index_header) {
		.magic = htobe32(LTT_INDEX_MAGIC),
		.major = htobe32(LTT_INDEX_MAJOR),
		.minor = htobe32(LTT_INDEX_MINOR),
		.entry_size = htobe32(sizeof(struct ltt_index_entry)),
	};
}

/**
 * ondisk_index_create() - begin an index
 * @dir:	the directory of indexes
 * @name:	of the file, which must not be there
 *
 * Return: a descriptor, or a negative errno.
 */
int ondisk_index_create(int dir, const char *name)
{
	struct ltt_index_header header;
	int fd, ret;

	ondisk_index_header(&header);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = ondisk_write(fd, &header, sizeof(header));
	if (ret) {
		close(fd);
		unlinkat(dir, name, 0);
		return ret;
	}
	return fd;
}

/**
 * ondisk_index_entry() - what an index says of a packet
 * @entry:	returns it
 * @offset:	bytes, where in the stream file the packet begins
 * @packet:	its header, in our byte order
 */
void ondisk_index_entry(struct ltt_index_entry *entry, uint64_t offset,
			const struct ltt_packet *packet)
{
	*entry = (struct ltt_index_entry) {
		.offset = htobe64(offset),
		.packet_size = htobe64(packet->packet_size),
		.content_size = htobe64(packet->content_size),
		.timestamp_begin = htobe64(packet->timestamp_begin),
		.timestamp_end = htobe64(packet->timestamp_end),
		.events_discarded = htobe64(packet->events_discarded),
		.stream_id = htobe64(packet->stream_id),
		.stream_instance_id = htobe64(packet->cpu_id),
		.packet_seq_num = htobe64(packet->packet_seq_num),
	};
}

/**
 * ondisk_index_add() - add a packet to an index
 * @fd:		the index
 * @offset:	bytes, where in the stream file the packet begins
 * @packet:	its header, in our byte order
 *
 * Return: 0, or a negative errno; then the index may end with part of an entry.
 */
int ondisk_index_add(int fd, uint64_t offset, const struct ltt_packet *packet)
{
	struct ltt_index_entry entry;

	ondisk_index_entry(&entry, offset, packet);
	return ondisk_write(fd, &entry, sizeof(entry));
}
