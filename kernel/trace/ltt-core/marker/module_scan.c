// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: finds the markers in modules.
 *
 * A marker begins with its static key. For each module, the kernel keeps a table of the
 * places in the code that depend on static keys (jump entries), each with its key. So a
 * trace_mark() is all that the author of a module writes, and the module needs no symbol
 * of ours.
 *
 * No module is missed
 * -------------------
 * Modules pass through UNFORMED, COMING, LIVE, GOING and UNFORMED again, and on
 * entry to the three in the middle call a chain of notifiers; changing that chain
 * waits for calls that are under way. First we join the chain, then we walk the
 * list of modules, with ltt_mutex held, and take those that are LIVE. For a module
 * that existed before, either
 *
 *   - Its call for LIVE began after we had joined: we are called.
 *   - Its call for LIVE was over before we had joined: the state was stored before
 *     the call, the lock of the chain orders that before our walk, and the
 *     walk finds the module LIVE - or GOING, and then there is nothing to do.
 *
 * So a module that is COMING while we walk need not be touched, which matters:
 * its jump entries may be about to be sorted.
 *
 * None is handled twice, or too late
 * ----------------------------------
 * COMING, LIVE and the walk may all find the same marker. ltt_marker_add() does
 * nothing to a marker that is known or refused, and all of them hold ltt_mutex.
 * The walk takes a reference of a module before it looks inside: then the module
 * is not GOING, its exit function has not run, and our notifier has yet to be called
 * for GOING. A module that is past that notifier is not LIVE and never will be.
 *
 * Order in the chain
 * ------------------
 * COMING, LIVE: after all others, jump_label's (priority 1) in particular, which
 * sorts the jump entries and makes keys work. GOING: before all others; those of
 * jump_label and tracepoints (priority 0) expect that the module's keys and tracepoints
 * are no longer in use. A static key works in both places. If another notifier refuses
 * a module that is COMING, the chain is called with GOING.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/tracepoint.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/module_list.h>
#include <asm/sections.h>

#include "registry.h"

#ifdef CONFIG_JUMP_LABEL

/* Markers are in data that lives as long as the code. */
static bool in_data(const struct module *mod, const void *addr, size_t size)
{
	if (mod)
		return ltt_module_data(mod, addr, size);
#ifndef MODULE
	return is_kernel_core_data((unsigned long)addr) &&
	       is_kernel_core_data((unsigned long)addr + size - 1);
#else
	return false;
#endif
}

/*
 * The marker that contains @key, or NULL. Any other key is the start of a smaller or larger
 * object, or lies in another module.
 */
static struct ltt_marker *marker_of(struct static_key *key, const struct module *mod)
{
	struct ltt_marker *marker = container_of(key, struct ltt_marker, key.key);

	if (!in_data(mod, marker, sizeof(*marker)) ||
	    !IS_ALIGNED((unsigned long)marker, __alignof__(*marker)) ||
	    marker->magic != LTT_MARKER_MAGIC || marker->self != marker)
		return NULL;
	return marker;
}

/*
 * Is @key that of a marker of another LTT, which cannot be used? In all of them, the key, the
 * magic number and the pointer to the marker are where they are in ours.
 */
static bool other_layout(struct static_key *key, const struct module *mod)
{
	struct ltt_marker *marker = container_of(key, struct ltt_marker, key.key);

	return in_data(mod, marker, offsetofend(struct ltt_marker, self)) &&
	       IS_ALIGNED((unsigned long)marker, __alignof__(*marker)) &&
	       marker->magic != LTT_MARKER_MAGIC && marker->self == marker &&
	       (marker->magic & ~LTT_MARKER_LAYOUT) == (LTT_MARKER_MAGIC & ~LTT_MARKER_LAYOUT);
}

/* Modules carry headers of their own, so they need not fit. */
static void report_other_layout(const struct module *mod)
{
	struct jump_entry *entry = mod->jump_entries, *end = entry + mod->num_jump_entries;

	for (; entry < end; entry++) {
		if (!other_layout(jump_entry_key(entry), mod))
			continue;
		pr_warn("markers of module %s refused: built with headers of another version of LTT\n",
			mod->name);
		return;
	}
}

