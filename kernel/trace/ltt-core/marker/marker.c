// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the registry of markers and of the kinds of events they make.
 *
 * Call sites (struct ltt_marker) lie in the memory of their modules. Those with
 * equal channel, name, format and types share one struct ltt_event, which lies in
 * ours. module_scan.c finds the call sites, switch.c turns them on and off.
 *
 * Writers read the captures of their event, and filters its format, with preemption
 * disabled: an event is freed after an RCU grace period. Besides the taps, a writer loads
 * ops and capture from its marker. They are stored when the marker is registered, before
 * its key is ever enabled, and patching the code synchronises all CPUs.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/compat.h>

#include "registry.h"

/* Markers that were refused; protected by ltt_mutex. */
LIST_HEAD(ltt_refused);

/* ltt-core is being removed: nothing is registered any more. */
static bool closing;

static const char *module_text(const struct module *owner)
{
	return owner ? owner->name : "vmlinux";
}

/* ---- kinds of events -------------------------------------------------------- */

static void event_free(struct ltt_event *event)
{
	ltt_layout_put(event->layout);
	kfree(event->spare);
	kfree(event->name);
	kfree(event->module);
	kfree(event);
}

static void event_free_rcu(struct rcu_head *rcu)
{
	event_free(container_of(rcu, struct ltt_event, rcu));
}

static void event_release(struct kref *ref)
{
	struct ltt_event *event = container_of(ref, struct ltt_event, ref);

	list_del(&event->node);
	ltt_channel_put(event->channel);
	call_rcu(&event->rcu, event_free_rcu);
}

/**
 * ltt_event_get() - take a reference to a kind of event
 * @event:	the event; the caller has a reference or holds ltt_mutex
 *
 * Context: any.
 */
void ltt_event_get(struct ltt_event *event)
{
	kref_get(&event->ref);
}

/**
 * ltt_event_put() - drop a reference to a kind of event
 * @event:	the event; may be gone when this returns
 *
 * Context: task, ltt_mutex held.
 */
void ltt_event_put(struct ltt_event *event)
{
	lockdep_assert_held(&ltt_mutex);
	kref_put(&event->ref, event_release);
}

/**
 * ltt_event_find() - look for a kind of event by name
 * @channel:	channel's name
 * @marker:	marker's name
 *
 * If several kinds have this name, which differ in format or types, the first one
 * registered is found.
 *
 * Context: task, ltt_mutex held. No reference is taken.
 * Return: the event, NULL if there is none.
 */
struct ltt_event *ltt_event_find(const char *channel, const char *marker)
{
	struct ltt_channel *chan = ltt_channel_find(channel);
	struct ltt_event *event;

	if (!chan)
		return NULL;
	list_for_each_entry(event, &chan->events, node) {
		if (!strcmp(event->name, marker))
			return event;
	}
	return NULL;
}

/* The kind of event that @marker records, if it is known. */
static struct ltt_event *event_of(const struct ltt_marker *marker)
{
	struct ltt_channel *channel = ltt_channel_find(marker->channel);
	struct ltt_event *event;

	if (!channel)
		return NULL;
	list_for_each_entry(event, &channel->events, node) {
		if (!strcmp(event->name, marker->name) && ltt_layout_is(event, marker))
			return event;
	}
	return NULL;
}

/**
 * ltt_event_create() - create a kind of event
 * @channel:	name of its channel
 * @name:	its name
 * @module:	of the module that it comes from
 * @layout:	its layout; the event has the caller's reference, also if this fails
 *
 * It is not among those of its channel, as no marker records it; but its channel is kept.
 *
 * Context: task, ltt_mutex held; sleeps.
 * Return: the event with a reference, for ltt_event_put(); NULL: no memory.
 */
