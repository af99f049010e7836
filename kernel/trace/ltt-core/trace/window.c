// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: windows: what a trace's overwrite buffers held at some time, while recording goes on.
 */

/**
 * DOC: windows
 *
 * A window is taken by storing a time, in any context. It consists of all events up to that time
 * that were in overwrite buffers then, on all CPUs. Writers see the time before they reuse a
 * sub-buffer, and copy the packet in it first if it begins before: see "Packets that are kept" in
 * ring_buffer.c. A work item collects them afterwards, in peace:
 *
 *   1. It waits for an RCU grace period. All writers see the time now, and all events of the
 *      window are committed.
 *   2. From each buffer it takes the packets that begin at or before the time, from the newest to
 *      the oldest: they are in their slots, where they are copied from, or were kept. The last
 *      packet may be open; it ends with the last event of the window.
 *   3. They become the buffers of a frozen trace (frozen.h), with a directory in snapshots/.
 *
 * Memory is set aside before, for each buffer: a window has at most as many packets as the
 * buffer has sub-buffers, and one that is opened while writers do not see the time yet. A packet
 * in several windows exists once (struct ltt_spare.users); only a packet that was open when it
 * was copied is the window's own. Writers that are interrupted while they copy have a few more. So
 * the memory suffices, whatever writers do, unless a CPU came
 * when there was none for it; then the window begins later there, and its info says so.
 *
 * States of struct ltt_window
 * ---------------------------
 *   FREE		-> CLAIMED	by whoever takes a window, in any context: cmpxchg
 *   CLAIMED	-> TAKEN	at once, by the same
 *   CLAIMED	-> WAITING	at once, by the same: it ends later
 *   WAITING	-> CLAIMED	when the time has come, by a timer's work item
 *   TAKEN	-> THERE	collected, by the trace's work item; so are all that follow
 *   THERE	-> GOING	to be removed: by a request, or because a newer one needs room;
 *				under the lock of windows
 *   GOING	-> GONE		it has no files any more
 *   TAKEN	-> EMPTY	that failed
 *   GONE	-> EMPTY	nobody reads it any more. By whoever was the last
 *   EMPTY	-> FREE		its memory is free again: ltt_windows_sweep()
 *
 * While a window is TAKEN writers keep packets. until, the time up to which they do, only
 * grows while there is such a window: each raises it at least by one. The work item clears
 * it if there is none, by cmpxchg from the value that it read before it looked: one that is
 * taken meanwhile has raised it. Packets that were kept and are in no window are given back a grace
 * period after that, when no writer sees the old value any more.
 *
 * Memory barriers
 * ---------------
 *   ltt_window_set:A / ltt_window_is:A
 *	Who sees a state sees what was stored to the window before. RELEASE pairs with
 *	ACQUIRE.
 *
 *   claim:A / ltt_windows_sweep:A
 *	If the work item sees until as a window has raised it, it sees that the window is
 *	CLAIMED, or a later state. The cmpxchg is a full barrier, and pairs with MB.
 *
 *   create:A / windows_of:A, add_room:A / ltt_windows_count:A
 *	Who sees the windows of a trace, or the number of rooms, sees the rooms. RELEASE
 *	pairs with ACQUIRE.
 *
 *   ltt_windows_wait_writers:A
 *	After the grace period no writer is left that has not seen until: each packet that
 *	is reused from then on is kept.
 */

#include <linux/atomic.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core.h"
#include "../error.h"
#include "window.h"
#include "window_private.h"

/**
 * ltt_windows_tell() - the list of windows has changed, or a state that somebody may wait for
 * @windows:	the windows
 *
 * Context: task, or softirq.
 */
void ltt_windows_tell(struct ltt_windows *windows)
{
	atomic_inc(&windows->news);
	wake_up_all(&ltt_control_wait);
	wake_up_all(&windows->trace->wait);
}

/**
 * ltt_windows_count() - rooms for windows
 * @windows:	the windows
 *
 * Context: any.
 * Return: how many entries of @windows->window there are.
 */
unsigned int ltt_windows_count(const struct ltt_windows *windows)
{
	return smp_load_acquire(&windows->nr);			/* LMM(ltt_windows_count:A) */
}

