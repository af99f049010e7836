/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of ltt-core for traces, used by the trace layer and those above it.
 * The layer below is in registry.h.
 *
 * Calls go downwards only:
 *
 *	binary			the binary output
 *	control			the control files
 *	reader			in-kernel readers, for text and modules
 *	trace			traces, their channels, events, buffers, filters
 *	marker			channels, kinds of events, call sites, modules
 *	format, relay, clock	of these, only relay uses another one, the clock
 *	area			what is left after a crash: memory that survives a reset,
 *				logs for dumps, and what is found there
 *	error			refusing a request
 *
 * tools/testing/ltt/unit/test_layers.py lists the files of each layer and enforces this.
 * Layers above are notified through two kinds of callbacks:
 *
 *	struct ltt_registry_listener (registry.h)
 *		channels and kinds of events are added, call sites are added and removed:
 *		for the traces and the control files
 *	struct ltt_client (<linux/ltt/client.h>)
 *		a trace is created, gets channels, starts, stops, is destroyed: for the
 *		control files, the binary output, and other modules
 *
 * main.c initializes all of them, from the bottom up.
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

struct ltt_area_window;
struct ltt_packet_formats;
#include "../relay/keep.h"

/* tap.c: how call sites get to the traces */
int ltt_event_prepare(struct ltt_event *event);		/* allocates for that */
void ltt_event_update(struct ltt_event *event);		/* rebuild its taps */
int ltt_trace_prepare_taps(struct ltt_trace *trace);
void ltt_trace_update_taps(struct ltt_trace *trace);

/* filter.c */
int ltt_filter_init(void);
void ltt_filter_exit(void);
void ltt_filter_setup(struct ltt_tap *tap, struct ltt_trace_event *tevent);
void ltt_filter_free(struct ltt_trace_event *tevent);
const struct ltt_trigger_set *ltt_filter_triggers(const struct ltt_filter_chain *chain);
bool ltt_filter_quiet(struct ltt_tap *tap);
const struct ltt_event_filter *ltt_filter_only(const struct ltt_filter_chain *chain);

/* gate.c, gate_string.c */
void ltt_gate_setup(struct ltt_taps *taps, const struct ltt_event *event);
void ltt_gate_record(struct ltt_taps *taps, const struct ltt_event *event);

/* context.c: what is recorded with every event of a channel */
void ltt_context_setup(struct ltt_tap *tap, const struct ltt_trace_channel *tchan);
int ltt_context_create(const char *text, const struct ltt_context **context,
		       struct ltt_error *error);
void ltt_context_free(const struct ltt_context *context);
unsigned int ltt_context_value_at(const struct ltt_context *context, unsigned int nr);

/**
 * struct ltt_need - memory that a request needs
 * @bytes:	how much
 * @area_bytes:	how much of the trace's area, besides
 * @channels:	number of channels
 * @cpus:	number of CPUs
 * @windows:	number of windows, if it is memory for these
 */
struct ltt_need {
	u64 bytes;
	u64 area_bytes;
	unsigned int channels;
	unsigned int cpus;
	unsigned int windows;
};

/* For the buffers of a channel: see relay/keep.h. */
static inline unsigned int ltt_window_packets(const struct ltt_channel_params *params)
{
	return ltt_keep_packets(params->subbuf_num);
}

static inline unsigned int ltt_window_spares(const struct ltt_trace_channel *tchan,
					     unsigned int windows, bool first)
{
	return ltt_keep_spares(tchan->params.subbuf_num, windows, first);
}

/* budget.c: how much memory buffers may take; without ltt_mutex */
u64 ltt_budget_available(void);
u64 ltt_budget_default(void);
u64 ltt_budget_subbuf(const struct ltt_channel_params *params);
u64 ltt_budget_cpu(const struct ltt_channel_params *params);
void ltt_need_add(struct ltt_need *need, const struct ltt_trace_channel *tchan);
void ltt_need_add_windows(struct ltt_need *need, const struct ltt_trace_channel *tchan);
int ltt_budget_check(const struct ltt_trace *trace, const struct ltt_need *need,
		     struct ltt_error *error);

