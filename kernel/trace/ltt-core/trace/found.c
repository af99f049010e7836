// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: traces that earlier boots have left in areas.
 *
 * When the module is loaded, each half of an area in which something is left is copied before
 * anybody can ask for the area, and becomes a frozen trace (frozen.h). Of those of one name in an
 * area, traces/NAME.boot-1 is the one that was begun last; those of a later area get the next
 * numbers. So the area is free for new traces, one half after the other. What it was is
 * forgotten when it is destroyed, or when another trace needs the half.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>
#include <linux/ltt/ring_buffer.h>
#include <linux/ltt/symbol.h>
#include <linux/ltt/textbuf.h>

#include "../area/area.h"
#include "../area/scan.h"
#include "../error.h"
#include "core.h"
#include "found.h"
#include "frozen.h"

/**
 * struct left - a trace that was found
 * @frozen:	for its readers
 * @copy:	of the half
 * @found:	what is in it
 * @boot:	that recorded it
 * @area:	number of the area
 * @half:	number of the half
 * @node:	in copied, or in all_left, which ltt_mutex protects
 */
struct left {
	struct ltt_frozen frozen;
	void *copy;
	struct ltt_found *found;
	struct ltt_other_boot boot;
	unsigned int area;
	unsigned int half;
	struct list_head node;
};

static LIST_HEAD(copied);		/* of module init and exit only */
static LIST_HEAD(all_left);

/* ---- frozen trace ---------------------------------------------------------------- */

static void show_info(struct seq_file *m, const struct ltt_frozen *frozen)
{
	const struct left *left = container_of(frozen, struct left, frozen);
	struct ltt_textbuf out = {};
	size_t size = seq_get_buf(m, &out.pos);
	char *begin = out.pos;

	out.end = out.pos + size;
	/* If there is no room, there will be more next time. */
	seq_commit(m, ltt_area_info(left->found, &out) ? -1 : out.pos - begin);
}

static void free_left(struct left *left)
{
	ltt_area_found_free(left->found);
	vfree(left->copy);
	kfree(left);
}

static void release(struct ltt_frozen *frozen)
{
	struct left *left = container_of(frozen, struct left, frozen);
	struct ltt_trace_channel *tchan;

	/* Contexts are part of what was found. */
	list_for_each_entry(tchan, &frozen->trace->tchans, node)
		tchan->context = NULL;
	free_left(left);
}

static const struct ltt_frozen_ops ops = {
	.show_info = show_info,
	.release = release,
};

static int add_streams(struct ltt_trace *trace, const struct ltt_found *found)
{
	struct ltt_trace_channel *tchan;
	u32 i;

	for (i = 0; i < found->nr_streams; i++) {
		const struct ltt_found_stream *stream = &found->streams[i];

		tchan = ltt_frozen_add_channel(trace, stream->channel, stream->stream_id);
		if (IS_ERR(tchan))
			return PTR_ERR(tchan);
		if (stream->context.format)
			tchan->context = &stream->context;
		ltt_frozen_declare(trace, &tchan->declaration, tchan, NULL, NULL);
	}
	return 0;
}

/* The channel of an event in the stream of @home, which is its own or the shared one. */
static struct ltt_trace_channel *channel_of(struct ltt_trace *trace, const char *name,
					    struct ltt_trace_channel *home)
{
	struct ltt_trace_channel *tchan = ltt_trace_channel_named(trace, name);

	if (tchan)
		return tchan;
	tchan = ltt_frozen_add_channel(trace, name, trace->nr_tchans);
	if (!IS_ERR(tchan))
		tchan->home = home;
	return tchan;
}

/* With the layout of @like if that is not NULL. */
static struct ltt_event *create_event(const struct ltt_found_event *from,
				      const struct ltt_trace_event *like)
{
	char reason[LTT_FORMAT_ERROR];
	struct ltt_layout *layout;
	struct ltt_event *event;

	if (like) {
		layout = like->event->layout;
		refcount_inc(&layout->ref);
	} else {
		layout = ltt_layout_create(from->text, from->types, from->nr_types, reason);
		if (IS_ERR(layout))
			return ERR_CAST(layout);
	}
	event = ltt_event_create(from->channel, from->marker, "", layout);
	return event ?: ERR_PTR(-ENOMEM);
}

