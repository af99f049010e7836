/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: traces. A trace is a session: which markers are recorded, with which
 * buffers, ids and filters. Traces are independent of each other.
 *
 *	ltt_trace (NAME) -- ltt_trace_channel (one per channel used) -- ltt_buf (one per CPU)
 *	                        |
 *	                        +-- ltt_trace_event (one per kind of event, by id)
 *
 * Channels may share buffers. These belong to a channel of their own, LTT_CHANNEL_SHARED,
 * which then has the buffers, and numbers the events, of all of them. It is their home; a
 * channel with buffers of its own is its own home.
 */
#ifndef _LINUX_LTT_TRACE_H
#define _LINUX_LTT_TRACE_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/utsname.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/context.h>
#include <linux/ltt/error.h>
#include <linux/ltt/event.h>
#include <linux/ltt/packet.h>
#include <linux/ltt/ring_buffer.h>

struct dentry;
struct ltt_counts;
struct ltt_filter_chain;
struct ltt_flush;
struct ltt_frozen;
struct ltt_half;
struct ltt_other_boot;
struct ltt_root;
struct ltt_stir;
struct ltt_tasks;
struct ltt_trace;
struct ltt_windows;

/**
 * struct ltt_declaration - a declaration in the metadata: a stream or an event
 * @node:	in ltt_trace.declarations
 * @tchan:	the channel of the stream or event; NULL until it is declared
 * @tevent:	the event, NULL for a stream
 * @like:	the event before which the shared fields are declared, itself or an earlier
 *		one; NULL: the fields are part of its own declaration
 *
 * Written once, under ltt_mutex; see declaration.c.
 */
struct ltt_declaration {
	struct list_head node;
	const struct ltt_trace_channel *tchan;
	const struct ltt_trace_event *tevent;
	const struct ltt_trace_event *like;
};

/**
 * struct ltt_trace_event - a kind of event in a trace
 * @event:	which
 * @tchan:	its channel in the trace
 * @id:		its number in the home of @tchan, from 0
 * @enabled:	recorded by this trace
 * @filter:	filters to pass, NULL if there are none
 * @own:	the one of them that is an expression, or NULL
 * @triggers:	asked about what passes, NULL if there are none
 * @node:	in ltt_event.tevents
 * @declaration: in the metadata
 *
 * Lives until the trace is freed: ids are never reused.
 */
struct ltt_trace_event {
	struct ltt_event *event;
	struct ltt_trace_channel *tchan;
	u32 id;
	bool enabled;
	struct ltt_filter_chain *filter;
	struct ltt_event_filter *own;
	struct ltt_trigger_set *triggers;
	struct list_head node;
	struct ltt_declaration declaration;
};

/**
 * enum ltt_place - where a channel is to be recorded if the trace's channels share buffers
 * @LTT_PLACE_USUAL:	in the shared ones, unless it is private, or was registered with other
 *			parameters than most
 * @LTT_PLACE_OWN:	in buffers of its own
 * @LTT_PLACE_SHARED:	in the shared ones
 */
enum ltt_place {
	LTT_PLACE_USUAL,
	LTT_PLACE_OWN,
	LTT_PLACE_SHARED,
};

/**
 * struct ltt_trace_channel - a channel in a trace
 * @trace:	the trace
 * @channel:	the channel
 * @stream_id:	number in the trace, from 0; order of the merge for equal times
 * @params:	of the buffers
 * @context:	what is recorded with each event, NULL if nothing is. Constant once @buf
 *		is set
 * @enabled:	by the channel's enable file
 * @place:	what the user says about its buffers, where the trace's channels share theirs
 * @home:	whose buffers, and ids, its events have: itself, or the shared ones. NULL until
 *		the channel is first used, constant once @home->buf is set
 * @counts:	what it has recorded in shared buffers; NULL if its buffers are its own
 * @known:	the clients know of it
 * @unlogged:	dumps and areas do not have it; private to persist.c
 * @wanted:	the current request records in it; private to trace_channel.c and
 *		buffer.c, protected by ltt_trace.request
 * @buf:	its own buffers, NULL until they are first used. Set once, with
 *		RELEASE; readers without ltt_mutex load it with ACQUIRE
 * @nr_events:	events with an id of this home
 * @events:	struct ltt_trace_event by id of this home; see ltt_trace_channel_event()
 * @node:	in ltt_trace.tchans; list is append-only, may be walked under RCU
 * @mem:	@buf before it is published; private to buffer.c, protected by
 *		ltt_trace.request
 * @mem_node:	private to buffer.c
 * @flush:	private to flush.c
 * @declaration: in the metadata
 */
