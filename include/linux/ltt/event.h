/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what the registry keeps of a kind of event.
 *
 * Call sites with equal channel, name, format and types share one struct
 * ltt_event. It lies in core memory and outlives the module of the marker: the
 * events of an unloaded module stay printable.
 */
#ifndef _LINUX_LTT_EVENT_H
#define _LINUX_LTT_EVENT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/ltt/format.h>
#include <linux/ltt/marker.h>

struct ltt_channel;
struct ltt_layout;
struct ltt_taps;

/**
 * struct ltt_event - a kind of event
 * @ref:	each call site and each trace that gave it an id holds one
 * @channel:	the channel it belongs to
 * @name:	name of the marker
 * @format_text: format string
 * @nr_types:	entries of @types
 * @types:	argument type codes
 * @format:	the parsed format
 * @capture:	what is recorded of each argument
 * @layout:	holds the last five; private to the registry
 * @module:	name of the module that had the first call site
 * @markers:	call sites that exist now; protected by ltt_mutex
 * @tevents:	struct ltt_trace_event of the event, one for each trace that gave it an id;
 *		protected by ltt_mutex
 * @taps:	the call sites' ways into the traces, NULL if none records it;
 *		protected by ltt_mutex
 * @spare:	memory for the next @taps, NULL if none was prepared; protected by ltt_mutex
 * @to_switch:	in the list of events whose call sites are to be turned on or off, else
 *		empty; protected by ltt_mutex
 * @added:	in the list of events that the traces have not looked at yet; private to
 *		trace_event.c
 * @node:	in ltt_channel.events; protected by ltt_mutex
 * @rcu:	private to the registry
 */
struct ltt_event {
	struct kref ref;
	struct ltt_channel *channel;
	const char *name;
	const char *format_text;
	unsigned int nr_types;
	const u32 *types;
	struct ltt_format *format;
	struct ltt_capture *capture;
	struct ltt_layout *layout;
	const char *module;
	struct list_head markers;
	struct list_head tevents;
	struct ltt_taps *taps;
	struct ltt_taps *spare;
	struct list_head to_switch;
	struct list_head added;
	struct list_head node;
	struct rcu_head rcu;
};

void ltt_event_get(struct ltt_event *event);
void ltt_event_put(struct ltt_event *event);

#endif /* _LINUX_LTT_EVENT_H */
