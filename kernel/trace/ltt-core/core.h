/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what the files of ltt-core share with each other and with no one else.
 *
 * Calls go downwards only: control -> trace, pattern -> channel, buffer, flush ->
 * marker, filter -> capture, format, ring_buffer, clock. Upwards there are only
 * the ltt_control_*() notices at the end of this file.
 *
 * Unless it says otherwise a function is called in task context with ltt_mutex
 * held, and may sleep; but it waits for no grace period of RCU, and for no other CPU.
 */
#ifndef _LTT_CORE_H
#define _LTT_CORE_H

#include <linux/ltt/filter.h>
#include <linux/ltt/trace.h>
#include <linux/ltt/version.h>

#include "registry.h"

/* tap.c: the ways from the call sites into the traces */
void ltt_event_update(struct ltt_event *event);		/* rebuild its taps */
void ltt_event_detach(struct ltt_trace *trace);

/* filter.c */
int ltt_filter_init(void);
void ltt_filter_exit(void);
void ltt_filter_setup(struct ltt_tap *tap, struct ltt_tevent *tevent);
void ltt_filter_free(struct ltt_tevent *tevent);

/* context.c: what is recorded with every event of a channel */
void ltt_context_setup(struct ltt_tap *tap, const struct ltt_tchan *tchan);
int ltt_context_create(const char *text, const struct ltt_context **context,
		       struct ltt_error *error);
void ltt_context_free(const struct ltt_context *context);
unsigned int ltt_context_value_at(const struct ltt_context *context, unsigned int nr);

/* buffer.c: memory of the ring buffers, CPU hotplug */
int ltt_buffer_init(void);
void ltt_buffer_exit(void);
int ltt_buffers_alloc(struct ltt_trace *trace, struct ltt_error *error);
void ltt_buffers_complete(struct ltt_trace *trace);
void ltt_buffer_publish(struct ltt_tchan *tchan);
void ltt_buffer_free(struct ltt_tchan *tchan);
void ltt_buffer_record(struct ltt_tchan *tchan, bool recording);

/* flush.c: the switch timer */
int ltt_flush_start(struct ltt_tchan *tchan);
void ltt_flush_update(struct ltt_tchan *tchan);		/* params.switch_ms has changed */
void ltt_flush_stop(struct ltt_tchan *tchan);
void ltt_flush_tchan(struct ltt_tchan *tchan);		/* ltt_mutex NOT held */
void ltt_flush_dead_cpu(struct ltt_tchan *tchan, unsigned int cpu);

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
struct ltt_tchan *ltt_tchan_find(const struct ltt_trace *trace,
				 const struct ltt_channel *channel);
int ltt_tchan_want(struct ltt_trace *trace, struct ltt_channel *channel,
		   struct ltt_error *error);
int ltt_tchans_prepare(struct ltt_trace *trace, struct ltt_error *error);
void ltt_tchans_publish(struct ltt_trace *trace);
void ltt_tchans_drop(struct ltt_trace *trace);
void ltt_tchans_free(struct ltt_trace *trace);		/* takes ltt_mutex itself */

/* select.c: the events of a trace */
void ltt_trace_event_added(struct ltt_event *event);	/* there is a new kind of event */
void ltt_trace_channel_private(struct ltt_channel *channel);
void ltt_tevents_free(struct ltt_tchan *tchan);

/* declaration.c: what there is to declare in the metadata */
void ltt_declarations_init(struct ltt_trace *trace);
void ltt_declare(struct ltt_tevent *tevent);

/* trace.c */
int ltt_trace_lock(struct ltt_trace *trace, struct ltt_error *error);	/* ltt_mutex, if alive */
void ltt_trace_update_recording(struct ltt_trace *trace);
int ltt_trace_destroy_killable(struct ltt_trace *trace);	/* ltt_mutex NOT held */
bool ltt_trace_is_dying(const char *name);		/* takes ltt_mutex itself */
void ltt_traces_init(void);				/* takes ltt_mutex itself */
void ltt_traces_exit(void);				/* takes ltt_mutex itself */

/* binary*.c: the binary output */
int ltt_binary_init(void);
void ltt_binary_exit(void);
void ltt_binary_free(struct ltt_trace *trace);		/* trace.c: nobody refers to it */

/* control*.c: the files; notices from below */
int ltt_control_init(void);
void ltt_control_exit(void);
int ltt_control_trace_add(struct ltt_trace *trace);
void ltt_control_trace_del(struct ltt_trace *trace);	/* ltt_mutex NOT held: waits for
							 * running file operations
							 */
void ltt_control_tchan_add(struct ltt_tchan *tchan);
void ltt_control_trace_start(struct ltt_trace *trace);
void ltt_control_trace_stop(struct ltt_trace *trace);

#endif /* _LTT_CORE_H */