static struct ltt_windows *windows_of(const struct ltt_trace *trace)
{
	return smp_load_acquire(&trace->windows);		/* LMM(windows_of:A) */
}

/* ---- taking -------------------------------------------------------------------- */

/* From now on nothing is overwritten that begins at or before the end of a window. */
static void hold(struct ltt_window *window, u64 until)
{
	u64 *keep = &window->windows->trace->keep.until;
	u64 old = READ_ONCE(*keep), new;

	do {
		new = max(old + 1, until);
	} while (!try_cmpxchg64(keep, &old, new));
	window->until = until;
}

static struct ltt_window *claim(struct ltt_windows *windows)
{
	unsigned int rooms = READ_ONCE(windows->max) + READ_ONCE(windows->keep_last), i, state;
	struct ltt_window *window;

	ltt_for_each_window(window, windows, i) {
		if (i == rooms)
			break;
		state = READ_ONCE(window->state);
		if (state == LTT_WINDOW_FREE &&
		    try_cmpxchg(&window->state, &state, LTT_WINDOW_CLAIMED)) /* LMM(claim:A) */
			return window;
	}
	return NULL;
}

/* As ltt_window_take(). Return: the window; NULL if no room is free. */
static struct ltt_window *take(struct ltt_windows *windows, const char why[LTT_WINDOW_WHY],
			       u64 before, u64 after)
{
	struct ltt_window *window = claim(windows);
	u64 now;

	if (!window)
		return NULL;
	now = ltt_clock_now(windows->trace->clock);
	if (after)
		window->until = now;
	else
		hold(window, now);
	window->before = before;
	window->after = after;
	window->number = atomic_inc_return(&windows->last);
	memcpy(window->why, why, sizeof(window->why));
	ltt_window_set(window, after ? LTT_WINDOW_WAITING : LTT_WINDOW_TAKEN);
	irq_work_queue(&windows->irq_work);
	return window;
}

/**
 * ltt_window_take() - take a window
 * @trace:	the trace; there is a reference to it, or its taps are in use
 * @why:	what is to be said of it: a string in LTT_WINDOW_WHY bytes, all of which are
 *		copied, as that is faster than to look for its end
 * @before_ns:	events of so many ns before now are wanted; 0: all that there are. Packets are
 *		not cut, so there may be more
 * @after_ns:	it ends so many ns after now. Buffers must have room for both
 *
 * From its end on nothing of it is overwritten. It can be read soon after that.
 *
 * Context: any, NMI included.
 * Return: false if no room for a window is free, which is counted.
 */
bool ltt_window_take(struct ltt_trace *trace, const char why[LTT_WINDOW_WHY], u64 before_ns,
		     u64 after_ns)
{
	struct ltt_windows *windows = windows_of(trace);

	if (!windows || READ_ONCE(windows->ended))
		return false;
	if (take(windows, why, before_ns, after_ns))
		return true;
	atomic_inc(&windows->missed);
	/*
	 * If its memory could not be freed when the last one was removed, a CPU did not respond. If
	 * the last ones are to be kept, and the one that had to go is being read, another one goes.
	 */
	if (READ_ONCE(windows->unswept) || READ_ONCE(windows->keep_last))
		irq_work_queue(&windows->irq_work);
	return false;
}

static void queue(struct irq_work *irq_work)
{
	struct ltt_windows *windows = container_of(irq_work, struct ltt_windows, irq_work);

	queue_work(ltt_wq, &windows->work);
}

/* The end of a window that was to wait has come. */
static void end_later(struct work_struct *work)
{
	struct ltt_window *window = container_of(to_delayed_work(work), struct ltt_window, later);

	if (!ltt_window_is(window, LTT_WINDOW_WAITING))
		return;
	/* Before until is raised, or it may be cleared for want of windows. */
	ltt_window_set(window, LTT_WINDOW_CLAIMED);
	smp_mb();	/* as in claim() */
	hold(window, window->until + window->after);
	ltt_window_set(window, LTT_WINDOW_TAKEN);
	queue_work(ltt_wq, &window->windows->work);
}

/* ---- the work ------------------------------------------------------------------- */

static int compare_ends(const void *a, const void *b)
{
	const struct ltt_window *const *x = a, *const *y = b;

	return (*x)->until < (*y)->until ? -1 : (*x)->until > (*y)->until;
}

