/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: control files that modules add to the debugfs tree. They handle requests like those
 * of ltt-core: a request is carried out as a whole or refused, with an errno and a line in
 * error_log.
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
 * @owner:	module of the functions, pinned while the file is open
 * @path:	the file's name for error_log, with its directory: "function/filter"
 * @show:	prints the contents; @data is that of ltt_control_file_create()
 * @seq:	prints the contents piece by piece, instead of @show
 * @store:	carries out the request @text, which has no blanks at either end and at most
 *		@max bytes. Returns 0, or a negative errno with nothing changed; @error then
 *		says what is wrong, and at which column. NULL: the file is read-only
 * @max:	maximum bytes of a request; 0: PAGE_SIZE - 1
 * @logs:	@store writes to error_log itself and leaves @error alone
 * @may_be_empty: @store also takes a blank request, as ""
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
