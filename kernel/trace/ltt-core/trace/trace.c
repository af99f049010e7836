// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the life cycle of traces.
 *
 * A trace is in ltt_traces from ltt_trace_create() to ltt_trace_destroy(), and in
 * memory until the last reference is dropped: by the list, by a file, or by a
 * reader that still has to drain the buffers.
 *
 * ltt_mutex protects the lists of traces and channels, and all fields of traces, channels
 * and events, unless stated otherwise. Writers never take it; readers do without. For the
 * order of locks see buffer.c.
 *
 * Who waits for what
 * ------------------
 * No one waits for an RCU grace period, for another CPU, or for running operations on
 * files, with ltt_mutex held: a CPU that is stuck in the kernel must not block tasks that
 * only read a list. Nor does anyone allocate buffers with it, which takes long on a large
 * machine. Code that has to wait makes its decision under ltt_mutex, where others
 * can see it, drops the mutex, and waits. A task that waits on behalf of a user can be
 * killed meanwhile; a work item of ltt_wq then does the rest.
 *
 * Requests that make buffers, or change how they are made, take the trace's own mutex, request,
 * before ltt_mutex, so that they follow each other; they drop ltt_mutex alone while they
 * allocate. A request may find that the trace is dying, while it allocates for CPU after CPU, or
 * when it comes back, and gives back what it has; the trace's end waits for it, and so for what
 * it waits for: another trace's request that allocates.
 *
 * The end of a trace:
 *
 *  1. Under ltt_mutex the trace becomes dying and moves from ltt_traces to another list.
 *     Its buffers stop, and no taps lead to it. From now on no one else changes it or adds
 *     files to its directory, as everyone checks dying, or walks ltt_traces, under
 *     ltt_mutex. Tasks that wait on its behalf give up (ltt_wait_writers(),
 *     ltt_switch_wait()).
 *  2. A work item waits for the request that may be under way, which is the last one, and for
 *     the writers, if there are buffers, closes open sub-buffers, and sets dead: readers end.
 *     The trace's list of channels does not change any more.
 *  3. It removes the files, which waits for running operations on them. Then the trace
 *     leaves the list, and its name is free. Last, call sites that no trace needs any more
 *     are turned off.
 *
 * The task that destroys the trace waits for the work item, which carries on if the task is
 * killed. A second one finds the trace dying, and gets -ENODEV. A trace of the same name
 * cannot be created before 3: -EEXIST. A module that is loaded meanwhile registers its
 * markers, and traces in ltt_traces get them; one that is unloaded waits for the writers
 * itself (module_scan.c), which has nothing to do with the trace. Patterns that are written
 * to other traces meanwhile change the taps under ltt_mutex, and find no dying trace.
 *
 * Memory barriers
 * ---------------
 *   finish_destroy:A / start_grace_period:C (reader.c), metadata_poll:A,
 *   ltt_stream_fetch:A
 *	If a reader sees dead, recording was switched off before, there are no writers
 *	any more, and all packets are complete. RELEASE pairs with ACQUIRE.
 */

#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uuid.h>

#include "core.h"
#include "../error.h"
#include "event_filter.h"
#include "frozen.h"
#include "tasks.h"
#include "trigger.h"
#include "unfinished.h"
#include "window.h"
#include "../wait.h"

LIST_HEAD(ltt_traces);

DECLARE_WAIT_QUEUE_HEAD(ltt_control_wait);	/* see core.h */

/* Dying traces, until their directories are removed: their names are still taken. */
static LIST_HEAD(dying);

static void stop_later(struct work_struct *work);
static void finish_destroy(struct work_struct *work);

/* The global switch; written under ltt_mutex. */
static bool recording = true;

static void set_recording(struct ltt_trace *trace, bool on)
{
	struct ltt_trace_channel *tchan;

	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->buf)
			ltt_buffer_set_recording(tchan, on && tchan->enabled);
	}
}

/**
 * ltt_trace_update_recording() - switch the buffers of a trace on or off
 * @trace:	the trace
 *
 * Call this after any change that affects it, including new buffers.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_trace_update_recording(struct ltt_trace *trace)
{
	bool on = recording && trace->started && !trace->dying && !ltt_triggers_halted(trace);

	lockdep_assert_held(&ltt_mutex);
	set_recording(trace, on);
	/* A trigger may stop it meanwhile. */
	smp_mb();	/* see trigger_act.c */
	if (on && ltt_triggers_halted(trace))
		set_recording(trace, false);
}

