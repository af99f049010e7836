// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the channels of a trace.
 *
 * A channel joins a trace (struct ltt_trace_channel) when it is first mentioned there, gets
 * buffers when an event of it is first to be recorded, and stays until the trace is
 * freed.
 *
 * Whether these are its own or the shared ones is decided by the first request that records
 * in it, and holds from then on: ids and files depend on it. If that request fails before any
 * event has an id, it is decided anew by the next one. A channel has buffers of its own if it
 * is private, if it was registered with other parameters than the usual ones, if its
 * parameters or contexts were set in this trace, or if the user says so.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/ltt/ring_buffer.h>

#include "core.h"
#include "../wait.h"

/**
 * ltt_trace_channels_init() - make the channel that has the shared buffers
 *
 * Context: task; takes ltt_mutex, may sleep.
 * Return: 0, -ENOMEM.
 */
int ltt_trace_channels_init(void)
{
	return ltt_channel_register(LTT_CHANNEL_SHARED, NULL, 0);
}

/**
 * ltt_trace_channels_exit() - undo ltt_trace_channels_init()
 *
 * Context: task; takes ltt_mutex. There are no traces any more.
 */
void ltt_trace_channels_exit(void)
{
	ltt_channel_unregister(LTT_CHANNEL_SHARED);
}

/**
 * ltt_trace_channel_find() - look for a channel in a trace
 * @trace:	the trace
 * @channel:	the channel
 *
 * Context: task, ltt_mutex held.
 * Return: the channel in the trace; NULL if it was never mentioned there.
 */
struct ltt_trace_channel *ltt_trace_channel_find(const struct ltt_trace *trace,
						 const struct ltt_channel *channel)
{
	struct ltt_trace_channel *tchan;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->channel == channel)
			return tchan;
	}
	return NULL;
}

/**
 * ltt_trace_channel_named() - look for a channel in a trace by its name
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which may be a private one
 *
 * Context: any but NMI. Without ltt_mutex a channel that is about to be added may be missed.
 * Return: the channel in the trace, which lives as long as the trace; NULL if it was never
 * mentioned there.
 */
struct ltt_trace_channel *ltt_trace_channel_named(const struct ltt_trace *trace,
						  const char *channel)
{
	struct ltt_trace_channel *tchan;

	/* None is removed while there is a reference to the trace. */
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!strcmp(tchan->channel->name, channel))
			return tchan;
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(ltt_trace_channel_named);

/**
 * ltt_channel_wants_own() - does a channel have buffers of its own unless told otherwise?
 * @channel:	the channel
 *
 * Context: task, ltt_mutex held.
 */
bool ltt_channel_wants_own(const struct ltt_channel *channel)
{
	return channel->flags & LTT_CHANNEL_PRIVATE || !ltt_channel_is_usual(channel) ||
	       !strcmp(channel->name, LTT_CHANNEL_SHARED);
}

/**
 * ltt_trace_channel_is_shared() - does a channel use shared buffers in a trace?
 * @trace:	the trace
 * @channel:	the channel
 *
 * Context: task, ltt_mutex held.
 * Return: what it uses, or would use now.
 */
bool ltt_trace_channel_is_shared(const struct ltt_trace *trace,
				 const struct ltt_channel *channel)
{
	const struct ltt_trace_channel *tchan = ltt_trace_channel_find(trace, channel);

	if (tchan && tchan->home)
		return tchan->home != tchan;
	if (!trace->shared || (tchan && tchan->place == LTT_PLACE_OWN))
		return false;
	return (tchan && tchan->place == LTT_PLACE_SHARED) || !ltt_channel_wants_own(channel);
}

/* Find or make. Return: NULL if there is no memory. */
static struct ltt_trace_channel *tchan_get(struct ltt_trace *trace, struct ltt_channel *channel)
{
	struct ltt_trace_channel *tchan = ltt_trace_channel_find(trace, channel);

	if (tchan)
		return tchan;
	tchan = kzalloc(sizeof(*tchan), GFP_KERNEL);
	if (!tchan)
		return NULL;
	tchan->trace = trace;
	tchan->channel = channel;
	channel->users++;
	tchan->stream_id = trace->nr_tchans++;
	tchan->params = channel->params;
	tchan->enabled = true;
	INIT_LIST_HEAD(&tchan->mem_node);
	xa_init(&tchan->events);
	list_add_tail_rcu(&tchan->node, &trace->tchans);
	return tchan;
}

