// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the files of streams, traces/NAME/binary/CHANNEL_CPU. The interface is
 * described in include/uapi/linux/ltt.h and Documentation/trace/ltt/binary.rst.
 */

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uio.h>

#include "binary.h"

/* The header is the reader's own: see struct ltt_packet_reader. */
static size_t copy_packet(const struct ltt_binary_stream *stream, size_t size, struct iov_iter *to)
{
	const struct ltt_packet_reader *packets = &stream->packets;
	size_t from = stream->taken, copied = 0, part;

	if (from < sizeof(packets->header)) {
		part = min(size, sizeof(packets->header) - from);
		copied = copy_to_iter((const u8 *)&packets->header + from, part, to);
		if (copied < part)
			return copied;
	}
	return copied + copy_to_iter(packets->data + from + copied, size - copied, to);
}

/*
 * One packet, or more if they are available and fit as a whole: a reader with room for
 * whole packets gets whole packets.
 */
static ssize_t take_packets(struct ltt_binary_stream *stream, struct iov_iter *to)
{
	size_t left, room, copied;
	ssize_t total = 0;

	do {
		left = ltt_stream_left(stream);
		room = iov_iter_count(to);
		if (total && left > room)
			break;
		if (left > room && ltt_stream_reserve(stream))
			return -ENOMEM;
		left = min(left, room);
		copied = copy_packet(stream, left, to);
		/* If the rest cannot be kept, fail as for an unmapped page. */
		if (copied < left && copied && ltt_stream_reserve(stream))
			copied = 0;
		ltt_stream_take(stream, copied);
		total += copied;
		if (copied < left)
			return total ?: -EFAULT;
	} while (iov_iter_count(to) && !ltt_stream_fetch(stream));
	return total;
}

static ssize_t stream_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct ltt_binary_stream *stream = iocb->ki_filp->private_data;
	bool nonblock = iocb->ki_filp->f_flags & O_NONBLOCK || iocb->ki_flags & IOCB_NOWAIT;
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	ret = ltt_stream_begin(stream, nonblock);
	if (ret)
		return ret == -ENODATA ? 0 : ret;
	ret = take_packets(stream, to);
	ltt_stream_unlock(stream, ret);
	return ret;
}

static __poll_t stream_poll(struct file *file, poll_table *pt)
{
	struct ltt_binary_stream *stream = file->private_data;
	__poll_t poll;

	poll_wait(file, &stream->poll_wait, pt);
	poll = ltt_stream_poll(stream);
	if (!poll)
		ltt_binary_watch(stream);
	return poll;
}

/*
 * debugfs keeps the file's directory, and with it the trace, until this returns. From
 * then on the stream's references do.
 */
static int stream_open_file(struct inode *inode, struct file *file)
{
	const struct ltt_binary_file *which = inode->i_private;
	struct ltt_binary_stream *stream;

	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	stream = ltt_stream_open(which);
	if (IS_ERR(stream))
		return PTR_ERR(stream);
	stream->file = file;
	file->private_data = stream;
	return stream_open(inode, file);
}

/* Called only when no page is in a pipe any more: each holds a reference to the file. */
static int stream_release(struct inode *inode, struct file *file)
{
	ltt_binary_detach(file->private_data);
	return 0;
}

const struct file_operations ltt_stream_fops = {
	.owner = THIS_MODULE,
	.open = stream_open_file,
	.read_iter = stream_read_iter,
	.splice_read = ltt_stream_splice,
	.poll = stream_poll,
	.mmap = ltt_stream_mmap,
	.unlocked_ioctl = ltt_stream_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.release = stream_release,
};