/**
 * ltt_trace_lock() - take ltt_mutex to change a trace
 * @trace:	the trace; the caller has a reference
 * @error:	why it failed; may be NULL
 *
 * Context: task; sleeps.
 * Return: 0 with ltt_mutex held; -ENODEV without it if the trace has been destroyed.
 */
int ltt_trace_lock(struct ltt_trace *trace, struct ltt_error *error)
{
	mutex_lock(&ltt_mutex);
	if (!trace->dying)
		return 0;
	mutex_unlock(&ltt_mutex);
	return ltt_fail(error, -ENODEV, "trace %s has been destroyed", trace->name);
}

/**
 * ltt_trace_request() - begin a request that may make buffers
 * @trace:	the trace; the caller has a reference
 * @error:	why it failed; may be NULL
 *
 * Context: task, ltt_mutex not held; waits for other requests of the trace, can be killed.
 * Return: 0 with the trace's request mutex and ltt_mutex held, see ltt_trace_request_end();
 * -ENODEV without them if the trace has been destroyed; -EINTR.
 */
int ltt_trace_request(struct ltt_trace *trace, struct ltt_error *error)
{
	int err;

	if (mutex_lock_killable(&trace->request))
		return ltt_fail(error, -EINTR, "interrupted");
	err = ltt_trace_lock(trace, error);
	if (err)
		mutex_unlock(&trace->request);
	return err;
}

/**
 * ltt_trace_request_end() - end a request
 * @trace:	the trace
 *
 * Context: task, the trace's request mutex and ltt_mutex held: they are released.
 */
void ltt_trace_request_end(struct ltt_trace *trace)
{
	mutex_unlock(&ltt_mutex);
	mutex_unlock(&trace->request);
}

/* ---- create, find, keep ------------------------------------------------------- */

/* The name is also that of a directory. */
static int check_name(const char *name, struct ltt_error *error)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		if (i == LTT_NAME_MAX)
			return ltt_fail(error, -ENAMETOOLONG,
					"trace name longer than %u characters",
					LTT_NAME_MAX);
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("_.-", name[i])))
			return ltt_fail(error, -EINVAL,
					"column %zu: invalid character %#04x in trace name",
					i + 1, (u8)name[i]);
	}
	if (!i)
		return ltt_fail(error, -EINVAL, "empty trace name");
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return ltt_fail(error, -EINVAL, "a trace cannot be named %s", name);
	return 0;
}

static struct ltt_trace *find_in(const struct list_head *traces, const char *name)
{
	struct ltt_trace *trace;

	list_for_each_entry(trace, traces, node) {
		if (!strcmp(trace->name, name))
			return trace;
	}
	return NULL;
}

/**
 * ltt_trace_init() - initialise a trace
 * @trace:	the trace, all zeros
 * @name:	its name
 *
 * It has one reference then.
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM, with nothing to be undone.
 */
int ltt_trace_init(struct ltt_trace *trace, const char *name)
{
	trace->log = ltt_log_create();
	if (!trace->log || ltt_buffer_stir_alloc(trace)) {
		ltt_log_free(trace->log);
		return -ENOMEM;
	}
	kref_init(&trace->ref);
	mutex_init(&trace->request);
	strscpy(trace->name, name, sizeof(trace->name));
	INIT_LIST_HEAD(&trace->tchans);
	INIT_LIST_HEAD(&trace->patterns);
	INIT_LIST_HEAD(&trace->rules);
	INIT_LIST_HEAD(&trace->declarations);
	INIT_LIST_HEAD(&trace->clients);
	atomic_set(&trace->layout, 0);
	init_waitqueue_head(&trace->wait);
	return 0;
}

/**
 * ltt_trace_create() - create a trace
 * @name:	``[A-Za-z0-9_.-]+``, at most LTT_NAME_MAX characters, not "." or ".."
 * @error:	why it failed; may be NULL
 *
 * The trace is stopped, records nothing and has no buffers. Its clock is the
 * current one, which cannot be changed while there are traces.
 *
 * Context: task; takes ltt_mutex, may sleep.
 * Return: the trace with a reference for the caller, to be given back by
 * ltt_trace_put(); the trace itself stays until ltt_trace_destroy(). Else an
 * ERR_PTR: -EINVAL, -ENAMETOOLONG, -EEXIST (also while a trace of this name is
 * being destroyed), -ENOMEM, -EINTR (killed while it waited for the clock).
 */
