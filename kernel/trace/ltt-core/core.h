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

#include <linux/refcount.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/event.h>
#include <linux/ltt/filter.h>
#include <linux/ltt/trace.h>
#include <linux/ltt/version.h>

/* marker.c: the registry of events and of their call sites */
int ltt_marker_init(void);
void ltt_marker_exit(void);
struct ltt_event *ltt_event_find(const char *channel, const char *marker);
int ltt_marker_add(struct ltt_marker *marker, const struct module *owner);
bool ltt_marker_remove(struct ltt_marker *marker);	/* ltt_switch_mutex held instead */

/* A marker that was refused, until its module goes: for the markers file. */
struct ltt_refused {
	struct list_head node;
	const struct ltt_marker *marker;
	const struct module *owner;	/* NULL: vmlinux */
	char *channel;			/* may be no valid names: escape */
	char *name;
	const char *module;
	char reason[LTT_FORMAT_ERROR];
};

extern struct list_head ltt_refused;	/* protected by ltt_mutex */
void ltt_refused_forget(const struct module *owner);

/* main.c: for what is finished when who began it has been killed */
extern struct workqueue_struct *ltt_wq;

/* layout.c: what the events of a marker look like */
/**
 * struct ltt_layout - what a format and types make of an event
 * @ref:	kinds of events that have it
 * @format_text: the format
 * @nr_types:	entries of @types
 * @types:	types of the arguments
 * @format:	the parsed format
 * @capture:	what is recorded of each argument
 * @is_long:	the format is long
 *
 * Constant. Kinds of events of a channel with long formats share it: instrumentation that
 * is made of tables has hundreds of markers with the same names for a thousand values.
 */
struct ltt_layout {
	refcount_t ref;
	char *format_text;
	unsigned int nr_types;
	u32 *types;
	struct ltt_format *format;
	struct ltt_capture *capture;
	bool is_long;
};

bool ltt_layout_is(const struct ltt_event *event, const struct ltt_marker *marker);
struct ltt_layout *ltt_layout_get(const struct ltt_marker *marker,
				  char reason[LTT_FORMAT_ERROR]);
void ltt_layout_put(struct ltt_layout *layout);

/* tap.c: the ways from the call sites into the traces */
void ltt_event_update(struct ltt_event *event);		/* rebuild its taps */
void ltt_event_detach(struct ltt_trace *trace);

/* the same: call sites are turned on and off; ltt_mutex NOT held */
extern struct mutex ltt_switch_mutex;
void ltt_switch_now(void);
void ltt_switch_wait(const struct ltt_trace *trace);
void ltt_switch_trace_dies(void);
void ltt_switch_off(struct ltt_marker *marker);		/* ltt_switch_mutex held */

/* module.c: finds the markers of all modules */
int ltt_module_init(void);
void ltt_module_exit(void);

/* module_symbols.c: modules and their symbols, also of those that are gone */
int ltt_symbols_init(void);
void ltt_symbols_exit(void);
void ltt_symbols_get(void);				/* takes symbols_sem, which is inner */
void ltt_symbols_put(void);

/* What __LTT_LIST() makes; the linker marks the ends of a section with such a name. */
extern struct ltt_marker *const __start___ltt_markers[] __weak;
extern struct ltt_marker *const __stop___ltt_markers[] __weak;

/* capture.c: pointers, strings and sequences at the call site */
/*
 * A length that no event can have: reserving it counts a lost event. The sum of
 * LTT_MAX_ARGS of them does not wrap.
 */
#define LTT_LEN_NEVER	BIT(32)

extern const struct ltt_marker_ops ltt_capture_ops;
struct ltt_capture *ltt_capture_alloc(const struct ltt_format *format);

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

/* channel.c */
struct ltt_channel *ltt_channel_get(const char *name);	/* finds or makes; NULL: no memory */
void ltt_channel_put(struct ltt_channel *channel);
struct ltt_channel *ltt_channel_find(const char *name);

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
void ltt_trace_event_added(struct ltt_event *event);	/* marker.c: a new kind of event */
void ltt_trace_channel_private(struct ltt_channel *channel);
void ltt_tevents_free(struct ltt_tchan *tchan);

/* binary_metadata.c: binary/metadata, and what there is to declare in it */
struct dentry;
void ltt_metadata_init(struct ltt_trace *trace);
void ltt_metadata_declare(struct ltt_tevent *tevent);
struct dentry *ltt_metadata_file_create(struct ltt_trace *trace, struct dentry *dir);

/* trace.c */
int ltt_trace_lock(struct ltt_trace *trace, struct ltt_error *error);	/* ltt_mutex, if alive */
void ltt_trace_update_recording(struct ltt_trace *trace);
int ltt_trace_destroy_killable(struct ltt_trace *trace);	/* ltt_mutex NOT held */
bool ltt_trace_is_dying(const char *name);		/* takes ltt_mutex itself */
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

/* channel.c: registered, not private */
void ltt_control_channel_known(struct ltt_channel *channel);

/* channel.c: made private; ltt_mutex NOT held */
void ltt_control_channel_hidden(const char *name);

/* marker.c: a new kind, in its channel's list */
void ltt_control_event_known(struct ltt_event *event);

#endif /* _LTT_CORE_H */