struct ltt_event *ltt_event_create(const char *channel, const char *name, const char *module,
				   struct ltt_layout *layout)
{
	struct ltt_event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	lockdep_assert_held(&ltt_mutex);
	if (!event) {
		ltt_layout_put(layout);
		return NULL;
	}
	event->layout = layout;
	event->format = layout->format;
	event->format_text = layout->format_text;
	event->types = layout->types;
	event->nr_types = layout->nr_types;
	event->capture = layout->capture;
	kref_init(&event->ref);
	INIT_LIST_HEAD(&event->markers);
	INIT_LIST_HEAD(&event->tevents);
	INIT_LIST_HEAD(&event->to_switch);
	INIT_LIST_HEAD(&event->added);
	INIT_LIST_HEAD(&event->node);
	event->name = kstrdup(name, GFP_KERNEL);
	event->module = kstrdup(module, GFP_KERNEL);
	if (event->name && event->module)
		event->channel = ltt_channel_get(channel);
	if (event->channel)
		return event;
	event_free(event);
	return NULL;
}

/* A copy of all of @marker, which may be unloaded while its events are still read. */
static struct ltt_event *create_for(const struct ltt_marker *marker, const struct module *owner,
				    char reason[LTT_FORMAT_ERROR])
{
	struct ltt_layout *layout = ltt_layout_get(marker, reason);
	struct ltt_event *event;

	if (IS_ERR(layout))
		return ERR_CAST(layout);
	event = ltt_event_create(marker->channel, marker->name, module_text(owner), layout);
	if (!event)
		return ERR_PTR(-ENOMEM);
	list_add_tail(&event->node, &event->channel->events);
	return event;
}

/* ---- registration ----------------------------------------------------------- */

static struct ltt_refused *refused_find(const struct ltt_marker *marker)
{
	struct ltt_refused *refused;

	list_for_each_entry(refused, &ltt_refused, node) {
		if (refused->marker == marker)
			return refused;
	}
	return NULL;
}

static void refused_free(struct ltt_refused *refused)
{
	list_del(&refused->node);
	kfree(refused->channel);
	kfree(refused->name);
	kfree(refused);
}

/* Log it, and remember it if there is memory. */
static void refuse(const struct ltt_marker *marker, const struct module *owner,
		   const char *reason)
{
	struct ltt_refused *refused;

	pr_warn("marker %s.%s of module %s refused: %s\n", marker->channel,
		marker->name, module_text(owner), reason);
	refused = kzalloc(sizeof(*refused), GFP_KERNEL);
	if (!refused)
		return;
	refused->marker = marker;
	refused->owner = owner;
	refused->module = module_text(owner);
	strscpy(refused->reason, reason, sizeof(refused->reason));
	refused->channel = kstrdup(marker->channel, GFP_KERNEL);
	refused->name = kstrdup(marker->name, GFP_KERNEL);
	list_add_tail(&refused->node, &ltt_refused);
	if (!refused->channel || !refused->name)
		refused_free(refused);
}

/**
 * ltt_refused_forget() - forget the refused markers of a module that is being removed
 * @owner:	the module
 *
 * Context: task, ltt_mutex held.
 */
void ltt_refused_forget(const struct module *owner)
{
	struct ltt_refused *refused, *next;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry_safe(refused, next, &ltt_refused, node) {
		if (refused->owner == owner)
			refused_free(refused);
	}
}

/* Ask all who listen. */
static int prepare(struct ltt_event *event)
{
	struct ltt_registry_listener *listener;
	int err = 0;

	list_for_each_entry(listener, &ltt_registry_listeners, node) {
		if (!err && listener->event_prepare)
			err = listener->event_prepare(event);
	}
	return err;
}

/**
 * ltt_marker_add() - add a call site
 * @marker:	the call site
 * @owner:	its module, NULL for vmlinux
 *
 * From now on @marker is enabled and disabled as the traces require, if ltt_markers_added() is
 * called afterwards. Does nothing if the marker is known already, or was refused.
 *
 * Context: task, ltt_mutex held; sleeps.
 * Return: 0; -EINVAL if it was refused, with a message; -ENOMEM, with a message;
 * -ESHUTDOWN while ltt-core is being removed.
 */
