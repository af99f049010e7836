/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: clients of traces are told of them: that they come, record, and go. Most add files to
 * each trace: the text output, the binary output, the state dump, the control files.
 */
#ifndef _LINUX_LTT_CLIENT_H
#define _LINUX_LTT_CLIENT_H

#include <linux/list.h>

struct dentry;
struct ltt_trace_channel;
struct ltt_trace;

/**
 * struct ltt_client - callbacks for the life of traces
 * @name:	of the client, for messages: "text"
 * @dir:	name of its directory in a trace's directory; NULL: it has none
 * @add_trace:	a trace came. Returns a pointer that the functions below are given as @data;
 *		NULL if the client has nothing to do with this trace, and is to be told no
 *		more of it; or an ERR_PTR(), having done nothing: then a new trace does not
 *		come up
 * @add_files:	makes the files that are there from the beginning in @dir (e.g. ALL), or in
 *		@parent beside it (e.g. text_style). Returns 0 or a negative errno: then a new
 *		trace does not come up, and whatever was made goes with it, through
 *		@remove_trace and @release_trace. Not called without debugfs. May be NULL
 * @add_channel: a channel that is not private was first used in the trace; may be NULL.
 *		Not called if the client wants a directory and there is none
 * @start_trace: the trace was stopped and records from now on; may be NULL. A trace
 *		that was started before it came to the client is not told of
 * @stop_trace:	the reverse, also when the trace is being destroyed; may be NULL.
 *		What is under way is still recorded, for one grace period of RCU
 * @remove_trace: the trace is being destroyed or the client unregistered: nothing is to
 *		be added or begun any more. It may be that @add_files failed. May be NULL
 * @release_trace: comes after that, without ltt_mutex; @dir is gone, and nobody is in an
 *		open() of one of its files. What the client made in @parent it removes
 *		here, which waits for operations on it; then it frees @data. Open files
 *		stay usable until they are closed, if the client makes them with
 *		debugfs_create_file_unsafe() and holds references
 * @node:	private to client.c
 * @traces:	private to client.c
 *
 * The functions are called in task context, with ltt_mutex held (but for @release_trace),
 * and may sleep.
 */
struct ltt_client {
	const char *name;
	const char *dir;
	void *(*add_trace)(struct ltt_trace *trace);
	int (*add_files)(void *data, struct dentry *parent, struct dentry *dir);
	void (*add_channel)(void *data, struct ltt_trace_channel *tchan, struct dentry *dir);
	void (*start_trace)(void *data);
	void (*stop_trace)(void *data);
	void (*remove_trace)(void *data);
	void (*release_trace)(void *data);
	struct list_head node;
	struct list_head traces;
};

int ltt_client_register(struct ltt_client *client);
void ltt_client_unregister(struct ltt_client *client);

#endif /* _LINUX_LTT_CLIENT_H */
