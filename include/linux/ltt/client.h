/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: clients of traces are notified when a trace is created, starts, stops and is
 * destroyed. Most add files to each trace: the text output, the binary output, the state
 * dump, the control files.
 */
#ifndef _LINUX_LTT_CLIENT_H
#define _LINUX_LTT_CLIENT_H

#include <linux/list.h>
#include <linux/types.h>

struct dentry;
struct ltt_trace_channel;
struct ltt_trace;

/**
 * struct ltt_client - callbacks for the life of traces
 * @name:	of the client, for messages: "text"
 * @dir:	name of its directory in a trace's directory; NULL: it has none
 * @frozen:	it also wants traces that are read only and never start, such as windows
 * @add_trace:	a trace was created. Returns a pointer that is passed to the functions below
 *		as @data; NULL if the client ignores this trace, then none of them is called
 *		for it; or an ERR_PTR(), with nothing done: creating the trace then fails
 * @add_files:	creates the initial files in @dir (e.g. ALL), or next to it in @parent
 *		(e.g. text_style). Returns 0 or a negative errno: creating the trace then
 *		fails, and @remove_trace and @release_trace clean up. Not called without
 *		debugfs. May be NULL
 * @add_channel: a channel that is not private was first used in the trace; may be NULL.
 *		Not called if the client has a @dir but the directory could not be created
 * @start_trace: the trace was stopped and records from now on; may be NULL. Not called
 *		for a trace that was started before the client was registered
 * @stop_trace:	the reverse, also when the trace is being destroyed; may be NULL.
 *		Writers already under way still record, for one RCU grace period
 * @remove_trace: the trace is being destroyed or the client unregistered: nothing may be
 *		added or started any more. Also called if @add_files failed. May be NULL
 * @release_trace: called after @remove_trace, without ltt_mutex; @dir has been removed, and
 *		no open() of its files is in progress. The client removes what it created in
 *		@parent, which waits for operations on it, then frees @data. Open files stay
 *		usable until they are closed if the client created them with
 *		debugfs_create_file_unsafe() and holds references
 * @node:	private to client.c
 * @traces:	private to client.c
 *
 * The functions are called in task context, with ltt_mutex held (except @release_trace),
 * and may sleep.
 */
struct ltt_client {
	const char *name;
	const char *dir;
	bool frozen;
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
