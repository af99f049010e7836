// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the files of the text output.
 *
 * DOC: seq_file as a pipe
 *
 * A read takes text out of the buffer of a seq_file, and has it refilled when it is
 * empty. Events are consumed when they are rendered, which seq_file does not
 * expect: it was made for records that can be shown again. How it handles a record
 * decides whether text can be lost or duplicated; read fs/seq_file.c (the same in 6.1
 * and 6.12) with these rules in mind:
 *
 * R1	One show() renders a batch of lines, as many as fit, straight into the
 *	buffer. A batch is one record; next() says that there is no other.
 * R2	An event is consumed if and only if its line is in the buffer, and the
 *	line counts in m->count when show() returns.
 * R3	show() asks for a larger buffer only when it consumed nothing: when the very
 *	first line does not fit.
 * R4	A batch leaves at least one byte of the buffer unused.
 * R5	seq_read_iter() is called with a position that is m->read_pos and not 0.
 * R6	It is called when the buffer is empty. A remainder in the buffer is returned by a
 *	read of its own, as far as it can be copied: m->from and m->count move by that.
 *
 * What happens then, step by step through seq_read_iter():
 *
 * "iterator to first record" happens at position 0 only and would throw away what
 *	is in the buffer. Never, by R5: counting starts at 1. The position belongs to
 *	this file; that of the caller's kiocb has no meaning, as for all streams.
 * traverse() happens when the position is not m->read_pos. Never, by R5.
 * "something left in the buffer": never, by R6.
 * The first loop: start(), show(). An empty batch: next() ends the loop, 0 is
 *	returned, nothing was in the buffer. An error: the same, by R2 nothing was
 *	consumed. Overflow: the buffer is doubled and show() called again, for
 *	a batch of which, by R3, nothing was consumed. If there is no memory for it,
 *	the buffer is freed, -ENOMEM returned, and the next read starts with a
 *	new one of one page, in which the first line may overflow again.
 *	A full buffer would be taken for an overflow, and dropped: not by R4.
 * Fill: next() advances the index and ends the second loop before show() is called
 *	again. The batch is in the buffer whole; that next() is called before it is
 *	copied out, the trap of consumers in next(), does no harm: next() does not
 *	consume.
 * copy_to_iter() copies all, a part, or nothing (-EFAULT): m->from and m->count keep
 *	the rest for the next read.
 *
 * So text leaves m->buf only by being copied to the reader.
 *
 * Going back
 * ----------
 * A program that wants some lines reads more than that, and goes back to where the
 * last of them ends, so that the next reader of the file finds what follows: head does
 * that, grep -m, and a shell's "read". The file looks regular to them, like all of debugfs,
 * so they complain if they cannot. By R6 all text that a read returns is of one batch, the
 * first m->from bytes of which have been read; and they are still in the buffer, since
 * seq_file sets m->from to 0 when it begins a new batch. pipe_llseek() moves within that.
 * A position is the number of bytes read so far.
 *
 * Waiting happens outside of seq_file, before it is called. seq_file returns 0 for
 * an empty batch; only read_iter() here knows whether that is the end.
 *
 * Locks: text_pipe.lock, and m->lock within it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <linux/workqueue.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/reader.h>
#include <linux/ltt/trace.h>

#include "textout.h"

/* Maximum size of a read, except for extremely long lines. cat reads this much. */
#define PIPE_SIZE	(128 * 1024)

/* Pause between two checks on behalf of poll(), ms. */
#define POLL_PAUSE	8

static bool fast;

/* It may be of use later: rcu_normal can be changed at any time. */
static int set_fast(const char *value, const struct kernel_param *param)
{
	static const char why[] =
		"fast: no effect while /sys/kernel/rcu_normal is 1 (default on PREEMPT_RT)";
	int err = param_set_bool(value, param);

	if (!err && fast && !ltt_reader_can_hurry()) {
		pr_notice("%s\n", why);
		ltt_log_error(NULL, "%s", why);
	}
	return err;
}

