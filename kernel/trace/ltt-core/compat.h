/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what differs between the kernels that LTT supports. No other file asks
 * for the kernel's version.
 */
#ifndef _LTT_COMPAT_H
#define _LTT_COMPAT_H

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

/* Does [@addr, @addr + @size) lie in the module's data, not that of its init? */
static inline bool ltt_module_data(const struct module *mod, const void *addr,
				   size_t size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	const void *base = mod->mem[MOD_DATA].base;
	size_t room = mod->mem[MOD_DATA].size;
#else
	const void *base = mod->core_layout.base;
	size_t room = mod->core_layout.size;
#endif
	return addr >= base && size <= room && addr - base <= room - size;
}

/* For files that have only read_iter(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define ltt_splice_read copy_splice_read
#else
#define ltt_splice_read generic_file_splice_read
#endif

/* Change the flags of a mapping that is being made. */
static inline void ltt_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				    unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif /* _LTT_COMPAT_H */
