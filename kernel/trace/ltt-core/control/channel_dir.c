// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: traces/NAME/channels/CHANNEL/: how a trace records a channel.
 *
 * The directory exists before the trace uses the channel, so that the buffers can be
 * configured before they are allocated.
 */

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/ltt/ring_buffer.h>
#include <asm/barrier.h>
#include <asm/local.h>

#include "../trace/context.h"
#include "control.h"

static struct ltt_trace_channel *dir_tchan(const struct ltt_dir *dir)
{
	return ltt_trace_channel_named(dir->trace, ltt_dir_name(dir));
}

/*
 * Parameters
 */

/* The channel, or the one whose buffers it shares, or would share now. */
static const char *home_name(const struct ltt_dir *dir)
{
	const struct ltt_channel *channel = ltt_channel_find(ltt_dir_name(dir));

	if (channel && ltt_trace_channel_is_shared(dir->trace, channel))
		return LTT_CHANNEL_SHARED;
	return ltt_dir_name(dir);
}

/* The parameters of a channel's own buffers, or those they would get now. */
static int params_get(const struct ltt_dir *dir, const char *name,
		      struct ltt_channel_params *params)
{
	const struct ltt_trace_channel *tchan = ltt_trace_channel_named(dir->trace, name);
	const struct ltt_channel *channel;

	if (tchan) {
		*params = tchan->params;
		return 0;
	}
	channel = ltt_channel_find(name);
	if (!channel)
		return -ENOENT;
	*params = channel->params;
	return 0;
}

/* Change one of them; no other request comes in between. */
static int change(const struct ltt_dir *dir,
		  void (*set)(struct ltt_channel_params *params, unsigned int value),
		  unsigned int value, struct ltt_error *error)
{
	return ltt_trace_change_channel(dir->trace, ltt_dir_name(dir), set, value, error);
}

/*
 * Whose buffers
 */

/* What it uses, or would use now. */
static int buffers_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_channel *channel = ltt_channel_find(ltt_dir_name(dir));

	if (!channel)
		return -ENOENT;
	ltt_seq_buffers(m, ltt_trace_channel_is_shared(dir->trace, channel));
	return 0;
}

static int buffers_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool shared;
	int ret = ltt_parse_buffers(text, &shared, error);

	return ret ?: ltt_trace_set_channel_shared(dir->trace, ltt_dir_name(dir), shared, error);
}

static int mode_show(struct seq_file *m, struct ltt_dir *dir)
{
	struct ltt_channel_params params;
	int ret = params_get(dir, home_name(dir), &params);

	if (!ret)
		seq_puts(m, params.overwrite ? "overwrite\n" : "discard\n");
	return ret;
}

static void set_overwrite(struct ltt_channel_params *params, unsigned int value)
{
	params->overwrite = value;
}

static int mode_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool overwrite;

	if (!strcmp(text, "overwrite"))
		overwrite = true;
	else if (!strcmp(text, "discard"))
		overwrite = false;
	else
		return ltt_fail(error, -EINVAL, "column 1: expected discard or overwrite");

	return change(dir, set_overwrite, overwrite, error);
}

static int subbuf_size_show(struct seq_file *m, struct ltt_dir *dir)
{
	struct ltt_channel_params params;
	int ret = params_get(dir, home_name(dir), &params);

	if (!ret)
		seq_printf(m, "%lu\n", 1ul << params.subbuf_order);
	return ret;
}

static void set_subbuf_order(struct ltt_channel_params *params, unsigned int value)
{
	params->subbuf_order = value;
}

static int subbuf_size_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	unsigned int size;
	int ret;

	ret = ltt_parse_uint(text, &size, error);
	if (ret)
		return ret;
	if (size < 1u << LTT_SUBBUF_ORDER_MIN || size > 1u << LTT_SUBBUF_ORDER_MAX)
		return ltt_fail(error, -ERANGE, "column 1: not between %u and %u",
				1u << LTT_SUBBUF_ORDER_MIN, 1u << LTT_SUBBUF_ORDER_MAX);
	if (!is_power_of_2(size))
		return ltt_fail(error, -EINVAL, "column 1: not a power of two");

	return change(dir, set_subbuf_order, ilog2(size), error);
}

static int subbuf_num_show(struct seq_file *m, struct ltt_dir *dir)
{
	struct ltt_channel_params params;
	int ret = params_get(dir, home_name(dir), &params);

	if (!ret)
		seq_printf(m, "%u\n", params.subbuf_num);
	return ret;
}

