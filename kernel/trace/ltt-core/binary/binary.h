/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of the binary output.
 *
 *	read.c		read, poll, open and close of a stream file
 *	stream.c	an open stream: which packet is the current one
 *	splice.c	pages of the buffer in pipes
 *	map.c	mmap and ioctl
 *	poll.c	wakes those who poll
 *	files.c	the directory traces/NAME/binary/
 *	metadata_file.c	the file metadata
 *	watermark.c	what will not come any more
 *
 * Lock order
 * ----------
 *	pipe lock -> ltt_stream.lock -> ltt_binary.lock
 *	ltt_binary.lock -> ltt_stream.lend_lock -> ltt_buf.read_lock
 *
 * splice_read() and the release of a page in a pipe are called with the pipe's lock held:
 * so the latter takes no ltt_stream.lock, whose holder may wait for packets.
 */
#ifndef _LTT_BINARY_H
#define _LTT_BINARY_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "../relay/packet_reader.h"
#include <linux/ltt/reader.h>
#include <linux/ltt/trace.h>

struct dentry;
struct pipe_inode_info;
struct vm_area_struct;

/**
 * struct ltt_binary - the binary output of a trace
 * @ref:	held by the trace until its files are removed, by open streams, and by @work
 *		from when it is queued until it has run
 * @trace:	the trace; private to files.c, as are the next three
 * @node:	in the list of all
 * @dir:	traces/NAME/binary, once there is one
 * @channels:	struct ltt_binary_channel
 * @lock:	protects @waiting, @pause and what has to do with @watermark
 * @waiting:	streams with pollers or lent pages, see poll.c
 * @pause:	jiffies until the next check
 * @work:	checks them; pending only while @waiting is not empty
 * @watermark:	ns, 0: none yet, see watermark.c
 * @next_watermark: its value when @gp has ended
 * @gp:		a grace period
 * @gp_running:	there is one
 */
struct ltt_binary {
	struct kref ref;
	struct ltt_trace *trace;
	struct list_head node;
	struct dentry *dir;
	struct list_head channels;
	spinlock_t lock;		/* see above */
	struct list_head waiting;
	unsigned long pause;
	struct delayed_work work;
	u64 watermark;
	u64 next_watermark;
	struct rcu_gp_oldstate gp;
	bool gp_running;
};

/**
 * struct ltt_binary_file - a stream file
 * @channel:	its channel
 * @cpu:	whose buffer it is
 * @made:	the file was created; protected by ltt_mutex
 */
struct ltt_binary_file {
	struct ltt_binary_channel *channel;
	unsigned int cpu;
	bool made;
};

/**
 * struct ltt_binary_channel - the files of a channel
 * @binary:	those of the trace
 * @tchan:	the channel in the trace
 * @node:	in ltt_binary.channels; protected by ltt_mutex
 * @file:	one for each possible CPU
 *
 * Lives as long as the trace's files.
 */
struct ltt_binary_channel {
	struct ltt_binary *binary;
	struct ltt_trace_channel *tchan;
	struct list_head node;
	struct ltt_binary_file file[];
};

/**
 * struct ltt_binary_stream - an open stream file
 * @lock:	only one task at a time reads; protects all fields unless stated otherwise
 * @trace:	the trace; a reference is held
 * @binary:	its binary output; a reference is held
 * @tchan:	the channel
 * @cpu:	whose buffer it is
 * @buf:	the buffer
 * @file:	the file, of which each page in a pipe holds a reference
 * @packets:	the place in the buffer, and the current packet
 * @shadow:	where packets are copied to, mapped by mmap(): a whole sub-buffer in
 *		overwrite mode; a page, for the last packet, in discard mode
 * @taken:	bytes of the current packet that were taken
 * @copy:	memory of the current packet, which is kept there once a part of it was
 *		taken; before that, as long as an operation runs, room for it
 * @held:	by LTT_IOC_GET_PACKET
 * @peeked:	by LTT_IOC_PEEK_PACKET
 * @ended:	the trace is destroyed and everything was taken; may be read without @lock
 * @unfinished:	gives up what dead writers left
 * @unfinished_at: where a writer had not committed at the last check; a hint
 * @lend_lock:	protects the fields below it, and the release of @packets
 * @busy:	an operation runs that releases them itself
 * @lent_base:	the sub-buffer of which pages are, or may be, in pipes; NULL: none
 * @lent_pos:	position of its first byte
 * @lent:	pages of it in pipes; counted without a lock
 * @closed:	the file was closed; protected by ltt_binary.lock
 * @wait_node:	in ltt_binary.waiting; protected by ltt_binary.lock
 * @poll_wait:	pollers sleep here
 */