struct ltt_trace_channel {
	struct ltt_trace *trace;
	struct ltt_channel *channel;
	u32 stream_id;
	struct ltt_channel_params params;
	const struct ltt_context *context;
	bool enabled;
	enum ltt_place place;
	struct ltt_trace_channel *home;
	struct ltt_counts __percpu *counts;
	bool known;
	bool unlogged;
	bool wanted;
	struct ltt_buf __percpu *buf;
	unsigned int nr_events;
	struct xarray events;
	struct list_head node;
	struct ltt_buf __percpu *mem;
	struct list_head mem_node;
	struct ltt_flush __percpu *flush;
	struct ltt_declaration declaration;
};

/**
 * struct ltt_trace - a trace
 * @ref:	held by the list of traces, files and readers
 * @request:	held by whoever makes buffers, or changes how they are made; outside of
 *		ltt_mutex
 * @name:	``[A-Za-z0-9_.-]+``, unique among live traces
 * @uuid:	of this trace
 * @clock:	of its timestamps
 * @shared:	channels that are used from now on share buffers
 * @started:	by ltt_trace_start()
 * @dying:	being destroyed, or destroyed: it cannot be changed any more, and no files
 *		are added. Set under ltt_mutex
 * @dead:	destroyed: nothing more will be recorded; readers end with end-of-file
 *		after the last event. Set with RELEASE, after the last writer
 * @tchans:	channels it uses; appended to under ltt_mutex, walked under RCU
 * @nr_tchans:	entries of @tchans
 * @layout:	number that changes whenever a buffer appears: a new channel, a
 *		new CPU; readers then look for new buffers
 * @patterns:	what to record, in the order of the requests; see pattern.c
 * @rules:	filters of markers, in the order of the requests; see event_filter.c
 * @filter:	that of all events, or NULL
 * @tasks:	whose events are recorded, NULL: everybody's; see tasks.c
 * @triggers:	what is done when certain events happen, NULL until there was such a line;
 *		set once, with RELEASE
 * @declarations: struct ltt_declaration; appended to under ltt_mutex, walked with a
 *		reference to the trace
 * @real_offset: ns to add to a timestamp to get CLOCK_REALTIME, as of when the trace was
 *		created
 * @hostname:	name of the machine at that time
 * @stir:	tells readers which buffers were stirred
 * @stirred:	changes each time: ltt_stir.last
 * @wait:	readers sleep here; woken by start, stop, destroy, new declarations and
 *		poll timers
 * @log:	its error log
 * @asked:	number of the last batch of added events for which it was asked; private to
 *		trace_event.c
 * @area:	memory that survives a reset, in which its buffers are; NULL: ordinary memory.
 *		Constant once it has buffers; written with @request and ltt_mutex held
 * @root:	the log by which dumps of all memory are found to have it; NULL: it is frozen.
 *		Constant
 * @budget:	bytes that its buffers may take; protected by @request
 * @taken:	bytes that they take; written under the lock of buffer.c
 * @boot:	of which its events are; NULL: this one. Constant
 * @frozen:	it is read only, see frozen.h; else NULL. Constant
 * @windows:	its windows, see window.c; NULL if it never had any. Set once, with RELEASE
 * @nr_windows:	for how many of them there is memory; protected by @request, written under the
 *		lock of buffer.c
 * @keep:	which packets they need; written in any context
 * @clients:	its clients, see client.c; protected by ltt_mutex
 * @dir:	traces/NAME in debugfs, NULL if it has none; the control layer's
 * @snapshots:	traces/NAME/snapshots, NULL or an ERR_PTR if it has none
 * @node:	in ltt_traces until @dying
 * @stop_work:	completes ltt_trace_stop() for a task that was killed
 * @destroy_work: does what ltt_trace_destroy() waits for
 * @destroyed:	@destroy_work is done
 */
