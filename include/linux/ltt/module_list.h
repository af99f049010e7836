/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: the kernel's list of modules, found through any one of them.
 */
#ifndef _LINUX_LTT_MODULE_LIST_H
#define _LINUX_LTT_MODULE_LIST_H

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/rculist.h>

#include <linux/ltt/compat.h>

/*
 * The list's head is not exported, but a walk around the list meets it: it is the one
 * node that lies in the kernel image, where there are no modules.
 */
static inline bool ltt_is_module(const struct module *mod)
{
#if defined(MODULES_VADDR) && defined(MODULES_END)
	unsigned long addr = (unsigned long)mod;

	if ((addr < MODULES_VADDR || addr >= MODULES_END) && !is_vmalloc_addr(mod))
		return false;
#else
	if (!is_vmalloc_addr(mod))
		return false;
#endif
	/* On some machines the kernel's image lies in the range of vmalloc(). */
	return ltt_module_data(mod, mod, sizeof(*mod));
}

/*
 * Call @each, which may sleep, for all LIVE modules and ourselves, last loaded first. The
 * caller needs a module notifier for modules that are loaded or removed meanwhile.
 */
static inline void ltt_each_module(void (*each)(struct module *mod))
{
#ifdef MODULE
	struct list_head *head, *node;
	struct module *mod;

	rcu_read_lock();
	for (head = &THIS_MODULE->list; ltt_is_module(list_entry(head, struct module, list));)
		head = rcu_dereference(list_next_rcu(head));
	for (node = rcu_dereference(list_next_rcu(head)); node != head;
	     node = rcu_dereference(list_next_rcu(node))) {
		mod = list_entry(node, struct module, list);
		if ((mod != THIS_MODULE && READ_ONCE(mod->state) != MODULE_STATE_LIVE) ||
		    !try_module_get(mod))
			continue;
		/* The reference keeps @node in the list while we sleep. */
		rcu_read_unlock();
		each(mod);
		rcu_read_lock();
		module_put(mod);
	}
	rcu_read_unlock();
#endif
}

#endif /* _LINUX_LTT_MODULE_LIST_H */
