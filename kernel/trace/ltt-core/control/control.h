/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of the control layer: the debugfs tree.
 *
 *	file.c		reading and writing files, creating directories
 *	root.c		the root directory
 *	trace_dir.c	traces/NAME/
 *	channel_dir.c	traces/NAME/channels/CHANNEL/
 *	marker_dir.c	.../markers/MARKER/, and the two lists of markers
 *
 * Lifetime. A directory and what its files need live until debugfs_remove() has
 * returned. After that, debugfs starts no read() or write(), and it has waited for
 * running ones; open files then only fail, and closing one does not touch the
 * directory. So neither directories nor traces are reference-counted here.
 *
 * Locking. ltt_remove_lock (client.c) > ltt_mutex > i_rwsem of a directory
 * (new files) > mmap_lock (that is the order in readdir()). open() of our files takes none
 * of our locks, and read() and write() run without i_rwsem: nothing takes ltt_mutex
 * under i_rwsem. But debugfs_remove() waits for running reads and writes, which
 * may need ltt_mutex, and it waits with the i_rwsem of their directory held. So
 *
 *	(a) it is never called with ltt_mutex held, but with ltt_remove_lock held, so
 *	    that an operation that does not end delays the removal of other traces'
 *	    files, but nothing else, and
 *	(b) no files are created in a directory that may be about to be removed: the
 *	    trace is dying, or the client off the list, before the removal begins,
 *	    and both are checked under ltt_mutex.
 */
#ifndef _LTT_CONTROL_H
#define _LTT_CONTROL_H

#include <linux/list.h>
#include <linux/seq_file.h>

#include "../trace/core.h"
#include "../error.h"

struct dentry;
struct ltt_dir;

/**
 * struct ltt_file - a file, the same in all directories of a kind
 * @name:	its name; NULL ends a table of files
 * @show:	prints the contents; ltt_mutex is held and the trace is not dying
 * @seq:	prints the contents piece by piece, instead of @show; the start operation
 *		begins with ltt_seq_begin(), the stop operation is ltt_seq_end()
 * @store:	carries out the request @text, which has at least one character and no
 *		blanks at either end. No lock is held and the trace may be dying. On
 *		error, changes nothing and says in @error what is wrong, and at which
 *		column; but on -EINTR, when the writer is being killed, part or all of
 *		the request is already under way. NULL: the file is read-only
 * @discard:	instead of @store: called regardless of what was written
 * @news:	a number that changes when there is something new in the file, and then whoever
 *		sleeps in ltt_control_wait is woken. With it, poll() reports EPOLLPRI and
 *		EPOLLERR if that was since the file was opened, last read, or last polled, as
 *		files of sysfs do. ltt_mutex is not held. May be NULL
 */
struct ltt_file {
	const char *name;
	int (*show)(struct seq_file *m, struct ltt_dir *dir);
	const struct seq_operations *seq;
	int (*store)(struct ltt_dir *dir, const char *text, struct ltt_error *error);
	void (*discard)(struct ltt_dir *dir);
	unsigned int (*news)(struct ltt_dir *dir);
};

/**
 * struct ltt_dir - a directory with files of ours
 * @files:	table of its files
 * @trace:	the trace it belongs to, NULL above traces
 * @up:		the next such directory above that is in the same trace
 * @dentry:	the directory
 * @sub:	"channels" of a trace, "markers" of a channel
 * @below:	directories in @sub; protected by ltt_mutex
 * @node:	in @up->below
 */
struct ltt_dir {
	const struct ltt_file *files;
	struct ltt_trace *trace;
	struct ltt_dir *up;
	struct dentry *dentry;
	struct dentry *sub;
	struct list_head below;
	struct list_head node;
};

/* file.c */
int ltt_dir_init(struct ltt_dir *dir, const char *name, struct dentry *parent);
int ltt_dir_fill(struct ltt_dir *dir);
int ltt_dir_add(struct ltt_dir *up, const char *name, const struct ltt_file *files,
		struct ltt_dir **result);
void ltt_dir_free_below(struct ltt_dir *dir);
const char *ltt_dir_name(const struct ltt_dir *dir);
struct ltt_dir *ltt_seq_dir(const struct seq_file *m);
int ltt_seq_begin(struct seq_file *m);
void ltt_seq_end(struct seq_file *m, void *v);
void ltt_seq_escape(struct seq_file *m, const char *text);
void ltt_seq_log(struct seq_file *m, struct ltt_error_log *log);
void ltt_seq_buffers(struct seq_file *m, bool shared);
int ltt_parse_buffers(const char *text, bool *shared, struct ltt_error *error);
int ltt_parse_bool(const char *text, bool *value, struct ltt_error *error);
int ltt_parse_uint(const char *text, unsigned int *value, struct ltt_error *error);
int ltt_parse_size(const char *text, u64 *value, struct ltt_error *error);

/* trace_dir.c */
extern struct dentry *ltt_traces_dentry;
int ltt_control_traces_init(void);
void ltt_control_traces_exit(void);

/* channel_dir.c */
int ltt_control_add_channel(struct ltt_dir *trace_dir, const struct ltt_channel *channel);
struct ltt_dir *ltt_control_find_channel(const struct ltt_dir *trace_dir, const char *name);

/* marker_dir.c */
extern const struct seq_operations ltt_all_markers_seq;
extern const struct seq_operations ltt_trace_markers_seq;
int ltt_control_add_event(struct ltt_dir *channel_dir, const struct ltt_event *event);

#endif /* _LTT_CONTROL_H */
