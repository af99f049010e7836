/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: control files that modules add to the debugfs tree. They take requests as those of
 * ltt-core do: as a whole or not at all, refused with an errno and a line in error_log.
 */
#ifndef _LINUX_LTT_CONTROL_H
#define _LINUX_LTT_CONTROL_H

#include <linux/seq_file.h>
#include <linux/ltt/error.h>

struct dentry;
struct ltt_trace;
struct module;

/**
 * struct ltt_control_ops - what a control file shows, and does with what is written
 * @owner:	module of the functions, which stays while the file is open
 * @path:	the file's name, for error_log with its directory: "function/filter"
 * @show:	prints it; @data is that of ltt_control_file_create()
 * @seq:	prints it piece by piece, instead of @show
 * @store:	does what was written: @text, not blank at either end, at most @max
 *		bytes. Returns 0, or a negative errno, having changed nothing,
 *		and then @error says what is wrong, and at which column. NULL: the file is
 *		read-only
 * @max:	most bytes of a request; 0: PAGE_SIZE - 1
 * @logs:	@store itself tells error_log what is wrong, and not @error
 * @may_be_empty: @store also takes a request of nothing but blanks, as ""
 *
 * The functions are called in task context and may sleep. No lock is held, and the file's
 * trace may be dead.
 */
struct ltt_control_ops {
	struct module *owner;
	const char *path;
	int (*show)(struct seq_file *m, void *data);
	const struct seq_operations *seq;
	int (*store)(void *data, const char *text, struct ltt_error *error);
	size_t max;
	bool logs;
	bool may_be_empty;
};

struct ltt_control_file;

struct ltt_control_file *ltt_control_file_create(const struct ltt_control_ops *ops,
						 struct dentry *dir, struct ltt_trace *trace,
						 void *data);
void ltt_control_file_remove(struct ltt_control_file *file);

#endif /* _LINUX_LTT_CONTROL_H */