static const struct kernel_param_ops fast_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = set_fast,
	.get = param_get_bool,
};
module_param_cb(fast, &fast_ops, &fast, 0644);
MODULE_PARM_DESC(fast, "Show events at once in files opened from now on, at the cost of interrupting each busy CPU (default: 0)");

/**
 * struct text_pipe - an open file
 * @lock:	only one task at a time reads; protects @text
 * @text:	the source of the lines
 * @seq:	the file; under @lock only
 * @poll_wait:	pollers sleep here
 * @poll_work:	checks on their behalf whether there is something to read; runs only
 *		while there is a poller and no data
 */
struct text_pipe {
	struct mutex lock;	/* outer to seq_file.lock */
	struct ltt_text *text;
	struct seq_file *seq;
	wait_queue_head_t poll_wait;
	struct delayed_work poll_work;
};

static void *pipe_start(struct seq_file *m, loff_t *pos)
{
	return m->private;
}

static void *pipe_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return NULL;
}

static void pipe_stop(struct seq_file *m, void *v)
{
}

static int pipe_show(struct seq_file *m, void *v)
{
	struct text_pipe *pipe = v;
	size_t size;
	ssize_t len;
	char *buf;

	size = seq_get_buf(m, &buf);
	if (!size)
		return 0;
	len = ltt_text_fill(pipe->text, buf, size - 1);	/* R4 */
	if (len == -ENOSPC) {
		seq_commit(m, -1);			/* R3 */
		return 0;
	}
	if (len < 0)
		return len;
	seq_commit(m, len);				/* R2 */
	return 0;
}

static const struct seq_operations pipe_seq_ops = {
	.start = pipe_start,
	.next = pipe_next,
	.stop = pipe_stop,
	.show = pipe_show,
};

/*
 * Would a read return text, or end-of-file, now? If a reader holds the lock, it takes
 * whatever comes first.
 */
static bool pipe_readable(struct text_pipe *pipe)
{
	bool readable;

	if (!mutex_trylock(&pipe->lock))
		return false;
	/* A read would also return an error at once. */
	readable = pipe->seq->count || ltt_text_wait(pipe->text, true) != -EAGAIN;
	mutex_unlock(&pipe->lock);
	return readable;
}

static void pipe_poll_later(struct text_pipe *pipe)
{
	/* waitqueue_active() needs no barrier: see pipe_poll(). */
	if (waitqueue_active(&pipe->poll_wait))
		schedule_delayed_work(&pipe->poll_work, msecs_to_jiffies(POLL_PAUSE));
}

static void pipe_poll_work(struct work_struct *work)
{
	struct text_pipe *pipe = container_of(to_delayed_work(work), struct text_pipe,
					      poll_work);

	if (pipe_readable(pipe))
		wake_up_interruptible_poll(&pipe->poll_wait, EPOLLIN | EPOLLRDNORM);
	else
		pipe_poll_later(pipe);
}

/*
 * Writers do not wake anyone: while there is a poller and no data, poll_work checks
 * instead. The poller adds itself to the queue, then checks, then schedules the work; so
 * the work is scheduled by tasks on the queue, and repeats while there are any. With epoll
 * they stay on the queue; edge-triggered ones do not check again before they were woken, so
 * a read that finds nothing schedules the work, too.
 */
static __poll_t pipe_poll(struct file *file, poll_table *pt)
{
	struct seq_file *m = file->private_data;
	struct text_pipe *pipe = m->private;

	poll_wait(file, &pipe->poll_wait, pt);
	if (pipe_readable(pipe))
		return EPOLLIN | EPOLLRDNORM;
	pipe_poll_later(pipe);
	return 0;
}

static int pipe_lock(struct text_pipe *pipe, bool nonblock)
{
	if (nonblock)
		return mutex_trylock(&pipe->lock) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(&pipe->lock) ? -ERESTARTSYS : 0;
}

static ssize_t pipe_read_rest(struct seq_file *m, struct iov_iter *to)
{
	size_t copied = copy_to_iter(m->buf + m->from, m->count, to);

	m->from += copied;
	m->count -= copied;
	m->read_pos += copied;
	return copied ?: -EFAULT;
}

