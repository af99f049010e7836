// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt repair: streams and their indexes.
 *
 * A stream is walked as the viewer walks it. What follows its last whole packet is the
 * packet that was being written, and is cut off. Damage before that is told and kept:
 * readers that can step over it may make more of it than we know.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/ctf_index.h"
#include "../lib/stream.h"
#include "../common/ondisk.h"
#include "repair.h"

#define HEADER	sizeof(struct ltt_packet)

/* How many damaged places of a file are reported one by one. */
#define TELL_MAX	20

/**
 * struct walk - going through a stream
 * @repair:	the directory
 * @s:		the stream, as far as a reader of packets needs it
 * @name:	of the file
 * @each:	called for each packet that is good; returns 0 or a negative errno
 * @data:	for @each
 * @end:	returns the end of the last whole packet
 * @damages:	returns how many there are before @end
 * @tell:	report them
 */
struct walk {
	struct repair *repair;
	struct lib_stream s;
	const char *name;
	int (*each)(struct walk *walk, uint64_t offset, const struct ltt_packet *packet);
	void *data;
	uint64_t end;
	unsigned long damages;
	bool tell;
};

static void damaged(struct walk *walk, uint64_t offset, uint64_t size, const char *why)
{
	if (walk->damages++ < TELL_MAX && walk->tell)
		repair_say(walk->repair, walk->name,
			   "%" PRIu64 " damaged bytes at offset %" PRIu64 ", left as they are: %s",
			   size, offset, why);
}

/* A packet that ends where it says. */
static int whole_packet(struct walk *walk, uint64_t offset, const struct ltt_packet *packet)
{
	struct ltt_packet believed = *packet;
	const char *why, *odd;

	why = lib_packet_judge(&walk->s, &believed, offset, &odd);
	walk->end = offset + packet->packet_size / 8;
	if (why) {
		damaged(walk, offset, packet->packet_size / 8, why);
		return 0;
	}
	/* It is read all the same, and the index has what is in the packet. */
	if (odd)
		damaged(walk, offset, HEADER, odd);
	lib_packet_pass(&walk->s, &believed, offset);
	return walk->each(walk, offset, packet);
}

/* Return: 0, what @each returned, or another negative errno. */
static int walk_packets(struct walk *walk)
{
	struct lib_stream *s = &walk->s;
	struct ltt_packet packet;
	const char *why;
	u64 at = 0, next;
	int ret = 0;

	memset(&s->packet, 0, sizeof(s->packet));
	s->packets = 0;
	walk->end = 0;
	walk->damages = 0;
	while (!ret && at < s->pub.size) {
		ret = lib_packet_header(s, at, &packet);
		if (ret && ret != -ENODATA)
			return ret;
		why = ret ? NULL : lib_packet_bad_frame(s, &packet);
		if (!ret && !why && packet.packet_size / 8 <= s->pub.size - at) {
			ret = whole_packet(walk, at, &packet);
			at = walk->end;
			continue;
		}
		ret = lib_packet_search(s, at + 1, &next);
		if (ret <= 0)
			return ret;
		damaged(walk, at, next - at, why ?: "packet does not end where its size says");
		at = next;
		ret = 0;
	}
	return ret;
}

/* ---- whose is it? ------------------------------------------------------------ */

/* The only packet was being written: all there is of it is as it should be. */
static int only_packet(struct lib_stream *s)
{
	struct ltt_packet packet;
	u8 begin[LIB_KEY_SIZE];
	long len;
	int ret;

	len = lib_file_read(s->fd, begin, sizeof(begin), 0);
	if (len < 0)
		return len;
	if (!lib_packet_may_begin(s, begin, len))
		return 0;
	ret = lib_packet_header(s, 0, &packet);
	if (ret == -ENODATA)
		return 1;
	return ret ?: !lib_packet_bad_frame(s, &packet) && packet.stream_id == s->pub.stream &&
		      packet.cpu_id == s->pub.cpu;
}

/* By the packets themselves: the file has another name. Return: as identify(). */
static int by_packets(struct lib_stream *s, const char *name, bool *ours)
{
	int ret = lib_stream_owner(s, name);

	if (ret <= 0)
		return ret;
	*ours = true;
	return !!s->channel;
}

/*
 * Is the file a stream of our trace? Then @s says of which channel and CPU.
 * If not, @named says if it should be, by its name, and @ours if it has packets of our
 * trace, but of no channel that is declared.
 * Return: 1, 0 or a negative errno.
 */
static int identify(struct lib_stream *s, const char *name, bool *named, bool *ours)
{
	u64 offset;
	int ret;

	*ours = false;
	*named = lib_stream_named(s, name);
	if (*named) {
		ret = lib_packet_search(s, 0, &offset) ?: only_packet(s);
		if (ret)
			return ret;
	}
	return by_packets(s, name, ours);
}

/* ---- the index --------------------------------------------------------------- */

/**
 * struct index_check - does an index fit its stream?
 * @fd:		the index
 * @at:		bytes of it that do
 * @size:	bytes in it
 * @differs:	it says something else
 */
struct index_check {
	int fd;
	uint64_t at;
	uint64_t size;
	bool differs;
};

static int check_bytes(struct index_check *check, const void *wanted, size_t size)
{
	char buf[sizeof(struct ltt_index_entry)];
	size_t have = check->size > check->at ? check->size - check->at : 0;
	long n;

	if (have > size)
		have = size;
	n = check->differs ? 0 : lib_file_read(check->fd, buf, have, check->at);
	if (n < 0)
		return n;
	check->differs |= memcmp(buf, wanted, n) != 0;
	check->at += size;
	return 0;
}

