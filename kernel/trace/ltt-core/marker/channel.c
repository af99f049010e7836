// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: all channels, whether a trace uses them or not.
 *
 * A channel exists as long as it has users: each kind of event in it, each trace that uses
 * it, and the module that registered it.
 */

#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "registry.h"

DEFINE_MUTEX(ltt_mutex);	/* see trace.c */
EXPORT_SYMBOL_GPL(ltt_mutex);

LIST_HEAD(ltt_channels);
EXPORT_SYMBOL_GPL(ltt_channels);

/* Protected by ltt_mutex; entries are removed only with ltt-core itself. */
LIST_HEAD(ltt_registry_listeners);

/*
 * The default: 1 MiB for each CPU, in 16 sub-buffers of 64 KiB. A reader lags behind by
 * two grace periods and a pause, some 20 ms on a healthy machine; 1 MiB holds 90,000
 * events of 12 bytes, enough for that at four million events per second on each CPU. More
 * would be too much, as every channel in use allocates this for every CPU. A reader frees
 * whole sub-buffers: with sixteen of them that is fine-grained, and 64 KiB can still be
 * allocated on a machine with fragmented memory. No flush: readers of text see events
 * before sub-buffers are full.
 */
static const struct ltt_channel_params default_params = {
	.subbuf_order = 16,
	.subbuf_num = 16,
};

/**
 * ltt_registry_listen() - register a listener for channels and kinds of events
 * @listener:	the listener; never unregistered
 *
 * It is not called for channels and events that exist already.
 *
 * Context: task; takes ltt_mutex.
 */
void ltt_registry_listen(struct ltt_registry_listener *listener)
{
	mutex_lock(&ltt_mutex);
	list_add(&listener->node, &ltt_registry_listeners);
	mutex_unlock(&ltt_mutex);
}

/**
 * ltt_name_valid() - is this a valid name for a channel or a marker?
 * @name:	the name
 *
 * Context: any.
 * Return: true if it is 1 to LTT_NAME_MAX characters of [A-Za-z0-9_].
 */
bool ltt_name_valid(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		if (i == LTT_NAME_MAX)
			return false;
		if (!isascii(name[i]) || (!isalnum(name[i]) && name[i] != '_'))
			return false;
	}
	return i;
}

/**
 * ltt_channel_check() - are these parameters of buffers valid?
 * @params:	the parameters
 *
 * Does not check whether there is enough memory.
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int ltt_channel_check(const struct ltt_channel_params *params)
{
	if (params->subbuf_order < LTT_SUBBUF_ORDER_MIN ||
	    params->subbuf_order > LTT_SUBBUF_ORDER_MAX)
		return -EINVAL;
	if (params->subbuf_num < LTT_SUBBUF_NUM_MIN ||
	    params->subbuf_num > LTT_SUBBUF_NUM_MAX ||
	    !is_power_of_2(params->subbuf_num))
		return -EINVAL;
	if (params->switch_ms > LTT_SWITCH_MS_MAX)
		return -EINVAL;
	return 0;
}

/**
 * ltt_channel_is_usual() - does a channel have the parameters that most have?
 * @channel:	the channel
 *
 * Context: task, ltt_mutex held.
 */
bool ltt_channel_is_usual(const struct ltt_channel *channel)
{
	const struct ltt_channel_params *params = &channel->params;

	return params->subbuf_order == default_params.subbuf_order &&
	       params->subbuf_num == default_params.subbuf_num &&
	       params->overwrite == default_params.overwrite &&
	       params->switch_ms == default_params.switch_ms;
}

/**
 * ltt_channel_find() - look for a channel
 * @name:	its name
 *
 * Context: task, ltt_mutex held. No reference is taken.
 * Return: the channel, NULL if there is none of this name.
 */
struct ltt_channel *ltt_channel_find(const char *name)
{
	struct ltt_channel *channel;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(channel, &ltt_channels, node) {
		if (!strcmp(channel->name, name))
			return channel;
	}
	return NULL;
}

