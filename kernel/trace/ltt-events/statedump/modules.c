// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's modules, as they are at one moment.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/module_list.h>
#include <linux/ltt/symbol.h>

#include "statedump.h"

/* Room for modules that are loaded while we count. */
#define MORE	16

/**
 * struct loaded - what is recorded of a module
 * @name:	its name
 * @base:	where its code begins
 * @size:	bytes of code and data
 */
struct loaded {
	char name[MODULE_NAME_LEN];
	void *base;
	unsigned long size;
};

#ifdef MODULE
static void copy_module(const struct module *mod, struct loaded *loaded)
{
	strscpy(loaded->name, mod->name, sizeof(loaded->name));
	loaded->base = ltt_module_span(mod, &loaded->size);
}

/* Copy at most @room modules to @loaded. Return: how many there are. */
static size_t snapshot(struct loaded *loaded, size_t room)
{
	const struct list_head *node = &THIS_MODULE->list;
	const struct module *mod;
	size_t n = 0;

	rcu_read_lock();
	do {
		mod = list_entry(node, struct module, list);
		if (ltt_is_module(mod) && READ_ONCE(mod->state) == MODULE_STATE_LIVE) {
			if (n < room)
				copy_module(mod, &loaded[n]);
			n++;
		}
		node = rcu_dereference(list_next_rcu(node));
	} while (node != &THIS_MODULE->list);
	rcu_read_unlock();
	return n;
}
#else
/* If built in, the list cannot be reached. */
static size_t snapshot(struct loaded *loaded, size_t room)
{
	return 0;
}
#endif

/* What may be shown of an address: 0 where kptr_restrict hides all of them. */
static unsigned long shown(const void *base)
{
	return ltt_may_see((unsigned long)base) ? (unsigned long)base : 0;
}

/**
 * ltt_state_modules() - record all loaded modules
 * @dump:	the dump
 *
 * Context: task, sleeps.
 */
void ltt_state_modules(struct state_dump *dump)
{
	struct loaded *loaded;
	size_t room, n, i;

	if (!ltt_state_wants(dump, STATE_MODULE))
		return;
	room = snapshot(NULL, 0) + MORE;
	loaded = kvmalloc_array(room, sizeof(*loaded), GFP_KERNEL);
	if (!loaded) {
		ltt_state_skip(dump);
		return;
	}
	n = snapshot(loaded, room);
	for (; n > room; n--)
		ltt_state_skip(dump);
	for (i = 0; i < n; i++)
		state_mark(dump, STATE_MODULE, module, "name %s base %lx size %lu",
			   loaded[i].name, shown(loaded[i].base), loaded[i].size);
	kvfree(loaded);
}