static int add_event(struct ltt_trace *trace, const struct ltt_found *found,
		     const struct ltt_found_event *from)
{
	const char *channel = found->streams[from->stream].channel;
	struct ltt_trace_channel *home = ltt_trace_channel_named(trace, channel), *tchan;
	struct ltt_trace_event *tevent, *like = NULL;
	struct ltt_event *event;

	cond_resched();
	if (from->like != LTT_AREA_UNLIKE)
		like = ltt_trace_channel_event(home, from->like);
	tchan = channel_of(trace, from->channel, home);
	if (IS_ERR(tchan))
		return PTR_ERR(tchan);
	event = create_event(from, like);
	if (IS_ERR(event))
		return PTR_ERR(event);
	tevent = ltt_frozen_add_event(tchan, event, from->id);
	ltt_event_put(event);
	if (IS_ERR(tevent))
		return PTR_ERR(tevent);
	if (!like && from->shared)
		like = tevent;
	ltt_frozen_declare(trace, &tevent->declaration, home, tevent, like);
	return 0;
}

/* Those first that others are like. */
static int add_events(struct ltt_trace *trace, const struct ltt_found *found)
{
	const struct ltt_found_event *event;
	int err = 0;
	u32 i;

	for (i = 0; i < found->nr_events && !err; i++) {
		event = &found->events[i];
		if (event->format && event->like == LTT_AREA_UNLIKE)
			err = add_event(trace, found, event);
	}
	for (i = 0; i < found->nr_events && !err; i++) {
		event = &found->events[i];
		if (event->format && event->like != LTT_AREA_UNLIKE)
			err = add_event(trace, found, event);
	}
	return err;
}

static int set_packets(struct ltt_trace_channel *tchan, const struct ltt_found_buffer *buffer)
{
	struct ltt_subbuf *packets;
	int err;
	u32 i;

	packets = kvcalloc(buffer->nr_packets, sizeof(*packets), GFP_KERNEL);
	if (!packets)
		return -ENOMEM;
	for (i = 0; i < buffer->nr_packets; i++) {
		const struct ltt_found_packet *from = &buffer->packets[i];

		packets[i].base = from->data;
		packets[i].content_end = (from->seq << buffer->subbuf_order) + from->size;
		packets[i].ts_end = from->end;
		local_set(&packets[i].events, from->events);
	}
	err = ltt_frozen_set_packets(tchan, buffer->cpu, packets, buffer->nr_packets);
	kvfree(packets);
	/* With what is missing in the last one. */
	local_set(&per_cpu_ptr(tchan->mem, buffer->cpu)->lost, buffer->lost);
	return err;
}

static int add_buffer(struct ltt_trace *trace, const struct ltt_found *found,
		      const struct ltt_found_buffer *buffer)
{
	const char *channel = found->streams[buffer->stream].channel;
	struct ltt_trace_channel *tchan = ltt_trace_channel_named(trace, channel);

	if (!buffer->nr_packets)
		return 0;
	if (buffer->cpu >= nr_cpu_ids || !cpu_possible(buffer->cpu)) {
		pr_warn("trace %s: this machine has no CPU %u: %llu events are not shown, see ltt crash\n",
			found->name, buffer->cpu, buffer->events);
		return 0;
	}
	return set_packets(tchan, buffer);
}

static int add_buffers(struct ltt_trace *trace, const struct ltt_found *found)
{
	struct ltt_trace_channel *tchan;
	int err = 0;
	u32 i;

	for (i = 0; i < found->nr_buffers; i++) {
		const struct ltt_found_buffer *buffer = &found->buffers[i];

		tchan = ltt_trace_channel_named(trace, found->streams[buffer->stream].channel);
		tchan->params.subbuf_order = buffer->subbuf_order;
		tchan->params.subbuf_num = buffer->subbuf_num;
	}
	for (i = 0; i < found->nr_streams && !err; i++)
		err = ltt_frozen_add_buffers(ltt_trace_channel_named(trace,
								     found->streams[i].channel));
	for (i = 0; i < found->nr_buffers && !err; i++)
		err = add_buffer(trace, found, &found->buffers[i]);
	return err;
}

