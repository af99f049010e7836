// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a marker for each event that the kernel's headers define and whose tracepoint
 * is there: in the kernel's image, or in a module, from when it comes until it goes.
 *
 * The probe is attached only while a trace wants the marker. Tracepoints are found
 * by name, so that they need not be exported; one in a module must also belong to
 * an event of the same system, for names are unique in the kernel's image only.
 *
 * Locks: those of the kernel's notifiers for tracepoints of modules > those of the registry
 * of markers > that of the tracepoints' probes.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bsearch.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/event.h>

#include "../module_event.h"
#include "bridge.h"

static char *systems;
module_param(systems, charp, 0444);
MODULE_PARM_DESC(systems, "Comma-separated list of systems whose events become markers (default: all)");

/* Sorted by name. */
struct ltt_bridge *ltt_bridges;
unsigned int ltt_nr_bridges;

static int by_name(const void *a, const void *b)
{
	const struct ltt_bridge *bridge_a = a, *bridge_b = b;

	return strcmp(bridge_a->desc->name, bridge_b->desc->name);
}

static int compare_name(const void *name, const void *bridge)
{
	return strcmp(name, ((const struct ltt_bridge *)bridge)->desc->name);
}

static struct ltt_bridge *find(const char *name)
{
	return bsearch(name, ltt_bridges, ltt_nr_bridges, sizeof(*ltt_bridges),
		       compare_name);
}

/**
 * ltt_bridge_find() - the bridged event of an event of LTT
 * @event:	the event of LTT's
 *
 * Context: any. The module is not on its way out.
 * Return: the bridged event; NULL if @event is not one, whatever its name.
 */
const struct ltt_bridge *ltt_bridge_find(const struct ltt_event *event)
{
	const struct ltt_bridge *bridge = find(event->name);

	if (!bridge || strcmp(bridge->desc->channel, event->channel->name) ||
	    !bridge->marker.format || strcmp(bridge->marker.format, event->format_text))
		return NULL;
	return bridge;
}

static int connect(struct ltt_marker *marker)
{
	struct ltt_bridge *bridge = container_of(marker, struct ltt_bridge, marker);

	return tracepoint_probe_register(bridge->tracepoint, bridge->desc->probe, marker);
}

static void disconnect(struct ltt_marker *marker)
{
	struct ltt_bridge *bridge = container_of(marker, struct ltt_bridge, marker);

	tracepoint_probe_unregister(bridge->tracepoint, bridge->desc->probe, marker);
}

/* An event whose tracepoint is there becomes a marker. */
static void add(struct ltt_bridge *bridge)
{
	struct ltt_marker *marker = &bridge->marker;
	int err;

	err = ltt_bridge_make_format(bridge);
	if (err) {
		pr_warn("no marker for event %s:%s: error %d\n",
			bridge->desc->system, bridge->desc->name, err);
		bridge->tracepoint = NULL;
		return;
	}
	*marker = (struct ltt_marker) {
		.key = STATIC_KEY_FALSE_INIT,
		.magic = LTT_MARKER_MAGIC,
		.nr_args = marker->nr_args,
		.self = marker,
		.channel = bridge->desc->channel,
		.name = bridge->desc->name,
		.format = marker->format,
		.types = marker->types,
		.connect = connect,
		.disconnect = disconnect,
	};
	/* Says what is wrong. The tracepoint's module may go, and come again. */
	bridge->registered = !ltt_marker_register(marker, THIS_MODULE);
	if (!bridge->registered)
		bridge->tracepoint = NULL;
}

/* Unregister the markers of @mod, or all if it is NULL. */
static void remove(const struct module *mod)
{
	struct ltt_bridge *bridge;
	bool hooked = false;
	unsigned int i;

	for (i = 0; i < ltt_nr_bridges; i++) {
		bridge = &ltt_bridges[i];
		if (!bridge->registered ||
		    (mod && !within_module((unsigned long)bridge->tracepoint, mod)))
			continue;
		hooked |= ltt_marker_unregister_nosync(&bridge->marker);
		bridge->registered = false;
		bridge->tracepoint = NULL;
	}
	/* Also if all are off by now: nobody has waited for the probes yet. */
	if (hooked)
		tracepoint_synchronize_unregister();
}