static ssize_t pipe_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	struct seq_file *m = file->private_data;
	struct text_pipe *pipe = m->private;
	bool nonblock = file->f_flags & O_NONBLOCK || iocb->ki_flags & IOCB_NOWAIT;
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	ret = pipe_lock(pipe, nonblock);
	if (ret)
		return ret;

	if (m->count) {
		ret = pipe_read_rest(m, to);		/* R6 */
		goto unlock;
	}
	do {
		ret = ltt_text_wait(pipe->text, nonblock);
		if (ret) {
			if (ret > 0)
				ret = 0;		/* the end */
			break;
		}
		iocb->ki_pos = m->read_pos;		/* R5 */
		ret = seq_read_iter(iocb, to);
	} while (!ret);
unlock:
	mutex_unlock(&pipe->lock);
	if (ret == -EAGAIN)
		pipe_poll_later(pipe);
	return ret;
}

/*
 * Text that is given back is read again by the next reader of this file.
 */
static loff_t pipe_llseek(struct file *file, loff_t offset, int whence)
{
	struct seq_file *m = file->private_data;
	struct text_pipe *pipe = m->private;
	loff_t pos, by;

	if (whence != SEEK_SET && whence != SEEK_CUR)
		return -EINVAL;
	if (mutex_lock_interruptible(&pipe->lock))
		return -ERESTARTSYS;
	pos = m->read_pos - 1;				/* R5 */
	by = whence == SEEK_CUR ? offset : offset - pos;
	if (by < -(loff_t)m->from || by > (loff_t)m->count) {
		pos = -EINVAL;
	} else {
		m->from += by;
		m->count -= by;
		m->read_pos += by;
		pos += by;
	}
	mutex_unlock(&pipe->lock);
	return pos;
}

static void pipe_free(struct text_pipe *pipe)
{
	ltt_text_close(pipe->text);
	kfree(pipe);
}

static struct text_pipe *pipe_alloc(const struct ltt_text_file *file)
{
	struct text_pipe *pipe = kzalloc(sizeof(*pipe), GFP_KERNEL);
	struct ltt_text *text;

	if (!pipe)
		return ERR_PTR(-ENOMEM);
	text = ltt_text_open(file, fast);
	if (IS_ERR(text)) {
		kfree(pipe);
		return ERR_CAST(text);
	}
	pipe->text = text;
	mutex_init(&pipe->lock);
	init_waitqueue_head(&pipe->poll_wait);
	INIT_DELAYED_WORK(&pipe->poll_work, pipe_poll_work);
	return pipe;
}

/*
 * debugfs keeps the file's directory, and with it the trace, until this returns. From
 * then on the reader's reference does.
 */
static int pipe_open(struct inode *inode, struct file *file)
{
	struct text_pipe *pipe;
	struct seq_file *m;
	int err;

	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;
	pipe = pipe_alloc(inode->i_private);
	if (IS_ERR(pipe))
		return PTR_ERR(pipe);
	err = seq_open(file, &pipe_seq_ops);
	if (err)
		goto free;

	m = file->private_data;
	m->private = pipe;
	m->read_pos = 1;				/* R5 */
	m->buf = kvmalloc(PIPE_SIZE, GFP_KERNEL_ACCOUNT);
	if (!m->buf) {
		err = -ENOMEM;
		goto release;
	}
	m->size = PIPE_SIZE;
	pipe->seq = m;
	stream_open(inode, file);
	file->f_mode |= FMODE_LSEEK;			/* a stream, but see "Going back" */
	return 0;

release:
	seq_release(inode, file);
free:
	pipe_free(pipe);
	return err;
}

static int pipe_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct text_pipe *pipe = m->private;

	cancel_delayed_work_sync(&pipe->poll_work);
	pipe_free(pipe);
	return seq_release(inode, file);
}

const struct file_operations ltt_text_fops = {
	.owner = THIS_MODULE,
	.open = pipe_open,
	.llseek = pipe_llseek,
	.read_iter = pipe_read_iter,
	.splice_read = ltt_splice_read,
	.poll = pipe_poll,
	.release = pipe_release,
};