/* Those that are in a state, in the order of their ends. Return: how many. */
static unsigned int find_all(struct ltt_windows *windows, enum ltt_window_state state,
			     struct ltt_window **found)
{
	struct ltt_window *window;
	unsigned int nr = 0, i;

	ltt_for_each_window(window, windows, i) {
		if (ltt_window_is(window, state))
			found[nr++] = window;
	}
	sort(found, nr, sizeof(*found), compare_ends, NULL);
	return nr;
}

static void start_timers(struct ltt_windows *windows)
{
	struct ltt_window *window;
	unsigned int i;
	u64 now, end;

	ltt_for_each_window(window, windows, i) {
		if (!ltt_window_is(window, LTT_WINDOW_WAITING))
			continue;
		now = ltt_clock_now(windows->trace->clock);
		end = window->until + window->after;
		/* Does nothing if it is running. */
		queue_delayed_work(ltt_wq, &window->later,
				   end > now ? nsecs_to_jiffies(end - now) + 1 : 0);
	}
}

/*
 * If there is no room, and the last ones are to be kept. Of several, the newest stays, as rooms may
 * all be taken by windows that have gone and are being read.
 */
static void drop_oldest(struct ltt_windows *windows, struct ltt_window **found)
{
	unsigned int stay = READ_ONCE(windows->max) > 1;
	struct ltt_window *window;
	unsigned int i;

	if (!READ_ONCE(windows->keep_last))
		return;
	ltt_for_each_window(window, windows, i) {
		if (ltt_window_is(window, LTT_WINDOW_FREE) ||
		    ltt_window_is(window, LTT_WINDOW_EMPTY) ||
		    ltt_window_is(window, LTT_WINDOW_GOING))
			return;
	}
	mutex_lock(&windows->lock);
	if (find_all(windows, LTT_WINDOW_THERE, found) > stay)
		ltt_window_set(found[0], LTT_WINDOW_GOING);
	mutex_unlock(&windows->lock);
}

/* Room and memory are free when nobody reads it any more. */
static void drop(struct ltt_window *window)
{
	struct ltt_trace *trace = window->frozen.trace;

	ltt_frozen_hide(trace);
	ltt_window_set(window, LTT_WINDOW_GONE);
	ltt_trace_put(trace);
}

static void work(struct work_struct *w)
{
	struct ltt_windows *windows = container_of(w, struct ltt_windows, work);
	struct ltt_window **found = windows->found;
	unsigned int nr, i;
	bool stuck;

	if (!READ_ONCE(windows->ended))
		start_timers(windows);
	nr = find_all(windows, LTT_WINDOW_TAKEN, found);
	if (nr) {
		stuck = !ltt_windows_wait_writers();
		for (i = 0; i < nr && !READ_ONCE(windows->ended); i++)
			ltt_window_finish(found[i], stuck);
	}
	drop_oldest(windows, found);
	nr = find_all(windows, LTT_WINDOW_GOING, found);
	for (i = 0; i < nr && !READ_ONCE(windows->ended); i++) {
		drop(found[i]);
		ltt_windows_tell(windows);
	}
	ltt_windows_sweep(windows);
}

/* ---- memory, and the files of a trace -------------------------------------------- */

static struct ltt_windows *create(struct ltt_trace *trace)
{
	struct ltt_windows *windows = kvzalloc(sizeof(*windows), GFP_KERNEL);

	if (!windows)
		return NULL;
	windows->trace = trace;
	mutex_init(&windows->lock);
	init_irq_work(&windows->irq_work, queue);
	INIT_WORK(&windows->work, work);
	smp_store_release(&trace->windows, windows);		/* LMM(create:A) */
	return windows;
}

static int add_room(struct ltt_windows *windows)
{
	struct ltt_window *window = kzalloc(sizeof(*window), GFP_KERNEL);

	if (!window)
		return -ENOMEM;
	window->windows = windows;
	INIT_DELAYED_WORK(&window->later, end_later);
	windows->window[windows->nr] = window;
	smp_store_release(&windows->nr, windows->nr + 1);	/* LMM(add_room:A) */
	return 0;
}

