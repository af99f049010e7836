// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: pages of a stream's packets in pipes.
 */

/**
 * DOC: lent pages
 *
 * In discard mode splice() lends the pages of a sub-buffer to the pipe. They are given
 * back one by one (unlend()) when they are read from the pipe or the pipe is closed; they
 * may move to another pipe first. The sub-buffer is returned to the writers when
 *
 *   - all bytes of the packet were taken from the stream,
 *   - no page of it is in a pipe any more (ltt_stream.lent), and
 *   - there are no other references to it: a socket that sends a page keeps one
 *     after the page was taken out of the pipe. Sub-buffers are compound pages, so a
 *     reference to any of the pages is counted in the first. Our own code takes no
 *     such references: mappings do not, and pages in pipes are counted in lent.
 *
 * The cursor stays pinned until then: a pipe that is not read keeps this sub-buffer and
 * later ones from the writers, even if the stream has other readers.
 *
 * Positions are released in order, so only one packet is lent at a time. Meanwhile, bytes
 * of later packets are copied into pages of the pipe's own, as are all packets in
 * overwrite mode. So splice() waits for packets, but never for a pipe to be read: the
 * pipe's lock is held, and the task that waits may be the one that has to read it.
 *
 * Each lent page holds a reference to the file. So neither the stream, nor the trace,
 * nor the module is freed while a page is lent, even if the trace was destroyed and the
 * file descriptor closed. Nothing needs to be done here in that case.
 *
 * Lent pages cannot be stolen, and their contents do not change: the packet is complete,
 * including its header.
 */

#include <linux/file.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/splice.h>
#include <linux/string.h>

#include "binary.h"

/* Maximum number of pages put into a pipe at once. */
#define BATCH	16u

static void unlend(struct ltt_binary_stream *stream)
{
	if (atomic_dec_and_test(&stream->lent) && !ltt_stream_settle(stream))
		ltt_binary_watch(stream);
	fput(stream->file);
}

static void lend(struct ltt_binary_stream *stream)
{
	get_file(stream->file);
	atomic_inc(&stream->lent);
}

static void lent_release(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	unlend((struct ltt_binary_stream *)buf->private);
	buf->private = 0;
}

static bool lent_get(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	lend((struct ltt_binary_stream *)buf->private);
	return true;
}

static const struct pipe_buf_operations lent_ops = {
	.release = lent_release,
	.get = lent_get,
};

static void lent_spd_release(struct splice_pipe_desc *spd, unsigned int i)
{
	unlend((struct ltt_binary_stream *)spd->partial[i].private);
}

static void copied_spd_release(struct splice_pipe_desc *spd, unsigned int i)
{
	put_page(spd->pages[i]);
}

/* Lend the current packet if possible. */
static bool may_lend(struct ltt_binary_stream *stream)
{
	unsigned long begin = stream->packets.after.pos - ltt_stream_subbuf(stream);
	bool may;

	/* Areas have no pages to lend. */
	if (!stream->packets.in_place || stream->tchan->trace->area)
		return false;
	spin_lock(&stream->lend_lock);
	may = !stream->lent_base || stream->lent_pos == begin;
	if (may) {
		WRITE_ONCE(stream->lent_base, stream->packets.data);
		stream->lent_pos = begin;
	}
	spin_unlock(&stream->lend_lock);
	return may;
}

/* Return: bytes of the next page, at most @size. */
static size_t lend_page(struct ltt_binary_stream *stream, const u8 *data, size_t size,
			struct page **page, struct partial_page *partial)
{
	*page = virt_to_page(data);
	partial->offset = offset_in_page(data);
	partial->len = min(size, PAGE_SIZE - partial->offset);
	partial->private = (unsigned long)stream;
	lend(stream);
	return partial->len;
}

/* The same; 0: no memory. */
static size_t copy_to_page(const struct ltt_binary_stream *stream, size_t from, size_t size,
			   struct page **page, struct partial_page *partial)
{
	*page = alloc_page(GFP_KERNEL);
	if (!*page)
		return 0;
	partial->offset = 0;
	partial->len = min(size, PAGE_SIZE);
	partial->private = 0;
	ltt_stream_copy(stream, from, page_address(*page), partial->len);
	return partial->len;
}

