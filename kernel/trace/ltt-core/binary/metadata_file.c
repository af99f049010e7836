// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the file traces/NAME/binary/metadata.
 *
 * A trace's declarations are a list, see declaration.c. The text is generated when it is
 * read, from data that never changes, so every read returns the same text.
 *
 * Memory barriers
 * ---------------
 *   append:A (declaration.c) / declaration_at:A
 *	If a reader sees an entry, it sees its contents. RELEASE pairs with
 *	the address dependency.
 *
 *   finish_destroy:A / metadata_poll:A
 *	If a reader sees that the trace is dead, it sees the last declaration.
 *	RELEASE pairs with ACQUIRE.
 */

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/rculist.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/metadata.h>
#include <linux/ltt/textbuf.h>
#include <linux/ltt/version.h>

#include "../trace/frozen.h"
#include "binary.h"

/**
 * struct metadata_file - an open file
 * @trace:	the trace; the file holds a reference
 * @entry:	place in the list of declarations, the head for the preamble
 * @nr:		its number, from 0
 *
 * @entry and @nr are protected by the lock of the seq_file; they save walking the list
 * from its beginning at every read.
 */
struct metadata_file {
	struct ltt_trace *trace;
	const struct list_head *entry;
	loff_t nr;
};

/* Return: declaration number @nr, NULL if there is none yet. */
static const struct list_head *declaration_at(struct metadata_file *file, loff_t nr)
{
	const struct list_head *head = &file->trace->declarations, *next;

	if (nr < file->nr) {
		file->entry = head;
		file->nr = 0;
	}
	while (file->nr < nr) {
		/* Entries are not freed while we hold the trace. */
		next = rcu_dereference_raw(list_next_rcu(file->entry));	/* LMM(declaration_at:A) */
		if (next == head)
			return NULL;
		file->entry = next;
		file->nr++;
	}
	return file->entry;
}

static void *metadata_start(struct seq_file *m, loff_t *pos)
{
	return (void *)declaration_at(m->private, *pos);
}

/* The position moves even beyond the last one: the next read continues there. */
static void *metadata_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return metadata_start(m, pos);
}

static void metadata_stop(struct seq_file *m, void *v)
{
}

static int put_preamble(struct ltt_textbuf *out, const struct ltt_trace *trace)
{
	const struct ltt_frozen *frozen = trace->frozen;
	const bool foreign = frozen && frozen->release;
	const struct ltt_metadata metadata = {
		.name = trace->name,
		.uuid = trace->uuid,
		.big_endian = LTT_HOST_BE,
		.clock = ltt_clock_name(trace->clock),
		.real_offset = trace->real_offset,
		.hostname = trace->hostname,
		.boot_id = ltt_trace_boot_id(trace),
		.release = foreign ? frozen->release : init_utsname()->release,
		.version = foreign ? frozen->version : LTT_VERSION,
	};

	return ltt_metadata_preamble(out, &metadata);
}

static int put_declaration(struct ltt_textbuf *out, const struct ltt_declaration *declaration)
{
	const struct ltt_trace_channel *tchan = declaration->tchan;
	const struct ltt_trace_event *tevent = declaration->tevent;
	const struct ltt_trace_event *like = declaration->like;
	const struct ltt_event *event;
	const char *channel;
	int err = 0;

	if (!tevent)
		return ltt_metadata_stream(out, tchan->stream_id, tchan->channel->name,
					   tchan->context);
	event = tevent->event;
	channel = tevent->tchan->channel->name;
	if (!like)
		return ltt_metadata_event(out, tchan->stream_id, tevent->id,
					  channel, event->name,
					  event->format_text, event->types, event->format);
	if (like == tevent)
		err = ltt_metadata_fields(out, tchan->stream_id, tevent->id,
					  event->format_text, event->types, event->format);
	return err ?: ltt_metadata_event_like(out, tchan->stream_id, tevent->id,
					      channel, event->name, like->id);
}

static int metadata_show(struct seq_file *m, void *v)
{
	const struct metadata_file *file = m->private;
	const struct list_head *entry = v;
	struct ltt_textbuf out = {};
	size_t size;
	char *buf;
	int err;

	size = seq_get_buf(m, &buf);
	out.pos = buf;
	out.end = buf + size;
	if (entry == &file->trace->declarations)
		err = put_preamble(&out, file->trace);
	else
		err = put_declaration(&out, list_entry(entry, struct ltt_declaration, node));
	if (err && err != -ENOSPC)
		return err;
	/* The buffer is too small: seq_file allocates a larger one and calls again. */
	seq_commit(m, err ? -1 : out.pos - buf);
	return 0;
}

static const struct seq_operations metadata_seq_ops = {
	.start = metadata_start,
	.next = metadata_next,
	.stop = metadata_stop,
	.show = metadata_show,
};

/* Readable if a read at the file's position would return data; end-of-file does not count. */
static __poll_t metadata_poll(struct file *filp, poll_table *pt)
{
	struct seq_file *m = filp->private_data;
	struct metadata_file *file = m->private;
	__poll_t events = 0;

	poll_wait(filp, &file->trace->wait, pt);
	if (smp_load_acquire(&file->trace->dead))		/* LMM(metadata_poll:A) */
		events |= EPOLLHUP;
	mutex_lock(&m->lock);
	if (m->count || declaration_at(file, m->index))
		events |= EPOLLIN | EPOLLRDNORM;
	mutex_unlock(&m->lock);
	return events;
}

/*
 * debugfs keeps the file's directory, and with it the trace, until this returns. From
 * then on our reference does.
 */
static int metadata_open(struct inode *inode, struct file *filp)
{
	struct ltt_trace *trace = inode->i_private;
	struct metadata_file *file;
	int err;

	if (filp->f_mode & FMODE_WRITE)
		return -EACCES;
	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;
	file = __seq_open_private(filp, &metadata_seq_ops, sizeof(*file));
	if (!file)
		return -ENOMEM;
	ltt_trace_get(trace);
	file->trace = trace;
	file->entry = &trace->declarations;
	return 0;
}

static int metadata_release(struct inode *inode, struct file *filp)
{
	const struct metadata_file *file = ((struct seq_file *)filp->private_data)->private;
	struct ltt_trace *trace = file->trace;

	seq_release_private(inode, filp);
	ltt_trace_put(trace);
	return 0;
}

static const struct file_operations metadata_fops = {
	.owner = THIS_MODULE,
	.open = metadata_open,
	.read_iter = seq_read_iter,
	.splice_read = ltt_splice_read,
	.llseek = seq_lseek,
	.poll = metadata_poll,
	.release = metadata_release,
};

/**
 * ltt_metadata_file_create() - create the file metadata of a trace
 * @trace:	the trace
 * @dir:	directory to create it in, which does not outlive the trace's
 *
 * Open files stay readable when the trace is destroyed.
 *
 * Context: task, may sleep.
 * Return: the file, or an ERR_PTR.
 */
struct dentry *ltt_metadata_file_create(struct ltt_trace *trace, struct dentry *dir)
{
	return debugfs_create_file_unsafe("metadata", 0400, dir, trace, &metadata_fops);
}