/* Find or make by name. Return: -ENOENT, -ENOMEM as an error pointer. */
static struct ltt_trace_channel *tchan_get_named(struct ltt_trace *trace, const char *name,
						 struct ltt_error *error)
{
	struct ltt_channel *channel = ltt_channel_find(name);
	struct ltt_trace_channel *tchan;

	if (!channel)
		return ERR_PTR(ltt_fail(error, -ENOENT, "no such channel: %s", name));
	tchan = tchan_get(trace, channel);
	if (!tchan)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	return tchan;
}

/* Decide which buffers a channel uses, if it was not decided before. Return: 0, -ENOMEM. */
static int settle(struct ltt_trace *trace, struct ltt_trace_channel *tchan)
{
	struct ltt_trace_channel *home = tchan;
	struct ltt_channel *shared;

	if (tchan->home)
		return 0;
	if (ltt_trace_channel_is_shared(trace, tchan->channel)) {
		shared = ltt_channel_find(LTT_CHANNEL_SHARED);
		home = shared ? tchan_get(trace, shared) : NULL;
		if (!home)
			return -ENOMEM;
		home->home = home;
	}
	if (home != tchan && !tchan->counts) {
		tchan->counts = alloc_percpu(struct ltt_counts);
		if (!tchan->counts)
			return -ENOMEM;
	}
	WRITE_ONCE(tchan->home, home);
	return 0;
}

/* Does anything depend on where it is recorded? */
static bool is_in_use(const struct ltt_trace_channel *tchan)
{
	u32 next = 0;

	if (tchan->home == tchan)
		return tchan->buf || tchan->nr_events;
	return tchan->known || ltt_trace_channel_next_event(tchan, &next);
}

/* A request has failed: what it has decided is open again, unless ids depend on it. */
static void unsettle(struct ltt_trace_channel *tchan)
{
	if (!tchan->home || is_in_use(tchan))
		return;
	WRITE_ONCE(tchan->home, NULL);
	free_percpu(tchan->counts);
	tchan->counts = NULL;
}

/**
 * ltt_trace_channel_want() - a request is to record in a channel
 * @trace:	the trace
 * @channel:	the channel
 * @error:	why it failed; may be NULL
 *
 * First all channels of a request are named, then ltt_trace_channels_prepare() makes them ready
 * together. Whatever comes of it, the request ends with ltt_trace_channels_publish() or
 * ltt_trace_channels_drop().
 *
 * Context: task, see ltt_trace_request(); may sleep.
 * Return: 0, -ENOMEM; -EBUSY if it is private, but was not when the trace gave it shared
 * buffers.
 */
int ltt_trace_channel_want(struct ltt_trace *trace, struct ltt_channel *channel,
			   struct ltt_error *error)
{
	struct ltt_trace_channel *tchan;

	lockdep_assert_held(&trace->request);
	tchan = tchan_get(trace, channel);
	if (!tchan || settle(trace, tchan))
		return ltt_fail(error, -ENOMEM, "out of memory");
	/* It was made private after the trace had used it. */
	if (tchan->home != tchan && channel->flags & LTT_CHANNEL_PRIVATE)
		return ltt_fail(error, -EBUSY, "private channel %s is recorded in the shared buffers of trace %s",
				channel->name, trace->name);
	tchan->wanted = true;
	tchan->home->wanted = true;
	return 0;
}

/* Does a channel get buffers of its own from the current request? */
static bool wants_buffers(const struct ltt_trace_channel *tchan)
{
	return tchan->wanted && !tchan->buf && tchan->home == tchan;
}

/* Does a channel of the current request have no buffers? */
static bool lacks_buffers(const struct ltt_trace *trace)
{
	const struct ltt_trace_channel *tchan;

	list_for_each_entry(tchan, &trace->tchans, node) {
		if (wants_buffers(tchan))
			return true;
	}
	return false;
}

/**
 * ltt_trace_channels_prepare() - make the channels of a request ready to record
 * @trace:	the trace
 * @error:	why it failed; may be NULL
 *
 * If buffers are to be made, there must be memory for all of them before any is. New ones
 * are seen by nobody until ltt_trace_channels_publish(), and may still be given back by
 * ltt_trace_channels_drop().
 *
 * Then ltt_mutex is dropped meanwhile: other traces, other channels and events of this one, and
 * whether it is dying may change. Channels of the trace stay.
 *
 * Context: task, see ltt_trace_request(); takes the CPU hotplug lock, sleeps.
 * Return: 0; -EDQUOT, -ENOMEM, -ENOSPC; -EINTR when the task is being killed; -ENODEV if the trace
 * was destroyed meanwhile.
 */
