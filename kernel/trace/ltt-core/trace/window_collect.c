// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: makes something to read of windows that were taken. See window.c.
 */

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <linux/ltt/area.h>

#include "core.h"
#include "../error.h"
#include "../relay/keep.h"
#include "../relay/packet_reader.h"
#include "window_private.h"

/* How long to wait for a grace period before what is committed has to do. */
#define PATIENCE	HZ

/* ---- collecting ---------------------------------------------------------------- */

/**
 * struct collected - packets of a buffer, the newest first
 * @packet:	what a frozen trace wants to know of each
 * @spare:	where it is
 * @nr:		how many
 */
struct collected {
	struct ltt_subbuf *packet;
	struct ltt_spare **spare;
	unsigned int nr;
};

/*
 * Walk the events of a packet up to that after @until. Return: where the next one begins, of
 * the @size bytes of the packet.
 */
static size_t walk(const struct ltt_trace_channel *home, const struct ltt_packet *packet,
		   size_t size, struct ltt_window *window, unsigned long *events)
{
	const struct ltt_packet_formats formats = ltt_trace_channel_formats(home);
	u64 ts = packet->timestamp_begin;
	size_t at = sizeof(*packet);
	long len;

	while (at < size) {
		len = ltt_packet_step(&formats, (const u8 *)packet + at, size - at, &ts);
		if (len < 0) {
			window->damaged++;
			break;
		}
		if (ts > window->until)
			break;
		if (!window->events || ts < window->first)
			window->first = ts;
		window->last = max(window->last, ts);
		window->events++;
		++*events;
		at += len;
	}
	return at;
}

/*
 * Find packet @seq, or make a copy of it. Return: the spare that it is in, with one user more;
 * NULL if it is not there, or not wanted; ERR_PTR(-ENOSPC).
 */
static struct ltt_spare *get(struct ltt_window *window, struct ltt_buf *buf, unsigned long seq)
{
	u64 deadline = ktime_get_ns() + LTT_KEEP_PATIENCE;
	struct ltt_spare *spare;

	lockdep_assert_held(&window->windows->lock);
	for (;;) {
		spare = ltt_buf_find_packet(buf, seq, window->until);
		if (spare != ERR_PTR(-EAGAIN) || ktime_get_ns() > deadline)
			break;
		cond_resched();
	}
	if (spare == ERR_PTR(-EAGAIN)) {
		window->stuck = true;
		return NULL;
	}
	if (!IS_ERR_OR_NULL(spare))
		spare->users++;
	return spare;
}

static void put(struct ltt_spare *spare)
{
	spare->users--;
	/* Nobody else finds it. */
	if (!spare->users && spare->seq == LTT_SPARE_BUSY)
		ltt_spare_free(spare);
}

/* Is all of a packet before what is wanted? */
static bool too_old(const struct ltt_window *window, const struct ltt_packet *packet,
		    const struct ltt_packet *next)
{
	u64 end = packet->timestamp_end ?: next ? next->timestamp_begin : window->until;

	return window->before && end + window->before < window->until - window->after;
}

/* Its own buffers; NULL if it has none. */
static struct ltt_buf __percpu *buffers_of(const struct ltt_trace_channel *home)
{
	return smp_load_acquire(&home->buf);		/* LMM(buffers_of:A) */
}

/**
 * ltt_window_wants() - do windows show what is in a channel's buffers?
 * @home:	the channel in the trace
 *
 * Context: any.
 * Return: true if it has buffers, in overwrite mode, and is not private.
 */
bool ltt_window_wants(const struct ltt_trace_channel *home)
{
	return buffers_of(home) && home->params.overwrite &&
	       !(home->channel->flags & LTT_CHANNEL_PRIVATE);
}

/* The packets of a buffer. */
static void collect(struct ltt_window *window, const struct ltt_trace_channel *home,
		    struct ltt_buf *buf, struct collected *all, unsigned int max)
{
	const struct ltt_packet *packet, *next = NULL;
	unsigned long seq = ltt_buf_newest(buf, window->until), newest = seq, events;
	struct ltt_spare *spare;
	size_t size, end;