/* Call @found for the marker of each run of entries with the same key. */
static bool scan(struct jump_entry *entry, struct jump_entry *end, struct module *mod,
		 bool (*found)(struct ltt_marker *marker, struct module *mod))
{
	struct static_key *key = NULL;
	struct ltt_marker *marker;
	bool any = false;

	for (; entry < end; entry++) {
		if (jump_entry_key(entry) == key)
			continue;
		key = jump_entry_key(entry);
		marker = marker_of(key, mod);
		if (marker)
			any |= found(marker, mod);
	}
	return any;
}

static bool scan_module(struct module *mod,
			bool (*found)(struct ltt_marker *marker, struct module *mod))
{
	return scan(mod->jump_entries, mod->jump_entries + mod->num_jump_entries,
		    mod, found);
}

static bool add(struct ltt_marker *marker, struct module *mod)
{
	ltt_marker_add(marker, mod);	/* has its own messages */
	return true;
}

static bool drop(struct ltt_marker *marker, struct module *mod)
{
	return ltt_marker_remove(marker);
}

static int module_comes(struct notifier_block *nb, unsigned long state, void *data)
{
	bool any;

	if (state == MODULE_STATE_COMING)
		report_other_layout(data);
	if (state == MODULE_STATE_COMING || state == MODULE_STATE_LIVE) {
		mutex_lock(&ltt_mutex);
		any = scan_module(data, add);
		mutex_unlock(&ltt_mutex);
		/*
		 * The module's init function, which may reach a marker, runs next. Others need
		 * not wait for requests of traces.
		 */
		if (any)
			ltt_markers_added();
	}
	/* A bad marker is no reason to refuse the module. */
	return NOTIFY_DONE;
}

static int module_goes(struct notifier_block *nb, unsigned long state, void *data)
{
	bool hooked;

	if (state == MODULE_STATE_GOING) {
		mutex_lock(&ltt_switch_mutex);
		hooked = scan_module(data, drop);
		mutex_unlock(&ltt_switch_mutex);
		mutex_lock(&ltt_mutex);
		ltt_refused_forget(data);
		mutex_unlock(&ltt_mutex);
		/*
		 * The module's memory is freed after an RCU grace period, which does not
		 * cover probes that are called where RCU is not watching, or with
		 * preemption enabled.
		 */
		if (hooked)
			tracepoint_synchronize_unregister();
	}
	return NOTIFY_DONE;
}

static struct notifier_block comes_nb = {
	.notifier_call = module_comes,
	.priority = INT_MIN,
};

static struct notifier_block goes_nb = {
	.notifier_call = module_goes,
	.priority = INT_MAX,
};

#ifdef MODULE

static void add_module(struct module *mod)
{
	/* Our own module is not LIVE yet; its markers are found later. */
	if (mod == THIS_MODULE)
		return;
	report_other_layout(mod);
	scan_module(mod, add);
}

static void add_loaded(void)
{
	ltt_each_module(add_module);
}

#else /* MODULE */

/* Built in: runs before the first module, and can access the kernel's own markers. */
static void add_loaded(void)
{
	scan(__start___jump_table, __stop___jump_table, NULL, add);
}

#endif /* MODULE */

/**
 * ltt_module_init() - register the markers of all modules, now and from now on
 *
 * Context: task, ltt_mutex not held: the notifiers take it inside of the lock of
 * their chain; sleeps.
 * Return: 0 or a negative errno.
 */
int ltt_module_init(void)
{
	int err;

	err = register_module_notifier(&goes_nb);
	if (err)
		return err;
	err = register_module_notifier(&comes_nb);
	if (err) {
		unregister_module_notifier(&goes_nb);
		return err;
	}
	mutex_lock(&ltt_mutex);
	add_loaded();
	mutex_unlock(&ltt_mutex);
	ltt_markers_added();
	return 0;
}

/**
 * ltt_module_exit() - stop registering markers
 *
 * Context: task, ltt_mutex not held; sleeps.
 */
void ltt_module_exit(void)
{
	unregister_module_notifier(&comes_nb);
	unregister_module_notifier(&goes_nb);
}

#else /* CONFIG_JUMP_LABEL */

int ltt_module_init(void)
{
#ifndef MODULE
	struct ltt_marker *const *marker;

	mutex_lock(&ltt_mutex);
	for (marker = __start___ltt_markers; marker < __stop___ltt_markers; marker++)
		ltt_marker_add(*marker, NULL);	/* has its own messages */
	mutex_unlock(&ltt_mutex);
#endif
	return 0;
}

void ltt_module_exit(void)
{
}

#endif /* CONFIG_JUMP_LABEL */
