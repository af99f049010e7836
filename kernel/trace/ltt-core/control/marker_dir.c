// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the files about markers: traces/NAME/channels/CHANNEL/markers/MARKER/, and
 * the lists of all markers, in the root directory and of each trace.
 *
 * A directory stands for a name, which several kinds of events with different formats
 * may share. They are enabled together, through files as through patterns, and their
 * formats and ids are shown in the same order, that of registration.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/string.h>

#include "../trace/event_filter.h"
#include "control.h"

/*
 * One marker
 */

/* The next event that @dir stands for, after @prev; the first after NULL. */
static const struct ltt_event *next_event(const struct ltt_dir *dir,
					  const struct ltt_event *prev)
{
	const struct ltt_channel *channel = ltt_channel_find(ltt_dir_name(dir->up));
	const struct list_head *node;
	const struct ltt_event *event;

	if (!channel)
		return NULL;
	node = prev ? prev->node.next : channel->events.next;
	for (; node != &channel->events; node = node->next) {
		event = list_entry(node, struct ltt_event, node);
		if (!strcmp(event->name, ltt_dir_name(dir)))
			return event;
	}
	return NULL;
}

static int enable_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_event *event = NULL;
	const struct ltt_trace_event *tevent;
	bool enabled = false;

	while ((event = next_event(dir, event))) {
		tevent = ltt_trace_event_find(dir->trace, event);
		if (tevent && tevent->enabled)
			enabled = true;
	}
	seq_printf(m, "%d\n", enabled);
	return 0;
}

static int enable_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool enable;
	int ret;

	ret = ltt_parse_bool(text, &enable, error);
	if (ret)
		return ret;
	return ltt_trace_set_event(dir->trace, ltt_dir_name(dir->up), ltt_dir_name(dir),
				   enable, error);
}

static int format_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_event *event = NULL;

	while ((event = next_event(dir, event))) {
		ltt_seq_escape(m, event->format_text);
		seq_putc(m, '\n');
	}
	return 0;
}

static int id_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_event *event = NULL;
	const struct ltt_trace_event *tevent;

	while ((event = next_event(dir, event))) {
		tevent = ltt_trace_event_find(dir->trace, event);
		if (tevent)
			seq_printf(m, "%u\n", tevent->id);
		else
			seq_puts(m, "-\n");
	}
	return 0;
}

static int filter_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_event *event = NULL;
	const struct ltt_trace_event *tevent;
	unsigned long hits, misses;

	while ((event = next_event(dir, event))) {
		ltt_seq_escape(m, ltt_event_filter_text(dir->trace, event));
		seq_putc(m, '\n');
		tevent = ltt_trace_event_find(dir->trace, event);
		if (!tevent || !tevent->own)
			continue;
		ltt_event_filter_counts(tevent->own, &hits, &misses);
		seq_printf(m, "# hits %lu misses %lu\n", hits, misses);
	}
	return 0;
}

static int filter_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	return ltt_trace_set_marker_filter(dir->trace, ltt_dir_name(dir->up), ltt_dir_name(dir),
					   text, error);
}

static const struct ltt_file marker_files[] = {
	{ .name = "enable", .show = enable_show, .store = enable_store },
	{ .name = "filter", .show = filter_show, .store = filter_store },
	{ .name = "format", .show = format_show },
	{ .name = "id",     .show = id_show },
	{ }
};

/**
 * ltt_control_add_event() - create the directory of an event's marker
 * @channel_dir:	directory of its channel in a trace
 * @event:		the event
 *
 * Does nothing if it exists already: for an event with another format, or for one that
 * was registered before and is back.
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: 0, or -ENOMEM.
 */
int ltt_control_add_event(struct ltt_dir *channel_dir, const struct ltt_event *event)
{
	struct dentry *there;

	there = debugfs_lookup(event->name, channel_dir->sub);
	if (there) {
		dput(there);
		return 0;
	}
	return ltt_dir_add(channel_dir, event->name, marker_files, NULL);
}