struct ltt_trace *ltt_trace_create(const char *name, struct ltt_error *error)
{
	struct ltt_trace *trace;
	int err;

	err = check_name(name, error);
	if (err)
		return ERR_PTR(err);
	trace = kzalloc(sizeof(*trace), GFP_KERNEL);
	if (!trace)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	err = ltt_trace_init(trace, name);	/* the reference is the list's */
	if (err) {
		kfree(trace);
		return ERR_PTR(ltt_fail(error, err, "out of memory"));
	}
	generate_random_uuid(trace->uuid);
	trace->budget = ltt_budget_default();
	INIT_WORK(&trace->stop_work, stop_later);
	INIT_WORK(&trace->destroy_work, finish_destroy);
	init_completion(&trace->destroyed);

	err = ltt_clock_get();
	if (err) {
		ltt_fail(error, err, "interrupted");
		goto free_trace;
	}
	trace->clock = ltt_clock_current();
	ltt_symbols_get();
	ltt_declarations_init(trace);
	err = ltt_persist_begin(trace);
	if (err) {
		ltt_fail(error, err, "out of memory");
		goto put_clock;
	}

	mutex_lock(&ltt_mutex);
	if (find_in(&ltt_traces, name) || find_in(&dying, name)) {
		mutex_unlock(&ltt_mutex);
		err = ltt_fail(error, -EEXIST, "trace %s already exists", name);
		goto free_log;
	}
	list_add_tail(&trace->node, &ltt_traces);
	ltt_trace_get(trace);			/* the caller's */
	err = ltt_clients_add_trace(trace);
	mutex_unlock(&ltt_mutex);
	if (!err)
		return trace;

	/* The files that were created may be in use already. */
	ltt_fail(error, err, "cannot create the files of trace %s", name);
	ltt_trace_destroy(trace);
	ltt_trace_put(trace);
	return ERR_PTR(err);

free_log:
	ltt_persist_free(trace);
put_clock:
	ltt_symbols_put();
	ltt_clock_put();
free_trace:
	ltt_buffer_stir_free(trace);
	ltt_log_free(trace->log);
	kfree(trace);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(ltt_trace_create);

/**
 * ltt_trace_find() - look for a trace
 * @name:	its name
 *
 * Context: task; takes ltt_mutex.
 * Return: the trace with a reference for the caller, NULL if there is none of
 * this name, or it is being destroyed.
 */
struct ltt_trace *ltt_trace_find(const char *name)
{
	struct ltt_trace *trace;

	mutex_lock(&ltt_mutex);
	trace = find_in(&ltt_traces, name);
	if (trace)
		ltt_trace_get(trace);
	mutex_unlock(&ltt_mutex);
	return trace;
}
EXPORT_SYMBOL_GPL(ltt_trace_find);

/**
 * ltt_trace_is_dying() - is there a trace of this name that is being destroyed?
 * @name:	the name
 *
 * Context: task; takes ltt_mutex.
 */
bool ltt_trace_is_dying(const char *name)
{
	bool found;

	mutex_lock(&ltt_mutex);
	found = find_in(&dying, name);
	mutex_unlock(&ltt_mutex);
	return found;
}

/**
 * ltt_trace_get() - take a reference to a trace
 * @trace:	the trace; the caller has a reference, or holds ltt_mutex and found it in
 *		ltt_traces
 *
 * Context: any.
 */
void ltt_trace_get(struct ltt_trace *trace)
{
	kref_get(&trace->ref);
}
EXPORT_SYMBOL_GPL(ltt_trace_get);

static void release(struct kref *ref)
{
	struct ltt_trace *trace = container_of(ref, struct ltt_trace, ref);
	bool frozen = trace->frozen;

	ltt_frozen_end(trace);
	ltt_windows_free(trace);
	ltt_trace_channels_free(trace);
	ltt_persist_free(trace);
	ltt_buffer_stir_free(trace);
	ltt_pattern_free(&trace->patterns);
	ltt_event_filters_free(trace);
	ltt_triggers_free(trace);
	if (!frozen) {
		ltt_symbols_put();
		ltt_clock_put();
	}
	ltt_log_free(trace->log);
	kfree(trace);
}

/**
 * ltt_trace_put() - drop a reference to a trace
 * @trace:	the trace; may be gone when this returns
 *
 * The last reference frees it, at once and not through a work item: so its memory is
 * free when the last reader has closed its file, and no code of ltt-core runs when the
 * module is no longer in use. The holders of references, files and readers, can sleep
 * anyway.
 *
 * Context: task, ltt_mutex not held; sleeps.
 */
void ltt_trace_put(struct ltt_trace *trace)
{
	might_sleep();
	kref_put(&trace->ref, release);
}
EXPORT_SYMBOL_GPL(ltt_trace_put);

/*
 * Close all open sub-buffers. The caller has a reference, and does not hold ltt_mutex.
 * Return: 0; -EINTR if it is being killed: they are closed later.
 */
static int close_packets(struct ltt_trace *trace)
{
	struct ltt_trace_channel *tchan;
	int err = 0;

	/* Channels are added, but none is removed before the last reference is dropped. */
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (smp_load_acquire(&tchan->buf))	/* LMM(close_packets:A) */
			ltt_flush_queue(tchan);
	}
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!err && smp_load_acquire(&tchan->buf))	/* LMM(close_packets:B) */
			err = ltt_flush_wait(tchan);
	}
	return err;
}