/*
 * Put up to @len bytes of the current packet into @slots free slots of the pipe.
 * Return: bytes, or a negative errno: nothing was taken.
 */
static ssize_t put_packet(struct ltt_binary_stream *stream, struct pipe_inode_info *pipe,
			  unsigned int slots, size_t len)
{
	const struct ltt_packet_reader *packets = &stream->packets;
	const size_t taken = stream->taken;
	const bool lent = may_lend(stream);
	/* A header that is this reader's own goes into a page of its own. */
	const bool own_header = packets->missed && taken < sizeof(packets->header);
	const bool lending = lent && !own_header;
	struct partial_page partial[BATCH];
	struct page *pages[BATCH];
	struct splice_pipe_desc spd = {
		.pages = pages,
		.partial = partial,
		.nr_pages_max = BATCH,
		.ops = lending ? &lent_ops : &nosteal_pipe_buf_ops,
		.spd_release = lending ? lent_spd_release : copied_spd_release,
	};
	unsigned int nr = 0, max = min_t(unsigned int, slots, BATCH);
	size_t part, total = 0;
	ssize_t ret;

	len = min(len, ltt_stream_left(stream));
	if (lent && own_header)
		len = min(len, sizeof(packets->header) - taken);
	while (total < len && nr < max) {
		if (lending)
			part = lend_page(stream, packets->data + taken + total, len - total,
					 &pages[nr], &partial[nr]);
		else
			part = copy_to_page(stream, taken + total, len - total, &pages[nr],
					    &partial[nr]);
		if (!part)
			break;
		total += part;
		nr++;
	}
	if (!nr)
		return -ENOMEM;
	/* If it is neither lent nor taken as a whole, keep it: the rest must not be lost. */
	if (!lent && total < ltt_stream_left(stream) && ltt_stream_reserve(stream)) {
		while (nr--)
			spd.spd_release(&spd, nr);
		return -ENOMEM;
	}
	spd.nr_pages = nr;
	/* All of it fits: the pipe is locked, and we know how many slots are free. */
	ret = splice_to_pipe(pipe, &spd);
	if (ret > 0)
		ltt_stream_take(stream, ret);
	return ret;
}

/**
 * ltt_stream_splice() - move packets into a pipe
 * @file:	the stream
 * @pos:	ignored
 * @pipe:	the pipe
 * @len:	bytes at most
 * @flags:	SPLICE_F_NONBLOCK
 *
 * Waits for the first packet; takes further ones if available, as far as the pipe has
 * room.
 *
 * Context: task, the pipe's lock held; may sleep.
 * Return: bytes; 0 at the end; -EAGAIN, -EBUSY (a packet is held), -EPIPE (the pipe has no
 * readers), -ENOMEM, -ESTALE, -ERESTARTSYS.
 */
ssize_t ltt_stream_splice(struct file *file, loff_t *pos, struct pipe_inode_info *pipe,
			  size_t len, unsigned int flags)
{
	struct ltt_binary_stream *stream = file->private_data;
	bool nonblock = file->f_flags & O_NONBLOCK || flags & SPLICE_F_NONBLOCK;
	unsigned int slots;
	size_t total = 0;
	ssize_t ret;

	if (!len)
		return 0;
	ret = ltt_stream_begin(stream, nonblock);
	if (ret)
		return ret == -ENODATA ? 0 : ret;
	do {
		slots = pipe->max_usage - pipe_occupancy(pipe->head, pipe->tail);
		if (!slots) {
			ret = -EAGAIN;
			break;
		}
		ret = put_packet(stream, pipe, slots, len - total);
		if (ret < 0)
			break;
		total += ret;
	} while (total < len && !ltt_stream_fetch(stream));
	ret = total ?: ret;
	ltt_stream_unlock(stream, ret);
	return ret;
}
