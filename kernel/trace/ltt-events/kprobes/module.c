// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: modules that kprobes are in.
 *
 * When a kprobe is registered, x86 decodes the whole of its function, to see whether a
 * jump can take the place of the breakpoint. The last function of a module's code ends,
 * for kallsyms, where the last page does, and the rest of that page is zeros: instructions
 * of two bytes. If their number is odd, the last one ends in the next page, and since
 * Linux 6.4, where code has pages of its own, there is none: the kernel crashes. That is
 * often the module's exit function. tracefs doesn't get there, as it refuses functions that
 * ftrace cannot trace; on the others' entry a kprobe is ftrace's, and nothing is decoded.
 */

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/ltt/symbol.h>

#include "probe.h"

static struct kset *all_modules(void)
{
#ifdef MODULE
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return module_kset;
#endif
}

/**
 * ltt_kprobe_module_loaded() - is there such a module?
 * @name:	its name
 *
 * Context: task.
 * Return: whether it is there, its init function done or not.
 */
bool ltt_kprobe_module_loaded(const char *name)
{
	struct kobject *kobj = kset_find_obj(all_modules(), name);
	bool found = kobj && container_of(kobj, struct module_kobject, kobj)->mod;

	kobject_put(kobj);
	return found;
}

/* Is it the entry of a function that ftrace can trace, but is not traced now? */
static bool is_ftrace_entry(unsigned long addr)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u8 code[sizeof(endbr) + sizeof(nop)], *at = code;

	if (copy_from_kernel_nofault(code, (void *)addr, sizeof(code)))
		return false;
	if (!memcmp(at, endbr, sizeof(endbr)))
		at += sizeof(endbr);
	return !memcmp(at, nop, sizeof(nop));
}

static bool reads_beyond(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN], *plus;
	unsigned long offset, size, end;
	u8 byte;

	sprint_symbol(name, addr);
	plus = strrchr(name, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, &size) != 2)
		return false;
	end = addr - offset + size;
	if (!PAGE_ALIGNED(end) || !copy_from_kernel_nofault(&byte, (void *)end, 1) ||
	    copy_from_kernel_nofault(&byte, (void *)(end - 1), 1) || byte)
		return false;
	return offset || !is_ftrace_entry(addr);
}

/**
 * ltt_kprobe_unsafe() - may the kernel crash when it registers a kprobe?
 * @coming:	a module that is being loaded, or NULL
 * @symbol:	the probe's function, with or without its module; or NULL
 * @addr:	its address if there is no @symbol
 * @offset:	from there to the probe
 *
 * Context: task.
 * Return: true if it might.
 */
bool ltt_kprobe_unsafe(const struct module *coming, const char *symbol, unsigned long addr,
		       unsigned long offset)
{
	if (!IS_ENABLED(CONFIG_X86) || !IS_ENABLED(CONFIG_OPTPROBES))
		return false;
	if (symbol)
		addr = ltt_module_symbol(coming, symbol);
	return addr && reads_beyond(addr + offset);
}