/* buffer.c: memory of the ring buffers, CPU hotplug */
int ltt_buffer_init(void);
void ltt_buffer_init_cpu(struct ltt_trace_channel *tchan, unsigned int cpu);
void ltt_buffer_exit(void);
int ltt_buffers_alloc(struct ltt_trace *trace, struct ltt_error *error);
							/* ltt_mutex NOT held */
int ltt_buffers_complete(struct ltt_trace *trace);	/* ltt_mutex NOT held */
void ltt_buffer_announce(struct ltt_trace *trace);
void ltt_buffer_publish(struct ltt_trace_channel *tchan);
void ltt_buffer_free(struct ltt_trace_channel *tchan);
int ltt_buffer_stir_alloc(struct ltt_trace *trace);
void ltt_buffer_stir_free(struct ltt_trace *trace);
void ltt_buffer_set_recording(struct ltt_trace_channel *tchan, bool recording);
void ltt_buffers_halt(const struct ltt_trace *trace, unsigned int cpu);	/* any context */

/* buffer_spares.c: memory for windows; ltt_mutex NOT held */
int ltt_buffer_add_spares(struct ltt_trace *trace, unsigned int windows,
			  struct ltt_error *error);

/* persist.c: what is left of traces after a crash */
int ltt_persist_begin(struct ltt_trace *trace);			/* ltt_mutex NOT held */
void ltt_persist_choose(struct ltt_trace_channel *tchan);
bool ltt_persist_has(const struct ltt_trace_channel *tchan);
int ltt_persist_stream(struct ltt_trace_channel *tchan, struct ltt_error *error);
int ltt_persist_event(const struct ltt_trace_event *tevent, struct ltt_error *error);
int ltt_persist_tell(const struct ltt_trace_channel *tchan, unsigned int cpu,
		     const struct ltt_subbuf *sb);
void ltt_persist_forget(const struct ltt_trace_channel *tchan, unsigned int cpu,
			const struct ltt_subbuf *sb);
int ltt_persist_window(struct ltt_trace *trace, const struct ltt_area_window *window,
		       const char *why);
struct ltt_subbuf *ltt_persist_alloc(const struct ltt_trace_channel *tchan, unsigned int cpu);
void ltt_persist_give_back(const struct ltt_trace_channel *tchan, unsigned int cpu,
			   const struct ltt_subbuf *sb);
int ltt_persist_check(const struct ltt_trace *trace, const struct ltt_need *need,
		      struct ltt_error *error);
void ltt_persist_end(struct ltt_trace *trace);			/* ltt_mutex NOT held */
void ltt_persist_free(struct ltt_trace *trace);			/* ltt_mutex NOT held */

/* flush.c: the switch timer */
int ltt_flush_start(struct ltt_trace_channel *tchan);
void ltt_flush_update(struct ltt_trace_channel *tchan);		/* params.switch_ms has changed */
void ltt_flush_stop(struct ltt_trace_channel *tchan);
int ltt_flush_tchan(struct ltt_trace_channel *tchan);		/* ltt_mutex NOT held */
void ltt_flush_queue(struct ltt_trace_channel *tchan);
int ltt_flush_wait(struct ltt_trace_channel *tchan);
void ltt_flush_dead_cpu(struct ltt_trace_channel *tchan, unsigned int cpu);

extern struct mutex ltt_offline_mutex;	/* sole writer of CPUs that are offline */

/* pattern.c: what a trace records, including markers that do not exist yet */
struct ltt_pattern {
	struct list_head node;
	bool negate;
	char glob[];		/* CHANNEL.MARKER with * and ? */
};

int ltt_pattern_check(const char *glob, size_t len, size_t column, struct ltt_error *error);
int ltt_pattern_parse(const char *text, struct list_head *patterns,
		      struct ltt_error *error);