int ltt_trace_channels_prepare(struct ltt_trace *trace, struct ltt_error *error)
{
	int err;

	lockdep_assert_held(&trace->request);
	if (!lacks_buffers(trace))
		return 0;
	mutex_unlock(&ltt_mutex);
	err = ltt_buffers_alloc(trace, error);
	mutex_lock(&ltt_mutex);
	if (!err && trace->dying)
		err = ltt_fail(error, -ENODEV, "trace %s has been destroyed", trace->name);
	return err;
}

/**
 * ltt_trace_channels_drop() - a request fails: give prepared buffers back
 * @trace:	the trace
 *
 * Drops ltt_mutex meanwhile.
 *
 * Context: task, see ltt_trace_request(); sleeps.
 */
void ltt_trace_channels_drop(struct ltt_trace *trace)
{
	struct ltt_trace_channel *tchan;

	lockdep_assert_held(&trace->request);
	mutex_unlock(&ltt_mutex);
	/* Only requests add channels. */
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		tchan->wanted = false;
		if (tchan->mem && !tchan->buf)
			ltt_buffer_free(tchan);
	}
	mutex_lock(&ltt_mutex);
	list_for_each_entry(tchan, &trace->tchans, node)
		unsettle(tchan);
}

/**
 * ltt_trace_channels_publish() - let readers see prepared buffers; record if the trace does
 * @trace:	the trace
 *
 * Context: task, see ltt_trace_request(); sleeps.
 */
void ltt_trace_channels_publish(struct ltt_trace *trace)
{
	struct ltt_trace_channel *tchan;
	bool published = false;

	lockdep_assert_held(&trace->request);
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->mem && !tchan->buf) {
			ltt_buffer_publish(tchan);
			published = true;
		}
	}
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->wanted && !tchan->known) {
			tchan->known = true;
			ltt_clients_add_channel(tchan);
			/* A reader may be waiting for this channel. */
			if (tchan->home != tchan)
				ltt_buffer_announce(trace);
		}
		tchan->wanted = false;
	}
	if (published)
		ltt_trace_update_recording(trace);
}

/* May the parameters of a channel that has buffers become @new? */
static bool same_buffers(const struct ltt_channel_params *old,
			 const struct ltt_channel_params *new)
{
	return old->subbuf_order == new->subbuf_order &&
	       old->subbuf_num == new->subbuf_num && old->overwrite == new->overwrite;
}

/* What a channel has now, or would get. Return: -ENOENT if there is no such channel. */
static int get_params(const struct ltt_trace *trace, const char *name,
		      struct ltt_channel_params *params, struct ltt_error *error)
{
	const struct ltt_trace_channel *tchan = ltt_trace_channel_named(trace, name);
	const struct ltt_channel *channel = ltt_channel_find(name);

	if (!tchan && !channel)
		return ltt_fail(error, -ENOENT, "no such channel: %s", name);
	*params = tchan ? tchan->params : channel->params;
	return 0;
}

static int check_params(const char *channel, const struct ltt_channel_params *params,
			struct ltt_error *error)
{
	if (!ltt_channel_check(params))
		return 0;
	return ltt_fail(error, -EINVAL,
			"channel %s: the number of sub-buffers must be a power of two from 2 to %u, their size 2^%u to 2^%u bytes, the switch timer 0 to %u ms",
			channel, LTT_SUBBUF_NUM_MAX, LTT_SUBBUF_ORDER_MIN, LTT_SUBBUF_ORDER_MAX,
			LTT_SWITCH_MS_MAX);
}

/* Give it parameters that have been checked. @flush: receives whether it must be flushed. */
static int set_params(struct ltt_trace_channel *tchan, const struct ltt_channel_params *params,
		      bool *flush, struct ltt_error *error)
{
	const char *name = tchan->channel->name;

	if (!tchan->buf && (!tchan->home || tchan->home == tchan)) {
		tchan->params = *params;
		tchan->place = LTT_PLACE_OWN;
		return 0;
	}
	if (tchan->home != tchan)
		return ltt_fail(error, -EBUSY, "channel %s is recorded in the shared buffers of trace %s",
				name, tchan->trace->name);
	if (!same_buffers(&tchan->params, params))
		return ltt_fail(error, -EBUSY,
				"channel %s already has buffers in trace %s, only its switch timer can be changed",
				name, tchan->trace->name);
	tchan->params.switch_ms = params->switch_ms;
	ltt_flush_update(tchan);
	*flush = true;
	return 0;
}