static enum ltt_clock_id clock_of(const char *name)
{
	enum ltt_clock_id id = 0;

	/* It is one of them. */
	while (strcmp(ltt_clock_name(id), name))
		id++;
	return id;
}

static int fill(struct ltt_trace *trace, const struct ltt_found *found)
{
	int err;

	trace->clock = clock_of(found->clock);
	trace->real_offset = found->trace.real_offset;
	memcpy(trace->uuid, found->trace.uuid, sizeof(trace->uuid));
	strscpy(trace->hostname, found->hostname, sizeof(trace->hostname));
	mutex_lock(&ltt_mutex);
	err = add_streams(trace, found) ?: add_events(trace, found);
	mutex_unlock(&ltt_mutex);
	return err ?: add_buffers(trace, found);
}

/* ---- halves ---------------------------------------------------------------------- */

static struct left *left_named(const char *name)
{
	struct left *left;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(left, &all_left, node) {
		if (!strcmp(left->frozen.dir_name, name))
			return left;
	}
	return NULL;
}

/* Nobody but us adds to all_left. */
static void name_dir(struct left *left)
{
	struct ltt_frozen *frozen = &left->frozen;
	unsigned int nr = 0;
	char suffix[16];
	int len;

	mutex_lock(&ltt_mutex);
	do {
		len = snprintf(suffix, sizeof(suffix), ".boot-%u", ++nr);
		snprintf(frozen->dir_name, sizeof(frozen->dir_name), "%.*s%s",
			 LTT_NAME_MAX - len, left->found->name, suffix);
	} while (left_named(frozen->dir_name));
	mutex_unlock(&ltt_mutex);
}

/* Make the files of what was found, which belongs to the frozen trace then. */
static int publish(struct left *left)
{
	const struct ltt_found *found = left->found;
	struct ltt_frozen *frozen = &left->frozen;
	struct ltt_trace *trace;
	int err;

	name_dir(left);
	frozen->ops = &ops;
	frozen->release = found->release;
	frozen->version = found->version;
	frozen->boot_id = ltt_area_boot_id(found);
	trace = ltt_frozen_create(frozen, found->name);
	if (IS_ERR(trace)) {
		free_left(left);
		return PTR_ERR(trace);
	}
	left->boot.same_build = !strcmp(found->release, init_utsname()->release) &&
				!strcmp(found->build, init_utsname()->version);
	left->boot.shift = (unsigned long)panic - (unsigned long)found->trace.anchor;
	trace->boot = &left->boot;
	err = fill(trace, found);
	if (err) {
		ltt_trace_put(trace);
		return err;
	}
	mutex_lock(&ltt_mutex);
	list_add_tail(&left->node, &all_left);
	err = ltt_frozen_publish(trace);
	if (err)
		list_del(&left->node);
	mutex_unlock(&ltt_mutex);
	if (err) {
		ltt_frozen_hide(trace);
		ltt_trace_put(trace);
	}
	return err;
}

/* A copy of a half, and what is in it. */
static int fill_left(struct left *left, const struct ltt_area_head *head, const void *base,
		     char why[LTT_AREA_ERROR])
{
	struct ltt_found *found;

	left->copy = vmalloc(head->size);
	if (!left->copy)
		return -ENOMEM;
	/* Without the page of the head, or a dump of all memory would seem to have another half. */
	memset(left->copy, 0, LTT_AREA_PAGE);
	memcpy(left->copy + LTT_AREA_PAGE, base + LTT_AREA_PAGE, head->size - LTT_AREA_PAGE);
	found = ltt_area_scan(left->copy, head, why);
	if (IS_ERR(found))
		return PTR_ERR(found);
	left->found = found;
	return 0;
}