const struct ltt_pattern *ltt_pattern_match(const struct list_head *patterns,
					    const struct ltt_event *event);
void ltt_pattern_adopt(struct ltt_trace *trace, struct list_head *patterns);
void ltt_pattern_free(struct list_head *patterns);
int ltt_trace_select(struct ltt_trace *trace, const char *pattern, struct ltt_error *error);
							/* drops ltt_mutex */
bool ltt_pattern_wants(const struct ltt_trace *trace, const struct ltt_event *event);

/* trace_channel.c: the channels of a trace */
int ltt_trace_channels_init(void);			/* takes ltt_mutex itself */
void ltt_trace_channels_exit(void);			/* takes ltt_mutex itself */
bool ltt_channel_wants_own(const struct ltt_channel *channel);
struct ltt_trace_channel *ltt_trace_channel_find(const struct ltt_trace *trace,
						 const struct ltt_channel *channel);
int ltt_trace_channel_want(struct ltt_trace *trace, struct ltt_channel *channel,
			   struct ltt_error *error);
int ltt_trace_change_channel(struct ltt_trace *trace, const char *channel,
			     void (*change)(struct ltt_channel_params *params,
					    unsigned int value),
			     unsigned int value, struct ltt_error *error);
							/* takes ltt_mutex itself */
int ltt_trace_channels_prepare(struct ltt_trace *trace, struct ltt_error *error);
							/* drops ltt_mutex */
void ltt_trace_channels_publish(struct ltt_trace *trace);
void ltt_trace_channels_drop(struct ltt_trace *trace);
void ltt_trace_channels_free(struct ltt_trace *trace);		/* takes ltt_mutex itself */

/* trace_event.c: the events of a trace */
struct ltt_packet_formats ltt_trace_channel_formats(const struct ltt_trace_channel *home);
void ltt_trace_event_added(struct ltt_event *event);	/* a kind of event was added */
void ltt_trace_events_added(void);			/* ltt_mutex NOT held */
void ltt_trace_channel_private(struct ltt_channel *channel);
struct ltt_trace_event *ltt_trace_event_find(const struct ltt_trace *trace,
					     const struct ltt_event *event);
void ltt_trace_events_free(struct ltt_trace_channel *tchan);

/* declaration.c: the declarations in the metadata */
void ltt_declarations_init(struct ltt_trace *trace);

/* boot.c: a trace from the beginning; ltt_mutex NOT held */
void ltt_boot_trace(void);

/* boot_id.c */
void ltt_boot_id_init(void);
const u8 *ltt_boot_id(void);
void ltt_declare(struct ltt_trace_event *tevent);

/* Who waits for news in a control file, see struct ltt_file. */
extern wait_queue_head_t ltt_control_wait;

/* dump.c: the last events in the kernel's log; ltt_mutex NOT held */
int ltt_dump_init(void);
void ltt_dump_exit(void);

/* trace.c */
int ltt_trace_init(struct ltt_trace *trace, const char *name);	/* ltt_mutex NOT held */
int ltt_trace_lock(struct ltt_trace *trace, struct ltt_error *error);	/* ltt_mutex, if alive */
int ltt_trace_request(struct ltt_trace *trace, struct ltt_error *error);
void ltt_trace_request_end(struct ltt_trace *trace);
void ltt_trace_update_recording(struct ltt_trace *trace);
int ltt_trace_settle(struct ltt_trace *trace, unsigned int asked, struct ltt_error *error);
							/* ltt_mutex NOT held */
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
 * Held while directories of traces are looked up and removed, so that one inside another is
 * removed only once. Outermost lock.
 */
extern struct mutex ltt_remove_lock;

/* called by main.c: readers, the files */
void ltt_pass_init(void);
void ltt_pass_exit(void);
int ltt_control_init(void);
int ltt_control_open(void);
void ltt_control_exit(void);
int ltt_binary_init(void);
void ltt_binary_exit(void);

#endif /* _LTT_CORE_H */
