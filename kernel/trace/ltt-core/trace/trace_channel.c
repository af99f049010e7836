// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the channels of a trace.
 *
 * A channel joins a trace (struct ltt_trace_channel) when it is first mentioned there, gets
 * buffers when an event of it is first to be recorded, and stays until the trace is
 * freed.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core.h"
#include "../wait.h"

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
 * Return: 0, -ENOMEM.
 */
int ltt_trace_channel_want(struct ltt_trace *trace, struct ltt_channel *channel,
			   struct ltt_error *error)
{
	struct ltt_trace_channel *tchan;

	lockdep_assert_held(&trace->request);
	tchan = tchan_get(trace, channel);
	if (!tchan)
		return ltt_fail(error, -ENOMEM, "out of memory");
	tchan->wanted = true;
	return 0;
}

/* Does a channel of the current request have no buffers? */
static bool lacks_buffers(const struct ltt_trace *trace)
{
	const struct ltt_trace_channel *tchan;

	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->wanted && !tchan->buf)
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
 * Return: 0; -EDQUOT, -ENOMEM; -EINTR when the task is being killed; -ENODEV if the trace was
 * destroyed meanwhile.
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
		tchan->wanted = false;
		if (tchan->mem && !tchan->buf) {
			ltt_buffer_publish(tchan);
			ltt_clients_add_channel(tchan);
			published = true;
		}
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

/**
 * ltt_trace_set_channel() - say how the buffers of a channel are to be made
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which must exist
 * @params:	how; copied
 * @error:	why it failed; may be NULL
 *
 * Once the trace has buffers of the channel only switch_ms can change.
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex and the CPU hotplug
 * lock, sleeps.
 * Return: 0; -EINVAL (see ltt_channel_check()), -ENOENT, -EBUSY (has buffers),
 * -ENOMEM, -ENODEV (destroyed), -EINTR.
 */
int ltt_trace_set_channel(struct ltt_trace *trace, const char *channel,
			  const struct ltt_channel_params *params,
			  struct ltt_error *error)
{
	struct ltt_trace_channel *tchan;
	bool flush = false;
	int err;

	if (ltt_channel_check(params))
		return ltt_fail(error, -EINVAL,
				"channel %s: the number of sub-buffers must be a power of two from 2 to %u, their size 2^%u to 2^%u bytes, the switch timer 0 to %u ms",
				channel, LTT_SUBBUF_NUM_MAX, LTT_SUBBUF_ORDER_MIN,
				LTT_SUBBUF_ORDER_MAX, LTT_SWITCH_MS_MAX);
	err = ltt_trace_request(trace, error);
	if (err)
		return err;
	tchan = tchan_get_named(trace, channel, error);
	if (IS_ERR(tchan)) {
		err = PTR_ERR(tchan);
		goto unlock;
	}
	if (!tchan->buf) {
		tchan->params = *params;
	} else if (same_buffers(&tchan->params, params)) {
		tchan->params.switch_ms = params->switch_ms;
		ltt_flush_update(tchan);
		flush = true;
	} else {
		err = ltt_fail(error, -EBUSY,
			       "channel %s already has buffers in trace %s, only its switch timer can be changed",
			       channel, trace->name);
	}
unlock:
	ltt_trace_request_end(trace);
	/* What is open now was opened without arming the timer. */
	if (flush)
		ltt_flush_tchan(tchan);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_set_channel);

/**
 * ltt_trace_set_contexts() - say what is recorded with every event of a channel
 * @trace:	the trace; the caller has a reference
 * @channel:	name of the channel, which must exist
 * @names:	names of contexts, separated by blanks or commas; none: nothing
 * @error:	why it failed; may be NULL
 *
 * Replaces what was said before.
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
	else if (tchan->buf)
		err = ltt_fail(error, -EBUSY,
			       "channel %s already has buffers in trace %s, its contexts cannot be changed",
			       channel, trace->name);
	else
		swap(tchan->context, context);
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
	struct ltt_trace_channel *tchan;
	unsigned int id;
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
		for (id = 0; enable && !err && id < tchan->nr_events; id++)
			err = ltt_event_prepare(ltt_trace_channel_event(tchan, id)->event);
		if (err) {
			ltt_fail(error, err, "out of memory");
			goto unlock;
		}
		tchan->enabled = enable;
		ltt_trace_update_recording(trace);
		for (id = 0; id < tchan->nr_events; id++)
			ltt_event_update(ltt_trace_channel_event(tchan, id)->event);
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
	list_for_each_entry_safe(tchan, next, &trace->tchans, node) {
		ltt_trace_events_free(tchan);
		ltt_channel_put(tchan->channel);
		list_del(&tchan->node);
		ltt_context_free(tchan->context);
		kfree(tchan);
	}
	mutex_unlock(&ltt_mutex);
}