/* ---- start, stop, destroy ------------------------------------------------------ */

/*
 * Switch the trace on or off; call the clients if that is a change. @asked: what triggers have
 * asked for, see trigger_act.c, which is thus carried out or overruled.
 */
static void set_started(struct ltt_trace *trace, bool started, unsigned int asked)
{
	bool changed = trace->started != started;

	WRITE_ONCE(trace->started, started);
	ltt_triggers_settle(trace, asked);
	if (started)
		ltt_triggers_watch(trace);
	ltt_trace_update_recording(trace);
	if (!changed)
		return;
	if (started)
		ltt_clients_start_trace(trace);
	else
		ltt_clients_stop_trace(trace);
}

/* @asked: what triggers have asked for. @only: do nothing if that has been overruled. */
static int start(struct ltt_trace *trace, unsigned int asked, bool only, struct ltt_error *error)
{
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	if (only && !ltt_triggers_pending(trace, asked)) {
		ltt_trace_request_end(trace);
		return 0;
	}
	/* Nobody else starts it meanwhile. */
	if (!trace->started) {
		mutex_unlock(&ltt_mutex);
		err = ltt_buffers_complete(trace);
		err = err ? ltt_fail(error, err, "interrupted") : ltt_trace_lock(trace, error);
		if (err) {
			mutex_unlock(&trace->request);
			return err;
		}
		/* The user may have stopped it meanwhile, which takes no request. */
		if (only && !ltt_triggers_pending(trace, asked)) {
			ltt_trace_request_end(trace);
			return 0;
		}
	}
	set_started(trace, true, asked);
	ltt_trace_request_end(trace);
	wake_up_all(&trace->wait);
	return 0;
}

/**
 * ltt_trace_start() - start recording
 * @trace:	the trace; the caller has a reference
 * @error:	why it failed; may be NULL
 *
 * CPUs whose buffers could not be allocated get them now, if there is memory.
 *
 * Context: task; takes ltt_mutex and the CPU hotplug lock, sleeps; can be killed.
 * Return: 0, also if it was started before; -ENODEV if it has been destroyed; -EINTR.
 */
int ltt_trace_start(struct ltt_trace *trace, struct ltt_error *error)
{
	return start(trace, ltt_triggers_asked(trace), false, error);
}
EXPORT_SYMBOL_GPL(ltt_trace_start);

/* As start(). */
static int stop(struct ltt_trace *trace, unsigned int asked, bool only, struct ltt_error *error)
{
	int err = ltt_trace_lock(trace, error);

	if (err)
		return err;
	if (!only || ltt_triggers_pending(trace, asked))
		set_started(trace, false, asked);
	mutex_unlock(&ltt_mutex);

	/* Also if it was stopped before: that task may still be waiting, or was killed. */
	err = ltt_wait_writers(&trace->dying);
	if (err) {
		ltt_trace_get(trace);
		if (!queue_work(ltt_wq, &trace->stop_work))
			ltt_trace_put(trace);
		return err;
	}
	err = ltt_trace_flush(trace);
	wake_up_all(&trace->wait);
	/* Destroyed meanwhile: done there. */
	return err == -ENODEV ? 0 : err;
}