static int check_entry(struct walk *walk, uint64_t offset, const struct ltt_packet *packet)
{
	struct ltt_index_entry entry;

	ondisk_index_entry(&entry, offset, packet);
	return walk->data ? check_bytes(walk->data, &entry, sizeof(entry)) : 0;
}

static int add_entry(struct walk *walk, uint64_t offset, const struct ltt_packet *packet)
{
	return ondisk_index_add(*(const int *)walk->data, offset, packet);
}

/* Write an index of the existing packets, which replaces the current one, if any. */
static int make_index(struct walk *walk, const char *name, bool keep_old)
{
	char *temporary = NULL;
	int idx = -1, ret = 0;

	/* Hidden: not yet in use as an index. */
	if (asprintf(&temporary, ".%s.new", name) < 0)
		return -ENOMEM;
	/* A run may have been killed here, or the file is not ours. */
	if (!faccessat(walk->repair->index, temporary, F_OK, AT_SYMLINK_NOFOLLOW))
		ret = repair_set_aside(walk->repair, walk->repair->index, temporary);
	if (!ret) {
		idx = ondisk_index_create(walk->repair->index, temporary);
		ret = idx < 0 ? idx : 0;
	}
	if (!ret) {
		walk->each = add_entry;
		walk->data = &idx;
		walk->tell = false;
		ret = walk_packets(walk);
		if (!ret && fsync(idx))
			ret = -errno;
		if (close(idx) && !ret)
			ret = -errno;
	}
	if (!ret && keep_old)
		ret = repair_set_aside(walk->repair, walk->repair->index, name);
	if (!ret && renameat(walk->repair->index, temporary, walk->repair->index, name))
		ret = -errno;
	if (ret && idx >= 0)
		unlinkat(walk->repair->index, temporary, 0);
	free(temporary);
	return ret;
}

/* The index, open for reading; -ENOENT: there is none; or another negative errno. */
static int open_index(struct repair *repair, const char *name, struct index_check *check)
{
	struct ltt_index_header header;
	struct stat st;

	check->fd = openat(repair->index, name,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (check->fd < 0)
		return -errno;
	if (fstat(check->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	check->size = st.st_size;
	ondisk_index_header(&header);
	return check_bytes(check, &header, sizeof(header));
}

/*
 * Walk the stream, and compare the index on the way. @state: 0: the index fits; 1: it is
 * missing, or lacks packets; 2: it says something else; or a negative errno.
 */
static int walk_both(struct walk *walk, const char *index, int *state)
{
	struct index_check check = { .fd = -1 };
	int ret;

	*state = walk->repair->index < 0 ? 0 : open_index(walk->repair, index, &check);
	walk->each = check_entry;
	walk->data = check.fd < 0 || *state ? NULL : &check;
	walk->tell = true;
	ret = walk_packets(walk);
	if (check.fd >= 0)
		close(check.fd);
	if (*state == -ENOENT)
		*state = 1;
	else if (!*state && walk->data)
		*state = check.differs || check.size > check.at ? 2 : check.size < check.at;
	return ret;
}

static int repair_index(struct walk *walk, const char *index, int state)
{
	int ret = state > 0 ? make_index(walk, index, state == 2) : state;

	if (ret) {
		repair_say(walk->repair, walk->name, "index: %s", strerror(-ret));
		walk->repair->left++;
	} else if (state) {
		repair_say(walk->repair, walk->name, "rebuilt its index%s",
			   state == 2 ? ", the old one is in " REPAIR_DIR : "");
	}
	return ret;
}

/* ---- a file ------------------------------------------------------------------ */

static int repair_ours(struct walk *walk)
{
	struct repair *repair = walk->repair;
	char *index = NULL;
	int state, ret;

	if (asprintf(&index, "%s" LTT_INDEX_SUFFIX, walk->name) < 0)
		return -ENOMEM;
	ret = walk_both(walk, index, &state);
	if (!ret && walk->damages) {
		if (walk->damages > TELL_MAX)
			repair_say(repair, walk->name, "%lu more damaged places",
				   walk->damages - TELL_MAX);
		repair->left++;
	}
	if (!ret && !repair_cut(repair, walk->s.fd, walk->name, walk->s.pub.size, walk->end)) {
		walk->s.pub.size = walk->end;
		repair_index(walk, index, state);
	}
	free(index);
	return ret;
}

/**
 * repair_stream() - repair a file that may be a stream
 * @repair:	the directory
 * @fd:		the file, open for reading
 * @name:	its name
 * @size:	bytes in it
 *
 * If it is none of the trace, or its channel is not declared, it is left alone. Says what it
 * does, and what is wrong.
 *
 * Return: 0, or a negative errno: it could not be read; nothing has been changed.
 */
int repair_stream(struct repair *repair, int fd, const char *name, uint64_t size)
{
	struct walk walk = { .repair = repair, .name = name };
	struct lib_stream *s = &walk.s;
	bool named, ours;
	int ret;

	s->trace = &repair->trace;
	s->swap = repair->trace.swap;
	s->fd = fd;
	s->pub.size = size;
	if (!size)
		return 0;
	ret = identify(s, name, &named, &ours);
	if (ret > 0)
		return repair_ours(&walk);
	if (ret < 0)
		return ret;
	/* There should be a stream, or its channel. */
	repair->left += named || ours;
	repair_say(repair, name, "%s; skipped",
		   ours ? "packets of a channel that the metadata do not declare" :
		   named ? "no packet of this stream" : "not a stream of this trace");
	return 0;
}