static void set_subbuf_num(struct ltt_channel_params *params, unsigned int value)
{
	params->subbuf_num = value;
}

static int subbuf_num_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	unsigned int num;
	int ret;

	ret = ltt_parse_uint(text, &num, error);
	if (ret)
		return ret;
	if (num < LTT_SUBBUF_NUM_MIN || num > LTT_SUBBUF_NUM_MAX)
		return ltt_fail(error, -ERANGE, "column 1: not between %u and %u",
				LTT_SUBBUF_NUM_MIN, LTT_SUBBUF_NUM_MAX);
	if (!is_power_of_2(num))
		return ltt_fail(error, -EINVAL, "column 1: not a power of two");

	return change(dir, set_subbuf_num, num, error);
}

static int switch_timer_show(struct seq_file *m, struct ltt_dir *dir)
{
	struct ltt_channel_params params;
	int ret = params_get(dir, home_name(dir), &params);

	if (!ret)
		seq_printf(m, "%u\n", params.switch_ms);
	return ret;
}

static void set_switch_ms(struct ltt_channel_params *params, unsigned int value)
{
	params->switch_ms = value;
}

static int switch_timer_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	unsigned int ms;
	int ret;

	ret = ltt_parse_uint(text, &ms, error);
	if (ret)
		return ret;
	if (ms > LTT_SWITCH_MS_MAX)
		return ltt_fail(error, -ERANGE, "column 1: greater than %u", LTT_SWITCH_MS_MAX);

	return change(dir, set_switch_ms, ms, error);
}

/*
 * Contexts
 */

static int contexts_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_trace_channel *tchan = ltt_trace_channel_named(dir->trace, home_name(dir));
	const struct ltt_context *context = tchan ? tchan->context : NULL;
	DECLARE_BITMAP(recorded, LTT_NR_CONTEXTS) = {};
	unsigned int nr, id;

	for (nr = 0; (id = ltt_context_value_at(context, nr)) < LTT_NR_CONTEXTS; nr++) {
		seq_printf(m, "%s\n", ltt_context_values[id].name);
		__set_bit(id, recorded);
	}
	for_each_clear_bit(id, recorded, LTT_NR_CONTEXTS) {
		if (!ltt_context_values[id].missing)
			seq_printf(m, "# %s\n", ltt_context_values[id].name);
	}
	return 0;
}

static int contexts_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	if (!strcmp(text, "none"))
		text = "";
	return ltt_trace_set_contexts(dir->trace, ltt_dir_name(dir), text, error);
}

/*
 * On or off
 */

static int enable_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_trace_channel *tchan = dir_tchan(dir);

	seq_printf(m, "%d\n", !tchan || tchan->enabled);
	return 0;
}

static int enable_store(struct ltt_dir *dir, const char *text, struct ltt_error *error)
{
	bool enable;
	int ret;

	ret = ltt_parse_bool(text, &enable, error);
	if (ret)
		return ret;
	return ltt_trace_enable_channel(dir->trace, ltt_dir_name(dir), enable, error);
}

/*
 * Statistics. Writers are not stopped: each number was correct at some moment, but not
 * all of them at the same one.
 *
 * Memory barriers: stats_show:A has the same role as for_new_buffers:B in buffer.c, as a
 * new CPU gets its sub-buffers without ltt_mutex; nr_overwritten:A and :B have that of
 * ltt_cursor_overtaken:A and :B, see ring_buffer.c.
 */

/* Events recorded so far, including those overwritten since. */
static unsigned long nr_recorded(const struct ltt_buf *buf, const struct ltt_subbuf *sb)
{
	unsigned long sum = 0;
	u32 i;

	for (i = 0; i <= buf->sb_mask; i++)
		sum += local_read(&sb[i].events);
	return sum;
}

/* Events before the oldest sub-buffer still in the buffer. */
static unsigned long nr_overwritten(const struct ltt_buf *buf, const struct ltt_subbuf *sb)
{
	unsigned long horizon, first;

	if (!buf->overwrite)
		return 0;
	do {
		horizon = smp_load_acquire(&buf->horizon);	/* LMM(nr_overwritten:A) */
		first = READ_ONCE(sb[(horizon >> buf->sb_order) & buf->sb_mask].first);
		smp_rmb();					/* LMM(nr_overwritten:B) */
	} while (READ_ONCE(buf->horizon) != horizon);
	return first;
}