/* The request mutex is held, ltt_mutex not. @rooms: in all. */
static int grow(struct ltt_trace *trace, unsigned int rooms, struct ltt_error *error)
{
	struct ltt_windows *windows = trace->windows ?: create(trace);
	int err = 0;

	if (!windows)
		return ltt_fail(error, -ENOMEM, "out of memory");
	if (rooms > trace->nr_windows)
		err = ltt_buffer_add_spares(trace, rooms - trace->nr_windows, error);
	while (!err && windows->nr < trace->nr_windows)
		err = add_room(windows) ? ltt_fail(error, -ENOMEM, "out of memory") : 0;
	return err;
}

/* @windows: that can be there at a time; @exact: not more. */
static int change(struct ltt_trace *trace, unsigned int windows, bool exact, int keep_last,
		  struct ltt_error *error)
{
	unsigned int now, rooms;
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	mutex_unlock(&ltt_mutex);
	if (trace->area) {
		mutex_unlock(&trace->request);
		return ltt_fail(error, -EOPNOTSUPP, "trace %s is in area %s, which has no room for windows",
				trace->name, ltt_trace_area(trace));
	}
	if (keep_last < 0)
		keep_last = ltt_windows_keep_last(trace);
	now = ltt_windows_max(trace);
	if (!exact)
		windows = max(windows, now);
	rooms = windows ? windows + keep_last : 0;	/* may wrap */
	if (windows < now)
		err = ltt_fail(error, -EBUSY,
			       "memory for %u windows is set aside, and stays until the trace is destroyed",
			       now);
	else if (windows > LTT_WINDOWS_MAX || rooms > LTT_WINDOWS_MAX)
		err = ltt_fail(error, -ERANGE, "column 1: at most %u windows",
			       LTT_WINDOWS_MAX - keep_last);
	else if (rooms || keep_last)
		err = grow(trace, rooms, error);
	if (!err && trace->windows) {
		WRITE_ONCE(trace->windows->max, windows);
		WRITE_ONCE(trace->windows->keep_last, keep_last);
	}
	mutex_unlock(&trace->request);
	return err;
}

/**
 * ltt_windows_max() - how many windows can there be at a time?
 * @trace:	the trace
 *
 * Context: any.
 */
unsigned int ltt_windows_max(const struct ltt_trace *trace)
{
	const struct ltt_windows *windows = windows_of(trace);

	return windows ? READ_ONCE(windows->max) : 0;
}

/**
 * ltt_windows_want() - set aside memory for windows, unless there is enough
 * @trace:	the trace; the caller has a reference
 * @windows:	that can be there at a time, at least
 * @error:	why it failed; may be NULL
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, sleeps.
 * Return: 0; -ERANGE, more than LTT_WINDOWS_MAX; -EDQUOT, -ENOMEM; -EINTR; -ENODEV (destroyed).
 */
int ltt_windows_want(struct ltt_trace *trace, unsigned int windows, struct ltt_error *error)
{
	return change(trace, windows, false, -1, error);
}

/**
 * ltt_windows_set_max() - say how many windows there can be at a time
 * @trace:	the trace; the caller has a reference
 * @windows:	how many
 * @error:	why it failed; may be NULL
 *
 * Context: as ltt_windows_want().
 * Return: as ltt_windows_want(); -EBUSY if memory for more was set aside before.
 */
int ltt_windows_set_max(struct ltt_trace *trace, unsigned int windows, struct ltt_error *error)
{
	return change(trace, windows, true, -1, error);
}

/**
 * ltt_windows_set_keep() - say which windows to keep when there is no room
 * @trace:	the trace; the caller has a reference
 * @last:	the last ones, else the first
 * @error:	why it failed; may be NULL
 *
 * Context: as ltt_windows_want().
 * Return: as ltt_windows_want().
 */
int ltt_windows_set_keep(struct ltt_trace *trace, bool last, struct ltt_error *error)
{
	return change(trace, 0, false, last, error);
}

/**
 * ltt_windows_keep_last() - which windows are kept when there is no room?
 * @trace:	the trace
 *
 * Context: any.
 * Return: true if it is the last ones.
 */
bool ltt_windows_keep_last(const struct ltt_trace *trace)
{
	const struct ltt_windows *windows = windows_of(trace);

	return windows && READ_ONCE(windows->keep_last);
}