	all->nr = 0;
	/* If none is found there are none: before these, all have been overwritten. */
	for (; seq && all->nr < max && newest - seq < 2 * max; seq--) {
		cond_resched();
		spare = get(window, buf, seq - 1);
		if (IS_ERR(spare))
			window->short_buffers++;
		if (IS_ERR(spare) || (!spare && all->nr))
			break;
		if (!spare)
			continue;
		packet = ltt_spare_packet(spare);
		if (too_old(window, packet, next)) {
			put(spare);
			break;
		}
		next = packet;
		size = packet->content_size / 8;
		events = 0;
		end = walk(home, packet, size, window, &events);
		if (!events && !all->nr) {
			put(spare);
			continue;
		}
		all->spare[all->nr] = spare;
		all->packet[all->nr] = (struct ltt_subbuf){
			.base = spare->base,
			.content_end = ((seq - 1) << buf->sb_order) + end,
			/* A copy of an open packet has no end of its own. */
			.ts_end = end < size || !packet->timestamp_end ? window->until :
				  packet->timestamp_end,
		};
		local_set(&all->packet[all->nr].events, events);
		all->nr++;
	}
}

static void reverse(struct collected *all)
{
	unsigned int i;

	for (i = 0; i < all->nr / 2; i++)
		swap(all->packet[i], all->packet[all->nr - 1 - i]);
}

/* Remember which spares the window uses. */
static int hold_spares(struct ltt_window *window, const struct collected *all)
{
	struct ltt_window_held *held = kvmalloc(struct_size(held, spare, all->nr), GFP_KERNEL);

	if (!held)
		return -ENOMEM;
	memcpy(held->spare, all->spare, all->nr * sizeof(*held->spare));
	held->nr = all->nr;
	held->next = window->held;
	window->held = held;
	return 0;
}

static void put_spares(struct ltt_window *window)
{
	struct ltt_window_held *held, *next;
	unsigned int i;

	lockdep_assert_held(&window->windows->lock);
	for (held = window->held; held; held = next) {
		next = held->next;
		for (i = 0; i < held->nr; i++)
			put(held->spare[i]);
		kvfree(held);
	}
	window->held = NULL;
}

/* Have writers found no spare since the last window? */
static bool ran_out(struct ltt_buf *buf)
{
	unsigned long unkept = READ_ONCE(buf->unkept);

	if (unkept == buf->unkept_told)
		return false;
	buf->unkept_told = unkept;
	return true;
}

static int collect_cpu(struct ltt_window *window, const struct ltt_trace_channel *home,
		       struct ltt_trace_channel *tchan, unsigned int cpu, struct collected *all)
{
	struct ltt_buf *buf = per_cpu_ptr(home->buf, cpu);
	int err;

	/* ACQUIRE pairs with the RELEASE of install:A: the CPU may be coming online. */
	if (!smp_load_acquire(&buf->sb) ||		/* LMM(collect_cpu:A) */
	    READ_ONCE(buf->broken))
		return 0;
	window->short_buffers += ran_out(buf);
	collect(window, home, buf, all, ltt_window_packets(&home->params));
	if (!all->nr)
		return 0;
	err = hold_spares(window, all);
	if (err) {
		while (all->nr)
			put(all->spare[--all->nr]);
		return err;
	}
	reverse(all);
	window->lost += ((struct ltt_packet *)all->packet[all->nr - 1].base)->events_discarded -
			((struct ltt_packet *)all->packet[0].base)->events_discarded;
	return ltt_frozen_set_packets(tchan, cpu, all->packet, all->nr);
}

static int collect_channel(struct ltt_window *window, const struct ltt_trace_channel *home,
			   struct ltt_trace_channel *tchan)
{
	unsigned int max = ltt_window_packets(&home->params), cpu;
	struct collected all = {
		.packet = kvcalloc(max, sizeof(*all.packet), GFP_KERNEL),
		.spare = kvcalloc(max, sizeof(*all.spare), GFP_KERNEL),
	};
	int err = -ENOMEM;

	if (all.packet && all.spare)
		err = ltt_frozen_add_buffers(tchan);
	for_each_possible_cpu(cpu) {
		if (err)
			break;
		mutex_lock(&window->windows->lock);
		err = collect_cpu(window, home, tchan, cpu, &all);
		mutex_unlock(&window->windows->lock);
		cond_resched();
	}
	kvfree(all.packet);
	kvfree(all.spare);
	return err;
}

static int collect_all(struct ltt_window *window)
{
	struct ltt_trace *trace = window->frozen.trace;
	struct ltt_trace_channel *tchan, *home;
	int err = 0;

	/* In the same order. Others may be added to the original meanwhile. */
	home = list_first_entry(&window->windows->trace->tchans, struct ltt_trace_channel, node);
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->home == tchan && ltt_window_wants(home))
			err = err ?: collect_channel(window, home, tchan);
		home = list_next_entry(home, node);
	}
	return err;
}

