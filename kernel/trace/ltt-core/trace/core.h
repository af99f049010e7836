/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what the files of ltt-core share with each other and with no one else: traces, for
 * those above them. registry.h is what is below them.
 *
 * Calls go downwards only:
 *
 *	binary			the binary output
 *	control			the control files
 *	reader			in-kernel readers, for text and modules
 *	trace			traces, their channels, events, buffers, filters
 *	registry		channels, kinds of events, call sites, modules
 *	format, relay, clock	of these, only the ring buffer knows another: the clock
 *	error			refusing a request
 *
 * tools/testing/ltt/unit/test_layers.py has the files of each, and holds this. What those above
 * have to hear of, they are told in two ways, both lists of who listens:
 *
 *	struct ltt_registry_listener (registry.h)
 *		channels and kinds of events come, call sites come and go: to the traces
 *		and the control files
 *	struct ltt_client (<linux/ltt/client.h>)
 *		a trace comes, gets channels, starts, stops, goes: to the control files, the
 *		binary output, and other modules
 *
 * And main.c starts and ends all of them, in this order.
 *
 * Unless it says otherwise a function is called in task context with ltt_mutex
 * held, and may sleep; but it waits for no grace period of RCU, and for no other CPU.
 */
#ifndef _LTT_CORE_H
#define _LTT_CORE_H

#include <linux/ltt/filter.h>
#include <linux/ltt/trace.h>
#include <linux/ltt/version.h>

#include "../marker/registry.h"

/* tap.c: the ways from the call sites into the traces */
int ltt_event_prepare(struct ltt_event *event);		/* has the memory for that */
void ltt_event_update(struct ltt_event *event);		/* rebuild its taps */
void ltt_event_detach(struct ltt_trace *trace);

/* filter.c */
int ltt_filter_init(void);
void ltt_filter_exit(void);
void ltt_filter_setup(struct ltt_tap *tap, struct ltt_trace_event *tevent);
void ltt_filter_free(struct ltt_trace_event *tevent);

/* context.c: what is recorded with every event of a channel */
void ltt_context_setup(struct ltt_tap *tap, const struct ltt_trace_channel *tchan);
int ltt_context_create(const char *text, const struct ltt_context **context,
		       struct ltt_error *error);
void ltt_context_free(const struct ltt_context *context);
unsigned int ltt_context_value_at(const struct ltt_context *context, unsigned int nr);

/* buffer.c: memory of the ring buffers, CPU hotplug */
int ltt_buffer_init(void);
void ltt_buffer_exit(void);
int ltt_buffers_alloc(struct ltt_trace *trace, struct ltt_error *error);
void ltt_buffers_complete(struct ltt_trace *trace);
void ltt_buffer_publish(struct ltt_trace_channel *tchan);
void ltt_buffer_free(struct ltt_trace_channel *tchan);
void ltt_buffer_set_recording(struct ltt_trace_channel *tchan, bool recording);

/* flush.c: the switch timer */
int ltt_flush_start(struct ltt_trace_channel *tchan);
void ltt_flush_update(struct ltt_trace_channel *tchan);		/* params.switch_ms has changed */
void ltt_flush_stop(struct ltt_trace_channel *tchan);
void ltt_flush_tchan(struct ltt_trace_channel *tchan);		/* ltt_mutex NOT held */
void ltt_flush_dead_cpu(struct ltt_trace_channel *tchan, unsigned int cpu);

extern struct mutex ltt_offline_mutex;	/* sole writer of CPUs that are offline */

/* pattern.c: what a trace wants, also of markers that do not exist yet */
struct ltt_pattern {
	struct list_head node;
	bool negate;
	char glob[];		/* CHANNEL.MARKER with * and ? */
};

int ltt_pattern_parse(const char *text, struct list_head *patterns,
		      struct ltt_error *error);
const struct ltt_pattern *ltt_pattern_match(const struct list_head *patterns,
					    const struct ltt_event *event);
void ltt_pattern_adopt(struct ltt_trace *trace, struct list_head *patterns);
void ltt_pattern_free(struct list_head *patterns);
bool ltt_pattern_wants(const struct ltt_trace *trace, const struct ltt_event *event);

/* tchan.c: the channels of a trace */
struct ltt_trace_channel *ltt_trace_channel_find(const struct ltt_trace *trace,
						 const struct ltt_channel *channel);
int ltt_trace_channel_want(struct ltt_trace *trace, struct ltt_channel *channel,
			   struct ltt_error *error);
int ltt_trace_channels_prepare(struct ltt_trace *trace, struct ltt_error *error);
void ltt_trace_channels_publish(struct ltt_trace *trace);
void ltt_trace_channels_drop(struct ltt_trace *trace);
void ltt_trace_channels_free(struct ltt_trace *trace);		/* takes ltt_mutex itself */

/* select.c: the events of a trace */
void ltt_trace_event_added(struct ltt_event *event);	/* there is a new kind of event */
void ltt_trace_channel_private(struct ltt_channel *channel);
struct ltt_trace_event *ltt_trace_event_find(const struct ltt_trace *trace,
					     const struct ltt_event *event);
void ltt_trace_events_free(struct ltt_trace_channel *tchan);

/* declaration.c: what there is to declare in the metadata */
void ltt_declarations_init(struct ltt_trace *trace);
void ltt_declare(struct ltt_trace_event *tevent);

/* trace.c */
int ltt_trace_lock(struct ltt_trace *trace, struct ltt_error *error);	/* ltt_mutex, if alive */
void ltt_trace_update_recording(struct ltt_trace *trace);
int ltt_trace_destroy_killable(struct ltt_trace *trace);	/* ltt_mutex NOT held */
bool ltt_trace_is_dying(const char *name);		/* takes ltt_mutex itself */
void ltt_traces_init(void);				/* takes ltt_mutex itself */
void ltt_traces_exit(void);				/* takes ltt_mutex itself */

/* client.c: the clients of a trace */
int ltt_clients_add_trace(struct ltt_trace *trace);
void ltt_clients_remove_trace(struct ltt_trace *trace);	/* ltt_mutex NOT held: waits for
							 * running file operations
							 */
void ltt_clients_add_channel(struct ltt_trace_channel *tchan);
void ltt_clients_start_trace(struct ltt_trace *trace);
void ltt_clients_stop_trace(struct ltt_trace *trace);
struct dentry *ltt_mkdir(const char *name, struct dentry *parent);

/*
 * Held while directories of traces are removed, from the moment they are found to that
 * when they are gone: one in another is removed once. Outermost lock.
 */
extern struct mutex ltt_remove_lock;

/* main.c starts and ends them: the files */
int ltt_control_init(void);
int ltt_control_open(void);
void ltt_control_exit(void);
int ltt_binary_init(void);
void ltt_binary_exit(void);

#endif /* _LTT_CORE_H */
