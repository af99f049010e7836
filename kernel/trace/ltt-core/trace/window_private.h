/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of window.c, which takes windows, and window_collect.c, which makes
 * something to read of them.
 */
#ifndef _LTT_WINDOW_PRIVATE_H
#define _LTT_WINDOW_PRIVATE_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/ltt/trace.h>

#include "frozen.h"
#include "window.h"

/* See window.c. */
enum ltt_window_state {
	LTT_WINDOW_FREE,
	LTT_WINDOW_CLAIMED,
	LTT_WINDOW_WAITING,
	LTT_WINDOW_TAKEN,
	LTT_WINDOW_THERE,
	LTT_WINDOW_GOING,
	LTT_WINDOW_GONE,
	LTT_WINDOW_EMPTY,
};

struct ltt_windows;

/**
 * struct ltt_window_held - spares that a window refers to
 * @next:	more of them, or NULL
 * @nr:		entries of @spare
 * @spare:	the spares
 */
struct ltt_window_held {
	struct ltt_window_held *next;
	unsigned int nr;
	struct ltt_spare *spare[];
};

/**
 * struct ltt_window - a window, or room for one
 * @state:	enum ltt_window_state
 * @windows:	all of the trace
 * @later:	makes it TAKEN
 * @number:	its name
 * @until:	ns, its end; the time at which it was taken if it is WAITING
 * @before:	ns before it was taken that are wanted, 0: all
 * @after:	ns between that and its end
 * @why:	what took it
 * @frozen:	the trace
 * @held:	where its packets are
 * @first:	ns, its first event
 * @last:	ns, its last event
 * @events:	how many it has
 * @lost:	events lost between its first and its last packets
 * @damaged:	packets that end before their time, as they are damaged
 * @short_buffers:	buffers that lack packets, for want of memory
 * @stuck:	a CPU did not respond: its last events may be missing
 * @unlogged:	there was no memory for saying where it is: it is not found in a dump
 */
struct ltt_window {
	unsigned int state;
	struct ltt_windows *windows;
	struct delayed_work later;
	unsigned int number;
	u64 until;
	u64 before;
	u64 after;
	char why[LTT_WINDOW_WHY];
	struct ltt_frozen frozen;
	struct ltt_window_held *held;
	u64 first;
	u64 last;
	u64 events;
	u64 lost;
	unsigned int damaged;
	unsigned int short_buffers;
	bool stuck;
	bool unlogged;
};

/**
 * struct ltt_windows - the windows of a trace
 * @trace:	the trace
 * @lock:	protects ltt_spare.users, ltt_window.held, that a window goes (THERE -> GOING), and
 *		that @ended is set; inner to all other locks
 * @irq_work:	queues @work, for those who cannot
 * @work:	collects and removes windows
 * @last:	number of the newest
 * @failed:	number of the last that could not be made
 * @missed:	how many could not be taken, as no room was free
 * @news:	changes with the list of windows
 * @unswept:	there may be packets that are kept, but in no window
 * @max:	how many there can be at a time; with @keep_last one more room is for the next,
 *		before the oldest has gone
 * @keep_last:	if no room is free, remove the oldest
 * @ended:	the trace is being destroyed: no window goes any more but with it
 * @found:	private to @work
 * @nr:		entries of @window; only grows, with RELEASE
 * @window:	room for windows
 */
struct ltt_windows {
	struct ltt_trace *trace;
	struct mutex lock;	/* see above */
	struct irq_work irq_work;
	struct work_struct work;
	atomic_t last;
	unsigned int failed;
	atomic_t missed;
	atomic_t news;
	bool unswept;
	unsigned int max;
	bool keep_last;
	bool ended;
	struct ltt_window *found[LTT_WINDOWS_MAX];
	unsigned int nr;
	struct ltt_window *window[LTT_WINDOWS_MAX];
};

/* window_collect.c */
bool ltt_windows_wait_writers(void);
void ltt_window_finish(struct ltt_window *window, bool stuck);
bool ltt_window_wants(const struct ltt_trace_channel *home);
void ltt_windows_sweep(struct ltt_windows *windows);

/* window.c */
void ltt_windows_tell(struct ltt_windows *windows);
unsigned int ltt_windows_count(const struct ltt_windows *windows);

/**
 * ltt_window_is() - is a window in a state?
 * @window:	the window
 * @state:	the state
 *
 * Context: any.
 * Return: true if it is; then all that was stored before is seen.
 */
static inline bool ltt_window_is(const struct ltt_window *window, enum ltt_window_state state)
{
	return smp_load_acquire(&window->state) == state;	/* LMM(ltt_window_is:A) */
}

/**
 * ltt_window_set() - change the state of a window
 * @window:	the window, the caller's in its present state
 * @state:	the new one
 *
 * Context: any.
 */
static inline void ltt_window_set(struct ltt_window *window, enum ltt_window_state state)
{
	smp_store_release(&window->state, state);		/* LMM(ltt_window_set:A) */
}

/* @_i is an unsigned int. */
#define ltt_for_each_window(_window, _windows, _i)				\
	for ((_i) = 0; (_i) < ltt_windows_count(_windows) &&			\
	     ((_window) = (_windows)->window[_i], true); (_i)++)

#endif /* _LTT_WINDOW_PRIVATE_H */