/* What has no buffers here, as it is recorded in discard mode, has no files, either. */
static void forget_others(struct ltt_trace *trace)
{
	struct ltt_trace_channel *tchan;

	list_for_each_entry(tchan, &trace->tchans, node)
		tchan->known &= tchan->home && tchan->home->buf;
}

/* ---- what is kept, and by whom -------------------------------------------------- */

/*
 * Free a packet that is in no window. One that a writer keeps for a new window meanwhile stays:
 * who sees it sees that until has been raised.
 */
static void give_back(struct ltt_trace *trace, struct ltt_spare *spare)
{
	unsigned long seq = READ_ONCE(spare->seq);

	if (seq >= LTT_SPARE_BUSY || spare->users ||
	    !try_cmpxchg(&spare->seq, &seq, LTT_SPARE_BUSY))	/* LMM(give_back:A) */
		return;
	if (READ_ONCE(trace->keep.until))
		ltt_spare_publish(spare);
	else
		ltt_spare_free(spare);
}

static void give_all_back(struct ltt_trace *trace)
{
	struct ltt_trace_channel *tchan;
	struct ltt_spares *spares;
	unsigned int cpu, i;

	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!buffers_of(tchan))
			continue;
		for_each_possible_cpu(cpu) {
			spares = READ_ONCE(per_cpu_ptr(tchan->buf, cpu)->spares);
			for (; spares; spares = READ_ONCE(spares->next)) {
				for (i = 0; i < spares->nr; i++)
					give_back(trace, &spares->spare[i]);
			}
		}
	}
}

/*
 * Does a window need what writers keep? If it is about to be taken, it need not be
 * seen: it will change until.
 */
static bool any_taken(struct ltt_windows *windows)
{
	struct ltt_window *window;
	unsigned int i;

	ltt_for_each_window(window, windows, i) {
		if (ltt_window_is(window, LTT_WINDOW_TAKEN) ||
		    ltt_window_is(window, LTT_WINDOW_CLAIMED))
			return true;
	}
	return false;
}

/**
 * ltt_windows_wait_writers() - wait for writers that have not seen which packets to keep
 *
 * Context: task; sleeps.
 * Return: false if a CPU makes it wait too long.
 */
bool ltt_windows_wait_writers(void)
{
	const unsigned long end = jiffies + PATIENCE;
	unsigned long cookie = start_poll_synchronize_rcu(); /* LMM(ltt_windows_wait_writers:A) */

	while (!poll_state_synchronize_rcu(cookie)) {
		if (time_after(jiffies, end))
			return false;
		schedule_timeout_uninterruptible(1);
	}
	return true;
}

/* Their packets have been given back: there is memory for others. */
static void free_rooms(struct ltt_windows *windows)
{
	struct ltt_window *window;
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&windows->lock);
	ltt_for_each_window(window, windows, i) {
		if (!ltt_window_is(window, LTT_WINDOW_EMPTY))
			continue;
		ltt_window_set(window, LTT_WINDOW_FREE);
		any = true;
	}
	if (any)
		ltt_windows_tell(windows);
}

/**
 * ltt_windows_sweep() - free the packets that are in no window, if none is about to want them
 * @windows:	the windows
 *
 * Context: the work item.
 */
void ltt_windows_sweep(struct ltt_windows *windows)
{
	struct ltt_trace *trace = windows->trace;
	u64 seen = READ_ONCE(trace->keep.until);

	if (seen) {
		smp_mb();				/* LMM(ltt_windows_sweep:A) */
		if (any_taken(windows) || !try_cmpxchg64(&trace->keep.until, &seen, 0))
			return;
		windows->unswept = true;
	}
	if (!windows->unswept || !ltt_windows_wait_writers())
		return;
	mutex_lock(&windows->lock);
	windows->unswept = READ_ONCE(trace->keep.until);
	if (!windows->unswept) {
		give_all_back(trace);
		free_rooms(windows);
	}
	mutex_unlock(&windows->lock);
}

/* ---- the trace of a window ------------------------------------------------------ */

static void put_time(struct seq_file *m, const char *name, u64 ns)
{
	seq_printf(m, "%s ", name);
	ltt_seq_time(m, ns);
	seq_putc(m, '\n');
}