int ltt_marker_add(struct ltt_marker *marker, const struct module *owner)
{
	char reason[LTT_FORMAT_ERROR] = "out of memory";
	struct ltt_event *event;
	bool is_new = false;
	int err = -EINVAL;

	lockdep_assert_held(&ltt_mutex);
	if (closing)
		return -ESHUTDOWN;
	if (marker->event)
		return 0;
	if (refused_find(marker))
		return -EINVAL;
	if (!ltt_name_valid(marker->channel) || !ltt_name_valid(marker->name)) {
		refuse(marker, owner, "invalid name");
		return err;
	}

	event = event_of(marker);
	if (event) {
		err = prepare(event);
		if (err) {
			/* Not for good: a module's markers are looked for again when it is live. */
			pr_warn("marker %s.%s of module %s: out of memory\n", marker->channel,
				marker->name, module_text(owner));
			return err;
		}
		ltt_event_get(event);
	} else {
		event = create_for(marker, owner, reason);
		if (IS_ERR(event)) {
			err = PTR_ERR(event);
			refuse(marker, owner, err == -ENOMEM ? "out of memory" : reason);
			return err;
		}
		is_new = true;
	}

	marker->ops = &ltt_capture_ops;
	marker->capture = event->capture;
	marker->event = event;
	list_add_tail(&marker->node, &event->markers);
	if (is_new)
		ltt_registry_tell(event_known, event);
	ltt_registry_tell(event_update, event);
	return 0;
}

/**
 * ltt_markers_added() - let traces record what was added
 *
 * To be called after ltt_marker_add(), once for many. On return, the traces that want the
 * events have buffers for them, or have said why not, and the call sites are on; soon after, if
 * the caller is being killed.
 *
 * Context: task, neither ltt_mutex nor ltt_switch_mutex held; waits as long as it takes.
 */
void ltt_markers_added(void)
{
	/* No listener is ever removed. */
	ltt_registry_tell(events_known);
	ltt_switch_now();
}

/**
 * ltt_marker_remove() - turn a call site off and forget it
 * @marker:	the call site; nothing is done if it is not known
 *
 * Writers may be in @marker until a grace period has passed. A tracepoint it was connected
 * to may call it until tracepoint_synchronize_unregister() has returned, however long ago
 * it was disconnected, as nothing has waited for that. An RCU grace period does not suffice
 * where tracepoints call their probes with preemption enabled.
 *
 * Context: task, ltt_switch_mutex held, ltt_mutex not; sleeps.
 * Return: whether @marker was ever connected, so that tracepoint_synchronize_unregister()
 * must be waited for too.
 */
bool ltt_marker_remove(struct ltt_marker *marker)
{
	struct ltt_refused *refused;
	struct ltt_event *event;

	lockdep_assert_held(&ltt_switch_mutex);
	mutex_lock(&ltt_mutex);
	event = marker->event;
	if (!event) {
		refused = refused_find(marker);
		if (refused)
			refused_free(refused);
		mutex_unlock(&ltt_mutex);
		return false;
	}
	list_del(&marker->node);
	marker->event = NULL;
	ltt_marker_set_taps(marker, NULL);
	ltt_registry_tell(event_update, event);	/* no taps without call sites */
	ltt_event_put(event);
	mutex_unlock(&ltt_mutex);
	ltt_switch_off(marker);
	return marker->hooked;
}

/**
 * ltt_marker_register() - register a marker that is not found automatically
 * @marker:	the marker, with the fields set that __trace_mark() sets
 * @owner:	module it belongs to, THIS_MODULE
 *
 * For markers made at run time, and for kernels without JUMP_LABEL. Other markers
 * are found when their module is loaded. Registering a known marker does nothing.
 * On return the marker is connected, if a trace records it and connecting succeeds; soon after,
 * if the caller is being killed.
 *
 * Context: task; takes ltt_mutex, sleeps. Not to be called from connect().
 * Return: 0; -EINVAL if the marker was refused, -ENOMEM, both with a message in
 * the log; -ESHUTDOWN while ltt-core is being removed.
 */
