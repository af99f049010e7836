/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the registry of channels, kinds of events and their call sites, and of modules.
 * Shared by its files and the layers above.
 *
 * The registry does not know about traces. The layers above, the traces and the control
 * files, are notified of new and removed channels, events and call sites through a struct
 * ltt_registry_listener.
 *
 * Unless it says otherwise a function is called in task context with ltt_mutex
 * held, and may sleep; but it waits for no grace period of RCU, and for no other CPU.
 */
#ifndef _LTT_REGISTRY_H
#define _LTT_REGISTRY_H

#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/event.h>

/**
 * struct ltt_registry_listener - callbacks for changes of channels and kinds of events
 * @channel_known:	a channel was registered that is not private
 * @channel_private:	a channel is about to become private: patterns must not select its
 *			events any more
 * @channel_hidden:	the channel of this name is private now; ltt_mutex is NOT held
 * @event_known:	a kind of event was added to its channel's list
 * @events_known:	@event_known has been called: do what may take long. ltt_mutex is NOT
 *			held. Modules whose markers were added wait for it
 * @event_prepare:	a call site of the event is about to be added: allocate the memory for
 *			@event_update, or return -ENOMEM
 * @event_update:	a call site of the event was added or removed: give them the taps that
 *			the traces require
 * @node:		private to the registry
 *
 * All may be NULL. The listener registered last is called first: the control layer has
 * created its files before a trace records. Context: as for the registry's own functions.
 */
struct ltt_registry_listener {
	void (*channel_known)(struct ltt_channel *channel);
	void (*channel_private)(struct ltt_channel *channel);
	void (*channel_hidden)(const char *name);
	void (*event_known)(struct ltt_event *event);
	void (*events_known)(void);
	int (*event_prepare)(struct ltt_event *event);
	void (*event_update)(struct ltt_event *event);
	struct list_head node;
};

/* channel.c */
extern struct list_head ltt_registry_listeners;
void ltt_registry_listen(struct ltt_registry_listener *listener);	/* takes ltt_mutex */
struct ltt_channel *ltt_channel_get(const char *name);	/* finds or creates; NULL: no memory */
void ltt_channel_put(struct ltt_channel *channel);
struct ltt_channel *ltt_channel_find(const char *name);
bool ltt_channel_is_usual(const struct ltt_channel *channel);

/* Call all listeners. */
#define ltt_registry_tell(_what, ...)						\
do {										\
	struct ltt_registry_listener *__listener;				\
										\
	list_for_each_entry(__listener, &ltt_registry_listeners, node) {	\
		if (__listener->_what)						\
			__listener->_what(__VA_ARGS__);				\
	}									\
} while (0)

/* marker.c: the registry of events and of their call sites */
int ltt_marker_init(void);
void ltt_marker_exit(void);
struct ltt_event *ltt_event_find(const char *channel, const char *marker);
struct ltt_event *ltt_event_create(const char *channel, const char *name, const char *module,
				   struct ltt_layout *layout);
int ltt_marker_add(struct ltt_marker *marker, const struct module *owner);
void ltt_markers_added(void);				/* ltt_mutex NOT held */
bool ltt_marker_remove(struct ltt_marker *marker);	/* ltt_switch_mutex held instead */

/* A marker that was refused, kept for the markers file until its module is removed. */
struct ltt_refused {
	struct list_head node;
	const struct ltt_marker *marker;
	const struct module *owner;	/* NULL: vmlinux */
	char *channel;			/* may be invalid names: escape */
	char *name;
	const char *module;
	char reason[LTT_FORMAT_ERROR];
};

extern struct list_head ltt_refused;	/* protected by ltt_mutex */
void ltt_refused_forget(const struct module *owner);

