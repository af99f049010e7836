/* SPDX-License-Identifier: GPL-2.0 */
/* Whatever kernel addresses are in x86's kernel, all of this process's are. */
#ifndef _LTT_SHIM_LINUX_MM_H
#define _LTT_SHIM_LINUX_MM_H

#define PAGE_SIZE		4096ul
#define offset_in_page(p)	((unsigned long)(p) % PAGE_SIZE)
#define OPTIMIZER_HIDE_VAR(x)	asm volatile("" : "+r" (x))

/* False: what is_simple() shall return. */
extern bool simple_addresses;

#define CONFIG_X86
#define MODULES_END		(simple_addresses ? 0xffff7ffffffffffful : 0xffff800000001000ul)

#endif