/**
 * ltt_channel_get() - find or create a channel, and take a reference
 * @name:	a valid name; copied
 *
 * Context: task, ltt_mutex held; may sleep.
 * Return: the channel, to be given back by ltt_channel_put(); NULL if there is no
 * memory for it.
 */
struct ltt_channel *ltt_channel_get(const char *name)
{
	struct ltt_channel *channel = ltt_channel_find(name);

	if (!channel) {
		channel = kzalloc(sizeof(*channel), GFP_KERNEL);
		if (!channel)
			return NULL;
		channel->name = kstrdup(name, GFP_KERNEL);
		if (!channel->name) {
			kfree(channel);
			return NULL;
		}
		channel->params = default_params;
		INIT_LIST_HEAD(&channel->events);
		list_add_tail(&channel->node, &ltt_channels);
	}
	channel->users++;
	return channel;
}

/**
 * ltt_channel_put() - undo ltt_channel_get()
 * @channel:	the channel; may be gone when this returns
 *
 * Context: task, ltt_mutex held; may sleep.
 */
void ltt_channel_put(struct ltt_channel *channel)
{
	lockdep_assert_held(&ltt_mutex);
	if (--channel->users)
		return;
	list_del(&channel->node);
	kfree(channel->name);
	kfree(channel);
}

/**
 * ltt_channel_register() - register a channel with its own parameters
 * @name:	its name, ``[A-Za-z0-9_]+``; copied
 * @params:	default parameters of its buffers for traces that use it from now on;
 *		copied; NULL for the usual ones
 * @flags:	0 or LTT_CHANNEL_PRIVATE
 *
 * The channel may exist already because markers belong to it, including markers of
 * the caller's module, which are known before its init function runs. If it becomes
 * private, traces stop recording what their patterns selected of it.
 *
 * Context: task; takes ltt_mutex, may sleep.
 * Return: 0; -EINVAL (name, parameters or flags), -EEXIST (registered by somebody
 * else), -ENOMEM.
 */
int ltt_channel_register(const char *name, const struct ltt_channel_params *params,
			 unsigned int flags)
{
	struct ltt_channel *channel;
	int err = 0;

	if (!params)
		params = &default_params;
	if (!ltt_name_valid(name) || ltt_channel_check(params) ||
	    flags & ~LTT_CHANNEL_PRIVATE)
		return -EINVAL;

	mutex_lock(&ltt_mutex);
	channel = ltt_channel_find(name);
	if (channel && channel->registered) {
		err = -EEXIST;
		goto unlock;
	}
	channel = ltt_channel_get(name);
	if (!channel) {
		err = -ENOMEM;
		goto unlock;
	}
	channel->registered = true;
	channel->params = *params;
	if (flags & ~channel->flags)
		ltt_registry_tell(channel_private, channel);
	/* Readers look at it without a lock. */
	WRITE_ONCE(channel->flags, flags);
	if (!flags)
		ltt_registry_tell(channel_known, channel);
unlock:
	mutex_unlock(&ltt_mutex);
	if (!err && flags) {
		ltt_switch_now();
		ltt_registry_tell(channel_hidden, name);
	}
	return err;
}
EXPORT_SYMBOL_GPL(ltt_channel_register);

/**
 * ltt_channel_unregister() - undo ltt_channel_register()
 * @name:	the channel's name
 *
 * While it has markers, or traces use it, the channel stays as it is.
 *
 * Context: task; takes ltt_mutex, may sleep.
 * Return: 0, or -ENOENT if no such channel is registered.
 */
int ltt_channel_unregister(const char *name)
{
	struct ltt_channel *channel;
	int err = -ENOENT;

	mutex_lock(&ltt_mutex);
	channel = ltt_channel_find(name);
	if (channel && channel->registered) {
		channel->registered = false;
		ltt_channel_put(channel);
		err = 0;
	}
	mutex_unlock(&ltt_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_channel_unregister);