static void show_info(struct seq_file *m, const struct ltt_frozen *frozen)
{
	const struct ltt_window *window = container_of(frozen, struct ltt_window, frozen);

	seq_printf(m, "number %u\nwhy ", window->number);
	seq_escape(m, window->why, "\n\\");
	seq_putc(m, '\n');
	put_time(m, "taken", window->until - window->after);
	put_time(m, "end", window->until);
	if (window->events) {
		put_time(m, "first", window->first);
		put_time(m, "last", window->last);
	}
	seq_printf(m, "events %llu\nlost %llu\n", window->events, window->lost);
	if (window->damaged)
		seq_printf(m, "# %u packets are damaged, the rest of each is missing\n",
			   window->damaged);
	if (window->short_buffers)
		seq_printf(m, "# %u buffers had no memory for all packets: their first events are missing\n",
			   window->short_buffers);
	if (window->stuck)
		seq_puts(m, "# a CPU did not respond, its last events may be missing\n");
	if (window->unlogged)
		seq_puts(m, "# out of memory: it will not be found in a dump\n");
}

/* Nobody reads it any more. */
static void release(struct ltt_frozen *frozen)
{
	struct ltt_window *window = container_of(frozen, struct ltt_window, frozen);
	struct ltt_windows *windows = window->windows;

	ltt_persist_end(frozen->trace);
	mutex_lock(&windows->lock);
	put_spares(window);
	windows->unswept = true;
	ltt_window_set(window, LTT_WINDOW_EMPTY);
	mutex_unlock(&windows->lock);
	ltt_windows_tell(windows);
	/*
	 * Packets that no other window has are free after ltt_windows_sweep(). Until then there
	 * is no memory for a window in its place.
	 */
	if (!READ_ONCE(windows->ended))
		queue_work(ltt_wq, &windows->work);
}

static const struct ltt_frozen_ops ops = {
	.show_info = show_info,
	.release = release,
};

/* For who looks into a dump of all memory. */
static void tell_dumps(struct ltt_window *window)
{
	const struct ltt_area_window what = {
		.taken = window->until - window->after,
		.until = window->until,
		.number = window->number,
	};

	window->unlogged = ltt_persist_window(window->frozen.trace, &what, window->why);
}

/* Return: 0, or a negative errno, and the window has no trace. */
static int make_trace(struct ltt_window *window)
{
	struct ltt_trace *trace, *of = window->windows->trace;
	bool published;
	int err;

	window->frozen = (struct ltt_frozen){
		.ops = &ops,
		.of = of,
		.parent = of->snapshots,
	};
	snprintf(window->frozen.dir_name, sizeof(window->frozen.dir_name), "%u", window->number);
	trace = ltt_frozen_create(&window->frozen, of->name);
	if (IS_ERR(trace)) {
		WRITE_ONCE(window->windows->failed, window->number);
		ltt_window_set(window, LTT_WINDOW_EMPTY);
		return PTR_ERR(trace);
	}
	mutex_lock(&ltt_mutex);
	err = ltt_frozen_copy(trace, of);
	mutex_unlock(&ltt_mutex);
	if (!err)
		err = collect_all(window);
	if (!err) {
		forget_others(trace);
		tell_dumps(window);
	}
	if (err) {
		WRITE_ONCE(window->windows->failed, window->number);
		ltt_trace_put(trace);	/* sets it LTT_WINDOW_EMPTY */
		return err;
	}

	mutex_lock(&ltt_mutex);
	published = !of->dying;
	err = published ? ltt_frozen_publish(trace) : -ENODEV;
	mutex_unlock(&ltt_mutex);
	if (!err)
		return 0;
	WRITE_ONCE(window->windows->failed, window->number);
	if (published)
		ltt_frozen_hide(trace);
	ltt_trace_put(trace);
	return err;
}

/**
 * ltt_window_finish() - make a frozen trace of a window
 * @window:	the window, TAKEN; there has been a grace period since
 * @stuck:	but for a CPU that did not respond
 *
 * Context: the work item; takes ltt_mutex, sleeps.
 */
void ltt_window_finish(struct ltt_window *window, bool stuck)
{
	struct ltt_windows *windows = window->windows;
	unsigned int number = window->number;
	int err;

	window->held = NULL;
	window->first = 0;
	window->last = 0;
	window->events = 0;
	window->lost = 0;
	window->damaged = 0;
	window->short_buffers = 0;
	window->stuck = stuck;
	window->unlogged = false;
	err = make_trace(window);
	if (!err)
		ltt_window_set(window, LTT_WINDOW_THERE);
	else if (err != -ENODEV)
		ltt_log_error(windows->trace->log, "snapshots/%u: cannot be made (%pe)", number,
			      ERR_PTR(err));
	ltt_windows_tell(windows);
}
