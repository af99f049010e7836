/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the kernel's list of modules, from one of them all the way round.
 */
#ifndef _LTT_MODULE_LIST_H
#define _LTT_MODULE_LIST_H

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pgtable.h>

#include "compat.h"

/*
 * The list's head is not exported. We meet it on our way round: it is the one node
 * that lies in the image of the kernel, where there are no modules.
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

#endif /* _LTT_MODULE_LIST_H */
