/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of ltt-core: traces that are read only.
 *
 * A frozen trace is a set of packets, and what is needed to read them: channels, kinds of events
 * with their ids, declarations. To readers it is a trace that has been destroyed: there are no
 * writers, and after the last event comes the end. It has files: info, and those of clients
 * that want frozen traces (struct ltt_client.frozen): the text and the binary output.
 */
#ifndef _LTT_FROZEN_H
#define _LTT_FROZEN_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/ltt/ring_buffer.h>
#include <linux/ltt/trace.h>

struct dentry;
struct ltt_frozen;
struct seq_file;

/**
 * struct ltt_frozen_ops - what kind of frozen trace it is
 * @show_info:	prints its file info; ltt_mutex is held
 * @release:	nobody reads it any more: free the packets, and @frozen itself. Called with the
 *		trace's channels and buffers still there, ltt_mutex not held; may sleep
 */
struct ltt_frozen_ops {
	void (*show_info)(struct seq_file *m, const struct ltt_frozen *frozen);
	void (*release)(struct ltt_frozen *frozen);
};

/**
 * struct ltt_frozen - the part of a trace that only frozen ones have
 * @trace:	the trace; set by ltt_frozen_create()
 * @ops:	the kind
 * @of:		the trace that the packets are of, to which it then holds a reference; NULL if that
 *		is gone
 * @parent:	where its directory is to be; NULL: among the traces
 * @dir_name:	name of that directory
 * @boot_id:	of the kernel that recorded it, NULL: unknown
 * @release:	of that kernel; NULL: it is this one, and so is @boot_id
 * @version:	of the LTT that recorded it, unless @release is NULL
 * @node:	in ltt_frozen_traces; protected by ltt_mutex
 * @removed:	ltt_frozen_hide() was called; protected by ltt_mutex
 */
struct ltt_frozen {
	struct ltt_trace *trace;
	const struct ltt_frozen_ops *ops;
	struct ltt_trace *of;
	struct dentry *parent;
	char dir_name[LTT_NAME_MAX + 1];
	const u8 *boot_id;
	const char *release;
	const char *version;
	struct list_head node;
	bool removed;
};

extern struct list_head ltt_frozen_traces;	/* protected by ltt_mutex */

struct ltt_trace *ltt_frozen_create(struct ltt_frozen *frozen, const char *name);
struct ltt_trace_channel *ltt_frozen_add_channel(struct ltt_trace *trace, const char *name,
						 u32 stream_id);
struct ltt_trace_event *ltt_frozen_add_event(struct ltt_trace_channel *tchan,
					     struct ltt_event *event, u32 id);
void ltt_frozen_declare(struct ltt_trace *trace, struct ltt_declaration *declaration,
			const struct ltt_trace_channel *tchan,
			const struct ltt_trace_event *tevent, const struct ltt_trace_event *like);
int ltt_frozen_copy(struct ltt_trace *trace, const struct ltt_trace *of);
int ltt_frozen_add_buffers(struct ltt_trace_channel *tchan);
int ltt_frozen_set_packets(struct ltt_trace_channel *tchan, unsigned int cpu,
			   const struct ltt_subbuf *packets, unsigned int nr);
int ltt_frozen_publish(struct ltt_trace *trace);
void ltt_frozen_hide(struct ltt_trace *trace);
void ltt_frozen_end(struct ltt_trace *trace);

#endif /* _LTT_FROZEN_H */
