/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: outputs are modules that add files to each trace, and follow its life.
 */
#ifndef _LINUX_LTT_OUTPUT_H
#define _LINUX_LTT_OUTPUT_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/module.h>

struct dentry;
struct ltt_tchan;
struct ltt_trace;

/**
 * struct ltt_output - a kind of output
 * @owner:	module of the functions
 * @name:	of the output, and of its directory in the trace's directory: "text"
 * @add_trace:	a trace came; makes the files that are there from the beginning in
 *		@dir (e.g. ALL), or in @parent beside it (e.g. text_style). Returns 0
 *		or a negative errno: then a new trace does not come up, and whatever
 *		was made goes with it, through @remove_trace and @release_trace
 * @add_channel: a channel that is not private was first used in the trace. NULL:
 *		the output has no directory, and @dir is NULL
 * @start_trace: the trace was stopped and records from now on; may be NULL. A trace
 *		that was started before it came to the output is not told of
 * @stop_trace:	the reverse, also when the trace is being destroyed; may be NULL.
 *		What is under way is still recorded, for one grace period of RCU
 * @remove_trace: the trace is being destroyed or the output unregistered: nothing is to
 *		be added or begun any more. It may be that @add_trace failed. May be NULL
 * @release_trace: comes after that, without ltt_mutex. What the output made in @parent it
 *		removes here, which waits for operations on it, and frees what they used;
 *		@dir and the files in it are removed after this returns. Open files of an
 *		output stay usable until they are closed, if it makes them with
 *		debugfs_create_file_unsafe() and holds references. May be NULL
 * @node:	the control layer's
 *
 * The functions are called in task context, with ltt_mutex held (but for @release_trace),
 * and may sleep.
 */
struct ltt_output {
	struct module *owner;
	const char *name;
	int (*add_trace)(struct ltt_trace *trace, struct dentry *parent, struct dentry *dir);
	void (*add_channel)(struct ltt_tchan *tchan, struct dentry *dir);
	void (*start_trace)(struct ltt_trace *trace);
	void (*stop_trace)(struct ltt_trace *trace);
	void (*remove_trace)(struct ltt_trace *trace);
	void (*release_trace)(struct ltt_trace *trace);
	struct list_head node;
};

int ltt_output_register(struct ltt_output *output);
void ltt_output_unregister(struct ltt_output *output);

#endif /* _LINUX_LTT_OUTPUT_H */