/* ---- tracepoints of the kernel's image, and of modules ------------------------- */

static void note_tracepoint(struct tracepoint *tracepoint, void *priv)
{
	struct ltt_bridge *bridge = find(tracepoint->name);

	if (bridge)
		bridge->tracepoint = tracepoint;
}

/* Is @tracepoint that of the event, not of another one with the same name? */
static bool same_event(const struct module *mod, const struct tracepoint *tracepoint,
		       const struct ltt_bridge_desc *desc)
{
	const struct trace_event_call *call = ltt_module_event(mod, tracepoint);

	return call && !strcmp(call->class->system, desc->system);
}

static void module_comes(struct module *mod)
{
	struct tracepoint *tracepoint;
	struct ltt_bridge *bridge;
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		tracepoint = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);
		bridge = find(tracepoint->name);
		if (!bridge || bridge->tracepoint || !same_event(mod, tracepoint, bridge->desc))
			continue;
		bridge->tracepoint = tracepoint;
		add(bridge);
	}
}

static int modules_change(struct notifier_block *nb, unsigned long action, void *data)
{
	struct tp_module *tp_module = data;

	if (action == MODULE_STATE_COMING)
		module_comes(tp_module->mod);
	else if (action == MODULE_STATE_GOING)
		remove(tp_module->mod);
	return NOTIFY_OK;
}

static struct notifier_block modules_nb = {
	.notifier_call = modules_change,
};

/* ---- start and end --------------------------------------------------------------- */

/* Does the parameter name @system? */
static bool __init wanted(const char *system)
{
	size_t len = strlen(system), next;
	const char *p;

	if (!systems)
		return true;
	for (p = systems; *p; p += next + !!p[next]) {
		next = strcspn(p, ",");
		if (next == len && !strncmp(p, system, len))
			return true;
	}
	return false;
}

static int __init ltt_tracepoints_init(void)
{
	const struct ltt_bridge_desc *const *desc;
	unsigned int i;
	int err;

	ltt_bridges = kvcalloc(ltt_bridge_last - ltt_bridge_first, sizeof(*ltt_bridges),
			       GFP_KERNEL);
	if (!ltt_bridges)
		return -ENOMEM;
	ltt_nr_bridges = 0;
	for (desc = ltt_bridge_first; desc < ltt_bridge_last; desc++) {
		if (wanted((*desc)->system))
			ltt_bridges[ltt_nr_bridges++].desc = *desc;
	}
	if (!ltt_nr_bridges) {
		pr_err("no events in systems '%s'\n", systems ?: "");
		err = -ENOENT;
		goto free;
	}
	sort(ltt_bridges, ltt_nr_bridges, sizeof(*ltt_bridges), by_name, NULL);

	err = ltt_bridge_scratch_init();
	if (err)
		goto free;
	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (i = 0; i < ltt_nr_bridges; i++) {
		if (ltt_bridges[i].tracepoint)
			add(&ltt_bridges[i]);
	}
	err = register_tracepoint_module_notifier(&modules_nb);
	if (err)
		goto remove;
	err = ltt_bridge_files_init();
	if (err)
		goto unregister;
	err = ltt_event_printer_register(&ltt_bridge_printer);
	if (err)
		goto files;
	return 0;

files:
	ltt_bridge_files_exit();
unregister:
	unregister_tracepoint_module_notifier(&modules_nb);
remove:
	remove(NULL);
	ltt_bridge_scratch_exit();
	ltt_bridge_free_formats();
free:
	kvfree(ltt_bridges);
	return err;
}

static void __exit ltt_tracepoints_exit(void)
{
	ltt_event_printer_unregister(&ltt_bridge_printer);
	ltt_bridge_files_exit();
	unregister_tracepoint_module_notifier(&modules_nb);
	remove(NULL);
	ltt_bridge_scratch_exit();
	ltt_bridge_free_formats();
	kvfree(ltt_bridges);
}

module_init(ltt_tracepoints_init);
module_exit(ltt_tracepoints_exit);

MODULE_DESCRIPTION("LTT: a marker for each of the kernel's trace events");
MODULE_LICENSE("GPL");