/* Set all parameters to @params, or if @change is not NULL, one with it. */
static int request_params(struct ltt_trace *trace, const char *channel,
			  struct ltt_channel_params params,
			  void (*change)(struct ltt_channel_params *params, unsigned int value),
			  unsigned int value, struct ltt_error *error)
{
	struct ltt_trace_channel *tchan = NULL;
	bool flush = false;
	int err;

	err = ltt_trace_request(trace, error);
	if (err)
		return err;
	if (change) {
		err = get_params(trace, channel, &params, error);
		if (!err)
			change(&params, value);
	}
	if (!err)
		err = check_params(channel, &params, error);
	if (!err) {
		tchan = tchan_get_named(trace, channel, error);
		err = IS_ERR(tchan) ? PTR_ERR(tchan) : set_params(tchan, &params, &flush, error);
	}
	ltt_trace_request_end(trace);
	/* What is open now was opened without arming the timer. */
	if (flush)
		err = ltt_flush_tchan(tchan);
	return err;
}

/**
 * ltt_trace_set_channel() - say how the buffers of a channel are to be made
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which must exist
 * @params:	how; copied
 * @error:	why it failed; may be NULL
 *
 * The channel gets buffers of its own. Once it has some only switch_ms can change.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex and the CPU hotplug
 * lock, waits for CPUs that have an open sub-buffer, sleeps; can be killed.
 * Return: 0; -EINVAL (see ltt_channel_check()), -ENOENT, -EBUSY (has buffers, or uses shared
 * ones), -ENOMEM, -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_channel(struct ltt_trace *trace, const char *channel,
			  const struct ltt_channel_params *params,
			  struct ltt_error *error)
{
	return request_params(trace, channel, *params, NULL, 0, error);
}
EXPORT_SYMBOL_GPL(ltt_trace_set_channel);

/**
 * ltt_trace_change_channel() - change a parameter of how the buffers of a channel are made
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which must exist
 * @change:	changes it, to whatever it is told
 * @value:	its argument
 * @error:	why it failed; may be NULL
 *
 * As ltt_trace_set_channel(), with the other parameters as they are when this request's
 * turn comes.
 *
 * Context: as there.
 * Return: as there.
 */
int ltt_trace_change_channel(struct ltt_trace *trace, const char *channel,
			     void (*change)(struct ltt_channel_params *params,
					    unsigned int value),
			     unsigned int value, struct ltt_error *error)
{
	return request_params(trace, channel, (struct ltt_channel_params){}, change, value,
			      error);
}

/**
 * ltt_trace_set_shared() - say whether the channels of a trace share buffers
 * @trace:	the trace; the caller has a reference
 * @shared:	whether they do
 * @error:	why it failed; may be NULL
 *
 * Channels that the trace uses already stay where they are.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex.
 * Return: 0; -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_shared(struct ltt_trace *trace, bool shared, struct ltt_error *error)
{
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	WRITE_ONCE(trace->shared, shared);
	ltt_trace_request_end(trace);
	return 0;
}
EXPORT_SYMBOL_GPL(ltt_trace_set_shared);

/* May the channel use buffers of its own, or shared ones? */
static int check_shared(const struct ltt_trace_channel *tchan, bool shared,
			struct ltt_error *error)
{
	const char *name = tchan->channel->name;
	bool is_shared = tchan->home != tchan;

	if (shared && tchan->channel->flags & LTT_CHANNEL_PRIVATE)
		return ltt_fail(error, -EINVAL, "channel %s is private", name);
	if (shared && !strcmp(name, LTT_CHANNEL_SHARED))
		return ltt_fail(error, -EINVAL, "channel %s has the shared buffers", name);
	if (tchan->home && is_shared != shared)
		return ltt_fail(error, -EBUSY, "channel %s is already used in trace %s", name,
				tchan->trace->name);
	return 0;
}