struct ltt_trace {
	struct kref ref;
	struct mutex request;	/* outside of ltt_mutex */
	char name[LTT_NAME_MAX + 1];
	u8 uuid[LTT_UUID_SIZE];
	enum ltt_clock_id clock;
	bool shared;
	bool started;
	bool dying;
	bool dead;
	struct list_head tchans;
	unsigned int nr_tchans;
	atomic_t layout;
	struct list_head patterns;
	struct list_head rules;
	struct ltt_event_filter *filter;
	struct ltt_tasks *tasks;
	struct ltt_triggers *triggers;
	struct list_head declarations;
	u64 real_offset;
	char hostname[__NEW_UTS_LEN + 1];
	struct ltt_stir __percpu *stir;
	unsigned long stirred;
	wait_queue_head_t wait;
	struct ltt_error_log *log;
	unsigned long asked;
	struct ltt_half *area;
	struct ltt_root *root;
	u64 budget;
	u64 taken;
	const struct ltt_other_boot *boot;
	struct ltt_frozen *frozen;
	struct ltt_windows *windows;
	unsigned int nr_windows;
	struct ltt_keep keep;
	struct list_head clients;
	struct dentry *dir;
	struct dentry *snapshots;
	struct list_head node;
	struct work_struct stop_work;
	struct work_struct destroy_work;
	struct completion destroyed;
};

extern struct list_head ltt_traces;	/* protected by ltt_mutex */

struct ltt_trace *ltt_trace_create(const char *name, struct ltt_error *error);
int ltt_trace_destroy(struct ltt_trace *trace);
int ltt_trace_start(struct ltt_trace *trace, struct ltt_error *error);
int ltt_trace_stop(struct ltt_trace *trace);
struct ltt_trace *ltt_trace_find(const char *name);
void ltt_trace_get(struct ltt_trace *trace);
void ltt_trace_put(struct ltt_trace *trace);
const u8 *ltt_trace_boot_id(const struct ltt_trace *trace);
u64 ltt_trace_now(const struct ltt_trace *trace);

int ltt_trace_pattern(struct ltt_trace *trace, const char *pattern,
		      struct ltt_error *error);
int ltt_trace_set_event(struct ltt_trace *trace, const char *channel,
			const char *marker, bool enable, struct ltt_error *error);
int ltt_trace_set_channel(struct ltt_trace *trace, const char *channel,
			  const struct ltt_channel_params *params,
			  struct ltt_error *error);
int ltt_trace_set_filter(struct ltt_trace *trace, const char *text, struct ltt_error *error);
int ltt_trace_set_common_filter(struct ltt_trace *trace, const char *text,
				struct ltt_error *error);
int ltt_trace_set_marker_filter(struct ltt_trace *trace, const char *channel, const char *marker,
				const char *text, struct ltt_error *error);
int ltt_trace_set_tasks(struct ltt_trace *trace, const char *text, struct ltt_error *error);
int ltt_trace_set_triggers(struct ltt_trace *trace, const char *text, struct ltt_error *error);
int ltt_trace_set_shared(struct ltt_trace *trace, bool shared, struct ltt_error *error);
int ltt_trace_set_channel_shared(struct ltt_trace *trace, const char *channel, bool shared,
				 struct ltt_error *error);
bool ltt_trace_channel_is_shared(const struct ltt_trace *trace,
				 const struct ltt_channel *channel);
int ltt_trace_set_contexts(struct ltt_trace *trace, const char *channel,
			   const char *names, struct ltt_error *error);
int ltt_trace_enable_channel(struct ltt_trace *trace, const char *channel,
			     bool enable, struct ltt_error *error);
int ltt_trace_set_budget(struct ltt_trace *trace, u64 bytes, struct ltt_error *error);
int ltt_trace_set_area(struct ltt_trace *trace, const char *name, struct ltt_error *error);
const char *ltt_trace_area(const struct ltt_trace *trace);
int ltt_trace_flush(struct ltt_trace *trace);

int ltt_set_enabled(bool enabled);
bool ltt_is_enabled(void);

struct ltt_trace_channel *ltt_trace_channel_named(const struct ltt_trace *trace,
						  const char *channel);
struct ltt_trace_event *ltt_trace_channel_event(const struct ltt_trace_channel *tchan, u32 id);
struct ltt_trace_event *ltt_trace_channel_next_event(const struct ltt_trace_channel *tchan,
						     u32 *next);

/**
 * ltt_trace_channel_buf() - the buffers in which a channel is recorded
 * @tchan:	the channel in the trace; the caller has a reference to the trace
 *
 * Context: any.
 * Return: the buffers; NULL if the channel was not used yet.
 */
static inline struct ltt_buf __percpu *
ltt_trace_channel_buf(const struct ltt_trace_channel *tchan)
{
	const struct ltt_trace_channel *home = READ_ONCE(tchan->home);

	return home ? smp_load_acquire(&home->buf) : NULL;	/* LMM(ltt_trace_channel_buf:A) */
}

#endif /* _LINUX_LTT_TRACE_H */