/* layout.c: the layout of a marker's events */
/**
 * struct ltt_layout - format and types of an event, and what is derived from them
 * @ref:	kinds of events that have it
 * @format_text: the format
 * @nr_types:	entries of @types
 * @types:	types of the arguments
 * @format:	the parsed format
 * @capture:	what is recorded of each argument
 * @is_long:	the format is long enough to be shared
 *
 * Constant. Kinds of events of a channel share it if they have the same long format:
 * instrumentation generated from tables has hundreds of markers with the same names for a
 * thousand values.
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
struct ltt_layout *ltt_layout_create(const char *text, const u32 *types, unsigned int nr_types,
				     char reason[LTT_FORMAT_ERROR]);
void ltt_layout_put(struct ltt_layout *layout);

/* switch.c: turns call sites on and off; ltt_mutex NOT held */
/**
 * struct ltt_taps - the taps of an event's call sites
 * @rcu:	frees it
 * @room:	allocated entries of @tap, without the last
 * @nr:		entries of @tap without the last, whose reserve is NULL
 * @gate:	for call sites: which of them record an event
 * @bare:	@tap[0] without its filter, or its triggers, and an end; if @gate decides
 * @tap:	one for each trace that records the event
 *
 * Created by tap.c.
 */
struct ltt_taps {
	struct rcu_head rcu;
	unsigned int room;
	unsigned int nr;
	struct ltt_gate gate;
	struct ltt_tap bare[2];
	struct ltt_tap tap[];
};

/**
 * ltt_marker_set_taps() - give a call site its taps
 * @marker:	the call site
 * @taps:	the taps; NULL if there are none
 *
 * A writer that finds no taps looks for the gate. Both are there until nothing records the
 * event, so whichever taps and gate it sees, old or new and in any order, an event that both
 * would record is recorded. What either leads to is complete: pairs with the address
 * dependencies of __LTT_RECORD().
 *
 * Context: task, ltt_mutex held.
 */
static inline void ltt_marker_set_taps(struct ltt_marker *marker, const struct ltt_taps *taps)
{
	rcu_assign_pointer(marker->gate, taps ? &taps->gate : NULL);
	rcu_assign_pointer(marker->taps, taps && !taps->gate.decides ? taps->tap : NULL);
}

/* dynamic.c: replaces a tap for whose removal there was no memory */
struct ltt_slot ltt_tap_refuse(const struct ltt_tap *tap, size_t len);

/* For work that must be completed after the task that started it was killed. */
extern struct workqueue_struct *ltt_wq;
extern struct mutex ltt_switch_mutex;

int ltt_switch_init(void);
void ltt_switch_exit(void);
void ltt_switch_event(struct ltt_event *event);		/* ltt_mutex held */
void ltt_switch_now(void);
void ltt_switch_wait(const bool *give_up);
void ltt_switch_give_up(void);
void ltt_switch_off(struct ltt_marker *marker);		/* ltt_switch_mutex held */

/* module_scan.c: finds the markers of all modules */
int ltt_module_init(void);
void ltt_module_exit(void);

/* module_symbols.c: modules and their symbols, including removed modules */
int ltt_symbols_init(void);
void ltt_symbols_exit(void);
void ltt_symbols_get(void);				/* takes symbols_sem, which is inner */
void ltt_symbols_put(void);
extern const struct seq_operations ltt_module_symbols_seq;

/* The list that __LTT_LIST() builds; the linker defines these symbols for its section. */
extern struct ltt_marker *const __start___ltt_markers[] __weak;
extern struct ltt_marker *const __stop___ltt_markers[] __weak;

/* arg_copy.c: pointers, strings and sequences at the call site */
/*
 * A length that no event can have: reserving it counts a lost event. The sum of
 * LTT_MAX_ARGS of them does not wrap.
 */
#define LTT_LEN_NEVER	BIT(32)

extern const struct ltt_marker_ops ltt_capture_ops;
#define LTT_FAULT_SIZE	sizeof("(fault)")	/* of what cannot be read; of others, too */
size_t ltt_string_size(const char *ptr, unsigned int max);
void ltt_string_put(u8 *p, const char *ptr, size_t size, unsigned int max);
struct ltt_capture *ltt_capture_alloc(const struct ltt_format *format);

#endif /* _LTT_REGISTRY_H */