/**
 * ltt_trace_stop() - stop recording
 * @trace:	the trace; the caller has a reference
 *
 * On return nothing is recorded any more, unless the trace was started again meanwhile.
 * Events that occur while it is stopped are not counted as lost. Everything that was
 * recorded is in complete packets, for readers of whole packets.
 *
 * Context: task; takes ltt_mutex and the CPU hotplug lock, waits for a grace period of
 * RCU, interrupts CPUs that have an open sub-buffer.
 * Return: 0, also if it was stopped before; -ENODEV if it has been destroyed; -EINTR if the
 * caller is being killed: the trace is stopped, but writers may still be under way, and
 * packets are completed later.
 */
int ltt_trace_stop(struct ltt_trace *trace)
{
	return stop(trace, ltt_triggers_asked(trace), false, NULL);
}
EXPORT_SYMBOL_GPL(ltt_trace_stop);

/**
 * ltt_trace_settle() - start or stop a trace, as triggers have asked for
 * @trace:	the trace; the caller has a reference
 * @asked:	what they asked for
 * @error:	why it failed; may be NULL
 *
 * If that was done before, or the user has overruled it, the buffers only get the state that
 * the trace has.
 *
 * Context: as ltt_trace_start(), ltt_trace_stop().
 * Return: as there.
 */
int ltt_trace_settle(struct ltt_trace *trace, unsigned int asked, struct ltt_error *error)
{
	bool pending;
	int err = ltt_trace_lock(trace, error);

	if (err)
		return err;
	pending = ltt_triggers_pending(trace, asked);
	/* It was overruled, but maybe while the trigger was still halting buffers. */
	if (!pending)
		ltt_trace_update_recording(trace);
	mutex_unlock(&ltt_mutex);
	if (!pending)
		return 0;
	return asked & 1 ? start(trace, asked, true, error) : stop(trace, asked, true, error);
}

/* The rest of ltt_trace_stop(), and a reference. */
static void stop_later(struct work_struct *work)
{
	struct ltt_trace *trace = container_of(work, struct ltt_trace, stop_work);

	synchronize_rcu();
	ltt_trace_flush(trace);
	wake_up_all(&trace->wait);
	ltt_trace_put(trace);
}

/* The end of a trace from 2. on, see the top of this file; drops the list's reference. */
static void finish_destroy(struct work_struct *work)
{
	struct ltt_trace *trace = container_of(work, struct ltt_trace, destroy_work);
	bool was_used = false;
	struct ltt_trace_channel *tchan;

	/* A request that dropped ltt_mutex finds what it has looked at before. */
	mutex_lock(&trace->request);
	mutex_unlock(&trace->request);
	list_for_each_entry(tchan, &trace->tchans, node)
		was_used |= !!tchan->buf;
	/* Without buffers there never were taps. */
	if (was_used) {
		synchronize_rcu();
		ltt_unfinished_end(trace);
		close_packets(trace);
	}
	ltt_trace_tasks_end(trace);
	ltt_triggers_end(trace);
	ltt_windows_end(trace);
	ltt_persist_end(trace);
	smp_store_release(&trace->dead, true);	/* LMM(finish_destroy:A) */
	wake_up_all(&trace->wait);

	/* Waits for operations on files. */
	ltt_clients_remove_trace(trace);

	mutex_lock(&ltt_mutex);
	list_del(&trace->node);
	mutex_unlock(&ltt_mutex);
	if (was_used)
		ltt_switch_now();
	complete_all(&trace->destroyed);
	ltt_trace_put(trace);
}

/* The end of a trace, 1.: what others see of it. */
static int begin_destroy(struct ltt_trace *trace)
{
	int err = ltt_trace_lock(trace, NULL);

	if (err)
		return err;
	WRITE_ONCE(trace->dying, true);
	set_started(trace, false, ltt_triggers_asked(trace));
	list_move(&trace->node, &dying);
	ltt_trace_update_taps(trace);
	mutex_unlock(&ltt_mutex);
	ltt_switch_give_up();
	queue_work(ltt_wq, &trace->destroy_work);
	return 0;
}

/**
 * ltt_trace_destroy() - destroy a trace
 * @trace:	the trace; the caller has a reference, and keeps it
 *
 * Recording ends, the trace's files are removed, and its name is free again. Readers get
 * the remaining events, and then end-of-file. With the last reference its memory is free, and its
 * area: the caller's, if nobody reads.
 *
 * Context: task, not in an operation of one of the trace's files, neither ltt_mutex nor a
 * lock held that is taken in one; waits for grace periods of RCU, for running operations
 * on the trace's files, and for CPUs that have an open sub-buffer, which are interrupted.
 * It waits for nothing of that if the trace never had buffers.
 * Return: 0, or -ENODEV if the trace is already destroyed, or being destroyed.
 */