/*
 * All markers: first a header, in the root directory with the markers that were
 * refused, then the events, channel after channel. The lists may change
 * between two reads; then lines may be missing or duplicated.
 */

/* The event at *@pos, which counts down; events of private channels are skipped. */
static struct ltt_event *event_at(loff_t *pos)
{
	struct ltt_channel *channel;
	struct ltt_event *event;

	list_for_each_entry(channel, &ltt_channels, node) {
		if (channel->flags & LTT_CHANNEL_PRIVATE)
			continue;
		list_for_each_entry(event, &channel->events, node) {
			if (!(*pos)--)
				return event;
		}
	}
	return NULL;
}

static struct ltt_event *event_after(struct ltt_event *event)
{
	struct ltt_channel *channel = event->channel;

	if (!list_is_last(&event->node, &channel->events))
		return list_next_entry(event, node);
	list_for_each_entry_continue(channel, &ltt_channels, node) {
		if (!(channel->flags & LTT_CHANNEL_PRIVATE) && !list_empty(&channel->events))
			return list_first_entry(&channel->events, struct ltt_event, node);
	}
	return NULL;
}

static void *markers_start(struct seq_file *m, loff_t *pos)
{
	loff_t left = *pos - 1;
	int ret;

	ret = ltt_seq_begin(m);
	if (ret)
		return ERR_PTR(ret);
	return *pos ? event_at(&left) : SEQ_START_TOKEN;
}

static void *markers_next(struct seq_file *m, void *v, loff_t *pos)
{
	loff_t first = 0;

	++*pos;
	return v == SEQ_START_TOKEN ? event_at(&first) : event_after(v);
}

static const char *event_state(const struct ltt_event *event)
{
	const struct ltt_marker *marker;

	if (list_empty(&event->markers))
		return "gone";
	list_for_each_entry(marker, &event->markers, node) {
		if (static_key_enabled(&marker->key))
			return "on";
	}
	return "off";
}

static int all_markers_show(struct seq_file *m, void *v)
{
	const struct ltt_event *event = v;
	const struct ltt_refused *refused;

	if (v != SEQ_START_TOKEN) {
		seq_printf(m, "%s.%s\t%s\t%s\t", event->channel->name, event->name,
			   event->module, event_state(event));
		ltt_seq_escape(m, event->format_text);
		seq_putc(m, '\n');
		return 0;
	}

	seq_puts(m, "# marker\tmodule\tstate\tformat\n");
	list_for_each_entry(refused, &ltt_refused, node) {
		ltt_seq_escape(m, refused->channel);
		seq_putc(m, '.');
		ltt_seq_escape(m, refused->name);
		seq_printf(m, "\t%s\trefused\t", refused->module);
		ltt_seq_escape(m, refused->reason);
		seq_putc(m, '\n');
	}
	return 0;
}

static int trace_markers_show(struct seq_file *m, void *v)
{
	const struct ltt_trace *trace = ltt_seq_dir(m)->trace;
	const struct ltt_event *event = v;
	const struct ltt_pattern *pattern;
	const struct ltt_trace_event *tevent;

	if (v == SEQ_START_TOKEN) {
		list_for_each_entry(pattern, &trace->patterns, node)
			seq_printf(m, "# pattern %s%s\n", pattern->negate ? "!" : "",
				   pattern->glob);
		return 0;
	}

	tevent = ltt_trace_event_find(trace, event);
	seq_printf(m, "%c %s.%s ", tevent && tevent->enabled ? '+' : '-',
		   event->channel->name, event->name);
	if (tevent)
		seq_printf(m, "%u\n", tevent->id);
	else
		seq_puts(m, "-\n");
	return 0;
}

const struct seq_operations ltt_all_markers_seq = {
	.start = markers_start,
	.next = markers_next,
	.stop = ltt_seq_end,
	.show = all_markers_show,
};

const struct seq_operations ltt_trace_markers_seq = {
	.start = markers_start,
	.next = markers_next,
	.stop = ltt_seq_end,
	.show = trace_markers_show,
};