static const char *state_of(const struct ltt_buf *buf)
{
	if (READ_ONCE(buf->broken))
		return "broken";
	return READ_ONCE(buf->recording) ? "recording" : "stopped";
}

/* What is known of a channel in shared buffers; the rest is in the statistics of these. */
static void shared_stats(struct seq_file *m, const struct ltt_trace_channel *tchan)
{
	const struct ltt_counts *counts;
	unsigned long events, lost;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(tchan->counts, cpu);
		events = local_read(&counts->events);
		lost = local_read(&counts->lost);
		if (cpu_present(cpu) || events || lost)
			seq_printf(m, "%u\t%lu\t%lu\t-\t-\tshared\t-\n", cpu, events, lost);
	}
}

static int stats_show(struct seq_file *m, struct ltt_dir *dir)
{
	const struct ltt_trace_channel *tchan = dir_tchan(dir);
	const struct ltt_buf *buf;
	const struct ltt_subbuf *sb;
	unsigned long lost;
	unsigned int cpu;

	seq_puts(m, "# cpu\tevents\tlost\toverwritten\tbytes\tstate\tunfinished\n");
	if (tchan && ltt_trace_channel_buf(tchan) && tchan->counts)
		shared_stats(m, tchan);
	if (!tchan || !tchan->buf)
		return 0;
	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(tchan->buf, cpu);
		lost = local_read(&buf->lost);
		sb = smp_load_acquire(&buf->sb);		/* LMM(stats_show:A) */
		if (sb)
			seq_printf(m, "%u\t%lu\t%lu\t%lu\t%lu\t%s\t%lu\n", cpu,
				   nr_recorded(buf, sb), lost, nr_overwritten(buf, sb),
				   READ_ONCE(buf->write),
				   state_of(buf),
				   READ_ONCE(buf->unfinished));
		else if (lost)
			seq_printf(m, "%u\t0\t%lu\t0\t0\tno memory\t0\n", cpu, lost);
	}
	return 0;
}

static const struct ltt_file channel_files[] = {
	{ .name = "enable",       .show = enable_show,       .store = enable_store },
	{ .name = "buffers",      .show = buffers_show,      .store = buffers_store },
	{ .name = "mode",         .show = mode_show,         .store = mode_store },
	{ .name = "subbuf_size",  .show = subbuf_size_show,  .store = subbuf_size_store },
	{ .name = "subbuf_num",   .show = subbuf_num_show,   .store = subbuf_num_store },
	{ .name = "switch_timer", .show = switch_timer_show, .store = switch_timer_store },
	{ .name = "contexts",     .show = contexts_show,     .store = contexts_store },
	{ .name = "stats",        .show = stats_show },
	{ }
};

/**
 * ltt_control_find_channel() - find a channel's directory
 * @trace_dir:	directory of the trace
 * @name:	of the channel
 *
 * Context: task; ltt_mutex held.
 * Return: the directory, or NULL.
 */
struct ltt_dir *ltt_control_find_channel(const struct ltt_dir *trace_dir, const char *name)
{
	struct ltt_dir *dir;

	list_for_each_entry(dir, &trace_dir->below, node) {
		if (!strcmp(ltt_dir_name(dir), name))
			return dir;
	}
	return NULL;
}

/**
 * ltt_control_add_channel() - create a channel's directory, and those of its events
 * @trace_dir:	directory of the trace
 * @channel:	the channel
 *
 * Creates those that do not exist yet; none for a private channel.
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: 0, or -ENOMEM.
 */
int ltt_control_add_channel(struct ltt_dir *trace_dir, const struct ltt_channel *channel)
{
	const struct ltt_event *event;
	struct ltt_dir *dir;
	int ret;

	if (channel->flags & LTT_CHANNEL_PRIVATE)
		return 0;
	dir = ltt_control_find_channel(trace_dir, channel->name);
	if (!dir) {
		ret = ltt_dir_add(trace_dir, channel->name, channel_files, &dir);
		if (ret)
			return ret;
	}
	if (IS_ERR(dir->sub))
		dir->sub = ltt_mkdir("markers", dir->dentry);
	if (IS_ERR(dir->sub))
		return PTR_ERR(dir->sub);

	list_for_each_entry(event, &channel->events, node) {
		ret = ltt_control_add_event(dir, event);
		if (ret)
			return ret;
	}
	return 0;
}
