// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the symbols of the kernel image.
 *
 * Modules cannot ask kallsyms for all symbols, but for the one at an address, and
 * where that begins and ends: the next one begins there.
 */

#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "function.h"

/* A symbol: where it begins, where the next one does, its name. */
struct symbol {
	unsigned long begin;
	unsigned long end;
	char text[KSYM_SYMBOL_LEN];
};

/*
 * Look up the symbol that @addr lies in. Return: false if none does, or one of a
 * module.
 */
static bool lookup(unsigned long addr, struct symbol *symbol)
{
	unsigned long offset, size;
	char *plus;

	sprint_symbol(symbol->text, addr);	/* NAME+0xOFFSET/0xSIZE [MODULE] */
	plus = strrchr(symbol->text, '+');
	if (!plus || strchr(plus, '[') || sscanf(plus, "+%lx/%lx", &offset, &size) != 2)
		return false;
	*plus = '\0';
	symbol->begin = addr - offset;
	symbol->end = max(symbol->begin + size, addr + 1);
	return true;
}

/**
 * ltt_function_each_symbol() - call a function for each symbol of the kernel image
 * @each:	the function, given the symbol's address and one of its names; may
 *		sleep; not 0 ends it
 * @data:	for @each
 *
 * Not only functions: with CONFIG_KALLSYMS_ALL data come too. Takes some tenths of a
 * second.
 *
 * Context: task, may sleep.
 * Return: 0; what @each returned; -ENOMEM; -EOPNOTSUPP on a kernel that has no symbols.
 */
int ltt_function_each_symbol(int (*each)(unsigned long addr, const char *name, void *data),
			     void *data)
{
	unsigned long addr = (unsigned long)&register_ftrace_function;
	struct symbol *symbol;
	int ret = -EOPNOTSUPP;

	symbol = kmalloc(sizeof(*symbol), GFP_KERNEL);
	if (!symbol)
		return -ENOMEM;

	/* Down to the first one, then up again. */
	while (lookup(addr, symbol)) {
		addr = symbol->begin - 1;
		cond_resched();
	}
	for (addr++; lookup(addr, symbol); addr = symbol->end) {
		ret = each(symbol->begin, symbol->text, data);
		if (ret)
			break;
		cond_resched();
	}
	kfree(symbol);
	return ret;
}