int ltt_trace_destroy(struct ltt_trace *trace)
{
	int err = begin_destroy(trace);

	if (!err) {
		wait_for_completion(&trace->destroyed);
		/* Until it has dropped its reference, too. */
		flush_work(&trace->destroy_work);
	}
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_destroy);

/**
 * ltt_trace_destroy_killable() - destroy a trace on behalf of a user
 * @trace:	the trace; the caller has a reference, and keeps it
 *
 * As ltt_trace_destroy(), but the waiting task can be killed.
 *
 * Context: as there.
 * Return: 0; -ENODEV if the trace is already destroyed, or being destroyed; -EINTR if the
 * caller is being killed: the trace is destroyed all the same.
 */
int ltt_trace_destroy_killable(struct ltt_trace *trace)
{
	int err = begin_destroy(trace);

	if (err)
		return err;
	if (wait_for_completion_killable(&trace->destroyed))
		return -EINTR;
	flush_work(&trace->destroy_work);
	return 0;
}

static struct ltt_registry_listener listener = {
	.channel_private = ltt_trace_channel_private,
	.event_known = ltt_trace_event_added,
	.events_known = ltt_trace_events_added,
	.event_prepare = ltt_event_prepare,
	.event_update = ltt_event_update,
};

/**
 * ltt_traces_init() - get ready for markers and traces
 *
 * Context: task, ltt_mutex not held. There are no markers yet.
 */
void ltt_traces_init(void)
{
	ltt_registry_listen(&listener);
}

/**
 * ltt_traces_exit() - destroy all traces
 *
 * Context: task, ltt_mutex not held; no more traces can be created.
 */
void ltt_traces_exit(void)
{
	struct ltt_trace *trace;

	for (;;) {
		mutex_lock(&ltt_mutex);
		trace = list_first_entry_or_null(&ltt_traces, struct ltt_trace, node);
		if (trace)
			ltt_trace_get(trace);
		mutex_unlock(&ltt_mutex);
		if (!trace)
			break;
		ltt_trace_destroy(trace);
		ltt_trace_put(trace);
	}
	/* Traces whose destroyers have been killed. */
	flush_workqueue(ltt_wq);
}

/* ---- all buffers, all traces ---------------------------------------------------- */

/**
 * ltt_trace_flush() - close all sub-buffers that are not full
 * @trace:	the trace; the caller has a reference
 *
 * On return, everything that was recorded before the call is in complete packets, except
 * events of writers that were interrupted.
 *
 * Context: task; takes ltt_mutex and the CPU hotplug lock, interrupts CPUs that
 * have an open sub-buffer, and waits for them.
 * Return: 0; -ENODEV if the trace has been destroyed; -EINTR if the caller is being killed:
 * sub-buffers are closed later.
 */
int ltt_trace_flush(struct ltt_trace *trace)
{
	int err = ltt_trace_lock(trace, NULL);

	if (err)
		return err;
	mutex_unlock(&ltt_mutex);
	return close_packets(trace);
}
EXPORT_SYMBOL_GPL(ltt_trace_flush);

/**
 * ltt_set_enabled() - the global switch: may traces record?
 * @enabled:	false to stop all of them; started traces resume when it is true again
 *
 * When it was switched off, nothing is recorded any more on return.
 *
 * Context: task; takes ltt_mutex, may wait for a grace period of RCU.
 * Return: 0, or -EINTR if the caller is being killed: writers may still be under way.
 */
int ltt_set_enabled(bool enabled)
{
	struct ltt_trace *trace;

	mutex_lock(&ltt_mutex);
	if (recording != enabled) {
		WRITE_ONCE(recording, enabled);
		list_for_each_entry(trace, &ltt_traces, node) {
			if (enabled && trace->started)
				ltt_triggers_watch(trace);
			ltt_trace_update_recording(trace);
		}
	}
	mutex_unlock(&ltt_mutex);
	/* Also if it was off before: the task that switched it off may have been killed. */
	return enabled ? 0 : ltt_wait_writers(NULL);
}

/**
 * ltt_is_enabled() - state of the global switch
 *
 * Context: any.
 * Return: what ltt_set_enabled() was last given; true at first.
 */
bool ltt_is_enabled(void)
{
	return READ_ONCE(recording);
}