int ltt_marker_register(struct ltt_marker *marker, struct module *owner)
{
	struct ltt_refused *refused;
	int err;

	mutex_lock(&ltt_mutex);
	err = ltt_marker_add(marker, owner);
	/* The caller gets an error, and may fix the marker and try again. */
	refused = err ? refused_find(marker) : NULL;
	if (refused)
		refused_free(refused);
	mutex_unlock(&ltt_mutex);
	if (!err)
		ltt_markers_added();
	return err;
}
EXPORT_SYMBOL_GPL(ltt_marker_register);

/**
 * ltt_marker_unregister() - undo ltt_marker_register()
 * @marker:	the marker; when this returns no writer is in it, and it may be freed
 *
 * Context: task; takes ltt_mutex, waits for grace periods.
 */
void ltt_marker_unregister(struct ltt_marker *marker)
{
	if (ltt_marker_unregister_nosync(marker))
		ltt_synchronize_probes();
	else
		synchronize_rcu();
}
EXPORT_SYMBOL_GPL(ltt_marker_unregister);

/**
 * ltt_marker_unregister_nosync() - undo ltt_marker_register() without waiting
 * @marker:	the marker
 *
 * For many markers at once. Before freeing any of them, or anything that their writers use,
 * the caller must wait, once for all of them:
 *
 * - for callers of ltt_marker_record() that @marker->connect() did not attach;
 * - if this function returned true for any marker, for whatever connect() attached it to:
 *   tracepoint_synchronize_unregister() for a tracepoint, unregister_kprobes() for probes,
 *   and so on. This is needed even if the marker is off and was disconnected long ago:
 *   disconnect() did not wait.
 *
 * Context: task; takes ltt_mutex, sleeps.
 * Return: whether @marker->connect() has ever succeeded.
 */
bool ltt_marker_unregister_nosync(struct ltt_marker *marker)
{
	bool hooked;

	mutex_lock(&ltt_switch_mutex);
	hooked = ltt_marker_remove(marker);
	mutex_unlock(&ltt_switch_mutex);
	return hooked;
}
EXPORT_SYMBOL_GPL(ltt_marker_unregister_nosync);

/* ---- start and end ---------------------------------------------------------- */

/**
 * ltt_marker_init() - start registering markers
 *
 * Context: task, ltt_mutex not held; sleeps. Traces and channels are ready.
 * Return: 0 or a negative errno.
 */
int ltt_marker_init(void)
{
	closing = false;
	return ltt_module_init();
}

/* Any marker that is known, NULL if none is left. */
static struct ltt_marker *any_marker(void)
{
	struct ltt_marker *marker = NULL;
	struct ltt_channel *channel;
	struct ltt_event *event;

	mutex_lock(&ltt_mutex);
	list_for_each_entry(channel, &ltt_channels, node) {
		list_for_each_entry(event, &channel->events, node) {
			if (!list_empty(&event->markers))
				marker = list_first_entry(&event->markers,
							  struct ltt_marker, node);
		}
	}
	mutex_unlock(&ltt_mutex);
	return marker;
}

/**
 * ltt_marker_exit() - turn all markers off and forget them
 *
 * Afterwards no writer is in ltt-core, and the markers are as they were
 * before it was loaded, so that it can be loaded again.
 *
 * The notifiers are unregistered after the markers: until then, no module can be removed
 * while we know one of its markers.
 *
 * Context: task, ltt_mutex not held; sleeps.
 */
void ltt_marker_exit(void)
{
	struct ltt_refused *refused, *next;
	struct ltt_marker *marker;

	mutex_lock(&ltt_mutex);
	closing = true;
	list_for_each_entry_safe(refused, next, &ltt_refused, node)
		refused_free(refused);
	mutex_unlock(&ltt_mutex);
	mutex_lock(&ltt_switch_mutex);
	while ((marker = any_marker()))
		ltt_marker_remove(marker);
	mutex_unlock(&ltt_switch_mutex);

	ltt_module_exit();
	ltt_synchronize_probes();
	rcu_barrier();		/* event_free_rcu() */
}