static void take(unsigned int area, unsigned int half, const struct ltt_area_head *head)
{
	char why[LTT_AREA_ERROR] = "out of memory";
	struct left *left = kzalloc(sizeof(*left), GFP_KERNEL);
	const char *name;
	const void *base;
	u64 size;

	base = ltt_area_half(area, half, &size, &name);
	if (left && !fill_left(left, head, base, why)) {
		left->area = area;
		left->half = half;
		list_add_tail(&left->node, &copied);
		return;
	}
	pr_warn("persist: area %s: nothing can be read: %s\n", name, why);
	if (left)
		free_left(left);
}

/*
 * The newest one first. Nothing else is said of what cannot be read: it may be whatever was in
 * the memory.
 */
static void look_at(unsigned int area)
{
	struct ltt_area_head head[2];
	char why[LTT_AREA_ERROR];
	unsigned int i, half;
	const void *base;
	const char *name;
	bool left[2];
	u64 size;
	int err;

	for (i = 0; i < 2; i++) {
		base = ltt_area_half(area, i, &size, &name);
		err = ltt_area_check(base, size, &head[i], why);
		left[i] = !err;
		if (err == -EINVAL)
			pr_warn("persist: area %s: nothing can be read: %s\n", name, why);
	}
	half = left[1] && (!left[0] || head[1].generation > head[0].generation);
	for (i = 0; i < 2; i++, half = !half) {
		if (left[half])
			take(area, half, &head[half]);
	}
}

/**
 * ltt_found_init() - copy what earlier boots have left in the areas
 *
 * Says what cannot be read.
 *
 * Context: task, may sleep. Areas are known, and nobody can use them yet.
 */
void ltt_found_init(void)
{
	const char *name;
	unsigned int i;
	u64 size;

	for (i = 0; ltt_area_half(i, 0, &size, &name); i++)
		look_at(i);
}

/**
 * ltt_found_show() - make the files of what ltt_found_init() has found
 *
 * Says what cannot be shown.
 *
 * Context: task, may sleep; ltt_mutex not held. There is a root for files.
 */
void ltt_found_show(void)
{
	struct left *left, *next;
	const char *name;
	u64 size;
	int err;

	list_for_each_entry_safe(left, next, &copied, node) {
		list_del(&left->node);
		ltt_area_half(left->area, 0, &size, &name);
		err = publish(left);
		if (err)
			pr_warn("persist: area %s: the trace that was found cannot be shown (%pe)\n",
				name, ERR_PTR(err));
	}
}

/* Remove its files, and @forget it: it need not be found again. */
static void end(struct left *left, bool forget)
{
	struct ltt_trace *trace = left->frozen.trace;

	if (forget)
		ltt_area_forget(left->area, left->half, left->found->head.generation);
	ltt_frozen_hide(trace);
	ltt_trace_put(trace);
}

/* Take one off the list, NULL: that of any name. */
static struct left *take_off(const char *name)
{
	struct left *left;

	mutex_lock(&ltt_mutex);
	left = name ? left_named(name) : list_first_entry_or_null(&all_left, struct left, node);
	if (left)
		list_del(&left->node);
	mutex_unlock(&ltt_mutex);
	return left;
}

/**
 * ltt_found_destroy() - destroy a trace that was found
 * @name:	name of its directory
 * @error:	why it failed; may be NULL
 *
 * The next boot does not find it any more.
 *
 * Context: task, may sleep; ltt_mutex not held. Waits for operations on the trace's files.
 * Return: 0 or -ENOENT.
 */
int ltt_found_destroy(const char *name, struct ltt_error *error)
{
	struct left *left = take_off(name);

	if (!left)
		return ltt_fail(error, -ENOENT, "column 1: no such trace");
	end(left, true);
	return 0;
}

/**
 * ltt_found_exit() - undo ltt_found_init() and ltt_found_show(), if that was called
 *
 * Context: task, may sleep; ltt_mutex not held.
 */
void ltt_found_exit(void)
{
	struct left *left, *next;

	list_for_each_entry_safe(left, next, &copied, node) {
		list_del(&left->node);
		free_left(left);
	}
	while ((left = take_off(NULL)))
		end(left, false);
}