/**
 * ltt_trace_set_channel_shared() - say whether a channel uses shared buffers
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which must exist
 * @shared:	false: buffers of its own, even if the trace's channels share theirs; true: the
 *		shared ones if they do, even if it was registered with parameters of its own
 * @error:	why it failed; may be NULL
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, sleeps.
 * Return: 0; -ENOENT, -EBUSY (the trace uses the channel already), -EINVAL (a private
 * channel, or the one that has the shared buffers), -ENOMEM, -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_channel_shared(struct ltt_trace *trace, const char *channel, bool shared,
				 struct ltt_error *error)
{
	struct ltt_trace_channel *tchan;
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	tchan = tchan_get_named(trace, channel, error);
	err = IS_ERR(tchan) ? PTR_ERR(tchan) : check_shared(tchan, shared, error);
	if (!err)
		tchan->place = shared ? LTT_PLACE_SHARED : LTT_PLACE_OWN;
	ltt_trace_request_end(trace);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_set_channel_shared);

/**
 * ltt_trace_set_contexts() - say what is recorded with every event of a channel
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which must exist
 * @names:	names of contexts, separated by blanks or commas; none: nothing
 * @error:	why it failed; may be NULL
 *
 * Replaces what was said before. The channel gets buffers of its own.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, sleeps.
 * Return: 0; -ENOENT (no such channel or context), -EOPNOTSUPP, -EEXIST (see
 * ltt_context_create()), -EBUSY (the trace has buffers of the channel), -ENOMEM,
 * -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_contexts(struct ltt_trace *trace, const char *channel,
			   const char *names, struct ltt_error *error)
{
	const struct ltt_context *context;
	struct ltt_trace_channel *tchan;
	int err;

	err = ltt_context_create(names, &context, error);
	if (err)
		return err;
	err = ltt_trace_request(trace, error);
	if (err) {
		ltt_context_free(context);
		return err;
	}
	tchan = tchan_get_named(trace, channel, error);
	if (IS_ERR(tchan))
		err = PTR_ERR(tchan);
	else if (tchan->home && tchan->home != tchan)
		err = ltt_fail(error, -EBUSY, "channel %s is recorded in the shared buffers of trace %s",
			       channel, trace->name);
	else if (tchan->buf)
		err = ltt_fail(error, -EBUSY,
			       "channel %s already has buffers in trace %s, its contexts cannot be changed",
			       channel, trace->name);
	else
		swap(tchan->context, context);
	if (!err)
		tchan->place = LTT_PLACE_OWN;
	ltt_trace_request_end(trace);
	ltt_context_free(context);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_set_contexts);

/**
 * ltt_trace_enable_channel() - pause a channel in a trace, or resume it
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which must exist
 * @enable:	false to pause
 * @error:	why it failed; may be NULL
 *
 * When it returns, nothing is recorded in a paused channel any more. What is enabled in
 * the channel stays so. Events of a paused channel are not counted as lost.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex, waits for a grace
 * period of RCU, but not if it is being killed.
 * Return: 0; -ENOENT, -ENOMEM, -ENODEV (destroyed); -EINTR if it was killed while it
 * waited: the channel may be paused, and writers may still be under way.
 */
int ltt_trace_enable_channel(struct ltt_trace *trace, const char *channel,
			     bool enable, struct ltt_error *error)
{
	struct ltt_trace_event *tevent;
	struct ltt_trace_channel *tchan;
	u32 next = 0;
	int err;

	err = ltt_trace_request(trace, error);
	if (err)
		return err;
	tchan = tchan_get_named(trace, channel, error);
	if (IS_ERR(tchan)) {
		err = PTR_ERR(tchan);
		goto unlock;
	}
	if (tchan->enabled != enable) {
		while (enable && !err && (tevent = ltt_trace_channel_next_event(tchan, &next)))
			err = ltt_event_prepare(tevent->event);
		if (err) {
			ltt_fail(error, err, "out of memory");
			goto unlock;
		}
		tchan->enabled = enable;
		ltt_trace_update_recording(trace);
		next = 0;
		while ((tevent = ltt_trace_channel_next_event(tchan, &next)))
			ltt_event_update(tevent->event);
	}
unlock:
	ltt_trace_request_end(trace);
	if (err)
		return err;
	ltt_switch_wait(&trace->dying);
	/* Also if it was paused before: whoever did that may have been killed. */
	return enable ? 0 : ltt_wait_writers(&trace->dying);
}
EXPORT_SYMBOL_GPL(ltt_trace_enable_channel);

/**
 * ltt_trace_channels_free() - free all channels of a trace with their buffers and events
 * @trace:	the trace, to which nobody has a reference any more
 *
 * Context: task, ltt_mutex not held; takes it, sleeps.
 */
void ltt_trace_channels_free(struct ltt_trace *trace)
{
	struct ltt_trace_channel *tchan, *next;

	/* It may be much, and needs no lock. */
	list_for_each_entry(tchan, &trace->tchans, node)
		ltt_buffer_free(tchan);

	mutex_lock(&ltt_mutex);
	list_for_each_entry(tchan, &trace->tchans, node)
		ltt_trace_events_free(tchan);
	list_for_each_entry_safe(tchan, next, &trace->tchans, node) {
		ltt_channel_put(tchan->channel);
		list_del(&tchan->node);
		ltt_context_free(tchan->context);
		free_percpu(tchan->counts);
		kfree(tchan);
	}
	mutex_unlock(&ltt_mutex);
}