struct ltt_binary_stream {
	struct mutex lock;		/* see above */
	struct ltt_trace *trace;
	struct ltt_binary *binary;
	struct ltt_trace_channel *tchan;
	unsigned int cpu;
	struct ltt_buf *buf;
	struct file *file;
	struct ltt_packet_reader packets;
	u8 *shadow;
	size_t taken;
	u8 *copy;
	bool held;
	bool peeked;
	bool ended;
	struct ltt_unfinished unfinished;
	unsigned long unfinished_at;

	spinlock_t lend_lock;		/* see above */
	bool busy;
	const u8 *lent_base;
	unsigned long lent_pos;
	atomic_t lent;

	bool closed;
	struct list_head wait_node;
	wait_queue_head_t poll_wait;
};

/* Bytes of a sub-buffer. */
static inline size_t ltt_stream_subbuf(const struct ltt_binary_stream *stream)
{
	return stream->buf->off_mask + 1;
}

/* Bytes of the current packet that are left. */
static inline size_t ltt_stream_left(const struct ltt_binary_stream *stream)
{
	return stream->packets.size - stream->taken;
}

/* stream.c */
struct ltt_binary_stream *ltt_stream_open(const struct ltt_binary_file *file);
void ltt_stream_free(struct ltt_binary_stream *stream);
int ltt_stream_lock(struct ltt_binary_stream *stream, bool nonblock);
void ltt_stream_unlock(struct ltt_binary_stream *stream, ssize_t ret);
int ltt_stream_fetch(struct ltt_binary_stream *stream);
int ltt_stream_wait(struct ltt_binary_stream *stream, bool nonblock);
int ltt_stream_begin(struct ltt_binary_stream *stream, bool nonblock);
int ltt_stream_reserve(struct ltt_binary_stream *stream);
void ltt_stream_copy(const struct ltt_binary_stream *stream, size_t from, u8 *to, size_t size);
void ltt_stream_take(struct ltt_binary_stream *stream, size_t size);
bool ltt_stream_settle(struct ltt_binary_stream *stream);
void ltt_stream_abandon(struct ltt_binary_stream *stream);
__poll_t ltt_stream_poll(const struct ltt_binary_stream *stream);

/* splice.c */
ssize_t ltt_stream_splice(struct file *file, loff_t *pos, struct pipe_inode_info *pipe,
			  size_t len, unsigned int flags);

/* map.c */
int ltt_stream_mmap(struct file *file, struct vm_area_struct *vma);
long ltt_stream_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* poll.c */
extern struct workqueue_struct *ltt_binary_wq;

struct ltt_binary *ltt_binary_alloc(void);
void ltt_binary_put(struct ltt_binary *binary);
void ltt_binary_detach(struct ltt_binary_stream *stream);
void ltt_binary_watch(struct ltt_binary_stream *stream);

/* watermark.c */
long ltt_stream_watermark(struct ltt_binary_stream *stream, void __user *arg);

/* metadata_file.c */
struct dentry *ltt_metadata_file_create(struct ltt_trace *trace, struct dentry *dir);

/* read.c */
extern const struct file_operations ltt_stream_fops;

#endif /* _LTT_BINARY_H */