/* Wait until a window is not in @state any more. */
static int wait_while(const struct ltt_window *window, unsigned int number,
		      enum ltt_window_state state)
{
	struct ltt_trace *trace = window->windows->trace;

	return wait_event_killable(trace->wait,
				   !ltt_window_is(window, state) || window->number != number ||
				   READ_ONCE(trace->dying)) ? -EINTR : 0;
}

static int take_now(struct ltt_trace *trace, struct ltt_error *error)
{
	static const char why[LTT_WINDOW_WHY] = "user";
	struct ltt_trace_channel *tchan;
	struct ltt_window *window;
	bool any = false, failed;
	unsigned int number;
	int err;

	list_for_each_entry_rcu(tchan, &trace->tchans, node, true)
		any |= ltt_window_wants(tchan);
	if (!any)
		return ltt_fail(error, -EINVAL,
				"no channel has recorded in overwrite mode: see channels/CHANNEL/mode");
	err = ltt_windows_want(trace, 1, error);
	if (err)
		return err;
	window = take(trace->windows, why, 0, 0);
	if (!window) {
		/* One may be about to go, or its memory about to be free. */
		queue_work(ltt_wq, &trace->windows->work);
		flush_work(&trace->windows->work);
		window = take(trace->windows, why, 0, 0);
	}
	if (!window)
		return ltt_fail(error, -ENOSPC,
				"there are %u windows already: remove one, or write more into snapshot_max",
				ltt_windows_max(trace));
	number = READ_ONCE(window->number);
	err = wait_while(window, number, LTT_WINDOW_TAKEN);
	if (err)
		return ltt_fail(error, err, "interrupted");
	/* Else it was there, though it may have been removed since. */
	failed = READ_ONCE(trace->windows->failed) == number;
	if (READ_ONCE(trace->dying) &&
	    (failed || (ltt_window_is(window, LTT_WINDOW_TAKEN) && window->number == number)))
		return ltt_fail(error, -ENODEV, "the trace is being destroyed");
	return failed ? ltt_fail(error, -ENOMEM, "out of memory") : 0;
}

/* Let a window go if it has this number: not another one that has got its room meanwhile. */
static bool let_go(struct ltt_window *window, unsigned int number)
{
	struct ltt_windows *windows = window->windows;
	bool right;

	mutex_lock(&windows->lock);
	right = !windows->ended && ltt_window_is(window, LTT_WINDOW_THERE) &&
		window->number == number;
	if (right)
		ltt_window_set(window, LTT_WINDOW_GOING);
	mutex_unlock(&windows->lock);
	return right;
}

/* Return: 0; -EINTR; -ENOENT: it has gone. */
static int remove(struct ltt_window *window, unsigned int number)
{
	if (!let_go(window, number))
		return -ENOENT;
	queue_work(ltt_wq, &window->windows->work);
	/* Not while destroying the trace waits for us. */
	return wait_while(window, number, LTT_WINDOW_GOING);
}

static int remove_all(struct ltt_windows *windows, struct ltt_error *error)
{
	struct ltt_window *window;
	unsigned int i;
	int err;

	if (!windows)
		return 0;
	ltt_for_each_window(window, windows, i) {
		err = remove(window, READ_ONCE(window->number));
		if (err == -EINTR)
			return ltt_fail(error, err, "interrupted");
	}
	return 0;
}

static int remove_number(struct ltt_windows *windows, const char *text, struct ltt_error *error)
{
	struct ltt_window *window;
	unsigned int number, i;
	int err;

	if (kstrtouint(text + 1, 10, &number) || !isdigit(text[1]))
		return ltt_fail(error, -EINVAL, "column 2: not a number");
	if (windows) {
		ltt_for_each_window(window, windows, i) {
			if (READ_ONCE(window->number) != number)
				continue;
			err = remove(window, number);
			if (err != -ENOENT)
				return err ? ltt_fail(error, err, "interrupted") : 0;
		}
	}
	return ltt_fail(error, -ENOENT, "column 2: there is no window %u", number);
}

/**
 * ltt_windows_request() - carry out what is written to the file snapshot
 * @trace:	the trace; the caller has a reference, or is in an operation of its files
 * @text:	1: take a window; 0: remove all; !N: remove window N
 * @error:	why it failed
 *
 * Context: task; waits until the window can be read, or is gone; can be killed.
 * Return: 0; -EINVAL; -ENOENT; -ENOSPC, there is no room; see ltt_windows_want().
 */
int ltt_windows_request(struct ltt_trace *trace, const char *text, struct ltt_error *error)
{
	struct ltt_windows *windows = windows_of(trace);

	if (text[0] == '!')
		return remove_number(windows, text, error);
	if (!strcmp(text, "1"))
		return take_now(trace, error);
	if (!strcmp(text, "0"))
		return remove_all(windows, error);
	return ltt_fail(error, -EINVAL, "column 1: expected 1, 0, or !NUMBER");
}

/* The first window with a number greater than @last. */
static struct ltt_window *next_window(struct ltt_windows *windows, unsigned int last)
{
	struct ltt_window *window, *next = NULL;
	unsigned int i;

	ltt_for_each_window(window, windows, i) {
		if (ltt_window_is(window, LTT_WINDOW_THERE) && window->number > last &&
		    (!next || window->number < next->number))
			next = window;
	}
	return next;
}

/**
 * ltt_windows_show() - print the windows of a trace
 * @m:		where
 * @trace:	the trace
 *
 * Context: task, ltt_mutex held.
 */
void ltt_windows_show(struct seq_file *m, const struct ltt_trace *trace)
{
	struct ltt_windows *windows = windows_of(trace);
	unsigned int last = 0, pending = 0, i;
	struct ltt_window *window;

	if (!windows)
		return;
	while ((window = next_window(windows, last))) {
		last = window->number;
		seq_printf(m, "%u ", last);
		ltt_seq_time(m, window->until - window->after);
		seq_putc(m, ' ');
		seq_escape(m, window->why, "\n\\");
		seq_putc(m, '\n');
	}
	ltt_for_each_window(window, windows, i)
		pending += ltt_window_is(window, LTT_WINDOW_WAITING) ||
			   ltt_window_is(window, LTT_WINDOW_TAKEN);
	seq_printf(m, "# %u being taken, %d missed\n", pending, atomic_read(&windows->missed));
}

/**
 * ltt_windows_news() - a number that changes with the list of windows
 * @trace:	the trace
 *
 * Context: any. Who waits for a change sleeps in ltt_control_wait.
 */
unsigned int ltt_windows_news(const struct ltt_trace *trace)
{
	const struct ltt_windows *windows = windows_of(trace);

	return windows ? atomic_read(&windows->news) : 0;
}

/**
 * ltt_windows_end() - remove the windows of a trace that is being destroyed
 * @trace:	the trace; need not have any. Nothing takes windows any more
 *
 * Context: task, ltt_mutex not held; waits for operations on the files of windows.
 */
void ltt_windows_end(struct ltt_trace *trace)
{
	struct ltt_windows *windows = trace->windows;
	struct ltt_window *window;
	unsigned int i;

	if (!windows)
		return;
	mutex_lock(&windows->lock);
	WRITE_ONCE(windows->ended, true);
	mutex_unlock(&windows->lock);
	irq_work_sync(&windows->irq_work);
	cancel_work_sync(&windows->work);
	/* From now on it starts no timers. */
	ltt_for_each_window(window, windows, i)
		cancel_delayed_work_sync(&window->later);
	cancel_work_sync(&windows->work);
	ltt_for_each_window(window, windows, i) {
		if (ltt_window_is(window, LTT_WINDOW_THERE) ||
		    ltt_window_is(window, LTT_WINDOW_GOING))
			drop(window);
	}
	ltt_windows_tell(windows);
}

/**
 * ltt_windows_free() - free the memory of ltt_trace.windows
 * @trace:	the trace, to which nobody has a reference any more
 *
 * Context: task; sleeps.
 */
void ltt_windows_free(struct ltt_trace *trace)
{
	struct ltt_windows *windows = trace->windows;
	unsigned int i;

	if (!windows)
		return;
	/* A request may have taken one after ltt_windows_end(). */
	irq_work_sync(&windows->irq_work);
	cancel_work_sync(&windows->work);
	for (i = 0; i < windows->nr; i++)
		kfree(windows->window[i]);
	kvfree(windows);
}
